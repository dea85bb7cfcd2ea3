# SPDX-License-Identifier: Apache-2.0
"""The original recipe of each preset, written again from its description, run by the package the original uses.

TensorFlow is not installed: tf-official and tensor2tensor are PyTorch float32 tensors in the order of the TensorFlow
graph, so their roundings are the original's and their exp, sin and cos are PyTorch's. (NumPy's float32 exp is up to 2
last places from the correctly rounded one at these arguments, PyTorch's 1.) So is ddpm. The table of diffusers-timestep
is the package's own.

A maker takes (dim, positions) and returns (ladder, table of those rows). Modules with a max_len build their whole table,
as the original does, and the rows are picked from it.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import dataclasses
import functools
import math
import typing

import numpy as np
import torch
from diffusers.models.embeddings import get_timestep_embedding


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


def module(ladder_of, dim, positions):
    ladder, table = _module_table(ladder_of, dim, 5000)
    return ladder, table[positions]


def whisper_published(dim, positions):
    step = np.log(10000) / (dim // 2 - 1)
    w = torch.exp(-step * torch.arange(dim // 2))
    angle = torch.arange(1500)[:, np.newaxis] * w[np.newaxis, :]
    return w.numpy(), torch.cat([torch.sin(angle), torch.cos(angle)], dim=1).numpy()[positions]


def whisper_file(dim, positions):
    w = np.exp(-np.log(10000) / (dim // 2 - 1) * np.arange(dim // 2))
    angle = np.arange(1500)[:, np.newaxis] * w
    table = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
    return w, table.astype(np.float32).astype(np.float16)[positions]


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


def mae_1d(dim, positions):
    e = np.arange(dim // 2, dtype=np.float64)
    e /= dim / 2.0
    w = 1.0 / 10000**e
    angle = np.einsum("m,d->md", np.asarray(positions).reshape(-1), w)
    return w, np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


def mae_2d(dim, grid):
    """[height * width, dim]. The original's grid is square; two sizes in the same lines give the others. meshgrid's
    first output holds the columns, so the first half of a row encodes x."""
    height, width = grid
    axes = np.meshgrid(np.arange(width, dtype=np.float32), np.arange(height, dtype=np.float32))
    ladder, first = mae_1d(dim // 2, axes[0])
    _, second = mae_1d(dim // 2, axes[1])
    return ladder, np.concatenate([first, second], axis=1)


def tf_tutorial(dim, positions):
    column = np.arange(dim)[np.newaxis, :]
    rates = 1 / np.power(10000, (2 * (column // 2)) / np.float32(dim))
    angle = np.asarray(positions)[:, np.newaxis] * rates
    angle[:, 0::2] = np.sin(angle[:, 0::2])
    angle[:, 1::2] = np.cos(angle[:, 1::2])
    return rates[0, 0::2], angle.astype(np.float32)


def timestep_ladder(dim, shift=1, max_period=10000):
    """The frequencies that get_timestep_embedding makes and does not return, without its scale."""
    half = dim // 2
    exponent = -math.log(max_period) * torch.arange(half, dtype=torch.float32) / (half - shift)
    return torch.exp(exponent).numpy()


def diffusers_timestep(dim, positions):
    return timestep_ladder(dim), get_timestep_embedding(torch.tensor(positions), dim).numpy()


def ddpm(dim, positions):
    step = math.log(10000) / (dim // 2 - 1)
    return _sine_first(torch.exp(torch.arange(dim // 2).float() * -step), positions, dim % 2)


@dataclasses.dataclass(frozen=True)
class Original:
    """A preset's original: its convention, its recipe and who computes it."""
    preset: str
    recipe: str
    spacing: str
    layout: str
    odd_width: str
    max_len: typing.Optional[int]
    make: typing.Callable


ORIGINALS = [
    Original("opennmt", "f32-exp", "over_width", "interleaved", "refused", 5000,
             functools.partial(module, _by_float_range)),
    Original("pytorch-divide", "f32-divide", "over_width", "interleaved", "refused", 5000,
             functools.partial(module, _by_division)),
    Original("pytorch", "f32-exp", "over_width", "interleaved", "refused", 5000,
             functools.partial(module, _by_integer_range)),
    Original("tf-official", "f32-exp-graph", "over_gaps", "sine_first", "short_row", None, tf_official),
    Original("tensor2tensor", "f32-exp-graph", "over_gaps_or_one", "sine_first", "zero_column", None, tensor2tensor),
    Original("mae-1d", "f64", "over_width", "sine_first", "refused", None, mae_1d),
    Original("tf-tutorial", "f64-to-f32", "over_width", "interleaved", "lone_sine", None, tf_tutorial),
    Original("mae-2d", "f64", "over_width", "sine_first", "refused", None, mae_2d),
    Original("whisper", "f64-to-f16", "over_gaps", "sine_first", "refused", 1500, whisper_file),
    Original("whisper", "f32-exp", "over_gaps", "sine_first", "refused", 1500, whisper_published),
    Original("diffusers-timestep", "f32-exp-quotient", "over_gaps", "sine_first", "zero_column", 1000,
             diffusers_timestep),  # its schedulers train with 1000 steps
    Original("ddpm", "f32-exp", "over_gaps", "sine_first", "zero_column", 1000, ddpm),
]


def original(preset, recipe):
    return next(o for o in ORIGINALS if (o.preset, o.recipe) == (preset, recipe))
