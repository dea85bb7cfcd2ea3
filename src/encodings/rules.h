// SPDX-License-Identifier: Apache-2.0
// Rules that the calls over plans share.
#pragma once

#include <posenc/rotary.h>

#include <string>
#include <vector>

#include "src/base/overlap.h"
#include "src/base/quote.h"
#include "src/base/to_text.h"
#include "src/conventions/lower.h"
#include "src/encodings/positions.h"

namespace posenc {

/// The convention gives what it is used for, at that width and under that recipe.
inline std::optional<Problem> check_made(std::string_view operation, ConventionUse use, const Convention& convention,
                                         std::int64_t width, const Options& options) {
  if (auto problem = check_use(operation, use, convention)) return problem;
  if (auto problem = check_lower(convention, {.width = width, .context = options.context})) return problem;
  if (auto problem = check_recipe(options.recipe)) return problem;
  return check_steps(convention, options.recipe);
}

/// check_made for rows of one axis.
inline std::optional<Problem> check_sinusoid_made(const Convention& convention, std::int64_t dim,
                                                  const Options& options) {
  return check_made("sinusoid", ConventionUse::rows, convention, dim, options);
}

/// An operation without recipes refuses every recipe except exact.
inline std::optional<Problem> check_exact(std::string_view operation, const Options& options) {
  if (options.recipe.exact()) return std::nullopt;
  return Problem{std::string(operation), "recipe must be exact, the only one there is", quote(options.recipe.name)};
}

/// A real output of `least` to `most` axes, which `shape` names.
inline std::optional<Problem> check_real(std::string_view operation, const View& out, int least, int most,
                                         std::string_view shape) {
  if (auto problem = check_output(operation, "out", out)) return problem;
  if (!is_real(out.dtype)) {
    return Problem{std::string(operation), "out must be f32, f64, f16 or bf16", std::string(to_string(out.dtype))};
  }
  if (out.rank >= least && out.rank <= most) return std::nullopt;
  return Problem{std::string(operation), "out must have shape " + std::string(shape), shape_text(out)};
}

inline std::optional<Problem> check_width(std::string_view operation, std::int64_t width, const View& out) {
  if (out.size(-1) == width) return std::nullopt;
  return Problem{std::string(operation), "out must have " + std::to_string(width) + " columns", shape_text(out)};
}

/// Has an output of two axes or more a row for each position, and a list of them for each sequence or one for all?
inline bool has_rows(const Positions& positions, const View& out) {
  return positions.count_ == out.size(-2) &&
         (rank(positions) == 1 || (out.rank > 2 && out.size(0) == positions.list_.size(0)));
}
/// What is said where it has not; `shape` is that of an output with a list for each sequence.
inline Problem other_rows(std::string_view operation, const Positions& positions, const View& out,
                          std::string_view shape) {
  const std::string rule =
      positions.count_ != out.size(-2)
          ? "out must have a row for each of " + std::to_string(positions.count_) + " positions"
          : "out must have shape " + std::string(shape) + " for positions " + shape_text(positions.list_);
  return {std::string(operation), rule, shape_text(out)};
}

/// A tensor to be rotated: real, a token for each position, into one alike that has nothing of the coordinates.
std::optional<Problem> check_rotated(std::string_view operation, std::span<const Positions> coordinates,
                                     const Rotated& tensor);
/// What is said of f64 where pairs decay.
inline Problem no_wide_decay(std::string_view operation) {
  return {std::string(operation), "out must be f32, f16 or bf16 where pairs decay", "f64"};
}
/// Valid tensors as [.., L, d]: themselves, or transposed in `storage`.
std::span<const Rotated> by_rows(std::span<const Rotated> tensors, std::vector<Rotated>& storage);

/// What is said of an input of another type or shape than the output.
inline Problem unlike(std::string_view operation, const ConstView& in, const View& out) {
  const auto text = [](const ConstView& view) { return std::string(to_string(view.dtype)) + " " + shape_text(view); };
  return {std::string(operation), "in must have type and shape of out, " + text(out), text(in)};
}

/// The addend of add_sinusoid has the shape and type of `out`, and shares no memory with it unless it is the same view.
inline std::optional<Problem> check_addend(const ConstView& in, const View& out) {
  if (auto problem = check_view("sinusoid", "in", in)) return problem;
  if (in.dtype != out.dtype || !same_shape(in, out)) return unlike("sinusoid", in, out);
  return check_apart("sinusoid", "in", in, "out", out, Sharing::same_view);
}

}  // namespace posenc
