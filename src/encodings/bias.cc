// SPDX-License-Identifier: Apache-2.0
// Biases of attention scores: a number for each distance where positions are equally spaced, else one for each entry.
#include <posenc/bias.h>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/conventions/slope.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"

namespace posenc {
namespace {

std::optional<Problem> check_list(std::string_view name, const Positions& positions) {
  if (auto problem = check_positions("bias", positions)) return problem;
  if (rank(positions) == 1) return std::nullopt;
  return Problem{"bias", "positions of " + std::string(name) + " must have one axis", shape_text(positions.list_)};
}

// Are the distances of (i, j) and (i + 1, j + 1) equal, whatever i and j?
bool equally_spaced(const Positions& queries, const Positions& keys) {
  if (queries.count_ == 1 || keys.count_ == 1) return true;
  const std::optional<Spaced> q = spaced(queries, {0, 0, queries.count_}), k = spaced(keys, {0, 0, keys.count_});
  return q && k && q->step == k->step && q->exponent == k->exponent;
}

constexpr std::int64_t block_entries = 4096;  // some 10 us of rounding

// One head's biases: of a query and a key by their indices.
struct Head {
  const Slope& slope;
  plan::Distance distance;
  const Positions &queries, &keys;

  template <class T>
  std::optional<T> at(const numerics::Dyadic& query, std::int64_t key) const {
    const numerics::Dyadic k = position_at(keys, 0, key);
    switch (distance) {
      case plan::Distance::key: return slope.times_difference<T>(k, {});
      case plan::Distance::key_from_last: return slope.times_difference<T>(k, position_at(keys, 0, keys.count_ - 1));
      case plan::Distance::causal: return slope.times_difference<T>(k, query);
      default: return slope.times_distance<T>(query, k);
    }
  }
  bool by_key() const { return distance == plan::Distance::key || distance == plan::Distance::key_from_last; }
};

// Entry m is that of query L - 1 - m and key 0, then of query 0 and key m - (L - 1): row i begins at L - 1 - i. Where
// queries do not count, L is 1.
template <class T>
std::vector<T> diagonals(const Head& head, std::int64_t rows, const Executor& executor, Decided& decided) {
  const std::int64_t last = rows - 1, count = last + head.keys.count_;
  std::vector<T> values(static_cast<std::size_t>(count));
  for_blocks(executor, count, block_entries, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t m = begin; m < end; ++m) {
      const std::int64_t i = std::max<std::int64_t>(0, last - m), j = std::max<std::int64_t>(0, m - last);
      const std::optional<T> value = head.at<T>(position_at(head.queries, 0, i), j);
      if (value) values[static_cast<std::size_t>(m)] = *value;
      decided.also(value.has_value());
    }
  });
  return values;
}

// Row i begins with value `first` - i `step`.
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

template <class T>
void write_rows(const Head& of, const View& out, std::int64_t head, const Executor& executor, Decided& decided) {
  for_blocks(executor, out.size(1), 1 + block_entries / out.size(2), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const StridedRow<T> to = strided_row<T>(out, {head, i});
      const numerics::Dyadic query = position_at(of.queries, 0, i);
      for (std::int64_t j = 0; j < out.size(2); ++j) {
        const std::optional<T> value = of.at<T>(query, j);
        if (value) to[j] = *value;
        decided.also(value.has_value());
      }
    }
  });
}

std::optional<Problem> check_heads(const Convention& convention, std::int64_t heads) {
  if (auto problem = check_use("bias", Use::slopes, convention)) return problem;
  if (auto problem = check_lower(convention, {.heads = heads})) return problem;
  if (lower_heads(convention, {.heads = 1}).keys == plan::Keys::all) return std::nullopt;
  return Problem{"bias", "over must be all: positions do not say which keys are absent", "present"};
}

}  // namespace

std::optional<Problem> check_bias_slopes(const Convention& convention, std::int64_t heads) {
  if (auto problem = check_heads(convention, heads)) return problem;
  const plan::Distance distance = lower_heads(convention, {.heads = 1}).distance;
  if (distance == plan::Distance::minus_distance) return std::nullopt;
  return Problem{"bias", "value must be minus_distance: slopes alone do not say what they multiply",
                 to_string(convention)};
}

std::optional<Problem> check_bias(const Convention& convention, const Positions& queries, const Positions& keys,
                                  const View& out) {
  if (auto problem = check_use("bias", Use::slopes, convention)) return problem;
  if (auto problem = check_real("bias", out, 3, 3, "[H, L, S]")) return problem;
  if (auto problem = check_heads(convention, out.size(0))) return problem;
  if (auto problem = check_list("queries", queries)) return problem;
  if (auto problem = check_list("keys", keys)) return problem;
  if (out.size(1) == queries.count_ && out.size(2) == keys.count_) return std::nullopt;
  return Problem{"bias",
                 "out must have " + std::to_string(queries.count_) + " rows, one a query, and " +
                     std::to_string(keys.count_) + " columns, one a key, for each head",
                 shape_text(out)};
}

namespace detail {

std::optional<Problem> bias_slopes(const Convention& convention, std::int64_t heads, std::vector<float>& slopes) {
  const DefaultEnvironment environment;
  bool decided = true;
  for (const numerics::Real& slope : lower_heads(convention, {.heads = heads}).slopes) {
    const std::optional<float> rounded = numerics::rounded<float>(slope);
    decided &= rounded.has_value();
    slopes.push_back(rounded.value_or(0));
  }
  return undecided_unless(decided, "bias");
}

std::optional<Problem> bias(const Convention& convention, const Positions& queries, const Positions& keys,
                            const View& out, const Executor& executor) {
  if (out.count() == 0) return std::nullopt;
  const DefaultEnvironment environment;
  const plan::HeadPlan plan = lower_heads(convention, {.heads = out.size(0)});
  const bool by_distance = equally_spaced(queries, keys);
  Decided decided;
  with_real(out.dtype, [&]<class T>(T) {
    for (std::int64_t h = 0; h < out.size(0); ++h) {
      const Slope slope(plan.slopes[static_cast<std::size_t>(h)]);
      const Head head = {slope, plan.distance, queries, keys};
      if (head.by_key()) {
        copy_rows(diagonals<T>(head, 1, executor, decided), 0, 0, out, h, executor);
      } else if (by_distance) {
        const std::int64_t rows = queries.count_;
        copy_rows(diagonals<T>(head, rows, executor, decided), rows - 1, 1, out, h, executor);
      } else {
        write_rows<T>(head, out, h, executor, decided);
      }
    }
  });
  return undecided_unless(decided.all(), "bias");
}

}  // namespace detail
}  // namespace posenc
