# SPDX-License-Identifier: Apache-2.0
"""Rotations by the originals: transformers' models, and Meta's complex form.

Each takes q [1, heads, L, d], positions and the rotated columns, and returns (ladder, cosines [L, rotated / 2], sines,
rotated q).
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib

import numpy as np
import torch
from transformers.models.gptj import modeling_gptj
from transformers.models.llama import modeling_llama
from transformers.models.llama.configuration_llama import LlamaConfig
from transformers.models.roformer import modeling_roformer

from rotation_works import PHI3_FACTORS, PHI35_FACTORS


def llama(q, positions, rotated):
    config = LlamaConfig(hidden_size=q.shape[1] * rotated, num_attention_heads=q.shape[1], head_dim=rotated)
    module = modeling_llama.LlamaRotaryEmbedding(config)
    cos, sin = module(q, torch.tensor([positions]))
    out, _ = modeling_llama.apply_rotary_pos_emb(q, q, cos, sin)
    half = rotated // 2
    return module.inv_freq, cos[0, :, :half], sin[0, :, :half], out


def model(module, name, q, positions, *, columns=slice(None), turn="apply_rotary_pos_emb", heads_last=False, layer=(),
          config="", **fields):
    """A model of transformers: its rotary class, made of its configuration with these fields, and the function by which
    its attention turns those columns of the heads. `heads_last`: it has q as [1, L, heads, d]; `layer`: its type;
    `config`: what the configuration is called where that is another name."""
    modeling, configuration = (importlib.import_module(f"transformers.models.{module}.{kind}_{module}")
                               for kind in ("modeling", "configuration"))
    stated = getattr(configuration, f"{config or name}Config")(
        **{"hidden_size": q.shape[1] * q.shape[3], "num_attention_heads": q.shape[1], **fields})
    rotary = getattr(modeling, f"{name}RotaryEmbedding")(stated)
    table = rotary(q, torch.tensor([positions]), *layer)
    given = table if isinstance(table, tuple) else (table,)
    part = q[..., columns].transpose(1, 2) if heads_last else q[..., columns]
    turned, _ = getattr(modeling, turn)(part, part, *given)
    out = q.clone()
    out[..., columns] = turned.transpose(1, 2) if heads_last else turned
    ladder = getattr(rotary, "_".join([*layer, "inv_freq"]))
    cos, sin = table if isinstance(table, tuple) else (table.real, table.imag)
    return ladder, each_once(cos[0], len(ladder)), each_once(sin[0], len(ladder)), out


def longrope(q, positions, lists=PHI3_FACTORS):
    """Phi-3's, whose lists are read at the lengths of the positions."""
    short, long = lists
    return model("phi3", "Phi3", q, positions, head_dim=q.shape[3], max_position_embeddings=131072, pad_token_id=0,
                 original_max_position_embeddings=4096, rope_parameters={
                     "rope_type": "longrope", "rope_theta": 10000.0, "short_factor": short, "long_factor": long,
                     "original_max_position_embeddings": 4096})


def clipped(q, positions, pairs):
    """hrlics/CoPE is no package: its mask over the ladder of transformers' Llama, written again."""
    import transformers.models.llama.modeling_llama as llama
    from transformers import LlamaConfig
    rotary = llama.LlamaRotaryEmbedding(LlamaConfig(
        hidden_size=q.shape[1] * q.shape[3], num_attention_heads=q.shape[1],
        rope_parameters={"rope_type": "default", "rope_theta": 500000.0}))
    mask = 0.5 * (1.0 + torch.cos(torch.linspace(0.0, torch.pi, steps=pairs, dtype=torch.float32)))
    rotary.inv_freq[-pairs:] *= mask
    cos, sin = rotary(q, torch.tensor([positions]))
    turned, _ = llama.apply_rotary_pos_emb(q, q, cos, sin)
    count = len(rotary.inv_freq)
    return rotary.inv_freq, each_once(cos[0], count), each_once(sin[0], count), turned


def each_once(values, count):
    """[L, count] of a table that holds each value once, or all of them twice, or each of them twice."""
    if values.shape[1] == count:
        return values.contiguous()
    is_twice = torch.equal(values[:, :count], values[:, count:])
    return (values[:, :count] if is_twice else values[:, ::2]).contiguous()


def roformer(q, positions, rotated):
    """Its table is made in f64 without a ladder: this one is written again."""
    table = modeling_roformer.RoFormerSinusoidalPositionalEmbedding(max(positions) + 1, rotated).create_weight()
    table = table[list(positions)]
    out, _ = modeling_roformer.RoFormerSelfAttention.apply_rotary_position_embeddings(table[None, None], q, q)
    sin, cos = table.chunk(2, dim=-1)
    ladder = torch.from_numpy(1 / np.power(10000, np.arange(0, rotated, 2) / rotated))
    return ladder, cos.contiguous(), sin.contiguous(), out


def gptj(q, positions, rotated):
    """Its heads stand after the sequence, and it rotates the first columns of a head."""
    table = modeling_gptj.create_sinusoidal_positions(max(positions) + 1, rotated)[list(positions)]
    sin, cos = table[None].chunk(2, dim=-1)
    x = q.transpose(1, 2)
    turned = modeling_gptj.apply_rotary_pos_emb(x[..., :rotated], sin, cos)
    out = torch.cat([turned, x[..., rotated:]], dim=-1).transpose(1, 2)
    ladder = 1.0 / (10000 ** (torch.arange(0, rotated, 2, dtype=torch.int64) / rotated))
    return ladder, cos[0], sin[0], out


def meta(q, positions, rotated):
    """llama/model.py, precompute_freqs_cis and apply_rotary_emb, written again: no package holds it."""
    ladder = 1.0 / (10000.0 ** (torch.arange(0, rotated, 2)[: rotated // 2].float() / rotated))
    freqs = torch.outer(torch.arange(max(positions) + 1), ladder).float()[list(positions)]
    cis = torch.polar(torch.ones_like(freqs), freqs)
    x = torch.view_as_complex(q.float().reshape(*q.shape[:-1], -1, 2))
    return ladder, cis.real, cis.imag, torch.view_as_real(x * cis).flatten(3).type_as(q)
