#include "cli/report_plots.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "cli/html.hpp"
#include "cli/shown_changes.hpp"
#include "cli/units.hpp"

namespace adoc::cli {
namespace {

/// A drawing is so wide and so high, and stretched to where it is shown.
constexpr double kWidth = 1000;
constexpr double kHeight = 100;

template <typename... Arguments>
void append(std::string& to, fmt::format_string<Arguments...> format, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(to), format, std::forward<Arguments>(arguments)...);
}

struct Drawing {
  const std::vector<Slot>& slots;
  double top = 1;  ///< the value at the upper edge
  /// That at the lower edge of a logarithmic axis; 0: it is linear, from 0 on.
  double bottom = 0;

  [[nodiscard]] double x(std::size_t slot) const {
    return kWidth * static_cast<double>(slot) / static_cast<double>(slots.size());
  }
  [[nodiscard]] double y(double value) const {
    const double part = bottom == 0      ? value / top
                        : value > bottom ? std::log(value / bottom) / std::log(top / bottom)
                                         : 0;
    return kHeight - kHeight * std::clamp(part, 0.0, 1.0);
  }
};

using SlotValue = std::function<double(const Slot&)>;

double most_of(const std::vector<Slot>& slots, const SlotValue& value) {
  double most = 0;
  for (const Slot& slot : slots) most = std::max(most, value(slot));
  return most;
}

/// A horizontal piece for each slot, since a value is the slot's and not a moment's.
std::string steps(const Drawing& drawing, const SlotValue& value) {
  std::string path;
  double before = -1;
  for (std::size_t i = 0; i < drawing.slots.size(); ++i) {
    const double y = drawing.y(value(drawing.slots[i]));
    if (i == 0)
      append(path, "M0 {:.2f}", y);
    else if (y != before)
      append(path, "V{:.2f}", y);
    append(path, "H{:.1f}", drawing.x(i + 1));
    before = y;
  }
  return path;
}

struct Line {
  std::string_view name;    ///< for programs
  std::string_view colour;  ///< a variable of the style
  SlotValue value;
  bool filled = false;
};

std::string drawn(const Drawing& drawing, const Line& line) {
  const std::string path = steps(drawing, line.value);
  std::string svg;
  if (line.filled)
    append(svg, R"~(<path class="area" style="--of:var(--{})" d="{}V{}H0Z"/>)~", line.colour, path,
           kHeight);
  append(svg, R"~(<path class="line" data-line="{}" style="--of:var(--{})" d="{}"/>)~", line.name,
         line.colour, path);
  return svg;
}

struct Figure {
  std::string_view name;
  std::string caption;  ///< HTML
  std::string label;    ///< what a reader who does not see it is told
  double rem = 6;       ///< its height
  double top = 1;
  double bottom = 0;                          ///< as in Drawing
  std::function<std::string(double)> unit{};  ///< of the values at the side; none: there are none
  std::string svg{};
  std::string over{};  ///< HTML above it
  std::string cursor = R"(<div class="cursor"></div>)";
};

std::string in_html(const Figure& figure) {
  std::string html;
  append(html,
         R"(<figure data-figure="{}"><figcaption>{}</figcaption>)"
         R"(<div class="plot" style="--high:{}rem">)",
         figure.name, figure.caption, figure.rem);
  const double parts = figure.bottom == 0 ? 2 : std::log10(figure.top / figure.bottom);
  for (double part = parts; figure.unit && part > -0.5; --part) {
    const double value =
        figure.bottom == 0 ? figure.top * part / parts : figure.bottom * std::pow(10.0, part);
    append(
        html,
        R"(<div class="g" style="top:{0:.2f}%"></div><div class="y" style="top:{0:.2f}%">{1}</div>)",
        100 - 100 * part / parts, figure.unit(value));
  }
  append(html,
         R"(<svg viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}" )"
         R"(data-top="{:.6g}" data-bottom="{:.6g}">{}</svg>)",
         kWidth, kHeight, figure.label, figure.top, figure.bottom, figure.svg);
  append(html, R"({}{}</div></figure>)", figure.over, figure.cursor);
  return html;
}

