# SPDX-License-Identifier: Apache-2.0
"""Derived: the rotation of Keras-Hub 0.32, RotaryEmbedding, operation by operation in PyTorch.

Its package installs TensorFlow, of which a rotation asks nothing: keras.ops.power, einsum, cos and sin of its PyTorch
backend are the functions below.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import math

import numpy as np
import torch


def _turned(q, positions, ladder, factor):
    """(cosines [L, rotated / 2], sines, rotated q)"""
    angles = torch.tensor(positions, dtype=torch.float32)[:, None] * ladder
    cos, sin = torch.cos(angles) * factor, torch.sin(angles) * factor
    first, second = q.chunk(2, dim=-1)
    turned = torch.cat((-second, first), dim=-1)
    return cos, sin, q * torch.cat((cos, cos), dim=-1) + turned * torch.cat((sin, sin), dim=-1)


def rotary(q, positions, rotated, max_wavelength=10000):
    """(ladder, cosines [L, rotated / 2], sines, rotated q)"""
    steps = torch.arange(0, rotated, 2, dtype=torch.float32) / torch.tensor(float(rotated))
    ladder = torch.pow(torch.tensor(float(max_wavelength)), -steps)
    return ladder, *_turned(q, positions, ladder, torch.tensor(1.0))


def dynamic(q, positions, factor=4.0):
    """A call of works.TurnedPlaces: every frequency over factor^(r / (r - 2))."""
    width = q.shape[3]
    plain, _, _, _ = rotary(q, positions, width)
    by = torch.tensor(factor) ** (torch.tensor(float(width)) / torch.tensor(float(width - 2)))
    cos, sin, out = _turned(q, positions, plain / by, torch.tensor(1.0))
    return np.array(positions, np.float64)[:, None], cos, sin, out


def yarn(q, positions, rotated, factor=4.0, length=4096.0, fast=32.0, slow=1.0):
    """(ladder, cosines [L, rotated / 2], sines, rotated q); the ends of the blend are whole (truncate)."""
    base, width, s = torch.tensor(10000.0), torch.tensor(float(rotated)), torch.tensor(factor)
    powers = torch.pow(base, torch.arange(0, rotated, 2, dtype=torch.float32) / width)
    low, high = (width * torch.log(torch.tensor(length) / (turns * 2 * math.pi)) / (2 * torch.log(base))
                 for turns in (torch.tensor(fast), torch.tensor(slow)))
    low, high = torch.floor(low).clamp(min=0), torch.ceil(high).clamp(max=rotated - 1)
    ramp = ((torch.arange(rotated // 2, dtype=torch.float32) - low) / (high - low).clamp(min=0.001)).clamp(0, 1)
    kept = 1 - ramp
    ladder = (1.0 / (s * powers)) * (1 - kept) + (1.0 / powers) * kept
    return ladder, *_turned(q, positions, ladder, torch.tensor(0.1) * torch.log(s) + torch.tensor(1.0))
