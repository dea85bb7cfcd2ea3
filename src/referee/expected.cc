// SPDX-License-Identifier: Apache-2.0
// Slopes, biases, classes, factors, coordinates of pairs and lists of frequencies, entry by entry.
#include "src/referee/expected.h"

#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/log_coordinates.h>
#include <posenc/query_scale.h>

#include <algorithm>
#include <cmath>

#include "src/base/to_text.h"
#include "src/conventions/lower.h"
#include "src/referee/identify_relative.h"
#include "src/referee/ladder_lists.h"
#include "src/referee/logarithm.h"
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

void add_biases(const Convention& convention, const Scores& scores, const DiagnoseOptions& options,
                std::vector<Expected>& all) {
  const auto [heads, queries, keys] = scores;
  for (const std::int64_t head : heads_widths(convention, options)) {
    for (const PairPlaces& pairs : pair_places(queries, keys, options)) {
      const LoweredFor given = {.width = head, .heads = heads};
      if (check_lower(convention, given)) continue;
      std::vector<std::int64_t> present;
      if (lower_heads(convention, given).keys == plan::Keys::present) present.assign(static_cast<std::size_t>(keys), 1);
      Context context = {.head = head, .present = {}};
      if (!present.empty()) context.present = posenc::view(present.data(), {keys});
      Expected expected = {"bias", pairs.assumed, std::vector<double>(static_cast<std::size_t>(heads * queries * keys)),
                           pairs};
      if (head != 0 && options.dim == 0) expected.assumed.push_back({"head", std::to_string(head)});
      const View out = posenc::view(expected.all.data(), {heads, queries, keys});
      if (check_bias(convention, pairs.queries, pairs.keys, out, {.context = context})) continue;
      if (!detail::bias(convention, pairs.queries, pairs.keys, out,
                        {.executor = options.identify.executor, .context = context})) {
        all.push_back(std::move(expected));
      }
    }
  }
}

std::vector<double> reals(const std::vector<std::int64_t>& whole) { return {whole.begin(), whole.end()}; }

void add_classes(const Convention& convention, const ConstView& view, const DiagnoseOptions& options,
                 std::vector<Expected>& all) {
  const std::int64_t queries = view.size(0), keys = view.size(1);
  std::vector<std::int64_t> whole(static_cast<std::size_t>(queries * keys));
  const View out = posenc::view(whole.data(), {queries, keys});
  for (const PairPlaces& pairs : pair_places(queries, keys, options)) {
    if (check_buckets(convention, pairs.queries, pairs.keys, out)) continue;
    detail::buckets(convention, pairs.queries, pairs.keys, out, options.identify.executor);
    all.push_back({"classes", pairs.assumed, reals(whole), pairs});
  }
}

void add_windows(const Convention& convention, const ConstView& view, const DiagnoseOptions& options,
                 std::vector<Expected>& all) {
  std::vector<std::int64_t> whole(static_cast<std::size_t>(view.count()));
  const View out = posenc::view(whole.data(), {view.size(0), view.size(1)});
  for (std::int64_t height = 1; height <= view.size(0); ++height) {
    if (view.size(0) / height * height != view.size(0) && (view.size(0) - 1) % height != 0) continue;
    for (const std::int64_t cells : {view.size(0), view.size(0) - 1}) {
      const GridSize window = {height, cells / height};
      if (cells < 1 || cells % height != 0 || check_window_buckets(convention, window, out)) continue;
      detail::window_buckets(convention, window, out, options.identify.executor);
      all.push_back(
          {"windows", {{"window", std::to_string(height) + "x" + std::to_string(window.width)}}, reals(whole)});
    }
  }
}

// How far an entry may be off: powers, logarithms and products in f32, then the rounding to storage, twice.
double relative_error(DType storage) {
  switch (storage) {
    case DType::bf16: return 0x1p-7;
    case DType::f16: return 0x1p-10;
    default: return 0x1p-20;
  }
}

}  // namespace

bool asks(ConventionUse use, const Convention& convention) { return !check_use("diagnose", use, convention); }
bool has_ladder(const Convention& convention) {
  return asks(ConventionUse::rotations, convention) || asks(ConventionUse::coordinates, convention);
}
bool hidden(double x) { return x <= -65504; }
bool is_list(const ConstView& tensor) { return is_real(tensor.dtype) && tensor.rank == 1; }

std::vector<Expected> all_expected(const ConstView& tensor, const Convention& convention,
                                   const DiagnoseOptions& options) {
  std::vector<Expected> all;
  const auto made = [&](std::string_view form, const ConstView& view, const auto& call) {
    Expected expected = {form, {}, std::vector<double>(static_cast<std::size_t>(view.count()))};
    const auto shape = std::span(view.shape).first(static_cast<std::size_t>(view.rank));
    if (call(posenc::view(expected.all.data(), shape))) all.push_back(std::move(expected));
  };
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
  if (asks(ConventionUse::query_scales, convention)) {
    const ConstView view = without_ones(tensor, 1);
    const std::vector<Positions>& asked = options.identify.positions;
    const Positions positions = asked.empty() ? Positions::range(0, view.size(0)) : asked[0];
    if (view.rank == 1) {
      made("query_scale", view, [&](const View& out) {
        return !check_query_scale(convention, positions, out) &&
               !detail::query_scale(convention, positions, out, options.identify.executor);
      });
      if (asked.empty() && !all.empty()) all.back().assumed.push_back({"positions", text_of(positions)});
    }
  }
  if (asks(ConventionUse::log_coordinates, convention) && tensor.rank >= 3) {
    const ConstView view = without_front(tensor, 3);
    made("log_coordinates", view, [&](const View& out) {
      return !check_log_coordinates(convention, out) &&
             !detail::log_coordinates(convention, out, options.identify.executor);
    });
  }
  return all;
}

double Entries::off(double right) const {
  if (kind == EntryKind::classes) return 0;
  const double size = std::abs(right), least = storage == DType::f16 ? 0x1p-24 : 0;
  const double ladder = kind == EntryKind::frequencies ? 0x1p-24 * (3 * std::abs(log_of(size)) + 8) : 0;
  return (relative_error(storage) + ladder) * size + least;
}

std::vector<std::int64_t> Entries::index(std::size_t i) const {
  std::vector<std::int64_t> of(shape.size());
  auto rest = static_cast<std::int64_t>(i);
  for (std::size_t a = shape.size(); a-- > 0; rest /= shape[a]) of[a] = rest % shape[a];
  return of;
}

Entries entries_of(const ConstView& tensor, const Convention& convention) {
  const bool whole = is_integer(tensor.dtype);
  Entries entries = {{},
                     {},
                     whole ? tensor.dtype : storages_of(tensor).back(),
                     asks(ConventionUse::classes, convention) || asks(ConventionUse::windows, convention)
                         ? EntryKind::classes
                     : has_ladder(convention) ? EntryKind::frequencies
                                              : EntryKind::entries};
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
    if (hidden(got.all[i]) && right > -65504) continue;
    ++tally.entries;
    if (std::abs(got.all[i] - right) <= got.off(right)) continue;
    if (tally.wrong++ == 0) tally.first = got.index(i);
  }
  return tally;
}

std::optional<double> factor_of(const Entries& got, const std::vector<double>& expected) {
  double both = 0, squares = 0;
  for (std::size_t i = 0; i < expected.size() && i < got.all.size(); ++i) {
    if (hidden(got.all[i])) continue;
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
