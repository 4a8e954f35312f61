#pragma once

#include <cstddef>
#include <span>

namespace papers {

/// Jeannot 2002, section 3.5.2: what a buffer of B bytes costs, of which each packet of v bytes
/// holds v times the ratio. Seconds and bytes.
struct PacketModel {
  double compress = 0;      ///< C, seconds a byte of the buffer
  double decompress = 0;    ///< C'
  double ratio = 1;         ///< rho
  double store = 0;         ///< gamma_c, to put a packet into the FIFO
  double fetch = 0;         ///< gamma_e + beta, to take one out and the latency of the network
  double transmit = 0;      ///< tau, seconds a byte on the wire
  double buffer = 204'800;  ///< B
};

/// T_t = (C + C') rho v + B / (rho v) (gamma_e + beta) + gamma_c + tau B / rho.
[[nodiscard]] double buffer_seconds(const PacketModel& model, double packet);

/// The packet with which that is least: sqrt(B (gamma_e + beta) / (C + C')) / rho.
[[nodiscard]] double best_packet(const PacketModel& model);

/// gamma_e + beta with which `packet` is the best one: the inverse of best_packet().
[[nodiscard]] double fetch_for(const PacketModel& model, double packet);

/// Section 3.3: one packet of a buffer, as measured.
struct PacketTimes {
  double made = 0;        ///< seconds that the compressor took for it
  double bytes = 0;       ///< on the wire
  double decompress = 0;  ///< seconds that the receiver took for it
};

/// When a buffer is decompressed, counted from the start of its compression, over a link that takes
/// a byte in `transmit` seconds: packets leave in order, as soon as they are made.
struct BufferEnd {
  double as_they_arrive = 0;  ///< each packet decompressed once it is there, as in the paper
  double once_whole = 0;      ///< all of them once the last is there
};
[[nodiscard]] BufferEnd buffer_end(std::span<const PacketTimes> packets, double transmit);

}  // namespace papers
