// SPDX-License-Identifier: Apache-2.0
// Gradients of embedding rows by plain loops: the language and its library alone.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

namespace reference {

/// Neighbours added, then neighbours of these: to the left of the last addition stands the largest power of two.
template <class C>
C tree(std::span<const C> sums) {
  if (sums.size() == 1) return sums[0];
  const std::size_t left = std::bit_floor(sums.size() - 1);
  return tree(sums.first(left)) + tree(sums.subspan(left));
}

/// From zero, one after the other; more than 1024 in chunks of 1024 and a tree of their sums.
template <class C>
C sum(std::span<const C> terms) {
  std::vector<C> sums;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (i % 1024 == 0) sums.push_back(0);
    sums.back() = sums.back() + terms[i];
  }
  return tree(std::span<const C>(sums));
}

/// [vocabulary, width]: scale x the sum of term(token, column) over the tokens whose id is the row's; else 0.
template <class C, class Term>
std::vector<C> gradient_rows(const std::vector<std::int64_t>& ids, std::int64_t vocabulary, std::int64_t width, C scale,
                             const Term& term) {
  std::vector<std::vector<std::int64_t>> tokens(static_cast<std::size_t>(vocabulary));
  for (std::size_t i = 0; i < ids.size(); ++i) {
    tokens[static_cast<std::size_t>(ids[i])].push_back(static_cast<std::int64_t>(i));
  }
  std::vector<C> rows, terms;
  for (const std::vector<std::int64_t>& of_row : tokens) {
    for (std::int64_t c = 0; c < width; ++c) {
      terms.clear();
      for (const std::int64_t token : of_row) terms.push_back(term(token, c));
      rows.push_back(terms.empty() ? C(0) : scale * sum(std::span<const C>(terms)));
    }
  }
  return rows;
}

}  // namespace reference
