# SPDX-License-Identifier: Apache-2.0
"""Rotations by the package x-transformers, as rotary_originals.py gives those of transformers."""
import record  # chooses the CPU target: before PyTorch

import torch
from x_transformers.x_transformers import RotaryEmbedding, apply_rotary_pos_emb


def rotary(q, positions, rotated):
    module = RotaryEmbedding(rotated)
    angles, scale = module(torch.tensor(positions))  # [1, L, rotated]: each angle twice, side by side
    once = angles[0, :, ::2]
    return module.inv_freq, once.cos(), once.sin(), apply_rotary_pos_emb(q, angles, scale)
