// SPDX-License-Identifier: Apache-2.0
// The shares that identify prints beside a recipe, measured: originals of the open corpus under their own recipe.
#include "src/referee/known_share.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "src/referee/hold.h"
#include "tests/referee/corpus.h"

namespace posenc {
namespace {

using test::Original;
using Json = nlohmann::json;

std::vector<referee::Coordinates> coordinates_of(const Json& truth, std::size_t axes) {
  return std::vector<referee::Coordinates>(axes, {truth.value("first", 0.0), truth.value("step", 1.0), {}});
}

DType storage_of(const Original& original) {
  const std::map<std::string, DType> types = {
      {"f64", DType::f64}, {"f32", DType::f32}, {"f16", DType::f16}, {"bf16", DType::bf16}};
  return types.at(original.truth.value("storage", "f32"));
}

// The best of the forms in which the corpus may hold it; nothing of what has other places than rows in a line.
std::optional<Agreement> agreement_of(const Original& original) {
  const Json& truth = original.truth;
  for (const char* other : {"coordinates", "grid", "before"}) {
    if (truth.contains(other)) return std::nullopt;
  }
  if (!truth.contains("recipe") || truth.value("scale", 1.0) != 1 || original.dtype == DType::i64) return std::nullopt;
  const Recipe* recipe = find_recipe(truth["recipe"].get<std::string>());
  if (recipe == nullptr || recipe->exact()) return std::nullopt;
  const Convention convention = test::convention_of(truth);
  const auto length =
      truth.value("length", truth.value("first", std::int64_t{0}) + truth.value("rows", std::int64_t{1}));
  const LoweredFor given = {.width = truth.value("width", std::int64_t{0}), .context = {.length = length}};
  std::vector<std::string_view> forms = {referee::table_form};
  for (const referee::Form& form : referee::rotation_forms()) forms.push_back(form.name);
  std::optional<Agreement> best;
  for (const std::string_view form : forms) {
    const auto signal = referee::signal_of(preset(truth["preset"].get<std::string>()), convention, given, form);
    if (!signal) continue;
    for (const referee::Reading& reading : referee::readings(original.view(), referee::Grids::stated)) {
      const auto extent_of = referee::extents_of(reading, *signal);
      if (!extent_of || reading.width != signal->width() || reading.extents.size() != 1) continue;
      if (reading.extra != 0 || reading.places() != truth.value("rows", std::int64_t{0})) continue;
      const referee::Hypothesis hypothesis = {*signal, *extent_of, coordinates_of(truth, signal->axes())};
      const auto match = referee::match(reading, hypothesis, *recipe, storage_of(original), {}, serial);
      if (match && (!best || match->share() > best->share())) best = match;
    }
  }
  return best;
}

struct Sum {
  std::int64_t tensors = 0, entries = 0, equal = 0;
  double share() const { return entries == 0 ? 0 : static_cast<double>(equal) / static_cast<double>(entries); }
};

TEST(KnownShares, AreThoseOfTheCorpus) {
  std::map<std::string, std::array<Sum, 2>> sums;  // wide, narrow
  for (const Original& original : test::originals("open")) {
    const auto match = agreement_of(original);
    if (!match) continue;
    const DType storage = storage_of(original);
    Sum& sum =
        sums[original.truth["recipe"].get<std::string>()][storage == DType::f16 || storage == DType::bf16 ? 1 : 0];
    ++sum.tensors, sum.entries += match->entries, sum.equal += match->equal;
  }
  for (const auto& [recipe, both] : sums) {
    std::printf("%s: %.3f of %lld tensors, %.3f of %lld in narrow types\n", recipe.c_str(), both[0].share(),
                static_cast<long long>(both[0].tensors), both[1].share(), static_cast<long long>(both[1].tensors));
    const auto known = referee::known_shares();
    const auto at = std::ranges::find(known, recipe, &referee::KnownShare::recipe);
    EXPECT_NE(at, known.end()) << recipe;
    if (at == known.end()) continue;
    EXPECT_NEAR(at->wide, both[0].share(), 0.0006) << recipe;
    EXPECT_NEAR(at->narrow, both[1].share(), 0.0006) << recipe;
  }
  EXPECT_EQ(sums.size(), referee::known_shares().size());
}

}  // namespace
}  // namespace posenc
