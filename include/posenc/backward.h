// SPDX-License-Identifier: Apache-2.0
// The backward pass of an input stage: the gradient of its embedding rows.
#pragma once

#include <posenc/input_stage.h>
#include <posenc/shared.h>

namespace posenc {

/// The tokens of one batch by their ids: which rows have a gradient, and who adds to them. A plan of 8 bytes a token
/// and 24 a touched row, made once a batch and usable for any number of gradients. Immutable; const use from many
/// threads is safe. It keeps no view of the stage, its rows or the ids.
///
/// Formula: grad_rows[id, :] = RN(s x sum of x_i) over the tokens i of that id, where x_i = grad_out[b, t, :], and in
/// StageMode::train of a stage that drops RN(grad_out[b, t, :] x keep), keep being 0 for dropped elements: the mask is
/// made again from seed, call and first. s is the stage's factor. Untouched rows and the padding id's row are zeros.
///
/// Order: everything up to the last rounding is done in f32 (f64 for f64), each operation rounded to nearest even; bf16
/// and f16 are widened first and rounded once at the end. Tokens are ordered as the elements of ids, sequence by
/// sequence. Up to 1024 of one id are added one after the other, ((0 + x_0) + x_1) + ...; more are cut into chunks of
/// 1024 (the last one shorter), each is summed so, and then neighbours are added, chunk 0 and 1, 2 and 3, ..., an odd
/// last one staying as it is, again and again until one sum is left. So no bit depends on the executor, the instruction
/// set or Reading.
///
/// Shapes: ids [B, L] or [L], i32 or i64; grad_out = ids.shape + [d]; both gradients of the type of rows, any strides.
/// Source: the transpose of input_stage.h; Salmon et al. 2011 (Philox).
class Backward {
 public:
  struct Plan;

  Backward(const InputStage& stage, const ConstView& ids)
      : Backward((require(check(stage, ids)), stage), ids, Checked{}) {}
  /// Errors: an id outside the vocabulary, with its [b, t]; a wrong shape or type; 2^32 tokens or more, or more ids.
  [[nodiscard]] POSENC_EXPORT static std::optional<Problem> check(const InputStage& stage, const ConstView& ids);

  /// The ids that occur, increasing, without the padding id. Lives as long as the plan.
  POSENC_EXPORT std::span<const std::int64_t> touched() const;

  /// Writes every row: grad_rows [vocabulary, d].
  void write(const ConstView& grad_out, const View& grad_rows, const EncodeOptions& options = {}) const {
    require(check_write(grad_out, grad_rows, options));
    write_checked(grad_out, grad_rows, options);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write(const ConstView& grad_out, const View& grad_rows,
                                                                 const EncodeOptions& options = {}) const;
  POSENC_EXPORT void write_checked(const ConstView& grad_out, const View& grad_rows,
                                   const EncodeOptions& options) const;

  /// Writes touched rows only: grad_rows [touched().size(), d], row i of id touched()[i]. The bits of write.
  void write_touched(const ConstView& grad_out, const View& grad_rows, const EncodeOptions& options = {}) const {
    require(check_write_touched(grad_out, grad_rows, options));
    write_touched_checked(grad_out, grad_rows, options);
  }
  [[nodiscard]] POSENC_EXPORT std::optional<Problem> check_write_touched(const ConstView& grad_out,
                                                                         const View& grad_rows,
                                                                         const EncodeOptions& options = {}) const;
  POSENC_EXPORT void write_touched_checked(const ConstView& grad_out, const View& grad_rows,
                                           const EncodeOptions& options) const;

 private:
  struct Checked {};
  POSENC_EXPORT Backward(const InputStage& stage, const ConstView& ids, Checked);

  detail::Shared<Plan> plan_;
};

}  // namespace posenc
