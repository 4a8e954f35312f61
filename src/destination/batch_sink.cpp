#include "destination/batch_sink.hpp"

#include "wire/broken_protocol.hpp"

namespace adoc {

void BatchSink::write(const ArrivedBlock& block) {
  IncomingBatch& batch = current(block.batch);
  const std::size_t entry = batch.write(block, tree_);
  if (setup_.on_failed && batch.failed_early(entry) && entry != told_failed_) {
    setup_.on_failed({.batch = batch.id(), .entry = entry});
    told_failed_ = entry;
  }
  if (!setup_.on_name || entry == told_) return;
  setup_.on_name(batch.entries()[entry].name.str());
  told_ = entry;
}

void BatchSink::skip(const Skip& skip) { current(skip.batch).skip(skip); }

void BatchSink::done(const Done& done) {
  IncomingBatch& batch = current(done.batch);
  batch.done(done);
  batch.take_lent(tree_);
  last_done_ = batch.last();
  // Before the batch is committed: whoever hears of that is to find no directory of ours.
  if (last_done_) tree_.partials().close();
  ++done_batches_;
  setup_.filled.push(std::move(current_));
}

void BatchSink::expect_end(std::uint64_t batches) const {
  if (!last_done_ || current_ || batches != done_batches_)
    broken_protocol("the sender ended before its last batch was done");
}

IncomingBatch& BatchSink::current(std::uint64_t batch) {
  if (!current_) {
    // An honest sender has waited for the want, and then the batch is here. Any other waits for the
    // answer that is being made.
    if (begun_batches_ == setup_.offered)
      broken_protocol("data came for a batch that was not offered");
    auto next = setup_.answered.pop();
    ++begun_batches_;
    current_ = *std::move(next);
    told_.reset();
    told_failed_.reset();
  }
  if (current_->id() != batch) broken_protocol("data came for another batch than the current one");
  return *current_;
}

}  // namespace adoc
