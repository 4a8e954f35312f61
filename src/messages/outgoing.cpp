#include "messages/outgoing.hpp"

#include <poll.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <new>
#include <utility>

#include "messages/codec_stock.hpp"
#include "util/checksum.hpp"
#include "util/clock.hpp"

namespace adoc::messages {

namespace {

/// Of a run: so much may have to be kept.
constexpr std::size_t kPlainRunBytes = 256 << 10;

/// Between two looks at the link.
constexpr std::size_t kPieceBytes = 64 << 10;

/// What short messages are compressed with: the fastest of zstd's.
int short_level() {
  static const int kLevel = [] {
    int level = ladder().top();
    while (level > 1 && !(ladder()[level] == Rung{CodecId::zstd, 1})) --level;
    return level;
  }();
  return kLevel;
}

}  // namespace

/// A run that has become shorter.
struct Outgoing::Packed {
  Packed(ByteSpan raw, int level);

  [[nodiscard]] explicit operator bool() const noexcept { return stored.size() != 0; }

  std::array<std::byte, PackedRun::kBytes> header{};
  Buffer stored;
  double seconds = 0;
  double processor_seconds = 0;
};

Outgoing::Packed::Packed(ByteSpan raw, int level) {
  const Rung& rung = ladder()[level];
  if (rung.codec == CodecId::raw || raw.size() <= PackedRun::kBytes) return;
  const Clock::time_point begin = Clock::now();
  const double processor = thread_seconds();
  const LentCodecs codecs;
  Compressor& compressor = codecs->compressor(rung.codec);
  compressor.begin(raw, rung.setting);
  const std::size_t room = raw.size() - (PackedRun::kBytes - PlainRun::kBytes);
  stored.resize(room);
  const std::size_t bytes = compressor.next_packet(std::span(stored.data(), room));
  stored.resize(bytes < room ? bytes : 0);
  if (*this)
    header = PackedRun{.codec = static_cast<std::uint8_t>(rung.codec),
                       .raw_bytes = static_cast<std::uint32_t>(raw.size()),
                       .stored_bytes = static_cast<std::uint32_t>(stored.size()),
                       .checksum = xxh3_64(raw)}
                 .encode();
  seconds = seconds_since(begin);
  processor_seconds = thread_seconds() - processor;
}

Count Outgoing::write(int fd, ByteSpan bytes, LevelRange range, std::uint64_t& wire) {
  if (keeps_some()) {
    const Count flushed = flush(fd);
    if (flushed < 0) return flushed;
  }
  const bool is_long = bytes.size() >= kLongBytes && range.max > 0;
  watches_link_ = false;
  asks_link_ = true;
  std::size_t taken = 0;
  while (taken < bytes.size() && !keeps_some()) {
    const ByteSpan rest = bytes.subspan(taken);
    const Count next =
        is_long ? write_run(fd, rest, range, wire) : write_short(fd, rest, range, wire);
    if (next < 0) return taken != 0 ? static_cast<Count>(taken) : next;
    taken += static_cast<std::size_t>(next);
  }
  return static_cast<Count>(taken);
}

std::optional<Count> Outgoing::write_plain_for_now(int fd, ByteSpan bytes, LevelRange range,
                                                   std::uint64_t& wire) {
  if (keeps_some() || !has_levels(range) || !levels_->stays_plain(bytes.size()))
    return std::nullopt;
  watches_link_ = false;
  asks_link_ = false;
  return write_plain(fd, bytes, wire);
}

Count Outgoing::write_short(int fd, ByteSpan bytes, LevelRange range, std::uint64_t& wire) {
  const bool pays =
      range.min > 0 || (range.max > 0 && channel_ == Channel::tcp && short_.pays(fd, bytes.size()));
  if (!pays) return write_plain(fd, bytes, wire);
  const ByteSpan run = bytes.first(std::min(bytes.size(), kMaxPackedRunBytes));
  const Packed packed(run, range.clamp(short_level()));
  short_.tried(packed && packed.stored.size() * 10 < run.size() * 9);
  if (!packed) return write_plain(fd, run, wire);
  const Count failed =
      write_frame(fd, packed.header, ByteSpan(packed.stored.data(), packed.stored.size()), wire);
  return failed < 0 ? failed : static_cast<Count>(run.size());
}

Count Outgoing::write_run(int fd, ByteSpan bytes, LevelRange range, std::uint64_t& wire) {
  if (!has_levels(range)) {
    auto known = levels_ ? levels_->path_metrics() : std::nullopt;
    levels_.emplace(channel_, range, std::move(known));
  }
  try {
    const Levels::Plan plan = levels_->next(fd, bytes);
    watches_link_ = plan.ticket != 0;
    const ByteSpan run = bytes.first(plan.raw_bytes);
    const Packed packed(run, plan.level);
    std::uint64_t own_wire = 0;
    const Count taken =
        packed ? write_frame(fd, packed.header,
                             ByteSpan(packed.stored.data(), packed.stored.size()), own_wire)
               : write_plain(fd, run, own_wire);
    wire += own_wire;
    // Also of what was made and not taken: that it was made is what is learned from.
    levels_->done(fd, plan,
                  {.raw_bytes = run.size(),
                   .wire_bytes = own_wire,
                   .compress_seconds = packed.seconds,
                   .processor_seconds = packed.processor_seconds});
    return taken < 0 || !packed ? taken : static_cast<Count>(run.size());
  } catch (...) {
    levels_.reset();
    throw;
  }
}

Count Outgoing::write_plain(int fd, ByteSpan bytes, std::uint64_t& wire) {
  std::size_t taken = 0;
  while (taken < bytes.size() && !keeps_some()) {
    const ByteSpan run = bytes.subspan(taken, std::min(bytes.size() - taken, kPlainRunBytes));
    const auto header = PlainRun{static_cast<std::uint32_t>(run.size())}.encode();
    const Count failed = write_frame(fd, header, run, wire);
    if (failed < 0) return taken != 0 ? static_cast<Count>(taken) : failed;
    taken += run.size();
  }
  return static_cast<Count>(taken);
}

Count Outgoing::write_mark(int fd, const FileMark& mark, std::uint64_t& wire) {
  if (keeps_some()) {
    const Count flushed = flush(fd);
    if (flushed < 0) return flushed;
  }
  asks_link_ = true;
  return write_frame(fd, mark.encode(), {}, wire);
}

Count Outgoing::write_frame(int fd, ByteSpan header, ByteSpan behind, std::uint64_t& wire) {
  const std::uint64_t bytes = header.size() + behind.size();
  while (!header.empty() || !behind.empty()) {
    // One piece after the other, so that the link is seen while it is busy.
    const ByteSpan piece =
        behind.first(watches_link_ ? std::min(behind.size(), kPieceBytes) : behind.size());
    const std::array parts{as_iovec(header), as_iovec(piece)};
    const Count sent = system_write(fd, channel_, parts);
    const bool first = header.size() + behind.size() == bytes;
    if (sent < 0 && first) return sent;
    const std::size_t asked = header.size() + piece.size();
    const auto went = static_cast<std::size_t>(std::max<Count>(sent, 0));
    behind = behind.subspan(went - std::min(went, header.size()));
    header = header.subspan(std::min(went, header.size()));
    if (asks_link_ && levels_ && went > 0) levels_->written(fd, went);
    if (went < asked) {
      keep(fd, header, behind);
      break;
    }
  }
  wire += bytes;
  return 0;
}

// Where there is no memory to keep it in, this waits for the descriptor in any case.
void Outgoing::keep(int fd, ByteSpan header, ByteSpan behind) {
  kept_sent_ = 0;
  kept_.clear();
  try {
    kept_.reserve(header.size() + behind.size());
    kept_.append(header);
    kept_.append(behind);
  } catch (const std::bad_alloc&) {
    for (ByteSpan rest : {header, behind}) {
      while (!rest.empty()) {
        wait_for(fd, POLLOUT);
        const Count sent = system_write_now(fd, channel_, rest);
        if (sent > 0) rest = rest.subspan(static_cast<std::size_t>(sent));
        if (sent < 0 && sent != -EAGAIN && sent != -EINTR) return;
      }
    }
  }
}

Count Outgoing::flush(int fd) {
  while (keeps_some()) {
    const iovec part = as_iovec(kept());
    const Count sent = system_write(fd, channel_, {&part, 1});
    if (sent < 0) return sent;
    was_sent(sent);
  }
  return 0;
}

Count Outgoing::flush_now(int fd) {
  while (keeps_some()) {
    const Count sent = system_write_now(fd, channel_, kept());
    if (sent < 0) return sent;
    was_sent(sent);
  }
  return 0;
}

void Outgoing::was_sent(Count bytes) noexcept {
  kept_sent_ += static_cast<std::size_t>(bytes);
  if (!keeps_some()) forget_kept();
}

void Outgoing::take_kept(Outgoing& other) noexcept {
  kept_ = std::exchange(other.kept_, Buffer());
  kept_sent_ = std::exchange(other.kept_sent_, 0);
}

void Outgoing::forget_kept() noexcept {
  kept_ = Buffer();
  kept_sent_ = 0;
}

}  // namespace adoc::messages
