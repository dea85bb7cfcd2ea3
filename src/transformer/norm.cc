// SPDX-License-Identifier: Apache-2.0
// Layer normalisation: rows in blocks.
#include <posenc/transformer/norm.h>

#include "src/base/blocks.h"
#include "src/base/match.h"
#include "src/transformer/kernels/layer_norm.h"
#include "src/transformer/rows.h"

#include <cmath>

namespace posenc {
namespace {

constexpr std::int64_t elements_at_once = 1 << 15;  // about 20 us

}  // namespace

std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const Norm& norm,
                                     std::int64_t width) {
  Match m(operation, name);
  m.bind("d", width);
  m.rows("weight", norm.weight, "[d]");
  m.rows("bias", norm.bias, "[d]");
  m.must(std::isfinite(norm.epsilon) && norm.epsilon > 0, {"epsilon must be finite and above 0"}, {norm.epsilon});
  return m.problem();
}

std::optional<Problem> check_normalize(const Norm& norm, const ConstView& in, const View& out) {
  Match m("normalize");
  m.in_place("in");
  m.rows("in", in, "[..., d]");
  m.part("", norm, m["d"]);
  m.lies_apart("weight", norm.weight);
  if (norm.bias) m.lies_apart("bias", *norm.bias);
  m.rows("out", out, "[..., d]");
  return m.problem();
}

void detail::normalize(const Norm& norm, const ConstView& in, const View& out, const Executor& executor) {
  if (out.count() == 0) return;
  const RowGroups groups(in, out);
  const std::int64_t width = in.size(-1), size = std::max<std::int64_t>(1, elements_at_once / width);
  const auto* weight = static_cast<const float*>(norm.weight.data);
  const auto* bias = norm.bias ? static_cast<const float*>(norm.bias->data) : nullptr;
  for_blocks(executor, groups.groups * groups.rows, size, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const RowGroups::Offsets start = groups.start(i / groups.rows);
      const std::int64_t row = i % groups.rows;
      kernels::normal_row(static_cast<const float*>(in.data) + start.in + row * groups.in_step, width, weight, bias,
                          norm.epsilon, static_cast<float*>(out.data) + start.out + row * groups.out_step);
    }
  });
}

}  // namespace posenc
