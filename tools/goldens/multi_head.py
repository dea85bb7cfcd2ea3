# SPDX-License-Identifier: Apache-2.0
"""Goldens of attention between its projections: PyTorch's nn.MultiheadAttention on 200 random shapes and masks.

Weights and inputs come from a counter that the test computes too, so only outputs are stored, one
after another. A row that sees no key is what PyTorch makes of it; the test leaves it out.
"""
import transformer  # the counter; chooses the CPU target: before NumPy and PyTorch

import random

import numpy as np
import torch
from torch import nn

import record

CASES = 200
# own: keys and values come from the queries' rows. past, padded, bias, weights (asked for, which takes another kernel):
# 0 or 1; hidden: of 64 elements of the mask, -1 for no mask; power: queries are multiplied by 2^power.
FIELDS = ["heads", "width", "source", "batch", "queries", "keys", "own", "past", "padded", "hidden", "bias", "weights",
          "power"]


def shape(choose):
    """A few of everything, or many keys for few queries: outputs stay small."""
    heads, own, many = choose.choice([1, 2, 3, 4, 6, 8]), choose.randrange(2), choose.randrange(8) == 0
    width, batch, queries = heads * choose.randint(1, 12), choose.randint(1, 3), choose.randint(1, 10)
    if many:
        return heads, width, choose.randint(1, 24), 1, choose.randint(1, 3), choose.randint(400, 1200), 0
    if own:
        return heads, width, width, batch, queries, queries, 1
    return heads, width, choose.randint(1, 48), batch, queries, choose.randint(1, 40), 0


def cases():
    choose = random.Random(7)
    return [dict(zip(FIELDS, [*shape(choose), choose.randrange(2), choose.randrange(2), choose.choice([-1, -1, 0, 6, 32]),
                              choose.randrange(3) and 1, choose.randrange(2), choose.randrange(4)]))
            for _ in range(CASES)]


def hidden_keys(c, index):
    """-inf at the padding of each sequence."""
    lengths = [1 + (7 * b + index) % c["keys"] if c["padded"] else c["keys"] for b in range(c["batch"])]
    return torch.zeros(c["batch"], c["keys"]).masked_fill(transformer.hidden_after(lengths, c["keys"]), -torch.inf)


def mask_of(c, numbers):
    """What is added to the scores of every sequence and head."""
    added = torch.zeros(c["queries"], c["keys"])
    if c["hidden"] >= 0:
        m = numbers.make(added.shape, 1.0)
        added = torch.where(m < c["hidden"] / 32 - 1, torch.tensor(-torch.inf), 2 * m)
    if c["past"]:
        added = added.masked_fill(torch.ones_like(added, dtype=torch.bool).triu(1), -torch.inf)
    return added if c["past"] or c["hidden"] >= 0 else None


def output(index, c):
    numbers = transformer.Numbers(200001 + 1000 * index)
    module = nn.MultiheadAttention(c["width"], c["heads"], bias=bool(c["bias"]), kdim=c["source"], vdim=c["source"],
                                   batch_first=True).eval()
    transformer.set_heads(module, numbers, c["width"], c["source"])
    queries = numbers.make((c["batch"], c["queries"], c["width"]), 2.0 ** c["power"])
    keys = queries if c["own"] else numbers.make((c["batch"], c["keys"], c["source"]), 1.0)
    padding = hidden_keys(c, index) if c["padded"] else None
    return module(queries, keys, keys, key_padding_mask=padding, attn_mask=mask_of(c, numbers),
                  need_weights=bool(c["weights"]))[0].reshape(-1)


def make(work):
    made = cases()
    with torch.no_grad():
        outputs = torch.cat([output(index, c) for index, c in enumerate(made)])
    return {"about": "outputs: [batch, queries, width] of the cases, one after another; cases: the fields of each",
            "fields": " ".join(FIELDS)}, {
        "cases": np.array([list(c.values()) for c in made]), "outputs": record.stored(outputs)}
