#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "adoc/error.hpp"
#include "control/policy.hpp"
#include "pipeline/compress_stage.hpp"
#include "pipeline/write_stage.hpp"
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

  std::optional<RawBlock> next(std::span<std::byte> into) override {
    asked.push_back(into.size());
    const std::size_t count = std::min(into.size(), data_.size() - position_);
    if (count == 0) return std::nullopt;
    std::copy_n(data_.begin() + static_cast<std::ptrdiff_t>(position_), count, into.begin());
    position_ += count;
    return RawBlock{0, position_ - count, into.first(count)};
  }

  std::vector<std::size_t> asked;

 private:
  Bytes data_;
  std::size_t position_ = 0;
};

/// Collects what it is given and checks that it comes in order.
class MemorySink : public BlockSink {
 public:
  void write(const ArrivedBlock& block) override {
    if (block.offset != data.size()) throw Error(ErrorKind::corrupt, "out of order");
    data.insert(data.end(), block.raw.begin(), block.raw.end());
  }
  void skip(const Skip&) override {}
  void done(const Done&) override {}

  Bytes data;
};

/// The levels of a script, the last one for ever, and blocks of one size for each; notes what it is
/// told.
class ScriptedPolicy final : public Policy {
 public:
  struct Sizes {
    std::size_t raw_bytes = 8'192;  ///< at level 0
    std::size_t block_bytes = 204'800;
  };

  explicit ScriptedPolicy(std::vector<int> levels, Sizes sizes)
      : levels_(std::move(levels)), sizes_(sizes) {}
  explicit ScriptedPolicy(std::vector<int> levels) : ScriptedPolicy(std::move(levels), Sizes{}) {}

  [[nodiscard]] Plan plan(const LinkState&) override {
    const bool raw = levels_[std::min(chosen_, levels_.size() - 1)] == 0;
    return {.block_bytes = raw ? sizes_.raw_bytes : sizes_.block_bytes};
  }
  [[nodiscard]] Choice choose(const LinkState& link, const SampleStats&, std::size_t) override {
    seen.push_back(link);
    return {.level = levels_[std::min(chosen_++, levels_.size() - 1)],
            .reason = "script",
            .may_cut = true,
            .search = search};
  }
  void learn(const LinkState&, const BlockResult& result) override { learned.push_back(result); }

  std::vector<LinkState> seen;  ///< at each choice
  std::vector<BlockResult> learned;
  bool search = false;  ///< Choice's

 private:
  std::vector<int> levels_;
  Sizes sizes_;
  std::size_t chosen_ = 0;
};

}  // namespace adoc::testkit
