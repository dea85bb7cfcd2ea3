// SPDX-License-Identifier: Apache-2.0
// Queries and keys of biases and classes: as they are stated, and else what was taken is said.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/referee/diagnose.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace posenc {
namespace {

// T5's classes of a decoder, as its paper has them: up to 16 places back each its own, then 16 by the logarithm.
std::int64_t decoder_class(std::int64_t query, std::int64_t key) {
  const std::int64_t back = std::max<std::int64_t>(query - key, 0);
  if (back < 16) return back;
  const double far = std::log(static_cast<double>(back) / 16) / std::log(128.0 / 16) * 16;
  return std::min<std::int64_t>(16 + static_cast<std::int64_t>(far), 31);
}

struct Classes {
  std::int64_t queries, keys;
  std::vector<std::int64_t> entries;
  ConstView seen() const { return view(entries.data(), {queries, keys}); }
};
Classes decoder_classes(std::int64_t first, std::int64_t queries, std::int64_t keys, std::int64_t first_key = 0) {
  Classes made = {queries, keys, {}};
  for (std::int64_t i = 0; i < queries; ++i) {
    for (std::int64_t j = 0; j < keys; ++j) made.entries.push_back(decoder_class(first + i, first_key + j));
  }
  return made;
}

// ALiBi of 8 heads: minus 2^-h times the distance.
std::vector<float> alibi_of(std::int64_t first, std::int64_t queries, std::int64_t keys) {
  std::vector<float> made;
  for (int h = 1; h <= 8; ++h) {
    for (std::int64_t i = 0; i < queries; ++i) {
      for (std::int64_t j = 0; j < keys; ++j) {
        made.push_back(std::ldexp(-static_cast<float>(std::abs(first + i - j)), -h));
      }
    }
  }
  return made;
}

const Convention& decoder = preset("t5-bucket-decoder").convention;
const Convention& alibi = preset("alibi").convention;

Diagnosis at(const ConstView& tensor, const Convention& convention, std::optional<Positions> queries,
             std::optional<Positions> keys = {}) {
  DiagnoseOptions options;
  options.queries = queries, options.keys = keys;
  return diagnose(tensor, convention, options);
}
using Said = std::vector<std::string>;
using Taken = std::vector<Assumed>;

TEST(PairPlaces, AStepOfDecodingIsRightWhereItsQueryStands) {
  const Classes first = decoder_classes(0, 1, 200), last = decoder_classes(199, 1, 200);
  EXPECT_TRUE(at(last.seen(), decoder, Positions::at(199)).right);
  const Diagnosis wrong = at(first.seen(), decoder, Positions::at(199));
  EXPECT_FALSE(wrong.right);
  EXPECT_EQ(wrong.findings, Said{"query from 0, 199 asked"});
  EXPECT_EQ(wrong.assumed, (Taken{{"keys", "0:200"}}));
  EXPECT_EQ(at(last.seen(), decoder, Positions::at(0)).findings, Said{"query from 199, 0 asked"});
}

TEST(PairPlaces, WhatIsNotStatedIsSaid) {
  const Classes first = decoder_classes(0, 1, 200), last = decoder_classes(199, 1, 200);
  const Diagnosis at_first = diagnose(first.seen(), decoder), at_last = diagnose(last.seen(), decoder);
  ASSERT_TRUE(at_first.right && at_last.right);
  EXPECT_EQ(at_first.assumed, (Taken{{"queries", "0"}, {"keys", "0:200"}}));
  EXPECT_EQ(at_last.assumed, (Taken{{"queries", "199"}, {"keys", "0:200"}}));
  EXPECT_NE(to_string(at_last).find("  assumed: queries 199, keys 0:200\n"), std::string::npos);
  const Diagnosis stated = at(last.seen(), decoder, Positions::at(199), Positions::range(0, 200));
  EXPECT_EQ(stated.assumed, Taken{});
  EXPECT_EQ(to_string(stated).find("assumed"), std::string::npos);
}

TEST(PairPlaces, QueriesThatStandElsewhereAreFound) {
  const Classes from_5 = decoder_classes(5, 50, 200);
  EXPECT_EQ(diagnose(from_5.seen(), decoder).findings, Said{"query from 5, 0 assumed"});
  EXPECT_EQ(at(from_5.seen(), decoder, Positions::range(7, 50)).findings, Said{"query from 5, 7 asked"});
  EXPECT_TRUE(at(from_5.seen(), decoder, Positions::range(5, 50)).right);
  const std::vector<float> bias = alibi_of(100, 4, 200), begin = alibi_of(0, 4, 200);
  EXPECT_EQ(diagnose(view(bias.data(), {8, 4, 200}), alibi).findings, Said{"query from 100, 0 assumed"});
  EXPECT_TRUE(at(view(bias.data(), {8, 4, 200}), alibi, Positions::range(100, 4)).right);
  EXPECT_EQ(at(view(begin.data(), {8, 4, 200}), alibi, Positions::range(196, 4)).findings,
            Said{"query from 0, 196 asked"});
}

TEST(PairPlaces, KeysMayBeStatedAlone) {
  const Classes window = decoder_classes(299, 1, 100, 200);  // of the last 100 keys
  const Diagnosis found = at(window.seen(), decoder, {}, Positions::range(200, 100));
  EXPECT_TRUE(found.right) << to_string(found);
  EXPECT_EQ(found.assumed, (Taken{{"queries", "299"}}));
  EXPECT_EQ(at(window.seen(), decoder, Positions::at(250), Positions::range(200, 100)).findings,
            Said{"query from 299, 250 asked"});
}

TEST(PairPlaces, ListsAreTakenAsRangesAre) {
  std::vector<std::int64_t> steps = {3, 5, 8, 199};
  std::vector<double> keys(200);
  std::iota(keys.begin(), keys.end(), 0.0);
  Classes made = {4, 200, {}};
  for (const std::int64_t query : steps) {
    for (std::int64_t key = 0; key < 200; ++key) made.entries.push_back(decoder_class(query, key));
  }
  const Positions queries = Positions::list(view(std::as_const(steps).data(), {4}));
  EXPECT_TRUE(at(made.seen(), decoder, queries).right);
  EXPECT_TRUE(at(made.seen(), decoder, queries, Positions::range(0, 200)).right);
  EXPECT_FALSE(diagnose(made.seen(), decoder).right);
  const Diagnosis other = at(decoder_classes(0, 4, 200).seen(), decoder, queries);
  EXPECT_EQ(other.findings, Said{"query at 0:4, 3,5,8,199 asked"});
}

// As identify takes them.
TEST(PairPlaces, ClassesOfRealTypesAndABiasOfOneHead) {
  const Classes last = decoder_classes(199, 1, 200);
  const std::vector<float> reals(last.entries.begin(), last.entries.end());
  EXPECT_TRUE(at(view(reals.data(), {1, 200}), decoder, Positions::at(199)).right);
  std::vector<float> bias(12 * 20);
  bias.resize(bias.size());
  posenc::bias(alibi, Positions::range(0, 12), Positions::range(0, 20), view(bias.data(), {1, 12, 20}));
  EXPECT_TRUE(diagnose(view(std::as_const(bias).data(), {12, 20}), alibi).right);
}

TEST(PairPlaces, AreRefusedWhereNothingHasThem) {
  const Classes square = decoder_classes(0, 20, 20);
  const auto problem_of = [](const ConstView& tensor, const Convention& convention, const DiagnoseOptions& options) {
    const auto problem = check_diagnose(tensor, convention, options);
    return problem ? problem->rule : std::string("nothing");
  };
  DiagnoseOptions options;
  options.queries = Positions::range(0, 20);
  EXPECT_EQ(problem_of(square.seen(), decoder, options), "nothing");
  options.identify.positions = {Positions::range(0, 20)};
  EXPECT_EQ(problem_of(square.seen(), decoder, options), "queries must not be given beside positions");
  options.identify.positions = {};
  const std::vector<float> rows(20 * 20, 0.5F), slopes = {0.5F, 0.25F};
  EXPECT_EQ(problem_of(view(rows.data(), {20, 20}), preset("transformer").convention, options),
            "queries and keys must be of biases or classes of distances");
  EXPECT_EQ(problem_of(view(slopes.data(), {2}), alibi, options),
            "queries and keys must be of biases or classes of distances");
  options.queries = Positions::range(0, 19);
  EXPECT_NE(problem_of(square.seen(), decoder, options).find("positions as many as its queries and keys"),
            std::string::npos);
  options.queries = {}, options.keys = Positions::range(INT64_MAX, 20);
  EXPECT_NE(problem_of(square.seen(), decoder, options), "nothing");
}

}  // namespace
}  // namespace posenc
