// SPDX-License-Identifier: Apache-2.0
// Signals of presets: rows as they stand, rotations in every form in which programs store them.
#include "src/referee/signal.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

#include "src/base/blocks.h"
#include "src/numerics/evaluate.h"
#include "src/numerics/frequency.h"
#include "src/plan/rounded_ladder.h"

namespace posenc::referee {
namespace {

using plan::Angle;
using plan::Column;
using plan::Kind;
using Columns = std::vector<Column>;

// ---- forms ---------------------------------------------------------------------------------------

enum Quarter : std::uint8_t { sine = 0, cosine = 1, minus_sine = 2 };

Column column_of(const Angle& angle, std::uint8_t quarter, Kind kind = Kind::wave) {
  if (angle.axis == plan::no_axis) return {Kind::constant, kind == Kind::angle ? std::uint8_t{0} : quarter, 0, 0};
  return {kind, quarter, angle.axis, angle.frequency};
}

// The columns of every pair: a block of them after another, or those of one pair side by side.
template <Kind kind, std::uint8_t... quarters>
Columns in_blocks(const std::vector<Angle>& pairs) {
  Columns columns;
  for (const std::uint8_t quarter : {quarters...}) {
    for (const Angle& pair : pairs) columns.push_back(column_of(pair, quarter, kind));
  }
  return columns;
}
template <std::uint8_t... quarters>
Columns in_turn(const std::vector<Angle>& pairs) {
  Columns columns;
  for (const Angle& pair : pairs) {
    for (const std::uint8_t quarter : {quarters...}) columns.push_back(column_of(pair, quarter));
  }
  return columns;
}

// Those of each pair side by side, then others of all pairs likewise.
template <std::uint8_t... quarters>
struct InTurn {
  static Columns of(const std::vector<Angle>& pairs) { return in_turn<quarters...>(pairs); }
};
template <class First, class Second>
Columns in_turns(const std::vector<Angle>& pairs) {
  Columns columns = First::of(pairs);
  std::ranges::copy(Second::of(pairs), std::back_inserter(columns));
  return columns;
}

constexpr Form frequency_list = {frequency_form, in_blocks<Kind::angle, sine>, 1};
constexpr Form forms[] = {
    {"cos [a | a]", in_blocks<Kind::wave, cosine, cosine>, 2},
    {"sin [a | a]", in_blocks<Kind::wave, sine, sine>, 2},
    {"cos [a a b b ..]", in_turn<cosine, cosine>, 2},
    {"sin [a a b b ..]", in_turn<sine, sine>, 2},
    {"sin [-a | a]", in_blocks<Kind::wave, minus_sine, sine>, 2},
    {"sin [-a a -b b ..]", in_turn<minus_sine, sine>, 2},
    {"cos [a]", in_blocks<Kind::wave, cosine>, 1},
    {"sin [a]", in_blocks<Kind::wave, sine>, 1},
    {"[sin | cos]", in_blocks<Kind::wave, sine, cosine>, 2},
    {"[cos | sin]", in_blocks<Kind::wave, cosine, sine>, 2},
    {"[cos sin, ..]", in_turn<cosine, sine>, 2},
    {"[sin cos, ..]", in_turn<sine, cosine>, 2},
    {"[cos | cos | sin | sin]", in_blocks<Kind::wave, cosine, cosine, sine, sine>, 4},
    {"[sin | sin | cos | cos]", in_blocks<Kind::wave, sine, sine, cosine, cosine>, 4},
    {"[cos cos .. | sin sin ..]", in_turns<InTurn<cosine, cosine>, InTurn<sine, sine>>, 4},
    {"[sin sin .. | cos cos ..]", in_turns<InTurn<sine, sine>, InTurn<cosine, cosine>>, 4},
    {"[cos sin, .. | cos sin, ..]", in_turns<InTurn<cosine, sine>, InTurn<cosine, sine>>, 4},
    {"[sin cos, .. | sin cos, ..]", in_turns<InTurn<sine, cosine>, InTurn<sine, cosine>>, 4},
    {"[cos sin cos sin, ..]", in_turn<cosine, sine, cosine, sine>, 4},
    {"[sin cos sin cos, ..]", in_turn<sine, cosine, sine, cosine>, 4},
    {"angles [a | a]", in_blocks<Kind::angle, sine, sine>, 2},
    {"angles [a]", in_blocks<Kind::angle, sine>, 1},
};

// ---- numbers -------------------------------------------------------------------------------------

std::shared_ptr<const plan::RowPlan> shared(plan::RowPlan plan) {
  return std::make_shared<const plan::RowPlan>(std::move(plan));
}

double nearest(const numerics::Real& x) { return numerics::rounded<double>(x).value_or(0); }

// Makes these numbers of a ladder.
void make(const plan::Ladder& ladder, const std::vector<std::uint32_t>& asked, std::vector<double>& numbers) {
  if (asked.empty()) return;
  plan::Ladder some = ladder;
  some.picked = asked;
  if (!ladder.picked.empty())
    std::ranges::transform(asked, some.picked.begin(), [&](auto k) { return ladder.picked[k]; });
  std::vector<double> made;
  std::ignore = plan::append_rounded(some, made);  // what is not settled is 0
  for (std::size_t i = 0; i < asked.size(); ++i) numbers[asked[i]] = made[i];
}

// All numbers of a ladder, or a few of one that costs time; the others are NaN.
enum class Made : std::uint8_t { few = 1, all };

std::vector<double> frequencies_of(const plan::Ladder& ladder, Made made) {
  std::vector<double> all;
  const auto* rule = std::get_if<plan::Rule>(&ladder.form);
  if (rule != nullptr && rule->steps.size() == 1 && rule->count > 0) {  // each from the one before
    std::vector<numerics::Turn> turns(rule->count);
    const bool positive = numerics::sign(rule->first).value_or(0) > 0;
    if (positive && numerics::geometric_turns(rule->first, plan::ratio(*rule), turns)) {
      constexpr double unit = 6.283185307179586 * 0x1p-64;
      for (const numerics::Turn& each : turns) {
        all.push_back(std::ldexp(static_cast<double>(each.significand[3]) * unit, static_cast<int>(each.exponent)));
      }
      return all;
    }
  }
  // A real number of another ladder takes some 3 us.
  constexpr std::size_t few = 16;
  const std::size_t count = ladder.size();
  std::vector<std::uint32_t> asked;
  for (std::uint32_t i = 0; i < count; ++i) {
    if (made == Made::all || count <= few || i * (few - 1) % (count - 1) < few - 1) asked.push_back(i);
  }
  all.assign(count, std::numeric_limits<double>::quiet_NaN());
  make(ladder, asked, all);
  return all;
}

bool is_quick(const plan::Ladder& ladder) {
  const auto* rule = std::get_if<plan::Rule>(&ladder.form);
  return ladder.size() <= 1 || (rule != nullptr && rule->steps.size() == 1);
}

// `frequencies`: those of its ladders, where another signal of them has made as many; else they are made here.
void make_numbers(Signal& signal, Made made, std::vector<std::vector<double>>& frequencies) {
  signal.phases.clear();
  if (frequencies.empty()) {
    for (const plan::Ladder& ladder : signal.plan->ladders) frequencies.push_back(frequencies_of(ladder, made));
  }
  signal.frequencies = frequencies;
  for (const numerics::Real& phase : signal.plan->phases) signal.phases.push_back(nearest(phase));
  signal.scale = nearest(signal.plan->scale);
}

bool near(double a, double b) { return std::isnan(a) || !(std::abs(a - b) > 1e-14 * (std::abs(a) + std::abs(b))); }
bool near(const std::vector<double>& a, const std::vector<double>& b) {
  return std::ranges::equal(a, b, [](double x, double y) { return near(x, y); });
}

// The same plan as it is written down; no number is made.
bool same_text(const Signal& a, const Signal& b) {
  const auto same_ladder = [](const plan::Ladder& x, const plan::Ladder& y) { return x.form == y.form; };
  return same_places(a, b) && a.plan->scale == b.plan->scale && a.plan->phases == b.plan->phases &&
         std::ranges::equal(a.plan->ladders, b.plan->ladders, same_ladder);
}

// Adds what a row of presets has to those that are one with it. `frequencies`: a few of its ladders, as in
// make_numbers.
void add(std::vector<Named>& all, Signal signal, std::vector<std::vector<double>>& frequencies) {
  const Named::Member member = {signal.preset, signal.given};
  auto same = std::ranges::find_if(all, [&](const Named& each) { return same_text(each.signal, signal); });
  if (same == all.end()) {
    make_numbers(signal, Made::few, frequencies);
    same = std::ranges::find_if(all, [&](const Named& each) { return same_signal(each.signal, signal); });
  }
  if (same == all.end()) {
    all.push_back({std::move(signal), {member}});
  } else if (same->members.back().preset != member.preset) {
    same->members.push_back(member);
  }
}

// ---- rows ----------------------------------------------------------------------------------------

bool admits(ConventionUse use, const Convention& convention) { return !check_use("identify", use, convention); }

std::optional<Signal> row_signal(const Preset& preset, const Convention& convention, const LoweredFor& given) {
  if (!admits(ConventionUse::coordinates, convention) || check_lower(convention, given)) return std::nullopt;
  return Signal{&preset, table_form, convention, given, shared(lower_rows(convention, given)), {}, {}, 1};
}

Columns columns_of(const plan::PairPlan& pairs, const Form& form) {
  std::vector<Angle> angles;
  for (const plan::Pair& pair : pairs.pairs) angles.push_back(pair.angles[0]);
  return form.columns(angles);
}

Signal rotation_signal(const Preset& preset, const Convention& convention, const LoweredFor& given,
                       const plan::PairPlan& pairs, const Form& form) {
  plan::RowPlan row = {.axes = pairs.axes, .ladders = pairs.ladders, .phases = {}, .columns = columns_of(pairs, form)};
  if (row.columns.front().kind != Kind::angle) row.scale = pairs.magnitude;
  return {&preset, form.name, convention, given, shared(std::move(row)), {}, {}, 1};
}

// Decays are of rotations alone: no table has them.
LoweredFor centred(LoweredFor given) {
  if (!given.context.centre) given.context.centre = 0;
  return given;
}

// Lengths at which a convention has ladders of its own: any, and beyond the last one. Dynamic NTK has one for every
// length, which nobody can list.
constexpr std::int64_t longest_listed = std::int64_t{1} << 40;
std::vector<std::int64_t> lengths_of(const Convention& convention) {
  if (has_two_ladders(convention)) return {1, longest_listed};
  return {1};
}

// ---- frequencies ---------------------------------------------------------------------------------

// The ladder of rows or of pairs, one for all axes.
std::optional<Signal> ladder_signal(const Preset& preset, const Convention& convention, const LoweredFor& given,
                                    const std::vector<plan::Axis>& axes, const std::vector<plan::Ladder>& ladders) {
  if (ladders.empty()) return std::nullopt;
  const plan::Ladder& ladder = ladders[0];
  if (!std::ranges::all_of(ladders, [&](const auto& each) { return each.form == ladder.form; })) return std::nullopt;
  plan::RowPlan list = {.axes = {axes[0]}, .ladders = {ladder}, .phases = {}, .columns = {}};
  for (std::uint32_t k = 0; k < ladder.size(); ++k) list.columns.push_back({Kind::angle, sine, 0, k});
  return Signal{&preset, frequency_form, convention, given, shared(std::move(list)), {}, {}, 1};
}
std::optional<Signal> frequency_signal(const Preset& preset, const Convention& convention, const LoweredFor& given) {
  if (admits(ConventionUse::coordinates, convention)) {
    if (check_lower(convention, given)) return std::nullopt;
    const plan::RowPlan rows = lower_rows(convention, given);
    return ladder_signal(preset, convention, given, rows.axes, rows.ladders);
  }
  const LoweredFor of = centred(given);
  if (!admits(ConventionUse::rotations, convention) || check_lower(convention, of)) return std::nullopt;
  const plan::PairPlan pairs = lower_pairs(convention, of);
  if (!plan::turns_by_one_angle(pairs)) return std::nullopt;
  if (axes_of(convention).size() > 1) return ladder_signal(preset, convention, of, pairs.axes, pairs.ladders);
  return rotation_signal(preset, convention, of, pairs, frequency_list);
}

}  // namespace

std::span<const Form> rotation_forms() { return forms; }

std::optional<std::int64_t> head_of(const Convention& convention, std::int64_t rotated) {
  if (!admits(ConventionUse::rotations, convention) || check_convention(convention)) return std::nullopt;
  LoweredFor given = {.width = rotated, .context = {.length = 1, .centre = 0}};
  for (const std::int64_t tenths : head_tenths) {
    given.width = tenths * rotated / 10;
    if (turned_columns(convention, given) == rotated) return given.width;
  }
  for (given.width = rotated + 1; given.width <= rotated * 4 / 3 + 2; ++given.width) {
    const auto turned = turned_columns(convention, given);
    if (turned == rotated) return given.width;
    if (turned && *turned > rotated) return std::nullopt;
  }
  return std::nullopt;
}

std::vector<std::string> Named::names() const {
  std::vector<std::string> all;
  for (const Member& each : members) all.emplace_back(each.preset->name);
  return all;
}

std::optional<Signal> signal_of(const Preset& preset, const Convention& convention, const LoweredFor& given,
                                std::string_view form) {
  std::optional<Signal> signal;
  if (form == table_form) {
    signal = row_signal(preset, convention, given);
  } else if (form == frequency_form) {
    signal = frequency_signal(preset, convention, given);
  } else {
    const auto* found = std::ranges::find(forms, form, &Form::name);
    const LoweredFor of = centred(given);
    if (found == std::end(forms) || !admits(ConventionUse::rotations, convention) || check_lower(convention, of)) {
      return std::nullopt;
    }
    const plan::PairPlan pairs = lower_pairs(convention, of);
    if (!plan::turns_by_one_angle(pairs)) return std::nullopt;
    signal = rotation_signal(preset, convention, of, pairs, *found);
  }
  std::vector<std::vector<double>> frequencies;
  if (signal) make_numbers(*signal, Made::all, frequencies);
  return signal;
}

// ---- every signal of a width ---------------------------------------------------------------------

Catalogue::Catalogue(std::int64_t width, Ladders ladders) : ladders_(ladders) {
  for (const Preset& preset : presets()) {
    if (admits(ConventionUse::coordinates, preset.convention)) list_rows(preset, width);
    if (!admits(ConventionUse::rotations, preset.convention)) continue;
    for (const std::int64_t per_pair : {2, 1, 4}) list_rotations(preset, width, per_pair);
  }
}

void Catalogue::list(const Columns& columns, const Listed& listed) {
  auto group = std::ranges::find(groups_, columns, &Group::columns);
  if (group == groups_.end()) group = groups_.insert(groups_.end(), {columns, {}, {}});
  group->listed.push_back(listed);
}

void Catalogue::list_rows(const Preset& preset, std::int64_t width) {
  // The width of a row may be less than that of the convention: by a column, or without its cosines.
  for (const std::int64_t dim : {width, width + 1, 2 * width, 2 * width + 1, 2 * width - 1}) {
    const LoweredFor given = {.width = dim, .context = {.length = 1, .learned = 1}};
    if (check_lower(preset.convention, given) || columns(preset.convention, dim) != width) continue;
    list(lower_rows(preset.convention, given).columns, {&preset, given, nullptr, nullptr});
  }
}

void Catalogue::list_rotations(const Preset& preset, std::int64_t width, std::int64_t per_pair) {
  const auto head = width % per_pair == 0 ? head_of(preset.convention, 2 * width / per_pair) : std::nullopt;
  if (!head) return;
  LoweredFor given = centred({.width = *head, .context = {.length = 1}});
  const plan::PairPlan outline = lower_step_pairs(preset.convention, given);
  if (!plan::turns_by_one_angle(outline)) return;
  for (const std::int64_t length : lengths_of(preset.convention)) {
    given.context.length = length;
    const auto rotation = std::make_shared<Rotation>();
    for (const Form& form : forms) {
      if (form.per_pair == per_pair) list(columns_of(outline, form), {&preset, given, &form, rotation});
    }
  }
}

// Scaled ladders take most of the time, each on its own.
void Catalogue::lower_all(std::span<const Group* const> groups, const Executor& executor) {
  std::vector<const Listed*> to_lower;
  for (const Group* group : groups) {
    for (const Listed& each : group->listed) {
      const auto same = [&](const Listed* other) { return other->rotation == each.rotation; };
      const bool is_lowered = !each.rotation || each.rotation->pairs;
      if (!is_lowered && std::ranges::none_of(to_lower, same)) to_lower.push_back(&each);
    }
  }
  if (to_lower.empty()) return;
  for_blocks(executor, std::ssize(to_lower), 1, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const Listed& each = *to_lower[static_cast<std::size_t>(i)];
      each.rotation->pairs = lower_pairs(each.preset->convention, each.given);
    }
  });
}

