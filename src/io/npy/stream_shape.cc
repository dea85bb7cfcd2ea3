// SPDX-License-Identifier: Apache-2.0
// The arithmetic of shapes with one unknown size.
#include "src/io/npy/stream_shape.h"

#include <algorithm>

#include "src/base/quote.h"
#include "src/io/npy/npy_header.h"

namespace posenc::io {
namespace {

/// The shape as a tuple, with ? for what is unknown.
std::string text_of(std::span<const std::int64_t> shape) {
  std::string text = tuple_text(shape);
  for (std::size_t at = text.find("-1"); at != text.npos; at = text.find("-1")) text.replace(at, 2, "?");
  return quote(text);
}

}  // namespace

bool is_known(std::span<const std::int64_t> shape) { return std::ranges::find(shape, unknown_size) == shape.end(); }

std::int64_t known_count(std::span<const std::int64_t> shape) {
  std::int64_t count = 1;
  if (std::ranges::find(shape, 0) != shape.end()) return 0;
  for (const std::int64_t size : shape) count *= size == unknown_size ? 1 : size;
  return count;
}

std::vector<std::int64_t> with_size(std::span<const std::int64_t> shape, std::int64_t size) {
  std::vector<std::int64_t> sizes(shape.begin(), shape.end());
  std::ranges::replace(sizes, unknown_size, size);
  return sizes;
}

std::optional<Problem> check_plan(std::string_view operation, DType dtype, std::span<const std::int64_t> shape) {
  const auto problem = [&](std::string rule) {
    return Problem{std::string(operation), std::move(rule), text_of(shape)};
  };
  if (size_of(dtype) == 0) return Problem{std::string(operation), "the type must be one of posenc's", "no type"};
  if (shape.size() > max_rank) return problem("a tensor must have at most " + std::to_string(max_rank) + " axes");
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size == unknown_size) continue;
    if (size < 0 || size > npy_dimension_limit) return problem("a size must be from 0 to 2^48, or unknown");
    if (size != 0 && (__builtin_mul_overflow(count, size, &count) || count > npy_element_limit)) {
      return problem("a tensor must have at most 2^53 elements");
    }
  }
  if (std::ranges::count(shape, unknown_size) > 1) return problem("at most one size may be unknown");
  if (!is_known(shape) && known_count(shape) == 0) return problem("a size that elements decide needs no other to be 0");
  return std::nullopt;
}

std::optional<Problem> check_piece(std::string_view operation, DType dtype, std::span<const std::int64_t> shape,
                                   std::int64_t elements, const ConstView& piece) {
  if (auto problem = check_view(operation, "piece", piece)) return problem;
  const auto problem = [&](std::string rule, std::string value) {
    return Problem{std::string(operation), std::move(rule), std::move(value)};
  };
  if (piece.dtype != dtype) {
    return problem("a piece must have the tensor's type, " + std::string(to_string(dtype)),
                   std::string(to_string(piece.dtype)));
  }
  const std::int64_t room = is_known(shape) ? known_count(shape) : npy_element_limit;
  if (piece.count() > room - elements) {
    return problem("a tensor of shape " + text_of(shape) + " must get no more elements than it has",
                   std::to_string(piece.count()) + " after " + std::to_string(elements));
  }
  return std::nullopt;
}

std::vector<std::int64_t> filled_shape(std::string_view operation, std::span<const std::int64_t> shape,
                                       std::int64_t elements) {
  const std::int64_t each = known_count(shape);
  const bool filled = is_known(shape) ? elements == each : elements % each == 0;
  if (!filled) {
    throw Error(
        {std::string(operation), "the elements must fill the shape " + text_of(shape), std::to_string(elements)});
  }
  return with_size(shape, is_known(shape) ? 0 : elements / each);
}

void require_patchable(std::string_view operation, const FileWriter& file, bool known) {
  if (known || file.regular()) return;
  throw Error({std::string(operation), "a device or a pipe takes a tensor only when all sizes are known beforehand",
               "an unknown size"});
}

}  // namespace posenc::io
