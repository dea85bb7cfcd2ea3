// SPDX-License-Identifier: Apache-2.0
// The presets: one row of data each.
#include <posenc/preset.h>

#include "src/encodings/text.h"

namespace posenc {

std::string_view to_string(Axes axes) {
  switch (axes) {
    case Axes::batch_first: return "batch_first";
    case Axes::sequence_first: return "sequence_first";
  }
  return "no axes";
}

namespace {

constexpr Geometric paper = {10000, 1, Spacing::over_width};
constexpr Geometric endpoint = {10000, 1, Spacing::over_gaps};
constexpr Geometric endpoint_or_one = {10000, 1, Spacing::over_gaps_or_one};

constexpr Timestep ddpm = {10000, 1, 1, Layout::sine_first};

std::vector<Preset> make_presets() {
  return {
      {"transformer",
       Sinusoid{paper, Layout::interleaved, OddWidth::refused},
       exact(),
       {Scale::sqrt_dim, 0.1, Axes::batch_first, std::nullopt},
       "Vaswani et al., Attention Is All You Need, 2017, sections 3.4, 3.5 and 5.4",
       "The paper gives the real-number formula, so its own arithmetic is exact. It names no odd width and no limit."},

      {"opennmt",
       Sinusoid{paper, Layout::interleaved, OddWidth::refused},
       *find_recipe("f32-exp"),
       {Scale::sqrt_dim, 0, Axes::sequence_first, 5000},
       "OpenNMT-py, onmt/modules/embeddings.py, PositionalEncoding (sequence-first releases)",
       "The module itself multiplies by sqrt d; the dropout probability is the caller's; odd widths raise an error."},

      {"pytorch-divide",
       Sinusoid{paper, Layout::interleaved, OddWidth::refused},
       *find_recipe("f32-divide"),
       {Scale::sqrt_dim, 0.1, Axes::batch_first, 5000},
       "PyTorch classes that form p / pow(10000, 2k / d) in f32",
       "The embedding layer multiplies by sqrt d. Odd widths fail there with a shape mismatch."},

      {"pytorch",
       Sinusoid{paper, Layout::interleaved, OddWidth::refused},
       *find_recipe("f32-exp"),
       {Scale::none, 0, Axes::batch_first, 5000},
       "The batch-first PositionalEncoding(d_model, max_len = 5000) of PyTorch tutorials",
       "Adds the table and nothing else: no scale, no dropout. Odd widths fail there with a shape mismatch."},

      {"tf-official",
       Sinusoid{endpoint, Layout::sine_first, OddWidth::short_row},
       *find_recipe("f32-exp-graph"),
       {Scale::sqrt_dim, 0.1, Axes::batch_first, std::nullopt},
       "TensorFlow models, official Transformer, get_position_encoding(length, hidden_size, 1.0, 1.0e4)",
       "An odd width gives one column less. One frequency (widths 2 and 3) divides by zero there; an error here."},

      {"tensor2tensor",
       Sinusoid{endpoint_or_one, Layout::sine_first, OddWidth::zero_column},
       *find_recipe("f32-exp-graph"),
       {Scale::sqrt_dim, 0.1, Axes::batch_first, std::nullopt},
       "tensor2tensor, layers/common_attention.py, get_timing_signal_1d",
       "An odd width gives a last column of zeros. min_timescale m is first = m, base = max / m: its timescales run "
       "from "
       "1 / m to max / m^2."},

      {"mae-1d",
       Sinusoid{paper, Layout::sine_first, OddWidth::refused},
       *find_recipe("f64"),
       {Scale::none, 0, Axes::batch_first, std::nullopt},
       "He et al., MAE, util/pos_embed.py, get_1d_sincos_pos_embed_from_grid",
       "Any list of positions; f64 throughout; odd widths fail an assertion."},

      {"tf-tutorial",
       Sinusoid{paper, Layout::interleaved, OddWidth::lone_sine},
       *find_recipe("f64-to-f32"),
       {Scale::sqrt_dim, 0.1, Axes::batch_first, std::nullopt},
       "TensorFlow tutorial, Transformer model for language understanding, positional_encoding",
       "f64 angles, cast to f32 at the end, leading axis of size 1. An odd width ends with a sine, its ladder over d "
       "itself."},

      {"mae-2d",
       Grid{paper, Layout::sine_first, AxisOrder::column_first},
       *find_recipe("f64"),
       {Scale::none, 0, Axes::batch_first, std::nullopt},
       "He et al., MAE, util/pos_embed.py, get_2d_sincos_pos_embed",
       "The half that the original calls h receives the column coordinate x: column first. Widths are multiples of 4."},

      {"whisper",
       Sinusoid{endpoint, Layout::sine_first, OddWidth::refused},
       *find_recipe("f64-to-f16"),
       {Scale::none, 0, Axes::batch_first, 1500},
       "Radford et al., Whisper, whisper/model.py, sinusoids (encoder), as stored in its released files",
       "Its files hold f64 values rounded to f32, then f16. The published code computes in f32: recipe f32-exp. Width "
       "2 "
       "divides by zero there; an error here. Whisper scales nothing and learns its decoder positions."},

      {"diffusers-timestep",
       ddpm,
       *find_recipe("f32-exp-quotient"),
       {Scale::none, 0, Axes::batch_first, std::nullopt},
       "diffusers, models/embeddings.py, get_timestep_embedding, with its defaults",
       "Most models state others: Stable Diffusion has shift 0 and cosine_first. An odd width gives a last column of "
       "zeros. Widths 2 and 3 are NaN there; an error here."},

      {"ddpm",
       ddpm,
       *find_recipe("f32-exp"),
       {Scale::none, 0, Axes::batch_first, std::nullopt},
       "Ho et al., Denoising Diffusion Probabilistic Models, 2020, diffusion_tf/nn.py, get_timestep_embedding",
       "The same real numbers as diffusers-timestep, rounded otherwise. Widths 2 and 3 divide by zero there; an error "
       "here."},

      {"rope-half",
       Rotary{paper, Pairing::split_half},
       *find_recipe("f32-reciprocal"),
       {Scale::none, 0, Axes::batch_first, std::nullopt},
       "Hugging Face transformers, modeling_llama.py, LlamaRotaryEmbedding and apply_rotary_pos_emb (rotate_half)",
       "Also GPT-NeoX, Mistral, Qwen. There cosine and sine, products and sums are rounded to the type of q and k. "
       "Weights trained with adjacent pairs need their rows exchanged: 2k becomes k, 2k + 1 becomes k + r / 2."},

      {"rope-pair",
       Rotary{paper, Pairing::adjacent},
       *find_recipe("f32-reciprocal"),
       {Scale::none, 0, Axes::batch_first, std::nullopt},
       "Meta, llama/model.py, precompute_freqs_cis and apply_rotary_emb; Su et al., RoFormer, 2021, equation 34",
       "Also GPT-J, which rotates the first 64 columns of a head. There q and k are widened to f32, multiplied as "
       "complex numbers and rounded once."},

      {"alibi",
       Bias{8},
       exact(),
       {Scale::none, 0, Axes::batch_first, std::nullopt},
       "Press et al., Train Short, Test Long: Attention with Linear Biases, 2022; its released code, get_slopes",
       "Any number of heads. Its slopes are made in f64 and its biases rounded twice, to f32: the slope, then the "
       "product. "
       "BLOOM and MPT add slope j and slope (j - (S - 1)) for key j: the same but for a number that a query has in "
       "common for all keys, which softmax does not see."},
  };
}

const std::vector<Preset>& all_presets() {
  static const std::vector<Preset> all = make_presets();
  return all;
}

}  // namespace

std::span<const Preset> presets() { return all_presets(); }

const Preset* find_preset(std::string_view name) {
  for (const Preset& preset : all_presets()) {
    if (preset.name == name) return &preset;
  }
  return nullptr;
}

std::optional<Problem> check_preset(std::string_view name) {
  if (find_preset(name) != nullptr) return std::nullopt;
  return Problem{"preset",
                 "name must be one of " + listed(all_presets(), [](const Preset& p) { return std::string(p.name); }),
                 "'" + std::string(name) + "'"};
}

}  // namespace posenc
