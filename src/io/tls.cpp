#include "io/tls.hpp"

#include <algorithm>
#include <chrono>

#include "adoc/error.hpp"
#include "io/tcp.hpp"
#include "util/clock.hpp"

namespace adoc {

namespace {

/// The most for the whole handshake.
constexpr std::chrono::milliseconds kPatience{10'000};

}  // namespace

std::unique_ptr<TlsStream> connect_tls(const Endpoint& peer, const TlsContext& context,
                                       std::chrono::milliseconds limit,
                                       const std::stop_token& stop) {
  auto stream = std::make_unique<TlsStream>(context, connect_tcp(peer, limit, stop));
  TcpStream& tcp = stream->tcp();
  const std::stop_callback on_stop(stop, [&] { tcp.stop_reading(); });
  const Clock::time_point end =
      Clock::now() + (limit.count() == 0 ? kPatience : std::min(limit, kPatience));
  while (true) {
    const auto next = stream->handshake();
    if (next == TlsStream::Handshake::done) break;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    tcp.set_read_timeout(std::max(left, std::chrono::milliseconds(1)));
    // What this side says fits into an empty socket, so there is never a wait for room.
    if (!tcp.wait_readable()) throw Error(ErrorKind::interrupted, "interrupted");
  }
  tcp.set_read_timeout({});
  return stream;
}

}  // namespace adoc
