# SPDX-License-Identifier: Apache-2.0
"""Derived: the rotation of Keras-Hub 0.32, RotaryEmbedding, operation by operation in PyTorch.

Its package installs TensorFlow, of which a rotation asks nothing: keras.ops.power, einsum, cos and sin of its PyTorch
backend are the functions below.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import torch


def rotary(q, positions, rotated, max_wavelength=10000):
    """(ladder, cosines [L, rotated / 2], sines, rotated q)"""
    steps = torch.arange(0, rotated, 2, dtype=torch.float32) / torch.tensor(float(rotated))
    ladder = torch.pow(torch.tensor(float(max_wavelength)), -steps)
    angles = torch.tensor(positions, dtype=torch.float32)[:, None] * ladder
    cos, sin = torch.cos(angles), torch.sin(angles)
    first, second = q.chunk(2, dim=-1)
    turned = torch.cat((-second, first), dim=-1)
    return ladder, cos, sin, q * torch.cat((cos, cos), dim=-1) + turned * torch.cat((sin, sin), dim=-1)
