// SPDX-License-Identifier: Apache-2.0
// Slopes, biases, classes, factors and coordinates of pairs: what a convention gives for every entry, then the same
// under the changes that ports make.
#include "src/referee/diagnose_relative.h"

#include <posenc/operation.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "src/base/to_text.h"
#include "src/conventions/lower.h"
#include "src/conventions/neighbours.h"
#include "src/referee/compared_places.h"
#include "src/referee/diagnose_lists.h"
#include "src/referee/diagnose_trials.h"
#include "src/referee/diagnose_words.h"
#include "src/referee/distances.h"
#include "src/referee/expected.h"
#include "src/referee/identify_frequencies.h"
#include "src/referee/identify_table.h"
#include "src/referee/ladder_lists.h"
#include "src/referee/logarithm.h"
#include "src/referee/nearest_relative.h"
#include "src/referee/not_identified.h"
#include "src/referee/shown_ramp.h"
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

// Classes may be stored in real types as well.
bool are_whole(const Entries& entries) {
  return std::ranges::all_of(entries.all, [](double x) { return x == std::rint(x); });
}

// A tensor read as one form of what is asked.
struct Way {
  Entries got;
  const Expected* expected;
};

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
  const auto stated = std::ranges::find(fields, "ladder.base", &FieldText::name);
  double base = 0;
  if (stated == fields.end()) return std::nullopt;
  const char* const end = stated->value.data() + stated->value.size();
  const auto read = std::from_chars(stated->value.data(), end, base);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(base) : std::nullopt;
}

// Candidates: the asked convention with the changes that ports make; then presets and what identify finds, the nearest
// first.
struct Others {
  std::vector<Convention> changed, known;
};
Others other_conventions(const ConstView& tensor, const Convention& asked, const DiagnoseOptions& options) {
  std::vector<Convention> all = neighbours(asked);
  add_change(asked, {{"ladder.scaling", "none"}, {"magnitude", 1}}, all);
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
  std::erase_if(known, [&](const Convention& each) {
    return each == asked || operation_of(each).use != operation_of(asked).use;
  });
  std::ranges::stable_sort(known, {}, [&](const Convention& each) { return differences(each, asked).size(); });
  return {std::move(all), std::move(known)};
}

std::string entry_words(const std::vector<std::int64_t>& index) { return to_text(std::span(index)); }

// Classes that are all off by one number.
std::vector<std::string> shifted_words(const std::vector<Way>& ways) {
  for (const auto& [got, asked] : ways) {
    if (got.kind != EntryKind::classes || asked->all.empty()) continue;
    const double by = got.all[0] - asked->all[0];
    const auto is_shifted = [&](double is, double right) { return is == right + by; };
    if (by == 0 || !std::ranges::equal(got.all, asked->all, is_shifted)) continue;
    return {"classes are " + to_text(std::abs(by)) +
            (by > 0 ? " more than asked: subtract it" : " less than asked: add it")};
  }
  return {};
}

// The first of a few entries that are others.
std::vector<std::string> few_words(const std::vector<Way>& ways) {
  constexpr std::int64_t one_in = 64;
  for (const auto& [got, asked] : ways) {
    const Tallied tally = tallied(got, asked->all, 1);
    if (one_in * tally.wrong <= tally.entries) return {words_of_others(got, asked->all, tally)};
  }
  return {};
}

// The transpose of a square of classes.
std::vector<std::string> transposed_words(const std::vector<Way>& ways) {
  for (const auto& [got, asked] : ways) {
    if (got.shape.size() != 2 || got.shape[0] != got.shape[1]) continue;
    Entries turned = got;
    turned.all = transposed(got);
    const bool is_asked = turned.all.size() == asked->all.size() && tallied(turned, asked->all, 1).wrong == 0;
    if (is_asked) return {"queries and keys are exchanged: transpose"};
  }
  return {};
}

// Queries and keys at which the tensor may be: the usual places, and those that identify finds.
std::vector<std::pair<std::int64_t, std::int64_t>> likely_pairs(const ConstView& tensor, const PairPlaces& asked,
                                                                const IdentifyOptions& options) {
  const std::int64_t queries = asked.queries.count_, keys = asked.keys.count_;
  std::vector<std::pair<std::int64_t, std::int64_t>> all = {{0, 0}, {keys - queries, 0}};
  IdentifyOptions anywhere = options;
  anywhere.positions.clear();
  for (const Candidate& each : conventions_of(tensor, anywhere).candidates) {
    if (each.places.size() != 2) continue;
    all.emplace_back(static_cast<std::int64_t>(each.places[0].first), static_cast<std::int64_t>(each.places[1].first));
  }
  return all;
}

