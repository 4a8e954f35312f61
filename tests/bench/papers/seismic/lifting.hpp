#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace papers {

/// The CDF 2.2 wavelet by lifting, of Fajardo 2017 (and its [19]), with mirrored ends:
///   d[n] = x[2n+1] - (x[2n] + x[2n+2]) / 2      s[n] = x[2n] + (d[n-1] + d[n]) / 4
/// In place: the smooth half s first, then the details d; each further level transforms the smooth
/// part of the one before. What has one value only is left as it is. The inverse gives back every
/// bit as long as no sum is rounded, so for integers of up to 53 - 3 * levels - 1 bits; else it is
/// off by rounding alone.
void lift_forward(std::span<double> values, int levels);
void lift_inverse(std::span<double> values, int levels);

/// The uniform quantiser: index = rint(c / step) with step = max|c| / (2^(bits-1) - 1), so that
/// indices fit `bits` bits, sign included.
struct Quantised {
  double step = 0;  ///< 0 if all values are zeros
  std::vector<std::int16_t> indices;
};
/// Throws std::invalid_argument unless 2 <= bits <= 12, and for values that are not finite.
[[nodiscard]] Quantised quantise(std::span<const double> values, int bits);
[[nodiscard]] std::vector<double> dequantise(std::span<const std::int16_t> indices, double step);

/// 10 log10(sum x^2 / sum (x - y)^2) in dB; infinite if they are equal.
[[nodiscard]] double signal_to_noise(std::span<const double> original,
                                     std::span<const double> reconstructed);

}  // namespace papers
