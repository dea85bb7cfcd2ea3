// SPDX-License-Identifier: Apache-2.0
// The calls of the header, on what was made for them.
namespace posenc {

// ---- fields that can change ----------------------------------------------------------------------

namespace {

constexpr std::string_view forms[] = {"none", "halves_twice", "pairs_twice", "sine_cosine", "complex", "angles_twice"};

// Returns 0 for an unknown word.
StoredAs stored_as(std::string_view word) {
  const auto at = std::find(std::begin(forms), std::end(forms), word);
  return at == std::end(forms) ? StoredAs{} : static_cast<StoredAs>(at - std::begin(forms) + 1);
}

}  // namespace

std::string FieldValue::text_of(double number) { return to_text(number); }

std::optional<Problem> check_changes(const Convention& convention, cpp20::span<const FieldChange> changes) {
  if (convention.made == nullptr || convention.made->axes.empty()) {
    return Problem{"convention", "the convention must be a rotation of this file",
                   convention.made == nullptr ? "none" : std::string(convention.made->name)};
  }
  for (const FieldChange& each : changes) {
    if (each.path != "stored") {
      return Problem{"convention", "the path must be stored: other fields are chosen when this file is made",
                     quote(each.path)};
    }
    if (stored_as(each.value.value) != StoredAs{}) continue;
    const std::string words = listed(forms, [](std::string_view word) { return word; });
    return Problem{"convention", "stored must be one of " + words, quote(each.value.value)};
  }
  return std::nullopt;
}

namespace detail {

Convention changed(Convention convention, cpp20::span<const FieldChange> changes) {
  for (const FieldChange& each : changes) convention.stored = stored_as(each.value.value);
  return convention;
}

}  // namespace detail

// ---- what was made -------------------------------------------------------------------------------

namespace {

std::string widths_of(const detail::Made& made) {
  std::string text;
  for (const detail::PlanMade& plan : made.plans) {
    if (plan.from == 0) text += (text.empty() ? "" : ", ") + std::to_string(plan.width);
  }
  return text;
}

// The plan of a width and a length, after made_problem.
const detail::PlanMade* plan_of(const detail::Made& made, std::int64_t width, std::int64_t length) {
  const detail::PlanMade* found = nullptr;
  for (const detail::PlanMade& plan : made.plans) {
    if (plan.width == width && plan.from <= length) found = &plan;
  }
  return found;
}

std::optional<Problem> made_problem(std::string_view operation, const Convention& convention, std::int64_t width,
                                    const Context& context, bool rotation) {
  const detail::Made* const made = convention.made;
  if (made == nullptr || made->axes.empty() == rotation) {
    return Problem{
        std::string(operation),
        rotation ? "the convention must be a rotation of this file" : "the convention must be rows of this file",
        made == nullptr ? "none" : std::string(made->name)};
  }
  if (context.length < 0) return Problem{"context", "length must be >= 0", std::to_string(context.length)};
  if (made->by_length && context.length == 0) {
    return Problem{std::string(operation),
                   "length must be stated: the frequencies of " + std::string(made->name) + " depend on it", "none"};
  }
  if (plan_of(*made, width, context.length) != nullptr) return std::nullopt;
  return Problem{
      std::string(operation),
      "the width must be one that this file was made for (" + std::string(made->name) + ": " + widths_of(*made) + ")",
      std::to_string(width)};
}

// RN of w, from its turns.
double frequency(std::uint16_t place) {
  const numerics::Frequency& w = numerics::frequencies[place];
  if (w.limbs[0] == 0) return 0;
  const numerics::Approximation turns = {w.negative, numerics::uint128{w.limbs[0]} << 64 | w.limbs[1], w.exponent, 1};
  constexpr numerics::uint128 two_pi = numerics::uint128{0xC90FDAA22168C234u} << 64 | 0xC4C6628B80DC1CD1u;
  const auto rounded = numerics::settle<double>(numerics::multiply(turns, {false, two_pi, 3, 1}));
  return rounded.value_or(std::numeric_limits<double>::quiet_NaN());
}

plan::PairPlan pairs_of(const Convention& convention, const detail::PlanMade& of) {
  plan::PairPlan plan;
  plan.axes.resize(convention.made->axes.size());
  plan.ladders.assign(of.ladders.begin(), of.ladders.end());
  plan.width = of.width;
  plan.magnitude = of.factor;
  plan.turning = of.backward ? plan::Turning::backward : plan::Turning::forward;
  const StoredAs stored = convention.stored == StoredAs{} ? static_cast<StoredAs>(of.stored) : convention.stored;
  plan.stored = static_cast<plan::Stored>(stored);  // both have one order
  for (const detail::PairsMade& run : of.pairs) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      const std::uint32_t c = i * run.columns_step, w = i * run.written_step, f = i * run.frequency_step;
      plan.pairs.push_back(
          {{run.read[0] + c, run.read[1] + c},
           {run.written[0] + w, run.written[1] + w},
           {plan::Angle{run.axes[0], run.frequencies[0] + f}, plan::Angle{run.axes[1], run.frequencies[1] + f}}});
    }
  }
  return plan;
}

