// SPDX-License-Identifier: Apache-2.0
// The presets whose rows are stored: which row a position takes, one row of data each.
#include "src/conventions/presets.h"

namespace posenc {
std::vector<PresetRow> learned_rows() {
  const Learned one_table = {.axes = {"position"},
                             .rows = None{},
                             .offset = 0,
                             .past_end = PastEnd::error,
                             .combine = Combine::sum,
                             .scale = 1.0,
                             .absent = AbsentRow::nothing};
  return {
      {"learned",
       one_table,
       "exact",
       no_stage,
       "transformers, models/bert/modeling_bert.py, BertEmbeddings.position_embeddings; GPT-2, ViT, CLIP",
       "Position p takes row p. A model states its rows: 512 in BERT, 1024 in GPT-2, 77 in CLIP's texts, 448 in "
       "Whisper's decoder.",
       {"bert",        "gpt-2",
        "gpt-3",       "vit",
        "deit",        "clip",
        "blip",        "siglip",
        "dinov2",      "whisper-decoder",
        "blenderbot",  "gpt-neo-learned",
        "gpt-neo",     "starcoder",
        "albert",      "electra",
        "layoutlm",    "distilbert-learned",
        "bark",        "xtts",
        "timesformer", "owl-vit"}},
      {"learned-offset2",
       like("learned", {{"offset", 2}}),
       "exact",
       no_stage,
       "transformers, models/bart/modeling_bart.py, BartLearnedPositionalEmbedding",
       "Position p takes row p + 2 of N + 2: fairseq's padding id left its two first rows behind. LED, Blenderbot and "
       "BigBird-Pegasus have the same class name and no offset.",
       {"bart", "mbart", "plbart", "mvp", "trocr-decoder"}},
      {"opt",
       like("learned-offset2", {{"absent", "padding_row"}}),
       "exact",
       no_stage,
       "transformers, models/opt/modeling_opt.py, OPTLearnedPositionalEmbedding",
       "Positions count present tokens from 0, and absent ones are at -1: row 1, a row like others. A decoding step "
       "counts the mask of the whole sequence.",
       {"galactica", "biogpt"}},
      {"learned-padding-idx",
       like("learned", {{"absent", "padding_row"}}),
       "exact",
       no_stage,
       "transformers, models/roberta/modeling_roberta.py, create_position_ids_from_input_ids",
       "Positions count present tokens from padding_id + 1 (2), and absent ones are at padding_id, whose row is zeros. "
       "514 rows hold 512 tokens.",
       {"roberta", "xlm-r", "esm-1b", "camembert", "bertweet", "data2vec-text", "mpnet", "ibert", "longformer"}},
      {"prophetnet",
       like("learned-padding-idx", {{"rows", 512}, {"past_end", "clamp"}}),
       "exact",
       no_stage,
       "transformers, models/prophetnet/modeling_prophetnet.py, ProphetNetPositionalEmbeddings",
       "Tokens past the last row all take it. A decoding step counts the pads before it, so that it differs from the "
       "same token of a whole sequence, and is not clamped.",
       {"xprophetnet"}},
      {"learned-scaled", like("learned", {{"scale", "one_over_sqrt_d"}}), "exact", no_stage,
       "x-transformers, x_transformers.py, AbsolutePositionalEmbedding",
       "Rows are multiplied by 1 / sqrt(d), but under l2norm_embed, which normalises them in its place."},
      {"kerashub-position", like("learned"), "exact", no_stage,
       "keras-hub, layers/modeling/position_embedding.py, PositionEmbedding",
       "start_index is the first position; past the last row the slice fails."},
      {"t2t-learned", like("learned", {{"rows", 256}, {"past_end", "zeros"}}), "exact", no_stage,
       "tensor2tensor, layers/common_attention.py, add_positional_embedding",
       "pos=emb. max_length is 256 by default; tokens past it get no row: the table is padded with zeros."},
      {"marian-trained", like("learned", {{"rows", 50}, {"past_end", "clamp"}}), "exact", no_stage,
       "Marian, models/transformer.h, addPositionalEmbeddings under transformer-train-position-embeddings",
       "max-length rows, 50 by default; tokens past them take the last one. The embedding is not scaled here, other "
       "than before the computed signal."},

      {"detr-learned",
       like("learned", {{"axes", "x,y"}, {"rows", 50}, {"combine", "concatenate"}}),
       "exact",
       no_stage,
       "DETR, models/position_encoding.py, PositionEmbeddingLearned; transformers, models/detr/modeling_detr.py, "
       "DetrLearnedPositionEmbedding",
       "Columns first: half of a row for x, half for y, each of a table of 50 rows.",
       {"conditional-detr-learned", "table-transformer-learned"}},
      {"imgpt-learned", like("learned", {{"axes", "y,x"}}), "exact", no_stage,
       "diffusers, models/embeddings.py, ImagePositionalEmbeddings",
       "A row of the line and a row of the column are added to the embedding of a cell (VQ-Diffusion)."},
      {"t2t-emb-nd", like("learned", {{"axes", "y,x"}, {"past_end", "zeros"}, {"rows", 64}}), "exact", no_stage,
       "tensor2tensor, layers/common_attention.py, add_positional_embedding_nd",
       "A table of max_length rows for each axis, added. Tables start with deviation 1 / sqrt(d) and are multiplied by "
       "sqrt(d). 64 rows stand for max_length, which has no default."},
      {"reformer-axial", like("learned", {{"axes", "block,place"}, {"rows", "64,64"}, {"combine", "concatenate"}}),
       "exact", no_stage, "transformers, models/reformer/modeling_reformer.py, AxialPositionEmbeddings",
       "Position p is at block floor(p / 64) and place p mod 64: axial_pos_shape. The tables' widths are "
       "axial_pos_embds_dim."},
      {"idefics2-patch",
       like("learned", {{"axes", "y,x"}, {"combine", "index"}, {"combine.columns", 70}, {"rows", 4900}}),
       "exact",
       no_stage,
       "transformers, models/idefics2/modeling_idefics2.py, Idefics2VisionEmbeddings",
       "Cell i of n along an axis has coordinate floor(70 i / n): images of any shape on a table of 70 x 70. The "
       "fraction is rounded to f32 and compared with rounded boundaries.",
       {"idefics2", "idefics3", "smolvlm", "phi-4-multimodal-vision"}},
  };
}

}  // namespace posenc
