// SPDX-License-Identifier: Apache-2.0
// Exact blocks: the vector kernel, its rounding test, and the certain path for the few results that fail it.
#include "src/engine/sincos.h"

#include <algorithm>

#include "src/engine/doubt.h"
#include "src/engine/elements.h"
#include "src/engine/sincos_kernel.h"

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

// The phases of |p| w, each less than 2 units too small; false when one of them cannot be told.
bool phases(const Rungs& rungs, const Dyadic& p, std::size_t first, std::size_t count, std::uint64_t* phase) {
  if (p.exponent == 0 || (rungs.fractional && p.exponent < 0)) {
    multiples_of_turns(p.mantissa, -p.exponent, &rungs.high[first], &rungs.low[first], count, phase);
    return true;
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::optional<std::uint64_t> turns = numerics::phase64(rungs.turns[first + i], p);
    if (!turns) return false;
    phase[i] = *turns;
  }
  return true;
}

template <class T>
void settle_one(const Rungs& rungs, const Dyadic& p, std::size_t k, T& sine, T& cosine) {
  const numerics::Pair<T> pair = numerics::exact_sine_cosine<T>(rungs.frequencies[k], rungs.turns[k], p);
  sine = pair.sine;
  cosine = pair.cosine;
}

template <class T>
void settle_all(const Rungs& rungs, const Dyadic& p, std::size_t first, std::size_t count, T* sine, T* cosine) {
  for (std::size_t i = 0; i < count; ++i) settle_one(rungs, p, first + i, sine[i], cosine[i]);
}

// One block: p > 0, so that the caller sets the sine's sign.
template <class T>
void positive_block(const Rungs& rungs, const Dyadic& p, std::size_t first, std::size_t count, T* sine, T* cosine) {
  alignas(64) std::uint64_t phase[block];
  T s[block], c[block];
  std::uint16_t doubts[block];
  if (!rungs.moderate || !phases(rungs, p, first, count, phase)) {
    return settle_all(rungs, p, first, count, sine, cosine);
  }
  std::fill(phase + count, phase + block, 0);
  const std::size_t in_doubt = rounded_sine_cosine(phase, count, s, c, doubts);
  for (std::size_t i = 0; i < in_doubt && doubts[i] < count; ++i) {
    settle_one(rungs, p, first + doubts[i], s[doubts[i]], c[doubts[i]]);
  }
  std::copy(s, s + count, sine);
  std::copy(c, c + count, cosine);
}

}  // namespace

template <class T>
void sine_cosine(const Rungs& rungs, const Dyadic& p, std::size_t first, std::size_t count, T* sine, T* cosine) {
  if (p.zero()) {
    std::fill(sine, sine + count, T(0.0f));
    std::fill(cosine, cosine + count, T(1.0f));
    return;
  }
  // f64 has no wider vector type to round from.
  if constexpr (std::is_same_v<T, double>) {
    settle_all(rungs, p, first, count, sine, cosine);
  } else {
    Dyadic size = reduced(p);
    size.negative = false;
    for (std::size_t done = 0; done < count; done += block) {
      positive_block(rungs, size, first + done, std::min(block, count - done), sine + done, cosine + done);
    }
    if (p.negative) std::transform(sine, sine + count, sine, negated<T>);
  }
}

template void sine_cosine(const Rungs&, const Dyadic&, std::size_t, std::size_t, float*, float*);
template void sine_cosine(const Rungs&, const Dyadic&, std::size_t, std::size_t, double*, double*);
template void sine_cosine(const Rungs&, const Dyadic&, std::size_t, std::size_t, half*, half*);
template void sine_cosine(const Rungs&, const Dyadic&, std::size_t, std::size_t, bfloat16*, bfloat16*);

}  // namespace posenc::engine
