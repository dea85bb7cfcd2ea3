# SPDX-License-Identifier: Apache-2.0
"""Rotations by flash-attn's layers/rotary.py, whose tables and whose turn without its kernel are PyTorch's."""
import record  # chooses the CPU target: before PyTorch

import torch

import alone

rotary = alone.source("flash_attn/layers/rotary.py")


def xpos(q):
    """A call of axes.py: queries whose centre is half of their number; cosines and sines are those of queries and those of
    keys."""
    length = q.shape[2]
    module = rotary.RotaryEmbedding(q.shape[3], scale_base=512)
    module._update_cos_sin_cache(length, device=q.device, dtype=q.dtype)
    cos, sin = torch.stack([module._cos_cached, module._cos_k_cached]), torch.stack([module._sin_cached, module._sin_k_cached])
    out = rotary.apply_rotary_emb_torch(q.transpose(1, 2), cos[0], sin[0]).transpose(1, 2)
    return torch.arange(length, dtype=torch.float64)[:, None].numpy(), cos, sin, out.contiguous()
