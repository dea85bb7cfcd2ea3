# SPDX-License-Identifier: Apache-2.0
"""Goldens of the backward pass: what PyTorch's autograd gives the embedding rows, given ids, mask and output gradient.

PyTorch multiplies every token by the scale and adds them in the order of ids, from zero; the contract adds first. Where
the scale is a power of two both round alike, so the bits agree. bf16 and f16 gradients are widened to f32 for PyTorch,
and its result is rounded once, as the contract does.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import json
import math

import numpy as np
import torch

from philox import dropout_mask
from stage import TORCH

# name, vocabulary, width, batch, length, scale, padding id, dropout p
CASES = [
    ("scaled", 11, 16, 3, 40, "sqrt", None, 0.0),
    ("dropped", 11, 64, 2, 25, "sqrt", None, 0.1),
    ("padding", 11, 16, 2, 40, "sqrt", 3, 0.5),
    ("odd-width", 5, 15, 2, 33, "none", None, 0.25),
]
SEED, CALL = 0x123456789ABCDEF, 3


def autograd(rows, ids, gradient, scale, padding, mask, keep):
    """The gradient of nn.Embedding's weights under (embedding x scale) x mask x keep."""
    layer = torch.nn.Embedding(*rows.shape, padding_idx=padding, dtype=rows.dtype)
    x = layer(ids) * scale
    if keep != 1:
        x = x * (mask.to(rows.dtype) * keep)
    x.backward(gradient)
    return layer.weight.grad


def case_tensors(case, dtype, index):
    name, vocabulary, dim, batch, length, scale, padding, p = case
    generator = np.random.default_rng(2000 + index)
    ids = torch.from_numpy(generator.integers(0, vocabulary - 1, (batch, length)))  # the last row stays untouched
    size = torch.from_numpy(2.0 ** generator.integers(-4, 4, (batch, length, dim)))  # so the order of sums shows
    gradient = (torch.from_numpy(generator.random((batch, length, dim)) - 0.5) * size).to(TORCH[dtype])
    k = round(65536 * p)
    mask = torch.from_numpy(dropout_mask((batch, length, dim), k, SEED, CALL))
    wide = torch.float64 if dtype == "f64" else torch.float32
    factor = math.sqrt(dim) if scale == "sqrt" else 1.0
    assert math.frexp(factor)[0] == 0.5, "no power of two"
    rows = torch.zeros(vocabulary, dim, dtype=wide)
    result = autograd(rows, ids, gradient.to(wide), factor, padding, mask, 65536 / (65536 - k)).to(TORCH[dtype])
    return {f"{name}/{dtype}/gradient": gradient, f"{name}/{dtype}/rows": result, f"{name}/ids": ids}


ABOUT = ("CASE/TYPE/gradient [B, L, d] of the output; rows [vocabulary, d]: what PyTorch's autograd gives nn.Embedding's "
         "weights; CASE/ids [B, L]")


def certain(name):
    return True  # IEEE operations on any target


def make(work):
    metadata, tensors = {"about": ABOUT}, {}
    for index, case in enumerate(CASES):
        name, scale, padding, p = case[0], *case[5:]
        metadata[name] = json.dumps({"scale": scale, "padding_id": padding, "dropout": p, "seed": SEED, "call": CALL})
        for dtype in TORCH:
            tensors |= {holds: record.stored(t) for holds, t in case_tensors(case, dtype, index).items()}
    return metadata, tensors
