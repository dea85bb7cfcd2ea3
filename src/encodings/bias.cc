// SPDX-License-Identifier: Apache-2.0
// Biases of attention scores: a number for each distance where positions are equally spaced, else one for each entry.
#include <posenc/bias.h>

#include "src/base/scratch.h"
#include "src/encodings/head_lines.h"
#include "src/encodings/rules.h"
#include "src/encodings/undecided.h"
#include "src/plan/rounded_ladder.h"

namespace posenc {
namespace {

constexpr std::int64_t block_entries = 4096;  // some microseconds of products

// One entry of each diagonal, those that pair_of_diagonal names: of key 0 and the queries backwards, then of query 0
// and the keys. Where queries do not count, there is one row.
template <class T>
std::vector<T> diagonals(const HeadLines& head, std::int64_t rows, std::int64_t keys, const Executor& executor,
                         Decided& decided) {
  const std::int64_t last = rows - 1;
  std::vector<T> values(static_cast<std::size_t>(last + keys));
  for_blocks(executor, last, block_entries, [&](std::int64_t begin, std::int64_t end) {
    decided.also(head.of_first_key(begin, end, values.data() + begin));
  });
  for_blocks(executor, keys, block_entries, [&](std::int64_t begin, std::int64_t end) {
    decided.also(head.of_query(0, begin, end, values.data() + last + begin));
  });
  return values;
}

template <class T>
void write_rows(const HeadLines& of, const View& out, std::int64_t head, const Executor& executor, Decided& decided) {
  const std::int64_t keys = out.size(2);
  for_blocks(executor, out.size(1), 1 + block_entries / keys, [&](std::int64_t begin, std::int64_t end) {
    LocalScratch<T> scratch;
    T* const apart = out.stride(2) == 1 ? nullptr : scratch.take(static_cast<std::size_t>(keys));
    for (std::int64_t i = begin; i < end; ++i) {
      const StridedRow<T> to = strided_row<T>(out, {head, i});
      decided.also(of.of_query(i, 0, keys, apart == nullptr ? to.data : apart));
      for (std::int64_t j = 0; apart != nullptr && j < keys; ++j) to[j] = apart[j];
    }
  });
}

// What stands in a plan of any number of heads, of a convention for ConventionUse::slopes that keeps its own rules.
plan::HeadPlan any_heads(const Convention& convention) { return lower_heads(convention, {.width = 1, .heads = 1}); }

std::optional<Problem> check_heads(const Convention& convention, const Context& context, std::int64_t heads) {
  if (auto problem = check_use("bias", ConventionUse::slopes, convention)) return problem;
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
                                  const View& out, const Options& options) {
  const Context& context = options.context;
  if (auto problem = check_use("bias", ConventionUse::slopes, convention)) return problem;
  if (auto problem = check_exact("bias", options)) return problem;
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
  const plan::HeadPlan plan = lower_heads(convention, {.heads = heads});
  slopes.reserve(plan.heads());
  const bool first = plan::append_rounded(plan.slopes, slopes), beyond = plan::append_rounded(plan.beyond, slopes);
  return undecided_unless(first && beyond, "bias");
}

std::optional<Problem> bias(const Convention& convention, const Positions& queries, const Positions& keys,
                            const View& out, const Options& options) {
  const Executor& executor = options.executor;
  const Context& context = options.context;
  if (out.count() == 0) return std::nullopt;
  const DefaultEnvironment environment;
  const plan::HeadPlan plan = lower_heads(convention, {.width = context.head, .heads = out.size(0)});
  const bool by_distance = equally_spaced(queries, keys);
  const std::optional<PairNumbers> numbers = pair_numbers(queries, keys);
  Decided decided;
  with_real(out.dtype, [&]<class T>(T) {
    for (std::int64_t h = 0; h < out.size(0); ++h) {
      const Slope slope(plan.slope(static_cast<std::size_t>(h)));
      const HeadLines head(slope, plan.distance, queries, keys, numbers);
      if (head.by_key()) {
        copy_rows(diagonals<T>(head, 1, keys.count_, executor, decided), 0, 0, out, h, executor);
      } else if (by_distance) {
        const std::int64_t rows = queries.count_;
        copy_rows(diagonals<T>(head, rows, keys.count_, executor, decided), rows - 1, 1, out, h, executor);
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
