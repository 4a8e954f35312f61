#pragma once

#include <optional>

#include "adoc/key.hpp"

namespace adoc {

/// Nothing goes out in plain text because a key was forgotten: throws Error(refused) when there is
/// neither a key nor the word that it is meant so, Error(usage) when there are both.
void require_key(const std::optional<Key>& key, bool insecure);

}  // namespace adoc
