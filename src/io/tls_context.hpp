#pragma once

#include <memory>
#include <string>

#include "adoc/key.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace adoc {

struct SslDeleter {
  void operator()(ssl_st* ssl) const noexcept;
};
using SslPtr = std::unique_ptr<ssl_st, SslDeleter>;

/// What all encrypted connections of one side have in common: TLS 1.3 and nothing older, let in by
/// the key alone (an external PSK that is derived from it for senders to the receiver that it
/// belongs to), with an ephemeral key exchange, so that the key, stolen later,
/// opens nothing that was recorded. No certificates, tickets, early data or compression.
class TlsContext {
 public:
  enum class Side { connects, listens };

  /// `advice` is for a side that connects: what to say in addition when the peer has another key.
  /// Throws Error(internal).
  TlsContext(const Key& key, Side side, std::string advice = {});
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  /// A new connection's state, ready for its handshake; this outlives it.
  [[nodiscard]] SslPtr new_connection() const;

  [[nodiscard]] Side side() const noexcept { return side_; }
  [[nodiscard]] const Key& psk() const noexcept { return psk_; }
  [[nodiscard]] const std::string& advice() const noexcept { return advice_; }

 private:
  struct Deleter {
    void operator()(ssl_ctx_st* context) const noexcept;
  };

  Key psk_;
  Side side_;
  std::string advice_;
  std::unique_ptr<ssl_ctx_st, Deleter> context_;
};

/// Whether a peer said in its handshake that its key is one for all machines, as those of earlier
/// versions were.
[[nodiscard]] bool has_key_for_all(ssl_st* connection) noexcept;

/// The reasons that OpenSSL has noted in this thread, the latest last, for messages; takes them
/// away.
[[nodiscard]] std::string tls_reasons();

}  // namespace adoc
