#pragma once

#include <memory>

#include "adoc/key.hpp"

struct ssl_ctx_st;
struct ssl_st;

namespace adoc {

struct SslDeleter {
  void operator()(ssl_st* ssl) const noexcept;
};
using SslPtr = std::unique_ptr<ssl_st, SslDeleter>;

/// What all encrypted connections of one side have in common: TLS 1.3 and nothing older, let in by
/// the key alone (an external PSK), with an ephemeral key exchange, so that the key, stolen later,
/// opens nothing that was recorded. No certificates, tickets, early data or compression.
class TlsContext {
 public:
  enum class Side { connects, listens };

  /// Throws Error(internal).
  TlsContext(const Key& key, Side side);
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;
  ~TlsContext();

  /// A new connection's state, ready for its handshake; this outlives it.
  [[nodiscard]] SslPtr new_connection() const;

  [[nodiscard]] Side side() const noexcept { return side_; }
  [[nodiscard]] const Key& key() const noexcept { return key_; }

 private:
  struct Deleter {
    void operator()(ssl_ctx_st* context) const noexcept;
  };

  Key key_;
  Side side_;
  std::unique_ptr<ssl_ctx_st, Deleter> context_;
};

/// The reasons that OpenSSL has noted in this thread, the latest last, for messages; takes them
/// away.
[[nodiscard]] std::string tls_reasons();

}  // namespace adoc
