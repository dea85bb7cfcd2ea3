// SPDX-License-Identifier: Apache-2.0
// The names of parts follow the fields of Transformer.
#include "src/io/model/model_parts.h"

namespace posenc::io {
namespace {

using Names = std::vector<PartName>;

void add_linear(Names& names, const std::string& name) {
  names.push_back({name + ".weight", PartNeed::required});
  names.push_back({name + ".bias", PartNeed::optional});
}

void add_norm(Names& names, const std::string& name, PartNeed need) {
  names.push_back({name + ".weight", need});
  names.push_back({name + ".bias", PartNeed::optional});
}

void add_attention(Names& names, const std::string& name) {
  for (const char* map : {".query", ".key", ".value", ".out"}) add_linear(names, name + map);
}

void add_feed_forward(Names& names, const std::string& layer) {
  add_linear(names, layer + "feed_forward.wide");
  add_linear(names, layer + "feed_forward.narrow");
  add_norm(names, layer + "feed_forward_norm", PartNeed::required);
}

void add_tokens(Names& names, const std::string& side, const TokenSide& tokens) {
  names.push_back({side + ".rows", PartNeed::required});
  names.push_back({side + ".added", PartNeed::optional});
  // The epsilon says whether there is a norm; its weight must agree.
  add_norm(names, side + ".norm", tokens.norm_epsilon ? PartNeed::required : PartNeed::optional);
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
  add_attention(names, "encoder.{layer}.attention");
  add_norm(names, "encoder.{layer}.attention_norm", PartNeed::required);
  add_feed_forward(names, "encoder.{layer}.");
  add_norm(names, "encoder.final_norm", PartNeed::optional);
  if (model.decoder) {
    add_tokens(names, "target", *model.target);
    add_attention(names, "decoder.{layer}.self_attention");
    add_norm(names, "decoder.{layer}.self_norm", PartNeed::required);
    add_attention(names, "decoder.{layer}.cross_attention");
    add_norm(names, "decoder.{layer}.cross_norm", PartNeed::required);
    add_feed_forward(names, "decoder.{layer}.");
    add_norm(names, "decoder.final_norm", PartNeed::optional);
    add_linear(names, "output");
  }
  return names;
}

}  // namespace posenc::io
