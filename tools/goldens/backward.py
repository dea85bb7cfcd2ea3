# SPDX-License-Identifier: Apache-2.0
"""Goldens of the backward pass: what PyTorch's autograd gives the embedding rows, given ids, mask and output gradient.

usage: backward.py          writes tests/layers/goldens/backward.json and its arrays
       backward.py --check  recomputes and compares

PyTorch multiplies every token by the scale and adds them in the order of ids, from zero; the contract adds first. Where
the scale is a power of two both round alike, so the bits agree. bf16 and f16 gradients are widened to f32 for PyTorch,
and its result is rounded once, as the contract does.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import math
import sys

import numpy as np
import torch

from philox import dropout_mask
from stage import TORCH, loaded, stored

FOLDER = record.TESTS / "layers" / "goldens"

# name, vocabulary, width, batch, length, scale, padding id, dropout p
CASES = [
    ("backward-scaled", 11, 16, 3, 40, "sqrt", None, 0.0),
    ("backward-dropped", 11, 64, 2, 25, "sqrt", None, 0.1),
    ("backward-padding", 11, 16, 2, 40, "sqrt", 3, 0.5),
    ("backward-odd-width", 5, 15, 2, 33, "none", None, 0.25),
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


def case_files(case, dtype, index):
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
    about = {"case": name, "scale": scale, "padding_id": padding, "dropout": p, "seed": SEED, "call": CALL}
    how = {"dtype": "bf16", "stored_as": "i32"} if dtype == "bf16" else {}
    files = [({"file": f"{name}.{dtype}.{holds}.npy", **about, "type": dtype, "holds": holds, **how}, stored(tensor))
             for holds, tensor in {"gradient": gradient, "rows": result}.items()]
    if dtype == "f32":
        files.append(({"file": f"{name}.ids.npy", **about, "holds": "ids"}, ids.numpy()))
    return files


HEAD = {
    "about": "See docs/goldens.md. One case and type: gradient [B, L, d] of the output, and rows [vocabulary, d], what "
             "PyTorch's autograd gives nn.Embedding's weights; ids [B, L] belong to every type of a case. Type bf16: "
             "16 bits in i32",
}

if __name__ == "__main__":
    arguments = record.parse(__doc__.split("\n")[0]).parse_args()
    head = {"made_by": record.made_by("backward.py"), **HEAD}
    made = [entry for index, case in enumerate(CASES) for dtype in TORCH for entry in case_files(case, dtype, index)]
    if arguments.check:
        sys.exit(record.check(FOLDER, "backward.json", head, made, lambda d: True))  # IEEE operations on any target
    record.write(FOLDER, "backward.json", head, made)
