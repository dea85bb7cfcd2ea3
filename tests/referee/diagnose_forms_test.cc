// SPDX-License-Identifier: Apache-2.0
// A convention's numbers are right in every form that programs store and identify knows: lists of its ladder,
// tables of its cosines and sines.
#include <gtest/gtest.h>
#include <posenc/cell_places.h>
#include <posenc/referee/diagnose.h>
#include <posenc/rotary_cache.h>
#include <posenc/sinusoid.h>

#include <cmath>

#include "tests/referee/cells.h"
#include "tests/referee/draws.h"

namespace posenc {
namespace {

using test::Draws;

constexpr std::int64_t widths[] = {64, 96, 128, 48, 256, 72, 80, 32, 88, 40, 104};
constexpr std::int64_t most_axes = 3;

ConstView list_of(const std::vector<float>& list) { return view(list.data(), {std::ssize(list)}); }

// ---- lists -----------------------------------------------------------------------------------------

// The ladder of a preset, and the width that it is of; none where there is no such one, or several.
struct FormLadder {
  std::int64_t width = 0;
  std::vector<double> frequencies = {};
};
FormLadder ladder_of(const Convention& convention, std::int64_t length,
                     std::span<const std::int64_t> widths_tried = widths) {
  const Context context = {.length = length, .learned = 1};
  for (const std::int64_t width : widths_tried) {
    if (!check_use("test", ConventionUse::rotations, convention)) {
      const Convention kept = with_field(convention, "stored", "sine_cosine");
      if (axes_of(convention).size() > 1 || RotaryCache::check(kept, width, {.context = context})) continue;
      return {width, RotaryCache(kept, width, {.context = context}).frequencies()};
    }
    if (check_use("test", ConventionUse::rows, convention) || Rows::check(convention, width, {.context = context}))
      continue;
    return {width, Rows(convention, width, {.context = context}).frequencies()};
  }
  return {};
}

TEST(DiagnoseForms, ListsOfEveryLadderAreRight) {
  int lists = 0;
  for (const Preset& each : presets()) {
    if (axes_of(each.convention).empty()) continue;
    for (const std::int64_t length : {1, 1 << 20}) {
      if (length > 1 && regime(each.convention, length) != 1) continue;  // under dynamic NTK the length must be stated
      const FormLadder ladder = ladder_of(each.convention, length);
      if (ladder.frequencies.size() < 4) continue;
      const bool turns = std::ranges::all_of(ladder.frequencies, [](double w) { return w > 0; });
      std::vector<float> frequencies(ladder.frequencies.begin(), ladder.frequencies.end()), divisors, periods;
      for (const double w : ladder.frequencies) {
        divisors.push_back(static_cast<float>(1 / w)), periods.push_back(static_cast<float>(2 * std::acos(-1.0) / w));
      }
      for (const std::int64_t dim : {std::int64_t{0}, ladder.width}) {
        if (dim == 0 && (&each - presets().data()) % 4 != 0) continue;  // any usual width takes several times as long
        const auto expect_right = [&](const ConstView& list, std::string_view form) {
          const Diagnosis found = diagnose(list, each.convention, {.dim = dim});
          ASSERT_TRUE(found.right && found.found) << each.name << " " << form << "\n" << to_string(found);
          EXPECT_EQ(found.found->form, form) << each.name;
          EXPECT_EQ(found.findings.empty(), form == "frequencies") << each.name << ": a note names the form";
          ++lists;
        };
        expect_right(list_of(frequencies), "frequencies");
        expect_right(view(std::as_const(frequencies).data(), {1, std::ssize(frequencies)}), "frequencies");
        if (!turns) continue;
        expect_right(list_of(divisors), "divisors");
        expect_right(list_of(periods), "periods");
      }
    }
  }
  EXPECT_GT(lists, 400);
}

// rope_freqs of llama.cpp: what divides the frequencies of the unscaled ladder.
TEST(DiagnoseForms, FactorsOfEveryScaledLadderAreRight) {
  int lists = 0;
  for (const Preset& each : presets()) {
    const FieldChange none[] = {{"ladder.scaling", "none"}};
    if (check_use("test", ConventionUse::rotations, each.convention) || check_changes(each.convention, none)) continue;
    const FormLadder scaled = ladder_of(each.convention, 1);
    if (scaled.frequencies.size() < 4) continue;
    const FormLadder plain = ladder_of(with_fields(each.convention, none), 1, std::span(&scaled.width, 1));
    if (scaled.frequencies == plain.frequencies) continue;
    ASSERT_EQ(scaled.frequencies.size(), plain.frequencies.size()) << each.name;
    std::vector<float> factors;
    for (std::size_t k = 0; k < scaled.frequencies.size(); ++k) {
      factors.push_back(static_cast<float>(plain.frequencies[k] / scaled.frequencies[k]));
    }
    if (!std::isfinite(factors.back())) continue;  // pairs that stand
    const Diagnosis found = diagnose(list_of(factors), each.convention, {.dim = scaled.width});
    ASSERT_TRUE(found.right && found.found) << each.name << "\n" << to_string(found);
    EXPECT_EQ(found.found->form, "factors") << each.name;
    ++lists;
    if (lists % 4 != 0) continue;  // what is wrong is searched for long
    for (float& factor : factors) factor = factor > 1.5F ? factor / 4 : factor;
    EXPECT_FALSE(diagnose(list_of(factors), each.convention, {.dim = scaled.width}).right) << each.name;
  }
  EXPECT_GE(lists, 8);
}

// llama3's: computed as llama.cpp's converter does, factor 32 for 8, and the wrong one.
TEST(DiagnoseForms, FactorsOfLlama3) {
  const Convention asked = with_field(preset("llama-3.1").convention, "ladder.scaling.factor", 32);
  const auto factors = [](double factor) {
    std::vector<float> all;
    for (int k = 0; k < 32; ++k) {
      const double wave = 2 * std::acos(-1.0) * std::pow(500000, k / 32.0), smooth = (8192 / wave - 1) / 3;
      const double between = 1 / ((1 - smooth) / factor + smooth);
      all.push_back(static_cast<float>(wave < 2048 ? 1 : wave > 8192 ? factor : between));
    }
    return all;
  };
  const Diagnosis right = diagnose(list_of(factors(32)), asked, {.dim = 64});
  EXPECT_TRUE(right.right) << to_string(right);
  const Diagnosis wrong = diagnose(list_of(factors(8)), asked, {.dim = 64});
  EXPECT_FALSE(wrong.right);
  ASSERT_FALSE(wrong.findings.empty());
  EXPECT_NE(wrong.findings[0].find("factor is 8, 32 asked"), std::string::npos) << to_string(wrong);
}

// ---- tables ----------------------------------------------------------------------------------------

// [places, 2 n]: the sines and the cosines of n pairs, of a head of some width.
struct Cache {
  std::int64_t width = 0, places = 0, pairs = 0;
  std::vector<std::int64_t> extents = {};
  std::vector<float> sines_cosines = {};
};

Cache cache_of(const Preset& preset, Draws& draw) {
  const Convention kept = with_field(preset.convention, "stored", "sine_cosine");
  const std::size_t axes = axes_of(preset.convention).size();
  Cache made;
  if (axes > most_axes) return made;
  const std::int64_t sizes[] = {draw.of({4, 5}), draw.of({6, 7}), draw.of({8, 9})};
  made.extents.assign(sizes, sizes + axes);
  if (axes == 1) made.extents = {draw.of({17, 48})};
  made.places = 1;
  for (const std::int64_t extent : made.extents) made.places *= extent;
  const Context context = {.length = made.places};
  for (const std::int64_t width : widths) {
    if (RotaryCache::check(kept, width, {.context = context})) continue;
    const RotaryCache cache(kept, width, {.context = context});
    made.width = width, made.pairs = cache.width() / 2;
    made.sines_cosines.resize(static_cast<std::size_t>(made.places * cache.width()));
    const std::vector<std::vector<double>> lists = cells_of(preset, made.extents);
    std::vector<Positions> positions;
    for (const auto& list : lists) positions.push_back(Positions::list(view(list.data(), {made.places})));
    cache.write("sin_cos", positions, view(made.sines_cosines.data(), {made.places, cache.width()}));
    return made;
  }
  return made;
}

// The waves of the pairs in blocks of columns (c: cosine, s: sine, m: the negative of one), as in a row of a table, and
// what stands along axes of its own: nothing; blocks, in front of the places or behind them; points and matrices.
enum class Apart : std::uint8_t { nothing = 1, blocks_in_front, blocks_behind, points, matrices };
struct Kept {
  std::string_view waves;
  Apart apart;
};
constexpr Kept kept_forms[] = {{"c|c", Apart::nothing},
                               {"s|s", Apart::nothing},
                               {"cc", Apart::nothing},
                               {"ss", Apart::nothing},
                               {"m|s", Apart::nothing},
                               {"ms", Apart::nothing},
                               {"c", Apart::nothing},
                               {"s", Apart::nothing},
                               {"s|c", Apart::nothing},
                               {"s|c", Apart::blocks_in_front},
                               {"s|c", Apart::blocks_behind},
                               {"c|s", Apart::nothing},
                               {"c|s", Apart::blocks_in_front},
                               {"c|s", Apart::blocks_behind},
                               {"cs", Apart::nothing},
                               {"cs", Apart::points},
                               {"sc", Apart::nothing},
                               {"sc", Apart::points},
                               {"c|c|s|s", Apart::nothing},
                               {"c|c|s|s", Apart::blocks_in_front},
                               {"c|c|s|s", Apart::blocks_behind},
                               {"s|s|c|c", Apart::blocks_in_front},
                               {"cc|ss", Apart::nothing},
                               {"cc|ss", Apart::blocks_in_front},
                               {"ss|cc", Apart::blocks_behind},
                               {"cs|cs", Apart::nothing},
                               {"scsc", Apart::nothing},
                               {"cmsc", Apart::matrices}};

// [places, columns], a block of columns after another.
std::vector<float> rows_of(const Cache& cache, std::string_view form) {
  std::vector<float> entries;
  for (std::int64_t place = 0; place < cache.places; ++place) {
    const float* row = &cache.sines_cosines[static_cast<std::size_t>(2 * cache.pairs * place)];
    for (std::string_view rest = form; !rest.empty();) {
      const std::string_view waves = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(rest.size(), waves.size() + 1));
      for (std::int64_t pair = 0; pair < cache.pairs; ++pair) {
        for (const char wave : waves) {
          const float entry = row[wave == 'c' ? cache.pairs + pair : pair];
          entries.push_back(wave == 'm' ? -entry : entry);
        }
      }
    }
  }
  return entries;
}

struct Tensor {
  std::vector<std::int64_t> shape;
  std::vector<float> entries;
};
Tensor tensor_of(const Cache& cache, const Kept& kept, const std::vector<std::int64_t>& places) {
  Tensor made = {places, rows_of(cache, kept.waves)};
  const std::int64_t columns = std::ssize(made.entries) / cache.places, half = columns / 2;
  switch (kept.apart) {
    case Apart::nothing: made.shape.push_back(columns); break;
    case Apart::blocks_behind: made.shape.insert(made.shape.end(), {2, half}); break;
    case Apart::points: made.shape.insert(made.shape.end(), {half, 2}); break;
    case Apart::matrices: made.shape.insert(made.shape.end(), {columns / 4, 2, 2}); break;
    case Apart::blocks_in_front: {
      std::vector<float> blocks;
      for (const std::int64_t block : {0, 1}) {
        for (std::int64_t place = 0; place < cache.places; ++place) {
          const auto from = made.entries.begin() + place * columns + block * half;
          blocks.insert(blocks.end(), from, from + half);
        }
      }
      made.entries = std::move(blocks);
      made.shape.insert(made.shape.begin(), 2), made.shape.push_back(half);
    }
  }
  return made;
}

// Flat places of several axes, or an axis each; in f32, and as drawn.
int expect_right(const Preset& preset, const Cache& cache, const Kept& kept, Draws& draw) {
  int tensors = 0;
  const Convention asked =
      with_field(preset.convention, "stored", "none");  // which form is the original's is asked elsewhere
  for (const bool flat : {true, false}) {
    if (!flat && cache.extents.size() == 1) continue;
    const std::vector<std::int64_t> places = flat ? std::vector{cache.places} : cache.extents;
    Tensor tensor = tensor_of(cache, kept, places);
    test::store(draw, tensor.entries);
    DiagnoseOptions options = {.dim = cache.width, .places = places_of(preset)};
    const float* data = tensor.entries.data();
    const Diagnosis found = diagnose(view(data, std::span<const std::int64_t>(tensor.shape)), asked, options);
    std::string shape;
    for (const std::int64_t size : tensor.shape) shape += " " + std::to_string(size);
    EXPECT_TRUE(found.right) << preset.name << " " << kept.waves << " of" << shape << "\n" << to_string(found);
    ++tensors;
  }
  return tensors;
}

// Axes that cells have: those of a rotation of text have one coordinate, and no cells.
bool has_cells(const Preset& preset) {
  return !check_use("test", ConventionUse::rotations, preset.convention) &&
         axes_of(preset.convention).size() <= most_axes;
}

TEST(DiagnoseForms, CachesOfEveryRotationAreRight) {
  int tensors = 0;
  for (std::size_t i = 0; i < presets().size(); ++i) {
    const Preset& preset = presets()[i];
    if (!has_cells(preset)) continue;
    Draws draw(static_cast<unsigned>(i));
    const Cache cache = cache_of(preset, draw);
    if (cache.pairs > 0) tensors += expect_right(preset, cache, kept_forms[draw.below(std::ssize(kept_forms))], draw);
  }
  EXPECT_GT(tensors, 100);
}

TEST(DiagnoseForms, ExhaustiveCachesOfEveryRotationInEveryForm) {
  for (const Preset& preset : presets()) {
    if (!has_cells(preset)) continue;
    Draws draw(7);
    const Cache cache = cache_of(preset, draw);
    if (cache.pairs == 0) continue;
    for (const Kept& kept : kept_forms) expect_right(preset, cache, kept, draw);
  }
}

// Cosines of Qwen 2 VL's cells t, y, x: those of x turn so slowly that bf16 has 1 for all nine.
TEST(DiagnoseForms, CellsAlongASlowAxisAreNoCopies) {
  std::vector<float> cosines;
  for (int cell = 0; cell < 5 * 6 * 9; ++cell) {
    const int at[] = {cell / 54, cell / 9 % 6, cell % 9};
    for (int column = 0; column < 128; ++column) {
      const int k = column % 64, axis = k < 16 ? 0 : k < 40 ? 1 : 2;
      cosines.push_back(
          static_cast<float>(bfloat16(static_cast<float>(std::cos(at[axis] * std::pow(1e6, -k / 64.0))))));
    }
  }
  const Diagnosis found =
      diagnose(view(std::as_const(cosines).data(), {5, 6, 9, 128}), preset("mrope-chunk").convention, {.dim = 128});
  EXPECT_TRUE(found.right) << to_string(found);
}

// Pixtral's own: cosines over sines of 4 x 6 cells, which the frequencies of even number turn down and the others
// right.
TEST(DiagnoseForms, APixtralCacheOfStackedCells) {
  std::vector<float> stacked;
  for (const bool cosines : {true, false}) {
    for (int cell = 0; cell < 24; ++cell) {
      for (int column = 0; column < 64; ++column) {
        const int k = column % 32;
        const double w = std::pow(10000.0, -(2.0 * (k % 16) + (k < 16 ? 0 : 1)) / 32);
        const double angle = w * (k < 16 ? cell / 6 : cell % 6);
        stacked.push_back(static_cast<float>(cosines ? std::cos(angle) : std::sin(angle)));
      }
    }
  }
  const Convention& pixtral = preset("rope2d-pixtral").convention;
  for (const std::vector<std::int64_t>& shape : {std::vector<std::int64_t>{2, 24, 64}, {2, 4, 6, 64}}) {
    const Diagnosis found =
        diagnose(view(std::as_const(stacked).data(), std::span<const std::int64_t>(shape)), pixtral);
    EXPECT_TRUE(found.right) << to_string(found);
  }
  stacked[30 * 64 + 5] += 0.5F;
  EXPECT_FALSE(diagnose(view(std::as_const(stacked).data(), {2, 24, 64}), pixtral).right);
}

}  // namespace
}  // namespace posenc
