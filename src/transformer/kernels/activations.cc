// SPDX-License-Identifier: Apache-2.0
// Biases, activations and sums of exponentials, for every instruction set.
#include "src/transformer/kernels/activations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/transformer/kernels/activations.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Lanes = HWY_CAPPED(float, 16);
using Vector = hn::Vec<Lanes>;
constexpr std::int64_t most_lanes = 16;

struct Same {
  Vector operator()(Vector x) const { return x; }
};

struct Relu {
  Vector operator()(Vector x) const { return hn::IfThenZeroElse(hn::Lt(x, hn::Zero(Lanes())), x); }
};

// x Phi(x). The tail Phi(-|x|) = exp(-x^2 / 2) t Q(t), t = 1 / (1 + p |x|): p and Q from tools/fits/normal_tail.py, Q
// with a relative error below 2^-23.9.
struct Gelu {
  Vector operator()(Vector x) const {
    const Lanes d;
    const auto one = hn::Set(d, 1.0f);
    const auto t = hn::Div(one, hn::MulAdd(hn::Set(d, 0x1.d70a3ep-3f), hn::Abs(x), one));
    auto q = hn::Set(d, -0x1.39bea4p-4f);
    q = hn::MulAdd(q, t, hn::Set(d, 0x1.1f862cp-2f));
    q = hn::MulAdd(q, t, hn::Set(d, -0x1.070eb2p-2f));
    q = hn::MulAdd(q, t, hn::Set(d, 0x1.19ed76p-2f));
    q = hn::MulAdd(q, t, hn::Set(d, -0x1.b30934p-7f));
    q = hn::MulAdd(q, t, hn::Set(d, 0x1.c3d858p-4f));
    q = hn::MulAdd(q, t, hn::Set(d, 0x1.6a03fcp-4f));
    q = hn::MulAdd(q, t, hn::Set(d, 0x1.78afb0p-4f));
    const auto density = hn::Exp(d, hn::Mul(hn::Mul(x, x), hn::Set(d, -0.5f)));
    const auto tail = hn::Mul(density, hn::Mul(q, t));
    return hn::Mul(x, hn::IfThenElse(hn::Lt(x, hn::Zero(d)), tail, hn::Sub(one, tail)));
  }
};

struct GeluTanh {
  Vector operator()(Vector x) const {
    const Lanes d;
    const auto one = hn::Set(d, 1.0f);
    const auto cubic = hn::MulAdd(hn::Mul(hn::Mul(x, x), x), hn::Set(d, 0.044715f), x);
    const auto exponent = hn::Mul(cubic, hn::Set(d, -2 * 0.79788456080286536f));  // -2 sqrt(2 / pi)
    const auto share = hn::Div(one, hn::Add(one, hn::Exp(d, exponent)));
    // Beyond 88 the exponential is no float any more, and the share less than 2^-126.
    return hn::Mul(x, hn::IfThenZeroElse(hn::Gt(exponent, hn::Set(d, 88.0f)), share));
  }
};

template <class Function>
HWY_INLINE void Finish(const Function& function, const float* bias, std::int64_t rows, std::int64_t columns,
                       float* data, std::int64_t stride) {
  const Lanes d;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  const std::int64_t whole = columns - columns % lanes, rest = columns - whole;
  float last[most_lanes] = {}, last_bias[most_lanes] = {};
  if (bias != nullptr) std::copy_n(bias + whole, rest, last_bias);
  for (std::int64_t i = 0; i < rows; ++i, data += stride) {
    for (std::int64_t c = 0; c < whole; c += lanes) {
      const auto x = hn::LoadU(d, data + c);
      hn::StoreU(function(bias == nullptr ? x : hn::Add(x, hn::LoadU(d, bias + c))), d, data + c);
    }
    if (rest == 0) continue;
    std::copy_n(data + whole, rest, last);
    hn::StoreU(function(hn::Add(hn::LoadU(d, last), hn::LoadU(d, last_bias))), d, last);
    std::copy_n(last, rest, data + whole);
  }
}

void FinishRows(Curve curve, const float* bias, std::int64_t rows, std::int64_t columns, float* data,
                std::int64_t stride) {
  switch (curve) {
    case Curve::none: return bias == nullptr ? void() : Finish(Same(), bias, rows, columns, data, stride);
    case Curve::relu: return Finish(Relu(), bias, rows, columns, data, stride);
    case Curve::gelu: return Finish(Gelu(), bias, rows, columns, data, stride);
    case Curve::gelu_tanh: return Finish(GeluTanh(), bias, rows, columns, data, stride);
  }
}

// The sum of exp(row[c] - maximum), in f64, of what is a number.
double SumExp(const float* row, std::int64_t count, float maximum) {
  const HWY_CAPPED(double, most_lanes / 2) wide;
  const hn::Rebind<float, decltype(wide)> half;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(half));
  auto sum = hn::Zero(wide);
  float last[most_lanes];
  for (std::int64_t c = 0; c < count; c += lanes) {
    const float* from = row + c;
    if (count - c < lanes) {
      std::fill_n(last, most_lanes, -std::numeric_limits<float>::infinity());
      std::copy_n(from, count - c, last);
      from = last;
    }
    const auto x = hn::LoadU(half, from);
    const auto share = hn::Exp(half, hn::Sub(x, hn::Set(half, maximum)));
    sum = hn::Add(sum, hn::PromoteTo(wide, hn::IfThenElseZero(hn::Eq(x, x), share)));
  }
  return hn::GetLane(hn::SumOfLanes(wide, sum));
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(FinishRows);
HWY_EXPORT(SumExp);

void finish_rows(Curve curve, const float* bias, std::int64_t rows, std::int64_t columns, float* data,
                 std::int64_t stride) {
  HWY_DYNAMIC_DISPATCH(FinishRows)(curve, bias, rows, columns, data, stride);
}

double log_sum_exp(const float* row, std::int64_t count) {
  constexpr float nothing = -std::numeric_limits<float>::infinity();
  float maximum = nothing;
  for (std::int64_t c = 0; c < count; ++c) maximum = row[c] > maximum ? row[c] : maximum;  // a NaN is not above
  if (maximum == nothing) return -std::numeric_limits<double>::infinity();
  return static_cast<double>(maximum) + std::log(HWY_DYNAMIC_DISPATCH(SumExp)(row, count, maximum));
}

}  // namespace posenc::kernels
#endif
