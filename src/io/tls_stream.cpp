#include "io/tls_stream.hpp"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <array>
#include <utility>

#include "adoc/error.hpp"
#include "wire/hello.hpp"

namespace adoc {

namespace {

constexpr std::size_t kRecordBytes = SSL3_RT_MAX_PLAIN_LENGTH;

/// Encrypted before the lock is released and the system is called. As with plain TCP what the
/// system is not to take yet stays in the queue, where the policy sees it.
constexpr std::size_t kMinBatchBytes = kRecordBytes;
constexpr std::size_t kMaxBatchBytes = 128 << 10;

/// Read from the socket in one call: four records. For each one OpenSSL moves all that is behind it
/// to the start of its buffer, so that more at a time costs more than the calls that it saves.
constexpr std::size_t kReadBufferBytes = 66 << 10;

/// A peer that has us answer and does not read gets no more. Above a batch and what TLS adds.
constexpr std::size_t kMostMadeBytes = 1 << 20;

SSL* raw(const SslPtr& ssl) noexcept { return ssl.get(); }

bool is_alert(unsigned long error) noexcept {
  return ERR_GET_LIB(error) == ERR_LIB_SSL && ERR_FATAL_ERROR(error) == 0 &&
         ERR_GET_REASON(error) > SSL_AD_REASON_OFFSET;
}

/// What fails for lack of memory says nothing of the peer.
bool is_out_of_memory(unsigned long error) noexcept {
  return ERR_GET_REASON(error) == ERR_R_MALLOC_FAILURE;
}

}  // namespace

/// What OpenSSL takes for its socket: reads ask the real one, writes are collected.
struct TlsStream::Bio {
  static TlsStream& stream(BIO* bio) noexcept {
    return *static_cast<TlsStream*>(BIO_get_data(bio));
  }

  static int read(BIO* bio, char* into, std::size_t room, std::size_t* count) noexcept {
    TlsStream& self = stream(bio);
    BIO_clear_retry_flags(bio);
    *count = 0;
    try {
      // What comes after a look that found nothing would be read without one.
      const bool may_read = self.is_answered_ || self.check_answer();
      const auto got = may_read ? self.tcp_->read_now(std::as_writable_bytes(std::span(into, room)))
                                : std::nullopt;
      if (!got) {
        BIO_set_retry_read(bio);
        return 0;
      }
      self.at_end_ = *got == 0;
      *count = *got;
      return *got > 0 ? 1 : 0;
    } catch (...) {
      self.lost_ = std::current_exception();
      return 0;
    }
  }

  static int write(BIO* bio, const char* from, std::size_t size, std::size_t* count) noexcept {
    TlsStream& self = stream(bio);
    BIO_clear_retry_flags(bio);
    *count = 0;
    try {
      if (self.made_.size() + size > kMostMadeBytes)
        throw Error(ErrorKind::corrupt,
                    self.peer() + " asks for answers without end and does not take them");
      const ByteSpan bytes = std::as_bytes(std::span(from, size));
      self.made_.insert(self.made_.end(), bytes.begin(), bytes.end());
    } catch (...) {
      self.lost_ = std::current_exception();
      return 0;
    }
    self.made_bytes_ += size;
    *count = size;
    return 1;
  }

  static long control(BIO* bio, int command, long, void*) noexcept {
    if (command == BIO_CTRL_EOF) return stream(bio).at_end_ ? 1 : 0;
    return command == BIO_CTRL_FLUSH ? 1 : 0;
  }

  static BIO* make(TlsStream& stream) {
    static const auto* const method = [] {
      BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "adoc");
      BIO_meth_set_read_ex(made, read);
      BIO_meth_set_write_ex(made, write);
      BIO_meth_set_ctrl(made, control);
      return made;
    }();
    BIO* const bio = BIO_new(method);
    if (bio == nullptr) throw Error(ErrorKind::internal, "cannot begin with TLS: " + tls_reasons());
    BIO_set_data(bio, &stream);
    BIO_set_init(bio, 1);
    return bio;
  }
};

