// Peñaranda 2022: traced copies replayed with each codec and with "Adaptive", as Markdown tables.

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bench/papers/adaptive/table.hpp"
#include "bench/papers/files.hpp"
#include "bench/papers/pipeline/codecs.hpp"
#include "bench/papers/program.hpp"

namespace papers {
namespace {

constexpr const char* kUsage =
    "usage: paper_adaptive TRACED.bin TRACED.csv   lines of offset,size,H2D|D2H,name\n";

constexpr std::array<double, 3> kLinks = {1e9, 100e6, 10e6};
constexpr std::array<double, 2> kSlowdowns = {1, 4};

struct Copy {
  std::size_t offset = 0;
  std::size_t size = 0;
  bool to_device = true;
};

std::vector<Copy> read_trace(const std::string& path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  if (!line.starts_with("offset,size,dir")) throw std::runtime_error(path + ": no such columns");
  std::vector<Copy> copies;
  while (std::getline(file, line)) {
    std::size_t comma = 0;
    Copy copy;
    copy.offset = std::stoull(line, &comma);
    std::string rest = line.substr(comma + 1);
    copy.size = std::stoull(rest, &comma);
    rest = rest.substr(comma + 1);
    copy.to_device = rest.starts_with("H2D");
    if (!copy.to_device && !rest.starts_with("D2H")) throw std::runtime_error(path + ": " + line);
    if (copy.size > 0) copies.push_back(copy);
  }
  return copies;
}

std::vector<TracedMessage> measure(const std::string& data_path, const std::string& trace_path) {
  const auto data = read_file(data_path);
  const auto copies = read_trace(trace_path);
  std::vector<TracedMessage> messages;
  for (const Copy& copy : copies) {
    if (copy.offset > data.size() || copy.size > data.size() - copy.offset) {
      throw std::runtime_error(trace_path + ": a message past the end of the data");
    }
    const auto bytes = static_cast<double>(copy.size);
    messages.push_back({copy.to_device, {{bytes, 0, bytes, 0}}});
  }
  for (const std::string_view name : every_codec()) {
    const auto codec = make_chunk_codec(name);
    for (std::size_t i = 0; i < copies.size(); ++i) {
      const auto message = std::span(data).subspan(copies[i].offset, copies[i].size);
      messages[i].by_codec.push_back(measure_chunks(*codec, message, message.size()).front());
    }
    std::fprintf(stderr, "%s measured\n", std::string(name).c_str());
  }
  return messages;
}

// Each codec for all messages, then the two kinds of "Adaptive".
std::vector<ReplayTime> columns(const ReplayWorld& world, std::span<const TracedMessage> learnt,
                                std::span<const TracedMessage> messages) {
  std::vector<ReplayTime> times;
  for (std::size_t codec = 0; codec <= every_codec().size(); ++codec) {
    times.push_back(replay(world, messages, std::vector(messages.size(), codec)));
  }
  for (const auto& from : {messages, learnt}) {
    const SizeTable table(world, from);
    std::vector<std::size_t> codecs;
    for (const TracedMessage& message : messages) codecs.push_back(table.codec_for(message));
    times.push_back(replay(world, messages, codecs));
  }
  return times;
}

void print_row(const char* kind, const ReplayWorld& world, std::span<const ReplayTime> times,
               double ReplayTime::*which) {
  std::printf("| %.0f | %s | %s |", world.link / 1e6,
              world.edge_slowdown > 1 ? "a quarter" : "whole", kind);
  for (const ReplayTime& one : times) std::printf(" %.3f |", one.*which);
  const auto fixed = times.first(times.size() - 2);
  double best = fixed.front().*which;
  for (const ReplayTime& one : fixed) best = std::min(best, one.*which);
  const double adaptive = times.back().*which;
  std::printf(" %.3f | %.3f |\n", adaptive / best, adaptive / (fixed.front().*which));
}

void print(const std::vector<TracedMessage>& messages) {
  std::vector<TracedMessage> learnt;
  std::vector<TracedMessage> judged;
  for (std::size_t i = 0; i < messages.size(); ++i) {
    (i % 2 == 0 ? learnt : judged).push_back(messages[i]);
  }
  std::printf(
      "Seconds for every second message of the trace (%zu), calculated from the measured times "
      "of each.\n\n| link Mbit/s | edge's processor | kind | none |",
      judged.size());
  for (const std::string_view name : every_codec()) {
    std::printf(" %s |", std::string(name).c_str());
  }
  std::printf(
      " adaptive, in hindsight | adaptive, learnt from the others | learnt / best codec | "
      "learnt / none |\n|---:|---|---|---:|");
  for (std::size_t i = 0; i < every_codec().size() + 4; ++i) std::printf("---:|");
  std::printf("\n");
  for (const double link : kLinks) {
    for (const double slowdown : kSlowdowns) {
      const ReplayWorld world{.link = link, .edge_slowdown = slowdown};
      const auto times = columns(world, learnt, judged);
      print_row("serial", world, times, &ReplayTime::serial);
      print_row("pipelined", world, times, &ReplayTime::pipelined);
    }
  }
}

int run(const std::vector<std::string>& words) {
  if (words.size() != 2) throw std::invalid_argument(kUsage);
  print(measure(words[0], words[1]));
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace papers

int main(int argc, char** argv) {
  return papers::main_of("paper_adaptive", argc, argv, papers::run);
}
