// SPDX-License-Identifier: Apache-2.0
// Which tensor of a checkpoint belongs to a query or key projection, by its name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace posenc::tool {

/// What a module of an attention layer holds. The fused ones differ in how queries, keys and values follow each other.
enum class Module : std::uint8_t {
  query = 1,
  key,
  query_norm,
  key_norm,
  by_groups,    ///< the queries of a key head, the key, the value, then the next group; of some models in parts
  in_parts,     ///< all queries, all keys, all values
  in_quarters,  ///< four times queries, values, keys (CodeGen)
  latent_key,   ///< DeepSeek's compressed keys and values, and behind them the one key that all heads share and turn
  unknown,      ///< the name stands for several forms
};

/// What a tensor is to its module.
enum class Part : std::uint8_t {
  rows = 1,  ///< a row for each of its outputs: weight, bias, the second factor of LoRA
  inputs,    ///< none: LoRA's first factor
  other,     ///< not known, or of a quantised weight
};

struct ModuleName {
  Module module;
  std::string layer;  ///< the names before it: "model.layers.0.self_attn"
  std::string stack;  ///< the same, numbers as #: "model.layers.#.self_attn"
  Part part;
};

/// Of "model.layers.0.self_attn.q_proj.weight"; nothing where no part of the name is one of a projection.
std::optional<ModuleName> module_of(std::string_view tensor);

/// What is known of a tensor that stands in an attention module beside its projections, `rest` being its name there.
enum class Beside : std::uint8_t {
  apart = 1,  ///< of values, outputs, compressed ranks or whole heads: the columns of queries and keys are not its own
  of_rows,    ///< it is called after queries or keys
  unknown,
};
Beside beside_projections(std::string_view rest);

/// Does the name fit the pattern, in which * stands for any text and ? for a character?
bool fits_pattern(std::string_view name, std::string_view pattern);

}  // namespace posenc::tool
