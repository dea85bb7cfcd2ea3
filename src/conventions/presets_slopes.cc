// SPDX-License-Identifier: Apache-2.0
// The presets that are biases by distance: one row of data each.
#include "src/conventions/presets.h"

namespace posenc {
std::vector<PresetRow> slope_rows() {
  return {
      {"alibi",
       Bias{8},
       "exact",
       no_stage,
       "Press et al., Train Short, Test Long: Attention with Linear Biases, 2022; its released code, get_slopes",
       "Any number of heads. Its slopes are made in f64 and its biases rounded twice, to f32: the slope, then the "
       "product. BLOOM and MPT add slope j and slope (j - (S - 1)) for key j: the same but for a number that a query "
       "has in common for all keys, which softmax does not see.",
       {"jina-v2", "jina-embeddings-v2"}},

      {"mpt-alibi",
       like("alibi", {{"value", "key_from_last"}}),
       "exact",
       no_stage,
       "transformers, models/mpt/modeling_mpt.py, build_mpt_alibi_tensor",
       "Biases of keys that all queries share: causal attention is that of alibi. alibi_bias_max is octaves. Its "
       "slopes are f32 powers and its products are rounded once more: 1 unit in the last place of f32.",
       {"kerashub-alibi", "mpt"}},

      {"bloom-alibi",
       like("alibi", {{"value", "key"}, {"over", "present"}}),
       "exact",
       no_stage,
       "transformers, models/bloom/modeling_bloom.py, build_alibi_tensor",
       "Slope k for key number k of those that are present, from 0 on; absent keys get 0. Causal attention is that of "
       "alibi: softmax does not see what a query's keys have in common. The original's slopes are f32 powers: its "
       "biases are up to 8 units in the last place of f32 away.",
       {"bloom", "bloomz"}},

      {"falcon-alibi",
       like("bloom-alibi", {{"slope_rounding", "bf16"}, {"scale", "one_over_sqrt_head"}}),
       "exact",
       no_stage,
       "transformers, models/falcon/modeling_falcon.py, build_alibi_tensor, FalconAttention",
       "Slopes are rounded to bf16, and so are the original's products. The bias is multiplied by 1 / sqrt(head) with "
       "the scores, so it is smaller than Bloom's by that.",
       {"alibi-falcon-bf16", "falcon-rw"}},

      {"ct2-alibi", like("alibi", {{"value", "key"}}), "exact", no_stage,
       "CTranslate2, src/layers/attention.cc, Alibi, use_positive_positions",
       "Slope k for every key number k, absent ones too. Models that were trained with distances state "
       "use_positive_positions false: slope (k - the last key), as mpt-alibi."},

      {"ggml-alibi", like("alibi", {{"value", "causal"}}), "exact", no_stage,
       "ggml, ggml.c, ggml_soft_max_ext with max_bias; llama.cpp, its mask under use_alibi",
       "Slopes multiply a mask of -|q - k|, and -infinity for keys ahead: of the keys that a causal query sees these "
       "are slope (k - q). max_bias is octaves."},
  };
}

}  // namespace posenc
