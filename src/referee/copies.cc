// SPDX-License-Identifier: Apache-2.0
// Slices beside the first one of their axis.
#include "src/referee/copies.h"

#include <algorithm>
#include <cstring>

#include "src/base/elements.h"
#include "src/base/to_text.h"
#include "src/referee/reading.h"
#include "src/referee/short_text.h"

namespace posenc::referee {
namespace {

using Index = std::vector<std::int64_t>;

std::int64_t offset_of(const ConstView& tensor, const Index& index) {
  std::int64_t offset = 0;
  for (int axis = 0; axis < tensor.rank; ++axis) offset += index[static_cast<std::size_t>(axis)] * tensor.stride(axis);
  return offset;
}
const std::byte* element_of(const ConstView& tensor, const Index& index) {
  const std::int64_t bytes = offset_of(tensor, index) * static_cast<std::int64_t>(size_of(tensor.dtype));
  return static_cast<const std::byte*>(tensor.data) + bytes;
}

// Calls each(index, equal) for every `step`-th element that is not of the first slice, until it says false.
template <class Each>
void beside_first_slice(const ConstView& tensor, int axis, std::int64_t step, const Each& each) {
  const std::size_t size = size_of(tensor.dtype), along = static_cast<std::size_t>(axis);
  Index index(static_cast<std::size_t>(tensor.rank)), first;
  for (std::int64_t i = 0; i < tensor.count(); i += step) {
    std::int64_t rest = i;
    for (int a = tensor.rank - 1; a >= 0; rest /= tensor.size(a--)) {
      index[static_cast<std::size_t>(a)] = rest % tensor.size(a);
    }
    if (index[along] == 0) continue;
    first = index, first[along] = 0;
    if (!each(index, std::memcmp(element_of(tensor, index), element_of(tensor, first), size) == 0)) return;
  }
}

// A prime number of elements apart, so that all axes are met.
std::int64_t step_of(const ConstView& tensor, std::int64_t looked_at) {
  constexpr std::int64_t prime = 10007;
  return std::max<std::int64_t>(tensor.count() / looked_at / prime, tensor.count() > looked_at ? 1 : 0) * prime;
}

bool is_copied(const ConstView& tensor, int axis) {
  if (tensor.stride(axis) == 0) return true;
  bool equal = true;
  const auto look = [&](const Index&, bool same) { return equal = same; };
  constexpr std::int64_t few = 64;
  if (const std::int64_t step = step_of(tensor, few); step > 0) beside_first_slice(tensor, axis, step, look);
  if (equal) beside_first_slice(tensor, axis, 1, look);
  return equal;
}

ConstView first_slice(ConstView tensor, int axis) {
  tensor.shape[static_cast<std::size_t>(axis)] = 1;
  return tensor;
}

}  // namespace

Copies without_copies(const ConstView& tensor, const IdentifyOptions& options) {
  Copies copies = {tensor};
  for (int axis = 0; axis < tensor.rank - 1; ++axis) {
    const std::int64_t size = tensor.size(axis);
    const auto counts = [&](const Positions& positions) { return positions.count_ == size; };
    if (size == 1 || std::ranges::any_of(options.positions, counts) || !is_copied(copies.once, axis)) continue;
    copies.once = first_slice(copies.once, axis), copies.count *= size;
  }
  return copies;
}

std::optional<Unequal> nearly_copies(const ConstView& tensor) {
  constexpr std::int64_t most_looked_at = std::int64_t{1} << 17;
  for (int axis = 0; axis < tensor.rank - 1 && tensor.rank > 2; ++axis) {
    if (tensor.size(axis) < 2) continue;
    Unequal found = {static_cast<std::size_t>(axis), first_slice(tensor, axis), {}, 0};
    std::int64_t looked_at = 0;
    beside_first_slice(tensor, axis, 1, [&](const Index& index, bool same) {
      if (!same && found.count++ == 0) found.index = index;
      return ++looked_at < most_looked_at;
    });
    constexpr std::int64_t one_in = 16;
    if (found.count > 0 && one_in * found.count <= looked_at) return found;
  }
  return std::nullopt;
}

std::string words_of(const ConstView& tensor, const Unequal& unequal) {
  const auto number = [&](const Index& index) {
    return element_text(real_at(tensor, offset_of(tensor, index)), tensor.dtype);
  };
  Index in_first = unequal.index;
  in_first[unequal.axis] = 0;
  return "axis " + std::to_string(unequal.axis) + " repeats its first slice but for " + std::to_string(unequal.count) +
         (unequal.count == 1 ? " entry: " : " entries, the first: ") +
         to_text(std::span<const std::int64_t>(unequal.index)) + " is " + number(unequal.index) + ", not " +
         number(in_first);
}

}  // namespace posenc::referee
