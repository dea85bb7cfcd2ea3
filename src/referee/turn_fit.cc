// SPDX-License-Identifier: Apache-2.0
// Which rotations are tried: presets as they stand, then with the base or the scaling that the angles show.
#include "src/referee/turn_fit.h"

#include <posenc/preset.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/numerics/evaluate.h"
#include "src/referee/ladder_fit.h"
#include "src/referee/ladder_line.h"
#include "src/referee/logarithm.h"

namespace posenc::referee {
namespace {

using plan::PairPlan;

double frequency_at(const plan::Ladder& ladder, std::uint32_t k) {
  return numerics::rounded<double>(ladder[k]).value_or(0);
}

// Columns of a head that turn, as a stretch.
struct Stretch {
  std::int64_t first, width;
};

// The whole head, and parts of even widths that people use and that have every column that changed.
std::vector<Stretch> stretches(const TurnedRows& rows) {
  std::int64_t first = rows.width, last = -1;
  const std::int64_t count = std::ssize(rows.before) / rows.width;
  for (std::int64_t row = 0; row < count; ++row) {
    for (std::int64_t c = 0; c < rows.width; ++c) {
      const auto at = static_cast<std::size_t>(row * rows.width + c);
      if (std::abs(rows.before[at] - rows.after[at]) <= rows.noise * std::abs(rows.before[at])) continue;
      first = std::min(first, c), last = std::max(last, c);
    }
  }
  std::vector<Stretch> all = {{0, rows.width}};
  if (last < 0) return all;
  const auto add = [&](std::int64_t from, std::int64_t width) {
    const bool holds = width % 2 == 0 && width >= 2 && from <= first && from + width > last && width < rows.width;
    const auto same = [&](const Stretch& each) { return each.first == from && each.width == width; };
    if (holds && std::ranges::none_of(all, same)) all.push_back({from, width});
  };
  const std::int64_t head = rows.width, used = last + 1;
  for (const std::int64_t width : {used + used % 2, head / 2, head / 4, 3 * head / 4, 2 * head / 5}) add(0, width);
  for (std::int64_t width = 16; width < head; width += 16) add(0, width);
  const std::int64_t from_end = head - first;
  for (const std::int64_t width : {from_end + from_end % 2, head / 2, head / 4}) add(head - width, width);
  return all;
}

// The factor by which pairs of these columns change their lengths, if it is one: asked once for each columns that pairs
// have.
class Structures {
 public:
  explicit Structures(const TurnedRows& rows) : rows_(rows) {}

  // Pairs of two angles keep no lengths: they are turned and compared.
  bool admits(const PairPlan& pairs, std::int64_t first) {
    return !plan::turns_by_one_angle(pairs) || factor(pairs, first);
  }
  std::optional<double> factor(const PairPlan& pairs, std::int64_t first) {
    const auto same = [&](const Asked& each) {
      return each.first == first && std::ranges::equal(each.pairs, pairs.pairs, [](const auto& a, const auto& b) {
               return a.read == b.read && a.written == b.written;
             });
    };
    const auto known = std::ranges::find_if(asked_, same);
    if (known != asked_.end()) return known->answer;
    asked_.push_back({first, pairs.pairs, factor_of_lengths(rows_, pairs, first)});
    any_ |= asked_.back().answer.has_value();
    return asked_.back().answer;
  }
  bool any() const { return any_; }

  // By the pairs that keep lengths.
  std::vector<std::int64_t> further_on() const {
    std::vector<std::int64_t> all;
    for (const Asked& each : asked_) {
      PairPlan pairs;
      pairs.pairs = each.pairs;
      const auto places = each.answer ? referee::further_on(rows_, pairs, each.first) : std::nullopt;
      if (places && std::ranges::find(all, *places) == all.end()) all.push_back(*places);
    }
    return all;
  }

 private:
  struct Asked {
    std::int64_t first;
    std::vector<plan::Pair> pairs;
    std::optional<double> answer;
  };
  const TurnedRows& rows_;
  std::vector<Asked> asked_;
  bool any_ = false;
};

bool same_turn(const TurnSuspect& a, const TurnSuspect& b) {
  if (a.width != b.width || a.first != b.first || a.direction != b.direction || a.side != b.side) return false;
  if (axes_of(a.convention).size() != axes_of(b.convention).size()) return false;
  const LoweredFor of_a = {.width = a.width, .context = a.context}, of_b = {.width = b.width, .context = b.context};
  return lower_pairs(a.convention, of_a) == lower_pairs(b.convention, of_b);
}

bool turns_backward(const TurnSuspect& suspect) {
  const LoweredFor given = {.width = suspect.width, .context = suspect.context};
  return lower_step_pairs(suspect.convention, given).turning == plan::Turning::backward;
}

// Suspects that were found, each rotation once.
class Found {
 public:
  explicit Found(const std::function<bool(const TurnSuspect&)>& lies_near) : lies_near_(lies_near) {}

