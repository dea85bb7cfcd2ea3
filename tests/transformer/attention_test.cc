// SPDX-License-Identifier: Apache-2.0
// Attention against plain loops in f64, within the bound of attention.h.
#include <posenc/transformer/attention.h>

#include <cstring>
#include <fstream>
#include <numeric>
#include <string>
#include <thread>

#include "tests/input/plain.h"
#include "tests/sanitized.h"
#include "tests/transformer/attention_truth.h"

namespace posenc {
namespace {

using plain::Heads;
using plain::hides;
using plain::recurrence;
using plain::seeing_all;

constexpr AttentionOptions causal = {.score = Score::scaled_dot, .sight = Sight::past};

// Sizes of one query and key, odd, prime, of whole tiles and beyond them, empty ones too.
std::vector<Heads> many_shapes() {
  return {{1, 1, 1, 1, 1, 1, 1},      {2, 3, 3, 5, 7, 3, 11},     {1, 2, 2, 128, 512, 64, 64},
          {1, 1, 1, 129, 513, 17, 5}, {1, 1, 1, 257, 1031, 8, 1}, {1, 2, 1, 1, 1500, 64, 64},
          {3, 4, 2, 13, 29, 16, 16},  {1, 1, 1, 3, 4, 0, 4},      {1, 1, 1, 3, 4, 4, 0},
          {1, 1, 1, 3, 0, 4, 4},      {1, 1, 1, 0, 3, 4, 4},      {0, 2, 2, 3, 4, 4, 4},
          {2, 0, 0, 3, 4, 4, 4},      {1, 1, 1, 31, 97, 1, 300}};
}

TEST(Attention, IsWithinItsBoundForShapesOfEveryKind) {
  for (Heads& heads : many_shapes()) {
    for (const std::int64_t first : {0, 1, 700}) {
      for (const Sight sight : {Sight::all, Sight::past}) {
        for (const Score score : {Score::dot, Score::scaled_dot}) {
          heads.expect_plain({.score = score, .sight = sight, .first = first});
        }
      }
    }
  }
}

TEST(Attention, IsWithinItsBoundForLargeScores) {
  Heads heads = {1, 1, 1, 40, 1100, 32, 8};
  for (float& x : heads.q) x *= 60;
  heads.expect_plain({.score = Score::dot, .sight = Sight::all});
  for (std::size_t i = 0; i < heads.k.size(); ++i) heads.k[i] *= static_cast<float>(i) / 1000;  // the maximum moves on
  heads.expect_plain({.score = Score::dot, .sight = Sight::all});
  heads.expect_plain({.score = Score::dot, .sight = Sight::past, .first = 1060});
}

// ---- what is seen ---------------------------------------------------------------------------------

TEST(Attention, SeesNoKeyBeyondEveryLength) {
  for (std::int64_t length = 0; length <= 19; ++length) {
    Heads heads = {3, 2, 2, 5, 19, 4, 6};
    const std::int32_t lengths[] = {0, static_cast<std::int32_t>(length), 19};
    AttentionOptions options = seeing_all;
    options.lengths = view(lengths, {3});
    heads.expect_plain(options);
    options.sight = Sight::past;
    options.first = 3;
    heads.expect_plain(options);
  }
}

TEST(Attention, ReadsNoPadding) {
  Heads heads = {2, 1, 1, 4, 9, 3, 5};
  const std::int64_t lengths[] = {6, 6};
  AttentionOptions options = seeing_all;
  options.lengths = view(lengths, {2});
  heads.attend(options);
  const std::vector<float> before = heads.o;
  for (std::size_t b = 0; b < 2; ++b) {
    for (std::size_t j = 6; j < 9; ++j) {
      std::fill_n(heads.k.begin() + static_cast<std::ptrdiff_t>((b * 9 + j) * 3), 3, NAN);
      std::fill_n(heads.v.begin() + static_cast<std::ptrdiff_t>((b * 9 + j) * 5), 5, NAN);
    }
  }
  heads.attend(options);
  EXPECT_EQ(heads.o, before);
}

TEST(Attention, AddsAMaskThatRepeatsAlongAnyAxes) {
  for (int repeated = 0; repeated < 16; ++repeated) {
    Heads heads = {2, 4, 2, 7, 37, 5, 3};
    ConstView mask = {nullptr, DType::f32, 4, {2, 4, 7, 37}, {}};
    std::int64_t count = 1;
    for (int axis = 3; axis >= 0; --axis) {
      if ((repeated >> axis & 1) != 0) continue;
      mask.strides[static_cast<std::size_t>(axis)] = count;
      count *= mask.size(axis);
    }
    std::vector<float> values = recurrence(count, 5);
    for (std::size_t i = 0; i < values.size(); i += 3) values[i] = hides;
    mask.data = values.data();
    AttentionOptions options = causal;
    options.first = 20;
    options.mask = mask;
    heads.expect_plain(options);
  }
}

TEST(Attention, TakesSlopesOverTheDistanceToEitherSide) {
  Heads heads = {2, 4, 2, 150, 600, 8, 8};
  const float slopes[] = {0.5f, 0.0078125f, 0, -0.001f};
  for (const std::int64_t first : {0, 300, 5000}) {
    AttentionOptions options = {.score = Score::scaled_dot, .sight = Sight::all, .first = first, .slopes = slopes};
    heads.expect_plain(options);
    options.sight = Sight::past;
    heads.expect_plain(options);
  }
}

TEST(Attention, OfARowThatSeesNothingIsZeros) {
  Heads heads = {1, 2, 2, 3, 700, 4, 4};
  std::vector<float> values(3 * 700, hides);
  values[700 + 650] = 0.25f;  // query 1 sees one key of the second tile
  AttentionOptions options = seeing_all;
  options.mask = ConstView{values.data(), DType::f32, 4, {1, 2, 3, 700}, {0, 0, 700, 1}};
  heads.expect_plain(options);
  EXPECT_EQ(heads.o[0], 0);
  EXPECT_EQ(heads.o[4], heads.v[650 * 4]);
  EXPECT_EQ(heads.o[8], 0);
}

TEST(Attention, HidesByMinusInfinityAloneAndNoFiniteMaskDoes) {
  Heads heads = {1, 1, 1, 2, 5, 4, 3};
  const std::vector<float> values(10, std::numeric_limits<float>::lowest());
  AttentionOptions options = seeing_all;
  options.mask = view(values.data(), {1, 1, 2, 5});
  heads.attend(options);
  for (std::size_t c = 0; c < 3; ++c) {  // all scores round to the lowest number: equal weights
    double mean = 0;
    for (std::size_t j = 0; j < 5; ++j) mean += static_cast<double>(heads.v[j * 3 + c]) / 5;
    EXPECT_NEAR(heads.o[c], mean, 1e-6);
  }
}

TEST(Attention, WithNaNOrInfinityAmongTheScoresIsNaNInThatRowAlone) {
  for (const float bad : {NAN, -NAN, std::numeric_limits<float>::infinity()}) {
    for (const std::int64_t at : {0, 16, 600, 699}) {
      Heads heads = {1, 1, 1, 3, 700, 4, 4};
      std::vector<float> values(3 * 700, hides);
      for (std::size_t i = 0; i < values.size(); i += 2) values[i] = 0;
      heads.attend(seeing_all);
      AttentionOptions options = seeing_all;
      options.mask = view(values.data(), {1, 1, 3, 700});
      heads.attend(options);
      const std::vector<float> before = heads.o;
      values[static_cast<std::size_t>(700 + at)] = bad;
      heads.attend(options);
      for (std::size_t i = 0; i < 12; ++i) {
        if (i / 4 == 1) {
          EXPECT_TRUE(std::isnan(heads.o[i])) << bad << " at " << at;
        } else {
          EXPECT_EQ(heads.o[i], before[i]);
        }
      }
    }
  }
}

// ---- strides --------------------------------------------------------------------------------------

// A view of `memory`, whose strides may lead backwards and repeat, that begins in its middle.
ConstView across(const std::vector<float>& memory, std::array<std::int64_t, 4> shape,
                 std::array<std::int64_t, 4> strides) {
  ConstView view = {memory.data() + memory.size() / 2, DType::f32, 4, {}, {}};
  std::copy(shape.begin(), shape.end(), view.shape.begin());
  std::copy(strides.begin(), strides.end(), view.strides.begin());
  return view;
}

TEST(Attention, ReadsRowsThatRepeatRunBackwardsAndLieInOneAnother) {
  const std::vector<float> memory = recurrence(40000, 9);
  const std::vector<std::array<std::int64_t, 4>> strides = {{600, 70, 7, 1},   {600, 70, 0, 1},  {0, 0, 7, 1},
                                                            {-600, 70, -7, 1}, {600, -70, 2, 1}, {7, 600, 14, 1}};
  for (const auto& of_queries : strides) {
    for (const auto& of_keys : strides) {
      const ConstView queries = across(memory, {2, 4, 3, 7}, of_queries);
      const ConstView keys = across(memory, {2, 2, 601, 7}, of_keys);
      const ConstView values = across(memory, {2, 2, 601, 5}, of_queries);
      Heads heads = {2, 4, 2, 3, 601, 7, 5};
      attention(queries, keys, values, heads.out(), causal);
      EXPECT_LE(plain::share_of_bound(queries, keys, values, heads.out(), causal), 1);
      std::vector<float> w(2 * 4 * 3 * 601);
      const View weights = view(w.data(), {2, 4, 3, 601});
      attention_weights(queries, keys, weights, causal);
      EXPECT_LE(plain::share_of_weights_bound(queries, keys, weights, causal), 1);
    }
  }
}

TEST(Attention, WritesRowsOfAnyStridesAndNothingBetweenThem) {
  Heads heads = {2, 3, 1, 5, 40, 4, 6};
  heads.attend(seeing_all);
  std::vector<float> memory(2 * 5 * 3 * 8, 7.0f);
  // [B, L, H, 8] whose rows are written from the last one on, six of eight columns.
  const View out = {memory.data() + 4 * 24, DType::f32, 4, {2, 3, 5, 6}, {120, 8, -24, 1}};
  attention(heads.queries(), heads.keys(), heads.values(), out, seeing_all);
  const ConstView expected = heads.out();
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t h = 0; h < 3; ++h) {
      for (std::int64_t i = 0; i < 5; ++i) {
        for (std::int64_t c = 0; c < 6; ++c) {
          ASSERT_EQ(plain::element(out, b, h, i, c), plain::element(expected, b, h, i, c));
        }
        ASSERT_EQ(plain::element(out, b, h, i, 6), 7);
        ASSERT_EQ(plain::element(out, b, h, i, 7), 7);
      }
    }
  }
}

