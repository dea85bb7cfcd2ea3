// SPDX-License-Identifier: Apache-2.0
// What is written is read again: conventions as JSON, texts as token ids. Arrays: tests/formats.
#include <gtest/gtest.h>
#include <posenc/bpe.h>
#include <posenc/spec.h>

#include <cmath>
#include <set>

#include "tests/properties/random_rows.h"

namespace posenc::io {
namespace {

/// Any double, by its bits.
double random_double() {
  return std::bit_cast<double>(*rc::gen::noShrink(rc::gen::resize(100, rc::gen::arbitrary<std::uint64_t>())));
}

Convention random_convention() {
  Ladder ladder = Geometric{std::abs(random_double()), std::abs(random_double()),
                            *rc::gen::element(Spacing::over_width, Spacing::over_gaps, Spacing::over_gaps_or_one)};
  if (*rc::gen::arbitrary<bool>()) {
    Listed listed;
    for (auto n = *rc::gen::inRange(0, 9); n > 0; --n) listed.frequencies.push_back(std::abs(random_double()));
    ladder = listed;
  }
  const Layout layout = *rc::gen::element(Layout::interleaved, Layout::sine_first, Layout::cosine_first);
  if (*rc::gen::arbitrary<bool>()) {
    return Grid{ladder, layout, *rc::gen::element(AxisOrder::column_first, AxisOrder::row_first)};
  }
  return Sinusoid{
      ladder, layout,
      *rc::gen::element(OddWidth::refused, OddWidth::zero_column, OddWidth::short_row, OddWidth::lone_sine)};
}

RC_GTEST_PROP(RoundTrips, EveryConventionComesBackFromItsJson, ()) {
  const Convention convention = random_convention();
  RC_PRE(!check_convention(convention).has_value());
  const std::string text = to_json(convention);
  RC_ASSERT(convention_from_json(text) == convention);
  RC_ASSERT(to_json(convention_from_json(text)) == text);
}

// ---- text ---------------------------------------------------------------------------------------

void append_utf8(std::string& text, std::uint32_t c) {
  const auto push = [&](std::uint32_t byte) { text += static_cast<char>(byte); };
  if (c < 0x80) return push(c);
  if (c < 0x800) return push(0xC0 | c >> 6), push(0x80 | (c & 63));
  if (c < 0x10000) return push(0xE0 | c >> 12), push(0x80 | (c >> 6 & 63)), push(0x80 | (c & 63));
  push(0xF0 | c >> 18), push(0x80 | (c >> 12 & 63)), push(0x80 | (c >> 6 & 63)), push(0x80 | (c & 63));
}

/// Few letters, so that merges happen, with spaces, quotes, digits and any other character between them.
std::string random_text() {
  const auto letter = rc::gen::map(rc::gen::element('a', 'b', 's', 't', ' ', '\'', '1', '\n'),
                                   [](char c) { return static_cast<std::uint32_t>(c); });
  const auto any = rc::gen::map(rc::gen::inRange<std::uint32_t>(0, 0x10F800),
                                [](std::uint32_t n) { return n < 0xD800 ? n : n + 0x800; });
  std::string text;
  for (const std::uint32_t c : *rc::gen::container<std::vector<std::uint32_t>>(
           rc::gen::weightedOneOf<std::uint32_t>({{8, letter}, {1, any}}))) {
    append_utf8(text, c);
  }
  return text;
}

/// The 256 bytes and some merges of tokens before them.
Bpe random_bpe() {
  std::vector<std::string> tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  std::set<std::string> known(tokens.begin(), tokens.end());
  std::vector<Bpe::Merge> merges;
  const auto part = [&] {
    const auto more = static_cast<std::int32_t>(tokens.size());
    return *rc::gen::oneOf(rc::gen::element<std::int32_t>('a', 'b', 's', 't', ' ', '\''),
                           rc::gen::inRange<std::int32_t>(more > 256 ? 256 : 'a', more > 256 ? more : 'c'));
  };
  for (int n = *rc::gen::inRange(0, 40); n > 0; --n) {
    const std::int32_t left = part(), right = part();
    const std::string joined = tokens[static_cast<std::size_t>(left)] + tokens[static_cast<std::size_t>(right)];
    if (joined.size() > 40 || !known.insert(joined).second) continue;
    tokens.push_back(joined);
    merges.push_back({left, right});
  }
  return Bpe(tokens, merges);
}

RC_GTEST_PROP(RoundTrips, EveryTextComesBackFromItsIds, ()) {
  const Bpe bpe = random_bpe();
  const std::string text = random_text();
  const std::vector<std::int32_t> ids = bpe.encode(text);
  RC_ASSERT(bpe.decode(ids) == text);
  RC_CLASSIFY(ids.size() < text.size(), "merged");
}

}  // namespace
}  // namespace posenc::io
