#pragma once

#include <memory>
#include <stop_token>

#include "adoc/receive.hpp"
#include "io/stream.hpp"
#include "util/bytes.hpp"

namespace adoc {

/// One transfer over a connection that there is already, such as adoc-cp makes, whose other end is
/// known. Beside that it is a Receiver with ReceiveOptions::once: `listen`, `key` and `insecure`
/// mean nothing.
class StreamReceiver {
 public:
  /// Opens the destination. Throws Error(usage) for options, Error(local_file).
  StreamReceiver(ReceiveOptions options, ReceiveObserver* observer);
  ~StreamReceiver();

  /// `heard` is what the sender has said already. Does not throw for what befalls the transfer:
  /// that is the verdict. Call it once.
  [[nodiscard]] Verdict serve(Stream& stream, ByteSpan heard, const std::stop_token& stop);

  /// From any thread.
  [[nodiscard]] Progress progress() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace adoc
