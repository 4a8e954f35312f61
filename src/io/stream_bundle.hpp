#pragma once

#include <atomic>
#include <chrono>
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
/// Each direction changes to records by itself, with a split between two frames. All that is of
/// Stream is as it says there; join(), connections() and figures() are for any thread.
class StreamBundle final : public Stream {
 public:
  struct Setup {
    SocketStream& first;                      ///< outlives this
    std::size_t buffer = 0;                   ///< for what is sent, so that it can be sent again
    std::size_t window = 0;                   ///< for what comes before what is missing
    std::size_t before_frames = kHelloBytes;  ///< of what is written
    bool splits = false;                      ///< when one joins; else when the peer has
  };

  explicit StreamBundle(const Setup& setup);
  StreamBundle(const StreamBundle&) = delete;
  StreamBundle& operator=(const StreamBundle&) = delete;
  /// What was given is sent before, as far as that goes in a moment. The first connection is not
  /// closed.
  ~StreamBundle() override;

  /// So many connections may be there at once, the first included, and so many bytes on their way.
  void allow(std::size_t connections, std::uint64_t limit);

  /// False when there may be no more, or the transfer is over; then it is where it was. Throws
  /// std::bad_alloc, and Error(internal) when there is no thread for it.
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
    bool is_safe = false;  ///< any of them may be lost: both directions are records
    bool is_over = false;
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
  void begin_records(ByteSpan behind) override;

 private:
  void split();
  /// With the state: whether the thread is to be started.
  [[nodiscard]] bool has_begun(BundleState& state);
  void start_thread();
  void wake_thread() noexcept;
  [[nodiscard]] std::size_t write_plain(std::span<const ByteSpan> pieces);
  [[nodiscard]] std::size_t write_records(std::span<const ByteSpan> pieces);
  [[nodiscard]] std::size_t room_for_records();
  [[nodiscard]] std::size_t read_records(std::span<std::byte> into, Clock::time_point until);
  [[nodiscard]] std::size_t readable(Clock::time_point until);
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
  std::uint64_t plain_bytes_ = 0;

  // The thread that reads.
  bool reads_records_ = false;
  std::chrono::milliseconds read_timeout_{0};
  bool promised_to_speak_ = false;
  std::chrono::nanoseconds waited_{0};

  std::jthread thread_;  ///< of BundlePump
};

}  // namespace adoc
