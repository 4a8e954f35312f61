#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "support/sim.hpp"

namespace adoc::sim {

/// Measured kinds of data that are alike: a generator draws between them.
struct Family {
  std::string name{};
  std::vector<Kind> members{};
};

/// Those that the measured tables hold, in the order of their names.
[[nodiscard]] std::vector<Family> families_of(const std::map<std::string, Kind>& kinds);

/// A kind of data that nobody has measured, between the members of a family: their speeds and
/// ratios, mixed in the logarithm by random shares, on a machine of a random speed, bent along the
/// ladder by a random walk, and more or less different along a file.
[[nodiscard]] Kind draw_kind(const Family& family, std::uint64_t seed);

/// Two machines, a link and what goes over it: three transfers, one after the other.
struct World {
  std::string family{};        ///< of the data of the first and the second transfer
  double bits_per_second = 0;  ///< of the link alone, most of the time
  Setup first{};               ///< nothing is known
  Setup same{};                ///< the same data, after the first
  Setup other{};               ///< data of another family, after the first
  std::vector<std::shared_ptr<const Kind>> kinds{};  ///< that the setups point to
};

/// The world of this number of this seed: data of a family, each of which is drawn as often as it
/// has members; 1 to 64 processors on each side; 1 Mbit/s to 40 Gbit/s,
/// round trips of 0.1 to 200 ms with slow start, up to a second of buffers on the way, policers
/// with a burst, steps, other flows; 100 kB to 10 GB, but no more than 30 s of the link.
[[nodiscard]] World make_world(const Ladder& ladder, const std::vector<Family>& families,
                               std::uint64_t seed, std::uint64_t number);

/// A link that steps between two rates, and more data than it takes, of one kind that is the same
/// all along.
struct ChangingWorld {
  static constexpr std::size_t kPhases = 4;

  double before = 0;         ///< bytes a second
  double after = 0;          ///< in turns with the other one
  double phase_seconds = 0;  ///< as long each rate lasts
  Setup setup{};             ///< ends with the last phase
  std::shared_ptr<const Kind> kind{};
};

/// 1 Mbit/s to 10 Gbit/s, 2 to 20 times as fast or slow and back, twice; all else as in make_world,
/// without other flows and with at most 0.1 s of buffers on the way.
[[nodiscard]] ChangingWorld make_changing_world(const Ladder& ladder,
                                                const std::vector<Family>& families,
                                                std::uint64_t seed, std::uint64_t number);

}  // namespace adoc::sim
