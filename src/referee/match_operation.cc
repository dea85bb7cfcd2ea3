// SPDX-License-Identifier: Apache-2.0
// Predicts a block of rows at a time in each type and compares it with the tensor's.
#include "src/referee/match_operation.h"

#include <algorithm>
#include <array>

#include "src/referee/compared_places.h"
#include "src/referee/distances.h"
#include "src/referee/reading.h"

namespace posenc::referee {
namespace {

using Index = std::array<std::int64_t, 3>;  // of an output of up to three axes

// Calls each(index, entry, known) for the entries of a block: rows from `first` on along `row_axis`.
template <class Each>
void for_entries(const ConstView& tensor, const ConstView& made, std::size_t row_axis, std::int64_t first,
                 const Each& each) {
  Index size = {1, 1, 1}, stride = {}, at = {};
  for (int axis = 0; axis < made.rank; ++axis) {
    size[static_cast<std::size_t>(axis)] = made.size(axis),
    stride[static_cast<std::size_t>(axis)] = tensor.stride(axis);
  }
  std::int64_t next = 0;
  for (at[0] = 0; at[0] < size[0]; ++at[0]) {
    for (at[1] = 0; at[1] < size[1]; ++at[1]) {
      for (at[2] = 0; at[2] < size[2]; ++at[2]) {
        Index index = at;
        index[row_axis] += first;
        const std::int64_t offset = index[0] * stride[0] + index[1] * stride[1] + index[2] * stride[2];
        each(index, real_at(tensor, offset), real_at(made, next++));
      }
    }
  }
}

// Calls `each` so for every block of the output in a type. Returns false if the operation refuses the inputs, or if
// `goes_on` returns false after a block.
template <class Each, class Goes>
bool for_blocks(const ConstView& tensor, EntryKind kind, const Convention& convention, const OperationInputs& inputs,
                DType type, const Each& each, const Goes& goes_on) {
  const std::size_t row_axis = kind == EntryKind::biases ? 1 : 0;
  const std::int64_t rows = tensor.size(static_cast<int>(row_axis)), of_row = tensor.count() / rows;
  constexpr std::int64_t most = std::int64_t{1} << 18;  // entries, which the caches hold
  const std::int64_t some = kind == EntryKind::biases ? std::clamp<std::int64_t>(most / of_row, 1, rows) : rows;
  std::vector<std::byte> room;
  for (std::int64_t first = 0; first < rows; first += some) {
    const std::int64_t count = std::min(some, rows - first);
    OperationInputs part = inputs;
    std::vector<Positions> lists(inputs.lists.begin(), inputs.lists.end());
    std::vector<double> memory;
    if (kind == EntryKind::biases) lists[0] = slice(lists[0], first, count, memory);
    part.lists = lists;
    std::vector<std::int64_t> shape(tensor.shape.begin(), tensor.shape.begin() + tensor.rank);
    shape[row_axis] = count;
    room.resize(static_cast<std::size_t>(of_row * count) * size_of(type));
    const View out = view(static_cast<void*>(room.data()), type, std::span<const std::int64_t>(shape));
    if (check_write_numbers(convention, part, out) || detail::write_numbers(convention, part, out)) return false;
    for_entries(tensor, out, row_axis, first, each);
    if (!goes_on()) return false;
  }
  return true;
}

bool lies_within(const ConstView& tensor, EntryKind kind, const Convention& convention, const OperationInputs& inputs,
                 DType storage) {
  const EntryBound bound = bound_of(kind, storage, 1);  // one for all entries of these kinds
  bool within = true;
  return for_blocks(
      tensor, kind, convention, inputs, DType::f64,
      [&](const Index&, double got, double right) { within &= is_masked(got, right) || bound.holds(got, right); },
      [&] { return within; });
}

}  // namespace

std::optional<StorageMatch> match_operation(const ConstView& tensor, const Convention& convention,
                                            const OperationInputs& inputs, std::span<const DType> storages) {
  const EntryKind kind = entry_kind_of(convention);
  if (tensor.count() == 0) return std::nullopt;
  const auto best = best_storage(storages, [&](DType storage) -> std::optional<Agreement> {
    Tally tally(kind == EntryKind::biases ? 0 : 1, storage);
    const auto add = [&](const Index& index, double got, double known) {
      if (is_masked(got, known)) return;
      if (tensor.rank == 1) tally.add({index[0]}, got, known);
      if (tensor.rank > 1) tally.add({index[0], index[1], index[2]}, got, known);
    };
    if (!for_blocks(tensor, kind, convention, inputs, storage, add, [] { return true; })) return std::nullopt;
    const Agreement agreement = tally.result();
    return agreement.entries == 0 ? std::nullopt : std::optional(agreement);
  });
  if (!best || best->agreement.equal == best->agreement.entries) return best;  // equal entries lie within their bounds
  if (!lies_within(tensor, kind, convention, inputs, storages.back())) return std::nullopt;
  return best;
}

Candidate candidate_of(const StorageMatch& match, const Preset& preset, const Convention& convention,
                       std::string_view form) {
  Candidate candidate;
  candidate.presets = {std::string(preset.name)};
  candidate.differences = differences(convention, preset.convention);
  candidate.convention = convention;
  candidate.form = form;
  candidate.storage = match.storage;
  candidate.exact = candidate.by_recipe = match.agreement;
  return candidate;
}

}  // namespace posenc::referee
