#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "util/intervals.hpp"

namespace adoc {

/// What has come of one direction, over several connections and in any order, and how much of it
/// has been read. A state machine: the bytes themselves are somebody else's.
class Reassembly {
 public:
  /// So much is kept of what has come and was not read.
  explicit Reassembly(std::uint64_t window) noexcept : window_(window) {}

  /// What is before that place came in another way, and was read. Before anything else.
  void begin_at(std::uint64_t place) noexcept { read_ = front_ = place; }

  /// A record with data that ends there begins. Throws Error(corrupt) when that is beyond what may
  /// be sent, or beyond the end.
  void expect(std::uint64_t end) const;
  /// How much of it has come before, or has not.
  [[nodiscard]] Intervals::Piece piece(std::uint64_t begin, std::uint64_t end) const;
  /// These have come. Throws Error(corrupt) when there are more gaps than honest records leave.
  void put(std::uint64_t begin, std::uint64_t end);
  /// The direction ends there. Throws Error(corrupt) when it does not.
  void put_end(std::uint64_t place);

  /// As a record tells it: without a gap, and the end as one more.
  [[nodiscard]] std::uint64_t arrived() const noexcept { return front_ + (end_ == front_ ? 1 : 0); }
  /// Up to where may be sent.
  [[nodiscard]] std::uint64_t limit() const noexcept { return read_ + window_; }

  [[nodiscard]] std::uint64_t read_place() const noexcept { return read_; }
  [[nodiscard]] std::uint64_t readable() const noexcept { return front_ - read_; }
  /// So much was read, no more than was readable: its place may be used again.
  void read(std::uint64_t bytes) noexcept { read_ += bytes; }
  /// Whether it is known where the direction ends.
  [[nodiscard]] bool has_end() const noexcept { return end_.has_value(); }
  /// All has come, whether or not it was read.
  [[nodiscard]] bool has_all() const noexcept { return end_ == front_; }
  /// All was read, and no more comes.
  [[nodiscard]] bool at_end() const noexcept { return end_ == read_; }

 private:
  std::uint64_t window_;
  std::uint64_t read_ = 0;
  std::uint64_t front_ = 0;  ///< all before has come
  Intervals ahead_;          ///< has come behind a gap
  std::optional<std::uint64_t> end_;
};

}  // namespace adoc
