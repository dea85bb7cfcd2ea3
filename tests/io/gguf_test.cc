// SPDX-License-Identifier: Apache-2.0
// GGUF files: metadata of every type, tensors and rows of them, and files that the gguf package wrote.
#include <gtest/gtest.h>
#include <posenc/io/gguf.h>
#include <posenc/io/tensor_files.h>
#include <posenc/preset.h>

#include <algorithm>
#include <cstring>

#include "tests/io/gguf_files.h"
#include "tests/io/goldens.h"
#include "tests/io/scratch.h"

namespace posenc::io {
namespace {

std::string message_by(const auto& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_LE(std::string_view(error.what()).size(), 300u);
    return error.what();
  }
  return "accepted";
}

template <class T>
T value_of(const GgufHeader& header, std::string_view key) {
  return std::get<T>(std::get<GgufScalar>(header.find(key)->value));
}

const GgufArray& array_of(const GgufHeader& header, std::string_view key) {
  return std::get<GgufArray>(header.find(key)->value);
}

/// Element i of a golden tensor, in row-major order, as tools/goldens/npy.py fills it.
double filled(std::size_t i) {
  constexpr double values[] = {0, 1, -2, 3, 100, -64, 7};
  return values[i % 7];
}

template <class T>
std::vector<T> elements(const Array& array) {
  std::vector<T> values(array.data.size() / sizeof(T));
  std::memcpy(values.data(), array.data.data(), array.data.size());
  return values;
}

template <class T>
void expect_filled(const Gguf& file, std::string_view name, DType dtype, std::vector<std::int64_t> shape) {
  const Array array = file.read(name);
  EXPECT_EQ(array.dtype, dtype);
  EXPECT_EQ(array.shape, shape);
  const std::vector<T> values = elements<T>(array);
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(static_cast<double>(static_cast<float>(values[i])), filled(i)) << name << " " << i;
  }
}

