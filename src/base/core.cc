// SPDX-License-Identifier: Apache-2.0
// The rules of views, and how a problem reads.
#include <posenc/core.h>

#include "src/base/shapes.h"
#include "src/base/to_text.h"

namespace posenc {

std::string Problem::message() const {
  std::string text = "[" + operation + "] " + rule + ", got " + value;
  if (!index.empty()) text += " at " + to_text(std::span<const std::int64_t>(index));
  return text;
}

namespace {

// Numbers first, since every call of the library asks; text is made for a view that breaks a rule.

// What a view breaks; the last is a rule of outputs alone.
enum class Rule : std::uint8_t { none, type, axes, sizes, bytes, offsets, data, alignment, repeats };

// The first rule of views that a view breaks.
template <class Pointer>
Rule broken_rule(const BasicView<Pointer>& view) {
  const auto element = static_cast<std::int64_t>(size_of(view.dtype));
  if (element == 0) return Rule::type;
  if (view.rank < 0 || view.rank > max_rank) return Rule::axes;
  std::int64_t bytes = element, low = 0, high = 0;  // low, high: offsets of the farthest elements
  bool empty = false, fits = true, addressable = true;
  for (int axis = 0; axis < view.rank; ++axis) {
    const std::int64_t size = view.size(axis);
    if (size == 1) continue;
    if (size < 0) return Rule::sizes;
    std::int64_t reach = 0;
    if (size == 0) {
      empty = true;
    } else if (!fits || __builtin_mul_overflow(bytes, size, &bytes)) {
      fits = false;
    } else if (__builtin_mul_overflow((size - 1) * element, view.stride(axis), &reach) ||
               (reach < 0 ? __builtin_add_overflow(low, reach, &low) : __builtin_add_overflow(high, reach, &high))) {
      addressable = false;
    }
  }
  if (empty) return Rule::none;
  if (!fits) return Rule::bytes;
  if (!addressable) return Rule::offsets;
  if (view.data == nullptr) return Rule::data;
  const bool aligned = (reinterpret_cast<std::intptr_t>(view.data) & (element - 1)) == 0;
  return aligned ? Rule::none : Rule::alignment;
}

// The first rule of outputs that a view breaks: those of views, and no stride 0 along an axis longer than 1.
Rule broken_rule_of_output(const View& view) {
  if (const Rule rule = broken_rule(view); rule != Rule::none) return rule;
  for (int axis = 0; axis < view.rank; ++axis) {
    if (view.size(axis) > 1 && view.stride(axis) == 0 && view.count() > 0) return Rule::repeats;
  }
  return Rule::none;
}

[[gnu::cold]] Problem told(std::string_view operation, std::string_view name, const ConstView& view, Rule rule) {
  const auto problem = [&](std::string what, std::string value) {
    return Problem{std::string(operation), std::string(name) + " must " + what, std::move(value)};
  };
  switch (rule) {
    case Rule::type: return problem("have an element type", std::string(to_string(view.dtype)));
    case Rule::axes: return problem("have 0 to 8 axes", std::to_string(view.rank));
    case Rule::sizes: return problem("have no negative size", shape_text(view));
    case Rule::bytes: return problem("have less than 2^63 bytes", shape_text(view));
    case Rule::offsets: return problem("have offsets below 2^63 bytes", shape_text(view));
    case Rule::data: return problem("have data", "a null pointer for shape " + shape_text(view));
    case Rule::repeats: break;
    default:
      return problem("be aligned to its " + std::to_string(size_of(view.dtype)) + "-byte elements",
                     "an address that is not");
  }
  int axis = 0;
  while (view.size(axis) <= 1 || view.stride(axis) != 0) ++axis;
  return problem("have no stride 0", "0 for axis " + std::to_string(axis) + " of shape " + shape_text(view));
}

// Not inlined, so that those who ask of a plain view prepare nothing.
[[gnu::noinline]] std::optional<Problem> find_problem(std::string_view operation, std::string_view name,
                                                      const ConstView& view) {
  const Rule rule = broken_rule(view);
  if (rule == Rule::none) return std::nullopt;
  return told(operation, name, view, rule);
}

[[gnu::noinline]] std::optional<Problem> find_problem_of_output(std::string_view operation, std::string_view name,
                                                                const View& view) {
  const Rule rule = broken_rule_of_output(view);
  if (rule == Rule::none) return std::nullopt;
  return told(operation, name, view, rule);
}

}  // namespace

std::optional<Problem> check_view(std::string_view operation, std::string_view name, const ConstView& view) {
  return is_plain(view) ? std::nullopt : find_problem(operation, name, view);
}

std::optional<Problem> check_output(std::string_view operation, std::string_view name, const View& view) {
  return is_plain(view) ? std::nullopt : find_problem_of_output(operation, name, view);
}

std::optional<Problem> check_strides(std::int64_t sizes, std::int64_t strides) {
  if (sizes == strides) return std::nullopt;
  return Problem{"view", "strides must be as many as sizes", std::to_string(strides) + " for " + std::to_string(sizes)};
}

std::optional<Problem> check_slice(const ConstView& view, int axis, std::int64_t first, std::int64_t count) {
  const int at = axis < 0 ? view.rank + axis : axis;
  if (view.rank < 0 || view.rank > max_rank || at < 0 || at >= view.rank) {
    return Problem{"slice", "axis must be one of the view", std::to_string(axis) + " of " + std::to_string(view.rank)};
  }
  const std::int64_t size = view.size(at);
  if (first >= 0 && count >= 0 && first <= size && count <= size - first) return std::nullopt;
  return Problem{"slice",
                 "first and count must lie within axis " + std::to_string(at) + " of size " + std::to_string(size),
                 std::to_string(count) + " from " + std::to_string(first)};
}

std::optional<Problem> check_as(const ConstView& view, DType type) {
  if (size_of(type) != 0 && size_of(type) == size_of(view.dtype)) return std::nullopt;
  return Problem{"as", "both types must be of one size",
                 std::string(to_string(view.dtype)) + " and " + std::string(to_string(type))};
}

}  // namespace posenc
