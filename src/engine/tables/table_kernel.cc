// SPDX-License-Identifier: Apache-2.0
// One source for every instruction set: Highway compiles this file once for each and chooses at run time.
#include "src/engine/tables/table_kernel.h"

#include <algorithm>
#include <cstddef>
#include <new>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "src/engine/tables/table_kernel.cc"
#include <hwy/foreach_target.h>  // must come before highway.h

#include <hwy/highway.h>

#include "src/engine/tables/panel_rows-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::engine::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// ---- direct values ------------------------------------------------------------------------------

// Columns that are computed for `count` of them: whole lines of any type. The others repeat the last one, since zeros
// would all be in doubt.
constexpr std::size_t Padded(std::size_t count) {
  constexpr std::size_t most = line_bytes / sizeof(half);
  return (count + most - 1) / most * most;
}

// The phases of columns that a table has at position 0, or none of them.
constexpr std::uint64_t with_phases = std::uint64_t{3} << 62, without_phases = 0;

// x[j] = sin, y[j] = cos of p t_j + q_j, the phases q_j masked by `phases`.
void Direct(const Columns& columns, std::size_t first, std::size_t count, std::int64_t p, std::uint64_t phases,
            double* x, double* y) {
  alignas(64) std::uint64_t phase[panel_columns];
  const numerics::Dyadic size = numerics::dyadic(p);
  Multiples(size.mantissa, 0, columns.high.data() + first, columns.low.data() + first, count, phase);
  for (std::size_t j = 0; j < count; ++j) {
    phase[j] = (size.negative ? 0 - phase[j] : phase[j]) + (columns.quarter[first + j] & phases);
  }
  std::fill(phase + count, phase + Padded(count), phase[count - 1]);
  const F64 d;
  for (std::size_t j = 0; j < Padded(count); j += hn::Lanes(d)) {
    hn::Vec<F64> sine, cosine;
    SineCosine(d, hn::Load(U64(), phase + j), sine, cosine);
    hn::Store(sine, d, x + j);
    hn::Store(cosine, d, y + j);
  }
}

void FillStrides(const Columns& columns, std::size_t first, std::size_t count, std::int64_t stride,
                 Strides<double>& of) {
  for (std::size_t n = 0; n < reach; ++n) {
    Direct(columns, first, count, static_cast<std::int64_t>(n + 1) * stride, without_phases, of.sine[n], of.cosine[n]);
  }
}

void FillSteps(const Columns& columns, std::size_t first, std::size_t count, std::int64_t step, PanelSteps& steps) {
  FillStrides(columns, first, count, step, steps.near);
  FillStrides(columns, first, count, step * block_rows, steps.far);
}

// ---- strips -------------------------------------------------------------------------------------

// A centre row, and the same a quarter of a turn ahead, so many bytes from each other.
constexpr std::size_t apart = 1024;
struct Centre {
  double x[apart / sizeof(double)], y[apart / sizeof(double)];  // panel_columns of them; the rest is room
};

// The centre of a block that lies so many blocks from the far one. One at a time: all 17 would fill half of the
// first-level cache.
void Stride(const Centre& from, const Strides<double>& far, std::int64_t blocks, std::size_t count, Centre& to) {
  const F64 d;
  if (blocks == 0) {
    for (std::size_t j = 0; j < Padded(count); j += hn::Lanes(d)) {
      hn::Store(hn::Load(d, from.x + j), d, to.x + j);
      hn::Store(hn::Load(d, from.y + j), d, to.y + j);
    }
    return;
  }
  const std::size_t n = static_cast<std::size_t>(blocks < 0 ? -blocks : blocks) - 1;
  const auto sign = hn::Set(d, blocks < 0 ? -1.0 : 1.0);
  for (std::size_t j = 0; j < Padded(count); j += hn::Lanes(d)) {
    const auto x = hn::Load(d, from.x + j), y = hn::Load(d, from.y + j);
    const auto c = hn::Load(d, far.cosine[n] + j), s = hn::Mul(sign, hn::Load(d, far.sine[n] + j));
    hn::Store(hn::MulAdd(y, s, hn::Mul(x, c)), d, to.x + j);
    hn::Store(hn::NegMulAdd(x, s, hn::Mul(y, c)), d, to.y + j);
  }
}

// Times the factor, by which all that is made of a centre is multiplied.
void Multiply(double factor, std::size_t count, Centre& centre) {
  if (factor == 1) return;
  const F64 d;
  for (double* values : {centre.x, centre.y}) {
    for (std::size_t j = 0; j < Padded(count); j += hn::Lanes(d)) {
      hn::Store(hn::Mul(hn::Load(d, values + j), hn::Set(d, factor)), d, values + j);
    }
  }
}

