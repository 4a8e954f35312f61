// Peñaranda 2024: Tables 2 to 4 and Figures 9 to 15 in one process, as Markdown tables.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/papers/files.hpp"
#include "bench/papers/pipeline/codecs.hpp"
#include "bench/papers/pipeline/lzop.hpp"
#include "bench/papers/pipeline/model.hpp"
#include "bench/papers/program.hpp"

namespace papers {
namespace {

constexpr const char* kUsage =
    "usage: paper_pipeline choice FILE...   Tables 2 and 3, A1 to A3: a row for each file\n"
    "       paper_pipeline sizes FILE       Figures 9 to 15 by the size of messages, and Table 4\n"
    "Of each file the 8 MB in its middle are the message.\n";

constexpr std::size_t kMessageBytes = 8 << 20;
constexpr std::array<double, 3> kLinks = {1e9, 100e6, 10e6};
constexpr std::array<std::size_t, 6> kChunkSizes = {512, 1024, 2048, 4096, 32'768, 131'072};
constexpr double kSocketBytes = 65'536;
constexpr int kMeasuredThreads = 2;  // more would have to share processors

std::vector<std::byte> message_of(const std::string& path) {
  auto file = read_file(path);
  if (file.size() <= kMessageBytes) return file;
  const auto at = static_cast<std::ptrdiff_t>((file.size() - kMessageBytes) / 2);
  return {file.begin() + at, file.begin() + at + static_cast<std::ptrdiff_t>(kMessageBytes)};
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

double megabits(double bytes, double seconds) { return bytes * 8 / seconds / 1e6; }

PipelineSetup setup_of(const Configuration& one, double link) {
  static const Handing handing = measure_handing();
  return {.threads = one.threads,
          .slots = one.chunks,
          .link = link,
          .socket_bytes = kSocketBytes,
          .send_seconds = handing.send_seconds,
          .wake_seconds = handing.wake_seconds};
}

// Chunks of a message by their size: measured once, asked for by every configuration.
class Measured {
 public:
  Measured(std::string_view codec, std::span<const std::byte> message)
      : codec_(make_chunk_codec(codec)), message_(message) {
    for (const std::size_t size : kChunkSizes) {
      chunks_[size] = measure_chunks(*codec_, message, size);
    }
  }
  [[nodiscard]] const std::vector<ChunkTimes>& chunks(std::size_t size) const {
    return chunks_.at(size);
  }
  [[nodiscard]] double bandwidth(const Configuration& one, double link) const {
    return megabits(static_cast<double>(message_.size()),
                    pipelined_seconds(chunks(one.chunk_bytes), setup_of(one, link)));
  }

 private:
  std::unique_ptr<ChunkCodec> codec_;
  std::span<const std::byte> message_;
  std::map<std::size_t, std::vector<ChunkTimes>> chunks_;
};

struct Sum {
  double ratio = 0;
  double microseconds = 0;  // a chunk, there and back
};
Sum sum_of(std::span<const ChunkTimes> chunks) {
  double raw = 0;
  double wire = 0;
  double seconds = 0;
  for (const ChunkTimes& chunk : chunks) {
    raw += chunk.raw_bytes;
    wire += chunk.wire_bytes;
    seconds += chunk.compress + chunk.decompress;
  }
  return {raw / wire, seconds * 1e6 / static_cast<double>(chunks.size())};
}

std::string in_words(const Configuration& one) {
  return std::to_string(one.threads) + " x " + std::to_string(one.chunks) + " x " +
         std::to_string(one.chunk_bytes);
}

// The median of three runs with threads, in Mbit/s; of one where the link is slow.
double run(std::string_view codec, std::span<const std::byte> message, const Configuration& one,
           double link) {
  std::vector<double> seconds(link < 50e6 ? 1 : 3);
  for (double& each : seconds) {
    each = run_pipeline(codec, message, one.chunk_bytes, setup_of(one, link));
  }
  std::ranges::sort(seconds);
  return megabits(static_cast<double>(message.size()), seconds[seconds.size() / 2]);
}

void choice(const std::vector<std::string>& paths) {
  std::printf(
      "Configurations are threads x chunks x bytes of a chunk; times of chunks measured, bandwidth "
      "in Mbit/s\ncalculated by Figure 3's schedule and, up to %d threads, measured with "
      "threads. Handing on a chunk takes %.1f us, and waking a thread %.1f us.\n\n"
      "| message | link Mbit/s | codec | after two steps, for 1, 2, 4 and 8 threads | chosen | "
      "ratio | "
      "compress and decompress, us a chunk | calculated | measured |\n"
      "|---|---:|---|---|---|---:|---:|---:|---:|\n",
      kMeasuredThreads, setup_of({}, 1e9).send_seconds * 1e6, setup_of({}, 1e9).wake_seconds * 1e6);
  for (const std::string& path : paths) {
    const auto message = message_of(path);
    for (const std::string_view codec : chunk_codecs()) {
      const Measured measured(codec, message);
      for (const double link : kLinks) {
        const auto bandwidth = [&](const Configuration& one) {
          return measured.bandwidth(one, link);
        };
        const Choice chosen = choose(bandwidth);
        const Configuration& best = chosen.best;
        const Sum sum = sum_of(measured.chunks(best.chunk_bytes));
        std::string steps;
        for (const Configuration& one : chosen.by_threads) {
          steps += (steps.empty() ? "" : ", ") + std::to_string(one.chunks) + " x " +
                   std::to_string(one.chunk_bytes);
        }
        std::printf("| %s | %.0f | %s | %s | %s | %.2f | %.2f | %.1f |", name_of(path).c_str(),
                    link / 1e6, std::string(codec).c_str(), steps.c_str(), in_words(best).c_str(),
                    sum.ratio, sum.microseconds, bandwidth(best));
        if (best.threads <= kMeasuredThreads) std::printf(" %.1f", run(codec, message, best, link));
        std::printf(" |\n");
        std::fflush(stdout);
      }
    }
  }
}

// Parts of a message, evenly spread, as messages of a size.
double mean_seconds(std::span<const std::byte> message, std::size_t size, const auto& seconds) {
  const std::size_t count = std::clamp<std::size_t>(message.size() / size, 1, 64);
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) {
    sum += seconds(message.subspan(i * (message.size() / count), size));
  }
  return sum / static_cast<double>(count);
}

// A chunk of 1,024 bytes would be the start of a process and nothing else.
void lzop_row(std::span<const std::byte> message) {
  const auto codec = make_lzop();
  if (!codec) return;
  const Sum whole = sum_of(measure_chunks(*codec, message, message.size()));
  const Sum start = sum_of(measure_chunks(*codec, message.first(1), 1));
  std::printf(
      "| LZO, by two processes (lzop -1), whose start takes %.0f us | | | %.0f | %.2f | "
      "%.1f |\n",
      start.microseconds, whole.microseconds, whole.ratio, whole.ratio * 10);
}

void table4(std::span<const std::byte> message) {
  std::printf(
      "| codec | 1,024 bytes: us there and back | ratio | the whole message: us | ratio | bound: "
      "ratio x 10 Mbit/s |\n|---|---:|---:|---:|---:|---:|\n");
  for (const std::string_view name : chunk_codecs()) {
    const auto codec = make_chunk_codec(name);
    const Sum chunk = sum_of(measure_chunks(*codec, message, 1024));
    const Sum whole = sum_of(measure_chunks(*codec, message, message.size()));
    std::printf("| %s | %.2f | %.2f | %.0f | %.2f | %.1f |\n", std::string(name).c_str(),
                chunk.microseconds, chunk.ratio, whole.microseconds, whole.ratio, whole.ratio * 10);
  }
  lzop_row(message);
}

void sizes(const std::string& path) {
  const auto message = message_of(path);
  table4(message);
  std::printf(
      "\nMbit/s by the size of messages, calculated from measured times of chunks: naive / "
      "pipelined / pipelined with\nchunks that grew sent raw, and their share; without "
      "compression it is the link's rate.\n");
  for (const std::string_view name : chunk_codecs()) {
    const Measured measured(name, message);
    const auto codec = make_chunk_codec(name);
    std::array<Configuration, kLinks.size()> best;
    std::printf("\n%s:", std::string(name).c_str());
    for (std::size_t i = 0; i < kLinks.size(); ++i) {
      best[i] =
          choose([&](const Configuration& one) { return measured.bandwidth(one, kLinks[i]); }).best;
      std::printf(" %s at %.0f Mbit/s%s", in_words(best[i]).c_str(), kLinks[i] / 1e6,
                  i + 1 < kLinks.size() ? "," : "\n\n");
    }
    std::printf(
        "| bytes | 1 Gbit/s | 100 Mbit/s | 10 Mbit/s | sent raw |\n|---:|---|---|---|---:|\n");
    for (const std::size_t size : {16UL, 64UL, 256UL, 1024UL, 4096UL, 16'384UL, 65'536UL, 262'144UL,
                                   1'048'576UL, 8'388'608UL}) {
      if (size > message.size()) break;
      std::printf("| %zu |", size);
      double chunks = 0;
      double grown = 0;
      for (std::size_t i = 0; i < kLinks.size(); ++i) {
        PipelineSetup setup = setup_of(best[i], kLinks[i]);
        const double bytes = static_cast<double>(size);
        const double naive = mean_seconds(message, size, [&](auto part) {
          return naive_seconds(measure_chunks(*codec, part, part.size()).front(), kLinks[i]);
        });
        double piped = 0;
        const double raw = mean_seconds(message, size, [&](auto part) {
          const auto times = measure_chunks(*codec, part, best[i].chunk_bytes);
          chunks += static_cast<double>(times.size());
          grown += static_cast<double>(std::ranges::count_if(
              times, [](const ChunkTimes& one) { return one.wire_bytes >= one.raw_bytes; }));
          setup.raw_if_grown = false;
          piped += pipelined_seconds(times, setup);
          setup.raw_if_grown = true;
          return pipelined_seconds(times, setup);
        });
        const double count =
            static_cast<double>(std::clamp<std::size_t>(message.size() / size, 1, 64));
        std::printf(" %.1f / %.1f / %.1f |", megabits(bytes, naive), megabits(bytes, piped / count),
                    megabits(bytes, raw));
      }
      std::printf(" %.0f %% |\n", 100 * grown / chunks);
      std::fflush(stdout);
    }
  }
}

int run(const std::vector<std::string>& words) {
  if (words.size() >= 2 && words[0] == "choice") {
    choice({words.begin() + 1, words.end()});
  } else if (words.size() == 2 && words[0] == "sizes") {
    sizes(words[1]);
  } else {
    throw std::invalid_argument(kUsage);
  }
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  return papers::main_of("paper_pipeline", argc, argv, papers::run);
}
