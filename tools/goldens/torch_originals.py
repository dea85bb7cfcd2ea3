# SPDX-License-Identifier: Apache-2.0
"""Originals in PyTorch, written again from their descriptions: no package that can be installed holds them.

TensorFlow is not installed: tf-official and tensor2tensor are PyTorch float32 tensors in the order of the TensorFlow
graph, so their roundings are the original's and their exp, sin and cos are PyTorch's. (NumPy's float32 exp is up to 2
last places from the correctly rounded one at these arguments, PyTorch's 1.) So are ddpm and big_vision, which is JAX.

Each takes (dim, positions) or (dim, grid) and returns (ladder, table of those rows or cells). Modules with a max_len
build their whole table, as the original does, and the rows are picked from it.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import functools
import math

import numpy as np
import torch


@functools.cache
def _module_table(ladder_of, dim, max_len):
    """A PyTorch module's ladder and its filled buffer [max_len, dim]."""
    position = torch.arange(max_len).unsqueeze(1)
    ladder, angle = ladder_of(dim, position)
    table = torch.zeros(max_len, dim)
    table[:, 0::2] = torch.sin(angle)
    table[:, 1::2] = torch.cos(angle)
    return ladder.numpy(), table.numpy()


def _by_float_range(dim, position):
    w = torch.exp(torch.arange(0, dim, 2, dtype=torch.float) * -(math.log(10000.0) / dim))
    return w, position.float() * w


def _by_integer_range(dim, position):
    w = torch.exp(torch.arange(0, dim, 2) * (-math.log(10000.0) / dim))
    return w, position * w


def _by_division(dim, position):
    divisor = torch.pow(10000, torch.arange(0, dim, 2) / dim)
    return divisor, position / divisor


def _rows(ladder_of, dim, positions):
    ladder, table = _module_table(ladder_of, dim, 5000)
    return ladder, table[positions]


def opennmt(dim, positions):
    return _rows(_by_float_range, dim, positions)


def pytorch(dim, positions):
    return _rows(_by_integer_range, dim, positions)


def pytorch_divide(dim, positions):
    """Its ladder holds the divisors 10000^(2k/d): it has no frequencies."""
    return _rows(_by_division, dim, positions)


def whisper_published(dim, positions):
    step = np.log(10000) / (dim // 2 - 1)
    w = torch.exp(-step * torch.arange(dim // 2))
    angle = torch.arange(1500)[:, np.newaxis] * w[np.newaxis, :]
    return w.numpy(), torch.cat([torch.sin(angle), torch.cos(angle)], dim=1).numpy()[positions]


def _sine_first(w, positions, pad):
    angle = torch.tensor(positions).float().unsqueeze(1) * w.unsqueeze(0)
    signal = torch.cat([torch.sin(angle), torch.cos(angle)], dim=1)
    return w.numpy(), torch.nn.functional.pad(signal, (0, pad)).numpy()


def _timing_signal(dim, positions, gaps, pad):
    step = torch.tensor(math.log(1.0e4 / 1.0), dtype=torch.float32) / gaps
    return _sine_first(1.0 * torch.exp(torch.arange(dim // 2).float() * -step), positions, pad)


def tf_official(dim, positions):
    return _timing_signal(dim, positions, torch.tensor(float(dim // 2)) - 1, 0)


def tensor2tensor(dim, positions):
    return _timing_signal(dim, positions, torch.clamp(torch.tensor(float(dim // 2)) - 1, min=1), dim % 2)


def _cell_blocks(w, coordinates):
    """[N, 2n]: sines and cosines of the coordinates of the cells, side by side."""
    angle = torch.einsum("m,d->md", coordinates.flatten(), w)
    return torch.cat([torch.sin(angle), torch.cos(angle)], dim=1)


def tensor2tensor_nd(dim, grid):
    """One pass an axis over a tensor of zeros, each padded to the columns of its axis."""
    n = dim // (2 * len(grid))
    step = torch.tensor(math.log(1.0e4 / 1.0), dtype=torch.float32) / (torch.tensor(float(n)) - 1)
    w = 1.0 * torch.exp(torch.arange(n).float() * -step)
    table = torch.zeros(*grid, dim)
    for axis, length in enumerate(grid):
        signal = _cell_blocks(w, torch.arange(length).float())
        signal = torch.nn.functional.pad(signal, (axis * 2 * n, dim - (axis + 1) * 2 * n))
        table += signal.reshape([length if i == axis else 1 for i in range(len(grid))] + [dim])
    return w.numpy(), table.reshape(-1, dim).numpy()


def mocov3(dim, grid):
    """Of the grid whose cells it flattens in this order: its own width is the slow index."""
    slow, fast = torch.meshgrid(*(torch.arange(size, dtype=torch.float32) for size in grid), indexing="ij")
    w = 1.0 / (10000.0 ** (torch.arange(dim // 4, dtype=torch.float32) / (dim // 4)))
    return w.numpy(), torch.cat([_cell_blocks(w, slow), _cell_blocks(w, fast)], dim=1).numpy()


def big_vision(dim, grid):
    y, x = torch.meshgrid(*(torch.arange(size, dtype=torch.float32) for size in grid), indexing="ij")
    w = 1.0 / (10000.0 ** (torch.arange(dim // 4, dtype=torch.float32) / (dim // 4 - 1)))
    return w.numpy(), torch.cat([_cell_blocks(w, x), _cell_blocks(w, y)], dim=1).numpy()


def timestep_ladder(dim, shift=1, max_period=10000):
    """The frequencies that get_timestep_embedding makes and does not return, without its scale."""
    half = dim // 2
    exponent = -math.log(max_period) * torch.arange(half, dtype=torch.float32) / (half - shift)
    return torch.exp(exponent).numpy()


def burn(dim, positions):
    """Of Rust, whose f32 functions are the platform's."""
    step = -torch.log(torch.tensor(10000.0)) / dim
    w = torch.exp(torch.arange(0, dim, 2).float() * step)
    angle = w * torch.tensor(positions).float()[:, None]
    return w.numpy(), torch.stack([torch.sin(angle), torch.cos(angle)], -1).reshape(len(positions), dim).numpy()


def marian_native(dim, positions):
    """Of C++ in float. Half of the width is a fraction in the ladder and whole in the columns."""
    step = torch.log(torch.tensor(10000.0)) / (torch.tensor(dim / 2) - 1)
    w = torch.exp(torch.arange(dim // 2).float() * -step)
    column = torch.arange(dim)
    angle = torch.tensor(positions).float()[:, None] * w[column % (dim // 2)]
    return w.numpy(), torch.where(column < dim // 2, torch.sin(angle), torch.cos(angle)).numpy()


def ddpm(dim, positions):
    step = math.log(10000) / (dim // 2 - 1)
    return _sine_first(torch.exp(torch.arange(dim // 2).float() * -step), positions, dim % 2)


def fairseq(dim, positions):
    """The table of fairseq before its padding row is set to zero."""
    return ddpm(dim, positions)


def ct2_native(dim, positions):
    """Of C++ in float; row i of its table is position i + 1."""
    step = torch.log(torch.tensor(10000.0)) / (torch.tensor(float(dim // 2)) - 1)
    return _sine_first(torch.exp(torch.arange(dim // 2).float() * -step), positions, 0)
