// SPDX-License-Identifier: Apache-2.0
// The rules of attention's arguments.
#include <posenc/attention.h>

#include "src/base/to_text.h"
#include "src/transformer/lengths.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace posenc {
namespace {

using Found = std::optional<Problem>;

Found check_rows(std::string_view operation, std::string_view name, std::string_view axes, const ConstView& rows) {
  if (auto problem = check_view(operation, name, rows)) return problem;
  const std::string of(operation), is(name);
  if (rows.dtype != DType::f32) return Problem{of, is + " must be f32", std::string(to_string(rows.dtype))};
  if (rows.rank != 4) return Problem{of, is + " must have shape " + std::string(axes), shape_text(rows)};
  if (rows.size(3) > 1 && rows.stride(3) != 1) {
    return Problem{of, is + " must have columns next to each other, stride 1", std::to_string(rows.stride(3))};
  }
  return std::nullopt;
}

Found check_shape(std::string_view operation, std::string_view name, const ConstView& view,
                  std::array<std::int64_t, 4> shape) {
  if (std::equal(shape.begin(), shape.end(), view.shape.begin())) return std::nullopt;
  return Problem{std::string(operation), std::string(name) + " must have shape " + to_text(shape), shape_text(view)};
}

Found check_queries_and_keys(std::string_view operation, const ConstView& queries, const ConstView& keys) {
  if (auto problem = check_rows(operation, "queries", "[B, H, L, d]", queries)) return problem;
  if (auto problem = check_rows(operation, "keys", "[B, G, S, d]", keys)) return problem;
  if (auto problem =
          check_shape(operation, "keys", keys, {queries.size(0), keys.size(1), keys.size(2), queries.size(3)})) {
    return problem;
  }
  const std::int64_t heads = queries.size(1), groups = keys.size(1);
  if (groups == 0 ? heads != 0 : heads % groups != 0) {
    return Problem{std::string(operation), "heads of queries must be a multiple of those of keys",
                   std::to_string(heads) + " and " + std::to_string(groups)};
  }
  return std::nullopt;
}

Found check_mask(std::string_view operation, const ConstView& mask, std::array<std::int64_t, 4> shape) {
  const std::string of(operation);
  if (auto problem = check_view(operation, "mask", mask)) return problem;
  if (mask.dtype != DType::f32) return Problem{of, "mask must be f32", std::string(to_string(mask.dtype))};
  if (mask.rank != 4) return Problem{of, "mask must have shape " + to_text(shape), shape_text(mask)};
  if (auto problem = check_shape(operation, "mask", mask, shape)) return problem;
  if (mask.size(3) > 1 && mask.stride(3) != 1 && mask.stride(3) != 0) {
    return Problem{of, "mask must have columns next to each other or repeated, stride 1 or 0",
                   std::to_string(mask.stride(3))};
  }
  return std::nullopt;
}

Found check_slopes(std::string_view operation, std::span<const float> slopes, std::int64_t heads) {
  const std::string of(operation);
  if (slopes.empty()) return std::nullopt;
  if (static_cast<std::int64_t>(slopes.size()) != heads) {
    return Problem{of, "slopes must be as many as heads, " + std::to_string(heads), std::to_string(slopes.size())};
  }
  for (std::size_t h = 0; h < slopes.size(); ++h) {
    if (!std::isfinite(slopes[h])) {
      return Problem{of, "slopes must be finite", to_text(slopes[h]), {static_cast<std::int64_t>(h)}};
    }
  }
  return std::nullopt;
}

Found check_options(std::string_view operation, const ConstView& queries, const ConstView& keys,
                    const AttentionOptions& options) {
  const std::string of(operation);
  const std::int64_t batch = queries.size(0), heads = queries.size(1), rows = queries.size(2);
  if (options.score != Score::dot && options.score != Score::scaled_dot) {
    return Problem{of, "score must be stated", "none"};
  }
  if (options.sight != Sight::all && options.sight != Sight::past) {
    return Problem{of, "sight must be stated", "none"};
  }
  if (options.first < 0 || options.first > std::numeric_limits<std::int64_t>::max() - rows) {
    return Problem{of, "first must be in [0, 2^63 - 1 - " + std::to_string(rows) + "]", std::to_string(options.first)};
  }
  if (options.lengths) {
    if (auto problem = check_lengths(operation, *options.lengths, batch, keys.size(2))) return problem;
  }
  if (options.mask) {
    if (auto problem = check_mask(operation, *options.mask, {batch, heads, rows, keys.size(2)})) return problem;
  }
  return check_slopes(operation, options.slopes, heads);
}

Found check_out(std::string_view operation, const View& out, std::array<std::int64_t, 4> shape) {
  if (auto problem = check_output(operation, "out", out)) return problem;
  if (auto problem = check_rows(operation, "out", to_text(shape), out)) return problem;
  return check_shape(operation, "out", out, shape);
}

}  // namespace

std::optional<Problem> check_attention(const ConstView& queries, const ConstView& keys, const ConstView& values,
                                       const View& out, const AttentionOptions& options) {
  constexpr std::string_view operation = "attention";
  if (auto problem = check_queries_and_keys(operation, queries, keys)) return problem;
  if (auto problem = check_rows(operation, "values", "[B, G, S, e]", values)) return problem;
  if (auto problem =
          check_shape(operation, "values", values, {keys.size(0), keys.size(1), keys.size(2), values.size(3)})) {
    return problem;
  }
  if (auto problem = check_options(operation, queries, keys, options)) return problem;
  return check_out(operation, out, {queries.size(0), queries.size(1), queries.size(2), values.size(3)});
}

std::optional<Problem> check_attention_weights(const ConstView& queries, const ConstView& keys, const View& out,
                                               const AttentionOptions& options) {
  constexpr std::string_view operation = "attention_weights";
  if (auto problem = check_queries_and_keys(operation, queries, keys)) return problem;
  if (auto problem = check_options(operation, queries, keys, options)) return problem;
  return check_out(operation, out, {queries.size(0), queries.size(1), queries.size(2), keys.size(2)});
}

}  // namespace posenc
