// SPDX-License-Identifier: Apache-2.0
// Rows and rotations made of such plans.
namespace posenc::numerics {

/// |w| / 2 pi, off by less than 2^-240 of itself; whether w is below 0; |w| as quarter turns where it is some.
struct Frequency {
  std::uint64_t limbs[4];  // of the significand, the most significant first
  std::int16_t exponent;
  bool negative = false;
  std::uint64_t denominator = 0;
  int quarter_exponent = 0;
  unsigned numerator = 0;
};

}  // namespace posenc::numerics

namespace posenc {

/// Rows of waves at places, a coordinate an axis.
struct CellRows {
  explicit CellRows(const plan::RowPlan& plan);

  bool one_by_one() const { return sums; }
  /// False where an entry was not settled.
  template <class T>
  bool write_row(Place place, T* out) const;

  /// The frequencies of one axis, and where its waves stand.
  struct Axis {
    engine::Rungs rungs;
    std::vector<plan::Column> columns;                   // by places among those frequencies
    std::vector<std::uint32_t> at;                       // of each: its column of the row
    std::uint32_t sine_at = 0, cosine_at = 0, step = 0;  // where all sines and cosines are evenly spaced; step 0: not
  };

  std::int64_t width;
  std::vector<Axis> axes;
  std::vector<std::pair<std::uint32_t, std::uint8_t>> constants;  // column and quarter
  std::optional<engine::Factor> factor;
  bool sums = false;  // angles are sums over all axes

 private:
  template <class T>
  bool write_axis(const Axis& axis, const numerics::Dyadic& p, T* out) const;
  template <class T>
  bool write_sums(Place place, T* out) const;
};

/// A pair plan made ready to turn tensors.
class Rotation {
 public:
  Rotation() = default;
  explicit Rotation(const plan::PairPlan& plan);

  std::int64_t columns() const { return columns_; }
  /// False where a coefficient was not settled.
  [[nodiscard]] bool rotate(cpp20::span<const Positions> coordinates, cpp20::span<const Rotated> tensors,
                            Direction direction, const Executor& executor) const;

 private:
  struct Block;
  [[nodiscard]] bool rotate_side(cpp20::span<const Positions> coordinates, cpp20::span<const Rotated> tensors,
                                 RotatedSide side, Direction direction, const Executor& executor) const;
  [[nodiscard]] bool rotate_wide(cpp20::span<const Positions> coordinates, cpp20::span<const Rotated> tensors,
                                 Direction direction, const Executor& executor) const;
  [[nodiscard]] bool make_rows(cpp20::span<const Positions> coordinates, const RowRange& rows, RotatedSide side,
                               Direction direction, float* out) const;
  template <class T>
  void direct(const RowRange& rows, Direction direction, T* made) const;
  bool has_sides() const { return false; }
  void turn(const float* made, Direction direction, const Block& block) const;

  std::int64_t columns_ = 0, pairs_ = 0;
  std::int64_t width_ = 0;  // of a row of coefficients: [c0 | s0], or [c0 | s0 | s1 | c1] where a pair has two angles
  bool backward_ = false;
  std::int64_t least_rows_ = 1, most_rows_ = 1, lines_per_block_ = 1;
  std::optional<plan::Pairs> plain_;
  plan::Placement forward_, inverse_;
  std::optional<CellRows> cells_;
};

namespace detail {

/// Pairs that follow each other: each next one has every column and the frequencies this much further on.
struct PairsMade {
  std::uint32_t count;
  std::uint32_t read[2], written[2];
  std::uint16_t axes[2];
  std::uint32_t frequencies[2];
  std::uint32_t columns_step, written_step, frequency_step;
};
/// Columns that are evenly spaced, and their frequencies.
struct ColumnsMade {
  std::uint32_t count, first, step;
  std::uint8_t quarter;
  bool constant;
  std::uint32_t frequency, frequency_step;
};
struct FactorMade {
  std::uint64_t high, low;
  bool negative;
  std::int64_t exponent;
  std::uint64_t error;
  double nearest, rest;
  int nearest_exponent;
  float f32;
  std::uint16_t f16, bf16;
};

/// A plan of one width, for sequences of `from` tokens or more.
struct PlanMade {
  std::int64_t width, from;
  cpp20::span<const PairsMade> pairs;      // of a rotation
  cpp20::span<const ColumnsMade> columns;  // of rows
  cpp20::span<const plan::Ladder> ladders;
  const FactorMade* factor;
  bool backward;
  int stored;  // plan::Stored
};
struct Made {
  std::string_view name;
  cpp20::span<const std::string_view> axes;  // none: rows
  bool by_length;
  cpp20::span<const PlanMade> plans;
};

}  // namespace detail

struct RotaryCache::Ready {
  std::vector<std::string> tensors, axes;
  std::vector<CellRows> rows;  // of each tensor
  std::vector<double> frequencies;

  const CellRows* find(std::string_view tensor) const {
    const auto at = std::find(tensors.begin(), tensors.end(), tensor);
    return at == tensors.end() ? nullptr : &rows[static_cast<std::size_t>(at - tensors.begin())];
  }
};

/// Rows of one axis.
struct AxisRows {
  CellRows cells;
  std::int64_t width;
  std::vector<double> frequencies;

  template <class T>
  bool write_rows(const Positions& positions, const RowRange& range, T* out, std::int64_t stride) const {
    return write_places(cells, cpp20::span(&positions, 1), range, out, stride);
  }
  template <class T>
  bool write_table(const Positions& positions, const RowRange& range, T* out, std::int64_t stride, Stores,
                   const Executor& executor) const {
    Decided decided;
    for_blocks(executor, range.count, 64, [&](std::int64_t begin, std::int64_t end) {
      decided.also(write_rows(positions, {range.b, range.first + begin, end - begin}, out + begin * stride, stride));
    });
    return decided.all();
  }
};

struct Rows::Ready {
  std::optional<AxisRows> line;
  std::vector<std::string> axes;

  std::int64_t width() const { return line->width; }
};

inline const AxisRows& line_of(const Rows& rows) { return *rows.ready().line; }

/// Rows of that convention and width are in this file.
std::optional<Problem> check_sinusoid_made(const Convention& convention, std::int64_t dim, const Options& options);

}  // namespace posenc
