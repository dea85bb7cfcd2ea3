// SPDX-License-Identifier: Apache-2.0
// The presets that are rotations: one row of data each.
#include <algorithm>

#include "src/conventions/presets.h"

namespace posenc {
namespace {

// An example for 48 frequencies: Phi-3.5-mini's, but that its short list has 2.02 once more and lost its last entry.
constexpr double phi3_short[] = {1,
                                 1.0199999809265137,
                                 1.0299999713897705,
                                 1.0299999713897705,
                                 1.0499999523162842,
                                 1.0499999523162842,
                                 1.0499999523162842,
                                 1.0499999523162842,
                                 1.0499999523162842,
                                 1.0699999332427979,
                                 1.0999999046325684,
                                 1.1099998950958252,
                                 1.1599998474121094,
                                 1.1599998474121094,
                                 1.1699998378753662,
                                 1.2899998426437378,
                                 1.339999794960022,
                                 1.679999828338623,
                                 1.7899998426437378,
                                 1.8199998140335083,
                                 1.8499997854232788,
                                 1.8799997568130493,
                                 1.9099997282028198,
                                 1.9399996995925903,
                                 1.9899996519088745,
                                 2.0199997425079346,
                                 2.0199997425079346,
                                 2.0199997425079346,
                                 2.0199997425079346,
                                 2.0199997425079346,
                                 2.0199997425079346,
                                 2.0199997425079346,
                                 2.0299997329711914,
                                 2.0299997329711914,
                                 2.0299997329711914,
                                 2.0299997329711914,
                                 2.0299997329711914,
                                 2.0299997329711914,
                                 2.0299997329711914,
                                 2.0299997329711914,
                                 2.0299997329711914,
                                 2.0799996852874756,
                                 2.0899996757507324,
                                 2.189999580383301,
                                 2.2199995517730713,
                                 2.5899994373321533,
                                 2.729999542236328,
                                 2.749999523162842};
constexpr double phi3_long[] = {
    1.0800000429153442, 1.1100000143051147, 1.1399999856948853, 1.340000033378601,  1.5899999141693115,
    1.600000023841858,  1.6200000047683716, 2.620000123977661,  3.2300000190734863, 3.2300000190734863,
    4.789999961853027,  7.400000095367432,  7.700000286102295,  9.09000015258789,   12.199999809265137,
    17.670000076293945, 24.46000099182129,  28.57000160217285,  30.420001983642578, 30.840002059936523,
    32.590003967285156, 32.93000411987305,  42.320003509521484, 44.96000289916992,  50.340003967285156,
    50.45000457763672,  57.55000305175781,  57.93000411987305,  58.21000289916992,  60.1400032043457,
    62.61000442504883,  62.62000274658203,  62.71000289916992,  63.1400032043457,   63.1400032043457,
    63.77000427246094,  63.93000411987305,  63.96000289916992,  63.970001220703125, 64.02999877929688,
    64.06999969482422,  64.08000183105469,  64.12000274658203,  64.41000366210938,  64.4800033569336,
    64.51000213623047,  64.52999877929688,  64.83999633789062};

std::vector<double> phi35_short() {
  std::vector<double> list = numbers(phi3_short);
  list.erase(std::ranges::find(list, 2.0199997425079346));
  list.push_back(2.8399994373321533);
  return list;
}

}  // namespace

std::vector<PresetRow> rotary_rows() {
  return {
      {"rope-half",
       Rotary{paper, Pairing::split_half},
       "f32-reciprocal",
       no_stage,
       "Hugging Face transformers, modeling_llama.py, LlamaRotaryEmbedding and apply_rotary_pos_emb (rotate_half)",
       "A model states its base: 10000 is that of Llama 1 and 2; OLMo 2 states 500000, Yi 5e6, later files of Mistral, "
       "Granite and StarCoder2 others. There cosine and sine, products and sums are rounded to the type of q and k. "
       "Weights trained with adjacent pairs need their rows exchanged: 2k becomes k, 2k + 1 becomes k + r / 2.",
       {"llama", "llama-1", "llama-2", "vicuna", "mistral", "deepseek-llm", "phi-3-4k", "olmo", "granite", "arcee"},
       {},
       {"ladder.base", "ladder.scaling"}},

      {"qwen2",
       like("rope-half", {{"ladder.base", 1e6}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_qwen2.py, Qwen2RotaryEmbedding; modeling_mixtral.py, MixtralRotaryEmbedding",
       "rope-half of base 1e6, which files of Qwen 2, 2.5 and 3 state, and of Mixtral, whose configuration means it "
       "where it states none. Qwen's means 10000 then.",
       {"qwen2.5", "qwen3", "mixtral"},
       {},
       {"ladder.base"}},

      {"seed-oss",
       like("rope-half", {{"ladder.base", 1e7}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_seed_oss.py, SeedOssRotaryEmbedding and apply_rotary_pos_emb",
       "The base is that of its files; a configuration without one means 10000.",
       {},
       {},
       {"ladder.base"}},

      {"rope-pair",
       like("rope-half", {{"pairing", "adjacent"}}),
       "f32-reciprocal",
       no_stage,
       "Meta, llama/model.py, precompute_freqs_cis and apply_rotary_emb; Su et al., RoFormer, 2021, equation 34",
       "There q and k are widened to f32, multiplied as complex numbers and rounded once.",
       {"meta-llama"},
       {},
       {"ladder.base"}},

      {"roformer", like("rope-pair", {{"stored", "sine_cosine"}}), "f64-divide-to-f32", no_stage,
       "transformers, modeling_roformer.py, RoFormerSinusoidalPositionalEmbedding and apply_rotary_position_embeddings",
       "The same real numbers as rope-pair, from a table made in f64 and rounded to f32. Its odd widths fail."},

      {"gpt-j",
       like("rope-pair", {{"part", 64}, {"stored", "sine_cosine"}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_gptj.py, create_sinusoidal_positions and apply_rotary_pos_emb",
       "The first 64 of a head's 256 columns turn; the ladder runs over the 64. A model states the number as "
       "rotary_dim.",
       {"codegen"},
       {},
       {"part"}},

      {"gpt-neox",
       like("rope-half", {{"part", "share"}, {"part.share", 0.25}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_gpt_neox.py, GPTNeoXRotaryEmbedding and apply_rotary_pos_emb",
       "The first quarter of a head turns; the ladder runs over that quarter. A model states the share as rotary_pct "
       "or partial_rotary_factor: GPT-NeoX-20B, Pythia, Dolly 2 and StableLM 0.25. With a half it is phi-1.5.",
       {"pythia", "dolly-2", "stablelm"},
       {},
       {"part.share"}},

      {"qwen3-next", like("gpt-neox", {{"ladder.base", 1e7}}), "f32-reciprocal", no_stage,
       "transformers, modeling_qwen3_next.py, Qwen3NextRotaryEmbedding and apply_rotary_pos_emb",
       "64 of a head's 256 columns turn, in the layers that have attention. The base is that of its files; a "
       "configuration without one means 10000."},

      {"phi-1.5",
       like("gpt-neox", {{"part.share", 0.5}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_phi.py, PhiRotaryEmbedding; modeling_nemotron.py, NemotronRotaryEmbedding",
       "gpt-neox with half of a head. Files of GLM 4.5 and later (glm4_moe) state a base, too, 1e6, those of Persimmon "
       "25000. GLM-ASR has it in its encoder.",
       {"phi-1", "persimmon", "nemotron", "glm4-moe", "glm-asr"},
       {},
       {"ladder.base"}},

      {"phi-2", like("gpt-neox", {{"part.share", 0.4}}), "f32-reciprocal", no_stage,
       "transformers, modeling_phi.py, PhiRotaryEmbedding and apply_rotary_pos_emb",
       "32 of a head's 80 columns turn. A configuration that does not state the share means 0.5."},

      {"cohere",
       like("rope-pair", {{"ladder.base", 8e6}, {"stored", "pairs_twice"}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_cohere.py, CohereRotaryEmbedding and apply_rotary_pos_emb",
       "The base is that of Command R's files; those of Command R+ and Command A state others, and a configuration "
       "without one means 500000. There q and k are widened to f32 and the results are rounded once.",
       {"command-r"},
       {},
       {"ladder.base"}},

      {"glm",
       like("rope-pair", {{"part", "share"}, {"part.share", 0.5}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_glm.py, GlmRotaryEmbedding and apply_rotary_pos_emb",
       "The first half of a head turns, in adjacent pairs, though its table of cosines is written as two halves.",
       {"chatglm2", "chatglm3", "glm-4", "glm-4-0414"},
       {},
       {"ladder.base"}},

      {"ernie-4.5", like("rope-pair", {{"ladder.base", 500000}}), "f32-reciprocal", no_stage,
       "transformers, modeling_ernie4_5.py, Ernie4_5RotaryEmbedding and apply_rotary_pos_emb",
       "Adjacent pairs, though its table of cosines is written as two halves. There q and k are widened to f32 and the "
       "results are rounded once."},

      {"esm2", like("rope-half"), "f32-reciprocal", no_stage,
       "transformers, modeling_esm.py, EsmRotaryEmbedding and apply_rotary_pos_emb",
       "Queries are divided by the square root of the head's width before they turn, so scores need no factor. Its "
       "checkpoints hold the ladder."},

      {"falcon-rotary",
       like("rope-half"),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_falcon.py, FalconRotaryEmbedding and apply_rotary_pos_emb",
       "Where a configuration says alibi, as Falcon-RW's does, Falcon has biases and nothing turns.",
       {"falcon-7b", "falcon-40b"}},

      {"nanochat",
       like("rope-half", {{"turn", "backward"}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_nanochat.py, NanoChatRotaryEmbedding and apply_rotary_pos_emb",
       "Pairs turn the other way, by -p w_k: a model trained so gives other scores when they turn forward.",
       {"modded-nanogpt"},
       {},
       {"ladder.base"}},

      {"gemma",
       like("rope-half"),
       "f32-reciprocal",
       {Scale::sqrt_dim, 0, Axes::batch_first, std::nullopt},
       "transformers, modeling_gemma.py, GemmaRotaryEmbedding and apply_rotary_pos_emb",
       "Its embedding is multiplied by sqrt d, which is rounded to the type of the model first: in bf16 by up to 0.2 "
       "%.",
       {"gemma-1", "gemma-2"}},

      {"gemma-3-sliding",
       like("gemma"),
       "f32-reciprocal",
       {Scale::sqrt_dim, 0, Axes::batch_first, std::nullopt},
       "transformers, modeling_gemma3.py, Gemma3RotaryEmbedding of sliding_attention and apply_rotary_pos_emb",
       "Of five layers in six; the sixth has gemma-3-full. The base is rope_local_base_freq of its files.",
       {"gemma-3n-sliding"}},

      {"moonshine",
       like("glm", {{"part.share", 0.9}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_moonshine.py, MoonshineRotaryEmbedding and apply_rotary_pos_emb",
       "The share is that of its tiny model, 32 of 36 columns; the base model states 0.62, 32 of 52.",
       {},
       {},
       {"part.share"}},

      {"smollm3", like("rope-half", {{"ladder.base", 5e6}}), "f32-reciprocal", no_stage,
       "transformers, modeling_smollm3.py, SmolLM3RotaryEmbedding and apply_rotary_pos_emb",
       "A configuration without a base means 2e6. In every fourth layer nothing turns: a 1 in no_rope_layers says that "
       "a layer turns."},

      {"modernbert-full",
       like("rope-half", {{"ladder.base", 160000}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_modernbert.py, ModernBertRotaryEmbedding of full_attention and apply_rotary_pos_emb",
       "Of every third layer, the first one included; the others have modernbert-sliding, so the bare name answers "
       "with one of two. Ettin has this base in both kinds of layers. The turn is made in f32 and rounded once.",
       {"modernbert", "ettin", "ettin-full", "ettin-sliding"}},

      {"modernbert-sliding", like("rope-half"), "f32-reciprocal", no_stage,
       "transformers, modeling_modernbert.py, ModernBertRotaryEmbedding of sliding_attention and apply_rotary_pos_emb",
       "Of the layers that see a window, two of three; the others have modernbert-full."},

      {"llama4-text",
       like("rope-pair", {{"ladder.base", 500000}, {"stored", "complex"}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_llama4.py, Llama4TextRotaryEmbedding and apply_rotary_emb",
       "Unscaled; Scout's files scale it by llama3. In every fourth layer nothing turns, and queries may be scaled by "
       "their position. There q and k are widened to f32, multiplied as complex numbers and rounded once.",
       {},
       {},
       {"ladder.scaling"}},

      {"cohere2",
       like("cohere", {{"ladder.base", 10000}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_cohere2.py, Cohere2RotaryEmbedding and apply_rotary_pos_emb",
       "Of the layers that see a window; in those that see everything nothing turns. 10000 is the base of a "
       "configuration without one.",
       {},
       {},
       {"ladder.base"}},

      {"exaone-4",
       like("rope-half"),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_exaone4.py, Exaone4RotaryEmbedding and apply_rotary_pos_emb",
       "Of the layers that see a window; in those that see everything nothing turns. 10000 is the base of a "
       "configuration without one; files state a base and a scaling by llama3.",
       {},
       {},
       {"ladder.base", "ladder.scaling"}},

      {"helium", like("rope-pair", {{"ladder.base", 100000}}), "f32-reciprocal", no_stage,
       "transformers, modeling_helium.py, HeliumRotaryEmbedding and apply_rotary_pos_emb",
       "Adjacent pairs, though its table of cosines is written as two halves."},

      {"moshi",
       like("rope-half"),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_moshi.py and modeling_mimi.py, MoshiRotaryEmbedding, MimiRotaryEmbedding",
       "The weights of this port stand in another order than those of the first release, which has adjacent pairs.",
       {"mimi", "wav2vec2-conformer-rotary"}},

      {"rotary-embedding-torch", like("rope-pair"), "f32-reciprocal", no_stage,
       "rotary-embedding-torch, RotaryEmbedding and apply_rotary_emb",
       "Its frequencies may be learned. With interpolate_factor positions are divided; with use_xpos there is a "
       "decay."},

      {"xt-rotary", like("glm"), "f32-reciprocal", no_stage,
       "x-transformers, RotaryEmbedding and apply_rotary_pos_emb, the width as AttentionLayers makes it",
       "Half of a head turns unless rotary_emb_dim says otherwise. With interpolation_factor angles are divided; with "
       "rotary_xpos there is a decay."},

      {"kerashub-rope", like("rope-half"), "f32-power", no_stage,
       "keras-hub, layers/modeling/rotary_embedding.py, RotaryEmbedding of rope_type linear with scaling_factor 1",
       "Its frequencies are powers of the negative exponent, not inverses of powers. Cosines and sines are rounded to "
       "the type of the computation; this row is that of f32."},

      {"kerashub-dynamic",
       like("kerashub-rope", {{"ladder.scaling", "linear"}, {"ladder.scaling.factor", 4.088994243248622}}), "f32-power",
       no_stage, "keras-hub, layers/modeling/rotary_embedding.py, RotaryEmbedding of rope_type dynamic",
       "Of no length, unlike rope-dynamic, and no other base: every frequency is divided by s^(r / (r - 2)). The row "
       "states that of s = 4 for r = 128; a model has its own. There the divisor is a power in f32, here 4.0889945, a "
       "last place of it more: who states that has its bits."},

      {"mlx-rope", like("rope-half"), "f32-exp2", no_stage,
       "mlx, mlx/fast.cpp, rope of the CPU; python mlx.core.fast.rope and mlx.nn.RoPE",
       "traditional is adjacent pairs. scale multiplies the position: a linear scaling of 1 / scale. On the CPU the "
       "ladder is e^(-k RN(ln 10000 / n)) in f32, made as 2^RN(x log2 e), which leaves it up to 13 last places off; "
       "its exp, sines and cosines are polynomials that miss the nearest number by a last place in one of ten. They "
       "are rounded to the type of q, on Metal they are not."},

      {"onnx-rope", like("rope-half"), "f32-reciprocal", no_stage,
       "onnx, operator RotaryEmbedding-23 and its reference implementation",
       "The operator has no ladder, its inputs are the tables of cosines and sines: the row has those that "
       "transformers' models are exported with. interleaved = 1 is adjacent pairs, rotary_embedding_dim the part."},

      {"ggml-rope-normal",
       like("rope-pair"),
       "f32-iterated",
       no_stage,
       "ggml, ggml-cpu/ops.cpp, ggml_rope_ext of GGML_ROPE_TYPE_NORMAL",
       "Angles are products, each of the one before with base^(-2 / r), so they lose a rounding a pair. llama.cpp "
       "takes it for Llama and others whose rows it exchanges on conversion.",
       {"llama.cpp-normal"}},

      {"ggml-rope-neox",
       like("rope-half"),
       "f32-iterated",
       no_stage,
       "ggml, ggml-cpu/ops.cpp, ggml_rope_ext of GGML_ROPE_TYPE_NEOX",
       "ggml-rope-normal with split halves.",
       {"llama.cpp-neox"}},

      // ---- long contexts
      // ---------------------------------------------------------------------------------------------

      {"rope-linear",
       like("rope-half", {{"ladder.scaling", "linear"}, {"ladder.scaling.factor", 4}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_rope_utils.py, _compute_linear_scaling_rope_parameters",
       "Early versions divided the position instead. The factor is Vicuna 1.5 16k's; a model states its own.",
       {"vicuna-16k"},
       {},
       {"ladder.scaling.factor"}},

      {"gemma-3-full",
       like("rope-linear", {{"ladder.base", 1e6}, {"ladder.scaling.factor", 8}}),
       "f32-reciprocal",
       {Scale::sqrt_dim, 0, Axes::batch_first, std::nullopt},
       "transformers, modeling_gemma3.py, Gemma3RotaryEmbedding of full_attention and apply_rotary_pos_emb",
       "Of every sixth layer; the others have gemma-3-sliding, so the bare name answers with one of two. The factor is "
       "that of the models from 4B on; the 1B model and Gemma 3n have gemma-3n-full.",
       {"gemma-3"}},

      {"gemma-3n-full",
       like("rope-half", {{"ladder.base", 1e6}}),
       "f32-reciprocal",
       {Scale::sqrt_dim, 0, Axes::batch_first, std::nullopt},
       "transformers, modeling_gemma3.py, Gemma3RotaryEmbedding of full_attention, unscaled; modeling_gemma3n.py",
       "Of every fifth layer of Gemma 3n and every sixth of Gemma 3 1B; the others have gemma-3-sliding.",
       {"gemma-3n", "gemma-3-1b-full"}},

      {"rope-ntk", like("rope-pair", {{"ladder.scaling", "ntk"}, {"ladder.scaling.factor", 4}}), "f32-reciprocal",
       no_stage, "rotary-embedding-torch, RotaryEmbedding with theta_rescale_factor",
       "Of no length: a base that follows the length is dynamic_ntk."},

      {"rope-dynamic",
       like("rope-half",
            {{"ladder.scaling", "dynamic_ntk"}, {"ladder.scaling.factor", 4}, {"ladder.scaling.length", 4096}}),
       "f32-reciprocal", no_stage,
       "transformers, modeling_rope_utils.py, _compute_dynamic_ntk_parameters and dynamic_rope_update",
       "The ladder depends on the length of the sequence, which every call states: a cache that grows beyond 4096 "
       "tokens holds keys of several rotations, unless they are moved (rerotate). A model states factor and length."},

      {"rope-longrope",
       like("rope-half", {{"ladder.scaling", "longrope"},
                          {"ladder.scaling.short_factors", numbers(phi3_short)},
                          {"ladder.scaling.long_factors", numbers(phi3_long)},
                          {"ladder.scaling.length", 4096},
                          {"magnitude", "longrope"},
                          {"magnitude.factor", 32},
                          {"magnitude.length", 4096}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_rope_utils.py, _compute_longrope_parameters and dynamic_rope_update",
       "One list of divisors up to 4096 tokens, another beyond, so keys of a short conversation do not fit a long one "
       "unless they are moved (rerotate). The magnitude is that of both: 1.1902, or 1.4167 in scores. The lists are "
       "an example for heads of 96, near those of phi-3.5; a model states its own, and Phi-4-mini and Phi-4 multimodal "
       "turn 0.75 of a head.",
       {"phi-3", "phi-3-128k", "minicpm"},
       {},
       {"ladder.scaling", "magnitude"}},

      {"phi-3.5", like("rope-longrope", {{"ladder.scaling.short_factors", phi35_short()}}), "f32-reciprocal", no_stage,
       "transformers, modeling_phi3.py, Phi3RotaryEmbedding, with the lists of Phi-3.5-mini's file",
       "rope-longrope with the lists of its file, for heads of 96; 9 of the 48 frequencies of a short text are "
       "others."},

      {"xpos-lucid",
       like("rope-pair", {{"decay", "xpos"}, {"decay.floor", 0.4}, {"decay.period", 512}}),
       "f32-reciprocal",
       no_stage,
       "rotary-embedding-torch, RotaryEmbedding with use_xpos; x-transformers, RotaryEmbedding and "
       "apply_rotary_pos_emb",
       "A query is multiplied by z^((p - centre) / 512) and a key divided by it; scores depend on the distance alone, "
       "but cached keys on the centre, which every call states: floor(L / 2) here, ceil((L + offset) / 2) in "
       "torchscale. Under the recipe cosines are multiplied by the rounded power, as torchscale does; the two others "
       "multiply (x cos) by it, which is a rounding elsewhere.",
       {"xpos-torchscale"}},

      {"xpos-flash-attn", like("xpos-lucid", {{"pairing", "split_half"}}), "f32-reciprocal-decay-quotient", no_stage,
       "flash-attn, flash_attn/layers/rotary.py, RotaryEmbedding with scale_base",
       "xpos-lucid with split halves; the centre is floor(cached / 2), half of the longest sequence that it has seen. "
       "Keys have cosines over the power, not times its inverse."},

      {"rope-yarn",
       like("rope-half", {{"ladder.scaling", "yarn"},
                          {"ladder.scaling.factor", 16},
                          {"ladder.scaling.length", 4096},
                          {"ladder.scaling.fast", 32},
                          {"ladder.scaling.slow", 1},
                          {"ladder.scaling.truncate", "whole"},
                          {"magnitude", "yarn"},
                          {"magnitude.factor", 16},
                          {"magnitude.gain", 1},
                          {"magnitude.gain_all", 0}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_rope_utils.py, _compute_yarn_parameters",
       "Cosines and sines are multiplied by 1 + 0.1 ln 16, so scores by its square. Factor and length are those of "
       "Yarn Llama 2 64k; Qwen 2.5 states 4 and 32768 with base 1e6, the full layers of OLMo 3 and Ministral 3 theirs.",
       {"yarn-llama"},
       {},
       {"ladder.scaling.factor", "magnitude.factor"}},

      {"kerashub-yarn", like("rope-yarn", {{"ladder.scaling.factor", 4}, {"magnitude.factor", 4}}), "f32-reciprocal",
       no_stage, "keras-hub, layers/modeling/rotary_embedding.py, RotaryEmbedding of rope_type yarn",
       "transformers' YaRN since keras-hub 0.32. Below a factor of 1 its magnitude stays 1 + 0.1 ln s; with truncate "
       "False the ends of the blend are f32 there. The factor is an example, the other numbers are its defaults."},

      {"rope-llama3",
       like("rope-half", {{"ladder.base", 500000},
                          {"ladder.scaling", "llama3"},
                          {"ladder.scaling.factor", 8},
                          {"ladder.scaling.low", 1},
                          {"ladder.scaling.high", 4},
                          {"ladder.scaling.length", 8192}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_rope_utils.py, _compute_llama3_parameters",
       "Who reads the base and drops the scaling has 35 of 64 frequencies wrong. Llama 3.2 states the factor 32, "
       "Apertus the base 1.2e7; Llama 3 has the base and no scaling.",
       {"llama-3.1", "llama-3.3"}},

      {"rope-proportional",
       like("rope-half", {{"ladder.base", 1e6},
                          {"ladder.scaling", "proportional"},
                          {"ladder.scaling.factor", 1},
                          {"ladder.scaling.part", 0.25}}),
       "f32-reciprocal", no_stage, "transformers, modeling_rope_utils.py, _compute_proportional_rope_parameters",
       "A quarter of the pairs turn, but pairs are split over the whole head and the ladder runs over it: not a head "
       "of which a quarter turns. The layers of Gemma 4 that see everything."},

      {"rope-clipped",
       like("rope-half", {{"ladder.base", 500000}, {"ladder.scaling", "clipped"}, {"ladder.scaling.pairs", 20}}),
       "f32-reciprocal-fused",
       no_stage,
       "hrlics/CoPE, modeling_cope.py, LlamaRotaryEmbedding with use_cope",
       "Clipped RoPE, called CoPE by its authors: the slowest 20 of 64 pairs slow down further, by half a Hann window, "
       "and the last stands still. Not the contextual positions of the same name. Pull request 1387 of mlx-lm proposes "
       "it as a rope type, for the pairs whose period is longer than the first training's.",
       {"clipped-rope"},
       {},
       {"ladder.base", "ladder.scaling.pairs"}},

      {"gpt-oss",
       like("rope-yarn", {{"ladder.base", 150000},
                          {"ladder.scaling.factor", 32},
                          {"ladder.scaling.truncate", "none"},
                          {"magnitude.factor", 32}}),
       "f32-reciprocal", no_stage, "transformers, modeling_gpt_oss.py, GptOssRotaryEmbedding and apply_rotary_pos_emb",
       "The ends of the blend are not rounded to whole pairs, and the magnitude 1 + 0.1 ln 32 multiplies scores by its "
       "square, 1.813."},

      {"deepseek-v3",
       like("rope-yarn", {{"ladder.scaling.factor", 40},
                          {"pairing", "adjacent"},
                          {"written", "split_half"},
                          {"part", 64},
                          {"where", "last"},
                          {"magnitude.factor", 40},
                          {"magnitude.gain_all", 1}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_deepseek_v3.py, DeepseekV3RotaryEmbedding and apply_rotary_pos_emb_interleave",
       "The last 64 columns of a head turn; pairs are read adjacent and written as halves, so a cached key is not that "
       "of deepseek-v2. Both gains are 1, so the magnitude is 1; scores are multiplied by (1 + 0.1 ln 40)^2 instead. "
       "Kimi K2, GLM-5 (glm_moe_dsa) and LongCat turn so with a base and a scaling of their own, or none.",
       {"deepseek-r1"}},

      {"deepseek-v2",
       like("deepseek-v3", {{"written", "in_place"}, {"magnitude.gain", 0.707}, {"stored", "complex"}}),
       "f32-reciprocal",
       no_stage,
       "transformers, modeling_deepseek_v2.py, DeepseekV2RotaryEmbedding and apply_rotary_emb",
       "Gains are those of its old files: a magnitude of 0.921. V2-Lite states 0.707 twice, which is 1.",
       {},
       {},
       {"magnitude"}},
  };
}

}  // namespace posenc
