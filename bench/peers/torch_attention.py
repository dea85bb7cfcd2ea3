# SPDX-License-Identifier: Apache-2.0
# Attention by PyTorch: its fused kernel, as everybody calls it.

import numpy as np
import torch

import sizes
import work
from cell import Cell

F = torch.nn.functional
WHO = "scaled_dot_product_attention"


def error_of(q, k, v):
    """Of the last query of the first head, against f64."""

    def found(out):
        scores = k[0, 0].astype(np.float64) @ q[0, 0, -1].astype(np.float64) / np.sqrt(sizes.ATTENTION_HEAD)
        weights = np.exp(scores - scores.max())
        exact = weights @ v[0, 0].astype(np.float64) / weights.sum()
        return {"error": float(np.abs(out[0, 0, -1].numpy() - exact).max())}

    return found


def cells(made, label):
    def all_keys(q, k, v):
        return F.scaled_dot_product_attention(q, k, v)

    def causal(q, k, v):
        return F.scaled_dot_product_attention(q, k, v, is_causal=True)

    for tokens in sizes.ATTENTION:
        q, k, v = work.attention_heads(tokens, tokens)
        tensors = [torch.from_numpy(x) for x in (q, k, v)]
        for row, function in ((sizes.attention_row(tokens), all_keys), (sizes.causal_row(tokens), causal)):
            called = made(function)
            yield Cell(row, f"{label} {WHO}", lambda: called(*tensors), error_of(q, k, v))
    q, k, v = work.attention_heads(1, sizes.ATTENTION_STEP)
    tensors, called = [torch.from_numpy(x) for x in (q, k, v)], made(all_keys)
    yield Cell(sizes.ATTENTION_STEP_ROW, f"{label} {WHO}", lambda: called(*tensors), error_of(q, k, v))
