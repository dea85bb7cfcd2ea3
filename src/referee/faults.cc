// SPDX-License-Identifier: Apache-2.0
// Faults by trial: what each would leave, beside what there is.
#include "src/referee/faults.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/base/to_text.h"
#include "src/referee/known_entries.h"
#include "src/referee/near_rows.h"
#include "src/referee/short_text.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

using plan::Kind;

std::string text(std::int64_t number) { return std::to_string(number); }

// ---- rounded angles ----------------------------------------------------------------------------------

struct Rounded {
  std::string_view words;
  bool position, frequency, product;
};
constexpr Rounded roundings[] = {{"frequencies were rounded to ", false, true, false},
                                 {"positions were rounded to ", true, false, false},
                                 {"angles were rounded to ", false, false, true},
                                 {"the angle was computed in ", true, true, true}};

bool plain_waves(const Signal& signal) {
  return signal.axes() == 1 && signal.phases.empty() && signal.plan->axes[0] == plan::Axis{} &&
         std::ranges::all_of(signal.plan->columns, [](const plan::Column& column) {
           return column.kind == Kind::wave || column.kind == Kind::constant;
         });
}

// The share of entries of the first `count` places looked at that are near those of the fault.
double share_near(const Reading& reading, const Hypothesis& asked, const Known& known, std::int64_t count,
                  const Rounded& rounded, DType type) {
  const Signal& signal = asked.signal;
  const std::vector<double>& frequencies = signal.frequencies[0];
  std::vector<double> angles;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = asked.coordinates[0].at(known.place(i));
    for (const double w : frequencies) {
      const double product = (rounded.position ? stored(x, type) : x) * (rounded.frequency ? stored(w, type) : w);
      angles.push_back(rounded.product ? stored(product, type) : product);
    }
  }
  if (!std::ranges::all_of(angles, [](double angle) { return std::isfinite(angle); })) return 0;
  const std::vector<double> waves = sines_of(std::move(angles));
  if (waves.empty()) return 0;
  std::int64_t near = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    for (std::int64_t c = 0; c < reading.width; ++c) {
      const plan::Column& column = signal.plan->columns[static_cast<std::size_t>(c)];
      double value = known.at(i, c);
      if (column.kind == Kind::wave) {
        const std::size_t at = 2 * (static_cast<std::size_t>(i) * frequencies.size() + column.frequency);
        value = signal.scale * (column.quarter >= 2 ? -1 : 1) * waves[at + column.quarter % 2];
      }
      near += known.near(i, c, reading.at(known.place(i), c), value);
    }
  }
  return static_cast<double>(near) / static_cast<double>(count * reading.width);
}

// ---- columns and rows ----------------------------------------------------------------------------------

std::vector<std::int64_t> not_zero(const std::vector<std::int64_t>& counts) {
  std::vector<std::int64_t> all;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] > 0) all.push_back(static_cast<std::int64_t>(i));
  }
  return all;
}

// What stands in columns that are wrong. Columns whose own entries are lost are explained where they are few: else the
// ladder may be another one, some of whose frequencies this one has, too.
std::optional<Fault> column_faults(const Reading& reading, const Known& known, const std::vector<std::int64_t>& wrong) {
  const std::int64_t places = known.count();
  std::vector<std::int64_t> zeros, flipped, others;
  std::vector<std::pair<std::int64_t, std::int64_t>> moved;
  const auto holds = [&](std::int64_t c, const auto& value) {
    for (std::int64_t i = 0; i < places; ++i) {
      if (!known.near(i, c, reading.at(known.place(i), c), value(i))) return false;
    }
    return true;
  };
  for (const std::int64_t c : wrong) {
    if (holds(c, [](std::int64_t) { return 0.0; })) {
      zeros.push_back(c);
    } else if (holds(c, [&](std::int64_t i) { return -known.at(i, c); })) {
      flipped.push_back(c);
    } else {
      std::int64_t from = 0;
      while (from < reading.width && !holds(c, [&](std::int64_t i) { return known.at(i, from); })) ++from;
      if (from < reading.width) {
        moved.push_back({c, from});
      } else {
        others.push_back(c);
      }
    }
  }
  if (4 * std::ssize(others) > reading.width) return std::nullopt;
  Fault fault = {{}, 1};
  std::vector<std::string>& all = fault.words;
  if (!zeros.empty()) all.push_back(counted("column", zeros) + "zero");
  if (!flipped.empty()) all.push_back(counted("column", flipped) + "of the other sign: negate");
  if (!moved.empty()) {
    constexpr std::size_t few = 8;
    const auto first = std::span(moved).first(std::min(few, moved.size()));
    const bool lost = std::ranges::any_of(moved, [&](const auto& each) {  // it stands where it belongs, too
      return std::ranges::find(wrong, each.second) == wrong.end();
    });
    if (lost && 4 * std::ssize(moved) > reading.width) {
      fault.explained = 1 - static_cast<double>(moved.size()) / static_cast<double>(reading.width);
    }
    all.push_back(
        (lost ? "columns hold others, and their own entries are lost: " : "columns are permuted: ") +
        listed(first,
               [](const auto& each) { return "column " + text(each.first) + " holds column " + text(each.second); }) +
        (moved.size() > few ? ", .." : ""));
  }
  if (!others.empty()) all.push_back(counted("column", others) + "damaged");
  return fault;
}

