# SPDX-License-Identifier: Apache-2.0
"""The numbers are those of tests/goldens and tests/proof: what Python gets has the bits that C++ gets."""

import hashlib

import numpy as np
import posenc
import pytest
from conftest import ROOT, bits, golden, goldens

TYPES = {"f32": "float32", "f64": "float64", "f16": "float16", "bf16": "bfloat16"}


def tables_of(file):
    """(tensor, width, positions or extents, type) of every exact table."""
    for tensor, array in file.tensors.items():
        case, by, *rest = tensor.split("/")
        if by == "exact" and rest[1:] == ["table"]:
            where = file.tensors.get(f"{case}/positions", file.tensors.get(f"{case}/grid"))
            yield tensor, int(case.split("-")[0][1:]), where, TYPES[rest[0]], f"{case}/grid" in file.tensors, array


def test_exact_tables_have_the_bits_of_the_goldens():
    compared = 0
    for file in goldens("tables"):
        name = file.metadata["preset"]
        for tensor, width, where, dtype, is_grid, expected in tables_of(file):
            if is_grid:
                made = posenc.grid(name, width, tuple(where), dtype=dtype)
            else:
                made = posenc.table(name, width, where, dtype=dtype)
            made = made.reshape(expected.shape)
            # Both zeros of a sine are right in the goldens, which state no sign of them.
            same = (made == expected) | (np.isnan(made) & np.isnan(expected))
            assert same.all(), (file.name, tensor)
            compared += expected.size
    assert compared > 100_000, compared


def test_exact_rotations_have_the_bits_of_the_goldens():
    compared = 0
    for file in goldens("rotations"):
        convention = posenc.Convention(file.metadata["preset"])
        length = int(file.metadata.get("length") or 0) or None
        for case in file.cases():
            tensors = {key.split("/")[1]: array for key, array in file.tensors.items() if key.startswith(case + "/")}
            rotated = 2 * len(tensors["ladder"]) if convention.part == "all" else tensors["in"].shape[-1]
            centre = 0 if convention.decay != "none" else None
            if centre is not None:
                continue
            made = posenc.rotate(
                convention, tensors["positions"], tensors["in"], rotated=rotated, token_axis=-2, length=length
            )
            assert bits(made) == bits(tensors["exact"]), (file.name, case)
            compared += made.size
    assert compared > 50_000, compared


def test_biases_have_the_bits_of_the_goldens():
    file = golden("alibi")
    for case in file.cases():
        heads = int(case[1:])
        made = posenc.bias("alibi", heads, range(5), range(9))
        assert (made == file.tensors[f"{case}/exact/table"]).all(), case
        assert bits(posenc.bias_slopes("alibi", heads)) == bits(file.tensors[f"{case}/exact/slopes"]), case


def test_classes_of_windows_are_those_of_the_originals():
    for file in goldens("windows"):
        for tensor, expected in file.tensors.items():
            height, width = (int(side) for side in tensor.split("/")[0][1:].split("w"))
            made = posenc.window_buckets(file.metadata["preset"], height, width, dtype="int32")
            assert bits(made) == bits(expected), (file.name, tensor)


def test_factors_of_queries_have_the_bits_of_the_goldens():
    for file in goldens("query_scales"):
        for short, dtype in TYPES.items():
            expected = file.tensors.get(f"all/exact/{short}")
            if expected is not None:
                made = posenc.query_scale(file.metadata["preset"], file.tensors["all/positions"], dtype=dtype)
                assert bits(made) == bits(expected), (file.name, short)


# ---- the works of tests/proof, made again through NumPy -----------------------------------------------------------


def proven():
    return dict(line.split() for line in (ROOT / "tests/proof/bits.txt").read_text().splitlines())


INTEGERS = np.array(
    [
        -(2**63),
        -(2**63) + 1,
        -(2**62),
        -(2**53) - 1,
        -(2**31) - 1,
        -16777217,
        -1,
        0,
        1,
        65536,
        16777217,
        2**32,
        2**53,
        2**53 + 1,
        2**62,
        999999999999999989,
        2**63 - 1,
    ],
    dtype=np.int64,
)
REALS = [-(2.0**53), -1e9 - 0.125, -1000.1, -0.5, -0.0, 0.0, 1e-9, 0.1, 0.75, 999.9, 1e7 + 0.3, 2.0**52 + 0.5]
REALS = np.array([*REALS, 2.0**-1060, 2.0**53])


def admits(name, width, recipe):
    try:
        posenc.Rows(name, width, recipe=recipe)
    except posenc.PosencError:
        return False
    return True


def rows_presets():
    """Those of one axis of positions."""
    return [
        name
        for name in posenc.presets()
        if len(getattr(posenc.Convention(name), "axes", "ab")) == 1 and posenc.Convention(name).family == "waves"
    ]


@pytest.mark.parametrize("dtype", ["f32", "bf16"])
def test_tables_of_every_preset_have_the_proven_bits(dtype):
    """As tests/proof/presets.cc makes them, under exact; other recipes are slow."""
    expected, compared = proven(), 0
    for name in rows_presets():
        work = f"preset/{name}/exact/{dtype}"
        widths = [width for width in (1, 2, 3, 7, 64, 97) if admits(name, width, "exact")]
        if work not in expected or not widths or posenc.Convention(name).scale not in (1, 1.0):
            continue
        sha = hashlib.sha256()
        for width in widths:
            for positions in (range(-9, 16), INTEGERS, REALS):
                sha.update(bits(posenc.table(name, width, positions, dtype=TYPES[dtype])))
        for width in (10, 14, 22, 34, 46, 58, 70, 82):
            if admits(name, width, "exact"):
                sha.update(bits(posenc.table(name, width, range(1019, 1021), dtype=TYPES[dtype])))
        assert sha.hexdigest() == expected[work], work
        compared += 1
    assert compared >= 40, compared
