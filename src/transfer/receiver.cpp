#include <atomic>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "adoc/receive.hpp"
#include "destination/partial_store.hpp"
#include "pipeline/receive_memory.hpp"
#include "pipeline/threads.hpp"
#include "transfer/descriptor_plan.hpp"
#include "transfer/farewell.hpp"
#include "transfer/joinable.hpp"
#include "transfer/joins.hpp"
#include "transfer/peer_error.hpp"
#include "transfer/receive_session.hpp"
#include "transfer/reception.hpp"
#include "transfer/require_key.hpp"
#include "transfer/serve_connection.hpp"
#include "util/clock.hpp"
#include "util/descriptor_budget.hpp"
#include "util/descriptor_limit.hpp"
#include "util/fd.hpp"

namespace adoc {

namespace {

/// Of a connection: its socket and what wakes its threads.

/// How long adoc-recv --once waits for a sender that lost the connection. It comes back after a
/// fifth of a second, and then less and less often.
constexpr std::chrono::milliseconds kComeBack{3'000};

/// Where no transfer could fail of it: an observer must not throw, but its memory may run out.
template <typename Tell>
void untroubled(Tell tell) noexcept {
  try {
    tell();
  } catch (...) {
    // It is not told.
  }
}

}  // namespace

struct Receiver::State {
  /// A place for one transfer. Its figures outlive the transfer, so that progress can be read at
  /// any time without a lock; and so does its memory, of which work that a transfer has left alone
  /// may have a part.
  struct Slot {
    std::shared_ptr<MemoryShares> memory;
    TransferFigures figures;
    std::atomic<bool> taken{false};
    Turn turn;
    std::jthread thread;
  };

  /// `listening` may be empty.
  State(ReceiveOptions given, Fd listening, ReceiveObserver* told)
      : options(std::move(given)),
        observer(told),
        destination(open_destination(options.out_directory)),
        room(destination, options.min_free),
        owners(options.metadata ? OwnerIds::read() : OwnerIds()),
        listener(listening ? TcpListener(std::move(listening)) : TcpListener(options.listen)),
        plan(plan_descriptors(free_descriptors(), options.transfer_limit())),
        files(plan.files),
        slots(plan.transfers) {
    for (Slot& slot : slots)
      slot.memory = std::make_shared<MemoryShares>(decompression_shares(options));
    if (options.key) tls.emplace(*options.key, TlsContext::Side::listens);
    reception.emplace(
        Reception::Setup{.listener = listener,
                         .context = tls ? &*tls : nullptr,
                         .hello = receiver_hello(options),
                         .timeout = options.timeout,
                         .most_transfers = slots.size(),
                         .most_guests = plan.guests,
                         .most_waiting = plan.waiting,
                         .refused =
                             [told](std::string_view peer, std::string_view why) {
                               if (told != nullptr)
                                 untroubled([&] { told->on_refused(peer, why); });
                             },
                         .words = options.words,
                         .join = [this](const StreamToken& token,
                                        JoiningStream& stream) { return join(token, stream); }});
  }

  /// By the thread that looks after those who are not served.
  [[nodiscard]] bool join(const StreamToken& token, JoiningStream& stream) {
    stream.permit = files.try_take(kConnectionDescriptors);
    // It may try again.
    if (!stream.permit) throw Error(ErrorKind::internal, "no descriptors are left for it");
    return joins.join(token, stream);
  }

  [[nodiscard]] Turn next(const std::stop_token& stop);
  /// Does not throw: what fails is told to the sender and is the verdict.
  Served serve(const Turn& turn, std::uint64_t transfer, Slot& slot, const std::stop_token& stop);
  /// Those who come meanwhile are sent away.
  Served serve_alone(const Turn& turn, const std::stop_token& stop);
  Verdict serve_once(const std::stop_token& stop);
  void tell(const Verdict& verdict) const noexcept {
    if (observer != nullptr) untroubled([&] { observer->on_verdict(verdict); });
  }
  /// There is one. Of several the one with the most memory.
  Slot& take_free_slot();
  void begin(Slot& slot, std::uint64_t transfer, const std::stop_token& stop);
  [[noreturn]] void serve_all(const std::stop_token& stop);

