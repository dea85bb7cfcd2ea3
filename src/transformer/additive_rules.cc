// SPDX-License-Identifier: Apache-2.0
// The rules of additive attention's arguments.
#include <posenc/additive.h>

#include "src/transformer/lengths.h"
#include "src/transformer/rows.h"

#include <limits>

namespace posenc {
namespace {

using Found = std::optional<Problem>;
using Shape = std::array<std::int64_t, 3>;

Found check_tensor(std::string_view operation, std::string_view name, std::string_view axes, const ConstView& rows) {
  if (auto problem = check_rows(operation, name, rows)) return problem;
  if (rows.rank == 3) return std::nullopt;
  return Problem{std::string(operation), std::string(name) + " must have shape " + std::string(axes), shape_text(rows)};
}

Found check_shape(std::string_view operation, std::string_view name, const ConstView& view, const Shape& shape) {
  if (view.rank == 3 && std::equal(shape.begin(), shape.end(), view.shape.begin())) return std::nullopt;
  return Problem{std::string(operation), std::string(name) + " must have shape " + to_text(shape), shape_text(view)};
}

Found check_mask(std::string_view operation, const ConstView& mask, const Shape& shape) {
  const std::string of(operation);
  if (auto problem = check_view(operation, "mask", mask)) return problem;
  if (mask.dtype != DType::f32) return Problem{of, "mask must be f32", std::string(to_string(mask.dtype))};
  if (auto problem = check_shape(operation, "mask", mask, shape)) return problem;
  if (mask.size(2) <= 1 || mask.stride(2) == 1 || mask.stride(2) == 0) return std::nullopt;
  return Problem{of, "mask must have columns next to each other or repeated, stride 1 or 0",
                 std::to_string(mask.stride(2))};
}

Found check_options(std::string_view operation, const Shape& shape, const AdditiveOptions& options) {
  const std::string of(operation);
  if (options.sight != Sight::all && options.sight != Sight::past) return Problem{of, "sight must be stated", "none"};
  if (options.first < 0 || options.first > std::numeric_limits<std::int64_t>::max() - shape[1]) {
    return Problem{of, "first must be in [0, 2^63 - 1 - " + std::to_string(shape[1]) + "]",
                   std::to_string(options.first)};
  }
  if (options.lengths) {
    if (auto problem = check_lengths(operation, *options.lengths, shape[0], shape[2])) return problem;
  }
  return options.mask ? check_mask(operation, *options.mask, shape) : std::nullopt;
}

Found check_scores(std::string_view operation, const Additive& weights, const ConstView& queries, const ConstView& keys,
                   const AdditiveOptions& options) {
  if (auto problem = check_tensor(operation, "queries", "[B, L, d]", queries)) return problem;
  if (auto problem = check_tensor(operation, "keys", "[B, S, e]", keys)) return problem;
  if (auto problem = check_shape(operation, "keys", keys, {queries.size(0), keys.size(1), keys.size(2)})) {
    return problem;
  }
  if (auto problem = check_weights(operation, "", weights, queries.size(2), keys.size(2))) return problem;
  return check_options(operation, {queries.size(0), queries.size(1), keys.size(1)}, options);
}

Found check_result(std::string_view operation, const View& out, const Shape& shape) {
  if (auto problem = check_output(operation, "out", out)) return problem;
  if (auto problem = check_rows(operation, "out", out)) return problem;
  return check_shape(operation, "out", out, shape);
}

}  // namespace

std::optional<Problem> check_weights(std::string_view operation, std::string_view name, const Additive& weights,
                                     std::int64_t queries, std::int64_t keys) {
  const std::int64_t width = rows_of(weights.query.weight);
  if (auto problem = check_weights(operation, part_of(name, "query"), weights.query, width, queries)) return problem;
  if (auto problem = check_weights(operation, part_of(name, "key"), weights.key, width, keys)) return problem;
  return check_weight(operation, part_of(name, "direction"), weights.direction, {width});
}

std::optional<Problem> check_additive_attention(const Additive& weights, const ConstView& queries,
                                                const ConstView& keys, const ConstView& values, const View& out,
                                                const AdditiveOptions& options) {
  constexpr std::string_view operation = "additive_attention";
  if (auto problem = check_scores(operation, weights, queries, keys, options)) return problem;
  if (auto problem = check_tensor(operation, "values", "[B, S, w]", values)) return problem;
  if (auto problem = check_shape(operation, "values", values, {keys.size(0), keys.size(1), values.size(2)})) {
    return problem;
  }
  return check_result(operation, out, {queries.size(0), queries.size(1), values.size(2)});
}

std::optional<Problem> check_additive_weights(const Additive& weights, const ConstView& queries, const ConstView& keys,
                                              const View& out, const AdditiveOptions& options) {
  constexpr std::string_view operation = "additive_weights";
  if (auto problem = check_scores(operation, weights, queries, keys, options)) return problem;
  return check_result(operation, out, {queries.size(0), queries.size(1), keys.size(1)});
}

}  // namespace posenc
