// SPDX-License-Identifier: Apache-2.0
// Tables of the cosines and sines of a rotation, in the forms in which kernels of other libraries read them.
#pragma once

#include <posenc/context.h>
#include <posenc/positions.h>
#include <posenc/shared.h>

#include <span>
#include <string>

namespace posenc {

/// A rotary convention made ready to write its cosines and sines: a_k = p w_k is the angle of pair k of n. Of several
/// axes, p is the coordinate of the pair's own axis, or a_k the sum over all; coordinates are as in RotaryRows.
///
/// Tensors, by the field `stored` of the convention, each [L, width] or [B, L, width]:
///   halves_twice   "cos" [cos a_0 .. cos a_n-1 | the same] and "sin": transformers, ONNX
///   pairs_twice    "cos" [cos a_0, cos a_0, cos a_1, ..] and "sin": Cohere, diffusers
///   sine_cosine    "sin_cos" [sin a_0 .. | cos a_0 ..]: GPT-J
///   complex        "cos_sin" [cos a_0, sin a_0, cos a_1, ..], which is [L, n] of complex numbers: Llama
///   angles_twice   "angles" [a_0 .. a_n-1 | the same], in radians: rotary-embedding-torch
/// Cosines and sines are multiplied by the magnitude of the convention. Which columns turn, which way, and how they
/// pair are the kernel's: a table has none of them.
/// Accuracy: under `exact` each entry is the real number rounded once; else as the recipe says, of angles not at all.
/// Immutable; copies share their ladders; const use from many threads is safe.
class RotaryCache {
 public:
  /// `head`: columns of a head. The constructor reads recipe and context of the options.
  RotaryCache(const Convention& convention, std::int64_t head, const Options& options = {})
      : RotaryCache((require(check(convention, head, options)), convention), head, options, Checked{}) {}

  /// The convention turns each pair by one angle and has no decay, and has a form: with_field(convention, "stored",
  /// "complex").
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const Convention& convention, std::int64_t head,
                                                                  const Options& options = {});
  /// Columns of each tensor, 2 n, before a cache is made: it takes no length, and makes no frequency.
  static std::int64_t width(const Convention& convention, std::int64_t head) {
    require(check_head(convention, head));
    return width_checked(convention, head);
  }
  /// The convention is of rotations and turns a head of so many columns.
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check_head(const Convention& convention, std::int64_t head);
  /// The names of its tensors.
  POSENC_EXPORT const std::vector<std::string>& tensors() const;
  POSENC_EXPORT const std::vector<std::string>& axes() const;
  /// Columns of each: 2 n.
  POSENC_EXPORT std::int64_t width() const;
  /// w_k of each pair in radians per position, rounded once to f64, or under a recipe its own: what others call
  /// inv_freq. 0 for a pair that stands; of the first axis where angles are sums.
  POSENC_EXPORT std::vector<double> frequencies(const Executor& executor = serial) const;

  /// Writes a tensor by its name; `out` is f32, f64, f16 or bf16, any strides.
  void write(std::string_view tensor, const Positions& positions, const View& out,
             const Executor& executor = serial) const {
    write(tensor, std::span(&positions, 1), out, executor);
  }
  void write(std::string_view tensor, std::span<const Positions> coordinates, const View& out,
             const Executor& executor = serial) const {
    require(check_write(tensor, coordinates, out));
    require(write_checked(tensor, coordinates, out, executor));
  }
  [[nodiscard]] std::optional<Problem> check_write(std::string_view tensor, const Positions& positions,
                                                   const View& out) const {
    return check_write(tensor, std::span(&positions, 1), out);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write(std::string_view tensor,
                                                                 std::span<const Positions> coordinates,
                                                                 const View& out) const;
  /// For callers that have called the check. The problem that core.h excepts, or nothing.
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> write_checked(std::string_view tensor,
                                                                   std::span<const Positions> coordinates,
                                                                   const View& out, const Executor& executor) const;

 private:
  struct Checked {};
  struct Ready;
  POSENC_EXPORT RotaryCache(const Convention& convention, std::int64_t head, const Options& options, Checked);
  POSENC_EXPORT static std::int64_t width_checked(const Convention& convention, std::int64_t head);
  detail::Shared<Ready> ready_;
};

}  // namespace posenc
