#include "bench/papers/seismic/archive.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "bench/papers/seismic/segy.hpp"
#include "codec/codec.hpp"

namespace papers {
namespace {

// archive: magic, levels (1 byte), headers (length when unpacked, then bytes), number of shots,
// shots. shot: step, dictionary (bytes), number of sections, for each its traces and bytes.
// Numbers are 8 bytes, least significant first; bytes stand behind their length.
constexpr std::uint64_t kMagic = 0x31534d5349454573;  // sEEISMS1
constexpr std::uint64_t kMostHeaderBytes = std::uint64_t{1} << 30;
constexpr int kHeaderLevel = 9;
constexpr std::size_t kPacketBytes = 65'536;

class Writer {
 public:
  void number(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) bytes_.push_back(static_cast<std::byte>(value >> (8 * i)));
  }
  void bytes(std::span<const std::byte> data) {
    number(data.size());
    bytes_.insert(bytes_.end(), data.begin(), data.end());
  }
  [[nodiscard]] std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : left_(bytes) {}
  [[nodiscard]] std::uint64_t number() {
    const auto eight = next(8);
    std::uint64_t value = 0;
    for (std::size_t i = 8; i-- > 0;) value = value << 8 | static_cast<std::uint64_t>(eight[i]);
    return value;
  }
  [[nodiscard]] std::span<const std::byte> bytes() { return next(number()); }
  [[nodiscard]] bool at_end() const { return left_.empty(); }

 private:
  [[nodiscard]] std::span<const std::byte> next(std::uint64_t size) {
    if (size > left_.size()) throw std::runtime_error("the archive is cut");
    const auto piece = left_.first(static_cast<std::size_t>(size));
    left_ = left_.subspan(piece.size());
    return piece;
  }
  std::span<const std::byte> left_;
};

std::vector<std::byte> squeezed(std::span<const std::byte> headers) {
  const auto compressor = adoc::make_compressor(adoc::CodecId::zstd);
  compressor->begin(headers, kHeaderLevel);
  std::vector<std::byte> all;
  std::vector<std::byte> packet(kPacketBytes);
  while (const std::size_t size = compressor->next_packet(packet)) {
    all.insert(all.end(), packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(size));
  }
  return all;
}

std::vector<std::size_t> lengths_of(const Segy& segy, const Shot& shot) {
  std::vector<std::size_t> lengths;
  for (std::size_t i = shot.first; i < shot.end; ++i) lengths.push_back(segy.traces[i].samples);
  return lengths;
}

CodedShot read_shot(Reader& in, int levels) {
  CodedShot coded;
  coded.setup.levels = levels;
  coded.step = std::bit_cast<double>(in.number());
  if (!std::isfinite(coded.step)) throw std::runtime_error("a step that is not finite");
  const auto dictionary = in.bytes();
  coded.dictionary.assign(dictionary.begin(), dictionary.end());
  for (std::uint64_t count = in.number(); count > 0; --count) {
    const std::uint64_t traces = in.number();
    const auto bytes = in.bytes();
    coded.sections.push_back({static_cast<std::size_t>(traces), {bytes.begin(), bytes.end()}});
  }
  return coded;
}

// The file that the headers belong to, with zeros for samples.
std::vector<std::byte> with_room(std::span<const std::byte> headers, Segy& segy) {
  std::vector<std::byte> file(headers.begin(),
                              headers.begin() + static_cast<std::ptrdiff_t>(segy.traces_at));
  for (Segy::Trace& trace : segy.traces) {
    const auto header = headers.subspan(trace.header_at, Segy::kTraceHeader);
    trace.header_at = file.size();
    file.insert(file.end(), header.begin(), header.end());
    file.resize(file.size() + trace.samples * segy.sample_bytes());
  }
  return file;
}

}  // namespace

std::vector<std::byte> pack_segy(std::span<const std::byte> file, const ShotSetup& setup) {
  const Segy segy = read_segy(file);
  const auto headers = headers_of(file, segy);
  if (headers.size() > kMostHeaderBytes) throw std::runtime_error("more headers than 1 GiB");
  Writer out;
  out.number(kMagic);
  out.number(static_cast<std::uint64_t>(setup.levels));
  out.number(headers.size());
  out.bytes(squeezed(headers));
  const auto shots = shots_of(segy);
  out.number(shots.size());
  for (const Shot& shot : shots) {
    Traces traces;
    for (std::size_t i = shot.first; i < shot.end; ++i) {
      traces.push_back(samples_of(file, segy, segy.traces[i]));
    }
    const CodedShot coded = encode_shot(traces, setup);
    out.number(std::bit_cast<std::uint64_t>(coded.step));
    out.bytes(coded.dictionary);
    out.number(coded.sections.size());
    for (const auto& section : coded.sections) {
      out.number(section.traces);
      out.bytes(section.bytes);
    }
  }
  return out.take();
}

std::vector<std::byte> unpack_segy(std::span<const std::byte> archive) {
  Reader in(archive);
  if (in.number() != kMagic) throw std::runtime_error("no archive of seismic data");
  const std::uint64_t levels = in.number();
  if (levels > 16) throw std::runtime_error("more than 16 levels");
  const std::uint64_t header_bytes = in.number();
  if (header_bytes > kMostHeaderBytes) throw std::runtime_error("more headers than 1 GiB");
  std::vector<std::byte> headers(static_cast<std::size_t>(header_bytes));
  adoc::make_decompressor(adoc::CodecId::zstd)->decompress(in.bytes(), headers);
  Segy segy = read_segy(headers, Samples::left_out);
  const auto shots = shots_of(segy);
  if (in.number() != shots.size()) throw std::runtime_error("an archive of other shots");
  std::vector<CodedShot> coded;
  for (const Shot& shot : shots) {
    coded.push_back(read_shot(in, static_cast<int>(levels)));
    std::size_t stored = 0;
    for (const auto& section : coded.back().sections) stored += section.bytes.size();
    std::size_t samples = 0;
    for (const std::size_t length : lengths_of(segy, shot)) samples += length;
    // Before there is room for samples: each has at least one bit.
    if (samples > stored * 8) throw std::runtime_error("a shot ends too early");
  }
  if (!in.at_end()) throw std::runtime_error("an archive goes on behind its end");
  std::vector<std::byte> file = with_room(headers, segy);
  for (std::size_t i = 0; i < shots.size(); ++i) {
    const Traces traces = decode_shot(coded[i], lengths_of(segy, shots[i]));
    for (std::size_t k = 0; k < traces.size(); ++k) {
      put_samples(file, segy, segy.traces[shots[i].first + k], traces[k]);
    }
  }
  return file;
}

}  // namespace papers
