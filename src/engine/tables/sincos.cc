// SPDX-License-Identifier: Apache-2.0
// Exact blocks: the vector kernel, its rounding test, and the certain path for the few results that fail it.
#include "src/engine/tables/sincos.h"

#include <algorithm>

#include "src/base/elements.h"
#include "src/engine/tables/f64_kernel.h"
#include "src/engine/tables/phase.h"
#include "src/engine/tables/sines.h"

namespace posenc::engine {
namespace {

using numerics::Dyadic;

// A whole number below 2^53 in size has exponent 0 here, whatever double it came from.
Dyadic reduced(Dyadic p) {
  const int shift = std::min(std::countr_zero(p.mantissa), -p.exponent);
  if (shift > 0) {
    p.mantissa >>= shift;
    p.exponent += shift;
  }
  return p;
}

// Does p w have the fraction of a product of p's mantissa and the leading turns?
bool multiplies(const Rungs& rungs, const Dyadic& p) { return p.exponent == 0 || (rungs.fractional && p.exponent < 0); }

// Can the kernel multiply by p?
bool in_lanes(const Rungs& rungs, const Dyadic& p) {
  return p.mantissa >> 32 == 0 && p.exponent > -64 && multiplies(rungs, p);
}

// The phases of |p| w of the frequencies from `first` on, each less than 2 units too small; false when one of them
// cannot be told.
bool place(const Rungs& rungs, const Dyadic& p, std::size_t first, std::size_t count, std::uint64_t* phase) {
  const bool products = multiplies(rungs, p);
  for (std::size_t i = 0; i < count; ++i) {
    if (products) {
      phase[i] = multiple_of_turns(p.mantissa, -p.exponent, rungs.high[first + i], rungs.low[first + i]);
      continue;
    }
    const std::optional<std::uint64_t> turns = numerics::phase64(rungs.turns[first + i], p);
    if (!turns) return false;
    phase[i] = *turns;
  }
  return true;
}

template <class T>
bool settle_one(const Rungs& rungs, const Dyadic& p, std::size_t k, const Waves<T>& to, std::size_t i) {
  const std::optional<numerics::Pair<T>> pair = certain_pair<T>(rungs, k, p);
  if (pair) to.put(i, pair->sine, pair->cosine);
  return pair.has_value();
}

template <class T>
std::size_t write_scaled(const Factor& by, const TurnMultiples& of, const Waves<T>& to, std::uint16_t* doubts) {
  return sincos_kernels().write_scaled.of<T>()(of, {by.nearest, smallest_of_scaled(1, by.exponent)}, to, doubts);
}

// Frequencies first, first + 1, ... of p > 0, by a kernel, or entry by entry where there is none: the caller sets the
// sine's sign.
template <class T>
bool positive_block(WriteWaves<T>* write, const Rungs& rungs, const Dyadic& p, std::size_t first, const Waves<T>& to) {
  std::uint64_t phase[block];
  std::uint16_t doubts[block];
  TurnMultiples of = {1, 0, phase, no_low};
  const bool by_kernel = write != nullptr && rungs.moderate;
  if (by_kernel && in_lanes(rungs, p)) {
    of = {p.mantissa, -p.exponent, rungs.high.data() + first, rungs.low.data() + first};
  } else if (!by_kernel || !place(rungs, p, first, to.sines, phase)) {
    bool decided = true;
    for (std::size_t i = 0; i < to.sines; ++i) decided &= settle_one(rungs, p, first + i, to, i);
    return decided;
  }
  bool decided = true;
  const std::size_t in_doubt = rungs.factor ? write_scaled(*rungs.factor, of, to, doubts) : write(of, to, doubts);
  for (std::size_t i = 0; i < in_doubt; ++i) decided &= settle_one(rungs, p, first + doubts[i], to, doubts[i]);
  return decided;
}

// ---- f64 ----------------------------------------------------------------------------------------

// A whole number below 2^64 has exponent 0 here.
Dyadic whole(Dyadic p) {
  if (p.exponent > 0 && p.exponent <= std::countl_zero(p.mantissa)) return {p.mantissa << p.exponent, 0, p.negative};
  return reduced(p);
}

// The phases of |p| w; by how many units they may be too small, or nothing when one of them cannot be told.
std::optional<double> place(const Rungs& rungs, const Dyadic& p, std::size_t first, std::size_t count,
                            WidePhases& phases) {
  if (multiplies(rungs, p)) {
    for (std::size_t i = 0; i < count; ++i) {
      phases.set(i, wide_multiple_of_turns(p.mantissa, -p.exponent, rungs.high[first + i], rungs.low[first + i]));
    }
    return 2 + static_cast<double>(p.exponent == 0 ? p.mantissa : p.mantissa >> std::min(-p.exponent, 63));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<numerics::uint128> turns = numerics::phase128(rungs.turns[first + i], p);
    if (!turns) return std::nullopt;
    phases.set(i, *turns);
  }
  return 2;
}

// positive_block() of f64.
bool positive_block(WriteWideWaves* write, const Rungs& rungs, const Dyadic& p, std::size_t first,
                    const Waves<double>& to) {
  WidePhases phases;
  std::uint16_t doubts[block];
  const std::optional<double> units = write ? place(rungs, p, first, to.sines, phases) : std::nullopt;
  bool decided = true;
  if (!units) {
    for (std::size_t i = 0; i < to.sines; ++i) decided &= settle_one(rungs, p, first + i, to, i);
    return decided;
  }
  const std::size_t in_doubt = write(phases, *units, rungs.factor ? &*rungs.factor : nullptr, to, doubts);
  for (std::size_t i = 0; i < in_doubt; ++i) decided &= settle_one(rungs, p, first + doubts[i], to, doubts[i]);
  return decided;
}

}  // namespace

template <class T>
bool sine_cosine(const Rungs& rungs, const Dyadic& p, const Waves<T>& to) {
  if (p.zero()) {
    for (std::size_t i = 0; i < to.sines; ++i) to.put(i, T(0.0f), at_zero<T>(rungs, 1));
    return true;
  }
  bool decided = true;
  if constexpr (std::is_same_v<T, double>) {
    Dyadic size = whole(p);
    size.negative = false;
    for (std::size_t first = 0; first < to.sines; first += block) {
      decided &= positive_block(f64_kernels().write, rungs, size, first, block_of(to, first));
    }
  } else {
    Dyadic size = reduced(p);
    size.negative = false;
    const auto write = sincos_kernels().write.of<T>();
    if (to.sines <= block) {  // as it is: a step would wait for a copy's way through memory
      decided = positive_block(write, rungs, size, 0, to);
    } else {
      for (std::size_t first = 0; first < to.sines; first += block) {
        decided &= positive_block(write, rungs, size, first, block_of(to, first));
      }
    }
  }
  for (std::size_t i = 0; p.negative && i < to.sines; ++i) {
    if (std::is_same_v<T, double> && rungs.turns[i].zero()) continue;  // row_plan.h: +0
    to.sine[i * to.step] = negated(to.sine[i * to.step]);
  }
  return decided;
}

template bool sine_cosine(const Rungs&, const Dyadic&, const Waves<float>&);
template bool sine_cosine(const Rungs&, const Dyadic&, const Waves<double>&);
template bool sine_cosine(const Rungs&, const Dyadic&, const Waves<half>&);
template bool sine_cosine(const Rungs&, const Dyadic&, const Waves<bfloat16>&);

}  // namespace posenc::engine
