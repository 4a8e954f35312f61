#pragma once

#include <atomic>

#include "io/socket_buffer.hpp"
#include "io/socket_stream.hpp"
#include "io/tcp_delivery.hpp"
#include "util/fd.hpp"
#include "util/wakeup.hpp"

namespace adoc {

/// A connected TCP socket.
class TcpStream final : public SocketStream {
 public:
  /// Throws Error(internal) when no descriptor is left for what wakes its threads.
  TcpStream(Fd socket, std::string peer) : TcpStream(std::move(socket), std::move(peer), {}) {}
  /// With one that was made beforehand.
  TcpStream(Fd socket, std::string peer, Wakeup stopping);

  [[nodiscard]] std::size_t read_some(std::span<std::byte> into) override;
  [[nodiscard]] std::size_t write_some(std::span<const ByteSpan> pieces) override;
  [[nodiscard]] PeerEnd peer_end() const noexcept override;
  void finish_writing() noexcept override;
  void stop_reading() noexcept override { stopping_.set(); }
  void linger(std::chrono::milliseconds limit) noexcept override;
  void abort() noexcept override;
  void set_read_timeout(std::chrono::milliseconds limit) override { read_timeout_ = limit; }
  void set_silence_limit(std::chrono::milliseconds limit) override;
  void set_unsent_limit(std::size_t bytes) noexcept override;
  [[nodiscard]] std::optional<Delivery> delivery() const noexcept override {
    return tcp_delivery(socket_.get());
  }
  [[nodiscard]] bool delivery_waits() const noexcept override {
    return writing_.load(std::memory_order_relaxed);
  }
  [[nodiscard]] std::optional<std::chrono::nanoseconds> waited_to_read() const noexcept override {
    return waited_to_read_;
  }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }
  [[nodiscard]] std::string link_name() const override;

  [[nodiscard]] std::optional<std::size_t> read_now(std::span<std::byte> into) override;
  [[nodiscard]] std::optional<std::size_t> write_now(std::span<const ByteSpan> pieces) override;
  [[nodiscard]] bool flush_now() override { return true; }
  void finish_now() noexcept override { finish_writing(); }
  [[nodiscard]] int fd() const noexcept override { return socket_.get(); }
  /// The first bytes that read_now() will give, as many as are here.
  [[nodiscard]] std::optional<std::size_t> peek_now(std::span<std::byte> into);
  /// poll() says that something can be read once so many bytes can, or the end.
  void wake_from(std::size_t bytes) noexcept;
  /// Until something can be read; false once stop_reading() was called. Throws when that takes
  /// longer than the read timeout.
  [[nodiscard]] bool wait_readable();
  [[nodiscard]] bool is_stopped() const noexcept { return stopping_.is_set(); }

 private:
  void look_at_buffer(SocketBuffer& buffer, std::size_t bytes) noexcept {
    if (buffer.passes(bytes)) buffer.look(socket_.get());
  }
  [[nodiscard]] std::optional<std::size_t> receive(std::span<std::byte> into, int flags);
  void set_option(int level, int name, int value) noexcept;
  void wait_writable();
  [[noreturn]] void lost(int error_number) const;
  [[noreturn]] void silent() const;

  Fd socket_;
  std::string peer_;
  Wakeup stopping_;
  std::atomic<bool> writing_ = false;  ///< by the system, which locks the socket for it
  SocketBuffer send_buffer_{SocketBuffer::Direction::sending};  ///< of the thread that writes
  // The reading thread's:
  SocketBuffer receive_buffer_{SocketBuffer::Direction::receiving};
  std::chrono::milliseconds read_timeout_{0};
  std::chrono::nanoseconds waited_to_read_{0};
  bool grace_is_over_ = false;  ///< of the thread that writes
  bool promised_to_speak_ = false;
};

}  // namespace adoc
