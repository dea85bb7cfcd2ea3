# SPDX-License-Identifier: Apache-2.0
# The work that every peer does: its data, and the exact values that results are compared with.
#
# Exact means numpy's long double, 64 bits of significand on x86: sines at angles up to 131072 are off by 2^-45 at most,
# which decides all but one of a million roundings to f32.

import math
import os
import pathlib
import subprocess
import sys
import tempfile

import numpy as np

from sizes import ATTENTION_HEAD, ATTENTION_HEADS, BASE, HEAD, HEADS, IDS, LENGTH, POSITIONS, VOCABULARY

CHECKPOINTS = pathlib.Path(__file__).resolve().parents[2] / "build" / "checkpoints"  # tools/convert/fetch.py fills it

# ---- data


def ids(kind, count):
    random = np.random.default_rng(0)
    if kind == "uniform":
        return random.integers(0, VOCABULARY, size=count)
    share = 1 / np.arange(1, VOCABULARY + 1)
    return random.permutation(VOCABULARY)[random.choice(VOCABULARY, size=count, p=share / share.sum())]


def embedding(width):
    return np.random.default_rng(1).standard_normal((VOCABULARY, width), dtype=np.float32) / np.float32(
        math.sqrt(width)
    )


def gradients():
    return np.random.default_rng(2).standard_normal((IDS, 512), dtype=np.float32)


def heads():
    """Queries, or keys: [1, heads, positions, head]."""
    return np.random.default_rng(3).standard_normal((1, HEADS, POSITIONS, HEAD), dtype=np.float32)


def attention_heads(queries, keys):
    """Queries, keys and values [1, heads, tokens, head], in [-1, 1)."""
    random = np.random.default_rng(5)
    shapes = [(1, ATTENTION_HEADS, tokens, ATTENTION_HEAD) for tokens in (queries, keys, keys)]
    return [random.random(shape, dtype=np.float32) * 2 - 1 for shape in shapes]


def signal(rows, width):
    """A table of the paper in f32, as an input stage adds it."""
    return joined(*exact_pairs(np.arange(rows), width), "pairs").astype(np.float32)


# ---- exact values


def exact_pairs(positions, width, spacing="over_width"):
    """Sines and cosines [n, width / 2] as long doubles."""
    k = np.arange(width // 2, dtype=np.longdouble)
    exponent = k / (width // 2) if spacing == "over_width" else k / (width // 2 - 1)
    angle = np.asarray(positions, dtype=np.longdouble)[:, None] * np.longdouble(BASE) ** -exponent
    return np.sin(angle), np.cos(angle)


def joined(sine, cosine, layout):
    if layout == "pairs":
        return np.stack([sine, cosine], axis=-1).reshape(len(sine), -1)
    return np.concatenate([sine, cosine] if layout == "halves" else [cosine, sine], axis=1)


def error_of(values, exact):
    """The largest error, and the share of entries that are not the exact value rounded to f32."""
    values = np.asarray(values, dtype=np.float32)
    return {"error": float(np.abs(values - exact).max()), "wrong": float((values != exact.astype(np.float32)).mean())}


def sampled(rows):
    """1024 rows of a table, the first ones and the last one included."""
    if rows <= 1024:
        return np.arange(rows)
    return np.concatenate([[0, 1, 2, rows - 1], np.random.default_rng(4).integers(0, rows, size=1020)])


def table_error(rows_at, rows, width, layout, spacing="over_width"):
    """`rows_at(positions)` gives rows of the table under test."""
    positions = sampled(rows)
    return error_of(rows_at(positions), joined(*exact_pairs(positions, width, spacing), layout))


def input_error(out, rows, token_ids, table):
    """Of three tokens: embedding row x sqrt d + signal."""
    width, out = rows.shape[1], np.asarray(out).reshape(-1, rows.shape[1])
    some = np.array([0, 3 * LENGTH + 17, len(out) - 1])
    exact = (
        rows[token_ids.reshape(-1)[some]].astype(np.longdouble) * np.sqrt(np.longdouble(width)) + table[some % LENGTH]
    )
    return {"error": float(np.abs(out[some] - exact).max())}


def dropped_share(out):
    share = float((np.asarray(out) == 0).mean())
    assert 0.09 < share < 0.11, f"{share} of the elements were dropped"
    return {}


def rotary_error(before, after, form):
    """Of head 3 at four positions; before and after: [positions, head]."""
    positions = np.array([0, 1, 300, POSITIONS - 1])
    sine, cosine = exact_pairs(positions, HEAD)
    x = np.asarray(before)[positions].astype(np.longdouble)
    a, b = (x[:, : HEAD // 2], x[:, HEAD // 2 :]) if form == "half" else (x[:, 0::2], x[:, 1::2])
    first, second = a * cosine - b * sine, b * cosine + a * sine
    exact = np.concatenate([first, second], 1) if form == "half" else joined(first, second, "pairs")
    return {"error": float(np.abs(np.asarray(after)[positions] - exact).max())}


def backward_error(row_at, token_ids, gradient):
    """Of the id that occurs most often."""
    most = int(np.bincount(token_ids).argmax())
    return {"error": float(np.abs(row_at(most) - gradient[token_ids == most].astype(np.longdouble).sum(0)).max())}


# ---- whole processes


def run_python(code):
    """A new interpreter that writes a table to the file it is given."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([sys.executable, "-c", code, os.path.join(folder, "table.npy")], check=True)
