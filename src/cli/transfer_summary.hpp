#pragma once

#include <optional>
#include <string>
#include <vector>

#include "adoc/options.hpp"
#include "cli/explain.hpp"
#include "cli/report_file.hpp"
#include "cli/series.hpp"

namespace adoc::cli {

/// What is told of a transfer when it is over, beside its figures: --report and --explain.
class TransferSummary {
 public:
  struct Setup {
    std::string report_file{};  ///< empty: none
    bool explains = false;
    std::string program;
    std::string title;            ///< of the report
    bool standard_input = false;  ///< is what is sent
  };

  /// Before there are threads. Throws Error(local_file) when the report could not be written, and
  /// Error(usage) for standard output.
  explicit TransferSummary(Setup setup);

  /// Where it is collected; null: nothing is to be told.
  [[nodiscard]] Series* series() noexcept;

  /// Throws Error(local_file) when the report cannot be written.
  void tell(const Statistics& statistics) { tell(statistics, false); }
  /// The same of a transfer that has failed: that the report cannot be written is logged.
  void tell_failed(const Statistics& statistics) noexcept;

 private:
  void tell(const Statistics& statistics, bool failed);

  Setup setup_;
  Series series_;
  std::optional<ReportFile> file_;
};

/// On standard error, since it was asked for.
void tell(const Explanation& explanation);

/// "src, doc and 3 more".
[[nodiscard]] std::string title_of(const std::vector<std::string>& paths);
/// "src, doc to host:4400".
[[nodiscard]] std::string title_of(const SendOptions& options);
[[nodiscard]] bool sends_standard_input(const SendOptions& options);

}  // namespace adoc::cli
