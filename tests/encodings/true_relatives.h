// SPDX-License-Identifier: Apache-2.0
// What the families of pairs and queries say of an entry, read from their fields alone and computed by MPFR: biases,
// classes, coordinates, factors. It shares no code with the library, but for the structs that state the fields.
#pragma once

#include <posenc/relative_families.h>

#include <bit>
#include <map>

#include "tests/encodings/true_values.h"

namespace posenc::test {

// ---- biases -------------------------------------------------------------------------------------

/// Head h of `heads`: 2^(-octaves (h + 1) / P), P the power of two below; of those beyond, every second of 2 P.
inline Value true_slope(const Slopes& slopes, std::int64_t h, std::int64_t heads) {
  const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(heads)));
  const Value e = h < power ? of_count(h + 1) / of_count(power) : of_count(2 * (h - power) + 1) / of_count(2 * power);
  const Value exact = pow(Value(2), Value(0) - Value(slopes.octaves) * e);
  return slopes.slope_rounding == SlopeRounding::bf16 ? Value(oracle::rounded(exact, oracle::bf16)) : exact;
}

/// A bias times the scale, for heads of `head` columns. Of 3500 bits of its 4000: 2^-0.5 / sqrt(32) is rational, and a
/// product half-way between two numbers of a type is so again.
inline Value true_scaled(Value bias, const BiasScale& scale, std::int64_t head) {
  if (const auto* number = std::get_if<double>(&scale)) return bias * *number;
  const Value root = sqrt(of_count(head));
  bias = std::get<HeadScale>(scale) == HeadScale::one_over_sqrt_head ? bias / root : bias * root;
  mpfr_prec_round(bias.get(), 3500, MPFR_RNDN);
  return bias;
}

/// What the slope multiplies for a query at q and a key at k, the last of which is at `last`.
inline Value true_distance(BiasValue value, double q, double k, double last) {
  switch (value) {
    case BiasValue::minus_distance: return q < k ? Value(q) - k : Value(k) - q;
    case BiasValue::key: return k;
    case BiasValue::key_from_last: return Value(k) - last;
    case BiasValue::causal: return Value(k) - q;
  }
  return 0;
}

// ---- classes ------------------------------------------------------------------------------------

/// n ln(m / e) / ln(end / e): the whole number below it, and whether it is one. Logarithms of rationals that are no
/// whole quotient are further from one than 2^-3000 (m below 2^53, n below 2^16).
struct TrueQuotient {
  std::int64_t below;
  bool whole;
};
inline TrueQuotient true_quotient(std::int64_t m, std::int64_t e, std::int64_t end, std::int64_t n) {
  static std::map<std::int64_t, Value> known;
  const auto ln = [](std::int64_t x) -> const Value& {
    const auto found = known.find(x);
    return found != known.end() ? found->second : known.emplace(x, log(of_count(x))).first->second;
  };
  const Value x = of_count(n) * (ln(m) - ln(e)) / (ln(end) - ln(e));
  const auto nearest = static_cast<std::int64_t>(whole_part(x + 0.5));
  const Value rest = x - of_count(nearest);
  if (mpfr_zero_p(rest.get()) != 0 || mpfr_get_exp(rest.get()) < -3000) return {nearest, true};
  return {static_cast<std::int64_t>(whole_part(x)), false};
}

/// Of a query at q and a key at k.
struct TrueClass {
  std::int64_t q, k;

  std::int64_t distance(DistanceSign sign) const { return sign == DistanceSign::key_minus_query ? k - q : q - k; }
  std::int64_t operator()(const LogBuckets& by) const {
    const std::int64_t d = distance(by.sign), m = std::abs(d);
    if (by.sides == DistanceSides::one && d > 0) return 0;
    const std::int64_t n = by.sides == DistanceSides::both ? by.count / 2 : by.count, e = n / 2, added = d > 0 ? n : 0;
    return added + (m < e ? m : std::min(n - 1, e + true_quotient(m, e, by.reach, n - e).below));
  }
  std::int64_t operator()(const SignedLogBuckets& by) const {
    const std::int64_t d = distance(by.sign), e = by.count / 2, m = std::abs(d);
    if (m <= e) return d;
    const auto [below, whole] = true_quotient(m, e, by.reach - 1, e - 1);
    return (d < 0 ? -1 : 1) * (e + below + (whole ? 0 : 1));
  }
  std::int64_t operator()(const ClipBuckets& by) const {
    return std::min(std::max(distance(by.sign), -by.left), by.right) + by.left;
  }
  std::int64_t operator()(const WindowBuckets&) const { return -1; }  // of cells: true_window_class
  std::int64_t operator()(const Unstated&) const { return -1; }
};

/// Of places i and j of a window, before whose cells a class token stands where there are three classes more.
inline std::int64_t true_window_class(const WindowBuckets& by, std::int64_t height, std::int64_t width, std::int64_t i,
                                      std::int64_t j) {
  const std::int64_t cells = (2 * height - 1) * (2 * width - 1), token = by.extra == 0 ? 0 : 1;
  if (token != 0 && (i == 0 || j == 0)) return cells + (i != 0 ? 1 : j == 0 ? 2 : 0);
  const std::int64_t q = i - token, k = j - token;
  return (q / width - k / width + height - 1) * (2 * width - 1) + q % width - k % width + width - 1;
}

// ---- coordinates, factors -----------------------------------------------------------------------

/// Of x cells along an axis of `side` cells, the first or the second axis of the window.
struct TrueLogCoordinate {
  std::int64_t x, side;
  std::size_t axis;

  Value operator()(const PlainLogarithm&) const { return with_sign(log(size() + 1)); }
  Value operator()(const NormalisedLogarithm& by) const {
    const auto* trained = std::get_if<std::vector<std::int64_t>>(&by.pretrained);
    if (side == 1) return 0;
    const Value u = Value(by.gain) * size() / of_count((trained != nullptr ? trained->at(axis) : side) - 1);
    return with_sign(log(u + 1) / log(Value(by.gain)));
  }
  Value operator()(const Unstated&) const { return std::nan(""); }

 private:
  Value size() const { return of_count(std::abs(x)); }
  Value with_sign(const Value& value) const { return x < 0 ? Value(0) - value : value; }
};

/// Of a query at p.
struct TrueQueryFactor {
  double p;

  Value operator()(const LogSteps& by) const {
    const double steps = std::floor(whole_part((Value(p) + by.origin) / by.every));
    return Value(1) + Value(by.gain) * log(Value(1) + steps);
  }
  Value operator()(const LogRatio& by) const {
    const Value at = Value(p) + by.origin;
    return Value(by.every) < at ? log(at) / log(Value(by.every)) : Value(1);
  }
  Value operator()(const LogClamp& by) const {
    const Value u = (Value(p) + by.origin) / by.every;
    return Value(1) < u ? Value(1) + Value(by.gain) * log(u) : Value(1);
  }
  Value operator()(const Unstated&) const { return std::nan(""); }
};

}  // namespace posenc::test
