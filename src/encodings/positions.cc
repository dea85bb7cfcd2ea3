// SPDX-License-Identifier: Apache-2.0
// The rules of positions, and reading them.
#include "src/encodings/positions.h"

#include <cmath>

#include "src/base/blocks.h"
#include "src/base/to_text.h"

namespace posenc {
namespace {

constexpr double largest = 0x1p53;

// Is start + last step an int64?
bool fits(std::int64_t start, std::int64_t last, std::int64_t step) {
  if (step == 0) return true;
  const auto from = static_cast<std::uint64_t>(start);
  const std::uint64_t size = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  const std::uint64_t room = step < 0 ? from - (std::uint64_t{1} << 63) : (~std::uint64_t{0} >> 1) - from;
  return static_cast<std::uint64_t>(last) <= room / size;
}

double real_at(const Positions& positions, std::int64_t t) {
  return positions.real_start_ + static_cast<double>(t) * positions.real_step_;
}

template <class T>
T element(const ConstView& view, std::int64_t b, std::int64_t t) {
  const std::int64_t offset = (view.rank == 2 ? b * view.stride(0) : 0) + t * view.stride(-1);
  return static_cast<const T*>(view.data)[offset];
}

double real_element(const ConstView& view, std::int64_t b, std::int64_t t) {
  return view.dtype == DType::f32 ? static_cast<double>(element<float>(view, b, t)) : element<double>(view, b, t);
}

std::optional<std::int64_t> whole(double p) {
  if (!(std::abs(p) <= largest)) return std::nullopt;
  const auto integer = static_cast<std::int64_t>(p);
  return static_cast<double>(integer) == p ? std::optional(integer) : std::nullopt;
}

bool real_in_range(double p) { return std::abs(p) <= largest; }  // false for NaN

std::optional<Problem> check_list(std::string_view operation, const ConstView& list) {
  if (auto problem = check_view(operation, "positions", list)) return problem;
  const std::string name(operation);
  if (list.dtype != DType::i32 && list.dtype != DType::i64 && list.dtype != DType::f32 && list.dtype != DType::f64) {
    return Problem{name, "positions must be i32, i64, f32 or f64", std::string(to_string(list.dtype))};
  }
  if (list.rank != 1 && list.rank != 2) {
    return Problem{name, "positions must have shape [L] or [B, L]", shape_text(list)};
  }
  if (is_integer(list.dtype)) return std::nullopt;
  const std::int64_t sequences = list.rank == 2 ? list.size(0) : 1;
  for (std::int64_t b = 0; b < sequences; ++b) {
    for (std::int64_t t = 0; t < list.size(-1); ++t) {
      const double p = real_element(list, b, t);
      if (real_in_range(p)) continue;
      std::vector<std::int64_t> index = {t};
      if (list.rank == 2) index.insert(index.begin(), b);
      return Problem{name, "real positions must be finite and at most 2^53 in size", to_text(p), std::move(index)};
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Problem> check_positions(std::string_view operation, const Positions& positions) {
  if (positions.kind_ == Positions::Kind::list) {
    const DefaultEnvironment environment;  // in which rows are computed, too
    return check_list(operation, positions.list_);
  }
  if (positions.kind_ != Positions::Kind::integers && positions.kind_ != Positions::Kind::reals) {
    return Problem{std::string(operation), "positions must be made by range, at or list", "none"};
  }
  if (positions.count_ < 0) {
    return Problem{std::string(operation), "the count of positions must be >= 0", std::to_string(positions.count_)};
  }
  if (positions.count_ == 0) return std::nullopt;
  const std::int64_t last = positions.count_ - 1;
  if (positions.kind_ == Positions::Kind::integers) {
    if (last == 0 || fits(positions.start_, last, positions.step_)) return std::nullopt;
    return Problem{
        std::string(operation), "positions must fit in 64 bits",
        std::to_string(positions.start_) + " + " + std::to_string(last) + " * " + std::to_string(positions.step_)};
  }
  const DefaultEnvironment environment;
  for (const double p : {positions.real_start_, real_at(positions, last)}) {
    if (real_in_range(p)) continue;
    return Problem{std::string(operation), "real positions must be finite and at most 2^53 in size", to_text(p)};
  }
  return std::nullopt;
}

namespace {

// p / 2^exponent, an integer below 2^53 in size; nothing when it is none.
std::optional<std::int64_t> scaled(double p, int exponent) {
  return whole(p * static_cast<double>(std::uint64_t{1} << -exponent));
}

std::optional<Spaced> spaced_reals(const Positions& positions) {
  const double start = positions.real_start_, step = positions.real_step_;
  for (const int exponent : {0, -1, -2, -4, -8, -16, -24, -32}) {
    const std::optional<std::int64_t> a = scaled(start, exponent), b = scaled(step, exponent);
    if (!a || !b) continue;
    // Both i step and start + i step stay below 2^53, where every integer is a double.
    const numerics::uint128 span =
        numerics::uint128{numerics::dyadic(*b).mantissa} * static_cast<std::uint64_t>(positions.count_);
    if (span + numerics::dyadic(*a).mantissa > static_cast<std::uint64_t>(largest)) return std::nullopt;
    return Spaced{*a, *b, exponent};
  }
  return std::nullopt;
}

std::optional<Spaced> spaced_range(const Positions& range, std::int64_t first) {
  if (range.kind_ == Positions::Kind::integers) return Spaced{integer_of_range(range, first), range.step_, 0};
  std::optional<Spaced> found = spaced_reals(range);
  if (found) found->start += first * found->step;
  return found;
}

// The range that a run of a list is.
template <class T>
std::optional<Positions> as_range(const ConstView& list, const RowRange& run) {
  const auto at = [&](std::int64_t i) { return element<T>(list, run.b, run.first + i); };
  if constexpr (std::is_integral_v<T>) {
    const std::int64_t start = at(0);
    std::int64_t step = 0;
    if (__builtin_sub_overflow(std::int64_t{at(1)}, start, &step) || !fits(start, run.count - 1, step)) {
      return std::nullopt;
    }
    const Positions range = Positions::range(start, run.count, step);
    for (std::int64_t i = 2; i < run.count; ++i) {
      if (at(i) != integer_of_range(range, i)) return std::nullopt;
    }
    return range;
  } else {
    const double start = at(0), step = at(1) - start;
    const Positions range = Positions::range(start, run.count, step);
    for (std::int64_t i = 1; i < run.count; ++i) {
      if (at(i) != real_at(range, i)) return std::nullopt;
    }
    return range;
  }
}

std::optional<Positions> as_range(const ConstView& list, const RowRange& run) {
  switch (list.dtype) {
    case DType::i32: return as_range<std::int32_t>(list, run);
    case DType::i64: return as_range<std::int64_t>(list, run);
    case DType::f32: return as_range<float>(list, run);
    default: return as_range<double>(list, run);
  }
}

}  // namespace

std::optional<Spaced> spaced(const Positions& positions, const RowRange& range) {
  if (positions.kind_ == Positions::Kind::integers) return spaced_range(positions, range.first);
  if (positions.kind_ == Positions::Kind::list && range.count < 2) return std::nullopt;
  const DefaultEnvironment environment;  // a subnormal step is no zero
  if (positions.kind_ == Positions::Kind::reals) return spaced_range(positions, range.first);
  const std::optional<Positions> run = as_range(positions.list_, range);
  return run ? spaced_range(*run, 0) : std::nullopt;
}

numerics::Dyadic other_position_at(const Positions& positions, std::int64_t b, std::int64_t t) {
  if (positions.kind_ == Positions::Kind::reals) return numerics::dyadic(real_at(positions, t));
  const ConstView& list = positions.list_;
  if (list.dtype == DType::i32) return numerics::dyadic(std::int64_t{element<std::int32_t>(list, b, t)});
  if (list.dtype == DType::i64) return numerics::dyadic(element<std::int64_t>(list, b, t));
  return numerics::dyadic(real_element(list, b, t));
}

std::optional<std::int64_t> integer_at(const Positions& positions, std::int64_t b, std::int64_t t) {
  if (positions.kind_ == Positions::Kind::integers) return integer_of_range(positions, t);
  if (positions.kind_ == Positions::Kind::reals) return whole(real_at(positions, t));
  const ConstView& list = positions.list_;
  if (list.dtype == DType::i32) return element<std::int32_t>(list, b, t);
  if (list.dtype == DType::i64) return element<std::int64_t>(list, b, t);
  return whole(real_element(list, b, t));
}

}  // namespace posenc
