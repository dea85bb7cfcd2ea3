// SPDX-License-Identifier: Apache-2.0
// The length of a row of cells, from the columns that repeat after it and those that change where a row begins.
#include "src/referee/cut_grid.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

namespace posenc::referee {
namespace {

// Entries of [L, d], of which those of one angle are one number.
class GridEntries {
 public:
  explicit GridEntries(const ConstView& tensor) : tensor_(tensor) {}
  std::int64_t rows() const { return tensor_.size(0); }
  std::int64_t columns() const { return tensor_.size(1); }
  bool same(std::int64_t i, std::int64_t j, std::int64_t c) const {
    const double a = at(i, c), b = at(j, c);
    constexpr double off = 0x1p-21;  // of one angle, by whatever lane it went through
    return std::abs(a - b) <= off * std::max(std::abs(a), std::abs(b));
  }
  bool repeats(std::int64_t c, std::int64_t after) const {
    for (std::int64_t i = 0; i + after < rows(); ++i) {
      if (!same(i, i + after, c)) return false;
    }
    return true;
  }
  bool changes(std::int64_t c) const {
    for (std::int64_t i = 1; i < rows(); ++i) {
      if (!same(i, i - 1, c)) return true;
    }
    return false;
  }
  // Of the rows at which a column changes, what they all are modulo `length`; nothing where they differ.
  std::optional<std::int64_t> changes_at(std::int64_t c, std::int64_t length) const {
    std::int64_t found = -1;
    for (std::int64_t i = 1; i < rows(); ++i) {
      if (same(i, i - 1, c)) continue;
      if (found >= 0 && i % length != found) return std::nullopt;
      found = i % length;
    }
    return found;
  }

 private:
  double at(std::int64_t i, std::int64_t c) const {
    return real_at(tensor_, i * tensor_.stride(0) + c * tensor_.stride(1));
  }
  const ConstView& tensor_;
};

// The cells before the first whole row, where rows have this length; nothing where they have another.
std::optional<std::int64_t> front_of(const GridEntries& entries, std::span<const std::int64_t> columns,
                                     std::int64_t length) {
  std::int64_t begins = -1, repeating = 0;
  for (const std::int64_t c : columns) {
    if (entries.repeats(c, length)) {
      ++repeating;
      continue;
    }
    const auto at = entries.changes_at(c, length);
    if (!at || (begins >= 0 && *at != begins)) return std::nullopt;
    begins = *at;
  }
  return repeating > 0 && begins >= 0 ? std::optional(begins) : std::nullopt;
}

}  // namespace

std::optional<CutGrid> cut_grid_of(const ConstView& tensor) {
  constexpr std::int64_t most_rows = std::int64_t{1} << 14;
  if (tensor.rank != 2 || tensor.size(0) > most_rows) return std::nullopt;
  const GridEntries entries(tensor);
  std::vector<std::int64_t> columns;  // those that are one number throughout say nothing
  for (std::int64_t c = 0; c < entries.columns(); ++c) {
    if (entries.changes(c)) columns.push_back(c);
  }
  for (std::int64_t length = 2; 2 * length < entries.rows(); ++length) {
    const auto front = front_of(entries, columns, length);
    if (!front) continue;
    const std::int64_t whole = (entries.rows() - *front) / length, back = (entries.rows() - *front) % length;
    if (whole < 2 || *front + back == 0) return std::nullopt;
    CutGrid grid = {tensor, *front, back};
    grid.whole.data = static_cast<const std::byte*>(tensor.data) +
                      *front * tensor.stride(0) * static_cast<std::int64_t>(size_of(tensor.dtype));
    grid.whole.rank = 3;
    grid.whole.shape = {whole, length, tensor.size(1)};
    grid.whole.strides = {length * tensor.stride(0), tensor.stride(0), tensor.stride(1)};
    return grid;
  }
  return std::nullopt;
}

}  // namespace posenc::referee