std::string key(std::string_view colour, std::string_view text) {
  return fmt::format(R"~(<span class="key" style="--of:var(--{})">{}</span>)~", colour, text);
}

/// What crosses a link that is slow for most of the time would else be a line at the bottom.
double lower_edge(const std::vector<Slot>& slots, double top) {
  constexpr double kMostOverMean = 8;
  constexpr double kSpan = 1000;
  double sum = 0;
  for (const Slot& slot : slots) sum += slot.wire_bytes_per_second;
  const bool is_wide = top * static_cast<double>(slots.size()) > kMostOverMean * sum;
  return is_wide && sum > 0 ? top / kSpan : 0;
}

std::string rates(const std::vector<Slot>& slots) {
  const SlotValue raw = [](const Slot& slot) { return slot.raw_bytes_per_second; };
  const SlotValue wire = [](const Slot& slot) { return slot.wire_bytes_per_second; };
  const double most = std::max(most_of(slots, raw), most_of(slots, wire));
  Figure figure{.name = "rates",
                .caption = "<b>Rate</b>" + key("data", "data") + key("wire", "on the wire"),
                .label = fmt::format("Rate of the data and on the wire over time, at most {}",
                                     format_rate(most)),
                .rem = 9,
                .top = round_up(most),
                .bottom = lower_edge(slots, round_up(most)),
                .unit = [](double value) { return value > 0 ? format_rate(value) : "0"; }};
  if (figure.bottom > 0) figure.caption += "<span>each line is ten times the one below</span>";
  const Drawing drawing{slots, figure.top, figure.bottom};
  figure.svg = drawn(drawing, {"wire", "wire", wire, true}) + drawn(drawing, {"data", "data", raw});
  return in_html(figure);
}

/// The range of levels of each slot; where no block ended, nothing.
std::string level_range(const Drawing& drawing) {
  std::string path;
  for (std::size_t i = 0; i < drawing.slots.size(); ++i) {
    const Slot& slot = drawing.slots[i];
    if (!slot.level || slot.lowest == slot.highest) continue;
    append(path, "M{:.1f} {:.2f}V{:.2f}H{:.1f}V{:.2f}Z", drawing.x(i), drawing.y(slot.lowest),
           drawing.y(slot.highest), drawing.x(i + 1), drawing.y(slot.lowest));
  }
  return path.empty() ? ""
                      : R"~(<path class="area" style="--of:var(--level)" d=")~" + path + R"("/>)";
}

std::string change_buttons(const Series& series, const Drawing& drawing) {
  const double seconds = drawing.slots.back().end;
  std::string html;
  for (const ShownChange& shown : shown_changes(series, seconds))
    append(html,
           R"(<button type="button" class="change" style="left:{0:.2f}%;top:{1:.2f}%" )"
           R"(title="{2}" aria-label="{2}" aria-pressed="false" data-time="{3:.6f}" )"
           R"(data-from="{4}" data-to="{5}" data-changes="{6}"></button>)",
           100 * shown.change.time_seconds / seconds, drawing.y(shown.change.to),
           html_text(in_words(shown, seconds)), shown.change.time_seconds, shown.change.from,
           shown.change.to, shown.more + 1);
  return html;
}

std::string levels(const Series& series, const std::vector<Slot>& slots) {
  double most = 1;
  for (const Slot& slot : slots) most = std::max(most, static_cast<double>(slot.highest));
  double held = 0;
  const SlotValue level = [&held](const Slot& slot) { return held = slot.level.value_or(held); };
  Figure figure{
      .name = "level",
      .caption =
          "<b>Level</b>" + key("level", "mean, and range") +
          fmt::format(
              R"(<span class="hint">{} changes: touch one, or Tab and the arrow keys</span>)",
              series.changes()),
      .label = fmt::format("Level over time, at most {:.0f}", most),
      .rem = 7,
      .top = std::ceil(most / 2) * 2,
      .unit = [](double value) { return fmt::format("{:g}", value); }};
  const Drawing drawing{slots, figure.top};
  figure.svg = level_range(drawing) + drawn(drawing, {"level", "level", level});
  figure.over = change_buttons(series, drawing);
  return in_html(figure);
}

