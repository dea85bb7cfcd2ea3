// SPDX-License-Identifier: Apache-2.0
// The gradient of embedding rows against plain loops: types, orders of sums, masks, views, executors, environments.
#include <posenc/backward.h>
#include <posenc/preset.h>

#include <thread>

#include "tests/input/plain.h"
#include "tests/reference/gradient.h"

namespace posenc {
namespace {

using plain::Mask;
using plain::Tensor;

template <class T>
using Computed = std::conditional_t<std::is_same_v<T, double>, double, float>;

// Of sizes so different that the order of additions shows in every sum.
template <class T>
void fill_hard(std::vector<T>& values, unsigned seed) {
  std::mt19937 random(seed);
  for (T& x : values) {
    const auto word = static_cast<std::uint32_t>(random());
    const float size = std::ldexp(static_cast<float>(word >> 8) * 0x1p-24f + 0.5f, static_cast<int>(word & 7));
    x = T((word & 8) != 0 ? -size : size);
  }
}

// A stage whose rows are never read, ids and a gradient for them.
template <class T, class Id = std::int64_t>
struct Given {
  std::int64_t vocabulary, sequences, length, width;
  Tensor<T> rows{{vocabulary, width}}, table{{1, width}};
  Tensor<Id> ids{{sequences, length}};
  Tensor<T> gradient{{sequences, length, width}};

  Given(std::int64_t of_vocabulary, std::int64_t of_sequences, std::int64_t of_length, std::int64_t of_width)
      : vocabulary(of_vocabulary), sequences(of_sequences), length(of_length), width(of_width) {
    std::mt19937 random(static_cast<unsigned>(width));
    for (Id& id : ids.memory) id = static_cast<Id>(random() % static_cast<std::uint64_t>(vocabulary));
    fill_hard(gradient.memory, 5);
  }

  InputStage stage(const StageOptions& options) const { return {rows.view, table.view, options}; }

