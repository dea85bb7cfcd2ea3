// SPDX-License-Identifier: Apache-2.0
// Right is right: tables by the packages of others under their true label (corpus/open.safetensors and
// seen.safetensors), and those of every row of presets, in every type that models store.
#include <gtest/gtest.h>
#include <posenc/bias.h>
#include <posenc/buckets.h>
#include <posenc/log_coordinates.h>
#include <posenc/query_scale.h>
#include <posenc/referee/referee.h>
#include <posenc/rotary_cache.h>
#include <posenc/rows.h>

#include <algorithm>
#include <cmath>

#include "tests/referee/corpus.h"
#include "tests/referee/recorded.h"

namespace posenc {
namespace {

using test::convention_of;
using test::Original;
using Json = nlohmann::json;

// ---- the corpus ----------------------------------------------------------------------------------

// The corpus dresses what packages made: scaled, transposed, behind a row of a class token, cosines beside sines. What
// is said of the dress by a call, is; the rest is taken off.
ConstView part(const ConstView& tensor, int axis, std::int64_t from, std::int64_t count) {
  ConstView view = tensor;
  const std::int64_t bytes = from * tensor.stride(axis) * static_cast<std::int64_t>(size_of(tensor.dtype));
  view.data = static_cast<const std::byte*>(tensor.data) + bytes;
  view.shape[static_cast<std::size_t>(axis < 0 ? tensor.rank + axis : axis)] = count;
  return view;
}
std::vector<ConstView> undressed(const Original& original) {
  const Json& truth = original.truth;
  ConstView view = original.view();
  if (truth["orientation"] == "[d,L]") view = view.transposed(0, 1);
  const auto lead = truth.value("lead", std::int64_t{0});
  if (lead > 0) {
    const int axis = truth["orientation"] == "[L,1,d]" ? 0 : view.rank - 2;
    view = part(view, axis, lead, view.size(axis) - lead);
  }
  // Cells whose coordinates are told one by one are rows.
  if (truth["orientation"] == "[H,W,d]" && truth.contains("coordinates")) {
    const DType own = view.dtype;
    const std::vector<std::int64_t> flat = {view.size(0) * view.size(1), view.size(2)};
    view = posenc::view(static_cast<const float*>(view.data), std::span<const std::int64_t>(flat));
    view.dtype = own;
  }
  const std::string stored = truth.value("stored", std::string());
  if (truth["kind"] == "cos_sin" && (stored == "halves" || stored == "pairs")) {
    const std::int64_t half = view.size(-1) / 2;
    return {part(view, -1, 0, half), part(view, -1, half, half)};
  }
  return {view};
}
// The convention with the factor that the dress multiplied by, beside the one that it has itself.
Convention scaled(const Convention& convention, const Json& truth) {
  double scale = truth.value("scale", 1.0);
  if (scale == 1) return convention;
  const std::vector<FieldText> fields = fields_of(convention);
  const auto own = std::ranges::find(fields, "scale", &FieldText::name);
  if (own != fields.end() && own->value == "one_over_sqrt_d") scale /= std::sqrt(truth.value("width", 1.0));
  scale *= truth.value("learned", 1.0);
  const FieldChange change = {"scale", scale};
  return check_changes(convention, {&change, 1}) ? convention : with_fields(convention, {change});
}

// What a call says of an original: its width, context and places.
struct Question {
  DiagnoseOptions options;
  std::vector<std::vector<double>> lists;  // that the options view
};
void ask(const Original& original, const Convention& convention, Question& question) {
  const Json& truth = original.truth;
  DiagnoseOptions& options = question.options;
  const bool rotation = !check_use("test", ConventionUse::rotations, convention);
  const bool rows = !check_use("test", ConventionUse::coordinates, convention);
  if (rotation || rows) options.dim = truth.value("width", std::int64_t{0});
  if (truth.contains("head")) options.dim = truth["head"].get<std::int64_t>();
  options.context.length = truth.value("length", std::int64_t{0});
  if (truth.contains("learned")) options.context.learned = truth["learned"].get<double>();
  const std::string kind = truth["kind"].get<std::string>();
  if (kind == "inv_freq" || kind == "slopes" || kind == "bias" || kind == "buckets" || kind == "log_coordinates")
    return;
  const std::size_t axes = std::max<std::size_t>(axes_of(convention).size(), 1);
  if (truth.contains("coordinates")) {
    question.lists.resize(axes);
    for (const Json& place : truth["coordinates"]) {
      for (std::size_t a = 0; a < axes; ++a)
        question.lists[a].push_back(place[std::min(a, place.size() - 1)].get<double>());
    }
  } else if (truth.contains("grid")) {
    // Lists of every cell, where a flat tensor does not say its sides; numbered as the original does.
    const auto extents = truth["grid"].get<std::vector<std::int64_t>>();
    const std::vector<std::string> order = cell_axes(convention), names = axes_of(convention);
    const Preset& row = preset(truth["preset"].get<std::string>());
    std::int64_t cells = 1;
    for (const std::int64_t extent : extents) cells *= extent;
    for (const std::string& name : names) {
      const auto index = static_cast<std::size_t>(std::ranges::find(order, name) - order.begin());
      std::vector<double> along(static_cast<std::size_t>(extents[index]));
      place_coordinates(row.places.value_or(whole_places), extents, index, view(along.data(), {std::ssize(along)}));
      std::int64_t behind = 1;
      for (std::size_t a = index + 1; a < extents.size(); ++a) behind *= extents[a];
      std::vector<double>& list = question.lists.emplace_back();
      for (std::int64_t i = 0; i < cells; ++i) {
        list.push_back(along[static_cast<std::size_t>(i / behind % extents[index])]);
      }
    }
    options.places = row.places;
    if (original.truth["orientation"] == "[H,W,d]") question.lists.clear();
  } else {
    const auto rows_of = truth["rows"].get<std::int64_t>();
    std::vector<double> list;
    const double first = truth.value("first", 0.0), step = truth.value("step", 1.0);
    for (std::int64_t i = 0; i < rows_of; ++i) list.push_back(first + static_cast<double>(i) * step);
    question.lists.assign(axes, list);
  }
  for (const auto& list : question.lists) {
    options.identify.positions.push_back(Positions::list(view(list.data(), {std::ssize(list)})));
  }
}

// "" where the diagnosis is right, or wrong by what the corpus did to the tensor.
std::string said_of(const std::string& part, const Original& original) {
  const Json& truth = original.truth;
  const Convention convention = scaled(convention_of(truth), truth);
  Question question;
  ask(original, convention, question);
  std::string name = part + "/" + original.name + "/check";
  for (const ConstView& view : undressed(original)) {
    if (const auto problem = check_diagnose(view, convention, question.options)) return problem->message();
    const Diagnosis diagnosis = diagnose(view, convention, question.options);
    test::expect_recorded(name, to_json(diagnosis));
    name += " again";  // the other half of a row
    const std::string said = to_string(diagnosis);
    const std::string row = truth.contains("zero_rows") ? truth["zero_rows"][0].dump() : "";
    const bool padded = !row.empty() && said.find("row " + row + " is zero: padding") != said.npos;
    if (!said.starts_with("right") && !padded) return said;
  }
  return "";
}

// How many of a part were judged.
int expect_right_under_their_own_label(const std::string& part) {
  int count = 0;
  for (const Original& original : test::originals(part)) {
    const std::string kind = original.truth["kind"].get<std::string>();
    if (kind == "none" || kind == "before_after") continue;  // of no convention; of two tensors
    ++count;
    EXPECT_EQ(said_of(part, original), "") << original.name << " " << original.truth["preset"];
  }
  return count;
}

TEST(Originals, OfOthersAreRightUnderTheirOwnLabel) {
  EXPECT_GT(expect_right_under_their_own_label("open"), 300);
  EXPECT_GT(expect_right_under_their_own_label("seen"), 160);
}

TEST(Originals, OfNoConventionAreWrongUnderTheNearest) {
  int count = 0;
  for (const Original& original : test::originals("open")) {
    const Json& truth = original.truth;
    constexpr int enough = 6;  // a second or two each
    if (truth["kind"] != "none" || !truth.contains("nearest") || truth.contains("before") || count == enough) continue;
    const Convention& nearest = preset(truth["nearest"].get<std::string>()).convention;
    if (check_diagnose(original.view(), nearest)) continue;
    const Diagnosis diagnosis = diagnose(original.view(), nearest);
    test::expect_recorded("open/" + original.name + "/check", to_json(diagnosis));
    EXPECT_FALSE(diagnosis.right) << original.name << " " << truth["detail"];
    EXPECT_FALSE(diagnosis.findings.empty());
    ++count;
  }
  EXPECT_EQ(count, 6);
}

// ---- every row of presets ------------------------------------------------------------------------

// A tensor of f32, and the same gone through another type.
std::vector<float> through(const std::vector<float>& all, DType type) {
  std::vector<float> stored = all;
  for (float& x : stored) {
    if (type == DType::bf16) x = static_cast<float>(bfloat16(x));
    if (type == DType::f16) x = static_cast<float>(half(x));
  }
  return stored;
}

void expect_right(std::vector<float> entries, std::span<const std::int64_t> shape, const Convention& convention,
                  const DiagnoseOptions& options, std::string_view name) {
  for (const DType type : {DType::f32, DType::bf16, DType::f16}) {
    const std::vector<float> stored = through(entries, type);
    const ConstView tensor = view(stored.data(), shape);
    const auto problem = check_diagnose(tensor, convention, options);
    ASSERT_FALSE(problem) << name << " " << problem->message();
    const Diagnosis diagnosis = diagnose(tensor, convention, options);
    EXPECT_TRUE(diagnosis.right) << name << " " << to_string(type) << "\n" << to_string(diagnosis);
    EXPECT_EQ(diagnosis.wrong, 0);
    EXPECT_GT(diagnosis.entries, 0);
  }
}

TEST(Originals, RowsOfEveryPresetAreRight) {
  int count = 0;
  for (const Preset& each : presets()) {
    const Context context = {.length = 64, .learned = 1};
    for (const std::int64_t dim : {64, 66, 60, 63}) {  // the first width of these that it admits
      if (check_use("test", ConventionUse::coordinates, each.convention)) break;
      if (Rows::check(each.convention, dim, {.context = context})) continue;
      const Rows rows(each.convention, dim, {.context = context});
      for (const std::int64_t first : {0, 7}) {
        std::vector<Positions> lists;
        for (std::size_t a = 0; a < rows.axes().size(); ++a) {
          lists.push_back(Positions::range(first + static_cast<std::int64_t>(a), 24, static_cast<std::int64_t>(a) + 1));
        }
        std::vector<float> entries(static_cast<std::size_t>(24 * rows.width()));
        const std::int64_t shape[] = {24, rows.width()};
        rows.write(lists, view(entries.data(), shape));
        DiagnoseOptions options = {.dim = dim, .context = context};
        options.identify.positions = lists;
        expect_right(entries, shape, each.convention, options, each.name);
      }
      ++count;
      break;
    }
  }
  EXPECT_GT(count, 70);
}

TEST(Originals, CachesOfEveryPresetAreRight) {
  int count = 0;
  for (const Preset& each : presets()) {
    if (check_use("test", ConventionUse::rotations, each.convention)) continue;
    const Convention kept = with_field(each.convention, "stored", "sine_cosine");
    const Context context = {.length = 64};
    for (const std::int64_t dim : {64, 96, 128, 256}) {
      if (RotaryCache::check(kept, dim, {.context = context})) continue;
      const RotaryCache cache(kept, dim, {.context = context});
      for (const std::int64_t first : {0, 7}) {
        const std::vector<Positions> lists(cache.axes().size(), Positions::range(first, 24));
        std::vector<float> entries(static_cast<std::size_t>(24 * cache.width()));
        const std::int64_t shape[] = {24, cache.width()};
        cache.write("sin_cos", lists, view(entries.data(), shape));
        DiagnoseOptions options = {.dim = dim, .context = context};
        options.identify.positions = lists;
        expect_right(entries, shape, each.convention, options, each.name);
      }
      std::vector<float> frequencies;
      for (const double w : cache.frequencies()) frequencies.push_back(static_cast<float>(w));
      const std::int64_t list[] = {std::ssize(frequencies)};
      if (cache.axes().size() == 1) {
        expect_right(frequencies, list, each.convention, {.dim = dim, .context = context}, each.name);
      }
      ++count;
      break;
    }
  }
  EXPECT_GT(count, 80);
}

TEST(Originals, BiasesClassesAndFactorsOfEveryPresetAreRight) {
  int count = 0;
  for (const Preset& each : presets()) {
    const auto gives = [&](ConventionUse use) { return !check_use("test", use, each.convention); };
    if (gives(ConventionUse::slopes)) {
      std::vector<float> entries(12 * 24 * 24);
      const std::int64_t shape[] = {12, 24, 24};
      const std::vector<std::int64_t> present(24, 1);
      for (const bool masked : {false, true}) {
        Context context = {.head = 64, .present = {}};
        if (masked) context.present = view(present.data(), {24});
        const Positions all = Positions::range(0, 24);
        if (check_bias(each.convention, all, all, view(entries.data(), shape), {.context = context})) continue;
        bias(each.convention, all, all, view(entries.data(), shape), {.context = context});
        expect_right(entries, shape, each.convention, {.dim = 64}, each.name);
        ++count;
      }
    }
    if (gives(ConventionUse::classes)) {
      std::vector<std::int64_t> classes(40 * 60);
      buckets(each.convention, Positions::range(7, 40), Positions::range(0, 60), view(classes.data(), {40, 60}));
      DiagnoseOptions options;
      options.identify.positions = {Positions::range(7, 40), Positions::range(0, 60)};
      const ConstView tensor = view(std::as_const(classes).data(), {40, 60});
      EXPECT_TRUE(diagnose(tensor, each.convention, options).right) << each.name;
      classes[100] += 1;
      const Diagnosis damaged = diagnose(tensor, each.convention, options);
      EXPECT_EQ(damaged.wrong, 1) << each.name;
      EXPECT_EQ(damaged.first, (std::vector<std::int64_t>{1, 40})) << each.name;
      ++count;
    }
    if (gives(ConventionUse::query_scales)) {
      std::vector<float> factors(300);
      const std::int64_t shape[] = {300};
      const Positions positions = Positions::range(7, 300, 50);
      query_scale(each.convention, positions, view(factors.data(), shape));
      DiagnoseOptions options;
      options.identify.positions = {positions};
      expect_right(factors, shape, each.convention, options, each.name);
      ++count;
    }
  }
  EXPECT_GT(count, 20);
}

}  // namespace
}  // namespace posenc