plan::RowPlan row_of(const detail::PlanMade& of) {
  plan::RowPlan plan;
  plan.axes.resize(1);
  plan.ladders.assign(of.ladders.begin(), of.ladders.end());
  plan.scale = of.factor;
  std::uint32_t width = 0;
  for (const detail::ColumnsMade& run : of.columns) width = std::max(width, run.first + (run.count - 1) * run.step + 1);
  plan.columns.resize(width);
  for (const detail::ColumnsMade& run : of.columns) {
    for (std::uint32_t i = 0; i < run.count; ++i) {
      plan.columns[run.first + i * run.step] = {run.constant ? plan::Kind::constant : plan::Kind::wave, run.quarter, 0,
                                                run.frequency + i * run.frequency_step};
    }
  }
  return plan;
}

std::vector<std::string> axes_of(const detail::Made& made) { return {made.axes.begin(), made.axes.end()}; }

}  // namespace

std::optional<Problem> RotaryRows::check(const Convention& convention, std::int64_t rotated, const Options& options) {
  return made_problem("rotary", convention, rotated, options.context, true);
}

RotaryRows::RotaryRows(const Convention& convention, std::int64_t rotated, const Options& options, Checked) {
  const plan::PairPlan pairs = pairs_of(convention, *plan_of(*convention.made, rotated, options.context.length));
  ready_ = detail::Shared(Ready{2 * cpp20::ssize(pairs.pairs), axes_of(*convention.made), false, Rotation(pairs)});
}

std::optional<Problem> check_sinusoid_made(const Convention& convention, std::int64_t dim, const Options& options) {
  return made_problem("sinusoid", convention, dim, options.context, false);
}

std::optional<Problem> Rows::check(const Convention& convention, std::int64_t dim, const Options& options) {
  return check_sinusoid_made(convention, dim, options);
}

Rows::Rows(const Convention& convention, std::int64_t dim, const Options& options, Checked) {
  const plan::RowPlan rows = row_of(*plan_of(*convention.made, dim, options.context.length));
  Ready ready = {AxisRows{CellRows(rows), cpp20::ssize(rows.columns), {}}, {"position"}};
  for (const std::uint16_t place : rows.ladders[0]) ready.line->frequencies.push_back(frequency(place));
  ready_ = detail::Shared(std::move(ready));
}

std::optional<Problem> Rows::write_checked(const Positions& positions, const View& out, const Executor& executor,
                                           Reading reading) const {
  if (out.count() == 0) return std::nullopt;
  return undecided_unless(write_line(*ready_->line, positions, out, executor, reading), "sinusoid");
}

std::int64_t columns(const Convention& convention, std::int64_t dim) {
  return cpp20::ssize(row_of(*plan_of(*convention.made, dim, 0)).columns);
}

std::optional<Problem> RotaryCache::check(const Convention& convention, std::int64_t head, const Options& options) {
  if (auto problem = made_problem("rotary_cache", convention, head, options.context, true)) return problem;
  const plan::PairPlan plan = pairs_of(convention, *plan_of(*convention.made, head, options.context.length));
  if (plan.stored == plan::Stored::none || plan.stored == plan::Stored::angles_twice) {
    return Problem{"rotary_cache", "stored must be halves_twice, pairs_twice, sine_cosine or complex",
                   plan.stored == plan::Stored::none ? "none" : "angles_twice"};
  }
  if (plan::turns_by_one_angle(plan)) return std::nullopt;
  return Problem{"rotary_cache", "a pair must turn by one angle", "angles by column"};
}

RotaryCache::RotaryCache(const Convention& convention, std::int64_t head, const Options& options, Checked) {
  const plan::PairPlan pairs = pairs_of(convention, *plan_of(*convention.made, head, options.context.length));
  Ready ready = {{}, axes_of(*convention.made), {}, {}};
  for (const plan::Pair& pair : pairs.pairs) {
    const auto& [axis, k] = pair.angles[0];
    const std::size_t of = axis == plan::every_axis ? 0 : axis;
    ready.frequencies.push_back(axis == plan::no_axis ? 0 : frequency(pairs.ladders[of][k]));
  }
  for (const FormTensor& tensor : form_tensors) {
    if (tensor.form != pairs.stored) continue;
    ready.tensors.emplace_back(tensor.name);
    ready.rows.emplace_back(row_plan(pairs, tensor));
  }
  ready_ = detail::Shared(std::move(ready));
}

std::optional<Problem> RotaryCache::check_head(const Convention& convention, std::int64_t head) {
  return made_problem("rotary_cache", convention, head, {INT64_MAX}, true);
}

std::int64_t RotaryCache::width_checked(const Convention& convention, std::int64_t head) {
  return 2 * cpp20::ssize(pairs_of(convention, *plan_of(*convention.made, head, INT64_MAX)).pairs);
}

std::vector<double> RotaryCache::frequencies(const Executor&) const { return ready_->frequencies; }
std::vector<double> Rows::frequencies_checked(const Executor&) const { return ready_->line->frequencies; }

