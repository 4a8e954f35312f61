#include "io/tls_offsets.hpp"

#include <cstddef>

namespace adoc {
namespace {

/// Bounds the memory where nobody asks: the last two of more are merged.
constexpr std::size_t kMostOffsets = 1024;

}  // namespace

void TlsOffsets::add(std::uint64_t made_bytes, std::uint64_t written_bytes) {
  if (offsets_.size() == kMostOffsets) offsets_.pop_back();
  offsets_.push_back({.made_bytes = made_bytes, .written_bytes = written_bytes});
}

std::uint64_t TlsOffsets::written_in(std::uint64_t made_bytes) {
  while (offsets_.size() > 1 && offsets_[1].made_bytes <= made_bytes) offsets_.pop_front();
  const Offset& before = offsets_.front();
  if (offsets_.size() == 1 || made_bytes <= before.made_bytes) return before.written_bytes;
  const double part = static_cast<double>(made_bytes - before.made_bytes) /
                      static_cast<double>(offsets_[1].made_bytes - before.made_bytes);
  const double written = static_cast<double>(offsets_[1].written_bytes - before.written_bytes);
  return before.written_bytes + static_cast<std::uint64_t>(part * written);
}

}  // namespace adoc
