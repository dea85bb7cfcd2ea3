// SPDX-License-Identifier: Apache-2.0
// Lists entry by entry, then sorted.
#include "src/referee/nearest_frequencies.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "src/base/to_text.h"
#include "src/referee/distances.h"
#include "src/referee/hold.h"
#include "src/referee/identify_frequencies.h"
#include "src/referee/identify_table.h"

namespace posenc::referee {
namespace {

constexpr double most_apart = 0.05;

double median_apart(const std::vector<double>& got, const std::vector<double>& known) {
  std::vector<double> apart;
  for (std::size_t k = 0; k < got.size(); ++k) {
    const double off = std::abs(got[k] - known[k]), size = std::abs(known[k]);
    apart.push_back(off == 0 ? 0 : std::isfinite(off) && size > 0 ? off / size : 1);
  }
  const auto middle = apart.begin() + static_cast<std::ptrdiff_t>(apart.size() / 2);
  std::ranges::nth_element(apart, middle);
  return *middle;
}
std::vector<double> in_order(std::vector<double> list) {
  std::ranges::sort(list);
  return list;
}

struct NearList {
  Named named;
  std::vector<double> known;
  double apart = 2 * most_apart;
  enum class Order : std::uint8_t { same = 1, another } order = Order::same;
};
std::optional<NearList> nearest_list(const Reading& row, const std::vector<double>& got) {
  NearList best;
  constexpr std::int64_t place[] = {0};
  // A list of thousands that is not one of frequencies takes long to tell from all of them.
  constexpr std::size_t many = 1024;
  if (got.size() > many || std::ranges::count_if(got, [](double x) { return x < 0; }) * 4 > std::ssize(got)) {
    return std::nullopt;
  }
  const bool finite = std::ranges::all_of(got, [](double x) { return std::isfinite(x); });
  for (Named& named : preset_frequencies(row.width)) {
    complete(named.signal);
    std::vector<double> known = known_rows(row, {named.signal, {0}, {{1, 1, {1}}}}, place);
    if (known.size() != got.size()) continue;
    const double apart = median_apart(got, known);
    const double sorted = finite ? median_apart(in_order(got), in_order(known)) : apart;
    const double least = std::min(apart, sorted);
    if (least >= best.apart) continue;
    const auto order = sorted < apart / 2 ? NearList::Order::another : NearList::Order::same;
    best = {std::move(named), std::move(known), least, order};
  }
  return best.apart <= most_apart ? std::optional(std::move(best)) : std::nullopt;
}

std::string moved_words(const std::vector<double>& got, const NearList& near, const Tolerance& tolerance) {
  std::string words;
  std::size_t moved = 0;
  constexpr std::size_t few = 4;
  std::vector<char> is_taken(near.known.size());
  for (std::size_t k = 0; k < got.size(); ++k) {
    const auto from = std::ranges::min_element(near.known, {}, [&](double w) { return std::abs(got[k] - w); });
    if (!(std::abs(got[k] - *from) <= frequency_off(*from, tolerance))) return "";
    const auto of = static_cast<std::size_t>(from - near.known.begin());
    if (std::exchange(is_taken[of], 1) != 0) return "";  // no permutation holds one entry twice
    if (of != k && moved++ < few) {
      words += (words.empty() ? "entry " : ", entry ") + std::to_string(k) + " holds entry " + std::to_string(of);
    }
  }
  return "entries are permuted: " + words + (moved > few ? ", .." : "");
}

std::string words_of_list(const std::vector<double>& got, const NearList& near, const Tolerance& tolerance) {
  if (near.order == NearList::Order::another) {
    if (auto words = moved_words(got, near, tolerance); !words.empty()) return words;
    return "entries are in another order, and off by a median of " + to_text(std::rint(near.apart * 1e4) / 100) + " %";
  }
  std::vector<std::size_t> wrong;
  for (std::size_t k = 0; k < got.size(); ++k) {
    if (!(std::abs(got[k] - near.known[k]) <= frequency_off(near.known[k], tolerance))) wrong.push_back(k);
  }
  if (wrong.empty()) return std::to_string(got.size()) + " numbers are too few to tell a ladder from others";
  if (wrong.size() > 1) {
    if (auto words = moved_words(got, near, tolerance); !words.empty()) return words;
  }
  if (4 * wrong.size() > got.size()) {
    return "entries are off by a median of " + to_text(std::rint(near.apart * 1e4) / 100) + " %";
  }
  constexpr std::size_t few = 8;
  const auto first = std::span(wrong).first(std::min(few, wrong.size()));
  return (wrong.size() == 1 ? "entry " : "entries ") + listed(first, [](std::size_t k) { return std::to_string(k); }) +
         (wrong.size() > few ? ", .." : "") + (wrong.size() == 1 ? " is damaged" : " are damaged");
}

std::string words_of_order(const std::vector<double>& got) {
  if (std::ranges::is_sorted(got)) return "entries rise in no known ladder";
  if (std::ranges::is_sorted(got, std::greater<>())) return "entries fall in no known ladder";
  return "a list in no known ladder, neither rising nor falling";
}

// Of a base of its own, in the form that needs fewer numbers; what a row of presets has is identified.
std::optional<LikeFrequencies> like_inverted(const Reading& row) {
  std::optional<LikeFrequencies> told;
  for (const InverseForm& form : inverse_forms) {
    Identification found = identify_inverted(row, form, {});
    if (found.candidates.empty()) continue;
    Candidate& first = found.candidates.front();
    if (told && told->nearest->fitted.size() <= first.fitted.size()) continue;
    told = LikeFrequencies{std::string(form.words), std::move(first)};
  }
  return told;
}

}  // namespace

std::optional<LikeFrequencies> like_frequencies(const ConstView& tensor, DType storage) {
  const auto row = as_row(tensor);
  if (!row) return std::nullopt;
  std::vector<double> got;
  for (std::int64_t c = 0; c < row->width; ++c) got.push_back(row->at(0, c));
  if (fits_too_freely(*row)) {
    const std::string count = std::to_string(row->width);
    return LikeFrequencies{"ladders fit these " + count + " numbers, which cannot be told from so few", std::nullopt};
  }
  const auto near = nearest_list(*row, got);
  if (auto inverted = near ? std::nullopt : like_inverted(*row)) return inverted;
  if (!near) return LikeFrequencies{words_of_order(got), std::nullopt};
  LikeFrequencies told = {words_of_list(got, *near, tolerance_of(storage)), std::nullopt};
  const Hypothesis hypothesis = {near->named.signal, {0}, {{1, 1, {1}}}};
  const Suspect suspect = {*row, {hypothesis, {}}, near->named.names(), {}};
  const auto agreement = match(*row, hypothesis, exact(), storage, {}, serial);
  told.nearest = candidate_of(suspect, storage, agreement.value_or(Agreement{}));
  told.nearest->places.clear();
  return told;
}

}  // namespace posenc::referee
