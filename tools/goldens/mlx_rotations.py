# SPDX-License-Identifier: Apache-2.0
"""Rotations by mlx on the CPU. Each function is a call of works.TurnedPlaces.

Cosines and sines are what it makes of heads whose first halves are 1 and whose others are 0.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import mlx.core as mx
import numpy as np
import torch

FAR = (0, 1, 2, 3, 17, 100, 1023, 4095, 131071)


def turned(x):
    """x [1, heads, P, head] at FAR: a position a call, because a call counts from its offset."""
    rows = [np.array(mx.fast.rope(mx.array(x[:, :, i:i + 1].numpy()), x.shape[3], traditional=False, base=10000.0,
                                  scale=1.0, offset=p)) for i, p in enumerate(FAR)]
    return torch.from_numpy(np.concatenate(rows, 2))


def rope(q):
    half = q.shape[3] // 2
    unit = torch.zeros_like(q[:, :1])
    unit[..., :half] = 1
    waves = turned(unit)[0, 0]
    return np.array(FAR, np.float64)[:, None], waves[:, :half].contiguous(), waves[:, half:].contiguous(), turned(q)
