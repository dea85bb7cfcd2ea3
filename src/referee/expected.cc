// SPDX-License-Identifier: Apache-2.0
// Slopes, biases, classes, factors, coordinates of pairs and lists of frequencies, entry by entry.
#include "src/referee/expected.h"

#include <posenc/operation.h>

#include <algorithm>
#include <cmath>

#include "src/base/scratch.h"
#include "src/base/to_text.h"
#include "src/conventions/lower.h"
#include "src/referee/identify_relative.h"
#include "src/referee/ladder_lists.h"
#include "src/referee/reading.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

// Without its axes of size 1, but for as many as a kind needs at the end.
ConstView without_ones(const ConstView& tensor, int least) {
  ConstView view = without_front(tensor, least);
  for (int axis = view.rank - 1; axis > 0 && view.rank > least; --axis) {
    if (view.size(axis) == 1) view = without_axis(view, axis);
  }
  return view;
}

// The widths of a head that may scale slopes: the one that is asked, else any usual one; one where none does.
std::vector<std::int64_t> heads_widths(const Convention& convention, const DiagnoseOptions& options) {
  if (!check_lower(convention, {.heads = 1})) return {0};
  if (options.dim > 0) return {options.dim};
  return {64, 128, 80, 96, 32, 48, 72, 112, 160, 192, 256, 16, 8, 4, 2, 1};
}

// [H, L, S], [H, S] of one query, and [L, S] of one head.
struct Scores {
  std::int64_t heads, queries, keys;
};
std::vector<Scores> scores_of(const ConstView& view) {
  if (view.rank == 3) return {{view.size(0), view.size(1), view.size(2)}};
  return {{view.size(0), 1, view.size(1)}, {1, view.size(0), view.size(1)}};
}

// Predicts the output of an operation in f64, row-major. Returns nothing if the operation refuses the inputs or the
// shape.
std::optional<std::vector<double>> values_of(const Convention& convention, const OperationInputs& inputs,
                                             std::span<const std::int64_t> shape) {
  std::size_t count = 1;
  for (const std::int64_t size : shape) count *= static_cast<std::size_t>(size);
  const bool is_whole = operation_of(convention).elements == ElementKind::whole;
  const Scratch<std::int64_t> whole(is_whole ? count : 0);
  std::vector<double> values(is_whole ? 0 : count);
  const View out = is_whole ? posenc::view(whole.data(), shape) : posenc::view(values.data(), shape);
  if (check_write_numbers(convention, inputs, out) || detail::write_numbers(convention, inputs, out))
    return std::nullopt;
  if (is_whole) values.assign(whole.data(), whole.data() + count);
  return values;
}

void add_biases(const Convention& convention, const Scores& scores, const DiagnoseOptions& options,
                std::vector<Expected>& all) {
  const std::int64_t shape[] = {scores.heads, scores.queries, scores.keys};
  for (const std::int64_t head : heads_widths(convention, options)) {
    for (const PairPlaces& pairs : pair_places(scores.queries, scores.keys, options)) {
      const Positions lists[] = {pairs.queries, pairs.keys};
      const Options at = {.executor = options.identify.executor, .context = {.head = head, .present = {}}};
      auto values = values_of(convention, {.dim = scores.heads, .lists = lists, .window = {}, .options = at}, shape);
      if (!values) continue;
      all.push_back({"bias", pairs.assumed, std::move(*values), pairs});
      if (head != 0 && options.dim == 0) all.back().assumed.push_back({"head", std::to_string(head)});
    }
  }
}

void add_classes(const Convention& convention, const ConstView& view, const DiagnoseOptions& options,
                 std::vector<Expected>& all) {
  const std::int64_t shape[] = {view.size(0), view.size(1)};
  for (const PairPlaces& pairs : pair_places(shape[0], shape[1], options)) {
    const Positions lists[] = {pairs.queries, pairs.keys};
    const OperationInputs inputs = {.lists = lists, .window = {}, .options = {.executor = options.identify.executor}};
    if (auto values = values_of(convention, inputs, shape)) {
      all.push_back({"classes", pairs.assumed, std::move(*values), pairs});
    }
  }
}

void add_windows(const Convention& convention, const ConstView& view, const DiagnoseOptions& options,
                 std::vector<Expected>& all) {
  const std::int64_t shape[] = {view.size(0), view.size(1)};
  for (std::int64_t height = 1; height <= shape[0]; ++height) {
    if (shape[0] % height != 0 && (shape[0] - 1) % height != 0) continue;
    for (const std::int64_t cells : {shape[0], shape[0] - 1}) {
      if (cells < 1 || cells % height != 0) continue;
      const GridSize window = {height, cells / height};
      const OperationInputs inputs = {.window = window, .options = {.executor = options.identify.executor}};
      auto values = values_of(convention, inputs, shape);
      if (!values) continue;
      const std::string text = std::to_string(height) + "x" + std::to_string(window.width);
      all.push_back({"windows", {{"window", text}}, std::move(*values)});
    }
  }
}

