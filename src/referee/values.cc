// SPDX-License-Identifier: Apache-2.0
// Entries by themselves: which values there are, and what becomes of them from a row to the next.
#include "src/referee/values.h"

#include <algorithm>
#include <cmath>

#include "src/base/to_text.h"
#include "src/referee/hold.h"
#include "src/referee/short_text.h"

namespace posenc::referee {
namespace {

constexpr std::int64_t most_looked_at = std::int64_t{1} << 17;

// Calls each(index, value) in row-major order, until it says false or `most` were seen.
template <class Each>
void for_entries(const ConstView& tensor, std::int64_t most, const Each& each) {
  std::vector<std::int64_t> index(static_cast<std::size_t>(tensor.rank));
  const std::int64_t count = std::min(tensor.count(), most);
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t offset = 0;
    for (int axis = 0; axis < tensor.rank; ++axis) {
      offset += index[static_cast<std::size_t>(axis)] * tensor.stride(axis);
    }
    if (!each(index, real_at(tensor, offset))) return;
    for (int axis = tensor.rank - 1; axis >= 0; --axis) {
      if (++index[static_cast<std::size_t>(axis)] < tensor.size(axis)) break;
      index[static_cast<std::size_t>(axis)] = 0;
    }
  }
}

// The values of the first entries, each once, in order; none where there are more than `most`.
std::vector<double> values_of(const ConstView& tensor, std::size_t most) {
  std::vector<double> values;
  for_entries(tensor, most_looked_at, [&](const auto&, double x) {
    const auto at = std::ranges::lower_bound(values, x);
    if (at != values.end() && *at == x) return true;
    if (values.size() == most) {
      values.clear();
      return false;
    }
    values.insert(at, x);
    return true;
  });
  return values;
}

// Rows of the last axis, whatever the others count.
struct LastAxisRows {
  std::int64_t count, width;
  std::vector<double> entries;
  double at(std::int64_t i, std::int64_t c) const { return entries[static_cast<std::size_t>(i * width + c)]; }
};
LastAxisRows first_rows(const ConstView& tensor) {
  const std::int64_t width = tensor.size(-1);
  LastAxisRows rows = {std::min(tensor.count(), most_looked_at) / width, width, {}};
  for_entries(tensor, rows.count * width, [&](const auto&, double x) {
    rows.entries.push_back(x);
    return true;
  });
  return rows;
}

bool is_one_hot(const LastAxisRows& rows) {
  for (std::int64_t i = 0; i < rows.count; ++i) {
    std::int64_t ones = 0;
    for (std::int64_t c = 0; c < rows.width; ++c) ones += rows.at(i, c) != 0;
    if (ones != 1) return false;
  }
  return rows.count > 0;
}
bool is_orthogonal(const LastAxisRows& rows) {
  const std::int64_t some = std::min<std::int64_t>(rows.count, 64);
  for (std::int64_t i = 0; i < some; ++i) {
    for (std::int64_t j = 0; j < i; ++j) {
      double product = 0;
      for (std::int64_t c = 0; c < rows.width; ++c) product += rows.at(i, c) * rows.at(j, c);
      if (product != 0) return false;
    }
  }
  return some > 1;
}

// Two values or three.
std::optional<std::string> of_few(const ConstView& tensor, const std::vector<double>& values) {
  constexpr std::int64_t fewest_entries = 64;
  if (values.size() > 3 || tensor.count() < fewest_entries || tensor.rank < 2) return std::nullopt;
  const LastAxisRows rows = first_rows(tensor);
  std::string words = "values are few: " + to_text(values[0]);
  for (std::size_t i = 1; i < values.size(); ++i) {
    words += (i + 1 == values.size() ? " and " : ", ") + to_text(values[i]);
  }
  if (values.size() == 2 && (values[0] == 0 || values[1] == 0) && is_one_hot(rows)) return words + " (one hot)";
  if (values.size() == 2 && values[0] == -values[1] && is_orthogonal(rows)) return words + " (Hadamard)";
  return words;
}

bool rows_are_equal(const LastAxisRows& rows) {
  for (std::int64_t i = 1; i < rows.count; ++i) {
    for (std::int64_t c = 0; c < rows.width; ++c) {
      if (rows.at(i, c) != rows.at(0, c)) return false;
    }
  }
  return rows.count > 1;
}

// [.., L, S]: along every diagonal one value.
bool is_of_distances(const ConstView& tensor) {
  constexpr std::int64_t fewest = 4;
  if (tensor.rank < 2 || tensor.size(-1) < fewest || tensor.size(-2) < fewest) return false;
  const LastAxisRows rows = first_rows(tensor);
  const std::int64_t queries = tensor.size(-2);
  for (std::int64_t i = 1; i < rows.count; ++i) {
    if (i % queries == 0) continue;
    for (std::int64_t c = 1; c < rows.width; ++c) {
      if (rows.at(i, c) != rows.at(i - 1, c - 1)) return false;
    }
  }
  return rows.count >= std::min<std::int64_t>(queries, fewest);
}

// ---- waves -----------------------------------------------------------------------------------------

enum class ColumnKind : std::uint8_t { wave = 1, line, other };

// One column of consecutive rows, by least squares of x(i - 1) + x(i + 1) - 2 x(i) = a x(i) + m.
ColumnKind kind_of(const std::vector<double>& x, const Tolerance& tolerance) {
  const auto count = static_cast<double>(x.size() - 2);
  double largest = 0, mean_x = 0, mean_bend = 0;
  for (const double each : x) largest = std::max(largest, std::abs(each));
  // Three entries of a bend are off by roundings, four times in the worst case, the angle of the last row included.
  const double off =
      4 * largest * (tolerance.noise + 0x1p-21) + largest * tolerance.drift * static_cast<double>(x.size());
  const auto bend = [&](std::size_t i) { return x[i - 1] + x[i + 1] - 2 * x[i]; };
  bool straight = true;
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    straight &= std::abs(bend(i)) <= off;
    mean_x += x[i] / count, mean_bend += bend(i) / count;
  }
  if (straight) return ColumnKind::line;
  double both = 0, squares = 0;
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    both += (x[i] - mean_x) * (bend(i) - mean_bend), squares += (x[i] - mean_x) * (x[i] - mean_x);
  }
  const double a = squares > 0 ? both / squares : 0;
  if (!(a < 0) || a < -4) return ColumnKind::other;
  for (std::size_t i = 1; i + 1 < x.size(); ++i) {
    if (std::abs(bend(i) - mean_bend - a * (x[i] - mean_x)) > 2 * off) return ColumnKind::other;
  }
  return ColumnKind::wave;
}

