// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/rotate.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/rotate.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

#include "src/engine/pairs-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace {
namespace hn = hwy::HWY_NAMESPACE;

// ---- rows ----------------------------------------------------------------------------------------

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
  HWY_INLINE void Turn(const float* cosine, const float* sine, T* out, std::size_t n) {
    const T* in[] = {room_};
    T* to[] = {room_};
    Places::template Turn<1>(cosine + first_, sine + first_, in, to, 0, step);
    Copy(room_, out + first_ * width);
    if (halves) Copy(room_ + step, out + first_ + n);
  }

 private:
  static constexpr bool halves = std::is_same_v<Places, SplitHalf>;
  static constexpr std::size_t step = Places::template Count<T>(), width = halves ? 1 : 2;

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

template <class Places, std::size_t lines, class T>
HWY_INLINE void TurnRows(const Angles& angles, std::int64_t t, const T* const* in, T* const* out, std::int64_t width) {
  const float *cosine = angles.cosine + t * angles.stride, *sine = angles.sine + t * angles.stride;
  const auto n = static_cast<std::size_t>(angles.pairs);
  constexpr std::size_t step = Places::template Count<T>();
  if (n % step == 0) {
    for (std::size_t k = 0; k < n; k += step) Places::template Turn<lines>(cosine, sine, in, out, k, n);
  } else {
    for (std::size_t l = 0; l < lines; ++l) {
      LastStep<Places, T> last(in[l], n);
      for (std::size_t k = 0; k + step < n; k += step) Places::template Turn<1>(cosine, sine, in + l, out + l, k, n);
      last.Turn(cosine, sine, out[l], n);
    }
  }
  const std::size_t rest = static_cast<std::size_t>(width) - 2 * n;
  for (std::size_t l = 0; l < lines && rest > 0; ++l) {
    if (in[l] != out[l]) std::memcpy(out[l] + 2 * n, in[l] + 2 * n, rest * sizeof(T));
  }
}

// ---- lines ---------------------------------------------------------------------------------------

constexpr std::int64_t group = 4;           // lines that share a load of their angles
constexpr std::int64_t bytes_ahead = 2048;  // of each line: what memory takes to answer
constexpr std::int64_t line_bytes = 64;
constexpr std::int64_t at_hand = 65536;  // bytes of a decoding step, made just before, are in a cache

// Groups of lines and rows in the order of memory: the nearer of the two runs faster.
struct Cursor {
  std::int64_t first = 0, row = 0;  // first line of the group

  void Next(std::int64_t lines, std::int64_t rows, bool rows_are_near) {
    if (rows_are_near) {
      if (++row == rows) row = 0, first += group;
    } else {
      if ((first += group) >= lines) first = 0, ++row;
    }
  }
};

template <class T>
HWY_INLINE T* At(const Strided<T>& rows, std::int64_t line, std::int64_t row) {
  return rows.data + line * rows.line + row * rows.row;
}

template <class T>
HWY_INLINE void Fetch(const Lines<T>& lines, std::int64_t columns, const Cursor& at) {
  const std::int64_t bytes = std::min(columns * static_cast<std::int64_t>(sizeof(T)), bytes_ahead);
  for (std::int64_t line = at.first; line < std::min(at.first + group, lines.count); ++line) {
    const char* row = reinterpret_cast<const char*>(At(lines.in, line, at.row));
    for (std::int64_t b = 0; b < bytes; b += line_bytes) __builtin_prefetch(row + b);
  }
}

template <class Places, std::size_t count, class T>
HWY_INLINE void TurnStep(const Angles& angles, const Lines<T>& lines, std::int64_t first, std::int64_t row) {
  const T* in[count] = {At(lines.in, first, row)};
  T* out[count] = {At(lines.out, first, row)};
  for (std::size_t l = 1; l < count; ++l) {
    in[l] = in[l - 1] + lines.in.line;
    out[l] = out[l - 1] + lines.out.line;
  }
  TurnRows<Places, count>(angles, row, in, out, lines.width);
}

template <class Places, class T>
HWY_INLINE void Rotate(const Angles& angles, const Lines<T>& lines) {
  const bool rows_are_near = std::abs(lines.in.row) <= std::abs(lines.in.line);
  const auto next = [&](Cursor& at) { at.Next(lines.count, angles.rows, rows_are_near); };
  const std::int64_t steps = (lines.count + group - 1) / group * angles.rows;
  const std::int64_t columns = lines.in.data == lines.out.data ? 2 * angles.pairs : lines.width;
  const std::int64_t ahead = bytes_ahead / (columns * static_cast<std::int64_t>(sizeof(T))) + 1;
  const bool far = lines.count * angles.rows * columns * static_cast<std::int64_t>(sizeof(T)) > at_hand;
  Cursor now, later;
  for (std::int64_t i = 0; far && i < ahead; ++i) next(later);
  for (std::int64_t i = 0; i < steps; ++i) {
    if (far && i + ahead < steps) {
      Fetch(lines, columns, later);
      next(later);
    }
    if (now.first + group <= lines.count) {
      TurnStep<Places, group>(angles, lines, now.first, now.row);
    } else {
      for (std::int64_t line = now.first; line < lines.count; ++line) TurnStep<Places, 1>(angles, lines, line, now.row);
    }
    next(now);
  }
}

template <class T>
HWY_INLINE void RotatePairs(const Angles& angles, Pairs pairs, const Lines<T>& lines) {
  if (pairs == Pairs::adjacent) return Rotate<Adjacent>(angles, lines);
  Rotate<SplitHalf>(angles, lines);
}

}  // namespace

void RotateF32(const Angles& a, Pairs p, const Lines<float>& l) { RotatePairs(a, p, l); }
void RotateF16(const Angles& a, Pairs p, const Lines<half>& l) { RotatePairs(a, p, l); }
void RotateBf16(const Angles& a, Pairs p, const Lines<bfloat16>& l) { RotatePairs(a, p, l); }

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(RotateF32);
HWY_EXPORT(RotateF16);
HWY_EXPORT(RotateBf16);

template <>
void rotate(const Angles& angles, Pairs pairs, const Lines<float>& lines) {
  HWY_DYNAMIC_DISPATCH(RotateF32)(angles, pairs, lines);
}
template <>
void rotate(const Angles& angles, Pairs pairs, const Lines<half>& lines) {
  HWY_DYNAMIC_DISPATCH(RotateF16)(angles, pairs, lines);
}
template <>
void rotate(const Angles& angles, Pairs pairs, const Lines<bfloat16>& lines) {
  HWY_DYNAMIC_DISPATCH(RotateBf16)(angles, pairs, lines);
}

}  // namespace posenc::engine
#endif
