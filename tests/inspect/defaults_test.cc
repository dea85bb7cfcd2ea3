// SPDX-License-Identifier: Apache-2.0
// Keys that are not there mean what they mean in transformers: defaults.json holds the default configuration of every
// model type, as defaults.py records it. What is left out of it changes nothing, or is refused by its name.
#include <posenc/spec/inspect.h>

#include <map>

#include "src/base/json_write.h"
#include "tests/inspect/configurations.h"

namespace posenc {
namespace {

// Without them layers are not counted.
constexpr std::string_view layer_counts[] = {"num_hidden_layers", "n_layer", "n_layers",
                                             "num_layers",        "depth",   "encoder_layers"};

template <std::size_t n>
bool is_one_of(const std::string_view (&names)[n], std::string_view name) {
  return std::ranges::find(names, name) != std::end(names);
}

// The document without one key; of an object in it without one of that, "rope_parameters/rope_theta".
std::string without(const JsonTree& document, std::string_view key) {
  const std::size_t slash = key.find('/');
  std::string text;
  for (const auto& [name, value] : document.members()) {
    if (name == key) continue;
    const bool inner = slash != key.npos && name == key.substr(0, slash);
    text += (text.empty() ? "" : ", ") + json_string(name) + ": " +
            (inner ? without(value, key.substr(slash + 1)) : json_text(value));
  }
  return "{" + text + "}";
}

// Keys that may be left out: all but the type, and of the rope object, of each of its kinds, the base.
std::vector<std::string> keys_of(const JsonTree& document) {
  std::vector<std::string> keys;
  for (const auto& [name, value] : document.members()) {
    if (name == "model_type" || value.is_null()) continue;
    keys.push_back(name);
    if (name != "rope_parameters" || !value.is_object()) continue;
    if (value.contains("rope_theta")) keys.push_back(name + "/rope_theta");
    for (const auto& [kind, own] : value.members()) {
      if (own.is_object() && own.contains("rope_theta")) keys.push_back(name + "/" + kind + "/rope_theta");
    }
  }
  return keys;
}

// Without what depends on how many layers there are.
ModelPositions uncounted(ModelPositions positions) {
  for (ModelPart& part : positions.parts) {
    part.layers.reset();
    part.without.clear();
    for (PositionRole& role : part.roles) role.layers.clear();
  }
  return positions;
}

// 1 / sqrt(head) is a rounded number in a default, so that its product with sqrt(head) is off by a last place.
void take_softmax_factors(ModelPositions& a, const ModelPositions& b) {
  ASSERT_EQ(a.parts.size(), b.parts.size());
  for (std::size_t i = 0; i < a.parts.size(); ++i) {
    EXPECT_NEAR(a.parts[i].softmax_factor, b.parts[i].softmax_factor, 3e-16 * b.parts[i].softmax_factor);
    a.parts[i].softmax_factor = b.parts[i].softmax_factor;
  }
}

void expect_same_without(const std::string& key, const JsonTree& document, const ModelPositions& whole) {
  const std::string text = without(document, key);
  if (const auto problem = check_inspect(text)) {
    ADD_FAILURE() << key << ": " << problem->message();
    return;
  }
  ModelPositions rest = inspect(text);
  take_softmax_factors(rest, whole);
  const bool counts = is_one_of(layer_counts, key);
  EXPECT_EQ(counts ? differences(uncounted(whole), uncounted(rest)) : differences(whole, rest),
            std::vector<std::string>{})
      << key;
}

TEST(Defaults, AKeyThatIsLeftOutMeansWhatItMeansInTransformers) {
  const auto path = std::filesystem::path(POSENC_SOURCE_DIR) / "tests/inspect/defaults.json";
  const JsonTree all = tree_of(text_of(path));
  std::size_t left_out = 0;
  std::vector<std::string> unread;
  for (const auto& [type, document] : all.members()) {
    SCOPED_TRACE(type);
    const std::string text = json_text(document);
    if (const auto problem = check_inspect(text)) {
      EXPECT_NE(problem->rule.find("must be a multiple of"), std::string::npos) << problem->message();
      unread.push_back(type);
      continue;
    }
    const ModelPositions whole = inspect(text);
    for (const std::string& key : keys_of(document)) {
      const bool says_nothing = std::ranges::find(whole.unread, key) != whole.unread.end();
      if (says_nothing) continue;
      expect_same_without(key, document, whole);
      ++left_out;
    }
  }
  // The heads of these defaults do not divide their widths.
  EXPECT_EQ(unread, (std::vector<std::string>{"glm4_moe", "glm4v_moe_text", "qwen3_omni_moe_text"}));
  EXPECT_GE(all.size(), 170u);
  EXPECT_GE(left_out, 600u);
}

TEST(Defaults, ScalesOfTheEmbeddingAreRead) {
  const auto scale = [](std::string_view type, std::string_view keys) {
    const ModelPositions found =
        inspect("{\"model_type\": \"" + std::string(type) + "\", \"d_model\": 512, \"max_position_embeddings\": 64" +
                std::string(keys) + "}");
    return *find_role(found, "embedding")->scale;
  };
  EXPECT_EQ(scale("blenderbot", ", \"scale_embedding\": true"), Scale::sqrt_dim);
  EXPECT_EQ(scale("blenderbot", ""), Scale::of(1));
  EXPECT_EQ(scale("biogpt", ""), Scale::sqrt_dim);
  EXPECT_EQ(scale("biogpt", ", \"scale_embedding\": false"), Scale::of(1));
}

}  // namespace
}  // namespace posenc
