# SPDX-License-Identifier: Apache-2.0
# PyTorch into memory that is there, and the forms that have no compiled twin.

import math

import torch

import sizes
import work
from cell import Cell
from torch_formulas import cosine_and_sine, queries_and_keys, rotary_error, rows_of


def tables_in_place():
    for rows, width in sizes.TABLES:
        table, angles = torch.ones(rows, width), torch.ones(rows, width // 2)
        positions = torch.arange(rows).float().unsqueeze(1)
        frequencies = torch.exp(torch.arange(0, width, 2, dtype=torch.float) * -(math.log(10000.0) / width))

        def fill():
            torch.mul(positions, frequencies, out=angles)
            torch.sin(angles, out=table[:, 0::2])
            torch.cos(angles, out=table[:, 1::2])
            return table

        yield Cell(
            sizes.table_row(rows, width),
            "PyTorch out=",
            fill,
            lambda table: work.table_error(rows_of(table), rows, width, "pairs"),
            "preallocated",
        )


def inputs_in_place():
    for width in (512, 1024):
        rows, table = work.embedding(width), work.signal(sizes.LENGTH, width)
        w, pe, scale = torch.from_numpy(rows), torch.from_numpy(table)[None], math.sqrt(width)
        for kind in ("uniform", "Zipf"):
            ids = work.ids(kind, sizes.SEQUENCES * sizes.LENGTH).reshape(sizes.SEQUENCES, sizes.LENGTH)
            flat, out = torch.from_numpy(ids).reshape(-1), torch.ones(sizes.SEQUENCES * sizes.LENGTH, width)

            def fill():
                torch.index_select(w, 0, flat, out=out)
                return out.mul_(scale).view(sizes.SEQUENCES, sizes.LENGTH, width).add_(pe)

            yield Cell(
                sizes.input_row(kind, width),
                "PyTorch out=",
                fill,
                lambda out: work.input_error(out, rows, ids, table),
                "preallocated",
            )
        if width == 512:
            token, step, row = torch.tensor([1234]), torch.ones(1, width), pe[0, 77:78]
            yield Cell(
                sizes.STEP_ROW,
                "PyTorch out=",
                lambda: torch.index_select(w, 0, token, out=step).mul_(scale).add_(row),
                form="preallocated",
            )


def rotary_in_place():
    for name, dtype in (("f32", torch.float32), ("bf16", torch.bfloat16)):
        before = queries_and_keys(dtype)
        half = sizes.HEAD // 2
        cosine, sine = (x[:, None, :, :half].contiguous() for x in cosine_and_sine(dtype))
        q, k = before[0].clone(), before[1].clone()
        one, two = torch.ones_like(q[..., :half]), torch.ones_like(q[..., :half])

        def turn():
            for x in (q, k):
                a, b = x[..., :half], x[..., half:]
                torch.mul(a, sine, out=one)
                torch.mul(b, sine, out=two)
                a.mul_(cosine).sub_(two)
                b.mul_(cosine).add_(one)
            return q, k

        yield Cell(
            sizes.ROTARY_ROWS[name], "PyTorch halves in place", turn, rotary_error(before[0], "half"), "preallocated"
        )
        yield from complex_rotary(name, before)


def complex_rotary(name, before):
    """Llama's first code: a complex product, [1, positions, heads, head]."""
    q, k = (x.transpose(1, 2).contiguous() for x in before)
    angles = torch.outer(
        torch.arange(sizes.POSITIONS).float(), 1.0 / 10000 ** (torch.arange(0, sizes.HEAD, 2).float() / sizes.HEAD)
    )
    turns = torch.polar(torch.ones_like(angles), angles).view(1, sizes.POSITIONS, 1, sizes.HEAD // 2)

    def turn():
        return tuple(
            torch.view_as_real(torch.view_as_complex(x.float().unflatten(-1, (-1, 2))) * turns).flatten(3).type_as(x)
            for x in (q, k)
        )

    yield Cell(
        sizes.ROTARY_ROWS[name],
        "PyTorch complex product",
        turn,
        lambda turned: work.rotary_error(q[0, :, 3].float().numpy(), turned[0][0, :, 3].float().numpy(), "pairs"),
    )


def backward_in_place():
    gradient = torch.from_numpy(work.gradients())
    for kind in ("uniform", "Zipf"):
        ids, out = torch.from_numpy(work.ids(kind, sizes.IDS)), torch.ones(sizes.VOCABULARY, 512)
        yield Cell(
            sizes.backward_row("dense", kind),
            "PyTorch zero_, index_add_",
            lambda: out.zero_().index_add_(0, ids, gradient),
            lambda out: work.backward_error(lambda i: out[i].numpy(), ids.numpy(), gradient.numpy()),
            "preallocated",
        )
        yield Cell(
            sizes.backward_row("touched", kind),
            "PyTorch sparse coalesce",
            lambda: torch.sparse_coo_tensor(
                ids[None], gradient, (sizes.VOCABULARY, 512), check_invariants=False
            ).coalesce(),
        )


def cells():
    for of_operation in (tables_in_place, inputs_in_place, rotary_in_place, backward_in_place):
        yield from of_operation()