TlsStream::TlsStream(const TlsContext& context, std::unique_ptr<TcpStream> tcp,
                     std::uint64_t records_per_key)
    : tcp_(std::move(tcp)),
      batch_bytes_(kMaxBatchBytes / 2),
      ssl_(context.new_connection()),
      records_per_key_(records_per_key),
      is_answered_(context.side() == TlsContext::Side::listens),
      advice_(context.advice()) {
  BIO* const bio = Bio::make(*this);
  SSL_set_bio(raw(ssl_), bio, bio);
}

TlsStream::~TlsStream() = default;

TlsStream::Handshake TlsStream::handshake() {
  const std::lock_guard lock(mutex_);
  int error = SSL_ERROR_NONE;
  if (!shaken_) {
    ERR_clear_error();
    const int result = SSL_do_handshake(raw(ssl_));
    if (result != 1) error = SSL_get_error(raw(ssl_), result);
    shaken_ = result == 1;
    if (shaken_) set_up_transfer();
  }
  // Also of a handshake that has failed: the peer is to hear that.
  while (sent_ < made_.size()) {
    const ByteSpan rest = ByteSpan(made_).subspan(sent_);
    const auto sent = tcp_->write_now({&rest, 1});
    if (!sent) break;
    sent_ += *sent;
  }
  if (error != SSL_ERROR_NONE && error != SSL_ERROR_WANT_READ) fail_handshake();
  if (sent_ < made_.size()) return Handshake::writes;
  made_.clear();
  sent_ = 0;
  return error == SSL_ERROR_NONE ? Handshake::done : Handshake::reads;
}

// A receiver that does not encrypt says its hello at once; others speak something else.
bool TlsStream::check_answer() {
  std::array<std::byte, kHelloBytes> start{};
  const auto came = tcp_->peek_now(start);
  if (!came) return false;
  const ByteSpan answer = ByteSpan(start).first(*came);
  if (answer.empty()) return true;
  is_answered_ = starts_like_tls(answer);
  if (is_answered_) return true;
  if (starts_like_hello(answer))
    throw Error(ErrorKind::refused, peer() + " does not encrypt", Hint::encrypt_there_or_neither);
  static_cast<void>(Hello::decode(answer, Role::receiver));
  return true;
}

void TlsStream::set_up_transfer() {
  // The one thing that lets a peer in. Without the key OpenSSL does not get here; this is for the
  // day on which somebody changes its settings.
  if (SSL_session_reused(raw(ssl_)) != 1)
    throw Error(ErrorKind::refused, peer() + " was let in without the key, which is a bug");
  // The buffers of a handshake are small, because whoever connects can have one begin.
  SSL_free_buffers(raw(ssl_));
  SSL_set_default_read_buffer_len(raw(ssl_), kReadBufferBytes);
  SSL_set_read_ahead(raw(ssl_), 1);
  offsets_.lock()->add(made_bytes_, 0);
}

void TlsStream::fail_handshake() {
  if (lost_) std::rethrow_exception(lost_);
  const unsigned long error = ERR_peek_last_error();
  if (is_out_of_memory(error)) throw std::bad_alloc();
  const bool receives = SSL_is_server(raw(ssl_)) == 1;
  if (at_end_)
    throw Error(ErrorKind::connect,
                receives ? "it closed the connection during the handshake"
                         : peer() +
                               " closed the connection during the handshake (is it AdOC that "
                               "listens there, and not flooded?)");
  if (receives)
    throw has_key_for_all(raw(ssl_))
        ? Error(ErrorKind::refused,
                "it is an earlier version, whose key was for all machines: this one is needed "
                "there, too",
                Hint::save_new_key)
        : Error(ErrorKind::refused, "it does not have the key");
  // What a receiver says to half a handshake; a wrong key has an alert of its own.
  if (ERR_GET_REASON(error) == SSL_R_TLSV1_ALERT_DECODE_ERROR)
    throw Error(ErrorKind::connect, "the connection to " + peer() +
                                        " is lost: only a part of the handshake arrived there");
  // Nothing that it knows is in our hello, while a key that is wrong has other alerts.
  if (ERR_GET_REASON(error) == SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE)
    throw Error(ErrorKind::refused, peer() +
                                        " does not let us in: it knows no keys like ours (is it "
                                        "an earlier version of AdOC, whose key was for all "
                                        "machines? this one is needed there, too)");
  if (is_alert(error))
    throw Error(ErrorKind::refused, peer() +
                                        " does not let us in: it has another key than this side" +
                                        (advice_.empty() ? "" : " (" + advice_ + ")"));
  throw Error(ErrorKind::refused, peer() + " does not prove that it has our key: " + tls_reasons());
}

