// SPDX-License-Identifier: Apache-2.0
// Configurations and what transformers computes from them: configs/NAME.expected.json holds its own numbers.
#include "tests/inspect/configurations.h"

#include <posenc/rotary_cache.h>
#include <posenc/spec/inspect.h>
#include <posenc/spec/spec.h>

#include <cmath>
#include <map>

namespace posenc {
namespace {

/// Steps of 2^-23, relative: what f32 arithmetic of a few operations may differ by.
double f32_steps(double a, double b) {
  return a == b ? 0 : std::abs(a - b) / std::max(std::abs(a), std::abs(b)) * 0x1p23;
}

void expect_frequencies(const std::vector<double>& ours, const JsonTree& theirs) {
  ASSERT_EQ(ours.size(), theirs.size());
  for (std::size_t i = 0; i < ours.size(); ++i) {
    EXPECT_LE(f32_steps(ours[i], theirs.items()[i].number()), 4) << i << ": " << ours[i];
  }
}

/// Whether a JSON pointer leads to something.
bool stands_at(const JsonTree& document, std::string_view pointer) {
  const JsonTree* found = &document;
  while (!pointer.empty()) {
    const std::string step(pointer.substr(1, pointer.find('/', 1) - 1));
    pointer.remove_prefix(1 + step.size());
    if (found->is_array()) {
      if (std::stoul(step) >= found->size()) return false;
      found = &found->items()[std::stoul(step)];
    } else if (found = found->find(step); found == nullptr) {
      return false;
    }
  }
  return true;
}

std::string convention_text(const PositionRole& role) { return to_json(*role.convention); }

void expect_rotary(const PositionRole& role, const JsonTree& wanted) {
  ASSERT_TRUE(role.convention);
  EXPECT_EQ(static_cast<double>(*role.rotated), wanted.find("rotated_width")->number());
  const std::string text = convention_text(role), pairing = wanted.find("pairing")->text();
  const bool halves = pairing.ends_with("written split_half");
  EXPECT_NE(text.find("\"pairing\": \"" + pairing.substr(0, pairing.find(',')) + "\""), text.npos) << text;
  EXPECT_NE(text.find(halves ? "\"written\": \"split_half\"" : "\"written\": \"in_place\""), text.npos) << text;
  const JsonTree convention = tree_of(text);
  const JsonTree& ladder = convention.find("ladders")->items()[0];
  EXPECT_EQ(ladder.find("base")->number(), wanted.find("base")->number());
  EXPECT_NEAR(role.magnitude.value_or(0), wanted.find("attention_factor")->number(), 1e-12);
  ASSERT_FALSE(role.frequencies.empty());
  expect_frequencies(role.frequencies.front().values, *wanted.find("inv_freq"));
}

void expect_layers(const ModelPart& part, const JsonTree& wanted) {
  if (const JsonTree* without = wanted.find("layers_without_rotary")) {
    ASSERT_EQ(part.without.size(), without->size());
    for (std::size_t i = 0; i < without->size(); ++i) {
      EXPECT_EQ(static_cast<double>(part.without[i]), without->items()[i].number());
    }
  }
  const JsonTree* types = wanted.find("layer_types");
  for (const PositionRole& role : part.roles) {
    if (!role.name.starts_with("rotary.")) continue;
    ASSERT_NE(types, nullptr);
    const JsonTree& list = *types->find(role.name.substr(7));
    ASSERT_EQ(role.layers.size(), list.size()) << role.name;
    for (std::size_t i = 0; i < list.size(); ++i) {
      EXPECT_EQ(static_cast<double>(role.layers[i]), list.items()[i].number());
    }
  }
}

void expect_numbers(const ModelPart& part, const JsonTree& wanted) {
  for (const PositionRole& role : part.roles) {
    const JsonTree* head = wanted.find("head_width");
    if (head != nullptr && role.head) {
      EXPECT_EQ(static_cast<double>(*role.head), head->number());
      if (const JsonTree* softmax = wanted.find("softmax_scale")) {
        EXPECT_NEAR(part.softmax_factor / std::sqrt(static_cast<double>(*role.head)), softmax->number(), 1e-12);
      }
    }
    if (role.name == "embedding" && wanted.find("embedding_scale") != nullptr) {
      EXPECT_EQ(role.scale->kind, Scale::Kind::sqrt_dim);
    }
  }
}

const JsonTree* field_of(const JsonTree& convention, const std::string& key) {
  if (const JsonTree* own = convention.find(key)) return own;
  for (const auto& [name, value] : convention.members()) {
    if (const JsonTree* inner = value.find(key)) return inner;
  }
  return nullptr;
}

// A role that is no rotation: what is expected of it stands in its convention, or beside it.
void expect_other(const PositionRole& role, const JsonTree& wanted, const std::string& context) {
  SCOPED_TRACE(context);
  ASSERT_TRUE(role.convention);
  const JsonTree convention = tree_of(convention_text(role));
  for (const auto& [key, value] : wanted.members()) {
    if (key == "heads") {
      EXPECT_EQ(static_cast<double>(role.heads.value_or(0)), value.number());
    } else if (key == "rows") {
      EXPECT_EQ(static_cast<double>(role.rows.value_or(0)), value.number());
    } else if (key == "scale" && role.scale) {
      const bool by_width = role.scale->kind == Scale::Kind::sqrt_dim;
      EXPECT_EQ(by_width ? std::sqrt(static_cast<double>(role.width.value_or(0))) : role.scale->number, value.number());
    } else if (key == "numbering") {
      ASSERT_TRUE(role.numbering);
      const JsonTree* first = value.find("first");
      EXPECT_EQ(static_cast<double>(role.numbering->first), first == nullptr ? 0 : first->number());
    } else if (key == "preset") {
      EXPECT_EQ(role.preset, value.text());
    } else if (const JsonTree* ours = field_of(convention, key)) {
      if (value.is_number() && ours->is_number()) {
        EXPECT_EQ(ours->number(), value.number()) << key;
      } else if (value.is_string() && key != "kind") {
        EXPECT_EQ(ours->text(), value.text()) << key;
      }
    }
  }
}

void expect_others(const ModelPositions& positions, const JsonTree& roles) {
  for (const auto& [name, value] : roles.members()) {
    if (value.find("inv_freq") != nullptr) continue;
    const PositionRole* role = find_role(positions, name);
    if (role == nullptr) role = find_role(positions, name + ".encoder");
    ASSERT_NE(role, nullptr) << name;
    expect_other(*role, value, name);
  }
}

void expect_query_scale(const ModelPositions& positions, const JsonTree& wanted) {
  const PositionRole* role = find_role(positions, "query_scale");
  ASSERT_NE(role, nullptr);
  const JsonTree convention = tree_of(convention_text(*role));
  for (const std::string_view key : {"gain", "every", "origin"}) {
    EXPECT_EQ(convention.find("factor")->find(key)->number(), wanted.find(key)->number()) << key;
  }
}

// Of [t, y, x] pairs: as many go to each axis, in runs or by turns.
void expect_axes(const PositionRole& role, const JsonTree& sections, bool by_turns) {
  const JsonTree convention = tree_of(convention_text(role));
  std::map<std::string, double> pairs;
  for (const JsonTree& stretch : convention.find("deal")->items()) {
    const JsonTree& axes = *stretch.find("axes");
    for (std::size_t i = 0; i < static_cast<std::size_t>(stretch.find("pairs")->number()); ++i) {
      ++pairs[axes.items()[i % axes.size()].text()];
    }
  }
  EXPECT_EQ(pairs["t"], sections.items()[0].number());
  EXPECT_EQ(pairs["y"], sections.items()[1].number());
  EXPECT_EQ(pairs["x"], sections.items()[2].number());
  EXPECT_EQ(convention.find("deal")->items()[0].find("axes")->size(), by_turns ? 3u : 1u);
}

TEST(Inspect, SaysWhatTransformersComputes) {
  std::size_t rotations = 0;
  for (const auto& path : configurations()) {
    SCOPED_TRACE(path.filename());
    const JsonTree wanted = expectation(path);
    const ModelPositions positions = inspect(text_of(path));
    ASSERT_EQ(positions.parts.size(), 1u);
    const ModelPart& part = positions.parts.front();
    EXPECT_EQ(part.model_type, wanted.find("model_type")->text());
    for (const auto& [name, value] : wanted.find("roles")->members()) {
      const PositionRole* role = find_role(positions, name);
      if (value.find("inv_freq") == nullptr) continue;
      ASSERT_NE(role, nullptr) << name;
      expect_rotary(*role, value);
      ++rotations;
    }
    expect_others(positions, *wanted.find("roles"));
    if (const JsonTree* scale = wanted.find("query_scale")) expect_query_scale(positions, *scale);
    if (const JsonTree* sections = wanted.find("mrope_section")) {
      expect_axes(part.roles.front(), *sections, wanted.find("mrope")->text() == "interleaved");
    }
    expect_layers(part, wanted);
    expect_numbers(part, wanted);
  }
  EXPECT_GE(rotations, 31u);
}

// Short, long, short: the same numbers again, as nothing is kept.
TEST(Inspect, LongContextsHaveFrequenciesOfTheirOwn) {
  const auto folder = std::filesystem::path(POSENC_SOURCE_DIR) / "tests/inspect/configs";
  for (const std::string name : {"phi-3.5-mini", "phi-3-mini-su", "llama-dynamic"}) {
    SCOPED_TRACE(name);
    const std::string text = text_of(folder / (name + ".json"));
    const JsonTree wanted = *expectation(folder / (name + ".json")).find("roles")->find("rotary");
    const auto length = static_cast<std::int64_t>(wanted.find("long_at_length")->number());
    const ModelPositions unasked = inspect(text), asked = inspect(text, {.length = length});
    ASSERT_EQ(unasked.regimes.size(), 1u);
    EXPECT_EQ(static_cast<double>(unasked.regimes[0] + 1), wanted.find("long_from_length")->number());
    const PositionRole& role = *find_role(asked, "rotary");
    ASSERT_EQ(role.frequencies.size(), 1u);
    EXPECT_EQ(role.frequencies[0].lengths, "length " + std::to_string(length));
    expect_frequencies(role.frequencies[0].values, *wanted.find("inv_freq_long"));
    EXPECT_NE(role.frequencies[0].values, find_role(unasked, "rotary")->frequencies[0].values);
    EXPECT_EQ(inspect(text), unasked);
  }
}

TEST(Inspect, EveryNumberThatHasAKeyStandsInTheJson) {
  for (const auto& path : configurations()) {
    SCOPED_TRACE(path.filename());
    const ModelPositions positions = inspect(text_of(path));
    const JsonTree document = tree_of(to_json(positions));
    EXPECT_FALSE(positions.from.empty() && !positions.parts[0].roles.empty());
    for (const NumberSource& each : positions.from) {
      EXPECT_TRUE(stands_at(document, each.number)) << each.number;
      EXPECT_FALSE(each.key.empty()) << each.number;
    }
  }
}

TEST(Inspect, ReadsWhatItWrote) {
  for (const auto& path : configurations()) {
    SCOPED_TRACE(path.filename());
    const ModelPositions positions = inspect(text_of(path), {.source = "a name"});
    EXPECT_EQ(inspect(to_json(positions)), positions);
    EXPECT_FALSE(to_string(positions).empty());
  }
}

TEST(Inspect, TwoSpellingsAreOneModel) {
  constexpr std::pair<std::string_view, std::string_view> pairs[] = {{"llama-3.1-8b", "llama-3.1-8b-new"},
                                                                     {"gemma-3-4b-text", "gemma-3-4b-text-new"},
                                                                     {"phi-3.5-mini", "phi-3-mini-su"}};
  const auto folder = std::filesystem::path(POSENC_SOURCE_DIR) / "tests/inspect/configs";
  for (const auto& [before, after] : pairs) {
    const auto read = [&](std::string_view name) { return inspect(text_of(folder / (std::string(name) + ".json"))); };
    EXPECT_EQ(differences(read(before), read(after)), std::vector<std::string>{}) << before;
  }
}

TEST(Inspect, RefusesByTheKey) {
  std::size_t cases = 0;
  for (const auto& path : configurations("refused")) {
    SCOPED_TRACE(path.filename());
    const auto problem = check_inspect(text_of(path));
    ASSERT_TRUE(problem);
    const std::string pointer = expectation(path).find("pointer")->text();
    EXPECT_NE(problem->rule.find(pointer), std::string::npos) << problem->message();
    ++cases;
  }
  EXPECT_GE(cases, 16u);
}

}  // namespace
}  // namespace posenc
