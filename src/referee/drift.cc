// SPDX-License-Identifier: Apache-2.0
// Differences between a tensor and a hypothesis, column by column and from a row to the next.
#include "src/referee/drift.h"

#include <algorithm>
#include <cmath>

#include "src/referee/known_entries.h"
#include "src/referee/short_text.h"

namespace posenc::referee {
namespace {

// Squares of differences of finite entries, but for what each entry may be off by.
struct Differences {
  std::vector<double> rows, columns;  // mean squares
  double squares = 0;                 // the mean of all
  double of_entries = 0;              // the mean square of the known entries
  double going_on = 0;                // the correlation of a row with the next
  std::int64_t far = 0, finite = 0;   // entries that are not near; all
};
Differences differences_of(const Reading& reading, const Known& known) {
  const std::int64_t places = known.count(), width = reading.width;
  Differences all = {std::vector<double>(static_cast<std::size_t>(places)),
                     std::vector<double>(static_cast<std::size_t>(width))};
  std::vector<double> last(static_cast<std::size_t>(width));
  double both = 0, followed = 0;
  for (std::int64_t i = 0; i < places; ++i) {
    const bool follows = i > 0 && known.place(i) == known.place(i - 1) + 1;
    for (std::int64_t c = 0; c < width; ++c) {
      const double got = reading.at(known.place(i), c), right = known.at(i, c);
      if (!std::isfinite(got)) continue;
      const double off = got - right, square = off * off;
      ++all.finite, all.far += !known.near(i, c, got, right);
      all.rows[static_cast<std::size_t>(i)] += square / static_cast<double>(width);
      all.columns[static_cast<std::size_t>(c)] += square / static_cast<double>(places);
      all.squares += square, all.of_entries += right * right;
      if (follows) both += off * last[static_cast<std::size_t>(c)], followed += square;
      last[static_cast<std::size_t>(c)] = off;
    }
  }
  if (all.finite == 0) return all;
  all.squares /= static_cast<double>(all.finite), all.of_entries /= static_cast<double>(all.finite);
  all.going_on = followed > 0 ? both / followed : 0;
  return all;
}

// Of n squares of one normal variable the mean is off by sqrt(2 / n) of itself; 4 of these, and a factor of 2.
bool is_even(const std::vector<double>& squares, std::int64_t of_each) {
  const double chance = 1 + 4 * std::sqrt(2 / static_cast<double>(of_each));
  const auto [least, greatest] = std::ranges::minmax(squares);
  return greatest <= 2 * chance * chance * least;
}

std::string three_digits(double value) { return short_text(value, 3); }

// The fewest columns side by side that have `share` of the sum.
std::pair<std::size_t, std::size_t> bulk(const std::vector<double>& squares, double share) {
  double all = 0;
  for (const double each : squares) all += each;
  std::pair<std::size_t, std::size_t> best = {0, squares.size()};
  double sum = 0;
  for (std::size_t from = 0, to = 0; from < squares.size(); sum -= squares[from++]) {
    while (to < squares.size() && sum < share * all) sum += squares[to++];
    if (sum >= share * all && to - from < best.second - best.first) best = {from, to};
  }
  return best;
}
double mean_of(const std::vector<double>& squares, std::size_t from, std::size_t to) {
  double sum = 0;
  for (std::size_t c = from; c < to; ++c) sum += squares[c];
  return sum / static_cast<double>(std::max<std::size_t>(to - from, 1));
}

// A few entries, or differences as large as entries, are something else.
bool is_added(const Differences& all) {
  constexpr double fewest = 0.05;
  return static_cast<double>(all.far) > fewest * static_cast<double>(all.finite) && all.squares < all.of_entries;
}
constexpr double goes_on = 0.5;

}  // namespace

std::optional<Fault> noisy_entries(const Reading& reading, const Hypothesis& asked, DType storage) {
  const Known known = known_of(reading, asked, storage);
  if (known.rows.empty()) return std::nullopt;
  const Differences all = differences_of(reading, known);
  if (!is_added(all) || std::abs(all.going_on) >= goes_on) return std::nullopt;
  if (!is_even(all.columns, known.count()) || !is_even(all.rows, reading.width)) return std::nullopt;
  return Fault{{"noise of size " + three_digits(std::sqrt(all.squares)) + " (root mean square) on every column"}, 0};
}

std::optional<Fault> drifted_columns(const Reading& reading, const Hypothesis& asked, DType storage) {
  const Known known = known_of(reading, asked, storage);
  constexpr std::int64_t fewest_places = 4, fewest_columns = 4;
  if (known.rows.empty() || known.count() < fewest_places || reading.width < fewest_columns) return std::nullopt;
  const Differences all = differences_of(reading, known);
  if (!is_added(all)) return std::nullopt;
  const bool even = is_even(all.columns, known.count());
  if (all.going_on < goes_on && even) return std::nullopt;
  constexpr double most = 0.95;
  const auto [from, to] = even ? std::pair<std::size_t, std::size_t>{0, all.columns.size()} : bulk(all.columns, most);
  const auto size = [&](std::size_t a, std::size_t b) { return std::sqrt(mean_of(all.columns, a, b)); };
  std::vector<double> quarters;
  for (std::size_t part = 0; part < 4 && to - from >= 4; ++part) {
    quarters.push_back(size(from + part * (to - from) / 4, from + (part + 1) * (to - from) / 4));
  }
  const bool grows = !even && !quarters.empty() && std::ranges::is_sorted(quarters);
  const bool falls = !even && !quarters.empty() && std::ranges::is_sorted(quarters, std::greater<>());
  std::string words = all.going_on >= goes_on ? "learned from a sinusoid: " : "noise, or learned from a sinusoid: ";
  const std::string columns = "columns " + std::to_string(from) + " to " + std::to_string(to - 1);
  if (even) {
    words += "distance is " + three_digits(std::sqrt(all.squares)) + " in every column";
  } else if (grows) {
    words += "distance grows in " + columns + ", to " + three_digits(quarters.back());
  } else if (falls) {
    words += "distance falls in " + columns + ", from " + three_digits(quarters.front());
  } else {
    words += "distance is greatest in " + columns + ", " + three_digits(size(from, to));
  }
  return Fault{{words + " (root mean square)"}, 0};
}

}  // namespace posenc::referee
