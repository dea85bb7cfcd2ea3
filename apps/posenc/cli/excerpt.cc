// SPDX-License-Identifier: Apache-2.0
// Numbers as aligned lines of text.
#include "apps/posenc/cli/excerpt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

#include "apps/posenc/cli/elements.h"

namespace posenc::tool {
namespace {

constexpr std::string_view left_out = "...";

// Indices that are shown: all, or the first and the last ones around an ellipsis.
struct Kept {
  std::int64_t size, first, last;

  bool all() const { return size <= first + last; }
  std::vector<std::int64_t> indices() const {
    std::vector<std::int64_t> kept;
    const std::int64_t head = all() ? size : first, tail = all() ? 0 : last;
    for (std::int64_t i = 0; i < head; ++i) kept.push_back(i);
    for (std::int64_t i = size - tail; i < size; ++i) kept.push_back(i);
    return kept;
  }
  // Whether the ellipsis stands before the shown index `at`.
  bool gap_before(std::size_t at) const { return !all() && static_cast<std::int64_t>(at) == first; }
};

std::string number_words(const ConstView& row, std::int64_t column) {
  if (row.dtype == DType::i64) return fmt::format("{}", static_cast<const std::int64_t*>(row.data)[column]);
  if (row.dtype == DType::i32) return fmt::format("{}", static_cast<const std::int32_t*>(row.data)[column]);
  double value = 0;
  ConstView at = row;
  at.rank = 1, at.shape[0] = 1, at.strides[0] = 1;
  at.data = static_cast<const std::byte*>(row.data) + static_cast<std::size_t>(column) * size_of(row.dtype);
  read_row(at, std::span(&value, 1));
  return fmt::format("{:.7g}", value);
}

using Line = std::vector<std::string>;

Line header(const Excerpt& excerpt, const Kept& columns) {
  Line line = {excerpt.row_axis};
  for (const std::int64_t column : columns.indices()) {
    if (columns.gap_before(line.size() - 1)) line.emplace_back(left_out);
    line.push_back(fmt::format("{}{}", line.size() == 1 ? "column " : "", column));
  }
  return line;
}

Line row_line(const Excerpt& excerpt, const Kept& columns, std::int64_t row) {
  const auto bytes = std::make_unique<std::byte[]>(static_cast<std::size_t>(excerpt.columns) * size_of(excerpt.dtype));
  const View out = {bytes.get(), excerpt.dtype, 2, {1, excerpt.columns}, {excerpt.columns, 1}};
  excerpt.read(row, out);
  Line line = {excerpt.row_name(row)};
  const std::vector<std::int64_t> shown = columns.indices();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (columns.gap_before(i)) line.emplace_back(left_out);
    line.push_back(number_words(out, shown[i]));
  }
  return line;
}

std::string aligned(const std::vector<Line>& lines) {
  std::vector<std::size_t> widths;
  for (const Line& line : lines) {
    widths.resize(std::max(widths.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  std::string text;
  for (const Line& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i)
      text += fmt::format("{}{:>{}}", i == 0 ? "" : "  ", line[i], widths[i]);
    text += "\n";
  }
  return text;
}

}  // namespace

std::string excerpt_lines(const Excerpt& excerpt) {
  const Kept rows = {excerpt.rows, 8, 4}, columns = {excerpt.columns, 4, 2};
  std::vector<Line> lines = {header(excerpt, columns)};
  const std::vector<std::int64_t> shown = rows.indices();
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (rows.gap_before(i)) lines.push_back({std::string(left_out)});
    lines.push_back(row_line(excerpt, columns, shown[i]));
  }
  return excerpt.title + "\n\n" + aligned(lines);
}

Excerpt excerpt_of(std::string title, const ConstView& tensor) {
  const int leading = tensor.rank - 1;
  std::int64_t rows = 1;
  for (int axis = 0; axis < leading; ++axis) rows *= tensor.size(axis);
  const std::int64_t columns = tensor.rank == 0 ? 1 : tensor.size(leading);
  const auto row_bytes = static_cast<std::size_t>(columns) * size_of(tensor.dtype);
  const auto name = [tensor, leading](std::int64_t row) {
    std::vector<std::int64_t> at(static_cast<std::size_t>(std::max(leading, 0)));
    for (int axis = leading; axis-- > 0; row /= tensor.size(axis))
      at[static_cast<std::size_t>(axis)] = row % tensor.size(axis);
    return fmt::format("{}", fmt::join(at, ", "));
  };
  const auto read = [tensor, row_bytes](std::int64_t row, const View& out) {
    const auto* from = static_cast<const std::byte*>(tensor.data) + static_cast<std::size_t>(row) * row_bytes;
    std::copy_n(from, row_bytes, static_cast<std::byte*>(out.data));
  };
  return {std::move(title), "row", rows, columns, tensor.dtype, name, read};
}

}  // namespace posenc::tool