struct ColumnCounts {
  std::int64_t waves = 0, lines = 0, others = 0;
};
ColumnCounts column_kinds(const Reading& reading, const Tolerance& tolerance) {
  const std::int64_t rows = std::min<std::int64_t>(reading.places(), 1024);
  const std::int64_t step = std::max<std::int64_t>(reading.width * rows / most_looked_at, 1);
  ColumnCounts columns;
  std::vector<double> x(static_cast<std::size_t>(rows));
  for (std::int64_t c = 0; c < reading.width; c += step) {
    for (std::int64_t i = 0; i < rows; ++i) x[static_cast<std::size_t>(i)] = reading.at(i, c);
    const ColumnKind kind = kind_of(x, tolerance);
    columns.waves += kind == ColumnKind::wave, columns.lines += kind == ColumnKind::line;
    columns.others += kind == ColumnKind::other;
  }
  return columns;
}

// Of rows with the next ones, the mean of each column left out.
double going_on(const Reading& reading) {
  const std::int64_t rows = std::min<std::int64_t>(reading.places(), 1024);
  const std::int64_t step = std::max<std::int64_t>(reading.width * rows / most_looked_at, 1);
  double both = 0, squares = 0;
  for (std::int64_t c = 0; c < reading.width; c += step) {
    double mean = 0;
    for (std::int64_t i = 0; i < rows; ++i) mean += reading.at(i, c) / static_cast<double>(rows);
    for (std::int64_t i = 0; i < rows; ++i) {
      const double x = reading.at(i, c) - mean;
      squares += x * x;
      if (i > 0) both += x * (reading.at(i - 1, c) - mean);
    }
  }
  return squares > 0 ? both / squares : 0;
}

}  // namespace

