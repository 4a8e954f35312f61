#include "codec/ladder.hpp"

#include <algorithm>
#include <array>

#include "adoc/error.hpp"
#include "codec/factories.hpp"
#include "wire/protocol.hpp"

namespace adoc {
namespace {

void add(std::vector<Rung>& rungs, CodecId codec, std::span<const int> settings) {
  for (const int setting : settings) rungs.push_back({codec, setting});
}

void add_range(std::vector<Rung>& rungs, CodecId codec, int first, int last) {
  for (int setting = first; setting <= last; ++setting) rungs.push_back({codec, setting});
}

std::vector<Rung> zlib_rungs() {
  std::vector<Rung> rungs{{}};
  add_range(rungs, CodecId::zlib, 1, 9);
  return rungs;
}

std::vector<Rung> zstd_rungs() {
  constexpr std::array kFast{-50, -20, -10, -7, -5, -4, -3, -2, -1};
  std::vector<Rung> rungs{{}};
  add(rungs, CodecId::zstd, kFast);
  add_range(rungs, CodecId::zstd, 1, 19);
  return rungs;
}

std::vector<Rung> lz4_rungs() {
  // 2 is left out: to the library it is the same as 1.
  constexpr std::array kFast{-63, -31, -15, -7, -3, 1};
  std::vector<Rung> rungs{{}};
  add(rungs, CodecId::lz4, kFast);
  add_range(rungs, CodecId::lz4, 3, 12);
  return rungs;
}

std::vector<Rung> auto_rungs() {
  // Those of the two ladders that a choice among them needs, on some data and some link: README.md.
  constexpr std::array kLz4{-63, -31, -15, -7};
  constexpr std::array kZstd{-5, -1, 1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 16, 17, 18, 19};
  std::vector<Rung> rungs{{}};
  add(rungs, CodecId::lz4, kLz4);
  add(rungs, CodecId::zstd, kZstd);
  return rungs;
}

/// The settings of bzip3: MiB of a block.
constexpr std::array kBzip3{1, 2, 4};
static_assert(std::size_t{kBzip3.back()} << 20 == kMaxDenseBlockBytes);

constexpr std::size_t kKiB = 1'024;
constexpr std::size_t kMiB = 1'024 * kKiB;

/// Measured (README.md): what a level gains from larger blocks, until its speed suffers. Only the
/// densest has a prefix, without which it would not be as dense as for a whole file: to index one
/// costs nearly as much time as to compress it.
BlockShape zstd_shape(int setting) noexcept {
  if (setting < 2) return {.block_bytes = 512 * kKiB, .prefix_bytes = 0};
  if (setting < 3) return {.block_bytes = 1 * kMiB, .prefix_bytes = 0};
  if (setting < 5) return {.block_bytes = 2 * kMiB, .prefix_bytes = 0, .matches = true};
  if (setting < 13) return {.block_bytes = 4 * kMiB, .prefix_bytes = 0, .matches = true};
  if (setting < 19) return {.block_bytes = 8 * kMiB, .prefix_bytes = 0, .matches = true};
  return {.block_bytes = 8 * kMiB, .prefix_bytes = 4 * kMiB};
}

/// What ZSTD_sizeof_CCtx says of zstd 1.5.4 in the middle of a block of the level's own shape,
/// rounded up: tables, and a copy of the window.
std::size_t zstd_bytes(int setting) noexcept {
  constexpr std::array<std::size_t, 20> kMiBOfLevel{2,  2,  2,  4,  5,  6,  6,  9,  9,  17,
                                                    29, 29, 53, 37, 53, 69, 41, 57, 58, 98};
  const auto level = static_cast<std::size_t>(std::clamp(setting, 0, 19));
  return kMiBOfLevel[level] * kMiB;
}

/// What ZSTD_sizeof_CCtx says of zstd 1.5.4 after a block of 512 KiB, without its buffers of which
/// only a little is used.
std::size_t zstd_table_bytes(int setting) noexcept {
  constexpr std::array<std::size_t, 20> kKiBOfLevel{120,   150,   340,   850,   2'130, 3'160, 3'160,
                                                    6'230, 6'230, 6'230, 6'230, 6'230, 6'230, 8'280,
                                                    8'280, 8'280, 8'420, 8'420, 9'050, 9'050};
  const auto level = static_cast<std::size_t>(std::clamp(setting, 0, 19));
  return kKiBOfLevel[level] * kKiB;
}

}  // namespace

BlockShape block_shape(const Rung& rung) noexcept {
  switch (rung.codec) {
    case CodecId::zstd:
      return zstd_shape(rung.setting);
    case CodecId::bzip3:
      return {.block_bytes = static_cast<std::size_t>(rung.setting) * kMiB,
              .prefix_bytes = 0,
              .matches = true};
    case CodecId::zlib:
      return {.block_bytes = 200 * kKiB, .prefix_bytes = 0};  // Jeannot 2002, section 3.5.1
    case CodecId::lz4:
    case CodecId::raw:
      break;
  }
  return {.block_bytes = 512 * kKiB, .prefix_bytes = 0};
}

std::size_t compressor_bytes(const Rung& rung, std::size_t block_bytes) noexcept {
  switch (rung.codec) {
    case CodecId::bzip3:
      return bzip3_bytes(
          std::clamp(block_bytes, block_shape(rung).block_bytes, kMaxDenseBlockBytes));
    case CodecId::zstd:
      return zstd_bytes(rung.setting);
    case CodecId::zlib:
      return 268 * kKiB;  // zconf.h, for its default window and tables
    case CodecId::lz4:
      return 512 * kKiB;
    case CodecId::raw:
      break;
  }
  return 0;
}

std::size_t table_bytes(const Rung& rung) noexcept {
  switch (rung.codec) {
    case CodecId::zstd:
      return zstd_table_bytes(rung.setting);
    case CodecId::bzip3:
      return bzip3_bytes(0);
    case CodecId::lz4:
      if (rung.setting < 3) return 16 * kKiB;
      break;
    case CodecId::zlib:
    case CodecId::raw:
      break;
  }
  return compressor_bytes(rung);
}

std::string to_string(const Rung& rung) {
  std::string text(codec_name(rung.codec));
  if (rung.codec != CodecId::raw) text.append(" ").append(std::to_string(rung.setting));
  return text;
}

Ladder Ladder::of(LadderKind kind) {
  switch (kind) {
    case LadderKind::zlib:
      return {"zlib", zlib_rungs()};
    case LadderKind::zstd:
      return {"zstd", zstd_rungs()};
    case LadderKind::lz4:
      return {"lz4", lz4_rungs()};
    case LadderKind::automatic:
      break;
  }
  Ladder ladder("auto", auto_rungs());
  if (has_bzip3()) add(ladder.rungs_, CodecId::bzip3, kBzip3);
  return ladder;
}

Ladder Ladder::named(std::string_view name) {
  if (name == "auto") return of(LadderKind::automatic);
  if (name == "zlib") return of(LadderKind::zlib);
  if (name == "zstd") return of(LadderKind::zstd);
  if (name == "lz4") return of(LadderKind::lz4);
  throw Error(ErrorKind::usage,
              "there is no ladder '" + std::string(name) + "': use auto, zlib, zstd or lz4");
}

}  // namespace adoc
