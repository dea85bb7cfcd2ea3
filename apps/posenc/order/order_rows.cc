// SPDX-License-Identifier: Apache-2.0
// Rows of the same token in two texts, compared.
#include "apps/posenc/order/order_rows.h"

#include <algorithm>
#include <cmath>
#include <map>

namespace posenc::tool {
namespace {

using Places = std::map<std::int32_t, std::vector<std::int64_t>>;

Places places_of(std::span<const std::int32_t> ids) {
  Places places;
  for (std::size_t t = 0; t < ids.size(); ++t) places[ids[t]].push_back(static_cast<std::int64_t>(t));
  return places;
}

double distance(std::span<const float> a, std::span<const float> b) {
  double most = 0;
  for (std::size_t c = 0; c < a.size(); ++c) {
    most = std::max(most, std::fabs(static_cast<double>(a[c]) - static_cast<double>(b[c])));
  }
  return most;
}

// From each place in one text to the nearest in the other.
double farthest(const TextRows& from, std::span<const std::int64_t> places, const TextRows& to,
                std::span<const std::int64_t> others) {
  double most = 0;
  for (const std::int64_t i : places) {
    double nearest = INFINITY;
    for (const std::int64_t j : others) nearest = std::min(nearest, distance(from.row(i), to.row(j)));
    most = std::max(most, nearest);
  }
  return most;
}

double apart(const TextRows (&rows)[2], const SharedToken& token) {
  return std::max(farthest(rows[0], token.places[0], rows[1], token.places[1]),
                  farthest(rows[1], token.places[1], rows[0], token.places[0]));
}

// Ids that `places` has more often than `others`.
std::vector<std::int32_t> surplus(const Places& places, const Places& others) {
  std::vector<std::int32_t> ids;
  for (const auto& [id, at] : places) {
    const auto found = others.find(id);
    if (found == others.end() || found->second.size() < at.size()) ids.push_back(id);
  }
  return ids;
}

}  // namespace

Comparison compare(const TwoTexts& texts) {
  const Places places[] = {places_of(texts.ids[0]), places_of(texts.ids[1])};
  Comparison result{};
  for (const int side : {0, 1}) result.only[side] = surplus(places[side], places[1 - side]);
  result.permuted = result.only[0].empty() && result.only[1].empty();
  for (const float value : texts.without[0].values) {
    result.size = std::max(result.size, std::fabs(static_cast<double>(value)));
  }
  for (const auto& [id, at] : places[0]) {
    const auto other = places[1].find(id);
    if (other == places[1].end()) continue;
    SharedToken token{id, {at, other->second}, 0, 0};
    token.without = apart(texts.without, token);
    token.with = apart(texts.with, token);
    result.without = std::max(result.without, token.without);
    result.with = std::max(result.with, token.with);
    result.shared.push_back(std::move(token));
  }
  std::ranges::sort(result.shared, {}, [](const SharedToken& token) { return token.places[0].front(); });
  return result;
}

AlignedText align(std::span<const std::int32_t> first, std::span<const std::int32_t> second) {
  Places left = places_of(second);
  for (auto& [id, at] : left) std::ranges::reverse(at);  // the first of them at the end, where it is taken off
  AlignedText aligned;
  for (std::size_t t = 0; t < first.size(); ++t) {
    const auto found = left.find(first[t]);
    if (found == left.end() || found->second.empty()) continue;
    aligned.places.push_back(found->second.back());
    aligned.partners.push_back(static_cast<std::int64_t>(t));
    found->second.pop_back();
  }
  std::vector<std::int64_t> others;
  for (const auto& [id, at] : left) others.insert(others.end(), at.begin(), at.end());
  std::ranges::sort(others);
  aligned.places.insert(aligned.places.end(), others.begin(), others.end());
  return aligned;
}

}  // namespace posenc::tool
