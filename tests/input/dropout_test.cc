// SPDX-License-Identifier: Apache-2.0
// Philox against Random123; dropout against plain loops, frozen masks, and its rules.
#include <posenc/dropout.h>

#include "src/engine/random/random.h"
#include "tests/input/plain.h"

namespace posenc {
namespace {

using plain::Mask;
using plain::Tensor;

// ---- Philox -------------------------------------------------------------------------------------

TEST(Philox, GivesThePublishedAnswers) {
  using engine::Words4;
  EXPECT_EQ(engine::philox({0, 0, 0, 0}, {0, 0}), (Words4{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
  constexpr std::uint32_t ones = 0xFFFFFFFF;
  EXPECT_EQ(engine::philox({ones, ones, ones, ones}, {ones, ones}),
            (Words4{0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD}));
  EXPECT_EQ(engine::philox({0x243F6A88, 0x85A308D3, 0x13198A2E, 0x03707344}, {0xA4093822, 0x299F31D0}),
            (Words4{0xD16CFE09, 0x94FDCCEB, 0x5001E420, 0x24126EA1}));
}

void expect_random123(const engine::Words4& counter, const engine::Words2& key) {
  const auto expected = plain::Generator()({{counter[0], counter[1], counter[2], counter[3]}}, {{key[0], key[1]}});
  const engine::Words4 got = engine::philox(counter, key);
  for (std::size_t i = 0; i < 4; ++i) ASSERT_EQ(got[i], expected[i]);
}

TEST(Philox, EqualsRandom123ForEveryBitOfCounterAndKey) {
  for (std::size_t bit = 0; bit < 192; ++bit) {
    std::array<std::uint32_t, 6> words = {};
    words[bit / 32] = 1u << bit % 32;
    expect_random123({words[0], words[1], words[2], words[3]}, {words[4], words[5]});
  }
}

TEST(Philox, EqualsRandom123ForManyCountersAndKeys) {
  std::mt19937 bits(20240501);
  const auto word = [&] { return static_cast<std::uint32_t>(bits()); };
  for (int i = 0; i < 200000; ++i) expect_random123({word(), word(), word(), word()}, {word(), word()});
}

// ---- values -------------------------------------------------------------------------------------

struct Chance {
  double p;
  std::uint32_t k;
};

template <class T>
void expect_plain_loops(std::int64_t width, const Chance& dropped, const DropoutKey& key) {
  Tensor<T> in({3, 5, width}), out({3, 5, width});
  plain::fill(in.memory, 7);
  dropout(in.view, out.view, dropped.p, key);
  const Mask mask{key.seed, key.call, dropped.k};
  for (std::int64_t b = 0; b < 3; ++b) {
    for (std::int64_t t = 0; t < 5; ++t) {
      for (std::int64_t c = 0; c < width; ++c) {
        const auto token = static_cast<std::uint64_t>(key.first + t);
        const double expected =
            mask.apply<T>(in({b, t, c}), static_cast<std::uint64_t>(b), token, static_cast<std::uint64_t>(c));
        ASSERT_TRUE(plain::same(out({b, t, c}), expected)) << b << ' ' << t << ' ' << c;
      }
    }
  }
}

TEST(Dropout, IsAsItsFormulaSaysInEveryTypeAndWidth) {
  const Chance cases[] = {{0.1, 6554},      {0.25, 16384},    {0.5, 32768},
                          {1.0 / 3, 21845}, {1.0 / 65536, 1}, {65535.0 / 65536, 65535},
                          {0.9, 58982}};
  plain::for_each_real([&]<class T>(T) {
    for (const std::int64_t width : {1, 2, 7, 8, 9, 16, 20, 131}) {
      for (const Chance& dropped : cases) {
        expect_plain_loops<T>(width, dropped, {.seed = 0x123456789ABCDEF, .call = 3, .first = 40});
      }
    }
  });
}

// A draw equal to k comes once in 65536 elements: sixteen times here.
TEST(Dropout, KeepsAnElementWhoseBitsAreK) {
  constexpr std::int64_t length = 2048, width = 512;
  std::vector<float> x(length * width, 1.0f);
  const View out = view(x.data(), {length, width});
  dropout(out, out, 0.1, {.seed = 31});
  const Mask mask{31, 0, 6554};
  std::int64_t different = 0;
  for (std::size_t i = 0; i < x.size(); ++i) different += (x[i] == 0) != mask.drops(0, i / width, i % width) ? 1 : 0;
  EXPECT_EQ(different, 0);
}

TEST(Dropout, UsesAllOfSeedCallAndFirst) {
  const Chance half_dropped{0.5, 32768};
  expect_plain_loops<float>(24, half_dropped, {});
  expect_plain_loops<float>(24, half_dropped, {.seed = 1});
  expect_plain_loops<float>(24, half_dropped, {.seed = std::uint64_t{1} << 63});
  expect_plain_loops<float>(24, half_dropped, {.seed = 0, .call = 0xFFFFFFFF});
  expect_plain_loops<float>(24, half_dropped, {.seed = 0, .call = 0, .first = 0xFFFFFFFF - 4});
}

TEST(Dropout, RoundsProbabilitiesHalfWayUp) {
  for (const std::uint32_t k : {1u, 2u, 6553u, 32768u, 65535u}) {
    const double tie = (k - 0.5) / 65536;
    expect_plain_loops<float>(64, {tie, k}, {.seed = 5});
    if (k > 1) expect_plain_loops<float>(64, {std::nextafter(tie, 0), k - 1}, {.seed = 5});
  }
}

// The first 64 columns, 1 = kept, by tools/goldens/philox.py, e.g. dropout_mask((1, 1, 64), 6554, 0, 0)[0, 0].
TEST(Dropout, MasksAreFrozen) {
  struct Frozen {
    DropoutKey key;
    std::int64_t batch;
    double p;
    std::string_view kept;
  };
  const Frozen rows[] = {
      {{0, 0, 0}, 0, 0.1, "1111111111011110101101111111011111111111111011111111111011101111"},
      {{0x123456789ABCDEF, 3, 4999}, 2, 0.5, "1001111110100100110011100101011111000010110101100001100001101011"},
      {{~std::uint64_t{0}, ~0u, ~0u}, 1, 0.25, "1100110111111111100111101100111110111111110010101111110001110110"}};
  for (const Frozen& row : rows) {
    Tensor<float> x({row.batch + 1, 1, 64});
    std::fill(x.memory.begin(), x.memory.end(), 1.0f);
    dropout(x.view, x.view, row.p, row.key);
    std::string kept;
    for (std::int64_t c = 0; c < 64; ++c) kept += x({row.batch, 0, c}) != 0 ? '1' : '0';
    EXPECT_EQ(kept, row.kept);
  }
}

// Kept elements of n: mean n q, deviation sqrt(n q (1 - q)). Six deviations leave 2e-9 to chance, and nothing to a
// repeat: the masks are fixed.
TEST(Dropout, KeepsAsManyAsItSays) {
  std::vector<float> x(std::size_t{1} << 20);
  const View view3 = view(x.data(), {16, 256, 256});
  for (const Chance& dropped : {Chance{0.1, 6554}, Chance{0.5, 32768}, Chance{0.9, 58982}, Chance{1.0 / 65536, 1}}) {
    std::fill(x.begin(), x.end(), 1.0f);
    dropout(view3, view3, dropped.p, {.seed = 11});
    const auto n = static_cast<double>(x.size()), q = 1 - dropped.k / 65536.0;
    const auto kept = static_cast<double>(x.size()) - static_cast<double>(std::count(x.begin(), x.end(), 0.0f));
    EXPECT_LT(std::abs(kept - n * q), 6 * std::sqrt(n * q * (1 - q))) << dropped.p;
  }
}

TEST(Dropout, NeighboursAreIndependent) {
  constexpr std::int64_t length = 512, width = 512, n = length * width;
  std::vector<float> one(n, 1.0f), other(n, 1.0f);
  const View a = view(one.data(), {length, width}), b = view(other.data(), {length, width});
  dropout(a, a, 0.5, {.seed = 21, .call = 0});
  dropout(b, b, 0.5, {.seed = 21, .call = 1});
  const auto both = [&](std::int64_t shift, const std::vector<float>& second) {
    std::int64_t count = 0;
    for (std::int64_t i = 0; i + shift < n; ++i) {
      count += one[static_cast<std::size_t>(i)] != 0 && second[static_cast<std::size_t>(i + shift)] != 0 ? 1 : 0;
    }
    return static_cast<double>(count) - static_cast<double>(n - shift) / 4;
  };
  const double deviation = std::sqrt(n * 3.0 / 16);
  for (const std::int64_t shift : {1, 2, 7, 8, 9, 512}) EXPECT_LT(std::abs(both(shift, one)), 6 * deviation) << shift;
  EXPECT_LT(std::abs(both(0, other)), 6 * deviation);
}

// ---- shapes -------------------------------------------------------------------------------------

TEST(Dropout, TreatsOneSequenceAsBatchRowZero) {
  Tensor<double> in({6, 20}), flat({6, 20}), batched({1, 6, 20});
  plain::fill(in.memory, 3);
  dropout(in.view, flat.view, 0.3, {.seed = 9});
  dropout(in.view.repeated(1), batched.view, 0.3, {.seed = 9});
  EXPECT_EQ(flat.memory, batched.memory);
}

TEST(Dropout, GivesTheSameBitsInPlaceAndThroughAnyStrides) {
  plain::for_each_real([]<class T>(T) {
    Tensor<T> in({3, 4, 17}), plainly({3, 4, 17});
    plain::fill(in.memory, 5);
    const DropoutKey key{.seed = 77, .call = 2, .first = 9};
    dropout(in.view, plainly.view, 0.4, key);
    for (const std::int64_t gap : {1, 2, -1, -3}) {
      for (const std::vector<int>& order : {std::vector{0, 1, 2}, {1, 0, 2}, {2, 0, 1}}) {
        Tensor<T> out({3, 4, 17}, order, gap), in_place({3, 4, 17}, order, gap);
        const std::vector<T> untouched = out.memory;
        dropout(in.view, in_place.view, 0, {});
        dropout(in_place.view, in_place.view, 0.4, key);
        dropout(in.view, out.view, 0.4, key);
        EXPECT_EQ(plain::bytes(in_place.memory), plain::bytes(out.memory));
        for (std::int64_t i = 0; i < 3 * 4 * 17; ++i) {
          const std::int64_t b = i / 68, t = i / 17 % 4, c = i % 17;
          ASSERT_TRUE(plain::same(out({b, t, c}), plainly({b, t, c})));
          std::memcpy(&out.at({b, t, c}), untouched.data(), sizeof(T));
        }
        EXPECT_EQ(plain::bytes(out.memory), plain::bytes(untouched));  // nothing is written between the elements
      }
    }
  });
}

TEST(Dropout, ChunksWithTheirFirstTokenGiveTheBitsOfTheWhole) {
  Tensor<float> in({2, 11, 20}), whole({2, 11, 20}), parts({2, 11, 20});
  plain::fill(in.memory, 8);
  dropout(in.view, whole.view, 0.25, {.seed = 4, .call = 6, .first = 100});
  for (std::int64_t start = 0, size = 1; start < 11; start += size, size += 2) {
    View from = in.view, to = parts.view;
    from.shape[1] = to.shape[1] = std::min(size, 11 - start);
    from.data = &in.at({0, start, 0});
    to.data = &parts.at({0, start, 0});
    dropout(from, to, 0.25, {.seed = 4, .call = 6, .first = static_cast<std::uint32_t>(100 + start)});
  }
  EXPECT_EQ(parts.memory, whole.memory);
}

TEST(Dropout, TakesEmptyTensors) {
  float nothing = 4;
  for (const auto& shape : {view(&nothing, {0, 8}), view(&nothing, {3, 0}), view(&nothing, {0, 2, 8})}) {
    dropout(shape, shape, 0.5, {});
  }
  EXPECT_EQ(nothing, 4);
}

// ---- identity and special values ----------------------------------------------------------------

TEST(Dropout, ProbabilityZeroCopiesEveryBit) {
  std::uint32_t in[] = {0x00000000, 0x80000000, 0x00000001, 0x7F800000, 0x7FC01234, 0x7F801234, 0xFFFFFFFF, 0x3F800000};
  std::uint32_t out[8] = {};
  const auto* from = reinterpret_cast<const float*>(in);
  for (const double p : {0.0, -0.0}) {
    std::fill(std::begin(out), std::end(out), 5u);
    dropout(view(from, {2, 4}), view(reinterpret_cast<float*>(out), {2, 4}), p, {.seed = 1, .first = ~0u});
    EXPECT_EQ(std::memcmp(in, out, sizeof in), 0);
  }
}

TEST(Dropout, MultipliesWhatItDropsByZero) {
  Tensor<float> x({1, 64});
  const float values[] = {-2.0f, std::numeric_limits<float>::infinity(), std::nanf("")};
  for (const float value : values) {
    std::fill(x.memory.begin(), x.memory.end(), value);
    dropout(x.view, x.view, 0.5, {.seed = 3});
    const Mask mask{3, 0, 32768};
    for (std::int64_t c = 0; c < 64; ++c) {
      const double factor = mask.drops(0, 0, static_cast<std::uint64_t>(c)) ? 0.0 : 2.0;
      EXPECT_TRUE(plain::same(x({0, c}), static_cast<double>(value) * factor));
    }
  }
}

TEST(Dropout, IgnoresAndKeepsTheCallersRounding) {
  Tensor<float> in({4, 40}), expected({4, 40}), got({4, 40});
  plain::fill(in.memory, 2);
  for (std::size_t i = 0; i < 40; ++i) in.memory[i] *= 0x1p-126f;  // subnormal ones
  // Just below a half-way point of k: any rounding but to nearest shows.
  const double p = std::nextafter(6553.5 / 65536, 0);
  dropout(in.view, expected.view, p, {.seed = 6});
  {
    const plain::RoundsUpAndFlushes caller;
    dropout(in.view, got.view, p, {.seed = 6});
    EXPECT_TRUE(caller.intact());
  }
  EXPECT_EQ(plain::bytes(got.memory), plain::bytes(expected.memory));
}

// ---- rules --------------------------------------------------------------------------------------

TEST(Dropout, RefusesProbabilitiesOutsideItsRange) {
  Tensor<float> x({2, 3});
  const std::vector<float> before = x.memory;
  const auto text = [&](double p) { return plain::error_of([&] { dropout(x.view, x.view, p, {}); }); };
  EXPECT_EQ(text(1), "[dropout] dropout must be a probability in [0, 1), got 1");
  EXPECT_EQ(text(-0.1), "[dropout] dropout must be a probability in [0, 1), got -0.1");
  EXPECT_EQ(text(2), "[dropout] dropout must be a probability in [0, 1), got 2");
  EXPECT_EQ(text(std::nan("")), "[dropout] dropout must be a probability in [0, 1), got nan");
  const std::string rule = "[dropout] dropout must round to 1/65536 ... 65535/65536, or be 0, got ";
  EXPECT_EQ(text(1e-6), rule + "1e-06");         // k = 0
  EXPECT_EQ(text(0.999995), rule + "0.999995");  // k = 65536
  EXPECT_EQ(text(5e-324), rule + "5e-324");
  EXPECT_EQ(text(std::nextafter(0x1p-17, 0)), rule + "7.629394531249999e-06");  // just below k = 1/2
  EXPECT_EQ(text(1 - 0x1p-17), rule + "0.9999923706054688");                    // k = 65535.5
  EXPECT_EQ(text(std::nextafter(1, 0)), rule + "0.9999999999999999");
  EXPECT_EQ(x.memory, before);
  EXPECT_EQ(check_dropout_probability("dropout", 0x1p-17), std::nullopt);
  EXPECT_EQ(check_dropout_probability("dropout", std::nextafter(1 - 0x1p-17, 0)), std::nullopt);
}

TEST(Dropout, JudgesProbabilitiesAlikeUnderAnyRounding) {
  const double below = std::nextafter(0x1p-17, 0), most = std::nextafter(1 - 0x1p-17, 0);
  const plain::RoundsUpAndFlushes caller;
  for (const double p : {below, 5e-324}) EXPECT_NE(check_dropout_probability("dropout", p), std::nullopt) << p;
  EXPECT_EQ(check_dropout_probability("dropout", most), std::nullopt);
}

TEST(Dropout, CountsTokensAndSequencesIn32Bits) {
  Tensor<float> x({4, 8});
  const std::vector<float> before = x.memory;
  const std::string rule = "[dropout] dropout counts tokens and sequences in 32 bits, got tokens ";
  EXPECT_EQ(plain::error_of([&] { dropout(x.view, x.view, 0.5, {.first = 0xFFFFFFFD}); }),
            rule + "4294967293 + 4, sequences 1");
  EXPECT_EQ(x.memory, before);
  dropout(x.view, x.view, 0.5, {.first = 0xFFFFFFFC});

  // Nothing of these is read: only their sizes are judged.
  constexpr std::int64_t limit = std::int64_t{1} << 32;
  const auto problem = [&](std::initializer_list<std::int64_t> shape, double p) {
    const View huge = view(x.memory.data(), shape);
    return check_dropout(huge, huge, p, {});
  };
  EXPECT_EQ(problem({limit, 1}, 0.5), std::nullopt);
  EXPECT_EQ(problem({limit + 1, 1}, 0.5)->message(), rule + "0 + 4294967297, sequences 1");
  EXPECT_EQ(problem({limit, 1, 1}, 0.5), std::nullopt);
  EXPECT_EQ(problem({limit + 1, 1, 1}, 0.5)->message(), rule + "0 + 1, sequences 4294967297");
  EXPECT_EQ(problem({1, 8 * limit}, 0.5), std::nullopt);
  EXPECT_EQ(problem({1, 8 * limit + 1}, 0.5)->message(),
            "[dropout] dropout counts blocks of 8 columns in 32 bits, got 34359738369 columns");
  EXPECT_EQ(problem({limit + 1, 1}, 0), std::nullopt);  // the identity has no mask
}

TEST(Dropout, RefusesViewsThatBreakTheRules) {
  Tensor<float> x({2, 3});
  Tensor<double> wide({2, 3});
  Tensor<std::int32_t> integers({2, 3});
  const auto text = [](const ConstView& in, const View& out) {
    return plain::error_of([&] { dropout(in, out, 0.5, {}); });
  };
  const std::vector<float> before = x.memory;
  float line[6] = {};
  EXPECT_EQ(text(integers.view, integers.view), "[dropout] out must be f32, f64, f16 or bf16, got i32");
  EXPECT_EQ(text(view(line, {6}), view(line, {6})), "[dropout] out must have shape [L, d] or [B, L, d], got [6]");
  EXPECT_EQ(text(view(line, {1, 1, 2, 3}), view(line, {1, 1, 2, 3})),
            "[dropout] out must have shape [L, d] or [B, L, d], got [1, 1, 2, 3]");
  EXPECT_EQ(text(wide.view, x.view), "[dropout] in must have the type of out, f32, got f64");
  EXPECT_EQ(text(view(line, {3, 2}), x.view), "[dropout] in must have shape [2, 3], got [3, 2]");
  EXPECT_EQ(text(view(line, {1, 2, 3}), x.view), "[dropout] in must have shape [2, 3], got [1, 2, 3]");
  EXPECT_EQ(text(View{}, x.view), "[dropout] in must have an element type, got no type");
  EXPECT_EQ(text(x.view, view(line, {3}).repeated(2)),
            "[dropout] out must have no stride 0, got 0 for axis 0 of shape [2, 3]");
  EXPECT_EQ(x.memory, before);
}

TEST(Dropout, ReadsNoAxesBeyondTheRank) {
  Tensor<float> in({2, 3}), out({2, 3});
  plain::fill(in.memory, 1);
  View slice = in.view;
  slice.shape[2] = 99;  // left over from a tensor of higher rank
  dropout(slice, out.view, 0, {});
  EXPECT_EQ(out.memory, in.memory);
}

}  // namespace
}  // namespace posenc
