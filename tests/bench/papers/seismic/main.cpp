// Fajardo 2017: Tables I and II and Figure 5 on a SEG-Y file, as Markdown tables.

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
#include "bench/papers/program.hpp"
#include "bench/papers/seismic/archive.hpp"
#include "bench/papers/seismic/lifting.hpp"
#include "bench/papers/seismic/segy.hpp"
#include "bench/papers/seismic/shot.hpp"
#include "codec/measure.hpp"

namespace papers {
namespace {

constexpr const char* kUsage =
    "usage: paper_seismic tables FILE                 Tables I and II on 12 of its shots\n"
    "       paper_seismic figure5 FILE SHOT           speed-up by bits, transform and cores\n"
    "       paper_seismic levels FILE SHOT            ratio by the number of levels\n"
    "       paper_seismic points FILE SHOT...         CSV: ratios and SNR, for beside.py\n"
    "       paper_seismic samples FILE SHOT OUT       doubles of this machine, trace after trace\n"
    "       paper_seismic pack BITS LEVELS IN OUT     with all headers\n"
    "       paper_seismic unpack IN OUT\n"
    "       paper_seismic compare A B                 headers and SNR of two SEG-Y files\n"
    "SHOT counts from 1.\n";

constexpr int kLevels = 4;
constexpr double kSampleBytes = 4;  // in the ratio, as in the paper
constexpr double kWantedNoise = 40;
constexpr std::array<int, 6> kCores = {1, 2, 4, 8, 11, 24};
constexpr std::array<double, 3> kLinks = {100e6, 1e9, 10e9};  // bit/s
constexpr int kPasses = 7;

struct File {
  explicit File(const std::string& path)
      : bytes(read_file(path)), segy(read_segy(bytes)), shots(shots_of(segy)) {}

  [[nodiscard]] Traces traces_of(std::size_t shot) const {
    if (shot < 1 || shot > shots.size()) throw std::invalid_argument("there is no such shot");
    Traces traces;
    for (std::size_t i = shots[shot - 1].first; i < shots[shot - 1].end; ++i) {
      traces.push_back(samples_of(bytes, segy, segy.traces[i]));
    }
    return traces;
  }

