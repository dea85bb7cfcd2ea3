// SPDX-License-Identifier: Apache-2.0
// tests/goldens/timesteps.safetensors against the library: shifts, scales, flips, odd widths.
#include <gtest/gtest.h>
#include <posenc/sinusoid.h>

#include "tests/encodings/field.h"
#include "tests/encodings/last_places.h"
#include "tests/golden_files.h"

namespace posenc {
namespace {

using test::same_bits;

const test::GoldenFile& timestep_file() {
  static const test::GoldenFile value("timesteps");
  return value;
}

// The tensors of one case, and what our functions give for them.
class Goldens {
 public:
  explicit Goldens(std::string name) : name_(std::move(name)) {
    const test::GoldenFields fields = timestep_file().fields(name_);
    dim_ = fields.integer("dim");
    convention_ = {fields.real("max_period"), fields.real("shift"), fields.real("scale"),
                   fields.text("layout") == "sine_first" ? Layout::sine_first : Layout::cosine_first};
  }

  std::vector<float> stored(const std::string& by_and_holds) const {
    const auto values = timestep_file()[name_ + "/" + by_and_holds].values<float>();
    return {values.begin(), values.end()};
  }
  std::vector<float> table(const Recipe& recipe) const {
    const test::GoldenArray& steps = timestep_file()[name_ + "/steps"];
    std::vector<float> out(static_cast<std::size_t>(steps.shape[0] * dim_));
    sinusoid(convention_, Positions::list(steps.view()), view(out.data(), {steps.shape[0], dim_}), {.recipe = recipe});
    return out;
  }
  std::vector<float> ladder(const Recipe& recipe) const {
    Timestep unscaled = convention_;
    unscaled.scale = 1;
    std::vector<float> w;
    for (const double each : Rows(unscaled, dim_, {.recipe = recipe}).frequencies())
      w.push_back(static_cast<float>(each));
    return w;
  }
  std::size_t width() const { return static_cast<std::size_t>(dim_); }

 private:
  std::string name_;
  std::int64_t dim_ = 0;
  Timestep convention_;
};

template <class Check>
void for_each_goldens(const Check& check) {
  for (const std::string& name : timestep_file().cases()) {
    SCOPED_TRACE(name);
    check(Goldens(name));
  }
}

const Recipe diffusers = recipe("f32-exp-quotient");

TEST(TimestepGoldens, OfTheRecipeAreEqualToTheBit) {
  for_each_goldens([](const Goldens& goldens) {
    EXPECT_TRUE(same_bits(goldens.ladder(diffusers), goldens.stored("recipe/ladder")));
    EXPECT_TRUE(same_bits(goldens.table(diffusers), goldens.stored("recipe/table")));
  });
}

TEST(TimestepGoldens, OfTheRealNumbersAreEqualToTheBit) {
  for_each_goldens(
      [](const Goldens& goldens) { EXPECT_TRUE(same_bits(goldens.table(exact()), goldens.stored("exact/table"))); });
}

// The tables in the columns of equal frequencies.
TEST(TimestepGoldens, OfDiffusersAreWithinOneLastPlaceOfTheRecipe) {
  test::Distance ladders, tables;
  for_each_goldens([&](const Goldens& goldens) {
    const std::vector<float> ours = goldens.ladder(diffusers), theirs = goldens.stored("diffusers/ladder");
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t k = 0; k < ours.size(); ++k) ladders.add(ours[k], theirs[k]);

    const std::vector<float> table = goldens.table(diffusers), stored = goldens.stored("diffusers/table");
    ASSERT_EQ(table.size(), stored.size());
    for (std::size_t i = 0; i < table.size(); ++i) {
      const std::size_t column = i % goldens.width(), k = column % ours.size();
      if (column >= 2 * ours.size() || ours[k] == theirs[k]) tables.add(table[i], stored[i]);
    }
  });
  for (const test::Distance& distance : {ladders, tables}) {
    EXPECT_LE(distance.most, 1);
    EXPECT_TRUE(distance.mostly_equal()) << distance.equal << " of " << distance.entries;
  }
}

TEST(TimestepGoldens, AreOfShiftsScalesFlipsAndOddWidths) { EXPECT_EQ(timestep_file().cases().size(), 7u); }

}  // namespace
}  // namespace posenc
