// SPDX-License-Identifier: Apache-2.0
// Matrices of queries and keys: where entries depend on distances alone, each distance is made once.
#pragma once

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/to_text.h"
#include "src/encodings/positions.h"

namespace posenc {

/// Are the distances of (i, j) and (i + 1, j + 1) equal, whatever i and j?
inline bool equally_spaced(const Positions& queries, const Positions& keys) {
  if (queries.count_ == 1 || keys.count_ == 1) return true;
  const std::optional<Spaced> q = spaced(queries, {0, 0, queries.count_}), k = spaced(keys, {0, 0, keys.count_});
  return q && k && q->step == k->step && q->exponent == k->exponent;
}

/// A query and a key by their indices.
struct PairAt {
  std::int64_t query, key;
};
/// One pair of each diagonal of L queries, m = 0 .. L - 1 + S - 1: those of query L - 1 - m and key 0, then of query 0.
/// Row i of the matrix begins at L - 1 - i.
inline PairAt pair_of_diagonal(std::int64_t m, std::int64_t queries) {
  const std::int64_t last = queries - 1;
  return {std::max<std::int64_t>(0, last - m), std::max<std::int64_t>(0, m - last)};
}

/// Row i of matrix `head` of out [H, L, S] begins with value `first` - i `step`.
template <class T>
void copy_rows(const std::vector<T>& values, std::int64_t first, std::int64_t step, const View& out, std::int64_t head,
               const Executor& executor) {
  const std::int64_t rows = out.size(1), columns = out.size(2);
  for_blocks(executor, rows, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const StridedRow<T> to = strided_row<T>(out, {head, i});
      const T* from = values.data() + (first - i * step);
      if (to.step == 1) {
        std::copy(from, from + columns, to.data);
        continue;
      }
      for (std::int64_t j = 0; j < columns; ++j) to[j] = from[j];
    }
  });
}

/// Positions [L] of an argument.
inline std::optional<Problem> check_one_axis(std::string_view operation, std::string_view name,
                                             const Positions& positions) {
  if (auto problem = check_positions(operation, positions)) return problem;
  if (rank(positions) == 1) return std::nullopt;
  return Problem{std::string(operation), "positions of " + std::string(name) + " must have one axis",
                 shape_text(positions.list_)};
}

/// An output has a row for each query and a column for each key, and no element of their positions.
inline std::optional<Problem> check_pairs(std::string_view operation, const Positions& queries, const Positions& keys,
                                          const View& out, std::string_view each) {
  if (out.size(-2) != queries.count_ || out.size(-1) != keys.count_) {
    return Problem{std::string(operation),
                   "out must have " + std::to_string(queries.count_) + " rows, one a query, and " +
                       std::to_string(keys.count_) + " columns, one a key" + std::string(each),
                   shape_text(out)};
  }
  if (auto problem = check_lists(operation, queries, out)) return problem;
  return check_lists(operation, keys, out);
}

}  // namespace posenc
