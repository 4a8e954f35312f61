// What fpzip and ZFP without loss would add to the levels for arrays of floats whose shape is
// known: rows of a Markdown table of the rate, in MB/s of raw bytes, that the best of each gives
// over links, min(compression, link * ratio, decompression), each of one thread and all in memory.
// AdOC's is the best of its filters and of levels of zstd and bzip3, in blocks of 4 MiB.
//
//   g++ -std=c++20 -O2 -I src -I include tests/bench/float_codecs.cpp BUILD/libadoc.a
//     -lfpzip -lzfp -lzstd -llz4 -lz -lbzip3 -lxxhash -lssl -lcrypto -o float_codecs
//   float_codecs FILE float32|float64 NX [NY [NZ [NF]]]...   (the shape, what is next first)
//
// Needs libfpzip-dev and libzfp-dev of Debian.

#include <fpzip.h>
#include <zfp.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "codec/byte_filter.hpp"
#include "codec/codec.hpp"

namespace {

using adoc::ByteFilter;
using adoc::Bytes;
using adoc::ByteSpan;
using adoc::CodecId;
using adoc::FilterKind;

constexpr std::size_t kBlockBytes = 4 << 20;
constexpr std::array kLinks{1.0, 3.0, 10.0, 30.0, 100.0};

double seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

[[noreturn]] void fail(const char* why) {
  std::fprintf(stderr, "float_codecs: %s\n", why);
  std::exit(2);
}

struct Array {
  Bytes bytes;
  bool is_double = false;
  std::array<std::size_t, 4> shape{1, 1, 1, 1};
};

struct Result {
  std::string name;
  double ratio = 1;
  double compress = 1e9;  // bytes a second
  double decompress = 1e9;

