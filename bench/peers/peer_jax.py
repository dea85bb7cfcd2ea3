# SPDX-License-Identifier: Apache-2.0
# JAX: everything compiled; data is an argument, so that nothing is computed while compiling.

import math

import jax
import jax.numpy as jnp
import numpy as np

import sizes
import work
from cell import Cell

ready = jax.block_until_ready


def tables():
    def table(first, rows, width, layout, dtype):
        frequencies = jnp.exp(jnp.arange(0, width, 2, dtype=jnp.float32) * (-math.log(10000.0) / width))
        angles = (jnp.arange(rows, dtype=jnp.float32) + first)[:, None] * frequencies
        sine, cosine = jnp.sin(angles), jnp.cos(angles)
        both = jnp.concatenate([sine, cosine], 1) if layout == "halves" else jnp.stack([sine, cosine], -1)
        return both.reshape(rows, width).astype(dtype)

    made, zero = jax.jit(table, static_argnums=(1, 2, 3, 4)), jnp.float32(0)
    for rows, width in sizes.TABLES:
        for layout in ("pairs", "halves"):
            yield Cell(
                sizes.table_row(rows, width),
                f"JAX f32, {layout}",
                lambda: ready(made(zero, rows, width, layout, jnp.float32)),
                lambda table: work.table_error(lambda p: np.asarray(table)[p], rows, width, layout),
            )
    for name, dtype in (("bf16", jnp.bfloat16), ("f16", jnp.float16)):
        yield Cell(
            sizes.table_row(*sizes.LARGE, name),
            "JAX f32, cast",
            lambda: ready(made(zero, *sizes.LARGE, "halves", dtype)),
        )


def grids():
    def grid(first, side, width):
        frequencies = 1.0 / 10000 ** (jnp.arange(width // 4, dtype=jnp.float32) / (width // 4))
        at = jnp.arange(side, dtype=jnp.float32) + first
        y, x = (z.reshape(-1)[:, None] * frequencies for z in jnp.meshgrid(at, at, indexing="ij"))
        return jnp.concatenate([jnp.sin(x), jnp.cos(x), jnp.sin(y), jnp.cos(y)], 1)

    made, zero = jax.jit(grid, static_argnums=(1, 2)), jnp.float32(0)
    for side, width in sizes.GRIDS:
        yield Cell(sizes.grid_row(side, width), "JAX f32", lambda: ready(made(zero, side, width)))


def inputs():
    def embed(rows, ids, table):
        return rows[ids] * math.sqrt(rows.shape[1]) + table[None]

    def embed_and_drop(key, rows, ids, table):
        keep = jax.random.bernoulli(key, 0.9, ids.shape + rows.shape[1:])
        return jnp.where(keep, embed(rows, ids, table) / 0.9, 0.0)

    stage, dropping = jax.jit(embed), jax.jit(embed_and_drop)
    for width in (512, 1024):
        rows, table = work.embedding(width), work.signal(sizes.LENGTH, width)
        w, pe = jnp.asarray(rows), jnp.asarray(table)
        for kind in ("uniform", "Zipf"):
            ids = work.ids(kind, sizes.SEQUENCES * sizes.LENGTH).reshape(sizes.SEQUENCES, sizes.LENGTH)
            x = jnp.asarray(ids, jnp.int32)
            yield Cell(
                sizes.input_row(kind, width),
                "JAX",
                lambda: ready(stage(w, x, pe)),
                lambda out: work.input_error(out, rows, ids, table),
            )
            if (kind, width) == ("uniform", 512):
                for generator in ("threefry2x32", "rbg"):
                    key = jax.random.key(0, impl=generator)
                    yield Cell(
                        sizes.DROPOUT_ROW,
                        f"JAX {generator}",
                        lambda: ready(dropping(key, w, x, pe)),
                        work.dropped_share,
                    )
        if width == 512:
            step = jax.jit(lambda w, x, pe, p: w[x] * math.sqrt(512) + jax.lax.dynamic_slice_in_dim(pe, p, 1)[None])
            token, at = jnp.asarray([[1234]], jnp.int32), jnp.int32(77)
            yield Cell(sizes.STEP_ROW, "JAX", lambda: ready(step(w, token, pe, at)))


def rotary():
    def turn(q, k, cosine, sine):
        turned = []
        for x in (q, k):
            a, b = jnp.split(x, 2, -1)
            turned.append(jnp.concatenate([a * cosine - b * sine, b * cosine + a * sine], -1))
        return tuple(turned)

    made, in_place = jax.jit(turn), jax.jit(turn, donate_argnums=(0, 1))
    for name, dtype in (("f32", jnp.float32), ("bf16", jnp.bfloat16)):
        q = jnp.asarray(work.heads(), dtype)
        k = q + 0
        sine, cosine = (
            jnp.asarray(x.astype(np.float32), dtype)[None, None]
            for x in work.exact_pairs(np.arange(sizes.POSITIONS), sizes.HEAD)
        )
        before, held = np.asarray(q[0, 3], np.float32), [q + 0, k + 0]

        def turn_held():
            held[:] = ready(in_place(*held, cosine, sine))
            return held

        def error(turned):
            return work.rotary_error(before, np.asarray(turned[0][0, 3], np.float32), "half")

        yield Cell(sizes.ROTARY_ROWS[name], "JAX halves", lambda: ready(made(q, k, cosine, sine)), error)
        yield Cell(sizes.ROTARY_ROWS[name], "JAX halves, donated", turn_held, error, "preallocated")
        if name == "f32":
            step = q[:, :, :1], k[:, :, :1], cosine[:, :, 77:78], sine[:, :, 77:78]
            yield Cell(sizes.ROTARY_STEP_ROW, "JAX halves", lambda: ready(made(*step)))


def backward():
    made = jax.jit(lambda gradient, ids: jnp.zeros((sizes.VOCABULARY, 512), jnp.float32).at[ids].add(gradient))
    gradient = work.gradients()
    on_device = jnp.asarray(gradient)
    for kind in ("uniform", "Zipf"):
        ids = work.ids(kind, sizes.IDS)
        x = jnp.asarray(ids, jnp.int32)
        yield Cell(
            sizes.backward_row("dense", kind),
            "JAX scatter-add",
            lambda: ready(made(on_device, x)),
            lambda out: work.backward_error(lambda i: np.asarray(out[i]), ids, gradient),
        )


def timesteps():
    def embed(steps):
        angles = steps[:, None] * jnp.exp(jnp.arange(160, dtype=jnp.float32) * (-math.log(10000) / 159))[None]
        return jnp.concatenate([jnp.sin(angles), jnp.cos(angles)], -1)

    made = jax.jit(embed)
    for count in sizes.TIMESTEPS:
        steps = jnp.arange(count, dtype=jnp.float32) + 0.5
        exact = work.joined(*work.exact_pairs(np.asarray(steps), sizes.TIMESTEP_WIDTH, "over_gaps"), "halves")
        yield Cell(
            sizes.timestep_row(count), "JAX f32", lambda: ready(made(steps)), lambda out: work.error_of(out, exact)
        )


def jax_compiled(threads):
    jax.config.update("jax_cpu_enable_async_dispatch", False)  # small calls: 12 us instead of 30 and more
    for cells in (tables, grids, inputs, rotary, backward, timesteps):
        yield from cells()
