#include "bench/papers/seismic/segy.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

namespace papers {
namespace {

// Offsets in the file, and in a trace header.
constexpr std::size_t kSamplesAt = 3220;
constexpr std::size_t kFormatAt = 3224;
constexpr std::size_t kOrderAt = 3296;
constexpr std::size_t kRevisionAt = 3500;
constexpr std::size_t kFixedLengthAt = 3502;
constexpr std::size_t kExtendedAt = 3504;
constexpr std::size_t kExtendedHeader = 3200;
constexpr std::size_t kRecordAt = 8;
constexpr std::size_t kTraceSamplesAt = 114;
constexpr std::uint32_t kOrderMark = 0x01020304;  // of revision 2
constexpr std::uint32_t kSwappedMark = 0x04030201;

constexpr int kIbmBias = 64;
constexpr int kIbmFractionBits = 24;

std::uint32_t number_at(std::span<const std::byte> bytes, std::size_t at, std::size_t size,
                        bool big_endian) {
  std::uint32_t value = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto byte = static_cast<std::uint32_t>(bytes[at + (big_endian ? i : size - 1 - i)]);
    value = value << 8 | byte;
  }
  return value;
}

void put_number(std::span<std::byte> bytes, std::size_t at, std::size_t size, bool big_endian,
                std::uint32_t value) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes[at + (big_endian ? size - 1 - i : i)] = static_cast<std::byte>(value >> (8 * i));
  }
}

bool known(std::uint32_t format) {
  return format == 1 || format == 2 || format == 3 || format == 5 || format == 8;
}

// Big-endian is what the first revisions know; a file of the other order shows by the format code,
// or says so by its mark.
bool is_big_endian(std::span<const std::byte> file) {
  const std::uint32_t mark = number_at(file, kOrderAt, 4, true);
  if (mark == kOrderMark) return true;
  if (mark == kSwappedMark) return false;
  if (known(number_at(file, kFormatAt, 2, true))) return true;
  if (known(number_at(file, kFormatAt, 2, false))) return false;
  throw std::runtime_error("SEG-Y: a sample format that is not 1, 2, 3, 5 or 8");
}

double whole(double value, int bits) {
  const double top = std::ldexp(1.0, bits - 1);
  return std::clamp(std::rint(value), -top, top - 1);
}

double sample_from(std::uint32_t bits, Segy::Format format) {
  switch (format) {
    case Segy::Format::ibm:
      return ibm_to_double(bits);
    case Segy::Format::int32:
      return static_cast<std::int32_t>(bits);
    case Segy::Format::int16:
      return static_cast<std::int16_t>(bits);
    case Segy::Format::ieee:
      return static_cast<double>(std::bit_cast<float>(bits));
    case Segy::Format::int8:
      return static_cast<std::int8_t>(bits);
  }
  throw std::logic_error("no such format");
}

std::uint32_t sample_to(double value, Segy::Format format) {
  switch (format) {
    case Segy::Format::ibm:
      return double_to_ibm(value);
    case Segy::Format::ieee: {
      const double most = static_cast<double>(std::numeric_limits<float>::max());
      return std::bit_cast<std::uint32_t>(static_cast<float>(std::clamp(value, -most, most)));
    }
    case Segy::Format::int32:
      return static_cast<std::uint32_t>(static_cast<std::int32_t>(whole(value, 32)));
    case Segy::Format::int16:
      return static_cast<std::uint32_t>(static_cast<std::int16_t>(whole(value, 16)));
    case Segy::Format::int8:
      return static_cast<std::uint32_t>(static_cast<std::int8_t>(whole(value, 8)));
  }
  throw std::logic_error("no such format");
}

}  // namespace

double ibm_to_double(std::uint32_t bits) {
  const int exponent = static_cast<int>(bits >> kIbmFractionBits & 0x7f) - kIbmBias;
  const double fraction = bits & 0xffffff;
  const double size = std::ldexp(fraction, 4 * exponent - kIbmFractionBits);
  return bits >> 31 != 0 ? -size : size;
}

