# SPDX-License-Identifier: Apache-2.0
"""Tables that follow no convention, for the corpus: random, smooth, learned, and tables of others with one thing wrong.

Random numbers are uniform doubles of NumPy's generator, or sums of 12 of them, which are the same bits everywhere.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import numpy as np

from numpy_originals import mae_1d, tf_tutorial, whisper_file

torch = record.torch


def uniform(rows, width, seed, low=-1.0, high=1.0):
    return (low + (high - low) * np.random.default_rng(seed).random((rows, width))).astype(np.float32)


def normal(rows, width, seed, scale=1.0):
    sums = np.random.default_rng(seed).random((rows, width, 12)).sum(-1) - 6
    return (scale * sums).astype(np.float32)


def smoothed(rows, width, seed, reach):
    """Noise under a triangle of 2 reach + 1 rows."""
    weights = np.concatenate([np.arange(1, reach + 1), [reach + 1], np.arange(reach, 0, -1)]).astype(np.float64)
    noise = normal(rows + 2 * reach, width, seed).astype(np.float64)
    made = sum(w * noise[k:k + rows] for k, w in enumerate(weights))
    return (made / np.sqrt((weights**2).sum())).astype(np.float32)


def walk(rows, width, seed):
    return (np.cumsum(normal(rows, width, seed).astype(np.float64), 0) / np.sqrt(rows)).astype(np.float32)


def cosine_transform(rows, width):
    """DCT-II: rows are samples, columns frequencies."""
    k = np.arange(width)
    table = np.cos(np.pi * np.outer(2 * np.arange(rows) + 1, k) / (2 * rows)) * np.sqrt(2 / rows)
    table[:, 0] /= np.sqrt(2)
    return table.astype(np.float32)


def hadamard(size):
    table = np.ones((1, 1))
    while len(table) < size:
        table = np.block([[table, table], [table, -table]])
    return table.astype(np.float32)


def chebyshev(rows, width):
    return np.cos(np.outer(np.arccos(np.linspace(-1, 1, rows)), np.arange(width))).astype(np.float32)


def bumps(rows, width):
    centres = np.linspace(0, rows - 1, width)
    return np.exp(-((np.arange(rows)[:, None] - centres) ** 2) / (rows / width) ** 2).astype(np.float32)


def ramps(rows, width):
    return np.outer(np.arange(rows) / rows, np.linspace(-1, 1, width)).astype(np.float32)


def random_waves(rows, width, seed):
    """Sines and cosines of frequencies in no order and of no law."""
    w = np.random.default_rng(seed).random(width // 2) * 3
    angle = np.outer(np.arange(rows), w)
    return np.concatenate([np.sin(angle), np.cos(angle)], 1).astype(np.float32)


def random_phases(rows, width, seed):
    generator = np.random.default_rng(seed)
    w, phase = 10000.0 ** -(np.arange(width) / width), generator.random(width) * 2 * np.pi
    return np.sin(np.outer(np.arange(rows), w) + phase).astype(np.float32)


def binary(rows, width):
    """Bits of the position."""
    return ((np.arange(rows)[:, None] >> np.arange(width)) & 1).astype(np.float32)


# ---- a table of a convention, and what was done to it ------------------------------------------------

def of(convention, rows, width):
    made = {"tf-tutorial": tf_tutorial, "mae-1d": mae_1d, "whisper": whisper_file}[convention](width, list(range(rows)))[1]
    return np.asarray(made, np.float32)


def noisy(table, seed, size):
    return (table + size * normal(*table.shape, seed)).astype(np.float32)


def shuffled_columns(table, seed):
    return np.ascontiguousarray(table[:, np.random.default_rng(seed).permutation(table.shape[1])])


def shuffled_rows(table, seed):
    return np.ascontiguousarray(table[np.random.default_rng(seed).permutation(len(table))])


def damaged_row(table, row, seed):
    made = table.copy()
    made[row] = normal(1, table.shape[1], seed)[0]
    return made


def damaged_column(table, column, seed):
    made = table.copy()
    made[:, column] = normal(len(table), 1, seed)[:, 0]
    return made


def steps(table, levels):
    """Quantised."""
    return (np.rint(table * levels) / levels).astype(np.float32)


def mixed_columns(a, b):
    half = a.shape[1] // 2
    return np.concatenate([a[:, :half], b[:, half:]], 1)


def mixed_rows(a, b):
    half = len(a) // 2
    return np.concatenate([a[:half], b[half:]])


def drifted(table, seed, size):
    """As a table that training moved: smoothly along positions, more in some columns."""
    rows, width = table.shape
    return (table + smoothed(rows, width, seed, 5) * np.linspace(0, size, width)).astype(np.float32)


# ---- lists, integers, rotations ------------------------------------------------------------------------

def sorted_list(count, seed):
    return np.sort(np.random.default_rng(seed).random(count))[::-1].astype(np.float32).copy()


def classes(queries, keys, seed, count):
    return np.random.default_rng(seed).integers(0, count, (queries, keys))


def turned_by_noise(places, head, seed, size):
    q = normal(places, head, seed).reshape(1, 1, places, head)
    return {"before": q, "after": (q + size * normal(places, head, seed + 1).reshape(q.shape)).astype(np.float32)}


def turned_at_random(places, head, seed):
    """Adjacent pairs turn by angles without a law."""
    q = normal(places, head, seed).astype(np.float64)
    angle = np.random.default_rng(seed + 1).random((places, head // 2)) * 2 * np.pi
    x, y, out = q[:, ::2], q[:, 1::2], np.empty_like(q)
    out[:, ::2], out[:, 1::2] = x * np.cos(angle) - y * np.sin(angle), x * np.sin(angle) + y * np.cos(angle)
    return {"before": q.astype(np.float32)[None, None], "after": out.astype(np.float32)[None, None]}


# ---- PyTorch -------------------------------------------------------------------------------------------

def fresh(seed, made):
    """What a layer draws under a seed."""
    torch.manual_seed(seed)
    return made().detach()


def trained(rows, width, seed, start, passes):
    """A learned table after some passes of a small model that tells how far two positions are apart."""
    torch.manual_seed(seed)
    table = torch.nn.Parameter(torch.tensor(start) if start is not None else 0.02 * torch.tensor(normal(rows, width, seed)))
    head = torch.nn.Linear(2 * width, 1)
    optimiser = torch.optim.Adam([table, *head.parameters()], lr=3e-3)
    for step in range(passes):
        pairs = torch.from_numpy(np.random.default_rng(seed + step).integers(0, rows, (2, 64)))
        guess = head(torch.cat([table[pairs[0]], table[pairs[0]] * table[pairs[1]]], -1)).squeeze(-1)
        loss = ((guess - (pairs[0] - pairs[1]).abs() / rows) ** 2).mean()
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
    return table.detach()


def sines_in(dtype, rows, width):
    """The lines of a tutorial in a short type, whose positions and angles are rounded to it."""
    position = torch.arange(rows, dtype=dtype)[:, None]
    angle = position * torch.exp(torch.arange(0, width, 2, dtype=dtype) * (-np.log(10000.0) / width))
    return torch.stack([angle.sin(), angle.cos()], -1).reshape(rows, width).float()


def cosines_of_rounded(dtype, rows, width):
    """A cache of a rotation whose frequencies were rounded with the weights of their model."""
    ladder = 1.0 / (10000.0 ** (torch.arange(0, width, 2).float() / width))
    angle = torch.arange(rows).float()[:, None] * ladder.to(dtype).float()
    return torch.cat([angle, angle], -1).cos()
