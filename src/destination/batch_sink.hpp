#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "destination/incoming_batch.hpp"
#include "pipeline/bounded_queue.hpp"
#include "pipeline/write_stage.hpp"

namespace adoc {

using IncomingQueue = BoundedQueue<IncomingBatchPtr>;

/// Fills batches in the order they were answered in and passes those that are done on to be
/// committed. Used by the writing thread.
class BatchSink final : public BlockSink {
 public:
  struct Setup {
    /// Batches that were offered so far: an offer counts here before anything behind it arrives.
    const std::atomic<std::uint64_t>& offered;
    IncomingQueue& answered;
    IncomingQueue& filled;
    DirectoryPtr destination;
    OutputTree::Setup tree{};
    /// Told the name that contents arrive of, when it is another one. Empty: nobody is.
    std::function<void(const std::string& name)> on_name{};
    /// Told once of each entry that fails while its contents come. Empty: nobody is.
    std::function<void(const Failed& failed)> on_failed{};
  };

  explicit BatchSink(Setup setup)
      : setup_(std::move(setup)), tree_(setup_.destination, setup_.tree) {}

  void write(const ArrivedBlock& block) override;
  void skip(const Skip& skip) override;
  void done(const Done& done) override;

  /// The batch that is being filled, which is to be this one: Error(corrupt) if it is not. It stays
  /// until it is done.
  [[nodiscard]] IncomingBatch& current(std::uint64_t batch);

  /// Throws Error(corrupt) unless the last batch is done and there were as many as `batches`.
  void expect_end(std::uint64_t batches) const;

 private:
  Setup setup_;
  OutputTree tree_;
  IncomingBatchPtr current_;
  std::optional<std::size_t> told_;         ///< of its entries, by name
  std::optional<std::size_t> told_failed_;  ///< the same, as failed
  std::uint64_t begun_batches_ = 0;
  std::uint64_t done_batches_ = 0;
  bool last_done_ = false;
};

}  // namespace adoc
