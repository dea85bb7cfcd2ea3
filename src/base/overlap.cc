// SPDX-License-Identifier: Apache-2.0
// Do two views share an element? An equation in whole numbers: element i of one is element j of the other where the sum
// of (i_a - j_a) s_a over the axes is the distance of their first elements. Each difference takes every value between
// its bounds, so a search over the axes, longest strides first, needs to try those alone that the rest can make up for.
#include "src/base/overlap.h"

#include <algorithm>
#include <numeric>
#include <string>

#include "src/base/shapes.h"

namespace posenc {
namespace {

enum class Answer : std::uint8_t { no = 1, yes, unknown };

// Of axes of one stride: what their indices of the one view, less those of the other, may be.
struct Axis {
  std::int64_t stride;  // > 0
  std::int64_t least, most;
  bool in_first, in_second;
  std::int64_t below_least, below_most;  // what the axes of shorter strides add
  std::int64_t divisor;                  // of this stride and all shorter ones
};

struct Axes {
  std::array<Axis, 2 * max_rank> list;
  std::size_t count = 0;

  std::span<Axis> all() { return std::span(list).first(count); }
  Axis& of_stride(std::int64_t stride) {
    const auto found = std::ranges::find(all(), stride, &Axis::stride);
    if (found != all().end()) return *found;
    return list[count++] = {stride, 0, 0, false, false, 0, 0, 0};
  }
};

enum class Side : std::uint8_t { first = 1, second };

void add(Axes& axes, const ConstView& view, Side side) {
  for (int axis = 0; axis < view.rank; ++axis) {
    const std::int64_t reach = view.size(axis) - 1, stride = view.stride(axis);
    if (reach == 0 || stride == 0) continue;
    Axis& of = axes.of_stride(stride < 0 ? -stride : stride);
    const bool rises = (stride > 0) == (side == Side::first);
    rises ? of.most += reach : of.least -= reach;
    (side == Side::first ? of.in_first : of.in_second) = true;
  }
}

// Does neither view have a stride that the other has not, or only one of them?
bool equal_strides(std::span<const Axis> axes) {
  const bool first = std::ranges::any_of(axes, [](const Axis& axis) { return !axis.in_second; });
  const bool second = std::ranges::any_of(axes, [](const Axis& axis) { return !axis.in_first; });
  return !first || !second;
}

// Longest strides first, each with what those behind it come to.
void prepare(std::span<Axis> axes) {
  std::ranges::sort(axes, std::ranges::greater(), &Axis::stride);
  std::int64_t least = 0, most = 0, divisor = 0;
  for (std::size_t i = axes.size(); i-- > 0;) {
    Axis& axis = axes[i];
    axis.below_least = least, axis.below_most = most;
    axis.divisor = divisor = std::gcd(divisor, axis.stride);
    least += axis.least * axis.stride, most += axis.most * axis.stride;
  }
}

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }  // b > 0
std::int64_t ceil_quotient(std::int64_t a, std::int64_t b) { return -floor_quotient(-a, b); }

// Is `distance` a sum of differences times strides?
Answer search(std::span<const Axis> axes, std::int64_t distance, int& steps) {
  if (axes.empty()) return distance == 0 ? Answer::yes : Answer::no;
  const Axis& axis = axes[0];
  if (distance % axis.divisor != 0) return Answer::no;
  const std::int64_t first = std::max(axis.least, ceil_quotient(distance - axis.below_most, axis.stride));
  const std::int64_t last = std::min(axis.most, floor_quotient(distance - axis.below_least, axis.stride));
  for (std::int64_t i = first; i <= last; ++i) {
    if (steps-- == 0) return Answer::unknown;
    const Answer answer = search(axes.subspan(1), distance - i * axis.stride, steps);
    if (answer != Answer::no) return answer;
  }
  return Answer::no;
}

// Beyond this many bytes, which no memory has, sums of the two views' offsets might leave int64.
constexpr std::uint64_t most_bytes = std::uint64_t{1} << 61;
constexpr int most_steps = 1024;

std::uint64_t bytes_of(const Extent& extent) {
  return static_cast<std::uint64_t>(extent.end) - static_cast<std::uint64_t>(extent.begin);
}

std::int64_t bytes_between(const ConstView& a, const ConstView& b) {
  return static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(b.data) - reinterpret_cast<std::uintptr_t>(a.data));
}

// Of views whose bytes do not lie apart.
Answer share_element(const ConstView& a, const ConstView& b) {
  const std::size_t element = size_of(a.dtype);
  if (element != size_of(b.dtype) || bytes_of(extent_of(a)) > most_bytes || bytes_of(extent_of(b)) > most_bytes) {
    return Answer::unknown;
  }
  Axes axes;
  add(axes, a, Side::first);
  add(axes, b, Side::second);
  if (!equal_strides(axes.all())) return Answer::unknown;
  prepare(axes.all());
  int steps = most_steps;
  return search(axes.all(), bytes_between(a, b) / static_cast<std::int64_t>(element), steps);
}

// Of views with elements.
bool is_same_view(const ConstView& a, const ConstView& b) {
  if (a.data != b.data || a.dtype != b.dtype || !same_shape(a, b)) return false;
  for (int axis = 0; axis < a.rank; ++axis) {
    if (a.size(axis) > 1 && a.stride(axis) != b.stride(axis)) return false;
  }
  return true;
}

std::string place_text(std::string_view out_name, std::string_view in_name, std::int64_t bytes) {
  const std::string out(out_name), in(in_name);
  if (bytes == 0) return "both at one address";
  const std::uint64_t size = bytes < 0 ? 0 - static_cast<std::uint64_t>(bytes) : static_cast<std::uint64_t>(bytes);
  return out + " " + std::to_string(size) + " bytes " + (bytes < 0 ? "before " : "behind ") + in;
}

}  // namespace

std::optional<Problem> check_overlap(std::string_view operation, std::string_view in_name, const ConstView& in,
                                     std::string_view out_name, const ConstView& out, Sharing sharing) {
  if (apart(extent_of(in), extent_of(out))) return std::nullopt;
  const bool same = is_same_view(in, out);
  if (same && sharing == Sharing::same_view) return std::nullopt;
  const Answer answer = same ? Answer::yes : share_element(in, out);
  if (answer == Answer::no) return std::nullopt;
  const std::string rule = std::string(in_name) + " and " + std::string(out_name) + " must share no element" +
                           (sharing == Sharing::same_view ? ", or be the same view" : "");
  if (same) return Problem{std::string(operation), rule, "the same view"};
  const std::string bytes = answer == Answer::unknown ? "bytes that overlap, " : "";
  return Problem{std::string(operation), rule, bytes + place_text(out_name, in_name, bytes_between(in, out))};
}

}  // namespace posenc
