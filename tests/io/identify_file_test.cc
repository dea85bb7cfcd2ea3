// SPDX-License-Identifier: Apache-2.0
// Files whose tensors hold conventions: which tensors are looked at, what stands beside them, what is no error.
#include <gtest/gtest.h>
#include <posenc/io/identify_file.h>
#include <posenc/rotary_cache.h>
#include <posenc/sinusoid.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "src/spec/json/json_node.h"
#include "tests/io/gguf_files.h"
#include "tests/io/goldens.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

std::vector<float> whisper_rows(std::int64_t count, std::int64_t width) {
  std::vector<float> rows(static_cast<std::size_t>(count * width));
  sinusoid(preset("whisper").convention, Positions::range(0, count), view(rows.data(), {count, width}));
  return rows;
}

std::string bytes_of_values(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// The JSON report of a file, parsed.
struct Report {
  explicit Report(const FileIdentification& found) : tree(parse_json(to_json(found), source)) {}
  JsonNode member(std::string_view key) const { return JsonNode{tree, "", source}.member(key); }

  JsonSource source = {"report"};
  JsonTree tree;
};

const TensorIdentification& tensor_of(const FileIdentification& found, std::string_view name) {
  return *std::ranges::find(found.tensors, name, &TensorIdentification::name);
}

bool names(const TensorIdentification& tensor, std::string_view preset) {
  if (!tensor.found || tensor.found->candidates.empty()) return false;
  return std::ranges::count(tensor.found->candidates.front().presets, preset) == 1;
}

TEST(IdentifyFile, NamesTheArrayOfAnNpyFile) {
  const Scratch folder;
  const std::vector<float> rows = whisper_rows(40, 32);
  write_npy(folder / "pe.npy", view(rows.data(), {40, 32}));
  const FileIdentification found = identify_file(folder / "pe.npy");
  ASSERT_EQ(found.tensors.size(), 1u);
  EXPECT_TRUE(names(found.tensors[0], "whisper"));
  EXPECT_EQ(found.tensors[0].type, "<f4");
  EXPECT_EQ(found.others, 0);
  EXPECT_FALSE(found.gguf || found.config);
  EXPECT_TRUE(to_string(found).starts_with("<f4 [40, 32]\n"));
}

TEST(IdentifyFile, LooksOfManyTensorsAtThoseNamedAfterPositions) {
  const Scratch folder;
  const std::vector<float> rows = whisper_rows(40, 32), ones(32, 1.0f);
  std::vector<NamedView> views;
  const std::vector<std::string> spoken = {"encoder.embed_positions.weight", "model.pe", "PosEmbed",
                                           "layers.0.rotary_emb.inv_freq"};
  std::vector<std::string> others;
  for (int i = 0; i < 20; ++i) others.push_back("layers." + std::to_string(i) + ".post_attention_layernorm.weight");
  others.push_back("type_embedding.weight");
  for (const std::string& name : spoken) views.push_back({name, view(rows.data(), {40, 32})});
  for (const std::string& name : others) views.push_back({name, view(ones.data(), {32})});
  write_safetensors(folder / "m.safetensors", views);

  std::int64_t told = 0, of = 0;
  IdentifyFileOptions options;
  options.watch = [&](std::int64_t done, std::int64_t all) {
    EXPECT_EQ(done, told++);
    of = all;
  };
  const FileIdentification found = identify_file(folder / "m.safetensors", options);
  EXPECT_EQ(std::ssize(found.tensors), std::ssize(spoken));
  EXPECT_EQ(found.others, std::ssize(others));
  EXPECT_EQ(told, of);
  EXPECT_EQ(of, std::ssize(spoken));
  for (const std::string& name : spoken) EXPECT_TRUE(names(tensor_of(found, name), "whisper")) << name;
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("4 of 25 tensors"), std::string::npos) << found.notes[0];
  // All of them hold the same, which is told once.
  const std::string text = to_string(found);
  EXPECT_EQ(text.find("whisper"), text.rfind("whisper, "));
  EXPECT_NE(text.find("(4 tensors): F32 [40, 32]"), std::string::npos) << text;
}

