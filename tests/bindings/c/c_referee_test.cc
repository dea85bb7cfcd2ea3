// SPDX-License-Identifier: Apache-2.0
// posenc for C: what the referee finds, and orders of columns, beside their C++ twins; numbers out of range.
#include <posenc/grid.h>
#include <posenc/referee/referee.h>
#include <posenc/rotary.h>
#include <posenc/sinusoid.h>

#include <algorithm>

#include "tests/bindings/c/c_calls.h"

namespace posenc {
namespace {

using Verdict = std::unique_ptr<posenc_verdict, Free<posenc_verdict, posenc_verdict_free>>;

template <class Make>
Verdict verdict(const Make& make) {
  return made<posenc_verdict, posenc_verdict_free>(make);
}

Tensor<float> whisper_rows() {
  Tensor<float> rows({60, 64});
  sinusoid(preset("whisper").convention, Positions::range(100, 60), rows.own());
  return rows;
}

TEST(CReferee, IdentifiesAsTheLibraryDoes) {
  Tensor<float> rows = whisper_rows();
  const posenc_view tensor = rows.c();
  const posenc_positions at = range(100, 60);
  const posenc_run run = {sizeof run, POSENC_BY_SIZE, {nullptr, nullptr}};
  const posenc_identify_options options = {sizeof options, POSENC_FULL, &at, 1, &run};
  const Identification plain = identify(rows.own());
  IdentifyOptions known;
  known.depth = SearchDepth::full;
  known.positions = {Positions::range(100, 60)};
  const Identification placed = identify(rows.own(), known);
  ASSERT_FALSE(plain.candidates.empty());
  for (const bool is_placed : {false, true}) {
    const Identification& expected = is_placed ? placed : plain;
    const Verdict found = verdict(
        [&](auto out, auto error) { return posenc_identify(&tensor, is_placed ? &options : nullptr, out, error); });
    EXPECT_EQ(posenc_verdict_json(found.get()), to_json(expected));
    EXPECT_EQ(posenc_verdict_text(found.get()), to_string(expected));
    EXPECT_EQ(posenc_verdict_holds(found.get()), 1u);
    std::vector<std::string> names, expected_names;
    for (std::size_t i = 0; const char* name = posenc_verdict_preset(found.get(), i); ++i) names.emplace_back(name);
    for (const Candidate& each : expected.candidates) {
      expected_names.insert(expected_names.end(), each.presets.begin(), each.presets.end());
    }
    EXPECT_EQ(names, expected_names);
    EXPECT_EQ(std::ranges::count(names, "whisper"), 1);
  }
}

TEST(CReferee, SaysWhatIsNotIdentified) {
  auto counted = Tensor<float>({8, 4}).counted(0.37f);
  const posenc_view tensor = counted.c();
  const Verdict found = verdict([&](auto out, auto error) { return posenc_identify(&tensor, nullptr, out, error); });
  EXPECT_EQ(posenc_verdict_holds(found.get()), 0u);
  EXPECT_EQ(posenc_verdict_preset(found.get(), 0), nullptr);
  EXPECT_EQ(posenc_verdict_json(found.get()), to_json(identify(counted.own())));
}

TEST(CReferee, IdentifiesARotation) {
  Tensor<float> before({16, 8}), after({16, 8});
  for (std::size_t i = 0; i < before.numbers.size(); ++i) before.numbers[i] = static_cast<float>(i * 37 % 101) - 50;
  const Positions at = Positions::range(0, 16);
  rotary(preset("rope-half").convention, at, before.own(), after.own());
  const posenc_view was = before.c(), is = after.c();
  const posenc_positions positions = range(0, 16);
  const Verdict found = verdict(
      [&](auto out, auto error) { return posenc_identify_rotation(&was, &is, &positions, nullptr, out, error); });
  EXPECT_EQ(posenc_verdict_holds(found.get()), 1u);
  EXPECT_EQ(posenc_verdict_json(found.get()), to_json(identify_rotation(before.own(), after.own(), at)));
}

TEST(CReferee, ChecksAsTheLibraryDoes) {
  Tensor<float> rows = whisper_rows();
  const posenc_view tensor = rows.c();
  const posenc_positions late = range(100, 60), early = range(0, 60);
  for (const posenc_positions* positions : {&late, &early}) {
    const bool right = positions == &late;
    const posenc_identify_options placed = {sizeof placed, 0, positions, 1, nullptr};
    const posenc_check_options options = {sizeof options, 0, 64, nullptr, &placed, nullptr, nullptr, nullptr};
    const Verdict found = verdict(
        [&](auto out, auto error) { return posenc_check(&tensor, described("whisper").get(), &options, out, error); });
    DiagnoseOptions own;
    own.dim = 64;
    own.identify.positions = {Positions::range(positions->start, 60)};
    const Diagnosis expected = diagnose(rows.own(), preset("whisper").convention, own);
    EXPECT_EQ(expected.right, right);
    EXPECT_EQ(posenc_verdict_holds(found.get()), right ? 1u : 0u);
    EXPECT_EQ(posenc_verdict_json(found.get()), to_json(expected));
    EXPECT_EQ(posenc_verdict_text(found.get()), to_string(expected));
  }
}

TEST(CReferee, ChecksCellsByTheirPlaces) {
  Tensor<float> rows({4, 4, 32});
  grid(preset("detr-sine").convention, rows.own());
  const posenc_view tensor = rows.c();
  posenc_places places = {};
  run([&](auto error) { return posenc_preset_places("detr-sine", &places, error); });
  const posenc_check_options options = {sizeof options, 0, 0, nullptr, nullptr, &places, nullptr, nullptr};
  DiagnoseOptions own;
  own.places = preset("detr-sine").places;
  const Verdict found = verdict(
      [&](auto out, auto error) { return posenc_check(&tensor, described("detr-sine").get(), &options, out, error); });
  EXPECT_EQ(posenc_verdict_json(found.get()), to_json(diagnose(rows.own(), preset("detr-sine").convention, own)));
}

TEST(CReferee, ComparesAsTheLibraryDoes) {
  const posenc_positions at = range(3, 20);
  const posenc_compare_options options = {sizeof options, 0, 16, &at, 1, nullptr, nullptr};
  const Verdict found = verdict([&](auto out, auto error) {
    return posenc_compare(described("transformer").get(), described("whisper").get(), &options, out, error);
  });
  CompareOptions own;
  own.dim = 16, own.positions = {Positions::range(3, 20)};
  const Comparison expected = compare(preset("transformer").convention, preset("whisper").convention, own);
  EXPECT_EQ(posenc_verdict_json(found.get()), to_json(expected));
  EXPECT_EQ(posenc_verdict_text(found.get()), to_string(expected));
  EXPECT_EQ(posenc_verdict_holds(found.get()), 0u);
  const Verdict same = verdict([&](auto out, auto error) {
    return posenc_compare(described("transformer").get(), described("opennmt").get(), nullptr, out, error);
  });
  EXPECT_EQ(posenc_verdict_holds(same.get()), 1u);
}

TEST(CReferee, ExplainsAsTheLibraryDoes) {
  const posenc_positions at = range(10, 1);
  const double before[] = {3, -4};
  for (const double* values : {static_cast<const double*>(nullptr), before}) {
    const posenc_entry entry = {sizeof entry, POSENC_KEY, 64, 37, 0, &at, 1, nullptr, values};
    const Verdict told = verdict([&](auto out, auto error) {
      return posenc_explain(described("rope-half").get(), &entry, "f32-reciprocal", out, error);
    });
    EntryAsked asked;
    asked.dim = 64, asked.column = 37, asked.at = {Positions::at(10)}, asked.side = RotatedSide::key;
    if (values != nullptr) asked.before = {3, -4};
    const Explanation expected = explain(preset("rope-half").convention, asked, {.recipe = recipe("f32-reciprocal")});
    EXPECT_EQ(posenc_verdict_json(told.get()), to_json(expected));
    EXPECT_EQ(posenc_verdict_text(told.get()), to_string(expected));
  }
  const posenc_entry entry = {sizeof entry, POSENC_KEY, 64, 37, 0, &at, 1, nullptr, nullptr};
  const Verdict original = verdict(
      [&](auto out, auto error) { return posenc_explain(described("llama").get(), &entry, "original", out, error); });
  EntryAsked asked;
  asked.dim = 64, asked.column = 37, asked.at = {Positions::at(10)}, asked.side = RotatedSide::key;
  EXPECT_EQ(posenc_verdict_json(original.get()),
            to_json(explain(preset("llama").convention, asked, {.recipe = preset("llama").original})));
}

TEST(CReferee, TellsWhereTwoPart) {
  const Verdict apart = verdict([&](auto out, auto error) {
    return posenc_parting(described("transformer").get(), described("whisper").get(), 64, 100, nullptr, out, error);
  });
  const auto expected = parting(preset("transformer").convention, preset("whisper").convention, 64, 100);
  ASSERT_TRUE(expected);
  EXPECT_EQ(posenc_verdict_json(apart.get()), to_json(*expected));
  EXPECT_EQ(posenc_verdict_holds(apart.get()), 0u);
  const Verdict same = verdict([&](auto out, auto error) {
    return posenc_parting(described("transformer").get(), described("opennmt").get(), 64, 100, nullptr, out, error);
  });
  EXPECT_STREQ(posenc_verdict_json(same.get()), "null");
  EXPECT_EQ(posenc_verdict_holds(same.get()), 1u);
}

// ---- conformance ------------------------------------------------------------------------------------------------

TEST(CReferee, HasTheCasesOfConformance) {
  const Verdict all = verdict([](auto out, auto error) { return posenc_conformance_cases(out, error); });
  EXPECT_EQ(posenc_verdict_json(all.get()), to_json(conformance_cases()));
  EXPECT_EQ(posenc_verdict_holds(all.get()), 0u);
}

TEST(CReferee, ScoresTheValuesOfACase) {
  const ConformanceCase of = conformance_case("whisper");
  Tensor<float> rows(of.shape);
  const posenc_view tensor = rows.c();
  const auto score = [&] {
    return verdict([&](auto out, auto error) { return posenc_conformance_score("whisper", &tensor, out, error); });
  };
  run([&](auto error) { return posenc_conformance_values("whisper", nullptr, &tensor, error); });
  const Verdict right = score();
  EXPECT_EQ(posenc_verdict_holds(right.get()), 1u);
  EXPECT_EQ(posenc_verdict_json(right.get()), to_json(scored_line(of, rows.own())));
  EXPECT_NE(std::string(posenc_verdict_text(right.get())).find("exact\n"), std::string::npos);
  run([&](auto error) { return posenc_conformance_values("whisper", "original", &tensor, error); });
  EXPECT_NE(std::string(posenc_verdict_json(score().get())).find(R"("result": "recipe")"), std::string::npos);
  rows.numbers[0] = 1;
  EXPECT_EQ(posenc_verdict_holds(score().get()), 0u);
}

// ---- orders -----------------------------------------------------------------------------------------------------

TEST(CReferee, ReordersHeadsAsTheLibraryDoes) {
  const Convention from = preset("meta-llama").convention, to = preset("llama").convention;
  const HeadOrder expected = head_order(from, to, 8);
  std::vector<std::int64_t> read(8), written(8);
  run([&](auto error) {
    return posenc_head_order(described("meta-llama").get(), described("llama").get(), 8, nullptr, read.data(),
                             written.data(), error);
  });
  EXPECT_EQ(read, (std::vector<std::int64_t>{0, 2, 4, 6, 1, 3, 5, 7}));
  EXPECT_EQ(written, expected.written);

  const posenc_head_run runs[] = {{POSENC_HOLDS_QUERY, 0, 1}, {POSENC_HOLDS_VALUE, 0, 1}};
  const posenc_projection projection = {2, runs, 2};
  const auto in = Tensor<float>({32, 3}).counted(1);
  Tensor<float> out({32, 3}), twin({32, 3});
  const std::size_t bytes = in.numbers.size() * sizeof(float);
  run([&](auto error) {
    return posenc_reorder_rows(read.data(), 8, &projection, in.numbers.data(), out.numbers.data(), bytes, error);
  });
  reorder_rows(expected, Projection{2, {{Holds::query, 1}, {Holds::value, 1}}}, std::as_bytes(std::span(in.numbers)),
               std::as_writable_bytes(std::span(twin.numbers)));
  EXPECT_EQ(out.numbers, twin.numbers);
  EXPECT_EQ(out.numbers[3], in.numbers[6]) << "row 1 is row 2";

  posenc_head_proof proof = {};
  run([&](auto error) {
    return posenc_prove_head_order(described("meta-llama").get(), described("llama").get(), read.data(), written.data(),
                                   8, &projection, 1, nullptr, 7, &proof, error);
  });
  const std::vector<Projection> both = {{2, {{Holds::query, 1}, {Holds::value, 1}}}};
  const HeadProof whole = prove_head_order(from, to, expected, both, 7);
  EXPECT_EQ(proof.holds, 1u);
  EXPECT_EQ(proof.heads, whole.heads);
  EXPECT_EQ(proof.columns, 8);
  EXPECT_EQ(proof.positions, whole.positions);
  EXPECT_EQ(proof.parted, -1);
  EXPECT_EQ(proof.bound, whole.bound);

  std::swap(read[0], read[1]), std::swap(written[0], written[1]);
  run([&](auto error) {
    return posenc_prove_head_order(described("meta-llama").get(), described("llama").get(), read.data(), written.data(),
                                   8, &projection, 1, nullptr, 7, &proof, error);
  });
  EXPECT_EQ(proof.holds, 0u);
  EXPECT_GE(proof.parted, 0);
}

TEST(CReferee, ReordersTablesAsTheLibraryDoes) {
  const Described halves = [] {
    const char *path = "layout", *value = "sine_first";
    return made<posenc_convention, posenc_convention_free>([&](auto out, auto error) {
      return posenc_convention_with(described("transformer").get(), &path, &value, 1, out, error);
    });
  }();
  const Described paper = described("transformer");
  std::size_t count = 0;
  std::vector<std::int64_t> order(6);
  run([&](auto error) { return posenc_table_order(paper.get(), halves.get(), 6, nullptr, nullptr, 0, &count, error); });
  EXPECT_EQ(count, 6u);
  run([&](auto error) {
    return posenc_table_order(paper.get(), halves.get(), 6, nullptr, order.data(), 6, &count, error);
  });
  EXPECT_EQ(order, (std::vector<std::int64_t>{0, 2, 4, 1, 3, 5}));
  refused("capacity", [&](auto error) {
    return posenc_table_order(paper.get(), halves.get(), 6, nullptr, order.data(), 5, &count, error);
  });

  Tensor<float> in({4, 6}), out({4, 6});
  sinusoid(preset("transformer").convention, Positions::range(0, 4), in.own());
  const posenc_view from = in.c(), to = out.c();
  run([&](auto error) { return posenc_reorder_columns(order.data(), 6, &from, &to, error); });
  posenc_table_proof proof = {};
  run([&](auto error) { return posenc_prove_table(halves.get(), 0, &to, nullptr, &proof, error); });
  EXPECT_EQ(proof.entries, 24);
  EXPECT_EQ(proof.equal, 24);
  EXPECT_EQ(proof.row, -1);
  run([&](auto error) { return posenc_prove_table(halves.get(), 0, &from, nullptr, &proof, error); });
  EXPECT_EQ(proof.row, 0) << "where columns 1 are a sine and a cosine";
  EXPECT_EQ(proof.column, 1);
}

// ---- numbers out of range -----------------------------------------------------------------------------------------

TEST(CReferee, NumbersAreInRange) {
  Tensor<float> rows({4, 8}), other({4, 8});
  const posenc_view tensor = rows.c(), out = other.c();
  const posenc_positions at = range(0, 1), four = range(0, 4);
  const Described waves = described("transformer"), turns = described("rope-half");
  posenc_verdict* verdict = nullptr;
  std::int64_t read[] = {0, 1, 2, 3, 4, 5, 6, 7}, written[8] = {};
  posenc_head_run runs[] = {{POSENC_HOLDS_QUERY, 0, 1}};
  const auto reorder = [&](std::int64_t head, const posenc_projection& projection, std::size_t bytes) {
    refused("reorder", [&](auto error) {
      return posenc_reorder_rows(read, head, &projection, rows.numbers.data(), other.numbers.data(), bytes, error);
    });
  };
  for (const std::uint32_t depth : {3u, 257u, UINT32_MAX}) {
    const posenc_identify_options options = {sizeof options, depth, nullptr, 0, nullptr};
    refused("depth", [&](auto error) { return posenc_identify(&tensor, &options, &verdict, error); });
  }
  for (const std::size_t axes : {std::size_t{9}, SIZE_MAX}) {
    const posenc_identify_options options = {sizeof options, 0, &four, axes, nullptr};
    refused("axes", [&](auto error) { return posenc_identify(&tensor, &options, &verdict, error); });
    const posenc_entry entry = {sizeof entry, 0, 8, 1, 0, &at, axes == 9 ? 65 : axes, nullptr, nullptr};
    refused("axes", [&](auto error) { return posenc_explain(waves.get(), &entry, nullptr, &verdict, error); });
  }
  const posenc_identify_options nowhere = {sizeof nowhere, 0, nullptr, 1, nullptr};
  refused("positions", [&](auto error) { return posenc_identify(&tensor, &nowhere, &verdict, error); });
  for (const std::int64_t number : {INT64_MIN, std::int64_t{-1}, std::int64_t{1} << 40, INT64_MAX}) {
    const posenc_entry wide = {sizeof wide, 0, number, 1, 0, &at, 1, nullptr, nullptr};
    const posenc_entry far = {sizeof far, 0, 8, number, 0, &at, 1, nullptr, nullptr};
    refused("dim", [&](auto error) { return posenc_explain(waves.get(), &wide, nullptr, &verdict, error); });
    refused("column", [&](auto error) { return posenc_explain(waves.get(), &far, nullptr, &verdict, error); });
    refused("dim",
            [&](auto error) { return posenc_parting(waves.get(), waves.get(), number, 9, nullptr, &verdict, error); });
    refused("head", [&](auto error) {
      return posenc_head_order(turns.get(), turns.get(), number, nullptr, read, written, error);
    });
    const posenc_compare_options other_width = {sizeof other_width, 0, number, nullptr, 0, nullptr, nullptr};
    refused("dim", [&](auto error) { return posenc_compare(waves.get(), waves.get(), &other_width, &verdict, error); });
    const posenc_check_options options = {sizeof options, 0, number, nullptr, nullptr, nullptr, nullptr, nullptr};
    refused("dim", [&](auto error) { return posenc_check(&tensor, waves.get(), &options, &verdict, error); });
    reorder(number, {1, runs, 1}, 128);
    reorder(8, {number, runs, 1}, 128);
    runs[0].heads = number;
    reorder(8, {1, runs, 1}, 128);
    runs[0].heads = 1;
  }
  for (const std::uint32_t none : {0u, 4u, 257u, UINT32_MAX}) {
    runs[0].holds = none;
    reorder(8, {1, runs, 1}, 128);
    runs[0].holds = POSENC_HOLDS_QUERY;
    const posenc_entry side = {sizeof side, none == 0 ? 3 : none, 8, 1, 0, &at, 1, nullptr, nullptr};
    refused("side", [&](auto error) { return posenc_explain(turns.get(), &side, nullptr, &verdict, error); });
  }
  for (const std::size_t many : {std::size_t{1} << 20, SIZE_MAX}) reorder(8, {1, runs, many}, 128);
  for (const std::size_t bytes : {std::size_t{127}, SIZE_MAX, SIZE_MAX / 16 * 8}) reorder(8, {1, runs, 1}, bytes);
  read[0] = 8;
  reorder(8, {1, runs, 1}, 128);
  refused("order", [&](auto error) { return posenc_reorder_columns(read, 8, &tensor, &out, error); });
  refused("count", [&](auto error) { return posenc_reorder_columns(read, SIZE_MAX, &tensor, &out, error); });
  EXPECT_EQ(verdict, nullptr);
}

}  // namespace
}  // namespace posenc
