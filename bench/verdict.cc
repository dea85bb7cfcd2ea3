// SPDX-License-Identifier: Apache-2.0
// Floors as shares of the cell's own ceiling, then one comparison.
#include "bench/verdict.h"

#include <algorithm>

namespace posenc::bench {
namespace {

constexpr double most_of_two_threads = 1.9, next_to_bare = 0.95;

// The share that is asked of the cell, or the seconds; 0 for nothing.
double asked(const Floor& floor, const Cell& cell, const Cell& one_thread, const Cell* last, bool avx512) {
  const double number = avx512 ? floor.avx512 : floor.avx2;
  switch (floor.kind) {
    case Floor::Kind::none: return 0;
    case Floor::Kind::share:
    case Floor::Kind::seconds: return number;
    case Floor::Kind::share_of_one_thread:
      return number * cell.ceiling_seconds.median / one_thread.ceiling_seconds.median;
    case Floor::Kind::share_of_last: return last == nullptr ? 0 : number * last->ratio.median;
  }
  return 0;
}

Verdict verdict(const Floor& floor, const Cell& cell, const Cell& one_thread, const Cell* last, bool avx512) {
  double number = asked(floor, cell, one_thread, last, avx512);
  if (number == 0) return {Verdict::Kind::none, 0, false};
  const bool in_seconds = floor.kind == Floor::Kind::seconds;
  if (!in_seconds && cell.threads > 1) {
    number = std::min(number, most_of_two_threads * cell.ceiling_seconds.median / one_thread.seconds.median);
  }
  const auto reached = [&](const Spread& seconds, const Spread& ratio) {
    return in_seconds ? seconds.median <= number : ratio.median >= number;
  };
  const auto kind = [&] {
    if (reached(cell.seconds, cell.ratio)) return Verdict::Kind::ok;
    // Without a bare loop ours is 0 of it.
    if (cell.of_bare.median < next_to_bare) return Verdict::Kind::shortfall;
    return reached(cell.bare_seconds, cell.bare_ratio) ? Verdict::Kind::shortfall : Verdict::Kind::limit;
  };
  return {kind(), number, in_seconds};
}

}  // namespace

std::vector<Verdict> verdicts(const Row& row, const Measured& measured, const Measured* last, bool avx512) {
  std::vector<Verdict> result;
  for (std::size_t i = 0; i < measured.cells.size(); ++i) {
    const Cell& cell = measured.cells[i];
    const Floor& floor = cell.threads == 1 ? row.one : row.two;
    result.push_back(verdict(floor, cell, measured.cells.front(), last ? &last->cells[i] : nullptr, avx512));
    if (measured.memory > row.memory) result.back().kind = Verdict::Kind::shortfall;
  }
  return result;
}

}  // namespace posenc::bench
