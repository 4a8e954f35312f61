// Jeannot 2002, sections 3.3 and 3.5.2, as Markdown tables.

#include <zlib.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/papers/files.hpp"
#include "bench/papers/jeannot/packets.hpp"
#include "bench/papers/program.hpp"

namespace papers {
namespace {

constexpr const char* kUsage =
    "usage: paper_jeannot packets           section 3.5.2 with the paper's Table 1\n"
    "       paper_jeannot arrivals FILE...  section 3.3: packets decompressed as they arrive\n";

constexpr double kPaperBytes = 52'633'266;
constexpr double kPaperPacket = 8192;
constexpr std::size_t kBufferBytes = 204'800;
constexpr std::size_t kPacketBytes = 8192;

struct TableRow {
  int level = 0;
  double compress_seconds = 0;
  double ratio = 0;
  double decompress_seconds = 0;
};
// Levels 1, 6 and 9 of Table 1.
constexpr std::array<TableRow, 3> kMatrix = {
    {{1, 10.2, 4.88, 9.6}, {6, 16.7, 6.64, 8.3}, {9, 76, 7.02, 7.8}}};
constexpr std::array<TableRow, 3> kTar = {
    {{1, 16.9, 2.23, 12}, {6, 28.3, 2.44, 13.7}, {9, 65.8, 2.46, 12.3}}};

void packets_of(const char* name, std::span<const TableRow> rows) {
  for (const TableRow& row : rows) {
    PacketModel model{.compress = row.compress_seconds / kPaperBytes,
                      .decompress = row.decompress_seconds / kPaperBytes,
                      .ratio = row.ratio};
    std::printf("| %s | %d | %.2f |", name, row.level, fetch_for(model, kPaperPacket) * 1e3);
    for (const double fetch : {1e-4, 1e-3, 1e-2, 5e-2}) {
      model.fetch = fetch;
      const double best = best_packet(model);
      std::printf(" %.0f (%+.1f %%) |", best,
                  100 * (buffer_seconds(model, kPaperPacket) / buffer_seconds(model, best) - 1));
    }
    std::printf("\n");
  }
}

void packets() {
  std::printf(
      "Calculated, from the paper's own times. In brackets: what packets of 8,192 bytes cost "
      "above the best, without the time on the wire.\n\n"
      "| file | level | 8,192 is the best at gamma_e + beta, ms | best packet at 0.1 ms | "
      "1 ms | 10 ms | 50 ms |\n|---|---:|---:|---:|---:|---:|---:|\n");
  packets_of("oilpann.hb", kMatrix);
  packets_of("bin.tar", kTar);
}

class Deflater {
 public:
  explicit Deflater(int level) {
    if (deflateInit(&stream_, level) != Z_OK) throw std::runtime_error("zlib");
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void begin(std::span<const std::byte> raw) {
    deflateReset(&stream_);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(raw.data()));
    stream_.avail_in = static_cast<uInt>(raw.size());
  }
  // The next packet; less than its room in the last one.
  std::size_t next(std::span<std::byte> packet) {
    stream_.next_out = reinterpret_cast<Bytef*>(packet.data());
    stream_.avail_out = static_cast<uInt>(packet.size());
    if (deflate(&stream_, Z_FINISH) == Z_STREAM_ERROR) throw std::runtime_error("zlib");
    return packet.size() - stream_.avail_out;
  }

 private:
  z_stream stream_{};
};

class Inflater {
 public:
  Inflater() {
    if (inflateInit(&stream_) != Z_OK) throw std::runtime_error("zlib");
  }
  ~Inflater() { inflateEnd(&stream_); }
  Inflater(const Inflater&) = delete;
  Inflater& operator=(const Inflater&) = delete;

