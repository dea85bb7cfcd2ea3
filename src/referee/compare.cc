// SPDX-License-Identifier: Apache-2.0
// Comparisons: fields, plans, then numbers, block by block.
#include <posenc/referee/compare.h>

#include <algorithm>
#include <cmath>

#include "src/base/environment.h"
#include "src/base/to_text.h"
#include "src/conventions/rules.h"
#include "src/encodings/undecided.h"
#include "src/referee/compared_scores.h"
#include "src/referee/signal.h"

namespace posenc::referee {
namespace {

constexpr std::int64_t usual_places = 512, usual_head = 64;
constexpr std::int64_t most_entries_compared = std::int64_t{1} << 32;

bool asked_for(ConventionUse use, const Convention& convention) { return !check_use("compare", use, convention); }
bool both(ConventionUse use, const Convention& a, const Convention& b) {
  return asked_for(use, a) && asked_for(use, b);
}

// They give the same operation its numbers.
bool alike(const Convention& a, const Convention& b) { return operation_of(a).use == operation_of(b).use; }

std::int64_t usual_dim(const Convention& convention) {
  constexpr std::int64_t row = 512, head = 128, heads = 8;
  if (asked_for(ConventionUse::coordinates, convention)) return row;
  if (asked_for(ConventionUse::rotations, convention)) return head;
  return asked_for(ConventionUse::slopes, convention) ? heads : 0;
}

// The order in which b's axes are those of a; nothing where they are others.
std::optional<std::vector<std::size_t>> order_of_axes(const Convention& a, const Convention& b) {
  const std::vector<std::string> of_a = axes_of(a), of_b = axes_of(b);
  if (of_a.size() != of_b.size()) return std::nullopt;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < of_a.size(); ++i) {
    const auto found = std::ranges::find(of_b, of_a[i]);
    if (found == of_b.end()) {  // other names: the first is the first
      order.clear();
      for (std::size_t j = 0; j < of_a.size(); ++j) order.push_back(j);
      return order;
    }
    order.push_back(static_cast<std::size_t>(found - of_b.begin()));
  }
  return order;
}

// The axes of a plan in another order: axis i is the one that was order[i].
template <class Plan>
void reorder_axes(Plan& plan, const std::vector<std::size_t>& order) {
  const Plan before = plan;
  for (std::size_t i = 0; i < order.size(); ++i) {
    plan.axes[i] = before.axes[order[i]], plan.ladders[i] = before.ladders[order[i]];
  }
}
std::uint16_t axis_in(const std::vector<std::size_t>& order, std::uint16_t axis) {
  if (axis == plan::every_axis || axis == plan::no_axis) return axis;
  return static_cast<std::uint16_t>(std::ranges::find(order, axis) - order.begin());
}
plan::RowPlan reordered(plan::RowPlan plan, const std::vector<std::size_t>& order) {
  reorder_axes(plan, order);
  for (plan::Column& column : plan.columns) {
    if (column.kind != plan::Kind::constant) column.axis = axis_in(order, column.axis);
  }
  return plan;
}
plan::PairPlan reordered(plan::PairPlan plan, const std::vector<std::size_t>& order) {
  reorder_axes(plan, order);
  for (plan::Pair& pair : plan.pairs) {
    for (plan::Angle& angle : pair.angles) angle.axis = axis_in(order, angle.axis);
  }
  return plan;
}

std::int64_t usual_side(std::size_t axes) {
  std::int64_t side = 1;
  const auto cells = [&](std::int64_t of) {
    std::int64_t all = 1;
    for (std::size_t a = 0; a < axes; ++a) all *= of;
    return all;
  };
  while (cells(side + 1) <= usual_places) ++side;
  return side;
}

Places places_of(const Convention& convention, const CompareOptions& options) {
  const std::size_t axes = std::max<std::size_t>(axes_of(convention).size(), 1);
  if (options.positions.size() == axes) return {options.positions};
  if (options.positions.size() == 1) return {std::vector<Positions>(axes, options.positions[0])};
  return {std::vector<Positions>(axes, Positions::range(0, axes == 1 ? usual_places : usual_side(axes)))};
}

Context stated_context(const Places& places, const CompareOptions& options) {
  Context context = options.context;
  if (!context.centre) context.centre = 0;
  if (!context.learned) context.learned = 1;
  if (context.length > 0) return context;
  double furthest = 0;
  for (const Positions& each : places.along) {
    for (std::int64_t i = 0; i < each.count_; ++i) furthest = std::max(furthest, std::abs(number_at(each, i)));
  }
  constexpr double longest = 0x1p53;
  context.length = static_cast<std::int64_t>(std::min(std::floor(furthest), longest)) + 1;
  return context;
}

// Places that each of the two numbers its own way; where positions are given, those are the coordinates of both.
bool own_coordinates(const Convention& a, const Convention& b, const CompareOptions& options) {
  return options.positions.empty() && options.places_of_a != options.places_of_b &&
         (both(ConventionUse::coordinates, a, b) || both(ConventionUse::rotations, a, b));
}

// The coordinates of places that a convention numbers.
class NumberedPlaces {
 public:
  NumberedPlaces(const PlaceNumbering& numbering, const Places& places) : numbers_(places.along.size()) {
    std::vector<std::int64_t> extents;
    for (const Positions& each : places.along) extents.push_back(each.count_);
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      numbers_[axis].resize(static_cast<std::size_t>(extents[axis]));
      const View out = view(numbers_[axis].data(), {extents[axis]});
      detail::write_place_coordinates(numbering, extents, axis, 0, out);
    }
  }
  Places places() const {
    Places made;
    for (const std::vector<double>& each : numbers_) {
      made.along.push_back(Positions::list(view(each.data(), {std::ssize(each)})));
    }
    return made;
  }

