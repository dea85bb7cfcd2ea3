// SPDX-License-Identifier: Apache-2.0
// Every golden file of bias.json (docs/goldens.md) against the library: ALiBi's authors, BLOOM and MPT.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/preset.h>

#include <nlohmann/json.hpp>

#include <bit>
#include <cmath>
#include <set>

#include "tests/golden_files.h"

namespace posenc {
namespace {

using nlohmann::json;

const json& index() {
  static const json value = test::golden_index("encodings", "bias.json");
  return value;
}

std::vector<float> stored(std::int64_t heads, std::string_view by, std::string_view holds) {
  for (const json& entry : index().at("files")) {
    if (entry.at("heads").get<std::int64_t>() == heads && entry.at("by").get<std::string>() == by &&
        entry.at("holds").get<std::string>() == holds) {
      const test::GoldenArray array = test::read_golden("encodings", entry);
      const std::span<const float> values = array.values<float>();
      return {values.begin(), values.end()};
    }
  }
  throw std::runtime_error("no such file");
}

constexpr std::int64_t queries = 5, keys = 9;

std::vector<float> table(std::int64_t heads) {
  std::vector<float> out(static_cast<std::size_t>(heads * queries * keys));
  bias(preset("alibi").convention, Positions::range(0, queries), Positions::range(0, keys),
       view(out.data(), {heads, queries, keys}));
  return out;
}

// All of them are negative or 0.
int ulps(float a, float b) { return std::abs(std::bit_cast<int>(std::abs(a)) - std::bit_cast<int>(std::abs(b))); }

struct Distance {
  int differing = 0, most = 0;
};

Distance distance(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  Distance found;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    found.differing += a[i] != b[i];
    found.most = std::max(found.most, ulps(a[i], b[i]));
  }
  return found;
}

// How many slopes, and entries of the authors' table, are not the real number rounded: docs/goldens.md.
struct Case {
  std::int64_t heads;
  int bloom, mpt, press_entries;
};

class BiasGoldens : public testing::TestWithParam<Case> {
 protected:
  const std::int64_t heads = GetParam().heads;
  const std::vector<float> slopes = bias_slopes(preset("alibi").convention, heads);
};

TEST_P(BiasGoldens, OfTheRealNumbersAreEqualToTheBit) {
  EXPECT_EQ(slopes, stored(heads, "exact", "slopes"));
  EXPECT_EQ(table(heads), stored(heads, "exact", "table"));
}

TEST_P(BiasGoldens, OfTheAuthorsHaveOurSlopesAndEntriesWithinOneLastPlace) {
  EXPECT_EQ(slopes, stored(heads, "press", "slopes"));
  const Distance found = distance(table(heads), stored(heads, "press", "table"));
  EXPECT_LE(found.most, 1);  // rounded twice
  EXPECT_EQ(found.differing, GetParam().press_entries);
}

TEST_P(BiasGoldens, OfBloomAndMptHaveOurSlopesWithinTheirPowersErrors) {
  // BLOOM takes powers of a rounded slope: its error grows with the head. MPT takes powers of 2 in f32.
  const Distance bloom = distance(slopes, stored(heads, "bloom", "slopes"));
  const Distance mpt = distance(slopes, stored(heads, "mpt", "slopes"));
  EXPECT_LE(bloom.most, 11);
  EXPECT_LE(mpt.most, 1);
  EXPECT_EQ(bloom.differing, GetParam().bloom);
  EXPECT_EQ(mpt.differing, GetParam().mpt);
}

TEST_P(BiasGoldens, OfBloomAndMptDifferFromOursByANumberThatAQueryHasInCommonForAllKeysItSees) {
  const std::vector<float> ours = table(heads);
  for (const std::string_view by : {"bloom", "mpt"}) {
    const std::vector<float> theirs = stored(heads, by, "table");
    const std::vector<float> their_slopes = stored(heads, by, "slopes");
    for (std::int64_t h = 0; h < heads; ++h) {
      // A causal query i sees keys 0 to i. Slopes differ by 11 last places, 8 steps of them are rounded a few times.
      const double bound = 8 * 16 * 0x1p-23 * static_cast<double>(slopes[static_cast<std::size_t>(h)]);
      for (std::int64_t i = 0; i < queries; ++i) {
        const auto at = [&](std::int64_t j) {
          return static_cast<double>(theirs[static_cast<std::size_t>(h * keys + j)]);
        };
        for (std::int64_t j = 0; j <= i; ++j) {
          const auto mine = static_cast<double>(ours[static_cast<std::size_t>((h * queries + i) * keys + j)]);
          EXPECT_NEAR(mine, at(j) - at(i), bound) << by << " head " << h;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, BiasGoldens,
                         testing::Values(Case{1, 0, 0, 0}, Case{2, 0, 0, 0}, Case{3, 0, 0, 0}, Case{8, 0, 0, 0},
                                         Case{12, 2, 0, 0}, Case{71, 59, 3, 110}, Case{112, 99, 18, 332}),
                         [](const auto& test) { return std::to_string(test.param.heads) + "Heads"; });

TEST(BiasFiles, AreAllChecked) {
  std::set<std::int64_t> heads;
  for (const json& entry : index().at("files")) heads.insert(entry.at("heads").get<std::int64_t>());
  EXPECT_EQ(heads.size(), 7u);
  EXPECT_EQ(index().at("files").size(), 7u * 4 * 2);
}

}  // namespace
}  // namespace posenc
