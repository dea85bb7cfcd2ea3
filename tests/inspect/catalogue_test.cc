// SPDX-License-Identifier: Apache-2.0
// The catalogue of bad configurations: each with the words that name its key, and traps the other way, which are read.
#include <gtest/gtest.h>
#include <posenc/spec/inspect.h>

namespace posenc {
namespace {

struct Case {
  const char* id;
  std::string text;
  const char* words;
};

/// A configuration of that type with those keys besides the usual ones; `without` is one that it has not.
std::string config(std::string_view keys, std::string_view type = "llama", std::string_view without = "") {
  std::string text = "{\"model_type\": \"" + std::string(type) + "\"";
  constexpr std::pair<std::string_view, std::string_view> usual[] = {{"hidden_size", "4096"},
                                                                     {"num_attention_heads", "32"},
                                                                     {"num_hidden_layers", "4"},
                                                                     {"max_position_embeddings", "4096"}};
  for (const auto& [key, value] : usual) {
    if (key == without || keys.find("\"" + std::string(key) + "\"") != keys.npos) continue;
    text += ", \"" + std::string(key) + "\": " + std::string(value);
  }
  return text + (keys.empty() ? "" : ", ") + std::string(keys) + "}";
}
/// The same with a rope object.
std::string scaled(std::string_view object, std::string_view keys = "", std::string_view type = "llama") {
  const std::string more = keys.empty() ? "" : ", " + std::string(keys);
  return config("\"rope_scaling\": " + std::string(object) + more, type);
}
std::string list(std::size_t count, std::string_view item) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i > 0 ? ", " : "") + std::string(item);
  return "[" + text + "]";
}
std::string longrope(const std::string& brief, const std::string& extended) {
  return "{\"type\": \"longrope\", \"short_factor\": " + brief + ", \"long_factor\": " + extended +
         ", \"original_max_position_embeddings\": 2048}";
}

void expect_refused(const std::vector<Case>& cases) {
  for (const Case& each : cases) {
    SCOPED_TRACE(each.id);
    const auto problem = check_inspect(each.text);
    if (!problem) {
      ADD_FAILURE() << "accepted: " << each.text.substr(0, 200);
      continue;
    }
    const std::string message = problem->message();
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    EXPECT_EQ(problem->cause, Cause::input);
  }
}

TEST(Catalogue, WhatIsNoConfigurationIsRefused) {
  expect_refused({
      {"H01", "<!DOCTYPE html><html></html>", "must be JSON, not a page of HTML"},
      {"H02", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "not a pointer of Git LFS"},
      {"H03", "", "empty document"},
      {"H04", "[]", "the document must be an object, got an array"},
      {"H80", config("", "nothing_like_it"), "/model_type must be one that has a row"},
      {"H81", R"({"model_type": 7})", "/model_type must be a string, got a number"},
      {"H81b", "{}", "/model_type must be stated"},
      {"H92", config(R"("rope_theta": 1, "rope_theta": 1)"), "'/rope_theta' twice"},
      {"H93", std::string(std::size_t{20} << 20, ' '), "at most 16777216 bytes"},
      {"H34", config(R"("rope_theta": NaN)"), "/rope_theta must be a finite number, got nan"},
      {"H33", config(R"("rope_theta": 1e400)"), "in the range of double"},
      {"H46", scaled(R"({"type": "linear", "factor": 1e400})"), "in the range of double"},
  });
}

