// SPDX-License-Identifier: Apache-2.0
// The presets that are rows of waves: one axis, grids, timesteps: one row of data each.
#include "src/conventions/presets.h"

namespace posenc {
namespace {

constexpr Geometric endpoint = {10000, 1, Spacing::over_gaps};

}  // namespace

std::vector<PresetRow> wave_rows() {
  return {
      {"transformer",
       Sinusoid{paper, Layout::interleaved, OddWidth::refused},
       "exact",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, std::nullopt},
       "Vaswani et al., Attention Is All You Need, 2017, sections 3.4, 3.5 and 5.4",
       "The paper gives the real-number formula, so its own arithmetic is exact. It names no odd width and no limit.",
       {"sin-interleaved"}},

      {"opennmt",
       like("transformer"),
       "f32-exp",
       {Scale::sqrt_dim, 0, Axes::sequence_first, 5000},
       "OpenNMT-py, onmt/modules/embeddings.py, PositionalEncoding (sequence-first releases)",
       "The module itself multiplies by sqrt d; the dropout probability is the caller's; odd widths raise an error.",
       {"onmt-interleaved"}},

      {"nemo-fixed",
       like("transformer", {{"layout", "sine_first"}, {"scale", "one_over_sqrt_d"}}),
       "f32-exp",
       no_stage,
       "NeMo, FixedPositionalEncoding; transformers, modeling_canary.py, CanaryPositionalEmbedding",
       "Every entry is divided by sqrt d. Published as the end point of base 10000^((d - 2) / d), which is the paper's "
       "ladder. Width 2 divides by zero there; an odd width is an error.",
       {"canary"}},

      {"pytorch-divide",
       like("transformer"),
       "f32-divide",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, 5000},
       "PyTorch classes that form p / pow(10000, 2k / d) in f32",
       "The embedding layer multiplies by sqrt d. Odd widths fail there with a shape mismatch."},

      {"pytorch",
       like("transformer"),
       "f32-exp",
       {Scale::none, 0, Axes::batch_first, 5000},
       "The batch-first PositionalEncoding(d_model, max_len = 5000) of PyTorch tutorials",
       "Adds the table and nothing else: no scale, no dropout. Odd widths fail there with a shape mismatch."},