std::string TlsStream::cipher() const { return SSL_get_cipher_name(raw(ssl_)); }

std::size_t TlsStream::read_some(std::span<std::byte> into) {
  bool stopped = false;
  while (true) {
    {
      const std::lock_guard lock(mutex_);
      if (const std::size_t got = decrypt(into)) return got;
      if (read_failed_) std::rethrow_exception(read_failed_);
      if (heard_end_) return 0;
    }
    if (stopped) return 0;
    stopped = !tcp_->wait_readable();
  }
}

std::size_t TlsStream::decrypt(std::span<std::byte> into) {
  std::size_t got = 0;
  while (got < into.size() && !heard_end_ && !read_failed_) {
    ERR_clear_error();
    std::size_t count = 0;
    if (SSL_read_ex(raw(ssl_), into.data() + got, into.size() - got, &count) == 1) {
      got += count;
      // A record is not all that is here; but the socket is asked only for the rest of one.
      if (SSL_has_pending(raw(ssl_)) == 0) break;
      continue;
    }
    const int error = SSL_get_error(raw(ssl_), 0);
    if (error == SSL_ERROR_WANT_READ) break;
    if (error == SSL_ERROR_ZERO_RETURN)
      heard_end_ = true;
    else
      note_read_failure();
  }
  return got;
}

void TlsStream::note_read_failure() {
  const unsigned long error = ERR_peek_last_error();
  const auto failure = [this](ErrorKind kind, const std::string& why) {
    read_failed_ = std::make_exception_ptr(Error(kind, why));
  };
  if (lost_)
    read_failed_ = lost_;
  else if (at_end_ && tcp_->is_stopped())
    heard_end_ = true;  // it was this side that ended it
  else if (is_out_of_memory(error))
    read_failed_ = std::make_exception_ptr(std::bad_alloc());
  else if (at_end_)
    failure(ErrorKind::connect,
            "the connection to " + peer() + " is lost: the other side went away before its end");
  else if (is_alert(error))
    failure(ErrorKind::corrupt,
            peer() + " says that what it got is not what was sent: " + tls_reasons());
  else
    failure(ErrorKind::corrupt,
            "what came from " + peer() + " was changed on the way: " + tls_reasons());
}

std::size_t TlsStream::write_some(std::span<const ByteSpan> pieces) {
  flush();
  std::size_t taken = 0;
  {
    const std::lock_guard lock(mutex_);
    taken = encrypt(pieces);
    sending_.swap(made_);
  }
  flush();
  return taken;
}

std::size_t TlsStream::encrypt(std::span<const ByteSpan> pieces) {
  std::size_t taken = 0;
  gathered_.clear();
  for (ByteSpan piece : pieces) {
    while (!piece.empty() && taken < batch_bytes_) {
      std::size_t count = std::min(piece.size(), batch_bytes_ - taken);
      if (gathered_.empty() && count >= kRecordBytes) {
        count -= count % kRecordBytes;
        encrypt_bytes(piece.first(count));
      } else {
        // Small pieces share a record.
        count = std::min(count, kRecordBytes - gathered_.size());
        gathered_.insert(gathered_.end(), piece.begin(),
                         piece.begin() + static_cast<std::ptrdiff_t>(count));
        if (gathered_.size() == kRecordBytes) {
          encrypt_bytes(gathered_);
          gathered_.clear();
        }
      }
      piece = piece.subspan(count);
      taken += count;
    }
  }
  if (!gathered_.empty()) encrypt_bytes(gathered_);
  offsets_.lock()->add(made_bytes_, plain_bytes_);
  return taken;
}

