#include <string>
#include <utility>

#include "adoc/error.hpp"
#include "adoc/receive.hpp"
#include "destination/partial_store.hpp"
#include "pipeline/receive_memory.hpp"
#include "pipeline/threads.hpp"
#include "transfer/descriptor_plan.hpp"
#include "transfer/recorded_stream.hpp"
#include "transfer/serve_connection.hpp"
#include "util/descriptor_limit.hpp"
#include "wire/broken_protocol.hpp"

namespace adoc {

namespace {

ReceiveOptions for_unpacking(ReceiveOptions options) {
  validate(options);
  raise_descriptor_limit();
  // A file has what it has: what is not to be set of it is left out.
  if (!options.metadata) options.asked = Asked{.force = true, .keep = {.hard_links = true}};
  options.metadata = true;
  return options;
}

/// What a session says of its peer, said of the file.
std::exception_ptr of_file(const std::exception_ptr& failure, const std::string& file) {
  try {
    std::rethrow_exception(failure);
  } catch (const Error& error) {
    std::string why = error.what();
    if (why.starts_with(kBrokenProtocol)) why.erase(0, kBrokenProtocol.size());
    if (error.kind() == ErrorKind::connect) why = "it is cut off";
    if (error.kind() != ErrorKind::connect && error.kind() != ErrorKind::corrupt) return failure;
    return std::make_exception_ptr(
        Error(ErrorKind::corrupt, "cannot unpack all of " + file + ": " + why));
  } catch (...) {
    return failure;
  }
}

}  // namespace

struct Unpacker::State {
  State(ReceiveOptions given, const std::string& file, ReceiveObserver* told)
      : options(for_unpacking(std::move(given))),
        observer(told),
        stream(file),
        destination(open_destination(options.out_directory)),
        room(destination, options.min_free),
        owners(OwnerIds::read()),
        files(plan_descriptors(free_descriptors(), 1).files),
        memory(std::make_shared<MemoryShares>(decompression_shares(options))) {}

  ReceiveOptions options;
  ReceiveObserver* observer;
  RecordedStream stream;
  DirectoryPtr destination;
  DiskRoom room;
  OwnerIds owners;
  DescriptorBudget files;
  std::shared_ptr<MemoryShares> memory;
  TransferFigures figures;
};

Unpacker::Unpacker(ReceiveOptions options, const std::string& file, ReceiveObserver* observer)
    : state_(std::make_unique<State>(std::move(options), file, observer)) {
  look_through_leftovers(state_->options, state_->destination, observer);
}

Unpacker::~Unpacker() = default;

Verdict Unpacker::run(std::stop_token stop) {
  State& state = *state_;
  Served served = serve_connection({.options = state.options,
                                    .destination = state.destination,
                                    .room = state.room,
                                    .files = state.files,
                                    .memory = *state.memory,
                                    .owners = &state.owners,
                                    .observer = state.observer,
                                    .figures = state.figures,
                                    .stream = state.stream,
                                    .recorded = true},
                                   stop);
  Verdict& verdict = served.verdict;
  if (verdict.failure) verdict.failure = of_file(verdict.failure, state.stream.peer());
  if (state.observer != nullptr) state.observer->on_verdict(verdict);
  return std::move(verdict);
}

Progress Unpacker::progress() const noexcept { return progress_of(state_->figures); }

}  // namespace adoc