// Real numbers of positions, or of the cells of a window, whose sides are those of the tensor.
void add_numbers(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options,
                 std::vector<Expected>& all) {
  const Operation& operation = operation_of(convention);
  const bool of_places = operation.reads == OperationReads::places;
  const int rank = static_cast<int>(operation.axes.size()) + (operation.columns.empty() ? 0 : 1);
  const ConstView view = of_places ? without_ones(tensor, rank) : without_front(tensor, rank);
  if (view.rank != rank) return;
  const std::vector<Positions>& asked = options.identify.positions;
  const Positions positions = asked.empty() ? Positions::range(0, view.size(0)) : asked[0];
  const OperationInputs inputs = {
      .lists = {&positions, 1}, .window = {}, .options = {.executor = options.identify.executor}};
  auto values = values_of(convention, inputs, std::span(view.shape).first(static_cast<std::size_t>(rank)));
  if (!values) return;
  all.push_back({family(convention), {}, std::move(*values)});
  if (of_places && asked.empty()) all.back().assumed.push_back({"positions", text_of(positions)});
}

EntryKind kind_of(const ConstView& tensor, const Convention& convention) {
  const EntryKind kind = entry_kind_of(convention);
  return kind == EntryKind::biases && without_ones(tensor, 1).rank == 1 ? EntryKind::slopes : kind;
}

}  // namespace

bool asks(ConventionUse use, const Convention& convention) { return !check_use("diagnose", use, convention); }
bool has_ladder(const Convention& convention) {
  return asks(ConventionUse::rotations, convention) || asks(ConventionUse::coordinates, convention);
}
bool is_list(const ConstView& tensor) { return is_real(tensor.dtype) && tensor.rank == 1; }

std::vector<Expected> all_expected(const ConstView& tensor, const Convention& convention,
                                   const DiagnoseOptions& options) {
  std::vector<Expected> all;
  if (is_list(tensor) && has_ladder(convention)) add_lists(tensor, convention, options, all);
  if (asks(ConventionUse::slopes, convention)) {
    const ConstView view = without_ones(tensor, 1);
    if (view.rank == 1) {
      for (const std::int64_t head : heads_widths(convention, options)) {
        std::vector<double> slopes = slopes_of(convention, view.size(0), head);
        if (slopes.empty()) continue;
        all.push_back({slopes_form, {}, std::move(slopes)});
        if (head != 0 && options.dim == 0) all.back().assumed.push_back({"head", std::to_string(head)});
      }
    }
    if (view.rank == 2 || view.rank == 3) {
      for (const Scores& scores : scores_of(view)) add_biases(convention, scores, options, all);
    }
  }
  if (asks(ConventionUse::classes, convention) && tensor.rank >= 2) {
    const ConstView view = without_front(tensor, 2);
    if (view.rank == 2) add_classes(convention, view, options, all);
  }
  if (asks(ConventionUse::windows, convention) && tensor.rank >= 2) {
    const ConstView view = without_front(tensor, 2);
    if (view.rank == 2 && view.size(0) == view.size(1)) add_windows(convention, view, options, all);
  }
  const Operation& operation = operation_of(convention);
  if (operation.elements == ElementKind::reals && operation.dim == DimCounts::nothing) {
    add_numbers(tensor, convention, options, all);
  }
  return all;
}

std::vector<std::int64_t> Entries::index(std::size_t i) const {
  std::vector<std::int64_t> of(shape.size());
  auto rest = static_cast<std::int64_t>(i);
  for (std::size_t a = shape.size(); a-- > 0; rest /= shape[a]) of[a] = rest % shape[a];
  return of;
}

Entries entries_of(const ConstView& tensor, const Convention& convention) {
  const bool whole = is_integer(tensor.dtype);
  Entries entries = {{}, {}, whole ? tensor.dtype : storages_of(tensor).back(), kind_of(tensor, convention)};
  for (int axis = 0; axis < tensor.rank; ++axis) entries.shape.push_back(tensor.size(axis));
  const std::int64_t count = tensor.count();
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, offset = 0;
    for (int axis = tensor.rank - 1; axis >= 0; rest /= tensor.size(axis), --axis) {
      offset += rest % tensor.size(axis) * tensor.stride(axis);
    }
    entries.all.push_back(whole ? static_cast<double>(integer_at(tensor, offset)) : real_at(tensor, offset));
  }
  return entries;
}

Entries read_as(const Expected& expected, const Entries& got) {
  Entries read = got;
  if (!expected.over.empty()) read.kind = EntryKind::quotients;
  for (std::size_t k = 0; k < std::min(expected.over.size(), read.all.size()); ++k) {
    read.all[k] = stored(expected.over[k] / read.all[k], read.storage);
  }
  return read;
}

Tallied tallied(const Entries& got, const std::vector<double>& expected, double factor) {
  Tallied tally;
  if (expected.size() != got.all.size()) return tally;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const double right = factor * expected[i];
    if (is_masked(got.all[i], right)) continue;
    ++tally.entries;
    if (std::abs(got.all[i] - right) <= got.off(right)) continue;
    if (tally.wrong++ == 0) tally.first = got.index(i);
  }
  return tally;
}

std::optional<double> factor_of(const Entries& got, const std::vector<double>& expected) {
  double both = 0, squares = 0;
  for (std::size_t i = 0; i < expected.size() && i < got.all.size(); ++i) {
    if (hides(got.all[i])) continue;
    both += got.all[i] * expected[i], squares += expected[i] * expected[i];
  }
  if (got.kind == EntryKind::classes || squares == 0 || both == 0 || !(std::abs(both / squares) < 0x1p100))
    return std::nullopt;
  const double factor = both / squares;
  constexpr double one = 1e-3;
  if (std::abs(factor - 1) < one || tallied(got, expected, factor).wrong > 0) return std::nullopt;
  return factor;
}

}  // namespace posenc::referee
