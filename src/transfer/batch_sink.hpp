#pragma once

#include "pipeline/bounded_queue.hpp"
#include "pipeline/write_stage.hpp"
#include "transfer/incoming_batch.hpp"

namespace adoc {

using IncomingQueue = BoundedQueue<IncomingBatchPtr>;

/// Fills batches in the order they were answered in and passes those that are done on to be
/// committed. Used by the writing thread.
class BatchSink final : public BlockSink {
 public:
  BatchSink(IncomingQueue& answered, IncomingQueue& filled, OutputTree tree)
      : answered_(answered), filled_(filled), tree_(std::move(tree)) {}

  void write(std::uint64_t batch, std::uint64_t offset, ByteSpan raw) override;
  void skip(const Skip& skip) override;
  void done(const Done& done) override;

  /// Throws Error(corrupt) unless the last batch is done and there were as many as `batches`.
  void expect_end(std::uint64_t batches) const;

 private:
  [[nodiscard]] IncomingBatch& current(std::uint64_t batch);

  IncomingQueue& answered_;
  IncomingQueue& filled_;
  OutputTree tree_;
  IncomingBatchPtr current_;
  std::uint64_t done_batches_ = 0;
  bool last_done_ = false;
};

}  // namespace adoc
