#include "io/tls_context.hpp"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/auxv.h>

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "adoc/error.hpp"

namespace adoc {

namespace {

/// The same for every key: a name of its own would tell who watches which key is used where.
constexpr std::string_view kIdentity = "adoc2";
/// Of versions that had one key for all machines, and used it as it is.
constexpr std::string_view kIdentityForAll = "adoc";

/// Of a receiver's name, in bytes.
constexpr std::size_t kNameBytes = 16;

/// What is in the place of the key's PSK: roles that cannot be exchanged, and the receiver, which
/// has its name from its key.
Key psk_of(const Key& key) {
  std::string purpose = "adoc tls13 psk v2 sender->receiver";
  const Key name = key.derive("adoc receiver's name");
  purpose.append(reinterpret_cast<const char*>(name.bytes().data()), kNameBytes);
  return key.derive(purpose);
}

constexpr const char* kAesFirst = "TLS_AES_128_GCM_SHA256:TLS_CHACHA20_POLY1305_SHA256";
constexpr const char* kChaChaFirst = "TLS_CHACHA20_POLY1305_SHA256:TLS_AES_128_GCM_SHA256";

/// As TLS_AES_128_GCM_SHA256 is called on the wire. A PSK belongs to a hash, not to a cipher, and
/// both of ours have this one.
constexpr std::array<unsigned char, 2> kPskCipher{0x13, 0x01};

/// AES with carry-less multiplication; without them ChaCha20 is several times as fast.
bool has_fast_aes() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  return __builtin_cpu_supports("aes") != 0 && __builtin_cpu_supports("pclmul") != 0;
#elif defined(__aarch64__)
  constexpr unsigned long kAes = 1UL << 3;
  constexpr unsigned long kPmull = 1UL << 4;
  return (::getauxval(AT_HWCAP) & (kAes | kPmull)) == (kAes | kPmull);
#else
  return false;
#endif
}

const TlsContext& context_of(SSL* ssl) noexcept {
  return *static_cast<const TlsContext*>(SSL_CTX_get_app_data(SSL_get_SSL_CTX(ssl)));
}

SSL_SESSION* session_of(SSL* ssl) noexcept {
  const auto key = context_of(ssl).psk().bytes();
  SSL_SESSION* const session = SSL_SESSION_new();
  if (session != nullptr &&
      SSL_SESSION_set1_master_key(session, reinterpret_cast<const unsigned char*>(key.data()),
                                  key.size()) == 1 &&
      SSL_SESSION_set_cipher(session, SSL_CIPHER_find(ssl, kPskCipher.data())) == 1 &&
      SSL_SESSION_set_protocol_version(session, TLS1_3_VERSION) == 1)
    return session;
  SSL_SESSION_free(session);
  return nullptr;
}

// The callbacks of OpenSSL: 1 is success, and a session of null no key.
int use_key(SSL* ssl, const EVP_MD* hash, const unsigned char** identity, std::size_t* length,
            SSL_SESSION** session) {
  *session = hash == nullptr || EVP_MD_is_a(hash, "SHA256") == 1 ? session_of(ssl) : nullptr;
  *identity = reinterpret_cast<const unsigned char*>(kIdentity.data());
  *length = kIdentity.size();
  return 1;
}

int find_key(SSL* ssl, const unsigned char* identity, std::size_t length, SSL_SESSION** session) {
  const std::string_view name(reinterpret_cast<const char*>(identity), length);
  if (name == kIdentityForAll) SSL_set_app_data(ssl, const_cast<char*>(kIdentityForAll.data()));
  *session = name == kIdentity ? session_of(ssl) : nullptr;
  return 1;
}

}  // namespace

void SslDeleter::operator()(ssl_st* ssl) const noexcept { SSL_free(ssl); }
void TlsContext::Deleter::operator()(ssl_ctx_st* context) const noexcept { SSL_CTX_free(context); }

TlsContext::TlsContext(const Key& key, Side side, std::string advice)
    : psk_(psk_of(key)),
      side_(side),
      advice_(std::move(advice)),
      context_(SSL_CTX_new(side == Side::listens ? TLS_server_method() : TLS_client_method())) {
  SSL_CTX* const context = context_.get();
  // Of two sides of which one does AES fast, the other is the one that both wait for. So the
  // receiver follows the sender's order, unless it is itself the slow one.
  std::uint64_t options = SSL_OP_NO_TICKET | SSL_OP_NO_COMPRESSION | SSL_OP_NO_RENEGOTIATION;
  if (!has_fast_aes()) options |= SSL_OP_CIPHER_SERVER_PREFERENCE;
  if (context == nullptr || SSL_CTX_set_min_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_max_proto_version(context, TLS1_3_VERSION) != 1 ||
      SSL_CTX_set_ciphersuites(context, has_fast_aes() ? kAesFirst : kChaChaFirst) != 1 ||
      SSL_CTX_set1_groups_list(context, "X25519:P-256") != 1 ||
      SSL_CTX_set_num_tickets(context, 0) != 1)
    throw Error(ErrorKind::internal, "cannot set up TLS: " + tls_reasons());
  // Cleared is what a configuration of the whole system may have set: a key exchange without an
  // ephemeral part, and kernel TLS, which needs a socket where we have buffers.
  SSL_CTX_clear_options(context, SSL_OP_ALLOW_NO_DHE_KEX | SSL_OP_ENABLE_KTLS);
  SSL_CTX_set_options(context, options);
  SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
  // With no authority to trust, a peer that shows a certificate instead of the key is refused.
  SSL_CTX_set_verify(context, side == Side::connects ? SSL_VERIFY_PEER : SSL_VERIFY_NONE, nullptr);
  SSL_CTX_set_app_data(context, this);
  SSL_CTX_set_psk_use_session_callback(context, use_key);
  SSL_CTX_set_psk_find_session_callback(context, find_key);
}

TlsContext::~TlsContext() = default;

SslPtr TlsContext::new_connection() const {
  SslPtr ssl(SSL_new(context_.get()));
  if (!ssl) throw Error(ErrorKind::internal, "cannot begin with TLS: " + tls_reasons());
  if (side_ == Side::listens)
    SSL_set_accept_state(ssl.get());
  else
    SSL_set_connect_state(ssl.get());
  return ssl;
}

bool has_key_for_all(ssl_st* connection) noexcept {
  return SSL_get_app_data(connection) == kIdentityForAll.data();
}

std::string tls_reasons() {
  std::string reasons;
  while (const unsigned long error = ERR_get_error()) {
    const char* const reason = ERR_reason_error_string(error);
    if (!reasons.empty()) reasons += ", ";
    reasons += reason != nullptr ? reason : "error " + std::to_string(error);
  }
  return reasons.empty() ? "no reason given" : reasons;
}

}  // namespace adoc
