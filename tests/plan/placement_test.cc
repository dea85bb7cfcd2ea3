// SPDX-License-Identifier: Apache-2.0
// Pairs as runs of columns.
#include <gtest/gtest.h>

#include "src/plan/pair_plan.h"

namespace posenc::plan {
namespace {

using Columns = std::vector<std::array<std::uint32_t, 2>>;
using Stretch = Placement::Stretch;

std::vector<Pair> pairs(const Columns& read, const Columns& written) {
  std::vector<Pair> made;
  for (std::size_t k = 0; k < read.size(); ++k) made.push_back({read[k], written[k], {}});
  return made;
}

TEST(Placement, OfTheLastColumnsReadTogetherAndWrittenInHalvesIsOneRun) {
  const std::vector<Pair> last = pairs({{2, 3}, {4, 5}, {6, 7}}, {{2, 5}, {3, 6}, {4, 7}});
  const Placement forward = placement(last), back = placement(transposed(last));
  EXPECT_EQ(forward.runs, (std::vector<PairRun>{{0, 3, {2, 3, 2}, {2, 5, 1}}}));
  EXPECT_EQ(back.runs, (std::vector<PairRun>{{0, 3, {2, 5, 1}, {2, 3, 2}}}));
  EXPECT_EQ(forward.reach, (Stretch{2, 8}));
  EXPECT_TRUE(forward.kept.empty());
  EXPECT_TRUE(forward.moves);
}

TEST(Placement, OfHalvesOfEachAxisIsARunAnAxis) {
  const Columns columns = {{0, 2}, {1, 3}, {4, 7}, {5, 8}, {6, 9}};
  const Placement made = placement(pairs(columns, columns));
  EXPECT_EQ(made.runs, (std::vector<PairRun>{{0, 2, {0, 2, 1}, {0, 2, 1}}, {2, 3, {4, 7, 1}, {4, 7, 1}}}));
  EXPECT_FALSE(made.moves);
}

TEST(Placement, OfPairsInNoFormIsARunEach) {
  const Columns columns = {{5, 1}, {0, 4}, {7, 8}};
  const Placement made = placement(pairs(columns, columns));
  EXPECT_EQ(made.runs, (std::vector<PairRun>{
                           {0, 1, {5, 1, 1}, {5, 1, 1}}, {1, 1, {0, 4, 1}, {0, 4, 1}}, {2, 1, {7, 8, 2}, {7, 8, 2}}}));
  EXPECT_EQ(made.reach, (Stretch{0, 9}));
  EXPECT_EQ(made.kept, (std::vector<Stretch>{{2, 4}, {6, 7}}));
}

TEST(Placement, KeepsWhatIsReadAndNotWritten) {
  const Placement made = placement(pairs({{0, 1}}, {{3, 4}}));
  EXPECT_EQ(made.reach, (Stretch{0, 5}));
  EXPECT_EQ(made.kept, (std::vector<Stretch>{{0, 3}}));
}

}  // namespace
}  // namespace posenc::plan
