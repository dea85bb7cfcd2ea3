// SPDX-License-Identifier: Apache-2.0
// Ladders without scaling; those with it are tried beside.
#include "src/referee/ladder_fit.h"

#include <algorithm>
#include <cmath>

#include "src/referee/ladder_line.h"
#include "src/referee/logarithm.h"
#include "src/referee/scaling_fit.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

// A ladder of any base whose first frequency is stated as 1: what that is in radians per coordinate, and the exponent
// of w_1, the logarithm to the base.
struct Rungs {
  double first, exponent;
};
std::optional<Rungs> rungs_of(const Signal& like, std::size_t count, std::span<const FieldChange> spacing = {}) {
  std::vector<FieldChange> changes = {{"ladder.scaling", "none"}, {"ladder.base", 16}, {"ladder.first", 1}};
  changes.insert(changes.end(), spacing.begin(), spacing.end());
  if (check_changes(like.convention, changes)) return std::nullopt;
  const auto signal = signal_of(*like.preset, detail::changed(like.convention, changes), like.given, like.form);
  if (!signal || signal->frequencies[0].size() != count) return std::nullopt;
  const std::vector<double>& w = signal->frequencies[0];
  return Rungs{w[0], count == 1 ? 0 : log_of(w[1] / w[0]) / log_of(16)};
}

// A simple number that chance puts into an interval so seldom is meant.
constexpr double seldom = 0.01;

// A base for each simple number that its interval has; and the middle, where chance may have put one of them there.
std::vector<Fitted> bases_of(const Fitted& measured) {
  std::vector<Fitted> all;
  bool meant = false;
  for (const auto& [value, text] : simple_numbers({measured.low, measured.high})) {
    all.push_back({"base", value, measured.low, measured.high, text});
    meant |= chance_of_digits({measured.low, measured.high}, text) < seldom;
  }
  if (!meant) all.push_back({"base", (measured.low + measured.high) / 2, measured.low, measured.high, ""});
  return all;
}

// Frequencies of more than half a turn from place to place, which show less whole turns, as the slow ones say that the
// fast ones are.
std::vector<Frequency> unwrapped(std::span<const Frequency> frequencies, double turn_of_place) {
  constexpr std::size_t fewest = 4;
  std::vector<Frequency> all(frequencies.begin(), frequencies.end());
  Logarithms slow = logarithms_of(all);
  std::size_t k = all.size();
  for (std::size_t known = 0; k > 0 && known < fewest; --k) known += slow.tells(k - 1) ? 1 : 0;
  for (std::size_t i = 0; i < k; ++i) slow.off[i] = std::numeric_limits<double>::infinity();
  for (; k > 0; --k) {
    const auto line = line_through(slow, slow.of.size());
    if (!line) return {};
    const double at = static_cast<double>(k - 1), guess = exp_of(line->at_zero + line->slope * at);
    const double turns = std::rint((guess - all[k - 1].value) / turn_of_place);
    all[k - 1].value += turns * turn_of_place;
    all[k - 1].off += turns != 0 ? made_in_f32(all[k - 1].value) : 0;
    if (!(std::abs(all[k - 1].value - guess) < 0.25 * turn_of_place)) return {};
    const Logarithms one = logarithms_of({&all[k - 1], 1});
    slow.of[k - 1] = one.of[0], slow.off[k - 1] = one.off[0];
  }
  return all;
}

