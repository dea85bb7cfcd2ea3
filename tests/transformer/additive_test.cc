// SPDX-License-Identifier: Apache-2.0
// Additive attention against plain loops in f64 and against PyTorch, within the bound of additive.h.
#include <gtest/gtest.h>
#include <posenc/transformer/additive.h>

#include "tests/encodings/said.h"
#include "tests/encodings/surroundings.h"
#include "tests/golden_files.h"
#include "tests/transformer/additive_truth.h"

namespace posenc {
namespace {

using plain::hides;
using plain::recurrence;
using test::said;

// One call, with numbers of the recurrence, and room for its output and weights.
struct AdditiveCall {
  std::int64_t batch, rows, columns, d, e, w, a;
  bool biased = true;
  std::vector<float> q = recurrence(batch * rows * d, 1), k = recurrence(batch * columns * e, 2),
                     v = recurrence(batch * columns * w, 3), of_query = recurrence(a * d, 4),
                     of_key = recurrence(a * e, 5), direction = recurrence(a, 6), query_bias = recurrence(a, 7),
                     key_bias = recurrence(a, 8), added = recurrence(batch * rows * columns, 9);
  std::vector<float> o = std::vector<float>(static_cast<std::size_t>(batch * rows * w), 7.0f);
  std::vector<float> s = std::vector<float>(static_cast<std::size_t>(batch * rows * columns), 7.0f);

  ConstView queries() const { return view(q.data(), {batch, rows, d}); }
  ConstView keys() const { return view(k.data(), {batch, columns, e}); }
  ConstView values() const { return view(v.data(), {batch, columns, w}); }
  View out() { return view(o.data(), {batch, rows, w}); }
  View weights_out() { return view(s.data(), {batch, rows, columns}); }
  ConstView mask() {
    for (std::size_t i = 0; i < added.size(); i += 5) added[i] = hides;
    return view(std::as_const(added).data(), {batch, rows, columns});
  }
  Additive weights() const {
    Additive made = {{view(of_query.data(), {a, d})}, {view(of_key.data(), {a, e})}, view(direction.data(), {a})};
    if (biased) made.query.bias = view(query_bias.data(), {a}), made.key.bias = view(key_bias.data(), {a});
    return made;
  }