TEST(Attention, OfTransposedTensorsIsThatOfTheirCopies) {
  // [B, L, H, d] as it comes from a projection.
  const std::vector<float> x = recurrence(2 * 50 * 4 * 8, 11);
  const ConstView rows = view(x.data(), {2, 50, 4, 8}).transposed(1, 2);
  std::vector<float> o(x.size());
  const View out = view(o.data(), {2, 50, 4, 8}).transposed(1, 2);
  attention(rows, rows, rows, out, causal);
  EXPECT_LE(plain::share_of_bound(rows, rows, rows, out, causal), 1);
}

// ---- executors, caches, environments, memory ------------------------------------------------------

// Jobs in an order of their own, on `threads` threads.
struct Jumbled {
  std::int64_t threads;

  static void run(void* self, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
    const std::int64_t threads = static_cast<Jumbled*>(self)->threads;
    std::vector<std::thread> all;
    for (std::int64_t t = 0; t < threads; ++t) {
      all.emplace_back([=] {
        for (std::int64_t i = count - 1 - t; i >= 0; i -= threads) job(context, i);
      });
    }
    for (std::thread& thread : all) thread.join();
  }
  Executor executor() { return {run, this}; }
};

TEST(Attention, HasTheSameBitsOnEveryExecutor) {
  for (Heads& heads : std::vector<Heads>{{2, 4, 2, 300, 700, 32, 48}, {1, 8, 1, 1, 3000, 64, 64}}) {
    AttentionOptions options = causal;
    options.first = 400;
    heads.attend(options);
    const std::vector<float> serially = heads.o;
    std::vector<float> w(static_cast<std::size_t>(heads.batch * heads.heads * heads.rows * heads.columns));
    const View weights = view(w.data(), {heads.batch, heads.heads, heads.rows, heads.columns});
    attention_weights(heads.queries(), heads.keys(), weights, options);
    const std::vector<float> weights_serially = w;
    for (const std::int64_t threads : {1, 2, 3, 7}) {
      Jumbled jumbled = {threads};
      options.executor = jumbled.executor();
      std::fill(heads.o.begin(), heads.o.end(), 7.0f);
      heads.attend(options);
      EXPECT_EQ(heads.o, serially);
      std::fill(w.begin(), w.end(), 7.0f);
      attention_weights(heads.queries(), heads.keys(), weights, options);
      EXPECT_EQ(w, weights_serially);
    }
  }
}

