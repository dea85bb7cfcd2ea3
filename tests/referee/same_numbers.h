// SPDX-License-Identifier: Apache-2.0
// Whether a candidate is what is true: its row of presets by name, or another one that has the same numbers.
#pragma once

#include <posenc/referee/identify.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "src/conventions/lower.h"
#include "src/numerics/evaluate.h"
#include "src/referee/signal.h"

namespace posenc::test {

constexpr double rounding = 1e-9;

inline bool same_number(double a, double b, double off = rounding) {
  return std::abs(a - b) <= off * (std::abs(a) + std::abs(b));
}

/// How far off the frequencies of a candidate may be: a number is told with its interval, and frequencies are base^-e
/// with e up to 1; divisors that are listed one by one are told to four digits.
inline double off_of(const Candidate& candidate) {
  constexpr double widest = 0.1, listed = 1e-4;
  const auto is_listed = [](const std::string& each) { return each.find("_factors: ") != each.npos; };
  double off = std::ranges::any_of(candidate.differences, is_listed) ? listed : rounding;
  for (const Fitted& each : candidate.fitted) {
    const bool of_ladder = each.name == "base" || each.name == "length" || each.name == "factor";
    if (of_ladder) off = std::max(off, std::min(widest, (each.high - each.low) / std::abs(each.value)));
  }
  return off;
}

inline double off_of_scale(const Candidate& candidate) {
  const auto scale = std::ranges::find(candidate.fitted, "scale", &Fitted::name);
  return scale == candidate.fitted.end() ? rounding : (scale->high - scale->low) / std::abs(scale->value);
}

/// Does the candidate differ from what is true in numbers alone that it tells as intervals, and are those right?
inline bool same_but_for_intervals(const Convention& convention, const Candidate& candidate) {
  return std::ranges::all_of(differences(candidate.convention, convention), [&](const std::string& each) {
    const std::size_t colon = each.find(": "), comma = each.rfind(", not ");
    const std::string path = each.substr(0, colon), name = path.substr(path.rfind('.') + 1);
    const auto fitted = std::ranges::find(candidate.fitted, name, &Fitted::name);
    if (fitted == candidate.fitted.end()) return false;
    const double is = std::strtod(each.c_str() + comma + 6, nullptr);
    return fitted->low <= is && is <= fitted->high;
  });
}

inline bool same_frequencies(const plan::Ladder& a, const plan::Ladder& b, double off) {
  bool same = a.size() == b.size();
  for (std::uint32_t k = 0; k < a.size() && same; ++k) {
    same =
        same_number(numerics::rounded<double>(a[k]).value_or(NAN), numerics::rounded<double>(b[k]).value_or(NAN), off);
  }
  return same;
}

/// Rotations seen from outside: the same columns turn by the same angles, the same way round, to the same length.
inline bool same_rotation(const Convention& convention, const LoweredFor& given, const Candidate& candidate) {
  const std::size_t part = candidate.reading.find(", columns ");
  const bool from_0 = part == std::string::npos || candidate.reading.substr(part).starts_with(", columns 0 ");
  const LoweredFor found = {.width = candidate.width, .context = candidate.context};
  if (!from_0 || check_lower(convention, given) || check_lower(candidate.convention, found)) return false;
  const plan::PairPlan a = lower_pairs(convention, given), b = lower_pairs(candidate.convention, found);
  const bool is_turned_back = candidate.form.starts_with("rotation backward");
  return a.axes.size() == b.axes.size() && a.pairs == b.pairs && a.decay == b.decay &&
         (a.turning == b.turning) != is_turned_back &&
         same_number(numerics::rounded<double>(a.magnitude).value_or(NAN),
                     numerics::rounded<double>(b.magnitude).value_or(NAN), off_of_scale(candidate)) &&
         std::ranges::equal(a.ladders, b.ladders, [&](const auto& one, const auto& other) {
           return same_frequencies(one, other, off_of(candidate));
         });
}

/// The same frequencies in the form of the candidate.
inline bool same_table(const Preset& row, const Convention& convention, const LoweredFor& given,
                       const Candidate& candidate) {
  const auto known = referee::signal_of(row, convention, given, candidate.form);
  const auto other = referee::signal_of(preset(candidate.presets.front()), candidate.convention,
                                        {.width = candidate.width, .context = candidate.context}, candidate.form);
  if (!known || !other || known->plan->columns != other->plan->columns) return false;
  const double off = off_of(candidate);
  const auto near = [off](double a, double b) { return same_number(a, b, off); };
  return std::ranges::equal(known->frequencies, other->frequencies,
                            [&](const auto& a, const auto& b) { return std::ranges::equal(a, b, near); });
}

inline bool same_numbers(const Preset& row, const Convention& convention, const LoweredFor& given,
                         const Candidate& candidate) {
  const Convention& found = candidate.convention;
  if (check_use("test", ConventionUse::rotations, found) && check_use("test", ConventionUse::coordinates, found))
    return false;
  if (!candidate.form.starts_with("rotation")) return same_table(row, convention, given, candidate);
  return !check_use("test", ConventionUse::rotations, convention) && same_rotation(convention, given, candidate);
}

/// A row's name alone says nothing: its fields must be those that are true, or its numbers.
inline bool is_it(const Preset& row, const Convention& convention, const LoweredFor& given,
                  const Candidate& candidate) {
  const bool named = std::ranges::find(candidate.presets, row.name) != candidate.presets.end();
  const bool as_it_stands = candidate.differences.empty() && differences(convention, row.convention).empty();
  if (named && (as_it_stands || same_but_for_intervals(convention, candidate))) return true;
  return same_numbers(row, convention, given, candidate);
}

inline bool names(const Identification& said, const Preset& row, const Convention& convention,
                  const LoweredFor& given) {
  return std::ranges::any_of(said.candidates,
                             [&](const Candidate& each) { return is_it(row, convention, given, each); });
}

}  // namespace posenc::test