TEST(Catalogue, WidthsAreInRange) {
  expect_refused({
      {"H05", config("", "kimi_k2"), "/qk_rope_head_dim must be stated"},
      {"H06", config(R"("hidden_size": 768, "d_model": 512)"), "/d_model must be as /hidden_size says"},
      {"H07", config(R"("hidden_size": 0)"), "/hidden_size must be from 1"},
      {"H08", config(R"("hidden_size": -768)"), "/hidden_size must be from 1"},
      {"H09", config(R"("hidden_size": 768.0)"), "/hidden_size must be an integer"},
      {"H10", config(R"("hidden_size": true)"),
       "/hidden_size must be an integer of 64 bits with its sign, got a boolean"},
      {"H11", config(R"("hidden_size": null)"), "/hidden_size must be an integer of 64 bits with its sign, got null"},
      {"H12", config(R"("n_embd": "768")", "llama", "hidden_size"), "/n_embd must be an integer"},
      {"H13", config(R"("hidden_size": 4611686018427387904)"), "/hidden_size must be from 1 to 1073741824"},
      {"H21", config(R"("num_attention_heads": 0)"), "/num_attention_heads must be from 1"},
      {"H23", config(R"("num_attention_heads": 33)"), "/hidden_size must be a multiple of /num_attention_heads, 33"},
      {"H24", config(R"("head_dim": 127)"), "/head_dim must give an even number of columns"},
      {"H25", config(R"("head_dim": 0)"), "/head_dim must be from 1"},
      {"H26", config(R"("head_dim": -64)"), "/head_dim must be from 1"},
      {"H27", config(R"("head_dim": "128")"), "/head_dim must be an integer"},
      {"H66", config(R"("partial_rotary_factor": 0)"), "/partial_rotary_factor must be above 0 and at most 1"},
      {"H67", config(R"("partial_rotary_factor": 1.5)"), "/partial_rotary_factor must be above 0 and at most 1"},
      {"H68", config(R"("partial_rotary_factor": "0.5")"), "/partial_rotary_factor must be a number"},
      {"H69", config(R"("partial_rotary_factor": 0.5, "rotary_pct": 0.25)", "gpt_neox"),
       "/rotary_pct must be as /partial_rotary_factor says"},
      {"H70", config(R"("rotary_dim": 65)", "gptj"), "/rotary_dim must give an even number of columns"},
      {"H71", config(R"("rotary_dim": 256)", "gptj"), "/rotary_dim must give an even number of columns, 2 to 128"},
      {"H91", config(R"("hidden_size": 4096, "text_config": {"hidden_size": 512})", "gemma3"),
       "/hidden_size must be as /text_config/hidden_size"},
  });
}

