# SPDX-License-Identifier: Apache-2.0
"""The independent truth: correctly rounded values by mpmath, and recipes with correctly rounded functions.

It shares nothing with the library: reals are 256-bit mpmath numbers, roundings are done on Python integers.
"""
import record  # chooses the CPU target: before NumPy

import functools

import mpmath
import numpy as np
from mpmath import mp, mpf

mp.prec = 256
GUARD = 40  # a value nearer to a tie than 2^-GUARD of a last place would be undecided: none is

# precision in bits and exponent of the smallest subnormal
FORMATS = {"f64": (53, -1074), "f32": (24, -149), "f16": (11, -24), "bf16": (8, -133)}
NUMPY = {"f64": np.float64, "f32": np.float32, "f16": np.float16}


def round_real(x, dtype):
    """The real number x (an mpf) rounded once, ties to even; as a Python float, which holds every format."""
    precision, lowest = FORMATS[dtype]
    sign, mantissa, exponent, bits = x._mpf_
    drop = max(exponent + bits - precision, lowest) - exponent
    if mantissa == 0 or drop <= 0:
        return float(x)
    kept, rest = divmod(mantissa, 1 << drop)
    half = 1 << (drop - 1)
    if rest != half and abs(rest - half) < max(half >> GUARD, 1):
        raise ArithmeticError(f"undecided: {x}")
    if rest > half or (rest == half and kept & 1):
        kept += 1
    value = float(mpmath.ldexp(mpf(kept), exponent + drop))
    return -value if sign else value


def array(values, dtype):
    """Python floats that `dtype` holds exactly, as NumPy."""
    if dtype != "bf16":
        return np.array(values, dtype=NUMPY[dtype])
    return record.bf16(np.array(values, dtype=np.float32).view(np.uint32) >> 16)


def exponents(spacing, dim):
    """(numerators, denominator) of e_k. over_pairs_up counts a lone sine, over_width_less_one is Marian's."""
    if spacing == "over_width":
        return list(range(0, dim, 2)), dim
    n = (dim + 1) // 2 if spacing == "over_pairs_up" else dim // 2
    if spacing in ("over_pairs", "over_pairs_up"):
        return list(range(n)), n
    if spacing == "over_width_less_one":
        return list(range(0, 2 * n, 2)), dim - 2
    return list(range(n)), max(n - 1, 1) if spacing == "over_gaps_or_one" else n - 1


@functools.cache
def frequencies(spacing, dim, base=10000):
    numerators, denominator = exponents(spacing, dim)
    return [mpf(base) ** (-mpf(j) / denominator) for j in numerators]


def sine_and_cosine(position, spacing, dim, factor=1):
    """The reals of one row: a list of (sin, cos), one pair a frequency; of angles times a factor."""
    pairs = []
    for w in frequencies(spacing, dim):
        c, s = mpmath.libmp.mpf_cos_sin((factor * mpf(position) * w)._mpf_, mp.prec)
        pairs.append((mp.make_mpf(s), mp.make_mpf(c)))
    return pairs


def lay_out(pairs, layout, odd_width, dim):
    """One row from its (sin, cos) pairs."""
    if layout == "interleaved":
        return [v for pair in pairs for v in pair][:dim]
    first = 1 if layout == "cosine_first" else 0
    row = [pair[first] for pair in pairs] + [pair[1 - first] for pair in pairs]
    if dim % 2 and odd_width == "repeated_cosine":
        return row + [pairs[0][1]]
    return row + [type(row[0])(0)] if dim % 2 and odd_width == "zero_column" else row[:dim]


def lay_out_halves(sines, cosines, layout, odd_width, dim):
    """A table from two NumPy arrays [rows, n]."""
    if layout == "interleaved":
        return np.stack([sines, cosines], -1).reshape(len(sines), -1)[:, :dim]
    table = np.hstack([cosines, sines] if layout == "cosine_first" else [sines, cosines])
    if dim % 2 and odd_width == "repeated_cosine":
        return np.hstack([table, cosines[:, :1]])
    return np.pad(table, ((0, 0), (0, 1))) if dim % 2 and odd_width == "zero_column" else table[:, :dim]


def exact_rows(positions, spacing, layout, odd_width, dim, dtype, factor=1, scale="none"):
    """The correctly rounded table."""
    rows = [lay_out(sine_and_cosine(p, spacing, dim, factor), layout, odd_width, dim) for p in positions]
    by = {"none": mpf(1), "one_over_sqrt_d": 1 / mpmath.sqrt(dim)}[scale]
    return array([[round_real(by * v, dtype) for v in row] for row in rows], dtype)


# ---- cells: several axes that have pairs of their own ----

