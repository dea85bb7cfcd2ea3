# SPDX-License-Identifier: Apache-2.0
"""Rotations by the originals: transformers' LLaMA and GPT-J, and Meta's complex form.

Each takes q [1, heads, L, d], positions and the rotated columns, and returns (ladder, cosines [L, rotated / 2], sines,
rotated q).
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import torch
from transformers.models.gptj import modeling_gptj
from transformers.models.llama import modeling_llama
from transformers.models.llama.configuration_llama import LlamaConfig


def llama(q, positions, rotated):
    config = LlamaConfig(hidden_size=q.shape[1] * rotated, num_attention_heads=q.shape[1], head_dim=rotated)
    module = modeling_llama.LlamaRotaryEmbedding(config)
    cos, sin = module(q, torch.tensor([positions]))
    out, _ = modeling_llama.apply_rotary_pos_emb(q, q, cos, sin)
    half = rotated // 2
    return module.inv_freq, cos[0, :, :half], sin[0, :, :half], out


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
