// SPDX-License-Identifier: Apache-2.0
// Sinusoidal position tables: entry (p, k) is sin(p w_k) and cos(p w_k), laid out as a convention says.
#pragma once

#include <posenc/context.h>
#include <posenc/positions.h>
#include <posenc/recipe.h>
#include <posenc/shared.h>

namespace posenc {

/// Writes the rows of a convention's table at the given positions.
///
/// Formula: s_k = sin(p w_k), c_k = cos(p w_k), k = 0..n-1, placed as [s0 c0 s1 c1 ..], [s.. | c..] or [c.. | s..].
/// Shapes: positions [L], out [L, d]; or positions [B, L], out [B, L, d]. d is the width, columns(convention, dim).
/// Units: positions in tokens, frequencies in radians per token.
/// Types: out is f32, f64, bf16 or f16, any strides.
/// Accuracy: under `exact` each entry is the real number rounded once, to nearest, ties to even; under another recipe
/// each step is rounded as the recipe says, between correctly rounded elementary functions.
/// Zeros: under `exact` a sine of 0 has the sign of p w, a cosine of 0 is +0 (IEEE 754's sinPi and cosPi), sines at p 0
/// are +0. At frequency 0 a sine has the sign of p in f32, f16 and bf16, and is +0 in f64. With a scale or phases it is
/// +0 at angle 0, and a negative scale turns other zeros' signs.
/// Errors: the convention is not for ConventionUse::rows, or refuses the width; positions, shapes or types break their
/// rules. Cost: a call makes the ladder, which at 512 columns takes as long as 150 rows. For many calls: SinusoidRows(
/// convention, d), made once.
/// Source: Vaswani et al. 2017, section 3.5; the preset's own source for other conventions.
/// Thread safety: yes, on distinct outputs.
inline void sinusoid(const Convention& convention, const Positions& positions, const View& out,
                     const Recipe& recipe = exact(), const Executor& executor = serial,
                     Reading reading = Reading::by_size);

/// out = RN(in + RN(signal)); `in` may be `out` itself. in: [.., L, d] with at most one axis before L (a batch).
/// bf16 and f16 add in f32 and round to storage. Everything else as for sinusoid.
inline void add_sinusoid(const Convention& convention, const Positions& positions, const ConstView& in, const View& out,
                         const Recipe& recipe = exact(), const Executor& executor = serial);

/// A convention with one axis, sinusoid or timestep, made ready for one width: its ladder as fixed-point turns, or its
/// recipe's own frequencies. Immutable; copies share one ladder; const use from many threads is safe. Rows at any
/// positions, no length limit. Memory: under `exact` 16 KiB for every 64 columns begun, none of it beyond
/// 16,384 columns, and 100 bytes a column.
class SinusoidRows {
 public:
  SinusoidRows(const Convention& convention, std::int64_t dim, const Recipe& recipe = exact(),
               const Context& context = {})
      : SinusoidRows((require(check(convention, dim, recipe, context)), convention), dim, recipe, context, Checked{}) {}

  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Convention& convention, std::int64_t dim,
                                                                  const Recipe& recipe = exact(),
                                                                  const Context& context = {});
  /// Columns of a row.
  POSENC_EXPORT std::int64_t width() const;
  /// The angular frequencies w_k, each rounded once to f64; under a recipe its own, times a timestep's scale.
  POSENC_EXPORT std::vector<double> frequencies(const Executor& executor = serial) const;

  void write(const Positions& positions, const View& out, const Executor& executor = serial,
             Reading reading = Reading::by_size) const {
    require(check_write(positions, out, reading));
    require(write_checked(positions, out, executor, reading));
  }
  void add(const Positions& positions, const ConstView& in, const View& out, const Executor& executor = serial) const {
    require(check_add(positions, in, out));
    require(add_checked(positions, in, out, executor));
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write(const Positions& positions, const View& out,
                                                                 Reading reading = Reading::by_size) const;
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_add(const Positions& positions, const ConstView& in,
                                                               const View& out) const;
  /// For callers that have called the check. The problem that core.h excepts, or nothing.
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> write_checked(const Positions& positions, const View& out,
                                                                   const Executor& executor,
                                                                   Reading reading = Reading::by_size) const;
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> add_checked(const Positions& positions, const ConstView& in,
                                                                 const View& out, const Executor& executor) const;

  struct Ready;  // the library's own, as what follows
  explicit SinusoidRows(detail::Shared<Ready> ready) : ready_(std::move(ready)) {}
  const Ready& ready() const { return *ready_; }

 private:
  struct Checked {};
  POSENC_EXPORT SinusoidRows(const Convention& convention, std::int64_t dim, const Recipe& recipe,
                             const Context& context, Checked);
  detail::Shared<Ready> ready_;
};

/// The problem that sinusoid or add_sinusoid would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_sinusoid(const Convention& convention,
                                                                  const Positions& positions, const View& out,
                                                                  const Recipe& recipe = exact(),
                                                                  Reading reading = Reading::by_size);
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_add_sinusoid(const Convention& convention,
                                                                      const Positions& positions, const ConstView& in,
                                                                      const View& out, const Recipe& recipe = exact());

inline void sinusoid(const Convention& convention, const Positions& positions, const View& out, const Recipe& recipe,
                     const Executor& executor, Reading reading) {
  require(check_sinusoid(convention, positions, out, recipe, reading));
  require(SinusoidRows(convention, out.size(-1), recipe).write_checked(positions, out, executor, reading));
}

inline void add_sinusoid(const Convention& convention, const Positions& positions, const ConstView& in, const View& out,
                         const Recipe& recipe, const Executor& executor) {
  require(check_add_sinusoid(convention, positions, in, out, recipe));
  require(SinusoidRows(convention, out.size(-1), recipe).add_checked(positions, in, out, executor));
}

}  // namespace posenc
