// SPDX-License-Identifier: Apache-2.0
// The dropout mask of one row: sixteen random bits an element, eight elements a Philox block.
#pragma once

#include <posenc/dropout.h>

#include <algorithm>

#include "src/base/elements.h"
#include "src/engine/random/mask.h"

namespace posenc {

/// round(65536 p), half-way cases up; p in [0, 1). Every operation is exact, so no rounding mode matters.
inline std::uint32_t dropped_of_65536(double p) {
  const double scaled = 65536 * p;
  const auto whole = static_cast<std::uint32_t>(scaled);
  return whole + (scaled - whole >= 0.5 ? 1 : 0);
}

/// What a probability becomes: an element is dropped when its 16 bits are below `dropped`; the others are multiplied by
/// RN(65536 / (65536 - dropped)).
struct Masks {
  engine::Words2 key;
  std::uint32_t call, first;
  std::uint32_t dropped;  // below 65536

  Masks(double p, const DropoutKey& of)
      : key(engine::words(of.seed)), call(of.call), first(of.first), dropped(dropped_of_65536(p)) {}

  /// The factor of kept elements, rounded to the computing type C.
  template <class C>
  C keep() const {
    return static_cast<C>(65536.0 / (65536.0 - dropped));
  }

  /// The mask of batch row b and index t along the sequence.
  engine::RowMask row(std::int64_t b, std::int64_t t) const {
    return {key, static_cast<std::uint32_t>(first + t), static_cast<std::uint32_t>(b), call, dropped, keep<double>()};
  }

  /// elements[c] = RN(elements[c] * (0 or keep)) for the row at batch row b and index t along the sequence.
  template <class T>
  void apply(const StridedRow<T>& elements, std::int64_t width, std::int64_t b, std::int64_t t) const {
    using C = Computing<T>;
    const engine::RowMask mask = row(b, t);
    if (elements.step == 1) {
      return engine::multiply_by_mask(mask, elements.data, static_cast<std::size_t>(width), elements.data);
    }
    const C factor[] = {keep<C>(), C(0)};
    for (std::int64_t start = 0; start < width; start += 8) {
      const auto block = static_cast<std::uint32_t>(start / 8);
      const engine::Words4 bits = engine::philox({block, mask.token, mask.batch, call}, key);
      for (std::int64_t i = 0; i < std::min<std::int64_t>(8, width - start); ++i) {
        const std::uint32_t draw = bits[static_cast<std::size_t>(i / 2)] >> (i % 2 * 16) & 0xFFFFu;
        T& element = elements[start + i];
        element = T(static_cast<C>(element) * factor[draw < dropped ? 1 : 0]);
      }
    }
  }
};

/// Token and batch indices of the mask of `out`, [L, d] or [B, L, d], fit in 32 bits, and so do its blocks of columns.
std::optional<Problem> check_mask_indices(std::string_view operation, std::uint32_t first, const ConstView& out);

}  // namespace posenc
