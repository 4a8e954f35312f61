#include "cli/trace_reader.hpp"

#include <spdlog/fmt/fmt.h>

#include <array>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>
#include <string_view>
#include <vector>

#include "adoc/error.hpp"
#include "cli/trace.hpp"
#include "cli/trace_columns.hpp"
#include "util/errno_error.hpp"
#include "util/safe_name.hpp"

namespace adoc::cli {
namespace {

/// A row is a few hundred bytes.
constexpr std::size_t kMostLineBytes = 16 << 10;

/// A row that makes no sense, and why.
struct Damaged {
  std::string why;
};

/// The fields of a line, quotes undone (RFC 4180). A field does not go over lines: no trace has
/// one that does.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"' && (quoted || fields.back().empty())) {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (quoted) throw Damaged{"a quote is not closed"};
  return fields;
}

template <typename Number>
Number number(std::string_view column, const std::string& field) {
  Number value{};
  const char* const end = field.data() + field.size();
  const auto [stopped, error] = std::from_chars(field.data(), end, value);
  bool good = error == std::errc() && stopped == end;
  // Of no transfer, and more than can be drawn.
  if constexpr (std::is_floating_point_v<Number>)
    good = good && std::isfinite(value) && value >= 0 && value < 1e15;
  if (!good)
    throw Damaged{fmt::format("{} is {}, which is no number that belongs there", column,
                              adoc::quoted(field))};
  return value;
}

class Reader {
 public:
  explicit Reader(const std::string& path)
      : path_(path), file_(path == "-" ? std::string("/dev/stdin") : path) {
    if (!file_) throw cannot_read(errno);
  }

  Series read() {
    const std::optional<std::string> header = next_line();
    if (!header || (*header != trace_header() && !header->starts_with(trace_header() + ",")))
      throw damaged("the names of a trace's columns are not there; is it one of this version?");
    columns_ = fields_of(*header).size();
    Series series;
    while (const auto line = next_line()) add(series, *line);
    return series;
  }

 private:
  [[nodiscard]] Error cannot_read(int error) const {
    return Error(ErrorKind::local_file,
                 "cannot read the trace " + adoc::quoted(path_) + ": " + errno_text(error));
  }
  [[nodiscard]] Error damaged(const std::string& why) const {
    return Error(ErrorKind::local_file, fmt::format("the trace {} is damaged: line {}: {}",
                                                    adoc::quoted(path_), line_, why));
  }

  std::optional<std::string> next_line() {
    std::array<char, kMostLineBytes> buffer;
    ++line_;
    errno = 0;
    if (!file_.getline(buffer.data(), buffer.size())) {
      if (file_.bad()) throw cannot_read(errno != 0 ? errno : EIO);
      if (file_.gcount() == 0) return std::nullopt;
      throw damaged("it is too long");
    }
    if (file_.eof()) throw damaged("it is cut off");
    std::string line(buffer.data());
    if (line.size() + 1 != static_cast<std::size_t>(file_.gcount()))
      throw damaged("there is a zero byte in it");
    if (line.ends_with('\r')) line.pop_back();
    return line;
  }

  void add(Series& series, const std::string& line) {
    try {
      const std::vector<std::string> fields = fields_of(line);
      if (fields.size() != columns_)
        throw Damaged{fmt::format("{} columns in the place of {}", fields.size(), columns_)};
      series.add(decision_of(fields));
    } catch (const Damaged& found) {
      throw damaged(found.why);
    }
  }

  /// Its words are those of the fields.
  static Decision decision_of(const std::vector<std::string>& fields) {
    Decision decision{.time_seconds = number<double>("time_s", fields[0]),
                      .block = number<std::uint64_t>("block", fields[1]),
                      .raw_bytes = number<std::uint64_t>("raw_bytes", fields[2]),
                      .wire_bytes = number<std::uint64_t>("wire_bytes", fields[3]),
                      .level = number<int>("level", fields[4]),
                      .codec = fields[5],
                      .fifo_packets = number<std::uint64_t>("fifo_packets", fields[6]),
                      .drain_bytes_per_second = number<double>("drain_bytes_per_s", fields[7]),
                      .reason = fields[8],
                      .entropy_bits = number<double>("entropy_bits", fields[9]),
                      .random = number<int>("random", fields[10]) != 0};
    if (decision.level < 0 || decision.level > Series::kMostLevel)
      throw Damaged{fmt::format("there is no level {}", decision.level)};
    std::size_t field = kDecisionColumnCount;
    for (const SeenColumn& column : kSeenColumns) {
      if (const auto* seconds = std::get_if<double Observation::*>(&column.member))
        decision.seen.*(*seconds) = number<double>(column.name, fields[field]);
      else
        decision.seen.*std::get<std::uint64_t Observation::*>(column.member) =
            number<std::uint64_t>(column.name, fields[field]);
      ++field;
    }
    decision.filter = fields[field];
    decision.seen.time_seconds = decision.time_seconds;
    return decision;
  }

  std::string path_;
  std::ifstream file_;
  std::uint64_t line_ = 0;
  std::size_t columns_ = 0;
};

}  // namespace

Series read_trace(const std::string& path) { return Reader(path).read(); }

}  // namespace adoc::cli
