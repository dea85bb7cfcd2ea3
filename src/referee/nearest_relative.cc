// SPDX-License-Identifier: Apache-2.0
// Every row of presets that gives numbers of pairs, held against all entries.
#include "src/referee/nearest_relative.h"

#include <cmath>
#include <set>

#include "src/base/to_text.h"
#include "src/referee/distances.h"
#include "src/referee/expected.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

constexpr double least_share = 0.75;

bool gives_numbers_of_pairs(const Convention& convention, bool whole) {
  if (whole) return asks(Use::classes, convention) || asks(Use::windows, convention);
  return asks(Use::slopes, convention) || asks(Use::log_coordinates, convention) || asks(Use::query_scales, convention);
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

std::string words_of(const Entries& got, const std::vector<double>& expected, const Tallied& tally) {
  std::size_t first = 0;
  while (got.index(first) != tally.first) ++first;
  return std::to_string(tally.wrong) + " of " + std::to_string(tally.entries) +
         (tally.wrong == 1 ? " entries is another: " : " entries are others, the first: ") +
         to_text(std::span(tally.first)) + " is " + to_text(got.all[first]) + ", not " + to_text(expected[first]);
}

Agreement agreement_of(const Entries& got, const std::vector<double>& expected) {
  const bool whole = is_integer(got.storage);
  Tally tally(0, whole ? DType::f64 : got.storage);
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (hidden(got.all[i]) && !hidden(expected[i])) continue;
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

}  // namespace

std::optional<LikeRelative> like_relative(const ConstView& tensor, const IdentifyOptions& options) {
  constexpr std::int64_t most_entries = std::int64_t{1} << 20;
  if (tensor.count() > most_entries) return std::nullopt;
  const DiagnoseOptions as_asked = {.identify = options};
  std::optional<LikeRelative> best;
  double best_share = least_share;
  for (const Preset& preset : presets()) {
    if (!gives_numbers_of_pairs(preset.convention, is_integer(tensor.dtype))) continue;
    const Entries got = entries_of(tensor, preset.convention);
    for (const Expected& each : all_expected(tensor, preset.convention, as_asked)) {
      const Tallied tally = tallied(got, each.all, 1);
      if (tally.wrong == 0 || tally.share() < best_share || !tells_a_row(got, each.all)) continue;
      if (best && tally.share() == best_share) {
        best->nearest.presets.emplace_back(preset.name);
        continue;
      }
      best_share = tally.share();
      best = LikeRelative{words_of(got, each.all, tally), candidate_of(preset, got, each)};
    }
  }
  return best;
}

}  // namespace posenc::referee
