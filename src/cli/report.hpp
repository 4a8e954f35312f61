#pragma once

#include <string>

#include "adoc/observer.hpp"

namespace adoc::cli {

/// 0 for a transfer that took no time.
[[nodiscard]] double bytes_per_second(const Statistics& statistics);

/// What was committed: "12 files, 3 directories, 1 link"; what there is none of is left out.
[[nodiscard]] std::string entries_text(const Statistics& statistics);

/// "12 files, 52.6 MB as 21.9 MB (2.40x) in 4.2 s, 12.5 MB/s", and what else there is to say:
/// ", 1.2 MB resumed, 3 skipped, 1 failed". Only "5 files, 0 B" when there were no contents to
/// send.
[[nodiscard]] std::string figures_line(const Statistics& statistics);

/// One line on what was not sent because of its kind; empty when there was nothing.
[[nodiscard]] std::string not_sent_line(const NotKept& not_kept);
/// One line on what files had here and do not have there; empty when there was nothing.
[[nodiscard]] std::string not_kept_line(const NotKept& not_kept);

}  // namespace adoc::cli