  void begin(std::span<std::byte> raw) {
    inflateReset(&stream_);
    stream_.next_out = reinterpret_cast<Bytef*>(raw.data());
    stream_.avail_out = static_cast<uInt>(raw.size());
  }
  void take(std::span<const std::byte> packet) {
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packet.data()));
    stream_.avail_in = static_cast<uInt>(packet.size());
    const int said = inflate(&stream_, Z_NO_FLUSH);
    if ((said != Z_OK && said != Z_STREAM_END) || stream_.avail_in != 0) {
      throw std::runtime_error("zlib");
    }
  }

 private:
  z_stream stream_{};
};

double seconds_of(const auto& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

// Each packet's times, the least of a few passes: what else the machine does is no part of it.
std::vector<PacketTimes> measure(std::span<const std::byte> raw, Deflater& deflater,
                                 Inflater& inflater) {
  std::vector<PacketTimes> best;
  for (int pass = 0; pass < 5; ++pass) {
    std::vector<PacketTimes> times;
    std::vector<std::byte> packet(kPacketBytes);
    std::vector<std::byte> back(raw.size());
    deflater.begin(raw);
    inflater.begin(back);
    for (std::size_t size = packet.size(); size == packet.size();) {
      PacketTimes one;
      one.made = seconds_of([&] { size = deflater.next(packet); });
      one.bytes = static_cast<double>(size);
      one.decompress = seconds_of([&] { inflater.take(std::span(packet).first(size)); });
      times.push_back(one);
    }
    if (!std::ranges::equal(back, raw)) throw std::logic_error("zlib gave back something else");
    if (best.empty()) best = times;
    for (std::size_t i = 0; i < times.size(); ++i) {
      best[i].made = std::min(best[i].made, times[i].made);
      best[i].decompress = std::min(best[i].decompress, times[i].decompress);
    }
  }
  return best;
}

void arrivals(const std::string& path) {
  const auto file = read_file(path);
  for (const int level : {1, 6, 9}) {
    Deflater deflater(level);
    Inflater inflater;
    std::vector<std::vector<PacketTimes>> buffers;
    // 32 buffers, evenly spread.
    const std::size_t count =
        std::max<std::size_t>(1, std::min<std::size_t>(32, file.size() / kBufferBytes));
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = i * (file.size() / count);
      const auto raw = std::span(file).subspan(at, std::min(kBufferBytes, file.size() - at));
      buffers.push_back(measure(raw, deflater, inflater));
    }
    double packets = 0;
    for (const auto& one : buffers) packets += static_cast<double>(one.size());
    std::printf("| %s | %d | %.1f |", path.substr(path.rfind('/') + 1).c_str(), level,
                packets / static_cast<double>(count));
    for (const double rate : {10e6, 100e6, 1e9, 10e9}) {
      double arriving = 0;
      double whole = 0;
      for (const auto& one : buffers) {
        const BufferEnd end = buffer_end(one, 8 / rate);
        arriving += end.as_they_arrive;
        whole += end.once_whole;
      }
      std::printf(" %.2f / %.2f (%.1f %%) |", arriving / static_cast<double>(count) * 1e3,
                  whole / static_cast<double>(count) * 1e3, 100 * (1 - arriving / whole));
    }
    std::printf("\n");
  }
}

int run(const std::vector<std::string>& words) {
  if (words.size() == 1 && words[0] == "packets") {
    packets();
  } else if (words.size() >= 2 && words[0] == "arrivals") {
    std::printf(
        "Milliseconds until a buffer of 204,800 bytes is decompressed, as packets arrive / "
        "once it is whole: calculated from measured times of each packet; a mean.\n\n"
        "| file | level | packets a buffer | 10 Mbit/s | 100 Mbit/s | 1 Gbit/s | 10 Gbit/s "
        "|\n|---|---:|---:|---:|---:|---:|---:|\n");
    for (std::size_t i = 1; i < words.size(); ++i) arrivals(words[i]);
  } else {
    throw std::invalid_argument(kUsage);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  return papers::main_of("paper_jeannot", argc, argv, papers::run);
}
