// SPDX-License-Identifier: Apache-2.0
// Factors of queries: rows of presets at the positions that the first step or the slope of the factors tells, then
// other steps and gains.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "src/conventions/lower.h"
#include "src/encodings/positions.h"
#include "src/numerics/evaluate.h"
#include "src/referee/bound.h"
#include "src/referee/identify_relative.h"
#include "src/referee/logarithm.h"
#include "src/referee/match_operation.h"
#include "src/referee/reading.h"
#include "src/referee/simple_number.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

// Factors of positions one after another.
struct Factors {
  std::vector<double> of;
  std::vector<std::int64_t> jumps;  // where a factor is more than the one before
  DType storage;

  std::int64_t count() const { return std::ssize(of); }
  double at(std::int64_t i) const { return of[static_cast<std::size_t>(i)]; }
};

// Relative tolerance of a factor.
double factor_off(DType storage) { return bound_of(EntryKind::factors, storage, 1).relative; }

// Which of two neighbours that fall by no more than their tolerances is off.
enum class Off : std::uint8_t { later = 1, earlier };

// Nothing where factors fall further, are no numbers, are too few to tell, or are all one number but 1.
std::optional<Factors> factors_of(const ConstView& list, DType storage, Off off) {
  Factors factors = {{}, {}, storage};
  std::vector<double>& all = factors.of;
  for (std::int64_t i = 0; i < list.size(0); ++i) {
    const double x = real_at(list, i * list.stride(0));
    if (!(x > 0 && x < 64) || (i > 0 && x < all.back() * (1 - 2 * factor_off(storage)))) return std::nullopt;
    all.push_back(x);
  }
  const auto larger = [](double a, double b) { return std::max(a, b); };
  const auto smaller = [](double a, double b) { return std::min(a, b); };
  if (off == Off::later) std::partial_sum(all.begin(), all.end(), all.begin(), larger);
  if (off == Off::earlier) std::partial_sum(all.rbegin(), all.rend(), all.rbegin(), smaller);
  for (std::int64_t i = 1; i < factors.count(); ++i) {
    if (factors.at(i) > factors.at(i - 1)) factors.jumps.push_back(i);
  }
  constexpr std::int64_t least = 8;
  if (factors.count() < least || (factors.jumps.empty() && factors.of[0] != 1)) return std::nullopt;
  return factors;
}

// The numbers of a plan as doubles.
struct Law {
  bool by_steps;
  double origin, every, gain;

  double at(double p) const {
    const double u = (p + origin) / every;
    return 1 + gain * log_of(by_steps ? 1 + std::floor(u) : std::max(u, 1.0));
  }
};
Law law_of(const Convention& convention) {
  const plan::FactorPlan plan = lower_factor(convention);
  return {plan.by_steps(), numerics::rounded<double>(plan.origin), numerics::rounded<double>(plan.every),
          numerics::rounded<double>(plan.gain).value_or(0)};
}

bool lies_near(const Factors& factors, const Law& law, double first) {
  double last = -1, value = 0;
  for (std::int64_t i = 0; i < factors.count(); ++i) {
    const double p = first + static_cast<double>(i);
    const double argument = law.by_steps ? std::floor((p + law.origin) / law.every) : p;
    if (argument != last) value = law.at(p), last = argument;
    if (!(std::abs(factors.at(i) - value) <= factor_off(factors.storage) * value)) return false;
  }
  return true;
}

// The first positions at which a law has the factors: from .. to.
struct FirstPositions {
  double from, to;
};

// The first jump is a multiple of `every`; which one, its factor tells.
std::optional<FirstPositions> first_by_steps(const Factors& factors, const Law& law) {
  if (law.gain == 0) return std::nullopt;
  const std::int64_t jump = factors.jumps[0];
  const double steps = std::rint(exp_of(std::clamp((factors.at(jump) - 1) / law.gain, -600.0, 600.0)) - 1);
  const double most = std::clamp(std::rint(steps * 0.05), 2.0, 64.0);
  for (double size = 0; size <= most; ++size) {
    for (const double count : {steps + size, steps - size}) {
      const double first = std::ceil(count * law.every - law.origin) - static_cast<double>(jump);
      if (count >= 1 && first >= 0 && lies_near(factors, law, first)) return FirstPositions{first, first};
    }
  }
  return std::nullopt;
}