// The same convention where queries or keys stand elsewhere. Most see the distance alone: then it is the queries that
// do.
std::vector<std::string> other_pairs_words(const ConstView& tensor, const Convention& convention,
                                           const DiagnoseOptions& options, const std::vector<Way>& ways) {
  const auto first = std::ranges::find_if(ways, [](const Way& way) { return way.expected->pairs.has_value(); });
  if (first == ways.end()) return {};
  const PairPlaces& asked = *first->expected->pairs;
  const auto own_key = static_cast<std::int64_t>(number_at(asked.keys, 0));
  for (const auto& [query, key] : likely_pairs(tensor, asked, options.identify)) {
    for (const std::int64_t from : {own_key, key}) {
      DiagnoseOptions elsewhere = options;
      elsewhere.identify.positions.clear();
      elsewhere.queries = Positions::range(from + query - key, asked.queries.count_);
      elsewhere.keys = Positions::range(from, asked.keys.count_);
      for (const Expected& each : all_expected(tensor, convention, elsewhere)) {
        if (!each.pairs || tallied(read_as(each, first->got), each.all, 1).wrong > 0) continue;
        if (auto words = words_of_pairs(*each.pairs, asked); !words.empty()) return words;
      }
    }
  }
  return {};
}

// A factor, the even powers, the order of heads: of one way of reading the tensor.
std::vector<std::string> one_change(const ConstView& tensor, const Convention& convention,
                                    const DiagnoseOptions& options, const std::vector<Way>& ways) {
  for (const auto& [got, asked] : ways) {
    const auto factor = factor_of(got, asked->all);
    if (!factor) continue;
    if (auto words = scaling_words(tensor, got, asked->form, convention, options); !words.empty()) return words;
    return {factor_words(*factor)};
  }
  for (const auto& [got, asked] : ways) {
    if (auto even = by_formula_of_powers(got, *asked)) return {std::move(*even)};
  }
  if (auto words = part_words(ways.front().got, convention, options); !words.empty()) return words;
  for (const auto& [got, asked] : ways) {
    if (auto order = order_of_heads(got, *asked)) return {std::move(*order)};
  }
  return {};
}

// As another convention, in whatever form that is.
std::vector<std::string> another_convention(const ConstView& tensor, const Convention& convention,
                                            const DiagnoseOptions& options, const Entries& stored,
                                            std::string_view form, std::span<const Convention> others) {
  for (const Convention& other : others) {
    for (const Expected& each : all_expected(tensor, other, options)) {
      if (tallied(read_as(each, stored), each.all, 1).wrong > 0) continue;
      const bool is_list = has_ladder(convention);
      std::vector<std::string> words = words_of_fields(other, convention, is_list ? frequency_form : each.form);
      for (const auto& [name, value] : each.assumed) words.push_back("as of " + name + " " + value);
      if (each.form != form && !each.note.empty()) words.emplace_back(each.note);
      return words;
    }
  }
  return {};
}

// A ramp of the frequencies that begins or ends elsewhere.
std::vector<std::string> ramp_words(const ConstView& tensor, const Convention& convention,
                                    const DiagnoseOptions& options, const Entries& stored) {
  if (!stored.are_frequencies()) return {};
  std::vector<Frequency> frequencies;
  for (const double w : stored.all) frequencies.push_back({w, stored.off(w)});
  const std::int64_t width = options.dim > 0 ? options.dim : 2 * std::ssize(stored.all);
  const auto shown = shown_ramp(convention, {.width = width, .context = options.context}, frequencies);
  if (!shown) return {};
  for (const Expected& each : all_expected(tensor, shown->convention, options)) {
    if (tallied(read_as(each, stored), each.all, 1).wrong == 0) return shown->words;
  }
  return {};
}

// The frequencies of another length of the whole sequence.
std::vector<std::string> length_words(const ConstView& tensor, const Entries& stored, const Convention& asked,
                                      const DiagnoseOptions& options) {
  if (!stored.are_frequencies()) return {};
  DiagnoseOptions other = options;
  for (const std::int64_t length : other_lengths(asked, options.context.length)) {
    other.context.length = length;
    for (const Expected& each : all_expected(tensor, asked, other)) {
      if (tallied(read_as(each, stored), each.all, 1).wrong == 0) return {words_of_length(length)};
    }
  }
  return {};
}

std::vector<std::string> fault_words(const ConstView& tensor, const Convention& convention,
                                     const DiagnoseOptions& options, const Entries& stored,
                                     const std::vector<Way>& ways) {
  const auto is_none = [](double x) { return !std::isfinite(x) && !hides(x); };
  if (std::ranges::any_of(stored.all, is_none)) return {not_finite(tensor)->words};
  if (auto words = other_pairs_words(tensor, convention, options, ways); !words.empty()) return words;
  if (!ways.empty()) {
    if (auto words = one_change(tensor, convention, options, ways); !words.empty()) return words;
  }
  const Entries& got = ways.empty() ? stored : ways.front().got;
  if (auto words = cut_words(got, convention, options); !words.empty()) return words;
  if (auto words = length_words(tensor, stored, convention, options); !words.empty()) return words;
  const std::string_view form = ways.empty() ? std::string_view() : ways.front().expected->form;
  const Others others = other_conventions(tensor, convention, options);
  const auto as_one_of = [&](const std::vector<Convention>& some) {
    return another_convention(tensor, convention, options, stored, form, some);
  };
  if (auto words = as_one_of(others.changed); !words.empty()) return words;
  if (auto words = ramp_words(tensor, convention, options, stored); !words.empty()) return words;
  if (auto words = as_one_of(others.known); !words.empty()) return words;
  for (const auto& [read, asked] : ways) {
    if (auto words = list_words(read, asked->all); !words.empty()) return words;
  }
  for (const auto& rest : {transposed_words, shifted_words, few_words}) {
    if (auto words = rest(ways); !words.empty()) return words;
  }
  if (auto known = identified(tensor, convention, options)) return known->findings;
  return {};
}

