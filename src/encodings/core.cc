// SPDX-License-Identifier: Apache-2.0
// The rules of views, and how a problem reads.
#include <posenc/core.h>

#include <algorithm>

#include "src/encodings/text.h"

namespace posenc {

std::string Problem::message() const {
  std::string text = "[" + operation + "] " + rule + ", got " + value;
  if (!index.empty()) text += " at " + to_text(std::span<const std::int64_t>(index));
  return text;
}

namespace {

// What the sizes and strides of a view say, found at once and without a branch: every call of the library asks.
struct Extent {
  bool negative = false, empty = false;  // some size
  bool fits = true, addressable = true;  // all bytes are fewer than 2^63; so are the offsets from the data
};

Extent extent(const ConstView& view) {
  Extent of;
  const auto element = static_cast<std::int64_t>(size_of(view.dtype));
  std::int64_t bytes = element, low = 0, high = 0;
  for (int axis = 0; axis < view.rank; ++axis) {
    const std::int64_t size = view.size(axis);
    std::int64_t reach = 0;
    of.negative |= size < 0;
    of.empty |= size == 0;
    of.fits &= !__builtin_mul_overflow(bytes, size, &bytes);
    of.addressable &= !__builtin_mul_overflow(std::max<std::int64_t>(size, 1) - 1, view.stride(axis), &reach) &
                      !__builtin_mul_overflow(reach, element, &reach) &
                      !__builtin_add_overflow(low, std::min<std::int64_t>(reach, 0), &low) &
                      !__builtin_add_overflow(high, std::max<std::int64_t>(reach, 0), &high);
  }
  return of;
}

}  // namespace

std::optional<Problem> check_view(std::string_view operation, std::string_view name, const ConstView& view) {
  const auto problem = [&](std::string rule, std::string value) {
    return Problem{std::string(operation), std::string(name) + " " + rule, std::move(value)};
  };
  if (size_of(view.dtype) == 0) return problem("must have an element type", std::string(to_string(view.dtype)));
  if (view.rank < 0 || view.rank > max_rank) return problem("must have 0 to 8 axes", std::to_string(view.rank));
  const Extent of = extent(view);
  if (of.negative) return problem("must have no negative size", shape_text(view));
  if (of.empty) return std::nullopt;
  if (!of.fits) return problem("must have less than 2^63 bytes", shape_text(view));
  if (!of.addressable) return problem("must have offsets below 2^63 bytes", shape_text(view));
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
