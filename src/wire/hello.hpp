#pragma once

#include "util/bytes.hpp"
#include "wire/protocol.hpp"

namespace adoc {

enum class Role : std::uint8_t { sender = 1, receiver = 2 };

/// The first bytes in each direction, sent without waiting for the other side's:
///
///   hello = magic[8] version:u16 role:u8 patience:u32 threads:u8 features:u64
///
/// Both sides then use the features that both name (protocol.hpp, Feature).
struct Hello {
  Role role = Role::sender;
  std::uint16_t version = kProtocolVersion;
  /// With Feature::keep_alive: for how long this side hears nothing before it takes the other for
  /// gone; 0: for ever. Reserved before there was that feature.
  std::uint32_t patience_ms = 0;
  /// Of a receiver: so many decompress, or more; 0: it does not say. Reserved at first.
  std::uint8_t threads = 0;
  std::uint64_t features = kAllFeatures;

  [[nodiscard]] bool has(Feature feature) const noexcept {
    return (features & static_cast<std::uint64_t>(feature)) != 0;
  }

  /// As one that cannot use it.
  void drop(Feature feature) noexcept { features &= ~static_cast<std::uint64_t>(feature); }

  [[nodiscard]] Bytes encode() const;

  /// Throws Error(refused): the peer encrypts, which is not how this connection was meant;
  /// Error(connect): it is not AdOC (shows the start of what it sent), has another version, or is
  /// not in the role that `expected` names. `bytes` holds kHelloBytes or, from a
  /// peer that closed early, fewer.
  [[nodiscard]] static Hello decode(ByteSpan bytes, Role expected);
};

/// Whether these first bytes, at most kHelloBytes, may still become a hello; so that a peer that
/// talks something else is found out before it has sent kHelloBytes.
[[nodiscard]] bool starts_like_hello(ByteSpan bytes) noexcept;

/// Whether the first bytes, at least one, are those of TLS: a handshake or, in an answer, an alert.
[[nodiscard]] bool starts_like_tls(ByteSpan bytes) noexcept;

}  // namespace adoc
