// SPDX-License-Identifier: Apache-2.0
// The recurrent network with self attention: every step against f64 loops, PyTorch, what the two modes are, errors.
#include <gtest/gtest.h>
#include <posenc/transformer/recurrent.h>

#include "tests/encodings/said.h"
#include "tests/encodings/surroundings.h"
#include "tests/golden_files.h"
#include "tests/transformer/recurrent_network.h"

namespace posenc {
namespace {

using plain::Network;
using plain::Scores;
using test::said;

constexpr RecurrentOptions main_mode = {.remembered = Remembered::states};
constexpr RecurrentOptions literal_mode = {.remembered = Remembered::contexts};

// Every step, computed in f64 from what came out of the steps before, is within the bound of one step.
void expect_plain(const Network& network, plain::Steps& run, const RecurrentOptions& options,
                  const std::vector<std::int64_t>& lengths) {
  recurrent(network.weights(), run.in(), run.out(), options);
  const std::vector<float> nothing(static_cast<std::size_t>(network.width), 0.0f);
  plain::Worst worst;
  for (std::int64_t b = 0; b < run.batch; ++b) {
    plain::Truth truth(network);
    for (std::int64_t t = 0; t < lengths[static_cast<std::size_t>(b)]; ++t) {
      const ConstView before = t == 0 ? view(nothing.data(), {network.width}) : run.row(run.contexts(), b, t - 1);
      const std::vector<plain::Bounded> state = truth.next(run.row(run.in(), b, t), before);
      const bool by_states = options.remembered == Remembered::states;
      const plain::Attended row = plain::attended(network, run.row(run.states(), b, t),
                                                  by_states ? run.states() : run.contexts(), b, by_states ? t + 1 : t);
      for (std::int64_t c = 0; c < network.width; ++c) {
        const auto at = static_cast<std::size_t>(c);
        const double h = plain::number(run.row(run.states(), b, t), c),
                     context = plain::number(run.row(run.contexts(), b, t), c);
        worst.see(h, state[at].value, state[at].error);
        if (row.weights.empty()) {
          worst.see(context, h, 0);  // the first context taken literally is the first state
        } else {
          worst.see(context, row.out[at], row.out_bounds[at]);
        }
      }
      for (std::int64_t j = 0; j < run.steps; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const auto weight = static_cast<double>(run.w[static_cast<std::size_t>((b * run.steps + t) * run.steps + j)]);
        if (at < row.weights.size()) {
          worst.see(weight, row.weights[at], row.weight_bounds[at]);
        } else {
          worst.see(weight, 0, 0);
        }
      }
    }
  }
  EXPECT_LE(worst.share, 1);
}

TEST(Recurrent, IsWithinTheBoundOfAStepForEveryCellScoreAndMode) {
  for (const Cell cell : {Cell::rnn, Cell::lstm}) {
    for (const Scores scores : {Scores::dot, Scores::scaled_dot, Scores::additive}) {
      for (const RecurrentOptions& options : {main_mode, literal_mode}) {
        for (const auto& [batch, steps, inputs, width] :
             {std::array<std::int64_t, 4>{1, 1, 1, 1}, {2, 5, 3, 4}, {3, 33, 5, 17}, {17, 40, 4, 6}, {2, 7, 0, 3}}) {
          SCOPED_TRACE(testing::Message()
                       << to_string(cell) << " " << static_cast<int>(scores) << " " << to_string(options.remembered)
                       << " " << batch << " " << steps << " " << inputs << " " << width);
          const Network network = {cell, scores, inputs, width, 5};
          plain::Steps run = {batch, steps, inputs, width};
          expect_plain(network, run, options, std::vector<std::int64_t>(static_cast<std::size_t>(batch), steps));
        }
      }
    }
  }
}

TEST(Recurrent, WritesZerosFromEverySequencesLengthOnAndReadsNoPadding) {
  const std::vector<std::int64_t> lengths = {9, 0, 4, 1};
  for (const Cell cell : {Cell::rnn, Cell::lstm}) {
    const Network network = {cell, Scores::additive, 3, 5, 4};
    plain::Steps run = {4, 9, 3, 5};
    RecurrentOptions options = main_mode;
    options.lengths = view(lengths.data(), {4});
    for (std::size_t b = 0; b < 4; ++b) {
      for (auto t = static_cast<std::size_t>(lengths[b]); t < 9; ++t) {
        std::fill_n(run.x.begin() + static_cast<std::ptrdiff_t>((b * 9 + t) * 3), 3, NAN);
      }
    }
    expect_plain(network, run, options, lengths);
    for (std::size_t b = 0; b < 4; ++b) {
      for (auto t = static_cast<std::size_t>(lengths[b]); t < 9; ++t) {
        for (std::size_t c = 0; c < 5; ++c) {
          EXPECT_EQ(run.h[(b * 9 + t) * 5 + c], 0);
          EXPECT_EQ(run.c[(b * 9 + t) * 5 + c], 0);
        }
        for (std::size_t j = 0; j < 9; ++j) EXPECT_EQ(run.w[(b * 9 + t) * 9 + j], 0);
      }
    }
  }
}

TEST(Recurrent, OfASequenceIsThatOfItsBatchWithinRounding) {
  const Network network = {Cell::lstm, Scores::dot, 3, 5, 4};
  plain::Steps batch = {20, 40, 3, 5}, one = {1, 40, 3, 5};
  recurrent(network.weights(), batch.in(), batch.out(), main_mode);
  for (std::size_t b = 0; b < 20; ++b) {
    std::copy_n(batch.x.begin() + static_cast<std::ptrdiff_t>(b * 120), 120, one.x.begin());
    recurrent(network.weights(), one.in(), one.out(), main_mode);
    for (std::size_t i = 0; i < 200; ++i) EXPECT_NEAR(one.h[i], batch.h[b * 200 + i], 2e-6f);
  }
}

TEST(Recurrent, OfAStepDoesNotDependOnWhatFollows) {
  const Network network = {Cell::rnn, Scores::scaled_dot, 3, 5, 4};
  plain::Steps run = {2, 50, 3, 5};
  recurrent(network.weights(), run.in(), run.out(), main_mode);
  const std::vector<float> before = run.h;
  for (std::size_t i = 70 * 3; i < 100 * 3; ++i) run.x[i] = 3;  // sequence 1 from step 20 on
  recurrent(network.weights(), run.in(), run.out(), main_mode);
  EXPECT_TRUE(std::equal(before.begin(), before.begin() + 70 * 5, run.h.begin()));
  EXPECT_FALSE(std::equal(before.begin() + 70 * 5, before.begin() + 71 * 5, run.h.begin() + 70 * 5));
}

TEST(Recurrent, BeginsWithAStateThatIsItsOwnContext) {
  for (const RecurrentOptions& options : {main_mode, literal_mode}) {
    const Network network = {Cell::rnn, Scores::dot, 3, 4, 4};
    plain::Steps run = {1, 2, 3, 4};
    recurrent(network.weights(), run.in(), run.out(), options);
    for (std::size_t c = 0; c < 4; ++c) {
      double z = static_cast<double>(network.input_bias[c]) + static_cast<double>(network.context_bias[c]);
      for (std::size_t i = 0; i < 3; ++i)
        z += static_cast<double>(network.input[c * 3 + i]) * static_cast<double>(run.x[i]);
      EXPECT_NEAR(static_cast<double>(run.h[c]), std::tanh(z), 1e-6);
      EXPECT_EQ(run.c[c], run.h[c]);
    }
    const bool by_states = options.remembered == Remembered::states;
    EXPECT_EQ(run.w, by_states ? (std::vector<float>{1, 0, run.w[2], run.w[3]}) : (std::vector<float>{0, 0, 1, 0}));
  }
}

// ---- what the two modes are ---------------------------------------------------------------------

// The largest difference of a context from the first one.
float largest_change(const plain::Steps& run) {
  float largest = 0;
  for (std::size_t i = 0; i < run.c.size(); ++i) {
    largest = std::max(largest, std::abs(run.c[i] - run.c[i % static_cast<std::size_t>(run.width)]));
  }
  return largest;
}

TEST(RecurrentDemonstration, TakenLiterallyEveryContextIsTheFirstStateAndInTheMainModeTheyChange) {
  for (const Cell cell : {Cell::rnn, Cell::lstm}) {
    for (const Scores scores : {Scores::dot, Scores::additive}) {
      const Network network = {cell, scores, 6, 16, 8};
      plain::Steps run = {1, 100, 6, 16};
      recurrent(network.weights(), run.in(), run.out(), literal_mode);
      const float constant = largest_change(run);
      recurrent(network.weights(), run.in(), run.out(), main_mode);
      const float changing = largest_change(run);
      std::printf(
          "%s, %s scores, 100 steps: contexts differ from c_1 by at most %.3g literally, %.3g in the main mode\n",
          std::string(to_string(cell)).c_str(), scores == Scores::dot ? "dot" : "additive",
          static_cast<double>(constant), static_cast<double>(changing));
      // Each is a mean of copies: 100 products and sums, a division, one after another from copies that are as far off.
      EXPECT_LE(constant, 100 * 102 * 0x1p-24f);
      EXPECT_LE(constant, 1e-5f);
      EXPECT_GT(changing, 0.1f);
    }
  }
}

TEST(RecurrentDemonstration, KnowsTheOrderOfItsInputsWithoutPositions) {
  for (const Cell cell : {Cell::rnn, Cell::lstm}) {
    const Network network = {cell, Scores::scaled_dot, 6, 16, 8};
    plain::Steps forward = {1, 3, 6, 16}, backward = forward;
    for (std::size_t t = 0; t < 3; ++t) {
      std::copy_n(forward.x.begin() + static_cast<std::ptrdiff_t>(t * 6), 6,
                  backward.x.begin() + static_cast<std::ptrdiff_t>((2 - t) * 6));
    }
    recurrent(network.weights(), forward.in(), forward.out(), main_mode);
    recurrent(network.weights(), backward.in(), backward.out(), main_mode);
    float state = 0, unaware = 0;
    for (std::size_t c = 0; c < 16; ++c) state = std::max(state, std::abs(forward.h[32 + c] - backward.h[32 + c]));

    // Attention alone gives the reversed rows.
    std::vector<float> rows(3 * 6), reversed(3 * 6);
    const auto heads = [](const std::vector<float>& from) { return view(from.data(), {1, 1, 3, 6}); };
    const AttentionOptions options = {.score = Score::scaled_dot, .sight = Sight::all};
    attention(heads(forward.x), heads(forward.x), heads(forward.x), view(rows.data(), {1, 1, 3, 6}), options);
    attention(heads(backward.x), heads(backward.x), heads(backward.x), view(reversed.data(), {1, 1, 3, 6}), options);
    for (std::size_t i = 0; i < 18; ++i)
      unaware = std::max(unaware, std::abs(rows[i] - reversed[(2 - i / 6) * 6 + i % 6]));
    std::printf("%s: reversing three inputs changes the last state by %.3g; attention's rows, reversed, by %.3g\n",
                std::string(to_string(cell)).c_str(), static_cast<double>(state), static_cast<double>(unaware));
    EXPECT_GT(state, 0.01f);
    EXPECT_LE(unaware, 1e-6f);
  }
}

// ---- PyTorch ------------------------------------------------------------------------------------

TEST(RecurrentGoldens, OfPyTorchHaveOurStatesContextsAndWeightsOfEveryStep) {
  const test::GoldenFile file("recurrent");
  const test::GoldenFields fields = file.fields("network");
  const auto size = [&](const char* name) { return fields.integer(name); };
  const std::vector<std::int64_t> lengths = fields.integers("lengths");
  ASSERT_EQ(file.tensors().size(), 12u);
  double largest = 0;
  for (const auto& [name, golden] : file.tensors()) {  // CELL/SCORE/REMEMBERED
    SCOPED_TRACE(name);
    const std::string score = name.substr(name.find('/') + 1);
    const Network network = {name.starts_with("rnn") ? Cell::rnn : Cell::lstm,
                             score.starts_with("dot")          ? Scores::dot
                             : score.starts_with("scaled_dot") ? Scores::scaled_dot
                                                               : Scores::additive,
                             size("inputs"), size("width"), size("between")};
    plain::Steps run = {std::ssize(lengths), size("steps"), network.inputs, network.width};
    RecurrentOptions options = name.ends_with("states") ? main_mode : literal_mode;
    options.lengths = view(lengths.data(), {run.batch});
    recurrent(network.weights(), run.in(), run.out(), options);

    const auto width = static_cast<std::size_t>(run.width), steps = static_cast<std::size_t>(run.steps);
    const std::span<const double> values = golden.values<double>();
    ASSERT_EQ(values.size(), run.h.size() / width * (2 * width + steps));
    for (std::size_t row = 0; row < run.h.size() / width; ++row) {
      const std::span<const double> theirs = values.subspan(row * (2 * width + steps), 2 * width + steps);
      for (std::size_t c = 0; c < theirs.size(); ++c) {
        const float mine = c < width       ? run.h[row * width + c]
                           : c < 2 * width ? run.c[row * width + c - width]
                                           : run.w[row * steps + c - 2 * width];
        // tanh is off by 2^-21 of itself; PyTorch in f32 is up to 1.4e-7 from f64, and no step doubles what it gets.
        EXPECT_NEAR(static_cast<double>(mine), theirs[c], 0x1p-20);
        largest = std::max(largest, std::abs(static_cast<double>(mine) - theirs[c]));
      }
    }
  }
  std::printf("recurrent networks are at most %.3g from PyTorch in f64\n", largest);
}

// ---- surroundings -------------------------------------------------------------------------------

TEST(Recurrent, HasTheSameBitsForEveryExecutorAndRoundingModeAndWithoutWeights) {
  for (const Scores scores : {Scores::dot, Scores::additive}) {
    const Network network = {Cell::lstm, scores, 3, 5, 4};
    plain::Steps wanted = {40, 37, 3, 5};
    RecurrentOptions options = main_mode;
    recurrent(network.weights(), wanted.in(), wanted.out(), options);
    for (const Executor& executor : {test::two_threads, test::reversed}) {
      plain::Steps other = {40, 37, 3, 5};
      options.executor = executor;
      recurrent(network.weights(), other.in(), {other.out().states, other.out().contexts}, options);
      EXPECT_EQ(other.h, wanted.h);
      EXPECT_EQ(other.c, wanted.c);
    }
    for (const int mode : test::rounding_modes) {
      plain::Steps other = {40, 37, 3, 5};
      EXPECT_TRUE(test::survives(mode, [&] { recurrent(network.weights(), other.in(), other.out(), options); }));
      EXPECT_EQ(other.h, wanted.h);
      EXPECT_EQ(other.w, wanted.w);
    }
  }
}

TEST(Recurrent, HasTheSameBitsForEveryNumberOfThreads) {
  for (const Cell cell : {Cell::rnn, Cell::lstm}) {
    const Network network = {cell, Scores::scaled_dot, 3, 6, 4};
    for (const std::int64_t batch : {1, 5, 17, 32, 33}) {
      plain::Steps wanted = {batch, 35, 3, 6};
      RecurrentOptions options = main_mode;
      recurrent(network.weights(), wanted.in(), wanted.out(), options);
      for (const Executor& executor : {test::over_threads<1>, test::over_threads<2>, test::over_threads<3>}) {
        plain::Steps other = {batch, 35, 3, 6};
        options.executor = executor;
        recurrent(network.weights(), other.in(), other.out(), options);
        EXPECT_EQ(other.h, wanted.h) << batch;
        EXPECT_EQ(other.c, wanted.c) << batch;
        EXPECT_EQ(other.w, wanted.w) << batch;
      }
    }
  }
}

// A pool looks at its clock after the first job, which must be a small share of the call.
TEST(Recurrent, GivesAnExecutorEightJobsForThirtyTwoSequences) {
  const Network network = {Cell::rnn, Scores::dot, 3, 4, 4};
  plain::Steps run = {32, 2, 3, 4};
  std::int64_t jobs = 0;
  RecurrentOptions options = main_mode;
  options.executor = {[](void* self, std::int64_t count, void (*job)(void*, std::int64_t), void* context) {
                        *static_cast<std::int64_t*>(self) += count;
                        serial.run(nullptr, count, job, context);
                      },
                      &jobs};
  recurrent(network.weights(), run.in(), run.out(), options);
  EXPECT_EQ(jobs, 8);
}

TEST(Recurrent, TakesInputsAndOutputsOfAnyStride) {
  const Network network = {Cell::rnn, Scores::dot, 3, 4, 4};
  plain::Steps wanted = {2, 6, 3, 4};
  std::copy_n(wanted.x.begin(), 18, wanted.x.begin() + 18);
  recurrent(network.weights(), wanted.in(), wanted.out(), main_mode);
  // One sequence, backwards in memory, for both; sequence-first outputs.
  std::vector<float> turned(18), states(2 * 6 * 9, 7.0f), contexts(2 * 6 * 4, 7.0f);
  for (std::size_t t = 0; t < 6; ++t)
    std::copy_n(wanted.x.begin() + static_cast<std::ptrdiff_t>(t * 3), 3,
                turned.begin() + static_cast<std::ptrdiff_t>((5 - t) * 3));
  const ConstView in = {turned.data() + 15, DType::f32, 3, {2, 6, 3}, {0, -3, 1}};
  const View h = {states.data(), DType::f32, 3, {2, 6, 4}, {9, 18, 1}};
  recurrent(network.weights(), in, {h, view(contexts.data(), {6, 2, 4}).transposed(0, 1)}, main_mode);
  for (std::size_t at = 0; at < wanted.h.size(); ++at) {
    const std::size_t b = at / 24, t = at / 4 % 6, c = at % 4;
    EXPECT_NEAR(states[t * 18 + b * 9 + c], wanted.h[at], 1e-6f);
    EXPECT_NEAR(contexts[t * 8 + b * 4 + c], wanted.c[at], 1e-6f);
  }
  EXPECT_EQ(std::count(states.begin(), states.end(), 7.0f), 108 - 48);
}

TEST(Recurrent, OfNothingWritesNothing) {
  const Network network = {Cell::rnn, Scores::dot, 3, 4, 4};
  for (plain::Steps run : {plain::Steps{0, 5, 3, 4}, plain::Steps{2, 0, 3, 4}}) {
    recurrent(network.weights(), run.in(), run.out(), main_mode);
    EXPECT_TRUE(run.h.empty());
  }
}

// ---- what is refused ----------------------------------------------------------------------------

TEST(CheckRecurrent, RefusesWhatDoesNotGoTogether) {
  const Network network = {Cell::lstm, Scores::additive, 3, 4, 5};
  plain::Steps run = {2, 6, 3, 4};
  const Recurrent good = network.weights();
  const auto check = [&](const Recurrent& weights) {
    return said(check_recurrent(weights, run.in(), run.out(), main_mode));
  };
  EXPECT_EQ(check(good), "nothing");
  Recurrent other = good;
  other.cell = {};
  EXPECT_EQ(check(other), "[recurrent] cell must be stated, got none");
  other.cell = Cell::rnn;
  EXPECT_EQ(check(other), "[recurrent] input weight must have shape [4, 3], got [16, 3]");
  other = good;
  other.context.weight = good.input.weight;
  EXPECT_EQ(check(other), "[recurrent] context weight must have shape [16, 4], got [16, 3]");
  other = good;
  other.score = Score{};
  EXPECT_EQ(check(other), "[recurrent] score must be stated, got none");
  other.score = Additive{std::get<Additive>(good.score).query, good.input, std::get<Additive>(good.score).direction};
  EXPECT_EQ(check(other), "[recurrent] score key weight must have shape [5, 4], got [16, 3]");

  EXPECT_EQ(said(check_recurrent(good, run.in(), run.out(), {.remembered = {}})),
            "[recurrent] remembered must be stated, got none");
  EXPECT_EQ(said(check_recurrent(good, view(std::as_const(run.x).data(), {12, 3}), run.out(), main_mode)),
            "[recurrent] in must have shape [B, T, x], got [12, 3]");
  RecurrentSteps out = run.out();
  out.contexts = view(run.c.data(), {2, 4, 6});
  EXPECT_EQ(said(check_recurrent(good, run.in(), out, main_mode)),
            "[recurrent] contexts must have shape [2, 6, 4], got [2, 4, 6]");
  out = run.out();
  out.weights = view(run.w.data(), {2, 6, 5});
  EXPECT_EQ(said(check_recurrent(good, run.in(), out, main_mode)),
            "[recurrent] weights must have shape [2, 6, 6], got [2, 6, 5]");
  std::vector<double> wide(48);
  out = run.out();
  out.states = view(wide.data(), {2, 6, 4});
  EXPECT_EQ(said(check_recurrent(good, run.in(), out, main_mode)), "[recurrent] states must be f32, got f64");
  RecurrentOptions options = main_mode;
  const std::int32_t lengths[] = {6, 7};
  options.lengths = view(lengths, {2});
  EXPECT_EQ(said(check_recurrent(good, run.in(), run.out(), options)),
            "[recurrent] lengths must be in [0, 6], got 7 at [1]");
  EXPECT_EQ(test::thrown([&] { recurrent(good, run.in(), run.out(), options); }),
            "[recurrent] lengths must be in [0, 6], got 7 at [1]");
  EXPECT_EQ(run.h, std::vector<float>(48, 7.0f));
}

TEST(Recurrent, HasNamesForCellsAndModes) {
  EXPECT_EQ(to_string(Cell::rnn), "rnn");
  EXPECT_EQ(to_string(Cell::lstm), "lstm");
  EXPECT_EQ(to_string(Cell{}), "no cell");
  EXPECT_EQ(to_string(Remembered::states), "states");
  EXPECT_EQ(to_string(Remembered::contexts), "contexts");
  EXPECT_EQ(to_string(Remembered{}), "nothing");
}

}  // namespace
}  // namespace posenc
