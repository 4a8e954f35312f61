#include "transfer/reception.hpp"

#include <poll.h>

#include <new>
#include <utility>

#include "adoc/error.hpp"

namespace adoc {

Reception::Reception(Setup setup)
    : most_transfers_(setup.most_transfers),
      refused_(setup.refused),
      gate_({.listener = setup.listener,
             .reverse = setup.reverse,
             .context = setup.context,
             .greeting = setup.hello.encode(),
             .refused = std::move(setup.refused),
             .words = setup.words,
             .most_guests = setup.most_guests}),
      room_({.timeout = setup.timeout,
             .most = setup.most_waiting,
             .send_away =
                 [this](std::unique_ptr<SocketStream> stream, std::string_view why,
                        ByteSpan last_words) {
                   if (refused_) refused_(stream->peer(), why);
                   gate_.send_away(std::move(stream), last_words);
                 },
             .words = setup.words,
             .join = std::move(setup.join)}) {}

std::optional<Turn> Reception::next(const std::stop_token& stop, Clock::time_point until) {
  const std::stop_callback on_stop(stop, [this] { stopped_.set(); });
  while (!stopped_.is_set() && Clock::now() < until) {
    if (transfers_ < most_transfers_) {
      if (auto turn = room_.take()) {
        ++transfers_;
        others_wait_ = room_.waiting() != 0;
        return turn;
      }
    }
    room_.tell_places(transfers_);
    others_wait_ = room_.waiting() != 0;
    try {
      look_after(until);
    } catch (const std::bad_alloc&) {
      // Nobody was attended to; they will be when there is memory.
    }
  }
  return std::nullopt;
}

void Reception::send_others_away(const std::stop_token& until,
                                 const std::exception_ptr& why) noexcept {
  const std::stop_callback on_stop(until, [this] { changed_.set(); });
  while (!until.stop_requested() && !stopped_.is_set()) {
    room_.send_all_away(why, transfers_);
    // Those who came together with the one that is served, among others.
    others_wait_ = room_.waiting() != 0;
    try {
      look_after(Clock::time_point::max());
    } catch (const std::bad_alloc&) {
      // Nobody was attended to; they will be when there is memory.
    } catch (const Error&) {
      return;  // The listener is of no use any more: the next one who needs it says so.
    }
  }
}

void Reception::look_after(Clock::time_point until) {
  set_.clear();
  set_.wake_at(until);
  set_.add(stopped_.fd(), POLLIN);
  const std::size_t changed = set_.add(changed_.fd(), POLLIN);
  gate_.watch(set_, !room_.is_full());
  room_.watch(set_);
  set_.wait();
  if (set_.happened(changed) != 0) changed_.reset();
  // Those whom one of them sends to the other come last: both know by number whom they asked about.
  gate_.attend(set_);
  room_.attend(set_);
  while (auto stream = gate_.take()) room_.enter(std::move(stream));
}

void Reception::served() noexcept {
  --transfers_;
  changed_.set();
}

}  // namespace adoc
