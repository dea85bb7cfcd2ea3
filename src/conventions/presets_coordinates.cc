// SPDX-License-Identifier: Apache-2.0
// The presets of waves at coordinates that no grid numbers, of listed frequencies and of learned scales: one row of
// data each. Notes state a numbering by its fields: x_i = ((i + first) / divisor) gain + shift, eps added to the
// divisor.
#include "src/conventions/presets.h"

namespace posenc {
namespace {

// An example: a checkpoint states its own.
constexpr double example_frequencies[] = {0.5, -1.25, 0.8125, 2};

}  // namespace

std::vector<PresetRow> coordinate_rows() {
  return {
      {"speecht5",
       like("transformer", {{"scale", "learned"}, {"scale.initial", 1}}),
       "f32-exp",
       {Scale::none, 0.1, Axes::batch_first, 5000},
       "transformers, modeling_speecht5.py, SpeechT5ScaledPositionalEncoding",
       "The table is multiplied by a number of the checkpoint, alpha: Context.learned.",
       {"speecht5-scaled"}},

      {"xt-scaled-sinusoid", like("mae-1d", {{"scale", "learned"}, {"scale.initial", 0.044194173824159216}}),
       "f32-power", no_stage, "x-transformers, x_transformers.py, ScaledSinusoidalEmbedding",
       "The table is multiplied by a number of the checkpoint, Context.learned. It starts at 1 / sqrt d; the row "
       "states that of width 512."},

      {"double-exponent-legacy", like("transformer", {{"ladder.spacing.over", "columns"}}), "f64-divide-to-f32",
       no_stage, "Old forks of attention-is-all-you-need-pytorch: power(10000, 2 * i / d) with i the column",
       "Meant as the paper's: the column stands where its half should, so sine and cosine of a pair have frequencies "
       "of their own, down to 10000^-2."},

      {"paddle-fluid-bug",
       like("whisper", {{"ladder", "runaway"},
                        {"ladder.unit", "radians"},
                        {"ladder.base", 10000},
                        {"ladder.spacing", "over_gaps"}}),
       "f64-exp-to-f32", no_stage,
       "Historical PaddlePaddle models, position_encoding_init: exp(arange(n)) * -increment",
       "A parenthesis stands wrong: w_k is -r e^k, r = ln 10000 / (n - 1), and grows without bound. Checkpoints that "
       "were trained with it need it. paddle-transformer is what was meant."},

      {"detr-sine",
       like("mae-2d", {{"axes", "y,x"}, {"layout", "interleaved"}}),
       "f32-divide",
       no_stage,
       "transformers, modeling_detr.py, DetrSinePositionEmbedding, and six copies",
       "Coordinates are numbered from 1 to 2 pi: first 1, divisor last, eps 1e-6, gain 2 pi; without normalize they "
       "are 1, 2, ... Padded lines and columns do not count.",
       {"detr", "maskformer", "mask2former", "conditional-detr", "table-transformer", "oneformer", "sam2-image",
        "sam3-image"},
       to_2_pi},

      {"grounding-dino-sine",
       like("detr-sine", {{"ladder.base", 20}}),
       "f32-divide",
       no_stage,
       "transformers, modeling_grounding_dino.py, GroundingDinoSinePositionEmbedding",
       "Base 20 in its configurations (positional_embedding_temperature), not 10000; numbering of detr-sine. DINO's "
       "detector "
       "states the same as pe_temperatureH and pe_temperatureW.",
       {"dino-detr"},
       to_2_pi},

      {"deformable-detr-sine",
       like("detr-sine"),
       "f32-divide",
       no_stage,
       "transformers, modeling_deformable_detr.py, DeformableDetrSinePositionEmbedding",
       "Centres of cells over the number of cells: first 0.5, divisor count, eps 1e-6, gain 2 pi. On a map of 25 x 34 "
       "entries differ from detr-sine by up to 0.13.",
       {"deformable-detr"},
       centres_to_2_pi},

      {"dab-detr-image",
       like("detr-sine", {{"ladder.base", 20}, {"ladder.unit", "turns"}}),
       "f32-divide-unit-position",
       no_stage,
       "transformers, modeling_dab_detr.py, DabDetrSinePositionEmbedding",
       "Coordinates are turns: first 1, divisor last, eps 1e-6. A configuration states a base for each axis "
       "(temperature_height, temperature_width), 20 both by default.",
       {},
       to_one_turn},

      {"dab-detr-anchor", like("detr-sine", {{"axes", "y,x,w,h"}, {"ladder.unit", "turns"}}),
       "f32-divide-unit-position", no_stage, "transformers, modeling_dab_detr.py, encode_sinusoidal_position_embedding",
       "Anchors from 0 to 1 are passed there as x, y, w, h; y comes first in a row. Base 10000, unlike its image's."},

      {"bros-2d", like("mae-2d", {{"axes", "x0,y0,x1,y1,x2,y2,x3,y3"}}), "f32-reciprocal", no_stage,
       "transformers, modeling_bros.py, BrosPositionalEmbedding2D",
       "The four corners of a box on the page, clockwise from the left upper one, times 100 (bbox_scale)."},

      {"nerf",
       like("mae-2d", {{"axes", "x,y,z"},
                       {"ladder.base", 2},
                       {"ladder.slope", "rising"},
                       {"ladder.spacing.over", "one"},
                       {"order", "rung_major"},
                       {"scope", "period"},
                       {"lead", "coordinates"}}),
       "f32-power", no_stage, "Mildenhall et al., NeRF, run_nerf_helpers.py, get_embedder",
       "The coordinates, then sines and cosines of 1, 2, 4, .. times each, without the pi of the paper: nerf-pi. Width "
       "3 + 6 L: 63 for points, 27 for directions."},

      {"nerf-pi", like("nerf", {{"ladder.unit", "half_turns"}, {"lead", "nothing"}}), "f32-power", no_stage,
       "Mildenhall et al., NeRF, 2020, section 5.1, equation 4",
       "Angles 2^k pi x, as the paper and many ports have them, without the coordinates. The paper writes each "
       "coordinate's pairs side by side: order = axis_major, layout = interleaved."},

      {"perceiver-fourier",
       like("mae-2d", {{"axes", "y,x"},
                       {"ladder", "linear"},
                       {"ladder.unit", "half_turns"},
                       {"ladder.from", 1},
                       {"ladder.to", 112},
                       {"scope", "row"},
                       {"lead", "coordinates"}}),
       "f32-reciprocal-unit-angle",
       no_stage,
       "transformers, modeling_perceiver.py, generate_fourier_features",
       "Coordinates run from -1 to 1: divisor gaps, gain 2, shift -1. The last band is half of the resolution, here "
       "224 on both axes; a model with others states ladders.0.to and ladders.1.to.",
       {"perceiver"},
       edges_around_0,
       {"ladder.to"}},

      {"timm-fourier",
       like("perceiver-fourier", {{"order", "rung_major"}}),
       "f32-reciprocal",
       no_stage,
       "timm, layers/pos_embed_sincos.py, FourierEmbed",
       "Not Perceiver's order: both axes of one band stand side by side. Coordinates from -1 to 1; max_res 224.",
       {},
       edges_around_0},

      {"timm-fourier-octaves",
       like("mae-2d", {{"axes", "y,x"},
                       {"ladder.base", 112},
                       {"ladder.slope", "rising"},
                       {"ladder.unit", "half_turns"},
                       {"ladder.spacing", "over_gaps"},
                       {"scope", "row"}}),
       "f32-octaves",
       no_stage,
       "timm, layers/pos_embed_sincos.py, build_fourier_pos_embed with linear_bands=False",
       "Bands from 1 to max_res / 2 by equal ratios; sines of both axes, then cosines. Coordinates from -1 to 1.",
       {},
       edges_around_0},

      {"gligen-box",
       like("mae-2d", {{"axes", "x0,y0,x1,y1"},
                       {"ladder.base", 100},
                       {"ladder.slope", "rising"},
                       {"order", "rung_major"},
                       {"scope", "period"}}),
       "f32-power",
       no_stage,
       "diffusers, models/embeddings.py, get_fourier_embeds_from_boundingbox",
       "Frequencies rise from 1 toward 100. Four sines of a box, then its four cosines, frequency by frequency; "
       "corners from 0 to 1.",
       {"gligen"}},

      {"sam-gaussian",
       like("mae-2d", {{"ladder", "listed"},
                       {"ladder.unit", "turns"},
                       {"ladder.frequencies", numbers(example_frequencies)},
                       {"rungs", "summed"},
                       {"sections", "none"},
                       {"scope", "row"}}),
       "f32-reciprocal-unit-angle",
       no_stage,
       "transformers, modeling_sam.py, SamPositionalEmbedding",
       "Every angle is a sum over x and y. A checkpoint holds a matrix (positional_embedding): its lines are the "
       "ladders of x and of y, so a model states two; the list here is an example. Coordinates from -1 to 1: pixels "
       "have first 0.5, divisor count, gain 2, shift -1.",
       {"sam-prompt", "sam2", "sam3", "edgetam", "sam-hq", "sam"},
       centres_around_0,
       {"ladder.frequencies"}},

      {"gaussian-fourier",
       like("diffusers-timestep", {{"ladder", "listed"},
                                   {"ladder.unit", "turns"},
                                   {"ladder.frequencies", numbers(example_frequencies)},
                                   {"odd_width", "refused"}}),
       "f32-reciprocal-unit-angle",
       no_stage,
       "diffusers, models/embeddings.py, GaussianFourierProjection",
       "A checkpoint holds the frequencies: the list here is an example. The noise level goes through a logarithm "
       "first (transform ln). flip_sin_to_cos is layout = cosine_first.",
       {},
       {},
       {"ladder.frequencies"}},

      {"esmfold2-fourier",
       like("gaussian-fourier", {{"parts", "cosine"}, {"phases", std::vector<double>{0.125, -0.75, 0.3125, 1.5}}}),
       "f32-reciprocal-unit-angle",
       no_stage,
       "transformers, modeling_esmfold2.py, EsmFold2FourierEmbedding",
       "Cosines alone, of turns and a phase in turns: half as many columns as the width. A checkpoint holds "
       "frequencies and phases: the lists here are an example. A step is the logarithm of the noise by that of the "
       "data, over 4.",
       {"alphafold3", "boltz"},
       {},
       {"ladder.frequencies", "phases"}},

      {"time2vec",
       like("whisper", {{"ladder", "listed"},
                        {"ladder.unit", "radians"},
                        {"ladder.frequencies", numbers(example_frequencies)},
                        {"phases", std::vector<double>{0.125, -0.75, 0.3125, 1.5}},
                        {"parts", "sine"},
                        {"lead", "coordinates"}}),
       "f32-reciprocal",
       no_stage,
       "Kazemi et al., Time2Vec, 2019, equation 1",
       "The time itself, then sines of w_k t + phase: 1 + n columns of width 1 + 2 n. The weight and the bias that the "
       "paper learns for its linear term are the caller's; the lists here are an example.",
       {},
       {},
       {"ladder.frequencies", "phases"}},
  };
}

}  // namespace posenc
