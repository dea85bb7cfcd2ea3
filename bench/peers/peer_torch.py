# SPDX-License-Identifier: Apache-2.0
# PyTorch as people write it, and compiled.

import torch

import torch_attention
import torch_formulas
import torch_in_place
import torch_layers
import sizes
import work
from cell import Cell

# ---- cells for plain and compiled functions alike; `made` is the function, or the compiler's version of it


def tables(made, label):
    for rows, width in sizes.TABLES:
        row, f32, f64 = sizes.table_row(rows, width), made(torch_formulas.table_f32), made(torch_formulas.table_f64)
        yield Cell(
            row,
            f"{label} f32 recipe",
            lambda: f32(rows, width),
            lambda table: work.table_error(torch_formulas.rows_of(table), rows, width, "pairs"),
        )
        if made is plain or (rows, width) != sizes.LARGE:  # compiled: 4 s a call, the speed of the plain one
            yield Cell(
                row,
                f"{label} f64 recipe, cast",
                lambda: f64(rows, width),
                lambda table: work.table_error(torch_formulas.rows_of(table), rows, width, "halves"),
                recipe="f64",
            )
    for rows, width in sizes.TABLES_F64:
        f64 = made(torch_formulas.table_in_f64)
        yield Cell(sizes.table_row(rows, width, "f64"), f"{label} f64 recipe", lambda: f64(rows, width))
    rows, width = sizes.LARGE
    for name, dtype in (("bf16", torch.bfloat16), ("f16", torch.float16)):
        f32 = made(lambda rows, width: torch_formulas.table_f32(rows, width).to(dtype))
        yield Cell(sizes.table_row(rows, width, name), f"{label} f32 recipe, cast", lambda: f32(rows, width))
    for side, width in sizes.GRIDS:
        grid = made(torch_formulas.grid_f32)
        yield Cell(sizes.grid_row(side, width), f"{label} f32", lambda: grid(side, width))


def inputs(made, label):
    for width in (512, 1024):
        rows, table = work.embedding(width), work.signal(sizes.LENGTH, width)
        w, pe = torch.from_numpy(rows), torch.from_numpy(table)[None]
        for kind in ("uniform", "Zipf"):
            ids = work.ids(kind, sizes.SEQUENCES * sizes.LENGTH).reshape(sizes.SEQUENCES, sizes.LENGTH)
            x, stage = torch.from_numpy(ids), made(torch_formulas.embed)
            yield Cell(
                sizes.input_row(kind, width),
                label,
                lambda: stage(x, w, pe),
                lambda out: work.input_error(out, rows, ids, table),
            )
            if (kind, width) == ("uniform", 512):
                dropping = made(torch_formulas.embed_and_drop)
                yield Cell(sizes.DROPOUT_ROW, label, lambda: dropping(x, w, pe), work.dropped_share)
            if width == 512 and kind == "Zipf":
                step, token, row = made(torch_formulas.embed), torch.tensor([[1234]]), pe[:, 77:78]
                yield Cell(sizes.STEP_ROW, label, lambda: step(token, w, row))


def rotary(made, label):
    for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
        q, k = torch_formulas.queries_and_keys(dtype)
        cosine, sine = torch_formulas.cosine_and_sine(dtype)
        half, pairs = made(torch_formulas.rotate_half), made(torch_formulas.rotate_pairs)
        yield Cell(
            sizes.ROTARY_ROWS[name],
            f"{label} Llama's formula",
            lambda: half(q, k, cosine, sine),
            torch_formulas.rotary_error(q, "half"),
        )
        narrow = cosine[..., : sizes.HEAD // 2].contiguous(), sine[..., : sizes.HEAD // 2].contiguous()
        yield Cell(
            sizes.ROTARY_ROWS[name],
            f"{label} adjacent pairs",
            lambda: pairs(q, k, *narrow),
            torch_formulas.rotary_error(q, "pairs"),
        )
    q, k = torch.randn(1, sizes.HEADS, 1, sizes.HEAD), torch.randn(1, sizes.HEADS, 1, sizes.HEAD)
    cosine, sine = (x[:, 77:78] for x in torch_formulas.cosine_and_sine(torch.float32))
    step = made(torch_formulas.rotate_half)
    yield Cell(sizes.ROTARY_STEP_ROW, f"{label} Llama's formula", lambda: step(q, k, cosine, sine))


def backward(made, label):
    def dense(gradient, ids):
        return torch.ops.aten.embedding_dense_backward(gradient, ids, sizes.VOCABULARY, -1, False)

    gradient = torch.from_numpy(work.gradients())
    for kind in ("uniform", "Zipf"):
        ids, of_kind = torch.from_numpy(work.ids(kind, sizes.IDS)), made(dense)
        yield Cell(
            sizes.backward_row("dense", kind),
            f"{label} embedding_dense_backward",
            lambda: of_kind(gradient, ids),
            lambda out: work.backward_error(lambda i: out[i].numpy(), ids.numpy(), gradient.numpy()),
        )


def timesteps(made, label):
    for count in sizes.TIMESTEPS:
        steps, formula = torch.arange(count).float() + 0.5, made(torch_formulas.timestep)
        exact = work.joined(*work.exact_pairs(steps.numpy(), sizes.TIMESTEP_WIDTH, "over_gaps"), "halves")
        yield Cell(
            sizes.timestep_row(count), f"{label} f32", lambda: formula(steps), lambda out: work.error_of(out, exact)
        )


COLD = """
import math, sys, torch
w = torch.exp(torch.arange(0, 512, 2).float() * -(math.log(10000.0) / 512))
t, p = torch.zeros(5000, 512), torch.arange(0, 5000).unsqueeze(1).float() * w
t[:, 0::2] = torch.sin(p); t[:, 1::2] = torch.cos(p)
torch.save(t, sys.argv[1])
"""


def plain(function):
    return function


def of(made, label):
    for cells in (tables, inputs, rotary, backward, timesteps, torch_attention.cells, torch_layers.cells):
        yield from cells(made, label)


def torch_plain(threads):
    torch_formulas.start(threads)
    yield from of(plain, "PyTorch")
    yield from torch_in_place.cells()
    yield from torch_layers.recurrent()
    if threads == 1:
        yield Cell(sizes.COLD_ROW, "python, PyTorch, save", lambda: work.run_python(COLD), form="process")


def torch_compiled(threads):
    def made(function):
        torch._dynamo.reset()
        return torch.compile(function, dynamic=False)

    torch_formulas.start(threads)
    yield from of(made, "PyTorch compiled")