std::string queue(const std::vector<Slot>& slots) {
  const SlotValue queued = [](const Slot& slot) { return slot.queued_bytes; };
  const double most = most_of(slots, queued);
  Figure figure{.name = "queue",
                .caption = "<b>Queue</b>" + key("queue", "compressed and not yet sent"),
                .label = fmt::format("Queue over time, at most {}", format_bytes(most)),
                .rem = 5,
                .top = round_up(most),
                .unit = [](double value) { return value > 0 ? format_bytes(value) : "0"; }};
  figure.svg = drawn({slots, figure.top}, {"queue", "queue", queued, true});
  return in_html(figure);
}

std::string price(const std::vector<Slot>& slots) {
  Figure figure{.name = "price",
                .caption = "<b>Price</b>" + key("price",
                                                "of the link: 0 processors are short, "
                                                "1 the link is"),
                .label = "Price of the link over time, from 0 to 1",
                .rem = 4,
                .unit = [](double value) { return fmt::format("{:g}", value); }};
  figure.svg =
      drawn({slots, 1}, {"price", "price", [](const Slot& slot) { return slot.link_price; }, true});
  return in_html(figure);
}

double connections_of(const Slot& slot) { return slot.streams; }

std::string connections(const std::vector<Slot>& slots) {
  const double most = most_of(slots, connections_of);
  Figure figure{.name = "streams",
                .caption = "<b>Connections</b>" + key("streams", "side by side"),
                .label = fmt::format("Connections over time, at most {:.0f}", most),
                .rem = 4,
                .top = std::ceil(most / 2) * 2,
                .unit = [](double value) { return fmt::format("{:g}", value); }};
  figure.svg = drawn({slots, figure.top}, {"streams", "streams", connections_of, true});
  return in_html(figure);
}

/// The shares of each slot, one upon the other.
std::string stacked(const std::vector<Slot>& slots) {
  const Drawing drawing{slots};
  std::string svg;
  for (std::size_t limit = 0; limit < kLimits; ++limit) {
    std::string path;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      double below = 0;
      for (std::size_t j = 0; j < limit; ++j) below += slots[i].limits.share[j];
      const double its = slots[i].limits.share[limit];
      if (its < 0.005) continue;
      append(path, "M{:.1f} {:.2f}V{:.2f}H{:.1f}V{:.2f}Z", drawing.x(i), drawing.y(below),
             drawing.y(below + its), drawing.x(i + 1), drawing.y(below));
    }
    if (!path.empty())
      append(svg, R"~(<path class="share" style="--of:var(--{0})" data-limit="{0}" d="{1}"/>)~",
             key_of(static_cast<Limit>(limit)), path);
  }
  return svg;
}

/// Where one limit is the largest for a while, its name stands.
std::string segments(const std::vector<Slot>& slots) {
  constexpr double kRoomForName = 0.13;
  std::string html;
  for (std::size_t i = 0, end = 0; i < slots.size(); i = end) {
    const Limit limit = slots[i].limits.largest();
    for (end = i; end < slots.size() && slots[end].limits.largest() == limit; ++end) {
    }
    const double left = static_cast<double>(i) / static_cast<double>(slots.size());
    const double width = static_cast<double>(end - i) / static_cast<double>(slots.size());
    append(html,
           R"(<div class="seg" style="left:{:.2f}%;width:{:.2f}%" data-limit="{}" )"
           R"(data-from="{:.6f}" data-to="{:.6f}">{}</div>)",
           left * 100, width * 100, key_of(limit), slots[i].begin, slots[end - 1].end,
           width >= kRoomForName ? fmt::format("<span>{}</span>", in_words(limit)) : "");
  }
  return html;
}

