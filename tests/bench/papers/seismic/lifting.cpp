#include "bench/papers/seismic/lifting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace papers {
namespace {

constexpr int kLeastBits = 2;
constexpr int kMostBits = 12;

// Lengths of the parts that each level transforms.
std::vector<std::size_t> parts(std::size_t size, int levels) {
  std::vector<std::size_t> lengths;
  for (int level = 0; level < levels && size > 1; ++level) {
    lengths.push_back(size);
    size = (size + 1) / 2;
  }
  return lengths;
}

void forward_once(std::span<double> x, std::vector<double>& work) {
  const std::size_t smooth = (x.size() + 1) / 2;
  const std::size_t details = x.size() / 2;
  work.resize(x.size());
  double* const s = work.data();
  double* const d = work.data() + smooth;
  for (std::size_t n = 0; n < details; ++n) {
    // x[2n+2] past the end is mirrored to x[2n].
    const double right = 2 * n + 2 < x.size() ? x[2 * n + 2] : x[2 * n];
    d[n] = x[2 * n + 1] - (x[2 * n] + right) / 2;
  }
  for (std::size_t n = 0; n < smooth; ++n) {
    // d[-1] is mirrored to d[0], and d past the end to the last one.
    const double left = d[n > 0 ? n - 1 : 0];
    const double right = d[n < details ? n : details - 1];
    s[n] = x[2 * n] + (left + right) / 4;
  }
  std::ranges::copy(work, x.begin());
}

void inverse_once(std::span<double> x, std::vector<double>& work) {
  const std::size_t smooth = (x.size() + 1) / 2;
  const std::size_t details = x.size() / 2;
  const double* const s = x.data();
  const double* const d = x.data() + smooth;
  work.resize(x.size());
  for (std::size_t n = 0; n < smooth; ++n) {
    const double left = d[n > 0 ? n - 1 : 0];
    const double right = d[n < details ? n : details - 1];
    work[2 * n] = s[n] - (left + right) / 4;
  }
  for (std::size_t n = 0; n < details; ++n) {
    const double right = 2 * n + 2 < x.size() ? work[2 * n + 2] : work[2 * n];
    work[2 * n + 1] = d[n] + (work[2 * n] + right) / 2;
  }
  std::ranges::copy(work, x.begin());
}

}  // namespace

void lift_forward(std::span<double> values, int levels) {
  std::vector<double> work;
  for (const std::size_t length : parts(values.size(), levels)) {
    forward_once(values.first(length), work);
  }
}

void lift_inverse(std::span<double> values, int levels) {
  std::vector<double> work;
  auto lengths = parts(values.size(), levels);
  std::ranges::reverse(lengths);
  for (const std::size_t length : lengths) inverse_once(values.first(length), work);
}

Quantised quantise(std::span<const double> values, int bits) {
  if (bits < kLeastBits || bits > kMostBits) {
    throw std::invalid_argument("quantise to 2 to 12 bits");
  }
  double most = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) throw std::invalid_argument("a value is not finite");
    most = std::max(most, std::abs(value));
  }
  const double top = std::ldexp(1.0, bits - 1) - 1;
  Quantised made{most / top, {}};
  made.indices.reserve(values.size());
  for (const double value : values) {
    // A step that underflowed to 0 stands for zeros.
    const double index = made.step > 0 ? std::rint(value / made.step) : 0;
    made.indices.push_back(static_cast<std::int16_t>(std::clamp(index, -top, top)));
  }
  return made;
}

std::vector<double> dequantise(std::span<const std::int16_t> indices, double step) {
  std::vector<double> values;
  values.reserve(indices.size());
  for (const std::int16_t index : indices) values.push_back(index * step);
  return values;
}

double signal_to_noise(std::span<const double> original, std::span<const double> reconstructed) {
  if (original.size() != reconstructed.size()) throw std::invalid_argument("of different lengths");
  double signal = 0;
  double noise = 0;
  for (std::size_t i = 0; i < original.size(); ++i) {
    const double error = original[i] - reconstructed[i];
    signal += original[i] * original[i];
    noise += error * error;
  }
  if (noise == 0) return std::numeric_limits<double>::infinity();
  return 10 * std::log10(signal / noise);
}

}  // namespace papers