  ReceiveOptions options;
  ReceiveObserver* observer;
  DirectoryPtr destination;
  DiskRoom room;
  OwnerIds owners;
  TcpListener listener;
  std::optional<TlsContext> tls;
  DescriptorPlan plan;  ///< once all is open that is open for as long as this
  DescriptorBudget files;
  std::vector<Slot> slots;
  Joins joins;
  std::optional<Reception> reception;  ///< of senders above their number, too
};

Turn Receiver::State::next(const std::stop_token& stop) {
  auto turn = reception->next(stop);
  if (!turn) throw Error(ErrorKind::interrupted, "interrupted");
  return *std::move(turn);
}

Served Receiver::State::serve(const Turn& turn, std::uint64_t transfer, Slot& slot,
                              const std::stop_token& stop) {
  Joinable joinable(joins, *turn.stream, options,
                    {.said_bytes = turn.said_bytes,
                     .heard_bytes = turn.heard.size() + turn.dropped_bytes,
                     .unsaid_bytes = turn.unsaid.size()});
  const ReceiveSession::Prelude prelude{
      .heard = turn.heard, .dropped_bytes = turn.dropped_bytes, .unsaid = turn.unsaid};
  return serve_connection({.options = options,
                           .destination = destination,
                           .room = room,
                           .files = files,
                           .memory = *slot.memory,
                           .owners = &owners,
                           .observer = observer,
                           .figures = slot.figures,
                           .transfer = transfer,
                           .stream = joinable.stream(),
                           .prelude = &prelude,
                           .others_wait = &reception->others_wait(),
                           .streams = joinable.offer()},
                          stop);
}

Served Receiver::State::serve_alone(const Turn& turn, const std::stop_token& stop) {
  std::jthread at_the_door;
  try {
    const auto why = std::make_exception_ptr(
        Error(ErrorKind::connect, "it serves one only, and another one is under way"));
    at_the_door = std::jthread([this, why](const std::stop_token& until) noexcept {
      reception->send_others_away(until, why);
    });
  } catch (...) {
    // There is no thread for it, or no memory: they hear nothing until this transfer is over.
  }
  return serve(turn, 1, slots.front(), stop);
}

Verdict Receiver::State::serve_once(const std::stop_token& stop) {
  Slot& slot = slots.front();
  Served served = serve_alone(next(stop), stop);
  while (served.expects_sender) {
    if (observer != nullptr) untroubled([&] { observer->on_lost(served.verdict, kComeBack); });
    reception->served();
    const auto turn = reception->next(stop, Clock::now() + kComeBack);
    if (!turn && stop.stop_requested()) throw Error(ErrorKind::interrupted, "interrupted");
    if (!turn) break;
    slot.figures.reset();
    Served next = serve_alone(*turn, stop);
    // Something else that connects in between does not take the sender's place.
    next.expects_sender = next.expects_sender || is_lost_connection(next.verdict.failure);
    untroubled([&] { add_to(next.verdict, served.verdict); });
    served = std::move(next);
  }
  tell(served.verdict);
  return std::move(served.verdict);
}

Receiver::State::Slot& Receiver::State::take_free_slot() {
  Slot* best = nullptr;
  for (Slot& slot : slots)
    if (!slot.taken && (best == nullptr || slot.memory->left() > best->memory->left()))
      best = &slot;
  best->thread = {};  // joins the transfer that has just given the slot back
  best->taken = true;
  return *best;
}

void Receiver::State::serve_all(const std::stop_token& stop) {
  try {
    for (std::uint64_t transfer = 1;; ++transfer) {
      Turn turn = next(stop);
      // One is there: no more are served at once than there are slots.
      Slot& slot = take_free_slot();
      slot.figures.reset();
      slot.turn = std::move(turn);
      begin(slot, transfer, stop);
    }
  } catch (...) {
    for (Slot& slot : slots) slot.thread = {};
    throw;
  }
}

void Receiver::State::begin(Slot& slot, std::uint64_t transfer, const std::stop_token& stop) {
  const auto give_back = [this, &slot]() noexcept {
    slot.turn = {};
    slot.figures.reset();
    slot.taken = false;
    reception->served();
  };
  try {
    slot.thread = std::jthread([this, transfer, &slot, stop, give_back]() noexcept {
      tell(serve(slot.turn, transfer, slot, stop).verdict);
      give_back();
    });
  } catch (...) {
    // No thread to serve it, or no memory for one: the transfers under way go on.
    const auto failure = as_error(std::current_exception());
    say_why(*slot.turn.stream, in_words(failure, options.words), kTurnAwayPatience);
    Verdict verdict{.transfer = transfer, .peer = {}, .failure = failure};
    untroubled([&] { verdict.peer = slot.turn.stream->peer(); });
    tell(verdict);
    give_back();
  }
}

Receiver::Receiver(ReceiveOptions options, ReceiveObserver* observer)
    : Receiver(std::move(options), -1, observer) {}

Receiver::Receiver(ReceiveOptions options, int listening_socket, ReceiveObserver* observer) {
  Fd listening(listening_socket);
  validate(options);
  require_key(options.key, options.insecure);
  // A batch holds its files open until they are flushed, so the usual soft limit is too low.
  raise_descriptor_limit();
  state_ = std::make_unique<State>(std::move(options), std::move(listening), observer);
  look_through_leftovers(state_->options, state_->destination, observer);
}

Receiver::~Receiver() = default;

Endpoint Receiver::local_endpoint() const { return state_->listener.local(); }

Verdict Receiver::serve(std::stop_token stop) {
  if (!state_->options.once) state_->serve_all(stop);
  return state_->serve_once(stop);
}

Progress Receiver::progress() const noexcept {
  Progress sum{.total_known = true, .all_found = true};
  for (const State::Slot& slot : state_->slots) {
    sum.raw_bytes += slot.figures.counters.raw_bytes;
    sum.wire_bytes += slot.figures.counters.wire_bytes;
    sum.total_bytes += slot.figures.totals.wanted_bytes;
    sum.entries_done += slot.figures.totals.entries_done;
    sum.files_done += slot.figures.totals.files_done;
    sum.files_found += slot.figures.totals.files_found;
    const bool busy = slot.figures.counters.wire_bytes != 0;
    sum.total_known = sum.total_known && (!busy || slot.figures.totals.known);
    sum.all_found = sum.all_found && (!busy || slot.figures.totals.all_found);
    if (busy) sum.level = slot.figures.counters.level;
  }
  return sum;
}

}  // namespace adoc
