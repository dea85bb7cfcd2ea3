// SPDX-License-Identifier: Apache-2.0
// Slopes, biases, classes, factors and coordinates of pairs: what a convention gives for every entry, then the same
// under the changes that ports make.
#include "src/referee/diagnose_relative.h"

#include <algorithm>
#include <cmath>

#include "src/base/to_text.h"
#include "src/conventions/lower.h"
#include "src/referee/arc.h"
#include "src/referee/diagnose_words.h"
#include "src/referee/distances.h"
#include "src/referee/expected.h"
#include "src/referee/identify_table.h"
#include "src/referee/nearest_relative.h"
#include "src/referee/scalings.h"
#include "src/referee/storage.h"

namespace posenc::referee {
namespace {

Problem shape_problem(std::string rule, const ConstView& tensor) {
  return {"diagnose", std::move(rule), shape_text(tensor)};
}

// The factor by which all entries are others; nothing where there is none but 1.
std::optional<double> factor_of(const Entries& got, const std::vector<double>& expected) {
  double both = 0, squares = 0;
  for (std::size_t i = 0; i < expected.size() && i < got.all.size(); ++i) {
    if (hidden(got.all[i])) continue;
    both += got.all[i] * expected[i], squares += expected[i] * expected[i];
  }
  if (got.kind == EntryKind::classes || squares == 0 || both == 0 || !(std::abs(both / squares) < 0x1p100))
    return std::nullopt;
  const double factor = both / squares;
  constexpr double one = 1e-3;
  if (std::abs(factor - 1) < one || tallied(got, expected, factor).wrong > 0) return std::nullopt;
  return factor;
}

std::string factor_words(double factor) {
  constexpr double one = 1e-3;
  if (std::abs(factor + 1) < one) return "all entries have the other sign: negate";
  const double square = 1 / (factor * factor), n = std::rint(square);
  const bool root = factor > 0 && n >= 2 && std::abs(square - n) < one * n;
  return "scaled by " + to_text(std::rint(factor * 1e6) / 1e6) + (root ? " = 1 / sqrt " + to_text(n) : "") +
         ": divide by it";
}

// Frequencies that are all divided by one number: linear scaling.
std::vector<std::string> scaling_words(const Entries& got, const Convention& asked, double factor) {
  if (got.kind != EntryKind::frequencies || !(factor > 0)) return {};
  const double by = 1 / factor, quarters = std::rint(4 * by) / 4;
  constexpr double near = 1e-3;
  const bool simple = quarters > 0 && std::abs(by - quarters) <= near * by;
  const FieldChange changes[] = {{"ladder.scaling", "linear"}, {"ladder.scaling.factor", simple ? quarters : by}};
  if (check_changes(asked, changes)) return {};
  return words_of_fields(detail::changed(asked, changes), asked);
}

// Of a list the entries that are others, where they are few, or those that changed places.
std::vector<std::string> list_words(const Entries& got, const std::vector<double>& expected) {
  if (got.kind != EntryKind::frequencies || got.all.size() != expected.size()) return {};
  std::vector<std::size_t> wrong, from;
  for (std::size_t k = 0; k < expected.size(); ++k) {
    if (!(std::abs(got.all[k] - expected[k]) <= got.off(expected[k]))) wrong.push_back(k);
  }
  const auto moved_from = [&](std::size_t k) {
    return std::ranges::find_if(wrong, [&](std::size_t j) {
      return std::abs(got.all[k] - expected[j]) <= got.off(expected[j]) && std::ranges::find(from, j) == from.end();
    });
  };
  for (const std::size_t k : wrong) {
    if (const auto at = moved_from(k); at != wrong.end()) from.push_back(*at);
  }
  constexpr std::size_t few = 4;
  const std::size_t told = std::min(few, wrong.size());
  const std::string more = wrong.size() > few ? ", .. (" + std::to_string(wrong.size()) + " of them)" : "";
  if (from.size() == wrong.size()) {
    std::vector<std::string> each;
    for (std::size_t i = 0; i < told; ++i) {
      each.push_back("entry " + std::to_string(wrong[i]) + " holds entry " + std::to_string(from[i]));
    }
    return {"entries are permuted: " + listed(each, [](const std::string& text) { return text; }) + more};
  }
  if (4 * wrong.size() > expected.size()) return {};
  return {(wrong.size() == 1 ? "1 entry is another: " : "entries are others: ") +
          listed(std::span(wrong).first(told), [](std::size_t k) { return std::to_string(k); }) + more};
}

// Lists of numbers that divide positions, or of the tokens in a turn.
std::vector<std::string> period_words(const Entries& got, const std::vector<double>& expected) {
  if (got.kind != EntryKind::frequencies || std::ranges::find(got.all, 0.0) != got.all.end()) return {};
  Entries inverted = got;
  for (const auto& [times, words] : {std::pair{1.0, "entries are 1 / frequency: invert them"},
                                     {turn, "entries are periods, 2 pi / frequency: divide 2 pi by them"}}) {
    for (std::size_t k = 0; k < got.all.size(); ++k) inverted.all[k] = times / got.all[k];
    if (tallied(inverted, expected, 1).wrong == 0) return {words};
  }
  return {};
}

bool begins_with(const Entries& got, const std::vector<double>& all) {
  for (std::size_t k = 0; k < std::min(got.all.size(), all.size()); ++k) {
    if (!(std::abs(got.all[k] - all[k]) <= got.off(all[k]))) return false;
  }
  return true;
}

// A list that was cut: of the width that is asked, or of a usual one.
std::vector<std::string> cut_words(const Entries& got, const Convention& convention, const DiagnoseOptions& options) {
  if (got.kind != EntryKind::frequencies) return {};
  const std::string count = std::to_string(got.all.size());
  if (options.dim > 0) {
    const std::vector<double> all = frequencies_of(convention, options.dim, options.context);
    if (all.size() == got.all.size()) return {};
    const std::string words = count + " frequencies, " + std::to_string(all.size()) + " asked";
    if (!begins_with(got, all)) return {words};
    return {words + (got.all.size() < all.size() ? ": the last ones are missing" : ": those behind are none of them")};
  }
  for (const std::int64_t width : {32, 64, 80, 96, 128, 160, 192, 256, 512}) {
    const std::vector<double> all = frequencies_of(convention, width, options.context);
    if (all.size() <= got.all.size() || !begins_with(got, all)) continue;
    return {"frequencies are the first " + count + " of " + std::to_string(all.size()) + ", those of width " +
            std::to_string(width)};
  }
  return {};
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
  std::vector<Convention> known;
  for (const Candidate& each : conventions_of(tensor, options.identify).candidates) known.push_back(each.convention);
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

std::vector<std::string> fault_words(const ConstView& tensor, const Convention& convention,
                                     const DiagnoseOptions& options, const Entries& got,
                                     const std::vector<Expected>& asked, double& explained) {
  explained = 1;
  for (const Expected& each : asked) {
    const auto factor = factor_of(got, each.all);
    if (!factor) continue;
    if (auto words = scaling_words(got, convention, *factor); !words.empty()) return words;
    return {factor_words(*factor)};
  }
  for (const Expected& each : asked) {
    if (auto order = order_of_heads(got, each)) return {std::move(*order)};
    if (auto words = period_words(got, each.all); !words.empty()) return words;
  }
  if (auto words = cut_words(got, convention, options); !words.empty()) return words;
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
  explained = 0;
  return {};
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
  if (diagnosis.findings.empty()) diagnosis.findings.emplace_back("no known fault explains these entries");
  if (diagnosis.explained == 0 && !best.first.empty()) {
    diagnosis.findings.push_back("first wrong at " + entry_words(best.first));
  }
  return diagnosis;
}

}  // namespace posenc::referee
