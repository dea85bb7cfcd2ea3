// SPDX-License-Identifier: Apache-2.0
// Slopes, biases, classes, factors and coordinates of pairs: what a convention gives for every entry, then the same
// under the changes that ports make.
#include "src/referee/diagnose_relative.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/base/to_text.h"
#include "src/conventions/lower.h"
#include "src/referee/diagnose_lists.h"
#include "src/referee/diagnose_trials.h"
#include "src/referee/diagnose_words.h"
#include "src/referee/distances.h"
#include "src/referee/expected.h"
#include "src/referee/identify_frequencies.h"
#include "src/referee/identify_table.h"
#include "src/referee/logarithm.h"
#include "src/referee/nearest_relative.h"
#include "src/referee/not_identified.h"
#include "src/referee/scalings.h"
#include "src/referee/storage.h"
#include "src/referee/values.h"

namespace posenc::referee {
namespace {

Problem shape_problem(std::string rule, const ConstView& tensor) {
  return {"diagnose", std::move(rule), shape_text(tensor)};
}

std::string factor_words(double factor) {
  constexpr double one = 1e-3;
  if (std::abs(factor + 1) < one) return "all entries have the other sign: negate";
  const double square = 1 / (factor * factor), n = std::rint(square);
  const bool root = factor > 0 && n >= 2 && std::abs(square - n) < one * n;
  return "scaled by " + to_text(std::rint(factor * 1e6) / 1e6) + (root ? " = 1 / sqrt " + to_text(n) : "") +
         ": divide by it";
}

// Classes of the transpose are those of the other sign of distances.
std::vector<double> transposed(const Entries& got) {
  std::vector<double> all(got.all.size());
  const auto rows = static_cast<std::size_t>(got.shape[got.shape.size() - 2]),
             columns = static_cast<std::size_t>(got.shape.back());
  for (std::size_t i = 0; i < rows; ++i) {
    for (std::size_t j = 0; j < columns; ++j) all[j * rows + i] = got.all[i * columns + j];
  }
  return all;
}

// ---- trials --------------------------------------------------------------------------------------

void add_change(const Convention& asked, std::initializer_list<FieldChange> changes, std::vector<Convention>& all) {
  if (check_changes(asked, std::span(changes.begin(), changes.size()))) return;
  Convention changed = detail::changed(asked, std::span(changes.begin(), changes.size()));
  if (changed != asked) all.push_back(std::move(changed));
}

// As it was measured, or as the row that a tensor holds states it.
std::optional<double> base_of(const Candidate& candidate) {
  const auto measured = std::ranges::find(candidate.fitted, "base", &Fitted::name);
  if (measured != candidate.fitted.end()) return measured->value;
  const std::vector<FieldText> fields = fields_of(candidate.convention);
  const auto stated = std::ranges::find(fields, "ladders.0.base", &FieldText::name);
  double base = 0;
  if (stated == fields.end()) return std::nullopt;
  const char* const end = stated->value.data() + stated->value.size();
  const auto read = std::from_chars(stated->value.data(), end, base);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(base) : std::nullopt;
}

// What ports change, then the rows of presets, then what the tensor is identified as.
std::vector<Convention> other_conventions(const ConstView& tensor, const Convention& asked,
                                          const DiagnoseOptions& options) {
  std::vector<Convention> all;
  for (const std::string_view rounding : {"none", "bf16"}) add_change(asked, {{"slope_rounding", rounding}}, all);
  for (const std::string_view value : {"minus_distance", "key", "key_from_last", "causal"}) {
    add_change(asked, {{"value", value}}, all);
  }
  add_change(asked, {{"scale", 1}}, all);
  add_change(asked, {{"scale", "one_over_sqrt_head"}}, all);
  for (const double octaves : {4, 8, 16}) add_change(asked, {{"octaves", octaves}}, all);
  for (const std::string_view sign : {"key_minus_query", "query_minus_key"}) {
    add_change(asked, {{"classes.sign", sign}}, all);
  }
  for (const std::string_view sides : {"one", "both"}) add_change(asked, {{"classes.sides", sides}}, all);
  for (std::int64_t reach = 32; reach <= 1024; reach *= 2) add_change(asked, {{"classes.reach", reach}}, all);
  for (std::int64_t count = 16; count <= 512; count *= 2) add_change(asked, {{"classes.count", count}}, all);
  add_change(asked, {{"coordinates.pretrained", "none"}}, all);
  for (const std::string_view side : {"7,7", "8,8", "12,12", "16,16", "24,24"}) {
    add_change(asked, {{"coordinates.pretrained", side}}, all);
  }
  add_change(asked, {{"ladder.scaling", "none"}, {"magnitude", 1}}, all);
  add_change(asked, {{"ladder.scaling", "none"}}, all);
  for (const std::string_view truncate : {"none", "whole"}) {
    add_change(asked, {{"ladder.scaling.truncate", truncate}}, all);
  }
  for (std::int64_t length = 1024; length <= 1 << 18; length *= 2) {
    add_change(asked, {{"ladder.scaling.length", length}}, all);
  }
  for (const double factor : usual_factors) {
    add_change(asked, {{"ladder.scaling.factor", factor}}, all);
  }
  for (const double base : usual_bases) add_change(asked, {{"ladder.base", base}}, all);
  add_change(asked, {{"ladder.spacing.over", "pairs"}, {"ladder.spacing.shift", 1}}, all);
  add_change(asked, {{"ladder.spacing.over", "width"}, {"ladder.spacing.shift", 0}}, all);
  std::vector<Convention> known;
  for (const Candidate& each : conventions_of(tensor, options.identify).candidates) {
    known.push_back(each.convention);
    const auto base = base_of(each);
    if (!base) continue;
    add_change(asked, {{"ladder.base", *base}}, all);
    add_change(asked, {{"ladder.scaling", "none"}, {"ladder.base", *base}}, all);
  }
  for (const Preset& each : presets()) known.push_back(each.convention);
  constexpr Use uses[] = {Use::slopes,          Use::classes,      Use::windows,
                          Use::log_coordinates, Use::query_scales, Use::rotations};
  std::erase_if(known, [&](const Convention& each) {
    return each == asked || std::ranges::none_of(uses, [&](Use use) { return asks(use, each) && asks(use, asked); });
  });
  std::ranges::stable_sort(known, {}, [&](const Convention& each) { return differences(each, asked).size(); });
  all.insert(all.end(), known.begin(), known.end());
  return all;
}

std::string entry_words(const std::vector<std::int64_t>& index) { return to_text(std::span(index)); }

// Classes that are all off by one number.
std::vector<std::string> shifted_words(const Entries& got, const std::vector<Expected>& asked) {
  if (got.kind != EntryKind::classes) return {};
  for (const Expected& each : asked) {
    if (each.all.empty()) continue;
    const double by = got.all[0] - each.all[0];
    const auto is_shifted = [&](double is, double right) { return is == right + by; };
    if (by == 0 || !std::ranges::equal(got.all, each.all, is_shifted)) continue;
    return {"classes are " + to_text(std::abs(by)) +
            (by > 0 ? " more than asked: subtract it" : " less than asked: add it")};
  }
  return {};
}

// The first of a few entries that are others.
std::vector<std::string> few_words(const Entries& got, const std::vector<Expected>& asked) {
  constexpr std::int64_t one_in = 64;
  for (const Expected& each : asked) {
    const Tallied tally = tallied(got, each.all, 1);
    if (one_in * tally.wrong <= tally.entries) return {words_of_others(got, each.all, tally)};
  }
  return {};
}

// The frequencies of another length of the whole sequence.
std::vector<std::string> length_words(const ConstView& tensor, const Entries& got, const Convention& asked,
                                      const DiagnoseOptions& options) {
  if (got.kind != EntryKind::frequencies) return {};
  DiagnoseOptions other = options;
  for (const std::int64_t length : other_lengths(asked, options.context.length)) {
    other.context.length = length;
    for (const Expected& each : all_expected(tensor, asked, other)) {
      if (tallied(got, each.all, 1).wrong == 0) return {words_of_length(length)};
    }
  }
  return {};
}

std::vector<std::string> fault_words(const ConstView& tensor, const Convention& convention,
                                     const DiagnoseOptions& options, const Entries& got,
                                     const std::vector<Expected>& asked, double& explained) {
  explained = 1;
  const auto is_none = [](double x) { return !std::isfinite(x) && !hidden(x); };
  if (std::ranges::any_of(got.all, is_none)) return {not_finite(tensor)->words};
  for (const Expected& each : asked) {
    const auto factor = factor_of(got, each.all);
    if (!factor) continue;
    if (auto words = scaling_words(tensor, got, convention, options); !words.empty()) return words;
    return {factor_words(*factor)};
  }
  for (const Expected& each : asked) {
    if (auto even = by_formula_of_powers(got, each)) return {std::move(*even)};
  }
  if (auto words = part_words(got, convention, options); !words.empty()) return words;
  for (const Expected& each : asked) {
    if (auto order = order_of_heads(got, each)) return {std::move(*order)};
    if (auto words = period_words(got, each.all); !words.empty()) return words;
  }
  if (auto words = cut_words(got, convention, options); !words.empty()) return words;
  if (auto words = length_words(tensor, got, convention, options); !words.empty()) return words;
  for (const Convention& other : other_conventions(tensor, convention, options)) {
    for (const Expected& each : all_expected(tensor, other, options)) {
      if (tallied(got, each.all, 1).wrong > 0) continue;
      std::vector<std::string> words = words_of_fields(other, convention, each.form);
      if (!each.how.empty()) words.push_back("as " + each.how);
      return words;
    }
  }
  for (const Expected& each : asked) {
    if (auto words = list_words(got, each.all); !words.empty()) return words;
  }
  if (got.shape.size() >= 2 && got.shape.back() == got.shape[got.shape.size() - 2]) {
    Entries turned = got;
    turned.all = transposed(got);
    for (const Expected& each : asked) {
      if (turned.all.size() == each.all.size() && got.shape.size() == 2 && tallied(turned, each.all, 1).wrong == 0) {
        return {"queries and keys are exchanged: transpose"};
      }
    }
  }
  if (auto words = shifted_words(got, asked); !words.empty()) return words;
  if (auto words = few_words(got, asked); !words.empty()) return words;
  if (auto known = identified(tensor, convention, options)) return known->findings;
  explained = 0;
  return {"no known fault explains these entries", words_of_kind(tensor, options.identify)};
}

// Of entries that are right: which type they went through, and how many are equal to the bit.
Candidate candidate_of_entries(const Entries& got, const Expected& expected, const Convention& convention) {
  Candidate candidate;
  candidate.convention = convention;
  candidate.form = expected.form, candidate.extents = got.shape, candidate.storage = got.storage;
  Tally tally(0, got.storage);
  for (std::size_t i = 0; i < got.all.size(); ++i) {
    if (hidden(got.all[i])) continue;
    tally.add({static_cast<std::int64_t>(i)}, got.all[i], stored(expected.all[i], got.storage));
  }
  candidate.exact = candidate.by_recipe = tally.result();
  return candidate;
}

}  // namespace

bool is_relative(const ConstView& tensor, const Convention& convention) {
  if (asks(Use::coordinates, convention)) return false;
  return !asks(Use::rotations, convention) || is_list(tensor);
}

std::optional<Problem> check_relative(const ConstView& tensor, const Convention& convention,
                                      const DiagnoseOptions& options) {
  constexpr Use uses[] = {Use::slopes,          Use::classes,      Use::windows,
                          Use::log_coordinates, Use::query_scales, Use::rotations};
  if (std::ranges::none_of(uses, [&](Use use) { return asks(use, convention); })) {
    return Problem{"diagnose", "the convention must be of more than rows of a stored table",
                   std::string(family(convention))};
  }
  const bool classes = asks(Use::classes, convention) || asks(Use::windows, convention);
  if (classes != is_integer(tensor.dtype)) {
    return Problem{"diagnose", classes ? "classes must be whole numbers" : "entries must be real numbers",
                   std::string(to_string(tensor.dtype))};
  }
  if (const auto once = asks(Use::rotations, convention) ? listed_once(tensor) : std::nullopt) {
    return check_relative(*once, convention, options);
  }
  constexpr std::int64_t most = std::int64_t{1} << 28;
  if (tensor.count() > most) return shape_problem("there must be at most 2^28 entries", tensor);
  const bool counts = is_list(tensor) && asks(Use::rotations, convention) && options.dim > 0 &&
                      !frequencies_of(convention, options.dim, options.context).empty();
  if (!counts && all_expected(tensor, convention, options).empty()) {
    return shape_problem("the tensor must have a shape of the convention's " + std::string(family(convention)) +
                             ", and positions as many as its queries and keys",
                         tensor);
  }
  return std::nullopt;
}

Diagnosis diagnose_relative(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options) {
  if (const auto once = asks(Use::rotations, convention) ? listed_once(tensor) : std::nullopt) {
    Diagnosis diagnosis = diagnose_relative(*once, convention, options);
    if (diagnosis.found) diagnosis.found->copies = 2;
    return diagnosis;
  }
  const Entries got = entries_of(tensor, convention);
  const std::vector<Expected> asked = all_expected(tensor, convention, options);
  Diagnosis diagnosis;
  Tallied best;
  const Expected* nearest = nullptr;
  for (const Expected& each : asked) {
    Tallied tally = tallied(got, each.all, 1);
    if (best.entries > 0 && tally.share() <= best.share()) continue;
    best = std::move(tally), nearest = &each;
  }
  if (asked.empty()) best.entries = best.wrong = std::ssize(got.all);  // another number of frequencies
  diagnosis.entries = best.entries, diagnosis.wrong = best.wrong, diagnosis.first = best.first;
  diagnosis.right = best.entries > 0 && best.wrong == 0;
  if (diagnosis.right) {
    diagnosis.explained = 1;
    if (got.kind != EntryKind::classes) diagnosis.found = candidate_of_entries(got, *nearest, convention);
    return diagnosis;
  }
  diagnosis.findings = fault_words(tensor, convention, options, got, asked, diagnosis.explained);
  if (diagnosis.explained == 0 && !best.first.empty()) {
    diagnosis.findings.push_back("first wrong at " + entry_words(best.first));
  }
  return diagnosis;
}

}  // namespace posenc::referee
