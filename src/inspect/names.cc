// SPDX-License-Identifier: Apache-2.0
// Which keys there are.
#include "src/inspect/names.h"

#include <algorithm>

namespace posenc::config {
namespace {

constexpr std::string_view words_of_positions[] = {"rope", "rotary", "alibi", "position", "theta", "yarn"};

/// Read by some family, so that a family that does not read them is worth a note.
constexpr std::string_view known_keys[] = {"rope_theta",
                                           "rotary_emb_base",
                                           "rope_base",
                                           "rotary_embedding_base",
                                           "global_rope_theta",
                                           "local_rope_theta",
                                           "rope_local_base_freq",
                                           "partial_rotary_factor",
                                           "rotary_pct",
                                           "rotary_percent",
                                           "rotary_dim",
                                           "rope_pct",
                                           "rotary_emb_fraction",
                                           "rotary",
                                           "attn_rotary_emb",
                                           "rotary_scaling_factor",
                                           "rope_scaling",
                                           "rope_parameters",
                                           "qk_rope_head_dim",
                                           "no_rope_layers",
                                           "no_rope_layer_interval",
                                           "alibi",
                                           "alibi_bias_max",
                                           "position_buckets",
                                           "max_relative_positions",
                                           "rope_interleave",
                                           "rotary_emb_interleaved",
                                           "static_position_embeddings",
                                           "use_absolute_position_embeddings",
                                           "use_relative_position_bias",
                                           "use_shared_relative_position_bias",
                                           "num_position_embeddings",
                                           "max_2d_position_embeddings"};

/// Their numbers are lengths, or say nothing that is not said elsewhere.
constexpr std::string_view passed_keys[] = {"max_position_embeddings",
                                            "original_max_position_embeddings",
                                            "max_source_positions",
                                            "max_target_positions",
                                            "n_positions",
                                            "position_embedding_type",
                                            "position_biased_input",
                                            "position_id_per_seconds",
                                            "relative_position_embedding",
                                            "use_mrope",
                                            "rotary_emb_scale_base"};

bool is_one_of(std::span<const std::string_view> names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

bool speaks_of_positions(std::string_view key) {
  if (key.find("propert") != key.npos) return false;  // which holds "rope"
  return std::ranges::any_of(words_of_positions, [&](std::string_view word) { return key.find(word) != key.npos; });
}

bool is_passed_key(std::string_view key) { return is_one_of(passed_keys, key) || is_one_of(silent_keys(), key); }

bool is_known_key(std::string_view key) {
  return is_one_of(known_keys, key) || is_one_of(keys_of_others(), key) || is_passed_key(key);
}

}  // namespace posenc::config
