// SPDX-License-Identifier: Apache-2.0
// The input stage against plain loops: roundings, chunks, axes, positions, executors, environments.
#include <posenc/input_stage.h>
#include <posenc/sinusoid.h>

#include <thread>

#include "src/input/signal.h"
#include "tests/input/paper.h"
#include "tests/input/plain.h"

namespace posenc {
namespace {

using plain::Mask;
using plain::paper;
using plain::Tensor;

constexpr std::int64_t stage_vocabulary = 9, stage_width = 20;

// Rows, and ids for a batch of sequences longer than one block of work.
template <class T, class Id = std::int64_t>
struct LongBatch {
  static constexpr std::int64_t sequences = 3, length = 70;
  Tensor<T> rows{{stage_vocabulary, stage_width}};
  Tensor<Id> ids{{sequences, length}};

  LongBatch() {
    plain::fill(rows.memory, 12);
    for (std::size_t i = 0; i < ids.memory.size(); ++i) ids.memory[i] = static_cast<Id>(i * i % 23 % stage_vocabulary);
  }
};

template <class T>
Tensor<T> signal_at(const Positions& positions, const Recipe& recipe = exact()) {
  Tensor<T> table({positions.count_, stage_width});
  sinusoid(paper(), positions, table.view, {.recipe = recipe});
  return table;
}

// s as the contract says it: the stated number, rounded as stated, then to the computing type.
template <class T>
double scale_factor(const Scale& scale) {
  double s = scale.kind == Scale::Kind::sqrt_dim ? std::sqrt(static_cast<double>(stage_width)) : scale.number;
  if (scale.rounding == DType::bf16) s = plain::rounded<bfloat16>(s);
  if (scale.rounding == DType::f16) s = plain::rounded<half>(s);
  return std::is_same_v<T, double> ? s : plain::rounded<float>(s);
}

const Scale scales[] = {Scale::none, Scale::sqrt_dim, Scale::of(-0.37), Scale::sqrt_dim.rounded_to(DType::bf16),
                        Scale::of(1.0 / 3).rounded_to(DType::f16)};

// ---- values -------------------------------------------------------------------------------------

template <class T, class Id>
void expect_plain_loops(const StageOptions& options, StageMode mode) {
  using G = LongBatch<T, Id>;
  G given;
  const auto positions = Positions::range(5, G::length);
  Tensor<T> signal = signal_at<T>(positions), out({G::sequences, G::length, stage_width});
  InputStage(given.rows.view, paper(), options)
      .encode(given.ids.view, positions, out.view, {.mode = mode, .call = 4, .first = 1000});
  const double s = scale_factor<T>(options.scale);
  const Mask mask{options.seed, 4, static_cast<std::uint32_t>(65536 * options.dropout + 0.5)};
  for (std::int64_t i = 0; i < G::sequences * G::length * stage_width; ++i) {
    const std::int64_t b = i / stage_width / G::length, t = i / stage_width % G::length, c = i % stage_width;
    const std::int64_t id = given.ids.at({b, t});
    const double row = id == options.padding_id ? 0.0 : given.rows({id, c});
    double expected = plain::stored<T>(plain::stored<T>(row * s) + signal({t, c}));
    if (mode == StageMode::train && options.dropout > 0) {
      expected = mask.apply<T>(expected, static_cast<std::uint64_t>(b), static_cast<std::uint64_t>(t + 1000),
                               static_cast<std::uint64_t>(c));
    }
    ASSERT_TRUE(plain::same(out({b, t, c}), expected)) << b << ' ' << t << ' ' << c << ' ' << expected;
  }
}

TEST(InputStage, IsAsItsFormulaSaysInEveryType) {
  plain::for_each_real([]<class T>(T) {
    for (const Scale& scale : scales) {
      for (const StageMode mode : {StageMode::evaluate, StageMode::train}) {
        expect_plain_loops<T, std::int64_t>({.scale = scale, .dropout = 0.1, .seed = 7}, mode);
        expect_plain_loops<T, std::int32_t>({.scale = scale, .dropout = 0.5, .seed = ~0ull, .padding_id = 4}, mode);
        expect_plain_loops<T, std::int32_t>({.scale = scale}, mode);
      }
    }
  });
}

TEST(InputStage, ReadsThePaddingRowAsZerosBeforeTheScale) {
  // A zero times a negative scale is minus zero, and so is the sum with a signal of minus zero.
  Tensor<float> rows({2, 4}), table({1, 4}), out({2, 4});
  std::fill(rows.memory.begin(), rows.memory.end(), std::numeric_limits<float>::infinity());
  std::fill(table.memory.begin(), table.memory.end(), -0.0f);
  const std::int32_t id = 1;
  InputStage(rows.view, table.view, {.scale = Scale::of(-2), .padding_id = 1})
      .encode(view(&id, {1}), Positions::at(0), view(out.memory.data(), {1, 4}));
  for (std::int64_t c = 0; c < 4; ++c) EXPECT_TRUE(plain::same(out({0, c}), -0.0));
}

TEST(InputStage, ScalesByTheFactorItNames) {
  struct Row {
    std::int64_t width;
    Scale scale;
    double f32, f64;
  };
  const Scale gemma = Scale::sqrt_dim.rounded_to(DType::bf16);
  // Gemma rounds sqrt d to bf16 before it multiplies: values of its own code.
  const Row rows[] = {{3072, gemma, 55.5, 55.5},
                      {2560, gemma, 50.5, 50.5},
                      {3584, gemma, 59.75, 59.75},
                      {3840, gemma, 62, 62},
                      {2048, gemma, 45.25, 45.25},
                      {2304, gemma, 48, 48},
                      {512, Scale::sqrt_dim, 0x1.6a09e6p+4, 0x1.6a09e667f3bcdp+4},
                      {512, Scale::none, 1, 1},
                      {512, Scale::of(0.1), 0x1.99999ap-4, 0.1},
                      {512, Scale::of(0.1).rounded_to(DType::f32), 0x1.99999ap-4, 0x1.99999ap-4},
                      {512, Scale::of(0.1).rounded_to(DType::f16), 0x1.998p-4, 0x1.998p-4},
                      {512, Scale::of(0), 0, 0}};
  for (const Row& row : rows) {
    std::vector<float> narrow(static_cast<std::size_t>(row.width));
    std::vector<double> wide(narrow.size());
    const StageOptions options{.scale = row.scale};
    EXPECT_EQ(InputStage(view(narrow.data(), {1, row.width}), paper(), options).factor(), row.f32) << row.width;
    EXPECT_EQ(InputStage(view(wide.data(), {1, row.width}), paper(), options).factor(), row.f64) << row.width;
  }
}

TEST(InputStage, TakesATablesRowsToTheBit) {
  plain::for_each_real([]<class T>(T) {
    using G = LongBatch<T>;
    G given;
    Tensor<T> table = signal_at<T>(Positions::range(0, 80)), expected({G::sequences, G::length, stage_width});
    Tensor<T> out({G::sequences, G::length, stage_width});
    const StageOptions options{.scale = Scale::sqrt_dim, .dropout = 0.2, .seed = 2};
    const EncodeOptions train{.mode = StageMode::train, .call = 1};
    InputStage(given.rows.view, paper(), options)
        .encode(given.ids.view, Positions::range(79, G::length, -1), expected.view, train);
    const InputStage stage(given.rows.view, table.view, options);
    stage.encode(given.ids.view, Positions::range(79, G::length, -1), out.view, train);
    EXPECT_EQ(plain::bytes(out.memory), plain::bytes(expected.memory));
    std::fill(out.memory.begin(), out.memory.end(), T(9.0f));
    stage.encode(given.ids.view, Positions::range(79.0, G::length, -1), out.view, train);
    EXPECT_EQ(plain::bytes(out.memory), plain::bytes(expected.memory));
  });
}

TEST(InputStage, TakesARecipesSignal) {
  LongBatch<float> given;
  const auto positions = Positions::range(0, LongBatch<float>::length);
  const Recipe& f32 = recipe("f32-exp");
  Tensor<float> table = signal_at<float>(positions, f32), expected({3, 70, stage_width}), out({3, 70, stage_width});
  InputStage(given.rows.view, table.view, {.scale = Scale::none}).encode(given.ids.view, positions, expected.view);
  InputStage(given.rows.view, paper(), {.scale = Scale::none, .recipe = f32})
      .encode(given.ids.view, positions, out.view);
  EXPECT_EQ(out.memory, expected.memory);
}

// ---- chunks, axes, positions --------------------------------------------------------------------

TEST(InputStage, GivesTheSameBitsWholeInChunksAndStepByStep) {
  plain::for_each_real([]<class T>(T) {
    using G = LongBatch<T>;
    G given;
    const InputStage stage(given.rows.view, paper(), {.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 5});
    for (const std::int64_t start : {std::int64_t{0}, std::int64_t{999999937}}) {
      Tensor<T> whole({G::sequences, G::length, stage_width});
      stage.encode(given.ids.view, Positions::range(start, G::length), whole.view,
                   {.mode = StageMode::train, .call = 8, .first = 30});
      for (const std::int64_t chunk : {1, 7, 64, 69}) {
        Tensor<T> parts({G::sequences, G::length, stage_width});
        for (std::int64_t t = 0; t < G::length; t += chunk) {
          View ids = given.ids.view, out = parts.view;
          ids.shape[1] = out.shape[1] = std::min(chunk, G::length - t);
          ids.data = &given.ids.at({0, t});
          out.data = &parts.at({0, t, 0});
          stage.encode(ids, chunk == 1 ? Positions::at(start + t) : Positions::range(start + t, ids.shape[1]), out,
                       {.mode = StageMode::train, .call = 8, .first = static_cast<std::uint32_t>(30 + t)});
        }
        EXPECT_EQ(plain::bytes(parts.memory), plain::bytes(whole.memory)) << chunk;
      }
    }
  });
}

TEST(InputStage, GivesTheSameBitsBatchFirstAndSequenceFirst) {
  LongBatch<half> given;
  Tensor<half> expected({3, 70, stage_width}), out({70, 3, stage_width});
  Tensor<std::int64_t> ids({70, 3});
  for (std::int64_t i = 0; i < 210; ++i) ids.at({i % 70, i / 70}) = given.ids.at({i / 70, i % 70});
  const InputStage stage(given.rows.view, paper(), {.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 5});
  const EncodeOptions train{.mode = StageMode::train, .call = 8};
  stage.encode(given.ids.view, Positions::range(0, 70), expected.view, train);
  stage.encode(ids.view.transposed(0, 1), Positions::range(0, 70), out.view.transposed(0, 1), train);
  for (std::int64_t i = 0; i < 210; ++i) {
    EXPECT_EQ(std::memcmp(&out.at({i % 70, i / 70, 0}), &expected.at({i / 70, i % 70, 0}), stage_width * sizeof(half)),
              0);
  }
}

TEST(InputStage, TakesOneSequenceAsBatchRowZero) {
  LongBatch<float> given;
  Tensor<float> expected({3, 70, stage_width}), out({70, stage_width});
  const InputStage stage(given.rows.view, paper(), {.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 5});
  const EncodeOptions train{.mode = StageMode::train};
  stage.encode(given.ids.view, Positions::range(0, 70), expected.view, train);
  stage.encode(view(given.ids.memory.data(), {70}), Positions::range(0, 70), out.view, train);
  EXPECT_TRUE(std::equal(out.memory.begin(), out.memory.end(), expected.memory.begin()));
}

TEST(InputStage, GivesEachSequenceItsOwnPositions) {
  LongBatch<float> given;
  Tensor<std::int32_t> positions({3, 70}, {1, 0}, -2);
  for (std::int64_t i = 0; i < 210; ++i) positions.at({i / 70, i % 70}) = static_cast<std::int32_t>(i * 37 % 101 - 50);
  Tensor<float> out({3, 70, stage_width});
  const StageOptions options{.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 5};
  const InputStage stage(given.rows.view, paper(), options);
  stage.encode(given.ids.view, Positions::list(positions.view), out.view, {.mode = StageMode::train});
  for (std::int64_t b = 0; b < 3; ++b) {
    ConstView own = positions.view;  // [L] of this sequence, for all of the batch
    own = {&positions.at({b, 0}), DType::i32, 1, {70}, {positions.view.stride(1)}};
    Tensor<float> shared({3, 70, stage_width});
    stage.encode(given.ids.view, Positions::list(own), shared.view, {.mode = StageMode::train});
    EXPECT_EQ(std::memcmp(&shared.at({b, 0, 0}), &out.at({b, 0, 0}), 70 * stage_width * sizeof(float)), 0) << b;
  }
}

TEST(InputStage, GivesTheSameBitsWhereSeveralBlocksShareTheirSignal) {
  constexpr std::int64_t sequences = 130, length = 70;  // a block takes 64 sequences
  Tensor<float> rows({stage_vocabulary, stage_width});
  plain::fill(rows.memory, 3);
  Tensor<std::int32_t> ids({sequences, length}), positions({sequences, length});
  for (std::int64_t i = 0; i < sequences * length; ++i) {
    ids.at({i / length, i % length}) = static_cast<std::int32_t>(i * i % 23 % stage_vocabulary);
    positions.at({i / length, i % length}) = static_cast<std::int32_t>(40 + i % length);
  }
  const InputStage stage(rows.view, paper(), {.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 5});
  const EncodeOptions train{.mode = StageMode::train, .call = 8, .first = 30};
  Tensor<float> shared({sequences, length, stage_width}), apart({sequences, length, stage_width});
  stage.encode(ids.view, Positions::range(40, length), shared.view, train);
  stage.encode(ids.view, Positions::list(positions.view), apart.view, train);
  EXPECT_EQ(plain::bytes(shared.memory), plain::bytes(apart.memory));
}

TEST(InputStage, GivesTheSameBitsWhereTheSharedSignalIsMadeInRuns) {
  // The stage itself makes runs only beyond 64 sequences and 4 MiB of signal, which is 272 MB of output.
  plain::for_each_real([]<class T>(T) {
    using G = LongBatch<T>;
    G given;
    const StageOptions options{.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 5};
    const EncodeOptions train{.mode = StageMode::train, .call = 8, .first = 30};
    const auto positions = Positions::range(40, G::length);
    Tensor<T> whole({G::sequences, G::length, stage_width}), in_parts({G::sequences, G::length, stage_width});
    InputStage(given.rows.view, paper(), options).encode(given.ids.view, positions, whole.view, train);
    std::vector<std::int64_t> counts;
    in_runs(Rows(paper(), stage_width), 32, given.ids.view, positions, in_parts.view, train,
            [&](const ConstView& table, const ConstView& ids, const View& out, const EncodeOptions& own) {
              counts.push_back(table.size(0));
              InputStage(given.rows.view, table, options).encode(ids, Positions::range(0, table.size(0)), out, own);
            });
    EXPECT_EQ(counts, (std::vector<std::int64_t>{32, 32, 6}));
    EXPECT_EQ(plain::bytes(in_parts.memory), plain::bytes(whole.memory));
  });
}

TEST(InputStage, HasNoWallOfLength) {
  // Rows of zeros leave the signal alone.
  Tensor<double> rows({1, stage_width});
  std::fill(rows.memory.begin(), rows.memory.end(), 0.0);
  const InputStage stage(rows.view, paper(), {.scale = Scale::sqrt_dim});
  const std::int64_t id = 0;
  const auto expect_signal = [&](const Positions& position) {
    Tensor<double> out({1, stage_width}), expected = signal_at<double>(position);
    stage.encode(view(&id, {1}), position, out.view);
    EXPECT_EQ(out.memory, expected.memory);
  };
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t p : {std::int64_t{5000}, std::int64_t{1000000007}, most, -most - 1, std::int64_t{-1}}) {
    expect_signal(Positions::at(p));
  }
  for (const double p : {0.5, -1e9 - 0.25, 0x1p53, 1e-300}) expect_signal(Positions::at(p));
}

TEST(InputStage, TakesEmptyBatchesAndSequences) {
  LongBatch<float> given;
  float nothing = 3;
  const InputStage stage(given.rows.view, paper(), {.scale = Scale::none, .dropout = 0.5});
  const EncodeOptions train{.mode = StageMode::train};
  const std::int64_t id = 0;
  stage.encode(view(&id, {0}), Positions::range(0, 0), view(&nothing, {0, stage_width}), train);
  stage.encode(view(&id, {0, 4}), Positions::range(0, 4), view(&nothing, {0, 4, stage_width}), train);
  stage.encode(view(&id, {4, 0}), Positions::range(0, 0), view(&nothing, {4, 0, stage_width}), train);
  // No sequence needs a signal, however long it is.
  constexpr std::int64_t length = std::int64_t{1} << 40;
  const auto positions = Positions::range(0, length);
  stage.encode(view(&id, {0, length}), positions, view(&nothing, {0, length, stage_width}));
  Tensor<float> table({1, stage_width});
  InputStage(given.rows.view, table.view, {.scale = Scale::none})
      .encode(view(&id, {0, length}), positions, view(&nothing, {0, length, stage_width}));
  EXPECT_EQ(nothing, 3);
}

TEST(InputStage, WritesThroughAnyStridesAndNowhereElse) {
  plain::for_each_real([]<class T>(T) {
    LongBatch<T> given;
    Tensor<T> plainly({3, 70, stage_width});
    const InputStage stage(given.rows.view, paper(), {.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 5});
    const EncodeOptions train{.mode = StageMode::train, .call = 2};
    stage.encode(given.ids.view, Positions::range(3, 70), plainly.view, train);
    for (const std::int64_t gap : {2, -1, -3}) {
      Tensor<T> out({3, 70, stage_width}, {2, 1, 0}, gap), rows({stage_vocabulary, stage_width}, {1, 0}, gap);
      for (std::int64_t i = 0; i < stage_vocabulary * stage_width; ++i) {
        rows.at({i / stage_width, i % stage_width}) = given.rows.at({i / stage_width, i % stage_width});
      }
      const std::vector<T> untouched = out.memory;
      InputStage(rows.view, paper(), {.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 5})
          .encode(given.ids.view, Positions::range(3, 70), out.view, train);
      for (std::int64_t i = 0; i < 3 * 70 * stage_width; ++i) {
        const std::int64_t b = i / stage_width / 70, t = i / stage_width % 70, c = i % stage_width;
        ASSERT_TRUE(plain::same(out({b, t, c}), plainly({b, t, c})));
        out.at({b, t, c}) = untouched[0];
      }
      EXPECT_EQ(plain::bytes(out.memory), plain::bytes(untouched));
    }
  });
}

// ---- executors and environments -----------------------------------------------------------------

void run_backwards(void*, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
  for (std::int64_t i = count; i-- > 0;) job(context, i);
}

// Three threads, each in an environment of its own.
void run_in_threads(void*, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
  std::vector<std::thread> threads;
  for (std::int64_t first = 0; first < 3; ++first) {
    threads.emplace_back([=] {
      const plain::RoundsUpAndFlushes other;
      for (std::int64_t i = first; i < count; i += 3) job(context, i);
      EXPECT_TRUE(other.intact());
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(InputStage, GivesTheSameBitsUnderEveryExecutor) {
  constexpr std::int64_t length = 1000;
  Tensor<bfloat16> rows({stage_vocabulary, stage_width});
  plain::fill(rows.memory, 3);
  Tensor<std::int32_t> ids({2, length}), positions({2, length});
  for (std::size_t i = 0; i < ids.memory.size(); ++i) {
    ids.memory[i] = static_cast<std::int32_t>(i % stage_vocabulary);
    positions.memory[i] = static_cast<std::int32_t>(i * i % 5003);
  }
  const InputStage stage(rows.view, paper(), {.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 5});
  for (const Positions& of : {Positions::range(0, length), Positions::list(positions.view)}) {
    Tensor<bfloat16> expected({2, length, stage_width});
    stage.encode(ids.view, of, expected.view, {.mode = StageMode::train});
    for (const auto& run : {run_backwards, run_in_threads}) {
      Tensor<bfloat16> out({2, length, stage_width});
      stage.encode(ids.view, of, out.view, {.mode = StageMode::train, .executor = {run}});
      EXPECT_EQ(plain::bytes(out.memory), plain::bytes(expected.memory));
    }
  }
}

TEST(InputStage, IgnoresAndKeepsTheCallersRounding) {
  plain::for_each_real([]<class T>(T) {
    LongBatch<T> given;
    for (std::size_t c = 0; c < stage_width; ++c) {
      given.rows.memory[c] = std::is_same_v<T, double> ? T(given.rows.memory[c]) : T(0x1p-130f);
    }
    const StageOptions options{.scale = Scale::of(0.7).rounded_to(DType::f32), .dropout = 0.3, .seed = 5};
    const auto positions = Positions::range(0.1, 70, 0.3);
    Tensor<T> expected({3, 70, stage_width}), out({3, 70, stage_width});
    InputStage(given.rows.view, paper(), options)
        .encode(given.ids.view, positions, expected.view, {.mode = StageMode::train});
    {
      const plain::RoundsUpAndFlushes caller;
      const InputStage stage(given.rows.view, paper(), options);
      stage.encode(given.ids.view, positions, out.view, {.mode = StageMode::train});
      EXPECT_TRUE(caller.intact());
    }
    EXPECT_EQ(plain::bytes(out.memory), plain::bytes(expected.memory));
  });
}

TEST(InputStage, JudgesPositionsOfATableAlikeUnderAnyRounding) {
  LongBatch<float> given;
  Tensor<float> table = signal_at<float>(Positions::range(0, 10)), out({2, stage_width});
  const InputStage stage(given.rows.view, table.view, {.scale = Scale::none});
  const ConstView ids = view(given.ids.memory.data(), {2});
  const double tiny[] = {1, 5e-324};
  // 4 + (1 - 3/4 ulp) rounds to the number before 5 to nearest, and to 5 upwards.
  const Positions below = Positions::range(4.0, 2, 1 - 0.75 * 0x1p-50), near = Positions::range(4.0, 2, 1 + 0x1p-52);
  const plain::RoundsUpAndFlushes caller;
  EXPECT_NE(stage.check_encode(ids, below, out.view), std::nullopt);
  EXPECT_NE(stage.check_encode(ids, Positions::list(view(tiny, {2})), out.view), std::nullopt);
  EXPECT_EQ(stage.check_encode(ids, near, out.view), std::nullopt);
}

// ---- rows made ready before ---------------------------------------------------------------------

TEST(InputStage, SharesTheRowsOfASignalThatWasMadeReadyBefore) {
  LongBatch<float> given;
  const auto positions = Positions::range(5, LongBatch<float>::length);
  const StageOptions options = {.scale = Scale::sqrt_dim, .dropout = 0.3, .seed = 4};
  const EncodeOptions train = {.mode = StageMode::train, .call = 2};
  Tensor<float> own({3, 70, stage_width}), shared({3, 70, stage_width});
  InputStage(given.rows.view, paper(), options).encode(given.ids.view, positions, own.view, train);
  const Rows signal(paper(), stage_width, {.recipe = recipe("f32-exp")});
  InputStage(given.rows.view, Rows(paper(), stage_width), options)
      .encode(given.ids.view, positions, shared.view, train);
  EXPECT_EQ(own.memory, shared.memory);

  StageOptions by_recipe = options;
  by_recipe.recipe = recipe("f32-exp");
  InputStage(given.rows.view, paper(), by_recipe).encode(given.ids.view, positions, own.view, train);
  InputStage(given.rows.view, signal, options).encode(given.ids.view, positions, shared.view, train);
  EXPECT_EQ(own.memory, shared.memory);
}

TEST(InputStage, RefusesASignalOfAnotherWidth) {
  LongBatch<float> given;
  const Rows narrow(paper(), stage_width - 2);
  const auto problem = InputStage::check(given.rows.view, narrow, {.scale = Scale::none});
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->message(), "[input_stage] the signal must have as many columns as rows have, got 18");
}

}  // namespace
}  // namespace posenc
