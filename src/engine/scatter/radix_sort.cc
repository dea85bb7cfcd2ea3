// SPDX-License-Identifier: Apache-2.0
// A radix sort: stable, in time and memory of the tokens, whatever the size of the vocabulary.
#include "src/engine/scatter/radix_sort.h"

#include <algorithm>
#include <array>
#include <utility>

namespace posenc::engine {
namespace {

constexpr int digit_bits = 11;
constexpr std::uint64_t digits = 1u << digit_bits;

using Tokens = std::vector<std::uint64_t>;  // id 2^32 + token
constexpr std::uint64_t id_in(std::uint64_t entry) { return entry >> 32; }

// to = from, ordered by one digit of the ids.
void sort_by_digit(int shift, const Tokens& from, Tokens& to) {
  std::array<std::uint32_t, digits> place = {};
  const auto digit = [&](std::uint64_t entry) { return id_in(entry) >> shift & (digits - 1); };
  for (const std::uint64_t entry : from) ++place[digit(entry)];
  std::uint32_t begin = 0;
  for (std::uint32_t& p : place) begin += std::exchange(p, begin);
  for (const std::uint64_t entry : from) to[place[digit(entry)]++] = entry;
}

ById apart(const Tokens& sorted) {
  const std::size_t size = sorted.size();
  const auto starts = [&](std::size_t i) { return i == 0 || id_in(sorted[i]) != id_in(sorted[i - 1]); };
  std::size_t count = 0;
  for (std::size_t i = 0; i < size; ++i) count += starts(i) ? 1 : 0;
  ById by_id = {.tokens = std::vector<std::uint32_t>(size),
                .ids = std::vector<std::int64_t>(count),
                .begins = std::vector<std::uint32_t>(count + 1)};
  by_id.begins[count] = static_cast<std::uint32_t>(size);
  // From the last on: what is written without a branch for every token stays for the first one of an id.
  for (std::size_t i = size; i-- > 0;) {
    by_id.tokens[i] = static_cast<std::uint32_t>(sorted[i]);
    by_id.ids[count - 1] = static_cast<std::int64_t>(id_in(sorted[i]));
    by_id.begins[count - 1] = static_cast<std::uint32_t>(i);
    count -= starts(i) ? 1 : 0;
  }
  return by_id;
}

}  // namespace

ById by_id(std::span<const std::uint32_t> id_of, std::optional<std::int64_t> without) {
  Tokens sorted, other;
  sorted.reserve(id_of.size());
  std::uint32_t largest = 0;
  for (std::size_t token = 0; token < id_of.size(); ++token) {
    if (id_of[token] == without) continue;
    sorted.push_back(std::uint64_t{id_of[token]} << 32 | token);
    largest = std::max(largest, id_of[token]);
  }
  other.resize(sorted.size());
  for (int shift = 0; shift < 32 && largest >> shift != 0; shift += digit_bits) {
    sort_by_digit(shift, sorted, other);
    std::swap(sorted, other);
  }
  return apart(sorted);
}

}  // namespace posenc::engine
