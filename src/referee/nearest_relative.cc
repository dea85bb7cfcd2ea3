// SPDX-License-Identifier: Apache-2.0
// Every row of presets that gives numbers of pairs, held against all entries.
#include "src/referee/nearest_relative.h"

#include <posenc/operation.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <set>
#include <span>

#include "src/base/to_text.h"
#include "src/referee/distances.h"
#include "src/referee/expected.h"
#include "src/referee/identify_relative.h"
#include "src/referee/logarithm.h"
#include "src/referee/short_text.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

constexpr double least_share = 0.75;

bool gives_numbers_of_pairs(const Convention& convention, bool whole) {
  const Operation& operation = operation_of(convention);
  if (operation.dim == DimCounts::columns || operation.use == ConventionUse::stored_rows) return false;
  return whole == (operation.elements == ElementKind::whole);
}

// A model has few heads, and a slope of each takes its time.
bool has_many_heads(const ConstView& tensor, const Convention& convention) {
  constexpr std::int64_t most = 256;
  return asks(ConventionUse::slopes, convention) && without_front(tensor, 1).size(0) > most;
}

// A mask or a constant is nothing that tells a row.
bool tells_a_row(const Entries& got, const std::vector<double>& expected) {
  constexpr std::size_t fewest = 3;
  std::set<double> equal;
  for (std::size_t i = 0; i < expected.size() && equal.size() < fewest; ++i) {
    if (std::abs(got.all[i] - expected[i]) <= got.off(expected[i])) equal.insert(expected[i]);
  }
  return equal.size() >= fewest;
}

Agreement agreement_of(const Entries& got, const std::vector<double>& expected) {
  const bool whole = is_integer(got.storage);
  Tally tally(0, whole ? DType::f64 : got.storage);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (is_masked(got.all[i], expected[i])) continue;
    tally.add({static_cast<std::int64_t>(i)}, got.all[i], whole ? expected[i] : stored(expected[i], got.storage));
  }
  Agreement agreement = tally.result();
  if (!agreement.first.empty()) agreement.first = got.index(static_cast<std::size_t>(agreement.first[0]));
  return agreement;
}

Candidate candidate_of(const Preset& preset, const Entries& got, const Expected& expected) {
  Candidate candidate;
  candidate.presets = {std::string(preset.name)}, candidate.convention = preset.convention;
  candidate.form = expected.form, candidate.storage = got.storage, candidate.extents = got.shape;
  candidate.exact = candidate.by_recipe = agreement_of(got, expected.all);
  return candidate;
}

// The first queries and keys of a large tensor: few rows are near there, and only those are held against all of it.
ConstView front_of(const ConstView& tensor) {
  constexpr std::int64_t large = std::int64_t{1} << 14, kept = 16;
  ConstView front = tensor;
  const int least = is_integer(tensor.dtype) ? 2 : 3;  // of two axes of real numbers the first counts heads
  for (const int behind : {1, 2}) {
    const int axis = tensor.rank - behind;
    if (tensor.count() < large || axis < 0 || (behind == 2 && tensor.rank < least)) continue;
    auto& size = front.shape[static_cast<std::size_t>(axis)];
    size = std::min(size, kept);
  }
  return front;
}

double best_share_of(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options) {
  const Entries got = entries_of(tensor, convention);
  double best = 0;
  for (const Expected& each : all_expected(tensor, convention, options)) {
    best = std::max(best, tallied(got, each.all, 1).share());
  }
  return best;
}

}  // namespace

std::string words_of_others(const Entries& got, const std::vector<double>& expected, const Tallied& tally) {
  std::size_t first = 0;
  while (got.index(first) != tally.first) ++first;
  return std::to_string(tally.wrong) + " of " + std::to_string(tally.entries) +
         (tally.wrong == 1 ? " entries is another: " : " entries are others, the first: ") +
         to_text(std::span(tally.first)) + " is " + element_text(got.all[first], got.storage) + ", not " +
         element_text(expected[first], got.storage);
}

std::vector<double> even_slopes(std::int64_t heads) {
  constexpr double octaves = 8;
  std::vector<double> slopes;
  for (std::int64_t h = 1; h <= heads; ++h) {
    slopes.push_back(exp_of(-octaves * log_of(2) * static_cast<double>(h) / static_cast<double>(heads)));
  }
  return slopes;
}

