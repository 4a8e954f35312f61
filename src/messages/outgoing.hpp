#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "messages/descriptor.hpp"
#include "messages/levels.hpp"
#include "util/buffer.hpp"
#include "wire/message.hpp"

namespace adoc::messages {

/// What goes to one descriptor. One thread at a time.
///
/// A frame of which a part has gone is taken as a whole, and its rest kept: so the stream never
/// depends on what the caller does next.
class Outgoing {
 public:
  /// A message is long if the policy has a say in what becomes of it: a first block of it.
  static constexpr std::size_t kLongBytes = 32 << 10;

  explicit Outgoing(Channel channel) noexcept : channel_(channel) {}

  /// How many bytes were taken, and adds to `wire` how many stand for them. Throws std::bad_alloc,
  /// with nothing taken by the run that it happened in.
  [[nodiscard]] Count write(int fd, ByteSpan bytes, LevelRange range, std::uint64_t& wire);

  /// The same for a long message, if nothing depends on who the descriptor is; else nothing is
  /// done.
  [[nodiscard]] std::optional<Count> write_plain_for_now(int fd, ByteSpan bytes, LevelRange range,
                                                         std::uint64_t& wire);

  /// All or, with an error, nothing of it.
  [[nodiscard]] Count write_mark(int fd, const FileMark& mark, std::uint64_t& wire);

  /// Sends what is kept: 0 once that is nothing.
  [[nodiscard]] Count flush(int fd);
  /// The same without waiting, whatever the descriptor's mode is.
  [[nodiscard]] Count flush_now(int fd);
  [[nodiscard]] bool keeps_some() const noexcept { return kept_sent_ < kept_.size(); }
  /// Gets what the other one keeps: that was for this one's descriptor. Keeps nothing before.
  void take_kept(Outgoing& other) noexcept;
  /// Forgets it: somebody else sends it, or nobody can.
  void forget_kept() noexcept;

 private:
  struct Packed;

  [[nodiscard]] bool has_levels(LevelRange range) const noexcept {
    return levels_ && levels_->range().min == range.min && levels_->range().max == range.max;
  }
  [[nodiscard]] Count write_run(int fd, ByteSpan bytes, LevelRange range, std::uint64_t& wire);
  [[nodiscard]] Count write_short(int fd, ByteSpan bytes, LevelRange range, std::uint64_t& wire);
  [[nodiscard]] Count write_plain(int fd, ByteSpan bytes, std::uint64_t& wire);
  /// 0, once it is taken.
  [[nodiscard]] Count write_frame(int fd, ByteSpan header, ByteSpan behind, std::uint64_t& wire);
  void keep(int fd, ByteSpan header, ByteSpan behind);
  [[nodiscard]] ByteSpan kept() const noexcept {
    return ByteSpan(kept_.data(), kept_.size()).subspan(kept_sent_);
  }
  void was_sent(Count bytes) noexcept;

  Channel channel_;
  bool watches_link_ = false;  ///< what goes now is decided about by what is seen meanwhile
  bool asks_link_ = true;      ///< it is known whose what goes now is
  Buffer kept_;
  std::size_t kept_sent_ = 0;
  std::optional<Levels> levels_{};
  ShortMessages short_{};
};

}  // namespace adoc::messages
