// SPDX-License-Identifier: Apache-2.0
// Rotary position encoding: pairs of columns of queries and keys turned by the angles p w_k.
#pragma once

#include <posenc/context.h>
#include <posenc/positions.h>
#include <posenc/shared.h>

#include <span>

namespace posenc {

/// Which way pairs are turned: by p w_k, or by the transposed map: the gradient, and back where the magnitude is 1.
enum class Direction : std::uint8_t { forward = 1, inverse };
/// It is stated.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_direction(Direction direction);

/// What a tensor holds. They turn alike, but that a decay (xPos) multiplies keys by the inverse of what it multiplies
/// queries by.
enum class RotatedSide : std::uint8_t { query = 1, key };

/// Which axis of a tensor has its tokens: [.., L, d], or [.., L, H, d], which is turned as its transposed(-3, -2).
enum class TokenAxis : std::uint8_t { before_columns = 1, before_heads };

/// A tensor to be rotated and where the result goes; from one view: in place. Its side is stated where the convention
/// has a decay. A tensor of three axes or more states its axis of tokens; [L, d] has one.
struct Rotated {
  ConstView in;
  View out;
  RotatedSide side;
  TokenAxis tokens;

  constexpr Rotated(const View& both, RotatedSide of = {}, TokenAxis axis = {})
      : in(both), out(both), side(of), tokens(axis) {}
  constexpr Rotated(const View& both, TokenAxis axis) : Rotated(both, RotatedSide{}, axis) {}
  constexpr Rotated(const ConstView& from, const View& to, RotatedSide of = {}, TokenAxis axis = {})
      : in(from), out(to), side(of), tokens(axis) {}
  constexpr Rotated(const ConstView& from, const View& to, TokenAxis axis) : Rotated(from, to, RotatedSide{}, axis) {}
};

/// Rotates the columns of `in` that the convention turns, and copies the others; `in` may be `out` itself.
///
/// Formula: pair (x, y) becomes (RN(RN(x c) - RN(y s)), RN(RN(x s) + RN(y c))), c = cos(p w_k), s = sin(p w_k), all in
/// f32 (f64 for f64 tensors); inverse: its transpose, -s in place of s. adjacent: pair k is columns (2k, 2k + 1);
/// split_half: (k, k + d / 2). Shapes: in, out [.., L, d]: the axes before L (batch, heads) in any number and order
/// share positions [L]; positions [B, L] belong to out [B, .., L, d]. Three axes or more are Rotated{in, out,
/// TokenAxis::before_columns}, and [B, L, H, d] is before_heads. Units: positions in tokens, frequencies in radians per
/// token.
/// Types: f32, bf16, f16, f64 (but under a decay), the same for in and out, any strides; rows whose elements lie next
/// to each other are fast, f64 is for proofs. Accuracy: c and s are correctly rounded to f32, to f64 for f64 tensors
/// (or follow the recipe); nothing is fused: 4 ulp of the larger of two products is the bound. bf16 and f16 are widened
/// first and rounded once at the end. Errors: the convention has no rotations of one axis, depends on a context or
/// refuses the width; positions, shapes or types break their rules. RotaryRows has the others. Cost: a call makes the
/// ladder, which takes as long as 100 decoding steps of 32 heads of 128. For many calls, as in a model: RotaryRows,
/// made once. Source: Su et al. 2021, section 3.4.2; the preset's own source for pairings. Thread safety: yes, on
/// distinct outputs.
inline void rotary(const Convention& convention, const Positions& positions, const ConstView& in, const View& out,
                   Direction direction = Direction::forward, const Options& options = {});
inline void rotary(const Convention& convention, const Positions& positions, const Rotated& tensor,
                   Direction direction = Direction::forward, const Options& options = {});

/// A rotary convention made ready for heads of r columns, of which it turns all, or the part that it states. Immutable;
/// copies share one ladder; const use from many threads is safe. Any positions, no length limit, no stored table.
///
/// Of several axes (images, video, M-RoPE) a token has a coordinate on each: `coordinates` is a list for each of
/// axes(), all [L] or [B, L]; a list [L] serves every sequence. Their formula is that of rotary, each pair with the
/// coordinate of its own axis, or the sum over all where rungs are summed.
class RotaryRows {
 public:
  /// The constructor reads recipe and context of the options.
  RotaryRows(const Convention& convention, std::int64_t rotated, const Options& options = {})
      : RotaryRows((require(check(convention, rotated, options)), convention), rotated, options, Checked{}) {}

  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Convention& convention, std::int64_t rotated,
                                                                  const Options& options = {});
  /// The number of columns that turn: r, or fewer where the convention states a part.
  POSENC_EXPORT std::int64_t width() const;
  /// Those of the convention, in the order in which their lists are passed.
  POSENC_EXPORT const std::vector<std::string>& axes() const;

