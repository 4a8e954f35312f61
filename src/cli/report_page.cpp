#include "cli/report_page.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/html.hpp"
#include "cli/report.hpp"
#include "cli/report_assets.hpp"
#include "cli/report_plots.hpp"
#include "cli/shown_changes.hpp"
#include "cli/units.hpp"

namespace adoc::cli {
namespace {

template <typename... Arguments>
void append_html(std::string& to, fmt::format_string<Arguments...> format,
                 Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Arguments>(arguments)...);
}

/// What crossed, by whatever knows best.
struct Totals {
  double seconds = 0;
  std::uint64_t bytes = 0;
  std::uint64_t wire_bytes = 0;
};

Totals totals_of(const Reported& reported) {
  const Series& series = reported.series;
  Totals totals{.seconds = std::max(reported.seconds, series.last().time_seconds),
                .bytes = series.all().raw_bytes,
                .wire_bytes = series.all().wire_bytes};
  if (reported.statistics) {
    totals.bytes = reported.statistics->bytes;
    totals.wire_bytes = reported.statistics->wire_bytes;
  }
  return totals;
}

double random_share(const Series& series) {
  const std::uint64_t all = series.all().raw_bytes;
  const std::uint64_t random = series.classes().back().raw_bytes;
  return all > 0 ? static_cast<double>(random) / static_cast<double>(all) : 0;
}

Outcome outcome_of(const Reported& reported, const LimitShares& limits) {
  const Totals totals = totals_of(reported);
  return {.seconds = totals.seconds,
          .bytes = totals.bytes,
          .wire_bytes = totals.wire_bytes,
          .limits = limits,
          .sums = reported.series.last(),
          .random_share = random_share(reported.series),
          .standard_input = reported.standard_input,
          .failed = reported.failed};
}

/// The most that there were: at the end they go.
std::uint64_t streams_of(const Reported& reported) {
  std::uint64_t most = reported.statistics ? reported.statistics->streams : 1;
  for (const Series::Bin& bin : reported.series.bins())
    if (bin.used) most = std::max(most, bin.seen.streams);
  return most;
}

std::string tile(std::string_view name, const std::string& value, const std::string& more) {
  return fmt::format("<div><dt>{}</dt><dd>{}<small>{}</small></dd></div>", name, value, more);
}

std::string tiles(const Reported& reported) {
  const Totals totals = totals_of(reported);
  const auto raw = static_cast<double>(totals.bytes);
  const auto wire = static_cast<double>(totals.wire_bytes);
  const double saved = std::max(0.0, raw - wire);
  std::string html;
  append_html(html,
              R"(<dl class="tiles" id="totals" data-bytes="{}" data-wire-bytes="{}" )"
              R"(data-seconds="{:.6f}">)",
              totals.bytes, totals.wire_bytes, totals.seconds);
  html += tile("crossed", format_bytes(raw), fmt::format("as {} on the wire", format_bytes(wire)));
  html += tile("saved", format_bytes(saved),
               raw > 0 ? fmt::format("{:.1f} % of the data, {}", 100 * saved / raw,
                                     format_ratio(totals.bytes, totals.wire_bytes))
                       : "");
  html += tile("took", time_text(totals.seconds, totals.seconds),
               reported.statistics ? entries_text(*reported.statistics) : "");
  const double rate = totals.seconds > 0 ? raw / totals.seconds : 0;
  const double wire_rate = totals.seconds > 0 ? wire / totals.seconds : 0;
  html += tile("rate", format_rate(rate), fmt::format("{} on the wire", format_rate(wire_rate)));
  const std::uint64_t streams = streams_of(reported);
  html += tile("streams", fmt::format("{}", streams),
               streams == 1 ? "one connection" : "connections side by side");
  return html + "</dl>";
}

/// What a row of a table of blocks says of itself: cells, and the same for programs.
struct BlockRow {
  std::string name;  ///< HTML
  std::string data;  ///< attribute that tells it from others
  const Series::Sums& sums;
};

std::string block_row(const BlockRow& row, double most) {
  const Series::Sums& sums = row.sums;
  const auto raw = static_cast<double>(sums.raw_bytes);
  return fmt::format(
      R"(<tr {} data-blocks="{}" data-raw="{}" data-wire="{}"><td>{}</td><td>{}</td><td>{}</td>)"
      R"(<td>{}</td><td>{}</td><td class="bar"><i style="width:{:.1f}%"></i></td></tr>)",
      row.data, sums.blocks, sums.raw_bytes, sums.wire_bytes, row.name, sums.blocks,
      format_bytes(raw), format_bytes(static_cast<double>(sums.wire_bytes)),
      format_ratio(sums.raw_bytes, sums.wire_bytes), most > 0 ? 100 * raw / most : 0);
}

std::string block_table(std::string_view title, const std::vector<BlockRow>& rows) {
  double most = 0;
  for (const BlockRow& row : rows) most = std::max(most, static_cast<double>(row.sums.raw_bytes));
  std::string html = fmt::format(
      R"(<section><h2>Blocks by {0}</h2><div class="wide"><table><tr><th>{0}</th><th>blocks</th>)"
      "<th>data</th><th>wire</th><th>ratio</th><th></th></tr>",
      title);
  for (const BlockRow& row : rows) html += block_row(row, most);
  return html + "</table></div></section>";
}

std::string one_sum(std::string_view name, const std::string& value) {
  return fmt::format("<tr><td>{}</td><td>{}</td></tr>", name, value);
}

std::string ends(const Series& series, double seconds) {
  const Observation& sums = series.last();
  const auto with_share = [seconds](double its) {
    return fmt::format("{} ({:.0f} % of one)", format_seconds(its),
                       seconds > 0 ? 100 * its / seconds : 0);
  };
  std::string html =
      R"(<section><h2>What both ends did</h2><div class="wide"><table>)" +
      one_sum("reading waited for the source", with_share(sums.source_seconds)) +
      one_sum("processors that compressed", with_share(sums.making_processor_seconds)) +
      one_sum("processor of the thread that sent", with_share(sums.sending_processor_seconds));
  if (sums.round_trip_seconds > 0)
    html +=
        one_sum("round trip at the end", fmt::format("{:.2f} ms", sums.round_trip_seconds * 1e3)) +
        one_sum("sent twice", format_bytes(static_cast<double>(sums.retransmitted_bytes)));
  html += one_sum("the receiver decompressed", with_share(sums.decompressing_seconds)) +
          one_sum("and wrote", with_share(sums.writing_seconds)) +
          one_sum("kept the link waiting", with_share(sums.receiver_stalled_seconds));
  return html + "</table></div></section>";
}

std::string tables(const Series& series, double seconds) {
  std::vector<BlockRow> rows;
  for (std::size_t level = 0; level < series.levels().size(); ++level)
    if (const Series::Sums& sums = series.levels()[level]; sums.blocks > 0)
      rows.push_back({fmt::format("{} &middot; {}", level, html_text(sums.codec)),
                      fmt::format(R"(data-level="{}")", level), sums});
  std::string html = R"(<div class="tables">)" + block_table("level", rows);
  rows.clear();
  for (std::size_t kind = 0; kind < Series::kClasses; ++kind)
    if (const Series::Sums& sums = series.classes()[kind]; sums.blocks > 0)
      rows.push_back({Series::class_name(kind), fmt::format(R"(data-class="{}")", kind), sums});
  return html + "<div>" + block_table("class of data", rows) + ends(series, seconds) +
         "</div></div>";
}

std::string changes(const Series& series, double seconds) {
  const std::vector<ShownChange> shown = shown_changes(series, seconds);
  if (shown.empty()) return {};
  std::string html = fmt::format(
      R"(<details id="changes" data-changes="{0}"><summary>{0} change{1} of level</summary>)"
      R"(<div class="wide"><table><tr><th>time</th><th>block</th><th>level</th><th>codec</th>)"
      R"(<th>reason</th><th>more</th></tr>)",
      series.changes(), series.changes() == 1 ? "" : "s");
  for (const ShownChange& one : shown)
    append_html(html,
                R"(<tr><td>{}</td><td>{}</td><td>{} &rarr; {}</td><td>{}</td>)"
                R"(<td class="words">{}</td><td>{}</td></tr>)",
                time_text(one.change.time_seconds, seconds), one.change.block, one.change.from,
                one.change.to, html_text(one.change.codec), html_text(one.change.reason),
                one.more > 0 ? fmt::format("{}", one.more) : "");
  return html + "</table></div></details>";
}

}  // namespace

