# SPDX-License-Identifier: Apache-2.0
"""Rotations by the package rotary-embedding-torch, as rotary_originals.py gives those of transformers."""
import record  # chooses the CPU target: before PyTorch

import numpy as np
import torch
from rotary_embedding_torch import RotaryEmbedding, apply_rotary_emb


def rotary(q, positions, **fields):
    module = RotaryEmbedding(q.shape[3], **fields)
    angles = module(torch.tensor(positions, dtype=torch.float32))  # [L, d]: each angle twice, side by side
    return module.freqs.detach(), angles[:, ::2].cos().detach(), angles[:, ::2].sin().detach(), apply_rotary_emb(
        angles, q).detach()


def xpos(q):
    """Queries of a call of axes.py: their centre is half of their number. Cosines and sines, those of queries and those
    of keys, are what becomes of pairs (1, 0)."""
    module = RotaryEmbedding(q.shape[3], use_xpos=True)
    out, _ = module.rotate_queries_and_keys(q, q)
    unit = torch.zeros_like(q[:, :1])
    unit[..., ::2] = 1
    waves = torch.stack([each[0, 0] for each in module.rotate_queries_and_keys(unit, unit)]).detach()
    at = torch.arange(q.shape[2], dtype=torch.float64)[:, None].numpy()
    return at, waves[..., ::2].contiguous(), waves[..., 1::2].contiguous(), out.detach()


def axial(q):
    """Pixels of an image of 3 x 5 from -1 to 1, rows first; bands from 1 to 5 half turns."""
    table = RotaryEmbedding(q.shape[3] // 2, freqs_for="pixel").get_axial_freqs(3, 5).detach()
    out = apply_rotary_emb(table.reshape(15, -1), q)
    at = np.stack(np.meshgrid(np.linspace(-1, 1, 3), np.linspace(-1, 1, 5), indexing="ij"), -1).reshape(-1, 2)
    angles = table.reshape(15, -1)[:, ::2]
    return at, angles.cos(), angles.sin(), out
