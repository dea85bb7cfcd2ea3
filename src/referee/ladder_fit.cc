// SPDX-License-Identifier: Apache-2.0
// Ladders without scaling; those with it are tried beside.
#include "src/referee/ladder_fit.h"

#include <algorithm>

#include "src/referee/ladder_line.h"
#include "src/referee/scaling_fit.h"

namespace posenc::referee {
namespace {

// The exponent of w_1, from a ladder of base 16: its logarithm to that base.
std::optional<double> exponent_of(const Signal& like, std::size_t count) {
  const FieldChange changes[] = {{"ladder.scaling", "none"}, {"ladder.base", 16}, {"ladder.first", 1}};
  if (check_changes(like.convention, changes)) return std::nullopt;
  const auto signal = signal_of(*like.preset, detail::changed(like.convention, changes), like.given, like.form);
  if (!signal || signal->frequencies[0].size() != count) return std::nullopt;
  if (count == 1) return 0;
  return ln(signal->frequencies[0][1] / signal->frequencies[0][0]) / ln(16);
}

std::optional<LadderFit> geometric(const Signal& like, const Logarithms& all, double exponent) {
  const auto line = line_through(all, all.of.size());
  if (!line) return std::nullopt;
  std::vector<Fitted> fitted;
  std::vector<FieldChange> changes = {{"ladder.scaling", "none"}};
  if (exponent != 0) {
    fitted.push_back(line_base(*line, exponent));
    changes.push_back({"ladder.base", fitted.back().value});
  }
  const Fitted first = fitted_between("first", exponential(line->at_zero - line->at_zero_off - 0x1p-30),
                                      exponential(line->at_zero + line->at_zero_off + 0x1p-30));
  if (first.low <= 1 && 1 <= first.high) {
    changes.push_back({"ladder.first", 1});
  } else if (const double own = like.frequencies[0][0]; !(first.low <= own && own <= first.high)) {
    if (like.form != table_form && first.high < 1) return std::nullopt;  // linear scaling says it
    changes.push_back({"ladder.first", first.value});
    fitted.push_back(first);
  }
  return changed_fit(like, changes, std::move(fitted));
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
  if (auto fit = geometric(like, logarithms, *exponent)) all.push_back(std::move(*fit));
  return all;
}

}  // namespace posenc::referee
