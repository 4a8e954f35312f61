#pragma once

#include <vector>

#include "wire/entry.hpp"
#include "wire/offer.hpp"

namespace adoc {

/// Compresses the entries into the body of an offer.
void pack_manifest(const std::vector<Entry>& entries, Offer& offer);

/// The inverse. Throws Error(corrupt).
[[nodiscard]] std::vector<Entry> unpack_manifest(const Offer& offer);

}  // namespace adoc
