#pragma once

#include <cstdint>
#include <limits>

namespace papers {

enum class DataType { integer, floating, other };
enum class Algorithm { none, fpc, lsb_cut };

/// What Algorithm 1 of Niwa 2022 decides upon.
struct Packet {
  DataType type = DataType::other;
  double length = 0;  ///< L, in flits or bytes
};
struct InterfaceState {
  double received = 0;       ///< N, what this node received in the latest period
  std::uint64_t queued = 0;  ///< Q, packets that wait for injection, without the one decided upon
};

/// L_th, from which on compression shortens the way of a lone packet: equation 1 has it gain
/// L - L / C flits of injection for an overhead of D, so L_th = D R C / (C - 1).
/// @param overhead D, of compression and decompression together, in cycles or seconds
/// @param rate     R, what the link takes in one such unit
/// @param ratio    C; one that is not above 1 never pays
[[nodiscard]] constexpr double long_packet(double overhead, double rate, double ratio) {
  if (ratio <= 1) return std::numeric_limits<double>::infinity();
  return overhead * rate * ratio / (ratio - 1);
}

/// Lines 4 to 10, and again 12 to 18.
[[nodiscard]] constexpr Algorithm algorithm_for(DataType type) {
  switch (type) {
    case DataType::integer:
      return Algorithm::fpc;
    case DataType::floating:
      return Algorithm::lsb_cut;
    case DataType::other:
      break;
  }
  return Algorithm::none;
}

/// Algorithm 1.
[[nodiscard]] constexpr Algorithm select_algorithm(const Packet& packet,
                                                   const InterfaceState& state, double long_from) {
  if (packet.length >= long_from) return algorithm_for(packet.type);
  if (state.received > 0 || state.queued > 0) return algorithm_for(packet.type);
  return Algorithm::none;
}

}  // namespace papers