std::vector<std::string> row_faults(const Reading& reading, const std::vector<std::int64_t>& wrong) {
  std::vector<std::int64_t> zeros, others;
  for (const std::int64_t i : wrong) {
    bool zero = true;
    for (std::int64_t c = 0; zero && c < reading.width; ++c) zero = reading.at(i, c) == 0;
    (zero ? zeros : others).push_back(reading.row(i));
  }
  std::vector<std::string> all;
  if (!zeros.empty()) all.push_back(counted("row", zeros) + "zero: padding");
  if (!others.empty()) all.push_back(counted("row", others) + "damaged");
  return all;
}

}  // namespace

std::string place_words(const Reading& reading, const Hypothesis& asked, std::int64_t place, std::int64_t column) {
  const std::vector<std::int64_t> index = reading.index(place);
  const std::vector<std::string> names = axes_of(asked.signal.convention);
  std::string words;
  for (std::size_t a = 0; a < names.size(); ++a) {
    words += names[a] + " " + to_text(asked.coordinates[a].at(index[asked.extent_of[a]])) + ", ";
  }
  return words + "column " + text(column);
}

std::optional<Fault> rounding_fault(const Reading& reading, const Hypothesis& asked, DType storage) {
  if (!plain_waves(asked.signal)) return std::nullopt;
  const Known known = known_of(reading, asked, storage);
  const std::int64_t places = known.count();
  if (known.rows.empty()) return std::nullopt;
  std::string words;
  // A fault explains nine in ten of the entries that are wrong: a row that is damaged is none of these.
  constexpr double enough = 0.99, better = 1e-3, unexplained = 0.1;
  const std::vector<std::int64_t> wrong_in = counts_of(reading, known).rows;
  const auto wrong_entries = static_cast<double>(std::accumulate(wrong_in.begin(), wrong_in.end(), std::int64_t{0}));
  const double all = static_cast<double>(places * reading.width);
  double best = std::max(enough, 1 - unexplained * wrong_entries / all) - better;
  for (const DType type : {DType::f32, DType::bf16, DType::f16}) {
    for (const Rounded& rounded : roundings) {
      constexpr std::int64_t few = 32;
      constexpr double hopeless = 0.8;
      if (places > few && share_near(reading, asked, known, few, rounded, type) < hopeless) continue;
      const double share = share_near(reading, asked, known, places, rounded, type);
      if (share <= best + better) continue;
      best = share, words = std::string(rounded.words) + std::string(to_string(type));
    }
  }
  if (words.empty()) return std::nullopt;
  for (std::int64_t i = 0; i < places; ++i) {
    for (std::int64_t c = 0; c < reading.width; ++c) {
      if (known.near(i, c, reading.at(known.place(i), c), known.at(i, c))) continue;
      return Fault{{words + ": first wrong at " + place_words(reading, asked, known.place(i), c)}, best};
    }
  }
  return Fault{{words}, best};
}

std::optional<Fault> damaged_rows(const Reading& reading, const Hypothesis&, const Beyond& beyond) {
  if (beyond.rows.empty() || 4 * beyond.wrong_rows > reading.places()) return std::nullopt;
  if (std::ssize(beyond.rows) < beyond.wrong_rows) {
    return Fault{
        {text(beyond.wrong_rows) + " rows are damaged: the first is row " + text(reading.row(beyond.rows.front()))}, 1};
  }
  return Fault{row_faults(reading, beyond.rows), 1};
}

std::optional<Fault> damaged_columns(const Reading& reading, const Hypothesis& asked, DType storage) {
  const Known known = known_of(reading, asked, storage);
  if (known.rows.empty()) return std::nullopt;
  const Counts counts = counts_of(reading, known);
  const std::vector<std::int64_t> columns = not_zero(counts.columns);
  if (columns.empty()) return std::nullopt;
  return column_faults(reading, known, columns);
}

}  // namespace posenc::referee
