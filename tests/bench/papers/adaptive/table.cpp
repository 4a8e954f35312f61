#include "bench/papers/adaptive/table.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <stdexcept>

namespace papers {
namespace {

// 1 byte is class 0, 2 are 1, 3 and 4 are 2: up to a power of two.
int class_of(const TracedMessage& message) {
  const auto bytes = static_cast<std::size_t>(message.by_codec.front().raw_bytes);
  return bytes <= 1 ? 0 : static_cast<int>(std::bit_width(bytes - 1));
}

}  // namespace

ChunkTimes times_in(const ReplayWorld& world, const TracedMessage& message, std::size_t codec) {
  ChunkTimes times = message.by_codec.at(codec);
  (message.to_device ? times.compress : times.decompress) *= world.edge_slowdown;
  return times;
}

double serial_seconds(const ReplayWorld& world, const TracedMessage& message, std::size_t codec) {
  return naive_seconds(times_in(world, message, codec), world.link);
}

SizeTable::SizeTable(const ReplayWorld& world, std::span<const TracedMessage> messages) {
  std::map<std::pair<bool, int>, std::vector<double>> sums;
  for (const TracedMessage& message : messages) {
    auto& sum = sums[{message.to_device, class_of(message)}];
    sum.resize(message.by_codec.size());
    for (std::size_t codec = 0; codec < sum.size(); ++codec) {
      sum[codec] += serial_seconds(world, message, codec);
    }
  }
  for (const auto& [key, sum] : sums) {
    codec_[key] = static_cast<std::size_t>(std::ranges::min_element(sum) - sum.begin());
  }
}

std::size_t SizeTable::codec_for(const TracedMessage& message) const {
  const int wanted = class_of(message);
  std::size_t best = 0;
  int distance = -1;
  for (const auto& [key, codec] : codec_) {
    if (key.first != message.to_device) continue;
    const int away = std::abs(key.second - wanted);
    if (distance >= 0 && away >= distance) continue;
    distance = away;
    best = codec;
  }
  return best;
}

ReplayTime replay(const ReplayWorld& world, std::span<const TracedMessage> messages,
                  std::span<const std::size_t> codecs) {
  if (messages.size() != codecs.size()) throw std::invalid_argument("a codec for each message");
  ReplayTime time;
  std::vector<ChunkTimes> all;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    all.push_back(times_in(world, messages[i], codecs[i]));
    time.serial += naive_seconds(all.back(), world.link);
  }
  time.pipelined = pipelined_seconds(all, {.threads = 1, .slots = 2, .link = world.link});
  return time;
}

}  // namespace papers
