// SPDX-License-Identifier: Apache-2.0
// Lists of ladders: the pairs of a rotation in their order, or the one ladder that all axes have.
#include "src/referee/ladder_lists.h"

#include <algorithm>

#include "src/numerics/evaluate.h"
#include "src/referee/diagnose_asked.h"
#include "src/referee/identify_frequencies.h"

namespace posenc::referee {
namespace {

LoweredFor given_for(std::int64_t width, const Context& context) {
  LoweredFor given = {.width = width, .context = context};
  if (given.context.length == 0) given.context.length = 1;
  if (!given.context.centre) given.context.centre = 0;
  if (!given.context.learned) given.context.learned = 1;
  return given;
}

// Pairs at the end of a list may be left out where they do not turn, and where they repeat those of another axis.
std::vector<double> listed_pairs(const Convention& rotary, std::int64_t count, std::int64_t width,
                                 const Context& context) {
  std::vector<double> list = frequencies_of(rotary, width, context);
  if (std::ssize(list) < count) return {};
  const auto rest = std::span(list).subspan(static_cast<std::size_t>(count));
  const bool stands = std::ranges::all_of(rest, [](double w) { return w == 0; });
  if (!stands && !std::ranges::equal(rest, std::span(list).first(rest.size()))) return {};
  list.resize(static_cast<std::size_t>(count));
  return list;
}

// The one ladder of all axes, as identify has it.
std::vector<double> listed_ladder(const Convention& convention, std::int64_t count, std::int64_t width,
                                  const Context& context) {
  const auto signal = signal_of(row_of(convention), convention, given_for(width, context), frequency_form);
  if (!signal || signal->width() != count) return {};
  std::vector<double> list;
  for (const plan::Column& column : signal->plan->columns) {
    list.push_back(column.kind == plan::Kind::angle ? signal->frequencies[column.axis][column.frequency] : 0);
  }
  return list;
}

std::vector<double> list_of(const Convention& convention, std::int64_t count, std::int64_t width,
                            const Context& context) {
  const bool turns = asks(ConventionUse::rotations, convention);
  std::vector<double> pairs = turns ? listed_pairs(convention, count, width, context) : std::vector<double>();
  return !pairs.empty() || (turns && axes_of(convention).size() == 1)
             ? pairs
             : listed_ladder(convention, count, width, context);
}

std::vector<std::int64_t> widths_of(const Convention& convention, std::int64_t count, std::int64_t dim) {
  if (dim > 0) return {dim};
  std::vector<std::int64_t> all;
  const auto axes = std::ssize(axes_of(convention));
  if (asks(ConventionUse::rotations, convention)) {
    for (const std::int64_t tenths : head_tenths) all.push_back(2 * count * tenths / 10);
    if (const auto head = head_of(convention, 2 * count * axes)) all.push_back(*head);
  } else {
    for (const std::int64_t of_axis : widths_of_ladder(count)) all.push_back(axes * of_axis);
  }
  return all;
}

// A length of each ladder: the shortest one, and the least power of two from 1024 on that has another.
std::vector<std::int64_t> lengths_of_ladders(const Convention& convention, const DiagnoseOptions& options) {
  if (options.context.length > 0) return {options.context.length};
  constexpr std::int64_t least = 1024, longest = std::int64_t{1} << 40;
  if (!has_two_ladders(convention)) return {1};
  for (std::int64_t beyond = least; beyond <= longest; beyond *= 2) {
    if (detail::regime(convention, beyond) != detail::regime(convention, 1)) return {1, beyond};
  }
  return {1};
}

bool has_none(const std::vector<double>& list, double number) { return std::ranges::find(list, number) == list.end(); }

// By how much the last number is greater than the first: frequencies fall, what divides them or positions rises.
double rise(const ConstView& list) { return real_at(list, (list.size(0) - 1) * list.stride(0)) - real_at(list, 0); }
double rise(const std::vector<double>& list) { return list.back() - list.front(); }

}  // namespace

std::vector<double> frequencies_of(const Convention& rotary, std::int64_t width, const Context& context) {
  const LoweredFor given = given_for(width, context);
  std::vector<double> frequencies;
  if (!asks(ConventionUse::rotations, rotary) || check_lower(rotary, given)) return frequencies;
  const plan::PairPlan plan = lower_pairs(rotary, given);
  for (const plan::Pair& pair : plan.pairs) {
    double sum = 0;
    for (const numerics::Real& w : plan::frequencies(plan.ladders, pair.angles[0])) {
      sum += numerics::rounded<double>(w).value_or(0);
    }
    frequencies.push_back(sum);
  }
  return frequencies;
}

std::optional<Convention> without_scaling(const Convention& asked) {
  const FieldChange none[] = {{"ladder.scaling", "none"}};
  return check_changes(asked, none) ? std::nullopt : std::optional(detail::changed(asked, none));
}

void add_lists(const ConstView& list, const Convention& convention, const DiagnoseOptions& options,
               std::vector<Expected>& all) {
  const std::int64_t count = list.size(0);
  const auto plain = without_scaling(convention);
  const bool is_scaled = plain && *plain != convention;
  const std::vector<std::int64_t> lengths = lengths_of_ladders(convention, options);
  std::vector<Expected> inverse;
  for (const std::int64_t width : widths_of(convention, count, options.dim)) {
    for (const std::int64_t length : lengths) {
      Context context = options.context;
      context.length = length;
      std::vector<double> own = list_of(convention, count, width, context);
      if (own.empty() || std::ranges::find(all, own, &Expected::all) != all.end()) continue;
      std::vector<Assumed> assumed;
      if (lengths.size() > 1) assumed.push_back({"length", std::to_string(length)});
      const auto add = [&](std::string_view form, std::vector<double> over, std::string_view note) {
        inverse.push_back({form, assumed, own, {}, std::move(over), note});
      };
      const bool all_turn = has_none(own, 0);
      if (all_turn && rise(list) * rise(own) < 0) {
        for (const InverseForm& form : inverse_forms) add(form.name, std::vector(own.size(), form.times), form.words);
      }
      if (all_turn && is_scaled && !(rise(list) < 0)) {
        std::vector<double> over = list_of(*plain, count, width, context);
        if (!over.empty()) add(factor_form, std::move(over), "entries divide the frequencies of the unscaled ladder");
      }
      all.push_back({"frequencies", assumed, std::move(own)});
    }
  }
  all.insert(rise(list) > 0 ? all.begin() : all.end(), inverse.begin(), inverse.end());
}

}  // namespace posenc::referee