// The last factor is that of the position every e^((last - 1) / gain); its tolerance moves that position by `off`.
std::optional<FirstPositions> first_by_growth(const Factors& factors, const Law& law) {
  const double last = factors.of.back();
  if (!(last > 1 && law.gain > 0)) return std::nullopt;
  const double end = law.every * exp_of(std::min((last - 1) / law.gain, 600.0));
  const double off = 2 + end * 2 * factor_off(factors.storage) * last / law.gain;
  constexpr double most = 1 << 14;
  if (off > most) return std::nullopt;
  const double middle = end - law.origin - static_cast<double>(factors.count() - 1);
  std::optional<FirstPositions> best;
  std::int64_t most_equal = -1;
  std::vector<double> known;
  const double from = std::max(0.0, std::rint(middle - off)), to = std::rint(middle + off);
  for (double p = from; p < to + static_cast<double>(factors.count()); ++p) {
    known.push_back(stored(law.at(p), factors.storage));
  }
  const std::int64_t stride = 1 + factors.count() / 1024;
  for (double first = from; first <= to; ++first) {
    const auto start = static_cast<std::int64_t>(first - from);
    std::int64_t equal = 0;
    for (std::int64_t i = 0; i < factors.count(); i += stride) {
      equal += known[static_cast<std::size_t>(start + i)] == factors.at(i) ? 1 : 0;
    }
    if (equal > most_equal) {
      most_equal = equal, best = FirstPositions{first, first};
    } else if (equal == most_equal && first == best->to + 1) {
      best->to = first;
    }
  }
  if (!best || !lies_near(factors, law, best->from)) return std::nullopt;
  return best;
}

// Before the first step all factors are 1.
std::optional<FirstPositions> first_of_ones(const Factors& factors, const Law& law) {
  const auto count = static_cast<double>(factors.count());
  const double last = law.by_steps ? std::ceil(law.every - law.origin) - 1 : std::floor(law.every - law.origin);
  if (last < count - 1) return std::nullopt;
  return FirstPositions{0, last - count + 1};
}

std::optional<FirstPositions> first_of(const Factors& factors, const Law& law) {
  if (factors.jumps.empty()) return first_of_ones(factors, law);
  return law.by_steps ? first_by_steps(factors, law) : first_by_growth(factors, law);
}

// ---- other steps and gains ---------------------------------------------------------------------------

Fitted about(std::string name, double value, double off) {
  const auto simple = simple_number({value - off, value + off});
  return {std::move(name), simple ? simple->value : value, value - off, value + off, simple ? simple->text : ""};
}

// How long steps are: from one jump to the next. Of one jump a length is as good as another, from the longer part on.
std::optional<Fitted> length_of_steps(const Factors& factors, double usual) {
  const std::vector<std::int64_t>& jumps = factors.jumps;
  if (jumps.empty()) return std::nullopt;
  if (jumps.size() == 1) {
    const auto least = static_cast<double>(std::max(jumps[0], factors.count() - jumps[0]));
    return Fitted{"every", std::max(usual, least), least, 0x1p40, ""};
  }
  const std::int64_t every = jumps[1] - jumps[0];
  for (std::size_t i = 2; i < jumps.size(); ++i) {
    if (jumps[i] - jumps[i - 1] != every) return std::nullopt;
  }
  const auto length = static_cast<double>(every);
  return Fitted{"every", length, length, length, std::to_string(every)};
}

// Any two factors are those of some gain.
bool is_no_chance(const Fitted& gain) {
  constexpr double rare = 0x1p-8;
  return chance_of_digits({gain.low, gain.high}, gain.simple) < rare;
}

// The gain is what makes the factors' differences those of logarithms.
std::vector<std::vector<Fitted>> steps_of(const Factors& factors, double usual) {
  std::vector<std::vector<Fitted>> all;
  const std::vector<std::int64_t>& jumps = factors.jumps;
  const auto every = length_of_steps(factors, usual);
  if (!every) return all;
  std::vector<double> levels = {factors.at(0)};
  for (const std::int64_t jump : jumps) levels.push_back(factors.at(jump));
  constexpr int most_before = 256;
  const double off = 2 * factor_off(factors.storage) * levels.back();
  for (int before = 0; before <= most_before; ++before) {
    const double logarithm = log_of(static_cast<double>(before) + static_cast<double>(levels.size()));
    const Fitted gain = about("gain", (levels.back() - 1) / logarithm, off / logarithm);
    bool fits = gain.value > 0 && (jumps.size() > 1 || is_no_chance(gain));
    for (std::size_t k = 0; k < levels.size() && fits; ++k) {
      const double known = 1 + gain.value * log_of(1 + before + static_cast<double>(k));
      fits = std::abs(known - levels[k]) <= 2 * off;
    }
    if (fits) all.push_back({gain, *every});
    if (all.size() >= 4) break;
  }
  return all;
}