std::optional<NotFinite> not_finite(const ConstView& tensor) {
  std::int64_t count = 0;
  std::vector<std::int64_t> first;
  for_entries(tensor, tensor.count(), [&](const std::vector<std::int64_t>& index, double x) {
    if (std::isfinite(x)) return true;
    if (count++ == 0) first = index;
    return true;
  });
  if (count == 0) return std::nullopt;
  const std::string_view what = count == 1 ? " entry is not finite: " : " entries are not finite, the first is ";
  return NotFinite{count, std::to_string(count) + std::string(what) + to_text(std::span<const std::int64_t>(first))};
}

bool is_constant(const ConstView& tensor) {
  std::optional<double> first;
  bool constant = tensor.count() > 1;
  for_entries(tensor, tensor.count(), [&](const std::vector<std::int64_t>&, double x) {
    if (!first) first = x;
    constant = constant && x == *first;
    return constant;
  });
  return constant;
}

std::optional<std::string> plain_values(const ConstView& tensor) {
  const std::vector<double> values = values_of(tensor, 3);
  if (values.size() == 1) return values[0] == 0 ? "zeros" : "constant: " + to_text(values[0]);
  if (!values.empty()) {
    if (auto few = of_few(tensor, values)) return few;
  }
  if (tensor.rank < 2) return std::nullopt;
  if (tensor.size(-1) > 1 && rows_are_equal(first_rows(tensor))) return "rows are equal";
  if (is_of_distances(tensor)) return "entries depend on key - query alone: biases of distances";
  return std::nullopt;
}

std::optional<std::string> few_values(const ConstView& tensor) {
  constexpr std::size_t most = 64, entries_each = 16;
  const std::vector<double> values = values_of(tensor, most);
  if (values.size() < 3 || static_cast<std::size_t>(tensor.count()) < entries_each * values.size()) return std::nullopt;
  const double span = values.back() - values.front();
  double step = span;
  for (std::size_t i = 1; i < values.size(); ++i) step = std::min(step, values[i] - values[i - 1]);
  if (!(step > 0) || span > most * step) return std::nullopt;
  step = span / std::rint(span / step);
  constexpr double off = 0.05;  // of a step
  const auto is_multiple = [&](double x) { return std::abs(x / step - std::rint(x / step)) <= off; };
  if (!std::ranges::all_of(values, is_multiple)) return std::nullopt;
  const double per = std::rint(1 / step);
  const bool fraction = std::abs(1 / step - per) <= off * per && per >= 1;
  return "values are few: multiples of " + (fraction && per > 1 ? "1/" + to_text(per) : short_text(step, 4)) + ", " +
         std::to_string(values.size()) + " of them";
}

std::string spectrum_words(const ConstView& tensor, DType storage) {
  const Tolerance tolerance = tolerance_of(storage);
  constexpr std::int64_t fewest = 8;
  ColumnCounts most;
  std::optional<double> related;
  for (const Reading& reading : readings(tensor, Grids::stated)) {
    if (reading.extents.size() != 1 || reading.extra > 0 || reading.places() < fewest) continue;
    const ColumnCounts columns = column_kinds(reading, tolerance);
    if (!related) related = going_on(reading);
    if (columns.waves > most.waves || most.waves + most.lines + most.others == 0) most = columns;
  }
  const std::int64_t all = most.waves + most.lines + most.others;
  if (most.waves > 0 && most.others == 0) return "columns are waves of one frequency each, in no known ladder";
  if (all > 0 && most.others == 0) return "columns are straight lines";
  if (4 * most.waves >= all && most.waves > 1) {
    return std::to_string(most.waves) + " of " + std::to_string(all) + " columns are waves of one frequency";
  }
  if (!related) return "no line spectrum";
  constexpr double alike = 0.5;
  // + 0: a zero has no sign.
  const std::string number = " (correlation " + short_text(std::rint(*related * 100) / 100 + 0, 3) + ")";
  return *related >= alike ? "learned, or smooth otherwise: no line spectrum; neighbouring rows are alike" + number
                           : "no line spectrum; neighbouring rows are unrelated" + number;
}

}  // namespace posenc::referee
