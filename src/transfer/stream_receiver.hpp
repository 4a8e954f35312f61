#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "adoc/receive.hpp"
#include "io/reverse_connections.hpp"
#include "io/socket_stream.hpp"
#include "io/tcp_listener.hpp"
#include "io/tls_context.hpp"
#include "util/bytes.hpp"
#include "wire/streams.hpp"

namespace adoc {

/// One transfer over connections that there are already, such as adoc-cp makes, whose other end is
/// known. Beside that it is a Receiver with ReceiveOptions::once: `listen`, `key` and `insecure`
/// mean nothing.
class StreamReceiver {
 public:
  /// Opens the destination. Throws Error(usage) for options, Error(local_file).
  StreamReceiver(ReceiveOptions options, ReceiveObserver* observer);
  ~StreamReceiver();

  /// Where further connections of the same sender come; outlives serve().
  struct Door {
    TcpListener& listener;
    const TlsContext& context;
    ReverseConnections* reverse = nullptr;  ///< where they come, too; null: nowhere else
  };

  /// `heard` is what the sender has said already. Does not throw for what befalls the transfer:
  /// that is the verdict. Where it gives true the connection was lost and the sender may come back:
  /// then call it again with the one over which it does.
  [[nodiscard]] bool serve(Stream& stream, ByteSpan heard, const std::stop_token& stop) {
    return serve_joined({.stream = stream}, heard, stop);
  }
  /// The same, and others may join it. Those who come and do not are sent away.
  [[nodiscard]] bool serve(SocketStream& stream, ByteSpan heard, const Door& door,
                           const std::stop_token& stop);
  /// Whether the latest connection has brought anything that stays: an entry that was committed, or
  /// more of one than those before had brought.
  [[nodiscard]] bool got_on() const noexcept;
  /// Of the whole transfer, which is over; tells the observer. Call it once, after serve().
  [[nodiscard]] Verdict finish();

  /// From any thread.
  [[nodiscard]] Progress progress() const noexcept;

 private:
  struct Joined {
    Stream& stream;
    std::optional<StreamsOffer> offer{};
  };
  [[nodiscard]] bool serve_joined(const Joined& joined, ByteSpan heard,
                                  const std::stop_token& stop);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adoc
