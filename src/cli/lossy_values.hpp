#pragma once

#include <string>

#include "adoc/lossy.hpp"

namespace adoc::cli {

/// The value of --dtype. Throws Error(usage) that lists the types.
[[nodiscard]] ItemType parse_item_type(const std::string& option, const std::string& text);

/// MODE:NUMBER, as in "abs:0.001". Throws Error(usage) that names the option, also for what
/// why_not() says.
[[nodiscard]] Lossy parse_lossy(const std::string& option, const std::string& text, ItemType type);

/// "largest error 0.000488, RMS error 0.000282, SNR 71.2 dB"; "nothing lost" where that is so.
[[nodiscard]] std::string lost_text(const LossyFigures& figures);

/// One line on a whole transfer, at a receiver without figures; empty when nothing was to be lost.
[[nodiscard]] std::string lossy_line(const LossyTotals& totals);

}  // namespace adoc::cli
