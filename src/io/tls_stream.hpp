#pragma once

#include <exception>
#include <memory>
#include <mutex>
#include <string>

#include "io/tcp_stream.hpp"
#include "io/tls_context.hpp"
#include "io/tls_offsets.hpp"
#include "util/guarded.hpp"

namespace adoc {

/// A connected TCP socket with TLS 1.3 on it. What the peer reads as the end was said by the peer
/// itself: a connection that ends without that, as one that was cut, is lost.
class TlsStream final : public SocketStream {
 public:
  /// After so many records of a direction its key is replaced. RFC 8446, section 5.5, allows 2^24.5
  /// of them for AES-GCM.
  static constexpr std::uint64_t kRecordsPerKey = 1 << 22;

  /// `context` outlives this.
  TlsStream(const TlsContext& context, std::unique_ptr<TcpStream> tcp,
            std::uint64_t records_per_key = kRecordsPerKey);
  ~TlsStream() override;

  enum class Handshake { done, reads, writes };

  /// As far as it goes without waiting: done, or what to wait for on tcp(). To be repeated until it
  /// is done, before anything else and by one thread. Throws Error(refused): the peer does not have
  /// the key; Error(connect): it is gone, or does not speak TLS.
  [[nodiscard]] Handshake handshake();

  /// Whether there was anything to say to what was heard. A side that listens answers only to what
  /// was made with the key.
  [[nodiscard]] bool has_answered() const noexcept { return made_bytes_ > 0; }

  [[nodiscard]] TcpStream& tcp() noexcept { return *tcp_; }
  /// "TLS_AES_128_GCM_SHA256"; once the handshake is done.
  [[nodiscard]] std::string cipher() const;

  [[nodiscard]] std::size_t read_some(std::span<std::byte> into) override;
  [[nodiscard]] std::size_t write_some(std::span<const ByteSpan> pieces) override;
  [[nodiscard]] PeerEnd peer_end() const noexcept override { return tcp_->peer_end(); }
  void finish_writing() noexcept override;
  void stop_reading() noexcept override { tcp_->stop_reading(); }
  void linger(std::chrono::milliseconds limit) noexcept override;
  void abort() noexcept override { tcp_->abort(); }
  void set_read_timeout(std::chrono::milliseconds limit) override { tcp_->set_read_timeout(limit); }
  void set_silence_limit(std::chrono::milliseconds limit) override {
    tcp_->set_silence_limit(limit);
  }
  [[nodiscard]] std::optional<std::size_t> read_now(std::span<std::byte> into) override;
  [[nodiscard]] std::optional<std::size_t> write_now(std::span<const ByteSpan> pieces) override;
  [[nodiscard]] bool flush_now() override;
  void finish_now() noexcept override;
  [[nodiscard]] int fd() const noexcept override { return tcp_->fd(); }
  void set_unsent_limit(std::size_t bytes) noexcept override;
  [[nodiscard]] std::optional<Delivery> delivery() const noexcept override;
  [[nodiscard]] bool delivery_waits() const noexcept override { return tcp_->delivery_waits(); }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> waited_to_read() const noexcept override {
    return tcp_->waited_to_read();
  }
  [[nodiscard]] const std::string& peer() const noexcept override { return tcp_->peer(); }
  [[nodiscard]] std::string link_name() const override { return tcp_->link_name(); }

 private:
  struct Bio;

  /// False while there is no answer to look at.
  [[nodiscard]] bool check_answer();
  void set_up_transfer();
  [[noreturn]] void fail_handshake();
  std::size_t decrypt(std::span<std::byte> into);
  void note_read_failure();
  std::size_t encrypt(std::span<const ByteSpan> pieces);
  void encrypt_bytes(ByteSpan bytes);
  void flush();
  void say_end();

  std::unique_ptr<TcpStream> tcp_;

  // The writing thread's.
  std::size_t batch_bytes_;  ///< encrypted at a time
  Bytes gathered_;
  Bytes sending_;
  std::size_t sent_ = 0;  ///< of sending_

  // OpenSSL forbids that one thread reads from a connection while another writes to it, although
  // the two directions share next to nothing. The lock is never held while a thread waits: the
  // socket is asked for what it has, and what is to be sent goes out after it is released.
  std::mutex mutex_;
  SslPtr ssl_;
  Bytes made_;  ///< what TLS wants to have sent next
  std::uint64_t made_bytes_ = 0;
  std::uint64_t plain_bytes_ = 0;
  const std::uint64_t records_per_key_;
  std::uint64_t records_ = 0;  ///< written under the present key
  bool is_answered_;           ///< in TLS, as far as the first byte tells
  const std::string& advice_;  ///< the context's
  bool shaken_ = false;
  bool said_end_ = false;
  bool at_end_ = false;             ///< of what the socket gives
  bool heard_end_ = false;          ///< from the peer itself
  std::exception_ptr lost_;         ///< what the socket threw under OpenSSL's feet
  std::exception_ptr read_failed_;  ///< why nothing more can be read

  mutable Guarded<TlsOffsets> offsets_;
};

}  // namespace adoc
