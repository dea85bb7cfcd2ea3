# SPDX-License-Identifier: Apache-2.0
"""Layers of Keras-Hub on PyTorch. keras_hub's own __init__ imports every model, and with them TensorFlow: here its
modules are entered without it. Keras keeps its settings beside the environment."""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib.util
import os
import pathlib
import sys
import types

os.environ |= {"KERAS_BACKEND": "torch", "KERAS_HOME": str(pathlib.Path(sys.prefix).parent / "keras")}
sys.modules["keras_hub"] = types.ModuleType("keras_hub")
sys.modules["keras_hub"].__path__ = [str(pathlib.Path(importlib.util.find_spec("keras").origin).parents[1] / "keras_hub")]

import torch
from keras_hub.src.layers.modeling.rotary_embedding import RotaryEmbedding
from keras_hub.src.layers.modeling.sine_position_encoding import SinePositionEncoding
from keras_hub.src.models.flux.flux_maths import TimestepEmbedding


def rotary(q, positions, rotated, **fields):
    """As rotary_originals.py gives those of transformers; the layer has heads behind the sequence."""
    layer, x = RotaryEmbedding(**fields), q.transpose(1, 2)
    at = torch.tensor([positions], dtype=torch.float32)
    cos, sin = (table[0, :, 0, :rotated // 2].contiguous() for table in layer._compute_cos_sin_embedding(x, 0, at))
    return layer._get_inverse_freq(rotated), cos, sin, layer(x, positions=at).transpose(1, 2).contiguous()


def dynamic(q, positions, rotated, factor=4.0, divisor=4.088994243248622):
    """rope_type linear of the number that rope_type dynamic divides by, which makes it in f32."""
    linear = rotary(q, positions, rotated, scaling_factor=divisor)
    ratio = RotaryEmbedding(rope_type="dynamic", scaling_factor=factor)._get_inverse_freq(rotated) / linear[0]
    if (ratio - 1).abs().max() > 2 ** -22:  # a last place of the divisor, and one of the quotient
        raise ArithmeticError(f"dynamic is not linear of {divisor}: {ratio}")
    return linear


def sine(dim, positions):
    at = torch.tensor(positions, dtype=torch.float32)
    return SinePositionEncoding()(torch.zeros(1, len(positions), dim), positions=at)[0]


def flux(dim, steps):
    return TimestepEmbedding()(torch.tensor(steps, dtype=torch.float32), dim=dim)
