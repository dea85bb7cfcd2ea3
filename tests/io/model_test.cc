// SPDX-License-Identifier: Apache-2.0
// Models from folders: every part the tensor that was named, every statement heeded, everything else refused by name.
#include <posenc/bias.h>
#include <posenc/io/model.h>
#include <posenc/preset.h>

#include <gtest/gtest.h>

#include <cmath>

#include "tests/encodings/said.h"
#include "tests/io/model_folders.h"

namespace posenc::io {
namespace {

using test::thrown;

std::vector<float> values_of(const ConstView& view) {
  std::vector<float> values;
  const auto* data = static_cast<const float*>(view.data);
  const std::int64_t rows = view.rank == 1 ? 1 : view.size(0), columns = view.size(-1);
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      values.push_back(data[i * (view.rank == 1 ? 0 : view.stride(0)) + j * view.stride(-1)]);
    }
  }
  return values;
}

std::vector<float> slice(const std::vector<float>& values, std::size_t first, std::size_t last) {
  return {values.begin() + static_cast<std::ptrdiff_t>(first), values.begin() + static_cast<std::ptrdiff_t>(last)};
}

/// The rows of the ids 0, 1, 2, 3 on one side.
std::vector<float> rows_of(const TokenInput& input) {
  const std::int64_t ids[] = {0, 1, 2, 3};
  std::vector<float> out(4 * static_cast<std::size_t>(input.stage.width()));
  input.stage.encode(view(ids, {4}), Positions::range(input.origin, 4), view(out.data(), {4, input.stage.width()}));
  return out;
}

// ---- what is read ---------------------------------------------------------------------------------

TEST(Model, EveryPartIsTheTensorThatTheDescriptionNames) {
  SmallModel small;
  const Model model(small.folder());
  const Transformer& parts = model.transformer();
  const auto& source = std::get<TokenInput>(parts.source);
  EXPECT_EQ(values_of(source.stage.embedding().rows), small.tensors.values("words"));
  EXPECT_EQ(values_of(*source.added), slice(small.tensors.values("segments"), 4, 8));
  EXPECT_EQ(values_of(source.norm->weight), small.tensors.values("norm.in.w"));
  EXPECT_FALSE(source.norm->bias);
  EXPECT_EQ(source.norm->epsilon, 1e-12);
  ASSERT_EQ(parts.encoder.layers.size(), 1u);
  const EncoderLayer& layer = parts.encoder.layers[0];
  const std::vector<float>& stacked = small.tensors.values("enc.0.qkv");
  EXPECT_EQ(values_of(layer.attention.query.weight), slice(stacked, 0, 16));
  EXPECT_EQ(values_of(layer.attention.key.weight), slice(stacked, 16, 32));
  EXPECT_EQ(values_of(layer.attention.value.weight), slice(stacked, 32, 48));
  EXPECT_EQ(values_of(*layer.attention.out.bias), small.tensors.values("enc.0.out.b"));
  EXPECT_EQ(values_of(layer.feed_forward.narrow.weight), small.tensors.values("enc.0.narrow.w"));
  EXPECT_EQ(values_of(parts.encoder.final_norm->weight), small.tensors.values("enc.norm.w"));
  const DecoderLayer& decoder = parts.decoder->layers.at(0);
  EXPECT_EQ(values_of(decoder.self_attention.key.weight), small.tensors.values("dec.0.self.key.w"));
  EXPECT_EQ(values_of(decoder.cross_attention.value.weight), small.tensors.values("dec.0.cross.value.w"));
  EXPECT_EQ(values_of(decoder.cross_norm.weight), small.tensors.values("dec.0.norm.w"));
  EXPECT_FALSE(parts.decoder->final_norm);
}