std::uint32_t double_to_ibm(double value) {
  const std::uint32_t sign = std::signbit(value) ? 0x80000000 : 0;
  if (value == 0) return sign;
  int binary = 0;
  (void)std::frexp(value, &binary);  // |value| is in [1/2, 1) times 2 to that
  // The least exponent to 16 that leaves a fraction below 1.
  int exponent = binary > 0 ? (binary + 3) / 4 : -(-binary / 4);
  double fraction = std::nearbyint(std::ldexp(std::abs(value), kIbmFractionBits - 4 * exponent));
  if (fraction >= std::ldexp(1.0, kIbmFractionBits)) {
    fraction /= 16;
    ++exponent;
  }
  if (exponent + kIbmBias > 0x7f) return sign | 0x7fffffff;
  if (exponent + kIbmBias < 0) return sign;
  return sign | static_cast<std::uint32_t>(exponent + kIbmBias) << kIbmFractionBits |
         static_cast<std::uint32_t>(fraction);
}

std::size_t Segy::sample_bytes() const {
  switch (format) {
    case Format::int16:
      return 2;
    case Format::int8:
      return 1;
    default:
      return 4;
  }
}

Segy read_segy(std::span<const std::byte> file, Samples samples) {
  if (file.size() < Segy::kFirstHeaders) throw std::runtime_error("SEG-Y: the headers are cut");
  Segy segy;
  segy.big_endian = is_big_endian(file);
  const std::uint32_t format = number_at(file, kFormatAt, 2, segy.big_endian);
  if (!known(format)) throw std::runtime_error("SEG-Y: a sample format that is not known");
  segy.format = static_cast<Segy::Format>(format);
  // Before revision 1 these fields were nobody's, and may hold anything.
  const bool revised = number_at(file, kRevisionAt, 2, segy.big_endian) >= 0x100;
  const auto number = [&](std::size_t at) { return number_at(file, at, 2, segy.big_endian); };
  const bool fixed = revised && number(kFixedLengthAt) == 1;
  if (revised) {
    const std::uint32_t extended = number(kExtendedAt);
    if (extended > 0x7fff) throw std::runtime_error("SEG-Y: any number of textual headers");
    segy.traces_at += extended * kExtendedHeader;
    if (segy.traces_at > file.size()) throw std::runtime_error("SEG-Y: a textual header is cut");
  }
  const std::size_t usual = number(kSamplesAt);
  for (std::size_t at = segy.traces_at; at < file.size();) {
    if (file.size() - at < Segy::kTraceHeader) {
      throw std::runtime_error("SEG-Y: a trace header is cut");
    }
    const std::uint32_t own = number(at + kTraceSamplesAt);
    const std::size_t count = fixed || own == 0 ? usual : own;
    const std::size_t bytes = samples == Samples::there ? count * segy.sample_bytes() : 0;
    if (bytes > file.size() - at - Segy::kTraceHeader) {
      throw std::runtime_error("SEG-Y: a trace is cut");
    }
    segy.traces.push_back({at, count, number_at(file, at + kRecordAt, 4, segy.big_endian)});
    at += Segy::kTraceHeader + bytes;
  }
  return segy;
}

std::vector<double> samples_of(std::span<const std::byte> file, const Segy& segy,
                               const Segy::Trace& trace) {
  std::vector<double> values;
  values.reserve(trace.samples);
  const std::size_t size = segy.sample_bytes();
  std::size_t at = trace.header_at + Segy::kTraceHeader;
  for (std::size_t i = 0; i < trace.samples; ++i, at += size) {
    values.push_back(sample_from(number_at(file, at, size, segy.big_endian), segy.format));
  }
  return values;
}

void put_samples(std::span<std::byte> file, const Segy& segy, const Segy::Trace& trace,
                 std::span<const double> values) {
  const std::size_t size = segy.sample_bytes();
  std::size_t at = trace.header_at + Segy::kTraceHeader;
  for (const double value : values) {
    put_number(file, at, size, segy.big_endian, sample_to(value, segy.format));
    at += size;
  }
}

std::vector<std::byte> headers_of(std::span<const std::byte> file, const Segy& segy) {
  const auto first = file.first(segy.traces_at);
  std::vector<std::byte> headers(first.begin(), first.end());
  for (const Segy::Trace& trace : segy.traces) {
    const auto header = file.subspan(trace.header_at, Segy::kTraceHeader);
    headers.insert(headers.end(), header.begin(), header.end());
  }
  return headers;
}

std::vector<Shot> shots_of(const Segy& segy) {
  std::vector<Shot> shots;
  for (std::size_t i = 0; i < segy.traces.size(); ++i) {
    if (i == 0 || segy.traces[i].record != segy.traces[i - 1].record) shots.push_back({i, i});
    shots.back().end = i + 1;
  }
  return shots;
}

}  // namespace papers
