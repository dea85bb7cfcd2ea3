# SPDX-License-Identifier: Apache-2.0
# posenc.torch: what a user of PyTorch gets from posenc, fresh results and the way through Python included.

import torch

import posenc
import posenc.torch
import sizes
import work
from cell import Cell
from torch_formulas import queries_and_keys, rotary_error, rows_of, start

TYPES = {"f32": torch.float32, "bf16": torch.bfloat16}


def tables():
    for rows, width in sizes.TABLES:
        module = posenc.torch.SinusoidalEmbedding(width, convention="transformer")
        yield Cell(
            sizes.table_row(rows, width),
            "posenc.torch",
            lambda: module(range(rows)),
            lambda table: work.table_error(rows_of(table), rows, width, "pairs"),
        )


def stage(rows, dropout=0.0):
    made = posenc.torch.InputEmbedding(
        *rows.shape, convention="transformer", scale="sqrt_dim", dropout=dropout, device="meta"
    )
    made.weight = torch.nn.Parameter(torch.from_numpy(rows))
    return made


def inputs():
    for width in (512, 1024):
        rows, table = work.embedding(width), work.signal(sizes.LENGTH, width)
        module, dropping = stage(rows), stage(rows, 0.1)
        for kind in ("uniform", "Zipf"):
            ids = work.ids(kind, sizes.SEQUENCES * sizes.LENGTH).reshape(sizes.SEQUENCES, sizes.LENGTH)
            x = torch.from_numpy(ids)
            yield Cell(
                sizes.input_row(kind, width),
                "posenc.torch",
                lambda: module(x),
                lambda out: work.input_error(out, rows, ids, table),
            )
            if (kind, width) == ("uniform", 512):
                yield Cell(sizes.DROPOUT_ROW, "posenc.torch", lambda: dropping(x), work.dropped_share)
                token = torch.tensor([[1234]])
                yield Cell(sizes.STEP_ROW, "posenc.torch", lambda: module(token, 77))


def rotary():
    for name, dtype in TYPES.items():
        q, k = queries_and_keys(dtype)
        yield Cell(
            sizes.ROTARY_ROWS[name],
            "posenc.torch apply_rotary",
            lambda: posenc.torch.apply_rotary(q, k, range(sizes.POSITIONS), convention="llama"),
            rotary_error(q, "half"),
        )
        once, also = q.clone(), k.clone()
        yield Cell(
            sizes.ROTARY_ROWS[name],
            "posenc.torch apply_rotary_",
            lambda: posenc.torch.apply_rotary_(once, also, range(sizes.POSITIONS), convention="llama"),
            form="preallocated",
        )
    q, k = torch.randn(1, sizes.HEADS, 1, sizes.HEAD), torch.randn(1, sizes.HEADS, 1, sizes.HEAD)
    step = posenc.torch.apply_rotary
    yield Cell(
        sizes.ROTARY_STEP_ROW, "posenc.torch apply_rotary", lambda: step(q, k, 77, convention="llama")
    )
    yield Cell(
        sizes.ROTARY_STEP_ROW,
        "posenc.torch apply_rotary_",
        lambda: posenc.torch.apply_rotary_(q, k, 77, convention="llama"),
        form="preallocated",
    )


def caches():
    module = posenc.torch.RotaryEmbedding("llama", sizes.HEAD)
    for tokens in sizes.CACHES:
        x, at = torch.empty(1), torch.arange(77, 77 + tokens)[None]
        yield Cell(sizes.cache_row(tokens), "posenc.torch RotaryEmbedding", lambda: module(x, at))


def timesteps():
    module = posenc.torch.TimestepEmbedding(sizes.TIMESTEP_WIDTH, convention="ddpm")
    for count in sizes.TIMESTEPS:
        steps = torch.arange(count).float() + 0.5
        exact = work.joined(*work.exact_pairs(steps.numpy(), sizes.TIMESTEP_WIDTH, "over_gaps"), "halves")
        yield Cell(
            sizes.timestep_row(count),
            "posenc.torch",
            lambda: module(steps),
            lambda out: work.error_of(out, exact),
        )


def posenc_torch(threads):
    start(threads)
    posenc.set_threads(threads)
    for cells in (tables, inputs, rotary, caches, timesteps):
        yield from cells()
