# SPDX-License-Identifier: Apache-2.0
"""Goldens of attention: PyTorch's scaled_dot_product_attention on 200 random shapes and masks.

Inputs are made by an integer recurrence that the test computes too, so only outputs are
stored, one after another. A row that sees no key is what PyTorch makes of it; the test leaves it out.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import math
import random

import numpy as np
import torch

CASES = 200
# scaled, past, slopes, lengths: 0 or 1; hidden: of 64 elements of the mask; power: queries are multiplied by 2^power.
FIELDS = ["B", "H", "G", "L", "S", "d", "e", "scaled", "past", "first", "mask", "hidden", "slopes", "lengths", "power"]
MASKS = {0: None, 1: "1 1 L S", 2: "B 1 1 S", 3: "B H L S"}  # axes that a mask has; along the others it repeats


def shape(choose):
    """A few of everything, many keys for few queries, or many queries of few columns: outputs stay small."""
    kind = choose.randrange(4)
    groups = choose.randint(1, 3)
    batch, heads = choose.randint(1, 2), groups * choose.randint(1, 3)
    if kind == 0:
        return batch, heads, groups, choose.randint(1, 3), choose.randint(400, 1300), choose.randint(1, 48), 5
    if kind == 1:
        return 1, groups, groups, choose.randint(100, 300), choose.randint(1, 40), choose.randint(1, 48), 1
    return batch, heads, groups, choose.randint(1, 16), choose.randint(1, 60), choose.randint(1, 64), choose.randint(1, 12)


def cases():
    choose = random.Random(6)
    return [[*shape(choose), choose.randrange(2), choose.randrange(2), choose.choice([0, 0, 1, 17]),
             choose.choice([0, 0, 1, 2, 3]), choose.choice([0, 6, 32]), choose.randrange(3) // 2,
             choose.randrange(3) // 2, choose.choice([0, 1, 2])] for _ in range(CASES)]


def numbers(count, seed):
    """`count` numbers in [-1, 1), multiples of 2^-23."""
    made = []
    for _ in range(count):
        seed = (seed * 1664525 + 1013904223) % 2**32
        made.append(seed)
    return (np.array(made, dtype=np.uint32).view(np.int32) >> 8).astype(np.float32) * np.float32(2.0**-23)


def tensor(sizes, seed):
    return torch.from_numpy(numbers(math.prod(sizes), seed).reshape(sizes))


def mask_of(c, index):
    """What is added to the scores; None where PyTorch's own flags say it all."""
    B, H, L, S = c["B"], c["H"], c["L"], c["S"]
    added = torch.zeros(B, H, L, S)
    if axes := MASKS[c["mask"]]:
        m = tensor([{"1": 1, "B": B, "H": H, "L": L, "S": S}[axis] for axis in axes.split()], 10 * index + 4)
        added = added + torch.where(m < c["hidden"] / 32 - 1, torch.tensor(-torch.inf), 2 * m)
    i, j = torch.arange(L)[:, None] + c["first"], torch.arange(S)[None, :]
    if c["slopes"]:
        added = added - (2.0 ** -(torch.arange(H) + 1.0))[:, None, None] * (i - j).abs()
    if c["past"]:
        added = added.masked_fill(j > i, -torch.inf)
    if c["lengths"]:
        lengths = torch.tensor([1 + (7 * b + index) % S for b in range(B)])
        added = added.masked_fill(j >= lengths[:, None, None, None], -torch.inf)
    plain = not (axes or c["slopes"] or c["lengths"]) and (c["first"] == 0 or not c["past"])
    return None if plain else added


def output(index, values):
    c = dict(zip(FIELDS, values))
    q = tensor([c["B"], c["H"], c["L"], c["d"]], 10 * index + 1) * 2 ** c["power"]
    k = tensor([c["B"], c["G"], c["S"], c["d"]], 10 * index + 2)
    v = tensor([c["B"], c["G"], c["S"], c["e"]], 10 * index + 3)
    mask = mask_of(c, index)
    out = torch.nn.functional.scaled_dot_product_attention(
        q, k, v, mask, is_causal=mask is None and c["past"] == 1, scale=None if c["scaled"] else 1.0,
        enable_gqa=c["G"] < c["H"])
    return out.numpy().reshape(-1)


def make(work):
    chosen = cases()
    outputs = np.concatenate([output(index, values) for index, values in enumerate(chosen)])
    return {"about": "outputs: [B, H, L, e] of the cases, one after another; cases: the fields of each",
            "fields": " ".join(FIELDS)}, {"cases": np.array(chosen), "outputs": outputs}
