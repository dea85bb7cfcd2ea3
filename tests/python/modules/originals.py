# SPDX-License-Identifier: Apache-2.0
"""The position modules that people have, as they stand in their sources: what old checkpoints were trained with."""

import math

import numpy as np
import torch
from torch import nn


class OpenNMT(nn.Module):
    """Sequence first, x sqrt d inside, one row a step."""

    def __init__(self, dim, dropout=0.0, max_len=5000):
        super().__init__()
        pe = torch.zeros(max_len, dim)
        position = torch.arange(0, max_len).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, dim, 2, dtype=torch.float) * -(math.log(10000.0) / dim))
        pe[:, 0::2] = torch.sin(position.float() * div_term)
        pe[:, 1::2] = torch.cos(position.float() * div_term)
        self.register_buffer("pe", pe.unsqueeze(1))
        self.dropout, self.dim = nn.Dropout(dropout), dim

    def forward(self, emb, step=None):
        emb = emb * math.sqrt(self.dim)
        emb = emb + (self.pe[: emb.size(0)] if step is None else self.pe[step])
        return self.dropout(emb)


class Divide(nn.Module):
    """Batch first, angles by a power and a division."""

    def __init__(self, d, dropout=0.1, max_len=5000):
        super().__init__()
        pe = torch.zeros(max_len, d)
        position = torch.arange(0, max_len).unsqueeze(1).float()
        angle = position / torch.pow(10000.0, torch.arange(0, d, 2).float() / d)
        pe[:, 0::2], pe[:, 1::2] = torch.sin(angle), torch.cos(angle)
        self.register_buffer("pe", pe)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        return self.dropout(x + self.pe[: x.shape[1]])


class BatchFirst(nn.Module):
    """[1, max_len, d], no scale, no dropout."""

    def __init__(self, d_model, max_len=5000):
        super().__init__()
        pe = torch.zeros(max_len, d_model)
        position = torch.arange(0, max_len, dtype=torch.float).unsqueeze(1)
        div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
        pe[:, 0::2], pe[:, 1::2] = torch.sin(position * div_term), torch.cos(position * div_term)
        self.register_buffer("pe", pe.unsqueeze(0))

    def forward(self, x):
        return x + self.pe[:, : x.size(1)]


def timestep_embedding(timesteps, dim, max_period=10000.0):
    """diffusers' get_timestep_embedding of DDPM: downscale_freq_shift 1, sines first."""
    half = dim // 2
    exponent = -math.log(max_period) * torch.arange(start=0, end=half, dtype=torch.float32)
    emb = torch.exp(exponent / (half - 1))
    emb = timesteps[:, None].float() * emb[None, :]
    return torch.cat([torch.sin(emb), torch.cos(emb)], dim=-1)


def sincos_1d(embed_dim, pos):
    """MAE's get_1d_sincos_pos_embed_from_grid."""
    omega = np.arange(embed_dim // 2, dtype=np.float32)
    omega /= embed_dim / 2.0
    omega = 1.0 / 10000**omega
    out = np.einsum("m,d->md", pos.reshape(-1), omega)
    return np.concatenate([np.sin(out), np.cos(out)], axis=1)


def sincos_2d(embed_dim, height, width):
    """MAE's get_2d_sincos_pos_embed, of a grid of any height and width."""
    grid = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    return np.concatenate([sincos_1d(embed_dim // 2, axis) for axis in grid], axis=1)


class Embedded(nn.Module):
    """An embedding, its scale and its position module, as an OpenNMT model has them, batch first."""

    def __init__(self, vocabulary, dim, max_len=5000):
        super().__init__()
        self.rows, self.positions, self.dim = nn.Embedding(vocabulary, dim), BatchFirst(dim, max_len), dim

    def forward(self, ids):
        return self.positions(self.rows(ids) * math.sqrt(self.dim))