  void attend(const AdditiveOptions& options) {
    additive_attention(weights(), queries(), keys(), values(), out(), options);
    additive_weights(weights(), queries(), keys(), weights_out(), options);
  }
  plain::Attended truth(const AdditiveOptions& options, std::int64_t b, std::int64_t i,
                        const plain::Arithmetic& arithmetic) const {
    std::vector<plain::Scored> scores;
    const std::int64_t length = options.lengths ? static_cast<const std::int64_t*>(options.lengths->data)[b] : columns;
    for (std::int64_t j = 0; j < columns; ++j) {
      const bool hidden = j >= length || (options.sight == Sight::past && j > options.first + i);
      scores.push_back(
          hidden ? plain::Scored{}
                 : plain::additive_score(weights(), plain::row_at(queries(), b, i), plain::row_at(keys(), b, j)));
      if (hidden || !options.mask) continue;
      scores.back().value += plain::number(plain::row_at(*options.mask, b, i), j);
      scores.back().error += plain::half_ulp * std::abs(scores.back().value);
    }
    const auto value = [&](std::int64_t j, std::int64_t c) { return plain::number(plain::row_at(values(), b, j), c); };
    return plain::row_of(scores, w, value, arithmetic);
  }
  void expect_plain(const AdditiveOptions& options) {
    SCOPED_TRACE(testing::Message() << "B " << batch << " L " << rows << " S " << columns << " d " << d << " e " << e
                                    << " w " << w << " a " << a << " first " << options.first);
    attend(options);
    plain::Worst worst;
    for (std::int64_t b = 0; b < batch; ++b) {
      for (std::int64_t i = 0; i < rows; ++i) {
        const plain::Attended row = truth(options, b, i, plain::ours),
                              at_once = truth(options, b, i, plain::ours_at_once);
        for (std::int64_t c = 0; c < w; ++c) {
          const auto at = static_cast<std::size_t>(c);
          worst.see(static_cast<double>(o[static_cast<std::size_t>((b * rows + i) * w + c)]), row.out[at],
                    row.out_bounds[at]);
        }
        for (std::int64_t j = 0; j < columns; ++j) {
          const auto at = static_cast<std::size_t>(j);
          worst.see(static_cast<double>(s[static_cast<std::size_t>((b * rows + i) * columns + j)]), at_once.weights[at],
                    at_once.weight_bounds[at]);
        }
      }
    }
    EXPECT_LE(worst.share, 1);
  }
};

// Sizes of one, odd, prime, of whole tiles and beyond them, empty ones too.
std::vector<AdditiveCall> additive_shapes() {
  return {{1, 1, 1, 1, 1, 1, 1},     {2, 3, 5, 7, 3, 11, 4},   {1, 32, 512, 8, 8, 8, 8}, {1, 33, 513, 3, 5, 2, 3},
          {1, 65, 1100, 4, 4, 4, 5}, {3, 13, 29, 6, 6, 6, 17}, {1, 3, 4, 0, 4, 2, 3},    {1, 3, 4, 4, 4, 0, 3},
          {1, 3, 4, 4, 4, 2, 0},     {1, 3, 0, 4, 4, 4, 4},    {1, 0, 3, 4, 4, 4, 4},    {0, 2, 2, 3, 4, 4, 4}};
}

TEST(Additive, IsWithinItsBoundForShapesOfEveryKind) {
  for (AdditiveCall& shape : additive_shapes()) {
    for (const bool biased : {false, true}) {
      shape.biased = biased;
      shape.expect_plain({.sight = Sight::all});
    }
    for (const std::int64_t first : {0, 1, 700}) shape.expect_plain({.sight = Sight::past, .first = first});
    shape.expect_plain({.sight = Sight::all, .mask = shape.mask()});
  }
}

TEST(Additive, IsWithinItsBoundForLargeScores) {
  AdditiveCall large = {1, 20, 600, 4, 4, 3, 6};
  for (float& x : large.direction) x *= 40;
  for (float& x : large.q) x *= 30;
  large.expect_plain({.sight = Sight::all});
  large.expect_plain({.sight = Sight::past, .first = 570});
}

TEST(Additive, OfOneColumnIsTheFormula) {
  const float q[] = {0.5f}, k[] = {0.25f, -0.5f}, v[] = {1, 3}, one[] = {1}, two[] = {2};
  const Additive weights = {{view(two, {1, 1})}, {view(one, {1, 1})}, view(two, {1})};
  float out[1];
  additive_attention(weights, view(q, {1, 1, 1}), view(k, {1, 2, 1}), view(v, {1, 2, 1}), view(out, {1, 1, 1}),
                     {.sight = Sight::all});
  const double a = std::exp(2 * std::tanh(1.25)), b = std::exp(2 * std::tanh(0.5));
  EXPECT_NEAR(static_cast<double>(out[0]), (a + 3 * b) / (a + b), 1e-6);
}

// ---- what is seen -------------------------------------------------------------------------------

TEST(Additive, SeesNoKeyBeyondEveryLength) {
  for (std::int64_t length = 0; length <= 19; ++length) {
    AdditiveCall padded = {3, 5, 19, 4, 4, 6, 7};
    const std::int64_t lengths[] = {0, length, 19};
    AdditiveOptions options = {.sight = Sight::all, .lengths = view(lengths, {3})};
    padded.expect_plain(options);
    options.sight = Sight::past;
    options.first = 3;
    padded.expect_plain(options);
  }
}

TEST(Additive, ReadsNoPadding) {
  AdditiveCall padded = {2, 4, 9, 3, 3, 5, 6};
  const std::int64_t lengths[] = {6, 6};
  const AdditiveOptions options = {.sight = Sight::all, .lengths = view(lengths, {2})};
  padded.attend(options);
  const std::vector<float> before = padded.o;
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t j = 6; j < 9; ++j) {
      std::fill_n(padded.k.begin() + static_cast<std::ptrdiff_t>((b * 9 + j) * 3), 3, NAN);
      std::fill_n(padded.v.begin() + static_cast<std::ptrdiff_t>((b * 9 + j) * 5), 5, NAN);
    }
  }
  padded.attend(options);
  EXPECT_EQ(padded.o, before);
}

TEST(Additive, OfAQueryThatSeesNoKeyIsZero) {
  AdditiveCall hidden = {2, 3, 4, 5, 5, 6, 7};
  std::fill(hidden.added.begin(), hidden.added.end(), hides);
  hidden.attend({.sight = Sight::all, .mask = view(std::as_const(hidden.added).data(), {2, 3, 4})});
  EXPECT_EQ(hidden.o, std::vector<float>(hidden.o.size(), 0.0f));
  EXPECT_EQ(hidden.s, std::vector<float>(hidden.s.size(), 0.0f));
}

TEST(Additive, WithANanQueryHasThatRowNanAndNoOther) {
  AdditiveCall bad = {1, 3, 4, 5, 5, 6, 7};
  bad.q[5] = NAN;
  bad.attend({.sight = Sight::all});
  for (std::size_t i = 0; i < bad.o.size(); ++i) EXPECT_EQ(std::isnan(bad.o[i]), i / 6 == 1) << i;
}

