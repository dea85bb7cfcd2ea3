// SPDX-License-Identifier: Apache-2.0
// Dropout as a layer of its own.
#include <posenc/dropout.h>

#include "src/base/blocks.h"
#include "src/base/match.h"
#include "src/input/masks.h"

namespace posenc {

std::optional<Problem> check_dropout_probability(std::string_view operation, double p) {
  const DefaultEnvironment environment;  // a subnormal p is no zero
  Match m(operation);
  m.must(p >= 0 && p < 1, {"dropout must be a probability in [0, 1)"}, {p});
  const std::uint32_t k = m.ok() ? dropped_of_65536(p) : 0;
  m.must(p == 0 || (k > 0 && k < 65536), {"dropout must round to 1/65536 ... 65535/65536, or be 0"}, {p});
  return m.problem();
}

std::optional<Problem> check_mask_indices(std::string_view operation, std::uint32_t first, const ConstView& out) {
  constexpr std::int64_t limit = std::int64_t{1} << 32;
  const std::int64_t sequences = out.rank == 3 ? out.size(0) : 1, length = out.size(-2), width = out.size(-1);
  Match m(operation);
  m.must(length <= limit - first && sequences <= limit, {"dropout counts tokens and sequences in 32 bits"},
         {"tokens ", std::int64_t{first}, " + ", length, ", sequences ", sequences});
  m.must(width <= 8 * limit, {"dropout counts blocks of 8 columns in 32 bits"}, {width, " columns"});
  return m.problem();
}

std::optional<Problem> check_dropout(const ConstView& in, const View& out, double p, const DropoutKey& key) {
  Match m("dropout");
  m.in_place("in");
  m.tensor("out", out, Types::real, "[L, d] or [B, L, d]");
  m.tensor("in", in, Types::of("out", out.dtype), "[L, d] or [B, L, d]");
  m.also([&] { return check_dropout_probability("dropout", p); });
  if (p > 0) m.also([&] { return check_mask_indices("dropout", key.first, out); });
  return m.problem();
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