TEST(IdentifyFile, TakesTheTensorThatIsNamed) {
  const Scratch folder;
  const std::vector<float> rows = whisper_rows(40, 32);
  const NamedView views[] = {{"a", view(rows.data(), {40, 32})}, {"b", view(rows.data(), {0, 32})}};
  write_safetensors(folder / "m.safetensors", views);
  EXPECT_TRUE(names(identify_file(folder / "m.safetensors", {.tensor = "a"}).tensors.at(0), "whisper"));
  EXPECT_THROW(identify_file(folder / "m.safetensors", {.tensor = "b"}), Error);
  EXPECT_THROW(identify_file(folder / "m.safetensors", {.tensor = "c"}), Error);
  // Where it was not asked for by name, a tensor without elements is no error.
  const FileIdentification all = identify_file(folder / "m.safetensors");
  EXPECT_FALSE(tensor_of(all, "b").found);
  EXPECT_NE(tensor_of(all, "b").note, "");
}

TEST(IdentifyFile, ReadsTheConfigurationOfAFolder) {
  const Scratch folder;
  const std::vector<float> rows = whisper_rows(40, 32);
  const NamedView views[] = {{"pe", view(rows.data(), {40, 32})}};
  write_safetensors(folder / "model.safetensors", views);
  put(folder / "config.json", R"({"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4,
                                  "num_hidden_layers": 2, "rope_theta": 500000.0})");
  const FileIdentification found = identify_file(folder.path());
  ASSERT_TRUE(found.config);
  EXPECT_EQ(found.config->model_type, "llama");
  EXPECT_EQ(Report(found).member("config").member("model_type").text(), "llama");
  put(folder / "config.json", R"({"model_type": "nobody's"})");
  const FileIdentification without = identify_file(folder.path());
  EXPECT_FALSE(without.config);
  ASSERT_EQ(without.notes.size(), 1u);
  EXPECT_NE(without.notes[0].find("[inspect]"), std::string::npos);
  EXPECT_TRUE(names(without.tensors.at(0), "whisper"));
}

// ---- GGUF -----------------------------------------------------------------------------------------------------------

std::vector<std::string> keys_of(const std::string& architecture, std::vector<std::string> more) {
  more.insert(more.begin(), gguf_text("general.architecture", architecture));
  return more;
}

TEST(IdentifyFile, TellsWhatTheMetadataOfAGgufFileMean) {
  const FileIdentification found = identify_file(kGoldens + "llama.gguf");
  ASSERT_TRUE(found.gguf);
  EXPECT_EQ(found.gguf->architecture, "llama");
  ASSERT_TRUE(found.gguf->rotation);
  const auto& rotary = std::get<Rotary>(*found.gguf->rotation);
  EXPECT_EQ(rotary.pairing, Pairing::adjacent);
  const auto key = std::ranges::find(found.gguf->keys, "llama.rope.freq_base", &GgufKey::key);
  ASSERT_NE(key, found.gguf->keys.end());
  EXPECT_EQ(key->value, "500000");
  EXPECT_EQ(found.gguf->preset, "ernie-4.5");  // whose base is 500000, too
  EXPECT_EQ(found.gguf->differences.size(), 2u);
  EXPECT_FALSE(tensor_of(found, "output.weight").found);  // Q8_0
  EXPECT_EQ(Report(found).member("gguf").member("keys").member("llama.rope.scaling.type").text(), "yarn");
  EXPECT_NE(to_string(found).find("rotation"), std::string::npos);
}

