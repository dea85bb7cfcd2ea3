# SPDX-License-Identifier: Apache-2.0
# MLX, its CPU build.

import math

import mlx.core as mx
import mlx.nn as nn
import numpy as np

import sizes
import work
from cell import Cell


def done(result):
    mx.eval(result)
    return result


def tables():
    for rows, width in sizes.TABLES:
        module, positions = nn.SinusoidalPositionalEncoding(width, scale=1.0), mx.arange(rows).astype(mx.float32)
        yield Cell(
            sizes.table_row(rows, width),
            "MLX SinusoidalPositionalEncoding",
            lambda: done(module(positions)),
            lambda table: work.table_error(lambda p: np.array(table)[p], rows, width, "halves", "over_gaps"),
        )


def inputs():
    for width in (512, 1024):
        rows, table = work.embedding(width), work.signal(sizes.LENGTH, width)
        w, pe = mx.array(rows), mx.array(table)
        for kind in ("uniform", "Zipf"):
            ids = work.ids(kind, sizes.SEQUENCES * sizes.LENGTH).reshape(sizes.SEQUENCES, sizes.LENGTH)
            x = mx.array(ids.astype(np.int32))
            yield Cell(
                sizes.input_row(kind, width),
                "MLX",
                lambda: done(w[x] * math.sqrt(width) + pe),
                lambda out: work.input_error(np.array(out), rows, ids, table),
            )
        if width == 512:
            token = mx.array([[1234]])
            yield Cell(sizes.STEP_ROW, "MLX", lambda: done(w[token] * math.sqrt(512) + pe[77:78]))


def rotary():
    for name, dtype in (("f32", mx.float32), ("bf16", mx.bfloat16)):
        q = mx.array(work.heads()).astype(dtype)
        k = done(q + 0)
        before = np.array(q[0, 3].astype(mx.float32))

        def turn():
            return done(
                [mx.fast.rope(x, sizes.HEAD, traditional=False, base=10000.0, scale=1.0, offset=0) for x in (q, k)]
            )

        yield Cell(
            sizes.ROTARY_ROWS[name],
            "MLX fast.rope",
            turn,
            lambda turned: work.rotary_error(before, np.array(turned[0][0, 3].astype(mx.float32)), "half"),
        )


def backward():
    gradient = work.gradients()
    on_device = mx.array(gradient)
    ids = work.ids("uniform", sizes.IDS)
    x = mx.array(ids.astype(np.int32))
    yield Cell(
        sizes.backward_row("dense", "uniform"),
        "MLX at[].add",
        lambda: done(mx.zeros((sizes.VOCABULARY, 512)).at[x].add(on_device)),
        lambda out: work.backward_error(lambda i: np.array(out[i]), ids, gradient),
    )


def mlx(threads):
    for cells in (tables, inputs, rotary, backward):
        yield from cells()
