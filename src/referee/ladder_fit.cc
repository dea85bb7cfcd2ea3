// SPDX-License-Identifier: Apache-2.0
// Straight lines through logarithms of frequencies, and what bends them.
#include "src/referee/ladder_fit.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "src/numerics/elementary.h"
#include "src/referee/simple_number.h"

namespace posenc::referee {
namespace {

double ln(double x) { return numerics::log_rounded<double>(x).value_or(0); }
double exponential(double x) { return numerics::exp_rounded<double>(x).value_or(0); }

// A frequency that may be off by more of itself is left out of lines.
constexpr double most_off = 0.2;

// ln w_k = at_zero + slope k, each with how far off it may be.
struct Line {
  double at_zero, slope, at_zero_off, slope_off;
};

// The line through the first `count` frequencies; nothing where one is off it by more than its tolerance allows.
std::optional<Line> line_through(std::span<const Frequency> frequencies, std::size_t count) {
  double sum = 0, sum_k = 0, sum_kk = 0, sum_y = 0, sum_ky = 0;
  std::vector<double> logarithms(count), off(count, std::numeric_limits<double>::infinity());
  std::size_t known = 0, last = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const auto& [w, tolerance] = frequencies[k];
    if (std::isnan(w) || !(tolerance < most_off * std::abs(w))) continue;  // it tells nothing
    if (!(w > 0)) return std::nullopt;
    logarithms[k] = ln(w), off[k] = tolerance / w, ++known, last = k;
    const double weight = 1 / (off[k] * off[k]), x = static_cast<double>(k);
    sum += weight, sum_k += weight * x, sum_kk += weight * x * x;
    sum_y += weight * logarithms[k], sum_ky += weight * x * logarithms[k];
  }
  if (known == 1 && count == 1) return Line{logarithms[0], 0, off[0], 0};
  if (known < 2) return std::nullopt;
  const double determinant = sum * sum_kk - sum_k * sum_k;
  if (!(determinant > 0)) return std::nullopt;
  const double slope = (sum * sum_ky - sum_k * sum_y) / determinant, at_zero = (sum_y - slope * sum_k) / sum;
  // Tolerances bound errors that are not independent: none of them is divided by how many there are.
  double worst = 0;
  for (std::size_t k = 0; k < count; ++k) {
    if (off[k] > most_off) continue;
    const double away = std::abs(logarithms[k] - at_zero - slope * static_cast<double>(k));
    if (away > 2 * off[k]) return std::nullopt;
    worst = std::max(worst, std::min(off[k], 2 * away + 0x1p-22));
  }
  return Line{at_zero, slope, worst, 2 * worst / static_cast<double>(last)};
}

// The exponent of w_1, from a ladder of base 16: its logarithm to that base.
std::optional<double> exponent_of(const Signal& like, std::size_t count) {
  const FieldChange changes[] = {{"ladder.scaling", "none"}, {"ladder.base", 16}, {"ladder.first", 1}};
  if (check_changes(like.convention, changes)) return std::nullopt;
  const auto signal = signal_of(*like.preset, detail::changed(like.convention, changes), like.given, like.form);
  if (!signal || signal->frequencies[0].size() != count) return std::nullopt;
  if (count == 1) return 0;
  return ln(signal->frequencies[0][1] / signal->frequencies[0][0]) / ln(16);
}

Fitted number(std::string name, double low, double high) {
  const Interval interval = {low, high};
  const auto simple = simple_number(interval);
  return {std::move(name), simple ? simple->value : interval.middle(), low, high, simple ? simple->text : ""};
}

// Changes made of a convention that says none of it otherwise.
std::optional<LadderFit> changed(const Convention& convention, std::span<const FieldChange> changes,
                                 std::vector<Fitted> fitted) {
  if (check_changes(convention, changes)) return std::nullopt;
  const bool simple = std::ranges::none_of(fitted, [](const Fitted& each) { return each.simple.empty(); });
  return LadderFit{{changes.begin(), changes.end()}, std::move(fitted), simple};
}

// ---- a ladder without scaling --------------------------------------------------------------------

std::optional<LadderFit> geometric(const Signal& like, std::span<const Frequency> all, double exponent) {
  const auto line = line_through(all, all.size());
  if (!line) return std::nullopt;
  std::vector<Fitted> fitted;
  std::vector<FieldChange> changes = {{"ladder.scaling", "none"}};
  double base = 0;
  if (exponent != 0) {
    const double middle = line->slope / exponent, off = std::abs(line->slope_off / exponent);
    fitted.push_back(number("base", exponential(middle - off), exponential(middle + off)));
    base = fitted.back().value;
    changes.push_back({"ladder.base", base});
  }
  const Fitted first = number("first", exponential(line->at_zero - line->at_zero_off - 0x1p-30),
                              exponential(line->at_zero + line->at_zero_off + 0x1p-30));
  if (first.low <= 1 && 1 <= first.high) {
    changes.push_back({"ladder.first", 1});
  } else if (const double own = like.frequencies[0][0]; !(first.low <= own && own <= first.high)) {
    changes.push_back({"ladder.first", first.value});
    fitted.push_back(first);
  }
  return changed(like.convention, changes, std::move(fitted));
}

// ---- scaled rotations ----------------------------------------------------------------------------

// A ladder of whose first frequencies nothing has been scaled, and whose last ones are divided by a factor.
struct Bent {
  double base, factor;
  std::vector<double> kept;   // of each frequency: 1 where it is as it was, 0 where it is divided, between else
  std::vector<double> plain;  // what it was
};
std::optional<Bent> bent(std::span<const Frequency> all, double exponent, std::vector<Fitted>& fitted) {
  constexpr std::size_t fewest = 4;
  if (all.size() < fewest || exponent == 0) return std::nullopt;
  std::size_t count = 2;
  std::optional<Line> line;
  for (std::size_t next = 2; next <= all.size(); ++next) {
    const auto longer = line_through(all, next);
    if (!longer) break;
    line = longer, count = next;
  }
  if (!line || count == all.size() || !(std::abs(line->at_zero) <= line->at_zero_off + 0x1p-20)) return std::nullopt;
  const double middle = line->slope / exponent, off = std::abs(line->slope_off / exponent);
  const Fitted base = number("base", exponential(middle - off), exponential(middle + off));
  if (base.simple.empty()) return std::nullopt;  // no other base says what was scaled
  fitted.push_back(base);
  Bent made = {base.value, 0, {}, {}};
  const double step = ln(base.value) * exponent;
  for (std::size_t k = 0; k < all.size(); ++k) made.plain.push_back(exponential(step * static_cast<double>(k)));
  const double last = all.back().value / made.plain.back(), relative = 2 * all.back().off / all.back().value + 0x1p-20;
  if (!(last > 0) || last >= 1) return std::nullopt;
  const Fitted factor = number("factor", (1 - relative) / last, (1 + relative) / last);
  if (factor.simple.empty()) return std::nullopt;
  fitted.push_back(factor);
  made.factor = factor.value;
  for (std::size_t k = 0; k < all.size(); ++k) {
    const double ratio = all[k].value / made.plain[k];
    made.kept.push_back((ratio - 1 / made.factor) / (1 - 1 / made.factor));
  }
  return made;
}

// Where kept_k = a + b x_k crosses 1 and 0, of those that lie between.
struct Ramp {
  double at_one, at_zero;
};
template <class At>
std::optional<Ramp> ramp_of(const Bent& bent, const At& at) {
  constexpr double least = 0.01;
  std::vector<std::pair<double, double>> points;
  for (std::size_t k = 0; k < bent.kept.size(); ++k) {
    if (bent.kept[k] > least && bent.kept[k] < 1 - least) points.emplace_back(at(k), bent.kept[k]);
  }
  if (points.size() < 2) return std::nullopt;
  const auto& [x0, y0] = points.front();
  const auto& [x1, y1] = points.back();
  if (x0 == x1 || y0 == y1) return std::nullopt;
  const double slope = (y1 - y0) / (x1 - x0);
  return Ramp{x0 + (1 - y0) / slope, x0 - y0 / slope};
}

constexpr std::int64_t usual_lengths[] = {4096,   8192, 2048,  32768,  131072,  16384, 65536,
                                          262144, 1024, 40960, 524288, 1048576, 512};

// Candidates of one kind at usual lengths: which of them has the frequencies is asked by who holds them.
void add_yarn(const Signal& like, const Bent& bent, const std::vector<Fitted>& fitted, std::vector<LadderFit>& all) {
  const auto ramp = ramp_of(bent, [](std::size_t k) { return static_cast<double>(k); });
  if (!ramp || ramp->at_one > ramp->at_zero) return;
  // With the usual 32 and 1 turns; r ln(L / (2 pi t)) / (2 ln base) = k.
  const double pairs = static_cast<double>(bent.kept.size()), per_pair = ln(bent.base) / pairs;
  for (const std::string_view truncate : {"whole", "none"}) {
    for (const std::int64_t length : usual_lengths) {
      const double slow = ln(static_cast<double>(length) / 6.283185307179586) / per_pair;
      if (std::abs(slow - ramp->at_zero) > 1.5) continue;
      const FieldChange changes[] = {
          {"ladder.base", bent.base},           {"ladder.scaling", "yarn"},  {"ladder.scaling.factor", bent.factor},
          {"ladder.scaling.length", length},    {"ladder.scaling.fast", 32}, {"ladder.scaling.slow", 1},
          {"ladder.scaling.truncate", truncate}};
      if (auto fit = changed(like.convention, changes, fitted)) all.push_back(std::move(*fit));
    }
  }
}

void add_llama3(const Signal& like, const Bent& bent, const std::vector<Fitted>& fitted, std::vector<LadderFit>& all) {
  const auto ramp = ramp_of(bent, [&](std::size_t k) { return bent.plain[k]; });
  if (!ramp || ramp->at_one < ramp->at_zero) return;
  // With the usual 1 and 4 turns: length w / 2 pi = 4 where all is kept, 1 where nothing is.
  const double length = 3 * 6.283185307179586 / (ramp->at_one - ramp->at_zero);
  for (const std::int64_t usual : usual_lengths) {
    if (std::abs(length / static_cast<double>(usual) - 1) > 0.05) continue;
    const FieldChange changes[] = {
        {"ladder.base", bent.base}, {"ladder.scaling", "llama3"}, {"ladder.scaling.factor", bent.factor},
        {"ladder.scaling.low", 1},  {"ladder.scaling.high", 4},   {"ladder.scaling.length", usual}};
    if (auto fit = changed(like.convention, changes, fitted)) all.push_back(std::move(*fit));
  }
}

}  // namespace

std::vector<LadderFit> ladder_fits(const Signal& like, std::span<const Frequency> frequencies) {
  std::vector<LadderFit> all;
  const auto exponent = exponent_of(like, frequencies.size());
  if (!exponent) return all;
  if (auto fit = geometric(like, frequencies, *exponent)) all.push_back(std::move(*fit));
  if (!all.empty() || like.form == table_form) return all;
  std::vector<Fitted> fitted;
  const auto scaled = bent(frequencies, *exponent, fitted);
  if (!scaled) return all;
  add_yarn(like, *scaled, fitted, all);
  add_llama3(like, *scaled, fitted, all);
  return all;
}

}  // namespace posenc::referee