  /// As rotary, but d may exceed r: columns beyond the first r are copied.
  void rotate(const Positions& positions, const ConstView& in, const View& out,
              Direction direction = Direction::forward, const Executor& executor = serial) const {
    const Rotated one[] = {{in, out}};
    rotate(positions, one, direction, executor);
  }
  void rotate(const Positions& positions, const Rotated& tensor, Direction direction = Direction::forward,
              const Executor& executor = serial) const {
    rotate(positions, std::span(&tensor, 1), direction, executor);
  }
  /// Several tensors at the same positions, as queries and keys are: each cosine and sine is computed once. Their
  /// types, widths and axes before L may differ.
  void rotate(const Positions& positions, std::span<const Rotated> tensors, Direction direction = Direction::forward,
              const Executor& executor = serial) const {
    rotate(std::span(&positions, 1), tensors, direction, executor);
  }
  void rotate(std::span<const Positions> coordinates, std::span<const Rotated> tensors,
              Direction direction = Direction::forward, const Executor& executor = serial) const {
    require(check_rotate(coordinates, tensors, direction));
    require(rotate_checked(coordinates, tensors, direction, executor));
  }
  [[nodiscard]] std::optional<Problem> check_rotate(const Positions& positions, const ConstView& in, const View& out,
                                                    Direction direction = Direction::forward) const {
    const Rotated one[] = {{in, out}};
    return check_rotate(positions, one, direction);
  }
  [[nodiscard]] std::optional<Problem> check_rotate(const Positions& positions, const Rotated& tensor,
                                                    Direction direction = Direction::forward) const {
    return check_rotate(positions, std::span(&tensor, 1), direction);
  }
  [[nodiscard]] std::optional<Problem> check_rotate(const Positions& positions, std::span<const Rotated> tensors,
                                                    Direction direction = Direction::forward) const {
    return check_rotate(std::span(&positions, 1), tensors, direction);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_rotate(std::span<const Positions> coordinates,
                                                                  std::span<const Rotated> tensors,
                                                                  Direction direction = Direction::forward) const;
  /// For callers that have called the check. The problem that core.h excepts, or nothing.
  [[nodiscard]] std::optional<Problem> rotate_checked(const Positions& positions, std::span<const Rotated> tensors,
                                                      Direction direction, const Executor& executor) const {
    return rotate_checked(std::span(&positions, 1), tensors, direction, executor);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> rotate_checked(std::span<const Positions> coordinates,
                                                                    std::span<const Rotated> tensors,
                                                                    Direction direction,
                                                                    const Executor& executor) const;

 private:
  struct Checked {};
  struct Ready;
  POSENC_EXPORT RotaryRows(const Convention& convention, std::int64_t rotated, const Options& options, Checked);
  detail::Shared<Ready> ready_;
};

/// The problem that rotary would throw, or nothing.
[[nodiscard]] POSENC_EXPORT std::optional<Problem> check_rotary(const Convention& convention,
                                                                const Positions& positions, const Rotated& tensor,
                                                                Direction direction = Direction::forward,
                                                                const Options& options = {});
[[nodiscard]] inline std::optional<Problem> check_rotary(const Convention& convention, const Positions& positions,
                                                         const ConstView& in, const View& out,
                                                         Direction direction = Direction::forward,
                                                         const Options& options = {}) {
  return check_rotary(convention, positions, Rotated{in, out}, direction, options);
}

inline void rotary(const Convention& convention, const Positions& positions, const Rotated& tensor, Direction direction,
                   const Options& options) {
  require(check_rotary(convention, positions, tensor, direction, options));
  const std::span one(&tensor, 1);
  require(
      RotaryRows(convention, tensor.out.size(-1), options).rotate_checked(positions, one, direction, options.executor));
}
inline void rotary(const Convention& convention, const Positions& positions, const ConstView& in, const View& out,
                   Direction direction, const Options& options) {
  rotary(convention, positions, Rotated{in, out}, direction, options);
}

}  // namespace posenc
