// SPDX-License-Identifier: Apache-2.0
// Rotations by the originals' own code (tools/goldens/rotary.py, docs/goldens.md) against the formula and the library.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/golden_files.h"
#include "tests/reference/rotation.h"

namespace posenc {
namespace {

using nlohmann::json;

const json& index() {
  static const json value = json::parse(std::ifstream(test::golden_path("encodings", "rotary.json")));
  return value;
}

// One case: q [1, heads, L, d] before and after, the original's own ladder, cosines and sines, and q rotated by the
// script with correctly rounded cosines and sines: of the recipe's angles, and of the real ones.
struct Case {
  json about;
  test::GoldenArray in, out, ladder, cosine, sine, recipe, exact;

  explicit Case(const std::string& name) {
    for (const json& entry : index().at("files")) {
      if (entry.at("case") != name) continue;
      about = entry;
      for (const auto& [holds, array] : {std::pair{"in", &in},
                                         {"out", &out},
                                         {"ladder", &ladder},
                                         {"cosine", &cosine},
                                         {"sine", &sine},
                                         {"recipe", &recipe},
                                         {"exact", &exact}}) {
        if (entry.at("holds") == holds) *array = test::read_golden("encodings", entry);
      }
    }
  }
  std::int64_t rotated() const { return about.at("rotated").get<std::int64_t>(); }
  std::vector<std::int64_t> positions() const { return about.at("positions").get<std::vector<std::int64_t>>(); }
  const Preset& preset() const { return posenc::preset(about.at("preset").get<std::string>()); }
  std::size_t width() const { return static_cast<std::size_t>(in.shape.at(3)); }
  bool adjacent() const { return std::get<Rotary>(preset().convention).pairing == Pairing::adjacent; }
};

std::vector<float> wide(const test::GoldenArray& array) {
  if (array.dtype == DType::f32) return {array.values<float>().begin(), array.values<float>().end()};
  const auto narrow = array.values<bfloat16>();
  return {narrow.begin(), narrow.end()};
}

// The library's result, widened.
template <class T>
std::vector<float> rotated_by_library(const Case& of, const Convention& convention, const Recipe& recipe) {
  std::vector<T> out(of.in.values<T>().size());
  const std::vector<std::int64_t> positions = of.positions();
  ConstView in = of.in.view();
  View to = view(out.data(), {1, of.in.shape[1], of.in.shape[2], of.in.shape[3]});
  RotaryRows(convention, of.rotated(), recipe)
      .rotate(Positions::list(view(positions.data(), {static_cast<std::int64_t>(positions.size())})), in, to);
  return {out.begin(), out.end()};
}
std::vector<float> rotated_by_library(const Case& of, const Convention& convention, const Recipe& recipe) {
  return of.in.dtype == DType::f32 ? rotated_by_library<float>(of, convention, recipe)
                                   : rotated_by_library<bfloat16>(of, convention, recipe);
}

// |x| + |y| of the pair of every entry; 0 where none is rotated.
std::vector<float> sizes(const Case& of) {
  const std::vector<float> in = wide(of.in);
  std::vector<float> all(in.size());
  const std::size_t n = static_cast<std::size_t>(of.rotated()) / 2;
  for (std::size_t row = 0; row < in.size(); row += of.width()) {
    for (std::size_t k = 0; k < n; ++k) {
      const std::size_t first = row + (of.adjacent() ? 2 * k : k), second = row + (of.adjacent() ? 2 * k + 1 : k + n);
      all[first] = all[second] = std::abs(in[first]) + std::abs(in[second]);
    }
  }
  return all;
}

class RotaryGoldens : public ::testing::TestWithParam<const char*> {};

TEST_P(RotaryGoldens, AreTheFormulaGivenTheirOwnAngles) {
  const Case golden(GetParam());
  const std::vector<float> in = wide(golden.in), out = wide(golden.out), c = wide(golden.cosine), s = wide(golden.sine);
  const std::size_t n = static_cast<std::size_t>(golden.rotated()) / 2, length = c.size() / n;
  int differing = 0;
  for (std::size_t r = 0; r * golden.width() < in.size(); ++r) {
    const auto part = [&](const std::vector<float>& values, std::size_t row, std::size_t width) {
      const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * width);
      return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(width));
    };
    const std::vector<float> expected =
        reference::rotated(part(in, r, golden.width()), part(c, r % length, n), part(s, r % length, n),
                           golden.adjacent() ? reference::Pairing::adjacent : reference::Pairing::split_half,
                           golden.in.dtype == DType::f32 ? reference::f32 : reference::bf16);
    const std::vector<float> theirs = part(out, r, golden.width());
    for (std::size_t i = 0; i < expected.size(); ++i) differing += expected[i] != theirs[i];
  }
  EXPECT_EQ(differing, golden.about.at("differing").get<int>());
}

