#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "adoc/error.hpp"

namespace adoc {

/// What became of one entry.
enum class EntryOutcome {
  committed,   ///< whole, checked, flushed and under its final name
  unchanged,   ///< was there already
  kept,        ///< something is there, and it was asked not to overwrite
  failed,      ///< not there; the message says why
  incomplete,  ///< committed, but for metadata that were to be kept: the message says what
  in_part,     ///< this sender's part of it is kept; it has its name once all parts are there
};

/// Where the time of a transfer went, and what is seen of it at a moment. Sums are over all of its
/// connections since it began; between two observations they say what it waited for in between.
/// What a system, a peer or a policy does not tell is 0.
struct Observation {
  double time_seconds = 0;          ///< since the transfer began
  std::uint64_t arrived_bytes = 0;  ///< on the wire: that the other machine has
  std::uint64_t queued_bytes = 0;   ///< made, and not sent yet
  /// What a second of the link is worth beside one of the processors, 1 in the sum: 0 where these
  /// are what is short of, 1 where that is the link. Of the policy that reckons with it.
  double link_price = 0;
  std::uint64_t streams = 1;  ///< connections that data goes over

  // The thread that sends.
  double sending_seconds = 0;            ///< there was something to send
  double sending_processor_seconds = 0;  ///< of these, it had a processor
  double held_back_seconds = 0;          ///< of these, SendOptions::bandwidth_limit said to wait
  // TCP, as the system tells.
  double receive_window_seconds = 0;  ///< the other system had no room for more
  double send_buffer_seconds = 0;     ///< this system had no room for more
  double round_trip_seconds = 0;      ///< at this moment
  std::uint64_t retransmitted_bytes = 0;

  // The threads that read and compress; one at a time reads.
  double source_seconds = 0;   ///< reading, and waiting for what is read: a disk, a pipe
  double answer_seconds = 0;   ///< nothing to read: connecting, or what is wanted is not known yet
  double walking_seconds = 0;  ///< the sources were looked through for more to offer
  double commit_seconds = 0;   ///< nothing more was offered: too much is not committed yet
  double making_seconds = 0;   ///< compressing, of all threads
  double making_processor_seconds = 0;  ///< of these, with a processor
  double finishing_seconds = 0;         ///< all was sent, and not all answered for

