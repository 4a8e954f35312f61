#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "util/bytes.hpp"
#include "wire/broken_protocol.hpp"

namespace adoc {

/// Where the bytes are that write_some() took; what is neither is on its way.
struct Delivery {
  std::uint64_t arrived_bytes = 0;  ///< at the peer's system, as it says
  std::uint64_t unsent_bytes = 0;   ///< still with our system
  /// At the peer's system, too, behind some that are not.
  std::uint64_t ahead_bytes = 0;
  /// So much longer than what was fastest took what was sent lately: it waited in a queue on its
  /// way. 0 where that is not clear.
  double queue_seconds = 0;
  /// What is on its way is as much as TCP's slow start allows, which is more from one round trip to
  /// the next: the link may be any faster than what arrives. False where that is not known.
  bool in_slow_start = false;
  /// There and back, as it was lately; 0 where that is not known.
  double round_trip_seconds = 0;
  /// Of a processor of this machine, for a byte that another program carries.
  double carrying_seconds_per_byte = 0;
  // For who wants to know why; the system's sums, 0 where it does not tell.
  double receive_window_seconds = 0;  ///< the peer's system had no room for more
  double send_buffer_seconds = 0;     ///< ours had none
  std::uint64_t retransmitted_bytes = 0;
  std::uint64_t connections = 1;  ///< over which they go; of the seconds it is the mean
};

/// A connection: bytes in order, both ways. One thread may read while another writes.
class Stream {
 public:
  virtual ~Stream() = default;

  /// Waits for at least one byte and returns how many came; 0 when the peer has finished writing.
  /// Throws Error(connect) when the connection is lost.
  [[nodiscard]] virtual std::size_t read_some(std::span<std::byte> into) = 0;

  /// Waits until some of the pieces can be written, writes them in order as far as they go and
  /// returns how many bytes went. Throws Error(connect) when the connection is lost.
  [[nodiscard]] virtual std::size_t write_some(std::span<const ByteSpan> pieces) = 0;

  /// Writes all of it.
  void write_all(ByteSpan bytes) {
    while (!bytes.empty()) bytes = bytes.subspan(write_some({&bytes, 1}));
  }

  /// The peer's reader sees the end after what was written; reading goes on. Does not throw: on a
  /// lost connection there is nobody to tell.
  virtual void finish_writing() noexcept = 0;

  /// Wakes a thread that waits in read_some(): from here on it gives what has arrived, then 0. A
  /// write_all() that the peer does not take is given up after a short grace. Any thread.
  virtual void stop_reading() noexcept = 0;

  /// The peer's reader sees the end, and what it still sends is thrown away until it ends as well
  /// or the time is over. A close before that could destroy what was written last.
  virtual void linger(std::chrono::milliseconds limit) noexcept = 0;

  /// Both directions, for good: wakes reader and writer; any thread.
  virtual void abort() noexcept = 0;

  /// read_some() throws Error(connect) when the peer is silent this long; 0: never. For a peer that
  /// has not said yet that it is AdOC. The reading thread.
  virtual void set_read_timeout(std::chrono::milliseconds limit) = 0;

  /// The same for a peer that has promised to say something in less time than this. From here on
  /// this limit alone tells a lost connection; those of the system, which cannot tell a peer that
  /// is busy from one that is gone, are put off as far as they go. The reading thread.
  virtual void set_silence_limit(std::chrono::milliseconds limit) = 0;

  /// How much the system may take from write_some() before it sends it; what does not know it does
  /// without. The thread that writes.
  virtual void set_unsent_limit(std::size_t bytes) noexcept = 0;

  /// None when it cannot be known. Any thread.
  [[nodiscard]] virtual std::optional<Delivery> delivery() const noexcept = 0;

  /// Whether delivery() would have to wait, for a write that the system is busy with. Any thread.
  [[nodiscard]] virtual bool delivery_waits() const noexcept { return false; }

  /// How long read_some() has waited for something to read, in all; none when it cannot be known.
  /// The thread that reads.
  [[nodiscard]] virtual std::optional<std::chrono::nanoseconds> waited_to_read() const noexcept {
    return std::nullopt;
  }

  /// What can be seen of the peer by a thread that does not read: what it wrote may not have been
  /// read to its end.
  enum class PeerEnd {
    none,
    finished,  ///< it has finished writing
    gone,      ///< it has reset the connection
  };
  [[nodiscard]] virtual PeerEnd peer_end() const noexcept { return PeerEnd::none; }

  /// "address:port", for messages.
  [[nodiscard]] virtual const std::string& peer() const noexcept = 0;

  /// From the peer a split has come, and behind it these bytes, which read_some() gave already:
  /// from here on read_some() gives what its records hold. Throws Error(corrupt) where that is not
  /// known. False: what read_some() gives are no records' headers any more, since the connection
  /// that they were to come over was lost, and what is behind the split is data. The thread that
  /// reads.
  [[nodiscard]] virtual bool begin_records(ByteSpan behind) {
    static_cast<void>(behind);
    broken_protocol("a split came where no other connections are possible");
  }

  /// Where other connections can join: when all are lost the stream waits so long for another one
  /// that takes their place, 0: for ever, instead of being lost at once. What was written and has
  /// not been acknowledged is then sent again. `before_records` is called once when that happens,
  /// by the thread that reads: it is to provide the memory for what comes out of order, and may
  /// wait. The thread that reads.
  virtual void outlast(std::chrono::milliseconds limit, std::function<void()> before_records = {}) {
    static_cast<void>(limit);
    static_cast<void>(before_records);
  }
  /// outlast() will not be called: nothing needs to be kept for that any more. Any thread.
  virtual void keep_nothing() noexcept {}
  /// The peer says that it has read so many bytes of what was written, from the first one on
  /// (wire/arrived.hpp): they need not be sent again. A peer that says so knows that another
  /// connection may come, and waits for it. Throws Error(corrupt) when that is more than was
  /// written. Any thread.
  virtual void note_acknowledged(std::uint64_t bytes) { static_cast<void>(bytes); }
  /// All that matters was read: however the connection ends now, no other one takes its place. The
  /// thread that reads.
  virtual void expect_end() noexcept {}

  /// The addresses of both ends, by which the link between them is told from others later; empty
  /// when they cannot be known.
  [[nodiscard]] virtual std::string link_name() const { return {}; }
};

}  // namespace adoc