TEST(Model, AStatedStyleIsTheStyle) {
  SmallModel small;
  const Model model(small.folder());
  const LayerStyle& encoder = model.transformer().encoder.style;
  EXPECT_EQ(encoder.norm, NormPlace::after);
  EXPECT_EQ(encoder.activation, Activation::relu);
  EXPECT_EQ(encoder.score, Score::scaled_dot);
  EXPECT_TRUE(encoder.slopes.empty());
  const LayerStyle& decoder = model.transformer().decoder->style;
  EXPECT_EQ(decoder.norm, NormPlace::before);
  EXPECT_EQ(decoder.activation, Activation::gelu);
  EXPECT_EQ(decoder.score, Score::dot);
  EXPECT_EQ(decoder.slopes, (std::vector<float>{0.5f, 0.25f}));
  EXPECT_EQ(model.transformer().decoder->layers[0].self_attention.heads, 2);
  EXPECT_EQ(model.transformer().decoder->layers[0].self_attention.key_heads, 1);
}

TEST(Model, ATensorOfSeveralPartsIsInMemoryOnce) {
  SmallModel small;
  const Model model(small.folder());
  EXPECT_EQ(model.transformer().output->weight.data, model.transformer().target->stage.embedding().rows.data);
  std::int64_t numbers = 0;
  const Safetensors file(small.folder() + "/model.safetensors");
  for (const StoredTensor& tensor : file.header().tensors) {
    numbers += static_cast<std::int64_t>((tensor.end - tensor.begin) / sizeof(float));
  }
  EXPECT_EQ(model.size(), numbers);
}

TEST(Model, ItsViewsStayValidWhenItIsMoved) {
  SmallModel small;
  Model first(small.folder());
  const std::vector<float> rows = rows_of(std::get<TokenInput>(first.transformer().source));
  const Model second = std::move(first);
  EXPECT_EQ(rows_of(std::get<TokenInput>(second.transformer().source)), rows);
}

TEST(Model, SixteenBitTensorsAreWidenedWithoutAChange) {
  SmallModel small;
  const Model wide(small.folder());
  const std::string folder = small.folder();
  small.tensors.write<half>(folder + "/model.safetensors");
  const Model narrow(folder, read_model_description(folder));
  const auto rows = [](const Model& model) { return values_of(model.transformer().output->weight); };
  EXPECT_EQ(rows(narrow), rows(wide));
}

// ---- positions ------------------------------------------------------------------------------------

TEST(Model, AStoredTableIsAddedToTheBit) {
  SmallModel small;
  const Model model(small.folder());
  const std::vector<float> rows = rows_of(std::get<TokenInput>(model.transformer().source));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(rows[i], small.tensors.values("words")[i] * 2 + small.tensors.values("pos")[i]) << i;
  }
}

TEST(Model, PositionsAreSwappedWithoutTouchingTheWeights) {
  SmallModel small;
  const std::string folder = small.folder();
  ModelDescription description = read_model_description(folder);
  auto& source = std::get<TokenSide>(description.source);
  source.positions = {NoSignal{}, 0};
  const Model bare(folder, description);
  const std::vector<float> rows = rows_of(std::get<TokenInput>(bare.transformer().source));
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], small.tensors.values("words")[i] * 2) << i;

  source.positions = {ComputedSignal{preset("transformer").convention, exact()}, 3};
  const Model computed(folder, description);
  const auto& input = std::get<TokenInput>(computed.transformer().source);
  std::vector<float> expected(16);
  sinusoid(preset("transformer").convention, Positions::range(3, 4), view(expected.data(), {4, 4}));
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += small.tensors.values("words")[i] * 2;
  EXPECT_EQ(rows_of(input), expected);
}

TEST(Model, TwoSidesOfTwoWidthsMayBothHaveNoPositions) {
  SmallModel small;
  small.tensors.set("words", {5, 2});
  small.tensors.set("segments", {2, 2});
  for (const char* norm : {"norm.in.w", "enc.norm.w", "enc.0.norm.w", "enc.0.narrow.b", "enc.0.out.b"}) {
    small.tensors.set(norm, {2});
  }
  small.tensors.set("enc.0.qkv", {12, 2});
  small.tensors.set("enc.0.out.w", {2, 4});
  small.tensors.set("enc.0.wide.w", {3, 2});
  small.tensors.set("enc.0.narrow.w", {2, 3});
  for (const char* map : {"dec.0.cross.key.w", "dec.0.cross.value.w"}) small.tensors.set(map, {2, 2});
  small.description["source"]["positions"] = "none";
  small.description["target"]["positions"] = "none";
  const Model model(small.folder());
  const std::vector<float> rows = rows_of(*model.transformer().target);
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(rows[i], small.tensors.values("target")[i] * 2) << i;
}

