#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "adoc/options.hpp"
#include "codec/codec.hpp"

namespace adoc {

/// What one level of a ladder means: a codec and the codec's own setting.
struct Rung {
  CodecId codec = CodecId::raw;
  int setting = 0;

  bool operator==(const Rung&) const = default;
};

/// How many bytes a block has, and how many of those before it it refers to.
struct BlockShape {
  std::size_t block_bytes = 0;
  std::size_t prefix_bytes = 0;
  bool matches = false;  ///< to search for long matches first takes little of its time
};
/// Of a rung when nobody says otherwise: as large as its ratio gains from it and its speed does not
/// suffer (README.md).
[[nodiscard]] BlockShape block_shape(const Rung& rung) noexcept;

/// About what one compressor of this rung takes in memory for blocks of a length, or 0 for its own,
/// its block and prefix not included. One that was used for a denser rung before gives back what it
/// had for that, but for 32 MiB.
[[nodiscard]] std::size_t compressor_bytes(const Rung& rung, std::size_t block_bytes = 0) noexcept;

/// What it writes to of that before it compresses anything, however short: its tables.
[[nodiscard]] std::size_t table_bytes(const Rung& rung) noexcept;

/// "raw", "lz4 1", "zstd -5": for people.
[[nodiscard]] std::string to_string(const Rung& rung);

/// The levels there are: level 0 is raw, each next one is slower and denser up to top(). Above
/// that, up to last(), are those of which nothing leaves before a block is made: not for a policy
/// that climbs step by step.
class Ladder {
 public:
  [[nodiscard]] static Ladder of(LadderKind kind);
  /// One of "auto", "zlib", "zstd", "lz4"; throws Error(usage) that names them otherwise.
  [[nodiscard]] static Ladder named(std::string_view name);

  [[nodiscard]] const Rung& operator[](int level) const {
    return rungs_.at(static_cast<std::size_t>(level));
  }
  [[nodiscard]] int top() const noexcept { return top_; }
  [[nodiscard]] int last() const noexcept { return static_cast<int>(rungs_.size()) - 1; }
  [[nodiscard]] std::string_view name() const noexcept { return name_; }

 private:
  Ladder(std::string_view name, std::vector<Rung> rungs)
      : name_(name), rungs_(std::move(rungs)), top_(last()) {}

  std::string name_;
  std::vector<Rung> rungs_;
  int top_;
};

}  // namespace adoc