def run_widths(cells, dim):
    """Columns of each axis."""
    count = len(cells.axes)
    if isinstance(cells.pairs, tuple):
        shares, of = cells.pairs
        return [dim * share // of for share in shares]
    return [-(-dim // (2 * count)) * 2 if cells.pairs == "equal_up" else dim // (2 * count) * 2] * count


def cell_table(cells, dim, extents, rows_of):
    """The flat table of a grid from the rows of one axis each, rows_of(extent, width): x runs fastest, before it y, then
    the others. Columns that are left are zeros, those too many are cut."""
    order = sorted(cells.axes, key="yx".find)  # -1 for the others, whose order stays
    at = dict(zip(order, np.unravel_index(np.arange(np.prod(extents)), extents)))
    size = dict(zip(order, extents))
    runs = [rows_of(size[axis], width)[at[axis]] for axis, width in zip(cells.axes, run_widths(cells, dim))]
    if cells.scope == "row":
        runs = [run[:, :run.shape[1] // 2] for run in runs] + [run[:, run.shape[1] // 2:] for run in runs]
    table = np.hstack(runs)[:, :dim]
    return np.hstack([table, np.zeros((len(table), dim - table.shape[1]), table.dtype)])


def exact_ladder(spacing, dim, dtype="f64", factor=1):
    return array([round_real(factor * w, dtype) for w in frequencies(spacing, dim)], dtype)


# ---- recipes: the stated roundings, correctly rounded functions between them ----

def recipe_ladder(recipe, spacing, dim, base=10000):
    """w_k under a recipe, or the divisors B^e_k under a dividing one."""
    numerators, denominator = exponents(spacing, dim)
    dtype = "f32" if recipe.startswith("f32") else "f64"
    t = NUMPY[dtype]
    if recipe == "f32-exp-quotient":
        c = -t(round_real(mpmath.log(base), "f64"))
        return array([round_real(mpmath.exp(mpf(float(t(j) * c / t(denominator)))), dtype) for j in numerators], dtype)
    if recipe == "f32-exp2":
        c, log2_e = _constant("f32-exp-graph", base, denominator, t), t(round_real(1 / mpmath.log(2), "f32"))
        return array([round_real(mpf(2) ** mpf(float(t(j) * c * log2_e)), dtype) for j in numerators], dtype)
    if "exp" in recipe or recipe in ("f64-to-f16",):
        c = _constant(recipe, base, denominator, t)
        return array([round_real(mpmath.exp(mpf(float(t(j) * c))), dtype) for j in numerators], dtype)
    e = [t(j) / t(denominator) for j in numerators]
    if recipe.endswith("-power"):
        return array([round_real(mpf(base) ** -mpf(float(v)), dtype) for v in e], dtype)
    powers = array([round_real(mpf(base) ** mpf(float(v)), dtype) for v in e], dtype)
    return powers if "divide" in recipe else t(1) / powers


def _constant(recipe, base, denominator, t):
    log = round_real(mpmath.log(base), "f64")
    if recipe == "f32-exp-graph":
        return -np.float32(round_real(mpmath.log(base), "f32")) / np.float32(denominator)
    return t(-log / denominator)


def recipe_angles(recipe, positions, ladder, factor=1):
    """RN(factor RN(RN(p) w_k)), or of RN(RN(p) / divisor), or RN(RN(factor RN(p)) w_k)."""
    p = np.array(positions).astype(ladder.dtype)[:, None]
    factor = ladder.dtype.type(factor)
    if recipe.endswith("-scaled-position"):
        return factor * p * ladder
    return factor * (p / ladder if "divide" in recipe else p * ladder)


def sin_cos(angles):
    """Correctly rounded sine and cosine of f32 or f64 angles."""
    return _certain_f32(angles) if angles.dtype == np.float32 else _certain_f64(angles)


def _certain_f32(angles):
    wide = angles.astype(np.float64)
    return [_finish(f(wide), wide, g) for f, g in ((np.sin, mpmath.sin), (np.cos, mpmath.cos))]


def _finish(y, x, function):
    """f64 values with an error of a few last places, rounded to f32; those near a tie by mpmath."""
    below = (y.view(np.uint64) & np.uint64((1 << 29) - 1)).astype(np.int64)
    result = y.astype(np.float32)
    for i in zip(*np.nonzero((np.abs(below - (1 << 28)) <= 16) & (y != 0))):
        result[i] = round_real(function(mpf(float(x[i]))), "f32")
    return result


def _certain_f64(angles):
    sines, cosines = np.empty_like(angles), np.empty_like(angles)
    for i, x in np.ndenumerate(angles):
        c, s = mpmath.libmp.mpf_cos_sin(mpf(float(x))._mpf_, 160)
        sines[i], cosines[i] = (round_real(mp.make_mpf(v), "f64") for v in (s, c))
    return sines, cosines


def recipe_table(recipe, positions, ladder, layout, odd_width, dim, factor=1):
    """The table that a recipe makes of a ladder, with its roundings on storage."""
    table = lay_out_halves(*sin_cos(recipe_angles(recipe, positions, ladder, factor)), layout, odd_width, dim)
    if recipe.endswith(("-to-f32", "-to-f16")):
        table = table.astype(np.float32)
    return table.astype(np.float16) if recipe == "f64-to-f16" else table


# ---- distances ----------------------------------------------------------------------------------

def ulps(a, b):
    """Distance in last places of the type, entry by entry; +0 and -0 are one value."""
    kind = {2: np.int16, 4: np.int32, 8: np.int64}[a.dtype.itemsize]

    def order(x):
        i = x.view(kind).astype(np.int64)
        return np.where(i < 0, np.iinfo(kind).min - i, i)

    return np.abs(order(np.ascontiguousarray(a)) - order(np.ascontiguousarray(b)))
