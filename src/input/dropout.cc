// SPDX-License-Identifier: Apache-2.0
// Dropout as a layer of its own.
#include <posenc/dropout.h>

#include "src/base/blocks.h"
#include "src/base/shapes.h"
#include "src/base/to_text.h"
#include "src/input/masks.h"

namespace posenc {

std::optional<Problem> check_dropout_probability(std::string_view operation, double p) {
  const DefaultEnvironment environment;  // a subnormal p is no zero
  const std::string name(operation);
  if (!(p >= 0 && p < 1)) return Problem{name, "dropout must be a probability in [0, 1)", to_text(p)};
  const std::uint32_t k = dropped_of_65536(p);
  if (p > 0 && (k == 0 || k == 65536)) {
    return Problem{name, "dropout must round to 1/65536 ... 65535/65536, or be 0", to_text(p)};
  }
  return std::nullopt;
}

std::optional<Problem> check_mask_indices(std::string_view operation, std::uint32_t first, const ConstView& out) {
  constexpr std::int64_t limit = std::int64_t{1} << 32;
  const std::int64_t sequences = out.rank == 3 ? out.size(0) : 1, length = out.size(-2), width = out.size(-1);
  if (length > limit - first || sequences > limit) {
    return Problem{std::string(operation), "dropout counts tokens and sequences in 32 bits",
                   "tokens " + std::to_string(first) + " + " + std::to_string(length) + ", sequences " +
                       std::to_string(sequences)};
  }
  if (width > 8 * limit) {
    return Problem{std::string(operation), "dropout counts blocks of 8 columns in 32 bits",
                   std::to_string(width) + " columns"};
  }
  return std::nullopt;
}

std::optional<Problem> check_dropout(const ConstView& in, const View& out, double p, const DropoutKey& key) {
  if (auto problem = check_view("dropout", "in", in)) return problem;
  if (auto problem = check_output("dropout", "out", out)) return problem;
  if (!is_real(out.dtype)) {
    return Problem{"dropout", "out must be f32, f64, f16 or bf16", std::string(to_string(out.dtype))};
  }
  if (out.rank != 2 && out.rank != 3) {
    return Problem{"dropout", "out must have shape [L, d] or [B, L, d]", shape_text(out)};
  }
  if (in.dtype != out.dtype || !same_shape(in, out)) {
    return Problem{"dropout",
                   "in must have type and shape of out, " + std::string(to_string(out.dtype)) + " " + shape_text(out),
                   std::string(to_string(in.dtype)) + " " + shape_text(in)};
  }
  if (auto problem = check_dropout_probability("dropout", p)) return problem;
  return p > 0 ? check_mask_indices("dropout", key.first, out) : std::nullopt;
}

void detail::dropout(const ConstView& in, const View& out, double p, const DropoutKey& key) {
  const DefaultEnvironment environment;
  const Masks masks(p, key);
  const bool batched = out.rank == 3;
  with_real(out.dtype, [&]<class T>(T) {
    for (std::int64_t b = 0; b < (batched ? out.size(0) : 1); ++b) {
      for (std::int64_t t = 0; t < out.size(-2); ++t) {
        const auto from = batched ? strided_row<const T>(in, {b, t}) : strided_row<const T>(in, {t});
        const auto to = batched ? strided_row<T>(out, {b, t}) : strided_row<T>(out, {t});
        for (std::int64_t c = 0; c < out.size(-1); ++c) to[c] = from[c];
        if (p > 0) masks.apply(to, out.size(-1), b, t);
      }
    }
  });
}

}  // namespace posenc
