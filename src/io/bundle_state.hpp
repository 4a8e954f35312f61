#pragma once

#include <atomic>
#include <exception>
#include <memory>
#include <optional>
#include <vector>

#include "io/byte_ring.hpp"
#include "io/reassembly.hpp"
#include "io/record_plan.hpp"
#include "io/socket_stream.hpp"
#include "util/descriptor_budget.hpp"
#include "util/guarded.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// A connection that joins a bundle.
struct JoiningStream {
  std::unique_ptr<SocketStream> stream{};
  Bytes words{};                      ///< to be said before any record
  Bytes heard{};                      ///< was read of it already
  bool greets = false;                ///< the peer's hello comes before its records
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

  bool has_thread = false;
  bool stopping = false;         ///< nothing is waited for any more
  bool aborted = false;          ///< nothing is done any more
  bool closing = false;          ///< what was given is sent, as far as it goes
  bool is_over = false;          ///< no connection is left
  std::exception_ptr failure{};  ///< why, if that is too early

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