// Of n positions beyond the last factor of 1, ln(every + n) / ln(every) is the last factor.
std::optional<Fitted> every_of(const Factors& factors) {
  if (factors.at(0) != 1 || factors.jumps.empty()) return std::nullopt;
  const auto beyond = static_cast<double>(factors.count() - factors.jumps[0]);
  double low = 2, high = 0x1p40;
  for (int i = 0; i < 64 && high - low > 1e-6; ++i) {
    const double middle = low + (high - low) / 2;
    (log_of(middle + beyond) / log_of(middle) > factors.of.back() ? low : high) = middle;
  }
  const double off = low * factor_off(factors.storage) * factors.of.back() / (factors.of.back() - 1) + 0.5;
  if (!(off < 0.01 * low)) return std::nullopt;
  return about("every", std::rint(low), off);
}

class FactorCandidates {
 public:
  FactorCandidates(const ConstView& list, const Factors& factors, std::span<const DType> storages,
                   const IdentifyOptions& options)
      : list_(list), factors_(factors), storages_(storages), options_(options) {}

  void add(const Preset& preset, const Convention& convention, std::vector<Fitted> fitted) {
    if (options_.positions.size() == 1 && options_.positions[0].count_ == factors_.count()) {
      return add_at(preset, convention, options_.positions[0], {}, std::move(fitted));
    }
    const auto first = first_of(factors_, law_of(convention));
    if (!first) return;
    if (first->to > 0) {
      fitted.push_back({"first position", first->from, first->from, first->to,
                        first->from == first->to ? std::to_string(static_cast<std::int64_t>(first->from)) : ""});
    }
    const Positions positions = Positions::range(static_cast<std::int64_t>(first->from), factors_.count());
    add_at(preset, convention, positions, {{"position", first->from, 1}}, std::move(fitted));
  }
  std::vector<Candidate> all;

 private:
  void add_at(const Preset& preset, const Convention& convention, const Positions& positions,
              std::vector<AxisPlaces> places, std::vector<Fitted> fitted) {
    const OperationInputs inputs = {.lists = {&positions, 1}, .window = {}, .options = {}};
    const auto match = match_operation(list_, convention, inputs, storages_);
    if (!match) return;
    Candidate found = candidate_of(*match, preset, convention, "query_scale");
    found.reading = "[L]";
    found.extents = {factors_.count()};
    found.places = std::move(places);
    found.fitted = std::move(fitted);
    all.push_back(std::move(found));
  }

  const ConstView& list_;
  const Factors& factors_;
  std::span<const DType> storages_;
  const IdentifyOptions& options_;
};

}  // namespace

std::vector<Candidate> query_scale_candidates(const ConstView& tensor, const IdentifyOptions& options) {
  const ConstView list = without_front(tensor, 1);
  if (list.rank != 1) return {};
  const std::vector<DType> storages = storages_of(tensor);
  std::vector<const Preset*> rows;
  for (const Preset& preset : presets()) {
    if (!check_use("identify", ConventionUse::query_scales, preset.convention)) rows.push_back(&preset);
  }
  for (const Off off : {Off::later, Off::earlier}) {
    const auto factors = factors_of(list, storages.back(), off);
    if (!factors) continue;
    FactorCandidates found(list, *factors, storages, options);
    for (const Preset* preset : rows) found.add(*preset, preset->convention, {});
    if (!found.all.empty()) return indistinct(std::move(found.all));
    const auto every = every_of(*factors);
    for (const Preset* preset : rows) {
      for (const std::vector<Fitted>& fitted : steps_of(*factors, law_of(preset->convention).every)) {
        const FieldChange changes[] = {{"factor.gain", fitted[0].value}, {"factor.every", fitted[1].value}};
        if (!check_changes(preset->convention, changes))
          found.add(*preset, posenc::detail::changed(preset->convention, changes), fitted);
      }
      const FieldChange gain[] = {{"factor.gain", 1.0}}, change[] = {{"factor.every", every ? every->value : 2.0}};
      if (!every || !check_changes(preset->convention, gain) || check_changes(preset->convention, change)) continue;
      found.add(*preset, posenc::detail::changed(preset->convention, change), {*every});
    }
    if (!found.all.empty()) return indistinct(std::move(found.all));
  }
  return {};
}

}  // namespace posenc::referee