void TlsStream::encrypt_bytes(ByteSpan bytes) {
  if (records_ >= records_per_key_) {
    SSL_key_update(raw(ssl_), SSL_KEY_UPDATE_NOT_REQUESTED);
    records_ = 0;
  }
  ERR_clear_error();
  std::size_t written = 0;
  if (SSL_write_ex(raw(ssl_), bytes.data(), bytes.size(), &written) != 1) {
    if (lost_) std::rethrow_exception(lost_);
    if (is_out_of_memory(ERR_peek_last_error())) throw std::bad_alloc();
    throw Error(ErrorKind::connect, "the connection to " + peer() + " is lost: " + tls_reasons());
  }
  plain_bytes_ += bytes.size();
  records_ += (bytes.size() + kRecordBytes - 1) / kRecordBytes;
}

void TlsStream::flush() {
  while (sent_ < sending_.size()) {
    const ByteSpan rest = ByteSpan(sending_).subspan(sent_);
    sent_ += tcp_->write_some({&rest, 1});
  }
  sending_.clear();
  sent_ = 0;
}

bool TlsStream::flush_now() {
  while (sent_ < sending_.size()) {
    const ByteSpan rest = ByteSpan(sending_).subspan(sent_);
    const auto sent = tcp_->write_now({&rest, 1});
    if (!sent) return false;
    sent_ += *sent;
  }
  sending_.clear();
  sent_ = 0;
  return true;
}

std::optional<std::size_t> TlsStream::read_now(std::span<std::byte> into) {
  const std::lock_guard lock(mutex_);
  if (const std::size_t got = decrypt(into)) return got;
  if (read_failed_) std::rethrow_exception(read_failed_);
  if (heard_end_) return 0;
  return std::nullopt;
}

std::optional<std::size_t> TlsStream::write_now(std::span<const ByteSpan> pieces) {
  if (!flush_now()) return std::nullopt;
  std::size_t taken = 0;
  {
    const std::lock_guard lock(mutex_);
    taken = encrypt(pieces);
    sending_.swap(made_);
  }
  static_cast<void>(flush_now());
  return taken;
}

void TlsStream::finish_now() noexcept {
  try {
    if (flush_now()) {
      say_end();
      static_cast<void>(flush_now());
    }
  } catch (const std::exception&) {
    // There is nobody to tell.
  }
  tcp_->finish_now();
}

void TlsStream::say_end() {
  const std::lock_guard lock(mutex_);
  if (!said_end_) SSL_shutdown(raw(ssl_));
  said_end_ = true;
  sending_.swap(made_);
}

void TlsStream::finish_writing() noexcept {
  try {
    flush();
    say_end();
    flush();
  } catch (...) {
    // On a lost connection there is nobody to tell.
  }
  tcp_->finish_writing();
}

void TlsStream::linger(std::chrono::milliseconds limit) noexcept {
  finish_writing();
  tcp_->linger(limit);
}

void TlsStream::set_unsent_limit(std::size_t bytes) noexcept {
  batch_bytes_ = std::clamp(bytes, kMinBatchBytes, kMaxBatchBytes) / kRecordBytes * kRecordBytes;
  tcp_->set_unsent_limit(bytes);
}

std::optional<Delivery> TlsStream::delivery() const noexcept {
  auto delivery = tcp_->delivery();
  if (!delivery) return std::nullopt;
  delivery->arrived_bytes = offsets_.lock()->written_in(delivery->arrived_bytes);
  return delivery;
}

}  // namespace adoc
