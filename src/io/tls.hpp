#pragma once

#include <chrono>
#include <memory>
#include <stop_token>

#include "adoc/key.hpp"
#include "adoc/options.hpp"
#include "io/tls_stream.hpp"

namespace adoc {

/// Connects as connect_tcp() and proves to have the key, which may take the limit once more, and at
/// most 10 s. `context` is of the side that connects and outlives the stream. Throws what
/// connect_tcp() throws, and Error(refused): the receiver has another key, or uses none.
[[nodiscard]] std::unique_ptr<TlsStream> connect_tls(const Endpoint& peer,
                                                     const TlsContext& context,
                                                     std::chrono::milliseconds limit,
                                                     const std::stop_token& stop);

}  // namespace adoc