 private:
  std::vector<std::vector<double>> numbers_;
};

struct ComparedAt {
  Places places;
  LoweredFor given;
  std::optional<NumberedPlaces> own_a = {}, own_b = {};  // where they are not those of `places`

  Places of_a() const { return own_a ? own_a->places() : places; }
  Places of_b() const { return own_b ? own_b->places() : places; }
};
ComparedAt asked_of(const Convention& a, const Convention& b, const CompareOptions& options) {
  ComparedAt asked = {.places = places_of(a, options), .given = {}};
  const std::int64_t dim = options.dim == 0 ? usual_dim(a) : options.dim;
  asked.given.width = dim;
  if (asked_for(ConventionUse::slopes, a)) {
    asked.given.heads = dim, asked.given.width = options.head_width == 0 ? usual_head : options.head_width;
  }
  asked.given.context = stated_context(asked.places, options);
  if (own_coordinates(a, b, options)) {
    asked.own_a.emplace(options.places_of_a, asked.places), asked.own_b.emplace(options.places_of_b, asked.places);
  }
  return asked;
}

// ---- numbers -------------------------------------------------------------------------------------

// Two rows of numbers, block by block.
class Beside {
 public:
  Beside(const ComparedNumbers& a, const ComparedNumbers& b, Comparison& comparison)
      : a_(a), b_(b), width_(std::min(a.width, b.width)), comparison_(comparison) {}

  std::optional<Problem> run(bool whole_numbers) {
    const std::int64_t widest = std::max<std::int64_t>({a_.width, b_.width, 1});
    const std::int64_t block = std::clamp<std::int64_t>((std::int64_t{1} << 18) / widest, 1, 512);
    for (std::int64_t first = 0; first < a_.rows; first += block) {
      const std::int64_t count = std::min(block, a_.rows - first);
      if (auto problem = in_type<double>(first, count, comparison_.first)) return problem;
      if (whole_numbers) continue;
      if (!comparison_.first_f32) {
        if (auto problem = in_type<float>(first, count, comparison_.first_f32)) return problem;
      }
      if (!comparison_.first_bf16) {
        if (auto problem = in_type<bfloat16>(first, count, comparison_.first_bf16)) return problem;
      }
    }
    comparison_.entries = a_.rows * width_;
    return std::nullopt;
  }

 private:
  template <class T>
  static double number(T x) {
    if constexpr (std::is_same_v<T, bfloat16>) {
      return static_cast<double>(static_cast<float>(x));
    } else {
      return static_cast<double>(x);
    }
  }

