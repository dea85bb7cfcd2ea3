// SPDX-License-Identifier: Apache-2.0
// Every golden file of timesteps.json (docs/goldens.md) against the library: shifts, scales, flips, odd widths.
#include <gtest/gtest.h>
#include <posenc/timestep.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <set>

#include "tests/golden_files.h"

namespace posenc {
namespace {

using nlohmann::json;

// The committed files of one case, as docs/goldens.md counts them: entries of diffusers' ladder that are not the
// recipe's, and entries of its table that are not the recipe's in the columns of equal frequencies.
struct Case {
  std::string_view name;
  int ladder_differing, ladder_entries, table_differing, table_entries;
};

constexpr Case cases[] = {
    {"stable-diffusion", 3, 160, 64, 2198}, {"narrow", 0, 1, 2, 28},        {"narrow-odd", 0, 1, 2, 42},
    {"class-labels", 1, 128, 73, 1778},     {"auraflow", 2, 128, 64, 1764}, {"half-shift", 0, 32, 37, 910},
    {"all-fields", 0, 25, 17, 714},
};

const json& index() {
  static const json value = test::golden_index("encodings", "timesteps.json");
  return value;
}

// The files of one case, and what our functions give for them.
class Goldens {
 public:
  explicit Goldens(std::string_view name) : name_(name), dim_(file("exact", "table").at("dim").get<std::int64_t>()) {
    const json& fields = file("exact", "table").at("timestep");
    const bool sine_first = fields.at("layout").get<std::string>() == "sine_first";
    convention_ = {fields.at("max_period").get<double>(), fields.at("shift").get<double>(),
                   fields.at("scale").get<double>(), sine_first ? Layout::sine_first : Layout::cosine_first};
  }

  std::vector<float> stored(std::string_view by, std::string_view holds) const {
    const test::GoldenArray array = test::read_golden("encodings", file(by, holds));
    const std::span<const float> values = array.values<float>();
    return {values.begin(), values.end()};
  }
  std::vector<float> table(const Recipe& recipe) const {
    const auto steps = file("exact", "table").at("steps").get<std::vector<double>>();
    std::vector<float> out(steps.size() * static_cast<std::size_t>(dim_));
    timestep(convention_, Positions::list(view(steps.data(), {std::ssize(steps)})),
             view(out.data(), {std::ssize(steps), dim_}), recipe);
    return out;
  }
  std::vector<float> ladder(const Recipe& recipe) const {
    Timestep unscaled = convention_;
    unscaled.scale = 1;
    std::vector<float> w;
    for (const double each : SinusoidRows(unscaled, dim_, recipe).frequencies()) w.push_back(static_cast<float>(each));
    return w;
  }
  std::size_t width() const { return static_cast<std::size_t>(dim_); }

 private:
  const json& file(std::string_view by, std::string_view holds) const {
    for (const json& entry : index().at("files")) {
      if (entry.at("set").get<std::string>() == name_ && entry.at("by").get<std::string>() == by &&
          entry.at("holds").get<std::string>() == holds) {
        return entry;
      }
    }
    throw std::runtime_error("no file of " + name_);
  }

  std::string name_;
  std::int64_t dim_;
  Timestep convention_;
};

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

// Patterns in the order of the numbers; +0 and -0 are one.
std::int64_t ordered(float value) {
  const auto pattern = std::bit_cast<std::int32_t>(value);
  return pattern < 0 ? std::int64_t{std::numeric_limits<std::int32_t>::min()} - pattern : pattern;
}
std::int64_t ulps(float a, float b) { return std::abs(ordered(a) - ordered(b)); }

class TimestepGoldens : public testing::TestWithParam<Case> {
 protected:
  const Goldens goldens{GetParam().name};
  const Recipe diffusers = recipe("f32-exp-quotient");
};

TEST_P(TimestepGoldens, OfTheRecipeAreEqualToTheBit) {
  EXPECT_TRUE(same_bits(goldens.ladder(diffusers), goldens.stored("recipe", "ladder")));
  EXPECT_TRUE(same_bits(goldens.table(diffusers), goldens.stored("recipe", "table")));
}

TEST_P(TimestepGoldens, OfTheRealNumbersAreEqualToTheBit) {
  EXPECT_TRUE(same_bits(goldens.table(exact()), goldens.stored("exact", "table")));
}

TEST_P(TimestepGoldens, OfDiffusersAreWithinOneLastPlaceAndSoManyEntriesDiffer) {
  const std::vector<float> ours = goldens.ladder(diffusers), theirs = goldens.stored("diffusers", "ladder");
  ASSERT_EQ(ours.size(), theirs.size());
  int ladder_differing = 0;
  for (std::size_t k = 0; k < ours.size(); ++k) {
    EXPECT_LE(ulps(ours[k], theirs[k]), 1);
    ladder_differing += ours[k] != theirs[k];
  }
  EXPECT_EQ(std::ssize(ours), GetParam().ladder_entries);
  EXPECT_EQ(ladder_differing, GetParam().ladder_differing);

  const std::vector<float> table = goldens.table(diffusers), stored = goldens.stored("diffusers", "table");
  ASSERT_EQ(table.size(), stored.size());
  int entries = 0, differing = 0;
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::size_t column = i % goldens.width(), k = column % ours.size();
    if (column < 2 * ours.size() && ours[k] != theirs[k]) continue;
    EXPECT_LE(ulps(table[i], stored[i]), 1);
    ++entries;
    differing += ulps(table[i], stored[i]) != 0;
  }
  EXPECT_EQ(entries, GetParam().table_entries);
  EXPECT_EQ(differing, GetParam().table_differing);
}

INSTANTIATE_TEST_SUITE_P(, TimestepGoldens, testing::ValuesIn(cases), [](const auto& test) {
  std::string name(test.param.name);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(TimestepFiles, AreAllChecked) {
  std::set<std::string> sets;
  for (const json& entry : index().at("files")) sets.insert(entry.at("set").get<std::string>());
  EXPECT_EQ(sets.size(), std::size(cases));
}

}  // namespace
}  // namespace posenc
