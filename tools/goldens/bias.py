# SPDX-License-Identifier: Apache-2.0
"""Goldens of biases: slopes and tables of ALiBi as its authors, BLOOM and MPT make them, and the correctly rounded ones.

Tables: `press` and `exact` hold -slope |i - j| [H, L, S], `bloom` and `mpt` the row [H, S] that is the same for every
query. It prints how many slopes and entries are not the correctly rounded ones.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import math

import mpmath
import numpy as np
import torch
from transformers.models.bloom import modeling_bloom
from transformers.models.mpt import modeling_mpt

from slopes import slopes as real_slopes

HEADS = [1, 2, 3, 8, 12, 71, 112]  # 71 are those of Falcon 7B, 112 those of BLOOM
QUERIES, KEYS = 5, 9


# ---- the originals: (slopes [H], table) ----

def press_slopes(heads):
    """attention_with_linear_biases, fairseq/models/transformer.py, get_slopes, written again: no package holds it."""
    def of_power(n):
        start = 2 ** (-2 ** -(math.log2(n) - 3))
        return [start * start ** i for i in range(n)]

    if math.log2(heads).is_integer():
        return of_power(heads)
    closest = 2 ** math.floor(math.log2(heads))
    return of_power(closest) + press_slopes(2 * closest)[0::2][:heads - closest]


def press(heads):
    slopes = torch.tensor(press_slopes(heads))
    distance = torch.abs(torch.arange(KEYS)[None, :] - torch.arange(QUERIES)[:, None])
    return slopes, slopes[:, None, None] * -distance[None]


def bloom(heads):
    table = modeling_bloom.build_alibi_tensor(torch.ones(1, KEYS, dtype=torch.int64), heads, torch.float32)
    return modeling_bloom._get_alibi_slopes(heads, torch.device("cpu")), table[:, 0]


def mpt(heads):
    table = modeling_mpt.build_mpt_alibi_tensor(heads, KEYS)[:, 0]
    return -table[:, -2], table  # its last two keys are at distances 1 and 0


ORIGINALS = {"press": press, "bloom": bloom, "mpt": mpt}


# ---- the real numbers, rounded once ----

def exact(heads, octaves=8):
    with mpmath.workprec(400):
        real = real_slopes(heads, octaves)
        slopes = np.array([to_f32(s) for s in real], np.float32)
        table = [[[to_f32(-s * abs(i - j)) for j in range(KEYS)] for i in range(QUERIES)] for s in real]
    return torch.from_numpy(slopes), torch.from_numpy(np.array(table, np.float32))


def to_f32(x):
    """Once: no value here is subnormal, so that 24 bits of a significand are a f32."""
    with mpmath.workprec(24):
        return float(+x)


# ---- the work -----------------------------------------------------------------------------------

def certain(name):
    return name.split("/")[1] == "exact"


def make(work):
    tensors = {}
    for heads in HEADS:
        wanted, wanted_table = exact(heads)
        made = {"exact": (wanted, wanted_table)} | {name: original(heads) for name, original in ORIGINALS.items()}
        counts = ", ".join(f"{name} {int((slopes != wanted).sum())}" for name, (slopes, _) in made.items())
        print(f"{heads} heads; slopes that are not the real number rounded: {counts}; entries of press: "
              f"{int((made['press'][1] != wanted_table).sum())} of {wanted_table.numel()}")
        for name, (slopes, table) in made.items():
            tensors[f"h{heads}/{name}/slopes"] = record.stored(slopes.contiguous())
            tensors[f"h{heads}/{name}/table"] = record.stored(table.contiguous())
    return {"about": "hH/BY/slopes [H]; hH/BY/table: `press` and `exact` -slope |i - j| [H, 5, 9], `bloom` slope j and "
                     "`mpt` slope (j - 8) [H, 9]", "kind": "biases"}, tensors