  // By plain loops, as storage holds it.
  std::vector<T> expected(const StageOptions& options, const EncodeOptions& how) {
    using C = Computed<T>;
    const Mask mask{options.seed, how.call, static_cast<std::uint32_t>(65536 * options.dropout + 0.5)};
    const C keep = static_cast<C>(65536.0 / (65536.0 - mask.k));
    const std::vector<std::int64_t> in_order(ids.memory.begin(), ids.memory.end());
    const auto term = [&](std::int64_t token, std::int64_t c) {
      const C x = static_cast<C>(gradient({token / length, token % length, c}));
      if (how.mode == StageMode::evaluate || options.dropout == 0) return x;
      const auto t = static_cast<std::uint64_t>(how.first + token % length);
      return x * (mask.drops(static_cast<std::uint64_t>(token / length), t, static_cast<std::uint64_t>(c)) ? 0 : keep);
    };
    const C scale = static_cast<C>(stage(options).factor());
    std::vector<C> sums = reference::gradient_rows<C>(in_order, vocabulary, width, scale, term);
    if (options.padding_id) {
      const auto from = sums.begin() + *options.padding_id * width;
      std::fill(from, from + width, C(0));
    }
    std::vector<T> stored;
    for (const C sum : sums) stored.push_back(T(static_cast<float>(plain::rounded<T>(static_cast<double>(sum)))));
    if constexpr (std::is_same_v<T, double>) stored = sums;
    return stored;
  }
  std::vector<T> dense(const StageOptions& options, const EncodeOptions& how) {
    Tensor<T> out({vocabulary, width});
    Backward(stage(options), ids.view).write(gradient.view, out.view, how);
    out.memory.resize(static_cast<std::size_t>(vocabulary * width));
    return out.memory;
  }
};

template <class T>
void expect_same(const std::vector<T>& got, const std::vector<T>& expected) {
  ASSERT_EQ(got.size(), expected.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    ASSERT_TRUE(plain::same(plain::value(got[i]), plain::value(expected[i])))
        << i << ": " << plain::value(got[i]) << " for " << plain::value(expected[i]);
  }
}

const StageOptions dropping{.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 0x123456789ABCDEF};
const EncodeOptions training{.mode = StageMode::train, .call = 3, .first = 40};

// ---- values -------------------------------------------------------------------------------------

TEST(Backward, IsAsItsFormulaSaysInEveryTypeAndWidth) {
  plain::for_each_real([]<class T>(T) {
    for (const std::int64_t width : {1, 2, 7, 8, 16, 20, 31, 64, 67, 512, 523}) {
      SCOPED_TRACE(width);
      Given<T, std::int32_t> narrow(23, 3, 19, width);
      Given<T, std::int64_t> wide(23, 1, 57, width);
      for (const EncodeOptions& how : {EncodeOptions{}, training}) {
        expect_same(narrow.dense(dropping, how), narrow.expected(dropping, how));
        const StageOptions other{.scale = Scale::of(-0.37), .dropout = 0.5, .seed = 9, .padding_id = 4};
        expect_same(wide.dense(other, how), wide.expected(other, how));
      }
    }
  });
}

TEST(Backward, AddsFrequentIdsInChunksAndATree) {
  for (const std::int64_t tokens : {1023, 1024, 1025, 2047, 2048, 2049, 3073, 5000, 7169, 9217}) {
    SCOPED_TRACE(tokens);
    Given<float> one(1, 1, tokens, 5);
    expect_same(one.dense(dropping, {}), one.expected(dropping, {}));
    expect_same(one.dense(dropping, training), one.expected(dropping, training));
    Given<bfloat16> few(3, 2, tokens, 3);
    expect_same(few.dense(dropping, training), few.expected(dropping, training));
  }
}

// What the order is for: another one gives other bits, so the tests above see it.
TEST(Backward, OrderOfAdditionShowsInItsBits) {
  Given<float> given(1, 1, 3000, 64);
  const std::vector<float> expected = given.expected({.scale = Scale::none}, {});
  std::size_t different = 0;
  for (std::int64_t c = 0; c < 64; ++c) {
    float serial = 0;
    for (std::int64_t t = 0; t < 3000; ++t) serial += given.gradient.at({0, t, c});
    different += serial != expected[static_cast<std::size_t>(c)] ? 1 : 0;
  }
  EXPECT_GT(different, 32u);
}

TEST(Backward, IsTheTransposeOfTheStage) {
  // <gradient, stage(rows)> = <backward(gradient), rows> where the signal is zero: in whole numbers, exactly.
  constexpr std::int64_t vocabulary = 11, width = 24;
  Tensor<double> rows({vocabulary, width}), table({1, width}), out({3, 7, width}), gradient({3, 7, width});
  Tensor<double> back({vocabulary, width});
  Tensor<std::int64_t> ids({3, 7});
  std::mt19937 random(3);
  for (auto* tensor : {&rows, &gradient}) {
    for (double& x : tensor->memory) x = static_cast<double>(static_cast<std::int64_t>(random() % 2001) - 1000);
  }
  std::fill(table.memory.begin(), table.memory.end(), 0.0);
  for (std::int64_t& id : ids.memory) id = static_cast<std::int64_t>(random() % vocabulary);
  const InputStage stage(rows.view, table.view, {.scale = Scale::of(2), .dropout = 0.5, .seed = 8, .padding_id = 2});
  const EncodeOptions how{.mode = StageMode::train, .call = 9, .first = 5};
  std::vector<std::int64_t> zeros(7);
  stage.encode(ids.view, Positions::list(view(zeros.data(), {7})), out.view, how);
  Backward(stage, ids.view).write(gradient.view, back.view, how);
  double there = 0, here = 0;
  for (std::size_t i = 0; i < out.memory.size(); ++i) there += out.memory[i] * gradient.memory[i];
  for (std::size_t i = 0; i < rows.memory.size(); ++i) here += rows.memory[i] * back.memory[i];
  EXPECT_EQ(there, here);
  EXPECT_NE(here, 0);
}

// What docs/input.md says of learned positions: the table's rows are looked up by position, without a scale.
TEST(Backward, GivesTheGradientOfALearnedTable) {
  Given<float> given(1, 4, 9, 32);
  Tensor<float> table({12, 32}), out({12, 32});
  const std::vector<std::int64_t> positions = {2, 3, 4, 5, 6, 7, 8, 9, 2};
  const InputStage lookup(table.view, table.view, {.scale = Scale::none, .dropout = 0.3, .seed = dropping.seed});
  Backward(lookup, view(positions.data(), {9}).repeated(4)).write(given.gradient.view, out.view, training);
  const Mask mask{dropping.seed, 3, 19661};
  for (std::int64_t p = 0; p < 12; ++p) {
    for (std::int64_t c = 0; c < 32; ++c) {
      std::vector<float> terms;
      for (std::int64_t i = 0; i < 4 * 9; ++i) {
        if (positions[static_cast<std::size_t>(i % 9)] != p) continue;
        const double x = given.gradient({i / 9, i % 9, c});
        terms.push_back(static_cast<float>(mask.apply<float>(x, static_cast<std::uint64_t>(i / 9),
                                                             static_cast<std::uint64_t>(40 + i % 9),
                                                             static_cast<std::uint64_t>(c))));
      }
      const float sum = terms.empty() ? 0 : reference::sum(std::span<const float>(terms));
      ASSERT_TRUE(plain::same(out({p, c}), static_cast<double>(sum))) << p << ' ' << c;
    }
  }
}

TEST(Backward, KeepsSpecialValues) {
  const float infinity = std::numeric_limits<float>::infinity(), nan = std::nanf("");
  const std::int64_t ids[] = {0, 1, 2, 2, 3, 3, 4};
  const float gradient[] = {-0.0f, infinity, infinity, -infinity, -0.0f, -0.0f, nan};
  // Sums start from zero, as PyTorch's do: no sum is minus zero.
  const double expected[] = {0.0, HUGE_VAL, std::nan(""), 0.0, std::nan(""), 0.0};
  std::vector<float> rows(6), out(6, 7.0f);
  const InputStage stage(view(rows.data(), {6, 1}), view(std::as_const(rows).data(), {6, 1}), {.scale = Scale::of(3)});
  Backward(stage, view(ids, {7})).write(view(gradient, {7, 1}), view(out.data(), {6, 1}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_TRUE(plain::same(static_cast<double>(out[i]), expected[i])) << i;
}

// ---- touched rows -------------------------------------------------------------------------------

TEST(Backward, TouchedRowsAreThoseOfTheWhole) {
  plain::for_each_real([]<class T>(T) {
    for (const std::int64_t vocabulary : {1, 5, 97, 5000}) {
      Given<T> given(vocabulary, 4, 23, 33);
      StageOptions options = dropping;
      options.padding_id = static_cast<std::int64_t>(given.ids.memory[3]);
      const std::vector<T> whole = given.dense(options, training);
      const Backward backward(given.stage(options), given.ids.view);
      std::vector<std::int64_t> ids(given.ids.memory.begin(), given.ids.memory.end());
      std::erase(ids, *options.padding_id);
      std::ranges::sort(ids);
      ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
      EXPECT_TRUE(std::ranges::equal(backward.touched(), ids));
      const auto n = static_cast<std::int64_t>(ids.size());
      Tensor<T> out({n, 33});
      backward.write_touched(given.gradient.view, out.view, training);
      for (std::int64_t i = 0; i < n * 33; ++i) {
        const T row = whole[static_cast<std::size_t>(ids[static_cast<std::size_t>(i / 33)] * 33 + i % 33)];
        ASSERT_TRUE(plain::same(out({i / 33, i % 33}), plain::value(row))) << i;
      }
    }
  });
}

TEST(Backward, PlansOnceForManyGradients) {
  Given<float> given(40, 3, 30, 16);
  const Backward backward(given.stage(dropping), given.ids.view);
  const std::vector<std::int64_t> ids = given.ids.memory;
  for (unsigned seed = 0; seed < 3; ++seed) {
    fill_hard(given.gradient.memory, seed);
    given.ids.memory.assign(given.ids.memory.size(), 0);  // the plan keeps no view of them
    Tensor<float> out({40, 16});
    backward.write(given.gradient.view, out.view, training);
    given.ids.memory = ids;
    expect_same(out.memory, given.expected(dropping, training));
  }
}

// ---- views --------------------------------------------------------------------------------------

TEST(Backward, ReadsAndWritesThroughAnyStridesAndNowhereElse) {
  plain::for_each_real([]<class T>(T) {
    Given<T> given(17, 3, 29, 40);
    const std::vector<T> expected = given.dense(dropping, training);
    for (const std::int64_t gap : {1, 2, -1, -3}) {
      for (const std::vector<int>& order : {std::vector{0, 1, 2}, {1, 0, 2}, {2, 1, 0}}) {
        Tensor<T> gradient({3, 29, 40}, order, gap), out({17, 40}, {order[0] == 2 ? 1 : 0, order[0] == 2 ? 0 : 1}, gap);
        Tensor<std::int64_t> ids({3, 29}, {order[0] == 1 ? 1 : 0, order[0] == 1 ? 0 : 1}, gap);
        for (std::int64_t i = 0; i < 3 * 29; ++i) {
          const std::int64_t b = i / 29, t = i % 29;
          ids.at({b, t}) = given.ids.at({b, t});
          for (std::int64_t c = 0; c < 40; ++c) gradient.at({b, t, c}) = given.gradient.at({b, t, c});
        }
        const std::vector<T> untouched = out.memory;
        Backward(given.stage(dropping), ids.view).write(gradient.view, out.view, training);
        for (std::int64_t i = 0; i < 17 * 40; ++i) {
          const double value = plain::value(expected[static_cast<std::size_t>(i)]);
          ASSERT_TRUE(plain::same(out({i / 40, i % 40}), value)) << i;
          std::memcpy(&out.at({i / 40, i % 40}), untouched.data(), sizeof(T));
        }
        EXPECT_EQ(plain::bytes(out.memory), plain::bytes(untouched));
      }
    }
  });
}

TEST(Backward, AddsOneGradientThatIsRepeatedWithoutACopy) {
  Given<float> given(7, 5, 11, 24);
  std::vector<float> row(24);
  fill_hard(row, 4);
  for (std::int64_t i = 0; i < 5 * 11 * 24; ++i)
    given.gradient.memory[static_cast<std::size_t>(i)] = row[static_cast<std::size_t>(i % 24)];
  const std::vector<float> expected = given.dense(dropping, training);
  Tensor<float> out({7, 24});
  const ConstView repeated = view(std::as_const(row).data(), {24}).repeated(11).repeated(5);
  Backward(given.stage(dropping), given.ids.view).write(repeated, out.view, training);
  expect_same(out.memory, expected);
}

TEST(Backward, GivesTheSameBitsAtEveryAddressAndReading) {
  plain::for_each_real([]<class T>(T) {
    Given<T> given(9, 2, 13, 150);
    const std::vector<T> expected = given.dense(dropping, training);
    const Backward backward(given.stage(dropping), given.ids.view);
    for (std::size_t offset = 0; offset < 64 / sizeof(T); ++offset) {
      for (const Reading reading : {Reading::soon, Reading::later}) {
        EncodeOptions how = training;
        how.reading = reading;
        std::vector<T> memory(9 * 150 + 64 / sizeof(T), T(5.0f));
        backward.write(given.gradient.view, view(memory.data() + offset, {9, 150}), how);
        const auto from = memory.begin() + static_cast<std::ptrdiff_t>(offset);
        expect_same(std::vector<T>(from, from + 9 * 150), expected);
        const auto nine = std::count(memory.begin(), from, T(5.0f)) + std::count(from + 9 * 150, memory.end(), T(5.0f));
        EXPECT_EQ(nine, static_cast<std::ptrdiff_t>(64 / sizeof(T)));
      }
    }
  });
}

TEST(Backward, TakesOneSequenceAsBatchRowZero) {
  Given<float> given(9, 1, 50, 24);
  const std::vector<float> expected = given.dense(dropping, training);
  Tensor<float> out({9, 24});
  Backward(given.stage(dropping), view(given.ids.memory.data(), {50}))
      .write(view(given.gradient.memory.data(), {50, 24}), out.view, training);
  expect_same(out.memory, expected);
}

TEST(Backward, TakesBatchesAndRowsWithNothingInThem) {
  Given<float> given(6, 2, 5, 8);
  float nothing = 4;
  const std::int64_t id = 3;
  const InputStage stage = given.stage(dropping);
  constexpr std::int64_t many = std::int64_t{1} << 40;
  for (const ConstView& ids : {view(&id, {0}), view(&id, {0, 4}), view(&id, {4, 0}), view(&id, {many, 0})}) {
    const Backward backward(stage, ids);
    ConstView gradient = ids;
    gradient.dtype = DType::f32;
    gradient.shape[static_cast<std::size_t>(gradient.rank++)] = 8;
    Tensor<float> out({6, 8});
    backward.write(gradient, out.view);
    EXPECT_EQ(out.memory, std::vector<float>(48));
    EXPECT_TRUE(backward.touched().empty());
    backward.write_touched(gradient, view(&nothing, {0, 8}));
  }
  // All tokens are padding.
  std::fill(given.ids.memory.begin(), given.ids.memory.end(), 2);
  StageOptions padded = dropping;
  padded.padding_id = 2;
  EXPECT_EQ(given.dense(padded, training), std::vector<float>(48));
  // No columns, no vocabulary.
  Given<float> none(3, 2, 5, 0);
  Backward(none.stage({.scale = Scale::none}), none.ids.view).write(none.gradient.view, none.rows.view);
  std::vector<float> rows(8);
  const InputStage empty(view(std::as_const(rows).data(), {0, 8}), view(std::as_const(rows).data(), {1, 8}), dropping);
  Backward(empty, view(&id, {0})).write(view(&nothing, {0, 8}), view(&nothing, {0, 8}));
  EXPECT_EQ(nothing, 4);
}

// ---- executors and environments -----------------------------------------------------------------

struct Threads {
  std::int64_t count;

  Executor executor() {
    return {[](void* self, std::int64_t jobs, void (*job)(void*, std::int64_t), void* context) {
              const std::int64_t all = static_cast<Threads*>(self)->count;
              std::vector<std::thread> threads;
              for (std::int64_t first = 0; first < all; ++first) {
                threads.emplace_back([=] {
                  const plain::RoundsUpAndFlushes other;
                  for (std::int64_t i = jobs - 1 - first; i >= 0; i -= all) job(context, i);
                  EXPECT_TRUE(other.intact());
                });
              }
              for (std::thread& thread : threads) thread.join();
            },
            this};
  }
};

TEST(Backward, GivesTheSameBitsUnderEveryExecutor) {
  // Rows of 8 KiB make ten blocks; an id in three is the same one.
  Given<float> given(700, 5, 900, 2048);
  for (std::size_t i = 0; i < given.ids.memory.size(); i += 3) given.ids.memory[i] = 77;
  const std::vector<float> serially = given.dense(dropping, training);
  for (const std::int64_t count : {1, 2, 3, 7}) {
    Threads threads{count};
    EncodeOptions how = training;
    how.executor = threads.executor();
    EXPECT_EQ(plain::bytes(given.dense(dropping, how)), plain::bytes(serially)) << count;
    const Backward backward(given.stage(dropping), given.ids.view);
    const auto n = static_cast<std::int64_t>(backward.touched().size());
    Tensor<float> out({n, given.width});
    backward.write_touched(given.gradient.view, out.view, how);
    for (std::int64_t i = 0; i < n; ++i) {
      const std::int64_t id = backward.touched()[static_cast<std::size_t>(i)];
      ASSERT_EQ(std::memcmp(&out.at({i, 0}), &serially[static_cast<std::size_t>(id * given.width)],
                            static_cast<std::size_t>(given.width) * sizeof(float)),
                0);
    }
  }
}

TEST(Backward, IgnoresAndKeepsTheCallersRounding) {
  Given<float> given(2, 2, 1500, 9);
  for (float& x : given.gradient.memory) x *= 0x1p-130f;  // subnormal ones
  const std::vector<float> expected = given.dense(dropping, training);
  const plain::RoundsUpAndFlushes caller;
  const std::vector<float> got = given.dense(dropping, training);
  EXPECT_TRUE(caller.intact());
  EXPECT_EQ(plain::bytes(got), plain::bytes(expected));
}

// ---- rules --------------------------------------------------------------------------------------

TEST(Backward, RefusesIdsThatBreakTheRules) {
  Given<float> given(6, 2, 5, 8);
  const InputStage stage = given.stage(dropping);
  const auto text = [&](const ConstView& ids) { return plain::error_of([&] { Backward(stage, ids); }); };
  float line[6] = {};
  const std::int32_t six[] = {0, 1, 5, 3, 6, 2};
  EXPECT_EQ(text(view(six, {2, 3})), "[backward] ids must be in [0, 6), got 6 at [1, 1]");
  EXPECT_EQ(text(view(line, {6})), "[backward] ids must be i32 or i64, got f32");
  EXPECT_EQ(text(view(six, {1, 2, 3})), "[backward] ids must have shape [L] or [B, L], got [1, 2, 3]");
  EXPECT_EQ(text(view(six, {})), "[backward] ids must have shape [L] or [B, L], got []");
  EXPECT_EQ(text(View{}), "[backward] ids must have an element type, got no type");
  const ConstView many = view(six, {1}).repeated(std::int64_t{1} << 32);  // nothing of it is read
  EXPECT_EQ(Backward::check(stage, many)->message(),
            "[backward] tokens and ids are counted in 32 bits, got tokens 4294967296, ids 6");
}

TEST(Backward, RefusesGradientsThatBreakTheRulesAndLeavesOutputsAlone) {
  Given<float> given(6, 2, 5, 8);
  const Backward backward(given.stage(dropping), given.ids.view);
  const auto n = static_cast<std::int64_t>(backward.touched().size());
  ASSERT_LT(n, 6);
  Tensor<float> out({6, 8}), touched({n, 8});
  Tensor<double> wide({6, 8});
  const std::vector<float> before = out.memory;
  const auto text = [&](const ConstView& gradient, const View& rows, const EncodeOptions& how = {}) {
    return plain::error_of([&] { backward.write(gradient, rows, how); });
  };
  const auto touched_text = [&](const View& rows) {
    return plain::error_of([&] { backward.write_touched(given.gradient.view, rows); });
  };
  const View gradient = given.gradient.view;
  EXPECT_EQ(text(wide.view, out.view), "[backward] grad_out must have the type of rows, f32, got f64");
  EXPECT_EQ(text(out.view, out.view), "[backward] grad_out must have shape [2, 5, 8], got [6, 8]");
  EXPECT_EQ(text(gradient.transposed(0, 1), out.view), "[backward] grad_out must have shape [2, 5, 8], got [5, 2, 8]");
  EXPECT_EQ(text(gradient, wide.view), "[backward] grad_rows must have the type of rows, f32, got f64");
  EXPECT_EQ(text(gradient, touched.view),
            "[backward] grad_rows must have shape [6, 8], got [" + std::to_string(n) + ", 8]");
  EXPECT_EQ(touched_text(out.view), "[backward] grad_rows must have shape [" + std::to_string(n) + ", 8], got [6, 8]");
  EXPECT_EQ(text(gradient, view(out.memory.data(), {8}).repeated(6)),
            "[backward] grad_rows must have no stride 0, got 0 for axis 0 of shape [6, 8]");
  EXPECT_EQ(text(gradient, out.view, {.mode = StageMode{}}), "[backward] mode must be stated, got none");
  EXPECT_EQ(text(gradient, out.view, {.reading = static_cast<Reading>(9)}),
            "[backward] reading must be stated, got none");
  EXPECT_EQ(text(gradient, out.view, {.mode = StageMode::train, .first = ~0u}),
            "[backward] dropout counts tokens and sequences in 32 bits, got tokens 4294967295 + 5, sequences 2");
  EXPECT_EQ(plain::bytes(out.memory), plain::bytes(before));
  EXPECT_EQ(backward.check_write(gradient, out.view, {.first = ~0u}), std::nullopt);  // nothing is dropped
  EXPECT_EQ(backward.check_write_touched(gradient, touched.view), std::nullopt);
}

}  // namespace
}  // namespace posenc
