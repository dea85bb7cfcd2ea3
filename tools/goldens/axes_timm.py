# SPDX-License-Identifier: Apache-2.0
"""Rotations of several axes by timm. Each function is a call of works.TurnedPlaces."""
import record  # chooses the CPU target: before NumPy and PyTorch

import numpy as np
import torch
import timm_layers  # enters timm without its models
from timm.layers import pos_embed_sincos as layers

from axes import EXAMPLES, HEIGHT, WIDTH, cells, once


def turned(at, q, sin, cos, *, half):
    """Tables [P, 2 n]; q by timm's own function, whose table is sines and cosines side by side."""
    n = sin.shape[1] // 2
    stored = "halves" if half else "pairs"
    return at, once(cos, n, stored), once(sin, n, stored), layers.apply_rot_embed_cat(q, torch.cat([sin, cos], -1), half=half)


def mrope(q):
    """Time stands at 0."""
    table = layers.RotaryEmbeddingMRope(q.shape[3], (24, 20, 20)).get_embed([HEIGHT, WIDTH])
    return turned(np.c_[np.zeros(HEIGHT * WIDTH), cells()], q, *table.chunk(2, -1), half=True)


def eva(q):
    """Pixels: bands from 1 to 112 half turns over [-1, 1]."""
    sin, cos = layers.build_rotary_pos_embed([HEIGHT, WIDTH], dim=q.shape[3], max_res=224, in_pixels=True,
                                             linear_bands=True)
    at = [torch.linspace(-1.0, 1.0, steps=n).numpy().astype(np.float64) for n in (HEIGHT, WIDTH)]
    return turned(np.stack(np.meshgrid(*at, indexing="ij"), -1).reshape(-1, 2), q, sin, cos, half=False)


def eva_language(q):
    """Cells on a reference of 8 x 8."""
    sin, cos = layers.build_rotary_pos_embed([HEIGHT, WIDTH], dim=q.shape[3], in_pixels=False, ref_feat_shape=[8, 8])
    at = (cells().astype(np.float32) / np.float32([HEIGHT, WIDTH]) * np.float32(8)).astype(np.float64)
    return turned(at, q, sin, cos, half=False)


def dinov3_periods(q):
    """Periods from 1/4 to 64 by equal ratios; centres of patches from -1 to 1."""
    of = layers.RotaryEmbeddingDinoV3(q.shape[3], temperature=None, min_period=0.25, max_period=64.0, rotate_half=True)
    sin, cos = of.get_embed([HEIGHT, WIDTH]).chunk(2, -1)
    at = (torch.from_numpy(cells()).float() + 0.5) / torch.tensor([HEIGHT, WIDTH]) * 2 - 1
    return turned(at.numpy().astype(np.float64), q, sin, cos, half=True)


def mixed(q):
    """Columns first, 1.3 apart: of whole numbers the products with these frequencies are exact. Frequencies of one block
    and one head, given."""
    x, y = (1.3 * torch.tensor(list(cells()[:, axis]), dtype=torch.float32) for axis in (1, 0))
    frequencies = torch.tensor(EXAMPLES[:2], dtype=torch.float32)
    sin, cos = layers.get_mixed_freqs(frequencies, x, y).chunk(2, -1)
    return turned(np.stack([x, y], -1), q, sin, cos, half=False)