Explanation explain(const Reported& reported) {
  return explain(outcome_of(reported, limits_of(slots_of(reported.series, reported.seconds))));
}

std::string report_page(const Reported& reported) {
  const std::vector<Slot> slots = slots_of(reported.series, reported.seconds);
  const LimitShares limits = limits_of(slots);
  const Explanation said = explain(outcome_of(reported, limits));
  const std::string title = html_text(reported.title);
  const double seconds = totals_of(reported).seconds;
  std::string html =
      "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      R"(<meta name="viewport" content="width=device-width, initial-scale=1">)"
      R"(<meta name="color-scheme" content="light dark"><link rel="icon" href="data:,"><title>)" +
      title + "</title>\n<style>\n" + kReportStyle + "</style></head>\n<body><main>\n";
  append_html(html, "<header><h1>{}</h1><p class=\"sub\">{}</p></header>\n", title,
              html_text(reported.about));
  append_html(
      html,
      R"~(<p class="said" id="said" style="--first:var(--{0})" data-limit="{0}">{1} {2}</p>)~",
      limits.any() ? key_of(limits.largest()) : "rule", html_text(said.limited),
      html_text(said.faster));
  html += tiles(reported) + "\n";
  if (!slots.empty()) html += plots(reported.series, slots) + "\n";
  if (reported.series.all().blocks > 0)
    html += tables(reported.series, seconds) + "\n" + changes(reported.series, seconds);
  append_html(html, "<footer>{}</footer>\n</main>\n<script>\n{}</script>\n</body></html>\n",
              "What is drawn at one place is the mean of that piece of the time.", kReportScript);
  return html;
}

}  // namespace adoc::cli