TEST(Gguf, ReadsValuesOfEveryTypeThatThePackageWrote) {
  const std::string bytes = golden("values.gguf");
  const GgufHeader header = parse_gguf(std::as_bytes(std::span(bytes)));
  EXPECT_EQ(header.version, 3u);
  EXPECT_EQ(header.alignment, 64u);
  EXPECT_TRUE(header.tensors.empty());
  EXPECT_EQ(value_of<std::string>(header, "general.architecture"), "qwen2vl");
  EXPECT_EQ(value_of<std::uint64_t>(header, "value.uint8"), 255u);
  EXPECT_EQ(value_of<std::int64_t>(header, "value.int8"), -128);
  EXPECT_EQ(value_of<std::uint64_t>(header, "value.uint16"), 65535u);
  EXPECT_EQ(value_of<std::int64_t>(header, "value.int16"), -32768);
  EXPECT_EQ(value_of<std::uint64_t>(header, "value.uint32"), 4294967295u);
  EXPECT_EQ(value_of<std::int64_t>(header, "value.int32"), -2147483648LL);
  EXPECT_EQ(value_of<std::uint64_t>(header, "value.uint64"), ~std::uint64_t{0});
  EXPECT_EQ(value_of<std::int64_t>(header, "value.int64"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(value_of<double>(header, "value.float32"), static_cast<double>(0.1f));
  EXPECT_EQ(value_of<double>(header, "value.float64"), 0.1);
  EXPECT_TRUE(value_of<bool>(header, "value.bool"));
  EXPECT_EQ(value_of<std::string>(header, "value.string"), "h\u00e9llo \u4f4d\u7f6e");
  EXPECT_EQ(header.find("value.int8")->type, "i8");
  EXPECT_EQ(header.find("value.string")->type, "string");
  EXPECT_EQ(header.find("value"), nullptr);

  EXPECT_EQ(array_of(header, "array.ints").type, "i32");
  EXPECT_EQ(array_of(header, "array.ints").items,
            (std::vector<GgufScalar>{std::int64_t{1}, std::int64_t{-2}, std::int64_t{3}}));
  EXPECT_EQ(array_of(header, "array.floats").items, (std::vector<GgufScalar>{0.5, 1.5}));
  EXPECT_EQ(array_of(header, "array.strings").items,
            (std::vector<GgufScalar>{std::string("a"), std::string(), std::string("\u00e9")}));
  EXPECT_EQ(array_of(header, "array.bools").items, (std::vector<GgufScalar>{true, false}));
  const GgufRope rope = rope_of(header);
  EXPECT_EQ(rope.sections, (std::vector<std::int64_t>{16, 24, 24, 0}));
  EXPECT_EQ(rope.freq_base, std::nullopt);
  EXPECT_EQ(rope.scaling, "");
}

TEST(Gguf, ReadsTensorsThatThePackageWrote) {
  const Gguf file(kGoldens + "llama.gguf");
  const GgufHeader& header = file.header();
  EXPECT_EQ(header.alignment, 32u);
  ASSERT_EQ(header.tensors.size(), 8u);
  EXPECT_EQ(header.tensors[0].name, "token_embd.weight");
  expect_filled<float>(file, "token_embd.weight", DType::f32, {6, 32});
  expect_filled<half>(file, "blk.0.attn_q.weight", DType::f16, {3, 4});
  expect_filled<bfloat16>(file, "blk.0.attn_k.weight", DType::bf16, {2, 3});
  expect_filled<double>(file, "f64", DType::f64, {2, 3, 2});
  expect_filled<std::int32_t>(file, "i32", DType::i32, {5});
  expect_filled<std::int64_t>(file, "i64", DType::i64, {1, 1, 1, 3});
  EXPECT_EQ(file.tensor("output.weight").type, "Q8_0");
  EXPECT_EQ(file.tensor("output.weight").shape, (std::vector<std::int64_t>{2, 64}));
  EXPECT_EQ(file.tensor("output.weight").dtype, DType{});
  const std::string rule = "[read_gguf] the type must be F32, F16, BF16, F64, I32 or I64 to be read, got ";  // G65
  EXPECT_TRUE(
      message_by([&] { file.read("output.weight"); }).starts_with(rule + "Q8_0 in tensor 'output.weight' of '"));
  EXPECT_TRUE(message_by([&] { file.read("i8"); }).starts_with(rule + "I8"));
  EXPECT_NE(
      message_by([&] { file.read("token_emb"); }).find("of the file's 8, such as 'token_embd.weight', got 'token_emb'"),
      std::string::npos);
}

TEST(Gguf, SaysThePositionsOfAModel) {
  const GgufRope rope = rope_of(Gguf(kGoldens + "llama.gguf").header());
  EXPECT_EQ(rope.architecture, "llama");
  EXPECT_EQ(rope.context_length, 4096);
  EXPECT_EQ(rope.head, 16);
  EXPECT_EQ(rope.dimension_count, 16);
  EXPECT_EQ(rope.freq_base, 500000.0);
  EXPECT_EQ(rope.scaling, "yarn");
  EXPECT_EQ(rope.factor, 8.0);
  EXPECT_EQ(rope.original_context_length, 512);
  EXPECT_EQ(rope.attn_factor, std::nullopt);
}

TEST(Gguf, SaysWhichRotationItsKeysMean) {
  const auto of = [](std::string architecture, const auto& stated) {
    GgufRope rope;
    rope.architecture = std::move(architecture);
    stated(rope);
    return rotation_of(rope);
  };
  const auto nothing = [](GgufRope&) {};
  const auto yarn = [](GgufRope& rope) { rope.scaling = "yarn", rope.factor = 16, rope.context_length = 4096; };
  const Convention pairs = preset("rope-pair").convention, halves = preset("rope-half").convention,
                   four = with_fields(pairs, {{"ladder.scaling", "linear"}, {"ladder.scaling.factor", 4}}),
                   yarn_pairs = with_field(preset("rope-yarn").convention, "pairing", "adjacent");
  EXPECT_EQ(of("llama", nothing), pairs);
  EXPECT_EQ(of("qwen2", nothing), halves);
  EXPECT_EQ(of("qwen2", [](GgufRope& rope) { rope.freq_base = 1e6; }), with_field(halves, "ladder.base", 1e6));
  EXPECT_EQ(of("gptneox", [](GgufRope& rope) { rope.head = 64, rope.dimension_count = 16; }),
            with_field(halves, "part", 16));
  EXPECT_EQ(of("llama", [](GgufRope& rope) { rope.head = 64, rope.dimension_count = 64; }), pairs);
  EXPECT_EQ(of("llama", [](GgufRope& rope) { rope.scaling = "linear", rope.factor = 4; }), four);
  EXPECT_EQ(of("llama", [](GgufRope& rope) { rope.factor = 4; }), four);  // of old files
  EXPECT_EQ(of("llama", [](GgufRope& rope) { rope.scaling = "none", rope.factor = 4; }), pairs);
  EXPECT_EQ(of("llama", yarn), yarn_pairs);
  EXPECT_EQ(of("llama",
               [&](GgufRope& rope) { yarn(rope), rope.context_length = 65536, rope.original_context_length = 4096; }),
            yarn_pairs);
}

TEST(Gguf, SaysNoRotationThatItsKeysDoNotState) {
  const auto is_none = [](std::string architecture, const auto& stated) {
    GgufRope rope;
    rope.architecture = std::move(architecture);
    stated(rope);
    return !rotation_of(rope);
  };
  for (const char* architecture : {"bert", "gpt2", "qwen2vl", "deepseek2", "nobody's"}) {
    EXPECT_TRUE(is_none(architecture, [](GgufRope&) {})) << architecture;
  }
  EXPECT_TRUE(is_none("llama", [](GgufRope& rope) { rope.scaling = "yarn"; }));
  EXPECT_TRUE(is_none("phi3", [](GgufRope& rope) { rope.scaling = "longrope"; }));
  EXPECT_TRUE(is_none("qwen2", [](GgufRope& rope) { rope.sections = {16, 24, 24}; }));
}

GgufRope rope_with(const std::string& architecture, std::vector<std::string> keys) {
  keys.insert(keys.begin(), gguf_text("general.architecture", architecture));
  return rope_of(parse_gguf(bytes_of(gguf_file(keys))));
}

// Files of 2023 have rope.scale_linear; llama.cpp takes it where rope.scaling.factor is not there.
TEST(Gguf, AnOldLinearScaleIsAFactor) {
  const GgufRope old = rope_with("llama", {gguf_f32("llama.rope.scale_linear", 4)});
  EXPECT_EQ(old.factor, 4.0);
  EXPECT_EQ(rotation_of(old),
            with_fields(preset("rope-pair").convention, {{"ladder.scaling", "linear"}, {"ladder.scaling.factor", 4}}));
  EXPECT_TRUE(old.unread.empty());
  EXPECT_EQ(
      rope_with("llama", {gguf_f32("llama.rope.scale_linear", 4), gguf_f32("llama.rope.scaling.factor", 2)}).factor,
      2.0);
}

std::vector<std::string> yarn_keys(const std::string& architecture, float fast) {
  const std::string rope = architecture + ".rope.scaling.";
  return {gguf_u32(architecture + ".context_length", 4096), gguf_text(rope + "type", "yarn"),
          gguf_f32(rope + "factor", 16), gguf_f32(rope + "yarn_beta_fast", fast), gguf_f32(rope + "yarn_beta_slow", 2)};
}

TEST(Gguf, KeysOfYarnAreReadWhereTheyAreAndElseListed) {
  const auto betas = [](const Convention& convention) {
    const auto& ladder = std::get<Geometric>(std::get<Rotary>(convention).ladders[0]);
    const auto& yarn = std::get<YarnScaling>(ladder.scaling);
    return std::pair(yarn.fast, yarn.slow);
  };
  const GgufRope grok = rope_with("grok", yarn_keys("grok", 16));
  EXPECT_EQ(betas(*rotation_of(grok)), std::pair(16.0, 2.0));
  EXPECT_TRUE(grok.unread.empty());
  GgufRope plain = rope_with("grok", {gguf_text("grok.rope.scaling.type", "yarn"),
                                      gguf_f32("grok.rope.scaling.factor", 2), gguf_u32("grok.context_length", 4096)});
  EXPECT_EQ(betas(*rotation_of(plain)), std::pair(8.0, 1.0));
  const GgufRope llama = rope_with("llama", yarn_keys("llama", 16));
  EXPECT_EQ(betas(*rotation_of(llama)), std::pair(32.0, 1.0));
  EXPECT_EQ(llama.unread,
            (std::vector<std::string>{"llama.rope.scaling.yarn_beta_fast", "llama.rope.scaling.yarn_beta_slow"}));
  const GgufRope others = rope_with(
      "llama",
      {gguf_f32("llama.rope.scaling.yarn_attn_factor", 1), gguf_f32("llama.rope.scaling.yarn_ext_factor", 0.5f),
       gguf_key("llama.rope.scaling.finetuned", 7, std::string(1, '\1')), gguf_f32("llama.rope.freq_base_swa", 10000)});
  EXPECT_EQ(others.unread,
            (std::vector<std::string>{"llama.rope.scaling.yarn_ext_factor", "llama.rope.freq_base_swa"}));
}

// Ministral 3 and Devstral Small 2: adjacent pairs, whose magnitude is YaRN's over that of the stated gain, here 1.
TEST(Gguf, Mistral3StatesTheGainOfItsMagnitude) {
  std::vector<std::string> keys = yarn_keys("mistral3", 4);
  keys.push_back(gguf_f32("mistral3.rope.freq_base", 1e8f));
  const std::vector<FieldChange> stated = {{"ladder.base", 1e8},
                                           {"ladder.scaling", "yarn"},
                                           {"ladder.scaling.factor", 16},
                                           {"ladder.scaling.length", 4096},
                                           {"ladder.scaling.fast", 4},
                                           {"ladder.scaling.slow", 2},
                                           {"ladder.scaling.truncate", "whole"},
                                           {"magnitude", "yarn"},
                                           {"magnitude.factor", 16},
                                           {"magnitude.gain", 1},
                                           {"magnitude.gain_all", 0}};
  const Convention plain = with_fields(preset("rope-pair").convention, stated);
  EXPECT_EQ(rotation_of(rope_with("mistral3", keys)), plain);
  keys.push_back(gguf_f32("mistral3.rope.scaling.yarn_log_multiplier", 1));
  const GgufRope rope = rope_with("mistral3", keys);
  EXPECT_EQ(rotation_of(rope), with_field(plain, "magnitude.gain_all", 1));
  EXPECT_TRUE(rope.unread.empty());
  keys.back() = gguf_f32("mistral3.rope.scaling.yarn_log_multiplier", -1);
  EXPECT_THROW(rope_with("mistral3", keys), Error);
  EXPECT_EQ(rope_with("llama", {gguf_f32("llama.rope.scaling.yarn_log_multiplier", 1)}).unread,
            std::vector<std::string>{"llama.rope.scaling.yarn_log_multiplier"});
}

TEST(Gguf, LayersWithAWindowOfGemmaHaveABaseOfTheirOwn) {
  const std::vector<std::string> keys = {
      gguf_f32("gemma3.rope.freq_base", 1e6f), gguf_f32("gemma3.rope.scaling.factor", 8),
      gguf_text("gemma3.rope.scaling.type", "linear"), gguf_u32("gemma3.attention.sliding_window", 512)};
  const GgufRope rope = rope_with("gemma3", keys);
  EXPECT_EQ(sliding_rotation_of(rope), preset("rope-half").convention);
  EXPECT_NE(rotation_of(rope), preset("rope-half").convention);
  EXPECT_FALSE(sliding_rotation_of(rope_with("gemma3", {keys.begin(), keys.end() - 1})));  // none has a window
  EXPECT_FALSE(sliding_rotation_of(rope_with("gemma2", {gguf_u32("gemma2.attention.sliding_window", 512)})));
}

TEST(Gguf, KeepsTheFirstItemsOfALongArray) {
  const GgufHeader header = Gguf(kGoldens + "llama.gguf").header();
  const GgufArray& tokens = array_of(header, "tokenizer.ggml.tokens");
  EXPECT_EQ(tokens.type, "string");
  EXPECT_EQ(tokens.count, 1500u);
  ASSERT_EQ(tokens.items.size(), gguf_kept_items);
  EXPECT_EQ(tokens.items.back(), GgufScalar(std::string("<1023>")));
}

TEST(Gguf, TakesTheHeadOfAModelFromItsWidths) {
  const auto head = [](const std::vector<std::string>& keys) {
    std::vector<std::string> all = {gguf_text("general.architecture", "a")};
    all.insert(all.end(), keys.begin(), keys.end());
    return rope_of(parse_gguf(bytes_of(gguf_file(all)))).head;
  };
  const std::string width = gguf_u32("a.embedding_length", 12), heads = gguf_u32("a.attention.head_count", 3);
  EXPECT_EQ(head({width, heads}), 4);
  EXPECT_EQ(head({width, heads, gguf_u32("a.attention.key_length", 6)}), 6);
  EXPECT_EQ(head({width}), std::nullopt);
  EXPECT_EQ(head({width, gguf_u32("a.attention.head_count", 5)}), std::nullopt);
  // Layer by layer.
  EXPECT_EQ(head({width, gguf_array("a.attention.head_count", 4, 1, little_endian(3, 4))}), std::nullopt);
}

TEST(Gguf, ReadsRowsAndOpensAsATensorFile) {
  const TensorFiles files(kGoldens + "llama.gguf");
  EXPECT_EQ(files.format(), TensorFormat::gguf);
  ASSERT_NE(files.gguf(), nullptr);
  EXPECT_EQ(files.gguf()->tensors.size(), files.tensors().size());
  EXPECT_EQ(files.tensor("output.weight").type, "Q8_0");
  const Array all = files.read("token_embd.weight");
  for (std::int64_t first = 0; first <= 6; ++first) {
    for (std::int64_t count = 0; count <= 6 - first; ++count) {
      std::vector<float> out(static_cast<std::size_t>(count * 32));
      files.read_rows("token_embd.weight", first, view(out.data(), {count, 32}));
      const std::vector<float> whole = elements<float>(all);
      EXPECT_TRUE(std::equal(out.begin(), out.end(), whole.begin() + first * 32));
    }
  }
  std::vector<float> out(32);
  EXPECT_NE(message_by([&] {
              files.read_rows("token_embd.weight", 6, view(out.data(), {1, 32}));
            }).find("within the tensor's 6"),
            std::string::npos);
  EXPECT_NE(
      message_by([&] { files.read_rows("output.weight", 0, view(out.data(), {1, 32})); }).find("to be read, got Q8_0"),
      std::string::npos);
  EXPECT_EQ(TensorFiles(kGoldens + "one.npz").gguf(), nullptr);
}

TEST(Gguf, ReadsAFileWithoutTensorsOrNames) {
  const Scratch folder;
  put(folder / "x", gguf_file({}));
  const Gguf file(folder / "x");
  EXPECT_NE(message_by([&] { file.tensor("w"); }).find("the file holds no tensors, got 'w'"), std::string::npos);
}

TEST(Gguf, RefusesAFileThatChangesMeanwhile) {
  const Scratch folder;
  put(folder / "x", gguf_file({}, {gguf_tensor("w", {1}, 0, 0)}, std::string(32, '\0')));
  const Gguf file(folder / "x");
  put(folder / "x", "");
  EXPECT_NE(message_by([&] { file.read("w"); }).find("must not change while it is read"), std::string::npos);
}

}  // namespace
}  // namespace posenc::io
