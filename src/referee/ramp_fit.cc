// SPDX-License-Identifier: Apache-2.0
// w_k = (kept_k + (1 - kept_k) / factor) base^(-2k / r): what is kept falls from 1 to 0, with the place in the ladder
// (YaRN) or with the turns in the length that a model was trained on (Llama 3).
#include <algorithm>
#include <cmath>
#include <limits>

#include "src/base/to_text.h"
#include "src/conventions/usual.h"
#include "src/referee/arc.h"
#include "src/referee/logarithm.h"
#include "src/referee/scalings.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

constexpr std::int64_t usual_lengths[] = {4096,   8192, 2048,  32768,  131072,  16384, 65536,
                                          262144, 1024, 40960, 524288, 1048576, 512};
// Lengths that people write: the usual ones, then those of two digits or of three or five times a power of two.
std::vector<std::int64_t> lengths_to_try() {
  std::vector<std::int64_t> all(std::begin(usual_lengths), std::end(usual_lengths));
  for (std::int64_t unit = 256; unit <= (1 << 17); unit *= 2) all.insert(all.end(), {3 * unit, 5 * unit});
  for (std::int64_t unit = 100; unit <= 100000; unit *= 10) {
    for (const std::int64_t digits : {10, 15, 20, 25, 30, 40, 50, 60, 80, 12, 24, 36, 48, 64, 75, 90}) {
      all.push_back(digits * unit);
    }
  }
  return all;
}

// Turns at which a ramp may begin or end.
struct Bound {
  double turns;
  std::vector<double> logarithms;  // of each length over what turns so often in it; YaRN's ramps alone read them
};
std::vector<Bound> bounds_of(std::span<const double> turns, std::span<const std::int64_t> lengths) {
  std::vector<Bound> all;
  for (const double each : turns) {
    Bound& bound = all.emplace_back(Bound{each, {}});
    for (const std::int64_t length : lengths) {
      bound.logarithms.push_back(log_of(static_cast<double>(length) / (turn * each)));
    }
  }
  return all;
}

// Bounds of a ramp in the length of that number.
struct Tried {
  const Bound& fast;
  const Bound& slow;
  std::size_t number;
  std::int64_t length;
};

// What each frequency is of the one that a ladder of the base has.
struct Ratios {
  Fitted base;
  double logarithm;  // of the base
  std::vector<double> plain, of, off;
};
Ratios ratios_of(const Scalings& scalings, const Fitted& base) {
  Ratios made = {base, log_of(base.value), {}, {}, {}};
  const double step = made.logarithm * scalings.exponent;
  for (std::size_t k = 0; k < scalings.all.size(); ++k) {
    made.plain.push_back(exp_of(step * static_cast<double>(k)));
    const bool known = scalings.known(k);
    made.of.push_back(known ? scalings.all[k].value / made.plain[k] : 0);
    made.off.push_back(known ? (2 * scalings.relative_off(k) + 0x1p-20) * made.of[k]
                             : std::numeric_limits<double>::infinity());
  }
  return made;
}

// `kept`: of entry k, from 0 to 1. Most ramps are ruled out by their last few entries, so that none is listed.
template <class Kept>
bool keeps(const Ratios& ratios, const Kept& kept, double factor) {
  for (std::size_t k = 0; k < ratios.of.size(); ++k) {
    const double part = kept(k), expected = part + (1 - part) / factor;
    if (std::abs(ratios.of[k] - expected) > ratios.off[k]) return false;
  }
  return true;
}

// What is known within this says which ramp it is; coarser frequencies have many.
constexpr double told_within = 1.05;
bool is_told(const Fitted& factor) { return factor.high <= told_within * factor.low; }

// An entry of which more is kept says nothing of the factor.
constexpr double least_ramp_share = 0.02;

// Is the slowest known frequency what the ladder without a ramp has? A share of it is divided by so little then that
// the factor is one, whatever the ramp; and where nearly all of it is kept, so is all of the entries in front.
bool is_undivided(const Ratios& ratios) {
  std::size_t last = ratios.off.size();
  while (last > 0 && std::isinf(ratios.off[last - 1])) --last;
  constexpr double within = least_ramp_share * near_one * 0.75;  // the rest is room for roundings
  return last == 0 || 1 - ratios.of[last - 1] + ratios.off[last - 1] <= within;
}

// 1 / factor, for the factor by which those that are known were divided.
template <class Kept>
std::optional<Interval> one_over_factor(const Ratios& ratios, const Kept& kept) {
  constexpr double greatest = 1024;
  Interval divided = {1 / greatest, 1};
  for (std::size_t k = ratios.of.size(); k > 0; --k) {
    const double part = kept(k - 1), share = 1 - part;
    if (share < least_ramp_share || std::isinf(ratios.off[k - 1])) continue;
    const double middle = (ratios.of[k - 1] - part) / share, off = ratios.off[k - 1] / share;
    divided = {std::max(divided.low, middle - off), std::min(divided.high, middle + off)};
    if (!(divided.low <= divided.high && divided.low < 1 - near_one)) return std::nullopt;
  }
  return divided.high < 1 - near_one ? std::optional(divided) : std::nullopt;
}

