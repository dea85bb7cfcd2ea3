// SPDX-License-Identifier: Apache-2.0
// Every row of presets, at drawn widths, lengths, first positions, storage types and orientations: the row is among the
// candidates, or one that has its numbers, and nothing is named wrongly.
#include <gtest/gtest.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>

#include <functional>

#include "tests/referee/cells.h"
#include "tests/referee/draws.h"
#include "tests/referee/same_numbers.h"

namespace posenc {
namespace {

using test::Draws;

struct Made {
  std::vector<std::int64_t> shape;
  std::vector<float> entries;
  LoweredFor given;
  std::string how;
};

// The first of some widths that is admitted.
std::optional<std::int64_t> drawn_width(Draws& draw, const std::function<bool(std::int64_t)>& admits) {
  std::vector<std::int64_t> all = {8, 16, 32, 40, 48, 60, 64, 66, 80, 96, 128, 192, 256, 320, 384};
  draw.shuffle(all);
  const auto found = std::ranges::find_if(all, admits);
  return found == all.end() ? std::nullopt : std::optional(*found);
}

// ---- rows ------------------------------------------------------------------------------------------

void dress(Draws& draw, Made& made) {
  const std::int64_t rows = made.shape[0], width = made.shape[1];
  const std::int64_t kind = draw.of({0, 1, 2, 3});
  if (kind == 1) {
    const float root = std::sqrt(static_cast<float>(made.given.width));
    for (float& x : made.entries) x *= root;
    made.how += ", times the root of the width";
  } else if (kind == 2) {
    std::vector<float> turned;
    for (std::int64_t c = 0; c < width; ++c) {
      for (std::int64_t i = 0; i < rows; ++i) turned.push_back(made.entries[static_cast<std::size_t>(i * width + c)]);
    }
    made.entries = std::move(turned), made.shape = {width, rows}, made.how += ", transposed";
  } else if (kind == 3) {
    made.entries.insert(made.entries.begin(), static_cast<std::size_t>(width), 0.0F);
    made.shape[0] += 1, made.how += ", behind a row of zeros";
  }
}

std::optional<Made> made_rows(const Preset& preset, Draws& draw) {
  if (check_use("test", ConventionUse::rows, preset.convention)) return std::nullopt;
  const Context context = {.length = 1, .learned = 1};
  const auto width =
      drawn_width(draw, [&](std::int64_t dim) { return !Rows::check(preset.convention, dim, {.context = context}); });
  if (!width) return std::nullopt;
  const Rows rows(preset.convention, *width, {.context = context});
  std::vector<std::int64_t> extents;
  for (std::size_t a = 0; a < rows.axes().size(); ++a) {
    extents.push_back(rows.axes().size() == 1 ? draw.of({6, 17, 48, 100}) : draw.of({4, 5, 7, 8}));
  }
  const std::int64_t first = draw.of({0, 0, 1, 7, 300});
  const std::vector<std::vector<double>> lists = cells_of(preset, extents, first);
  std::vector<Positions> positions;
  for (const auto& list : lists) positions.push_back(Positions::list(view(list.data(), {std::ssize(list)})));
  Made made = {{std::ssize(lists[0]), rows.width()}, {}, {.width = *width, .context = context}, "rows of "};
  made.entries.resize(static_cast<std::size_t>(made.shape[0] * made.shape[1]));
  rows.write(positions, view(made.entries.data(), std::span<const std::int64_t>(made.shape)));
  for (const std::int64_t extent : extents) made.how += std::to_string(extent) + " ";
  made.how += "of " + std::to_string(*width) + " from " + std::to_string(first);
  dress(draw, made);
  return made;
}

// ---- caches ----------------------------------------------------------------------------------------

// [sin | cos] of n pairs, as programs store it: each entry is a sine or cosine of a pair.
// `form`: blocks of columns, each with the waves (c: cosine, s: sine, m: the negative of one) that a pair has there in
// turn.
Made cache_of(const std::vector<float>& sines_cosines, std::int64_t count, std::int64_t pairs, std::string_view form) {
  Made made = {{count, 0}, {}, {}, std::string(form)};
  for (std::int64_t i = 0; i < count; ++i) {
    const float* row = &sines_cosines[static_cast<std::size_t>(2 * pairs * i)];
    for (std::string_view rest = form; !rest.empty();) {
      const std::string_view waves = rest.substr(0, rest.find('|'));
      rest.remove_prefix(std::min(rest.size(), waves.size() + 1));
      for (std::int64_t pair = 0; pair < pairs; ++pair) {
        for (const char wave : waves) {
          const float entry = row[wave == 'c' ? pairs + pair : pair];
          made.entries.push_back(wave == 'm' ? -entry : entry);
        }
      }
    }
  }
  made.shape[1] = std::ssize(made.entries) / count;
  return made;
}

std::optional<Made> made_caches(const Preset& preset, Draws& draw) {
  const Convention kept = with_field(preset.convention, "stored", "sine_cosine");
  const Context context = {.length = draw.of({64, 4096, 131072})};
  const auto head = drawn_width(
      draw, [&](std::int64_t dim) { return dim >= 16 && !RotaryCache::check(kept, dim, {.context = context}); });
  if (!head) return std::nullopt;
  const RotaryCache cache(kept, *head, {.context = context});
  const std::int64_t count = draw.of({17, 48, 100, 257}), first = draw.of({0, 0, 1, 7, 300}), pairs = cache.width() / 2;
  const std::vector<Positions> positions(cache.axes().size(), Positions::range(first, count));
  std::vector<float> entries(static_cast<std::size_t>(count * cache.width()));
  cache.write("sin_cos", positions, view(entries.data(), {count, cache.width()}));
  constexpr std::string_view forms[] = {"c|c",   "s|s",   "cc",   "ss",      "c",       "s",     "s|c",
                                        "c|s",   "cs",    "sc",   "c|c|s|s", "s|s|c|c", "cc|ss", "ss|cc",
                                        "cs|cs", "sc|sc", "cscs", "scsc",    "m|s",     "ms"};
  Made made = cache_of(entries, count, pairs, forms[draw.below(std::ssize(forms))]);
  made.given = {.width = *head, .context = context};
  made.how += " of " + std::to_string(count) + " places of a head of " + std::to_string(*head) + " from " +
              std::to_string(first) + ", length " + std::to_string(context.length);
  return made;
}

// ---- the property ----------------------------------------------------------------------------------

struct Count {
  int all = 0, silent = 0;
};
// Of every `stride`-th row of presets; what is answered is right.
template <class Make>
Count counted(ConventionUse use, unsigned seeds, std::size_t stride, const Make& make) {
  Count count;
  for (std::size_t i = 0; i < presets().size(); i += stride) {
    const Preset& preset = presets()[i];
    if (check_use("test", use, preset.convention) || axes_of(preset.convention).size() > 3) continue;
    for (unsigned seed = 0; seed < seeds; ++seed) {
      Draws draw(7919 * seed + static_cast<unsigned>(i));
      std::optional<Made> made = make(preset, draw);
      if (!made) continue;
      test::store(draw, made->entries);
      const float* data = made->entries.data();
      const Identification said = identify(view(data, std::span<const std::int64_t>(made->shape)));
      const bool silent = said.candidates.empty();
      ++count.all, count.silent += silent;
      if (silent) {
        std::printf("no answer: %s, %s\n", std::string(preset.name).c_str(), made->how.c_str());
      } else {
        EXPECT_TRUE(test::names(said, preset, preset.convention, made->given))
            << preset.name << ", " << made->how << "\n"
            << to_string(said);
      }
    }
  }
  return count;
}

// Frequencies that are but examples, coordinates in units of their own: 1 in 20 has no answer.
void expect_few_silent(const Count& count) {
  std::printf("%d tensors, %d without an answer\n", count.all, count.silent);
  EXPECT_LE(20 * count.silent, count.all + 20);
}

TEST(IdentifyProperty, RowsOfSomePresets) { expect_few_silent(counted(ConventionUse::coordinates, 1, 5, made_rows)); }
TEST(IdentifyProperty, CachesOfSomePresets) { expect_few_silent(counted(ConventionUse::rotations, 1, 5, made_caches)); }
TEST(IdentifyProperty, ExhaustiveRowsOfEveryPreset) {
  expect_few_silent(counted(ConventionUse::coordinates, 3, 1, made_rows));
}
TEST(IdentifyProperty, ExhaustiveCachesOfEveryPreset) {
  expect_few_silent(counted(ConventionUse::rotations, 3, 1, made_caches));
}

}  // namespace
}  // namespace posenc
