// SPDX-License-Identifier: Apache-2.0
// Lines of a head's biases by kernel and pair by pair.
#include "src/encodings/head_lines.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace posenc {
namespace {

constexpr int f64_bits = 53;

// The highest and the lowest bit that any number has, as exponents.
struct Bits {
  int end = std::numeric_limits<int>::min(), begin = std::numeric_limits<int>::max();
};

bool append(const Positions& positions, std::vector<double>& to, Bits& bits) {
  to.reserve(static_cast<std::size_t>(positions.count_) + engine::most_lanes);
  for (std::int64_t t = 0; t < positions.count_; ++t) {
    const numerics::Dyadic p = position_at(positions, 0, t);
    to.push_back(numerics::round<double>(p));
    if (p.zero()) continue;
    const int width = 64 - std::countl_zero(p.mantissa), zeros = std::countr_zero(p.mantissa);
    if (width - zeros > f64_bits) return false;
    bits.end = std::max(bits.end, p.exponent + width);
    bits.begin = std::min(bits.begin, p.exponent + zeros);
  }
  to.resize(to.size() + engine::most_lanes);
  return true;
}

}  // namespace

std::optional<PairNumbers> pair_numbers(const Positions& queries, const Positions& keys) {
  PairNumbers numbers = {{}, {}, 0, 0};
  Bits bits;
  if (!append(queries, numbers.queries, bits) || !append(keys, numbers.keys, bits)) return std::nullopt;
  if (bits.begin < bits.end) numbers.end = bits.end + 1, numbers.begin = bits.begin;
  return numbers;
}

HeadLines::HeadLines(const Slope& slope, plan::Distance distance, const Positions& queries, const Positions& keys,
                     const std::optional<PairNumbers>& numbers)
    : slope_(slope),
      distance_(distance),
      queries_(queries),
      keys_(keys),
      numbers_(numbers && slope.nearest() != 0 ? &*numbers : nullptr) {}

// Sizes of products are in [2^(begin + exponent), 2^(end + exponent + 1)), but for 0.
template <class T>
engine::Products HeadLines::products() const {
  constexpr int minimum = numerics::Format<T>::minimum;
  const int span = numbers_->end - numbers_->begin;
  int exponent = 0;
  std::frexp(slope_.nearest(), &exponent);
  --exponent;  // its size is at least 2^exponent
  if (numbers_->begin + exponent < minimum || numbers_->end + exponent > -minimum) return engine::Products::any;
  const bool exact = slope_.bits() && *slope_.bits() + span <= f64_bits;
  return exact ? engine::Products::exact : engine::Products::sized;
}

template <class T>
engine::Incline HeadLines::from(double number) const {
  const bool sized = distance_ == plan::Distance::minus_distance;
  return {slope_.nearest(), slope_.rest(), number,
          sized ? engine::Measured::minus_distance : engine::Measured::difference, products<T>()};
}

template <class T>
std::optional<T> HeadLines::at(PairAt pair) const {
  const numerics::Dyadic k = position_at(keys_, 0, pair.key);
  switch (distance_) {
    case plan::Distance::key: return slope_.times_difference<T>(k, {});
    case plan::Distance::key_from_last: return slope_.times_difference<T>(k, position_at(keys_, 0, keys_.count_ - 1));
    case plan::Distance::causal: return slope_.times_difference<T>(k, position_at(queries_, 0, pair.query));
    default: return slope_.times_distance<T>(position_at(queries_, 0, pair.query), k);
  }
}

template <class T, class Pair>
bool HeadLines::write(const engine::Incline& incline, const double* numbers, std::int64_t count, T* out,
                      const Pair& pair) const {
  bool decided = true;
  const auto settle = [&](std::int64_t i) {
    const std::optional<T> value = at<T>(pair(i));
    if (value) out[i] = *value;
    decided &= value.has_value();
  };
  if (numbers == nullptr) {
    for (std::int64_t i = 0; i < count; ++i) settle(i);
    return decided;
  }
  constexpr auto most = static_cast<std::int64_t>(engine::most_in_line);
  std::array<std::uint16_t, engine::most_in_line + engine::most_lanes> doubts;
  engine::WriteIncline<T>* const kernel = engine::incline_kernels().of<T>();
  for (std::int64_t first = 0; first < count; first += most) {
    const auto part = static_cast<std::size_t>(std::min(most, count - first));
    const std::size_t found = kernel(incline, numbers + first, part, out + first, doubts.data());
    for (std::size_t i = 0; i < found; ++i) settle(first + doubts[i]);
  }
  return decided;
}

template <class T>
bool HeadLines::of_query(std::int64_t query, std::int64_t begin, std::int64_t end, T* out) const {
  const auto pair = [&](std::int64_t i) { return PairAt{query, begin + i}; };
  if (numbers_ == nullptr) return write({}, nullptr, end - begin, out, pair);
  double number = 0;
  if (distance_ == plan::Distance::key_from_last) number = numbers_->keys[static_cast<std::size_t>(keys_.count_ - 1)];
  if (!by_key()) number = numbers_->queries[static_cast<std::size_t>(query)];
  return write(from<T>(number), numbers_->keys.data() + begin, end - begin, out, pair);
}

// k - q = -q - (-k), so that a line of queries is one of what they measure from.
template <class T>
bool HeadLines::of_first_key(std::int64_t begin, std::int64_t end, T* out) const {
  const std::int64_t last = queries_.count_ - 1;
  const auto pair = [&](std::int64_t i) { return PairAt{last - begin - i, 0}; };
  if (numbers_ == nullptr) return write({}, nullptr, end - begin, out, pair);
  std::vector<double> before(static_cast<std::size_t>(end - begin) + engine::most_lanes);
  for (std::int64_t m = begin; m < end; ++m) {
    before[static_cast<std::size_t>(m - begin)] = -numbers_->queries[static_cast<std::size_t>(last - m)];
  }
  return write(from<T>(-numbers_->keys[0]), before.data(), end - begin, out, pair);
}

template bool HeadLines::of_query(std::int64_t, std::int64_t, std::int64_t, float*) const;
template bool HeadLines::of_query(std::int64_t, std::int64_t, std::int64_t, double*) const;
template bool HeadLines::of_query(std::int64_t, std::int64_t, std::int64_t, half*) const;
template bool HeadLines::of_query(std::int64_t, std::int64_t, std::int64_t, bfloat16*) const;
template bool HeadLines::of_first_key(std::int64_t, std::int64_t, float*) const;
template bool HeadLines::of_first_key(std::int64_t, std::int64_t, double*) const;
template bool HeadLines::of_first_key(std::int64_t, std::int64_t, half*) const;
template bool HeadLines::of_first_key(std::int64_t, std::int64_t, bfloat16*) const;

}  // namespace posenc
