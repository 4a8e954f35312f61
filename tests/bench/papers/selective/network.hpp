#pragma once

#include <cstdint>

#include "bench/papers/selective/topology.hpp"

namespace papers {

enum class Method { never, always, selective };

/// A network of wormhole switches, simulated flit by flit and cycle by cycle, as in section IV.B of
/// Niwa 2022. What the paper says: switch cycles, D, C, L_th, the interval of N, packet lengths.
/// What it leaves open and is assumed here: all else, each at its field.
struct Scenario {
  Pattern pattern = Pattern::uniform;
  Method method = Method::never;
  double offered = 0.1;       ///< flits a cycle and node, before compression
  int switch_cycles = 4;      ///< of a header flit; flits behind it follow one a cycle
  int link_cycles = 1;        ///< assumed
  int channels = 2;           ///< virtual channels a link; assumed, a torus needs 2
  int buffer_flits = 8;       ///< of each virtual channel of an input; assumed
  int overhead_cycles = 100;  ///< D; assumed: half of it before injection, half after the last flit
  double ratio = 2;           ///< C; a packet of L flits has L / C on the way, rounded up
  double long_from = 200;     ///< L_th
  int window_cycles = 1000;   ///< of N, the flits received in the last so many cycles
  int least_flits = 10;
  int most_flits = 200;  ///< lengths are uniform between the two
  /// Assumed true: a compressor takes the next packet while it works at earlier ones, as far as
  /// they fit its stages. False: not before the last flit of the earlier packet is injected.
  bool pipelined = true;
  int warm_up_cycles = 5'000;
  int measured_cycles = 10'000;
  int drain_cycles = 10'000;  ///< at most, for the packets of the measured cycles to arrive
  std::uint64_t seed = 1;     ///< of the packets: the same ones for each method
};

struct Outcome {
  double accepted = 0;  ///< flits a cycle and node before compression, delivered while measured
  double latency = 0;   ///< cycles from generation to the last flit, mean of the packets delivered
  double compressed = 0;      ///< share of the packets picked up while measured
  std::uint64_t packets = 0;  ///< generated while measured
  bool all_arrived = false;   ///< false: the latency is a lower bound, the network is saturated
};

/// Deterministic. Throws std::logic_error if the network stands still with flits in it.
[[nodiscard]] Outcome simulate(const Topology& topology, const Scenario& scenario);

/// Cycles that one packet takes in an empty network: simulated, not calculated.
[[nodiscard]] int lone_packet_cycles(const Topology& topology, const Scenario& scenario, int from,
                                     int to, int flits);

}  // namespace papers