TEST(Additive, OfQueriesInPiecesIsThatOfAllWithinTheBound) {
  AdditiveCall whole = {1, 70, 90, 6, 6, 5, 9}, part = {1, 1, 90, 6, 6, 5, 9};
  whole.attend({.sight = Sight::past, .first = 20});
  for (std::int64_t i = 0; i < 70; ++i) {
    std::copy_n(whole.q.begin() + i * 6, 6, part.q.begin());
    part.expect_plain({.sight = Sight::past, .first = 20 + i});
    for (std::size_t c = 0; c < 5; ++c) EXPECT_NEAR(part.o[c], whole.o[static_cast<std::size_t>(i) * 5 + c], 1e-6);
  }
}

// ---- surroundings -------------------------------------------------------------------------------

TEST(Additive, HasTheSameBitsForEveryExecutorAndRoundingMode) {
  AdditiveCall wanted = {3, 40, 1100, 4, 4, 5, 6};
  AdditiveOptions options = {.sight = Sight::past, .first = 900};
  wanted.attend(options);
  for (const Executor& executor : {test::two_threads, test::reversed}) {
    AdditiveCall other = wanted;
    options.executor = executor;
    other.attend(options);
    EXPECT_EQ(other.o, wanted.o);
    EXPECT_EQ(other.s, wanted.s);
  }
  for (const int mode : test::rounding_modes) {
    AdditiveCall other = wanted;
    EXPECT_TRUE(test::survives(mode, [&] { other.attend(options); }));
    EXPECT_EQ(other.o, wanted.o);
  }
}

TEST(Additive, TakesRowsOfAnyStride) {
  AdditiveCall wanted = {2, 4, 5, 3, 3, 3, 6};
  wanted.k = wanted.v;
  wanted.attend({.sight = Sight::all});
  // Keys and values backwards, one tensor, its rows 7 apart; queries of sequence 0 for both.
  std::vector<float> turned(2 * 5 * 7, NAN), out(2 * 9 * 4, 7.0f);
  for (std::size_t row = 0; row < 10; ++row)
    std::copy_n(wanted.v.begin() + static_cast<std::ptrdiff_t>(row * 3), 3,
                turned.begin() + static_cast<std::ptrdiff_t>(63 - row * 7));
  const ConstView backwards = {turned.data() + 63, DType::f32, 3, {2, 5, 3}, {-35, -7, 1}};
  const View to = {out.data() + 1, DType::f32, 3, {2, 4, 3}, {4, 9, 1}};
  additive_attention(wanted.weights(), wanted.queries(), backwards, backwards, to, {.sight = Sight::all});
  for (std::size_t at = 0; at < wanted.o.size(); ++at) {
    const std::size_t b = at / 12, i = at / 3 % 4, c = at % 3;
    EXPECT_NEAR(out[1 + b * 4 + i * 9 + c], wanted.o[at], 1e-6);
  }
  EXPECT_EQ(std::count(out.begin(), out.end(), 7.0f), 72 - 24);
}

TEST(Additive, RepeatsAMaskOfStrideZero) {
  AdditiveCall wanted = {2, 3, 4, 5, 5, 6, 7}, other = wanted;
  const float row[] = {0, 1, hides, -2};
  std::vector<float> all;
  for (int i = 0; i < 6; ++i) all.insert(all.end(), row, row + 4);
  wanted.attend({.sight = Sight::all, .mask = view(std::as_const(all).data(), {2, 3, 4})});
  const ConstView repeated = {row, DType::f32, 3, {2, 3, 4}, {0, 0, 1}};
  other.attend({.sight = Sight::all, .mask = repeated});
  EXPECT_EQ(other.o, wanted.o);
}

// ---- PyTorch ------------------------------------------------------------------------------------

