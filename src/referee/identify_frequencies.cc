// SPDX-License-Identifier: Apache-2.0
// A list of frequencies is the row of angles at coordinate 1; one that positions are divided by is that of its
// reciprocals.
#include "src/referee/identify_frequencies.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "src/referee/evidence.h"
#include "src/referee/identify_table.h"
#include "src/referee/logarithm.h"
#include "src/referee/nearest_relative.h"
#include "src/referee/ruled_out.h"
#include "src/referee/simple_number.h"
#include "src/referee/spectrum.h"
#include "src/referee/storage.h"

namespace posenc::referee {

namespace {

// Frequencies are not negative, and are numbers.
bool may_be_frequencies(const Reading& row) {
  for (std::int64_t c = 0; c < row.width; ++c) {
    if (const double w = row.at(0, c); !(w >= 0) || std::isinf(w)) return false;
  }
  return true;
}

}  // namespace

std::optional<Reading> as_row(const ConstView& tensor) {
  constexpr std::int64_t longest = std::int64_t{1} << 13;
  const auto list = as_list(tensor);
  if (!list || list->size(0) > longest) return std::nullopt;
  Reading row = {.tensor = *list, .name = "[n]", .extents = {1}, .steps = {0}};
  row.width = list->size(0), row.outer_step = list->stride(0);
  return row;
}

namespace {

// Fewer numbers are those of any list: they tell no base and first frequency from others.
constexpr std::int64_t fewest_numbers = 4;

// A base below this is nobody's: a list that falls or rises otherwise is geometric, and no more.
constexpr double least_listed_base = 10;

// Learning rates and decays fall by a quotient that people write, as 0.9 or 0.5, and so have a base that nobody does;
// divided as well, they begin with 0.1 or 0.001.
bool is_decay(const Fitted& base, const std::vector<Fitted>& fitted, const std::vector<double>& frequencies) {
  constexpr double hundred = 100, near = 2e-5;
  constexpr int most_digits = 4;
  constexpr std::size_t long_list = 16;
  const double quotient = hundred * frequencies[1] / frequencies[0];
  const bool is_written = !base.simple.empty() && digits_of(base.simple) <= most_digits;
  if (!is_written && std::abs(quotient - std::rint(quotient)) <= near * quotient) return true;
  return frequencies.size() < long_list && std::ranges::any_of(
                                               fitted,
                                               [](const Fitted& each) {
                                                 return each.name == "factor" &&
                                                        (each.value == 10 || each.value == 100 || each.value == 1000);
                                               });
}

// Is a ladder of another base one of positions? Of two free numbers, every geometric list has some.
bool is_meant(const Refit& refit, const Tolerance& tolerance) {
  const std::vector<Fitted>& fitted = refit.held.fitted;
  const auto base = std::ranges::find(fitted, "base", &Fitted::name);
  if (base == fitted.end()) return true;
  const Signal& signal = refit.held.hypothesis.signal;
  if (base->value < least_listed_base || axes_of(signal.convention).size() != 1) return false;
  // In half precision an interval may be too wide for any number to stand out.
  constexpr double half_precision = 0x1p-12;
  if (tolerance.noise > half_precision) return true;
  if (is_decay(*base, fitted, signal.frequencies[0])) return false;
  if (fitted.size() == 1) return true;
  const bool is_divided = std::ranges::find(fitted, "factor", &Fitted::name) != fitted.end();
  // Rates that fall by some quotient have an odd base, and a small one.
  constexpr double usual_base = 1000;
  const auto is_simple = [](const Fitted& each) {
    return !each.simple.empty() || (each.name == "base" && each.value >= usual_base);
  };
  return (!is_divided || !check_use("identify", ConventionUse::rotations, signal.convention)) &&
         std::ranges::all_of(fitted, is_simple);
}

// A list is the row of angles at coordinate 1.
std::vector<Coordinates> at_one() { return {{1, 1, {1}}}; }

// Rows of several axes may have a list as well: it is those that are meant where no row of one has it.
void keep_of_one_axis(auto& all, const auto& convention_of) {
  const auto of_one_axis = [&](const auto& each) { return axes_of(convention_of(each)).size() == 1; };
  if (std::ranges::any_of(all, of_one_axis)) std::erase_if(all, std::not_fn(of_one_axis));
}

std::vector<Suspect> as_they_stand(const Reading& row, std::span<const Named> signals, const Tolerance& tolerance) {
  std::vector<Suspect> all;
  for (const Named& each : signals) {
    if (auto held = hold(row, each.signal, tolerance, at_one()))
      all.push_back({row, std::move(*held), each.names(), {}});
  }
  keep_of_one_axis(all,
                   [](const Suspect& each) -> const Convention& { return each.held.hypothesis.signal.convention; });
  add_for_lengths(row, signals, tolerance, at_one(), all);
  return all;
}

// Slopes of heads are a geometric list as well, which begins with its own quotient.
bool are_slopes(const Reading& row, const Tolerance& tolerance) {
  const std::vector<double> slopes = even_slopes(row.width);
  for (std::int64_t h = 0; h < row.width; ++h) {
    const double right = slopes[static_cast<std::size_t>(h)];
    if (!(std::abs(row.at(0, h) - right) <= frequency_off(right, tolerance))) return false;
  }
  return true;
}

std::vector<Suspect> with_other_numbers(const Reading& row, std::span<const Named> signals,
                                        const Tolerance& tolerance) {
  std::vector<Suspect> all;
  if (row.width < fewest_numbers || are_slopes(row, tolerance)) return all;
  for (Refit& each : refits(row, signals, tolerance, at_one())) {
    if (is_meant(each, tolerance) && tells(row, each.held, apart(each.differences), tolerance)) {
      all.push_back({row, std::move(each.held), std::move(each.presets), std::move(each.differences)});
    }
  }
  return all;
}

// A list that holds each frequency twice, as angles of both columns of a pair: once; nothing of others.
std::optional<Reading> once_of(const Reading& row) {
  const std::int64_t half = row.width / 2;
  if (half < 2 || row.width % 2 != 0) return std::nullopt;
  const auto repeats = [&](std::int64_t step, std::int64_t apart) {
    for (std::int64_t k = 0; k < half; ++k) {
      if (row.at(0, step * k) != row.at(0, step * k + apart)) return false;
    }
    return true;
  };
  const bool blocks = repeats(1, half);
  if (!blocks && !repeats(2, 1)) return std::nullopt;
  Reading once = row;
  once.name = blocks ? "[2 n]" : "[n 2]", once.width = half;
  if (!blocks) once.outer_step *= 2;
  return once;
}

// The first of these that finds anything: rows of presets as they stand, the same with other numbers.
using Search = std::vector<Suspect> (*)(const Reading&, std::span<const Named>, const Tolerance&);

Identification identify_row(const Reading& row, std::span<const Search> searches, const IdentifyOptions& options) {
  Identification identification;
  const std::vector<Named> signals = preset_frequencies(row.width);
  const std::vector<DType> storages = storages_of(row.tensor);
  std::vector<Judged> found;
  // The widest type first: powers of 2 are numbers of every type.
  for (const DType storage : storages) {
    for (const Search search : searches) {
      if (found.empty()) found = judged(search(row, signals, tolerance_of(storage)), storages, options);
    }
  }
  identification.ruled_out = ruled_out(found, signals, options);
  for (Judged& each : found) {
    each.candidate.places.clear();
    identification.candidates.push_back(std::move(each.candidate));
  }
  return identification;
}

constexpr Search as_listed[] = {as_they_stand}, with_fits[] = {with_other_numbers},
                 any_numbers[] = {as_they_stand, with_other_numbers};

bool is_fitted(const Identification& found) {
  return found.candidates.empty() || !found.candidates[0].differences.empty();
}

// Of a base that was fitted; that of a ladder with another one has many.
int digits_of_base(const Identification& found) {
  constexpr int none = 100;
  if (found.candidates.empty()) return none + 1;
  const std::vector<Fitted>& fitted = found.candidates[0].fitted;
  const auto base = std::ranges::find(fitted, "base", &Fitted::name);
  return base == fitted.end() || base->simple.empty() ? none : digits_of(base->simple);
}

// Pairs behind those that turn have zeros: the ladder is that of a whole head, or of the part that turns.
Identification identify_once(const Reading& row, const IdentifyOptions& options) {
  std::int64_t turning = row.width;
  while (turning > 0 && row.at(0, turning - 1) == 0) --turning;
  if (turning < 2 || turning == row.width) return identify_row(row, any_numbers, options);
  Identification found = identify_row(row, as_listed, options);
  if (!found.candidates.empty()) return found;
  constexpr double largest_base = 1e12;
  const double ratio = row.at(0, 0) / row.at(0, 1);
  if (ratio > 0 && log_of(ratio) * static_cast<double>(row.width) < log_of(largest_base)) {
    found = identify_row(row, with_fits, options);
  }
  Reading part = row;
  part.name = "[n | zeros]", part.width = turning;
  Identification of_part = identify_row(part, any_numbers, options);
  const bool stands = !is_fitted(of_part) && axes_of(of_part.candidates[0].convention).size() == 1;
  return stands || digits_of_base(of_part) < digits_of_base(found) ? of_part : found;
}

Identification identify_list(const Reading& row, const IdentifyOptions& options) {
  if (const auto once = once_of(row)) {
    Identification found = identify_once(*once, options);
    for (Candidate& each : found.candidates) each.copies = 2;
    if (!found.candidates.empty()) return found;
  }
  return identify_once(row, options);
}

// Frequencies fall in nearly all conventions, and what positions are divided by rises.
bool rises(const Reading& row) { return row.width > 1 && row.at(0, 0) > 0 && row.at(0, row.width - 1) > row.at(0, 0); }

}  // namespace

std::optional<ConstView> listed_once(const ConstView& tensor) {
  const auto row = is_real(tensor.dtype) ? as_row(tensor) : std::nullopt;
  const auto once = row ? once_of(*row) : std::nullopt;
  if (!once || once->at(0, 0) == once->at(0, 1)) return std::nullopt;
  ConstView view = once->tensor;
  view.shape[0] = once->width, view.strides[0] = once->outer_step;
  return view;
}

Identification identify_inverted(const Reading& row, const InverseForm& form, const IdentifyOptions& options) {
  Identification found;
  with_real(storages_of(row.tensor).back(), [&]<class T>(T) {
    std::vector<T> list;
    for (std::int64_t k = 0; k < row.width; ++k) {
      list.push_back(static_cast<T>(static_cast<Computing<T>>(form.times / row.at(0, k))));
    }
    Reading inverse = row;
    inverse.tensor = view(std::as_const(list).data(), {row.width}), inverse.outer_step = 1;
    if (may_be_frequencies(inverse)) found = identify_list(inverse, options);
  });
  for (Candidate& each : found.candidates) each.form = form.name;
  return found;
}

Identification identify_frequencies(const ConstView& tensor, const IdentifyOptions& options) {
  const auto row = as_row(tensor);
  if (!row || row->width < fewest_numbers || !options.positions.empty() || !may_be_frequencies(*row)) return {};
  Identification found = identify_list(*row, options);
  if (!rises(*row)) return found;
  for (const InverseForm& form : inverse_forms) {
    Identification inverted = identify_inverted(*row, form, options);
    if (is_fitted(inverted)) continue;
    if (is_fitted(found)) found = {};
    if (found.candidates.empty()) found.ruled_out = std::move(inverted.ruled_out);
    std::ranges::move(inverted.candidates, std::back_inserter(found.candidates));
  }
  keep_of_one_axis(found.candidates, [](const Candidate& each) -> const Convention& { return each.convention; });
  return found;
}

bool fits_too_freely(const Reading& row) {
  if (row.width < fewest_numbers || !may_be_frequencies(row)) return false;
  const Tolerance tolerance = tolerance_of(storages_of(row.tensor).back());
  const std::vector<Named> signals = preset_frequencies(row.width);
  std::vector<Refit> all = refits(row, signals, tolerance, at_one());
  std::erase_if(all, [&](const Refit& each) { return !is_meant(each, tolerance); });
  return !all.empty() && std::ranges::none_of(all, [&](const Refit& each) {
    return tells(row, each.held, apart(each.differences), tolerance);
  });
}

}  // namespace posenc::referee
