#include "io/reassembly.hpp"

#include <algorithm>

#include "wire/broken_protocol.hpp"
#include "wire/protocol.hpp"

namespace adoc {

void Reassembly::expect(std::uint64_t end) const {
  if (end > limit()) broken_protocol("a record reaches beyond what may be sent");
  if (end_ && end > *end_) broken_protocol("a record reaches beyond the end of its direction");
}

Intervals::Piece Reassembly::piece(std::uint64_t begin, std::uint64_t end) const {
  if (begin < front_) return {std::min(front_, end), true};
  return ahead_.piece(begin, end);
}

void Reassembly::put(std::uint64_t begin, std::uint64_t end) {
  ahead_.add({std::max(begin, front_), end});
  if (!ahead_.empty() && ahead_.front().begin <= front_) {
    front_ = std::max(front_, ahead_.front().end);
    ahead_.remove_below(front_);
  }
  if (ahead_.size() > kMaxRecordsInFlight) broken_protocol("records come with too many gaps");
}

void Reassembly::put_end(std::uint64_t place) {
  if ((end_ && *end_ != place) || place > limit() || place < std::max(front_, ahead_.end()))
    broken_protocol("a direction has two ends");
  end_ = place;
}

}  // namespace adoc
