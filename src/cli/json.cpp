#include "cli/json.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>

#include "cli/report.hpp"
#include "cli/to_file_options.hpp"
#include "cli/units.hpp"

namespace adoc::cli {

namespace {

// What is infinite, as the SNR where nothing was lost, is null.
nlohmann::ordered_json lossy_in_json(const LossyTotals& totals, bool has_figures) {
  const LossyFigures& figures = totals.figures;
  nlohmann::ordered_json object{{"mode", to_string(*totals.how)},
                                {"dtype", name_of(totals.how->type)},
                                {"files", totals.files}};
  if (!has_figures) return object;
  object["numbers"] = figures.numbers;
  object["max_error"] = figures.max_error;
  object["rms_error"] = figures.rms_error();
  object["snr_db"] = figures.snr_db();
  return object;
}

}  // namespace

std::string to_json(const Statistics& statistics, const LossyTotals& lossy,
                    std::uint64_t later_rate) {
  // Ordered: a person reads it too.
  using Json = nlohmann::ordered_json;
  Json levels = Json::object();
  for (std::size_t level = 0; level < statistics.levels.size(); ++level) {
    if (statistics.levels[level] > 0) levels[std::to_string(level)] = statistics.levels[level];
  }
  Json object{
      {"files", statistics.files},
      {"directories", statistics.directories},
      {"links", statistics.links},
      {"bytes", statistics.bytes},
      {"wire_bytes", statistics.wire_bytes},
      {"seconds", statistics.seconds},
      {"ratio", ratio_of(statistics.bytes, statistics.wire_bytes)},
      {"bytes_per_s", bytes_per_second(statistics)},
      {"levels", std::move(levels)},
      {"streams", statistics.streams},
      {"retries", statistics.retries},
      {"skipped", statistics.skipped},
      {"resumed_bytes", statistics.resumed_bytes},
      {"committed", statistics.committed},
      {"in_parts", statistics.in_parts},
      {"errors", statistics.errors},
  };
  if (lossy.how)
    object["lossy"] = lossy_in_json(lossy, lossy.figures.numbers > 0 || lossy.files == 0);
  if (later_rate != 0) {
    const SentLater later = sent_later(statistics, later_rate);
    object["link_seconds"] = later.seconds;
    object["raw_link_seconds"] = later.raw_seconds;
  }
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace adoc::cli
