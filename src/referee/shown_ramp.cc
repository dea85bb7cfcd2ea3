// SPDX-License-Identifier: Apache-2.0
// The kept fraction of each frequency falls along a straight line over the pairs. A fit reads the ends of that line,
// and the asked convention turns them into counts of turns.
#include "src/referee/shown_ramp.h"

#include <algorithm>
#include <cmath>

#include "src/numerics/evaluate.h"
#include "src/referee/ladder_line.h"
#include "src/referee/logarithm.h"
#include "src/referee/short_text.h"

namespace posenc::referee {
namespace {

// The pairs at which a ramp begins and ends.
struct Ends {
  double low, high;
};

double nearest_double(const numerics::Real& x) { return numerics::rounded<double>(x).value_or(std::nan("")); }

// Nothing if the changes break a rule or change nothing.
std::optional<Convention> changed_convention(const Convention& asked, std::span<const FieldChange> changes) {
  if (check_changes(asked, changes)) return std::nullopt;
  Convention changed = detail::changed(asked, changes);
  return changed == asked ? std::nullopt : std::optional(std::move(changed));
}

std::optional<plan::Scaled> scaled_ladder(const Convention& convention, const LoweredFor& given) {
  if (check_use("diagnose", ConventionUse::rotations, convention) || check_lower(convention, given))
    return std::nullopt;
  const plan::PairPlan plan = lower_pairs(convention, given);
  const auto* scaled = plan.ladders.size() == 1 ? std::get_if<plan::Scaled>(&plan.ladders[0].form) : nullptr;
  return scaled != nullptr && plan.ladders[0].picked.empty() ? std::optional(*scaled) : std::nullopt;
}

// The ramp over pairs that begins at a kept fraction of 1.
const plan::Ramp* ramp_over_pairs(const plan::Scaled& scaled) {
  for (const plan::Stretch& stretch : scaled.stretches) {
    const auto* ramp = std::get_if<plan::Ramp>(&stretch.factor);
    if (ramp != nullptr && ramp->over == plan::Ramp::Over::index && ramp->at_low == numerics::Real(1)) return ramp;
  }
  return nullptr;
}

Ends ends_of(const plan::Ramp& ramp) {
  return {nearest_double(numerics::quotient(ramp.low, ramp.unit)),
          nearest_double(numerics::quotient(ramp.high, ramp.unit))};
}

// Extrapolates the line through the first and the last frequency on the ramp to the kept fractions 1 and 0.
std::optional<Ends> shown_ends(const plan::Scaled& scaled, double left, std::span<const Frequency> frequencies) {
  constexpr double least = 0.02, well_known = 0.002;
  std::vector<std::pair<double, double>> on_ramp;  // pair, part that is kept
  for (std::size_t k = 0; k < std::min(scaled.rule.count, frequencies.size()); ++k) {
    const auto& [value, off] = frequencies[k];
    const double plain = std::abs(nearest_double(plan::Ladder{scaled.rule}[k]));
    const double kept = (std::abs(value) / plain - left) / (1 - left);
    if (kept > least && kept < 1 - least && off < well_known * plain * (1 - left)) {
      on_ramp.push_back({static_cast<double>(k), kept});
    }
  }
  if (on_ramp.size() < 3) return std::nullopt;
  const auto& [first, of_first] = on_ramp.front();
  const auto& [last, of_last] = on_ramp.back();
  const double fall = (of_first - of_last) / (last - first);
  if (!(fall > 0)) return std::nullopt;
  return Ends{first - (1 - of_first) / fall, last + of_last / fall};
}

// Pair p makes `turns` of p within the length that is asked: their logarithm falls along a line.
struct TurnsOf {
  double at_zero, fall;
  double at(double pair) const { return exp_of(at_zero - pair * fall); }
};
std::optional<TurnsOf> turns_of_pairs(const Convention& asked, const LoweredFor& given) {
  constexpr double near = 1e-6;
  for (const double slow : {2.0, 32.0, 0.125, 512.0}) {
    const FieldChange changes[] = {
        {"ladder.scaling.truncate", "none"}, {"ladder.scaling.fast", 2 * slow}, {"ladder.scaling.slow", slow}};
    const auto untruncated = changed_convention(asked, changes);
    const auto scaled = untruncated ? scaled_ladder(*untruncated, given) : std::nullopt;
    const plan::Ramp* const ramp = scaled ? ramp_over_pairs(*scaled) : nullptr;
    if (ramp == nullptr || scaled->rule.count < 2) continue;
    const plan::Ladder plain = {scaled->rule};
    const double fall = log_of(nearest_double(plain[0]) / nearest_double(plain[1]));
    const Ends ends = ends_of(*ramp);
    if (std::abs((ends.high - ends.low) * fall - log_of(2)) > near) continue;  // an end is clamped
    return TurnsOf{log_of(slow) + ends.high * fall, fall};
  }
  return std::nullopt;
}

// An end of the ramp as the frequencies show it, the whole pair there, the pair asked, and the next one on the ramp:
// where ends are made whole, all turns between those of the two pairs put it there.
struct End {
  double shown, is, asked, beside;
  std::string_view verb, path;
};

std::optional<std::string> move_end(Convention& convention, const End& end, const TurnsOf& turns, bool whole) {
  constexpr double near = 0.05, inside = 1e-6;
  if (std::abs(end.shown - end.asked) < near || std::abs(end.shown - end.is) > near) return std::nullopt;
  const double at = turns.at(end.is), beside = whole ? turns.at(end.beside) : at;
  const double low = std::min(at, beside), high = std::max(at, beside);
  const double value = whole ? fitted_between("turns", low * (1 + inside), high * (1 - inside)).value : at;
  const FieldChange change[] = {{end.path, value}};
  const auto changed = changed_convention(convention, change);
  if (!changed) return std::nullopt;
  convention = *changed;
  return "scaling: the ramp " + std::string(end.verb) + " at pair " + short_text(end.is, 6) + ", " +
         short_text(end.asked, 6) + " asked: " + std::string(end.path.substr(end.path.rfind('.') + 1)) + " " +
         short_text(value, 6) +
         (whole ? ", or any from " + short_text(low, 3) + " to " + short_text(high, 3) + "," : "") + " has it there";
}

}  // namespace

std::optional<ShownRamp> shown_ramp(const Convention& asked, const LoweredFor& given,
                                    std::span<const Frequency> frequencies) {
  const auto scaled = scaled_ladder(asked, given);
  const plan::Ramp* const ramp = scaled ? ramp_over_pairs(*scaled) : nullptr;
  if (ramp == nullptr) return std::nullopt;
  const auto shown = shown_ends(*scaled, nearest_double(ramp->at_high), frequencies);
  const auto turns = shown ? turns_of_pairs(asked, given) : std::nullopt;
  if (!turns) return std::nullopt;
  const FieldChange untruncated[] = {{"ladder.scaling.truncate", "none"}};
  const bool whole = changed_convention(asked, untruncated).has_value();
  const Ends wanted = ends_of(*ramp), is = {std::rint(shown->low), std::rint(shown->high)};
  ShownRamp made = {asked, {}};
  for (const End& end : {End{shown->low, is.low, wanted.low, is.low + 1, "begins", "ladder.scaling.fast"},
                         End{shown->high, is.high, wanted.high, is.high - 1, "ends", "ladder.scaling.slow"}}) {
    if (auto words = move_end(made.convention, end, *turns, whole)) made.words.push_back(std::move(*words));
  }
  return made.words.empty() ? std::nullopt : std::optional(std::move(made));
}

}  // namespace posenc::referee
