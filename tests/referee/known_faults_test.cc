// SPDX-License-Identifier: Apache-2.0
// A diagnosis says at least what an identification says of the same entries: presets by faults.
#include <gtest/gtest.h>
#include <posenc/referee/referee.h>
#include <posenc/rotary.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "tests/referee/recorded.h"

namespace posenc::known_faults {
namespace {

constexpr std::int64_t L = 40, d = 64;
constexpr float none = std::numeric_limits<float>::quiet_NaN();

struct Table {
  std::vector<float> entries = std::vector<float>(L * d);
  float& at(std::int64_t p, std::int64_t c) { return entries[static_cast<std::size_t>(p * d + c)]; }
  ConstView view() const { return posenc::view(entries.data(), {L, d}); }
};

// Cosines beside sines, or rows.
Table table_of(std::string_view preset, std::span<const std::int64_t> places) {
  Table table;
  const Convention& convention = posenc::preset(preset).convention;
  const Positions positions = Positions::list(view(places.data(), {L}));
  if (family(convention) != "rotary") {
    Rows(convention, d).write(positions, view(table.entries.data(), {L, d}));
    return table;
  }
  const RotaryCache cache(with_field(convention, "stored", "halves_twice"), d);
  Table twice;
  for (const auto& [name, first] : {std::pair{"cos", std::int64_t{0}}, {"sin", d / 2}}) {
    cache.write(name, positions, view(twice.entries.data(), {L, d}));
    for (std::int64_t p = 0; p < L; ++p) std::copy_n(&twice.at(p, 0), d / 2, &table.at(p, first));
  }
  return table;
}
std::vector<std::int64_t> counted_to(std::int64_t front) {
  std::vector<std::int64_t> places;
  for (std::int64_t p = 0; p < L; ++p) places.push_back(p < front ? p : p - front);
  return places;
}

std::string findings_of(const ConstView& tensor, const Convention& asked, const DiagnoseOptions& options = {}) {
  std::string text;
  const Diagnosis diagnosis = diagnose(tensor, asked, options);
  test::expect_recorded(test::next_case() + "/check", to_json(diagnosis));
  for (const std::string& each : diagnosis.findings) text += each + "\n";
  return text;
}
std::string findings_of(const ConstView& tensor, std::string_view asked, const DiagnoseOptions& options = {}) {
  return findings_of(tensor, preset(asked).convention, options);
}
// Each fault that identify names is a finding. Distances from a row that was learned are no fault where the diagnosis
// explains every entry. Among the findings are `words`.
void expect_no_less(const Identification& found, const ConstView& tensor, const Convention& asked,
                    std::string_view words = {}) {
  ASSERT_TRUE(found.candidates.empty()) << to_string(found);
  const Diagnosis diagnosis = diagnose(tensor, asked);
  const std::string name = test::next_case();
  test::expect_recorded(name + "/identify", to_json(found));
  test::expect_recorded(name + "/check", to_json(diagnosis));
  const std::string findings = to_string(diagnosis);
  EXPECT_NE(findings.find(words), std::string::npos) << findings;
  for (std::size_t from = 0; from < found.kind.size();) {
    const std::size_t to = std::min(found.kind.find("; ", from), found.kind.size());
    const std::string fault = found.kind.substr(from, to - from);
    from = to + 2;
    if (fault.starts_with("learned from a sinusoid") && diagnosis.explained == 1) continue;
    EXPECT_NE(findings.find(fault), std::string::npos) << found.kind << "\nbut\n" << findings;
  }
}

struct PlantedFault {
  std::string_view name;
  std::function<void(Table&, std::int64_t)> plant;  // with a number that was drawn
};
const PlantedFault planted[] = {
    {"all NaN", [](Table& t, std::int64_t) { std::ranges::fill(t.entries, none); }},
    {"a column NaN",
     [](Table& t, std::int64_t n) {
       for (std::int64_t p = 0; p < L; ++p) t.at(p, n) = none;
     }},
    {"one infinite", [](Table& t, std::int64_t n) { t.at(n, n) = -std::numeric_limits<float>::infinity(); }},
    {"all zero", [](Table& t, std::int64_t) { std::ranges::fill(t.entries, 0.0F); }},
    {"constant", [](Table& t, std::int64_t) { std::ranges::fill(t.entries, 0.5F); }},
    {"never filled",
     [](Table& t, std::int64_t n) { std::fill(t.entries.begin() + (14 + n / 2) * d, t.entries.end(), 0.0F); }},
    {"a row damaged",
     [](Table& t, std::int64_t n) {
       for (std::int64_t c = 0; c < d; ++c) t.at(n, c) += 0.3F;
     }},
    {"a row scaled",
     [](Table& t, std::int64_t n) {
       for (std::int64_t c = 0; c < d; ++c) t.at(n, c) *= 1.5F;
     }},
    {"rows shifted from one on",
     [](Table& t, std::int64_t n) { std::copy_backward(&t.at(n, 0), &t.at(L - 2, 0), &t.at(L - 1, 0)); }},
    {"rows exchanged",
     [](Table& t, std::int64_t n) { std::swap_ranges(&t.at(n, 0), &t.at(n + 1, 0), &t.at(n + 3, 0)); }},
    {"a column damaged",
     [](Table& t, std::int64_t n) {
       for (std::int64_t p = 0; p < L; ++p) t.at(p, n) = 0.3F;
     }},
    {"a column zero",
     [](Table& t, std::int64_t n) {
       for (std::int64_t p = 0; p < L; ++p) t.at(p, n) = 0;
     }},
    {"columns exchanged",
     [](Table& t, std::int64_t n) {
       for (std::int64_t p = 0; p < L; ++p) std::swap(t.at(p, n), t.at(p, n + 5));
     }},
};

TEST(KnownFaults, ADiagnosisSaysWhatAnIdentificationSays) {
  constexpr std::string_view rows[] = {"rope-half", "transformer", "rope-pair"};
  std::mt19937 random(40);
  for (const PlantedFault& fault : planted) {
    const std::string_view asked = rows[random() % std::size(rows)];
    SCOPED_TRACE(std::string(fault.name));
    Table table = table_of(asked, counted_to(L));
    fault.plant(table, 4 + static_cast<std::int64_t>(random() % 16));
    expect_no_less(identify(table.view()), table.view(), preset(asked).convention);
  }
  for (const std::string_view asked : {rows[0]}) {
    SCOPED_TRACE("packed");
    const Table packed = table_of(asked, counted_to(11 + static_cast<std::int64_t>(random() % 10)));
    expect_no_less(identify(packed.view()), packed.view(), preset(asked).convention);
    EXPECT_NE(findings_of(packed.view(), asked).find("rows are at other positions"), std::string::npos);
  }
}

// A convention that differs from the table in one field, and the finding that says so.
struct OtherField {
  std::string_view preset, field;
  FieldValue value;
  std::string_view words;
};
const OtherField other_fields[] = {
    {"rope-half", "ladder.base", 500000, "base is 10000, not 500000"},
    {"llama4-text", "ladder.base", 10000, "base is 500000, not 10000"},
    {"transformer", "ladder.base", 500000, "base is 10000, not 500000"},
    {"transformer", "layout", "sine_first", "columns are interleaved, in halves (sine_first) asked"},
    {"transformer", "layout", "cosine_first", "columns are interleaved, in halves (cosine_first) asked"}};

bool is_unexplained(std::string_view kind) {
  return kind.starts_with("learned from a sinusoid") || kind.starts_with("alike, but no known fault");
}

TEST(KnownFaults, AFaultBesideAnotherField) {
  std::mt19937 random(41);
  const auto expect_both = [](std::string_view name, Table& table, const OtherField& other) {
    SCOPED_TRACE(std::string(name) + " of " + std::string(other.preset) + ", asked " + std::string(other.field));
    const Convention asked = with_field(preset(other.preset).convention, other.field, other.value);
    const Identification found = identify(table.view());
    if (is_unexplained(found.kind)) return;
    // Numbers that are none, zeros and one number everywhere say nothing of fields.
    const bool says_fields =
        found.kind.find("row") != std::string::npos || found.kind.find("column") != std::string::npos;
    expect_no_less(found, table.view(), asked, says_fields ? other.words : "");
  };
  for (std::size_t i = 0; i < 2 * std::size(planted); ++i) {  // each beside two fields
    const PlantedFault& fault = planted[i / 2];
    const OtherField& other = other_fields[(i / 2 + 3 * (i % 2)) % std::size(other_fields)];
    Table table = table_of(other.preset, counted_to(L));
    fault.plant(table, 4 + static_cast<std::int64_t>(random() % 16));
    expect_both(fault.name, table, other);
  }
  for (const OtherField& other : other_fields) {
    Table packed = table_of(other.preset, counted_to(11 + static_cast<std::int64_t>(random() % 10)));
    expect_both("packed", packed, other);
  }
}

TEST(KnownFaults, RowsThatAllHoldOnePositionBesideAnotherField) {
  for (const OtherField& other : other_fields) {
    const Table table = table_of(other.preset, std::vector<std::int64_t>(L, 5));
    const Convention asked = with_field(preset(other.preset).convention, other.field, other.value);
    const std::string findings = findings_of(table.view(), asked);
    EXPECT_TRUE(findings.starts_with(other.words)) << findings;
    EXPECT_TRUE(findings.ends_with("\nall 40 rows hold position 5\n")) << findings;
    EXPECT_EQ(std::ranges::count(findings, '\n'), 2) << findings;
  }
  // The name of a single axis does not affect entries.
  const std::string findings =
      findings_of(table_of("rope-half", std::vector<std::int64_t>(L, 5)).view(), "transformer");
  EXPECT_EQ(findings.find("axes"), std::string::npos) << findings;
  EXPECT_TRUE(findings.ends_with("\nall 40 rows hold position 5\n")) << findings;
}

// Zero rows in front take positions of their own if the other rows continue from them, whatever other field is wrong.
TEST(KnownFaults, RowsOfZerosInFrontBesideAnotherField) {
  for (const OtherField& other : other_fields) {
    const Convention asked = with_field(preset(other.preset).convention, other.field, other.value);
    for (const std::int64_t zeros : {1, 3}) {
      const std::string rows = zeros == 1 ? "row 0 is zero: padding\n" : "rows 0, 1, 2 are zero: padding\n";
      for (const std::int64_t first : {0, 5}) {
        std::vector<std::int64_t> places;
        for (std::int64_t p = 0; p < L; ++p) places.push_back(first + p);
        Table table = table_of(other.preset, places);
        std::fill_n(table.entries.begin(), zeros * d, 0.0F);
        const std::string findings = findings_of(table.view(), asked);
        EXPECT_TRUE(findings.starts_with(other.words)) << findings;
        EXPECT_TRUE(findings.ends_with("\n" + (first == 0 ? rows : "row p holds position p + 5\n"))) << findings;
      }
      std::vector<std::int64_t> behind;
      for (std::int64_t p = 0; p < L; ++p) behind.push_back(std::max<std::int64_t>(p - zeros, 0));
      Table table = table_of(other.preset, behind);
      std::fill_n(table.entries.begin(), zeros * d, 0.0F);
      const std::string findings = findings_of(table.view(), asked);
      EXPECT_NE(findings.find("in front belong"), std::string::npos) << findings;
      EXPECT_EQ(findings.find("row p holds"), std::string::npos) << findings;
    }
  }
}

TEST(KnownFaults, ZeroHasNoSign) {
  for (const std::string_view asked : {"paddle-fluid-bug", "transformer", "rope-half", "whisper"}) {
    const Table packed = table_of(asked, counted_to(15));
    const std::string findings = findings_of(packed.view(), asked);
    EXPECT_NE(findings.find("row 15 holds position 0,"), std::string::npos) << asked << ": " << findings;
    EXPECT_EQ(identify(packed.view()).kind.find("-0"), std::string::npos) << asked;
  }
}

// A candidate of identify with another offset or scale is a finding of diagnose.
TEST(KnownFaults, ADiagnosisSaysWhatACandidateSays) {
  for (const std::string_view asked : {"rope-half", "transformer"}) {
    std::vector<std::int64_t> places;
    for (std::int64_t p = 0; p < L; ++p) places.push_back(p + 5);
    Table table = table_of(asked, places);
    const Identification shifted = identify(table.view());
    ASSERT_FALSE(shifted.candidates.empty()) << asked;
    EXPECT_EQ(shifted.candidates[0].places[0].first, 5) << asked;
    EXPECT_EQ(findings_of(table.view(), asked), "row p holds position p + 5\n") << asked;
    table = table_of(asked, counted_to(L));
    for (float& entry : table.entries) entry *= 3;
    const Identification scaled = identify(table.view());
    ASSERT_FALSE(scaled.candidates.empty()) << asked;
    EXPECT_NE(to_string(scaled).find("3"), std::string::npos);
    const std::string findings = findings_of(table.view(), asked);
    EXPECT_NE(findings.find("scaled by 3"), std::string::npos) << asked << ": " << findings;
  }
}

// A column that is damaged leaves a cache of cosines beside sines what it is.
TEST(KnownFaults, AColumnOfACache) {
  Table table = table_of("rope-half", counted_to(L));
  for (std::int64_t p = 0; p < L; ++p) table.at(p, 7) = 0;
  EXPECT_EQ(findings_of(table.view(), "rope-half"), "column 7 is zero\n");
  for (std::int64_t p = 0; p < L; ++p) table.at(p, 7) = 0.3F;
  EXPECT_EQ(findings_of(table.view(), "rope-half"), "column 7 is damaged\n");
}

// The number of filled rows and their first position do not matter.
TEST(KnownFaults, RowsThatWereNotFilled) {
  for (const std::string_view asked : {"rope-half", "transformer", "whisper"}) {
    for (const std::int64_t filled : {29, 20, 4}) {
      for (const std::int64_t first : {0, 5}) {
        std::vector<std::int64_t> places;
        for (std::int64_t p = 0; p < L; ++p) places.push_back(first + p);
        Table table = table_of(asked, places);
        std::fill(table.entries.begin() + filled * d, table.entries.end(), 0.0F);
        const std::string words = "rows " + std::to_string(filled) + " to 39 are zero";
        const std::string moved = first == 0 ? "" : "row p holds position p + 5\n";
        EXPECT_EQ(findings_of(table.view(), asked), words + "\n" + moved) << asked;
        EXPECT_EQ(identify(table.view()).kind, words) << asked;
      }
    }
  }
}

// The wrong entries are those, not all beside them.
TEST(KnownFaults, NumbersThatAreNoneAreCounted) {
  Table table = table_of("rope-half", counted_to(L));
  for (std::int64_t p = 0; p < L; ++p) table.at(p, 7) = none;
  Diagnosis found = diagnose(table.view(), preset("rope-half").convention);
  EXPECT_EQ(found.findings, std::vector<std::string>{"40 entries are not finite, the first is [0, 7]"});
  EXPECT_EQ(std::pair(found.wrong, found.entries), std::pair(L, L * d));
  EXPECT_EQ(found.explained, 1);
  std::ranges::fill(table.entries, none);
  found = diagnose(table.view(), preset("rope-half").convention);
  EXPECT_EQ(std::pair(found.wrong, found.entries), std::pair(L * d, L * d));
  for (const std::int64_t width : {d, 2 * d}) {  // that of the table, and one that no reading of it has
    found = diagnose(table.view(), preset("rope-half").convention, {.dim = width});
    EXPECT_EQ(std::pair(found.wrong, found.entries), std::pair(L * d, L * d)) << width;
  }
}

TEST(KnownFaults, RowsThatAllHoldOnePosition) {
  for (const std::int64_t place : {0, 5}) {
    const Table table = table_of("rope-half", std::vector<std::int64_t>(L, place));
    const std::string words = "all 40 rows hold position " + std::to_string(place);
    EXPECT_EQ(findings_of(table.view(), "rope-half"), words + "\n");
    // Stated, they are right; so is one row that a batch repeats.
    const std::vector<std::int64_t> stated(L, place);
    DiagnoseOptions options;
    options.identify.positions = {Positions::list(view(stated.data(), {L}))};
    EXPECT_TRUE(diagnose(table.view(), preset("rope-half").convention, options).right);
    ConstView batch = view(table.entries.data(), {L, 1, d});
    EXPECT_EQ(diagnose(batch, preset("rope-half").convention).right, place == 0);
  }
}

TEST(KnownFaults, ListsAreHeldToWhatIdentifyFinds) {
  std::vector<float> list;
  for (int k = 0; k < 32; ++k) list.push_back(static_cast<float>(std::pow(100.0, -k / 32.0)));
  const ConstView view = posenc::view(std::as_const(list).data(), {32});
  const std::string findings = findings_of(view, "rope-linear");
  EXPECT_NE(findings.find("base is 100, not 10000"), std::string::npos) << findings;
  EXPECT_EQ(findings.find("axes"), std::string::npos) << "a list has none: " << findings;
  EXPECT_EQ(findings.find("pairing"), std::string::npos) << findings;
  list[5] = none;
  EXPECT_EQ(findings_of(view, "rope-half"), identify(view).kind + "\n");
  std::ranges::fill(list, 0.0F);
  EXPECT_NE(findings_of(view, "rope-half").find(identify(view).kind), std::string::npos);
}

// Cosines of cells of 4 x 6, or rows of them.
struct CellTable {
  std::vector<float> entries;
  ConstView view;
};
CellTable cells_of(std::string_view preset, const std::array<std::vector<double>, 2>& places) {
  const Convention& convention = posenc::preset(preset).convention;
  CellTable table = {std::vector<float>(24 * d), {}};
  const View out = posenc::view(table.entries.data(), {24, d});
  std::vector<Positions> lists;
  for (const std::vector<double>& list : places) lists.push_back(Positions::list(view(list.data(), {24})));
  if (family(convention) == "rotary") {
    RotaryCache(with_field(convention, "stored", "halves_twice"), d).write("cos", lists, out);
  } else {
    Rows(convention, d).write(lists, out);
  }
  table.view = view(std::as_const(table.entries).data(), {4, 6, d});
  return table;
}

TEST(KnownFaults, CellsThatHoldOthers) {
  std::array<std::vector<double>, 2> rows, swapped, by_column;  // y, x
  for (int i = 0; i < 24; ++i) {
    rows[0].push_back(i / 6), rows[1].push_back(i % 6);
    swapped[0].push_back(i % 6), swapped[1].push_back(i / 6);
    by_column[0].push_back(i % 4), by_column[1].push_back(i / 4);
  }
  ASSERT_EQ(axes_of(preset("rope2d-pixtral").convention), (std::vector<std::string>{"y", "x"}));
  const CellTable right = cells_of("rope2d-pixtral", rows);
  EXPECT_TRUE(diagnose(right.view, preset("rope2d-pixtral").convention).right);
  EXPECT_EQ(findings_of(cells_of("rope2d-pixtral", swapped).view, "rope2d-pixtral"),
            "x and y swapped: of 4 x 6 cells\n");
  EXPECT_EQ(findings_of(cells_of("rope2d-pixtral", by_column).view, "rope2d-pixtral"),
            "4 x 6 cells stand column by column: exchange the two axes of cells\n");
  std::swap(by_column[0], by_column[1]);  // x, y
  EXPECT_EQ(findings_of(cells_of("mae-2d", by_column).view, "mae-2d"),
            "4 x 6 cells stand column by column: exchange the two axes of cells\n");
}

// Presets with another number of axes than the stated lists of positions are no candidates.
TEST(KnownFaults, ListsOfOtherNumbersOfAxes) {
  for (const std::string_view asked : {"rope2d-pixtral", "mae-2d", "mrope-chunk"}) {
    const Convention& convention = preset(asked).convention;
    std::mt19937 random(43);
    std::normal_distribution<float> normal;
    std::vector<float> entries(24 * d);
    for (float& entry : entries) entry = normal(random);
    std::vector<double> places;
    for (int i = 0; i < 24; ++i) places.push_back(i / 6);
    DiagnoseOptions options;
    for (std::size_t axis = 0; axis < axes_of(convention).size(); ++axis) {
      options.identify.positions.push_back(Positions::list(view(std::as_const(places).data(), {24})));
    }
    EXPECT_FALSE(diagnose(view(std::as_const(entries).data(), {24, d}), convention, options).right) << asked;
  }
}

// Cells of several axes that one list of positions is stated for: 0 to 23 count them, others are places of the
// diagonal.
TEST(KnownFaults, OneListOfPositionsThatCountsCells) {
  std::array<std::vector<double>, 2> rows;  // y, x
  for (int i = 0; i < 24; ++i) rows[0].push_back(i / 6), rows[1].push_back(i % 6);
  const CellTable right = cells_of("rope2d-pixtral", rows);
  const ConstView flat = view(right.entries.data(), {24, d});
  const Convention& pixtral = preset("rope2d-pixtral").convention;
  DiagnoseOptions options;
  options.identify.positions = {Positions::range(0, 24)};
  const Diagnosis counted = diagnose(flat, pixtral, options);
  EXPECT_TRUE(counted.right) << to_string(counted);
  EXPECT_EQ(counted.findings,
            std::vector<std::string>{"positions count the cells, and each axis has places of its own"});
  EXPECT_EQ(counted.entries, flat.count());
  EXPECT_EQ(counted.wrong, 0);
  std::swap(rows[0], rows[1]);
  const CellTable swapped = cells_of("rope2d-pixtral", rows);
  EXPECT_EQ(findings_of(view(swapped.entries.data(), {24, d}), "rope2d-pixtral", options),
            findings_of(view(swapped.entries.data(), {24, d}), "rope2d-pixtral"));
  options.identify.positions = {Positions::range(1, 24)};
  EXPECT_EQ(findings_of(flat, "rope2d-pixtral", options),
            "right as cells without positions: one list stands for every axis; state none, or one for each\n");
  std::array<std::vector<double>, 2> diagonal;
  for (int i = 0; i < 24; ++i) diagonal[0].push_back(i), diagonal[1].push_back(i);
  const CellTable along = cells_of("rope2d-pixtral", diagonal);
  options.identify.positions = {Positions::range(0, 24)};
  const Diagnosis stated = diagnose(view(along.entries.data(), {24, d}), pixtral, options);
  EXPECT_TRUE(stated.right) << to_string(stated);
  EXPECT_TRUE(stated.findings.empty()) << to_string(stated);
}

// LongRoPE's list of the other regime is one finding, and so is a list of neither, not a line for each number.
TEST(KnownFaults, ListsOfDivisorsAreOneFinding) {
  const Convention& convention = preset("rope-longrope").convention;
  const std::int64_t width = 96;
  const RotaryCache cache(with_field(convention, "stored", "halves_twice"), width, {.context = {.length = 1 << 17}});
  std::vector<float> list;
  for (const double w : cache.frequencies()) list.push_back(static_cast<float>(w));
  const Diagnosis found =
      diagnose(view(std::as_const(list).data(), {width / 2}), convention, {.context = {.length = 100}});
  ASSERT_FALSE(found.right);
  EXPECT_EQ(found.findings.size(), 1) << to_string(found);
  EXPECT_NE(found.findings[0].find("the frequencies are those of a length of"), std::string::npos) << found.findings[0];
}

// Rows are counted from the tensor's first row, a row of zeros in front included, in words and in numbers.
TEST(KnownFaults, RowsAreCountedFromTheFirst) {
  std::vector<float> sines;
  for (int i = 0; i < 128; ++i) {
    for (int k = 0; k < 32; ++k) sines.push_back(static_cast<float>(std::sin(i % 64 * std::pow(1e4, -k / 32.0))));
  }
  const ConstView twice = view(std::as_const(sines).data(), {128, 32});
  const Identification found = identify(twice);
  EXPECT_NE(found.kind.find("row 64 holds position 0"), std::string::npos) << found.kind;
  EXPECT_NE(found.kind.find("64 of 128 rows"), std::string::npos) << found.kind;
  ASSERT_TRUE(found.nearest);
  EXPECT_EQ(found.nearest->exact.first[0], 64);
  EXPECT_NE(findings_of(twice, "llama").find("row 64 holds position 0"), std::string::npos);
  for (const std::int64_t damaged : {40, 90}) {
    std::vector<float> one(sines.begin(), sines.begin() + 64 * 32);
    const std::int64_t row = damaged % 64;
    for (std::int64_t c = 0; c < 32; ++c) one[static_cast<std::size_t>(row * 32 + c)] += 0.3F;
    one.insert(one.begin(), 2 * 32, 0.0F);  // padding
    const Identification told = identify(view(std::as_const(one).data(), {66, 32}));
    EXPECT_NE(told.kind.find("row " + std::to_string(row + 2) + " is damaged"), std::string::npos) << told.kind;
  }
}

// ---- what a rotation that was identified says ------------------------------------------------------------

Identification turned(std::span<const double> places, std::int64_t width, std::string_view recipe_name) {
  const auto count = std::ssize(places);
  std::vector<float> before(static_cast<std::size_t>(count * width)), after(before.size());
  std::mt19937 random(7);
  std::normal_distribution<float> normal;
  for (float& x : before) x = normal(random);
  const Positions positions = Positions::list(view(places.data(), {count}));
  const ConstView from = view(std::as_const(before).data(), {count, width});
  rotary(preset("llama").convention, positions, from, view(after.data(), {count, width}), Direction::forward,
         {.recipe = recipe(recipe_name)});
  return identify_rotation(from, view(std::as_const(after).data(), {count, width}), positions);
}

TEST(KnownFaults, RotationsSayWhatWasHeldAndMeasured) {
  std::vector<double> places;
  for (int p = 0; p < 9000; ++p) places.push_back(p);
  const Identification found = turned(places, 128, "f32-reciprocal");
  ASSERT_FALSE(found.candidates.empty());
  const Candidate& candidate = found.candidates[0];
  ASSERT_NE(candidate.recipe, "exact");
  EXPECT_LT(candidate.by_recipe.entries, candidate.exact.entries);
  EXPECT_TRUE(found.sampled);
  EXPECT_EQ(candidate.known_share, 0);
}

TEST(KnownFaults, PositionsThatWereListedHaveNoStep) {
  for (const std::vector<double>& places :
       {std::vector<double>{0, 1, 2, 3, 4, 5, 0, 1, 2, 3, 4, 5, 6, 7, 8}, {1000, 981, 750.5, 3, 4, 17, 20, 22, 90}}) {
    const Identification found = turned(places, 64, "exact");
    ASSERT_FALSE(found.candidates.empty()) << to_string(found);
    const AxisPlaces& along = found.candidates[0].places[0];
    EXPECT_EQ(along.first, places[0]);
    EXPECT_EQ(along.step, std::nullopt);
    EXPECT_EQ(to_string(found).find("in steps of"), std::string::npos) << to_string(found);
    EXPECT_NE(to_string(found).find(" on, as they were listed"), std::string::npos) << to_string(found);
  }
  const Identification spaced = turned(std::vector<double>{3, 5, 7, 9, 11, 13, 15, 17}, 64, "exact");
  EXPECT_EQ(spaced.candidates.at(0).places[0].step, 2);
}

}  // namespace
}  // namespace posenc::known_faults
