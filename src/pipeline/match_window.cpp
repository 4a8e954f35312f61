#include "pipeline/match_window.hpp"

#include <algorithm>
#include <cstring>

namespace adoc {

namespace {

constexpr std::size_t kKeptBytes = MatchWindow::kMemoryBytes;

}  // namespace

std::uint64_t MatchWindow::place(std::size_t raw_bytes) {
  // Before any thread uses it.
  if (ring_.empty()) ring_.resize(kKeptBytes);
  const auto blocks = blocks_.lock();
  const std::uint64_t begin = blocks->end;
  blocks->open.push_back({.begin = begin});
  blocks->end += raw_bytes;
  return begin;
}

void MatchWindow::wait_for(std::uint64_t begin, std::size_t raw_bytes,
                           const std::vector<Match>& matches) {
  // Blocks that are not kept yet may copy from a window before them.
  constexpr std::size_t kSpareBytes = kKeptBytes - kMatchWindowBytes;
  const std::uint64_t end = begin + raw_bytes;
  std::uint64_t needed = end - std::min<std::uint64_t>(end, kSpareBytes);
  for (const Match& match : matches)
    needed = std::max(needed, begin - match.distance + match.length);
  auto blocks = blocks_.lock();
  blocks.wait([&] { return blocks->failure || blocks->kept_end() >= needed; });
  if (blocks->failure) std::rethrow_exception(blocks->failure);
}

void MatchWindow::fill(std::uint64_t begin, std::span<std::byte> raw,
                       const std::vector<Match>& matches, ByteSpan literals) {
  std::span<std::byte> rest = raw;
  const auto take = [&](std::size_t bytes) {
    const std::span<std::byte> taken = rest.first(bytes);
    rest = rest.subspan(bytes);
    return taken;
  };
  for (const Match& match : matches) {
    std::ranges::copy(literals.first(match.literals), take(match.literals).begin());
    literals = literals.subspan(match.literals);
    copy(begin - match.distance, take(match.length));
  }
  if (literals.data() != rest.data()) std::ranges::copy(literals, rest.begin());
  keep(begin, raw);
}

void MatchWindow::fail(const std::exception_ptr& failure) noexcept {
  blocks_.lock()->failure = failure;
  blocks_.wake_all();
}

void MatchWindow::copy(std::uint64_t from, std::span<std::byte> to) const {
  const std::size_t at = from % kKeptBytes;
  const std::size_t first = std::min(to.size(), kKeptBytes - at);
  std::memcpy(to.data(), ring_.data() + at, first);
  std::memcpy(to.data() + first, ring_.data(), to.size() - first);
}

void MatchWindow::keep(std::uint64_t begin, ByteSpan raw) {
  const std::size_t at = begin % kKeptBytes;
  const std::size_t first = std::min(raw.size(), kKeptBytes - at);
  std::memcpy(ring_.data() + at, raw.data(), first);
  std::memcpy(ring_.data(), raw.data() + first, raw.size() - first);
  {
    const auto blocks = blocks_.lock();
    for (Placed& block : blocks->open)
      if (block.begin == begin) block.kept = true;
    while (!blocks->open.empty() && blocks->open.front().kept) blocks->open.pop_front();
  }
  blocks_.wake_all();
}

}  // namespace adoc
