#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "io/bundle_state.hpp"
#include "io/socket_stream.hpp"
#include "wire/frame_border.hpp"

namespace adoc {

/// The connection of a transfer, which others may join: whichever is free takes the next record,
/// one that dies has its records sent again over the others, and one that is slow holds nothing up.
/// Until one joins it is the first connection and nothing else: no record, no copy, no thread.
///
/// Each direction changes to records by itself, with a split between two frames. One that outlast()
/// makes to outlive its connections does so also where the first is lost before: it keeps the
/// latest of what it sends, and what the peer has not read comes in records over the one that joins
/// then. That costs a copy of what is sent. It never waits for the peer to say what it has read:
/// where more is on its way than it can keep, the loss of the first connection is not outlived
/// until the peer has read enough.
///
/// All that is of Stream is as it says there; join(), connections() and figures() are for any
/// thread.
class StreamBundle final : public Stream {
 public:
  struct Setup {
    SocketStream& first;                      ///< outlives this
    std::size_t buffer = 0;                   ///< for what is sent, so that it can be sent again
    std::size_t window = 0;                   ///< for what comes before what is missing
    std::size_t before_frames = kHelloBytes;  ///< of what is written
    bool splits = false;                      ///< when one joins; else when the peer has
    /// As outlast() does, and from the first byte on. So much is kept at first, and more, up to
    /// `buffer`, where more than that is on its way; 0: nothing is kept before outlast().
    std::size_t keeps = 0;
    // Of the first connection before.
    std::uint64_t said_bytes = 0;
    std::uint64_t heard_bytes = 0;
  };

  explicit StreamBundle(const Setup& setup);
  StreamBundle(const StreamBundle&) = delete;
  StreamBundle& operator=(const StreamBundle&) = delete;
  /// What was given is sent before, as far as that goes in a moment. The first connection is not
  /// closed.
  ~StreamBundle() override;

  /// So many connections may be there at once, the first included, and so many bytes on their way.
  void allow(std::size_t connections, std::uint64_t limit);

  /// No other connection comes when all are lost, which is why.
  void give_up(std::exception_ptr why) noexcept;

  /// False when there may be no more, or the transfer is over; then it is where it was. One that
  /// lasts has the connection go that was silent for longest instead, and all of them when it comes
  /// in their place. Throws std::bad_alloc, and Error(internal) when there is no thread for it.
  [[nodiscard]] bool join(JoiningStream& stream);

  /// No more than so many of them are used from now on.
  void use(std::size_t connections) noexcept { shared_.state.lock()->used = connections; }

  /// Its connections do as adoc::answer_loss() says, from now on.
  void answer_loss() noexcept { shared_.state.lock()->answers_loss = true; }

  struct Figures {
    std::size_t connections = 1;  ///< at this moment
    /// Also behind some that have not: a lost packet that comes late is no faster path.
    std::uint64_t arrived_bytes = 0;
    std::uint64_t waiting_bytes = 0;  ///< for a connection, or in this system
    double round_trip_seconds = 0;
    double queue_seconds = 0;
    bool is_safe = false;   ///< any of them may be lost: both directions are records
    bool is_alone = false;  ///< all were lost, and none has brought anything since
    bool lasts = false;     ///< as outlast() says, whether or not it is_safe
    bool is_over = false;
    std::uint64_t acknowledged = 0;  ///< by the peer
    std::exception_ptr last_lost{};  ///< why the last one was lost
  };
  [[nodiscard]] Figures figures() const;
  /// The most that there were at once.
  [[nodiscard]] std::size_t most_connections() const noexcept { return most_.load(); }

