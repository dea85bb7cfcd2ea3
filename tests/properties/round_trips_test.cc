// SPDX-License-Identifier: Apache-2.0
// What is written is read again: conventions as JSON, arrays in pieces as .npy, texts as token ids.
#include <gtest/gtest.h>
#include <posenc/io/npy.h>
#include <posenc/spec/spec.h>
#include <posenc/text/bpe.h>

#include <cmath>
#include <set>

#include "tests/io/scratch.h"
#include "tests/properties/random_rows.h"

namespace posenc::io {
namespace {

using properties::Bits;
using properties::random_cuts;

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
  if (*rc::gen::inRange(0, 5) == 0) return Bias{std::abs(random_double())};
  if (*rc::gen::inRange(0, 3) == 0) return Rotary{ladder, *rc::gen::element(Pairing::adjacent, Pairing::split_half)};
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

// Whole arrays of any strides: tests/io.
RC_GTEST_PROP(RoundTrips, ArraysInPiecesAreTheFileOfTheWhole, ()) {
  const auto rows = *rc::gen::inRange<std::int64_t>(0, 30), width = *rc::gen::inRange<std::int64_t>(1, 6);
  const DType type = *rc::gen::element(DType::f16, DType::f32, DType::f64, DType::i32, DType::i64);
  Bits array(type, {rows, width});
  auto state = *rc::gen::arbitrary<std::uint32_t>();
  for (std::byte& byte : array.bytes) byte = static_cast<std::byte>((state = state * 1664525u + 1013904223u) >> 24);
  const Scratch folder;
  const bool known = *rc::gen::arbitrary<bool>();
  NpyStream stream(folder / "x.npy", type, {known ? rows : unknown_size, width}, {.sync = Sync::none});
  const std::vector<std::int64_t> cuts = random_cuts(rows);
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) stream.write(array.part(0, cuts[i], cuts[i + 1] - cuts[i]));
  stream.commit();
  const std::string file = read_file(folder / "x.npy", 1 << 20);
  const std::vector<std::byte> expected = npy_bytes(array.view);
  RC_ASSERT(std::equal(expected.begin(), expected.end(), std::as_bytes(std::span(file)).begin(),
                       std::as_bytes(std::span(file)).end()));
  const Array back = read_npy(folder / "x.npy");
  RC_ASSERT(back.dtype == type);
  RC_ASSERT(back.shape == (std::vector<std::int64_t>{rows, width}));
  RC_ASSERT(back.data == array.bytes);
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

RC_GTEST_PROP(RoundTrips, EveryTextInPartsHasTheIdsOfTheWhole, ()) {
  const Bpe bpe = random_bpe();
  const std::string text = random_text();
  const std::vector<std::int64_t> cuts = random_cuts(std::ssize(text));
  std::vector<std::int32_t> ids;
  std::size_t done = 0;
  for (const std::int64_t cut : cuts) {
    const auto end = static_cast<std::size_t>(cut);
    const Rest rest = end == text.size() ? Rest::none : Rest::follows;
    done += bpe.encode_prefix(std::string_view(text).substr(done, end - done), rest, ids);
  }
  RC_ASSERT(done == text.size());
  RC_ASSERT(ids == bpe.encode(text));
}

}  // namespace
}  // namespace posenc::io
