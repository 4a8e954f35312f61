#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "io/byte_ring.hpp"
#include "io/reassembly.hpp"
#include "io/record_plan.hpp"
#include "io/socket_stream.hpp"
#include "util/descriptor_budget.hpp"
#include "util/guarded.hpp"
#include "util/wakeup.hpp"
#include "wire/broken_protocol.hpp"

namespace adoc {

/// A connection that joins a bundle.
struct JoiningStream {
  std::unique_ptr<SocketStream> stream{};
  Bytes words{};                      ///< to be said before any record
  Bytes heard{};                      ///< was read of it already
  bool greets = false;                ///< the peer's hello comes before its records
  bool replaces = false;              ///< all others, which the peer says are lost
  DescriptorBudget::Permit permit{};  ///< for its descriptors, where they are counted
};

/// What the threads of a StreamBundle share: one that reads, one that writes, one that has to do
/// with the connections.
struct BundleState {
  BundleState(std::uint64_t buffer_bytes, std::uint64_t window) noexcept
      : out(buffer_bytes, 0), in(window) {}

  RecordPlan out;
  Reassembly in;
  std::vector<JoiningStream> joining{};
  std::size_t connections = 1;  ///< that are there, with those that are joining
  std::size_t most_at_once = 1;
  bool answers_loss = false;       ///< of a path that loses packets without being full
  std::size_t used = kMaxStreams;  ///< of them; the others only end what they have begun

  // Of the first connection.
  bool is_lent = false;           ///< to the thread that has the others
  bool writes_records = false;    ///< this side
  bool reads_records = false;     ///< the other one
  Bytes heard{};                  ///< behind its split
  std::uint64_t plain_bytes = 0;  ///< that it was given before

  // Of a bundle that outlives its connections.
  /// The latest of what is sent is kept, also of what goes without records, so that it can be sent
  /// again; and places count each direction from its first byte on, not from its first record.
  bool keeps = false;
  /// Some is being written without records at this moment: no more than so many bytes.
  std::optional<std::uint64_t> writing{};
  bool first_is_lost = false;
  bool expects_end = false;        ///< Stream::expect_end()
  std::uint64_t told_arrived = 0;  ///< by the peer, of what went without records
  std::uint64_t peer_window = 0;   ///< how much it takes of this side's records out of order

  bool has_thread = false;
  bool stopping = false;         ///< nothing is waited for any more
  bool aborted = false;          ///< nothing is done any more
  bool closing = false;          ///< what was given is sent, as far as it goes
  bool is_over = false;          ///< no connection is left
  std::exception_ptr failure{};  ///< why, if that is too early

  /// When all connections are lost: how long another one is waited for; 0: for ever; absent: for a
  /// moment.
  std::optional<std::chrono::milliseconds> patience{};
  bool peer_knows = false;  ///< that another one may take the place of all
  bool is_alone = false;    ///< all were lost, and none has brought anything since
  bool gives_up = false;    ///< no other one comes; `failure` says why
  bool peer_gave_up = false;
  /// Connections over which nothing came for so long are lost: whoever reads has waited for it.
  std::optional<std::chrono::milliseconds> silence{};
  bool was_silent = false;         ///< the last one that was lost, for too long
  std::exception_ptr last_lost{};  ///< why the last one was lost that had brought something

  /// Whether this side outlives the loss of the first connection at this moment: it can send all
  /// that may not have arrived again, and both sides wait for another connection.
  [[nodiscard]] bool outlives_first() const noexcept {
    return keeps && patience && peer_knows && !aborted && !stopping && !closing && !is_over &&
           !gives_up && !expects_end && (writes_records || out.can_send_again(writing.value_or(0)));
  }
  /// The peer has read so much of what this side says, and takes records up to there. Of what goes
  /// without records it may say so before the thread that writes does. Throws Error(corrupt) when
  /// that is more than was said.
  void hear(std::uint64_t arrived, std::uint64_t limit) {
    if (!keeps || writes_records) return out.hear(arrived, limit);
    const std::uint64_t end = out.finished() ? 1 : 0;
    if (arrived > out.given() + writing.value_or(0) + end)
      broken_protocol("more has arrived than was sent");
    told_arrived = std::max(told_arrived, arrived);
    out.hear(std::min(told_arrived, out.given()), limit);
  }
  /// What this side has sent without records, and the peer does not have, goes in records, as does
  /// what it sends from now on.
  void change_to_records() {
    writes_records = true;
    out.lose_sent();
  }
  /// What was being written without records has been, or is not.
  void end_writing() {
    writing.reset();
    if (first_is_lost) change_to_records();
  }
  /// The first connection is lost, and this side outlives that. What is being written belongs to
  /// what was sent: then the thread that writes does the rest.
  void lose_first() {
    if (std::exchange(first_is_lost, true)) return;
    --connections;
    if (!writing) change_to_records();
  }

  std::uint64_t told_limit = 0;  ///< of what comes, as the peer was told
  // What the systems know of what connections were given, as far as it was asked.
  std::uint64_t on_the_way = 0;
  std::uint64_t unsent = 0;  ///< of that, with this system
  std::uint64_t ahead = 0;   ///< as in Delivery
  double queue_seconds = 0;
  bool in_slow_start = false;  ///< any of them
  double round_trip_seconds = 0;
  double receive_window_seconds = 0;  ///< and the next, as in Delivery
  double send_buffer_seconds = 0;
  std::uint64_t retransmitted_bytes = 0;
  std::uint64_t most_arrived = 0;  ///< that was told of all
  std::size_t unsent_limit = 0;    ///< for all together; 0: nobody has said
};

/// The bytes themselves are touched without the lock: of what is readable only by the thread that
/// reads, of what is not by the one that has the connections; of what was not given yet only by the
/// one that writes.
struct BundleShared {
  BundleShared(std::size_t buffer_bytes, std::size_t window_bytes)
      : buffer(buffer_bytes), window(window_bytes), state(buffer_bytes, window_bytes) {}

  const std::size_t buffer;  ///< for what is sent
  const std::size_t window;  ///< for what comes

  Guarded<BundleState> state;
  ByteRing out;
  ByteRing in;
  std::optional<Wakeup> changed{};  ///< for the thread that has the connections, once there is one
};

}  // namespace adoc
