#include "cli/cp_ways.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <thread>
#include <utility>

#include "adoc/error.hpp"
#include "io/address.hpp"
#include "io/record_pipe.hpp"
#include "io/tls.hpp"
#include "util/fd.hpp"
#include "util/wakeup.hpp"

namespace adoc::cli {

namespace {

/// After so many connections in a row over which nothing was got across, the channel it is.
constexpr unsigned kMostInVain = 1;

constexpr ChannelRecord::Header kItIsLost{};

}  // namespace

/// Waits for what the other end says through the channel while nothing is expected there.
class CpWays::Watch {
 public:
  Watch(int channel, int socket, const std::function<void()>& hung_up)
      // Its own, since the stream may be gone before this.
      : socket_(::fcntl(socket, F_DUPFD_CLOEXEC, 0)),
        thread_([this, channel, &hung_up] { run(channel, hung_up); }) {}
  ~Watch() { done_.set(); }

 private:
  void run(int channel, const std::function<void()>& hung_up) noexcept {
    if (done_.wait_for(channel, POLLIN | POLLRDHUP) != Wakeup::Result::ready) return;
    pollfd polled{channel, POLLIN | POLLRDHUP, 0};
    static_cast<void>(::poll(&polled, 1, 0));
    if ((polled.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0)
      ::shutdown(socket_.get(), SHUT_RDWR);
    else if (hung_up)
      hung_up();
  }

  Fd socket_;
  Wakeup done_;
  std::jthread thread_;
};

CpWays::CpWays(MeetSetup setup) : setup_(std::move(setup)) {}
CpWays::~CpWays() = default;

void CpWays::watch(std::function<void()> hung_up) {
  hung_up_ = std::move(hung_up);
  is_watched_ = true;
  watch_channel();
}

void CpWays::watch_channel() {
  if (is_watched_ && socket_ >= 0) watch_ = std::make_unique<Watch>(setup_.in, socket_, hung_up_);
}

CpConnection CpWays::take() { return *std::exchange(connection_, std::nullopt); }

/// Gives the header of a record of a transfer, where the other end has taken the channel already.
std::optional<ChannelRecord::Header> CpWays::agree_that_it_is_lost(
    const std::stop_token& stop) const {
  try {
    RecordPipe pipe({.in = setup_.in,
                     .out = setup_.out,
                     .peer = setup_.peer,
                     .stop = stop,
                     .timeout = setup_.timeout});
    pipe.write(kItIsLost);
    ChannelRecord::Header said{};
    pipe.read_exactly(said);
    if (said == kItIsLost) return std::nullopt;
    return said;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::connect) throw;
    throw Error(ErrorKind::connect, "the connection to " + setup_.peer +
                                        " is lost, and so is that of ssh (the same command goes on "
                                        "where it was)");
  }
}

void CpWays::again(unsigned attempt, const std::stop_token& stop) {
  watch_.reset();
  socket_ = -1;
  const auto begun = agree_that_it_is_lost(stop);
  MeetSetup setup = setup_;
  setup.stop = stop;
  if (attempt > kMostInVain && setup.via == Via::automatic) setup.rendezvous = nullptr;
  find(setup, begun);
  watch_channel();
}

std::unique_ptr<Stream> CpWays::next(unsigned attempt, const std::stop_token& stop) {
  if (!connection_) again(attempt, stop);
  return take().stream;
}

std::unique_ptr<SocketStream> CpWays::another(const std::stop_token& stop) {
  for (std::size_t i = 0;; ++i) try {
      return connect_tls({.peer = receivers_.at(i), .limit = setup_.timeout, .stop = stop},
                         setup_.rendezvous->context());
    } catch (const Error&) {
      if (i + 1 == receivers_.size()) throw;
    }
}

std::optional<StreamReceiver::Door> CpWays::door() const {
  if (socket_ < 0 || setup_.rendezvous == nullptr || setup_.rendezvous->listener() == nullptr)
    return std::nullopt;
  return StreamReceiver::Door{.listener = *setup_.rendezvous->listener(),
                              .context = setup_.rendezvous->context()};
}

void CpWays::find(const MeetSetup& setup, const std::optional<ChannelRecord::Header>& begun) {
  connection_ = meet(setup, begun);
  socket_ = connection_->socket;
  // After the channel there is nothing.
  if (socket_ < 0 && setup_.rendezvous != nullptr) setup_.rendezvous->close();
  receivers_.clear();
  if (socket_ < 0 || setup.role != Role::sender) return;
  if (connection_->arrived)
    receivers_ = setup.targets;
  else
    receivers_.push_back(peer_endpoint(socket_));
}

}  // namespace adoc::cli