std::vector<Named> Catalogue::signals(const std::function<bool(const Columns&)>& may_be, const Executor& executor) {
  std::vector<Named> all;
  std::vector<Group*> admitted;
  for (Group& group : groups_) {
    if (may_be(group.columns)) admitted.push_back(&group);
  }
  lower_all(std::vector<const Group*>(admitted.begin(), admitted.end()), executor);
  for (Group* const each : admitted) {
    Group& group = *each;
    for (const auto& [preset, given, form, rotation] : std::exchange(group.listed, {})) {
      if (rotation && !rotation->pairs)
        rotation->pairs = lower_pairs(preset->convention, given);  // an executor that was stopped leaves some
      auto signal = rotation ? rotation_signal(*preset, preset->convention, given, *rotation->pairs, *form)
                             : row_signal(*preset, preset->convention, given);
      const bool quick = signal && std::ranges::all_of(signal->plan->ladders, is_quick);
      if (!quick && !(signal && ladders_ == Ladders::all)) continue;
      std::vector<std::vector<double>> own;
      add(group.made, std::move(*signal), rotation ? rotation->frequencies : own);
    }
    all.insert(all.end(), group.made.begin(), group.made.end());
  }
  std::ranges::stable_sort(all, {}, [](const Named& each) { return each.signal.preset; });
  return all;
}

