# SPDX-License-Identifier: Apache-2.0
"""Waves at coordinates, of listed frequencies and of learned scales."""
import struct

from works import Places

POINTS = [(0.0, 0.0, 0.0), (0.25, -0.5, 1.0), (0.3125, 0.71875, -0.84375), (-0.9990234375, 0.1005859375, 0.6669921875)]
PIXELS = [(0.5, -0.25), (0.0, 1.0), (-0.8125, 0.71875), (0.1005859375, -0.9990234375)]
BOX = [(0.125, 0.25, 0.5, 1.0), (0.0, 0.1005859375, 0.71875, 0.9990234375), (0.3125, 0.84375, 0.4375, 0.6669921875)]
CORNERS = [tuple(12.5 * i + 0.25 * j for i in range(8)) for j in (0, 1, 7)]
LEVELS = [(0.0,), (1.0,), (-2.25,), (0.30078125,), (7.5,), (-0.0625,)]
TIMES = [(float(p),) for p in (0, 1, 2, 3, 7, 100, 511, 1023, 4999)]
TURNS = {"first": 1, "over": "last", "eps": 1e-6}
TO_2_PI = TURNS | {"gain": 6.283185307179586}
AROUND_0 = {"over": "gaps", "gain": 2, "shift": -1}
EXAMPLE = "[0.5, -1.25, 0.8125, 2.0]"
EXAMPLE_PHASES = "[0.125, -0.75, 0.3125, 1.5]"


def f32(value):
    return struct.unpack("f", struct.pack("f", value))[0]


def patches(height, width, scale=2.0):
    """Of a grid as of 16 x 16, whose places are divided by `scale`."""
    x, y = ([f32(f32(i / f32(n / 16)) / scale) for i in range(n)] for n in (width, height))
    return [(right, down) for down in y for right in x]


def of_unit_rows(dim):
    from mpmath import mpf, sqrt
    return sqrt(mpf(2) / dim)