  void add(TurnSuspect suspect) {
    if (!lies_near_(suspect)) return;
    const auto same = std::ranges::find_if(all, [&](const TurnSuspect& each) { return same_turn(each, suspect); });
    if (same == all.end()) return all.push_back(std::move(suspect));
    for (std::string& name : suspect.presets) {
      if (std::ranges::find(same->presets, name) == same->presets.end()) same->presets.push_back(std::move(name));
    }
  }
  std::vector<TurnSuspect> all;

 private:
  const std::function<bool(const TurnSuspect&)>& lies_near_;
};

bool admits(const Convention& convention, const LoweredFor& given) {
  return !check_use("identify", ConventionUse::rotations, convention) && !check_lower(convention, given);
}

// A convention that turns a part of what it is given is held against the whole head alone.
bool turns_all(const PairPlan& pairs, const Stretch& part, std::int64_t head) {
  return part.width == head || 2 * std::ssize(pairs.pairs) == part.width;
}

// Lengths at which a convention may have ladders of its own: short ones, that of the tensor, any beyond.
std::vector<std::int64_t> lengths_of(const Convention& convention, const TurnPlaces& places) {
  constexpr double longest = 0x1p40;
  const double last = std::clamp(*std::ranges::max_element(places.real), 0.0, longest);
  std::vector<std::int64_t> all;
  std::vector<std::int64_t> regimes;
  for (const double length : {1.0, last + 1, longest}) {
    const auto whole = static_cast<std::int64_t>(length);
    const std::int64_t regime = detail::regime(convention, whole);
    if (std::ranges::find(regimes, regime) != regimes.end()) continue;
    regimes.push_back(regime), all.push_back(whole);
  }
  return all;
}

void add_presets(std::int64_t head, const std::vector<Stretch>& parts, const TurnPlaces& places, Direction direction,
                 Structures& structures, Found& found) {
  for (const Preset& preset : presets()) {
    for (const Stretch& part : parts) {
      LoweredFor given = {.width = part.width, .context = {.length = 1}};
      if (!admits(preset.convention, given)) continue;
      const PairPlan pairs = lower_step_pairs(preset.convention, given);
      if (!turns_all(pairs, part, head) || !structures.admits(pairs, part.first)) continue;
      for (const std::int64_t length : lengths_of(preset.convention, places)) {
        given.context.length = length;
        if (check_lower(preset.convention, given)) continue;
        found.add({{std::string(preset.name)},
                   {},
                   preset.convention,
                   given.context,
                   part.width,
                   part.first,
                   direction,
                   RotatedSide::query,
                   {}});
      }
    }
  }
}

// Under a decay lengths change with the position: from the first token on, or from the middle one.
void add_decaying(std::int64_t head, const TurnPlaces& places, Found& found) {
  const double first = places.real[0], middle = std::floor(static_cast<double>(places.count()) / 2);
  std::vector<double> centres = {0, middle};
  for (const double further : {first, first + middle}) {
    if (std::ranges::find(centres, further) == centres.end()) centres.push_back(further);
  }
  for (const Preset& preset : presets()) {
    LoweredFor given = {.width = head, .context = {.length = 1}};
    if (check_use("identify", ConventionUse::rotations, preset.convention) || !check_lower(preset.convention, given))
      continue;
    for (const double centre : centres) {
      given.context.centre = centre;
      if (check_lower(preset.convention, given) || !lower_step_pairs(preset.convention, given).decay) continue;
      for (const RotatedSide side : {RotatedSide::query, RotatedSide::key}) {
        found.add(
            {{std::string(preset.name)}, {}, preset.convention, given.context, head, 0, Direction::forward, side, {}});
      }
    }
  }
}

// ---- other bases, other scalings ---------------------------------------------------------------------

bool tells(const Frequency& w) { return std::isfinite(w.value) && w.off < 0.01 * std::abs(w.value); }

// The base that the slowest pair of a geometric ladder shows: pair k turns by base^-c_k.
std::optional<Fitted> base_of(const Convention& convention, const LoweredFor& given,
                              const std::vector<Frequency>& seen) {
  constexpr double known_base = 65536;
  const std::array changes = {FieldChange{"ladder.base", known_base}};
  if (check_changes(convention, changes)) return std::nullopt;
  const Convention known = posenc::detail::changed(convention, changes);
  if (!admits(known, given)) return std::nullopt;
  const PairPlan pairs = lower_step_pairs(known, given);
  std::optional<Fitted> best;
  double best_off = 0.01;
  for (std::size_t k = 0; k < pairs.pairs.size(); ++k) {
    const plan::Angle& angle = pairs.pairs[k].angles[0];
    if (angle.axis >= pairs.ladders.size() || !tells(seen[k])) continue;
    const double w = frequency_at(pairs.ladders[angle.axis], angle.frequency), size = std::abs(seen[k].value);
    const double c = w > 0 ? -log_of(w) / log_of(known_base) : 0;
    if (!(c > 0.01) || !(size < 1)) continue;
    constexpr double drift = 0x1p-18;  // of frequencies that a program made in f32
    const double off = (seen[k].off / size + drift) / c, middle = -log_of(size) / c;
    if (off >= best_off || middle > 700) continue;
    best_off = off;
    best = fitted_between("base", exp_of(middle - off), exp_of(middle + off));
  }
  return best;
}

// Those of the one ladder that all pairs take their angles from, w_0 first.
std::vector<Frequency> in_order(const PairPlan& pairs, const std::vector<Frequency>& seen, double further) {
  std::vector<Frequency> all;
  for (std::size_t k = 0; k < seen.size(); ++k) {
    const plan::Angle& angle = pairs.pairs[k].angles[0];
    if (angle.axis >= pairs.ladders.size()) return {};
    if (angle.frequency >= all.size()) all.resize(angle.frequency + 1, unknown_frequency);
    const double size = std::abs(seen[k].value);
    all[angle.frequency] = {size, seen[k].off + further * size};
  }
  return all;
}

// Do some of the frequencies agree with those that were seen? Asked before all of them are made.
bool agrees(const Convention& convention, const LoweredFor& given, const std::vector<Frequency>& seen) {
  const PairPlan pairs = lower_pairs(convention, given);
  const std::size_t count = pairs.pairs.size();
  for (const std::size_t k : {count / 2, count - 1, 3 * count / 4, std::size_t{0}, count / 4}) {
    const plan::Angle& angle = pairs.pairs[k].angles[0];
    if (angle.axis >= pairs.ladders.size() || !std::isfinite(seen[k].value)) continue;
    const double w = frequency_at(pairs.ladders[angle.axis], angle.frequency);
    if (std::abs(w - std::abs(seen[k].value)) > 4 * seen[k].off + 1e-5 * w) return false;
  }
  return true;
}

class Fits {
 public:
  Fits(const TurnedRows& rows, const TurnPlaces& places, Direction direction, Structures& structures, Found& found)
      : rows_(rows), places_(places), direction_(direction), structures_(structures), found_(found) {}