  std::vector<std::byte> bytes;
  Segy segy;
  std::vector<Shot> shots;
};

std::vector<std::size_t> lengths_of(const Traces& traces) {
  std::vector<std::size_t> lengths;
  for (const auto& trace : traces) lengths.push_back(trace.size());
  return lengths;
}

std::vector<double> joined(const Traces& traces) {
  std::vector<double> all;
  for (const auto& trace : traces) all.insert(all.end(), trace.begin(), trace.end());
  return all;
}

double raw_bytes(const Traces& traces) {
  double samples = 0;
  for (const auto& trace : traces) samples += static_cast<double>(trace.size());
  return samples * kSampleBytes;
}

struct Point {
  CodedShot coded;
  double ratio = 0;
  double snr = 0;
};

Point point_of(const Traces& traces, const ShotSetup& setup) {
  Point point{encode_shot(traces, setup), 0, 0};
  point.ratio = raw_bytes(traces) / static_cast<double>(point.coded.bytes());
  point.snr = signal_to_noise(joined(traces), joined(decode_shot(point.coded, lengths_of(traces))));
  return point;
}

// The fewest bits that reach the paper's 40 dB, or the most there are.
Point quiet_enough(const Traces& traces) {
  for (int bits = 6;; ++bits) {
    Point point = point_of(traces, {.bits = bits, .levels = 0, .sections = 1});
    if (point.snr >= kWantedNoise || bits == 12) return point;
  }
}

// Twelve shots, evenly spread.
std::vector<std::size_t> twelve(const File& file) {
  const std::size_t count = std::min<std::size_t>(12, file.shots.size());
  std::vector<std::size_t> shots;
  for (std::size_t i = 0; i < count; ++i) shots.push_back(i * file.shots.size() / count + 1);
  return shots;
}

void tables(const File& file) {
  std::printf(
      "| shot | bits | dictionary | ratio | SNR dB | code-words of 1, 2, 3, 4, 5 bits | "
      "share of the samples |\n|---:|---:|---:|---:|---:|---|---:|\n");
  for (const std::size_t shot : twelve(file)) {
    const Traces traces = file.traces_of(shot);
    const Point point = quiet_enough(traces);
    const auto indices = indices_of(traces, point.coded.setup);
    const HuffmanCode code = HuffmanCode::of(indices);
    std::array<int, 6> words{};
    std::vector<bool> is_short(65'536);
    for (const auto& entry : code.entries()) {
      if (entry.bits > 5) break;
      ++words[entry.bits];
      is_short[static_cast<std::uint16_t>(entry.symbol)] = true;
    }
    const auto covered = std::ranges::count_if(
        indices, [&](std::int16_t one) { return is_short[static_cast<std::uint16_t>(one)]; });
    std::printf("| %zu | %d | %zu | %.2f | %.2f | %d, %d, %d, %d, %d | %.2f %% |\n", shot,
                point.coded.setup.bits, code.symbols(), point.ratio, point.snr, words[1], words[2],
                words[3], words[4], words[5],
                100 * static_cast<double>(covered) / static_cast<double>(indices.size()));
  }
}

// The fastest of some passes, each a section alone on one thread.
std::vector<double> section_seconds(const CodedShot& coded, const Traces& traces) {
  using Clock = std::chrono::steady_clock;
  const HuffmanCode code = HuffmanCode::from_dictionary(coded.dictionary);
  const auto lengths = lengths_of(traces);
  std::vector<double> seconds;
  std::size_t first = 0;
  for (std::size_t section = 0; section < coded.sections.size(); ++section) {
    const auto own = std::span(lengths).subspan(first, coded.sections[section].traces);
    first += own.size();
    double best = 1e9;
    for (int pass = 0; pass < kPasses; ++pass) {
      const auto start = Clock::now();
      const Traces decoded = decode_section(coded, code, section, own);
      best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
      if (decoded.size() != own.size()) throw std::logic_error("traces are missing");
    }
    seconds.push_back(best);
  }
  return seconds;
}

// All sections at once, a thread each.
double decode_seconds(const CodedShot& coded, const Traces& traces) {
  using Clock = std::chrono::steady_clock;
  const auto lengths = lengths_of(traces);
  double best = 1e9;
  for (int pass = 0; pass < kPasses; ++pass) {
    const auto start = Clock::now();
    const Traces decoded = decode_shot(coded, lengths);
    best = std::min(best, std::chrono::duration<double>(Clock::now() - start).count());
    if (decoded.size() != traces.size()) throw std::logic_error("traces are missing");
  }
  return best;
}

// The indices as two planes of bytes, each by itself, as filters of typed data have them.
double planes_ratio(const Traces& traces, const ShotSetup& setup) {
  const auto indices = indices_of(traces, setup);
  std::vector<std::byte> planes;
  for (const int shift : {8, 0}) {
    for (const std::int16_t index : indices) {
      planes.push_back(static_cast<std::byte>(static_cast<std::uint16_t>(index) >> shift));
    }
  }
  const auto measured = adoc::measure_rung({adoc::CodecId::zstd, 19}, planes, {planes.size(), 0});
  return raw_bytes(traces) * measured.ratio / static_cast<double>(planes.size());
}

double speed_up(const CodedShot& coded, const Traces& traces, const std::vector<double>& decode,
                double link) {
  std::vector<double> send;
  for (const auto& section : coded.sections) {
    send.push_back(static_cast<double>(section.bytes.size()) * 8 / link);
  }
  const double dictionary =
      static_cast<double>(coded.dictionary.size() + sizeof coded.step) * 8 / link;
  return raw_bytes(traces) * 8 / link / schedule_seconds(dictionary, send, decode);
}

void figure5(const File& file, std::size_t shot) {
  const Traces traces = file.traces_of(shot);
  std::printf(
      "Shot %zu, %.0f bytes of samples.\n\n| bits | levels | ratio | SNR dB | dictionary | "
      "decoded MB/s, 1 thread (measured) | 2 threads (measured) | byte planes by zstd 19: "
      "ratio |\n|---:|---:|---:|---:|---:|---:|---:|---:|\n",
      shot, raw_bytes(traces));
  std::string speeds;
  for (const int bits : {12, 11, 10, 9}) {
    for (const int levels : {0, kLevels}) {
      const ShotSetup setup{.bits = bits, .levels = levels, .sections = 1};
      const Point point = point_of(traces, setup);
      ShotSetup two = setup;
      two.sections = 2;
      const double megabytes = raw_bytes(traces) / 1e6;
      std::printf("| %d | %d | %.2f | %.2f | %zu | %.0f | %.0f | %.2f |\n", bits, levels,
                  point.ratio, point.snr,
                  HuffmanCode::from_dictionary(point.coded.dictionary).symbols(),
                  megabytes / decode_seconds(point.coded, traces),
                  megabytes / decode_seconds(encode_shot(traces, two), traces),
                  planes_ratio(traces, setup));
      for (const double link : kLinks) {
        std::array<char, 64> text{};
        std::snprintf(text.data(), text.size(), "| %d | %d | %.0f Mbit/s |", bits, levels,
                      link / 1e6);
        speeds += text.data();
        for (const int cores : kCores) {
          ShotSetup split = setup;
          split.sections = cores;
          const CodedShot coded = encode_shot(traces, split);
          std::snprintf(text.data(), text.size(), " %.2f |",
                        speed_up(coded, traces, section_seconds(coded, traces), link));
          speeds += text.data();
        }
        speeds += '\n';
      }
    }
  }
  std::printf(
      "\nSpeed-up by the number of cores: calculated by Figure 4's schedule from the "
      "measured times of the sections.\n\n| bits | levels | link |");
  for (const int cores : kCores) std::printf(" %d |", cores);
  std::printf("\n|---:|---:|---|---:|---:|---:|---:|---:|---:|\n%s", speeds.c_str());
}

void by_levels(const File& file, std::size_t shot) {
  const Traces traces = file.traces_of(shot);
  std::printf("| levels | 12 bits: ratio, SNR | 11 | 10 | 9 |\n|---:|---|---|---|---|\n");
  for (int levels = 0; levels <= 7; ++levels) {
    std::printf("| %d |", levels);
    for (const int bits : {12, 11, 10, 9}) {
      const Point point = point_of(traces, {.bits = bits, .levels = levels, .sections = 1});
      std::printf(" %.2f, %.1f |", point.ratio, point.snr);
    }
    std::printf("\n");
  }
}

void points(const File& file, const std::vector<std::size_t>& shots) {
  std::printf("shot,bits,levels,ratio,planes_ratio,snr\n");
  for (const std::size_t shot : shots) {
    const Traces traces = file.traces_of(shot);
    for (const int bits : {12, 11, 10, 9}) {
      for (const int levels : {0, kLevels}) {
        const ShotSetup setup{.bits = bits, .levels = levels, .sections = 1};
        const Point point = point_of(traces, setup);
        std::printf("%zu,%d,%d,%.4f,%.4f,%.4f\n", shot, bits, levels, point.ratio,
                    planes_ratio(traces, setup), point.snr);
      }
    }
  }
}

void compare(const File& one, const File& other) {
  const bool same = headers_of(one.bytes, one.segy) == headers_of(other.bytes, other.segy);
  std::vector<double> before;
  std::vector<double> after;
  for (std::size_t shot = 1; same && shot <= one.shots.size(); ++shot) {
    for (const double value : joined(one.traces_of(shot))) before.push_back(value);
    for (const double value : joined(other.traces_of(shot))) after.push_back(value);
  }
  std::printf("headers %s, %zu traces, SNR %.2f dB\n", same ? "equal" : "DIFFER",
              one.segy.traces.size(), same ? signal_to_noise(before, after) : 0.0);
  if (!same) throw std::runtime_error("the headers differ");
}

int number(const std::string& word) {
  std::size_t end = 0;
  const int value = std::stoi(word, &end);
  if (end != word.size()) throw std::invalid_argument(kUsage);
  return value;
}

int run(const std::vector<std::string>& words) {
  const auto is = [&](const char* name, std::size_t count) {
    return !words.empty() && words[0] == name && words.size() == count + 1;
  };
  const auto shot = [&](std::size_t at) { return static_cast<std::size_t>(number(words[at])); };
  if (is("tables", 1)) {
    tables(File(words[1]));
  } else if (is("figure5", 2)) {
    figure5(File(words[1]), shot(2));
  } else if (is("levels", 2)) {
    by_levels(File(words[1]), shot(2));
  } else if (words.size() >= 3 && words[0] == "points") {
    std::vector<std::size_t> shots;
    for (std::size_t i = 2; i < words.size(); ++i) shots.push_back(shot(i));
    points(File(words[1]), shots);
  } else if (is("samples", 3)) {
    const std::vector<double> all = joined(File(words[1]).traces_of(shot(2)));
    write_file(words[3], std::as_bytes(std::span(all)));
  } else if (is("pack", 4)) {
    const ShotSetup setup{.bits = number(words[1]), .levels = number(words[2]), .sections = 2};
    write_file(words[4], pack_segy(read_file(words[3]), setup));
  } else if (is("unpack", 2)) {
    write_file(words[2], unpack_segy(read_file(words[1])));
  } else if (is("compare", 2)) {
    compare(File(words[1]), File(words[2]));
  } else {
    throw std::invalid_argument(kUsage);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  return papers::main_of("paper_seismic", argc, argv, papers::run);
}
