// SPDX-License-Identifier: Apache-2.0
// Least squares over a few rows, then every one of their entries beside what the function makes of it.
#include "src/referee/mapped_entries.h"

#include <algorithm>
#include <cmath>

#include "src/base/to_text.h"
#include "src/referee/known_entries.h"
#include "src/referee/short_text.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

// To so many digits as a table of the type tells.
std::string digits_of(double factor, DType storage) {
  double unit = storage == DType::bf16 || storage == DType::f16 ? 1e-3 : 1e-6;
  for (double size = std::abs(factor); size >= 10; size /= 10) unit *= 10;
  for (double size = std::abs(factor); size < 1 && unit > 1e-15; size *= 10) unit /= 10;
  const double per = std::rint(1 / unit);
  return to_text(per >= 1 ? std::rint(factor * per) / per : std::rint(factor / unit) * unit);
}
// "22.62742 = sqrt 512", of the width that the convention was asked for, the table's or half of it.
std::string scale_words(double factor, const Signal& signal, DType storage) {
  constexpr double near = 1e-3;
  const double square = factor * factor;
  for (const std::int64_t size : {signal.given.width, signal.width(), signal.width() / 2}) {
    const double n = static_cast<double>(size);
    if (factor <= 0 || size < 2) continue;
    const std::string words = std::to_string(size);
    if (std::abs(square - n) <= near * n) return digits_of(std::sqrt(n), DType::f32) + " = sqrt " + words;
    if (std::abs(square * n - 1) <= near) return digits_of(1 / std::sqrt(n), DType::f32) + " = 1 / sqrt " + words;
    if (std::abs(square * n - 2) <= 2 * near)
      return digits_of(std::sqrt(2 / n), DType::f32) + " = sqrt(2 / " + words + ")";
  }
  return digits_of(factor, storage);
}

std::vector<double> mapped_values(const Reading& reading, const Known& known) {
  std::vector<double> all;
  for (std::int64_t i = 0; i < known.count(); ++i) {
    for (std::int64_t c = 0; c < reading.width; ++c) all.push_back(reading.at(known.place(i), c));
  }
  return all;
}

// Is every entry the known one by a factor, and a shift, but for `step`?
bool all_are(std::span<const double> got, const Known& known, const Affine& by, double step) {
  const double size = std::abs(by.factor);
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double right = by.factor * known.rows[i] + by.shift;
    const double most = step + size * known.off[i] + known.relative * (std::abs(right) + std::abs(by.shift));
    if (!(std::abs(got[i] - right) <= most)) return false;
  }
  return true;
}

// The number of which all entries are multiples, where it is coarser than the numbers of the type are; 0 otherwise.
double step_of(std::span<const double> got, double size, DType storage) {
  constexpr std::size_t fewest_entries_of_each = 2;
  std::vector<double> values(got.begin(), got.end());
  std::ranges::sort(values);
  const auto repeated = std::ranges::unique(values);
  values.erase(repeated.begin(), repeated.end());
  if (values.size() < 2 || values.size() * fewest_entries_of_each > got.size()) return 0;
  double step = values.back() - values.front();
  for (std::size_t i = 1; i < values.size(); ++i) step = std::min(step, values[i] - values[i - 1]);
  constexpr double off = 0.02, coarser = 2;  // off by a part of a step
  if (!(step > coarser * tolerance_of(storage).noise * size)) return 0;
  const double steps = std::rint((values.back() - values.front()) / step);
  step = (values.back() - values.front()) / steps;
  const auto is_multiple = [&](double x) { return std::abs(x / step - std::rint(x / step)) <= off; };
  return std::ranges::all_of(values, is_multiple) ? step : 0;
}

// "0.5", "1/127"
std::string step_words(double step) {
  constexpr double near = 1e-3;
  const double per = std::rint(1 / step);
  return per > 1 && std::abs(1 / step - per) <= near * per ? "1/" + to_text(per) : short_text(step, 4);
}

// A few digits, of a number that is off by up to `off`.
std::string number_words(double value, double off) {
  const auto simple = simple_number({std::min(value - off, value + off), std::max(value - off, value + off)});
  return simple ? simple->text : short_text(value, 4);
}

}  // namespace

Affine affine_of(std::span<const double> got, std::span<const double> known) {
  double count = 0, sum_got = 0, sum_known = 0;
  const auto tells = [&](std::size_t i) { return std::isfinite(got[i]) && std::isfinite(known[i]); };
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (tells(i)) count += 1, sum_got += got[i], sum_known += known[i];
  }
  if (count == 0) return {};
  double both = 0, of_got = 0, of_known = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    if (!tells(i)) continue;
    const double x = got[i] - sum_got / count, y = known[i] - sum_known / count;
    both += x * y, of_got += x * x, of_known += y * y;
  }
  if (!(of_got > 0) || !(of_known > 0)) return {};
  const double factor = both / of_known;
  return {factor, (sum_got - factor * sum_known) / count, 1 - both * both / (of_got * of_known)};
}

std::optional<Fault> scale_fault(const Reading& reading, const Hypothesis& asked, DType storage) {
  const Known known = known_of(reading, asked, storage);
  if (known.rows.empty()) return std::nullopt;
  const std::vector<double> got = mapped_values(reading, known);
  double both = 0, squares = 0;
  for (std::size_t i = 0; i < got.size(); ++i) both += got[i] * known.rows[i], squares += known.rows[i] * known.rows[i];
  if (squares == 0 || both == 0) return std::nullopt;
  const double factor = both / squares;
  constexpr double one = 1e-3;
  if (!(std::abs(factor) < 0x1p100) || std::abs(factor - 1) < one) return std::nullopt;
  if (!all_are(got, known, {factor, 0, 0}, 0)) return std::nullopt;
  if (std::abs(factor + 1) < one) return Fault{{"all entries have the other sign: negate"}, 1};
  return Fault{{"scaled by " + scale_words(factor, asked.signal, storage) + ": divide by it"}, 1};
}

std::optional<Fault> mapping_fault(const Reading& reading, const Hypothesis& asked, DType storage) {
  const Known known = known_of(reading, asked, storage);
  if (known.rows.empty()) return std::nullopt;
  const std::vector<double> got = mapped_values(reading, known);
  const Affine by = affine_of(got, known.rows);
  constexpr double most_unexplained = 0.01, little = 1e-3;
  const double size = std::abs(by.factor);
  if (!(size > 0) || !(size < 0x1p100) || by.unexplained > most_unexplained) return std::nullopt;
  const double step = step_of(got, size, storage);
  // Columns that hardly change are all rounded alike, which moves both numbers of least squares by a part of a step.
  constexpr double of_step = 0.125;
  if (!all_are(got, known, by, step * (0.5 + of_step))) return std::nullopt;
  const double off = std::max(little * size, of_step * step);
  const bool scaled = std::abs(by.factor - 1) > off, shifted = std::abs(by.shift) > off;
  if (!shifted && step == 0) return std::nullopt;
  std::vector<std::string> words;
  const std::string factor = number_words(by.factor, off), shift = number_words(by.shift, off);
  if (scaled) words.push_back("scaled by " + factor);
  if (shifted) words.push_back((scaled ? "then " : "") + shift + " was added");
  if (step > 0) words.push_back("entries are rounded to multiples of " + step_words(step) + ": quantised");
  if (step == 0) words.back() += ": subtract it" + (scaled ? ", then divide by " + factor : "");
  return Fault{std::move(words), 1};
}

}  // namespace posenc::referee