std::optional<std::string> by_formula_of_powers(const Entries& got, const Expected& expected) {
  const std::size_t heads = got.all.size();
  if (expected.form != slopes_form || std::has_single_bit(heads)) return std::nullopt;
  const std::vector<double> slopes = even_slopes(std::ssize(got.all));
  for (std::size_t h = 0; h < heads; ++h) {
    if (!(std::abs(got.all[h] - slopes[h]) <= got.off(slopes[h]))) return std::nullopt;
  }
  const std::string count = std::to_string(heads);
  return "slopes are 2^(-8 h / " + count + "), the formula of powers of two, which " + count +
         " is none of: take those of the power of two below, then every other one of the next";
}

std::optional<std::string> order_of_heads(const Entries& got, const Expected& expected) {
  constexpr std::size_t fewest = 4, few = 4;
  const std::size_t heads = got.all.size();
  if (expected.form != slopes_form || heads != expected.all.size() || heads < fewest) return std::nullopt;
  const auto sorted = [](const std::vector<double>& of) {
    std::vector<std::size_t> order(of.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, {}, [&](std::size_t h) { return of[h]; });
    return order;
  };
  const std::vector<std::size_t> is = sorted(got.all), asked = sorted(expected.all);
  std::vector<std::size_t> holds(heads);
  for (std::size_t i = 0; i < heads; ++i) {
    const double right = expected.all[asked[i]];
    if (!(std::abs(got.all[is[i]] - right) <= got.off(right))) return std::nullopt;
    if (i > 0 && !(right > expected.all[asked[i - 1]])) return std::nullopt;
    holds[is[i]] = asked[i];
  }
  bool reversed = true;
  std::vector<std::size_t> moved;
  for (std::size_t h = 0; h < heads; ++h) {
    reversed &= holds[h] == heads - 1 - h;
    if (holds[h] != h) moved.push_back(h);
  }
  if (reversed) return "heads are in reverse order";
  const auto first = std::span(moved).first(std::min(few, moved.size()));
  return "heads are permuted: " +
         listed(
             first,
             [&](std::size_t h) { return "entry " + std::to_string(h) + " holds head " + std::to_string(holds[h]); }) +
         (moved.size() > few ? ", .." : "");
}

std::optional<LikeRelative> like_relative(const ConstView& tensor, const IdentifyOptions& options) {
  constexpr std::int64_t most_entries = std::int64_t{1} << 24;
  if (tensor.count() > most_entries) return std::nullopt;
  const DiagnoseOptions as_asked = {.identify = options};
  const ConstView front = front_of(tensor);
  std::optional<Entries> read;  // once for all rows, which are of one kind
  std::optional<LikeRelative> best;
  double best_share = least_share;
  for (const Preset& preset : presets()) {
    if (!gives_numbers_of_pairs(preset.convention, is_integer(tensor.dtype))) continue;
    if (has_many_heads(tensor, preset.convention)) continue;
    if (front.count() < tensor.count() && best_share_of(front, preset.convention, as_asked) < least_share) continue;
    if (!read) read = entries_of(tensor, preset.convention);
    const Entries& got = *read;
    for (const Expected& each : all_expected(tensor, preset.convention, as_asked)) {
      const Tallied tally = tallied(got, each.all, 1);
      if (auto even = tally.wrong == 0 ? std::nullopt : by_formula_of_powers(got, each)) {
        return LikeRelative{std::move(*even), candidate_of(preset, got, each)};
      }
      if (auto order = tally.wrong == 0 ? std::nullopt : order_of_heads(got, each)) {
        return LikeRelative{std::move(*order), candidate_of(preset, got, each)};
      }
      if (tally.wrong == 0 || tally.share() < best_share || !tells_a_row(got, each.all)) continue;
      if (best && tally.share() == best_share) {
        best->nearest.presets.emplace_back(preset.name);
        continue;
      }
      best_share = tally.share();
      best = LikeRelative{words_of_others(got, each.all, tally), candidate_of(preset, got, each)};
    }
  }
  return best;
}

}  // namespace posenc::referee
