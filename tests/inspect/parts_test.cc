// SPDX-License-Identifier: Apache-2.0
// Parts of models of several: parts.json holds what the configuration class of each model type of transformers is made
// of, as parts.py records it. Whatever a file states of it, the answer names every part that the class makes: one that
// is read, or one that is missing. Those without positions are listed below.
#include <posenc/spec/inspect.h>

#include <map>
#include <set>

#include "src/base/json_write.h"
#include "tests/inspect/configurations.h"

namespace posenc {
namespace {

/// A part of a type, by both or by its type alone, and why nothing names it.
const std::map<std::string, std::string> without_positions = {
    {"chameleon_vqgan", "convolutions, and attention over cells without positions"},
    {"emu3_vqgan", "convolutions, and attention over cells without positions"},
    {"janus_vqgan", "convolutions, and attention over cells without positions"},
    {"idefics_perciever", "its queries are learned, its keys are as they come"},
    {"idefics2_perceiver", "its queries are learned, its keys are as they come"},
    {"moshi_depth", "it is made with use_rope false; a codebook has weights of its own"},
    {"dbrx attn_config", "keys of the model itself"},
    {"dbrx ffn_config", "keys of the model itself"},
    {"mpt attn_config", "keys of the model itself"},
    {"fun_asr_nano adaptor_config", "layers of attention without positions"},
};

/// The parts of a class: types by keys, "" for one without a type of its own; those that it makes by default.
struct Class {
  std::map<std::string, std::string> parts;
  std::set<std::string> made;
};

std::map<std::string, Class> classes_with_rows() {
  const std::vector<std::string_view> types = model_types();
  std::map<std::string, Class> found;
  const JsonTree document = tree_of(text_of(std::filesystem::path(POSENC_SOURCE_DIR) / "tests/inspect/parts.json"));
  for (const auto& [type, parts] : document.members()) {
    if (std::ranges::find(types, type) == types.end()) continue;
    Class& own = found[type];
    for (const auto& [key, value] : parts.members()) {
      own.parts[key] = value.is_string() ? value.text() : "";
      if (!value.is_null()) own.made.insert(key);
    }
  }
  return found;
}

std::string name_of(const std::string& key) { return key.ends_with("_config") ? key.substr(0, key.size() - 7) : key; }

// A configuration with one part; it states heads of 128 columns, since the defaults of some classes do not divide.
std::string with_part(const std::string& type, const std::string& key, const std::string& value) {
  return "{\"model_type\": " + json_string(type) + R"(, "hidden_size": 4096, "num_attention_heads": 32)" +
         (key.empty() ? "" : ", " + json_string(key) + ": " + value) + "}";
}

/// The name of a part, that of one inside it, or the text that is the configuration itself.
bool is_read(const ModelPositions& found, const std::string& name) {
  return std::ranges::any_of(found.parts, [&](const ModelPart& part) {
    return part.name == name || part.name.starts_with(name + ".") || (part.name.empty() && name == "text");
  });
}

std::string why_missing(const ModelPositions& found, const std::string& name) {
  for (const MissingPositions& each : found.missing) {
    if (each.name == name || each.name.starts_with(name + ".")) return each.why;
  }
  return {};
}

/// Expects that each part of the class is named.
void expect_named(const std::string& type, const Class& own, const ModelPositions& found) {
  for (const auto& [key, part] : own.parts) {
    const bool is_known = without_positions.contains(part) || without_positions.contains(type + " " + key);
    const bool is_named = is_read(found, name_of(key)) || !why_missing(found, name_of(key)).empty();
    EXPECT_EQ(is_named, own.made.contains(key) && !is_known) << key;
  }
}

/// Inspects files that state one part or none, and skips those that are refused.
TEST(Parts, EveryPartThatAClassMakesIsNamedWhateverTheFileStates) {
  const auto classes = classes_with_rows();
  EXPECT_GE(classes.size(), 85u);
  std::size_t answered = 0;
  for (const auto& [type, own] : classes) {
    std::vector<std::string> documents = {with_part(type, "", "")};
    for (const std::string& key : own.made) {
      const std::string& part = own.parts.at(key);
      documents.push_back(with_part(type, key, part.empty() ? "{}" : with_part(part, "", "")));
    }
    std::size_t of_type = 0;
    for (const std::string& document : documents) {
      SCOPED_TRACE(document);
      if (const auto problem = check_inspect(document)) {
        EXPECT_TRUE(problem->rule.starts_with("one of /") || problem->rule.ends_with("must be stated"))
            << problem->message();
        continue;
      }
      ++of_type;
      expect_named(type, own, inspect(document));
    }
    EXPECT_GE(of_type, 1u) << type;
    answered += of_type;
  }
  EXPECT_GE(answered, 150u);
}

// A missing part takes the defaults of the whole's class, an empty object those of the part's class: the sizes differ.
TEST(Parts, APartOfAnEmptyObjectIsReadByTheDefaultsOfItsClass) {
  const ModelPositions found = inspect(R"({"model_type": "llava", "text_config": {"model_type": "llama"},
      "vision_config": {}})");
  EXPECT_TRUE(found.missing.empty());
  EXPECT_EQ(find_role(found, "vision.embedding")->rows, 50);  // of 224 / 32 patches a side, and one
  EXPECT_EQ(find_role(inspect(R"({"model_type": "mistral3", "text_config": {}})"), "text.rotary")->head, 128);
  for (const auto& [type, own] : classes_with_rows()) {
    for (const auto& [key, part] : own.parts) {
      const std::string document = with_part(type, key, "{}");
      SCOPED_TRACE(document);
      if (check_inspect(document)) continue;
      EXPECT_EQ(why_missing(inspect(document), name_of(key)).find(key + " is not stated"), std::string::npos);
    }
  }
}

TEST(Parts, OneThatIsNullOrNoObjectIsSaid) {
  const auto why = [](const std::string& type, const std::string& key, const std::string& value) {
    return why_missing(inspect(with_part(type, key, value)), name_of(key));
  };
  EXPECT_EQ(why("gemma3", "vision_config", "null"), "/vision_config is null");
  EXPECT_EQ(why("gemma3", "", ""), "");
  EXPECT_EQ(why("csm", "codec_config", "{}"), "/codec_config is not read: its key is none of those of parts");
  EXPECT_EQ(why("csm", "codec_config", R"({"model_type": "mimi"})"),
            "/codec_config is not read: its key is none of those of parts");
  EXPECT_EQ(why("csm", "codec_config", R"({"model_type": "encodec"})"), "");
  EXPECT_EQ(why("gemma4", "vision_config", "null"), "");
  EXPECT_EQ(why("gemma4", "vision_config", "{}"),
            "/vision_config is not read: model type 'gemma4_vision' has no row for vision");
  const auto problem = check_inspect(with_part("gemma3", "vision_config", "5"));
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->rule, "/vision_config must be an object");
}

TEST(Parts, AFileThatStatesOneThatIsWithoutPositionsIsWhole) {
  const auto names = [](const std::string& text) {
    std::vector<std::string> found;
    for (const MissingPositions& each : inspect(text).missing) found.push_back(each.name);
    return found;
  };
  EXPECT_EQ(names(R"({"model_type": "emu3", "text_config": {"model_type": "emu3_text_model"}})"),
            std::vector<std::string>{});
  EXPECT_EQ(names(R"({"model_type": "gemma4", "text_config": {"model_type": "gemma4_text"}})"),
            std::vector<std::string>{});
  // The text of another model, which has parts of its own.
  EXPECT_EQ(names(R"({"model_type": "llava", "text_config": {"model_type": "csm"}, "vision_config": {}})"),
            (std::vector<std::string>{"text.codec", "text.depth_decoder"}));
}

}  // namespace
}  // namespace posenc
