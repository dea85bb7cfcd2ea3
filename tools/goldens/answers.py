# SPDX-License-Identifier: Apache-2.0
"""What conventions of pairs, queries and stored rows answer, by their originals; real numbers correctly rounded, too.

classes: of every distance k - q from -2^17 to 2^17, or as far as the row says, in runs of equal classes.
windows, coordinates: of windows height x width. query_scales: of positions. stored_rows: of positions, or of masks.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import json

import numpy as np
from mpmath import mpf, log

import truth
from tables import array, called

ABOUT = {
    "classes": "all/first [R], all/class [R]: from distance `first` = key - query on that class; all/reach: to it on both sides",
    "windows": "hHwW/classes [N, N] of the cells of a window, query by key; with a class token first where there is one",
    "coordinates": "hHwW/original/table, hHwW/exact/TYPE [2 H - 1, 2 W - 1, 2]",
    "query_scales": "all/positions [L], all/original/factors, all/exact/TYPE [L]",
    "resized": "CASE/from, CASE/to [2] height and width; CASE/rows: the table of `to`, from that of `from` by answers.py, "
               "cell_rows",
    "stored_rows": "CASE/positions [A, L] of A axes, or CASE/mask [B, L]; CASE/rows [L], [L, T] of T tables, or [B, L]"}


def integers(values):
    return np.ascontiguousarray(np.asarray(values, np.int64))


def classes(work):
    distances = np.arange(-work.reach, work.reach + 1)
    found = integers(called(work.call, distances=distances))
    begins = np.concatenate([[0], np.nonzero(np.diff(found))[0] + 1])
    return {"all/reach": integers([work.reach]), "all/first": integers(distances[begins]),
            "all/class": integers(found[begins])}


def windows(work):
    return {f"h{height}w{width}/classes": integers(called(work.call, height=height, width=width)).astype(np.int32)
            for height, width in work.cases}


def coordinate(work, steps, side):
    """sign(x) ln(1 + |x|) over a number, x in units of the convention."""
    unit, over = mpf(1), mpf(1)
    if work.gain:
        side = work.pretrained or side
        unit, over = mpf(work.gain) / (side - 1), log(mpf(work.gain))
    value = log(1 + abs(steps) * unit) / over
    return -value if steps < 0 else value


def coordinates(work):
    tensors = {}
    for height, width in work.cases:
        case = f"h{height}w{width}"
        tensors[f"{case}/original/table"] = array(called(work.call, height=height, width=width))
        for dtype in ("f32", "f64"):
            table = [[[truth.round_real(coordinate(work, dy, height), dtype),
                       truth.round_real(coordinate(work, dx, width), dtype)] for dx in range(1 - width, width)]
                     for dy in range(1 - height, height)]
            tensors[f"{case}/exact/{dtype}"] = truth.array(table, dtype)
    return tensors


def factor(work, position):
    if work.law == "log_clamp":
        return 1 + mpf(work.gain) * log(max(mpf(position + work.origin) / work.every, mpf(1)))
    if work.gain:
        return 1 + mpf(work.gain) * log(mpf(1 + (position + work.origin) // work.every))
    return max(mpf(1), log(mpf(position + work.origin)) / log(mpf(work.every)))


def query_scales(work):
    tensors = {"all/positions": integers(work.cases),
               "all/original/factors": array(called(work.call, positions=integers(work.cases)))}
    for dtype in ("f32", "f64"):
        tensors[f"all/exact/{dtype}"] = truth.array([truth.round_real(factor(work, p), dtype) for p in work.cases], dtype)
    return tensors


def stored_rows(work):
    tensors = {}
    for case, (holds, values) in work.cases.items():
        tensors[f"{case}/{holds}"] = integers(values)
        tensors[f"{case}/rows"] = integers(called(work.call, **{holds: integers(values)}))
    return tensors


def cell_rows(count):
    """Rows of a table to be resized, of three columns: two in [-0.5, 0.5), the last in [1, 2)."""
    numbers = (np.arange(3 * count, dtype=np.uint64) * 2654435761 + 12345) % 2**32
    signed = (numbers >> 8).astype(np.float64) / 2**24 - 0.5
    rows = np.where(np.arange(3 * count) % 3 == 2, 1 + (numbers >> 9).astype(np.float64) / 2**23, signed)
    return rows.astype(np.float32).reshape(count, 3)


def resized(work):
    tensors = {}
    for before, after in work.cases:
        case = "{}x{}-{}x{}".format(*before, *after)
        table = cell_rows(before[0] * before[1] + work.extra)
        tensors[f"{case}/from"], tensors[f"{case}/to"] = integers(before), integers(after)
        tensors[f"{case}/rows"] = array(called(work.call, table=table, before=before, after=after))
    return tensors


def certain(name):
    return "/exact/" in name or name.endswith(("/class", "/first", "/classes", "/rows"))


def make(work):
    fields = {"about": ABOUT[work.kind], "kind": work.kind, "calls": json.dumps({"original": work.call})}
    if work.numbering:
        fields["first"], fields["absent"] = map(str, work.numbering)
    return fields, globals()[work.kind](work)
