// SPDX-License-Identifier: Apache-2.0
// A right table is right; a fault that is planted into one is named with its cure.
#include <gtest/gtest.h>
#include <posenc/coordinates.h>
#include <posenc/diagnose.h>
#include <posenc/rotary_cache.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <random>

namespace posenc {
namespace {

const Convention& paper = preset("transformer").convention;

struct Table {
  std::vector<float> entries;
  std::int64_t rows, width;
  float& at(std::int64_t p, std::int64_t c) { return entries[static_cast<std::size_t>(p * width + c)]; }
};

Table table_of(const Convention& convention, std::int64_t rows, std::int64_t dim, std::int64_t first = 0) {
  Table table = {{}, rows, columns(convention, dim)};
  table.entries.resize(static_cast<std::size_t>(rows * table.width));
  const Context context = {.length = rows, .learned = 1};
  SinusoidRows(convention, dim, exact(), context)
      .write(Positions::range(first, rows), view(table.entries.data(), {rows, table.width}));
  return table;
}
Table through_bf16(Table table) {
  for (float& x : table.entries) x = static_cast<float>(bfloat16(x));
  return table;
}

Diagnosis diagnosed(const Table& table, const Convention& convention) {
  return diagnose(view(table.entries.data(), {table.rows, table.width}), convention);
}
std::string said_of(const Table& table, const Convention& convention) {
  return to_string(diagnosed(table, convention));
}

// As it is, and through bf16.
void expect_words(const Table& table, const Convention& asked, std::string_view words) {
  for (const Table& each : {table, through_bf16(table)}) {
    const Diagnosis diagnosis = diagnosed(each, asked);
    EXPECT_FALSE(diagnosis.right) << words;
    EXPECT_NE(to_string(diagnosis).find(words), std::string::npos) << words << "\n" << to_string(diagnosis);
  }
}

TEST(Diagnose, EveryRowOfOneAxisIsRight) {
  int count = 0;
  for (const Preset& each : presets()) {
    if (check_use("test", Use::rows, each.convention) || check_width(each.convention, 64)) continue;
    const Context context = {.length = 40, .learned = 1};
    if (SinusoidRows::check(each.convention, 64, exact(), context)) continue;
    const Table table = table_of(each.convention, 40, 64);
    DiagnoseOptions options = {.dim = 64, .context = context};
    options.identify.positions = {Positions::range(0, 40)};
    for (const Table& stored : {table, through_bf16(table)}) {
      const Diagnosis diagnosis = diagnose(view(stored.entries.data(), {40, table.width}), each.convention, options);
      EXPECT_TRUE(diagnosis.right) << each.name << "\n" << to_string(diagnosis);
    }
    ++count;
  }
  EXPECT_GT(count, 20);
}

TEST(Diagnose, LaddersLayoutsBasesOriginsAndScales) {
  expect_words(table_of(preset("whisper").convention, 512, 64), with(paper, "layout", "sine_first"),
               "end point (k / (n - 1)), 2k / d asked");
  expect_words(table_of(with(paper, "layout", "sine_first"), 128, 64), paper,
               "columns are in halves (sine_first), interleaved asked");
  expect_words(table_of(with(paper, "layout", "cosine_first"), 128, 64), with(paper, "layout", "sine_first"),
               "cosines change places");
  expect_words(table_of(paper, 128, 64, 1), paper, "row p holds position p + 1");
  expect_words(table_of(paper, 128, 64, 2), paper, "row p holds position p + 2");
  expect_words(table_of(with(paper, "ladder.base", 500000), 512, 64), paper, "base is 500000, not 10000");
  Table scaled = table_of(paper, 128, 64);
  for (float& x : scaled.entries) x *= 8;
  expect_words(scaled, paper, "scaled by 8 = sqrt 64: divide by it");
}

TEST(Diagnose, ATransposedTableIsNamed) {
  const Table table = table_of(paper, 128, 64);
  std::vector<float> turned;
  for (std::int64_t c = 0; c < 64; ++c) {
    for (std::int64_t p = 0; p < 128; ++p) turned.push_back(table.entries[static_cast<std::size_t>(p * 64 + c)]);
  }
  DiagnoseOptions options = {.dim = 64};
  EXPECT_NE(to_string(diagnose(view(std::as_const(turned).data(), {64, 128}), paper, options)).find("transposed"),
            std::string::npos);
}

TEST(Diagnose, DamageIsFoundWhereItIs) {
  Table table = table_of(paper, 128, 64);
  for (std::int64_t c = 0; c < 64; ++c) table.at(1, c) = 0;
  expect_words(table, paper, "row 1 is zero: padding");
  table = table_of(paper, 128, 64);
  for (std::int64_t c = 0; c < 64; ++c) table.at(77, c) += 0.5F;
  expect_words(table, paper, "row 77 is damaged");
  table = table_of(paper, 128, 64);
  for (std::int64_t p = 0; p < 128; ++p) table.at(p, 63) = 0;
  expect_words(table, paper, "column 63 is zero");
  table = table_of(paper, 128, 64);
  for (std::int64_t p = 0; p < 128; ++p) table.at(p, 6) = -table.at(p, 6);
  expect_words(table, paper, "column 6 is of the other sign");
  table = table_of(paper, 128, 64);
  for (std::int64_t p = 0; p < 128; ++p) std::swap(table.at(p, 3), table.at(p, 10));
  expect_words(table, paper, "column 3 holds column 10, column 10 holds column 3");
  table = table_of(paper, 128, 64);
  for (std::int64_t p = 0; p < 128; ++p) table.at(p, 5) = 0.3F;
  expect_words(table, paper, "column 5 is damaged");
}

TEST(Diagnose, NoiseIsMeasured) {
  Table table = table_of(paper, 128, 64);
  std::mt19937 random(7);
  std::normal_distribution<float> normal(0, 0.05F);
  for (float& x : table.entries) x += normal(random);
  expect_words(table, paper, "noise of size 0.0");
}

double in_bf16(double x) { return static_cast<double>(static_cast<float>(bfloat16(static_cast<float>(x)))); }

enum class Where : std::uint8_t { frequency = 1, position, product, all };
Table rounded_table(Where where, std::int64_t rows) {
  Table table = {std::vector<float>(static_cast<std::size_t>(rows * 64)), rows, 64};
  const auto at = [&](Where step, double x) { return where == step || where == Where::all ? in_bf16(x) : x; };
  for (std::int64_t p = 0; p < rows; ++p) {
    for (std::int64_t k = 0; k < 32; ++k) {
      const double w = at(Where::frequency, std::pow(10000.0, -static_cast<double>(k) / 32));
      const double angle = at(Where::product, at(Where::position, static_cast<double>(p)) * w);
      table.at(p, 2 * k) = static_cast<float>(std::sin(angle));
      table.at(p, 2 * k + 1) = static_cast<float>(std::cos(angle));
    }
  }
  return table;
}

TEST(Diagnose, RoundedAnglesAreToldApart) {
  expect_words(rounded_table(Where::frequency, 600), paper, "frequencies were rounded to bf16");
  expect_words(rounded_table(Where::position, 600), paper,
               "positions were rounded to bf16: first wrong at position 257");
  expect_words(rounded_table(Where::product, 600), paper, "angles were rounded to bf16");
  expect_words(rounded_table(Where::all, 600), paper, "the angle was computed in bf16");
}

// ---- caches of rotations: the sines of every pair, then the cosines --------------------------------------

Table cache_of(std::string_view name, std::int64_t rows) {
  const Convention stored = with(preset(name).convention, "stored", "sine_cosine");
  Table table = {std::vector<float>(static_cast<std::size_t>(rows * 64)), rows, 64};
  const RotaryCache cache(stored, 64, exact(), {.length = rows});
  cache.write("sin_cos", Positions::range(0, rows), view(table.entries.data(), {rows, 64}));
  return table;
}

TEST(Diagnose, CachesAreRightOfEveryPairing) {
  for (const std::string_view name : {"rope-half", "rope-pair", "rope-yarn", "rope-llama3", "rope-linear"}) {
    EXPECT_TRUE(diagnosed(cache_of(name, 200), preset(name).convention).right) << name;
    EXPECT_TRUE(diagnosed(through_bf16(cache_of(name, 200)), preset(name).convention).right) << name;
  }
  EXPECT_TRUE(diagnosed(cache_of("rope-half", 200), preset("rope-pair").convention).right);
}

TEST(Diagnose, AScalingThatWasForgotten) {
  const auto plain = [](std::string_view name) {
    Table table = {std::vector<float>(std::size_t{512 * 64}), 512, 64};
    const Convention bare =
        with(preset(name).convention, {{"ladder.scaling", "none"}, {"magnitude", 1}, {"stored", "sine_cosine"}});
    RotaryCache(bare, 64, exact(), {.length = 512})
        .write("sin_cos", Positions::range(0, 512), view(table.entries.data(), {512, 64}));
    return table;
  };
  for (const std::string_view name : {"rope-yarn", "rope-llama3", "rope-linear"}) {
    expect_words(plain(name), preset(name).convention, "scaling is none, ");
  }
  expect_words(plain("rope-yarn"), preset("rope-yarn").convention, "magnitude is 1, ");
}

TEST(Diagnose, SeveralFieldsAreAllSaid) {
  const Table table = table_of(preset("whisper").convention, 512, 64);
  expect_words(table, paper, "end point (k / (n - 1)), 2k / d asked");
  expect_words(table, paper, "columns are in halves (sine_first), interleaved asked");
}

TEST(Diagnose, RandomNumbersAreWrongAndNothingIsClaimed) {
  Table table = table_of(paper, 128, 64);
  std::mt19937 random(3);
  std::normal_distribution<float> normal(0, 0.7F);
  for (float& x : table.entries) x = normal(random);
  EXPECT_NE(said_of(table, paper).find("no known fault explains these entries"), std::string::npos);
}

TEST(Diagnose, RefusesWhatHasNoRows) {
  const Table table = table_of(paper, 4, 8);
  const ConstView entries = view(table.entries.data(), {4, 8});
  EXPECT_EQ(check_diagnose(entries, preset("t5-bucket").convention)->rule, "classes must be whole numbers");
  EXPECT_EQ(check_diagnose(entries, preset("learned").convention)->rule,
            "the convention must be of more than rows of a stored table");
  EXPECT_TRUE(check_diagnose(entries, paper, {.dim = -1}));
  EXPECT_TRUE(check_diagnose(entries, paper, {.dim = 7}));
  DiagnoseOptions five;
  five.identify.positions = {Positions::range(0, 5)};
  EXPECT_EQ(check_diagnose(entries, paper, five)->rule, "positions must be as many as an axis has, [4, 8]");
}

}  // namespace
}  // namespace posenc