TEST(Model, AStatedConventionCountsFromItsOrigin) {
  SmallModel small;
  const Model model(small.folder());
  std::vector<float> expected(16);
  sinusoid(preset("transformer").convention, Positions::range(1, 4), view(expected.data(), {4, 4}));
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] += small.tensors.values("target")[i] * 2;
  EXPECT_EQ(rows_of(*model.transformer().target), expected);
}

TEST(Model, StorageIsTheLastRoundingOfARecipe) {
  SmallModel small;
  small.description["target"]["positions"] = {
      {"preset", "whisper"}, {"recipe", "f64-exp"}, {"storage", "f16"}, {"origin", 0}};
  small.description["target"]["scale"] = 0;
  const Model model(small.folder());
  for (const float value : rows_of(*model.transformer().target)) EXPECT_EQ(static_cast<float>(half(value)), value);
}

TEST(Model, RotaryPositionsTurnTheColumnsThatAreStated) {
  SmallModel small;
  small.description["encoder"]["positions"] = {{"preset", "rope-pair"}, {"recipe", "exact"}, {"columns", 2}};
  const Model model(small.folder());
  EXPECT_EQ(model.transformer().encoder.style.rotary->width(), 2);
  small.description["encoder"]["positions"]["columns"] = 4;
  EXPECT_NE(thrown([&] { Model{small.folder()}; }).find("must be at most those of a head, 2, got 4"),
            std::string::npos);
}

TEST(Model, AlibiHasTheSlopesOfItsHeads) {
  SmallModel small;
  small.description["decoder"]["positions"] = {{"preset", "alibi"}};
  const Model model(small.folder());
  EXPECT_EQ(model.transformer().decoder->style.slopes, bias_slopes(preset("alibi").convention, 2));
}

TEST(Model, FeaturesBecomeRowsByConvolutions) {
  SmallModel small;
  Json& source = small.description["source"];
  source = {{"kind", "features"},
            {"convolutions", Json::array({{{"stride", 1}, {"padding", 1}}, {{"stride", 2}, {"padding", 1}}})},
            {"positions", "none"}};
  small.description["text"]["source"] = nullptr;
  Json& parts = small.description["tensors"];
  for (const char* part : {"source.rows", "source.added", "source.norm.weight", "source.norm.bias"}) parts.erase(part);
  for (const std::string i : {"0", "1"}) {
    parts["source.convolutions." + i + ".weight"] = "conv" + i + ".w";
    parts["source.convolutions." + i + ".bias"] = "conv" + i + ".b";
    small.tensors.set("conv" + i + ".w", {4, i == "0" ? 7 : 4, 3});
    small.tensors.set("conv" + i + ".b", {4});
  }
  const Model model(small.folder());
  const auto& input = std::get<FeatureInput>(model.transformer().source);
  ASSERT_EQ(input.convolutions.size(), 2u);
  EXPECT_EQ(input.convolutions[0].weight.size(1), 7);
  EXPECT_EQ(input.convolutions[1].stride, 2);

  small.tensors.set("conv1.w", {4, 5, 3});
  EXPECT_NE(thrown([&] { Model{small.folder()}; }).find("'conv1.w', source.convolutions.1.weight, must be [n, 4, n]"),
            std::string::npos);
}

TEST(Model, AnEncoderAloneHasNoOutput) {
  SmallModel small;
  for (const char* key : {"target", "decoder", "decoding"}) small.description[key] = nullptr;
  small.description["text"]["target"] = nullptr;
  Json kept;
  for (const auto& [part, place] : small.description["tensors"].items()) {
    if (part.starts_with("source") || part.starts_with("encoder")) kept[part] = place;
  }
  small.description["tensors"] = kept;
  const Model model(small.folder());
  EXPECT_FALSE(model.transformer().decoder);
  EXPECT_FALSE(model.transformer().output);

  const Json whole = small_description();
  small.description["decoding"] = whole["decoding"];
  EXPECT_NE(thrown([&] { Model{small.folder()}; }).find("/decoding must be null without a decoder"), std::string::npos);
  small.description["decoding"] = nullptr;
  small.description["text"]["target"] = whole["text"]["target"];
  EXPECT_NE(thrown([&] { Model{small.folder()}; }).find("/text/target must be null without a decoder, got 'chars'"),
            std::string::npos);
}

