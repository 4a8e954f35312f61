#pragma once

#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "support/test_streams.hpp"
#include "wire/frame.hpp"

namespace adoc::fuzz {

/// What a fuzzer made up, used up byte by byte; nothing but zeros when it is used up.
class Input {
 public:
  explicit Input(ByteSpan bytes) noexcept : rest_(bytes) {}

  [[nodiscard]] bool empty() const noexcept { return rest_.empty(); }
  std::uint8_t u8() noexcept {
    if (rest_.empty()) return 0;
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_ = rest_.subspan(1);
    return byte;
  }
  std::uint16_t u16() noexcept { return static_cast<std::uint16_t>(u8() | u8() << 8); }
  /// One value in `often` says yes.
  bool rarely(unsigned often) noexcept { return u8() % often == often - 1; }
  Bytes take(std::size_t count) {
    const ByteSpan taken = rest_.first(std::min(count, rest_.size()));
    rest_ = rest_.subspan(taken.size());
    return {taken.begin(), taken.end()};
  }

 private:
  ByteSpan rest_;
};

/// A frame that the session under test has said.
struct Heard {
  FrameType type{};
  Bytes record{};
};

/// The peer of a session under test: says what a script makes up, which is asked for more whenever
/// the session waits for it. What the session says is cut into frames for the script.
class ScriptedStream final : public testkit::StubStream {
 public:
  /// The next bytes to say; none at the end. Called by the thread of the session that reads.
  using Script = std::function<std::optional<Bytes>(ScriptedStream&)>;

  explicit ScriptedStream(Script script) : script_(std::move(script)) {}

  /// Waits a moment until the session has said its `nth` frame of a type, counted from 0. None when
  /// it has not: a peer need not wait either.
  [[nodiscard]] std::optional<Bytes> heard(FrameType type, std::size_t nth);
  /// How many of a type it has said so far.
  [[nodiscard]] std::size_t count(FrameType type);

  std::size_t read_some(std::span<std::byte> into) override;
  std::size_t write_some(std::span<const ByteSpan> pieces) override;
  void stop_reading() noexcept override;

 private:
  Script script_;
  Bytes saying_;
  std::size_t said_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  Bytes unparsed_;
  bool hello_heard_ = false;
  std::vector<Heard> heard_;
  bool stopped_ = false;
};

}  // namespace adoc::fuzz
