// SPDX-License-Identifier: Apache-2.0
// The presets that are rotations of several axes, of images, video and M-RoPE: one row of data each.
#include "src/conventions/presets.h"

namespace posenc {
namespace {

// 10000 in place of every other base; adjacent pairs; every axis has as many columns of a head.
Rotary adjacent_axes(std::vector<std::string> axes) {
  Rotary rotary = {paper, Pairing::adjacent};
  rotary.axes = std::move(axes);
  rotary.sections = Equal{};
  return rotary;
}
Rotary adjacent_axes(std::vector<std::string> axes, const Sections& sections) {
  Rotary rotary = adjacent_axes(std::move(axes));
  rotary.sections = sections;
  return rotary;
}
Rotary split_axes(std::vector<std::string> axes) {
  Rotary rotary = adjacent_axes(std::move(axes));
  rotary.pairing = Pairing::split_half;
  return rotary;
}

// One ladder over the head, its pairs dealt to time, rows and columns.
Rotary dealt(double base, Pairing pairing, std::vector<Stretch> deal) {
  Geometric ladder = paper;
  ladder.base = base;
  Rotary rotary = {ladder, pairing};
  rotary.axes = {"t", "y", "x"};
  rotary.rungs = Rungs::dealt;
  rotary.sections = Nothing{};
  rotary.deal = std::move(deal);
  rotary.order = PairOrder::rung_major;
  return rotary;
}

// Every pair turns by the sum over the axes, whose frequencies are learned.
Rotary summed_axes(std::vector<std::string> axes, std::vector<Ladder> ladders) {
  Rotary rotary = adjacent_axes(std::move(axes), Nothing{});
  rotary.rungs = Rungs::summed;
  rotary.ladders = std::move(ladders);
  return rotary;
}

// Examples: a checkpoint states its own.
Listed example_x() { return {{0.5, -1.25, 0.8125, 2}}; }
Listed example_y() { return {{0.75, 0.375, -1.5, 0.25}}; }
Listed example_t() { return {{1, -0.5, 0.125, 0.625}}; }

// What video has left over stands with time.
Sections thirds() { return AxisShares{{0, 2, 2}, 6, "t"}; }
// Of heads of 128.
Sections flux_pairs() { return std::vector<std::int64_t>{8, 28, 28}; }

}  // namespace

std::vector<PresetRow> rotary_axes_rows() {
  return {
      {"mrope-chunk",
       dealt(1e6, Pairing::split_half, {{{"t"}, 16}, {{"y"}, 24}, {{"x"}, 24}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_qwen2_vl.py, Qwen2VLRotaryEmbedding and apply_rotary_pos_emb",
       "The pairs of one ladder in three stretches, mrope_section [16, 24, 24], of heads of 128: the first turn by the "
       "time of a token, the next by its row, the last by its column. Text has one position on all three, so tests of "
       "text do not tell it from mrope-interleaved.",
       {"qwen2-vl", "qwen2.5-vl", "qwen2.5-omni"}},

      {"chatglm-2d",
       [] {
         Rotary rotary = split_axes({"position", "block"});
         rotary.pairing_scope = PairingScope::run;
         return rotary;
       }(),
       "f32-reciprocal",
       no_stage,
       "THUDM, ChatGLM-6B, modeling_chatglm.py, RotaryEmbedding and apply_rotary_pos_emb_index",
       "The first half of a head turns by the place in the prompt, which what is generated does not leave, the second "
       "by the place in what is generated, counted from 1. Where the model runs in f16 its ladder and its angles are "
       "rounded to it.",
       {"chatglm-6b"}},

      {"mrope-chunk-pair",
       [] {
         Rotary rotary = dealt(10000, Pairing::adjacent, {{{"t"}, 8}, {{"y"}, 12}, {{"x"}, 12}});
         rotary.part = ColumnShare{0.5};
         return rotary;
       }(),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_glm4v.py, Glm4vTextRotaryEmbedding and apply_rotary_pos_emb",
       "mrope-chunk with adjacent pairs over the first half of heads of 128, in stretches of 8, 12 and 12. GLM-4.5V "
       "and 4.6V (glm4v_moe) split halves.",
       {"glm-4v", "glm-4.1v", "glm-4.6v-flash", "glm-ocr"},
       {},
       {"ladder.base", "part", "deal"}},

      {"mrope-interleaved",
       dealt(5e6, Pairing::split_half, {{{"t", "y", "x"}, 60}, {{"t"}, 4}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_qwen3_vl.py, Qwen3VLTextRotaryEmbedding and apply_rotary_pos_emb",
       "The pairs of one ladder go round time, row and column, mrope_section [24, 20, 20]; the last four are of time. "
       "42 of 64 pairs turn otherwise than under mrope-chunk. Qwen 3 Omni states the base 1e6.",
       {"qwen3-vl"}},

      {"qwen3.5",
       [] {
         Rotary rotary = dealt(1e7, Pairing::split_half, {{{"t", "y", "x"}, 32}});
         rotary.part = ColumnShare{0.25};
         return rotary;
       }(),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_qwen3_5.py, Qwen3_5TextRotaryEmbedding and apply_rotary_pos_emb",
       "mrope-interleaved over 64 of a head's 256 columns, mrope_section [11, 11, 10]. The base is that of its files; "
       "a configuration without one means 10000.",
       {"qwen3.5-moe"}},

      {"ggml-imrope",
       dealt(5e6, Pairing::split_half, {{{"t", "y", "x"}, 60}, {{"t"}, 1}, {{"none"}, 2}, {{"t"}, 1}}),
       "f32-iterated",
       no_stage,
       "ggml, ggml-cpu/ops.cpp, ggml_rope_multi of GGML_ROPE_TYPE_IMROPE",
       "mrope-interleaved but for its last four pairs: those of no third turn by a fourth position, which llama.cpp "
       "sets to 0. Sections [24, 20, 20] of heads of 128; angles are products, each of the one before.",
       {"llama.cpp-imrope"}},

      {"mrope-ernie",
       dealt(500000, Pairing::adjacent, {{{"y", "x"}, 44}, {{"t"}, 20}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_ernie4_5_vl_moe.py, Ernie4_5_VLMoeTextRotaryEmbedding and apply_rotary_pos_emb",
       "Rows and columns in turn have the fast pairs, mrope_section [22, 22, 20], and time the slow ones: the other "
       "way than Qwen.",
       {"ernie-4.5-vl"}},

      {"timm-mrope", dealt(10000, Pairing::split_half, {{{"t", "y", "x"}, 60}, {{"t"}, 4}}), "f32-reciprocal", no_stage,
       "timm, layers/pos_embed_sincos.py, RotaryEmbeddingMRope and apply_rot_embed_cat",
       "mrope-interleaved of base 10000; an image has no time, which stands at 0."},

      {"rope2d-qwen-vision",
       split_axes({"y", "x"}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_qwen2_vl.py, Qwen2VLVisionRotaryEmbedding and apply_rotary_pos_emb_vision",
       "Each axis has a ladder of its own over half of the head, and pairs are split over the whole head. Pixtral "
       "deals one ladder out instead. Kimi-VL's tower has adjacent pairs.",
       {"qwen2-vl-vision", "qwen2.5-vl-vision", "glm-4v-vision"}},

      {"rope2d-pixtral",
       [] {
         Rotary rotary = split_axes({"y", "x"});
         rotary.rungs = Rungs::dealt, rotary.sections = Nothing{}, rotary.deal = {{{"y", "x"}, 32}};
         return rotary;
       }(),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_pixtral.py, PixtralVisionRotaryEmbedding and apply_rotary_pos_emb",
       "Rows take the even frequencies of one ladder over heads of 64, columns the odd ones; a head's pairs are those "
       "of rows, then those of columns.",
       {"pixtral", "mistral3-vision"}},

      {"rope2d-sam2-memory",
       adjacent_axes({"x", "y"}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_sam2_video.py, Sam2VideoVisionRotaryEmbedding and apply_rotary_pos_emb_2d",
       "Columns come first, though its comment names the height first.",
       {"sam2-memory", "sam2-video"}},

      {"rope2d-llama4-vision",
       like("rope2d-sam2-memory", {{"stored", "complex"}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_llama4.py, Llama4VisionRotaryEmbedding and vision_apply_rotary_emb",
       "Columns come first, and both are counted from 1; the class token has angle 0, which is the place 0, 0.",
       {},
       from_one},

      {"rope2d-gemma4-vision",
       like("rope2d-qwen-vision", {{"axes", "x,y"}, {"ladder.base", 100}, {"pairing_scope", "run"}}), "f32-reciprocal",
       no_stage, "transformers, modeling_gemma4.py, Gemma4VisionRotaryEmbedding and apply_multidimensional_rope",
       "Base 100; columns come first, and pairs are split within the half of each axis, not over the head."},

      {"rope2d-dinov3",
       like("rope2d-qwen-vision", {{"ladder.base", 100}, {"ladder.unit", "turns"}}),
       "f32-reciprocal-unit-position",
       no_stage,
       "transformers, modeling_dinov3_vit.py, DINOv3ViTRopePositionEmbedding and apply_rotary_pos_emb",
       "Coordinates are the centres of patches from -1 to 1, (i + 0.5) / n 2 - 1, and frequencies are in turns. There "
       "the unit is multiplied with the coordinate, in f32; files hold periods in bf16.",
       {"dinov3"},
       centres_around_0},

      {"rope2d-dinov3-periods",
       like("rope2d-dinov3", {{"ladder.base", 256}, {"ladder.first", 4}, {"ladder.spacing", "over_gaps_or_one"}}),
       "f32-divide-of-linspace-unit-position",
       no_stage,
       "timm, layers/pos_embed_sincos.py, RotaryEmbeddingDinoV3 with min_period and max_period",
       "Periods from the least to the greatest by equal ratios, both included: first is 1 / min_period, the base "
       "max_period / min_period, here of 1/4 and 64; a model states its own. Coordinates are those of rope2d-dinov3.",
       {},
       centres_around_0},

      {"rope2d-mixed",
       summed_axes({"x", "y"}, {example_x(), example_y()}),
       "f32-reciprocal",
       no_stage,
       "timm, layers/pos_embed_sincos.py, get_mixed_freqs of RotaryEmbeddingMixed, and apply_rot_embed_cat; Heo et "
       "al., Rotary Position Embedding for Vision Transformer, 2024",
       "Every angle is a sum over column and row. A checkpoint holds frequencies for each block and head (freqs): the "
       "lists here are an example, for heads of 8. They start at powers of base 10, turned by an angle a head.",
       {"rope-mixed", "rope-vit"},
       {},
       {"ladders"}},

      {"lightglue",
       like("rope2d-mixed"),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_lightglue.py, LightGluePositionalEncoder and apply_rotary_pos_emb",
       "Points of an image, x first, from its middle and over half of the longer side. A checkpoint holds a matrix "
       "(projector): its columns are the ladders of x and of y, the lists here are an example. There sums are those of "
       "a product of matrices, whose library may fuse them (f32-reciprocal-fused); that of the golden does not.",
       {},
       {},
       {"ladders"}},

      {"rope-axial-lucid",
       [] {
         Rotary rotary = adjacent_axes({"y", "x"});
         rotary.ladders = {LinearLadder{1, 5, AngleUnit::half_turns}};
         return rotary;
       }(),
       "f32-reciprocal-fused",
       no_stage,
       "rotary-embedding-torch, RotaryEmbedding with freqs_for = \"pixel\", get_axial_freqs and apply_rotary_emb",
       "Bands from 1 to max_freq / 2, here 5, in half turns, of coordinates from -1 to 1 with both ends; with "
       "freqs_for = \"lang\" it is rope2d-eva-language of places.",
       {},
       edges_around_0},

      {"efficient-loftr",
       [] {
         Rotary rotary = adjacent_axes({"y", "x"});
         rotary.order = PairOrder::rung_major;
         return rotary;
       }(),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_efficientloftr.py, EfficientLoFTRRotaryEmbedding, compute_embeddings and "
       "apply_rotary_pos_emb",
       "Rows and columns of one frequency stand side by side, both counted from 1. It turns all heads as one row of "
       "256.",
       {},
       from_one},

      {"rope2d-eva",
       [] {
         Rotary rotary = adjacent_axes({"y", "x"});
         rotary.ladders = {LinearLadder{1, 112, AngleUnit::half_turns}};
         return rotary;
       }(),
       "f32-reciprocal",
       no_stage,
       "timm, layers/pos_embed_sincos.py, build_rotary_pos_embed with in_pixels, and apply_rot_embed_cat",
       "Bands from 1 to half of the resolution, 224, in half turns, of coordinates from -1 to 1 with both ends.",
       {"eva02-pixels"},
       edges_around_0},

      {"rope2d-eva-language",
       adjacent_axes({"y", "x"}),
       "f32-reciprocal",
       no_stage,
       "timm, layers/pos_embed_sincos.py, build_rotary_pos_embed without in_pixels, and apply_rot_embed_cat",
       "Coordinates are cells of a reference grid: i reference / n.",
       {"eva02"}},

      {"rope2d-cogview4",
       split_axes({"y", "x"}),
       "f32-reciprocal",
       no_stage,
       "diffusers, transformer_cogview4.py, CogView4RotaryPosEmbed; embeddings.py, apply_rotary_emb",
       "Coordinates are floor(256 i / n), whole numbers on a square of 256 whatever the image's shape.",
       {"cogview4"},
       of_256},

      {"rope2d-hunyuandit",
       adjacent_axes({"x", "y"}),
       "f32-reciprocal",
       no_stage,
       "diffusers, embeddings.py, get_2d_rotary_pos_embed and apply_rotary_emb",
       "Columns come first; coordinates are those of a crop of a base size, its end excluded.",
       {"hunyuandit", "hunyuan-dit"}},

      {"rope2d-lumina",
       like("rope2d-eva-language", {{"ladder.base", 30000},
                                    {"ladder.scaling", "linear"},
                                    {"ladder.scaling.factor", 2},
                                    {"order", "rung_major"},
                                    {"stored", "complex"}}),
       "f32-reciprocal",
       no_stage,
       "diffusers, embeddings.py, get_2d_rotary_pos_embed_lumina and apply_rotary_emb",
       "Rows and columns of one frequency stand side by side. The base 10000 is multiplied by the ntk factor, here 3, "
       "and frequencies are divided by the linear factor, here 2; both are 1 at the size of training.",
       {"lumina"},
       {},
       {"ladder.base", "ladder.scaling.factor"}},

      {"lumina2", like("rope2d-llama4-vision", {{"axes", "t,y,x"}}), "f64-to-f32", no_stage,
       "diffusers, transformer_lumina2.py, Lumina2RotaryPosEmbed; embeddings.py, apply_rotary_emb",
       "32 columns of heads of 96 an axis; there tables of 300, 512 and 512 rows are an end."},

      {"vjepa2", like("lumina2", {{"angles", "by_column"}, {"part", 60}, {"stored", "none"}}), "f32-reciprocal",
       no_stage, "transformers, modeling_vjepa2.py, rotate_queries_or_keys",
       "Heads of 64: runs of 20 columns for time, row and column, the last four stand. Column c of a run has the angle "
       "c mod 10 though columns are paired adjacent, so a pair's members turn by different angles: a mistake that its "
       "weights were trained with."},

      {"rope3d-cogvideox",
       adjacent_axes({"t", "y", "x"}, AxisShares{{2, 3, 3}, 8, "x"}),
       "f32-reciprocal",
       no_stage,
       "diffusers, embeddings.py, get_3d_rotary_pos_embed and apply_rotary_emb",
       "A quarter of a head is time's, the rest is shared by rows and columns.",
       {"cogvideox"}},

      {"rope3d-allegro",
       like("lumina2", {{"pairing", "split_half"}, {"pairing_scope", "run"}, {"stored", "none"}}),
       "f32-reciprocal",
       no_stage,
       "diffusers, embeddings.py, get_3d_rotary_pos_embed_allegro and apply_rotary_emb",
       "Pairs are split within the third of each axis; coordinates are divided by the interpolation.",
       {"allegro"}},

      {"rope3d-wan",
       adjacent_axes({"t", "y", "x"}, thirds()),
       "f64-to-f32",
       no_stage,
       "diffusers, transformer_wan.py, WanRotaryPosEmbed; embeddings.py, apply_rotary_emb",
       "Rows and columns have 2 floor(head / 6) columns each, time the rest: 44, 42 and 42 of 128. Tables are made in "
       "f64.",
       {"wan-2.1", "skyreels", "chronoedit"}},
      {"rope3d-helios",
       like("rope3d-wan"),
       "f32-reciprocal",
       no_stage,
       "diffusers, transformer_helios.py, HeliosRotaryPosEmbed, apply_rotary_emb_transposed",
       "The pairs and the ladders of rope3d-wan, in f32. Frames are numbered by the caller: those of the history come "
       "first.",
       {"helios"}},

      {"rope-flux",
       adjacent_axes({"t", "y", "x"}, flux_pairs()),
       "f64-to-f32",
       no_stage,
       "diffusers, embeddings.py, FluxPosEmbed and apply_rotary_emb",
       "16, 56 and 56 columns of heads of 128; text stands at 0, 0, 0. Tables are made in f64.",
       {"flux.1", "bria", "longcat-image"}},

      {"rope-flux2",
       like("lumina2", {{"axes", "t,y,x,l"}, {"ladder.base", 2000}, {"stored", "none"}}),
       "f64-to-f32",
       no_stage,
       "diffusers, transformer_flux2.py, Flux2PosEmbed; embeddings.py, apply_rotary_emb",
       "Four axes of 32 columns, the last of which counts the tokens of a text; base 2000.",
       {"flux2"}},

      {"z-image", like("rope-flux", {{"ladder.base", 256}, {"stored", "complex"}}), "f64-angle-to-f32", no_stage,
       "diffusers, transformer_z_image.py, RopeEmbedder and apply_rotary_emb",
       "rope-flux of base 256; there tables of 64, 128 and 128 rows are an end. Angles are made in f64 and rounded to "
       "f32 before their sines."},

      {"rope3d-hunyuanvideo",
       like("rope-flux", {{"ladder.base", 256}}),
       "f32-reciprocal",
       no_stage,
       "diffusers, transformer_hunyuan_video.py, HunyuanVideoRotaryPosEmbed; embeddings.py, apply_rotary_emb",
       "rope-flux of base 256, in f32.",
       {"hunyuanvideo", "hunyuan-video"}},

      {"rope3d-qwenimage",
       like("rope-flux", {{"stored", "complex"}}),
       "f32-reciprocal",
       no_stage,
       "diffusers, transformer_qwenimage.py, QwenEmbedRope and apply_rotary_emb_qwen",
       "Rows and columns are counted from the middle: i - ceil(n / 2). Text follows the larger half on all axes.",
       {"qwen-image"}},

      {"rope3d-ltx",
       like("lumina2", {{"ladder.slope", "rising"},
                        {"ladder.unit", "quarter_turns"},
                        {"ladder.spacing.over", "pairs"},
                        {"ladder.spacing.shift", 1},
                        {"order", "rung_major"},
                        {"stored", "none"}}),
       "f32-power-of-linspace-fused",
       no_stage,
       "diffusers, transformer_ltx.py, LTXVideoRotaryPosEmbed and apply_rotary_emb",
       "Frequencies rise from a quarter turn to 10000 of them, of coordinates that are fractions of 20 s and 2048 "
       "pixels, 2 x - 1. It turns all heads as one row of 2048, whose first two columns stand: the width less its rest "
       "by 6. Exponents are a linspace with fused sums, whose last places are up to 9 of a frequency.",
       {"ltx", "ltx-video"}},

      {"rope3d-cosmos",
       [] {
         Rotary rotary = split_axes({"t", "y", "x"});
         rotary.sections = thirds();
         rotary.ladders = {paper, paper, paper};
         for (Ladder& ladder : rotary.ladders) std::get<Geometric>(ladder).scaling = NtkScaling{1};
         std::get<Geometric>(rotary.ladders[0]).scaling = NtkScaling{2};
         return rotary;
       }(),
       "f32-reciprocal",
       no_stage,
       "diffusers, transformer_cosmos.py, CosmosRotaryPosEmbed; embeddings.py, apply_rotary_emb",
       "Time, rows and columns have bases scaled by 2, 1 and 1, each over its own run; pairs are split over the head.",
       {"cosmos"},
       {},
       {"ladders"}},

      {"rope3d-mochi",
       summed_axes({"t", "y", "x"}, {example_t(), example_y(), example_x()}),
       "f32-reciprocal",
       no_stage,
       "diffusers, transformer_mochi.py, MochiRoPE, and attention_processor.py, MochiAttnProcessor2_0",
       "Every angle is a sum over time, row and column, which are centres of cells from the middle, times sqrt(192 192 "
       "/ (height width)). A checkpoint holds frequencies for each head (pos_frequencies): the lists here are an "
       "example, for heads of 8. Sums are those of a product of matrices, as lightglue's.",
       {"mochi"},
       {},
       {"ladders"}},
  };
}

}  // namespace posenc