TEST(Model, LayersMayShareTheirTensors) {
  SmallModel small;
  for (auto& [part, place] : small.description["tensors"].items()) {
    Json& name = place.is_object() ? place["tensor"] : place;
    if (!name.is_string()) continue;
    std::string text = name;
    if (const std::size_t at = text.find("{layer}"); at != text.npos) name = text.replace(at, 7, "0");
  }
  small.description["encoder"]["layers"] = 12;
  const Model model(small.folder());
  ASSERT_EQ(model.transformer().encoder.layers.size(), 12u);
  EXPECT_EQ(model.transformer().encoder.layers[0].attention.query.weight.data,
            model.transformer().encoder.layers[11].attention.query.weight.data);
}

TEST(Model, DescribesTextDecodingAndWhereTheWeightsComeFrom) {
  const ModelDescription model = parse_model(small_description().dump());
  EXPECT_EQ(model.family, "small");
  EXPECT_EQ(model.source_text->tokenizer, "ids");
  EXPECT_EQ(model.source_text->begin, std::nullopt);
  EXPECT_EQ(model.target_text->file, "target.txt");
  EXPECT_EQ(model.target_text->end, 2);
  EXPECT_EQ(model.decoding->prompt, (std::vector<std::int64_t>{1}));
  EXPECT_EQ(model.decoding->longest.per_token, 2);
  EXPECT_EQ(model.decoding->longest.plus, 7);
  EXPECT_EQ(model.decoding->suppressed_first, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(model.provenance->licence, "none");
}

// ---- what is refused ------------------------------------------------------------------------------

/// Calls `visit` with the pointer of every object in the document.
void for_objects(const Json& node, const Json::json_pointer& pointer, auto visit) {
  if (!node.is_structured()) return;
  if (node.is_object()) visit(pointer);
  for (const auto& [key, value] : node.items()) {
    for_objects(value, node.is_array() ? pointer / static_cast<std::size_t>(std::stoul(key)) : pointer / key, visit);
  }
}

std::string refusal(const Json& document) {
  const std::string text = document.dump();
  const std::string message = thrown([&] { parse_model(text); });
  EXPECT_EQ(test::said(check_model(text)), message);
  EXPECT_LE(message.size(), 400u) << message;
  return message;
}

TEST(Model, TheLongestOutputStaysInside63Bits) {
  EXPECT_EQ(longest_output({2, 7}, 5), 17);
  EXPECT_EQ(longest_output({0, INT64_MAX}, 5), INT64_MAX);
  EXPECT_EQ(longest_output({1, INT64_MAX}, 5), INT64_MAX);
  EXPECT_EQ(longest_output({std::int64_t{1} << 62, 0}, 2), INT64_MAX);
  EXPECT_EQ(longest_output({std::int64_t{1} << 62, 0}, 1), std::int64_t{1} << 62);
}

TEST(Model, EveryKeyIsNeeded) {
  const Json whole = small_description();
  int keys = 0;
  for_objects(whole, Json::json_pointer(), [&](const Json::json_pointer& object) {
    for (const auto& [key, value] : whole[object].items()) {
      Json document = whole;
      document[object].erase(key);
      EXPECT_NE(refusal(document), "nothing") << object.to_string() << "/" << key;
      ++keys;
    }
  });
  EXPECT_GT(keys, 100);
}

TEST(Model, NoKeyIsUnknown) {
  const Json whole = small_description();
  for_objects(whole, Json::json_pointer(), [&](const Json::json_pointer& object) {
    Json document = whole;
    document[object]["extra"] = 1;
    const std::string message = refusal(document);
    EXPECT_NE(message.find("extra"), std::string::npos) << object.to_string() << ": " << message;
    EXPECT_NE(message.find("the keys of"), std::string::npos) << message;
  });
}

TEST(Model, NoDocumentCutShortIsAccepted) {
  const std::string text = small_description().dump();
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_TRUE(check_model(std::string_view(text).substr(0, size))) << size;
  }
}