std::vector<Named> preset_frequencies(std::int64_t count) {
  std::vector<Named> all;
  for (const Preset& preset : presets()) {
    const auto add = [&](const LoweredFor& given) {
      auto signal = frequency_signal(preset, preset.convention, given);
      const bool fits = signal && signal->width() == count;
      std::vector<std::vector<double>> frequencies;
      if (fits) posenc::referee::add(all, std::move(*signal), frequencies);
      return fits;
    };
    const auto axes = std::ssize(axes_of(preset.convention));
    if (admits(ConventionUse::rotations, preset.convention)) {
      const auto head = head_of(preset.convention, 2 * count * axes);
      for (const std::int64_t length : lengths_of(preset.convention)) {
        if (head) add({.width = *head, .context = {.length = length}});
      }
    } else if (admits(ConventionUse::coordinates, preset.convention)) {
      for (const std::int64_t of_axis : widths_of_ladder(count)) {
        const std::int64_t width = axes * of_axis;
        if (add({.width = width, .context = {.length = 1, .learned = 1}})) break;
      }
    }
  }
  return all;
}

void complete(Signal& signal) {
  for (std::size_t a = 0; a < signal.axes(); ++a) {
    std::vector<double>& made = signal.frequencies[a];
    std::vector<std::uint32_t> missing;
    for (std::uint32_t k = 0; k < made.size(); ++k) {
      if (std::isnan(made[k])) missing.push_back(k);
    }
    make(signal.plan->ladders[a], missing, made);
  }
}