  template <class T>
  std::optional<Problem> in_type(std::int64_t first, std::int64_t count, std::optional<DifferingEntry>& found) {
    std::vector<T> a(static_cast<std::size_t>(count * a_.width)), b(static_cast<std::size_t>(count * b_.width));
    if (auto problem = a_.write(first, count, view(a.data(), {count, a_.width}))) return problem;
    if (auto problem = b_.write(first, count, view(b.data(), {count, b_.width}))) return problem;
    for (std::int64_t i = 0; i < count; ++i) {
      for (std::int64_t c = 0; c < width_; ++c) {
        const double x = number(a[static_cast<std::size_t>(i * a_.width + c)]);
        const double y = number(b[static_cast<std::size_t>(i * b_.width + c)]);
        if (x == y) continue;
        if (!found) found = DifferingEntry{a_.at(first + i, c), x, y};
        if constexpr (std::is_same_v<T, double>) {
          const bool more = !(std::abs(x - y) <= most_);
          if (more) most_ = std::abs(x - y), comparison_.largest = DifferingEntry{a_.at(first + i, c), x, y};
        } else {
          return std::nullopt;
        }
      }
    }
    return std::nullopt;
  }

  const ComparedNumbers& a_;
  const ComparedNumbers& b_;
  std::int64_t width_;
  Comparison& comparison_;
  double most_ = 0;
};

enum class Values : std::uint8_t { reals = 1, whole };
std::optional<Problem> beside(const ComparedNumbers& a, const ComparedNumbers& b, Values values,
                              Comparison& comparison) {
  comparison.numbers = a.name, comparison.axes = a.axes;
  if (a.rows != b.rows) {
    comparison.not_compared = "there are " + std::to_string(a.rows) + " rows and " + std::to_string(b.rows);
    return std::nullopt;
  }
  if (a.width != b.width) {
    comparison.not_compared = "rows have " + std::to_string(a.width) + " columns and " + std::to_string(b.width) +
                              ": the first " + std::to_string(std::min(a.width, b.width)) + " are compared";
  }
  return Beside(a, b, comparison).run(values == Values::whole);
}

// What an entry counts.
std::vector<std::string> told_axes(const Convention& a, const ComparedAt& asked) {
  std::vector<std::string> names = axes_of(a);
  if (!asked.own_a) return names;
  for (std::string& each : names) each = each == "position" ? "place" : each + " place";
  return names;
}

std::optional<Problem> compare_rows(const Convention& a, const Convention& b, const ComparedAt& asked,
                                    const Executor& executor, Comparison& comparison) {
  const std::vector<std::size_t> order = *order_of_axes(a, b);
  const plan::RowPlan plan_a = lower_rows(a, asked.given), plan_b = reordered(lower_rows(b, asked.given), order);
  comparison.equal = plan_a == plan_b;
  const std::vector<std::string> axes = told_axes(a, asked);
  const ComparedNumbers of_a = numbers_of_rows("entries", plan_a, axes, asked.of_a(), asked.places, executor);
  const ComparedNumbers of_b = numbers_of_rows("entries", plan_b, axes, asked.of_b(), asked.places, executor);
  if (auto problem = beside(of_a, of_b, Values::reals, comparison)) return problem;
  comparison.score = change_of_products(of_a, of_b, asked.places);
  return undecided_unless(comparison.score.has_value(), "compare");
}

std::optional<Problem> compare_turns(const Convention& a, const Convention& b, const ComparedAt& asked,
                                     const Executor& executor, Comparison& comparison) {
  const std::vector<std::size_t> order = *order_of_axes(a, b);
  const plan::PairPlan pairs_a = lower_pairs(a, asked.given), pairs_b = reordered(lower_pairs(b, asked.given), order);
  comparison.equal = pairs_a == pairs_b;
  const plan::RowPlan plan_a = waves_of_pairs(pairs_a), plan_b = waves_of_pairs(pairs_b);
  const std::vector<std::string> axes = told_axes(a, asked);
  const ComparedNumbers of_a = numbers_of_rows("cosines and sines", plan_a, axes, asked.of_a(), asked.places, executor);
  const ComparedNumbers of_b = numbers_of_rows("cosines and sines", plan_b, axes, asked.of_b(), asked.places, executor);
  if (auto problem = beside(of_a, of_b, Values::reals, comparison)) return problem;
  if (asked.own_a && (pairs_a.decay || pairs_b.decay)) return std::nullopt;  // scores decay with whole positions
  comparison.score = change_of_turns(pairs_a, pairs_b, of_a, of_b, asked.places);
  return undecided_unless(comparison.score.has_value(), "compare");
}