struct Wrong {
  const char* pointer;
  const char* value;  // JSON
  const char* words;
};

const char* const kNoBase = R"({"convention": {"posenc_convention": 1, "family": "sinusoid",
  "ladder": {"first": 1, "spacing": "over_width"}, "layout": "interleaved", "odd_width": "refused"},
  "recipe": "exact", "storage": null, "origin": 0})";

TEST(Model, WrongStatementsAreNamedByTheirPointers) {
  const Wrong all[] = {
      {"/posenc_model", "2", "/posenc_model must be 1, the version that is supported, got 2"},
      {"/source/kind", R"("sounds")", "/source/kind must be one of tokens, features, got 'sounds'"},
      {"/source/scale", R"("sqrt")", "/source/scale must be one of none, sqrt_dim, got 'sqrt'"},
      {"/source/positions", R"("some")", "/source/positions must be an object, got a string"},
      {"/source/positions", kNoBase, "/source/positions/convention/ladder/base must be stated, got no such key"},
      {"/target/positions/preset", R"("wisper")",
       "/target/positions/preset must be the name of a preset, got 'wisper'"},
      {"/target/positions/recipe", R"("f33")", "/target/positions/recipe must be exact, original or the name of"},
      {"/target/positions/storage", R"("f16")", "/target/positions/storage must be null under the recipe exact"},
      {"/encoder/heads", "0", "/encoder/heads must be an integer of at least 1, got 0"},
      {"/encoder/heads", "2.5", "/encoder/heads must be an integer of 64 bits with its sign, got a number"},
      {"/encoder/heads", "9223372036854775808", "with its sign, got 9223372036854775808"},
      {"/encoder/layers", "1000000000", "/encoder/layers must be at most 4096"},
      {"/encoder/key_heads", "3", "/encoder/key_heads must be a divisor of heads, 2, got 3"},
      {"/encoder/norm", R"("pre")", "/encoder/norm must be one of before, after, got 'pre'"},
      {"/encoder/activation", R"("silu")", "/encoder/activation must be one of relu, gelu, gelu_tanh, got 'silu'"},
      {"/encoder/epsilon", "0", "/encoder/epsilon must be positive, got 0"},
      {"/decoder/positions/slopes", "[1]", "/decoder/positions/slopes must be one for each head, 2, got 1"},
      {"/decoder", "null", "/target and /decoder must be there together, or both null, got /target alone"},
      {"/text/source/tokenizer", R"("letters")", "/text/source/tokenizer must be one of bytes, chars, words, ids, bpe"},
      {"/text/source/file", R"("ids.txt")", "/text/source/file must be null for ids, got 'ids.txt'"},
      {"/text/target/file", R"("../target.txt")", "/text/target/file must be the name of a file in the model's folder"},
      {"/text/target/file", "null", "/text/target/file must be stated for chars, got null"},
      {"/text/target/begin", "-1", "/text/target/begin must be an integer of at least 0, got -1"},
      {"/decoding/prompt", "7", "/decoding/prompt must be an array, got a number"},
      {"/decoding/prompt", "[1, -1]", "/decoding/prompt/1 must be an integer of at least 0, got -1"},
      {"/decoding/longest/per_token", "2147483648", "/decoding/longest/per_token must be at most 2147483647"},
      {"/decoding/longest/plus", "9223372036854775807", "/decoding/longest/plus must be at most 2147483647, got 9223"},
      {"/decoding/longest/plus", "-1", "/decoding/longest/plus must be an integer of at least 0, got -1"},
      {"/tensors/source.rows", "null", "/tensors/source.rows must be a tensor, got null"},
      {"/tensors/source.added/row", "-1", "/tensors/source.added/row must be an integer of at least 0"},
      {"/tensors/encoder.{layer}.attention.query.weight/rows", "[4, 4]",
       "must be [first, last + 1], rising, got [4, 4]"},
      {"/provenance/version", "1", "/provenance/version must be a string, got a number"},
  };
  for (const Wrong& each : all) {
    SCOPED_TRACE(each.pointer);
    Json document = small_description();
    document[Json::json_pointer(each.pointer)] = Json::parse(each.value);
    const std::string message = refusal(document);
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_NE(message.find("'model.json'"), std::string::npos) << message;
  }
}