TEST(Attention, OfOneQueryAtATimeIsWithinTheBoundOfAllAtOnce) {
  Heads all = {2, 4, 2, 140, 140, 16, 16};
  for (std::int64_t t = 0; t < all.rows; ++t) {
    ConstView query = all.queries(), keys = all.keys(), values = all.values();
    View out = all.out();
    query.shape[2] = out.shape[2] = 1;
    keys.shape[2] = values.shape[2] = t + 1;  // the cache so far
    query.data = static_cast<const float*>(query.data) + t * query.stride(2);
    out.data = static_cast<float*>(out.data) + t * out.stride(2);
    AttentionOptions options = causal;
    options.first = t;
    attention(query, keys, values, out, options);
  }
  EXPECT_LE(plain::share_of_bound(all.queries(), all.keys(), all.values(), all.out(), causal), 1);
}

TEST(Attention, IgnoresTheCallersEnvironmentAndLeavesIt) {
  Heads heads = {1, 2, 2, 40, 600, 16, 16};
  heads.attend(causal);
  const std::vector<float> before = heads.o;
  bool intact = false;
  {
    const plain::RoundsUpAndFlushes environment;
    heads.attend(causal);
    intact = plain::RoundsUpAndFlushes::intact();
  }
  EXPECT_TRUE(intact);
  EXPECT_EQ(std::memcmp(heads.o.data(), before.data(), before.size() * sizeof(float)), 0);
}

