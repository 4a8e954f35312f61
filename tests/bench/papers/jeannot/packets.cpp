#include "bench/papers/jeannot/packets.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace papers {

double buffer_seconds(const PacketModel& model, double packet) {
  if (!(packet > 0)) throw std::invalid_argument("a packet has bytes");
  const double held = model.ratio * packet;
  return (model.compress + model.decompress) * held + model.buffer / held * model.fetch +
         model.store + model.transmit * model.buffer / model.ratio;
}

double best_packet(const PacketModel& model) {
  return std::sqrt(model.buffer * model.fetch / (model.compress + model.decompress)) / model.ratio;
}

double fetch_for(const PacketModel& model, double packet) {
  const double held = model.ratio * packet;
  return held * held * (model.compress + model.decompress) / model.buffer;
}

BufferEnd buffer_end(std::span<const PacketTimes> packets, double transmit) {
  double made = 0;
  double arrived = 0;
  double through = 0;
  double work = 0;
  for (const PacketTimes& packet : packets) {
    made += packet.made;
    arrived = std::max(arrived, made) + packet.bytes * transmit;
    through = std::max(through, arrived) + packet.decompress;
    work += packet.decompress;
  }
  return {through, arrived + work};
}

}  // namespace papers
