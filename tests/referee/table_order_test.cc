// SPDX-License-Identifier: Apache-2.0
// Tables moved from layout to layout, and the proof that a table is what it is said to be.
#include <gtest/gtest.h>
#include <posenc/preset.h>
#include <posenc/referee/table_order.h>
#include <posenc/rows.h>
#include <posenc/sinusoid.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "tests/encodings/said.h"

namespace posenc {
namespace {

using test::said;
using Columns = std::vector<std::int64_t>;

const Convention& paper = preset("transformer").convention;
Convention laid_out(std::string_view layout) { return with_field(paper, "layout", layout); }

template <class T = float>
std::vector<T> rows_of(const Convention& convention, std::int64_t first, std::int64_t rows, std::int64_t dim) {
  std::vector<T> table(static_cast<std::size_t>(rows * dim));
  sinusoid(convention, Positions::range(first, rows), view(table.data(), {rows, dim}));
  return table;
}

TEST(TableOrder, SaysWhichColumnEachOneWas) {
  const auto order = [](std::string_view from, std::string_view to) {
    return table_order(laid_out(from), laid_out(to), 6);
  };
  EXPECT_EQ(order("interleaved", "sine_first"), (Columns{0, 2, 4, 1, 3, 5}));
  EXPECT_EQ(order("interleaved", "cosine_first"), (Columns{1, 3, 5, 0, 2, 4}));
  EXPECT_EQ(order("sine_first", "interleaved"), (Columns{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(order("sine_first", "cosine_first"), (Columns{3, 4, 5, 0, 1, 2}));
  EXPECT_EQ(order("sine_first", "sine_first"), (Columns{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(table_order(paper, laid_out("sine_first"), 2), (Columns{0, 1}));
}

TEST(TableOrder, AReorderedTableIsTheTableOfTheOtherLayout) {
  int orders = 0;
  for (const Preset& each : presets()) {
    if (check_use("test", ConventionUse::rows, each.convention)) continue;
    for (const std::int64_t dim : {16, 17, 6, 5}) {
      for (const std::string_view layout : {"interleaved", "sine_first", "cosine_first"}) {
        const FieldChange change[] = {{"layout", layout}};
        const Context context = {.learned = 1};
        if (check_changes(each.convention, change)) continue;
        const Convention to = with_fields(each.convention, change);
        if (check_table_order(each.convention, to, dim, {.context = context})) continue;
        const std::int64_t width = columns(to, dim);
        std::vector<float> from(static_cast<std::size_t>(7 * width)), moved(from.size()), made(from.size());
        const auto shape = [&](std::vector<float>& table) { return view(table.data(), {7, width}); };
        Rows(each.convention, dim, {.context = context}).write(Positions::range(2, 7), shape(from));
        Rows(to, dim, {.context = context}).write(Positions::range(2, 7), shape(made));
        reorder_columns(table_order(each.convention, to, dim, {.context = context}), shape(from), shape(moved));
        EXPECT_EQ(moved, made) << each.name << " " << layout << " " << dim;
        ++orders;
      }
    }
  }
  EXPECT_GT(orders, 300);
}

TEST(TableOrder, GridsAreRowsOfSeveralAxes) {
  const Convention& mae = preset("mae-2d").convention;  // [s c of y | s c of x], or the other way
  const Columns order = table_order(mae, with_field(mae, "layout", "interleaved"), 8);
  EXPECT_EQ(order, (Columns{0, 2, 1, 3, 4, 6, 5, 7}));
}

TEST(TableOrder, ColumnsMoveInAnyStrides) {
  const std::vector<std::int32_t> in = {0, 1, 2, 10, 11, 12};
  std::vector<std::int32_t> out(12, -1);
  const Columns order = {2, 0, 1};
  reorder_columns(order, view(in.data(), {2, 3}), {out.data() + 11, DType::i32, 2, {2, 3}, {-6, -2}});
  EXPECT_EQ(out, (std::vector<std::int32_t>{-1, 11, -1, 10, -1, 12, -1, 1, -1, 0, -1, 2}));
}

TEST(TableOrder, RefusesOtherNumbers) {
  const auto order = [](const Convention& from, const Convention& to, std::int64_t dim) {
    return said(check_table_order(from, to, dim));
  };
  EXPECT_EQ(order(paper, preset("rope-half").convention, 8), "[table_order] the convention must be waves, got rotary");
  EXPECT_EQ(order(paper, with_field(paper, "ladder.base", 500), 8),
            "[table_order] both rows must have the same ladders, got others");
  EXPECT_EQ(order(paper, with_field(paper, "scale", 2), 8), "[table_order] both rows must have one scale, got two");
  EXPECT_EQ(order(paper, paper, 7), said(check_width(paper, 7)));
  EXPECT_EQ(order(paper, with_field(paper, "parts", "sine"), 8),
            "[table_order] both rows must have as many columns, got 8 and 4");
  std::vector<float> table(12);
  const Columns twice = {0, 1, 1}, three = {0, 1, 2}, beyond = {0, 3, 1};
  const auto moved = [&](const Columns& columns, const ConstView& in, const View& out) {
    return said(check_reorder_columns(columns, in, out));
  };
  const View first = view(table.data(), {2, 3}), second = view(table.data() + 6, {2, 3});
  EXPECT_EQ(moved(three, first, second), "nothing");
  EXPECT_EQ(moved(twice, first, second), "[reorder_columns] the order must have each column once, got 1");
  EXPECT_EQ(moved(beyond, first, second), "[reorder_columns] the order must have each column once, got 3");
  EXPECT_EQ(moved(three, first, view(table.data() + 6, {3, 2})), "[reorder_columns] out must have 3 columns, got 2");
  EXPECT_EQ(moved(three, first, view(table.data() + 6, {1, 3})),
            "[reorder_columns] in must have type and shape of out, got others");
  EXPECT_NE(moved(three, first, first), "nothing");
}

// ---- proof ------------------------------------------------------------------------------------------------------

TEST(TableProof, AnExactTableIsEqualInEveryEntry) {
  for (const std::int64_t first : {0, -5, 100000}) {
    std::vector<float> table = rows_of(paper, first, 130, 12);
    const TableProof proof = prove_table(paper, first, view(table.data(), {130, 12}));
    EXPECT_EQ((std::tuple(proof.entries, proof.equal, proof.furthest)), (std::tuple(1560, 1560, 0.0)));
    EXPECT_FALSE(proof.outside);
  }
  EXPECT_EQ(prove_table(paper, 0, view(static_cast<const float*>(nullptr), {0, 12})).entries, 0);
}

// The arithmetic of the usual tutorial, in f32 throughout.
TEST(TableProof, ATableMadeInF32LiesWithinItsBound) {
  constexpr std::int64_t rows = 3000, dim = 64;
  std::vector<float> table;
  for (std::int64_t p = 0; p < rows; ++p) {
    for (std::int64_t c = 0; c < dim; ++c) {
      const float w = std::exp(static_cast<float>(c - c % 2) * (-std::log(10000.0f) / static_cast<float>(dim)));
      table.push_back(c % 2 == 0 ? std::sin(static_cast<float>(p) * w) : std::cos(static_cast<float>(p) * w));
    }
  }
  const TableProof proof = prove_table(paper, 0, view(table.data(), {rows, dim}));
  EXPECT_FALSE(proof.outside);
  EXPECT_LT(proof.equal, proof.entries);
  EXPECT_GT(proof.furthest, 1e-5);
  std::vector<bfloat16> narrow;
  for (const float x : table) narrow.push_back(bfloat16(x));
  EXPECT_FALSE(prove_table(paper, 0, view(narrow.data(), {rows, dim})).outside);
}

TEST(TableProof, NamesTheFirstEntryOfAnotherTable) {
  using Place = std::array<std::int64_t, 2>;
  const auto outside = [](std::vector<float> table) {
    return prove_table(paper, 0, view(table.data(), {300, 8})).outside;
  };
  EXPECT_FALSE(outside(rows_of(paper, 0, 300, 8)));
  EXPECT_EQ(outside(rows_of(laid_out("sine_first"), 0, 300, 8)), (Place{0, 1}));
  EXPECT_EQ(outside(rows_of(paper, 1, 300, 8)), (Place{0, 0}));
  EXPECT_EQ(outside(rows_of(with_field(paper, "ladder.base", 500000), 0, 300, 8)), (Place{1, 2}));
  EXPECT_TRUE(outside(rows_of(with_field(paper, "ladder.base", 10001), 0, 300, 8))) << "frequencies 2^-14 off";
  std::vector<float> table = rows_of(paper, 0, 300, 8);
  table[8 * 123 + 5] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(outside(table), (Place{123, 5}));
  table = rows_of(paper, 0, 300, 8);
  for (std::size_t row = 0; row < 300; ++row) {  // angles rounded to bf16: the first that is not one is 257
    table[8 * row] = std::sin(static_cast<float>(bfloat16(static_cast<float>(row))));
  }
  EXPECT_EQ(outside(table), (Place{257, 0}));
}

TEST(TableProof, RefusesWhatIsNoTable) {
  std::vector<float> table(24);
  const auto of = [](const Convention& convention, std::int64_t first, const ConstView& view) {
    return said(check_prove_table(convention, first, view));
  };
  EXPECT_EQ(of(paper, 0, view(table.data(), {24})), "[prove_table] table must have shape [L, d], got 1 axes");
  EXPECT_EQ(of(preset("rope-half").convention, 0, view(table.data(), {3, 8})).substr(0, 39),
            "[prove_table] the convention must be wa");
  EXPECT_EQ(of(paper, 0, view(table.data(), {8, 3})), said(check_width(paper, 3)));
  const std::vector<std::int32_t> whole(24);
  EXPECT_EQ(of(paper, 0, view(whole.data(), {3, 8})), "[prove_table] table must be f32, f64, f16 or bf16, got i32");
  EXPECT_NE(of(paper, std::numeric_limits<std::int64_t>::max(), view(table.data(), {3, 8})), "nothing");
}

}  // namespace
}  // namespace posenc
