#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "codec/codec.hpp"
#include "codec/ladder.hpp"

namespace adoc::test {

using Bytes = std::vector<std::byte>;

inline constexpr std::size_t kMiB = std::size_t{1} << 20;
inline constexpr std::size_t kPacketBytes = 8'192;

enum class Kind { zeros, random, text, mixed };

inline constexpr Kind kKinds[] = {Kind::zeros, Kind::random, Kind::text, Kind::mixed};

inline std::string_view name(Kind kind) {
  constexpr std::string_view kNames[] = {"zeros", "random", "text", "mixed"};
  return kNames[static_cast<std::size_t>(kind)];
}

/// The same bytes for the same arguments, whatever the machine.
inline Bytes make_data(Kind kind, std::size_t size, std::uint32_t seed) {
  constexpr std::string_view kWords[] = {"packet ", "block ", "the ",  "queue ", "of ",
                                         "level ",  "is ",    "raw\n", "42 ",    "network "};
  std::mt19937 random(seed);
  Bytes data;
  data.reserve(size + 16);
  while (data.size() < size) {
    // Mixed data change their nature every few thousand bytes.
    Kind now = kind;
    std::size_t end = size;
    if (kind == Kind::mixed) {
      now = kKinds[random() % 3];
      end = std::min(size, data.size() + 1 + random() % 6'000);
    }
    while (data.size() < end) {
      if (now == Kind::text) {
        const auto word = std::as_bytes(std::span(kWords[random() % std::size(kWords)]));
        data.insert(data.end(), word.begin(), word.end());
      } else {
        data.push_back(now == Kind::zeros ? std::byte{0} : static_cast<std::byte>(random() & 0xFF));
      }
    }
  }
  data.resize(size);
  return data;
}

/// Every packet that the compressor hands out for `raw`, checked against its contract.
inline std::vector<Bytes> compress(Compressor& compressor, std::span<const std::byte> raw,
                                   int setting, std::size_t packet_bytes,
                                   std::span<const std::byte> prefix = {}) {
  std::vector<Bytes> packets;
  compressor.begin(raw, setting, prefix);
  std::size_t bytes = packet_bytes;
  while (bytes == packet_bytes) {
    Bytes packet(packet_bytes);
    bytes = compressor.next_packet(packet);
    packet.resize(bytes);
    if (bytes > 0) packets.push_back(std::move(packet));
  }
  return packets;
}

inline Bytes joined(const std::vector<Bytes>& packets) {
  Bytes all;
  for (const auto& packet : packets) all.insert(all.end(), packet.begin(), packet.end());
  return all;
}

/// The whole stream in one piece.
inline Bytes compress_whole(const Rung& rung, std::span<const std::byte> raw,
                            std::span<const std::byte> prefix = {}) {
  const auto compressor = make_compressor(rung.codec);
  return joined(compress(*compressor, raw, rung.setting, 8'192, prefix));
}

/// Every rung of every ladder, each once.
inline std::vector<Rung> every_rung() {
  std::vector<Rung> rungs;
  for (const auto* name : {"zlib", "lz4", "zstd", "auto"}) {
    const auto ladder = Ladder::named(name);
    for (int level = 0; level <= ladder.last(); ++level) {
      if (std::ranges::find(rungs, ladder[level]) == rungs.end()) rungs.push_back(ladder[level]);
    }
  }
  return rungs;
}

/// For the names of parametrised tests, which take letters, digits and underscores.
inline std::string test_name(const Rung& rung) {
  std::string text = to_string(rung);
  std::ranges::replace(text, ' ', '_');
  if (const auto minus = text.find('-'); minus != std::string::npos) text.replace(minus, 1, "fast");
  return text;
}

}  // namespace adoc::test
