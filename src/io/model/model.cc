// SPDX-License-Identifier: Apache-2.0
// The four parts of a Transformer from a description and its tensors.
#include <posenc/io/model.h>

#include <limits>

#include "src/io/model/model_rules.h"
#include "src/io/model/model_weights.h"

namespace posenc::io {
namespace {

// ---- the two inputs -------------------------------------------------------------------------------

InputStage stage_of(const ConstView& rows, const TokenSide& side, std::string_view name, ModelWeights& weights) {
  const std::int64_t width = rows.size(1);
  const std::string what = std::string(name) + ".positions";
  StageOptions options = {side.scale};
  if (const auto* computed = std::get_if<ComputedSignal>(&side.positions.signal)) {
    options.recipe = computed->recipe;
    weights.require(what, InputStage::check(rows, computed->convention, options));
    return InputStage(rows, computed->convention, options);
  }
  const auto* stored = std::get_if<StoredSignal>(&side.positions.signal);
  const std::int64_t shape[] = {any_size, width};
  const ConstView table = stored == nullptr ? weights.zero_rows(width) : weights.tensor(stored->tensor, shape, what);
  weights.require(what, InputStage::check(rows, table, options));
  return InputStage(rows, table, options);
}

TokenInput tokens_of(const TokenSide& side, const std::string& name, ModelWeights& weights) {
  const ConstView rows = weights.part(name + ".rows", 0, {any_size, any_size});
  const std::int64_t width = rows.size(1);
  TokenInput input = {stage_of(rows, side, name, weights)};
  input.added = weights.part_or_none(name + ".added", 0, {width});
  if (side.norm_epsilon) {
    input.norm = weights.norm(name + ".norm", 0, width, *side.norm_epsilon);
  } else if (weights.has(name + ".norm.weight") || weights.has(name + ".norm.bias")) {
    weights.refuse(name + ".norm must be null where norm_epsilon is", "a tensor");
  }
  input.origin = side.positions.origin;
  return input;
}

FeatureInput features_of(const FeatureSide& side, ModelWeights& weights) {
  FeatureInput input = {};
  std::int64_t width = any_size;
  for (std::size_t i = 0; i < side.convolutions.size(); ++i) {
    const std::string name = "source.convolutions." + std::to_string(i);
    const ConstView weight = weights.part(name + ".weight", 0, {any_size, width, any_size});
    width = weight.size(0);
    const FeatureSide::Step& step = side.convolutions[i];
    if (step.padding >= weight.size(2)) {
      weights.refuse("the padding of " + name + " must be less than its taps, " + std::to_string(weight.size(2)),
                     std::to_string(step.padding));
    }
    input.convolutions.push_back({weight, weights.part(name + ".bias", 0, {width}), step.stride, step.padding});
  }
  const std::string what = "source.positions";
  if (const auto* computed = std::get_if<ComputedSignal>(&side.positions.signal)) {
    weights.require(what, check_use("sinusoid", ConventionUse::rows, computed->convention));
    weights.require(what, Rows::check(computed->convention, width, {.recipe = computed->recipe}));
    input.table = Rows(computed->convention, width, {.recipe = computed->recipe});
  } else if (const auto* stored = std::get_if<StoredSignal>(&side.positions.signal)) {
    const std::int64_t shape[] = {any_size, width};
    input.table = weights.tensor(stored->tensor, shape, what);
  } else {
    input.table = weights.zero_rows(width);
  }
  return input;
}

// ---- the two stacks -------------------------------------------------------------------------------

LayerStyle style_of(const StackDescription& stack, std::string_view name, const ModelWeights& weights) {
  LayerStyle style = {stack.norm, stack.activation, stack.score};
  if (const auto* turned = std::get_if<TurnedHeads>(&stack.positions)) {
    weights.require(std::string(name) + ".positions",
                    RotaryRows::check(turned->convention, turned->columns, {.recipe = turned->recipe}));
    style.rotary = RotaryRows(turned->convention, turned->columns, {.recipe = turned->recipe});
  }
  if (const auto* sloped = std::get_if<SlopedHeads>(&stack.positions)) style.slopes = sloped->slopes;
  return style;
}

Encoder encoder_of(const StackDescription& stack, std::int64_t width, ModelWeights& weights) {
  Encoder encoder = {{}, style_of(stack, "encoder", weights), {}};
  const std::string layer = "encoder.{layer}.";
  for (std::int64_t i = 0; i < stack.layers; ++i) {
    encoder.layers.push_back({weights.multi_head(layer + "attention", i, width, width, stack),
                              weights.norm(layer + "attention_norm", i, width, stack.epsilon),
                              weights.feed_forward(layer + "feed_forward", i, width),
                              weights.norm(layer + "feed_forward_norm", i, width, stack.epsilon)});
  }
  encoder.final_norm = weights.norm_or_none("encoder.final_norm", width, stack.epsilon);
  return encoder;
}

Decoder decoder_of(const StackDescription& stack, std::int64_t width, std::int64_t source, ModelWeights& weights) {
  Decoder decoder = {{}, style_of(stack, "decoder", weights), {}};
  const std::string layer = "decoder.{layer}.";
  for (std::int64_t i = 0; i < stack.layers; ++i) {
    decoder.layers.push_back({weights.multi_head(layer + "self_attention", i, width, width, stack),
                              weights.norm(layer + "self_norm", i, width, stack.epsilon),
                              weights.multi_head(layer + "cross_attention", i, width, source, stack),
                              weights.norm(layer + "cross_norm", i, width, stack.epsilon),
                              weights.feed_forward(layer + "feed_forward", i, width),
                              weights.norm(layer + "feed_forward_norm", i, width, stack.epsilon)});
  }
  decoder.final_norm = weights.norm_or_none("decoder.final_norm", width, stack.epsilon);
  return decoder;
}

// ---- ids ------------------------------------------------------------------------------------------

void require_id(const std::string& what, std::int64_t id, std::int64_t size, const ModelWeights& weights) {
  if (id >= size) weights.refuse(what + " must be an id below " + std::to_string(size), std::to_string(id));
}

void require_ids(const std::string& side, const std::optional<TextDescription>& text, std::int64_t size,
                 const ModelWeights& weights) {
  if (!text) return;
  const std::pair<const char*, std::optional<std::int64_t>> ids[] = {{"begin", text->begin}, {"end", text->end}};
  for (const auto& [name, id] : ids) {
    if (id) require_id("/text/" + side + "/" + name, *id, size, weights);
  }
}

void require_ids(const DecodingDescription& decoding, std::int64_t rows, std::int64_t made,
                 const ModelWeights& weights) {
  for (const std::int64_t id : decoding.prompt) require_id("/decoding/prompt", id, rows, weights);
  require_id("/decoding/end", decoding.end, made, weights);
  for (const std::int64_t id : decoding.suppressed) require_id("/decoding/suppressed", id, made, weights);
  for (const std::int64_t id : decoding.suppressed_first) require_id("/decoding/suppressed_first", id, made, weights);
}

std::variant<TokenInput, FeatureInput> source_of(const ModelDescription& model, ModelWeights& weights) {
  if (const auto* side = std::get_if<FeatureSide>(&model.source)) return features_of(*side, weights);
  TokenInput input = tokens_of(std::get<TokenSide>(model.source), "source", weights);
  require_ids("source", model.source_text, input.stage.embedding().rows.size(0), weights);
  return input;
}

std::int64_t width_of(const TokenInput& input) { return input.stage.width(); }
std::int64_t width_of(const FeatureInput& input) { return input.convolutions.back().weight.size(0); }

void add_decoder(Transformer& out, const ModelDescription& model, std::int64_t source, ModelWeights& weights) {
  out.target = tokens_of(*model.target, "target", weights);
  const ConstView& rows = out.target->stage.embedding().rows;
  out.decoder = decoder_of(*model.decoder, rows.size(1), source, weights);
  out.output = weights.linear("output", 0, any_size, rows.size(1));
  const std::int64_t made = out.output->weight.size(0);
  if (made > rows.size(0)) {
    weights.refuse("output.weight must have at most the rows of target.rows, " + std::to_string(rows.size(0)),
                   std::to_string(made));
  }
  require_ids("target", model.target_text, rows.size(0), weights);
  if (model.decoding) require_ids(*model.decoding, rows.size(0), made, weights);
}

Transformer transformer_of(const ModelDescription& model, ModelWeights& weights) {
  Transformer out = {source_of(model, weights), {}};
  const std::int64_t width = std::visit([](const auto& input) { return width_of(input); }, out.source);
  out.encoder = encoder_of(model.encoder, width, weights);
  if (model.decoder) add_decoder(out, model, width, weights);
  return out;
}

}  // namespace

std::int64_t longest_output(const LongestRule& rule, std::int64_t ids) {
  std::int64_t longest = 0;
  const bool past =
      __builtin_mul_overflow(rule.per_token, ids, &longest) || __builtin_add_overflow(longest, rule.plus, &longest);
  return past ? std::numeric_limits<std::int64_t>::max() : longest;
}

Model::Model(const std::string& folder, ModelDescription description)
    : description_(std::move(description)), transformer_([&] {
        const std::string name = "description for " + folder;
        require_rules(description_, {"model", name});
        require_part_rules(description_, {"model", name});
        ModelWeights weights(folder, description_, {tensors_, zeros_});
        return transformer_of(description_, weights);
      }()) {}

std::int64_t Model::size() const {
  std::int64_t numbers = 0;
  for (const auto& [name, tensor] : tensors_) numbers += tensor.view().count();
  return numbers;
}

}  // namespace posenc::io
