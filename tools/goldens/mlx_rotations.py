# SPDX-License-Identifier: Apache-2.0
"""Rotations by mlx on the CPU, as rotary_originals.py gives those of transformers.

Cosines and sines are what it makes of heads whose first halves are 1 and whose others are 0; frequencies are what its own
exp makes of the exponents of mlx/fast.cpp.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import mlx.core as mx
import numpy as np
import torch


def turned(x, positions):
    """x [1, heads, P, head]: a position a call, because a call counts from its offset."""
    rows = [np.array(mx.fast.rope(mx.array(x[:, :, i:i + 1].numpy()), x.shape[3], traditional=False, base=10000.0,
                                  scale=1.0, offset=p)) for i, p in enumerate(positions)]
    return torch.from_numpy(np.concatenate(rows, 2))


def frequencies(half):
    step = float(np.log(np.float32(10000)) / np.float32(half))
    return torch.from_numpy(np.array(mx.exp(mx.arange(0, -half, -1, dtype=mx.float32) * mx.array(step, mx.float32))))


def rope(q, positions):
    half = q.shape[3] // 2
    unit = torch.zeros_like(q[:, :1])
    unit[..., :half] = 1
    waves = turned(unit, positions)[0, 0]
    return frequencies(half), waves[:, :half].contiguous(), waves[:, half:].contiguous(), turned(q, positions)