  // Of one ladder; `further`: what frequencies may be off by beside what angles show, as a part of them.
  void add_ladder(const Preset& preset, const Stretch& part, double further) {
    const auto pairs = pairs_of(preset, part);
    if (!pairs || pairs->ladders.size() != 1) return;
    add_fits(preset, part, *pairs, further);
  }

  // Of several, at the same place on every axis.
  void add_base(const Preset& preset, const Stretch& part) {
    const auto pairs = pairs_of(preset, part);
    if (!pairs || pairs->ladders.size() == 1) return;
    const std::vector<Frequency>& seen = seen_of(*pairs, part.first);
    const auto base = base_of(preset.convention, given_of(part), seen);
    if (base) try_changes(preset, part, {{{"ladder.base", base->value}}, {*base}, false}, seen);
  }

 private:
  static LoweredFor given_of(const Stretch& part) { return {.width = part.width, .context = {.length = 1}}; }

  // Those whose lengths are kept, or changed by one factor.
  std::optional<PairPlan> pairs_of(const Preset& preset, const Stretch& part) {
    if (!admits(preset.convention, given_of(part))) return std::nullopt;
    PairPlan pairs = lower_step_pairs(preset.convention, given_of(part));
    const bool may_be =
        turns_all(pairs, part, rows_.width) && plan::turns_by_one_angle(pairs) && structures_.admits(pairs, part.first);
    return may_be ? std::optional(std::move(pairs)) : std::nullopt;
  }

