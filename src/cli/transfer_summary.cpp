#include "cli/transfer_summary.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <ctime>
#include <exception>
#include <utility>

#include "adoc/version.hpp"
#include "cli/report_page.hpp"
#include "cli/words.hpp"

namespace adoc::cli {
namespace {

/// Of more there are too many for a title.
constexpr std::size_t kMostNames = 3;

std::string now_in_words() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  std::array<char, 32> text{};
  const std::size_t length =
      ::gmtime_r(&now, &parts) == nullptr
          ? 0
          : std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M UTC", &parts);
  return {text.data(), length};
}

}  // namespace

TransferSummary::TransferSummary(Setup setup) : setup_(std::move(setup)) {
  if (setup_.report_file == "-")
    throw Error(ErrorKind::usage, "--report needs a file's name: standard output is for figures");
  if (!setup_.report_file.empty()) file_.emplace(setup_.report_file);
}

Series* TransferSummary::series() noexcept { return setup_.explains || file_ ? &series_ : nullptr; }

void TransferSummary::tell(const Statistics& statistics, bool failed) {
  if (series() == nullptr) return;
  const Reported reported{
      .title = setup_.title,
      .about = fmt::format("{} {}, {}", setup_.program, version(), now_in_words()),
      .series = series_,
      .seconds = statistics.seconds,
      .statistics = statistics,
      .standard_input = setup_.standard_input,
      .failed = failed};
  if (setup_.explains) cli::tell(explain(reported));
  if (file_) file_->write(report_page(reported));
}

void TransferSummary::tell_failed(const Statistics& statistics) noexcept {
  try {
    tell(statistics, true);
  } catch (const Error& error) {
    spdlog::error("{}", words_of(error));
  } catch (const std::exception&) {
    spdlog::error("there is no memory for the report");
  }
}

// Only --log-level off silences what was asked for by name.
void tell(const Explanation& explanation) {
  spdlog::critical("{}{}{}", explanation.limited, explanation.faster.empty() ? "" : " ",
                   explanation.faster);
}

std::string title_of(const std::vector<std::string>& paths) {
  std::string title;
  for (std::size_t i = 0; i < std::min(paths.size(), kMostNames); ++i)
    title += (i == 0 ? "" : ", ") + paths[i];
  if (paths.size() > kMostNames) title += fmt::format(" and {} more", paths.size() - kMostNames);
  return title;
}

std::string title_of(const SendOptions& options) {
  std::vector<std::string> paths = options.paths;
  std::ranges::replace(paths, "-", "standard input");
  return title_of(paths) + " to " + to_string(options.peer);
}

bool sends_standard_input(const SendOptions& options) {
  return std::ranges::find(options.paths, "-") != options.paths.end();
}

}  // namespace adoc::cli
