# SPDX-License-Identifier: Apache-2.0
"""PyTorch's modes of interpolate, for every side from 1 to 200: digests where its bits are what is promised, else rows.

Tables are those of answers.py, cell_rows. Case DOWN: [n, a] to [m, b] cells, a = 1 + (7 n + 3 m) % 13, b = 1 + (5 n +
11 m) % 9; case ACROSS: both exchanged.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import itertools
import zlib

import numpy as np
import torch

from answers import cell_rows

SIDES = range(1, 201)
ABOUT = ("area/CASE, nearest/CASE [200]: of side n the CRC-32 of the f32 rows of all m from 1 to 200, as resizes.py "
         "makes them, without area to one cell: area/CASE/whole [200, 3]. FILTER-ANTIALIAS-CORNERS/N-M [M]: the last "
         "column of N cells made M")
PAIRS = ((1, 3), (2, 13), (3, 64), (7, 16), (13, 7), (14, 37), (16, 14), (24, 23), (37, 3), (64, 24), (200, 37), (200, 1))


def interpolated(before, after, **mode):
    cells = torch.tensor(cell_rows(before[0] * before[1])).reshape(1, *before, 3).permute(0, 3, 1, 2)
    resized = torch.nn.functional.interpolate(cells, size=after, **mode)[0]
    return np.ascontiguousarray(resized.permute(1, 2, 0).reshape(-1, 3).numpy())


def sizes(n, m, across):
    before, after = (n, 1 + (7 * n + 3 * m) % 13), (m, 1 + (5 * n + 11 * m) % 9)
    return (before[::-1], after[::-1]) if across else (before, after)


def digest(n, mode, across):
    crc = 0
    for m in SIDES:
        before, after = sizes(n, m, across)
        if mode == "nearest" or after != (1, 1):
            crc = zlib.crc32(interpolated(before, after, mode=mode).tobytes(), crc)
    return crc


def made(mode, across):
    return np.array([digest(n, mode, across) for n in SIDES], np.int64)


def certain(name):
    return name.startswith(("area", "nearest"))  # sums and quotients of IEEE numbers in one order, and copies


def make(work):
    tensors = {}
    for case, across in (("down", False), ("across", True)):
        tensors |= {f"{mode}/{case}": made(mode, across) for mode in ("area", "nearest")}
        tensors[f"area/{case}/whole"] = np.concatenate(
            [interpolated(sizes(n, 1, across)[0], (1, 1), mode="area") for n in SIDES])
    for mode, antialias, ends in itertools.product(("bicubic", "bilinear"), (False, True), (False, True)):
        name = f"{mode}-{'stretched' if antialias else 'none'}-{'ends' if ends else 'halves'}"
        for n, m in PAIRS:
            rows = interpolated((n, 1), (m, 1), mode=mode, antialias=antialias, align_corners=ends)
            tensors[f"{name}/{n}-{m}"] = np.ascontiguousarray(rows[:, 2])
    return {"about": ABOUT}, tensors
