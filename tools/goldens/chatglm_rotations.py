# SPDX-License-Identifier: Apache-2.0
"""Derived: the rotation of ChatGLM-6B, whose code is in its checkpoint and in no package, in PyTorch.

Its modeling_chatglm.py rounds the ladder to f16 and forms angles in f16 where the model runs in f16: here all is f32.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import numpy as np
import torch

# A prompt stands still on the second axis; what is generated stands still on the first one.
TOKENS = np.array([[0, 0], [1, 0], [2, 0], [17, 0], [17, 1], [17, 2], [100, 5], [1023, 100], [2047, 0]], np.float64)


def rope(q):
    """A call of works.TurnedPlaces: each half of a head turns by an axis of its own, in two halves."""
    width = q.shape[3] // 2
    ladder = 1.0 / (10000 ** (torch.arange(0, width, 2).float() / width))
    angles = [torch.tensor(at, dtype=torch.float32)[:, None] * ladder for at in TOKENS.T]
    parts = []
    for x, angle in zip(q.chunk(2, -1), angles):
        cos, sin = torch.cat([angle, angle], -1).cos(), torch.cat([angle, angle], -1).sin()
        first, second = x.chunk(2, -1)
        parts.append(x * cos + torch.cat([-second, first], -1) * sin)
    both = torch.cat(angles, -1)
    return TOKENS, both.cos(), both.sin(), torch.cat(parts, -1)