// One panel of a strip. A load waits for an earlier store whose address has the same lowest 12 bits until that has left
// the core, which streamed stores do late. Rows that are a power of two apart have all of theirs in the same 256 of
// 1024 bytes, or of 2048 or 4096: so a panel begins, modulo `apart`, where its output does, and has no centre in these
// bytes. What is read of `placed` goes through 512 bytes a row while 256 are written: it meets those of rows before
// alone.
template <class T>
struct Panel {
  Strides<Kernel<T>> placed;
  std::byte written[384];  // 256 by the rows, two lines beyond
  Centre centre, far_centre;
  std::size_t first, count;  // columns of the strip
  const Strides<Kernel<T>>* near;
  const Strides<double>*wide_near, *far;
  PanelSteps own;    // where the strip brings none
  double factor;     // of centres
  int exponent = 0;  // its size is up to 2^exponent
  PanelZeros zeros;

  Around<double> wide(std::size_t j) const {
    return {centre.x + j, centre.y + j, wide_near->cosine[0] + j, wide_near->sine[0] + j, exponent};
  }
  Around<Kernel<T>> around(std::size_t j) const {
    return {centre.x + j, centre.y + j, near->cosine[0] + j, near->sine[0] + j, exponent};
  }
};

// Few centres are evaluated one by one, where far steps would have to be made for them.
bool IsFar(const Strip& strip) { return strip.rows > (strip.steps.empty() ? 10 : 1) * block_rows; }

template <Stores stores, class T>
void Prepare(const Rungs& rungs, const Columns& columns, const Strip& strip, std::size_t number, Panel<T>& panel) {
  panel.first = number * panel_columns;
  panel.count = std::min(panel_columns, strip.columns - panel.first);
  panel.factor = rungs.factor ? rungs.factor->nearest : 1;
  panel.exponent = rungs.factor ? rungs.factor->exponent : 0;
  FindZeros(rungs, columns, strip, panel.first, panel.count, unstored_zero<WideLine<T>>, panel.zeros);
  panel.wide_near = strip.steps.empty() ? &panel.own.near : &strip.steps[number].near;
  panel.far = strip.steps.empty() ? &panel.own.far : &strip.steps[number].far;
  if (strip.steps.empty()) {
    FillStrides(columns, strip.first + panel.first, panel.count, strip.step, panel.own.near);
    if (IsFar(strip)) {
      FillStrides(columns, strip.first + panel.first, panel.count, strip.step * block_rows, panel.own.far);
    }
  }
  if constexpr (stores == Stores::cached && std::is_same_v<Kernel<T>, double>) {  // whose stores leave soon
    panel.near = panel.wide_near;
  } else {
    constexpr std::size_t count = reach * panel_columns;
    std::copy(panel.wide_near->cosine[0], panel.wide_near->cosine[0] + count, panel.placed.cosine[0]);
    std::copy(panel.wide_near->sine[0], panel.wide_near->sine[0] + count, panel.placed.sine[0]);
    panel.near = &panel.placed;
  }
}

// Makes the centre of the block that begins with that row. The last block ends with the last row, even where it then
// begins inside the one before: entries are exact, so writing some twice is no matter.
template <class T>
void SetCentre(const Columns& columns, const Strip& strip, std::int64_t row, Panel<T>& panel) {
  const auto direct = [&](std::int64_t centre, Centre& to) {
    Direct(columns, strip.first + panel.first, panel.count, strip.start + centre * strip.step, with_phases, to.x, to.y);
    Multiply(panel.factor, panel.count, to);
  };
  if (!IsFar(strip) || row % block_rows != 0) return direct(row + block_rows / 2, panel.centre);
  const std::int64_t block = row / block_rows % block_rows;
  if (block == 0) direct(row + far_rows / 2, panel.far_centre);
  Stride(panel.far_centre, *panel.far, block - block_rows / 2, panel.count, panel.centre);
}

// The columns after the last whole line, by way of a scratch.
template <class T, class Zeros>
void FillRest(const Panel<T>& panel, std::size_t j, const Rows<T>& to, const Place& centre, const Zeros& zeros,
              DoubtfulLines<T>& doubtful) {
  alignas(line_bytes) T scratch[block_rows][line_columns<T>];
  FillLines<Stores::cached>(panel.around(j), panel.wide(j), Rows<T>{scratch[0], line_columns<T>}, centre, zeros,
                            doubtful);
  for (std::int64_t row = 0; row < block_rows; ++row) {
    std::copy(scratch[row], scratch[row] + (panel.count - j), to.at(row));
  }
}

