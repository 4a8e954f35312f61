#include "transfer/serve_connection.hpp"

#include "destination/own_directory.hpp"
#include "destination/partial_store.hpp"
#include "pipeline/threads.hpp"
#include "transfer/farewell.hpp"
#include "transfer/peer_error.hpp"
#include "util/clock.hpp"

namespace adoc {

namespace {

void converse(const ServeSetup& setup, Served& served, const std::stop_token& stop) {
  Verdict& verdict = served.verdict;
  verdict.peer = setup.stream.peer();
  if (setup.observer != nullptr) setup.observer->on_connected(verdict.transfer, verdict.peer);
  Intake intake(setup.options, setup.room, setup.owners);
  ReceiveSession session({.stream = setup.stream,
                          .destination = setup.destination,
                          .out_directory = setup.options.out_directory,
                          .fifo_packets = setup.options.fifo_capacity(),
                          .threads = decompression_threads(setup.options).count,
                          .memory = setup.memory,
                          .timeout = setup.options.timeout,
                          .hello = receiver_hello(setup.options),
                          .resume = setup.options.resume,
                          .metadata = setup.options.metadata,
                          .intake = intake,
                          .observer = setup.observer,
                          .lossy_observer = setup.observer,
                          .lossy = verdict.lossy,
                          .statistics = verdict.statistics,
                          .counters = setup.figures.counters,
                          .totals = setup.figures.totals,
                          .others_wait = setup.others_wait,
                          .descriptors = &setup.files,
                          .prelude = setup.prelude,
                          .words = setup.options.words,
                          .streams = setup.streams,
                          .recorded = setup.recorded});
  try {
    session.run(stop);
  } catch (...) {
    verdict.failure = std::current_exception();
    served.expects_sender = session.expects_sender();
  }
}

}  // namespace

Progress progress_of(const TransferFigures& figures) noexcept {
  return {.raw_bytes = figures.counters.raw_bytes,
          .wire_bytes = figures.counters.wire_bytes,
          .total_bytes = figures.totals.wanted_bytes,
          .total_known = figures.totals.known,
          .resumed_bytes = figures.totals.resumed_bytes,
          .files_done = figures.totals.files_done,
          .files_found = figures.totals.files_found,
          .all_found = figures.totals.all_found,
          .entries_done = figures.totals.entries_done,
          .level = figures.counters.level};
}

void look_through_leftovers(const ReceiveOptions& options, const DirectoryPtr& destination,
                            ReceiveObserver* observer) {
  const Leftovers left =
      clean_partials(destination, options.resume ? options.partial_age : std::chrono::seconds{0});
  if (observer != nullptr) observer->on_leftovers(left);
}

void add_to(Verdict& verdict, const Verdict& before) {
  verdict.lossy.files += before.lossy.files;
  if (!verdict.lossy.how) verdict.lossy.how = before.lossy.how;
  Statistics& later = verdict.statistics;
  const Statistics& earlier = before.statistics;
  later.files += earlier.files;
  later.directories += earlier.directories;
  later.links += earlier.links;
  later.bytes += earlier.bytes;
  later.wire_bytes += earlier.wire_bytes;
  later.seconds += earlier.seconds;
  later.retries = earlier.retries + 1;
  later.skipped += earlier.skipped;
  // What the later one found there the earlier one has brought.
  later.resumed_bytes = earlier.resumed_bytes;
  later.committed += earlier.committed;
  later.committed_directories += earlier.committed_directories;
  later.committed_links += earlier.committed_links;
  if (!earlier.first_names.empty()) later.first_names = earlier.first_names;
  later.failed += earlier.failed;
  later.incomplete += earlier.incomplete;
  later.vanished += earlier.vanished;
  later.errors.insert(later.errors.begin(), earlier.errors.begin(), earlier.errors.end());
  if (later.levels.size() < earlier.levels.size()) later.levels.resize(earlier.levels.size());
  for (std::size_t level = 0; level < earlier.levels.size(); ++level)
    later.levels[level] += earlier.levels[level];
}

Served serve_connection(const ServeSetup& setup, const std::stop_token& stop) {
  Served served;
  Verdict& verdict = served.verdict;
  verdict.transfer = setup.transfer;
  const Clock::time_point begin = Clock::now();
  try {
    converse(setup, served, stop);
  } catch (...) {
    // There is no session that could say it.
    verdict.failure = std::current_exception();
    say_why(setup.stream, in_words(verdict.failure, setup.options.words), kTurnAwayPatience);
  }
  if (verdict.failure) verdict.failure = as_error(verdict.failure);
  remove_empty_store(setup.destination);
  verdict.statistics.seconds = seconds_since(begin);
  verdict.statistics.bytes = setup.figures.counters.raw_bytes;
  verdict.statistics.wire_bytes = setup.figures.counters.wire_bytes;
  verdict.statistics.resumed_bytes = setup.figures.totals.resumed_bytes;
  return served;
}

}  // namespace adoc
