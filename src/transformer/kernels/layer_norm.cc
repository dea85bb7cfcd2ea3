// SPDX-License-Identifier: Apache-2.0
// Rows brought to mean 0 and variance 1, for every instruction set.
#include "src/transformer/kernels/layer_norm.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/transformer/kernels/layer_norm.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace posenc::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Wide = HWY_CAPPED(double, 8);
using Narrow = hn::Rebind<float, Wide>;
using WideVector = hn::Vec<Wide>;

// Sums of x - first and of its square.
struct Sums {
  WideVector first, sum, square;

  explicit Sums(double of) : first(hn::Set(Wide(), of)), sum(hn::Zero(Wide())), square(hn::Zero(Wide())) {}
  void add(WideVector x) {
    const auto away = hn::Sub(x, first);
    sum = hn::Add(sum, away);
    square = hn::MulAdd(away, away, square);
  }
};

void NormalRow(const float* from, std::int64_t width, const float* weight, const float* bias, double epsilon,
               float* to) {
  const Wide d;
  const Narrow f;
  const auto lanes = static_cast<std::int64_t>(hn::Lanes(d));
  if (width == 0) return;
  const auto first = static_cast<double>(from[0]), count = static_cast<double>(width);
  Sums even(first), odd(first);
  std::int64_t c = 0;
  for (; c + 2 * lanes <= width; c += 2 * lanes) {
    even.add(hn::PromoteTo(d, hn::LoadU(f, from + c)));
    odd.add(hn::PromoteTo(d, hn::LoadU(f, from + c + lanes)));
  }
  double sum = hn::GetLane(hn::SumOfLanes(d, hn::Add(even.sum, odd.sum)));
  double square = hn::GetLane(hn::SumOfLanes(d, hn::Add(even.square, odd.square)));
  for (; c < width; ++c) {
    const double away = static_cast<double>(from[c]) - first;
    sum += away;
    square += away * away;
  }
  const double mean = first + sum / count, variance = std::max(0.0, (square - sum * (sum / count)) / count);
  const double factor = 1 / std::sqrt(variance + epsilon);
  const auto means = hn::Set(d, mean), factors = hn::Set(d, factor);
  for (c = 0; c + lanes <= width; c += lanes) {
    const auto x = hn::Mul(hn::Sub(hn::PromoteTo(d, hn::LoadU(f, from + c)), means), factors);
    const auto weights = hn::PromoteTo(d, hn::LoadU(f, weight + c));
    const auto y =
        bias == nullptr ? hn::Mul(x, weights) : hn::MulAdd(x, weights, hn::PromoteTo(d, hn::LoadU(f, bias + c)));
    hn::StoreU(hn::DemoteTo(f, y), f, to + c);
  }
  for (; c < width; ++c) {
    const double x = (static_cast<double>(from[c]) - mean) * factor * static_cast<double>(weight[c]);
    to[c] = static_cast<float>(bias == nullptr ? x : x + static_cast<double>(bias[c]));
  }
}

}  // namespace posenc::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::kernels {

HWY_EXPORT(NormalRow);

void normal_row(const float* from, std::int64_t width, const float* weight, const float* bias, double epsilon,
                float* to) {
  HWY_DYNAMIC_DISPATCH(NormalRow)(from, width, weight, bias, epsilon, to);
}

}  // namespace posenc::kernels
#endif
