// SPDX-License-Identifier: Apache-2.0
// What stands in each column of a row, or which columns turn together, as a line of text: runs that go on evenly are
// given by their first and last items.
#include <posenc/convention.h>

#include <algorithm>

#include "src/base/to_text.h"
#include "src/conventions/lower.h"

namespace posenc {
namespace {

// "s{}" with the number of its frequency, "({},{}) {}" of a pair: items of one form go on evenly by their numbers.
struct Item {
  std::string form;
  std::vector<std::int64_t> numbers;
};

std::string text_of(const Item& item) {
  std::string text;
  std::size_t next = 0;
  for (const char c : item.form) text += c == '#' ? std::to_string(item.numbers[next++]) : std::string(1, c);
  return text;
}

// Does each item follow the one `period` before it as the first two of the run do?
bool follows(std::span<const Item> items, std::size_t i, std::size_t period) {
  const Item &a = items[i], &b = items[i + period];
  if (a.form != b.form) return false;
  if (i < period) return true;
  const Item& before = items[i - period];
  for (std::size_t n = 0; n < a.numbers.size(); ++n) {
    if (b.numbers[n] - a.numbers[n] != a.numbers[n] - before.numbers[n]) return false;
  }
  return true;
}

// How many items from the first on repeat with that period.
std::size_t run_of(std::span<const Item> items, std::size_t period) {
  std::size_t i = 0;
  while (i + period < items.size() && follows(items, i, period)) ++i;
  return (i + period) / period * period;
}

std::string joined(std::span<const Item> items) {
  std::string text;
  for (const Item& item : items) text += (text.empty() ? "" : " ") + text_of(item);
  return text;
}

std::string line_of(std::span<const Item> items) {
  constexpr std::size_t longest_period = 6;
  std::string text;
  while (!items.empty()) {
    std::size_t period = 1, count = 1;
    for (std::size_t p = 1; p <= std::min(longest_period, items.size()); ++p) {
      if (const std::size_t run = run_of(items, p); run >= 3 * p && run > count) period = p, count = run;
    }
    const std::span<const Item> run = items.first(count);
    text += text.empty() ? "" : " ";
    const bool is_short = count <= 3 * period && count <= 4;
    text += is_short ? joined(run) : joined(run.first(period)) + " .. " + joined(run.last(period));
    items = items.subspan(count);
  }
  return text;
}

// ---- rows and pairs ----------------------------------------------------------------------------------------------

using plan::Column;
using plan::Kind;

Item item_of(const Column& column, const std::vector<std::string>& axes) {
  const bool one = axes.size() == 1;
  const std::string axis = column.axis < axes.size() && !one ? axes[column.axis] : "";
  constexpr std::string_view waves[] = {"s", "c", "-s", "-c"};
  switch (column.kind) {
    case Kind::constant: return {std::string(column.quarter % 2 == 0 ? "0" : column.quarter == 1 ? "1" : "-1"), {}};
    case Kind::coordinate: return {axes[column.axis], {}};
    case Kind::angle: return {"angle" + axis + "#", {column.frequency}};
    case Kind::wave: break;
  }
  return {std::string(waves[column.quarter % 4]) + axis + "#", {column.frequency}};
}

// The turn of an angle: by which frequency of which axis.
std::string turn_form(const plan::Angle& angle, const std::vector<std::string>& axes) {
  if (angle.axis == plan::no_axis) return "0";
  return (angle.axis < axes.size() && axes.size() > 1 ? axes[angle.axis] + " " : "") + "w#";
}

Item item_of(const plan::Pair& pair, const std::vector<std::string>& axes) {
  Item item = {"(#,#)", {pair.read[0], pair.read[1]}};
  if (pair.written != pair.read) {
    item.form += "->(#,#)";
    item.numbers.insert(item.numbers.end(), {pair.written[0], pair.written[1]});
  }
  const bool one = pair.angles[0] == pair.angles[1];
  item.form += ":" + turn_form(pair.angles[0], axes) + (one ? "" : "," + turn_form(pair.angles[1], axes));
  for (const plan::Angle& angle : std::span(pair.angles).first(one ? 1 : 2)) {
    if (angle.axis != plan::no_axis) item.numbers.push_back(angle.frequency);
  }
  return item;
}

// Few columns at first; then those of heads, of which sections state the pairs.
constexpr std::int64_t widths[] = {8, 12, 16, 24, 15, 32, 36, 48, 64, 80, 96, 128, 192, 256};
// What a convention may depend on.
constexpr Context any_context = {.length = 8192, .centre = 0, .learned = 1};

template <class Lower>
std::string first_line(const Convention& convention, const Lower& lower) {
  for (const std::int64_t width : widths) {
    const LoweredFor given = {.width = width, .context = any_context};
    if (check_lower(convention, given)) continue;
    const std::vector<Item> items = lower(given);
    return std::to_string(width) + ": " + line_of(items);
  }
  return "";
}

}  // namespace

std::string layout_line(const Convention& convention) {
  const std::vector<std::string> axes = axes_of(convention);
  const auto items_of = [&](const auto& list) {
    std::vector<Item> items;
    for (const auto& each : list) items.push_back(item_of(each, axes));
    return items;
  };
  if (!check_use("layout", ConventionUse::coordinates, convention)) {
    return first_line(convention,
                      [&](const LoweredFor& given) { return items_of(lower_rows(convention, given).columns); });
  }
  if (!check_use("layout", ConventionUse::rotations, convention)) {
    return first_line(convention,
                      [&](const LoweredFor& given) { return items_of(lower_step_pairs(convention, given).pairs); });
  }
  return "";
}

}  // namespace posenc
