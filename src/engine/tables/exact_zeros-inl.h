// SPDX-License-Identifier: Apache-2.0
// The exact zeros of a panel, block by block: a bit for each row.
//
// Included once for each instruction set. The rounding test would find every 0 in doubt: those that are told here are
// put into their line before it.
#if defined(POSENC_ENGINE_EXACT_ZEROS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ENGINE_EXACT_ZEROS_INL_H
#undef POSENC_ENGINE_EXACT_ZEROS_INL_H
#else
#define POSENC_ENGINE_EXACT_ZEROS_INL_H
#endif

#include <hwy/highway.h>

#include "src/engine/lanes-inl.h"
#include "src/engine/tables/exact_zeros.h"
#include "src/engine/tables/table_kernel.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Of a line of which nothing is known to be 0.
struct NoZeros {};

/// From one column on: bit i of rows[j] is set where column j is 0 in row i of the block, and what is then stored
/// stands in zeros.
struct LineZeros {
  const std::uint32_t* rows;
  const std::uint32_t* zeros;  // at positions below 0; panel_columns further on at 0, and again above 0
  std::int64_t centre, step;   // the position of the centre row, and between rows

  HWY_INLINE const std::uint32_t* At(std::int64_t away) const {
    const std::int64_t p = centre + away * step;
    return zeros + (p < 0 ? 0 : p == 0 ? panel_columns : 2 * panel_columns);
  }
};

// Every period-th bit, from bit 0 on, and a block's rows modulo the period.
struct InBlock {
  std::uint32_t bits[block_rows + 1] = {}, rest[block_rows + 1] = {};
  constexpr InBlock() {
    for (std::uint32_t period = 1; period <= block_rows; ++period) {
      for (std::uint32_t i = 0; i < block_rows; i += period) bits[period] |= 1u << i;
      rest[period] = static_cast<std::uint32_t>(block_rows % period);
    }
  }
};
inline constexpr InBlock in_block;

/// Rows and periods are counted up to 2^30; strips of more than half of that leave their zeros to the certain path.
struct PanelZeros {
  static constexpr std::uint32_t far = 1u << 30;

  alignas(64) std::uint32_t period[panel_columns], next[panel_columns];  // from the block's first row; next < period
  alignas(64) std::uint32_t of_block[panel_columns];                     // block_rows modulo the period
  alignas(64) std::uint32_t repeated[panel_columns];                     // every period-th bit
  alignas(64) std::uint32_t rows[panel_columns], zeros[3][panel_columns];
  std::int64_t row, start, step;
  bool any = false;

  LineZeros from(std::size_t column) const {
    const std::int64_t centre = row + static_cast<std::int64_t>(reach);
    return {rows + column, zeros[0] + column, start + centre * step, step};
  }

  // To the block that begins with that row, at or after the last one.
  void MoveTo(std::int64_t to) {
    const U32 d;
    const std::int64_t by = to - row;
    for (std::size_t j = 0; j < panel_columns; j += hn::Lanes(d)) {
      auto left = hn::Load(d, next + j);
      const auto of = hn::Load(d, period + j);
      const auto back = [&](auto rows_back) HWY_ATTR {
        const auto moved = hn::Sub(left, rows_back);
        left = hn::Min(moved, hn::Add(moved, of));  // the former, unless it is below 0
      };
      if (by == block_rows) back(hn::Load(d, of_block + j));
      for (std::int64_t i = 0; by < block_rows && i < by; ++i) back(hn::Set(d, 1));
      hn::Store(left, d, next + j);
      const auto bits = hn::Shl(hn::Load(d, repeated + j), hn::And(left, hn::Set(d, 31)));
      const auto here = hn::IfThenElseZero(hn::Lt(left, hn::Set(d, block_rows)), bits);
      hn::Store(hn::And(here, hn::Set(d, (1u << block_rows) - 1)), d, rows + j);
    }
    row = to;
  }
};

/// Of `count` columns of the strip, from number `first` on; those after them repeat the last one. +0 is stored as
/// `zero`.
inline void FindZeros(const Rungs& rungs, const Columns& columns, const Strip& strip, std::size_t first,
                      std::size_t count, std::uint32_t zero, PanelZeros& zeros) {
  if (rungs.quarters.empty() || strip.rows > PanelZeros::far / 2) return;
  zeros.row = 0, zeros.start = strip.start, zeros.step = strip.step;
  for (std::size_t j = 0; j < panel_columns; ++j) {
    const std::size_t column = strip.first + first + std::min(j, count - 1);
    const unsigned quarters = columns.quarters(column);
    const ZeroRows found =
        zero_rows(rungs.quarters[columns.frequency[column]], quarters, strip.start, strip.step, strip.exponent);
    const bool none = found.period == 0 || found.first >= static_cast<std::uint64_t>(strip.rows);
    const auto period =
        none ? PanelZeros::far : static_cast<std::uint32_t>(std::min<std::uint64_t>(found.period, PanelZeros::far));
    zeros.any = zeros.any || !none;
    zeros.period[j] = period;
    zeros.next[j] = none ? period - 1 : static_cast<std::uint32_t>(found.first);
    zeros.of_block[j] = period > block_rows ? block_rows : in_block.rest[period];
    zeros.repeated[j] = period > block_rows ? 1 : in_block.bits[period];
    const bool turned = rungs.factor && rungs.factor->negative();
    const std::uint32_t minus = 1u << 31, above = (quarters >= 2) != turned ? minus : 0;
    zeros.zeros[0][j] = zero | (quarters % 2 == 0 ? minus - above : above);
    zeros.zeros[1][j] = zero;
    zeros.zeros[2][j] = zero | above;
  }
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // POSENC_ENGINE_EXACT_ZEROS_INL_H
