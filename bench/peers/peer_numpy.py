# SPDX-License-Identifier: Apache-2.0
# NumPy: the recipes of model code, on one thread.

import math

import numpy as np

import sizes
import work
from cell import Cell


def half_f64(width, positions):
    """MAE's one-axis code: f64, sines first."""
    frequencies = 1.0 / 10000 ** (np.arange(width // 2, dtype=np.float64) / (width / 2.0))
    angles = np.einsum("m,d->md", positions.reshape(-1), frequencies)
    return np.concatenate([np.sin(angles), np.cos(angles)], axis=1)


def table_f32(rows, width, out):
    positions = np.arange(rows, dtype=np.float32)[:, None]
    frequencies = np.exp(np.arange(0, width, 2, dtype=np.float32) * np.float32(-math.log(10000.0) / width))
    out[:, 0::2] = np.sin(positions * frequencies)
    out[:, 1::2] = np.cos(positions * frequencies)
    return out


def grid_f64(side, width):
    x, y = np.meshgrid(np.arange(side, dtype=np.float32), np.arange(side, dtype=np.float32))
    return np.concatenate([half_f64(width // 2, x), half_f64(width // 2, y)], axis=1).astype(np.float32)


def tables():
    for rows, width in sizes.TABLES:
        row = sizes.table_row(rows, width)
        yield Cell(
            row,
            "NumPy f32 recipe",
            lambda: table_f32(rows, width, np.zeros((rows, width), np.float32)),
            lambda table: work.table_error(lambda p: table[p], rows, width, "pairs"),
        )
        yield Cell(
            row,
            "NumPy f64 recipe, cast",
            lambda: half_f64(width, np.arange(rows, dtype=np.float64)).astype(np.float32),
            lambda table: work.table_error(lambda p: table[p], rows, width, "halves"),
            recipe="f64",
        )
    for rows, width in sizes.TABLES_F64:
        yield Cell(
            sizes.table_row(rows, width, "f64"),
            "NumPy f64 recipe",
            lambda: half_f64(width, np.arange(rows, dtype=np.float64)),
        )
    rows, width = sizes.LARGE
    yield Cell(
        sizes.table_row(rows, width, "f16"),
        "NumPy f32 recipe, cast",
        lambda: table_f32(rows, width, np.zeros((rows, width), np.float32)).astype(np.float16),
    )
    for side, width in sizes.GRIDS:
        yield Cell(sizes.grid_row(side, width), "NumPy, MAE's code (f64)", lambda: grid_f64(side, width), recipe="f64")


def inputs():
    for width in (512, 1024):
        rows, table, scale = work.embedding(width), work.signal(sizes.LENGTH, width), np.float32(math.sqrt(width))
        for kind in ("uniform", "Zipf"):
            ids = work.ids(kind, sizes.SEQUENCES * sizes.LENGTH).reshape(sizes.SEQUENCES, sizes.LENGTH)
            out = np.ones((sizes.SEQUENCES, sizes.LENGTH, width), np.float32)

            def in_place():
                np.take(rows, ids, axis=0, out=out, mode="clip")
                np.multiply(out, scale, out=out)
                return np.add(out, table, out=out)

            def error(result):
                return work.input_error(result, rows, ids, table)

            yield Cell(sizes.input_row(kind, width), "NumPy w[x] * s + pe", lambda: rows[ids] * scale + table, error)
            yield Cell(sizes.input_row(kind, width), "NumPy take(out=)", in_place, error, "preallocated")
    rows, table, scale, token = (
        work.embedding(512),
        work.signal(sizes.LENGTH, 512),
        np.float32(math.sqrt(512)),
        np.array([[1234]]),
    )
    yield Cell(sizes.STEP_ROW, "NumPy w[x] * s + pe", lambda: rows[token] * scale + table[77:78])


def backward():
    gradient = work.gradients()
    for kind in ("uniform", "Zipf"):
        ids = work.ids(kind, sizes.IDS)

        def add_at():
            out = np.zeros((sizes.VOCABULARY, 512), np.float32)
            np.add.at(out, ids, gradient)
            return out

        yield Cell(
            sizes.backward_row("dense", kind),
            "NumPy add.at",
            add_at,
            lambda out: work.backward_error(lambda i: out[i], ids, gradient),
        )


def timesteps():
    def embed(steps):
        angles = steps[:, None] * np.exp(np.arange(160, dtype=np.float32) * np.float32(-math.log(10000) / 159))[None]
        return np.concatenate([np.sin(angles), np.cos(angles)], -1)

    for count in sizes.TIMESTEPS:
        steps = np.arange(count, dtype=np.float32) + np.float32(0.5)
        exact = work.joined(*work.exact_pairs(steps, sizes.TIMESTEP_WIDTH, "over_gaps"), "halves")
        yield Cell(sizes.timestep_row(count), "NumPy f32", lambda: embed(steps), lambda out: work.error_of(out, exact))


COLD = """
import sys, math, numpy as np
w = np.exp(np.arange(0, 512, 2, dtype=np.float32) * np.float32(-math.log(10000.0) / 512))
p = np.arange(5000, dtype=np.float32)[:, None] * w
t = np.zeros((5000, 512), np.float32); t[:, 0::2] = np.sin(p); t[:, 1::2] = np.cos(p)
np.save(sys.argv[1], t)
"""


def numpy(threads):
    yield from tables()
    yield from inputs()
    yield from backward()
    yield from timesteps()
    yield Cell(sizes.COLD_ROW, "python, NumPy, save", lambda: work.run_python(COLD), form="process")
