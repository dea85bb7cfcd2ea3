// SPDX-License-Identifier: Apache-2.0
// Every file of tests/goldens that holds rotations of a preset, against the formula and the library.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>

#include <algorithm>

#include "tests/encodings/plain_rotary.h"
#include "tests/golden_files.h"
#include "tests/reference/rotation.h"

namespace posenc {
namespace {

// One case: q [1, heads, L, d] before and after, the original's own ladder, cosines and sines, and q rotated by the
// script with correctly rounded cosines and sines: of the recipe's angles, where it has one, and of the real ones.
struct RotationCase {
  const test::GoldenFile& file;
  std::string name;
  const test::GoldenArray &in = tensor("in"), &out = tensor("out"), &ladder = tensor("ladder"),
                          &cosine = tensor("cosine"), &sine = tensor("sine"), &exact = tensor("exact"),
                          &positions = tensor("positions");

  const test::GoldenArray& tensor(const char* holds) const { return file[name + "/" + holds]; }
  const Preset& preset() const { return posenc::preset(file.metadata("preset")); }
  const Rotary& rotary() const { return std::get<Rotary>(preset().convention); }
  std::size_t width() const { return static_cast<std::size_t>(in.shape.at(3)); }
  std::size_t pairs() const { return static_cast<std::size_t>(ladder.shape.at(0)); }
  std::int64_t rotated() const { return 2 * ladder.shape.at(0); }
  // What RotaryRows is made for: the columns that turn, or the head of which the convention states a part.
  std::int64_t made_for() const {
    return std::holds_alternative<AllColumns>(rotary().part) ? rotated() : in.shape.at(3);
  }
  Context context() const { return {.length = std::stoll("0" + file.metadata("length"))}; }
  bool adjacent() const { return rotary().pairing == Pairing::adjacent; }
  long double magnitude() const { return test::plain_magnitude(rotary()); }
  // The columns of pair k that are read, and those that are written.
  using Columns = std::array<std::size_t, 2>;
  Columns read(std::size_t k) const { return columns(k, adjacent()); }
  Columns written(std::size_t k) const { return columns(k, adjacent() && rotary().written == Written::in_place); }
  const Recipe& rounds() const { return preset().original; }
  // Whether the original rounds its products otherwise than the contract: it says so.
  bool contracted() const {
    return (" " + file.metadata("contracted") + " ").find(" " + name + " ") != std::string::npos;
  }

