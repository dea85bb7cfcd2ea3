// SPDX-License-Identifier: Apache-2.0
// Greedy and beam search against full decoding and against every sequence there is.
#include <posenc/transformer/decoding.h>

#include "tests/input/plain.h"
#include "tests/transformer/small_model.h"

#include <gtest/gtest.h>

#include <map>

namespace posenc {
namespace {

using Ids = std::vector<std::int64_t>;

const plain::ModelShape searched_shape = {
    {16, 32, 4, 4}, 1, 2, 11, 9, 40, {NormPlace::before, Activation::gelu, Score::scaled_dot}};

// A batch of sentences of mixed lengths, padded by id 0.
struct Sentences {
  std::vector<Ids> each;
  Ids flat, lengths;
  std::int64_t longest = 0;

  explicit Sentences(std::vector<Ids> of) : each(std::move(of)) {
    for (const Ids& ids : each) longest = std::max(longest, static_cast<std::int64_t>(ids.size()));
    for (const Ids& ids : each) {
      flat.insert(flat.end(), ids.begin(), ids.end());
      flat.resize(flat.size() + static_cast<std::size_t>(longest) - ids.size(), 0);
      lengths.push_back(static_cast<std::int64_t>(ids.size()));
    }
  }
  std::int64_t count() const { return static_cast<std::int64_t>(each.size()); }
  ConstView ids() const { return view(flat.data(), {count(), longest}); }
  ConstView seen() const { return view(lengths.data(), {count()}); }
};

Sentences some_sentences() { return Sentences({{1, 4, 2, 9}, {5}, {7, 7, 3, 1, 2, 8, 6}, {10, 2}, {3, 9, 9, 4, 5}}); }

// log softmax of the logits after `ids`, by full decoding in one call.
std::vector<double> log_probabilities(const Transformer& model, const ConstView& memory, const Ids& ids,
                                      const Ids& suppressed) {
  const auto count = static_cast<std::int64_t>(ids.size()), many = model.output->weight.size(0);
  std::vector<float> out(static_cast<std::size_t>(count * many));
  logits(model, memory, {}, view(ids.data(), {1, count}), view(out.data(), {1, count, many}));
  std::vector<double> last(out.end() - static_cast<std::ptrdiff_t>(many), out.end());
  for (const std::int64_t id : suppressed) last[static_cast<std::size_t>(id)] = -HUGE_VAL;
  double sum = 0;
  for (const double x : last) sum += std::exp(x);
  for (double& x : last) x -= std::log(sum);
  return last;
}

std::vector<float> memory_of(const Transformer& model, const Ids& source) {
  const auto count = static_cast<std::int64_t>(source.size()), width = source_width(model);
  std::vector<float> memory(static_cast<std::size_t>(count * width));
  encode_source(model, view(source.data(), {1, count}), {}, view(memory.data(), {1, count, width}));
  return memory;
}

TEST(Decoding, GreedyTakesTheLikeliestTokenOfFullDecodingAtEveryStep) {
  const plain::Model model(searched_shape);
  const Sentences sentences = some_sentences();
  const DecodingOptions options = {.prompt = {1, 3}, .end = 0, .longest = 12};
  const std::vector<Decoded> found = generate(model.transformer, sentences.ids(), sentences.seen(), options);
  for (std::size_t b = 0; b < sentences.each.size(); ++b) {
    const std::vector<float> memory = memory_of(model.transformer, sentences.each[b]);
    const ConstView seen = view(memory.data(), {1, sentences.lengths[b], 16});
    Ids ids = options.prompt;
    double score = 0;
    bool ended = false;
    for (int made = 0; made < 12 && !ended; ++made) {
      const std::vector<double> sure = log_probabilities(model.transformer, seen, ids, {});
      const auto best = std::max_element(sure.begin(), sure.end());
      score += *best;
      ended = best == sure.begin();
      if (!ended) ids.push_back(best - sure.begin());
    }
    EXPECT_EQ(found[b].ids, Ids(ids.begin() + 2, ids.end())) << "sequence " << b;
    EXPECT_EQ(found[b].ended, ended);
    EXPECT_NEAR(found[b].score, score, 0x1p-18);
  }
}

// Every sequence there is, with its sum: the tokens of one that ends, or `longest` that do not.
void every(const Transformer& model, const ConstView& memory, const DecodingOptions& options, const Ids& made,
           double sum, std::map<Ids, double>& ended, std::map<Ids, double>& cut) {
  if (static_cast<std::int64_t>(made.size()) == options.longest) {
    cut[made] = sum;
    return;
  }
  Ids ids = options.prompt, suppressed = options.suppressed;
  ids.insert(ids.end(), made.begin(), made.end());
  if (made.empty())
    suppressed.insert(suppressed.end(), options.suppressed_first.begin(), options.suppressed_first.end());
  const std::vector<double> sure = log_probabilities(model, memory, ids, suppressed);
  for (std::size_t id = 0; id < sure.size(); ++id) {
    if (sure[id] == -HUGE_VAL) continue;
    if (static_cast<std::int64_t>(id) == options.end) {
      ended[made] = sum + sure[id];
      continue;
    }
    Ids longer = made;
    longer.push_back(static_cast<std::int64_t>(id));
    every(model, memory, options, longer, sum + sure[id], ended, cut);
  }
}

TEST(Decoding, WideBeamsFindTheBestOfAllSequences) {
  plain::ModelShape shape = searched_shape;
  shape.target_vocabulary = 5;
  for (const std::uint64_t stream : {1u, 1000u, 2000u, 3000u}) {
    const plain::Model model(shape, stream);
    const Ids source = {1, 4, 2};
    const std::vector<float> memory = memory_of(model.transformer, source);
    const ConstView seen = view(memory.data(), {1, 3, 16});
    for (const double penalty : {0.0, 1.0, 2.5, -1.0}) {
      const DecodingOptions options = {.prompt = {1},
                                       .end = 2,
                                       .longest = 4,
                                       .beams = 600,
                                       .length_penalty = penalty,
                                       .suppressed = {3},
                                       .suppressed_first = {2}};
      std::map<Ids, double> ended, cut;
      every(model.transformer, seen, options, {}, 0, ended, cut);
      const auto score = [&](const auto& of) {
        return of.second / std::pow(static_cast<double>(of.first.size() + 1), penalty);
      };
      const auto best = std::max_element(ended.begin(), ended.end(),
                                         [&](const auto& a, const auto& b) { return score(a) < score(b); });
      const Decoded found = generate_from_memory(model.transformer, seen, {}, options)[0];
      EXPECT_TRUE(found.ended);
      EXPECT_EQ(found.ids, best->first);
      EXPECT_NEAR(found.score, best->second, 0x1p-18);
    }
  }
}

// Every hypothesis apart, by full decoding; no cache, no batch.
Decoded plain_beams(const Transformer& model, const ConstView& memory, const DecodingOptions& options) {
  struct Hypothesis {
    Ids made;
    double sum;
  };
  std::vector<Hypothesis> live = {{{}, 0}};
  std::optional<Decoded> best;
  double best_score = 0;
  for (std::int64_t made = 1; made <= options.longest && !live.empty(); ++made) {
    std::vector<Hypothesis> longer;
    for (const Hypothesis& of : live) {
      Ids ids = options.prompt, suppressed = options.suppressed;
      ids.insert(ids.end(), of.made.begin(), of.made.end());
      if (made == 1)
        suppressed.insert(suppressed.end(), options.suppressed_first.begin(), options.suppressed_first.end());
      const std::vector<double> sure = log_probabilities(model, memory, ids, suppressed);
      for (std::size_t id = 0; id < sure.size(); ++id) {
        Ids next = of.made;
        next.push_back(static_cast<std::int64_t>(id));
        if (sure[id] > -HUGE_VAL) longer.push_back({next, of.sum + sure[id]});
      }
    }
    std::stable_sort(longer.begin(), longer.end(), [](const auto& a, const auto& b) { return a.sum > b.sum; });
    longer.resize(std::min(longer.size(), static_cast<std::size_t>(options.beams)));
    live.clear();
    for (const Hypothesis& of : longer) {
      const double score = of.sum / std::pow(static_cast<double>(made), options.length_penalty);
      if (of.made.back() != options.end) {
        live.push_back(of);
      } else if (!best || score > best_score) {
        best = Decoded{{of.made.begin(), of.made.end() - 1}, of.sum, true};
        best_score = score;
      }
    }
  }
  return best ? *best : Decoded{live.front().made, live.front().sum, false};
}

TEST(Decoding, BeamsAreThoseOfSearchingEveryHypothesisApart) {
  const Sentences sentences = some_sentences();
  int ended = 0, cut = 0;
  for (const std::uint64_t stream : {1u, 1000u, 2000u}) {
    const plain::Model model(searched_shape, stream);
    for (const std::int64_t beams : {1, 2, 3, 5}) {
      for (const double penalty : {0.0, 1.0, -0.5}) {
        const DecodingOptions options = {
            .prompt = {1, 3}, .end = 0, .longest = 6, .beams = beams, .length_penalty = penalty};
        const std::vector<Decoded> found = generate(model.transformer, sentences.ids(), sentences.seen(), options);
        for (std::size_t b = 0; b < sentences.each.size(); ++b) {
          const std::vector<float> memory = memory_of(model.transformer, sentences.each[b]);
          const Decoded wanted =
              plain_beams(model.transformer, view(memory.data(), {1, sentences.lengths[b], 16}), options);
          EXPECT_EQ(found[b].ids, wanted.ids) << "sequence " << b << ", " << beams << " beams, penalty " << penalty;
          EXPECT_NEAR(found[b].score, wanted.score, 0x1p-17);
          EXPECT_EQ(found[b].ended, wanted.ended);
          ++(wanted.ended ? ended : cut);
        }
      }
    }
  }
  EXPECT_GT(ended, 20);
  EXPECT_GT(cut, 20);
}

TEST(Decoding, EveryStepSeesTheLogitsOfFullDecoding) {
  const plain::Model model(searched_shape);
  const Sentences sentences = some_sentences();
  const DecodingOptions options = {.prompt = {1, 3}, .end = 0, .longest = 20, .suppressed = {0}};
  std::vector<std::vector<float>> seen;
  const std::vector<Decoded> found =
      generate(model.transformer, sentences.ids(), sentences.seen(), options, [&](const DecodingStep& step) {
        EXPECT_EQ(step.made, static_cast<std::int64_t>(seen.size()));
        EXPECT_EQ(step.longest, 20);
        const auto* from = static_cast<const float*>(step.logits.data);
        seen.emplace_back(from, from + step.logits.count());
      });
  ASSERT_EQ(seen.size(), 20u);
  double most = 0, largest = 0;
  for (std::size_t b = 0; b < sentences.each.size(); ++b) {
    const std::vector<float> memory = memory_of(model.transformer, sentences.each[b]);
    Ids ids = options.prompt;
    ids.insert(ids.end(), found[b].ids.begin(), found[b].ids.end());
    const auto count = static_cast<std::int64_t>(ids.size());
    ASSERT_EQ(count, 22);
    std::vector<float> full(static_cast<std::size_t>(count * 9));
    logits(model.transformer, view(memory.data(), {1, sentences.lengths[b], 16}), {}, view(ids.data(), {1, count}),
           view(full.data(), {1, count, 9}));
    for (std::size_t step = 0; step < seen.size(); ++step) {
      for (std::size_t id = 0; id < 9; ++id) {
        const double whole = full[(step + 1) * 9 + id];
        most = std::max(most, std::abs(static_cast<double>(seen[step][b * 9 + id]) - whole));
        largest = std::max(largest, std::abs(whole));
      }
    }
  }
  std::printf("largest difference of a logit, cached in a batch and full alone: %.3g; largest logit %.3g\n", most,
              largest);
  EXPECT_LT(most, 0x1p-18 * largest);  // a yardstick, not a derived bound: docs/transformer.md
}

TEST(Decoding, AloneAndInABatchAreTheSame) {
  const plain::Model model(searched_shape);
  const Sentences sentences = some_sentences();
  for (const std::int64_t beams : {1, 4}) {
    const DecodingOptions options = {.prompt = {1}, .end = 0, .longest = 10, .beams = beams};
    const std::vector<Decoded> found = generate(model.transformer, sentences.ids(), sentences.seen(), options);
    for (std::size_t b = 0; b < sentences.each.size(); ++b) {
      const Decoded alone =
          generate(model.transformer, view(sentences.each[b].data(), {1, sentences.lengths[b]}), {}, options)[0];
      EXPECT_EQ(alone.ids, found[b].ids);
      EXPECT_NEAR(alone.score, found[b].score, 0x1p-17);
      EXPECT_EQ(alone.ended, found[b].ended);
    }
  }
}

TEST(Decoding, NeverMakesWhatIsSuppressed) {
  const plain::Model model(searched_shape);
  const Ids source = {1, 4, 2};
  const auto made = [&](DecodingOptions options) {
    return generate(model.transformer, view(source.data(), {1, 3}), {}, options)[0];
  };
  const Decoded free = made({.prompt = {1}, .end = 0, .longest = 8, .suppressed = {0}});
  ASSERT_EQ(free.ids.size(), 8u);
  const Decoded first =
      made({.prompt = {1}, .end = 0, .longest = 8, .suppressed = {0}, .suppressed_first = {free.ids[0]}});
  EXPECT_NE(first.ids[0], free.ids[0]);
  const Decoded never = made({.prompt = {1}, .end = 0, .longest = 8, .beams = 3, .suppressed = {0, free.ids[0]}});
  EXPECT_EQ(std::count(never.ids.begin(), never.ids.end(), free.ids[0]), 0);
  const Decoded one = made({.prompt = {1}, .end = 0, .longest = 1, .suppressed = {0, 1, 2, 3, 5, 6, 7, 8}});
  EXPECT_EQ(one.ids, Ids{4});
  EXPECT_NEAR(one.score, 0, 0x1p-22);  // the only token there is
}

TEST(Decoding, StopsWhereItIsTold) {
  const plain::Model model(searched_shape);
  const Ids source = {1, 4, 2};
  const auto made = [&](std::int64_t longest) {
    return generate(model.transformer, view(source.data(), {1, 3}), {},
                    {.prompt = {1}, .end = 0, .longest = longest, .suppressed = {0}})[0];
  };
  EXPECT_EQ(made(0).ids, Ids());
  EXPECT_FALSE(made(0).ended);
  EXPECT_EQ(made(1).ids.size(), 1u);
  EXPECT_EQ(model.transformer.target->stage.positions(), 40);
  EXPECT_EQ(made(40).ids.size(), 40u);  // position 39 is the table's last
  const std::vector<Decoded> none =
      generate(model.transformer, view(source.data(), {0, 3}), {}, {.prompt = {1}, .end = 0, .longest = 5});
  EXPECT_TRUE(none.empty());
}

TEST(Decoding, NamesWhatIsWrong) {
  const plain::Model model(searched_shape);
  const Ids source = {1, 4, 2, 10};
  const DecodingOptions good = {.prompt = {1, 3}, .end = 0, .longest = 5};
  const auto with = [&](auto change) {
    DecodingOptions options = good;
    change(options);
    return plain::error_of(
        [&] { static_cast<void>(generate(model.transformer, view(source.data(), {1, 4}), {}, options)); });
  };
  EXPECT_EQ(with([](DecodingOptions&) {}), "no error");
  EXPECT_EQ(with([](DecodingOptions& o) { o.prompt.clear(); }), "[generate] prompt must have a token, got none");
  EXPECT_EQ(with([](DecodingOptions& o) { o.prompt[1] = 9; }), "[generate] prompt must be in [0, 9), got 9 at [1]");
  EXPECT_EQ(with([](DecodingOptions& o) { o.end = -1; }), "[generate] end must be in [0, 9), got -1");
  EXPECT_EQ(with([](DecodingOptions& o) { o.longest = -1; }), "[generate] longest must be in [0, 2^40], got -1");
  EXPECT_EQ(with([](DecodingOptions& o) { o.beams = 0; }), "[generate] beams must be in [1, 1024], got 0");
  EXPECT_EQ(with([](DecodingOptions& o) { o.length_penalty = HUGE_VAL; }),
            "[generate] length_penalty must be finite, got inf");
  EXPECT_EQ(with([](DecodingOptions& o) { o.suppressed = {3, 20}; }),
            "[generate] suppressed must be in [0, 9), got 20 at [1]");
  EXPECT_EQ(with([](DecodingOptions& o) { o.suppressed_first = {-2}; }),
            "[generate] suppressed_first must be in [0, 9), got -2 at [0]");
  EXPECT_EQ(with([](DecodingOptions& o) { o.suppressed = {0, 1, 2, 3, 4}, o.suppressed_first = {5, 6, 7, 8}; }),
            "[generate] suppressed and suppressed_first must leave a token, got all 9");
  EXPECT_EQ(with([](DecodingOptions& o) { o.longest = 40; }),
            "[generate] prompt and longest must stay inside the table of positions, which has rows 0 to 39, got tokens "
            "from 0 on, "
            "2 of the prompt and 39 made before the last");
  const auto error = [&](const ConstView& from, const std::optional<ConstView>& lengths) {
    return plain::error_of([&] { static_cast<void>(generate(model.transformer, from, lengths, good)); });
  };
  const Ids outside = {1, 11}, lengths = {3};
  EXPECT_EQ(error(view(outside.data(), {1, 2}), {}), "[input_stage] ids must be in [0, 11), got 11 at [0, 1]");
  EXPECT_EQ(error(view(source.data(), {4}), {}), "[generate] source must have shape [B, L], got [4]");
  EXPECT_EQ(error(view(source.data(), {1, 2}), view(lengths.data(), {1})),
            "[encode_source] lengths must be in [0, 2], got 3 at [0]");
  const std::vector<float> memory(32);
  EXPECT_EQ(plain::error_of([&] {
              static_cast<void>(generate_from_memory(model.transformer, view(memory.data(), {1, 4, 8}), {}, good));
            }),
            "[generate_from_memory] memory must have the encoder's columns, 16, got 8");
  const Transformer alone = {model.transformer.source, model.transformer.encoder};
  EXPECT_EQ(check_generate(alone, view(source.data(), {1, 4}), {}, good)->message(),
            "[generate] the model must have a decoder, got none");
}

// A token whose logit is NaN, the first, one in the middle or the last, is as if it were suppressed.
TEST(Decoding, NeverChoosesALogitThatIsNaNAndGoesOn) {
  const Ids source = {1, 4, 2};
  const auto words = view(source.data(), {1, 3});
  for (const std::int64_t broken : {0, 4, 8}) {
    plain::Model model(searched_shape);
    for (const std::int64_t beams : {1, 3}) {
      DecodingOptions options = {
          .prompt = {1}, .end = broken == 0 ? 8 : 0, .longest = 10, .beams = beams, .suppressed = {broken}};
      const Decoded wanted = generate(model.transformer, words, {}, options)[0];
      options.suppressed.clear();
      plain::Model same(searched_shape);
      auto* row = const_cast<float*>(static_cast<const float*>(same.transformer.output->weight.data)) + broken * 16;
      std::fill_n(row, 16, std::nanf(""));
      const Decoded found = generate(same.transformer, words, {}, options)[0];
      EXPECT_EQ(found.ids, wanted.ids) << "NaN at " << broken << ", " << beams << " beams";
      EXPECT_EQ(found.ended, wanted.ended);
      EXPECT_NEAR(found.score, wanted.score, 0x1p-18);
      EXPECT_TRUE(wanted.ended || wanted.ids.size() == 10);
    }
  }
}

// A model of nothing but NaN ends the search.
TEST(Decoding, EndsWhereNoLogitIsANumber) {
  plain::Model model(searched_shape);
  const std::vector<float> broken(9 * 16, std::nanf(""));
  model.transformer.output = Linear{view(broken.data(), {9, 16})};
  const Ids source = {1, 4, 2};
  const Decoded found = generate(model.transformer, view(source.data(), {1, 3}), {},
                                 {.prompt = {1}, .end = 0, .longest = 5, .beams = 2})[0];
  EXPECT_TRUE(found.ids.empty());
  EXPECT_FALSE(found.ended);
}

}  // namespace
}  // namespace posenc
