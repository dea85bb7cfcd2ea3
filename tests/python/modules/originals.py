# SPDX-License-Identifier: Apache-2.0
"""The position modules that people have, as they stand in their sources: what old checkpoints were trained with."""

import math

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
