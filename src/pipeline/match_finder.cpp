#include "pipeline/match_finder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace adoc {

namespace {

constexpr std::size_t kRingBytes = kMatchWindowBytes + kMaxMatchedBlockBytes;

/// The hash is of so many bytes: each of them has been shifted out after as many steps.
constexpr std::size_t kHashedBytes = 64;
/// Of the hash, which are zero at a place that is noted.
constexpr int kZeroBits = 7;
/// Places that are noted: those of a window, and half as many more.
constexpr int kNotedBits = 19;
/// Of a noted place, the bits that tell hashes apart; its position is above them.
constexpr int kCheckBits = 16;
/// A shorter match costs about as much as its bytes, compressed.
constexpr std::size_t kWorthBytes = 64;

/// A random number for each value of a byte (Marsaglia's xorshift).
constexpr std::array<std::uint64_t, 256> make_gear() {
  std::array<std::uint64_t, 256> gear{};
  std::uint64_t state = 88'172'645'463'325'252U;
  for (std::uint64_t& number : gear) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    number = state;
  }
  return gear;
}
constexpr auto kGear = make_gear();

std::uint64_t eight_bytes(const std::byte* at) noexcept {
  std::uint64_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value;
}

std::size_t equal_bytes(const std::byte* a, const std::byte* b, std::size_t most) noexcept {
  std::size_t equal = 0;
  for (; equal + 8 <= most; equal += 8)
    if (eight_bytes(a + equal) != eight_bytes(b + equal)) break;
  while (equal < most && a[equal] == b[equal]) ++equal;
  return equal;
}

}  // namespace

MatchFinder::MatchFinder() : ring_(kRingBytes), noted_(std::size_t{1} << kNotedBits) {}

MatchFinder::Place MatchFinder::place(std::size_t bytes) {
  const auto blocks = blocks_.lock();
  const Place place{.begin = blocks->end, .bytes = bytes};
  blocks->open.push_back({.place = place});
  blocks->end += bytes;
  return place;
}

std::vector<Match> MatchFinder::search(const Place& place, ByteSpan raw, std::size_t first) {
  struct Leaving {
    MatchFinder& finder;
    const Place& place;
    ~Leaving() { finder.step(place, Step::searched); }
  } const leaving{*this, place};
  const std::uint64_t stored_end = store(place, raw);
  return find(place, raw.first(first), stored_end);
}

void MatchFinder::fail(const std::exception_ptr& failure) noexcept {
  blocks_.lock()->failure = failure;
  blocks_.wake_all();
}

// What is overwritten is beyond the reach of those that are still searched.
std::uint64_t MatchFinder::store(const Place& place, ByteSpan raw) {
  {
    auto blocks = blocks_.lock();
    blocks.wait([&] {
      return blocks->failure || place.begin + place.bytes + kMatchWindowBytes <=
                                    blocks->open.front().place.begin + kRingBytes;
    });
    if (blocks->failure) std::rethrow_exception(blocks->failure);
  }
  const std::size_t at = place.begin % kRingBytes;
  const std::size_t first = std::min(raw.size(), kRingBytes - at);
  std::memcpy(ring_.data() + at, raw.data(), first);
  std::memcpy(ring_.data(), raw.data() + first, raw.size() - first);
  step(place, Step::stored);
  const auto blocks = blocks_.lock();
  for (const Searched& block : blocks->open)
    if (block.step == Step::placed) return std::min(block.place.begin, place.begin);
  return place.begin;
}

void MatchFinder::step(const Place& place, Step step) noexcept {
  {
    const auto blocks = blocks_.lock();
    for (Searched& block : blocks->open)
      if (block.place.begin == place.begin) block.step = step;
    while (!blocks->open.empty() && blocks->open.front().step == Step::searched)
      blocks->open.pop_front();
  }
  blocks_.wake_all();
}

std::vector<Match> MatchFinder::find(const Place& place, ByteSpan raw, std::uint64_t stored_end) {
  const std::uint64_t oldest =
      place.begin > kMatchWindowBytes ? place.begin - kMatchWindowBytes : 0;
  std::vector<Match> matches;
  std::size_t matched = 0;  // up to here, by matches
  std::uint64_t hash = 0;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    hash = (hash << 1) + kGear[std::to_integer<std::size_t>(raw[i])];
    if (hash >> (64 - kZeroBits) != 0) [[likely]]
      continue;
    const std::size_t here = i + 1;
    if (here < kHashedBytes) continue;
    const std::uint64_t there = note(hash, place.begin + here);
    if (there <= oldest || there >= stored_end || here <= matched) continue;
    const std::size_t before =
        equal_before(there, raw.subspan(matched, here - matched)
                                .last(static_cast<std::size_t>(
                                    std::min<std::uint64_t>(here - matched, there - oldest))));
    const std::size_t after =
        equal_after(there, raw.subspan(here).first(static_cast<std::size_t>(
                               std::min<std::uint64_t>(raw.size() - here, stored_end - there))));
    if (before + after < kWorthBytes) continue;
    matches.push_back({.literals = here - before - matched,
                       .length = before + after,
                       .distance = static_cast<std::size_t>(place.begin - (there - before))});
    matched = here + after;
    if (matches.size() == kMaxMatches) break;
  }
  return matches;
}

std::uint64_t MatchFinder::note(std::uint64_t hash, std::uint64_t position) noexcept {
  constexpr std::uint64_t kCheck = (std::uint64_t{1} << kCheckBits) - 1;
  const std::uint64_t mixed = hash * 0x9e37'79b9'7f4a'7c15U;
  std::atomic<std::uint64_t>& place = noted_[mixed >> (64 - kNotedBits)];
  const std::uint64_t before = place.load(std::memory_order_relaxed);
  place.store(position << kCheckBits | (mixed & kCheck), std::memory_order_relaxed);
  return (before & kCheck) == (mixed & kCheck) ? before >> kCheckBits : 0;
}

std::size_t MatchFinder::equal_after(std::uint64_t position, ByteSpan bytes) const noexcept {
  const std::size_t at = position % kRingBytes;
  const std::size_t first = std::min(bytes.size(), kRingBytes - at);
  const std::size_t equal = equal_bytes(ring_.data() + at, bytes.data(), first);
  if (equal < first) return equal;
  return equal + equal_bytes(ring_.data(), bytes.data() + first, bytes.size() - first);
}

std::size_t MatchFinder::equal_before(std::uint64_t position, ByteSpan bytes) const noexcept {
  std::size_t equal = 0;
  while (equal < bytes.size() &&
         ring_.data()[(position - 1 - equal) % kRingBytes] == bytes[bytes.size() - 1 - equal])
    ++equal;
  return equal;
}

void append_literals(Buffer& to, ByteSpan raw, const std::vector<Match>& matches) {
  for (const Match& match : matches) {
    to.append(raw.first(match.literals));
    raw = raw.subspan(match.literals + match.length);
  }
  to.append(raw);
}

std::size_t raw_bytes_of(std::size_t literals, const std::vector<Match>& matches) noexcept {
  std::size_t raw = 0;
  for (const Match& match : matches) {
    if (literals <= match.literals) break;
    literals -= match.literals;
    raw += match.literals + match.length;
  }
  return raw + literals;
}

std::size_t matched_bytes_of(std::size_t raw, const std::vector<Match>& matches) noexcept {
  std::size_t matched = 0;
  for (const Match& match : matches) {
    if (raw <= match.literals) break;
    raw -= match.literals;
    const std::size_t copied = std::min(raw, match.length);
    matched += copied;
    raw -= copied;
  }
  return matched;
}

}  // namespace adoc
