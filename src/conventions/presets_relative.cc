// SPDX-License-Identifier: Apache-2.0
// The presets of pairs and queries: buckets, windows, log coordinates, query scales. One row of data each.
#include "src/conventions/presets.h"

namespace posenc {
namespace {

constexpr DistanceSign ahead = DistanceSign::key_minus_query, behind = DistanceSign::query_minus_key;

std::vector<PresetRow> bucket_rows() {
  return {
      {"t5-bucket",
       Buckets{LogBuckets{32, 128, DistanceSides::both, ahead}, 1.0},
       "exact",
       no_stage,
       "transformers, models/t5/modeling_t5.py, T5Attention._relative_position_bucket(bidirectional=True); mesh "
       "tensorflow of Raffel et al., 2020",
       "Encoders. A key ahead of its query has the classes from 16 on. The first layer's biases serve all layers, but "
       "in umT5. The original takes the logarithm in f32 and is the same for every distance to 2^17.",
       {"t5", "mt5", "umt5", "byt5", "longt5", "flan-t5", "ul2", "switch-transformer", "pop2piano", "flan", "switch"},
       {},
       {"classes.count", "classes.reach"}},
      {"t5-bucket-decoder", like("t5-bucket", {{"classes.sides", "one"}}), "exact", no_stage,
       "transformers, models/t5/modeling_t5.py, T5Attention._relative_position_bucket(bidirectional=False)",
       "Decoders: all 32 classes for keys behind their query, and class 0 for keys ahead, which a causal mask hides."},
      {"mpnet-bucket", like("t5-bucket"), "exact", no_stage,
       "transformers, models/mpnet/modeling_mpnet.py, MPNetEncoder.relative_position_bucket",
       "T5's classes of an encoder: the sign that its code takes first is turned twice. The model adds learned rows, "
       "too, whose positions count from padding_id + 1."},
      {"wavlm-bucket",
       like("t5-bucket", {{"classes.count", 320}, {"classes.reach", 800}}),
       "exact",
       no_stage,
       "transformers, models/wavlm/modeling_wavlm.py, WavLMAttention._relative_positions_bucket",
       "Biases are gated by the query. 80 distances of either side have a class each. The original adds those 80 "
       "before it truncates, in f32.",
       {"wavlm"}},
      {"layoutlm-bucket",
       like("t5-bucket"),
       "exact",
       no_stage,
       "transformers, models/layoutlmv2/modeling_layoutlmv2.py, LayoutLMv2Encoder._calculate_1d_position_embeddings",
       "Of the numbers of tokens: rel_pos_bins, max_rel_pos. UDOP's one-dimensional biases as well.",
       {"layoutlmv2", "udop", "layoutlm-buckets"}},
      {"layoutlm-2d-bucket", like("t5-bucket", {{"classes.count", 64}, {"classes.reach", 256}}), "exact", no_stage,
       "transformers, models/layoutlmv2/modeling_layoutlmv2.py, LayoutLMv2Encoder._calculate_2d_position_embeddings",
       "Of the left edges of boxes, and with a second table of their lower edges, in thousandths of a page: "
       "rel_2d_pos_bins, max_rel_2d_pos. UDOP's 32 classes reach 100, of means of edges from 0 to 1 times 100."},
      {"layoutlmv3-bucket",
       like("layoutlm-bucket", {{"scale", "one_over_sqrt_head"}}),
       "exact",
       no_stage,
       "transformers, models/layoutlmv3/modeling_layoutlmv3.py, LayoutLMv3Encoder._cal_1d_pos_emb",
       "The classes of its predecessor, but what is looked up is divided by sqrt(head), as scores are.",
       {"layoutlmv3"}},
      {"layoutlmv3-2d-bucket", like("layoutlm-2d-bucket", {{"scale", "one_over_sqrt_head"}}), "exact", no_stage,
       "transformers, models/layoutlmv3/modeling_layoutlmv3.py, LayoutLMv3Encoder._cal_2d_pos_emb",
       "The classes of its predecessor for boxes, divided by sqrt(head) as well."},
      {"xt-t5-bucket", like("t5-bucket", {{"classes.sides", "one"}, {"scale", "sqrt_head"}}), "exact", no_stage,
       "x-transformers, x_transformers.py, RelativePositionBias(causal=True); Attention passes scale = dim_head ** 0.5",
       "rel_pos_bias=True. What is looked up is multiplied by sqrt(head), since scores were divided by it; T5 divides "
       "none. Encoders have T5's two sides."},
      {"deberta-bucket",
       Buckets{SignedLogBuckets{256, 512, behind}, 1.0},
       "exact",
       no_stage,
       "transformers, models/deberta_v2/modeling_deberta_v2.py, make_log_bucket_position",
       "The sign is the other way than T5's, and whole edges belong to the class below. Classes have an end where they "
       "are looked up: class + 256, clipped to 0 to 511.",
       {"deberta-v2", "deberta-v3", "mdeberta-v3", "sew-d"}},
      {"deberta-v1",
       Buckets{ClipBuckets{512, 511, behind}, 1.0},
       "exact",
       no_stage,
       "transformers, models/deberta/modeling_deberta.py, DisentangledSelfAttention.disentangled_att_bias",
       "One class less to the right: a table of 2 x 512 rows is clipped at 1023. max_relative_positions -1 stands for "
       "max_position_embeddings. Scores of positions by content take the other sign.",
       {"deberta"}},
      {"shaw",
       Buckets{ClipBuckets{16, 16, ahead}, 1.0},
       "exact",
       no_stage,
       "Shaw et al., Self-Attention with Relative Position Representations, 2018; OpenNMT-py 3.5.1, "
       "onmt/modules/multi_headed_attn.py, gen_relative_positions; tensor2tensor",
       "Keys and values have a table each, of 33 rows; OpenNMT-py shares one. tensor2tensor's max_relative_position is "
       "20. VITS has 4 to either side, and nothing beyond: not the last row.",
       {"t2t-relative", "onmt-relative"}},
      {"bert-relative-key", Buckets{ClipBuckets{511, 511, behind}, 1.0}, "exact", no_stage,
       "transformers 4, models/bert/modeling_bert.py, position_embedding_type relative_key",
       "A row for every distance of 512 tokens, so that none is clipped; the original fails past them. Gone from "
       "transformers 5."},
      {"wav2vec2-bert",
       Buckets{ClipBuckets{64, 8, ahead}, 1.0},
       "exact",
       no_stage,
       "transformers, models/wav2vec2_bert/modeling_wav2vec2_bert.py, _apply_relative_key_position_encoding",
       "left_max_position_embeddings, right_max_position_embeddings: keys ahead have 8 classes alone. Their products "
       "with a query are divided by sqrt(head), as scores are.",
       {"w2v-bert-2.0", "seamless-m4t-v2-speech"}},
      {"sam-decomposed",
       Buckets{ClipBuckets{63, 63, behind}, 1.0},
       "exact",
       no_stage,
       "transformers, models/sam/modeling_sam.py, SamVisionAttention.get_rel_pos",
       "A table for each axis, of lines and of columns, whose products with a query are added. 64 x 64 cells of 1024 "
       "pixels; windowed layers have 14 x 14, left and right 13. Other sizes stretch the table linearly.",
       {"vitdet", "segment-anything-relative"},
       {},
       {"classes.left", "classes.right"}},

      {"swin-window",
       Buckets{WindowBuckets{0}, 1.0},
       "exact",
       no_stage,
       "timm, layers/pos_embed_rel.py, gen_relative_position_index; transformers Swin, MaskFormer, Donut",
       "Cells of a window line by line. A class is of the query less the key: turned about, the biases are mirrored. "
       "So MaxViT in timm (_rw) and torchvision; of Google's files (_tf) a class is of the key less the query.",
       {"swin", "donut-swin", "maxvit"}},
      {"beit-window",
       Buckets{WindowBuckets{3}, 1.0},
       "exact",
       no_stage,
       "timm, layers/pos_embed_rel.py, gen_relative_position_index(class_token=True); transformers, "
       "models/beit/modeling_beit.py, generate_relative_position_index",
       "A class token stands before the cells: three further classes, of the token's query with every cell, of every "
       "query with the token, of the token with itself.",
       {"beit", "data2vec-vision"}},
  };
}

std::vector<PresetRow> log_coordinate_rows() {
  return {
      {"swinv2-cpb",
       LogCoordinates{NormalisedLogarithm{8, Nothing{}}},
       "exact",
       no_stage,
       "timm, layers/pos_embed_rel.py, gen_relative_log_coords; transformers, models/swinv2/modeling_swinv2.py",
       "Input of a network 2 -> 512 -> heads, whose output b becomes the bias 16 sigmoid(b); the logit scale is at "
       "most 100. A model tuned at another window keeps the sides of the old one: pretrained=12,12.",
       {"swinv2", "swin-v2"}},
      {"swin-cr-cpb", LogCoordinates{PlainLogarithm{}}, "exact", no_stage,
       "timm, layers/pos_embed_rel.py, gen_relative_log_coords(mode='cr')",
       "Swin V2 as its paper first had it, of Christoph Reich: natural logarithms of cells, without sides."},
  };
}

std::vector<PresetRow> query_scale_rows() {
  return {
      {"llama4-temperature",
       QueryScale{LogSteps{0.1, 8192, 1}},
       "exact",
       no_stage,
       "transformers, models/llama4/modeling_llama4.py, Llama4TextAttention, attn_temperature_tuning",
       "Only in layers without a rotation. Positions count from 1 here: position 8191 is the first of the next step. "
       "attn_scale, floor_scale. The original rounds to f32 step by step.",
       {"llama4-attn-scale"}},
      {"ministral3-temperature",
       like("llama4-temperature", {{"factor.every", 16384}, {"factor.origin", 0}}),
       "exact",
       no_stage,
       "transformers, models/ministral3/modeling_ministral3.py, get_llama_4_attn_scale",
       "In every layer, beside YaRN; positions count from 0. llama_4_scaling_beta, original_max_position_embeddings.",
       {"ministral-3", "mistral4-temperature"},
       {},
       {"factor.every"}},
      {"inkling-temperature",
       QueryScale{LogClamp{0.1, 128000, 1}},
       "exact",
       no_stage,
       "transformers, models/inkling2/modeling_inkling2.py, Inkling2Attention, log_scaling_n_floor",
       "In layers without a window, where attention has a bias of relative positions and no rotation. "
       "log_scaling_alpha, log_scaling_n_floor. The original rounds to f32 step by step.",
       {"inkling2-temperature"},
       {},
       {"factor.every"}},
      {"qwen-logn",
       QueryScale{LogRatio{8192, 1}},
       "exact",
       no_stage,
       "Qwen-7B, modeling_qwen.py, QWenAttention, logn_list (use_logn_attn)",
       "From position seq_length on, which is `every` and a number of the configuration. The code stands in the "
       "checkpoint.",
       {"qwen-1"},
       {},
       {"factor.every"}},
  };
}

}  // namespace

std::vector<PresetRow> relative_rows() {
  std::vector<PresetRow> all = bucket_rows();
  for (std::vector<PresetRow>& rows : std::array{log_coordinate_rows(), query_scale_rows()}) {
    all.insert(all.end(), rows.begin(), rows.end());
  }
  return all;
}

}  // namespace posenc