  [[nodiscard]] double rate(double mbit) const {
    return std::min({compress, mbit * 1e6 / 8 * ratio, decompress});
  }
};

Result made(std::string name, std::size_t raw, std::size_t stored, double to, double from) {
  const auto bytes = static_cast<double>(raw);
  return {std::move(name), bytes / static_cast<double>(stored), bytes / to, bytes / from};
}

Result by_adoc(const Array& array, CodecId codec, int setting, FilterKind kind) {
  const ByteFilter filter{kind,
                          static_cast<std::uint8_t>(kind == FilterKind::none ? 0
                                                    : array.is_double        ? 8
                                                                             : 4),
                          0};
  const auto compressor = adoc::make_compressor(codec);
  const auto decompressor = adoc::make_decompressor(codec);
  std::size_t stored = 0;
  double to = 0;
  double from = 0;
  for (std::size_t at = 0; at < array.bytes.size(); at += kBlockBytes) {
    const ByteSpan raw =
        ByteSpan(array.bytes).subspan(at, std::min(kBlockBytes, array.bytes.size() - at));
    Bytes filtered(raw.size());
    Bytes scratch(raw.size());
    Bytes packet(2 * raw.size() + 1'000);
    double begin = seconds();
    apply_filter(filter, raw, filtered, scratch);
    compressor->begin(filtered, setting);
    packet.resize(compressor->next_packet(packet));
    to += seconds() - begin;
    stored += packet.size();
    begin = seconds();
    decompressor->decompress(packet, filtered);
    undo_filter(filter, filtered, scratch);
    from += seconds() - begin;
    if (!std::ranges::equal(raw, scratch)) fail("what comes back differs");
  }
  const char* const names[] = {"", "shuffle ", "delta ", "bits "};
  return made(names[static_cast<int>(kind)] + std::string(codec_name(codec)) + " " +
                  std::to_string(setting),
              array.bytes.size(), stored, to, from);
}

Result by_fpzip(const Array& array) {
  std::vector<char> stored(array.bytes.size() * 2 + 4'096);
  Bytes back(array.bytes.size());
  const auto describe = [&](FPZ* stream) {
    stream->type = array.is_double ? FPZIP_TYPE_DOUBLE : FPZIP_TYPE_FLOAT;
    stream->prec = 0;
    stream->nx = static_cast<int>(array.shape[0]);
    stream->ny = static_cast<int>(array.shape[1]);
    stream->nz = static_cast<int>(array.shape[2]);
    stream->nf = static_cast<int>(array.shape[3]);
  };
  double begin = seconds();
  FPZ* stream = fpzip_write_to_buffer(stored.data(), stored.size());
  describe(stream);
  const std::size_t length = fpzip_write(stream, array.bytes.data());
  fpzip_write_close(stream);
  const double to = seconds() - begin;
  if (length == 0) fail("fpzip failed");
  begin = seconds();
  stream = fpzip_read_from_buffer(stored.data());
  describe(stream);
  fpzip_read(stream, back.data());
  fpzip_read_close(stream);
  const double from = seconds() - begin;
  if (back != array.bytes) fail("what fpzip gives back differs");
  return made("fpzip", back.size(), length, to, from);
}

Result by_zfp(const Array& array) {
  Bytes raw = array.bytes;
  Bytes back(raw.size());
  const auto field_of = [&](Bytes& bytes) {
    zfp_field* const field = zfp_field_alloc();
    zfp_field_set_type(field, array.is_double ? zfp_type_double : zfp_type_float);
    zfp_field_set_pointer(field, bytes.data());
    zfp_field_set_size_1d(field, array.shape[0]);
    if (array.shape[1] > 1) zfp_field_set_size_2d(field, array.shape[0], array.shape[1]);
    if (array.shape[2] > 1)
      zfp_field_set_size_3d(field, array.shape[0], array.shape[1], array.shape[2]);
    if (array.shape[3] > 1)
      zfp_field_set_size_4d(field, array.shape[0], array.shape[1], array.shape[2], array.shape[3]);
    return field;
  };
  zfp_stream* const stream = zfp_stream_open(nullptr);
  zfp_stream_set_reversible(stream);
  zfp_field* const from_field = field_of(raw);
  zfp_field* const to_field = field_of(back);
  Bytes stored(zfp_stream_maximum_size(stream, from_field));
  bitstream* const bits = stream_open(stored.data(), stored.size());
  zfp_stream_set_bit_stream(stream, bits);
  double begin = seconds();
  const std::size_t length = zfp_compress(stream, from_field);
  const double to = seconds() - begin;
  zfp_stream_rewind(stream);
  begin = seconds();
  if (length == 0 || zfp_decompress(stream, to_field) == 0) fail("ZFP failed");
  const double from = seconds() - begin;
  zfp_field_free(from_field);
  zfp_field_free(to_field);
  zfp_stream_close(stream);
  stream_close(bits);
  if (back != array.bytes) fail("what ZFP gives back differs");
  return made("ZFP", back.size(), length, to, from);
}

Array read(int argc, char** argv) {
  if (argc < 4 || argc > 7) fail("usage: float_codecs FILE float32|float64 NX [NY [NZ [NF]]]");
  Array array{.is_double = std::string(argv[2]) == "float64"};
  std::size_t bytes = array.is_double ? 8 : 4;
  for (int i = 3; i < argc; ++i)
    bytes *= array.shape[static_cast<std::size_t>(i - 3)] = std::strtoul(argv[i], nullptr, 10);
  std::ifstream file(argv[1], std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (bytes == 0 || text.size() < bytes) fail("the file is shorter than the array");
  const ByteSpan span = std::as_bytes(std::span(text)).first(bytes);
  array.bytes.assign(span.begin(), span.end());
  return array;
}

}  // namespace

int main(int argc, char** argv) {
  const Array array = read(argc, argv);
  std::vector<Result> ours;
  for (int kind = 0; kind < 4; ++kind) {
    for (const int setting : {-5, 1, 3, 5, 7, 9, 13, 19})
      ours.push_back(by_adoc(array, CodecId::zstd, setting, static_cast<FilterKind>(kind)));
    for (const int setting : {1, 4})
      ours.push_back(by_adoc(array, CodecId::bzip3, setting, static_cast<FilterKind>(kind)));
  }
  const std::array others{by_fpzip(array), by_zfp(array)};
  std::printf("| array | by | ratio | compresses MB/s | decompresses MB/s |");
  for (const double mbit : kLinks) std::printf(" %g Mbit/s |", mbit);
  std::printf("\n|---|---|---:|---:|---:|---:|---:|---:|---:|---:|\n");
  const std::string path = argv[1];
  const std::string name = path.substr(path.rfind('/') + 1);
  for (const Result& other : others) {
    std::printf("| %s | %s | %.3f | %.0f | %.0f |", name.c_str(), other.name.c_str(), other.ratio,
                other.compress / 1e6, other.decompress / 1e6);
    for (const double mbit : kLinks) std::printf(" %.3g |", other.rate(mbit) / 1e6);
    std::printf("\n");
  }
  std::printf("| %s | AdOC's best | | | |", name.c_str());
  std::vector<std::string> best;
  for (const double mbit : kLinks) {
    const Result& at = *std::ranges::max_element(
        ours, {}, [&](const Result& result) { return result.rate(mbit); });
    std::printf(" %.3g, %s, %.3f |", at.rate(mbit) / 1e6, at.name.c_str(), at.ratio);
  }
  std::printf("\n");
}
