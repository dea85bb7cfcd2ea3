# SPDX-License-Identifier: Apache-2.0
"""Goldens of additive attention: Bahdanau's formula written down in PyTorch, in f64, on numbers that anybody can make.

Inputs are not stored: `numbers` below makes them, and the test the same ones. A tensor holds the outputs and the
weights, [B, L, w + S]. A query that sees no key has zeros, where PyTorch's softmax gives NaN.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import json

import numpy as np
import torch

# name, batch, queries, keys, widths of query, key, value, of the network; causal from which query, lengths, mask, biases
CASES = [
    ("plain", 2, 5, 7, 4, 6, 3, 8, None, None, False, False),
    ("biased", 1, 3, 40, 16, 16, 16, 33, None, None, False, True),
    ("causal", 2, 9, 9, 5, 5, 5, 10, 0, None, False, True),
    ("cached", 1, 3, 11, 8, 8, 8, 16, 8, None, False, False),
    ("padded", 3, 4, 10, 7, 3, 2, 5, None, [10, 4, 0], False, True),
    ("masked", 2, 6, 8, 4, 4, 4, 12, None, None, True, False),
    ("all", 3, 8, 13, 6, 6, 9, 20, 2, [13, 7, 1], True, True),
]


def numbers(shape, seed):
    """Numbers in [-1, 1) by an integer recurrence."""
    made = []
    for _ in range(int(np.prod(shape))):
        seed = (seed * 1664525 + 1013904223) % 2**32
        made.append(((seed - 2**32 if seed >= 2**31 else seed) >> 8) * 2.0**-23)
    return torch.tensor(made, dtype=torch.float64).reshape(shape)


def mask_of(batch, queries, keys):
    """Every fifth number hides, the others are added."""
    mask = numbers((batch, queries, keys), 9)
    mask.view(-1)[::5] = -torch.inf
    return mask


def attention(case):
    _, batch, queries, keys, d, e, w, a, first, lengths, masked, biased = case
    q, k, v = numbers((batch, queries, d), 1), numbers((batch, keys, e), 2), numbers((batch, keys, w), 3)
    of_query, of_key, direction = numbers((a, d), 4), numbers((a, e), 5), numbers((a,), 6)
    u = q @ of_query.T + (numbers((a,), 7) if biased else 0)
    p = k @ of_key.T + (numbers((a,), 8) if biased else 0)
    scores = (direction * torch.tanh(u[:, :, None] + p[:, None])).sum(-1)
    if masked:
        scores = scores + mask_of(batch, queries, keys)
    if first is not None:
        unseen = torch.arange(keys)[None] > first + torch.arange(queries)[:, None]
        scores = scores.masked_fill(unseen, -torch.inf)
    if lengths is not None:
        padding = torch.arange(keys)[None] >= torch.tensor(lengths)[:, None]
        scores = scores.masked_fill(padding[:, None], -torch.inf)
    weights = torch.nan_to_num(torch.softmax(scores, -1), nan=0.0)
    return torch.cat([weights @ v, weights], -1)


FIELDS = ["batch", "queries", "keys", "d", "e", "w", "a", "first", "lengths", "masked", "biased"]


def make(work):
    metadata = {case[0]: json.dumps(dict(zip(FIELDS, case[1:]))) for case in CASES}
    metadata["about"] = "CASE [B, L, w + S]: outputs, then weights; inputs by the recurrence of additive.py"
    return metadata, {case[0]: record.stored(attention(case)) for case in CASES}
