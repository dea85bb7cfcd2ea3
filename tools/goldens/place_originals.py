# SPDX-License-Identifier: Apache-2.0
"""Calls of originals at places whose parameters a golden states, and originals that no package holds, written again."""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib
import types

import numpy as np

torch = record.torch

EXAMPLE = [0.5, -1.25, 0.8125, 2.0]
PHASES = [0.125, -0.75, 0.3125, 1.5]


def cells(image):
    """[1, d, H, W] as rows of cells."""
    return image[0].flatten(1).T


def transformers(model, name):
    return getattr(importlib.import_module(f"transformers.models.{model}.modeling_{model}"), name)


def config(**fields):
    return types.SimpleNamespace(**fields)


def detr(model, name, dim, grid):
    sine = transformers(model, name)(dim // 2, normalize=True)
    return cells(sine((1, 3, *grid), "cpu", torch.float32))


def masked(model, name, grid, **fields):
    """Of images without padding."""
    return cells(transformers(model, name)(config(**fields))(torch.zeros(1), torch.ones(1, *grid)))


def anchors(dim, places):
    """Its argument is x, y, w, h."""
    return transformers("dab_detr", "encode_sinusoidal_position_embedding")(places[:, [1, 0, 2, 3]], dim // 4)


def bros(dim, places):
    return transformers("bros", "BrosPositionalEmbedding2D")(config(dim_bbox_sinusoid_emb_1d=dim // 8, dim_bbox=8))(
        places[:, None, None])[:, 0, 0]


def perceiver(dim, grid):
    of = importlib.import_module("transformers.models.perceiver.modeling_perceiver")
    places = of.build_linear_positions(grid).reshape(1, -1, 2)
    return of.generate_fourier_features(places, (dim - 2) // 4, (224, 224))[0]


def sam(places):
    """Of places from -1 to 1, which it makes of those from 0 to 1: these halves are exact."""
    made = transformers("sam", "SamPositionalEmbedding")(config(scale=1.0, num_pos_feats=len(EXAMPLE)))
    made.positional_embedding.data = torch.tensor([EXAMPLE, EXAMPLE])
    return made(((places + 1) / 2)[None, None])[0, 0].detach()


def esm_fold(places):
    made = transformers("esmfold2", "EsmFold2FourierEmbedding")(len(EXAMPLE))
    made.frequencies.copy_(torch.tensor(EXAMPLE)), made.phases.copy_(torch.tensor(PHASES))
    return made(places[:, 0])


def gaussian(places):
    made = importlib.import_module("diffusers.models.embeddings").GaussianFourierProjection(len(EXAMPLE), log=False)
    made.weight.copy_(torch.tensor(EXAMPLE))
    return made(places[:, 0])


def timm(dim, grid):
    from timm_layers import FourierEmbed
    return FourierEmbed(224, (dim - 2) // 4)(torch.zeros(1, 0, *grid))[0]


def timm_octaves(dim, grid):
    from timm_layers import build_fourier_pos_embed
    waves = build_fourier_pos_embed(list(grid), num_bands=dim // 4, max_res=224, linear_bands=False)
    return torch.cat([wave.reshape(grid[0] * grid[1], -1) for wave in waves], -1)


def speecht5(dim, places, alpha):
    made = transformers("speecht5", "SpeechT5ScaledPositionalEncoding")(0.0, dim)
    made.alpha.data.fill_(alpha)
    return made(torch.zeros(1, 5000, dim)).detach()[0, places[:, 0].long()]


def xt_scaled(dim, places, scale):
    made = importlib.import_module("x_transformers.x_transformers").ScaledSinusoidalEmbedding(dim)
    made.scale.data.fill_(scale)
    return made(torch.zeros(1, len(places), dim), pos=places[:, 0]).detach()


def nerf(dim, places, unit=1.0, lead=True):
    """In the order of NeRF's TensorFlow code: octaves are powers of a linspace, waves stand octave by octave."""
    octaves = 2.0 ** torch.linspace(0.0, (dim - 3 * lead) // 6 - 1, (dim - 3 * lead) // 6)
    waves = [f(places * w * unit) for w in octaves for f in (torch.sin, torch.cos)]
    return torch.cat([places] * lead + waves, -1)


def time2vec(places):
    angle = places * torch.tensor(EXAMPLE) + torch.tensor(PHASES)
    return torch.cat([places, torch.sin(angle)], -1)


def double_exponent(dim, places):
    angle = np.array([[p / np.power(10000, 2 * i / dim) for i in range(dim)] for p in np.asarray(places)[:, 0]])
    angle[:, 0::2], angle[:, 1::2] = np.sin(angle[:, 0::2]), np.cos(angle[:, 1::2])
    return angle.astype(np.float32)


def paddle_bug(dim, places):
    n = dim // 2
    w = np.exp(np.arange(n)) * -(np.log(10000.0) / (n - 1))
    angle = np.asarray(places, dtype=np.float64) * w
    return np.concatenate([np.sin(angle), np.cos(angle)], 1).astype(np.float32)