// The peak counts from now on.
void forget_peak_memory() { std::ofstream("/proc/self/clear_refs") << 5; }

// Most memory that the process has had, in KiB.
std::int64_t peak_memory() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    std::int64_t kib = 0;
    if (word == "VmHWM:" && status >> kib) return kib;
  }
  return -1;
}

// The scores alone would be 16 GiB, of one block of queries 32 MiB; a sanitizer keeps 256 MiB of freed memory back.
const std::int64_t most_growth = test::address_sanitized() ? 300 * 1024 : 4 * 1024;

TEST(Attention, Of65536TokensTakesNoMemoryThatGrowsWithThem) {
  constexpr std::int64_t tokens = 65536;
  Heads small = {1, 1, 1, 600, 600, 4, 4};
  small.attend(causal);  // the library's own memory and code
  Heads heads = {1, 1, 1, tokens, tokens, 4, 4};
  forget_peak_memory();
  const std::int64_t before = peak_memory();
  heads.attend(causal);
  const std::int64_t growth = peak_memory() - before;
  std::printf("%lld KiB beside the output\n", static_cast<long long>(growth));
  EXPECT_GT(before, 0);
  EXPECT_LE(growth, most_growth);
  for (const std::int64_t i : {std::int64_t{0}, std::int64_t{40001}, tokens - 1}) {
    const plain::Attended row =
        plain::row_of(heads.queries(), heads.keys(), heads.values(), causal, 0, 0, i, plain::ours);
    for (std::size_t c = 0; c < 4; ++c) {
      EXPECT_NEAR(heads.o[static_cast<std::size_t>(i) * 4 + c], row.out[c], row.out_bounds[c]);
    }
  }
}

}  // namespace
}  // namespace posenc
