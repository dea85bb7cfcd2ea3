// SPDX-License-Identifier: Apache-2.0
// A list of frequencies is the row of angles at coordinate 1.
#include "src/referee/identify_frequencies.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "src/referee/identify_table.h"
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

// A base below this is nobody's: a list that falls or rises otherwise is geometric, and no more.
constexpr double least_base = 10;

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
  if (base->value < least_base || axes_of(signal.convention).size() != 1) return false;
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
  return (!is_divided || !check_use("identify", Use::rotations, signal.convention)) &&
         std::ranges::all_of(fitted, is_simple);
}

// A list is the row of angles at coordinate 1.
std::vector<Coordinates> at_one() { return {{1, 1, {1}}}; }

std::vector<Suspect> as_they_stand(const Reading& row, std::span<const Named> signals, const Tolerance& tolerance) {
  std::vector<Suspect> all;
  for (const Named& each : signals) {
    if (auto held = hold(row, each.signal, tolerance, at_one()))
      all.push_back({row, std::move(*held), each.names(), {}});
  }
  // Rows of several axes may have it as well: it is those that are meant where no row of one has it.
  const auto of_one_axis = [](const Suspect& each) {
    return axes_of(each.held.hypothesis.signal.convention).size() == 1;
  };
  if (std::ranges::any_of(all, of_one_axis)) std::erase_if(all, std::not_fn(of_one_axis));
  add_for_lengths(row, signals, tolerance, at_one(), all);
  return all;
}

std::vector<Suspect> with_other_numbers(const Reading& row, std::span<const Named> signals,
                                        const Tolerance& tolerance) {
  std::vector<Suspect> all;
  constexpr std::int64_t fewest = 4;  // that tell a base and a first frequency from any others
  if (row.width < fewest) return all;
  for (Refit& each : refits(row, signals, tolerance, at_one())) {
    if (is_meant(each, tolerance)) {
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

Identification identify_row(const Reading& row, const IdentifyOptions& options) {
  Identification identification;
  const std::vector<Named> signals = preset_frequencies(row.width);
  const std::vector<DType> storages = storages_of(row.tensor);
  std::vector<Judged> found;
  // The widest type first: powers of 2 are numbers of every type.
  for (const DType storage : storages) {
    const Tolerance tolerance = tolerance_of(storage);
    found = judged(as_they_stand(row, signals, tolerance), storages, options);
    if (found.empty()) found = judged(with_other_numbers(row, signals, tolerance), storages, options);
    if (!found.empty()) break;
  }
  identification.ruled_out = ruled_out(found, signals, options);
  for (Judged& each : found) {
    each.candidate.places.clear();
    identification.candidates.push_back(std::move(each.candidate));
  }
  return identification;
}

}  // namespace

Identification identify_frequencies(const ConstView& tensor, const IdentifyOptions& options) {
  const auto row = as_row(tensor);
  if (!row || !options.positions.empty() || !may_be_frequencies(*row)) return {};
  if (const auto once = once_of(*row)) {
    Identification found = identify_row(*once, options);
    for (Candidate& each : found.candidates) each.copies = 2;
    if (!found.candidates.empty()) return found;
  }
  return identify_row(*row, options);
}

}  // namespace posenc::referee
