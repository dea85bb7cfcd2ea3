# SPDX-License-Identifier: Apache-2.0
# What is computed with PyTorch: the formulas of model code, and the data as tensors.

import math

import torch

import sizes
import work

F = torch.nn.functional


def start(threads):
    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    torch.manual_seed(0)


# ---- formulas


def table_f32(rows, width):
    """The tutorials' table."""
    table = torch.zeros(rows, width)
    positions = torch.arange(0, rows).unsqueeze(1).float()
    frequencies = torch.exp(torch.arange(0, width, 2, dtype=torch.float) * -(math.log(10000.0) / width))
    table[:, 0::2] = torch.sin(positions * frequencies)
    table[:, 1::2] = torch.cos(positions * frequencies)
    return table


def table_in_f64(rows, width):
    frequencies = 1.0 / 10000 ** (torch.arange(width // 2, dtype=torch.float64) / (width / 2.0))
    angles = torch.outer(torch.arange(rows, dtype=torch.float64), frequencies)
    return torch.cat([torch.sin(angles), torch.cos(angles)], dim=1)


def table_f64(rows, width):
    return table_in_f64(rows, width).float()


def grid_f32(side, width):
    frequencies = 1.0 / 10000 ** (torch.arange(width // 4, dtype=torch.float32) / (width // 4))
    y, x = torch.meshgrid(
        torch.arange(side, dtype=torch.float32), torch.arange(side, dtype=torch.float32), indexing="ij"
    )
    y, x = y.flatten()[:, None] * frequencies, x.flatten()[:, None] * frequencies
    return torch.cat([x.sin(), x.cos(), y.sin(), y.cos()], dim=1)


def embed(ids, rows, table):
    return F.embedding(ids, rows) * math.sqrt(rows.shape[1]) + table[:, : ids.size(1)]


def embed_and_drop(ids, rows, table):
    return F.dropout(embed(ids, rows, table), 0.1, True)


def half_turned(x):
    return torch.cat((-x[..., x.shape[-1] // 2 :], x[..., : x.shape[-1] // 2]), dim=-1)


def rotate_half(q, k, cosine, sine):
    """Llama's formula: cosine and sine [1, positions, head]."""
    cosine, sine = cosine.unsqueeze(1), sine.unsqueeze(1)
    return q * cosine + half_turned(q) * sine, k * cosine + half_turned(k) * sine


def rotate_pairs(q, k, cosine, sine):
    """Adjacent pairs; cosine and sine [1, positions, head / 2]."""
    turned = []
    for x in (q, k):
        a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
        turned.append(torch.stack([a * cosine - b * sine, b * cosine + a * sine], -1).flatten(-2).to(x.dtype))
    return tuple(turned)


def timestep(steps):
    frequencies = torch.exp(-math.log(10000) * torch.arange(0, 160, dtype=torch.float32) / 159)
    angles = steps[:, None] * frequencies[None]
    return torch.cat([angles.sin(), angles.cos()], -1)


# ---- data as tensors


def rows_of(table):
    return lambda positions: table.reshape(-1, table.shape[-1])[torch.as_tensor(positions)].float().numpy()


def queries_and_keys(dtype):
    return tuple(torch.from_numpy(work.heads()).to(dtype) for _ in range(2))


def cosine_and_sine(dtype):
    angles = torch.outer(
        torch.arange(sizes.POSITIONS).float(), 1.0 / 10000 ** (torch.arange(0, sizes.HEAD, 2).float() / sizes.HEAD)
    )
    both = torch.cat((angles, angles), -1)[None]
    return both.cos().to(dtype), both.sin().to(dtype)


def rotary_error(before, form):
    """Of head 3 of the queries [1, heads, positions, head]."""
    return lambda turned: work.rotary_error(before[0, 3].float().numpy(), turned[0][0, 3].float().numpy(), form)
