# SPDX-License-Identifier: Apache-2.0
"""Goldens of the input stage: PyTorch's embedding, scale, sum and dropout, step by step, given rows, ids, table, mask.

PyTorch's results are the contract written in NumPy, bit for bit, or this stops:
out = RN(RN(RN(row x s) + RN(signal)) x keep), bf16 and f16 computed in f32 and rounded to storage.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import json
import math

import numpy as np
import torch

import truth
from philox import dropout_mask

TORCH = {"f32": torch.float32, "f64": torch.float64, "bf16": torch.bfloat16, "f16": torch.float16}

# name, vocabulary, width, batch, length, first position, signal, scale, axes, padding id, dropout p
CASES = [
    ("sinusoid", 11, 20, 2, 7, 0, "transformer", "sqrt", "batch_first", None, 0.1),
    ("sequence-first", 11, 20, 3, 5, 0, "transformer", "sqrt", "sequence_first", None, 0.1),
    ("late-step", 11, 20, 3, 1, 4999, "transformer", "sqrt", "batch_first", None, 0.5),
    ("padding", 11, 20, 2, 6, 0, "transformer", "sqrt", "batch_first", 3, 0.1),
    ("learned-odd-width", 7, 15, 2, 5, 2, "learned", "sqrt", "batch_first", None, 0.25),
    ("scale-rounded-to-bf16", 7, 24, 2, 5, 0, "transformer", "sqrt-bf16", "batch_first", None, 0.1),
    ("no-scale", 7, 8, 2, 5, 0, "transformer", "none", "batch_first", None, 0.1),
    ("paper-width", 3, 512, 2, 2, 0, "transformer", "sqrt", "batch_first", None, 0.1),
]
SEED, CALL = 0x123456789ABCDEF, 3


def loaded(values, dtype):
    """What truth.array gives, as PyTorch."""
    if dtype == "bf16":
        return torch.from_numpy(values.view(np.int16).copy()).view(torch.bfloat16)
    return torch.from_numpy(values)


# ---- the given ----

def given_rows(generator, vocabulary, dim, dtype):
    """Uniform in [-2, 2), with a row of edges: signed zeros, subnormals of f16, ties of bf16, large ones."""
    rows = torch.from_numpy(4 * generator.random((vocabulary, dim)) - 2)
    edges = [0.0, -0.0, 2.0**-24, -(2.0**-25) * 1.5, 6.1e-5, 1.0 + 2.0**-8, -1.0 - 3 * 2.0**-9, 2000.0]
    rows[1, : len(edges)] = torch.tensor(edges, dtype=torch.float64)[:dim]
    return rows.to(TORCH[dtype])


def given_table(generator, signal, first, length, dim, dtype):
    """Rows first .. first + length - 1 of the signal, in the type of the stage."""
    if signal == "learned":
        return torch.from_numpy(generator.random((length, dim)) / 16).to(TORCH[dtype])
    rows = truth.exact_rows(range(first, first + length), "over_width", "interleaved", "refused", dim, dtype)
    return loaded(rows, dtype)


def embedded(rows, ids, padding):
    """nn.Embedding with these weights. PyTorch zeroes the padding row when it makes or resets the weights."""
    layer = torch.nn.Embedding(*rows.shape, padding_idx=padding, dtype=rows.dtype)
    with torch.no_grad():
        layer.weight.copy_(rows)
        layer._fill_padding_idx_with_zero()
        return layer(ids)


# ---- PyTorch ----

def factor(scale, dim):
    """What a framework multiplies with: a Python double, or Gemma's bf16 number."""
    if scale == "none":
        return None
    return float(torch.tensor(dim**0.5, dtype=torch.bfloat16)) if scale == "sqrt-bf16" else math.sqrt(dim)


def pytorch_stage(rows, ids, table, scale, padding, mask, keep):
    """ids [B, L] with table [L, d], or ids [L, B] with table [L, 1, d]."""
    x = embedded(rows, ids, padding)
    scaled = x if scale is None else x * scale
    summed = scaled + table
    return {"scaled": scaled, "summed": summed, "dropped": summed * mask.to(rows.dtype) * keep}