TEST_P(RotaryGoldens, AreExactWhereTheScriptIs) {
  const Case golden(GetParam());
  EXPECT_EQ(rotated_by_library(golden, golden.preset().convention, exact()), wide(golden.exact));
}

TEST_P(RotaryGoldens, FollowTheRecipeWhereTheScriptDoes) {
  const Case golden(GetParam());
  EXPECT_EQ(rotated_by_library(golden, golden.preset().convention, golden.preset().original), wide(golden.recipe));
}

TEST_P(RotaryGoldens, HaveTheLadderOfTheirRecipe) {
  const Case golden(GetParam());
  const Sinusoid row = {std::get<Rotary>(golden.preset().convention).ladder, Layout::cosine_first, OddWidth::refused};
  const std::vector<double> ours = SinusoidRows(row, golden.rotated(), golden.preset().original).frequencies();
  const std::vector<float> theirs = wide(golden.ladder);
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t k = 0; k < ours.size(); ++k) EXPECT_EQ(static_cast<float>(ours[k]), theirs[k]) << k;
}

// Cosine and sine of the same f32 angle differ by at most one last place, 2^-24, so the two products together by
// 2^-24 (|x| + |y|), and the roundings of both sides by as much again each.
TEST_P(RotaryGoldens, AreThoseOfTheirRecipeGivenTheirLadder) {
  const Case golden(GetParam());
  const std::vector<float> ladder = wide(golden.ladder), theirs = wide(golden.out), size = sizes(golden);
  const Convention listed =
      Rotary{Listed{{ladder.begin(), ladder.end()}}, std::get<Rotary>(golden.preset().convention).pairing};
  const std::vector<float> ours = rotated_by_library(golden, listed, golden.preset().original);
  const float storage = golden.in.dtype == DType::f32 ? 0 : 0x1p-8f;
  std::size_t equal = 0;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    ASSERT_LE(std::abs(ours[i] - theirs[i]), 3 * 0x1p-24f * size[i] + storage * std::abs(ours[i])) << i;
    equal += ours[i] == theirs[i];
  }
  EXPECT_GT(equal, ours.size() * 9 / 10);
}

// Their angles carry a rounding of the frequency, of the power before it, and of the product: an error of at most
// 2^-22 p w, which turns a pair by as much.
TEST_P(RotaryGoldens, AreAsFarFromExactAsTheirAnglesAre) {
  const Case golden(GetParam());
  const std::vector<float> theirs = wide(golden.out), size = sizes(golden);
  const std::vector<float> ours = rotated_by_library(golden, golden.preset().convention, exact());
  const std::vector<std::int64_t> positions = golden.positions();
  const float storage = golden.in.dtype == DType::f32 ? 0 : 0x1p-8f;
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto p = static_cast<float>(positions[i / golden.width() % positions.size()]);
    ASSERT_LE(std::abs(ours[i] - theirs[i]), (p * 0x1p-22f + 4 * 0x1p-24f) * size[i] + storage * std::abs(ours[i]))
        << "position " << p;
  }
}

INSTANTIATE_TEST_SUITE_P(Originals, RotaryGoldens,
                         ::testing::Values("llama-8", "llama-64", "llama-128", "gptj-16-of-24", "meta-8", "meta-64",
                                           "meta-64-bf16"));

TEST(RotaryGoldenIndex, HoldsTheCasesThatAreTested) {
  std::set<std::string> names;
  for (const json& entry : index().at("files")) names.insert(entry.at("case"));
  EXPECT_EQ(names.size(), 7u);
  EXPECT_EQ(index().at("files").size(), 49u);
}

}  // namespace
}  // namespace posenc
