// SPDX-License-Identifier: Apache-2.0
// A right table is right; a fault that is planted into one is named with its cure.
#include <gtest/gtest.h>
#include <posenc/buckets.h>
#include <posenc/referee/diagnose.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <limits>
#include <random>
#include <tuple>

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
  Rows(convention, dim, {.context = context})
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
    if (check_use("test", ConventionUse::rows, each.convention) || check_width(each.convention, 64)) continue;
    const Context context = {.length = 40, .learned = 1};
    if (Rows::check(each.convention, 64, {.context = context})) continue;
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
  expect_words(table_of(preset("whisper").convention, 512, 64), with_field(paper, "layout", "sine_first"),
               "end point (k / (n - 1)), 2k / d asked");
  expect_words(table_of(with_field(paper, "layout", "sine_first"), 128, 64), paper,
               "columns are in halves (sine_first), interleaved asked");
  expect_words(table_of(with_field(paper, "layout", "cosine_first"), 128, 64),
               with_field(paper, "layout", "sine_first"), "cosines change places");
  expect_words(table_of(paper, 128, 64, 1), paper, "row p holds position p + 1");
  expect_words(table_of(paper, 128, 64, 2), paper, "row p holds position p + 2");
  expect_words(table_of(with_field(paper, "ladder.base", 500000), 512, 64), paper, "base is 500000, not 10000");
  Table scaled = table_of(paper, 128, 64);
  for (float& x : scaled.entries) x *= 8;
  expect_words(scaled, paper, "scaled by 8 = sqrt 64: divide by it");
}

