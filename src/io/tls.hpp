#pragma once

#include <memory>

#include "io/connect.hpp"
#include "io/tls_stream.hpp"

namespace adoc {

/// Connects as connect_tcp() and proves to have the key, which may take the limit once more, and at
/// most 10 s; an address that takes the connection and then does not speak leads to the next one.
/// `context` is of the side that connects and outlives the stream. Throws what connect_tcp()
/// throws, and Error(refused): the receiver has another key, or uses none.
[[nodiscard]] std::unique_ptr<TlsStream> connect_tls(const ConnectTo& to,
                                                     const TlsContext& context);

/// The same over a connection that there is, of which `to` has the limit and the stop request.
[[nodiscard]] std::unique_ptr<TlsStream> prove_key(std::unique_ptr<TcpStream> connection,
                                                   const ConnectTo& to, const TlsContext& context);

}  // namespace adoc
