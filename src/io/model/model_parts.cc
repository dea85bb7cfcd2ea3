// SPDX-License-Identifier: Apache-2.0
// The names of parts follow the fields of Transformer.
#include "src/io/model/model_parts.h"

namespace posenc::io {
namespace {

using Names = std::vector<PartName>;

/// A weight, and a bias that may be null.
void add(Names& names, const std::string& name, PartNeed weight = PartNeed::required) {
  names.push_back({name + ".weight", weight});
  names.push_back({name + ".bias", PartNeed::optional});
}

/// Those of a layer.
void add_layer(Names& names, const std::string& stack, std::initializer_list<const char*> parts) {
  for (const char* part : parts) add(names, stack + ".{layer}." + part);
}

void add_tokens(Names& names, const std::string& side, const TokenSide& tokens) {
  names.push_back({side + ".rows", PartNeed::required});
  names.push_back({side + ".added", PartNeed::optional});
  // The epsilon says whether there is a norm; its weight must agree.
  add(names, side + ".norm", tokens.norm_epsilon ? PartNeed::required : PartNeed::optional);
}

void add_features(Names& names, const FeatureSide& features) {
  for (std::size_t i = 0; i < features.convolutions.size(); ++i) {
    const std::string name = "source.convolutions." + std::to_string(i);
    names.push_back({name + ".weight", PartNeed::required});
    names.push_back({name + ".bias", PartNeed::required});
  }
}

}  // namespace

std::vector<PartName> part_names(const ModelDescription& model) {
  Names names;
  if (const auto* tokens = std::get_if<TokenSide>(&model.source)) {
    add_tokens(names, "source", *tokens);
  } else {
    add_features(names, std::get<FeatureSide>(model.source));
  }
  add_layer(names, "encoder",
            {"attention.query", "attention.key", "attention.value", "attention.out", "attention_norm",
             "feed_forward.wide", "feed_forward.narrow", "feed_forward_norm"});
  add(names, "encoder.final_norm", PartNeed::optional);
  if (model.decoder) {
    add_tokens(names, "target", *model.target);
    add_layer(names, "decoder",
              {"self_attention.query", "self_attention.key", "self_attention.value", "self_attention.out", "self_norm",
               "cross_attention.query", "cross_attention.key", "cross_attention.value", "cross_attention.out",
               "cross_norm", "feed_forward.wide", "feed_forward.narrow", "feed_forward_norm"});
    add(names, "decoder.final_norm", PartNeed::optional);
    add(names, "output");
  }
  return names;
}

}  // namespace posenc::io