TEST(Model, ADescriptionThatAProgramMadeKeepsTheRulesOfTheReader) {
  const SmallModel small;
  const std::string folder = small.folder();
  struct Case {
    void (*edit)(ModelDescription&);
    const char* words;
  };
  const Case all[] = {
      {[](ModelDescription& model) { model.target->norm_epsilon = 1e-5; },
       "/tensors/target.norm.weight must be a tensor, got null"},
      {[](ModelDescription& model) { model.parts.erase("output.bias"); },
       "/tensors/output.bias must be stated, got no such key"},
      {[](ModelDescription& model) { model.parts["extra"]; }, "the keys of /tensors must be parts of this model"},
      {[](ModelDescription& model) { model.encoder.heads = 0; },
       "/encoder/heads must be an integer of at least 1, got 0"},
      {[](ModelDescription& model) { model.decoder->key_heads = 0; },
       "/decoder/key_heads must be an integer of at least 1, got 0"},
      {[](ModelDescription& model) { model.encoder.layers = -1; }, "/encoder/layers must be an integer of at least 0"},
      {[](ModelDescription& model) { model.encoder.epsilon = std::nan(""); }, "/encoder/epsilon must be positive"},
      {[](ModelDescription& model) { std::get<SlopedHeads>(model.decoder->positions).slopes.clear(); },
       "/decoder/positions/slopes must be one for each head, 2, got 0"},
      {[](ModelDescription& model) {
         model.encoder.positions = TurnedHeads{preset("rope-pair").convention, exact(), 0};
       },
       "/encoder/positions/columns must be an integer of at least 2, got 0"},
      {[](ModelDescription& model) { model.source = FeatureSide{{}, {NoSignal{}, 0}}; },
       "/source/convolutions must be at least one, got an empty array"},
      {[](ModelDescription& model) { model.source = FeatureSide{{{1, 0}}, {NoSignal{}, 0}}; },
       "/text/source must be null for features, got 'ids'"},
      {[](ModelDescription& model) { model.target.reset(); },
       "/target and /decoder must be there together, or both null, got /decoder alone"},
      {[](ModelDescription& model) { model.parts["source.added"]->row = INT64_MAX; },
       "/tensors/source.added/row must be at most 9223372036854775806"},
      {[](ModelDescription& model) { model.parts["source.added"]->rows = {0, 1}; },
       "/tensors/source.added must be given by rows or by row, got both"},
      {[](ModelDescription& model) { model.parts["source.rows"]->rows = {-1, 1}; },
       "/tensors/source.rows/rows/0 must be an integer of at least 0, got -1"},
      {[](ModelDescription& model) { model.source_text->tokenizer = "letters"; },
       "/text/source/tokenizer must be one of bytes, chars, words, ids, bpe, sentencepiece, got 'letters'"},
      {[](ModelDescription& model) { model.target_text->begin = -1; },
       "/text/target/begin must be an integer of at least 0, got -1"},
      {[](ModelDescription& model) { model.decoding->longest.plus = INT64_MAX; },
       "/decoding/longest/plus must be at most 2147483647"},
  };
  for (const Case& each : all) {
    SCOPED_TRACE(each.words);
    ModelDescription description = read_model_description(folder);
    each.edit(description);
    const std::string message = thrown([&] { Model(folder, description); });
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_NE(message.find(" in 'description for "), std::string::npos) << message;
  }
}

