#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "util/bytes.hpp"
#include "util/fd.hpp"

namespace adoc::testkit {

/// One end of a TCP connection on loopback that says whatever the test has it say, at once. What
/// the other end does to the connection is an answer and never a failure of the test.
class ScriptedPeer {
 public:
  using Limit = std::chrono::milliseconds;

  explicit ScriptedPeer(Fd socket) noexcept : socket_(std::move(socket)) {}
  /// Connects to a program that listens on this port.
  [[nodiscard]] static ScriptedPeer connect(std::uint16_t port);

  /// False when the other end no longer takes it.
  bool say(ByteSpan bytes);
  bool say(std::string_view text) { return say(as_byte_span(text)); }
  /// The other end reads the end; it can still be heard.
  void finish() noexcept;
  /// Goes without a word: the other end finds the connection reset.
  void vanish() noexcept;
  /// Closes as a program does that ends.
  void close() noexcept { socket_.reset(); }

  /// The next `count` bytes; fewer when the other end finishes, or says nothing for the limit.
  [[nodiscard]] Bytes hear(std::size_t count, Limit limit = Limit(20'000));
  /// All up to the end of the other end, or as above.
  [[nodiscard]] Bytes hear_all(Limit limit = Limit(20'000)) { return hear(SIZE_MAX, limit); }

 private:
  Fd socket_;
};

/// Where a sender under test connects to.
class ScriptedListener {
 public:
  ScriptedListener();

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// The next connection; the test fails when none comes.
  [[nodiscard]] ScriptedPeer accept();

 private:
  Fd socket_;
  std::uint16_t port_ = 0;
};

}  // namespace adoc::testkit
