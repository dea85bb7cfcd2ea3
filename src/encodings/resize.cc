// SPDX-License-Identifier: Apache-2.0
// Tables of images resized: a line of the target at a time, first along the height, then along the width.
#include <posenc/resize.h>

#include <cmath>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/scratch.h"
#include "src/encodings/rules.h"

namespace posenc {
namespace {

constexpr std::int64_t most_side = std::int64_t{1} << 15;
constexpr std::int64_t most_cells = std::int64_t{1} << 30;
constexpr std::int64_t block_columns = 64;  // of a line of 200 cells in f64: 100 KiB

Problem resize_problem(std::string rule, std::string value) {
  return {"resize_table", std::move(rule), std::move(value)};
}

std::string size_text(const TableSize& size) {
  return std::to_string(size.height) + " x " + std::to_string(size.width);
}

std::optional<Problem> check_size(std::string_view name, const TableSize& size) {
  for (const std::int64_t side : {size.height, size.width}) {
    if (side < 1 || side > most_side) {
      return resize_problem(std::string(name) + " must have sides of 1 to 2^15", size_text(size));
    }
  }
  if (size.height * size.width <= most_cells) return std::nullopt;
  return resize_problem(std::string(name) + " must have at most 2^30 cells", size_text(size));
}

template <class Pointer>
std::optional<Problem> check_rows(std::string_view name, const Convention& convention, const TableSize& size,
                                  const BasicView<Pointer>& view) {
  const std::int64_t rows = table_rows(convention, size);
  if (view.rank == 2 && view.size(0) == rows) return std::nullopt;
  return resize_problem(std::string(name) + " must have shape [" + std::to_string(rows) + ", d], the rows of " +
                            size_text(size) + " cells and " + std::to_string(rows - size.height * size.width) + " more",
                        shape_text(view));
}

// Row t of a table in the type in which it is summed.
template <class T>
void add_row(const ConstView& table, std::int64_t row, std::int64_t column, std::int64_t count, double weight,
             double* sums) {
  const StridedRow<const T> from = strided_row<const T>(table, {row});
  for (std::int64_t i = 0; i < count; ++i)
    sums[i] += weight * static_cast<double>(static_cast<float>(from[column + i]));
}

struct Resizing {
  const ConstView& table;
  const View& out;
  plan::TapPlan lines, columns;  // along the height, and along the width
  plan::KeptRows kept;
  std::int64_t width;  // of a line of the table
};

// The columns of one line of the target, from `column` on.
template <class T>
void resize_columns(const Resizing& how, std::int64_t line, std::int64_t column, std::int64_t count, double* sums) {
  const plan::Taps& down = how.lines[static_cast<std::size_t>(line)];
  std::fill_n(sums, how.width * block_columns, 0.0);
  for (std::int64_t i = 0; i < std::ssize(down.weights); ++i) {
    for (std::int64_t x = 0; x < how.width; ++x) {
      add_row<T>(how.table, how.kept.before + (down.first + i) * how.width + x, column, count,
                 down.weights[static_cast<std::size_t>(i)], sums + x * block_columns);
    }
  }
  const std::int64_t cells = std::ssize(how.columns);
  for (std::int64_t x = 0; x < cells; ++x) {
    const plan::Taps& across = how.columns[static_cast<std::size_t>(x)];
    double totals[block_columns] = {};
    for (std::int64_t i = 0; i < std::ssize(across.weights); ++i) {
      const double weight = across.weights[static_cast<std::size_t>(i)];
      const double* const sum = sums + (across.first + i) * block_columns;
      for (std::int64_t c = 0; c < count; ++c) totals[c] += weight * sum[c];
    }
    const StridedRow<T> to = strided_row<T>(how.out, {how.kept.before + line * cells + x});
    for (std::int64_t c = 0; c < count; ++c) to[column + c] = static_cast<T>(static_cast<float>(totals[c]));
  }
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
  const std::int64_t columns = how.out.size(-1), cells = std::ssize(how.lines) * std::ssize(how.columns);
  for_blocks(executor, std::ssize(how.lines), 1, [&](std::int64_t line, std::int64_t) {
    const Scratch<double> sums(static_cast<std::size_t>(how.width * block_columns));
    for (std::int64_t column = 0; column < columns; column += block_columns) {
      resize_columns<T>(how, line, column, std::min(block_columns, columns - column), sums.data());
    }
  });
  copy_rows<T>(how.table, how.out, 0, 0, how.kept.before);
  copy_rows<T>(how.table, how.out, how.table.size(0) - how.kept.behind, how.kept.before + cells, how.kept.behind);
}

}  // namespace

std::int64_t table_rows(const Convention& convention, const TableSize& size) {
  const plan::KeptRows kept = lower_kept_rows(convention);
  return size.height * size.width + kept.before + kept.behind;
}

TableSize square_table(const Convention& convention, const ConstView& table) {
  const std::int64_t cells = table.rank == 0 ? 0 : table.size(0) - table_rows(convention, {0, 0});
  if (cells < 1 || cells > most_cells) return {0, 0};
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(cells)));  // exact below 2^52
  return {side, side};
}

std::optional<Problem> check_resize_table(const Convention& convention, const ConstView& table, const TableSize& from,
                                          const TableSize& to, const View& out) {
  if (auto problem = check_use("resize_table", Use::resized_tables, convention)) return problem;
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
  if (table.dtype == out.dtype && table.size(1) == out.size(1)) return std::nullopt;
  const auto text = [](const auto& view) { return std::string(to_string(view.dtype)) + " " + shape_text(view); };
  return resize_problem("table must have type and columns of out, " + text(out), text(table));
}

void detail::resize_table(const Convention& convention, const ConstView& table, const TableSize& from,
                          const TableSize& to, const View& out, const Executor& executor) {
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