WORKS = [
    Places(preset="speecht5", package="transformers", call="place_originals: speecht5(dim, places, 1.25)",
           columns="interleaved(one_axis('over_width', dim))", rows={4: TIMES, 64: TIMES}, roundings=8,
           scale=lambda dim: 1.25, learned=1.25),
    Places(preset="xt-scaled-sinusoid", package="x-transformers", call="place_originals: xt_scaled(dim, places, 0.375)",
           columns="sines_and_cosines(one_axis('over_width', dim))", rows={4: TIMES, 64: TIMES}, roundings=8,
           scale=lambda dim: 0.375, learned=0.375),
    Places(preset="double-exponent-legacy", package="torch", call="place_originals: double_exponent(dim, places)",
           columns="double_exponent(dim)", rows={4: TIMES, 14: TIMES, 64: TIMES}, roundings=1),
    Places(preset="paddle-fluid-bug", package="torch", call="place_originals: paddle_bug(dim, places)",
           columns="runaway(dim)", rows={4: TIMES, 8: TIMES, 16: TIMES}, roundings=1),
    Places(preset="diffusers-2d", package="diffusers", roundings=0,
           call="diffusers.models.embeddings: get_2d_sincos_pos_embed(dim, {8: (3, 5), 64: (4, 6)}[dim], "
                "interpolation_scale=2.0).float()",
           columns="by_axis(dim, 2, 10000, sines_and_cosines)", rows={8: patches(3, 5), 64: patches(4, 6)}),
    Places(preset="mlx-sinusoidal", package="mlx", roundings=24, call="mlx_originals: sinusoidal(dim, places)",
           columns="sines_and_cosines(one_axis('over_gaps_or_one', dim))", rows={2: TIMES, 8: TIMES, 64: TIMES},
           scale=of_unit_rows),
    Places(preset="detr-sine", package="transformers", roundings=8, numbering=TO_2_PI,
           call="place_originals: detr('detr', 'DetrSinePositionEmbedding', dim, grid)",
           columns="by_axis(dim, 2, 10000, interleaved)", rows={8: (3, 5), 64: (4, 6)}),
    Places(preset="grounding-dino-sine", package="transformers", roundings=8, numbering=TO_2_PI,
           call="place_originals: masked('grounding_dino', 'GroundingDinoSinePositionEmbedding', grid, d_model=dim, "
                "positional_embedding_temperature=20)",
           columns="by_axis(dim, 2, 20, interleaved)", rows={8: (3, 5), 64: (4, 6)}),
    Places(preset="deformable-detr-sine", package="transformers", roundings=8,
           numbering={"first": 0.5, "over": "count", "eps": 1e-6, "gain": 6.283185307179586},
           call="place_originals: detr('deformable_detr', 'DeformableDetrSinePositionEmbedding', dim, grid)",
           columns="by_axis(dim, 2, 10000, interleaved)", rows={8: (3, 5), 64: (4, 6)}),
    Places(preset="dab-detr-image", package="transformers", roundings=11, numbering=TURNS,
           call="place_originals: masked('dab_detr', 'DabDetrSinePositionEmbedding', grid, hidden_size=dim, "
                "temperature_height=20, temperature_width=20, sine_position_embedding_scale=None)",
           columns="by_axis(dim, 2, 20, interleaved, TURN)", rows={8: (3, 5), 64: (4, 6)}),
    Places(preset="dab-detr-anchor", package="transformers", roundings=16,
           call="place_originals: anchors(dim, places)",
           columns="by_axis(dim, 4, 10000, interleaved, TURN)", rows={16: BOX, 128: BOX}),
    Places(preset="bros-2d", package="transformers", roundings=4, call="place_originals: bros(dim, places)",
           columns="by_axis(dim, 8, 10000, sines_and_cosines)", rows={16: CORNERS, 64: CORNERS}),
    Places(preset="nerf", package="torch", roundings=2, call="place_originals: nerf(dim, places)",
           columns="nerf(dim)", rows={9: POINTS, 27: POINTS, 63: POINTS}),
    Places(preset="nerf-pi", package="torch", roundings=4, columns="nerf(dim, mp.pi, 0)", rows={6: POINTS, 60: POINTS},
           call="place_originals: nerf(dim, places, np.pi, False)"),
    Places(preset="perceiver-fourier", package="transformers", roundings=6, numbering=AROUND_0,
           call="place_originals: perceiver(dim, grid)", columns="perceiver(dim, 112)", rows={10: (3, 5), 34: (4, 6)}),
    Places(preset="timm-fourier", package="timm", roundings=6, numbering=AROUND_0,
           call="place_originals: timm(dim, grid)", columns="fourier_embed(dim, 112)", rows={10: (3, 5), 34: (4, 6)}),
    Places(preset="timm-fourier-octaves", package="timm", roundings=11, numbering=AROUND_0,
           call="place_originals: timm_octaves(dim, grid)", columns="fourier_octaves(dim, 112)",
           rows={8: (3, 5), 32: (4, 6)}),
    Places(preset="gligen-box", package="diffusers", roundings=8, columns="gligen(dim)", rows={16: BOX, 64: BOX},
           call="diffusers.models.embeddings: get_fourier_embeds_from_boundingbox(dim // 8, places[None])[0]"),
    Places(preset="sam-gaussian", package="transformers", roundings=6, call="place_originals: sam(places)",
           columns=f"matrix([{EXAMPLE}, {EXAMPLE}])", rows={8: PIXELS}),
    Places(preset="gaussian-fourier", package="diffusers", roundings=4, call="place_originals: gaussian(places)",
           columns=f"listed({EXAMPLE})", rows={8: LEVELS}),
    Places(preset="esmfold2-fourier", package="transformers", roundings=4, call="place_originals: esm_fold(places)",
           columns=f"phased('cosine', {EXAMPLE}, {EXAMPLE_PHASES}, TURN)", rows={8: LEVELS}),
    Places(preset="time2vec", package="torch", roundings=2, call="place_originals: time2vec(places)",
           columns=f"raw(1) + phased('sine', {EXAMPLE}, {EXAMPLE_PHASES}, 1)", rows={9: LEVELS}),
]
