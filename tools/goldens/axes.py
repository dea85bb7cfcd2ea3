# SPDX-License-Identifier: Apache-2.0
"""Rotations of several axes: q turned by the original, its cosines and sines, and the correctly rounded ones.

A row of the work list says which angle each pair has, as a list of sums: [(axis, frequency), ..], frequencies as real
numbers. The functions below make such lists.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import json

import mpmath
import numpy as np
import torch
from mpmath import mpf

import truth
from tables import called

ABOUT = ("CASE/in: q [1, heads, P, head]; coordinates [P, axes]; cosine and sine [P, n] of pair k and out by the "
         "original; exact_cosine and exact_sine: correctly rounded at those coordinates")
DECAYS = "; under a decay of pairs they are those of queries, key_cosine and so on those of keys"


# ---- places --------------------------------------------------------------------------------------

TOKENS = np.array([[0, 0, 0], [1, 2, 3], [5, 1, 30], [7, 40, 2], [100, 3, 64], [4096, 4097, 5000]], np.float64)
FRAMES, HEIGHT, WIDTH = 2, 3, 4


def cells(height=HEIGHT, width=WIDTH):
    """(y, x) of every cell, x runs fastest."""
    return np.stack(np.meshgrid(np.arange(height), np.arange(width), indexing="ij"), -1).reshape(-1, 2).astype(np.float64)


def video():
    """(t, y, x) of the cells of FRAMES."""
    return np.c_[np.repeat(np.arange(FRAMES), HEIGHT * WIDTH), np.tile(cells(), (FRAMES, 1))].astype(np.float64)


def once(table, n, is_twice):
    """[P, n] of [.., P, 2 n]: each value twice in a row of its own (pairs), or the n values twice (halves)."""
    flat = table.reshape(-1, table.shape[-1])
    return (flat[:, ::2] if is_twice == "pairs" else flat[:, :n]).contiguous()


# ---- angles --------------------------------------------------------------------------------------

def falling(base, width, first=mpf(1)):
    """first base^(-2k / width), k < width / 2."""
    return [first * mpf(base) ** (-mpf(2 * k) / width) for k in range(width // 2)]


def rising_gaps(base, count, first):
    """first base^(k / (count - 1))."""
    return [first * mpf(base) ** (mpf(k) / (count - 1)) for k in range(count)]


def even(least, most, count, unit):
    """`count` numbers from least to most, in a unit."""
    return [unit * (least + (mpf(most) - least) * k / (count - 1)) for k in range(count)]


def runs(*ladders):
    """Axis a has a run of its own."""
    return [[(axis, w)] for axis, ladder in enumerate(ladders) for w in ladder]


def rungs(*ladders):
    """The k-th frequency of every axis in turn."""
    return [[(axis, w)] for each in zip(*ladders) for axis, w in enumerate(each)]


def dealt(ladder, *axes):
    """The pairs of one ladder, each to an axis or, where it stands, to None."""
    assert len(axes) == len(ladder)
    return [[] if axis is None else [(axis, w)] for axis, w in zip(axes, ladder)]


# Frequencies of x, y and t that a checkpoint would hold: those of the rows whose ladders are learned.
EXAMPLES = ([0.5, -1.25, 0.8125, 2], [0.75, 0.375, -1.5, 0.25], [1, -0.5, 0.125, 0.625])


def summed(*ladders):
    return [list(enumerate(each)) for each in zip(*ladders)]


# ---- the work ------------------------------------------------------------------------------------

def exact_tables(pairs, coordinates, factor=lambda place, k: 1):
    def of(function):
        return truth.array([[truth.round_real(factor(place, k) * function(
            mpmath.fsum(mpf(float(place[a])) * w for a, w in pair)), "f32") for k, pair in enumerate(pairs)]
            for place in coordinates], "f32")
    return of(mpmath.cos), of(mpmath.sin)


def decay(count, centre, sign):
    """xPos's factor of a query (sign 1) or a key (-1) at a place: z_k^((p - centre) / 512), z_k = (k / count + 0.4) / 1.4."""
    floor = mpf(0.4)
    z = [(mpf(k) / count + floor) / (1 + floor) for k in range(count)]
    return lambda place, k: z[k] ** (sign * (mpf(float(place[0])) - centre) / 512)


def shown(name, theirs, ours):
    units = np.abs(theirs.astype(np.float64) - ours) / 2.0 ** -24
    print(f"{name}: at most {units.max():.3g} times 2^-24 from the correctly rounded ones, equal {np.mean(units == 0):.2f}")


def case(work):
    generator = np.random.default_rng(work.seed)
    q = torch.from_numpy(8 * generator.random((1, 2, work.places, work.head)) - 4).to(torch.float32)
    coordinates, cosine, sine, out = called(work.call, q=q)
    coordinates = np.ascontiguousarray(coordinates, np.float64)
    arrays = {"coordinates": coordinates, "in": record.stored(q), "out": record.stored(out.to(torch.float32))}
    pairs = eval(work.angles, {**globals(), "pi": mpmath.pi})
    if work.centre is not None:
        for side, sign in enumerate((1, -1)):
            own = exact_tables(pairs, coordinates, decay(len(pairs), work.centre, sign))
            arrays |= tables(work, "" if side == 0 else "key_", (cosine[side], sine[side]), own)
    elif cosine is not None:
        arrays |= tables(work, "", (cosine, sine), exact_tables(pairs, coordinates))
    return arrays


def tables(work, side, theirs, ours):
    made = {}
    for name, own, exact in zip(("cosine", "sine"), theirs, ours):
        made |= {side + name: record.stored(torch.as_tensor(own).to(torch.float32)), f"exact_{side}{name}": exact}
        shown(f"{work.preset} {side}{name}", made[side + name], exact)
    return made


def certain(name):
    return name.split("/")[1] in ("coordinates", "in") or "/exact_" in name


def make(work):
    tensors = {f"places/{name}": tensor for name, tensor in case(work).items()}
    centre = {} if work.centre is None else {"centre": str(work.centre)}
    about = ABOUT if work.centre is None else ABOUT + DECAYS
    return {"about": about, "kind": "axes", "calls": json.dumps(work.call), **centre}, tensors
