# SPDX-License-Identifier: Apache-2.0
"""The rotation of the operator RotaryEmbedding-23 of ONNX, by its reference implementation.

It has no ladder: its inputs are tables of cosines and sines. Those here are the ones of f32 that transformers' models
are exported with.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import numpy as np
import torch
from onnx.reference.ops.op_rotary_embedding import rotary_embedding

FAR = (0, 1, 2, 3, 17, 100, 1023, 4095, 131071)


def rope(q):
    """A call of works.TurnedPlaces."""
    width = q.shape[3]
    ladder = 1.0 / (10000.0 ** (torch.arange(0, width, 2, dtype=torch.int64).float() / width))
    angles = torch.tensor(FAR, dtype=torch.float32)[:, None] * ladder
    cos, sin = angles.cos(), angles.sin()
    out = rotary_embedding(q.numpy(), cos[None].numpy(), sin[None].numpy(), interleaved=0)
    return np.array(FAR, np.float64)[:, None], cos, sin, torch.from_numpy(out)
