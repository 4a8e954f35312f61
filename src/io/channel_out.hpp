#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>

#include "io/channel_record.hpp"
#include "io/channel_window.hpp"
#include "io/quiet_write.hpp"
#include "io/stream.hpp"
#include "util/fd.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// The direction of a ChannelStream that this side writes: its data, as far as the window allows,
/// and what has arrived of the other direction. One thread writes, one reads the other direction.
///
/// Both write to the same file, and no record must get into another: hence the lock. It is held
/// while the system takes what it has room for, and never while a thread waits: where only a part
/// of a record got out, what the reading thread has to say is said by the writing one behind it.
class ChannelOut {
 public:
  /// The files do not block; `peer` and `stopping` outlive this.
  ChannelOut(Fd out, const std::string& peer, const Wakeup& stopping);

  // The thread that writes.

  /// Waits until the window is open and writes a record with some of the pieces. Throws
  /// Error(connect).
  [[nodiscard]] std::size_t write(std::span<const ByteSpan> pieces);
  /// Says the end; waits for room until `until`, for ever without.
  void finish(std::optional<Clock::time_point> until) noexcept;
  void allow_waiting(std::size_t bytes) noexcept;

  // The thread that reads.

  /// So much more was read here.
  void read_here(std::size_t bytes) noexcept { read_bytes_ += bytes; }
  /// That was read and is not said yet.
  [[nodiscard]] std::uint64_t unsaid() const noexcept { return read_bytes_ - said_bytes_; }
  /// What is left to do before the other side knows how much was read.
  struct Unsaid {
    bool needs_room = false;  ///< once fd() can be written to
    std::optional<Clock::time_point> until{};
  };
  /// Says what was read if it is much, or if it is a while since that was said. Not what could not
  /// be written: the thread that writes finds that out, and what came before can still be read.
  Unsaid say_read(Clock::time_point now) noexcept;
  /// The peer says what has arrived there. Throws Error(corrupt) if it was never sent.
  void peer_read(std::uint32_t bytes);
  /// Whether somebody is there to hear what has arrived. Where nobody is, the window is not kept.
  void reader_is_there(bool is_there) noexcept {
    reader_left_ns_ = is_there ? 0 : Clock::now().time_since_epoch().count();
  }

  // Any thread.

  [[nodiscard]] Delivery delivery() const noexcept;
  /// Whether delivery() would have to wait.
  [[nodiscard]] bool is_writing() const noexcept { return is_writing_; }
  void abort() noexcept { aborted_ = true; }
  [[nodiscard]] bool is_aborted() const noexcept { return aborted_; }
  [[nodiscard]] int fd() const noexcept { return out_.get(); }

 private:
  static constexpr std::size_t kMaxPieces = 64;
  /// What of a record has yet to get out.
  struct Parts {
    std::array<iovec, kMaxPieces + 1> all{};
    std::size_t first = 0;
    std::size_t count = 0;

    void skip(std::size_t bytes) noexcept;
    [[nodiscard]] bool empty() const noexcept { return first == count; }
  };
  using Lock = std::unique_lock<std::mutex>;

  // With the lock:
  [[nodiscard]] ChannelRecord record(std::uint16_t length) const noexcept;
  void said(ChannelRecord record, Clock::time_point now) noexcept;
  [[nodiscard]] std::size_t fill(Parts& parts, std::span<const ByteSpan> pieces) const noexcept;
  /// As far as it goes without waiting. Throws Error(connect).
  std::size_t put(Parts& parts);
  [[nodiscard]] bool put_rest();
  [[nodiscard]] bool say(std::uint16_t length, Clock::time_point now);
  [[nodiscard]] bool is_open() const noexcept;
  void put_all(Lock& lock, Parts& parts);
  void wait_for_window(Lock& lock);
  void wait_for_room(Lock& lock);
  // Without:
  void wait(int fd, short events);
  [[noreturn]] void lost(int error_number) const;

  const Fd out_;
  const QuietWrite write_;
  const std::string& peer_;
  const Wakeup& stopping_;
  Wakeup opened_;  ///< the window, and the writer waits for that

  std::atomic<std::uint64_t> read_bytes_{0};
  std::atomic<std::uint64_t> said_bytes_{0};  ///< of them
  std::atomic<std::int64_t> reader_left_ns_;  ///< 0: it is there
  std::atomic<bool> is_writing_{false};
  std::atomic<bool> aborted_{false};
  // The writing thread's:
  std::optional<Clock::time_point> given_up_at_{};  ///< unless something gets out before
  bool grace_is_over_ = false;

  mutable std::mutex mutex_;
  ChannelWindow window_;
  ChannelRecord::Header rest_{};  ///< of a record without data: its last rest_bytes_
  std::size_t rest_bytes_ = 0;
  std::size_t record_bytes_ = 0;  ///< data of the one that is being written
  bool in_record_ = false;        ///< between its first byte and its last
  bool owes_ = false;             ///< the reader wants something said behind it
  bool writer_waits_ = false;     ///< for the window
  bool ended_ = false;
  int broken_ = 0;  ///< an errno: nothing can be written any more
  Clock::time_point said_at_{};
};

}  // namespace adoc
