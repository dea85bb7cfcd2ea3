// SPDX-License-Identifier: Apache-2.0
// Biases of attention scores: a number for each distance where positions are equally spaced, else one for each entry.
#include <posenc/bias.h>

#include "src/conventions/slope.h"
#include "src/encodings/pair_rows.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"

namespace posenc {
namespace {

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

// One entry of each diagonal. Where queries do not count, there is one row.
template <class T>
std::vector<T> diagonals(const Head& head, std::int64_t rows, const Executor& executor, Decided& decided) {
  const std::int64_t count = rows - 1 + head.keys.count_;
  std::vector<T> values(static_cast<std::size_t>(count));
  for_blocks(executor, count, block_entries, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t m = begin; m < end; ++m) {
      const PairAt pair = pair_of_diagonal(m, rows);
      const std::optional<T> value = head.at<T>(position_at(head.queries, 0, pair.query), pair.key);
      if (value) values[static_cast<std::size_t>(m)] = *value;
      decided.also(value.has_value());
    }
  });
  return values;
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

// What stands in a plan of any number of heads, of a convention for Use::slopes that keeps its own rules.
plan::HeadPlan any_heads(const Convention& convention) { return lower_heads(convention, {.width = 1, .heads = 1}); }

std::optional<Problem> check_heads(const Convention& convention, const BiasContext& context, std::int64_t heads) {
  if (auto problem = check_use("bias", Use::slopes, convention)) return problem;
  if (auto problem = check_lower(convention, {.width = context.head, .heads = heads})) return problem;
  const bool counts_present = any_heads(convention).keys == plan::Keys::present, stated = context.present.rank > 0;
  if (counts_present == stated) return std::nullopt;
  if (stated) return Problem{"bias", "present must not be stated: the bias is over all keys", "a mask"};
  return Problem{"bias", "over must be all: positions do not say which keys are absent", "present"};
}

std::int64_t mask_at(const ConstView& mask, std::int64_t j) {
  return mask.dtype == DType::i32 ? static_cast<const std::int32_t*>(mask.data)[j * mask.stride(0)]
                                  : static_cast<const std::int64_t*>(mask.data)[j * mask.stride(0)];
}

std::optional<Problem> check_mask(const ConstView& mask, std::int64_t keys) {
  if (mask.rank == 0) return std::nullopt;
  if (auto problem = check_view("bias", "present", mask)) return problem;
  if (!is_integer(mask.dtype)) {
    return Problem{"bias", "present must be i32 or i64", std::string(to_string(mask.dtype))};
  }
  if (mask.rank == 1 && mask.size(0) == keys) return std::nullopt;
  return Problem{"bias", "present must have a number for each of " + std::to_string(keys) + " keys", shape_text(mask)};
}

// +0 for every query, of keys that are absent.
template <class T>
void clear_absent(const ConstView& mask, const View& out) {
  for (std::int64_t j = 0; mask.rank != 0 && j < out.size(2); ++j) {
    if (mask_at(mask, j) != 0) continue;
    for (std::int64_t h = 0; h < out.size(0); ++h) {
      for (std::int64_t i = 0; i < out.size(1); ++i) strided_row<T>(out, {h, i})[j] = T(0.0f);
    }
  }
}

}  // namespace

std::optional<Problem> check_bias_slopes(const Convention& convention, std::int64_t heads) {
  if (auto problem = check_heads(convention, {}, heads)) return problem;
  const plan::Distance distance = any_heads(convention).distance;
  if (distance == plan::Distance::minus_distance) return std::nullopt;
  return Problem{"bias", "value must be minus_distance: slopes alone do not say what they multiply",
                 to_string(convention)};
}

std::optional<Problem> check_bias(const Convention& convention, const Positions& queries, const Positions& keys,
                                  const View& out) {
  return check_bias(convention, queries, keys, {}, out);
}

std::optional<Problem> check_bias(const Convention& convention, const Positions& queries, const Positions& keys,
                                  const BiasContext& context, const View& out) {
  if (auto problem = check_use("bias", Use::slopes, convention)) return problem;
  if (auto problem = check_real("bias", out, 3, 3, "[H, L, S]")) return problem;
  if (auto problem = check_heads(convention, context, out.size(0))) return problem;
  if (auto problem = check_mask(context.present, keys.count_)) return problem;
  if (auto problem = check_one_axis("bias", "queries", queries)) return problem;
  if (auto problem = check_one_axis("bias", "keys", keys)) return problem;
  if (auto problem = check_pairs("bias", queries, keys, out, ", for each head")) return problem;
  if (context.present.rank == 0) return std::nullopt;
  return check_apart("bias", "present", context.present, "out", out);
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
                            const BiasContext& context, const View& out, const Executor& executor) {
  if (out.count() == 0) return std::nullopt;
  const DefaultEnvironment environment;
  const plan::HeadPlan plan = lower_heads(convention, {.width = context.head, .heads = out.size(0)});
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
    clear_absent<T>(context.present, out);
  });
  return undecided_unless(decided.all(), "bias");
}

}  // namespace detail
}  // namespace posenc
