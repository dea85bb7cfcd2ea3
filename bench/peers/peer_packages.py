# SPDX-License-Identifier: Apache-2.0
# Packages on top of PyTorch that have a position encoding of their own.

import torch

import sizes
import work
from cell import Cell
from torch_formulas import cosine_and_sine, queries_and_keys, rotary_error, rows_of, start

ROTARY_TYPES = (("f32", torch.float32), ("bf16", torch.bfloat16))


def positional_encodings(threads):
    start(threads)
    from positional_encodings.torch_encodings import PositionalEncoding1D, PositionalEncoding2D

    def anew(module, x):
        module.cached_penc = None  # it keeps its table: the making is what is timed
        return module(x)

    for rows, width in sizes.TABLES:
        line, x = PositionalEncoding1D(width), torch.empty(1, rows, width)
        yield Cell(
            sizes.table_row(rows, width),
            "positional-encodings 1D",
            lambda: anew(line, x),
            lambda table: work.table_error(rows_of(table), rows, width, "pairs"),
        )
    for side, width in sizes.GRIDS:
        plane, x = PositionalEncoding2D(width), torch.empty(1, side, side, width)
        yield Cell(sizes.grid_row(side, width), "positional-encodings 2D", lambda: anew(plane, x))


def transformers(threads):
    start(threads)
    from transformers import LlamaConfig
    from transformers.models.fsmt.modeling_fsmt import SinusoidalPositionalEmbedding as Fsmt
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding as Marian

    for rows, width in sizes.TABLES:
        row = sizes.table_row(rows, width)
        yield Cell(
            row,
            "transformers FSMT",
            lambda: Fsmt.get_embedding(rows, width, None),
            lambda table: work.table_error(rows_of(table), rows, width, "halves", "over_gaps"),
        )
        if (rows, width) != sizes.LARGE and threads == 1:  # a Python loop: minutes
            marian = Marian(rows, width)
            yield Cell(
                row,
                "transformers Marian",
                marian.create_weight,
                lambda table: work.table_error(rows_of(table), rows, width, "halves"),
                recipe="f64",
            )
    for name, dtype in ROTARY_TYPES:
        q, k = queries_and_keys(dtype)
        cosine, sine = cosine_and_sine(dtype)
        yield Cell(
            sizes.ROTARY_ROWS[name],
            "transformers Llama",
            lambda: apply_rotary_pos_emb(q, k, cosine, sine),
            rotary_error(q, "half"),
        )
    q, k = torch.randn(1, sizes.HEADS, 1, sizes.HEAD), torch.randn(1, sizes.HEADS, 1, sizes.HEAD)
    cosine, sine = (x[:, 77:78] for x in cosine_and_sine(torch.float32))
    yield Cell(sizes.ROTARY_STEP_ROW, "transformers Llama", lambda: apply_rotary_pos_emb(q, k, cosine, sine))
    module, at = LlamaRotaryEmbedding(
        LlamaConfig(hidden_size=4096, num_attention_heads=32, head_dim=128)
    ), torch.tensor([[77]])
    yield Cell(
        sizes.ROTARY_STEP_ROW, "transformers Llama, its module too", lambda: apply_rotary_pos_emb(q, k, *module(q, at))
    )
    for tokens in sizes.CACHES:
        ids = torch.arange(77, 77 + tokens)[None]
        yield Cell(sizes.cache_row(tokens), "transformers LlamaRotaryEmbedding", lambda: module(q, ids))


def diffusers(threads):
    start(threads)
    from diffusers.models.embeddings import (
        get_1d_sincos_pos_embed_from_grid,
        get_2d_sincos_pos_embed,
        get_timestep_embedding,
    )

    for rows, width in sizes.TABLES:
        row, positions = sizes.table_row(rows, width), torch.arange(rows).float()
        yield Cell(
            row,
            "diffusers 1D (f64)",
            lambda: get_1d_sincos_pos_embed_from_grid(width, positions).float(),
            lambda table: work.table_error(rows_of(table), rows, width, "halves"),
            recipe="f64",
        )
        yield Cell(
            row,
            "diffusers timestep",
            lambda: get_timestep_embedding(positions, width),
            lambda table: work.table_error(rows_of(table), rows, width, "halves", "over_gaps"),
        )
    for side, width in sizes.GRIDS:
        yield Cell(
            sizes.grid_row(side, width),
            "diffusers 2D (f64)",
            lambda: get_2d_sincos_pos_embed(width, side, base_size=side).float(),
            recipe="f64",
        )
    for count in sizes.TIMESTEPS:
        steps = torch.arange(count).float() + 0.5
        exact = work.joined(*work.exact_pairs(steps.numpy(), sizes.TIMESTEP_WIDTH, "over_gaps"), "halves")
        yield Cell(
            sizes.timestep_row(count),
            "diffusers timestep",
            lambda: get_timestep_embedding(steps, sizes.TIMESTEP_WIDTH),
            lambda out: work.error_of(out, exact),
        )


def timm(threads):
    start(threads)
    build = timm_grid()
    for side, width in sizes.GRIDS:
        yield Cell(sizes.grid_row(side, width), "timm", lambda: build([side, side], width))


def timm_grid():
    """timm's __init__ needs torchvision: its one module is loaded without it."""
    import importlib.util
    import os
    import sys
    import types

    base = os.path.dirname(importlib.util.find_spec("timm").origin)
    for name, path in (("timm", base), ("timm.layers", os.path.join(base, "layers"))):
        package = types.ModuleType(name)
        package.__path__ = [path]
        sys.modules[name] = package
    return importlib.import_module("timm.layers.pos_embed_sincos").build_sincos2d_pos_embed


def rotary_embedding_torch(threads):
    start(threads)
    from rotary_embedding_torch import RotaryEmbedding

    for name, dtype in ROTARY_TYPES:
        q, k = queries_and_keys(dtype)
        module = RotaryEmbedding(dim=sizes.HEAD)  # of its own: its table has the type of its first call
        yield Cell(
            sizes.ROTARY_ROWS[name],
            "rotary-embedding-torch",
            lambda: (module.rotate_queries_or_keys(q), module.rotate_queries_or_keys(k)),
            rotary_error(q, "pairs"),
        )


def x_transformers(threads):
    start(threads)
    from x_transformers.x_transformers import RotaryEmbedding, ScaledSinusoidalEmbedding, apply_rotary_pos_emb

    for rows, width in sizes.TABLES:
        module, x = ScaledSinusoidalEmbedding(width), torch.empty(1, rows, 1)
        module.scale.fill_(1.0)
        yield Cell(
            sizes.table_row(rows, width),
            "x-transformers ScaledSinusoidal",
            lambda: module(x),
            lambda table: work.table_error(rows_of(table), rows, width, "halves"),
        )
    for name, dtype in ROTARY_TYPES:
        q, k = queries_and_keys(dtype)
        angles, scale = RotaryEmbedding(sizes.HEAD).forward_from_seq_len(sizes.POSITIONS)
        yield Cell(
            sizes.ROTARY_ROWS[name],
            "x-transformers",
            lambda: (apply_rotary_pos_emb(q, angles, scale), apply_rotary_pos_emb(k, angles, scale)),
            rotary_error(q, "pairs"),
        )
