#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>

#include "util/intervals.hpp"
#include "wire/bundle_record.hpp"

namespace adoc {

/// Which bytes of one direction go over which of several connections: whichever is free takes the
/// next record. What a connection that is lost has taken is sent again over the others. When there
/// is nothing else to send, what a slow one keeps the others waiting with is sent by those as well.
/// A state machine: no clock, threads or I/O. Seconds are of any clock that does not go back.
///
/// Places count the bytes of the direction; its end counts as one more byte behind them. What is at
/// its beginning may have gone over one connection as it is, without records: then it is sent again
/// in records when that one is lost.
class RecordPlan {
 public:
  using Number = std::size_t;  ///< of a connection

  /// The longest record: short enough that one that is waited for is soon there. With its header
  /// it fills records of TLS.
  static constexpr std::size_t kRecordBytes = (64 << 10) - BundleRecord::kHeaderBytes;
  /// What waits here for a connection to be free is not in a queue where the policy sees it.
  static constexpr std::size_t kMostUnassigned = 2 * kRecordBytes;

  struct Record {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    bool is_end = false;  ///< of the direction, at `begin`; has no data

    bool operator==(const Record&) const = default;
  };

  /// `buffer_bytes` is what this side can keep for sending it again, `limit` how much the other one
  /// takes at first.
  RecordPlan(std::uint64_t buffer_bytes, std::uint64_t limit) noexcept
      : buffer_bytes_(buffer_bytes), limit_(limit) {}

  /// How many more bytes may be given now.
  [[nodiscard]] std::size_t room() const noexcept;
  /// They are given; no more than there is room for.
  void give(std::uint64_t bytes) noexcept { given_ += bytes; }
  /// No more are.
  void finish() noexcept { finished_ = true; }

  // Without records: the caller has sent it.

  /// What is before that place has arrived and is not kept. Before anything else.
  void begin_at(std::uint64_t place) noexcept { given_ = next_ = arrived_ = plain_ = place; }
  /// From now on this side keeps so many of the latest bytes.
  void keep(std::uint64_t bytes) noexcept { buffer_bytes_ = bytes; }
  /// Whether so many more bytes may be given without one being dropped that may be needed again.
  [[nodiscard]] bool has_room_to_keep(std::uint64_t bytes) const noexcept {
    return given_ + bytes <= arrived_ + buffer_bytes_;
  }
  /// Whether all that has not arrived is kept, also once so many more bytes are given, and the
  /// other side takes all of it in records.
  [[nodiscard]] bool can_send_again(std::uint64_t bytes) const noexcept {
    return has_room_to_keep(bytes) && given_ + bytes <= limit_;
  }
  /// Given, and sent as they are.
  void give_sent(std::uint64_t bytes) noexcept { next_ = plain_ = given_ += bytes; }
  /// And the end of the direction.
  void finish_sent() noexcept {
    finished_ = true;
    next_ = plain_ = given_ + 1;
  }
  /// What was sent so may never arrive, and comes in records.
  void lose_sent();

  void add(Number connection) { connections_[connection]; }
  /// It takes no more, and what it took may never arrive. One that is not there is no matter.
  void lose(Number connection);

  /// What this connection, which is free, is to send now; nothing: nothing.
  [[nodiscard]] std::optional<Record> next(Number connection, double seconds);
  /// Whether next() has something.
  [[nodiscard]] bool has_next(Number connection, double seconds) const;
  /// When it is time to look whether others are to send what one is late with.
  [[nodiscard]] std::optional<double> late_at() const;
  /// What is not known to have arrived after so long is late. 0.2 s at first.
  void set_patience(double seconds) noexcept { patience_ = seconds; }

  /// The other side has so much without a gap, and takes records up to there. Throws Error(corrupt)
  /// when it has what was never sent.
  void hear(std::uint64_t arrived, std::uint64_t limit);

  [[nodiscard]] std::uint64_t given() const noexcept { return given_; }
  [[nodiscard]] std::uint64_t arrived() const noexcept { return arrived_; }
  /// Given and on no connection.
  [[nodiscard]] std::uint64_t unassigned() const noexcept {
    return given_ - std::min(given_, next_) + again_.count();
  }
  [[nodiscard]] bool finished() const noexcept { return finished_; }
  /// All of it, and the end.
  [[nodiscard]] bool all_arrived() const noexcept { return finished_ && arrived_ == given_ + 1; }
  /// Bytes that were sent over more than one connection.
  [[nodiscard]] std::uint64_t sent_again() const noexcept { return sent_again_; }

 private:
  struct Sent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    double at = 0;            ///< when it was taken
    bool taken_over = false;  ///< by another one
  };
  using Connection = std::deque<Sent>;  ///< in the order in which they are sent

  [[nodiscard]] std::uint64_t sendable() const noexcept;
  struct Late {
    Number holder = 0;
    std::size_t index = 0;  ///< in what it was given
  };
  [[nodiscard]] std::optional<Late> first_late() const noexcept;
  [[nodiscard]] std::optional<Late> late_for(Number connection, double seconds) const;
  [[nodiscard]] Record record(std::uint64_t begin, std::uint64_t end) const noexcept;

  std::uint64_t buffer_bytes_;
  std::uint64_t limit_;
  std::uint64_t given_ = 0;
  std::uint64_t next_ = 0;     ///< the first that no connection has had
  std::uint64_t arrived_ = 0;  ///< all before it have
  std::uint64_t plain_ = 0;    ///< all before it went as they are
  Intervals again_;            ///< before `next_`, and on no connection any more
  std::map<Number, Connection> connections_;
  std::size_t records_ = 0;  ///< in them
  double patience_ = 0.2;
  std::uint64_t sent_again_ = 0;
  bool finished_ = false;
};

}  // namespace adoc
