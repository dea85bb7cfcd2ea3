// SPDX-License-Identifier: Apache-2.0
// Powers of the factors of a decay.
#include "src/encodings/decays.h"

#include <cmath>

#include "src/engine/tables/sincos_kernel.h"
#include "src/numerics/exponential.h"

namespace posenc {
namespace {

using numerics::Approximation;
using numerics::Dyadic;
using numerics::Rational;
using numerics::Real;

// The same number as f64, where that has it and sums of two of them are normal.
std::optional<double> as_f64(Dyadic x) {
  if (x.zero()) return 0.0;
  const int zeros = std::countr_zero(x.mantissa), exponent = x.exponent + zeros;
  const std::uint64_t odd = x.mantissa >> zeros;
  if (odd >> 53 != 0 || exponent < -500 || exponent > 400) return std::nullopt;
  const auto power = std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
  return (x.negative ? -1.0 : 1.0) * static_cast<double>(odd) * power;
}

std::optional<double> as_f64(const Rational& x) {
  if (x.denominator != numerics::Bignum(1) || x.numerator.bit_length() > 53 || std::abs(x.exponent) > 400) {
    return std::nullopt;
  }
  return as_f64(Dyadic{x.numerator.limb(0), static_cast<int>(x.exponent), x.negative});
}

}  // namespace

Decays::Decays(const plan::PairPlan& plan, const std::vector<std::uint32_t>& pairs)
    : decay_(*plan.decay), axes_(plan.axes), pairs_(pairs), logs_((pairs.size() / engine::block + 1) * engine::block) {
  const bool plain = axes_.size() == 1 && axes_[0] == plan::Axis{};
  if (plain) centre_ = as_f64(decay_.centre), period_ = as_f64(decay_.period);
  const Real one_over_ln2 = numerics::quotient(Real(1), numerics::logarithm(Rational(2)));
  const std::optional<Approximation> per_ln2 = numerics::approximation(one_over_ln2);
  for (std::size_t j = 0; j < pairs_.size(); ++j) {
    const Rational& factor = decay_.factors[pairs_[j]];
    std::optional<Approximation> natural = numerics::quick_log(numerics::approximation(factor));
    if (!natural && factor != Rational(1)) natural = numerics::approximation(numerics::logarithm(factor));
    natural_logs_.push_back(natural);
    std::optional<double> binary =
        natural && per_ln2 ? numerics::settle<double>(numerics::multiply(*natural, *per_ln2)) : std::nullopt;
    if (!binary) binary = numerics::rounded<double>(numerics::logarithm(factor) * one_over_ln2);
    if (!binary) {
      centre_.reset();
    } else {
      logs_[j] = *binary;
      greatest_log_ = std::max(greatest_log_, std::abs(*binary));
    }
  }
}

Rational Decays::exponent(Place place) const {
  Rational x = -decay_.centre;
  for (std::size_t a = 0; a < place.size(); ++a) x = x + axes_[a].step * Rational(*place[a]) + axes_[a].start;
  return x / decay_.period;
}

// The difference and the quotient are rounded once each.
std::optional<double> Decays::nearly(Place place) const {
  const std::optional<double> p = as_f64(*place[0]);
  if (!p || !centre_ || !period_) return std::nullopt;
  return (*p - *centre_) / *period_;
}

Real Decays::power(std::size_t j, const Rational& exponent) const {
  return numerics::power(decay_.factors[pairs_[j]], exponent);
}

std::optional<Approximation> Decays::quick_power(std::size_t j, const std::optional<Approximation>& exponent) const {
  constexpr Approximation one = {false, numerics::uint128{1} << 127, 1, 0};
  if (!exponent || decay_.factors[pairs_[j]] == Rational(1)) return one;
  if (!natural_logs_[j]) return std::nullopt;
  return numerics::quick_exp(numerics::multiply(*natural_logs_[j], *exponent));
}

}  // namespace posenc
