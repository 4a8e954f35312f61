#include "cli/level_table.hpp"

#include <array>
#include <cstdio>

#include "cli/units.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

template <typename... Values>
std::string line(const char* format, Values... values) {
  std::array<char, 256> text{};
  // NOLINTNEXTLINE: the formats are literals of this file.
  std::snprintf(text.data(), text.size(), format, values...);
  return text.data();
}

/// As the options take it: "512", "200K", "4M".
std::string format_size(std::size_t bytes) {
  constexpr std::size_t kKiB = 1'024;
  if (bytes % (kKiB * kKiB) == 0) return std::to_string(bytes / (kKiB * kKiB)) + "M";
  if (bytes % kKiB == 0) return std::to_string(bytes / kKiB) + "K";
  return std::to_string(bytes);
}

/// As links are sold: "10 Mbit/s".
std::string format_link(double bytes_per_second) {
  const double megabits = bytes_per_second * 8e-6;
  return megabits < 1'000 ? line("%.3g Mbit/s", megabits) : line("%.3g Gbit/s", megabits / 1e3);
}

std::string level_rows(const LevelFigures& figures) {
  std::string rows = line("%5s  %-9s %6s %12s %8s %12s\n", "level", "rung", "block", "compress",
                          "ratio", "decompress");
  for (std::size_t level = 0; level < figures.levels.size(); ++level) {
    const LevelFigure& figure = figures.levels[level];
    rows += line("%5zu  %-9s %6s %12s %7.2fx %12s\n", level, figure.rung.c_str(),
                 format_size(figure.block_bytes).c_str(),
                 format_rate(figure.compress_bytes_per_second).c_str(), figure.ratio,
                 format_rate(figure.decompress_bytes_per_second).c_str());
  }
  return rows;
}

std::string link_rows(const LevelFigures& figures) {
  std::string rows = line("%-11s %5s  %-9s %12s %10s   %s\n", "link", "level", "rung", "expected",
                          "packet", "threads x chunks of");
  for (const LinkAdvice& advice : figures.links)
    rows += line("%-11s %5zu  %-9s %12s %10zu   %zu x %zu of %s\n",
                 format_link(advice.link_bytes_per_second).c_str(), advice.level,
                 figures.levels.at(advice.level).rung.c_str(),
                 format_rate(advice.raw_bytes_per_second).c_str(), advice.packet_bytes,
                 advice.chunk_threads, advice.chunks, format_size(advice.chunk_bytes).c_str());
  return rows;
}

}  // namespace

std::string level_table(const std::string& path, const LevelFigures& figures) {
  std::string text = adoc::quoted(path) + ": " + format_bytes(static_cast<double>(figures.bytes)) +
                     " in " + std::to_string(figures.files) +
                     (figures.files == 1 ? " file, " : " files, ") +
                     format_bytes(static_cast<double>(figures.sample_bytes)) +
                     " of it measured; speeds are of one thread\n\n";
  text += level_rows(figures) + "\n";
  text += link_rows(figures) + "\n";
  text += line(
      "expected   the least of %zu x compress, link x ratio and %zu x decompress, if the far side\n"
      "           is a machine like this one\n",
      figures.threads, figures.threads);
  text += line(
      "packet     bytes by the model of Jeannot 2002, section 3.5.2, with the %.1f us that "
      "sending\n"
      "           and receiving a packet takes here\n",
      figures.packet_seconds * 1e6);
  text +=
      "threads x  by equation 2 of Penaranda 2024 with its weights 0.60, 0.15 and 0.25 for its\n"
      "chunks of  message of 8 MB: chunks measured here, the pipeline itself calculated\n";
  return text;
}

}  // namespace adoc::cli