      {"annotated-transformer",
       like("pytorch"),
       "f32-exp",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, 5000},
       "harvardnlp, The Annotated Transformer, PositionalEncoding",
       "Its Embeddings multiply by sqrt d. Odd widths fail there with a shape mismatch."},

      {"torch-examples",
       like("pytorch"),
       "f32-exp",
       {Scale::sqrt_dim, 0.1, Axes::sequence_first, 5000},
       "pytorch/examples, word_language_model/model.py, PositionalEncoding",
       "The model multiplies its embedding by sqrt d. Odd widths fail there with a shape mismatch."},

      {"tf-official",
       Sinusoid{endpoint, Layout::sine_first, OddWidth::short_row},
       "f32-exp-graph",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, std::nullopt},
       "TensorFlow models, official Transformer, get_position_encoding(length, hidden_size, 1.0, 1.0e4)",
       "An odd width gives one column less. One frequency (widths 2 and 3) divides by zero there; an error here.",
       {"tf-official-timescales"}},

      {"tensor2tensor",
       like("tf-official", {{"ladder.spacing", "over_gaps_or_one"}, {"odd_width", "zero_column"}}),
       "f32-exp-graph",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, std::nullopt},
       "tensor2tensor, layers/common_attention.py, get_timing_signal_1d",
       "An odd width gives a last column of zeros. min_timescale m is first = m, base = max / m: its timescales run "
       "from 1 / m to max / m^2.",
       {"t2t-timing-1d"}},

      {"mlx-sinusoidal",
       like("tensor2tensor", {{"layout", "sine_first"}, {"odd_width", "refused"}, {"scale", "sqrt_2_over_d"}}),
       "f32-exp-blend",
       no_stage,
       "mlx, nn/layers/positional_encoding.py, SinusoidalPositionalEncoding",
       "Every entry is multiplied by sqrt(2 / d), unless a scale is stated, so rows have length 1. cos_first is layout "
       "= cosine_first; full_turns ladder.unit = turns; min_freq and max_freq are max_freq / base and ladder.first.",
       {"mlx"}},

      {"espnet-abs",
       like("pytorch"),
       "f32-exp",
       {Scale::sqrt_dim, 0, Axes::batch_first, std::nullopt},
       "espnet, espnet/nets/pytorch_backend/transformer/embedding.py, PositionalEncoding",
       "The module itself multiplies by sqrt d; the dropout probability is the caller's. With its argument reverse the "
       "first row is that of the last position of the table, 4999 unless it grew."},

      {"burn-sinusoids",
       like("pytorch"),
       "f32-exp-graph",
       {Scale::none, 0, Axes::batch_first, 5000},
       "burn, crates/burn-nn/src/modules/pos_encoding.rs, generate_sinusoids",
       "The constant of the ladder is formed in f32, unlike PyTorch's. Odd widths panic there."},

      {"diffusers-sin1d",
       like("pytorch"),
       "f32-exp",
       {Scale::none, 0, Axes::batch_first, 32},
       "diffusers, models/embeddings.py, SinusoidalPositionalEmbedding",
       "Adds the table and nothing else, of 32 rows unless it is told a length. Odd widths fail there with a shape "
       "mismatch."},

      {"espnet-rel",
       like("pytorch"),
       "f32-exp",
       {Scale::sqrt_dim, 0, Axes::batch_first, std::nullopt},
       "transformers, FastSpeech2ConformerRelPositionalEncoding and Wav2Vec2ConformerRelPositionalEmbedding, after "
       "ESPnet, RelPositionalEncoding",
       "Its rows are of distances, and fall from L - 1 to -(L - 1) for a sequence of L: the numbering is the caller's. "
       "The sequence is multiplied by sqrt d in ESPnet and FastSpeech2, not in Wav2Vec2.",
       {"conformer-rel", "fastspeech2-conformer", "wav2vec2-conformer", "seamless-conformer", "conformer"}},

      {"xlm",
       like("transformer", {{"odd_width", "lone_sine"}}),
       "f64-divide-to-f32",
       {Scale::none, 0.1, Axes::batch_first, 512},
       "transformers, modeling_xlm.py, create_sinusoidal_embeddings",
       "Used where the configuration asks for it (sinusoidal_embeddings, in DistilBERT sinusoidal_pos_embds); in files "
       "of XLM, FlauBERT and DistilBERT that say false the rows are learned."},

      {"florence2-temporal",
       like("transformer", {{"ladder.spacing.over", "pairs"}}),
       "f32-exp",
       {Scale::none, 0, Axes::batch_first, 100},
       "transformers, modeling_florence2.py, Florence2VisionPositionalEmbeddingCosine1D",
       "Its position is the frame of a video. The table is a buffer of the checkpoint, which may hold it in f16."},

      {"positional-encodings-1d",
       like("florence2-temporal", {{"odd_width", "lone_sine"}}),
       "f32-reciprocal",
       no_stage,
       "positional-encodings, torch_encodings.py, PositionalEncoding1D",
       "An odd width d is a row of width d + 1 without its last cosine: its ladder is that of d + 1.",
       {"posenc-1d"}},

      {"mae-1d",
       like("transformer", {{"layout", "sine_first"}}),
       "f64",
       no_stage,
       "He et al., MAE, util/pos_embed.py, get_1d_sincos_pos_embed_from_grid",
       "Any list of positions; f64 throughout; odd widths fail an assertion. Latte has it over frames, beside "
       "diffusers-2d over patches.",
       {"latte"}},

      {"bros-1d", like("mae-1d"), "f32-reciprocal", no_stage,
       "transformers, modeling_bros.py, BrosPositionalEmbedding1D",
       "Its position is a coordinate of a box on the page, times 100 (bbox_scale), and may be a fraction."},

      {"xl-sinusoid",
       like("mae-1d"),
       "f32-reciprocal",
       {Scale::none, 0.1, Axes::sequence_first, std::nullopt},
       "transformers, modeling_xlnet.py, relative_positional_encoding and positional_embedding",
       "Its rows are of distances, and fall from the number of keys to minus the number of queries: the numbering is "
       "the caller's.",
       {"transformer-xl", "xlnet", "funnel"}},

      {"marian-native",
       like("mae-1d", {{"ladder.spacing.shift", 1}, {"odd_width", "repeated_cosine"}}),
       "f32-exp-graph",
       {Scale::sqrt_dim, 0, Axes::sequence_first, std::nullopt},
       "Marian, src/tensors/cpu/tensor_operators.cpp, SinusoidalPositionEmbeddings",
       "An odd width d has (d - 1) / 2 frequencies of a ladder over d / 2 - 1, a fraction, and its last column repeats "
       "the first cosine. Width 2 divides by zero there; an error here."},

      {"ct2-marian",
       like("mae-1d"),
       "f64-divide",
       {Scale::sqrt_dim, 0, Axes::batch_first, 2048},
       "ctranslate2, converters/marian.py, _make_sinusoidal_position_encodings",
       "Not the table of Marian itself, whose ladder includes its end point. The converted model stores it rounded to "
       "the type of its weights, and odd widths fail."},

      {"marian-hf",
       like("mae-1d", {{"odd_width", "lone_sine"}}),
       "f64-divide-to-f32",
       {Scale::none, 0.1, Axes::batch_first, 1024},
       "transformers, modeling_marian.py, MarianSinusoidalPositionalEmbedding.create_weight",
       "Not the table of Marian itself, whose ladder includes its end point. Configurations of the released models "
       "scale embeddings by sqrt d (scale_embedding), which is not the default.",
       {"pegasus", "informer", "autoformer", "time-series-transformer", "marian", "opus-mt"}},

      {"tf-tutorial",
       like("transformer", {{"odd_width", "lone_sine"}}),
       "f64-to-f32",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, std::nullopt},
       "TensorFlow tutorial, Transformer model for language understanding, positional_encoding",
       "f64 angles, cast to f32 at the end, leading axis of size 1. An odd width ends with a sine, its ladder over d "
       "itself."},

      {"mae-2d",
       Grid{paper, Layout::sine_first, AxisOrder::column_first},
       "f64",
       no_stage,
       "He et al., MAE, util/pos_embed.py, get_2d_sincos_pos_embed",
       "The half that the original calls h receives the column coordinate x: column first. Widths are multiples of 4.",
       {"vit-mae", "mae", "ijepa", "i-jepa"}},

      {"diffusers-2d",
       like("mae-2d"),
       "f64",
       no_stage,
       "diffusers, models/embeddings.py, get_2d_sincos_pos_embed",
       "Coordinates are not cells: line i of n is at i 16 / n, or base_size for 16, over interpolation_scale, in f32. "
       "Stable Diffusion 3 cuts the centre of its largest grid. Widths are multiples of 4.",
       {"dit", "pixart", "sd3-patches"},
       of_16,
       {"places.gain"}},

      {"d-fine-2d",
       like("mae-2d", {{"axes", "y,x"}}),
       "f64-to-f32",
       no_stage,
       "transformers, models/d_fine/modeling_d_fine.py, build_2d_sinusoidal_position_embedding",
       "Row first: the first half of a row holds the line y. The same function under vit_mae exchanges the halves "
       "afterwards: mae-2d. Another dtype than f32 is rounded from f64 at once.",
       {"rt-detr", "rt-detr-v2", "deimv2"}},

      {"timm-2d", like("d-fine-2d", {{"scope", "row"}}), "f32-reciprocal", no_stage,
       "timm, layers/pos_embed_sincos.py, build_sincos2d_pos_embed",
       "Sines of both coordinates, then cosines of both. Its reverse_coord exchanges the order of the tokens with that "
       "of the coordinates: on a grid that is not square the rows belong to other cells."},

      {"timm-2d-interleaved", like("d-fine-2d"), "f32-reciprocal", no_stage,
       "timm, layers/pos_embed_sincos.py, build_sincos2d_pos_embed with interleave_sin_cos",
       "In spite of its name no pair is interleaved: sines and cosines of y stand in blocks, then those of x."},

      {"mocov3-2d", like("d-fine-2d"), "f32-reciprocal", no_stage,
       "Chen et al., MoCo v3, vits.py, VisionTransformerMoCo.build_2d_sincos_position_embedding",
       "Its grid is flattened with the width as the slow index. Square grids are row first; of height x width cells "
       "its table is that of a grid of width x height. A class token has a row of zeros."},

      {"bigvision-2d", like("mae-2d", {{"ladder.spacing", "over_gaps"}}), "f32-reciprocal", no_stage,
       "Google Research, big_vision, models/vit.py, posemb_sincos_2d",
       "Column first as mae-2d, but the ladder includes its end point. Width 4 divides by zero there; an error here."},

      {"t2t-nd", like("d-fine-2d", {{"ladder.spacing", "over_gaps"}, {"rest", "zero_columns"}}), "f32-exp-graph",
       no_stage, "tensor2tensor, layers/common_attention.py, add_timing_signal_nd",
       "Axes in the order of the tensor; videos are axes=t,y,x. Columns that axes cannot share stay zero. One "
       "frequency an axis divides by zero there, unlike in get_timing_signal_1d; an error here."},

      {"positional-encodings-2d",
       like("d-fine-2d", {{"ladder.spacing.over", "pairs"},
                          {"layout", "interleaved"},
                          {"sections", "equal_up"},
                          {"rest", "truncated"}}),
       "f32-reciprocal",
       no_stage,
       "positional-encodings, torch_encodings.py, PositionalEncoding2D",
       "The axis of the tensor that it calls x comes first: of images [B, H, W, d] that is the line y. The width of an "
       "axis is rounded up to an even one and the row is cut, so x loses columns. Width 1 is an error here.",
       {"posenc-2d"}},

      {"positional-encodings-3d",
       like("positional-encodings-2d", {{"axes", "z,y,x"}}),
       "f32-reciprocal",
       no_stage,
       "positional-encodings, torch_encodings.py, PositionalEncoding3D",
       "Axes in the order of the tensor [B, D, H, W, d]; the last loses columns, all of them at widths 2 and 4. Width "
       "1 is an error here.",
       {"posenc-3d"}},

      {"diffusers-3d",
       like("mae-2d", {{"axes", "t,x,y"},
                       {"sections", "shares"},
                       {"sections.shares", "2,3,3"},
                       {"sections.of", 8},
                       {"sections.rest", "t"}}),
       "f64",
       no_stage,
       "diffusers, models/embeddings.py, get_3d_sincos_pos_embed",
       "A quarter of a row is the frame, the rest the column and the line, column first. Widths are multiples of 16 "
       "there. Models divide the coordinates of cells by 1.875 and more: interpolation scales.",
       {"cogvideox-sincos"}},

      {"whisper",
       like("mae-1d", {{"ladder.spacing", "over_gaps"}}),
       "f64-to-f16",
       {Scale::none, 0, Axes::batch_first, 1500},
       "Radford et al., Whisper, whisper/model.py, sinusoids (encoder), as stored in its released files",
       "Its files hold f64 values rounded to f32, then f16. The published code computes in f32: recipe f32-exp. Width "
       "2 divides by zero there; an error here. Whisper scales nothing and learns its decoder positions.",
       {"whisper-sinusoids"}},

      {"onmt-concat",
       like("whisper"),
       "f32-exp",
       {Scale::sqrt_dim, 0, Axes::sequence_first, 5000},
       "OpenNMT-py, onmt/modules/embeddings.py, PositionalEncoding with SinusoidalConcat",
       "The module itself multiplies by sqrt d, like that of the preset opennmt; odd widths raise an error, width 2 "
       "divides by zero there and is an error here."},

      {"whisper-published",
       like("whisper"),
       "f32-exp",
       {Scale::none, 0, Axes::batch_first, 1500},
       "transformers, modeling_whisper.py, sinusoids; openai-whisper, whisper/model.py, sinusoids",
       "What the code computes; released files hold the numbers of the preset whisper. Width 2 divides by zero there; "
       "an error here.",
       {"sin-concat-endpoint", "qwen-audio", "qwen2-audio", "omni-audio"}},

      {"pegasus-x",
       like("whisper"),
       "f32-exp",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, std::nullopt},
       "transformers, modeling_pegasus_x.py, PegasusXSinusoidalPositionalEmbedding",
       "Not the ladder of Pegasus: it includes its end point. In a model of 16 bits the ladder and the angles are "
       "rounded to that type, so that far positions lose their digits."},

      {"paddle-transformer",
       like("tensor2tensor", {{"ladder.spacing", "over_gaps"}}),
       "f64-exp-to-f32",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, std::nullopt},
       "paddlenlp, transformers/transformer/modeling.py, position_encoding_init",
       "Checkpoints hold the table; those of old Paddle releases may hold another, of frequencies that grow."},

      {"tipsv2-text",
       like("tensor2tensor", {{"ladder.spacing", "over_gaps"}}),
       "f32-exp",
       {Scale::sqrt_dim, 0, Axes::batch_first, 64},
       "transformers, modeling_tipsv2.py, Tipsv2SinusoidalPositionalEmbedding.get_embedding",
       "The class knows a padding row of zeros and is built without one. Widths 2 and 3 divide by zero there; an error "
       "here."},

      {"musicgen",
       like("tensor2tensor", {{"ladder.spacing", "over_gaps"}, {"layout", "cosine_first"}}),
       "f32-exp",
       {Scale::none, 0.1, Axes::batch_first, std::nullopt},
       "transformers, MusicgenSinusoidalPositionalEmbedding.get_embedding",
       "The table grows with the text. Widths 2 and 3 divide by zero there; an error here.",
       {"musicgen-melody"}},

      {"fairseq-sinusoidal",
       like("tipsv2-text", {{"absent", "zero_row"}}),
       "f32-exp",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, 1024},
       "fairseq, modules/sinusoidal_positional_embedding.py, SinusoidalPositionalEmbedding",
       "Present tokens count from padding_id + 1, so with padding_id 1 the first one has position 2: "
       "positions_of_ids({padding_id + 1, padding_id}). The row of padding is zero. Widths 2 and 3 divide by zero "
       "there; an error here."},

      {"fsmt",
       like("fairseq-sinusoidal"),
       "f32-exp",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, 1024},
       "transformers, modeling_fsmt.py, SinusoidalPositionalEmbedding.get_embedding",
       "Numbering of fairseq-sinusoidal; a decoding step adds the number of tokens before it to padding_id + 1.",
       {"wmt19"}},

      {"hf-fairseq-offset2",
       like("fairseq-sinusoidal"),
       "f32-exp",
       {Scale::sqrt_dim, 0.1, Axes::batch_first, 1024},
       "transformers, modeling_m2m_100.py, M2M100SinusoidalPositionalEmbedding.get_embedding, and eight copies",
       "Numbering of fairseq-sinusoidal, padding_id 1; the table has two rows more than its positions. XGLM counts "
       "pads as well, from 2; SeamlessM4T's padding_id is 0. TrOCR has it where its positions are not learned.",
       {"m2m-100", "nllb", "nllb-moe", "xglm", "speech-to-text", "seamless-m4t", "trocr", "kosmos2", "kosmos2.5",
        "speech2text", "seamlessm4t"}},

      {"esm-1",
       like("fairseq-sinusoidal"),
       "f32-exp",
       no_stage,
       "fair-esm, esm/modules.py, SinusoidalPositionalEmbedding",
       "Every place counts from padding_id + 1, pads as well: tokens to the right of padding have other positions than "
       "in fairseq. The row of padding is zero.",
       {"esm-1-sinusoidal"}},

      {"fun-asr",
       like("whisper"),
       "f32-exp",
       {Scale::sqrt_dim, 0, Axes::batch_first, std::nullopt},
       "transformers, modeling_fun_asr_nano.py, FunAsrNanoPositionEmbedding",
       "Positions count from 1: the row of place 0 is that of position 1. Width 2 divides by zero there; an error "
       "here.",
       {"funasr"}},

      {"ct2-native",
       like("tf-official"),
       "f32-exp-graph",
       {Scale::sqrt_dim, 0, Axes::batch_first, std::nullopt},
       "CTranslate2, src/layers/common.cc, SinusoidalPositionEncoder",
       "The encoder that CTranslate2 computes where a model states none, as for OpenNMT-tf: positions count from 1. "
       "Width 2 divides by zero there; an error here.",
       {"opennmt-tf"}},

      {"timesfm", like("tensor2tensor", {{"odd_width", "zero_row"}}), "f32-exp", no_stage,
       "transformers, modeling_timesfm.py, TimesFmPositionalEmbedding",
       "Meant as tensor2tensor's; an odd width pads the wrong axis there, which adds a row of zeros and leaves the "
       "table a column short: an error here."},

      {"gemma3n-audio-rel",
       like("tensor2tensor", {{"odd_width", "short_row"}}),
       "f32-exp",
       no_stage,
       "transformers, modeling_gemma3n.py, Gemma3nAudioRelativePositionEmbedding",
       "Its rows are of distances, and fall from the keys to the left of a block to minus those to its right: the "
       "numbering is the caller's.",
       {"gemma4-audio"}},

      {"espnet-rel-legacy",
       like("espnet-rel"),
       "f32-exp",
       {Scale::sqrt_dim, 0, Axes::batch_first, std::nullopt},
       "espnet, espnet/nets/pytorch_backend/transformer/embedding.py, LegacyRelPositionalEncoding",
       "Positions fall from L - 1 to 0, not on to -(L - 1): the numbering is the caller's."},

      {"parakeet-rel",
       like("espnet-rel"),
       "f32-reciprocal",
       {Scale::none, 0, Axes::batch_first, 5000},
       "transformers, modeling_parakeet.py, ParakeetEncoderRelPositionalEncoding",
       "Its rows are of distances, and fall from L - 1 to -(L - 1): the numbering is the caller's. Input is multiplied "
       "by sqrt d where a configuration says scale_input."},

      {"videoprism-text",
       like("mae-1d"),
       "f32-reciprocal",
       {Scale::sqrt_dim, 0, Axes::batch_first, 64},
       "transformers, modeling_videoprism.py, create_sinusoidal_positions",
       "A buffer of the checkpoint. An earlier port divided exponents by d - 2: ladder.spacing.over = stated with that "
       "width.",
       {"videoprism"}},

      {"kerashub-sine", like("tf-tutorial"), "f32-power", no_stage,
       "keras-hub, layers/modeling/sine_position_encoding.py, SinePositionEncoding",
       "Powers of RN(1 / 10000), all in the type that the layer computes in: in 16 bits far positions lose their "
       "digits."},

      {"zero-row-origin",
       like("transformer", {{"absent", "zero_row"}}),
       "f64-divide-to-f32",
       {Scale::none, 0.1, Axes::batch_first, std::nullopt},
       "attention-is-all-you-need-pytorch, its position table with a padding row, and forks",
       "Row 0 of its table is zero and stands for padding; present tokens count from 1: positions_of_mask({1, 0})."},

      {"diffusers-timestep", Timestep{10000, 1, 1, Layout::sine_first}, "f32-exp-quotient", no_stage,
       "diffusers, models/embeddings.py, get_timestep_embedding, with its defaults",
       "Most models state others: Stable Diffusion has shift 0 and cosine_first. An odd width gives a last column of "
       "zeros. Widths 2 and 3 are NaN there; an error here."},

      {"ddpm",
       like("diffusers-timestep"),
       "f32-exp",
       no_stage,
       "Ho et al., Denoising Diffusion Probabilistic Models, 2020, diffusion_tf/nn.py, get_timestep_embedding",
       "The same real numbers as diffusers-timestep, rounded otherwise. Widths 2 and 3 divide by zero there; an error "
       "here.",
       {"ddpm-tf"}},

      {"stable-diffusion-timestep",
       Timestep{10000, 0, 1, Layout::cosine_first},
       "f32-exp-quotient",
       no_stage,
       "diffusers, models/embeddings.py, get_timestep_embedding with flip_sin_to_cos and downscale_freq_shift 0",
       "Flux, Stable Diffusion 3 and Wan take steps from 0 to 1000: where their code says 0 to 1, it multiplies first. "
       "Wan's own code computes in f64.",
       {"guided-diffusion", "ggml-timestep", "flux", "sd3", "wan", "stable-diffusion", "sdxl"}},

      {"dit-label", like("stable-diffusion-timestep", {{"ladder.spacing.shift", 1}}), "f32-exp-quotient", no_stage,
       "diffusers, models/embeddings.py, CombinedTimestepLabelEmbeddings, its time_proj",
       "The published DiT has shift 0, as stable-diffusion-timestep; this port has the end point."},

      {"ernie-image-timestep", like("stable-diffusion-timestep", {{"layout", "sine_first"}}), "f32-exp-quotient",
       no_stage, "diffusers, models/transformers/transformer_ernie_image.py, its time_proj",
       "Sines stand first, where most other models with shift 0 have cosines first."},

      {"aura-flow-timestep", like("stable-diffusion-timestep", {{"angle_factor", 1000}}), "f32-exp-quotient", no_stage,
       "diffusers, models/transformers/auraflow_transformer_2d.py, its time_step_embed",
       "Steps are from 0 to 1, and the angle is multiplied by 1000 after its rounding."},

      {"omni-dit-timestep", like("diffusers-timestep", {{"angle_factor", 1000}, {"odd_width", "short_row"}}),
       "f32-exp-scaled-position", no_stage, "transformers, modeling_qwen2_5_omni.py, SinusPositionEmbedding",
       "Steps are from 0 to 1, and multiplied by 1000 before the angle is. An odd width gives one column less. Widths "
       "2 and 3 divide by zero there; an error here."},

      {"kerashub-flux-timestep", like("aura-flow-timestep"), "f32-exp-quotient-scaled-position", no_stage,
       "keras-hub, models/flux/flux_maths.py, TimestepEmbedding",
       "Steps are from 0 to 1, and multiplied by 1000 before the angle is, in the type of the steps."},

      {"vibevoice-timestep", like("stable-diffusion-timestep", {{"odd_width", "short_row"}}), "f32-exp-quotient",
       no_stage, "transformers, modeling_vibevoice.py, VibeVoiceDiffusionHeadSinusoidalEmbedding",
       "The numbers of stable-diffusion-timestep, but an odd width gives one column less."},

      {"qwenimage-timestep", like("aura-flow-timestep"), "f32-exp-quotient", no_stage,
       "diffusers, models/transformers/transformer_qwenimage.py, get_timestep_embedding",
       "Steps are from 0 to 1. The ladder is rounded to the type of the steps: in bf16 its frequencies are other "
       "numbers; the recipe is that of f32."},
  };
}

}  // namespace posenc