std::string band(const std::vector<Slot>& slots) {
  const LimitShares all = limits_of(slots);
  std::string caption = "<b>What it waited for</b>";
  std::string label = "What the transfer waited for over time:";
  for (std::size_t i = 0; i < kLimits; ++i) {
    const auto limit = static_cast<Limit>(i);
    if (all.share[i] < 0.005) continue;
    const std::string text = fmt::format("{} {:.0f} %", in_words(limit), all.share[i] * 100);
    append(
        caption,
        R"~(<span class="key" style="--of:var(--{0})" data-limit="{0}" data-share="{1:.4f}">{2}</span>)~",
        key_of(limit), all.share[i], text);
    label += " " + text;
  }
  std::string cursor;
  append(cursor,
         R"(<div class="cursor" tabindex="0" role="slider" aria-label="time" aria-valuemin="0" )"
         R"(aria-valuemax="{}" aria-valuenow="0"></div>)",
         slots.size() - 1);
  return in_html({.name = "limits",
                  .caption = std::move(caption),
                  .label = std::move(label),
                  .rem = 3.4,
                  .svg = stacked(slots),
                  .over = segments(slots),
                  .cursor = std::move(cursor)});
}

std::string time_axis(double seconds) {
  double step = round_up(seconds / 6);
  if (seconds >= 120)
    for (const double nice : {30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0})
      if (nice >= seconds / 6) {
        step = nice;
        break;
      }
  std::string html = R"(<div class="x" aria-hidden="true"><span style="left:0">0</span>)";
  for (double at = step; at < seconds * 0.9; at += step)
    append(html, R"(<span style="left:{:.2f}%">{}</span>)", 100 * at / seconds,
           time_text(at, seconds));
  append(html, R"(<span style="left:100%">{}</span></div>)", time_text(seconds, seconds));
  return html;
}

std::string values(const std::vector<Slot>& slots, bool priced) {
  std::string json = R"({"columns":["begin","end","data","wire","level","queue","price","streams")";
  std::string keys, names;
  for (std::size_t i = 0; i < kLimits; ++i) {
    const auto limit = static_cast<Limit>(i);
    append(json, R"(,"{}")", key_of(limit));
    append(keys, R"({}"{}")", i == 0 ? "" : ",", key_of(limit));
    append(names, R"({}"{}")", i == 0 ? "" : ",", in_words(limit));
  }
  append(json, R"(],"keys":[{}],"limits":[{}],"priced":{},"rows":[)", keys, names, priced);
  for (const Slot& slot : slots) {
    append(json, "{}[{:.6g},{:.6g},{:.6g},{:.6g},", &slot == slots.data() ? "" : ",\n", slot.begin,
           slot.end, slot.raw_bytes_per_second, slot.wire_bytes_per_second);
    json += slot.level ? fmt::format("{:.2f}", *slot.level) : "null";
    append(json, ",{:.6g},{:.3g},{:g}", slot.queued_bytes, slot.link_price, slot.streams);
    for (const double share : slot.limits.share) append(json, ",{:.3g}", share);
    json += "]";
  }
  return R"(<script type="application/json" id="slots">)" + json + "]}</script>";
}

}  // namespace

std::string plots(const Series& series, const std::vector<Slot>& slots) {
  const bool priced = most_of(slots, [](const Slot& slot) { return slot.link_price; }) > 0;
  std::string html =
      R"(<section aria-label="over time">)" + rates(slots) + levels(series, slots) + queue(slots);
  if (priced) html += price(slots);
  if (most_of(slots, connections_of) > 1) html += connections(slots);
  html += band(slots) + time_axis(slots.back().end);
  html += R"(<p class="told" id="told" role="status">Touch a picture, or move over it, to read it.)"
          "</p></section>";
  return html + values(slots, priced);
}

}  // namespace adoc::cli