TEST(Catalogue, BasesAndScalingsAreInRange) {
  const std::string yarn = R"("type": "yarn", "factor": 4, "original_max_position_embeddings": 1024)";
  const std::string llama3 = R"("type": "llama3", "factor": 8)";
  expect_refused({
      {"H30", config(R"("rope_theta": 0)"), "/rope_theta must be above 0"},
      {"H31", config(R"("rope_theta": -10000)"), "/rope_theta must be above 0"},
      {"H32", config(R"("rope_theta": "10000")"), "/rope_theta must be a number, got a string"},
      {"H35", scaled("\"linear\""), "/rope_scaling must be an object"},
      {"H36", scaled("[]"), "/rope_scaling must be an object"},
      {"H38", scaled(R"({"type": "foo"})"), "/rope_scaling/type must be one of default, linear"},
      {"H39", scaled(R"({"type": "linear"})"), "/rope_scaling/factor must be stated"},
      {"H40", scaled(R"({"type": "linear", "factor": 0})"), "/rope_scaling/factor must be at least 1"},
      {"H41", scaled(R"({"type": "linear", "factor": -2})"), "/rope_scaling/factor must be at least 1"},
      {"H42", scaled(R"({"type": "linear", "factor": 0.5})"), "/rope_scaling/factor must be at least 1"},
      {"H43", scaled(R"({"type": "linear", "factor": "2.0"})"), "/rope_scaling/factor must be a number"},
      {"H44", scaled(R"({"type": "linear", "factor": null})"), "/rope_scaling/factor must be a number, got null"},
      {"H45", scaled(R"({"type": "linear", "factor": true})"), "/rope_scaling/factor must be a number"},
      {"H48", scaled(R"({"type": "dynamic", "factor": 2})", R"("max_position_embeddings": 0)"),
       "/max_position_embeddings must be from 1"},
      {"H49", scaled(R"({"type": "yarn", "factor": 4, "original_max_position_embeddings": 0})"),
       "/rope_scaling/original_max_position_embeddings must be from 1"},
      {"H50", scaled("{" + yarn + R"(, "beta_fast": 1, "beta_slow": 32})"), "beta_fast no less than beta_slow"},
      {"H51", scaled("{" + yarn + R"(, "beta_fast": "32"})"), "/rope_scaling/beta_fast must be a number"},
      {"H52", scaled("{" + yarn + R"(, "attention_factor": -1})"), "/rope_scaling/attention_factor must be above 0"},
      {"H53", scaled(R"({"type": "longrope", "short_factor": )" + list(64, "1") + "}"),
       "/rope_scaling/long_factor must be stated"},
      {"H54", scaled(longrope(list(47, "1"), list(64, "2"))), "/rope_scaling/short_factor must be 64 numbers"},
      {"H55", scaled(longrope(list(64, "1"), "[1, 1, 1, -1.5, " + list(60, "1").substr(1))),
       "/rope_scaling/long_factor/3 must be above 0"},
      {"H56", scaled(longrope(list(64, "\"1.0\""), list(64, "2"))), "/rope_scaling/short_factor/0 must be a number"},
      {"H57", scaled(longrope(list(64, "[1]"), list(64, "2"))), "/rope_scaling/short_factor/0 must be a number"},
      {"H58", scaled(longrope("\"1\"", list(64, "2"))), "/rope_scaling/short_factor must be an array"},
      {"H59", scaled("{" + llama3 + R"(, "high_freq_factor": 4})"), "/rope_scaling/low_freq_factor must be stated"},
      {"H60", scaled("{" + llama3 + R"(, "high_freq_factor": 1, "low_freq_factor": 4})"),
       "/rope_scaling/high_freq_factor must be no less than /rope_scaling/low_freq_factor"},
      {"H62",
       scaled("{" + llama3 +
              R"(, "high_freq_factor": 4, "low_freq_factor": 1, "original_max_position_embeddings": 8192.5})"),
       "/rope_scaling/original_max_position_embeddings must be an integer"},
      {"H63", scaled(R"({"type": "linear", "factor": 2})", R"("rope_parameters": {"type": "linear", "factor": 4})"),
       "/rope_parameters must be as /rope_scaling says"},
      {"H72", scaled(R"({"type": "mrope", "mrope_section": [16, 24, 23]})", "", "qwen2_vl_text"),
       "/rope_scaling/mrope_section must be three numbers with the sum 64"},
      {"H73", scaled(R"({"type": "mrope", "mrope_section": [-8, 48, 24]})", "", "qwen2_vl_text"),
       "/rope_scaling/mrope_section/0 must be from 0"},
      {"H74", scaled(R"({"type": "mrope", "mrope_section": "16"})", "", "qwen2_vl_text"),
       "/rope_scaling/mrope_section must be an array"},
      {"H75", config(R"("max_position_embeddings": 0)", "bert"), "/max_position_embeddings must be from 1"},
      {"H76", config(R"("max_position_embeddings": -1)", "bert"), "/max_position_embeddings must be from 1"},
      {"H77", R"({"model_type": "bert", "max_position_embeddings": null})", "/max_position_embeddings must be stated"},
      {"H78", config(R"("position_embedding_type": "relative_key_quer")", "bert"),
       "/position_embedding_type must be one of"},
      {"H79", config(R"("position_embedding_type": 5)", "bert"), "/position_embedding_type must be a string"},
      {"H88", config(R"("pad_token_id": 50265, "vocab_size": 50265)", "roberta"),
       "/pad_token_id must be below /vocab_size"},
      {"H89", config(R"("pad_token_id": [0])", "roberta"), "/pad_token_id must be an integer"},
      {"H82", config(R"("alibi": "yes")", "falcon"), "/alibi must be true or false"},
      {"H86", config(R"("torch_dtype": "float8_e4m3fn")", "gemma2"), "/torch_dtype must be one of bfloat16"},
      {"H87", config(R"("torch_dtype": 16)", "gemma2"), "/torch_dtype must be a string"},
  });
}

std::vector<std::string> notes_of(const std::string& text) { return inspect(text).notes; }

TEST(Catalogue, WhatOthersWarnOfIsANote) {
  const std::string llama3 = R"({"type": "llama3", "factor": 8, "high_freq_factor": 4, "low_freq_factor": 1,
                                 "original_max_position_embeddings": 131072})";
  const std::vector<std::string> notes = notes_of(scaled(llama3, R"("max_position_embeddings": 8192)"));  // H61
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("131072, no less than /max_position_embeddings, 8192"), std::string::npos) << notes[0];
  EXPECT_EQ(notes_of(config(R"("auto_map": {"AutoConfig": "x.Y"})")),  // H94
            std::vector<std::string>{"/auto_map names code, which is not run"});
  EXPECT_TRUE(notes_of(scaled("{}")).empty());  // H37: an empty object states no scaling
}