 private:
  Columns columns(std::size_t k, bool are_adjacent) const {
    const std::size_t first = rotary().where == HeadEnd::last ? width() - 2 * pairs() : 0;
    if (are_adjacent) return {first + 2 * k, first + 2 * k + 1};
    return {first + k, first + k + pairs()};
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

// Its frequencies, which are f32 or f64.
std::vector<double> frequencies(const RotationCase& of) {
  if (of.ladder.dtype == DType::f64) return of.ladder.reals();
  return {of.ladder.values<float>().begin(), of.ladder.values<float>().end()};
}

// The library's result, widened.
template <class T>
std::vector<float> rotated_by_library(const RotationCase& of, const Convention& convention, const Recipe& recipe) {
  std::vector<T> out(of.in.values<T>().size());
  ConstView in = of.in.view();
  View to = view(out.data(), {1, of.in.shape[1], of.in.shape[2], of.in.shape[3]});
  const RotaryRows rows(convention, of.made_for(), {.recipe = recipe, .context = of.context()});
  EXPECT_EQ(rows.width(), of.rotated());
  rows.rotate(Positions::list(of.positions.view()), Rotated{in, to, TokenAxis::before_columns});
  return {out.begin(), out.end()};
}
std::vector<float> rotated_by_library(const RotationCase& of, const Convention& convention, const Recipe& recipe) {
  return of.in.dtype == DType::f32 ? rotated_by_library<float>(of, convention, recipe)
                                   : rotated_by_library<bfloat16>(of, convention, recipe);
}

// |x| + |y| of the pair that an entry is made of; 0 where none is.
std::vector<float> sizes(const RotationCase& of) {
  const std::vector<float> in = wide(of.in);
  std::vector<float> all(in.size());
  for (std::size_t row = 0; row < in.size(); row += of.width()) {
    for (std::size_t k = 0; k < of.pairs(); ++k) {
      const auto [first, second] = of.read(k);
      for (const std::size_t column : of.written(k)) {
        all[row + column] = std::abs(in[row + first]) + std::abs(in[row + second]);
      }
    }
  }
  return all;
}

// A head turned by plain loops: its pairs are gathered, turned and put where they are written.
std::vector<float> turned(const RotationCase& of, std::vector<float> head, const std::vector<float>& cosine,
                          std::vector<float> sine) {
  if (of.rotary().turn == TurnTo::backward) {
    for (float& s : sine) s = -s;
  }
  std::vector<float> pairs;
  for (std::size_t k = 0; k < of.pairs(); ++k) {
    for (const std::size_t column : of.read(k)) pairs.push_back(head[column]);
  }
  pairs = reference::rotated(pairs, cosine, sine, reference::Pairing::adjacent,
                             of.in.dtype == DType::f32 ? reference::f32 : reference::bf16);
  for (std::size_t k = 0; k < of.pairs(); ++k) {
    const auto [first, second] = of.written(k);
    head[first] = pairs[2 * k], head[second] = pairs[2 * k + 1];
  }
  return head;
}

// Where products are fused, each side is two or three roundings from the real number, each of at most 2^-24 (|x| + |y|)
// together: 4 for both. Elsewhere the bits are the same.
TEST(RotaryGoldens, AreTheFormulaGivenTheirOwnAngles) {
  for_each_rotation([](const RotationCase& golden) {
    const std::vector<float> in = wide(golden.in), out = wide(golden.out), c = wide(golden.cosine),
                             s = wide(golden.sine);
    const std::vector<float> size = sizes(golden);
    const std::size_t n = golden.pairs(), length = c.size() / n;
    for (std::size_t r = 0; r * golden.width() < in.size(); ++r) {
      const auto part = [&](const std::vector<float>& values, std::size_t row, std::size_t width) {
        const auto begin = values.begin() + static_cast<std::ptrdiff_t>(row * width);
        return std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(width));
      };
      const std::vector<float> expected =
          turned(golden, part(in, r, golden.width()), part(c, r % length, n), part(s, r % length, n));
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
    ASSERT_FALSE(golden.rounds().exact());
    EXPECT_EQ(rotated_by_library(golden, golden.preset().convention, golden.rounds()), wide(golden.tensor("recipe")));
  });
}

std::vector<double> library_ladder(const RotationCase& of) {
  const Sinusoid row = {of.rotary().ladders.front(), Layout::cosine_first, OddWidth::refused};
  return Rows(row, of.rotated(), {.recipe = of.rounds(), .context = of.context()}).frequencies();
}

// PyTorch's pow is not correctly rounded: of bases but 10000, and of falling powers, a few are a last place off. So is
// MLX's exp, a polynomial.
bool has_rounded_powers(const RotationCase& of) {
  constexpr std::string_view names[] = {"gemma-3-128", "gpt-oss-64", "keras-128", "dynamic-128",      "longrope-96",
                                        "qwen3-128",   "mlx-48",     "mlx-128",   "keras-dynamic-128"};
  return std::ranges::find(names, of.name) != std::end(names);
}

TEST(RotaryGoldens, HaveTheLadderOfTheirRecipe) {
  for_each_rotation([](const RotationCase& golden) {
    const std::vector<double> ours = library_ladder(golden), theirs = frequencies(golden);
    ASSERT_EQ(ours.size(), theirs.size());
    for (std::size_t k = 0; k < ours.size(); ++k) {
      if (has_rounded_powers(golden)) {
        const auto next = [&](float to) { return std::nextafter(static_cast<float>(ours[k]), to); };
        EXPECT_LE(next(-HUGE_VALF), theirs[k]) << k;
        EXPECT_LE(theirs[k], next(HUGE_VALF)) << k;
      } else {
        EXPECT_EQ(golden.ladder.dtype == DType::f64 ? ours[k] : static_cast<float>(ours[k]), theirs[k]) << k;
      }
    }
  });
}

Listed own_ladder(const RotationCase& of) { return {frequencies(of)}; }

// Both are within a last place of the same numbers, 2^-24; a magnitude rounds both once more.
TEST(RotaryGoldens, HaveTheCosinesOfTheirRecipeGivenTheirLadderTimesTheMagnitude) {
  for_each_rotation([](const RotationCase& golden) {
    const Rows rows(Sinusoid{own_ladder(golden), Layout::cosine_first, OddWidth::refused}, golden.rotated(),
                    {.recipe = golden.rounds()});
    const std::vector<float> cosine = wide(golden.cosine), sine = wide(golden.sine);
    std::vector<float> ours(2 * cosine.size());
    rows.write(Positions::list(golden.positions.view()),
               view(ours.data(), {golden.cosine.shape.at(0), golden.rotated()}));
    const auto m = static_cast<float>(golden.magnitude());
    const float bound = m == 1 ? 0x1p-24f : 3 * 0x1p-24f * std::max(m, 1.0f);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const std::size_t row = i / (2 * golden.pairs()), k = i % golden.pairs();
      const bool is_cosine = i % (2 * golden.pairs()) < golden.pairs();
      const float theirs = (is_cosine ? cosine : sine)[row * golden.pairs() + k];
      ASSERT_LE(std::abs(ours[i] * m - theirs), bound) << i;
      equal += ours[i] * m == theirs;
    }
    EXPECT_GT(equal, ours.size() * 9 / 10);
  });
}

// Cosine and sine of the same f32 angle differ by at most one last place, 2^-24, so the two products together by
// 2^-24 (|x| + |y|), and the roundings of both sides by as much again each. With a magnitude m the cosines differ by 3
// last places of max(m, 1), as above.
TEST(RotaryGoldens, AreThoseOfTheirRecipeGivenTheirLadder) {
  for_each_rotation([](const RotationCase& golden) {
    Rotary listed = golden.rotary();
    listed.ladders = {own_ladder(golden)};
    const std::vector<float> theirs = wide(golden.out), size = sizes(golden);
    const std::vector<float> ours = rotated_by_library(golden, listed, golden.rounds());
    const float storage = golden.in.dtype == DType::f32 ? 0 : 0x1p-8f, m = static_cast<float>(golden.magnitude());
    const float places = m == 1 ? 3 : 5 * std::max(m, 1.0f);
    std::size_t equal = 0;
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ASSERT_LE(std::abs(ours[i] - theirs[i]), places * 0x1p-24f * size[i] + storage * std::abs(ours[i])) << i;
      equal += ours[i] == theirs[i];
    }
    EXPECT_GT(equal, ours.size() * 9 / 10);
  });
}

// Their angles carry a rounding of the frequency, of the power before it, and of the product: an error of at most
// 2^-22 p w, which turns a pair by as much. A magnitude is rounded, and each product with it.
TEST(RotaryGoldens, AreAsFarFromExactAsTheirAnglesAre) {
  for_each_rotation([](const RotationCase& golden) {
    const std::vector<float> theirs = wide(golden.out), size = sizes(golden);
    const std::vector<float> ours = rotated_by_library(golden, golden.preset().convention, exact());
    const std::span<const std::int64_t> positions = golden.positions.values<std::int64_t>();
    const float storage = golden.in.dtype == DType::f32 ? 0 : 0x1p-8f, m = static_cast<float>(golden.magnitude());
    for (std::size_t i = 0; i < ours.size(); ++i) {
      const auto p = static_cast<float>(positions[i / golden.width() % positions.size()]);
      const float turned = m * (p * 0x1p-22f + (m == 1 ? 4 : 6) * 0x1p-24f);
      ASSERT_LE(std::abs(ours[i] - theirs[i]), turned * size[i] + storage * std::abs(ours[i])) << "position " << p;
    }
  });
}

}  // namespace
}  // namespace posenc
