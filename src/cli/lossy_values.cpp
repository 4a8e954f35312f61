#include "cli/lossy_values.hpp"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "adoc/error.hpp"
#include "cli/values.hpp"

namespace adoc::cli {
namespace {

std::optional<double> number_in(std::string_view text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

}  // namespace

ItemType parse_item_type(const std::string& option, const std::string& text) {
  return parse_choice<ItemType>(option, text,
                                {{"int8", ItemType::int8},
                                 {"int16", ItemType::int16},
                                 {"int32", ItemType::int32},
                                 {"int64", ItemType::int64},
                                 {"uint8", ItemType::uint8},
                                 {"uint16", ItemType::uint16},
                                 {"uint32", ItemType::uint32},
                                 {"uint64", ItemType::uint64},
                                 {"float16", ItemType::float16},
                                 {"bfloat16", ItemType::bfloat16},
                                 {"float32", ItemType::float32},
                                 {"float64", ItemType::float64},
                                 {"complex64", ItemType::complex64},
                                 {"complex128", ItemType::complex128}});
}

Lossy parse_lossy(const std::string& option, const std::string& text, ItemType type) {
  static constexpr std::array<std::pair<std::string_view, Lossy::Mode>, 4> kModes{
      {{"lsb:", Lossy::Mode::bits},
       {"abs:", Lossy::Mode::absolute},
       {"rel:", Lossy::Mode::relative},
       {"snr:", Lossy::Mode::snr}}};
  for (const auto& [word, mode] : kModes) {
    if (!text.starts_with(word)) continue;
    const auto number = number_in(std::string_view(text).substr(word.size()));
    if (!number)
      throw Error(ErrorKind::usage, option + " " + text + ": a number belongs behind " +
                                        std::string(word) + ", as in " + std::string(word) + "12");
    const Lossy lossy{.type = type, .mode = mode, .bound = *number};
    if (const std::string why = why_not(lossy); !why.empty())
      throw Error(ErrorKind::usage, option + " " + text + why);
    return lossy;
  }
  throw_not_a_choice(option, text, "lsb:BITS, abs:E, rel:E, snr:DB");
}

std::string lost_text(const LossyFigures& figures) {
  if (figures.max_error == 0) return "nothing lost";
  return fmt::format("largest error {:.3g}, RMS error {:.3g}, SNR {:.1f} dB", figures.max_error,
                     figures.rms_error(), figures.snr_db());
}

std::string lossy_line(const LossyTotals& totals) {
  if (!totals.how) return {};
  const std::string how =
      fmt::format("lossy {} of {}", to_string(*totals.how), name_of(totals.how->type));
  if (totals.files == 0) return how + ": no file was sent so";
  return fmt::format(
      "{}: {} {}, {}", how, totals.files, totals.files == 1 ? "file" : "files",
      totals.figures.numbers == 0 ? "as the sender says" : lost_text(totals.figures));
}

}  // namespace adoc::cli