// A use whose numbers are compared, with the test whether two plans are equal. Waves and rotations have calls of their
// own.
struct Compared {
  ConventionUse use;
  bool (*equal)(const Convention&, const Convention&, const LoweredFor&);
};
using C = Convention;
constexpr Compared all_compared[] = {
    {ConventionUse::slopes,
     [](const C& x, const C& y, const LoweredFor& given) { return lower_heads(x, given) == lower_heads(y, given); }},
    {ConventionUse::classes,
     [](const C& x, const C& y, const LoweredFor&) {
       return lower_classes(x, plan::furthest_distance) == lower_classes(y, plan::furthest_distance);
     }},
    {ConventionUse::windows,
     [](const C& x, const C& y, const LoweredFor&) { return extra_classes(x) == extra_classes(y); }},
    {ConventionUse::query_scales,
     [](const C& x, const C& y, const LoweredFor&) { return lower_factor(x) == lower_factor(y); }}};
const Compared* compared_of(const Convention& a, const Convention& b) {
  const auto found = std::ranges::find_if(all_compared, [&](const Compared& each) { return both(each.use, a, b); });
  return found == std::end(all_compared) ? nullptr : &*found;
}

std::optional<Problem> compare_numbers(const Convention& a, const Convention& b, const ComparedAt& asked,
                                       const Executor& executor, Comparison& comparison) {
  if (const Compared* compared = compared_of(a, b)) {
    comparison.equal = compared->equal(a, b, asked.given);
    const ComparedInputs at(a, asked.given, asked.places.along[0], executor);
    const auto of = [&](const Convention& one) { return numbers_of_operation(one, at.inputs); };
    const Values values = operation_of(a).elements == ElementKind::whole ? Values::whole : Values::reals;
    return beside(of(a), of(b), values, comparison);
  }
  comparison.equal = comparison.differences.empty();
  comparison.not_compared =
      std::string(family(a)) + " and " + std::string(family(b)) + " are not compared by their numbers";
  return std::nullopt;
}

std::optional<Problem> compare_conventions(const Convention& a, const Convention& b, const CompareOptions& options,
                                           Comparison& comparison) {
  if (!alike(a, b)) {
    return compare_numbers(a, b, {{{Positions::range(0, 1)}}, {}}, options.executor, comparison);
  }
  const ComparedAt asked = asked_of(a, b, options);
  comparison.dim = asked.given.heads > 0 ? asked.given.heads : asked.given.width;
  comparison.context = asked.given.context;
  if (!depends_on_length(a) && !depends_on_length(b)) comparison.context.length = 0;
  const bool rows = both(ConventionUse::coordinates, a, b), turns = both(ConventionUse::rotations, a, b);
  if (!rows && !turns) return compare_numbers(a, b, asked, options.executor, comparison);
  if (!order_of_axes(a, b)) {
    const auto names = [](const Convention& each) {
      return listed(axes_of(each), [](const std::string& name) { return name; });
    };
    comparison.not_compared = "axes are " + names(a) + " and " + names(b) + ": numbers are not compared";
    return std::nullopt;
  }
  return rows ? compare_rows(a, b, asked, options.executor, comparison)
              : compare_turns(a, b, asked, options.executor, comparison);
}

// ---- rules -----------------------------------------------------------------------------------------

Problem compare_problem(std::string rule, std::string value) { return {"compare", std::move(rule), std::move(value)}; }