  // The other side, as it said last.
  double receiver_seconds = 0;          ///< that it has told of
  double receiver_stalled_seconds = 0;  ///< of these, the link waited for it
  double decompressing_seconds = 0;     ///< of all its threads
  double writing_seconds = 0;
  std::uint64_t written_bytes = 0;  ///< raw
};

/// Why a block got its level, one row of a trace.
struct Decision {
  double time_seconds = 0;  ///< since the transfer began
  std::uint64_t block = 0;  ///< counted from 0
  std::uint64_t raw_bytes = 0;
  std::uint64_t wire_bytes = 0;       ///< frame headers included
  int level = 0;                      ///< that this block was compressed at
  std::string_view codec;             ///< that the block went out with: raw when it did not shrink
  std::uint64_t fifo_packets = 0;     ///< after the block
  double drain_bytes_per_second = 0;  ///< what the link took while the block was made
  std::string_view reason;            ///< of the level that the next block gets
  double entropy_bits = 0;            ///< of a byte, in a sample of what the codec gets: 0 to 8
  bool random = false;                ///< the sample looks as if it did not shrink at all
  std::string_view filter = "none";   ///< that made numbers denser before the codec: "delta-4"
  Observation seen{};                 ///< after the block
};

/// What sources have and a transfer does not bring across.
struct NotKept {
  std::uint64_t special = 0;               ///< FIFOs, sockets and devices in trees: not sent
  std::vector<std::string> special_paths;  ///< on this side, the first few
  std::uint64_t owners = 0;                ///< entries that are not the sending user's
  std::uint64_t hard_links = 0;            ///< files that have other names: each sent by itself
  std::uint64_t attributes = 0;            ///< files that were sent and have extended attributes
  std::uint64_t access_lists = 0;          ///< files that were sent and have ACLs
  bool receiver_keeps_none = false;        ///< of what was asked for: it cannot, or is not to
};

/// The figures of one transfer, while it runs and at its end.
struct Statistics {
  std::uint64_t files = 0;        ///< seen so far
  std::uint64_t directories = 0;  ///< seen so far
  std::uint64_t links = 0;        ///< symbolic ones, seen so far
  std::uint64_t bytes = 0;        ///< raw bytes of file contents transferred
  std::uint64_t wire_bytes = 0;   ///< everything sent by the sender, frame headers included
  double seconds = 0;
  std::vector<std::uint64_t> levels;  ///< blocks at each level, level 0 first
  std::uint64_t streams = 1;
  std::uint64_t retries = 0;
  std::uint64_t skipped = 0;  ///< unchanged or kept
  std::uint64_t resumed_bytes = 0;
  std::uint64_t modes_trimmed = 0;  ///< entries whose set-uid, set-gid, sticky bits are not kept
  std::uint64_t committed = 0;      ///< of all three
  std::uint64_t committed_directories = 0;  ///< of these
  std::uint64_t committed_links = 0;        ///< of these
  std::vector<std::string> first_names{};   ///< of entries that were committed, at most three
  std::uint64_t failed = 0;
  std::uint64_t incomplete = 0;     ///< of those committed
  std::uint64_t in_parts = 0;       ///< of those committed: files that wait for others' parts
  std::uint64_t vanished = 0;       ///< of those that failed: listed, and then not there any more
  bool dry_run = false;             ///< committed counts what would have been
  bool has_stream = false;          ///< of a receiver: a size is not known, as of standard input
  std::vector<std::string> errors;  ///< one for each that failed or is incomplete, the first 1,000
  NotKept not_kept{};               ///< a sender's, at its end
};

/// How connecting to the receiver goes.
struct Connecting {
  enum class Step {
    looking_up,  ///< the address of a name; `address` is the name
    connecting,  ///< to one address; before it is done the next may follow
    connected,   ///< and known to have the key, where there is one
  };
  Step step = Step::looking_up;
  std::string_view address;  ///< address:port
};

/// A connection that is to be tried again.
struct Retry {
  bool reached = false;              ///< it was lost; false: the receiver is not there yet
  unsigned attempt = 0;              ///< counted from 1 since something was got across last
  std::chrono::milliseconds wait{};  ///< before it
  std::chrono::milliseconds left{};  ///< after that, before it is given up
  const Error* failure = nullptr;    ///< why; there during the call
};

/// What a progress bar shows; a snapshot.
struct Progress {
  /// Of a sender: what has arrived on the other side. Of a receiver: what is written.
  std::uint64_t raw_bytes = 0;
  std::uint64_t wire_bytes = 0;     ///< that have arrived
  std::uint64_t total_bytes = 0;    ///< raw, what is known of the whole so far
  bool total_known = false;         ///< total_bytes is final
  bool flushing = false;            ///< all has arrived, and the other side brings it to its disk
  bool finished = false;            ///< all is answered for
  std::uint64_t resumed_bytes = 0;  ///< that were there from an earlier transfer
  std::uint64_t files_done = 0;     ///< files that are answered for: not directories, not links
  std::uint64_t files_found = 0;    ///< by the sender, as far as this side knows
  bool all_found = false;           ///< there are no more
  std::uint64_t entries_done = 0;
  int level = 0;              ///< of the latest block
  unsigned reconnecting = 0;  ///< the attempt to connect again that is under way; 0: none is
  /// Of a sender that waits for its turn: 1 is the next; 0: it does not wait.
  std::uint64_t queue_position = 0;
  std::uint64_t transfers_ahead = 0;  ///< that are under way while it waits
};

/// Told of what happens, from the library's own threads: an implementation may be called from
/// several at once, must not block for long and must not throw.
class Observer {
 public:
  virtual ~Observer() = default;

  virtual void on_decision(const Decision&) {}
  /// Of a sender: between its decisions, several times a second while the other side is heard, and
  /// when all is over. May come a little out of order with what decisions have seen.
  virtual void on_observation(const Observation&) {}
  virtual void on_connecting(const Connecting&) {}
  virtual void on_retry(const Retry&) {}
  /// Of a sender: so many connections are there now, and any of them may be lost from now on
  /// without a retry. Told again when it is another number.
  virtual void on_connections(std::size_t count) { static_cast<void>(count); }
  /// Something of a source is not sent, and that is as it should be: why, in words that follow its
  /// path on this side.
  virtual void on_left_out(std::string_view path, std::string_view why) {
    static_cast<void>(path), static_cast<void>(why);
  }
  /// A file changed while it was read, and was taken as it is: what arrives may be of several
  /// moments. Only with SendOptions::allow_changed; `path` is on this side.
  virtual void on_changed(std::string_view path) { static_cast<void>(path); }
  /// A file that is sent is no whole number of items of PipelineOptions::item_bytes: what is left
  /// over goes unfiltered. Of each connection only the first; `path` is on this side.
  virtual void on_broken_items(std::string_view path, std::size_t item_bytes) {
    static_cast<void>(path), static_cast<void>(item_bytes);
  }
  /// A sender that waits for its turn: Progress says where it is, and that has changed.
  virtual void on_place(const Progress&) {}
  /// What arrives at the receiver now is of this file; told again only when it is another one.
  /// `path` as in on_entry(). Of a receiver that serves several senders: of any of them.
  virtual void on_crossing(std::string_view path) { static_cast<void>(path); }
  /// `path` is the raw bytes of the name on the wire; `message` is empty unless it failed
  /// or is incomplete.
  virtual void on_entry(std::string_view path, EntryOutcome, std::string_view message) {
    static_cast<void>(path), static_cast<void>(message);
  }
};

}  // namespace adoc
