// SPDX-License-Identifier: Apache-2.0
// The rules of views, and how a problem reads.
#include <posenc/core.h>

#include "src/encodings/text.h"

namespace posenc {

std::string Problem::message() const {
  std::string text = "[" + operation + "] " + rule + ", got " + value;
  if (!index.empty()) text += " at " + to_text(std::span<const std::int64_t>(index));
  return text;
}

namespace {

// The lowest and highest byte offset that the view reaches both fit in 63 bits.
bool addressable(const ConstView& view) {
  std::int64_t low = 0, high = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    std::int64_t reach = 0;
    std::int64_t& end = view.stride(axis) < 0 ? low : high;
    if (__builtin_mul_overflow(view.size(axis) - 1, view.stride(axis), &reach) ||
        __builtin_add_overflow(end, reach, &end)) {
      return false;
    }
  }
  const auto bytes = static_cast<std::int64_t>(size_of(view.dtype));
  return !__builtin_mul_overflow(low, bytes, &low) && !__builtin_mul_overflow(high, bytes, &high);
}

}  // namespace

std::optional<Problem> check_view(std::string_view operation, std::string_view name, const ConstView& view) {
  const auto problem = [&](std::string rule, std::string value) {
    return Problem{std::string(operation), std::string(name) + " " + rule, std::move(value)};
  };
  if (size_of(view.dtype) == 0) return problem("must have an element type", std::string(to_string(view.dtype)));
  if (view.rank < 0 || view.rank > max_rank) return problem("must have 0 to 8 axes", std::to_string(view.rank));
  std::int64_t elements = 1;
  bool fits = true, empty = false;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.size(axis) < 0) return problem("must have no negative size", shape_text(view));
    empty = empty || view.size(axis) == 0;
    fits = fits && !__builtin_mul_overflow(elements, view.size(axis), &elements);
  }
  if (empty) return std::nullopt;
  std::int64_t bytes = 0;
  if (!fits || __builtin_mul_overflow(elements, static_cast<std::int64_t>(size_of(view.dtype)), &bytes)) {
    return problem("must have less than 2^63 bytes", shape_text(view));
  }
  if (!addressable(view)) return problem("must have offsets below 2^63 bytes", shape_text(view));
  if (view.data == nullptr) return problem("must have data", "a null pointer for shape " + shape_text(view));
  if (reinterpret_cast<std::uintptr_t>(view.data) % size_of(view.dtype) != 0) {
    return problem("must be aligned to its " + std::to_string(size_of(view.dtype)) + "-byte elements",
                   "an address that is not");
  }
  return std::nullopt;
}

std::optional<Problem> check_output(std::string_view operation, std::string_view name, const View& view) {
  if (auto problem = check_view(operation, name, view)) return problem;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.size(axis) > 1 && view.stride(axis) == 0 && view.count() > 0) {
      return Problem{std::string(operation), std::string(name) + " must have no stride 0",
                     "0 for axis " + std::to_string(axis) + " of shape " + shape_text(view)};
    }
  }
  return std::nullopt;
}

}  // namespace posenc