// The pairs of a base that is a power of the one asked are others of that one's pairs: more than columns that moved.
TEST(Diagnose, ABaseThatIsAPowerOfTheOneAsked) {
  expect_words(table_of(with_field(paper, "ladder.base", 100'000'000), 256, 64), paper, "base is 100000000, not 10000");
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

// fairseq's tables have a row of zeros where its positions are absent; any other convention has none.
TEST(Diagnose, TheRowOfAnAbsentPositionIsRight) {
  const Convention fairseq = preset("fairseq-sinusoidal").convention;
  Table table = table_of(fairseq, 128, 64);
  for (std::int64_t c = 0; c < 64; ++c) table.at(1, c) = 0;
  Diagnosis found = diagnosed(table, fairseq);
  EXPECT_TRUE(found.right) << to_string(found);
  ASSERT_EQ(found.findings.size(), 1);
  EXPECT_NE(found.findings[0].find("row 1 is zero, as that of an absent position is"), std::string::npos);
  for (std::int64_t c = 0; c < 64; ++c) table.at(2, c) = 0;
  EXPECT_FALSE(diagnosed(table, fairseq).right) << "one id is that of padding";
  table = table_of(fairseq, 128, 64);
  for (std::int64_t c = 0; c < 63; ++c) table.at(1, c) = 0;
  EXPECT_FALSE(diagnosed(table, fairseq).right);
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
  const Convention stored = with_field(preset(name).convention, "stored", "sine_cosine");
  Table table = {std::vector<float>(static_cast<std::size_t>(rows * 64)), rows, 64};
  const RotaryCache cache(stored, 64, {.context = {.length = rows}});
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

Table stored_cache(const Convention& convention, std::string_view tensor, std::int64_t rows) {
  Table table = {std::vector<float>(static_cast<std::size_t>(rows * 64)), rows, 64};
  RotaryCache(with_field(convention, "stored", "halves_twice"), 64, {.context = {.length = rows}})
      .write(tensor, Positions::range(0, rows), view(table.entries.data(), {rows, 64}));
  return table;
}

// The sines of position 0 are zeros, and no row in front.
TEST(Diagnose, SinesBeginWithZeros) {
  const Convention plain = with_field(preset("rope-linear").convention, "ladder.scaling", "none");
  const Table sines = stored_cache(plain, "sin", 100);
  for (const Table& each : {sines, through_bf16(sines)}) {
    const Diagnosis found = diagnosed(each, preset("rope-linear").convention);
    ASSERT_EQ(found.findings.size(), 1) << to_string(found);
    EXPECT_NE(found.findings[0].find("scaling is none"), std::string::npos) << to_string(found);
  }
  const Convention bare = with_field(preset("gpt-oss").convention, "magnitude", 1);
  expect_words(stored_cache(bare, "sin", 100), preset("gpt-oss").convention, "magnitude is 1, ");
}

// One damaged column leaves its copy.
TEST(Diagnose, ColumnsOfCachesWithCopiesAreDamaged) {
  const Convention& llama = preset("llama").convention;
  for (const std::string_view tensor : {"cos", "sin"}) {
    Table table = stored_cache(llama, tensor, 100);
    for (std::int64_t p = 0; p < 100; ++p) table.at(p, 5) = -table.at(p, 5);
    expect_words(table, llama, "column 5 is of the other sign");
    EXPECT_EQ(diagnosed(table, llama).findings.size(), 1);
    table = stored_cache(llama, tensor, 100);
    for (std::int64_t p = 0; p < 100; ++p) table.at(p, 5) = 0;
    expect_words(table, llama, "column 5 is zero");
    EXPECT_EQ(diagnosed(table, llama).findings.size(), 1);
  }
}

TEST(Diagnose, NoiseOnCachesIsMeasured) {
  const Convention& llama = preset("llama").convention;
  std::mt19937 random(5);
  std::normal_distribution<float> noise(0, 0.02F);
  for (const std::string_view tensor : {"cos", "sin"}) {
    Table table = stored_cache(llama, tensor, 200);
    for (float& x : table.entries) x += noise(random);
    EXPECT_NE(said_of(table, llama).find("noise"), std::string::npos) << said_of(table, llama);
  }
}

// The width of a head that turns in part is not that of its cache.
TEST(Diagnose, CachesOfThePartThatTurns) {
  for (const auto& [name, head, turning] : {std::tuple{"phi-2", 80, 32}, {"gpt-neox", 64, 16}, {"moonshine", 36, 32}}) {
    const Convention& asked = preset(name).convention;
    Table table = {std::vector<float>(static_cast<std::size_t>(50 * turning)), 50, turning};
    RotaryCache(with_field(asked, "stored", "halves_twice"), head)
        .write("cos", Positions::range(0, 50), view(table.entries.data(), {50, turning}));
    EXPECT_TRUE(diagnosed(table, asked).right) << name << "\n" << said_of(table, asked);
  }
}

// Rows of presets that have the base pair their columns otherwise: the cosines of halves do not say so.
TEST(Diagnose, CosinesSayNothingOfPairs) {
  const Convention convention =
      with_fields(preset("llama").convention, {{"ladder.base", 500000}, {"stored", "halves_twice"}});
  Table table = {std::vector<float>(std::size_t{512 * 128}), 512, 128};
  const Positions positions[] = {Positions::range(0, 512)};
  RotaryCache(convention, 128).write("cos", positions, view(table.entries.data(), {512, 128}));
  expect_words(table, preset("llama").convention, "base is 500000, not 10000");
  EXPECT_EQ(said_of(table, preset("llama").convention).find("pairs are"), std::string::npos);
}

TEST(Diagnose, AScalingThatWasForgotten) {
  const auto plain = [](std::string_view name) {
    Table table = {std::vector<float>(std::size_t{512 * 64}), 512, 64};
    const Convention bare =
        with_fields(preset(name).convention, {{"ladder.scaling", "none"}, {"magnitude", 1}, {"stored", "sine_cosine"}});
    RotaryCache(bare, 64, {.context = {.length = 512}})
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

// ---- evidence and bounds -----------------------------------------------------------------------------

TEST(Diagnose, SaysHowManyEntriesAreWrongAndWhere) {
  Table table = table_of(paper, 128, 64);
  const Diagnosis right = diagnosed(table, paper);
  EXPECT_EQ(std::tuple(right.entries, right.wrong, right.explained), std::tuple(128 * 64, 0, 1.0));
  EXPECT_TRUE(right.first.empty());
  for (std::int64_t c = 8; c < 64; ++c) table.at(77, c) += 0.5F;
  const Diagnosis damaged = diagnosed(table, paper);
  EXPECT_EQ(std::tuple(damaged.entries, damaged.wrong, damaged.explained), std::tuple(128 * 64, 56, 1.0));
  EXPECT_EQ(damaged.first, (std::vector<std::int64_t>{77, 8}));
  std::mt19937 random(5);
  std::normal_distribution<float> normal(0, 0.7F);
  for (float& x : table.entries) x = normal(random);
  const Diagnosis nothing = diagnosed(table, paper);
  EXPECT_EQ(nothing.explained, 0);
  EXPECT_GT(nothing.wrong, 128 * 60);
  EXPECT_NE(to_string(nothing).find("first wrong at position 0, column"), std::string::npos);
  Table late = table_of(paper, 128, 64, 3);
  EXPECT_EQ(diagnosed(late, paper).explained, 1);  // every entry is that of position p + 3
}

// (3 |ln w| + 8) 2^-24 of the angle, 2^-21, and half a unit of the entry.
double bound_of(std::int64_t p, std::int64_t c, double entry) {
  const double w = std::pow(10000.0, -static_cast<double>(c / 2) / 32);
  return 0x1p-21 + 0x1p-24 * std::abs(entry) + 0x1p-24 * (3 * std::abs(std::log(w)) + 8) * static_cast<double>(p) * w;
}

TEST(Diagnose, EveryEntryHasABoundOfItsOwn) {
  for (const std::int64_t p : {0, 1, 100, 4000, 60000}) {
    for (const std::int64_t c : {0, 1, 10, 31, 62}) {
      Table table = table_of(paper, 4, 64, p);
      DiagnoseOptions options;
      options.identify.positions = {Positions::range(p, 4)};
      const auto is_right = [&] {
        return diagnose(view(std::as_const(table.entries).data(), {4, 64}), paper, options).right;
      };
      const float exact_entry = table.at(0, c);
      const double off = bound_of(p, c, static_cast<double>(exact_entry));
      table.at(0, c) = exact_entry + static_cast<float>(0.9 * off);
      EXPECT_TRUE(is_right()) << p << " " << c;
      table.at(0, c) = exact_entry + static_cast<float>(1.2 * off);
      EXPECT_FALSE(is_right()) << p << " " << c;
    }
  }
}

TEST(Diagnose, ARowInFrontIsHeldAsTightlyWhateverIsBehind) {
  Table table = table_of(paper, 1 << 17, 8);
  table.at(1, 0) += 1e-4F;  // which the last row may be off by, 40 times over
  const Diagnosis diagnosis = diagnosed(table, paper);
  EXPECT_EQ(diagnosis.wrong, 1);
  EXPECT_NE(to_string(diagnosis).find("row 1 is damaged"), std::string::npos) << to_string(diagnosis);
}

TEST(Diagnose, FarOutOnlyAKnownArithmeticIsRight) {
  const std::int64_t far = std::int64_t{1} << 24;
  DiagnoseOptions options;
  options.identify.positions = {Positions::range(far, 64)};
  const auto of = [&](const Convention& convention, const Recipe& recipe) {
    Table table = {std::vector<float>(std::size_t{64 * 64}), 64, 64};
    Rows(convention, 64, {.recipe = recipe}).write(Positions::range(far, 64), view(table.entries.data(), {64, 64}));
    return diagnose(view(std::as_const(table.entries).data(), {64, 64}), paper, options);
  };
  EXPECT_TRUE(of(paper, exact()).right);
  EXPECT_TRUE(of(paper, recipe("f32-exp")).right);
  EXPECT_TRUE(of(paper, recipe("f64-to-f32")).right);
  EXPECT_FALSE(of(with_field(paper, "ladder.base", 10001), exact()).right);
  EXPECT_FALSE(of(with_field(paper, "ladder.base", 10000.001), exact()).right);
}

TEST(Diagnose, RoundingsOfOtherTypes) {
  const auto halves = [](double x) { return static_cast<double>(static_cast<float>(half(static_cast<float>(x)))); };
  Table table = {std::vector<float>(std::size_t{3000 * 64}), 3000, 64};
  for (std::int64_t p = 0; p < 3000; ++p) {
    for (std::int64_t k = 0; k < 32; ++k) {
      const double angle = static_cast<double>(p) * halves(std::pow(10000.0, -static_cast<double>(k) / 32));
      table.at(p, 2 * k) = static_cast<float>(std::sin(angle)),
                      table.at(p, 2 * k + 1) = static_cast<float>(std::cos(angle));
    }
  }
  expect_words(table, paper, "frequencies were rounded to f16");
  for (std::int64_t p = 0; p < 3000; ++p) {
    for (std::int64_t k = 0; k < 32; ++k) {
      const double angle = halves(static_cast<double>(p)) * std::pow(10000.0, -static_cast<double>(k) / 32);
      table.at(p, 2 * k) = static_cast<float>(std::sin(angle)),
                      table.at(p, 2 * k + 1) = static_cast<float>(std::cos(angle));
    }
  }
  expect_words(table, paper, "positions were rounded to f16: first wrong at position 2049");
}

TEST(Diagnose, ATableThatWentThroughATypeIsRightAndSaysSo) {
  for (const DType type : {DType::bf16, DType::f16}) {
    Table table = table_of(paper, 64, 64);
    for (float& x : table.entries) {
      x = type == DType::bf16 ? static_cast<float>(bfloat16(x)) : static_cast<float>(half(x));
    }
    EXPECT_NE(said_of(table, paper).find("stored as " + std::string(to_string(type))), std::string::npos);
  }
}

TEST(Diagnose, RowsThatBelongToNoPosition) {
  const Table table = table_of(paper, 64, 64);
  Table longer = {std::vector<float>(64, 0.25F), 65, 64};
  longer.entries.insert(longer.entries.end(), table.entries.begin(), table.entries.end());
  EXPECT_FALSE(diagnosed(longer, paper).right);
  std::fill_n(longer.entries.begin(), 64, 0.0F);
  EXPECT_NE(said_of(longer, paper).find("1 row in front belongs to no position"), std::string::npos)
      << said_of(longer, paper);
}

TEST(Diagnose, NumbersThatAreNoneAreWrong) {
  Table table = table_of(paper, 64, 64);
  table.at(5, 6) = std::numeric_limits<float>::quiet_NaN();
  table.at(9, 6) = std::numeric_limits<float>::infinity();
  const Diagnosis diagnosis = diagnosed(table, paper);
  EXPECT_EQ(diagnosis.wrong, 2);
  EXPECT_EQ(diagnosis.first, (std::vector<std::int64_t>{5, 6}));
  const Table one = table_of(paper, 1, 64);
  EXPECT_TRUE(diagnosed(one, paper).right);
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
  five.identify.positions = {Positions::range(0, 4), Positions::range(0, 4)};
  EXPECT_EQ(check_diagnose(entries, paper, five)->rule, "positions must be a list for each of 1 axes, or one for all");
}

TEST(Diagnose, RowsOfOthersInFront) {
  for (const std::int64_t front : {1, 2, 5, 16}) {
    Table table = table_of(paper, 64, 64);
    table.entries.insert(table.entries.begin(), static_cast<std::size_t>(64 * front), 0.3F);
    table.entries[5] = -1.2F, table.rows += front;
    expect_words(table, paper,
                 front == 1 ? "1 row in front belongs to no position"
                            : std::to_string(front) + " rows in front belong to no position");
  }
}

TEST(Diagnose, ColumnsOfZerosBehind) {
  const Convention odd = preset("xlm").convention;
  const Table narrow = table_of(odd, 64, 7);
  Table table = {std::vector<float>(64 * 8), 64, 8};
  for (std::size_t i = 0; i < 64; ++i) std::copy_n(&narrow.entries[7 * i], 7, &table.entries[8 * i]);
  expect_words(table, odd, "column 7 is zero: padding");
}

TEST(Diagnose, PositionsThatWereStated) {
  const Table table = table_of(paper, 64, 64);
  DiagnoseOptions options;
  options.identify.positions = {Positions::range(1, 64)};
  const Diagnosis found = diagnose(view(table.entries.data(), {table.rows, table.width}), paper, options);
  EXPECT_FALSE(found.right);
  ASSERT_FALSE(found.findings.empty());
  EXPECT_EQ(found.findings[0], "positions begin at 0, not at 1");
}

// Which pairs of columns a program turns, its cosines do not show: a note, and no fault.
TEST(Diagnose, CachesForTheOtherPairing) {
  constexpr std::int64_t count = 40, width = 64;
  const Positions positions[] = {Positions::range(0, count)};
  for (const std::string_view name : {"rope-half", "rope-pair"}) {
    const Convention& asked = preset(name).convention;
    for (const std::string_view stored : {"halves_twice", "pairs_twice"}) {
      Table table = {std::vector<float>(count * width), count, width};
      RotaryCache(with_field(asked, "stored", stored), width)
          .write("cos", positions, view(table.entries.data(), {count, width}));
      const Diagnosis found = diagnosed(table, asked);
      EXPECT_TRUE(found.right) << name;
      const bool own = (name == "rope-half") == (stored == "halves_twice");
      EXPECT_EQ(found.findings.empty(), own) << name << " " << stored << "\n" << to_string(found);
    }
  }
}

// A cache whose columns stand as those of the other pairing do.
TEST(Diagnose, CachesInAnotherOrderThanIsStored) {
  constexpr std::int64_t count = 40, width = 64;
  const Convention halves = with_field(preset("llama").convention, "stored", "halves_twice"),
                   pairs = with_field(preset("llama").convention, "stored", "pairs_twice");
  const Positions positions[] = {Positions::range(0, count)};
  for (const auto& [asked, is] : {std::pair(&halves, &pairs), {&pairs, &halves}}) {
    Table table = {std::vector<float>(count * width), count, width};
    RotaryCache(*is, width).write("cos", positions, view(table.entries.data(), {count, width}));
    EXPECT_TRUE(diagnosed(table, *is).right);
    expect_words(table, *asked, asked == &halves ? "[a | a] asked" : "[a a b b ..] asked");
  }
}

}  // namespace
}  // namespace posenc
