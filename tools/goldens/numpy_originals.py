# SPDX-License-Identifier: Apache-2.0
"""Originals in NumPy, written again from their descriptions: no package holds them.

Each takes (dim, positions) and returns (ladder, table of those rows).
"""
import record  # chooses the CPU target: before NumPy

import numpy as np


def whisper_file(dim, positions):
    w = np.exp(-np.log(10000) / (dim // 2 - 1) * np.arange(dim // 2))
    angle = np.arange(1500)[:, np.newaxis] * w
    table = np.concatenate([np.sin(angle), np.cos(angle)], axis=1)
    return w, table.astype(np.float32).astype(np.float16)[positions]


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


def zero_row_origin(dim, positions):
    """Entry by entry, as the original: each angle is a quotient. Its row 0 is then set to zero, for padding."""
    angle = np.array([[p / np.power(10000, 2 * (j // 2) / dim) for j in range(dim)] for p in positions])
    angle[:, 0::2] = np.sin(angle[:, 0::2])
    angle[:, 1::2] = np.cos(angle[:, 1::2])
    return np.power(10000, np.arange(0, dim, 2) / dim), angle.astype(np.float32)