# ---- the contract, in NumPy ----

def rounded(values, dtype):
    """f32 (f64 for f64) values rounded to storage and widened again."""
    if dtype == "bf16":
        bits = values.view(np.uint32)
        return ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return values.astype(np.float16).astype(np.float32) if dtype == "f16" else values


def contract_stage(rows, ids, table, scale, padding, mask, keep, dtype):
    wide = np.float64 if dtype == "f64" else np.float32
    weights = rows.to(TORCH["f64"]).numpy().astype(wide)
    if padding is not None:
        weights[padding] = 0
    x = weights[ids.numpy()]
    scaled = x if scale is None else rounded(x * wide(scale), dtype)
    summed = rounded(scaled + table.to(TORCH["f64"]).numpy().astype(wide), dtype)
    factors = np.where(mask.numpy() != 0, wide(keep), wide(0))
    return {"scaled": scaled, "summed": summed, "dropped": rounded(summed * factors, dtype)}


def differing_bits(tensor, wide):
    """Entries of PyTorch's result whose widened bits are not the contract's."""
    kind = np.int64 if wide.dtype == np.float64 else np.int32
    ours = tensor.to(torch.float64).numpy().astype(wide.dtype)
    return int((ours.view(kind) != wide.view(kind)).sum())


# ---- the work -----------------------------------------------------------------------------------

ABOUT = ("CASE/TYPE/rows [vocabulary, d] and table [L, d], of position first_position + i in row i, then PyTorch's scaled, "
         "summed and dropped; CASE/ids and mask (1 kept, 0 dropped). Axes of ids, mask and results as named; the padding "
         "row reads as zeros; factor: the scale before it is rounded to f32 or f64")


def case_about(case):
    name, vocabulary, dim, batch, length, first, signal, scale, axes, padding, p = case
    s = factor(scale, dim)
    return {"first_position": first, "signal": signal, "scale": scale, "factor": None if s is None else float.hex(s),
            "axes": axes, "padding_id": padding, "dropout": p, "seed": SEED, "call": CALL}


def case_tensors(case, dtype, index):
    """{name: tensor}, and the entries that differ from the contract in each step."""
    name, vocabulary, dim, batch, length, first, signal, scale, axes, padding, p = case
    generator = np.random.default_rng(1000 + index)  # integers and uniform doubles: the same bits everywhere
    rows = given_rows(generator, vocabulary, dim, dtype)
    table = given_table(generator, signal, first, length, dim, dtype)
    ids = torch.from_numpy(generator.integers(0, vocabulary, (batch, length)))
    ids[0, 0], ids[-1, -1] = 1, (padding if padding is not None else 0)
    k = round(65536 * p)
    mask = torch.from_numpy(dropout_mask((batch, length, dim), k, SEED, CALL))
    keep = 65536 / (65536 - k)
    given = rows, ids, table
    if axes == "sequence_first":
        given, mask = (rows, ids.T.contiguous(), table.unsqueeze(1)), mask.transpose(0, 1).contiguous()
    s = factor(scale, dim)
    results = pytorch_stage(*given, s, padding, mask, keep)
    formula = contract_stage(*given, s, padding, mask, keep, dtype)
    wrong = {step: differing_bits(results[step], formula[step]) for step in results}
    tensors = {f"{name}/{dtype}/{holds}": tensor for holds, tensor in {"rows": rows, "table": table, **results}.items()}
    return tensors | {f"{name}/ids": given[1], f"{name}/mask": mask}, wrong


def certain(name):
    return True  # IEEE operations on any target


def make(work):
    metadata, tensors = {"about": ABOUT}, {}
    for index, case in enumerate(CASES):
        metadata[case[0]] = json.dumps(case_about(case))
        for dtype in TORCH:
            made, wrong = case_tensors(case, dtype, index)
            print(f"{case[0]:22} {dtype:4} entries that differ from the contract: {wrong}")
            if any(wrong.values()):
                raise ArithmeticError("PyTorch's result differs from the contract")
            tensors |= {holds: record.stored(tensor) for holds, tensor in made.items()}
    return metadata, tensors
