// SPDX-License-Identifier: Apache-2.0
// model.json: one key after another, none forgotten, none unknown.
#include <posenc/bias.h>
#include <posenc/io/model.h>
#include <posenc/preset.h>
#include <posenc/spec/spec.h>

#include "src/base/environment.h"
#include "src/base/json_write.h"
#include "src/base/problem_of.h"
#include "src/base/quote.h"
#include "src/io/model/model_parts.h"
#include "src/io/model/model_rules.h"
#include "src/spec/json/convention_node.h"

namespace posenc::io {
namespace {

constexpr std::string_view operation = "model";

bool is_text(const JsonNode& node, std::string_view text) {
  return node.value.is_string() && node.value.text() == text;
}

/// What `read` makes of the node, or nothing for null.
template <class Read>
auto unless_null(const JsonNode& node, Read read) -> std::optional<decltype(read(node))> {
  if (node.value.is_null()) return std::nullopt;
  return read(node);
}

std::string text_at(const JsonNode& node) { return node.text(); }

template <class T>
std::vector<T> list_of(const JsonNode& node, T (*read)(const JsonNode&)) {
  node.require_array();
  std::vector<T> list;
  for (std::size_t i = 0; i < node.value.size(); ++i) list.push_back(read(node.item(i)));
  return list;
}

std::int64_t integer_at(const JsonNode& node) { return node.integer(); }

// ---- conventions ----------------------------------------------------------------------------------

/// A convention by the name of a preset, which has a recipe of its own, or by all of its fields.
struct Named {
  Convention convention;
  const Recipe* original = nullptr;
};

/// {"preset": NAME} or {"convention": {...}}.
Named convention_at(const JsonNode& node) {
  if (node.has("preset") && node.has("convention")) {
    node.refuse("given by preset or by convention", "both");
  }
  if (node.has("preset")) {
    const JsonNode name = node.member("preset");
    const Preset* found = find_preset(name.text());
    if (found == nullptr) name.refuse("the name of a preset", quote(name.text()));
    return {found->convention, &found->original};
  }
  Named stated = {convention_of(node.member("convention"))};
  if (const auto problem = check_convention(stated.convention)) {
    node.source.refuse(node.shown() + "/convention: " + problem->rule, problem->value);
  }
  return stated;
}

Recipe recipe_at(const JsonNode& node, const Named& of) {
  const Recipe* recipe = of.original != nullptr && is_text(node, "original") ? of.original : find_recipe(node.text());
  if (recipe == nullptr) {
    const bool has_original = of.original != nullptr;
    node.refuse(has_original ? "exact, original or the name of a recipe" : "exact or the name of a recipe",
                quote(node.text()));
  }
  return *recipe;
}

/// The type that values are rounded to in the end, where that is said: a table that was stored in f16.
void add_storage(const JsonNode& node, Recipe& recipe) {
  const JsonNode storage = node.member("storage");
  if (storage.value.is_null()) return;
  const auto type = storage.one_of<DType>({{"f32", DType::f32}, {"f16", DType::f16}, {"bf16", DType::bf16}});
  if (!recipe.steps) storage.refuse("null under the recipe " + recipe.name, quote(storage.text()));
  recipe.name += "-" + std::string(to_string(type));
  recipe.steps->storage.push_back(type);
}

InputPositions positions_at(const JsonNode& node) {
  if (is_text(node, "none")) return {NoSignal{}, 0};
  node.require_object();
  if (node.has("table")) {
    node.require_only({"table", "origin"});
    return {StoredSignal{node.member("table").text()}, node.member("origin").integer()};
  }
  node.require_only({"table", "preset", "convention", "recipe", "storage", "origin"});
  const Named stated = convention_at(node);
  Recipe recipe = recipe_at(node.member("recipe"), stated);
  add_storage(node, recipe);
  return {ComputedSignal{stated.convention, recipe}, node.member("origin").integer()};
}

// ---- sides and stacks -----------------------------------------------------------------------------

Scale scale_at(const JsonNode& node) {
  if (node.value.is_number()) return Scale::of(node.number());
  return node.one_of<Scale>({{"none", Scale::none}, {"sqrt_dim", Scale::sqrt_dim}});
}

double number_at(const JsonNode& node) { return node.number(); }

void require_kind(const JsonNode& node, std::string_view kind) {
  if (!is_text(node.member("kind"), kind)) node.member("kind").refuse(kind, quote(node.member("kind").text()));
}

TokenSide tokens_at(const JsonNode& node) {
  node.require_only({"kind", "scale", "positions", "norm_epsilon"});
  require_kind(node, "tokens");
  return {scale_at(node.member("scale")), positions_at(node.member("positions")),
          unless_null(node.member("norm_epsilon"), number_at)};
}

FeatureSide::Step step_at(const JsonNode& node) {
  node.require_only({"stride", "padding"});
  return {node.member("stride").integer(), node.member("padding").integer()};
}

FeatureSide features_at(const JsonNode& node) {
  node.require_only({"kind", "convolutions", "positions"});
  return {list_of<FeatureSide::Step>(node.member("convolutions"), step_at), positions_at(node.member("positions"))};
}

std::variant<TokenSide, FeatureSide> source_at(const JsonNode& node) {
  node.require_object();
  const bool features = node.member("kind").one_of<bool>({{"tokens", false}, {"features", true}});
  if (features) return features_at(node);
  return tokens_at(node);
}

std::variant<NoSignal, TurnedHeads, SlopedHeads> head_positions_at(const JsonNode& node, std::int64_t heads) {
  if (is_text(node, "none")) return NoSignal{};
  node.require_object();
  if (node.has("slopes")) {
    node.require_only({"slopes"});
    return SlopedHeads{
        list_of<float>(node.member("slopes"), +[](const JsonNode& item) { return static_cast<float>(item.number()); })};
  }
  const Named stated = convention_at(node);
  if (!check_use(operation, ConventionUse::slopes, stated.convention)) {
    node.require_only({"preset", "convention"});
    if (const auto problem = check_bias_slopes(stated.convention, heads)) {
      node.source.refuse(node.shown() + ": " + problem->rule, problem->value);
    }
    return SlopedHeads{bias_slopes(stated.convention, heads)};
  }
  node.require_only({"preset", "convention", "recipe", "columns"});
  return TurnedHeads{stated.convention, recipe_at(node.member("recipe"), stated), node.member("columns").integer()};
}

// The words are those of to_string, which stands in posenc::transformer; this reads values and links none of it.
StackDescription stack_at(const JsonNode& node) {
  node.require_only({"layers", "heads", "key_heads", "norm", "activation", "score", "epsilon", "positions"});
  const auto norm = node.member("norm").one_of<NormPlace>({{"before", NormPlace::before}, {"after", NormPlace::after}});
  const auto activation =
      node.member("activation")
          .one_of<Activation>(
              {{"relu", Activation::relu}, {"gelu", Activation::gelu}, {"gelu_tanh", Activation::gelu_tanh}});
  const auto score = node.member("score").one_of<Score>({{"dot", Score::dot}, {"scaled_dot", Score::scaled_dot}});
  return {.layers = node.member("layers").integer(),
          .heads = node.member("heads").integer(),
          .key_heads = node.member("key_heads").integer(),
          .norm = norm,
          .activation = activation,
          .score = score,
          .epsilon = node.member("epsilon").number(),
          .positions = head_positions_at(node.member("positions"), node.member("heads").integer())};
}

// ---- parts, text, decoding ------------------------------------------------------------------------

TensorPart part_at(const JsonNode& node) {
  if (node.value.is_string()) return {node.text()};
  node.require_only({"tensor", "rows", "row"});
  TensorPart part = {node.member("tensor").text()};
  if (!node.has("row") && !node.has("rows")) node.refuse("given by rows or by row", "neither");
  if (node.has("row")) part.row = node.member("row").integer();
  if (node.has("rows")) {
    const std::vector<std::int64_t> rows = list_of<std::int64_t>(node.member("rows"), integer_at);
    if (rows.size() != 2) node.member("rows").refuse("[first, last + 1]", json_text(node.member("rows").value));
    part.rows = {rows[0], rows[1]};
  }
  return part;
}

TextDescription text_description(const JsonNode& node) {
  node.require_only({"tokenizer", "file", "begin", "end"});
  return {node.member("tokenizer").text(), unless_null(node.member("file"), text_at),
          unless_null(node.member("begin"), integer_at), unless_null(node.member("end"), integer_at)};
}

DecodingDescription decoding_at(const JsonNode& node) {
  node.require_only({"prompt", "end", "longest", "suppressed", "suppressed_first"});
  const JsonNode longest = node.member("longest");
  longest.require_only({"per_token", "plus"});
  return {list_of<std::int64_t>(node.member("prompt"), integer_at),
          node.member("end").integer(),
          {longest.member("per_token").integer(), longest.member("plus").integer()},
          list_of<std::int64_t>(node.member("suppressed"), integer_at),
          list_of<std::int64_t>(node.member("suppressed_first"), integer_at)};
}

Provenance provenance_at(const JsonNode& node) {
  node.require_only({"package", "version", "sha256", "licence"});
  return {node.member("package").text(), node.member("version").text(), node.member("sha256").text(),
          node.member("licence").text()};
}

/// Parts of that form of model; what stands under another name is not read.
void read_parts(const JsonNode& tensors, ModelDescription& model) {
  tensors.require_object();
  for (const auto& [key, value] : tensors.value.members()) model.parts[key] = std::nullopt;
  for (const PartName& part : part_names(model)) {
    if (model.parts.contains(part.name)) model.parts[part.name] = unless_null(tensors.member(part.name), part_at);
  }
}

ModelDescription model_at(const JsonNode& document) {
  document.require_only({"posenc_model", "family", "source", "encoder", "target", "decoder", "text", "decoding",
                         "tensors", "provenance"});
  const JsonNode version = document.member("posenc_model");
  const auto* number = version.value.as<std::uint64_t>();
  if (number == nullptr || *number != 1) {
    version.refuse("1, the version that is supported", json_text(version.value));
  }
  const JsonNode text = document.member("text");
  text.require_only({"source", "target"});
  ModelDescription model = {document.member("family").text(),
                            source_at(document.member("source")),
                            stack_at(document.member("encoder")),
                            unless_null(document.member("target"), tokens_at),
                            unless_null(document.member("decoder"), stack_at),
                            unless_null(text.member("source"), text_description),
                            unless_null(text.member("target"), text_description),
                            unless_null(document.member("decoding"), decoding_at),
                            {},
                            unless_null(document.member("provenance"), provenance_at)};
  require_rules(model, document.source);
  read_parts(document.member("tensors"), model);
  require_part_rules(model, document.source);
  return model;
}

}  // namespace

ModelDescription parse_model(std::string_view text, std::string_view name) {
  const DefaultEnvironment environment;
  const JsonSource source = {operation, name};
  const JsonTree document = parse_json(text, source);
  return model_at({document, "", source});
}

std::optional<Problem> check_model(std::string_view text, std::string_view name) {
  const DefaultEnvironment environment;
  return problem_of([&] { parse_model(text, name); });
}

ModelDescription read_model_description(const std::string& folder) {
  const DefaultEnvironment environment;
  const std::string path = folder + "/model.json";
  return parse_model(read_file(path, json_byte_limit), path);
}

}  // namespace posenc::io
