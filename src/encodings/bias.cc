// SPDX-License-Identifier: Apache-2.0
// Biases of attention scores: a number for each distance where positions are equally spaced, else one for each entry.
#include <posenc/bias.h>

#include "src/encodings/positions.h"
#include "src/encodings/slope.h"
#include "src/encodings/text.h"
#include "src/engine/blocks.h"
#include "src/engine/elements.h"

namespace posenc {
namespace {

Problem problem(std::string rule, std::string value) { return {"bias", std::move(rule), std::move(value)}; }

std::optional<Problem> check_list(std::string_view name, const Positions& positions) {
  if (auto problem = check_positions("bias", positions)) return problem;
  if (rank(positions) == 1) return std::nullopt;
  return problem("positions of " + std::string(name) + " must have one axis", shape_text(positions.list_));
}

// Are the distances of (i, j) and (i + 1, j + 1) equal, whatever i and j?
bool equally_spaced(const Positions& queries, const Positions& keys) {
  if (queries.count_ == 1 || keys.count_ == 1) return true;
  const std::optional<Spaced> q = spaced(queries, {0, 0, queries.count_}), k = spaced(keys, {0, 0, keys.count_});
  return q && k && q->step == k->step && q->exponent == k->exponent;
}

constexpr std::int64_t block = 4096;  // entries: some 10 us of rounding

// Entry m is that of query L - 1 - m and key 0, then of query 0 and key m - (L - 1): row i begins at L - 1 - i.
template <class T>
std::vector<T> diagonals(const Slope& slope, const Positions& queries, const Positions& keys,
                         const Executor& executor) {
  const std::int64_t last = queries.count_ - 1, count = queries.count_ + keys.count_ - 1;
  std::vector<T> values(static_cast<std::size_t>(count));
  engine::for_blocks(executor, count, block, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t m = begin; m < end; ++m) {
      const std::int64_t i = std::max<std::int64_t>(0, last - m), j = std::max<std::int64_t>(0, m - last);
      values[static_cast<std::size_t>(m)] =
          slope.times_distance<T>(position_at(queries, 0, i), position_at(keys, 0, j));
    }
  });
  return values;
}

template <class T>
void copy_rows(const std::vector<T>& diagonals, const View& out, std::int64_t head, const Executor& executor) {
  const std::int64_t rows = out.size(1), columns = out.size(2);
  engine::for_blocks(executor, rows, 16, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const engine::Row<T> to = engine::row<T>(out, {head, i});
      const T* from = diagonals.data() + (rows - 1 - i);
      if (to.step == 1) {
        std::copy(from, from + columns, to.data);
        continue;
      }
      for (std::int64_t j = 0; j < columns; ++j) to[j] = from[j];
    }
  });
}

template <class T>
void write_rows(const Slope& slope, const Positions& queries, const Positions& keys, const View& out, std::int64_t head,
                const Executor& executor) {
  engine::for_blocks(executor, out.size(1), 1 + block / out.size(2), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const engine::Row<T> to = engine::row<T>(out, {head, i});
      const numerics::Dyadic query = position_at(queries, 0, i);
      for (std::int64_t j = 0; j < out.size(2); ++j) to[j] = slope.times_distance<T>(query, position_at(keys, 0, j));
    }
  });
}

}  // namespace

std::optional<Problem> check_bias_slopes(const Convention& convention, std::int64_t heads) {
  if (!std::holds_alternative<Bias>(convention)) {
    return problem("the convention must be of family bias", std::string(family(convention)));
  }
  return check_width(convention, heads);
}

std::optional<Problem> check_bias(const Convention& convention, const Positions& queries, const Positions& keys,
                                  const View& out) {
  if (!std::holds_alternative<Bias>(convention)) return check_bias_slopes(convention, 1);
  if (auto problem = check_output("bias", "out", out)) return problem;
  if (!is_real(out.dtype)) return problem("out must be f32, f64, f16 or bf16", std::string(to_string(out.dtype)));
  if (out.rank != 3) return problem("out must have shape [H, L, S]", shape_text(out));
  if (auto problem = check_bias_slopes(convention, out.size(0))) return problem;
  if (auto problem = check_list("queries", queries)) return problem;
  if (auto problem = check_list("keys", keys)) return problem;
  if (out.size(1) == queries.count_ && out.size(2) == keys.count_) return std::nullopt;
  return problem("out must have " + std::to_string(queries.count_) + " rows, one a query, and " +
                     std::to_string(keys.count_) + " columns, one a key, for each head",
                 shape_text(out));
}

namespace detail {

std::vector<float> bias_slopes(const Convention& convention, std::int64_t heads) {
  std::vector<float> slopes;
  for (std::int64_t h = 0; h < heads; ++h)
    slopes.push_back(Slope(std::get<Bias>(convention), h, heads).rounded<float>());
  return slopes;
}

void bias(const Convention& convention, const Positions& queries, const Positions& keys, const View& out,
          const Executor& executor) {
  if (out.count() == 0) return;
  const bool by_distance = equally_spaced(queries, keys);
  engine::with_real(out.dtype, [&]<class T>(T) {
    for (std::int64_t h = 0; h < out.size(0); ++h) {
      const Slope slope(std::get<Bias>(convention), h, out.size(0));
      if (by_distance) {
        copy_rows(diagonals<T>(slope, queries, keys, executor), out, h, executor);
      } else {
        write_rows<T>(slope, queries, keys, out, h, executor);
      }
    }
  });
}

}  // namespace detail
}  // namespace posenc
