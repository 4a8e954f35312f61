#include "cli/cp_ways.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/socket.h>

#include <thread>
#include <utility>

#include "adoc/error.hpp"
#include "cli/words.hpp"
#include "io/address.hpp"
#include "io/tls.hpp"
#include "util/clock.hpp"
#include "util/fd.hpp"
#include "util/wakeup.hpp"

namespace adoc::cli {

namespace {

/// After so many connections in a row over which nothing was got across, the channel it is.
constexpr unsigned kMostInVain = 1;

/// For a connection that the receiver opens ahead of need.
constexpr std::chrono::milliseconds kReverseLimit{10'000};

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

RecordPipe CpWays::channel(const std::stop_token& stop) const {
  return RecordPipe({.in = setup_.in,
                     .out = setup_.out,
                     .peer = setup_.peer,
                     .stop = stop,
                     .timeout = setup_.timeout});
}

void CpWays::tell_lost(const std::stop_token& stop) {
  if (socket_ < 0 || has_told_lost_) return;
  try {
    channel(stop).write(kItIsLost);
    has_told_lost_ = true;
  } catch (const Error& error) {
    spdlog::debug("{}", words_of(error));
  }
}

/// Gives the header of a record of a transfer, where the other end has taken the channel already.
std::optional<ChannelRecord::Header> CpWays::agree_that_it_is_lost(const std::stop_token& stop) {
  try {
    RecordPipe pipe = channel(stop);
    if (!std::exchange(has_told_lost_, false)) pipe.write(kItIsLost);
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
  // What it has ready is not to be taken for the next one.
  reverse_.reset();
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
  if (is_confined_)
    return prove_key(accept_another(stop),
                     {.peer = {}, .limit = setup_.timeout, .stop = stop, .tell = {}},
                     setup_.rendezvous->context());
  for (std::size_t i = 0;; ++i) try {
      return connect_tls({.peer = receivers_.at(i), .limit = setup_.timeout, .stop = stop},
                         setup_.rendezvous->context());
    } catch (const Error&) {
      if (i + 1 == receivers_.size()) throw;
    }
}

std::unique_ptr<TcpStream> CpWays::accept_another(const std::stop_token& stop) {
  const int fd = (*accepting_.lock())->fd();
  Wakeup stopped;
  const std::stop_callback on_stop(stop, [&] { stopped.set(); });
  const Clock::time_point end = Clock::now() + kReverseLimit;
  while (true) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(end - Clock::now());
    if (left.count() <= 0)
      throw Error(ErrorKind::connect, setup_.peer + " opens no further connection");
    if (stopped.wait_for(fd, POLLIN, static_cast<int>(left.count())) == Wakeup::Result::woken)
      throw Error(ErrorKind::interrupted, "interrupted");
    // Other threads wait for the same, and may have taken it.
    TcpListener::Arrival arrival = (*accepting_.lock())->accept_now();
    if (arrival.stream) return std::move(arrival.stream);
    if (arrival.later) throw Error(ErrorKind::internal, "nothing is left for a connection");
  }
}

std::optional<StreamReceiver::Door> CpWays::door() const {
  if (socket_ < 0 || setup_.rendezvous == nullptr || setup_.rendezvous->listener() == nullptr)
    return std::nullopt;
  return StreamReceiver::Door{.listener = *setup_.rendezvous->listener(),
                              .context = setup_.rendezvous->context(),
                              .reverse = reverse_.get()};
}

void CpWays::find(const MeetSetup& setup, const std::optional<ChannelRecord::Header>& begun) {
  connection_ = meet(setup, begun);
  socket_ = connection_->socket;
  // After the channel there is nothing.
  if (socket_ < 0 && setup_.rendezvous != nullptr) setup_.rendezvous->close();
  receivers_.clear();
  *accepting_.lock() = socket_ < 0 ? nullptr : setup_.rendezvous->listener();
  if (socket_ < 0) return;
  std::vector<Endpoint> peers = setup.targets;
  // One of them has answered.
  if (!connection_->arrived) peers = {peer_endpoint(socket_)};
  if (setup.role == Role::sender)
    receivers_ = std::move(peers);
  else if (setup.opens_reverse && !peers.empty())
    try {
      reverse_ = std::make_unique<ReverseConnections>(std::move(peers));
    } catch (const std::exception&) {
      // It goes on with one.
    }
}

}  // namespace adoc::cli
