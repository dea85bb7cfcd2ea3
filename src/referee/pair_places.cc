// SPDX-License-Identifier: Apache-2.0
// Places of pairs, and how they are said.
#include "src/referee/pair_places.h"

#include <algorithm>
#include <cmath>

#include "src/base/to_text.h"
#include "src/referee/compared_places.h"

namespace posenc::referee {
namespace {

// A list of positions serves queries and keys, two are one of each.
std::optional<Positions> stated_queries(const DiagnoseOptions& options) {
  const std::vector<Positions>& lists = options.identify.positions;
  return options.queries || lists.empty() ? options.queries : std::optional(lists.front());
}
std::optional<Positions> stated_keys(const DiagnoseOptions& options) {
  const std::vector<Positions>& lists = options.identify.positions;
  return options.keys || lists.empty() ? options.keys : std::optional(lists.back());
}

// 100000, where the shortest text is 1e+05.
std::string number_text(double x) {
  constexpr double largest = 0x1p53;
  const bool whole = std::rint(x) == x && std::abs(x) < largest;
  return whole ? std::to_string(static_cast<std::int64_t>(x)) : to_text(x);
}

struct Spacing {
  double first, step;
};
// Nothing of positions that are not first, first + step, ..
std::optional<Spacing> spacing_of(const Positions& positions) {
  if (positions.kind_ == Positions::Kind::integers && positions.step_ != 0) {
    return Spacing{static_cast<double>(positions.start_), static_cast<double>(positions.step_)};
  }
  const double first = number_at(positions, 0);
  const double step = positions.count_ > 1 ? number_at(positions, 1) - first : 1;
  for (std::int64_t i = 0; i < positions.count_; ++i) {
    if (number_at(positions, i) != first + static_cast<double>(i) * step) return std::nullopt;
  }
  return step == 0 ? std::nullopt : std::optional(Spacing{first, step});
}

std::string words_of_axis(std::string_view axis, const Positions& is, const Positions& asked, std::string_view verb) {
  const auto own = spacing_of(is), other = spacing_of(asked);
  if (own && other && own->step == 1 && other->step == 1) {
    return std::string(axis) + " from " + number_text(own->first) + ", " + number_text(other->first) + " " +
           std::string(verb);
  }
  return std::string(axis) + " at " + text_of(is) + ", " + text_of(asked) + " " + std::string(verb);
}

bool are_equal(const Positions& a, const Positions& b) {
  if (a.count_ != b.count_) return false;
  for (std::int64_t i = 0; i < a.count_; ++i) {
    if (number_at(a, i) != number_at(b, i)) return false;
  }
  return true;
}

bool is_assumed(const PairPlaces& pairs, std::string_view name) {
  return std::ranges::find(pairs.assumed, name, &Assumed::name) != pairs.assumed.end();
}

}  // namespace

std::vector<PairPlaces> pair_places(std::int64_t queries, std::int64_t keys, const DiagnoseOptions& options) {
  const auto of_queries = stated_queries(options), of_keys = stated_keys(options);
  const Positions all_keys = of_keys.value_or(Positions::range(0, keys));
  std::vector<PairPlaces> all;
  const auto add = [&](const Positions& some, std::shared_ptr<const std::vector<double>> held = {}) {
    PairPlaces pairs = {some, all_keys, {}, std::move(held)};
    if (!of_queries) pairs.assumed.push_back({"queries", text_of(some)});
    if (!of_keys) pairs.assumed.push_back({"keys", text_of(all_keys)});
    all.push_back(std::move(pairs));
  };
  if (of_queries) {
    add(*of_queries);
    return all;
  }
  if (!of_keys) {
    add(Positions::range(0, queries));
    if (queries != keys) add(Positions::range(keys - queries, queries));
    return all;
  }
  for (const std::int64_t first : {std::int64_t{0}, all_keys.count_ - queries}) {
    if (first < 0 || all_keys.count_ < queries || (first == 0 && !all.empty())) continue;
    const auto held = std::make_shared<std::vector<double>>();
    add(slice(all_keys, first, queries, *held), held);
  }
  return all;
}

std::optional<Problem> check_pair_places(const DiagnoseOptions& options) {
  for (const auto& [name, positions] : {std::pair("queries", options.queries), {"keys", options.keys}}) {
    if (!positions) continue;
    if (!options.identify.positions.empty()) {
      return Problem{"diagnose", std::string(name) + " must not be given beside positions",
                     std::to_string(options.identify.positions.size()) + " of them"};
    }
    if (auto problem = check_positions("diagnose", *positions)) return problem;
    if (positions->kind_ == Positions::Kind::list && positions->list_.rank != 1) {
      return Problem{"diagnose", std::string(name) + " must be a list of one axis", shape_text(positions->list_)};
    }
  }
  return std::nullopt;
}

std::string text_of(const Positions& positions) {
  constexpr std::int64_t few = 4;
  if (positions.count_ == 1) return number_text(number_at(positions, 0));
  if (const auto even = spacing_of(positions)) {
    const double end = even->first + static_cast<double>(positions.count_) * even->step;
    return number_text(even->first) + ":" + number_text(end) + (even->step == 1 ? "" : ":" + number_text(even->step));
  }
  std::string text;
  for (std::int64_t i = 0; i < std::min(few, positions.count_); ++i) {
    text += (i > 0 ? "," : "") + number_text(number_at(positions, i));
  }
  return text + (positions.count_ > few ? ",.. " + std::to_string(positions.count_) + " of them" : "");
}

std::vector<std::string> words_of_pairs(const PairPlaces& is, const PairPlaces& asked) {
  std::vector<std::string> words;
  const auto verb = [&](std::string_view name) { return is_assumed(asked, name) ? "assumed" : "asked"; };
  if (!are_equal(is.queries, asked.queries)) {
    words.push_back(words_of_axis("query", is.queries, asked.queries, verb("queries")));
  }
  if (!are_equal(is.keys, asked.keys)) words.push_back(words_of_axis("key", is.keys, asked.keys, verb("keys")));
  return words;
}

}  // namespace posenc::referee