TEST(AdditiveGoldens, OfBahdanausFormulaInPyTorchAreWithinTheBound) {
  const test::GoldenFile file("additive");
  ASSERT_EQ(file.cases().size(), 7u);
  double largest = 0;
  for (const auto& [name, golden] : file.tensors()) {
    SCOPED_TRACE(name);
    const test::GoldenFields fields = file.fields(name);
    const auto size = [&](const char* field) { return fields.integer(field); };
    AdditiveCall ours = {size("batch"), size("queries"), size("keys"), size("d"),
                         size("e"),     size("w"),       size("a"),    fields.yes("biased")};
    AdditiveOptions options = {.sight = Sight::all};
    if (fields.has("first")) options.sight = Sight::past, options.first = size("first");
    std::vector<std::int64_t> lengths;
    if (fields.has("lengths")) {
      lengths = fields.integers("lengths");
      options.lengths = view(std::as_const(lengths).data(), {ours.batch});
    }
    if (fields.yes("masked")) options.mask = ours.mask();
    ours.expect_plain(options);
    const std::span<const double> values = golden.values<double>();
    for (std::int64_t row = 0; row < ours.batch * ours.rows; ++row) {
      const plain::Attended bounds = ours.truth(options, row / ours.rows, row % ours.rows, plain::ours);
      for (std::int64_t c = 0; c < ours.w + ours.columns; ++c) {
        const auto column = static_cast<std::size_t>(c < ours.w ? c : c - ours.w);
        const double theirs = values[static_cast<std::size_t>(row * (ours.w + ours.columns) + c)];
        const auto mine =
            static_cast<double>(c < ours.w ? ours.o[static_cast<std::size_t>(row * ours.w + c)]
                                           : ours.s[static_cast<std::size_t>(row * ours.columns + c - ours.w)]);
        EXPECT_LE(std::abs(mine - theirs), c < ours.w ? bounds.out_bounds[column] : bounds.weight_bounds[column]);
        largest = std::max(largest, std::abs(mine - theirs));
      }
    }
  }
  std::printf("additive attention is at most %.3g from PyTorch in f64\n", largest);
}

// ---- what is refused ----------------------------------------------------------------------------

TEST(CheckAdditive, RefusesWhatDoesNotGoTogether) {
  AdditiveCall c = {2, 3, 4, 5, 6, 7, 8};
  const AdditiveOptions all = {.sight = Sight::all};
  const Additive good = c.weights();
  const auto check = [&](const Additive& weights, const AdditiveOptions& options) {
    return said(check_additive_attention(weights, c.queries(), c.keys(), c.values(), c.out(), options));
  };
  EXPECT_EQ(check(good, all), "nothing");
  EXPECT_EQ(
      said(check_additive_attention(good, view(std::as_const(c.q).data(), {6, 5}), c.keys(), c.values(), c.out(), all)),
      "[additive_attention] queries must have shape [B, L, d], got [6, 5]");
  EXPECT_EQ(said(check_additive_attention(good, c.queries(), view(std::as_const(c.k).data(), {1, 8, 6}), c.values(),
                                          c.out(), all)),
            "[additive_attention] keys must have shape [2, 8, 6], got [1, 8, 6]");
  EXPECT_EQ(said(check_additive_attention(good, c.queries(), c.keys(), view(std::as_const(c.v).data(), {2, 2, 14}),
                                          c.out(), all)),
            "[additive_attention] values must have shape [2, 4, 14], got [2, 2, 14]");
  EXPECT_EQ(said(check_additive_attention(good, c.queries(), c.keys(), c.values(), view(c.o.data(), {3, 2, 7}), all)),
            "[additive_attention] out must have shape [2, 3, 7], got [3, 2, 7]");
  EXPECT_EQ(said(check_additive_weights(good, c.queries(), c.keys(), view(c.s.data(), {2, 4, 3}), all)),
            "[additive_weights] out must have shape [2, 3, 4], got [2, 4, 3]");
  Additive other = good;
  other.key.weight = view(std::as_const(c.of_key).data(), {6, 8});
  EXPECT_EQ(check(other, all), "[additive_attention] key weight must have shape [8, 6], got [6, 8]");
  other = good;
  other.direction = view(std::as_const(c.direction).data(), {4});
  EXPECT_EQ(check(other, all), "[additive_attention] direction must have shape [8], got [4]");
  other = good;
  other.query.bias = view(std::as_const(c.direction).data(), {4});
  EXPECT_EQ(check(other, all), "[additive_attention] query bias must have shape [8], got [4]");
  EXPECT_EQ(check(good, {.sight = {}}), "[additive_attention] sight must be stated, got none");
  EXPECT_EQ(check(good, {.sight = Sight::past, .first = -1}),
            "[additive_attention] first must be in [0, 2^63 - 1 - 3], got -1");
  const std::int64_t lengths[] = {4, 5};
  EXPECT_EQ(check(good, {.sight = Sight::all, .lengths = view(lengths, {2})}),
            "[additive_attention] lengths must be in [0, 4], got 5 at [1]");
  EXPECT_EQ(check(good, {.sight = Sight::all, .mask = view(std::as_const(c.added).data(), {2, 3, 2})}),
            "[additive_attention] mask must have shape [2, 3, 4], got [2, 3, 2]");
  const std::vector<float> before = c.o;
  EXPECT_EQ(test::thrown([&] { additive_attention(other, c.queries(), c.keys(), c.values(), c.out(), all); }),
            "[additive_attention] query bias must have shape [8], got [4]");
  EXPECT_EQ(c.o, before);
}

}  // namespace
}  // namespace posenc
