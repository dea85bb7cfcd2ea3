// SPDX-License-Identifier: Apache-2.0
// Tables of images resized: some columns at a time, first along the width, then along the height.
#include <posenc/resize.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/encodings/rules.h"

namespace posenc {
namespace {

constexpr std::int64_t most_side = std::int64_t{1} << 11;
constexpr std::int64_t block_columns = 16;  // of 200 x 200 cells in f32: 2.5 MB

Problem resize_problem(std::string rule, std::string value) {
  return {"resize_table", std::move(rule), std::move(value)};
}

std::string size_text(const GridSize& size) { return std::to_string(size.height) + " x " + std::to_string(size.width); }

std::optional<Problem> check_size(std::string_view name, const GridSize& size) {
  for (const std::int64_t side : {size.height, size.width}) {
    if (side < 1 || side > most_side) {
      return resize_problem(std::string(name) + " must have sides of 1 to 2^11", size_text(size));
    }
  }
  return std::nullopt;
}

template <class Pointer>
std::optional<Problem> check_rows(std::string_view name, const Convention& convention, const GridSize& size,
                                  const BasicView<Pointer>& view) {
  const std::int64_t rows = table_rows(convention, size);
  if (view.rank == 2 && view.size(0) == rows) return std::nullopt;
  return resize_problem(std::string(name) + " must have shape [" + std::to_string(rows) + ", d], the rows of " +
                            size_text(size) + " cells and " + std::to_string(rows - size.height * size.width) + " more",
                        shape_text(view));
}

struct Resizing {
  const ConstView& table;
  const View& out;
  plan::TapPlan lines, columns;  // along the height, and along the width
  plan::KeptRows kept;
  std::int64_t width;  // of a line of the table
};

// Some columns of a row, as numbers that are summed.
template <class Sum>
using Numbers = std::array<Sum, block_columns>;

template <class Sum, class Row>
Numbers<Sum> summed(const plan::Taps& taps, std::int64_t count, const Row& row) {
  Numbers<Sum> sums = {};
  for (const plan::Tap& tap : taps) {
    const auto weight = static_cast<Sum>(tap.weight);
    const auto& from = row(tap.cell);
    for (std::int64_t c = 0; c < count; ++c) {
      sums[static_cast<std::size_t>(c)] += weight * static_cast<Sum>(from[static_cast<std::size_t>(c)]);
    }
  }
  return sums;
}

template <class T>
Numbers<float> read_row(const ConstView& table, std::int64_t row, std::int64_t column, std::int64_t count) {
  const StridedRow<const T> from = strided_row<const T>(table, {row});
  Numbers<float> numbers = {};
  for (std::int64_t c = 0; c < count; ++c) {
    numbers[static_cast<std::size_t>(c)] = static_cast<float>(from[column + c]);
  }
  return numbers;
}

// Columns column .. column + count - 1 of all cells: along the width first, as PyTorch and SciPy sum.
template <class T, class Sum>
void resize_columns(const Resizing& how, std::int64_t column, std::int64_t count) {
  const std::int64_t cells = std::ssize(how.columns.places),
                     height = how.table.size(0) - how.kept.before - how.kept.behind;
  std::vector<Numbers<Sum>> narrowed;
  for (std::int64_t first = how.kept.before; first < how.kept.before + height; first += how.width) {
    for (const plan::Taps& across : how.columns.places) {
      narrowed.push_back(summed<Sum>(
          across, count, [&](std::int64_t cell) { return read_row<T>(how.table, first + cell, column, count); }));
    }
  }
  std::int64_t row = how.kept.before;
  for (const plan::Taps& down : how.lines.places) {
    for (std::int64_t x = 0; x < cells; ++x) {
      const Numbers<Sum> sums = summed<Sum>(down, count, [&](std::int64_t line) -> const Numbers<Sum>& {
        return narrowed[static_cast<std::size_t>(line * cells + x)];
      });
      const StridedRow<T> to = strided_row<T>(how.out, {row++});
      for (std::int64_t c = 0; c < count; ++c) {
        to[column + c] = static_cast<T>(static_cast<float>(sums[static_cast<std::size_t>(c)]));
      }
    }
  }
}

// The mean of every block of cells: its sum line by line, divided by its lines, then by its columns, as PyTorch does.
template <class T, class Sum>
void mean_columns(const Resizing& how, std::int64_t column, std::int64_t count) {
  std::int64_t row = how.kept.before;
  for (const plan::Taps& down : how.lines.places) {
    for (const plan::Taps& across : how.columns.places) {
      Numbers<Sum> sums = {};
      for (const plan::Tap& y : down) {
        for (const plan::Tap& x : across) {
          const std::int64_t cell = how.kept.before + y.cell * how.width + x.cell;
          const Numbers<float> numbers = read_row<T>(how.table, cell, column, count);
          std::ranges::transform(sums, numbers, sums.begin(), std::plus());
        }
      }
      const StridedRow<T> to = strided_row<T>(how.out, {row++});
      const auto lines = static_cast<Sum>(down.size()), columns = static_cast<Sum>(across.size());
      for (std::int64_t c = 0; c < count; ++c) {
        to[column + c] = static_cast<T>(static_cast<float>(sums[static_cast<std::size_t>(c)] / lines / columns));
      }
    }
  }
}

template <class T, class Sum>
void make_columns(const Resizing& how, std::int64_t column, std::int64_t count) {
  if (how.lines.means) return mean_columns<T, Sum>(how, column, count);
  resize_columns<T, Sum>(how, column, count);
}

template <class T>
void copy_rows(const ConstView& table, const View& out, std::int64_t from, std::int64_t to, std::int64_t count) {
  for (std::int64_t row = 0; row < count; ++row) {
    const StridedRow<const T> source = strided_row<const T>(table, {from + row});
    const StridedRow<T> target = strided_row<T>(out, {to + row});
    for (std::int64_t i = 0; i < out.size(-1); ++i) target[i] = source[i];
  }
}

template <class T>
void resize_rows(const Resizing& how, const Executor& executor) {
  const std::int64_t cells = std::ssize(how.lines.places) * std::ssize(how.columns.places);
  // The mean of a whole table is a tree of f32 sums in PyTorch: f64 is within two units in the last place of it.
  const bool in_f32 = how.lines.in_f32 && !(how.lines.means && cells == 1);
  for_blocks(executor, how.out.size(-1), block_columns, [&](std::int64_t begin, std::int64_t end) {
    if (in_f32) {
      make_columns<T, float>(how, begin, end - begin);
    } else {
      make_columns<T, double>(how, begin, end - begin);
    }
  });
  copy_rows<T>(how.table, how.out, 0, 0, how.kept.before);
  copy_rows<T>(how.table, how.out, how.table.size(0) - how.kept.behind, how.kept.before + cells, how.kept.behind);
}

}  // namespace

std::int64_t table_rows(const Convention& convention, const GridSize& size) {
  const plan::KeptRows kept = lower_kept_rows(convention);
  return size.height * size.width + kept.before + kept.behind;
}

GridSize square_table(const Convention& convention, const ConstView& table) {
  const std::int64_t cells = table.rank == 0 ? 0 : table.size(0) - table_rows(convention, {0, 0});
  if (cells < 1 || cells > most_side * most_side) return {0, 0};
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(cells)));  // exact below 2^52
  return {side, side};
}