// As many lists as axes, which keep their rules and have a position each.
std::optional<Problem> check_places_asked(const Convention& a, const CompareOptions& options) {
  const std::size_t axes = std::max<std::size_t>(axes_of(a).size(), 1), lists = options.positions.size();
  if (lists > 1 && lists != axes) {
    return compare_problem("positions must be a list for each of " + std::to_string(axes) + " axes, or one for all",
                           std::to_string(lists));
  }
  for (const Positions& each : options.positions) {
    if (auto problem = check_positions("compare", each)) return problem;
    if (rank(each) != 1) return compare_problem("positions must be a list [L]", shape_text(each.list_));
    if (each.count_ < 1) return compare_problem("there must be at least 1 position", "0");
  }
  return std::nullopt;
}

std::optional<Problem> check_entries(const Places& places, std::int64_t width) {
  double entries = static_cast<double>(std::max<std::int64_t>(width, 1));
  for (const Positions& each : places.along) entries *= static_cast<double>(each.count_);
  if (entries <= static_cast<double>(most_entries_compared)) return std::nullopt;
  return compare_problem("there must be at most 2^32 entries", to_text(entries));
}

// Coordinates of several axes are listed in f64.
std::optional<Problem> check_coordinates_asked(const Places& places) {
  if (places.along.size() == 1) return std::nullopt;
  for (const Positions& each : places.along) {
    for (std::int64_t i = 0; i < each.count_; ++i) {
      const double x = number_at(each, i);
      if (std::abs(x) <= 0x1p53) continue;
      return compare_problem("coordinates of several axes must be at most 2^53 in size", to_text(x));
    }
  }
  return std::nullopt;
}

}  // namespace
}  // namespace posenc::referee

namespace posenc {

std::optional<Problem> check_compare(const Convention& a, const Convention& b, const CompareOptions& options) {
  const DefaultEnvironment environment;
  using namespace referee;
  for (const Convention* each : {&a, &b}) {
    if (auto problem = check_convention(*each)) return problem;
  }
  if (auto problem = check_context(options.context)) return problem;
  if (options.dim < 0) return compare_problem("dim must be 0 or the width asked for", std::to_string(options.dim));
  if (options.head_width < 0 || options.head_width > schema::most_columns) {
    return compare_problem("head_width must be 0 or the columns of a head, 2^30 at most",
                           std::to_string(options.head_width));
  }
  if (!alike(a, b)) return std::nullopt;  // fields alone
  if (auto problem = check_places_asked(a, options)) return problem;
  const bool waves = both(ConventionUse::coordinates, a, b) || both(ConventionUse::rotations, a, b),
             slopes = both(ConventionUse::slopes, a, b);
  const Places places = places_of(a, options);
  const std::int64_t dim = options.dim == 0 ? usual_dim(a) : options.dim;
  const double pairs = slopes || both(ConventionUse::classes, a, b) ? static_cast<double>(places.along[0].count_) : 1;
  if (auto problem = check_entries(places, static_cast<std::int64_t>(pairs) * (waves || slopes ? dim : 1))) {
    return problem;
  }
  if (own_coordinates(a, b, options)) {
    std::vector<std::int64_t> extents;
    for (const Positions& each : places.along) extents.push_back(each.count_);
    for (const PlaceNumbering* each : {&options.places_of_a, &options.places_of_b}) {
      if (auto problem = check_places(*each, extents)) return problem;
    }
  }
  const ComparedAt asked = asked_of(a, b, options);
  for (const Convention* each : {&a, &b}) {
    if (waves || slopes) {
      if (auto problem = check_lower(*each, asked.given)) return problem;
    }
    if (compared_of(a, b) == nullptr) continue;
    if (auto problem = check_numbers(*each, asked.given, places.along[0])) return problem;
  }
  return waves ? check_coordinates_asked(places) : std::nullopt;
}

std::optional<Problem> detail::compare(const Convention& a, const Convention& b, const CompareOptions& options,
                                       Comparison& comparison) {
  const DefaultEnvironment environment;
  comparison = {};
  comparison.differences = differences(a, b);
  if (auto problem = referee::compare_conventions(a, b, options, comparison)) return problem;
  if (options.places_of_a == options.places_of_b) return std::nullopt;
  comparison.equal = false;
  comparison.differences.push_back("places: " + to_string(options.places_of_a) + ", not " +
                                   to_string(options.places_of_b));
  return std::nullopt;
}

}  // namespace posenc
