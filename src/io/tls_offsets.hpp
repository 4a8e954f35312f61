#pragma once

#include <cstdint>
#include <deque>

namespace adoc {

/// How many of the bytes that were written are in the first bytes of the records that TLS made of
/// them. One thread at a time.
class TlsOffsets {
 public:
  /// What was made until now is so long, and so long is what was written. Neither gets less.
  void add(std::uint64_t made_bytes, std::uint64_t written_bytes);

  /// What arrives with so many bytes of TLS: exactly where add() was told of them, and between two
  /// such places as if what TLS adds were spread over it. `made_bytes` never gets less.
  [[nodiscard]] std::uint64_t written_in(std::uint64_t made_bytes);

 private:
  struct Offset {
    std::uint64_t made_bytes = 0;
    std::uint64_t written_bytes = 0;
  };

  std::deque<Offset> offsets_{Offset{}};  ///< the first is at or before the last one asked for
};

}  // namespace adoc
