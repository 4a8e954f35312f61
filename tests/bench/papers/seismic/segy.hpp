#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace papers {

/// A hexadecimal float of IBM's System/360: sign, 7 bits of exponent to 16, 24 bits of fraction.
/// Exact.
[[nodiscard]] double ibm_to_double(std::uint32_t bits);
/// The nearest one, ties to even, normalised; the largest for what is larger, zero for what is
/// smaller than the smallest. `value` is finite.
[[nodiscard]] std::uint32_t double_to_ibm(double value);

/// What is where in a SEG-Y file, revisions 0 to 2: a textual header, a binary one, further textual
/// ones, then traces, each with a header of its own.
struct Segy {
  /// Values of the binary header's data sample format code.
  enum class Format : std::uint16_t { ibm = 1, int32 = 2, int16 = 3, ieee = 5, int8 = 8 };
  struct Trace {
    std::size_t header_at = 0;  ///< offset in the file
    std::size_t samples = 0;
    std::uint32_t record = 0;  ///< original field record number: traces of a shot share it
  };
  static constexpr std::size_t kFirstHeaders = 3200 + 400;
  static constexpr std::size_t kTraceHeader = 240;

  bool big_endian = true;
  Format format = Format::ibm;
  std::size_t traces_at = kFirstHeaders;
  std::vector<Trace> traces;

  [[nodiscard]] std::size_t sample_bytes() const;
};

/// Reads the headers alone: of a file, or of one from which the samples are left out. Nothing in
/// them is trusted. Throws std::runtime_error, saying what, unless traces fill the rest exactly.
enum class Samples { there, left_out };
[[nodiscard]] Segy read_segy(std::span<const std::byte> file, Samples samples = Samples::there);

/// The samples of a trace as they are in the file; every format is exact in a double.
[[nodiscard]] std::vector<double> samples_of(std::span<const std::byte> file, const Segy& segy,
                                             const Segy::Trace& trace);
/// Puts them there, each as the nearest value of the format.
void put_samples(std::span<std::byte> file, const Segy& segy, const Segy::Trace& trace,
                 std::span<const double> values);

/// All that is not samples, in the order of the file.
[[nodiscard]] std::vector<std::byte> headers_of(std::span<const std::byte> file, const Segy& segy);

/// First and one behind the last trace of each shot: consecutive traces of one field record number.
struct Shot {
  std::size_t first = 0;
  std::size_t end = 0;
};
[[nodiscard]] std::vector<Shot> shots_of(const Segy& segy);

}  // namespace papers
