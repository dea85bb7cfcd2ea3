# SPDX-License-Identifier: Apache-2.0
"""One tensor has one verdict: check of the tool, of Python and of C answer the same JSON."""

import ctypes
import json
import math
import os
import subprocess

import numpy as np
import posenc
import pytest

TOOL, LIBRARY = os.environ.get("POSENC_TOOL"), os.environ.get("POSENC_C")
pytestmark = pytest.mark.skipif(not (TOOL and LIBRARY), reason="the tool and libposenc_c are not built")

# ---- the three ----------------------------------------------------------------------------------------------------


class View(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_void_p),
        ("dtype", ctypes.c_uint32),
        ("rank", ctypes.c_uint32),
        ("shape", ctypes.c_int64 * 8),
        ("strides", ctypes.c_int64 * 8),
    ]


class PositionList(ctypes.Structure):
    _fields_ = [
        ("kind", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("count", ctypes.c_int64),
        ("start", ctypes.c_int64),
        ("step", ctypes.c_int64),
        ("real_start", ctypes.c_double),
        ("real_step", ctypes.c_double),
        ("list", ctypes.POINTER(View)),
    ]


class CheckOptions(ctypes.Structure):
    _fields_ = [
        ("size", ctypes.c_uint32),
        ("reserved", ctypes.c_uint32),
        ("dim", ctypes.c_int64),
        ("context", ctypes.c_void_p),
        ("identify", ctypes.c_void_p),
        ("places", ctypes.c_void_p),
        ("queries", ctypes.POINTER(PositionList)),
        ("keys", ctypes.POINTER(PositionList)),
    ]


DTYPES = {"float32": 1, "float64": 2, "float16": 3, "int32": 5, "int64": 6}


def library():
    loaded = ctypes.CDLL(LIBRARY)
    loaded.posenc_verdict_json.restype = ctypes.c_char_p
    return loaded


def by_c(array, against, dim, positions):
    def range_of(words):
        if words is None:
            return None
        return ctypes.pointer(PositionList(1, 0, len(words), words.start, words.step))

    lib, convention, verdict = library(), ctypes.c_void_p(), ctypes.c_void_p()
    name = against.encode()
    assert lib.posenc_convention_new(name, ctypes.c_size_t(len(name)), ctypes.byref(convention), None) == 0
    view = View(array.ctypes.data, DTYPES[array.dtype.name], array.ndim)
    view.shape[: array.ndim] = array.shape
    view.strides[: array.ndim] = [stride // array.itemsize for stride in array.strides]
    options = CheckOptions(ctypes.sizeof(CheckOptions), 0, dim or 0)
    options.queries, options.keys = range_of(positions.get("queries")), range_of(positions.get("keys"))
    asked = ctypes.byref(view), convention, ctypes.byref(options), ctypes.byref(verdict), None
    assert lib.posenc_check(*asked) == 0
    found = json.loads(lib.posenc_verdict_json(verdict))
    lib.posenc_verdict_free(verdict)
    lib.posenc_convention_free(convention)
    return found


def by_tool(folder, array, against, dim, positions):
    np.save(folder / "tensor.npy", array)
    words = [TOOL, "check", "tensor.npy", "--against", against, "--json", "--threads", "1"]
    words += ["--dim", str(dim)] if dim else []
    for name, at in positions.items():
        words += [f"--{name}", f"{at.start}:{at.stop}:{at.step}"]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    found = json.loads(done.stdout)
    assert found["right"] == (done.returncode == 0)
    return {name: value for name, value in found.items() if name not in ("operation", "file", "against")}


def by_python(array, against, dim, positions):
    return json.loads(posenc.check(array, against, dim=dim, **positions).json)


def verdict(folder, array, against, dim=None, **positions):
    array = np.ascontiguousarray(array)
    tool = by_tool(folder, array, against, dim, positions)
    assert by_python(array, against, dim, positions) == tool
    assert by_c(array, against, dim, positions) == tool
    return tool


# ---- tensors of reports ---------------------------------------------------------------------------------------------


def ladder(base, width):
    return base ** (-np.arange(0, width, 2) / width)


def cache(angles):
    return np.concatenate([np.cos(angles), np.sin(angles)], -1).astype(np.float32)


def cells(height, width):
    y, x = np.meshgrid(np.arange(height), np.arange(width), indexing="ij")
    return y.ravel(), x.ravel()


def pixtral(y, x):
    w = ladder(1e4, 64)
    angles = np.concatenate([np.outer(y, w[::2]), np.outer(x, w[1::2])], 1)
    twice = np.concatenate([angles, angles], 1)
    return np.stack([np.cos(twice), np.sin(twice)]).astype(np.float32)


def halves(width, positions):
    angles = np.outer(positions, ladder(1e4, width))
    return np.concatenate([np.sin(angles), np.cos(angles)], 1)


def x_first():
    y, x = cells(4, 6)
    return np.concatenate([halves(32, x), halves(32, y)], 1).reshape(4, 6, 64).astype(np.float32)


def t5_decoder(queries, keys):
    back = np.maximum(np.asarray(queries)[:, None] - np.arange(keys), 0)
    far = 16 + (np.log(np.maximum(back, 1) / 16) / math.log(8) * 16).astype(np.int64)
    return np.where(back < 16, back, np.minimum(far, 31)).astype(np.int64)


def alibi(queries, keys):
    distance = np.abs(np.asarray(queries)[:, None] - np.arange(keys))
    return -(2.0 ** -np.arange(1, 9))[:, None, None] * distance.astype(np.float32)


def llama3_factors(factor):
    wave = 2 * np.pi / ladder(5e5, 128)
    smooth = (8192 / wave - 1) / 3
    return np.where(wave < 2048, 1, np.where(wave > 8192, factor, 1 / ((1 - smooth) / factor + smooth)))


def broken(kind):
    table = cache(np.outer(np.arange(40), ladder(1e4, 64)))
    if kind == "zeros":
        table[20:] = 0
    elif kind == "nan":
        table[:] = np.nan
    elif kind == "packed":
        table = cache(np.outer(np.r_[0:15, 0:25], ladder(1e4, 64)))
    elif kind == "constant":
        table = cache(np.outer(np.full(40, 5), ladder(1e4, 64)))
    return table


W = ladder(1e4, 64).astype(np.float32)
REPORTS = {
    "a right Pixtral cache, stacked": (True, pixtral(*cells(4, 6)), "rope2d-pixtral", {}),
    "with an axis for each extent": (True, pixtral(*cells(4, 6)).reshape(2, 4, 6, 64), "rope2d-pixtral", {}),
    "its axes exchanged": (False, pixtral(*cells(4, 6)[::-1]), "rope2d-pixtral", {}),
    "whole numbers where the name asks for others": (False, x_first(), "diffusers-2d", {}),
    "whole numbers": (True, x_first(), "mae-2d", {}),
    "a step of the first query": (True, t5_decoder([0], 200), "t5-bucket-decoder", {}),
    "a step of the last query": (True, t5_decoder([199], 200), "t5-bucket-decoder", {}),
    "a step whose query is stated": (True, t5_decoder([199], 200), "t5-bucket-decoder", {"queries": range(199, 200)}),
    "a step of another query": (False, t5_decoder([0], 200), "t5-bucket-decoder", {"queries": range(199, 200)}),
    "queries from 5 on": (False, t5_decoder(range(5, 55), 200), "t5-bucket-decoder", {}),
    "biases of queries from 100 on": (False, alibi(range(100, 104), 200), "alibi", {}),
    "the same, stated": (True, alibi(range(100, 104), 200), "alibi", {"queries": range(100, 104), "keys": range(200)}),
    "factors of llama.cpp": (True, llama3_factors(8).astype(np.float32), "llama-3.1", {}),
    "factors of another model": (False, llama3_factors(32).astype(np.float32), "llama-3.1", {}),
    "frequencies": (True, W, "rope-half", {}),
    "divisors": (True, 1 / W, "rope-half", {}),
    "periods": (True, (2 * np.pi / W.astype(float)).astype(np.float32), "rope-half", {}),
    "a list along an axis of 1": (True, W[None], "rope-half", {}),
    "a ladder of the square root": (False, W**0.5, "rope-linear", {}),
    "the columns of a part that turns": (True, cache(np.outer(np.arange(64), ladder(1e4, 8))), "gpt-neox", {}),
    **{kind: (False, broken(kind), "rope-half", {}) for kind in ("zeros", "nan", "packed", "constant")},
    "a cache": (True, broken("none"), "rope-half", {}),
}


@pytest.mark.parametrize("name", REPORTS)
def test_a_tensor_has_one_verdict(tmp_path, name):
    right, array, against, positions = REPORTS[name]
    assert verdict(tmp_path, array, against, **positions)["right"] == right


def test_what_a_step_was_held_against_is_said(tmp_path):
    found = verdict(tmp_path, t5_decoder([199], 200), "t5-bucket-decoder")
    assert found["assumed"] == {"queries": "199", "keys": "0:200"}
    stated = verdict(tmp_path, t5_decoder([0], 200), "t5-bucket-decoder", queries=range(199, 200))
    assert (stated["findings"], stated["assumed"]) == (["query from 0, 199 asked"], {"keys": "0:200"})


# ---- tensors of presets ---------------------------------------------------------------------------------------------


def drawn(seed):
    """A preset's own table, grid or list, as it is or damaged, checked against it or another one."""
    draw = np.random.default_rng(seed)
    names = posenc.presets()
    while True:
        name = names[draw.integers(len(names))]
        convention = posenc.preset(name).convention
        width = int(draw.choice([32, 64, 80]))
        try:
            if convention.family == "waves" and len(convention.axes) == 1:
                table = posenc.table(name, width, range(int(draw.integers(3)), 40), length=40)
            elif convention.family == "waves" and len(convention.axes) == 2:
                table = posenc.grid(name, width, (3, 5))
            elif convention.family == "rotary" and len(convention.axes) == 1:
                table = np.array(posenc.rotary_frequencies(name, width), np.float32)
            else:
                continue
        except posenc.PosencError:
            continue
        if draw.integers(3) == 0:
            table[tuple(draw.integers(size) for size in table.shape)] += 0.25
        return table, name if draw.integers(4) else names[draw.integers(len(names))]


@pytest.mark.parametrize("seed", range(24))
def test_tensors_of_presets_have_one_verdict(tmp_path, seed):
    table, against = drawn(seed)
    try:
        posenc.check(table, against)
    except posenc.PosencError as refused:
        np.save(tmp_path / "tensor.npy", table)
        words = [TOOL, "check", "tensor.npy", "--against", against]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, str(refused) in done.stderr) == (2, True), done.stderr
        return
    verdict(tmp_path, table, against)
