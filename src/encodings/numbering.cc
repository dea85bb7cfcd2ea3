// SPDX-License-Identifier: Apache-2.0
// Positions of present places, counted along a row.
#include <posenc/numbering.h>

#include <algorithm>
#include <ranges>
#include <string>

#include "src/base/blocks.h"
#include "src/base/elements.h"
#include "src/base/overlap.h"
#include "src/base/shapes.h"
#include "src/base/to_text.h"

namespace posenc {
namespace {

// ---- rows of views ------------------------------------------------------------------------------

// A row of a view [L] or [B, L].
struct Line {
  std::int64_t start, step;
  template <class Pointer>
  Line(const BasicView<Pointer>& of, std::int64_t b)
      : start(of.rank == 2 ? b * of.stride(0) : 0), step(of.stride(-1)) {}
  std::int64_t at(std::int64_t t) const { return start + t * step; }
};

// Positions that passed before sequence b.
std::int64_t before_of(const ConstView& before, std::int64_t b) {
  return integer_of(before, before.rank == 0 ? 0 : b * before.stride(0));
}

// ---- checks -------------------------------------------------------------------------------------

std::optional<Problem> check_integers(std::string_view operation, std::string_view name, const ConstView& numbers) {
  if (auto problem = check_view(operation, name, numbers)) return problem;
  if (is_integer(numbers.dtype)) return std::nullopt;
  return Problem{std::string(operation), std::string(name) + " must be i32 or i64",
                 std::string(to_string(numbers.dtype))};
}

std::optional<Problem> check_numbers_out(std::string_view operation, const View& out) {
  if (auto problem = check_output(operation, "out", out)) return problem;
  if (out.dtype == DType::i64) return std::nullopt;
  return Problem{std::string(operation), "out must be i64", std::string(to_string(out.dtype))};
}

// first + before + count - 1 is the last position of `count` present places.
std::optional<Problem> check_reach(std::string_view operation, std::int64_t first, std::int64_t before,
                                   std::int64_t count) {
  std::int64_t last = 0;
  if (!__builtin_add_overflow(first, before, &last) && !__builtin_add_overflow(last, count, &last)) return std::nullopt;
  return Problem{std::string(operation), "positions must be int64",
                 std::to_string(first) + " + " + std::to_string(before) + " + " + std::to_string(count)};
}

std::optional<Problem> check_places(std::string_view operation, std::string_view name, const ConstView& places,
                                    const Numbering& numbering, const ConstView& before, const View& out) {
  if (auto problem = check_integers(operation, name, places)) return problem;
  if (places.rank != 1 && places.rank != 2) {
    return Problem{std::string(operation), std::string(name) + " must have shape [L] or [B, L]", shape_text(places)};
  }
  if (auto problem = check_numbers_out(operation, out)) return problem;
  if (!same_shape(places, out)) {
    return Problem{std::string(operation),
                   "out must have the shape of " + std::string(name) + ", " + shape_text(places), shape_text(out)};
  }
  if (auto problem = check_integers(operation, "before", before)) return problem;
  const bool of_each = before.rank == 1 && places.rank == 2 && before.size(0) == places.size(0);
  if (before.rank != 0 && !of_each) {
    return Problem{std::string(operation), "before must have shape [], or [B] beside [B, L]", shape_text(before)};
  }
  for (std::int64_t b = 0; b < (of_each ? before.size(0) : 1); ++b) {
    const std::int64_t passed = before_of(before, b);
    if (passed < 0) {
      return Problem{std::string(operation), "numbers of before must be 0 or more", std::to_string(passed)};
    }
    if (auto problem = check_reach(operation, numbering.first, passed, places.size(-1))) return problem;
  }
  if (auto problem = check_apart(operation, "before", before, "out", out)) return problem;
  return check_apart(operation, name, places, "out", out, Sharing::same_view);
}

}  // namespace

std::optional<Problem> check_positions_of_mask(const ConstView& mask, const Numbering& numbering,
                                               const ConstView& before, const View& out) {
  return check_places("positions_of_mask", "mask", mask, numbering, before, out);
}

std::optional<Problem> check_positions_of_ids(const ConstView& ids, const Numbering& numbering, const ConstView& before,
                                              const View& out) {
  return check_places("positions_of_ids", "ids", ids, numbering, before, out);
}

std::optional<Problem> check_positions_of_ends(const ConstView& ends, std::int64_t first, const View& out) {
  constexpr std::string_view operation = "positions_of_ends";
  const auto problem = [](std::string rule, std::string value) {
    return Problem{"positions_of_ends", std::move(rule), std::move(value)};
  };
  if (auto found = check_integers(operation, "ends", ends)) return found;
  if (ends.rank != 1 || ends.size(0) == 0) return problem("ends must have shape [N + 1]", shape_text(ends));
  if (auto found = check_numbers_out(operation, out)) return found;
  const Line line(ends, 0);
  std::int64_t last = integer_of(ends, line.at(0));
  if (last != 0) return problem("ends must begin with 0", std::to_string(last));
  for (std::int64_t i = 1; i < ends.size(0); ++i) {
    const std::int64_t end = integer_of(ends, line.at(i));
    if (end < last) return problem("ends must not fall", std::to_string(end) + " after " + std::to_string(last));
    if (auto found = check_reach(operation, first, 0, end - last)) return found;
    last = end;
  }
  if (out.rank == 1 && out.size(0) == last) return check_apart(operation, "ends", ends, "out", out);
  return problem("out must have shape [" + std::to_string(last) + "], the last of ends", shape_text(out));
}

// ---- counting -----------------------------------------------------------------------------------

namespace detail {

void number_places(const ConstView& ids, std::int64_t absent_id, const Numbering& numbering, const ConstView& before,
                   const View& out) {
  auto* numbers = static_cast<std::int64_t*>(out.data);
  for (std::int64_t b = 0; b < (ids.rank == 2 ? ids.size(0) : 1); ++b) {
    const Line from(ids, b), to(out, b);
    std::int64_t next = numbering.first + before_of(before, b);
    for (std::int64_t t = 0; t < ids.size(-1); ++t) {
      const bool present = integer_of(ids, from.at(t)) != absent_id;
      numbers[to.at(t)] = present ? next++ : numbering.absent;
    }
  }
}

void number_packed(const ConstView& ends, std::int64_t first, const View& out, const Executor& executor) {
  auto* numbers = static_cast<std::int64_t*>(out.data);
  const Line line(ends, 0), to(out, 0);
  const auto end_of = [&](std::int64_t i) { return integer_of(ends, line.at(i)); };
  constexpr std::int64_t places_of_a_block = std::int64_t{1} << 16;
  for_blocks(executor, out.size(0), places_of_a_block, [&](std::int64_t begin, std::int64_t end) {
    // Sequence i - 1 has the first of these places.
    const auto indices = std::views::iota(std::int64_t{1}, ends.size(0));
    std::int64_t i = *std::ranges::upper_bound(indices, begin, {}, end_of);
    for (std::int64_t t = begin; t < end; ++i) {
      const std::int64_t start = end_of(i - 1), stop = std::min(end, end_of(i));
      for (; t < stop; ++t) numbers[to.at(t)] = first + (t - start);
    }
  });
}

}  // namespace detail
}  // namespace posenc