// transformers 5.23 reads rotary_pct and rotary_emb_base for GPT-NeoX and its Japanese alone; the code of Nomic's and
// StableLM's first files has spellings of its own.
TEST(Catalogue, ASpellingThatAFamilyHasNotIsANote) {
  for (const std::string key : {"rotary_pct", "rotary_percent", "rope_pct", "rotary_emb_fraction", "rotary_emb_base",
                                "rope_base", "rotary_embedding_base"}) {
    const ModelPositions found = inspect(config("\"" + key + "\": 0.5"));
    EXPECT_EQ(found.notes, std::vector<std::string>{"/" + key + " is not read for llama"});
    EXPECT_EQ(find_role(found, "rotary")->convention, find_role(inspect(config("")), "rotary")->convention);
    EXPECT_EQ(find_role(found, "rotary")->rotated, 128);
  }
  const auto rotated = [](std::string_view key, std::string_view type) {
    const ModelPositions found = inspect(config("\"" + std::string(key) + "\": 0.5", type));
    EXPECT_TRUE(found.notes.empty()) << found.notes[0];
    return find_role(found, "rotary")->rotated;
  };
  EXPECT_EQ(rotated("partial_rotary_factor", "llama"), 64);
  EXPECT_EQ(rotated("rotary_pct", "gpt_neox"), 64);
  EXPECT_EQ(rotated("rotary_pct", "gpt_neox_japanese"), 64);
  EXPECT_EQ(rotated("rope_pct", "stablelm"), 64);
  EXPECT_EQ(rotated("rotary_emb_fraction", "nomic_bert"), 64);
  const auto base = [](std::string_view type) {
    const ModelPositions found = inspect(config(R"("rotary_emb_base": 777)", type));
    return std::get<Geometric>(std::get<Rotary>(*find_role(found, "rotary")->convention).ladders[0]).base;
  };
  EXPECT_EQ(base("gpt_neox"), 777);
  EXPECT_EQ(base("gpt_neox_japanese"), 777);
  EXPECT_EQ(base("nomic_bert"), 777);
  EXPECT_EQ(base("jina_embeddings_v3"), 777);
}

// 0 and null stand for the default; a band may begin where it ends.
TEST(Catalogue, TheTurnsOfYarnAreAnyThatDoNotFall) {
  const auto turns = [](const std::string& fast, const std::string& slow) {
    const std::string object =
        R"({"type": "yarn", "factor": 4, "original_max_position_embeddings": 1024, "beta_fast": )" + fast +
        ", \"beta_slow\": " + slow + "}";
    const ModelPositions found = inspect(scaled(object));
    const auto& ladder = std::get<Geometric>(std::get<Rotary>(*find_role(found, "rotary")->convention).ladders[0]);
    const auto& yarn = std::get<YarnScaling>(ladder.scaling);
    return std::pair(yarn.fast, yarn.slow);
  };
  EXPECT_EQ(turns("0", "0"), std::pair(32.0, 1.0));
  EXPECT_EQ(turns("0.0", "2"), std::pair(32.0, 2.0));
  EXPECT_EQ(turns("null", "null"), std::pair(32.0, 1.0));
  EXPECT_EQ(turns("16", "0"), std::pair(16.0, 1.0));
  EXPECT_EQ(turns("8", "8"), std::pair(8.0, 8.0));
  EXPECT_EQ(turns("1", "0"), std::pair(1.0, 1.0));
}

// 29 of 64 pairs of base 500000 have a period of more than 8192.
TEST(Catalogue, CopeClipsTheStatedPairsOrThoseOfLongerPeriods) {
  const auto scaling = [](const std::string& keys) {
    const std::string object = R"({"rope_type": "cope", "rope_theta": 500000, )" + keys + "}";
    const ModelPositions found = inspect(scaled(object, R"("head_dim": 128, "max_position_embeddings": 8192)"));
    return std::get<Geometric>(std::get<Rotary>(*find_role(found, "rotary")->convention).ladders[0]).scaling;
  };
  EXPECT_EQ(scaling(R"("clip_n": 20)"), Scaling(ClippedScaling{20}));
  EXPECT_EQ(scaling(R"("clip_n": 7, "original_max_position_embeddings": 8192)"), Scaling(ClippedScaling{7}));
  EXPECT_EQ(scaling(R"("original_max_position_embeddings": 8192)"), Scaling(ClippedScaling{29}));
  EXPECT_EQ(scaling(R"("clip_n": null)"), Scaling(ClippedScaling{29})) << "of max_position_embeddings";
  EXPECT_EQ(scaling(R"("original_max_position_embeddings": 1000000000)"), Scaling(Nothing{}));
  const auto problem = check_inspect(scaled(R"({"rope_type": "cope", "clip_n": 0})"));
  EXPECT_NE(problem->message().find("/clip_n must be from 1"), std::string::npos) << problem->message();
}

