#include "io/tls.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "adoc/error.hpp"
#include "util/clock.hpp"

namespace adoc {

namespace {

/// The most for the whole handshake.
constexpr std::chrono::milliseconds kPatience{10'000};

}  // namespace

std::unique_ptr<TlsStream> prove_key(std::unique_ptr<TcpStream> connection, const ConnectTo& to,
                                     const TlsContext& context) {
  auto stream = std::make_unique<TlsStream>(context, std::move(connection));
  TcpStream& tcp = stream->tcp();
  const std::stop_callback on_stop(to.stop, [&] { tcp.stop_reading(); });
  const Clock::time_point end =
      Clock::now() + (to.limit.count() == 0 ? kPatience : std::min(to.limit, kPatience));
  while (true) {
    const auto next = stream->handshake();
    if (next == TlsStream::Handshake::done) break;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now());
    tcp.set_read_timeout(std::max(left, std::chrono::milliseconds(1)));
    // What this side says fits into an empty socket, so there is never a wait for room.
    if (!tcp.wait_readable()) throw Error(ErrorKind::interrupted, "interrupted");
  }
  tcp.set_read_timeout({});
  tell_connected(to, tcp);
  return stream;
}

std::unique_ptr<TlsStream> connect_tls(const ConnectTo& to, const TlsContext& context) {
  Connector connector(to);
  std::unique_ptr<TcpStream> tcp = connector.next();
  while (true) {
    try {
      return prove_key(std::move(tcp), to, context);
    } catch (const Error& error) {
      // One that refuses us is the receiver. One that is silent, or closes, may be a proxy in front
      // of nothing; of all that can be said of the name it says the most.
      if (error.kind() != ErrorKind::connect || !connector.has_more()) throw;
      try {
        tcp = connector.next();
      } catch (const Error& no_other) {
        if (no_other.kind() == ErrorKind::connect) throw error;
        throw;
      }
    }
  }
}

}  // namespace adoc
