#pragma once

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <string>
#include <thread>

#include "io/stream.hpp"
#include "support/seed.hpp"

namespace adoc::testkit {

/// A stream without a system under it: nothing to wake, to time out or to know.
class StubStream : public Stream {
 public:
  void finish_writing() noexcept override {}
  void stop_reading() noexcept override {}
  void linger(std::chrono::milliseconds) noexcept override {}
  void abort() noexcept override { stop_reading(); }
  void set_read_timeout(std::chrono::milliseconds) override {}
  void set_silence_limit(std::chrono::milliseconds) override {}
  void set_unsent_limit(std::size_t) noexcept override {}
  [[nodiscard]] std::optional<Delivery> delivery() const noexcept override { return std::nullopt; }
  [[nodiscard]] const std::string& peer() const noexcept override { return peer_; }

 private:
  std::string peer_ = "a test";
};

/// What the stream has to give now, but no more than `limit` (at most 1,000) bytes.
inline std::string read_text(Stream& stream, std::size_t limit = 1'000) {
  std::array<std::byte, 1'000> into{};
  const std::size_t got = stream.read_some(std::span(into).first(limit));
  return {reinterpret_cast<const char*>(into.data()), got};
}

/// Gives recorded bytes, `piece()` of them at a time, and then the end.
class RecordedStream final : public StubStream {
 public:
  RecordedStream(Bytes recorded, std::function<std::size_t()> piece)
      : recorded_(std::move(recorded)), piece_(std::move(piece)) {}

  std::size_t read_some(std::span<std::byte> into) override {
    const std::size_t count = std::min({piece_(), into.size(), recorded_.size() - position_});
    std::copy_n(recorded_.begin() + static_cast<std::ptrdiff_t>(position_), count, into.begin());
    position_ += count;
    return count;
  }
  std::size_t write_some(std::span<const ByteSpan>) override { return 0; }

 private:
  Bytes recorded_;
  std::function<std::size_t()> piece_;
  std::size_t position_ = 0;
};

/// A pause that no schedule is safe from: none, a yield, or a short sleep.
inline void random_pause(Rng& rng) {
  const std::uint64_t dice = up_to(rng, 31);
  if (dice < 8) std::this_thread::yield();
  if (dice == 8) std::this_thread::sleep_for(std::chrono::microseconds(up_to(rng, 300)));
}

/// A stream that reads and writes in pieces of any size, with pauses between them.
class JitteryStream final : public Stream {
 public:
  JitteryStream(Stream& stream, std::uint64_t seed) : stream_(stream), read_(seed), write_(~seed) {}

  std::size_t read_some(std::span<std::byte> into) override {
    random_pause(read_);
    return stream_.read_some(into.first(1 + any_size(read_, into.size() - 1)));
  }
  std::size_t write_some(std::span<const ByteSpan> pieces) override {
    random_pause(write_);
    const ByteSpan first = pieces.front();
    const ByteSpan part = first.first(1 + any_size(write_, first.size() - 1));
    return stream_.write_some({&part, 1});
  }
  void finish_writing() noexcept override { stream_.finish_writing(); }
  void stop_reading() noexcept override { stream_.stop_reading(); }
  void linger(std::chrono::milliseconds limit) noexcept override { stream_.linger(limit); }
  void abort() noexcept override { stream_.abort(); }
  void set_read_timeout(std::chrono::milliseconds limit) override {
    stream_.set_read_timeout(limit);
  }
  void set_silence_limit(std::chrono::milliseconds limit) override {
    stream_.set_silence_limit(limit);
  }
  void set_unsent_limit(std::size_t bytes) noexcept override { stream_.set_unsent_limit(bytes); }
  [[nodiscard]] std::optional<Delivery> delivery() const noexcept override {
    return stream_.delivery();
  }
  [[nodiscard]] bool delivery_waits() const noexcept override { return stream_.delivery_waits(); }
  [[nodiscard]] const std::string& peer() const noexcept override { return stream_.peer(); }

 private:
  Stream& stream_;
  Rng read_;
  Rng write_;
};

}  // namespace adoc::testkit
