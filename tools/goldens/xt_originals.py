# SPDX-License-Identifier: Apache-2.0
"""Rotations and stored rows by the package x-transformers, as rotary_originals.py gives those of transformers."""
import record  # chooses the CPU target: before PyTorch

import torch
from x_transformers.x_transformers import AbsolutePositionalEmbedding, RotaryEmbedding, apply_rotary_pos_emb


def rotary(q, positions, rotated):
    module = RotaryEmbedding(rotated)
    angles, scale = module(torch.tensor(positions))  # [1, L, rotated]: each angle twice, side by side
    once = angles[0, :, ::2]
    return module.inv_freq, once.cos(), once.sin(), apply_rotary_pos_emb(q, angles, scale)


def absolute(positions):
    """Rows of a table of width 4 whose row i holds 2i, which the module halves."""
    module = AbsolutePositionalEmbedding(4, 1024)
    with torch.no_grad():
        module.emb.weight[:] = 2 * torch.arange(1024.0)[:, None]
    return module(torch.zeros(1, positions.shape[1], 4), pos=torch.tensor(positions[0]))[:, 0].detach()