TEST(Catalogue, InklingScalesQueriesInItsFullLayers) {
  const std::string keys =
      R"("model_type": "inkling2_text", "hidden_size": 64, "num_hidden_layers": 4, "log_scaling_n_floor": 4096,
                              "layer_types": ["hybrid", "hybrid_sliding", "hybrid_sliding", "hybrid"])";
  const ModelPositions found = inspect("{" + keys + "}");
  const PositionRole* const role = find_role(found, "query_scale");
  ASSERT_NE(role, nullptr);
  EXPECT_EQ(*role->convention, Convention(QueryScale{LogClamp{0.1, 4096, 1}}));
  EXPECT_EQ(role->layers, (std::vector<std::int64_t>{0, 3}));
  ASSERT_EQ(found.missing.size(), 1u);
  EXPECT_EQ(found.missing[0].name, "bias");
  const std::string slides = R"({"model_type": "inkling2_text", "hidden_size": 64, "num_hidden_layers": 5})";
  EXPECT_EQ(find_role(inspect(slides), "query_scale"), nullptr) << "every sixth layer is full";
}

// The two of DeepSeek V2's gains differ; that of V2 Lite is both.
TEST(Catalogue, TheSoftmaxFactorOfDeepSeekIsOfTheGainOfAll) {
  const auto factor = [](const std::string& gain, const std::string& gain_all) {
    const std::string object =
        R"({"type": "yarn", "factor": 40, "original_max_position_embeddings": 4096, "mscale": )" + gain +
        ", \"mscale_all_dim\": " + gain_all + "}";
    const std::string head = R"("qk_rope_head_dim": 64, "qk_nope_head_dim": 128, "max_position_embeddings": 163840)";
    return inspect(scaled(object, head, "deepseek_v2")).parts[0].softmax_factor;
  };
  EXPECT_NEAR(factor("0.707", "1"), 1.874, 0.0005001);
  EXPECT_NEAR(factor("0.707", "0.707"), 1.590, 0.0005001);
}

// Eight kinds of layers with heads of 2^11 columns: 2^13 frequencies. One kind may have so many.
TEST(Catalogue, TheWorkOfAConfigurationIsBounded) {
  std::string types, ropes;
  for (int kind = 0; kind < 8; ++kind) {
    const std::string name = "\"kind" + std::to_string(kind) + "\"";
    types += (kind > 0 ? ", " : "") + name;
    ropes += (kind > 0 ? ", " : "") + name +
             R"(: {"rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4,
                   "original_max_position_embeddings": 8192})";
  }
  const std::string heads = R"("head_dim": 2048, "num_hidden_layers": 8, "layer_types": [)" + types + "]";
  const auto problem = check_inspect(config(heads + ", \"rope_parameters\": {" + ropes + "}"));
  ASSERT_TRUE(problem);
  EXPECT_NE(problem->message().find("at most 1024 frequencies together"), std::string::npos) << problem->message();
  EXPECT_FALSE(check_inspect(config(R"("head_dim": 2048)")));
  EXPECT_TRUE(check_inspect(config(R"("head_dim": 2048)"), {.frequencies = 1023}));
}

TEST(Catalogue, ATextThatIsWantedAndNotThereIsRefused) {  // H90
  const auto problem = check_inspect(config(""), {.part = "text"});
  ASSERT_TRUE(problem);
  EXPECT_EQ(problem->message(), "[inspect] the part must be one of the configuration's, which has none, got 'text'");
}

TEST(Catalogue, ARoleOfSeveralIsNamed) {
  const ModelPositions positions = inspect(config(R"("num_hidden_layers": 12)", "gemma3_text"));
  const auto several = check_role(positions, "rotary");  // H64
  ASSERT_TRUE(several);
  EXPECT_NE(several->rule.find("one of rotary.sliding_attention"), std::string::npos) << several->rule;
  EXPECT_TRUE(check_role(positions, "rotary.chunked_attention"));  // H65
  EXPECT_FALSE(check_role(positions, "rotary.sliding_attention"));
}

}  // namespace
}  // namespace posenc
