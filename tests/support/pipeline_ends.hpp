#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "adoc/error.hpp"
#include "control/policy.hpp"
#include "pipeline/compress_stage.hpp"
#include "pipeline/decompress_stage.hpp"
#include "support/seed.hpp"

namespace adoc::testkit {

/// Words, which any codec shrinks and no sample of which looks random.
[[nodiscard]] inline Bytes some_words(std::size_t size, Rng& rng) {
  static constexpr std::string_view kWords[] = {"level ", "queue ", "packet ", "and\n", "the ",
                                                "wire ",  "x",      "1234 ",   "a "};
  std::string text;
  while (text.size() < size) text += kWords[up_to(rng, std::size(kWords) - 1)];
  const ByteSpan bytes = as_byte_span(text).first(size);
  return {bytes.begin(), bytes.end()};
}

[[nodiscard]] inline Bytes some_noise(std::size_t size, Rng& rng) {
  Bytes bytes(size);
  for (std::byte& byte : bytes) byte = static_cast<std::byte>(rng());
  return bytes;
}

/// Gives its data in blocks as long as they may be, and notes how long that was.
class MemorySource : public BlockSource {
 public:
  explicit MemorySource(Bytes data) : data_(std::move(data)) {}

  std::optional<RawBlock> next(std::size_t max_bytes) override {
    asked.push_back(max_bytes);
    const std::size_t count = std::min(max_bytes, data_.size() - position_);
    if (count == 0) return std::nullopt;
    position_ += count;
    return RawBlock{0, position_ - count, ByteSpan(data_).subspan(position_ - count, count)};
  }

  std::vector<std::size_t> asked;

 private:
  Bytes data_;
  std::size_t position_ = 0;
};

/// Collects what it is given and checks that it comes in order.
class MemorySink : public BlockSink {
 public:
  void write(std::uint64_t, std::uint64_t offset, ByteSpan raw) override {
    if (offset != data.size()) throw Error(ErrorKind::corrupt, "out of order");
    data.insert(data.end(), raw.begin(), raw.end());
  }
  void skip(const Skip&) override {}
  void done(const Done&) override {}

  Bytes data;
};

/// The levels of a script, the last one for ever; notes what it is told.
class ScriptedPolicy final : public Policy {
 public:
  explicit ScriptedPolicy(std::vector<int> levels) : levels_(std::move(levels)) {}

  [[nodiscard]] int first_level() const noexcept override { return levels_.front(); }
  [[nodiscard]] Choice next(const Observation& observation) override {
    observed.push_back(observation);
    return {levels_[std::min(observed.size(), levels_.size() - 1)], "script"};
  }

  std::vector<Observation> observed;

 private:
  std::vector<int> levels_;
};

}  // namespace adoc::testkit
