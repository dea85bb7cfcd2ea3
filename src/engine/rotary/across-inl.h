// SPDX-License-Identifier: Apache-2.0
// Rows of pairs turned by the same angles: one, or the same row of many lines.
//
// Included once for each instruction set.
#if defined(POSENC_ENGINE_ACROSS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_ACROSS_INL_H
#undef POSENC_ENGINE_ACROSS_INL_H
#else
#define POSENC_ENGINE_ACROSS_INL_H
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

#include "src/engine/rotary/lines-inl.h"
#include "src/engine/rotary/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace {

// ---- one row -------------------------------------------------------------------------------------

struct RowAngles {
  const float *cosine, *sine;
  std::size_t pairs;
};

template <class Places, class T>
HWY_INLINE void TurnStep(RowAngles angles, const T* in, T* out, std::size_t k) {
  typename Places::template Column<T> x, y;
  Places::Load(in, k, angles.pairs, x, y);
  Places::Turn(Places::template Load<T>(angles.cosine + k, angles.sine + k), x, y, out, k, angles.pairs);
}

// The last pairs of a row that does not end with a whole step, through memory that holds one: a step ending with the
// row, of which the first pairs are turned twice, or all pairs of a row shorter than a step. A row that is turned in
// place is read before its other steps write.
template <class Places, class T>
class LastStep {
 public:
  HWY_INLINE LastStep(const T* in, std::size_t n) : count_(std::min(step, n)), first_(n - count_) {
    Copy(in + first_ * width, room_);
    if (halves) Copy(in + first_ + n, room_ + step);
  }
  HWY_INLINE void Turn(RowAngles angles, T* out) {
    TurnStep<Places>({angles.cosine + first_, angles.sine + first_, step}, room_, room_, 0);
    Copy(room_, out + first_ * width);
    if (halves) Copy(room_ + step, out + first_ + angles.pairs);
  }

 private:
  static constexpr bool halves = std::is_same_v<Places, SplitHalf>;
  static constexpr std::size_t step = Places::template Count<T>(), width = Places::width;

  HWY_INLINE void Copy(const T* from, T* to) const {
    if (HWY_LIKELY(count_ == step)) {
      std::memcpy(to, from, step * width * sizeof(T));
    } else {
      std::memcpy(to, from, count_ * width * sizeof(T));
    }
  }

  std::size_t count_, first_;
  T room_[2 * step] = {};
};

template <class Places, class T>
HWY_INLINE void TurnRow(RowAngles angles, const T* in, T* out) {
  constexpr std::size_t step = Places::template Count<T>();
  LastStep<Places, T> last(in, angles.pairs);
  for (std::size_t k = 0; k + step < angles.pairs; k += step) TurnStep<Places>(angles, in, out, k);
  last.Turn(angles, out);
}

// ---- the same row of many lines ------------------------------------------------------------------

// The pairs from `k` on of row `row` of all lines, one line after the other, as stores to memory that is near go
// fastest: aligned or not. Their angles stay in registers.
template <class Places, std::size_t steps, class T>
HWY_INLINE void TurnInTurn(RowAngles angles, std::span<const Lines<T>> runs, std::int64_t row, std::size_t k) {
  constexpr std::size_t step = Places::template Count<T>();
  StepAngles<Places::template vectors<T>> held[steps];
  for (std::size_t i = 0; i < steps; ++i) {
    held[i] = Places::template Load<T>(angles.cosine + k + i * step, angles.sine + k + i * step);
  }
  for (const Lines<T>& lines : runs) {
    Across<T> rows = RowsOf(lines, 0, row);
    rows.in += k * Places::width, rows.out += k * Places::width;
    for (std::int64_t count = lines.count; count > 0; --count) {
      for (std::size_t i = 0; i < steps; ++i) {
        typename Places::template Column<T> x, y;
        Places::Load(rows.in, i * step, angles.pairs, x, y);
        Places::Turn(held[i], x, y, rows.out, i * step, angles.pairs);
      }
      rows.in += rows.in_line;
      rows.out += rows.out_line;
    }
  }
}

template <class Places, std::size_t steps, class T>
HWY_INLINE void TurnSteps(RowAngles angles, std::span<const Lines<T>> runs, std::int64_t row) {
  constexpr std::size_t many = steps * Places::template Count<T>();
  for (std::size_t k = 0; k < angles.pairs; k += many) TurnInTurn<Places, steps>(angles, runs, row, k);
}

// `count` rows, a step of all at a time. All loads come before the first store: heads often lie a power of two apart,
// where a load waits for an earlier store to the same place of another page.
template <class Places, std::size_t count, class T>
HWY_INLINE void TurnAbreast(RowAngles angles, Across<T> rows) {
  constexpr std::size_t step = Places::template Count<T>();
  const T* in[count] = {rows.in};
  T* out[count] = {rows.out};
  for (std::size_t l = 1; l < count; ++l) {
    in[l] = in[l - 1] + rows.in_line;
    out[l] = out[l - 1] + rows.out_line;
  }
  for (std::size_t k = 0; k < angles.pairs; k += step) {
    const auto step_angles = Places::template Load<T>(angles.cosine + k, angles.sine + k);
    typename Places::template Column<T> x[count], y[count];
    for (std::size_t l = 0; l < count; ++l) Places::Load(in[l], k, angles.pairs, x[l], y[l]);
    for (std::size_t l = 0; l < count; ++l) Places::Turn(step_angles, x[l], y[l], out[l], k, angles.pairs);
  }
}

}  // namespace
}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_ACROSS_INL_H