TEST(IdentifyFile, TellsLayersWithAWindowAndKeysThatAreNotRead) {
  const Scratch folder;
  put(folder / "m.gguf", gguf_file(keys_of("gemma3", {gguf_f32("gemma3.rope.freq_base", 1e6f),
                                                      gguf_u32("gemma3.attention.sliding_window", 512),
                                                      gguf_f32("gemma3.rope.scaling.yarn_beta_fast", 16)})));
  const FileIdentification found = identify_file(folder / "m.gguf");
  EXPECT_EQ(found.gguf->sliding, preset("rope-half").convention);
  EXPECT_EQ(found.gguf->unread, std::vector<std::string>{"gemma3.rope.scaling.yarn_beta_fast"});
  const std::string text = to_string(found);
  EXPECT_NE(text.find("not read"), text.npos) << text;
  EXPECT_NE(text.find("with a window"), text.npos) << text;
  const Report report(found);
  EXPECT_EQ(report.member("gguf").member("sliding").member("ladders").item(0).member("base").number(), 10000);
  EXPECT_EQ(report.member("gguf").member("unread").value.size(), 1u);
}

TEST(IdentifyFile, FindsLlama3ByItsDivisors) {
  const std::int64_t pairs = 32;
  const Convention scaled = preset("rope-llama3").convention;
  const auto frequencies = [&](const Convention& of) {
    return RotaryCache(with_field(of, "stored", "complex"), 2 * pairs).frequencies();
  };
  const std::vector<double> plain = frequencies(with_field(scaled, "ladder.scaling", "none")),
                            slow = frequencies(scaled);
  std::vector<float> divisors;
  for (std::size_t k = 0; k < plain.size(); ++k) divisors.push_back(static_cast<float>(plain[k] / slow[k]));
  const Scratch folder;
  const std::vector<std::string> keys =
      keys_of("llama", {gguf_f32("llama.rope.freq_base", 500000), gguf_u32("llama.rope.dimension_count", 64),
                        gguf_u32("llama.attention.key_length", 64)});
  put(folder / "m.gguf", gguf_file(keys, {gguf_tensor("rope_freqs.weight", {32}, 0, 0)}, bytes_of_values(divisors)));
  const FileIdentification found = identify_file(folder / "m.gguf");
  ASSERT_EQ(found.tensors.size(), 1u);
  EXPECT_TRUE(names(found.tensors[0], "rope-llama3")) << to_string(found);
  EXPECT_NE(found.tensors[0].note, "");
  ASSERT_TRUE(found.gguf && found.gguf->rotation);
  EXPECT_EQ(*found.gguf->rotation, with_field(scaled, "pairing", "adjacent"));
  EXPECT_EQ(found.gguf->differences.size(), 1u);  // from a row of that pairing and base, or of that scaling

  for (std::size_t k = 0; k < divisors.size(); ++k) divisors[k] = 1 + 0.37f * static_cast<float>(k * k % 7);
  put(folder / "m.gguf", gguf_file(keys, {gguf_tensor("rope_freqs.weight", {32}, 0, 0)}, bytes_of_values(divisors)));
  const FileIdentification nobody = identify_file(folder / "m.gguf");
  EXPECT_TRUE(nobody.tensors.at(0).found->candidates.empty()) << to_string(nobody);
  EXPECT_FALSE(nobody.gguf->rotation);
}

TEST(IdentifyFile, SaysWhyMetadataMeanNoRotation) {
  const Scratch folder;
  const auto gguf_of = [&](const std::vector<std::string>& keys) {
    put(folder / "m.gguf", gguf_file(keys));
    return *identify_file(folder / "m.gguf").gguf;
  };
  for (const GgufPositions& none : {gguf_of(keys_of("nobody's", {})), gguf_of({}),
                                    gguf_of(keys_of("llama", {gguf_u32("llama.rope.dimension_count", 7)})),
                                    gguf_of(keys_of("llama", {gguf_text("llama.rope.scaling.type", "longrope")}))}) {
    EXPECT_FALSE(none.rotation);
    EXPECT_NE(none.note, "");
  }
}

TEST(IdentifyFile, WritesJsonOfNamesThatAreNoText) {
  const Scratch folder;
  const std::vector<float> rows = whisper_rows(8, 8);
  const std::string path = folder / "\xFF.npy";
  write_npy(path, view(rows.data(), {8, 8}));
  EXPECT_NE(Report(identify_file(path)).member("file").text().find("\uFFFD"), std::string::npos);
}

}  // namespace
}  // namespace posenc::io