TEST(Model, TensorsThatDoNotFitAreNamedWithTheirPart) {
  struct Case {
    const char* tensor;
    std::vector<std::int64_t> shape;
    const char* words;
  };
  const Case all[] = {
      {"words", {5}, "the tensor 'words', source.rows, must be [n, n], got [5]"},
      {"pos", {9, 5}, "the tensor 'pos', source.positions, must be [n, 4], got [9, 5]"},
      {"segments", {1, 4}, "the tensor 'segments' must have the rows 1 to 1, which are source.added, got [1, 4]"},
      {"enc.0.qkv", {8, 4}, "must have the rows 8 to 11, which are encoder.0.attention.value.weight, got [8, 4]"},
      {"enc.0.qkv", {12, 5}, "that is encoder.0.attention.query.weight must be [n, 4], got [4, 5]"},
      {"enc.0.out.b", {5}, "the tensor 'enc.0.out.b', encoder.0.attention.out.bias, must be [4], got [5]"},
      {"enc.0.narrow.w", {4, 2}, "encoder.0.feed_forward.narrow.weight, must be [4, 3], got [4, 2]"},
      {"dec.0.cross.key.w", {4, 4}, "decoder.0.cross_attention.key.weight, must be [2, 4], got [4, 4]"},
  };
  for (const Case& each : all) {
    SCOPED_TRACE(each.tensor);
    SmallModel small;
    small.tensors.set(each.tensor, each.shape);
    const std::string message = thrown([&] { Model{small.folder()}; });
    EXPECT_NE(message.find(each.words), std::string::npos) << message;
    EXPECT_NE(message.find("model.safetensors'"), std::string::npos) << message;
  }
}

TEST(Model, HeadsShareTheRowsOfQueriesEvenly) {
  SmallModel small;
  small.description["decoder"]["heads"] = 3;
  small.description["decoder"]["positions"]["slopes"] = {1, 1, 1};
  const std::string message = thrown([&] { Model{small.folder()}; });
  EXPECT_NE(message.find("decoder.0.self_attention.query.weight must have rows for 3 equal heads, got 4"),
            std::string::npos)
      << message;
}

TEST(Model, AMissingTensorIsNamed) {
  SmallModel small;
  small.tensors.erase("dec.0.wide.w");
  const std::string one = thrown([&] { Model{small.folder()}; });
  EXPECT_NE(one.find("'dec.0.wide.w'"), std::string::npos) << one;
  SmallModel deeper;
  deeper.description["encoder"]["layers"] = 2;
  const std::string layer = thrown([&] { Model{deeper.folder()}; });
  EXPECT_NE(layer.find("'enc.1.qkv'"), std::string::npos) << layer;
}

TEST(Model, AMissingFileIsNamed) {
  const std::string message = thrown([] { Model{"/nowhere/at/all"}; });
  EXPECT_NE(message.find("/nowhere/at/all/model.json"), std::string::npos) << message;
}

TEST(Model, OtherTypesThanRealOnesOf32And16BitsAreRefused) {
  SmallModel small;
  const std::string folder = small.folder();
  small.tensors.write<double>(folder + "/model.safetensors");
  const std::string message = thrown([&] { Model(folder, read_model_description(folder)); });
  EXPECT_NE(message.find("must be F32, F16 or BF16, got F64"), std::string::npos) << message;
}

TEST(Model, IdsAreThoseOfTheirSide) {
  SmallModel texts;
  texts.description["text"]["source"]["end"] = 5;
  EXPECT_NE(thrown([&] { Model{texts.folder()}; }).find("/text/source/end must be an id below 5, got 5"),
            std::string::npos);
  SmallModel small;
  small.description["decoding"]["suppressed"] = {6};
  const std::string message = thrown([&] { Model{small.folder()}; });
  EXPECT_NE(message.find("/decoding/suppressed must be an id below 6, got 6"), std::string::npos) << message;
}

TEST(Model, ANormIsThereWhereItsEpsilonIs) {
  SmallModel small;
  small.description["source"]["norm_epsilon"] = nullptr;
  const std::string message = thrown([&] { Model{small.folder()}; });
  EXPECT_NE(message.find("source.norm must be null where norm_epsilon is"), std::string::npos) << message;
}

}  // namespace
}  // namespace posenc::io
