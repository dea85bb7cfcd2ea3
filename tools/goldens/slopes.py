# SPDX-License-Identifier: Apache-2.0
"""Biases of a row of the work list, by its original and correctly rounded: queries 0 to 4, keys 0 to 8, or those of a
mask."""
import record  # chooses the CPU target: before NumPy and PyTorch

import json
import math

import mpmath
import numpy as np

import truth
from tables import array, called

QUERIES, KEYS = 5, 9
ABOUT = "hH/original/table, hH/exact/table [H, 5, 9]: what is added to the scores of H heads, and the real number rounded"

# What multiplies the slope of a head, for query i and key j.
MULTIPLIERS = {"minus_distance": lambda i, j: -abs(i - j), "key": lambda i, j: j,
               "key_from_last": lambda i, j: j - (KEYS - 1), "causal": lambda i, j: j - i}


def slopes(heads, octaves):
    """The real numbers: heads beyond a power of two take every second slope of twice as many."""
    power = 2 ** int(math.log2(heads))
    steps = [mpmath.mpf(h + 1) / power if h < power else mpmath.mpf(2 * (h - power) + 1) / (2 * power)
             for h in range(heads)]
    return [mpmath.mpf(2) ** (-octaves * e) for e in steps]


def places(work):
    """Numbers of the keys: present ones count up from 0, and absent ones are at 0."""
    if not work.mask:
        return list(range(KEYS))
    return [sum(work.mask[:j]) if work.mask[j] else 0 for j in range(KEYS)]


def exact(work, heads):
    by, numbers = MULTIPLIERS[work.value], places(work)
    real = slopes(heads, work.octaves)
    if work.bf16:
        real = [mpmath.mpf(truth.round_real(slope, "bf16")) for slope in real]
    if work.head:
        real = [slope / mpmath.sqrt(work.head) for slope in real]
    return truth.array([[[truth.round_real(slope * by(i, j), "f32") for j in numbers] for i in range(QUERIES)]
                        for slope in real], "f32")


def written_again(heads, value):
    """Of originals that no package holds: slopes of doubles, their products in f32."""
    of_heads = np.array([float(slope) for slope in slopes(heads, 8)], np.float32)
    by = np.array([[MULTIPLIERS[value](i, j) for j in range(KEYS)] for i in range(QUERIES)], np.float32)
    return of_heads[:, None, None] * by


def original(work, heads):
    """[H, 5, 9] of a table that may be that of any query, [H, 9]."""
    table = array(called(work.call, heads=heads, queries=QUERIES, keys=KEYS, mask=np.array([work.mask])))
    return np.ascontiguousarray(np.broadcast_to(table.reshape(heads, -1, KEYS), (heads, QUERIES, KEYS)))


def certain(name):
    return name.split("/")[1] == "exact"


def make(work):
    tensors = {}
    for heads in work.heads:
        tensors[f"h{heads}/original/table"] = original(work, heads)
        tensors[f"h{heads}/exact/table"] = exact(work, heads)
    if work.mask:
        tensors["mask"] = np.array(work.mask)
    stated = {"places": work.places} if work.places != 3 else {}
    stated |= {"head": work.head} if work.head else {}
    fields = {"about": ABOUT, "kind": "biases", "calls": json.dumps({"original": work.call})}
    return fields | {key: str(value) for key, value in stated.items()}, tensors
