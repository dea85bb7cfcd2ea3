// SPDX-License-Identifier: Apache-2.0
// Terms of a sum of rows, in lanes and singly: a token's elements, masked or not, and one pass from a source to a sink.
//
// Included once for each instruction set.
#if defined(POSENC_ENGINE_TERMS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_TERMS_INL_H
#undef POSENC_ENGINE_TERMS_INL_H
#else
#define POSENC_ENGINE_TERMS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>

#include "src/base/stores.h"
#include "src/engine/lanes-inl.h"
#include "src/engine/random/mask-inl.h"
#include "src/engine/scatter/scatter.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

constexpr std::size_t tile = 512;  // columns of a part: its sum and its bits stay in the first-level cache
constexpr std::size_t far_tokens = 6, near_tokens = 3;  // asked for twice: parts of 2 KiB 12 and 6 KiB ahead
static_assert(tile % DrawnAtMost() == 0);

// ---- terms: one token's elements, in lanes and singly ---------------------------------------------

template <class T>
struct PlainTerm {
  const T* row;
  std::int64_t step;

  HWY_INLINE hn::Vec<LanesOf<T>> Lanes(std::size_t c) const { return LoadWide(row + c); }
  HWY_INLINE Computing<T> Single(std::size_t c) const {
    return static_cast<Computing<T>>(row[static_cast<std::int64_t>(c) * step]);
  }
};

template <class T>
struct MaskedTerm {
  PlainTerm<T> term;
  const RowMask* mask;
  Choice<LanesOf<T>> choice;
  const std::uint16_t* draws;

  HWY_INLINE hn::Vec<LanesOf<T>> Lanes(std::size_t c) const {
    return hn::Mul(term.Lanes(c), Factors(choice, draws + c));
  }
  HWY_INLINE Computing<T> Single(std::size_t c) const {
    using C = Computing<T>;
    return term.Single(c) * (draws[c] < mask->dropped ? C(0) : static_cast<C>(mask->keep));
  }
};

// ---- one pass: from a source to a sink ------------------------------------------------------------

// The sum of no terms, of a part of a row.
template <class T>
alignas(line_bytes) constexpr Computing<T> nothing[tile] = {};

template <class T>
struct Sum {
  const Computing<T>* sum;

  HWY_INLINE hn::Vec<LanesOf<T>> Lanes(std::size_t c) const { return LoadWide(sum + c); }
  HWY_INLINE Computing<T> Single(std::size_t c) const { return sum[c]; }
};

template <class T, class Term>
struct SumAnd {
  Sum<T> sum;
  Term term;

  HWY_INLINE hn::Vec<LanesOf<T>> Lanes(std::size_t c) const { return hn::Add(sum.Lanes(c), term.Lanes(c)); }
  HWY_INLINE Computing<T> Single(std::size_t c) const { return sum.Single(c) + term.Single(c); }
};

template <class T>
struct ToSum {
  Computing<T>* sum;

  HWY_INLINE void Lanes(hn::Vec<LanesOf<T>> value, std::size_t c) const { StoreRounded(value, sum + c); }
  HWY_INLINE void Single(Computing<T> value, std::size_t c) const { sum[c] = value; }
};

template <class T, Stores stores>
struct ToRow {
  T* row;
  std::int64_t step;
  Computing<T> scale;

  HWY_INLINE void Lanes(hn::Vec<LanesOf<T>> value, std::size_t c) const {
    const auto scaled = hn::Mul(value, hn::Set(LanesOf<T>(), scale));
    if constexpr (stores == Stores::streamed) {
      StreamRounded(scaled, row + c);
    } else {
      StoreRounded(scaled, row + c);
    }
  }
  HWY_INLINE void Single(Computing<T> value, std::size_t c) const {
    row[static_cast<std::int64_t>(c) * step] = T(value * scale);
  }
};

// Columns [0, first) and [last, count) go singly, those between them in lanes.
struct Cut {
  std::size_t first, last, count;
};

// Token rows to ask for on the way.
template <class T>
struct Ahead {
  const T *far, *near;

  HWY_INLINE void Ask(std::size_t c) const {
    __builtin_prefetch(far + c);
    __builtin_prefetch(near + c);
  }
};
struct NothingAhead {
  HWY_INLINE void Ask(std::size_t) const {}
};

template <class Source, class Sink>
HWY_NOINLINE void Singly(const Source& source, const Sink& sink, std::size_t first, std::size_t last) {
  for (std::size_t c = first; c < last; ++c) sink.Single(source.Single(c), c);
}

template <class T, class Source, class Sink, class Next>
HWY_NOINLINE void Pass(const Source& source, const Sink& sink, const Cut& cut, const Next& ahead) {
  constexpr std::size_t a_line = line_bytes / sizeof(T);
  const std::size_t lanes = hn::Lanes(LanesOf<T>());
  if (cut.first > 0) Singly(source, sink, 0, cut.first);
  std::size_t c = cut.first;
  for (; c + a_line <= cut.last; c += a_line) {
    ahead.Ask(c);
    for (std::size_t k = c; k < c + a_line; k += lanes) sink.Lanes(source.Lanes(k), k);
  }
  for (; c < cut.last; c += lanes) sink.Lanes(source.Lanes(c), c);
  if (c < cut.count) Singly(source, sink, c, cut.count);
}

// ---- parts of rows: columns [first, first + count) ------------------------------------------------

struct Part {
  std::size_t first, count;
};

template <class T>
const T* ElementsOf(const Terms<T>& terms, std::size_t place, const Part& part) {
  const std::vector<std::uint32_t>& tokens = terms.tokens->tokens;
  const std::int64_t token = tokens[std::min(place, tokens.size() - 1)];
  return terms.gradient + token / terms.length * terms.sequence_stride + token % terms.length * terms.token_stride +
         static_cast<std::int64_t>(part.first) * terms.column_stride;
}

template <class T>
Ahead<T> AheadOf(const Terms<T>& terms, std::size_t place, const Part& part) {
  return {ElementsOf(terms, place + far_tokens, part), ElementsOf(terms, place + near_tokens, part)};
}

template <class T>
struct PlainTerms {
  const Terms<T>& terms;

  PlainTerm<T> At(std::size_t place, const Part& part) { return {ElementsOf(terms, place, part), terms.column_stride}; }
};

HWY_NOINLINE void DrawPart(const RowMask& mask, const Part& part, std::uint16_t* draws) {
  Draw(mask, RoundKeys(mask.key), part.first, part.count, draws);
}

template <class T>
struct MaskedTerms {
  const Terms<T>& terms;
  Choice<LanesOf<T>> choice;
  alignas(64) std::uint16_t draws[tile];

  explicit MaskedTerms(const Terms<T>& of) : terms(of), choice(*of.mask) {}
  MaskedTerm<T> At(std::size_t place, const Part& part) {
    const std::uint32_t token = terms.tokens->tokens[place];
    RowMask mask = *terms.mask;
    mask.batch += static_cast<std::uint32_t>(token / terms.length);
    mask.token += static_cast<std::uint32_t>(token % terms.length);
    DrawPart(mask, part, draws);
    return {{ElementsOf(terms, place, part), terms.column_stride}, terms.mask, choice, draws};
  }
};

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_TERMS_INL_H