std::optional<Problem> check_resize_table(const Convention& convention, const ConstView& table, const GridSize& from,
                                          const GridSize& to, const View& out, const Options& options) {
  if (auto problem = check_use("resize_table", ConventionUse::resized_tables, convention)) return problem;
  if (auto problem = check_exact("resize_table", options)) return problem;
  if (auto problem = check_lower(convention, {})) return problem;
  if (auto problem = check_size("from", from)) return problem;
  if (auto problem = check_size("to", to)) return problem;
  if (auto problem = check_output("resize_table", "out", out)) return problem;
  if (auto problem = check_view("resize_table", "table", table)) return problem;
  if (!is_real(out.dtype) || out.dtype == DType::f64) {
    return resize_problem("out must be f32, f16 or bf16", std::string(to_string(out.dtype)));
  }
  if (auto problem = check_rows("table", convention, from, table)) return problem;
  if (auto problem = check_rows("out", convention, to, out)) return problem;
  if (table.dtype == out.dtype && table.size(1) == out.size(1)) {
    return check_apart("resize_table", "table", table, "out", out);
  }
  const auto text = [](const auto& view) { return std::string(to_string(view.dtype)) + " " + shape_text(view); };
  return resize_problem("table must have type and columns of out, " + text(out), text(table));
}

void detail::resize_table(const Convention& convention, const ConstView& table, const GridSize& from,
                          const GridSize& to, const View& out, const Executor& executor) {
  if (from == to) {
    with_real(out.dtype, [&]<class T>(T) { copy_rows<T>(table, out, 0, 0, out.size(0)); });
    return;
  }
  const DefaultEnvironment environment;
  const Resizing how = {table,
                        out,
                        lower_taps(convention, from.height, to.height),
                        lower_taps(convention, from.width, to.width),
                        lower_kept_rows(convention),
                        from.width};
  with_real(out.dtype, [&]<class T>(T) {
    if constexpr (!std::is_same_v<T, double>) resize_rows<T>(how, executor);
  });
}

}  // namespace posenc