// Rows `row` to `row` + 16 of a panel; zeros_from(j) are those of the line at its column j.
template <Stores stores, class T, class ZerosFrom>
void FillBlock(const Panel<T>& panel, const Rows<T>& to, std::int64_t row, DoubtfulLines<T>& doubtful,
               const ZerosFrom& zeros_from) {
  constexpr bool rows = by_rows<T> && std::is_same_v<decltype(zeros_from(0)), NoZeros>;
  const std::size_t whole = panel.count / line_columns<T> * line_columns<T>;
  if constexpr (rows) {
    const Place centre = {row + block_rows / 2, panel.first};
    FillRows<stores>(panel.around(0), whole, Rows<T>{to.at({row, panel.first}), to.stride}, centre, doubtful);
  }
  for (std::size_t j = rows ? whole : 0; j < panel.count; j += line_columns<T>) {
    const Place centre = {row + block_rows / 2, panel.first + j};
    const Rows<T> block = {to.at({row, centre.column}), to.stride};
    if (j < whole) {
      FillLines<stores>(panel.around(j), panel.wide(j), block, centre, zeros_from(j), doubtful);
    } else if constexpr (stores == Stores::cached) {
      FillRest(panel, j, block, centre, zeros_from(j), doubtful);
    }
  }
}

// Room for a panel that begins, modulo `apart`, where its output does.
template <class T>
class PanelRoom {
 public:
  Panel<T>& beside(const T* out) {
    const auto line = reinterpret_cast<std::uintptr_t>(out) / line_bytes * line_bytes;
    return *new (room_ + (line - reinterpret_cast<std::uintptr_t>(room_)) % apart) Panel<T>;
  }

 private:
  alignas(line_bytes) std::byte room_[sizeof(Panel<T>) + apart];
};

template <Stores stores, class T>
bool WriteStrip(const Rungs& rungs, const Columns& columns, const Strip& strip, const Rows<T>& to) {
  PanelRoom<T> room[panels(tile_columns<T>)];
  Panel<T>* panel[panels(tile_columns<T>)] = {};
  DoubtfulLines<T> doubtful;
  bool decided = true;
  for (std::size_t p = 0; p < panels(strip.columns); ++p) {
    panel[p] = &room[p].beside(to.out + p * panel_columns);
    Prepare<stores>(rungs, columns, strip, p, *panel[p]);
  }
  for (std::int64_t next = 0; next < strip.rows; next += block_rows) {
    const std::int64_t row = std::min(next, strip.rows - block_rows);
    for (std::size_t p = 0; p < panels(strip.columns); ++p) {
      SetCentre(columns, strip, row, *panel[p]);
      PanelZeros& zeros = panel[p]->zeros;
      if (zeros.any) {
        zeros.MoveTo(row);
        FillBlock<stores>(*panel[p], to, row, doubtful, [&](std::size_t j) { return zeros.from(j); });
      } else {
        FillBlock<stores>(*panel[p], to, row, doubtful, [](std::size_t) { return NoZeros(); });
      }
    }
    if (doubtful.count >= many_lines) decided &= Settle<stores>(rungs, columns, strip, to, doubtful);
  }
  decided &= Settle<stores>(rungs, columns, strip, to, doubtful);
  if (stores == Stores::streamed) hwy::FlushStream();
  return decided;
}

template <class T>
bool Strips(const Rungs& rungs, const Columns& columns, const Strip& strip, T* out, std::int64_t stride,
            Stores stores) {
  const Rows<T> to = {out, stride};
  const bool lines = strip.columns % line_columns<T> == 0 && stride * std::int64_t{sizeof(T)} % line_bytes == 0 &&
                     reinterpret_cast<std::uintptr_t>(out) % line_bytes == 0;
  if (stores == Stores::streamed && lines) return WriteStrip<Stores::streamed>(rungs, columns, strip, to);
  return WriteStrip<Stores::cached>(rungs, columns, strip, to);
}

const TableKernels& StripTable() {
  static constexpr TableKernels all = {{&Strips<float>, &Strips<half>, &Strips<bfloat16>}, &FillSteps};
  return all;
}

}  // namespace posenc::engine::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc::engine {

HWY_EXPORT(StripTable);
const TableKernels& table_kernels() { return HWY_DYNAMIC_DISPATCH(StripTable)(); }

std::vector<PanelSteps> panel_steps(const Columns& columns, std::size_t first, std::size_t count, std::int64_t step) {
  std::vector<PanelSteps> steps(panels(count));
  for (std::size_t p = 0; p < steps.size(); ++p) {
    const std::size_t before = p * panel_columns, size = std::min(panel_columns, count - before);
    table_kernels().fill_steps(columns, first + before, size, step, steps[p]);
  }
  return steps;
}

bool strip_pays(std::int64_t start, std::int64_t step, std::int64_t rows) {
  if (rows < 24) return false;
  const numerics::uint128 size = step < 0 ? 0 - static_cast<std::uint64_t>(step) : static_cast<std::uint64_t>(step);
  const auto room = step < 0 ? static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(INT64_MIN)
                             : static_cast<std::uint64_t>(INT64_MAX) - static_cast<std::uint64_t>(start);
  // The far centre may lie 144 rows beyond the last row, and a sine of 136 steps is needed.
  return size * static_cast<std::uint64_t>(rows + 145) <= room && size <= static_cast<std::uint64_t>(INT64_MAX) / 136;
}

}  // namespace posenc::engine
#endif
