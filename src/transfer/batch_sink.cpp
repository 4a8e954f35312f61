#include "transfer/batch_sink.hpp"

#include "transfer/peer_error.hpp"

namespace adoc {

void BatchSink::write(std::uint64_t batch, std::uint64_t offset, ByteSpan raw) {
  current(batch).write(offset, raw, tree_);
}

void BatchSink::skip(const Skip& skip) { current(skip.batch).skip(skip); }

void BatchSink::done(const Done& done) {
  IncomingBatch& batch = current(done.batch);
  batch.done(done);
  last_done_ = batch.last();
  ++done_batches_;
  filled_.push(std::move(current_));
}

void BatchSink::expect_end(std::uint64_t batches) const {
  if (!last_done_ || current_ || batches != done_batches_)
    broken_protocol("the sender ended before its last batch was done");
}

IncomingBatch& BatchSink::current(std::uint64_t batch) {
  if (!current_) {
    // Answered batches are in the queue before their want is sent, so an honest sender cannot be
    // faster than it.
    auto next = answered_.try_pop();
    if (!next) broken_protocol("data came for a batch that was not offered");
    current_ = *std::move(next);
  }
  if (current_->id() != batch) broken_protocol("data came for another batch than the current one");
  return *current_;
}

}  // namespace adoc