  void add_fits(const Preset& preset, const Stretch& part, const PairPlan& pairs, double further) {
    const std::vector<Frequency>& seen = seen_of(pairs, part.first);
    const auto like = signal_of(preset, preset.convention, given_of(part), frequency_form);
    if (!like) return;
    for (const LadderFit& fit : ladder_fits(*like, in_order(pairs, seen, further))) {
      const Preset& row = fit.preset.empty() ? preset : *find_preset(fit.preset);
      try_changes(row, part, fit, seen);
      // The magnitude goes with the factor of YaRN, is left out, or is another.
      LadderFit plain = fit;
      std::erase_if(plain.changes, [](const FieldChange& each) { return each.path == "magnitude.factor"; });
      if (plain.changes.size() < fit.changes.size()) try_changes(row, part, plain, seen);
      const double magnitude = structures_.factor(pairs, part.first).value_or(1), off = rows_.noise * magnitude;
      plain.fitted.push_back(fitted_between("scale", magnitude - off, magnitude + off));
      plain.changes.emplace_back("magnitude", plain.fitted.back().value);
      if (std::abs(magnitude - 1) > 4 * off) try_changes(row, part, plain, seen);
    }
  }

  void try_changes(const Preset& preset, const Stretch& part, const LadderFit& fit,
                   const std::vector<Frequency>& seen) {
    if (check_changes(preset.convention, fit.changes)) return;
    const Convention changed = posenc::detail::changed(preset.convention, fit.changes);
    if (changed == preset.convention) return;
    LoweredFor given = {.width = part.width, .context = {.length = 1}};
    const std::vector<std::int64_t> lengths = fit.length ? std::vector{*fit.length} : lengths_of(changed, places_);
    for (const std::int64_t length : lengths) {
      given.context.length = length;
      if (!admits(changed, given) || !agrees(changed, given, seen)) continue;
      found_.add({{std::string(preset.name)},
                  differences(changed, preset.convention),
                  changed,
                  given.context,
                  part.width,
                  part.first,
                  direction_,
                  RotatedSide::query,
                  fit.fitted});
      return;
    }
  }
  const std::vector<Frequency>& seen_of(const PairPlan& pairs, std::int64_t first) {
    const auto known = std::ranges::find_if(seen_, [&](const Seen& each) {
      return each.first == first && std::ranges::equal(each.pairs, pairs.pairs, [](const auto& a, const auto& b) {
               return a.read == b.read && a.written == b.written;
             });
    });
    if (known != seen_.end()) return known->frequencies;
    seen_.push_back({first, pairs.pairs, frequencies(rows_, pairs, first)});
    return seen_.back().frequencies;
  }

  struct Seen {
    std::int64_t first;
    std::vector<plan::Pair> pairs;
    std::vector<Frequency> frequencies;
  };
  const TurnedRows& rows_;
  const TurnPlaces& places_;
  Direction direction_;
  Structures& structures_;
  Found& found_;
  std::vector<Seen> seen_;
};

}  // namespace

TurnSuspects turn_suspects(const TurnedRows& rows, const TurnPlaces& places,
                           const std::function<bool(const TurnSuspect&)>& lies_near) {
  Structures structures(rows);
  Found found(lies_near);
  const std::vector<Stretch> parts = stretches(rows);
  add_presets(rows.width, parts, places, Direction::forward, structures, found);
  // What a row that turns backward has, others have when they are turned back.
  if (std::ranges::all_of(found.all, turns_backward)) {
    add_presets(rows.width, parts, places, Direction::inverse, structures, found);
  }
  if (found.all.empty()) add_decaying(rows.width, places, found);
  for (const Direction direction : {Direction::forward, Direction::inverse}) {
    if (!found.all.empty() || !structures.any()) break;
    Fits fits(rows, places, direction, structures, found);
    const auto add_each = [&](const auto& add) {
      for (const Preset& preset : presets()) {
        for (const Stretch& part : parts) add(preset, part);
      }
    };
    constexpr double of_f32 = 0x1p-22;  // what f32 makes of a frequency, which least squares see
    for (const double further : {further_off[0], of_f32, further_off[1], further_off[2]}) {
      if (!found.all.empty()) break;
      add_each([&](const Preset& preset, const Stretch& part) { fits.add_ladder(preset, part, further); });
    }
    add_each([&](const Preset& preset, const Stretch& part) { fits.add_base(preset, part); });
  }
  std::vector<std::int64_t> further_on;
  if (found.all.empty()) further_on = structures.further_on();
  return {std::move(found.all), structures.any(), std::move(further_on)};
}

}  // namespace posenc::referee
