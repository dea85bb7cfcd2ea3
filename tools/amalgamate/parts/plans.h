// SPDX-License-Identifier: Apache-2.0
// Plans that were lowered when this file was made: what stands in each column, and every frequency as turns.
namespace posenc::numerics {

/// A factor, known by its leading bits.
struct Scale {
  std::optional<Approximation> leading;
};

}  // namespace posenc::numerics

namespace posenc::plan {

/// Frequencies, by their places in the list of all.
using Ladder = cpp20::span<const std::uint16_t>;

/// The coordinate on an axis is the position itself.
struct Axis {};

struct RowPlan {
  std::vector<Axis> axes;
  std::vector<Ladder> ladders;  ///< one an axis
  std::vector<Column> columns;
  const detail::FactorMade* scale = nullptr;  ///< of every wave; none: 1
};

struct PairPlan {
  std::vector<Axis> axes;
  std::vector<Ladder> ladders;  ///< one an axis
  std::vector<Pair> pairs;
  std::int64_t width = 0;                         ///< of the head
  const detail::FactorMade* magnitude = nullptr;  ///< of cosines and sines; none: 1
  Turning turning = Turning::forward;
  Stored stored = Stored::none;
  static constexpr bool decay = false;  // as none does in this file
};

}  // namespace posenc::plan

namespace posenc::engine {

struct Rungs {
  std::vector<numerics::Turn> turns;             // of |w|
  std::vector<std::uint8_t> negative;            // is w < 0? Empty: none is
  std::vector<numerics::QuarterTurns> quarters;  // of |w|. Empty: no w is 0 or a rational multiple of pi
  std::vector<std::uint64_t> high, low;          // the leading 128 bits of the fraction of |w| / 2 pi; zeros follow
  bool moderate = true;                          // no w has 2^64 turns or more
  bool fractional = true;                        // no w has a whole turn or more
  std::optional<Factor> factor;                  // of every wave; none: 1

  std::size_t size() const { return turns.size(); }
  bool is_negative(std::size_t k) const { return !negative.empty() && negative[k] != 0; }
};

/// The rungs of frequencies, given by their places in the list of all.
Rungs rungs_of(plan::Ladder ladder, const std::optional<Factor>& factor);

/// Turns pairs of any placement, one by one.
template <class T>
void turn(const Coefficients& by, const plan::Placement& placed, cpp20::span<const Lines<T>> runs) {
  using C = Computing<T>;
  std::vector<T> row;
  for (const Lines<T>& lines : runs) {
    row.resize(static_cast<std::size_t>(lines.width));
    for (std::int64_t i = 0; i < lines.count * by.rows; ++i) {
      const std::int64_t l = i / by.rows, t = i % by.rows, at = t * by.stride;
      const T* const in = lines.in.data + l * lines.in.line + t * lines.in.row;
      T* const out = lines.out.data + l * lines.out.line + t * lines.out.row;
      std::copy(in, in + lines.width, row.begin());
      if (in != out) std::copy(row.begin(), row.end(), out);
      for (const plan::PairRun& run : placed.runs) {
        for (std::uint32_t j = 0; j < run.count; ++j) {
          const std::uint32_t read = j * run.read.step, written = j * run.written.step;
          const std::int64_t k = at + run.pair + j;
          const auto u = static_cast<C>(row[run.read.first + read]), v = static_cast<C>(row[run.read.second + read]);
          const C uc = u * by.c0[k], vs = v * by.s0[k], us = u * by.s1[k], vc = v * by.c1[k];
          out[run.written.first + written] = T(uc - vs);
          out[run.written.second + written] = T(us + vc);
        }
      }
    }
  }
}

}  // namespace posenc::engine

namespace posenc::engine {

/// Blocks of f32; other types are made entry by entry.
struct SincosKernels {
  ByType<WriteWaves> write;
  ByType<WriteScaled> write_scaled;
};

/// No vectors of f64: entry by entry.
struct F64Kernels {
  WriteWideWaves* write = nullptr;
};
inline const F64Kernels& f64_kernels() {
  static constexpr F64Kernels none = {};
  return none;
}

}  // namespace posenc::engine

namespace posenc {

struct CellRows;

}  // namespace posenc