// Of entries that are right: which type they went through, and how many are equal to the bit.
Candidate candidate_of_entries(const Entries& got, const Expected& expected, const Convention& convention) {
  Candidate candidate;
  candidate.convention = convention;
  candidate.form = expected.form, candidate.extents = got.shape, candidate.storage = got.storage;
  Tally tally(0, got.storage);
  for (std::size_t i = 0; i < got.all.size(); ++i) {
    if (hides(got.all[i])) continue;
    tally.add({static_cast<std::int64_t>(i)}, got.all[i], stored(expected.all[i], got.storage));
  }
  candidate.exact = candidate.by_recipe = tally.result();
  return candidate;
}

}  // namespace

bool is_relative(const ConstView& tensor, const Convention& convention) {
  return !has_ladder(convention) || is_list(tensor);
}

std::optional<Problem> check_relative(const ConstView& tensor, const Convention& convention,
                                      const DiagnoseOptions& options) {
  if (asks(ConventionUse::stored_rows, convention)) {
    return Problem{"diagnose", "the convention must be of more than rows of a stored table",
                   std::string(family(convention))};
  }
  const bool classes = asks(ConventionUse::classes, convention) || asks(ConventionUse::windows, convention);
  if (!classes && is_integer(tensor.dtype)) {
    return Problem{"diagnose", "entries must be real numbers", std::string(to_string(tensor.dtype))};
  }
  constexpr std::int64_t most = std::int64_t{1} << 28;
  if (tensor.count() > most) return shape_problem("there must be at most 2^28 entries", tensor);
  if (classes && !are_whole(entries_of(tensor, convention))) {
    return Problem{"diagnose", "classes must be whole numbers", std::string(to_string(tensor.dtype))};
  }
  if (const auto once = has_ladder(convention) ? listed_once(tensor) : std::nullopt) {
    return check_relative(*once, convention, options);
  }
  const bool counts =
      is_list(tensor) && options.dim > 0 && !frequencies_of(convention, options.dim, options.context).empty();
  const std::vector<Expected> all = all_expected(tensor, convention, options);
  if (!counts && all.empty()) {
    return shape_problem("the tensor must have a shape of the convention's " + std::string(family(convention)) +
                             ", and positions as many as its queries and keys",
                         tensor);
  }
  if (states_pairs(options) && std::ranges::none_of(all, [](const Expected& each) { return each.pairs.has_value(); })) {
    return shape_problem("queries and keys must be of biases or classes of distances", tensor);
  }
  return std::nullopt;
}

Diagnosis diagnose_relative(const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options) {
  if (const auto once = has_ladder(convention) ? listed_once(tensor) : std::nullopt) {
    Diagnosis diagnosis = diagnose_relative(*once, convention, options);
    if (diagnosis.found) diagnosis.found->copies = 2;
    return diagnosis;
  }
  const Entries stored = entries_of(tensor, convention);
  const std::vector<Expected> asked = all_expected(tensor, convention, options);
  Diagnosis diagnosis;
  Tallied best;
  const Expected* nearest = nullptr;
  for (const Expected& each : asked) {
    Tallied tally = tallied(read_as(each, stored), each.all, 1);
    if (best.entries > 0 && tally.share() <= best.share()) continue;
    best = std::move(tally), nearest = &each;
  }
  if (asked.empty()) best.entries = best.wrong = std::ssize(stored.all);  // another number of frequencies
  diagnosis.entries = best.entries, diagnosis.wrong = best.wrong, diagnosis.first = best.first;
  diagnosis.right = best.entries > 0 && best.wrong == 0;
  if (nearest != nullptr) diagnosis.assumed = nearest->assumed;
  if (diagnosis.right) {
    diagnosis.explained = 1;
    if (!nearest->note.empty()) diagnosis.findings.emplace_back(nearest->note);
    if (stored.kind != EntryKind::classes) {
      diagnosis.found = candidate_of_entries(read_as(*nearest, stored), *nearest, convention);
    }
    return diagnosis;
  }
  std::vector<Way> ways;
  for (const Expected& each : asked) {
    if (each.form == nearest->form) ways.push_back({read_as(each, stored), &each});
  }
  diagnosis.findings = fault_words(tensor, convention, options, stored, ways);
  diagnosis.explained = diagnosis.findings.empty() ? 0 : 1;
  if (diagnosis.findings.empty()) {
    diagnosis.findings = {"no known fault explains these entries", words_of_kind(told_of(tensor, options.identify))};
  }
  if (diagnosis.explained == 0 && !best.first.empty()) {
    diagnosis.findings.push_back("first wrong at " + entry_words(best.first));
  }
  return diagnosis;
}

}  // namespace posenc::referee
