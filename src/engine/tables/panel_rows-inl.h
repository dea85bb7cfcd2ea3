// SPDX-License-Identifier: Apache-2.0
// The rows of f32 around a centre, four at a time, from end to end.
//
// Included once for each instruction set.
#if defined(POSENC_ENGINE_PANEL_ROWS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_PANEL_ROWS_INL_H
#undef POSENC_ENGINE_PANEL_ROWS_INL_H
#else
#define POSENC_ENGINE_PANEL_ROWS_INL_H
#endif

#include <hwy/highway.h>

#include "src/engine/tables/angle_addition-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Does a panel of T go by rows? Line by line (FillLines), the columns of the centre stay in registers, 8 of them on
// AVX2, which has 16: half of them were put on the stack and loaded again, from where they may wait for the streamed
// stores.
template <class T>
constexpr bool by_rows = few_registers && std::is_same_v<T, float>;

// Pairs of rows that share a load of the centre: with one, there are as many loads as AVX2 can make.
constexpr std::size_t together = 2;
static_assert(reach % together == 0);

// f32 lanes of the rows `n` and more from the centre, on and back in turns.
HWY_INLINE void MakePairs(const Around<double>& of, std::size_t n, Wide (&sum)[2 * together]) {
  const F64 d;
  for (std::size_t h = 0; h < halves; ++h) {
    const std::size_t j = h * hn::Lanes(d);
    const auto x = hn::Load(d, of.x + j), y = hn::Load(d, of.y + j);
    for (std::size_t k = 0; k < together; ++k) {
      const std::size_t at = (n - 1 + k) * panel_columns + j;
      const auto sine = hn::Load(d, of.sine + at), product = hn::Mul(x, hn::Load(d, of.cosine + at));
      sum[2 * k].part[h] = hn::MulAdd(y, sine, product);
      sum[2 * k + 1].part[h] = hn::NegMulAdd(y, sine, product);
    }
  }
}

// Whole lines of the 17 rows around a centre, the first of which goes to row 0 of `to`; no zeros are known.
template <Stores stores, class T>
HWY_INLINE void FillRows(const Around<double>& of, std::size_t columns, const Rows<T>& to, const Place& centre,
                         DoubtfulLines<T>& doubtful) {
  const auto doubt = [&](std::size_t n) HWY_ATTR {
    for (std::size_t j = 0; j < columns; j += line_columns<T>) {
      WideLine<T> on, back;
      Doubt<stores>(of.from(j), n, {centre.row, centre.column + j}, NoZeros(), on, back, doubtful);
    }
  };
  auto all = WideEvidence<T>::None();
  for (std::size_t j = 0; j < columns; j += line_columns<T>) {
    WideLine<T> line;
    const Wides<T> values(of.from(j), line);
    all.Join(AllEvidence(line));
    StoreLine<stores>(line, to.at(reach) + j);
  }
  if (HWY_UNLIKELY(all.Any())) doubt(0);
  for (std::size_t n = 1; n <= reach; n += together) {
    T* row[2 * together];
    for (std::size_t k = 0; k < together; ++k) {
      row[2 * k] = to.at(static_cast<std::int64_t>(reach + n + k));
      row[2 * k + 1] = to.at(static_cast<std::int64_t>(reach - n - k));
    }
    all = WideEvidence<T>::None();
    for (std::size_t j = 0; j < columns; j += hn::Lanes(F32())) {
      Wide sum[2 * together];
      MakePairs(of.from(j), n, sum);
      for (std::size_t k = 0; k < 2 * together; ++k) {
        WideEvidence<T> evidence;
        StoreAs<stores>(Wides<T>::Rounded(of.exponent, sum[k], evidence), F32(), row[k] + j);
        all.Join(evidence);
      }
    }
    if (HWY_LIKELY(!all.Any())) continue;
    for (std::size_t k = 0; k < together; ++k) doubt(n + k);
  }
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_PANEL_ROWS_INL_H
