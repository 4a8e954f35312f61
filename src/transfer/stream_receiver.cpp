#include "transfer/stream_receiver.hpp"

#include <algorithm>
#include <thread>

#include "adoc/error.hpp"
#include "destination/partial_store.hpp"
#include "pipeline/threads.hpp"
#include "transfer/descriptor_plan.hpp"
#include "transfer/joinable.hpp"
#include "transfer/reception.hpp"
#include "transfer/serve_connection.hpp"
#include "util/descriptor_limit.hpp"

namespace adoc {

struct StreamReceiver::State {
  State(ReceiveOptions given, ReceiveObserver* told)
      : options(std::move(given)),
        observer(told),
        destination(open_destination(options.out_directory)),
        room(destination, options.min_free),
        owners(options.metadata ? OwnerIds::read() : OwnerIds()),
        files(plan_descriptors(free_descriptors(), 1).files),
        memory(std::make_shared<MemoryShares>(decompression_shares(options))) {}

  ReceiveOptions options;
  ReceiveObserver* observer;
  DirectoryPtr destination;
  DiskRoom room;
  OwnerIds owners;
  DescriptorBudget files;
  std::shared_ptr<MemoryShares> memory;
  TransferFigures figures;
  std::optional<Served> served;  ///< over all connections so far
  bool got_on = false;
  /// That a connection has found there, since something was committed.
  std::uint64_t most_resumed_bytes = 0;

  void note(const Statistics& latest) noexcept {
    if (latest.committed > 0) most_resumed_bytes = 0;
    got_on = latest.committed > 0 || latest.resumed_bytes > most_resumed_bytes;
    most_resumed_bytes = std::max(most_resumed_bytes, latest.resumed_bytes);
  }
};

StreamReceiver::StreamReceiver(ReceiveOptions options, ReceiveObserver* observer) {
  validate(options);
  raise_descriptor_limit();
  state_ = std::make_unique<State>(std::move(options), observer);
  look_through_leftovers(state_->options, state_->destination, observer);
}

StreamReceiver::~StreamReceiver() = default;

bool StreamReceiver::serve(SocketStream& stream, ByteSpan heard, const Door& door,
                           const std::stop_token& stop) {
  Joins joins;
  Joinable joinable(joins, stream, state_->options,
                    {.heard_bytes = heard.size(), .unsaid_bytes = kHelloBytes});
  std::optional<Reception> reception;
  std::jthread at_the_door;
  if (joinable.offer()) try {
      reception.emplace(Reception::Setup{
          .listener = door.listener,
          .reverse = door.reverse,
          .context = &door.context,
          .hello = receiver_hello(state_->options),
          .timeout = state_->options.timeout,
          .most_transfers = 1,
          .most_guests = kMaxStreams,
          .most_waiting = kMaxStreams,
          .refused = [](std::string_view, std::string_view) {},
          .words = state_->options.words,
          .join =
              [&](const StreamToken& token, JoiningStream& joining) {
                joining.permit = state_->files.try_take(kConnectionDescriptors);
                // It may try again.
                if (!joining.permit)
                  throw Error(ErrorKind::internal, "no descriptors are left for it");
                return joins.join(token, joining);
              }});
      const auto why = std::make_exception_ptr(
          Error(ErrorKind::connect, "it serves one only, and another one is under way"));
      at_the_door = std::jthread([&, why](const std::stop_token& until) noexcept {
        reception->send_others_away(until, why);
      });
    } catch (const std::exception&) {
      // Nobody is let in.
    }
  return serve_joined({.stream = joinable.stream(), .offer = joinable.offer()}, heard, stop);
}

bool StreamReceiver::serve_joined(const Joined& joined, ByteSpan heard,
                                  const std::stop_token& stop) {
  const Bytes hello = receiver_hello(state_->options).encode();
  const ReceiveSession::Prelude prelude{.heard = heard, .unsaid = hello};
  state_->figures.reset();
  Served served = serve_connection({.options = state_->options,
                                    .destination = state_->destination,
                                    .room = state_->room,
                                    .files = state_->files,
                                    .memory = *state_->memory,
                                    .owners = &state_->owners,
                                    .observer = state_->observer,
                                    .figures = state_->figures,
                                    .stream = joined.stream,
                                    .prelude = &prelude,
                                    .streams = joined.offer},
                                   stop);
  state_->note(served.verdict.statistics);
  if (state_->served) add_to(served.verdict, state_->served->verdict);
  state_->served = std::move(served);
  return state_->served->expects_sender;
}

bool StreamReceiver::got_on() const noexcept { return state_->got_on; }

Verdict StreamReceiver::finish() {
  Verdict verdict = std::move(state_->served.value().verdict);
  if (state_->observer != nullptr) state_->observer->on_verdict(verdict);
  return verdict;
}

Progress StreamReceiver::progress() const noexcept { return progress_of(state_->figures); }

}  // namespace adoc