// The factor: a simple number, and where it is not told those that models have, of rows that have a field `own` of such
// a scaling; none where they have not one.
template <class Kept>
std::vector<Fitted> factors_of(const Ratios& ratios, const Kept& kept, const Scalings& scalings, std::string_view own) {
  const std::optional<Interval> divided = one_over_factor(ratios, kept);
  if (!divided) return {};
  const Fitted measured = fitted_between("factor", 1 / divided->high, 1 / divided->low);
  std::vector<Fitted> all;
  if (!measured.simple.empty()) all.push_back(measured);
  const FieldChange change[] = {{own, 1}};
  const bool is_vague = !is_told(measured) && !check_changes(scalings.like.convention, change);
  for (const double usual : schema::usual_factors) {
    const bool within = measured.low <= usual && usual <= measured.high && usual != measured.value;
    if (!is_vague || !within) continue;
    all.push_back({"factor", usual, measured.low, measured.high, to_text(usual)});
  }
  std::erase_if(all, [&](const Fitted& each) { return !keeps(ratios, kept, each.value); });
  return all;
}

// kept_k falls from 1 at `low` to 0 at `high`, the places in the ladder of so many turns in the stated length. Whether
// that is told.
bool add_yarn(Scalings& scalings, const Ratios& ratios, const Tried& tried) {
  const double rotated = -2 / scalings.exponent;
  const auto place = [&](double logarithm) { return rotated * logarithm / (2 * ratios.logarithm); };
  for (const std::string_view truncate : {"whole", "none"}) {
    double low = place(tried.fast.logarithms[tried.number]), high = place(tried.slow.logarithms[tried.number]);
    if (truncate == "whole") low = std::floor(low), high = std::ceil(high);
    low = std::clamp(low, 0.0, rotated - 1), high = std::clamp(high, 0.0, rotated - 1);
    if (low == high) high += 0.001;
    const auto kept = [&](std::size_t k) {
      return std::clamp(1 - (static_cast<double>(k) - low) / (high - low), 0.0, 1.0);
    };
    const std::vector<Fitted> factors = factors_of(ratios, kept, scalings, "ladder.scaling.slow");
    for (const Fitted& factor : factors) {
      const FieldChange changes[] = {
          {"ladder.base", ratios.base.value},        {"ladder.scaling", "yarn"},
          {"ladder.scaling.factor", factor.value},   {"ladder.scaling.length", tried.length},
          {"ladder.scaling.fast", tried.fast.turns}, {"ladder.scaling.slow", tried.slow.turns},
          {"ladder.scaling.truncate", truncate}};
      scalings.add_with_magnitude(changes, factor.value, {ratios.base, factor});
    }
    if (std::ranges::any_of(factors, is_told)) return true;
  }
  return false;
}

// kept_k falls with the turns in the stated length, from 1 at `fast` turns to 0 at `slow`.
bool add_llama3(Scalings& scalings, const Ratios& ratios, const Tried& tried) {
  const auto kept = [&](std::size_t k) {
    const double turns = static_cast<double>(tried.length) * ratios.plain[k] / turn;
    return std::clamp((turns - tried.slow.turns) / (tried.fast.turns - tried.slow.turns), 0.0, 1.0);
  };
  const std::vector<Fitted> factors = factors_of(ratios, kept, scalings, "ladder.scaling.low");
  for (const Fitted& factor : factors) {
    const FieldChange changes[] = {{"ladder.base", ratios.base.value},        {"ladder.scaling", "llama3"},
                                   {"ladder.scaling.factor", factor.value},   {"ladder.scaling.low", tried.slow.turns},
                                   {"ladder.scaling.high", tried.fast.turns}, {"ladder.scaling.length", tried.length}};
    scalings.add(changes, {ratios.base, factor});
  }
  return std::ranges::any_of(factors, is_told);
}

// Of turns and lengths that people write, those of the originals first, the ramps that one of the starts has, up to the
// first that is told.
template <class Add>
void add_first(Scalings& scalings, std::span<const Bound> fast, std::span<const Bound> slow,
               std::span<const std::int64_t> lengths, std::span<const Ratios> starts, const Add& add) {
  constexpr std::size_t most = 12;
  const std::size_t before = scalings.found.size();
  for (const Bound& low : slow) {
    for (const Bound& high : fast) {
      if (high.turns <= low.turns) continue;
      for (std::size_t i = 0; i < lengths.size(); ++i) {
        const Tried tried = {high, low, i, lengths[i]};
        for (const Ratios& ratios : starts) {
          if (add(ratios, tried) || scalings.found.size() >= before + most) return;
        }
      }
    }
  }
}

}  // namespace

void add_ramps(Scalings& scalings) {
  constexpr std::size_t fewest = 4;
  if (scalings.all.size() < fewest || !scalings.known(0)) return;
  if (std::abs(scalings.logarithms.of[0]) > 2 * scalings.logarithms.off[0] + 0x1p-20) return;
  std::vector<Ratios> starts;
  for (const Fitted& base : bases_at_start(scalings)) starts.push_back(ratios_of(scalings, base));
  std::erase_if(starts, is_undivided);
  if (starts.empty()) return;
  const std::vector<std::int64_t> lengths = lengths_to_try();
  constexpr double fast_places[] = {32, 16, 64, 8, 24, 48, 128}, slow_places[] = {1, 2, 4, 0.5, 3};
  add_first(scalings, bounds_of(fast_places, lengths), bounds_of(slow_places, lengths), lengths, starts,
            [&](const Ratios& ratios, const Tried& tried) { return add_yarn(scalings, ratios, tried); });
  constexpr double fast_turns[] = {4, 8, 2, 16, 32, 3, 5, 6, 10, 12}, slow_turns[] = {1, 2, 0.5, 1.5, 3, 4};
  add_first(scalings, bounds_of(fast_turns, {}), bounds_of(slow_turns, {}), lengths, starts,
            [&](const Ratios& ratios, const Tried& tried) { return add_llama3(scalings, ratios, tried); });
}

}  // namespace posenc::referee
