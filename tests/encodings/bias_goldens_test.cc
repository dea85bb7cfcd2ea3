// SPDX-License-Identifier: Apache-2.0
// Files of tests/goldens that hold biases against the library: ALiBi's authors, BLOOM and MPT in alibi.safetensors, and
// the other presets' own files: a new one needs no line here.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/numbering.h>
#include <posenc/preset.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "tests/encodings/last_places.h"
#include "tests/golden_files.h"

namespace posenc {
namespace {

const test::GoldenFile& alibi_file() {
  static const test::GoldenFile value("alibi");
  return value;
}

std::vector<float> stored(std::int64_t heads, const std::string& by, const std::string& holds) {
  const auto values = alibi_file()["h" + std::to_string(heads) + "/" + by + "/" + holds].values<float>();
  return {values.begin(), values.end()};
}

constexpr std::int64_t query_count = 5, key_count = 9;

std::vector<float> alibi_table(std::int64_t heads) {
  std::vector<float> out(static_cast<std::size_t>(heads * query_count * key_count));
  bias(preset("alibi").convention, Positions::range(0, query_count), Positions::range(0, key_count),
       view(out.data(), {heads, query_count, key_count}));
  return out;
}

// The largest distance in last places; they have one sign.
std::int64_t most(const std::vector<float>& a, const std::vector<float>& b) {
  EXPECT_EQ(a.size(), b.size());
  test::Distance found;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) found.add(std::abs(a[i]), std::abs(b[i]));
  return found.most;
}

class BiasGoldens : public testing::TestWithParam<std::int64_t> {
 protected:
  const std::int64_t heads = GetParam();
  const std::vector<float> slopes = bias_slopes(preset("alibi").convention, heads);
};

TEST_P(BiasGoldens, OfTheRealNumbersAreEqualToTheBit) {
  EXPECT_EQ(slopes, stored(heads, "exact", "slopes"));
  EXPECT_EQ(alibi_table(heads), stored(heads, "exact", "table"));
}

TEST_P(BiasGoldens, OfTheAuthorsHaveOurSlopesAndEntriesWithinOneLastPlace) {
  EXPECT_EQ(slopes, stored(heads, "press", "slopes"));
  EXPECT_LE(most(alibi_table(heads), stored(heads, "press", "table")), 1);  // rounded twice
}

TEST_P(BiasGoldens, OfBloomAndMptHaveOurSlopesWithinTheirPowersErrors) {
  // BLOOM takes powers of a rounded slope: its error grows with the head. MPT takes powers of 2 in f32.
  EXPECT_LE(most(slopes, stored(heads, "bloom", "slopes")), 11);
  EXPECT_LE(most(slopes, stored(heads, "mpt", "slopes")), 1);
}

TEST_P(BiasGoldens, OfBloomAndMptDifferFromOursByANumberThatAQueryHasInCommonForAllKeysItSees) {
  const std::vector<float> ours = alibi_table(heads);
  for (const std::string by : {"bloom", "mpt"}) {
    const std::vector<float> theirs = stored(heads, by, "table");
    const std::vector<float> their_slopes = stored(heads, by, "slopes");
    for (std::int64_t h = 0; h < heads; ++h) {
      // A causal query i sees keys 0 to i. Slopes differ by 11 last places, 8 steps of them are rounded a few times.
      const double bound = 8 * 16 * 0x1p-23 * static_cast<double>(slopes[static_cast<std::size_t>(h)]);
      for (std::int64_t i = 0; i < query_count; ++i) {
        const auto at = [&](std::int64_t j) {
          return static_cast<double>(theirs[static_cast<std::size_t>(h * key_count + j)]);
        };
        for (std::int64_t j = 0; j <= i; ++j) {
          const auto mine = static_cast<double>(ours[static_cast<std::size_t>((h * query_count + i) * key_count + j)]);
          EXPECT_NEAR(mine, at(j) - at(i), bound) << by << " head " << h;
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(, BiasGoldens, testing::Values(1, 2, 3, 8, 12, 71, 112),
                         [](const auto& test) { return std::to_string(test.param) + "Heads"; });

// ---- the other presets ----------------------------------------------------------------------------

// Keys 0 to 8, or the numbers of those that a mask says are present.
std::vector<std::int64_t> keys_of(const test::GoldenFile& file) {
  std::vector<std::int64_t> keys(key_count);
  std::iota(keys.begin(), keys.end(), 0);
  if (file.has("mask")) positions_of_mask(file["mask"].view(), {0, 0}, view(keys.data(), {key_count}));
  return keys;
}

std::int64_t stated(const test::GoldenFile& file, const std::string& field, std::int64_t otherwise) {
  const std::string text = file.metadata(field);
  return text.empty() ? otherwise : std::stoll(text);
}

void expect_biases_of(const test::GoldenFile& file, const std::string& of_heads) {
  SCOPED_TRACE(of_heads);
  const std::int64_t heads = std::stoll(of_heads.substr(1));
  std::vector<float> ours(static_cast<std::size_t>(heads * query_count * key_count));
  const std::vector<std::int64_t> keys = keys_of(file);
  const Context context = {.head = stated(file, "head", 0),
                           .present = file.has("mask") ? file["mask"].view() : ConstView{}};
  bias(preset(file.metadata("preset")).convention, Positions::range(0, query_count),
       Positions::list(view(keys.data(), {key_count})), view(ours.data(), {heads, query_count, key_count}),
       {.context = context});
  const auto of = [&](const std::string& by) {
    const std::span<const float> values = file[of_heads + "/" + by + "/table"].values<float>();
    return std::vector<float>(values.begin(), values.end());
  };
  EXPECT_EQ(ours, of("exact"));
  // A slope within one last place, 2^-23 of it, and the rounding of the product, 2^-24: three places of at least 2^-24.
  // BLOOM's slopes are 11 places away, and Falcon's products are of bf16: `places` says so.
  EXPECT_LE(most(ours, of("original")), stated(file, "places", 3));
}

TEST(BiasGoldenFiles, OfOtherPresetsHoldTheirBiasesToTheBitAndOriginalsWithinTheirRoundings) {
  for (const std::string& name : test::golden_names("biases")) {
    if (name == "alibi") continue;
    SCOPED_TRACE(name);
    const test::GoldenFile file(name);
    for (const std::string& of_heads : file.cases()) {
      if (of_heads != "mask") expect_biases_of(file, of_heads);
    }
  }
}

TEST(BiasGoldenFile, HoldsTheHeadsThatAreTested) { EXPECT_EQ(alibi_file().cases().size(), 7u); }

}  // namespace
}  // namespace posenc
