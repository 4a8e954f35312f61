#pragma once

#include <cstdint>
#include <deque>
#include <string>

#include "pipeline/crossing.hpp"
#include "source/outgoing_batch.hpp"
#include "wire/stream_layout.hpp"

namespace adoc {

/// Which file a place in the streams of the batches lies in; places come in order. Used by the
/// thread that hears the receiver.
class CrossingFile {
 public:
  /// A batch whose wants are known.
  void add(OutgoingBatchPtr batch) { batches_.push_back(std::move(batch)); }

  /// Its name on the wire, null when it is the same as the last time or there is none. Valid until
  /// the next call.
  [[nodiscard]] const std::string* at(const Crossing::Place& place);

  /// No place in this batch, or in one before it, will come.
  void passed(std::uint64_t batch);

 private:
  std::deque<OutgoingBatchPtr> batches_;  ///< the first is that of the layout
  bool has_layout_ = false;
  StreamLayout layout_;
  std::uint64_t begin_ = 0;  ///< of the layout's piece, in the stream
  const std::string* told_ = nullptr;
};

}  // namespace adoc
