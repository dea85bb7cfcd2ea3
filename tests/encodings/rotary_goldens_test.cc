// SPDX-License-Identifier: Apache-2.0
// Every file of tests/goldens that holds rotations of a preset, against the formula and the library.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>

#include "tests/golden_files.h"
#include "tests/reference/rotation.h"

namespace posenc {
namespace {

// One case: q [1, heads, L, d] before and after, the original's own ladder, cosines and sines, and q rotated by the
// script with correctly rounded cosines and sines: of the recipe's angles, and of the real ones.
struct RotationCase {
  const test::GoldenFile& file;
  std::string name;
  const test::GoldenArray &in = tensor("in"), &out = tensor("out"), &ladder = tensor("ladder"),
                          &cosine = tensor("cosine"), &sine = tensor("sine"), &recipe = tensor("recipe"),
                          &exact = tensor("exact"), &positions = tensor("positions");

  const test::GoldenArray& tensor(const char* holds) const { return file[name + "/" + holds]; }
  std::int64_t rotated() const { return 2 * ladder.shape.at(0); }
  const Preset& preset() const { return posenc::preset(file.metadata("preset")); }
  std::size_t width() const { return static_cast<std::size_t>(in.shape.at(3)); }
  bool adjacent() const { return std::get<Rotary>(preset().convention).pairing == Pairing::adjacent; }
  // Whether the original rounds its products otherwise than the contract: it says so.
  bool contracted() const {
    return (" " + file.metadata("contracted") + " ").find(" " + name + " ") != std::string::npos;
  }
};

template <class Check>
void for_each_rotation(const Check& check) {
  for (const std::string& name : test::golden_names("rotations")) {
    const test::GoldenFile file(name);
    for (const std::string& of : file.cases()) {
      SCOPED_TRACE(name + " " + of);
      check(RotationCase{file, of});
    }
  }
}

std::vector<float> wide(const test::GoldenArray& array) {
  if (array.dtype == DType::f32) return {array.values<float>().begin(), array.values<float>().end()};
  const auto narrow = array.values<bfloat16>();
  return {narrow.begin(), narrow.end()};
}

// The library's result, widened.
template <class T>
std::vector<float> rotated_by_library(const RotationCase& of, const Convention& convention, const Recipe& recipe) {
  std::vector<T> out(of.in.values<T>().size());
  ConstView in = of.in.view();
  View to = view(out.data(), {1, of.in.shape[1], of.in.shape[2], of.in.shape[3]});
  RotaryRows(convention, of.rotated(), recipe).rotate(Positions::list(of.positions.view()), in, to);
  return {out.begin(), out.end()};
}
std::vector<float> rotated_by_library(const RotationCase& of, const Convention& convention, const Recipe& recipe) {
  return of.in.dtype == DType::f32 ? rotated_by_library<float>(of, convention, recipe)
                                   : rotated_by_library<bfloat16>(of, convention, recipe);
}

// |x| + |y| of the pair of every entry; 0 where none is rotated.
std::vector<float> sizes(const RotationCase& of) {
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

// Where products are fused, each side is two or three roundings from the real number, each of at most 2^-24 (|x| + |y|)
// together: 4 for both. Elsewhere the bits are the same.
TEST(RotaryGoldens, AreTheFormulaGivenTheirOwnAngles) {
  for_each_rotation([](const RotationCase& golden) {
    const std::vector<float> in = wide(golden.in), out = wide(golden.out), c = wide(golden.cosine),
                             s = wide(golden.sine);
    const std::vector<float> size = sizes(golden);
    const std::size_t n = static_cast<std::size_t>(golden.rotated()) / 2, length = c.size() / n;
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
      for (std::size_t i = 0; i < expected.size(); ++i) {
        const float bound = golden.contracted() ? 4 * 0x1p-24f * size[r * golden.width() + i] : 0;
        EXPECT_LE(std::abs(expected[i] - theirs[i]), bound) << "row " << r << ", column " << i;
      }
    }
  });
}

TEST(RotaryGoldens, AreExactWhereTheScriptIs) {
  for_each_rotation([](const RotationCase& golden) {
    EXPECT_EQ(rotated_by_library(golden, golden.preset().convention, exact()), wide(golden.exact));
  });
}

TEST(RotaryGoldens, FollowTheRecipeWhereTheScriptDoes) {
  for_each_rotation([](const RotationCase& golden) {
    EXPECT_EQ(rotated_by_library(golden, golden.preset().convention, golden.preset().original), wide(golden.recipe));
  });
}

TEST(RotaryGoldens, HaveTheLadderOfTheirRecipe) {
  for_each_rotation([](const RotationCase& golden) {
    const Sinusoid row = {std::get<Rotary>(golden.preset().convention).ladders.front(), Layout::cosine_first,
                          OddWidth::refused};
    const std::vector<double> ours = SinusoidRows(row, golden.rotated(), golden.preset().original).frequencies();
    const std::vector<float> theirs = wide(golden.ladder);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t k = 0; k < ours.size(); ++k) EXPECT_EQ(static_cast<float>(ours[k]), theirs[k]) << k;
  });
}

// Cosine and sine of the same f32 angle differ by at most one last place, 2^-24, so the two products together by
// 2^-24 (|x| + |y|), and the roundings of both sides by as much again each.
TEST(RotaryGoldens, AreThoseOfTheirRecipeGivenTheirLadder) {
  for_each_rotation([](const RotationCase& golden) {
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
  });
}

// Their angles carry a rounding of the frequency, of the power before it, and of the product: an error of at most
// 2^-22 p w, which turns a pair by as much.
TEST(RotaryGoldens, AreAsFarFromExactAsTheirAnglesAre) {
  for_each_rotation([](const RotationCase& golden) {
    const std::vector<float> theirs = wide(golden.out), size = sizes(golden);
    const std::vector<float> ours = rotated_by_library(golden, golden.preset().convention, exact());
    const std::span<const std::int64_t> positions = golden.positions.values<std::int64_t>();
    const float storage = golden.in.dtype == DType::f32 ? 0 : 0x1p-8f;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const auto p = static_cast<float>(positions[i / golden.width() % positions.size()]);
      ASSERT_LE(std::abs(ours[i] - theirs[i]), (p * 0x1p-22f + 4 * 0x1p-24f) * size[i] + storage * std::abs(ours[i]))
          << "position " << p;
    }
  });
}

}  // namespace
}  // namespace posenc
