// SPDX-License-Identifier: Apache-2.0
// Greedy and beam search against full decoding and against every sequence there is.
#include <posenc/decoding.h>

#include "tests/layers/plain.h"
#include "tests/layers/small_model.h"

#include <gtest/gtest.h>

#include <map>

namespace posenc {
namespace {

using Ids = std::vector<std::int64_t>;

const plain::ModelShape small = {
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
  const plain::Model model(small);
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
  plain::ModelShape shape = small;
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

}  // namespace
}  // namespace posenc