std::optional<Signal> scaled(const Signal& like, const Convention& convention, const LoweredFor& given) {
  Signal signal = like;
  signal.convention = convention, signal.given = given;
  if (like.form == table_form) {
    if (check_lower(convention, given)) return std::nullopt;
    signal.plan = shared(lower_rows(convention, given));
  } else {
    const LoweredFor of = centred(given);
    if (check_lower(convention, of)) return std::nullopt;
    plan::RowPlan plan = *like.plan;
    plan.scale = lower_pairs(convention, of).magnitude;
    signal.plan = shared(std::move(plan));
  }
  signal.scale = nearest(signal.plan->scale);
  return signal;
}

bool same_places(const Signal& a, const Signal& b) {
  return a.form == b.form && a.preset->places == b.preset->places && a.plan->columns == b.plan->columns &&
         a.plan->axes == b.plan->axes && (a.axes() == 1 || axes_of(a.convention) == axes_of(b.convention));
}

bool same_signal(const Signal& a, const Signal& b) {
  if (!same_places(a, b) || !near(a.scale, b.scale) || !near(a.phases, b.phases)) return false;
  return std::ranges::equal(a.frequencies, b.frequencies, [](const auto& x, const auto& y) { return near(x, y); });
}

bool has_two_ladders(const Convention& convention) { return detail::regime(convention, longest_listed) == 1; }

bool depends_on_length(const Convention& convention) {
  constexpr std::int64_t longest = std::int64_t{1} << 53;
  return detail::regime(convention, longest) != detail::regime(convention, 1);
}

}  // namespace posenc::referee