  // As Stream says.
  [[nodiscard]] std::size_t read_some(std::span<std::byte> into) override;
  [[nodiscard]] std::size_t write_some(std::span<const ByteSpan> pieces) override;
  void finish_writing() noexcept override;
  void stop_reading() noexcept override;
  void linger(std::chrono::milliseconds limit) noexcept override;
  void abort() noexcept override;
  void set_read_timeout(std::chrono::milliseconds limit) override;
  void set_silence_limit(std::chrono::milliseconds limit) override;
  void set_unsent_limit(std::size_t bytes) noexcept override;
  [[nodiscard]] std::optional<Delivery> delivery() const noexcept override;
  [[nodiscard]] bool delivery_waits() const noexcept override;
  [[nodiscard]] std::optional<std::chrono::nanoseconds> waited_to_read() const noexcept override;
  [[nodiscard]] PeerEnd peer_end() const noexcept override;
  [[nodiscard]] const std::string& peer() const noexcept override { return first_.peer(); }
  [[nodiscard]] std::string link_name() const override { return first_.link_name(); }
  [[nodiscard]] bool begin_records(ByteSpan behind) override;
  void outlast(std::chrono::milliseconds limit, std::function<void()> before_records) override;
  void keep_nothing() noexcept override;
  void note_acknowledged(std::uint64_t bytes) override;
  void expect_end() noexcept override;

 private:
  void split();
  /// With the state: whether the thread is to be started.
  [[nodiscard]] bool has_begun(BundleState& state);
  void start_thread();
  void wake_thread() noexcept;
  [[nodiscard]] bool writes_records();
  /// May change to records instead.
  [[nodiscard]] std::size_t write_plain(std::span<const ByteSpan> pieces);
  [[nodiscard]] std::size_t begin_plain(std::size_t wanted);
  void keep_more(std::size_t bytes) noexcept;
  void end_plain(std::span<const ByteSpan> pieces, std::size_t written);
  void keep(std::uint64_t place, std::span<const ByteSpan> pieces, std::size_t bytes);
  [[nodiscard]] bool outlives_failed_write(const std::exception_ptr& why);
  [[nodiscard]] bool finish_plain() noexcept;
  /// The first connection is lost: whether this side goes on without it.
  [[nodiscard]] bool outlives_first(const std::exception_ptr& why, bool was_silent);
  /// None: it is lost, and records follow.
  [[nodiscard]] std::optional<std::size_t> read_plain(std::span<std::byte> into);
  [[nodiscard]] std::size_t write_records(std::span<const ByteSpan> pieces);
  [[nodiscard]] std::size_t room_for_records();
  [[nodiscard]] std::size_t read_records(std::span<std::byte> into, Clock::time_point until);
  [[nodiscard]] std::size_t readable(Clock::time_point until);
  /// Nothing came for so long. Whether it goes on: then connections that are silent are lost.
  [[nodiscard]] bool outlasts_silence(BundleState& state, std::chrono::milliseconds silence);
  void finish_within(std::chrono::milliseconds limit) noexcept;
  [[noreturn]] void lost() const;
  [[noreturn]] void silent() const;

  mutable BundleShared shared_;
  SocketStream& first_;
  const bool splits_;
  std::atomic<bool> wants_split_ = false;
  std::atomic<bool> writes_records_ = false;  ///< set by the thread that writes
  std::atomic<std::size_t> most_ = 1;

  // The thread that writes.
  FrameBorder border_;
  bool may_keep_more_ = true;

  // The thread that reads.
  bool reads_records_ = false;
  bool heard_split_ = false;
  std::uint64_t heard_bytes_;  ///< before any record
  std::function<void()> before_records_{};
  std::chrono::milliseconds read_timeout_{0};
  bool promised_to_speak_ = false;
  std::atomic<bool> lingers_ = false;  ///< what comes is thrown away, for a time
  std::chrono::nanoseconds waited_{0};

  std::jthread thread_;  ///< of BundlePump
};

/// How much a direction that outlives its connections keeps at first, of `most`: on a short path
/// less is on its way, and what is used again soon is still in a cache.
[[nodiscard]] std::size_t kept_on_path(const SocketStream& first, std::size_t most) noexcept;

}  // namespace adoc
