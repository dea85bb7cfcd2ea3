// SPDX-License-Identifier: Apache-2.0
// Ladders without scaling; those with it are tried beside.
#include "src/referee/ladder_fit.h"

#include <algorithm>

#include "src/referee/ladder_line.h"
#include "src/referee/logarithm.h"
#include "src/referee/scaling_fit.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

// The exponent of w_1, from a ladder of base 16: its logarithm to that base.
std::optional<double> exponent_of(const Signal& like, std::size_t count) {
  const FieldChange changes[] = {{"ladder.scaling", "none"}, {"ladder.base", 16}, {"ladder.first", 1}};
  if (check_changes(like.convention, changes)) return std::nullopt;
  const auto signal = signal_of(*like.preset, detail::changed(like.convention, changes), like.given, like.form);
  if (!signal || signal->frequencies[0].size() != count) return std::nullopt;
  if (count == 1) return 0;
  return log_of(signal->frequencies[0][1] / signal->frequencies[0][0]) / log_of(16);
}

// A base for each simple number that its interval has, or the middle.
std::vector<Fitted> bases_of(const Fitted& measured) {
  std::vector<Fitted> all;
  for (const auto& [value, text] : simple_numbers({measured.low, measured.high})) {
    all.push_back({"base", value, measured.low, measured.high, text});
  }
  if (all.empty()) all.push_back(measured);
  return all;
}

void add_geometric(const Signal& like, const Logarithms& logarithms, double exponent, std::vector<LadderFit>& all) {
  const auto line = line_through(logarithms, logarithms.of.size());
  if (!line) return;
  std::vector<FieldChange> changes = {{"ladder.scaling", "none"}};
  std::vector<Fitted> fitted;
  const Fitted first = fitted_between("first", exp_of(line->at_zero - line->at_zero_off - 0x1p-30),
                                      exp_of(line->at_zero + line->at_zero_off + 0x1p-30));
  std::optional<Fitted> base;
  if (first.low <= 1 && 1 <= first.high) {
    base = base_from_one(logarithms, exponent);
    changes.emplace_back("ladder.first", 1);
  } else if (const double own = like.frequencies[0][0]; !(first.low <= own && own <= first.high)) {
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

}  // namespace

std::optional<LadderFit> changed_fit(const Signal& like, std::span<const FieldChange> changes,
                                     std::vector<Fitted> fitted) {
  if (check_changes(like.convention, changes)) return std::nullopt;
  const bool simple = std::ranges::none_of(fitted, [](const Fitted& each) { return each.simple.empty(); });
  return LadderFit{{changes.begin(), changes.end()}, std::move(fitted), simple};
}

std::vector<LadderFit> ladder_fits(const Signal& like, std::span<const Frequency> frequencies) {
  std::vector<LadderFit> all;
  const auto exponent = exponent_of(like, frequencies.size());
  if (!exponent) return all;
  const Logarithms logarithms = logarithms_of(frequencies);
  if (like.form != table_form) all = scaling_fits(like, frequencies, logarithms, *exponent);
  add_geometric(like, logarithms, *exponent, all);
  return all;
}

}  // namespace posenc::referee