// ---- keys that move ------------------------------------------------------------------------------

namespace {

std::vector<Positions> joined(const Standing& to, const Standing& from) {
  std::vector<Positions> all(to.coordinates.begin(), to.coordinates.end());
  all.insert(all.end(), from.coordinates.begin(), from.coordinates.end());
  return all;
}

// The distance that each token moves along an axis, a list for each sequence; nothing if one is no int64.
std::optional<std::vector<std::int64_t>> moves(const Positions& from, const Positions& to, std::int64_t lists) {
  std::vector<std::int64_t> all;
  for (std::int64_t b = 0; b < lists; ++b) {
    for (std::int64_t t = 0; t < to.count_; ++t) {
      const auto x = integer_at(from, rank(from) == 2 ? b : 0, t), y = integer_at(to, rank(to) == 2 ? b : 0, t);
      std::int64_t by = 0;
      if (!x || !y || __builtin_sub_overflow(*y, *x, &by)) return std::nullopt;
      all.push_back(by);
    }
  }
  return all;
}

std::int64_t lists_of(cpp20::span<const Positions> coordinates) {
  const Positions& positions = widest(coordinates);
  return rank(positions) == 2 ? positions.list_.size(0) : 1;
}

}  // namespace

std::optional<Problem> check_rerotate(const Convention& convention, const Standing& from, const Standing& to,
                                      const Rotated& keys, const Options&) {
  if (convention.made == nullptr) return made_problem("rerotate", convention, 0, {}, true);
  std::vector<std::string> axes = axes_of(*convention.made), both = axes;
  both.insert(both.end(), axes.begin(), axes.end());
  for (const Standing* each : {&from, &to}) {
    if (auto problem = check_list_count("rerotate", axes, each->coordinates)) return problem;
  }
  const std::vector<Positions> all = joined(to, from);
  if (auto problem = check_coordinates("rerotate", both, all)) return problem;
  if (auto problem = check_rotated("rerotate", all, keys)) return problem;
  const std::int64_t width = keys.out.size(-1);
  for (const Standing* each : {&from, &to}) {
    if (auto problem = made_problem("rerotate", convention, width, each->context, true)) return problem;
  }
  const detail::PlanMade* const plan = plan_of(*convention.made, width, to.context.length);
  if (plan != plan_of(*convention.made, width, from.context.length)) {
    return Problem{"rerotate", "both lengths must have the same frequencies",
                   std::to_string(from.context.length) + " and " + std::to_string(to.context.length)};
  }
  if (!plan::turns_by_one_angle(pairs_of(convention, *plan))) {
    return Problem{"rerotate", "a pair must turn by one angle", "angles by column"};
  }
  for (std::size_t a = 0; a < axes.size(); ++a) {
    if (moves(from.coordinates[a], to.coordinates[a], lists_of(all))) continue;
    return Problem{"rerotate", "positions must be whole numbers whose difference int64 holds", "others of " + axes[a]};
  }
  return std::nullopt;
}

// Rotates by the difference of the positions, without the magnitude, which the keys have already.
std::optional<Problem> rerotate_checked(const Convention& convention, const Standing& from, const Standing& to,
                                        const Rotated& keys, const Executor& executor) {
  if (keys.out.count() == 0) return std::nullopt;
  plan::PairPlan plan = pairs_of(convention, *plan_of(*convention.made, keys.out.size(-1), to.context.length));
  plan.magnitude = nullptr;
  for (plan::Pair& pair : plan.pairs) pair.read = pair.written;
  const std::int64_t lists = lists_of(joined(to, from));
  std::vector<std::vector<std::int64_t>> by;
  std::vector<Positions> coordinates;
  for (std::size_t a = 0; a < plan.axes.size(); ++a) {
    by.push_back(*moves(from.coordinates[a], to.coordinates[a], lists));
    const std::int64_t count = to.coordinates[a].count_;
    coordinates.push_back(lists == 1 ? Positions::list(view(by[a].data(), {count}))
                                     : Positions::list(view(by[a].data(), {lists, count})));
  }
  const Rotated one[] = {keys};
  std::vector<Rotated> transposed;
  return undecided_unless(Rotation(plan).rotate(coordinates, by_rows(one, transposed), Direction::forward, executor),
                          "rerotate");
}

// ---- presets -------------------------------------------------------------------------------------

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : presets()) {
    if (preset.name == name) return &preset;
    if (std::find(preset.aliases.begin(), preset.aliases.end(), name) != preset.aliases.end()) return &preset;
  }
  return nullptr;
}

std::optional<Problem> check_preset(std::string_view name) {
  if (find_preset(name) != nullptr) return std::nullopt;
  std::vector<std::string_view> names;
  for (const Preset& preset : presets()) {
    names.push_back(preset.name);
    names.insert(names.end(), preset.aliases.begin(), preset.aliases.end());
  }
  const std::string near = listed(nearest(name, names, 3), [](std::string_view each) { return each; });
  return Problem{"preset", "name must be that of a preset of this file, of which " + near + " are nearest",
                 quote(name)};
}

}  // namespace posenc