// `spacing`: what is changed of the signal's own, whose rungs these are.
void add_geometric(const Signal& like, const Logarithms& logarithms, const Rungs& rungs,
                   std::span<const FieldChange> spacing, std::vector<LadderFit>& all) {
  const auto line = line_through(logarithms, logarithms.of.size());
  if (!line) return;
  const double exponent = rungs.exponent;
  std::vector<FieldChange> changes = {{"ladder.scaling", "none"}};
  changes.insert(changes.end(), spacing.begin(), spacing.end());
  std::vector<Fitted> fitted;
  const Fitted first = fitted_between("first", exp_of(line->at_zero - line->at_zero_off - 0x1p-30),
                                      exp_of(line->at_zero + line->at_zero_off + 0x1p-30));
  std::optional<Fitted> base;
  if (first.low <= 1 && 1 <= first.high) {
    base = base_from_one(logarithms, exponent);
    changes.emplace_back("ladder.first", 1);
  } else if (const double own = like.frequencies[0][0] / rungs.first; !(first.low <= own && own <= first.high)) {
    if (like.form != table_form && first.high < 1) return;  // linear scaling says it
    changes.emplace_back("ladder.first", first.value);
    fitted.push_back(first);
  }
  if (exponent == 0) {
    if (auto fit = changed_fit(like, changes, fitted)) all.push_back(std::move(*fit));
    return;
  }
  for (const Fitted& each : bases_of(base.value_or(line_base(*line, exponent)))) {
    std::vector<FieldChange> both = changes;
    both.emplace_back("ladder.base", each.value);
    std::vector<Fitted> numbers = {each};
    numbers.insert(numbers.end(), fitted.begin(), fitted.end());
    if (auto fit = changed_fit(like, both, std::move(numbers))) all.push_back(std::move(*fit));
  }
}

// Every geometric ladder has a base under every spacing; under another than the row's own a simple one is meant.
void add_spaced(const Signal& like, std::span<const Frequency> frequencies, std::vector<LadderFit>& all) {
  constexpr std::string_view over = "ladder.spacing.over", shift = "ladder.spacing.shift";
  const std::vector<FieldChange> spacings[] = {{{over, "width"}, {shift, 0}}, {{over, "pairs"}, {shift, 1}}};
  const Logarithms logarithms = logarithms_of(frequencies);
  for (const std::vector<FieldChange>& spacing : spacings) {
    if (check_changes(like.convention, spacing)) continue;
    const Convention spaced = detail::changed(like.convention, spacing);
    const auto rungs = rungs_of(like, frequencies.size(), spacing);
    if (spaced == like.convention || !rungs || rungs->exponent == 0) continue;
    std::vector<LadderFit> some;
    add_geometric(like, logarithms.in_units_of(rungs->first), *rungs, spacing, some);
    std::erase_if(some, [](const LadderFit& fit) {
      const auto base = std::ranges::find(fit.fitted, "base", &Fitted::name);
      return base == fit.fitted.end() || chance_of_digits({base->low, base->high}, base->simple) >= seldom;
    });
    std::ranges::move(some, std::back_inserter(all));
  }
}

}  // namespace

std::optional<LadderFit> changed_fit(const Signal& like, std::span<const FieldChange> changes,
                                     std::vector<Fitted> fitted) {
  if (check_changes(like.convention, changes)) return std::nullopt;
  const bool simple = std::ranges::none_of(fitted, [](const Fitted& each) { return each.simple.empty(); });
  return LadderFit{{changes.begin(), changes.end()}, std::move(fitted), simple};
}

std::vector<LadderFit> ladder_fits(const Signal& like, std::span<const Frequency> frequencies, double whole_turn) {
  SharedFits own;
  return ladder_fits(like, frequencies, whole_turn, own);
}

std::vector<LadderFit> ladder_fits(const Signal& like, std::span<const Frequency> frequencies, double whole_turn,
                                   SharedFits& shared) {
  std::vector<LadderFit> all;
  const auto rungs = rungs_of(like, frequencies.size());
  if (!rungs) return all;
  const Logarithms logarithms = logarithms_of(frequencies);
  if (like.form != table_form) all = scaling_fits(like, frequencies, logarithms, rungs->exponent, shared);
  add_geometric(like, logarithms.in_units_of(rungs->first), *rungs, {}, all);
  if (like.form != frequency_form && !all.empty()) add_spaced(like, frequencies, all);
  if (!all.empty() || like.form == frequency_form) return all;
  const std::vector<Frequency> faster = unwrapped(frequencies, whole_turn);
  if (!faster.empty()) add_geometric(like, logarithms_of(faster).in_units_of(rungs->first), *rungs, {}, all);
  return all;
}

}  // namespace posenc::referee
