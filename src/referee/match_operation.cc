// SPDX-License-Identifier: Apache-2.0
// The output of an operation a block of rows at a time, in each type, beside the tensor's.
#include "src/referee/match_operation.h"

#include <algorithm>

#include "src/referee/compared_places.h"
#include "src/referee/distances.h"
#include "src/referee/reading.h"

namespace posenc::referee {
namespace {

// Rows [from, from + count) along the axis that the first list of positions counts.
struct RowBlock {
  std::int64_t from, count;
};

// The output behind `operation` has up to three axes.
void add_block(const ConstView& tensor, const ConstView& made, const RowBlock& block, std::size_t row_axis,
               bool may_hide, Tally& tally) {
  std::array<std::int64_t, 3> size = {1, 1, 1}, stride = {};
  for (int axis = 0; axis < made.rank; ++axis) {
    size[static_cast<std::size_t>(axis)] = made.size(axis),
    stride[static_cast<std::size_t>(axis)] = tensor.stride(axis);
  }
  std::int64_t next = 0;
  std::array<std::int64_t, 3> at = {};
  for (at[0] = 0; at[0] < size[0]; ++at[0]) {
    for (at[1] = 0; at[1] < size[1]; ++at[1]) {
      for (at[2] = 0; at[2] < size[2]; ++at[2], ++next) {
        std::array<std::int64_t, 3> index = at;
        index[row_axis] += block.from;
        const double got = real_at(tensor, index[0] * stride[0] + index[1] * stride[1] + index[2] * stride[2]);
        if (may_hide && hides(got)) continue;
        const double known = real_at(made, next);
        if (made.rank == 1) tally.add({index[0]}, got, known);
        if (made.rank > 1) tally.add({index[0], index[1], index[2]}, got, known);
      }
    }
  }
}

std::optional<Agreement> agreement_in(const ConstView& tensor, const Operation& operation, const Convention& convention,
                                      const OperationInputs& inputs, DType storage) {
  const bool biases = operation.use == ConventionUse::slopes;
  const std::size_t row_axis = biases ? 1 : 0;
  const std::int64_t rows = tensor.size(static_cast<int>(row_axis));
  constexpr std::int64_t most = std::int64_t{1} << 20;
  const std::int64_t each = biases ? std::clamp<std::int64_t>(most * rows / tensor.count(), 1, rows) : rows;
  Tally tally(biases ? 0 : 1, storage);
  std::vector<std::byte> room;
  for (std::int64_t from = 0; from < rows; from += each) {
    const std::int64_t count = std::min(each, rows - from);
    OperationInputs part = inputs;
    std::vector<Positions> lists(inputs.lists.begin(), inputs.lists.end());
    std::vector<double> memory;
    if (biases) lists[0] = slice(lists[0], from, count, memory);
    part.lists = lists;
    std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.begin() + tensor.rank);
    shape[row_axis] = count;
    room.resize(static_cast<std::size_t>(tensor.count() / rows * count) * size_of(storage));
    const View out = view(static_cast<void*>(room.data()), storage, std::span<const std::int64_t>(shape));
    if (operation.check(convention, part, out) || operation.write(convention, part, out)) return std::nullopt;
    add_block(tensor, out, {from, count}, row_axis, biases, tally);
  }
  return tally.result();
}

}  // namespace

std::optional<OperationMatch> match_operation(const ConstView& tensor, ConventionUse use, const Convention& convention,
                                              const OperationInputs& inputs, std::span<const DType> storages) {
  std::optional<OperationMatch> best;
  for (const DType storage : storages) {
    const auto agreement = agreement_in(tensor, *find_operation(use), convention, inputs, storage);
    if (!agreement || agreement->entries == 0) continue;
    if (!best || agreement->share() > best->agreement.share()) best = OperationMatch{*agreement, storage};
  }
  return best;
}

}  // namespace posenc::referee
