# SPDX-License-Identifier: Apache-2.0
"""The real numbers of rows at places, one formula a convention, in 256 bits: what stands in each column.

A column is (kind, terms, phase): kind is "sine" or "cosine" of the sum of x_a w over its terms (a, w), plus the phase;
or "raw", the coordinate of its only term.
"""
import truth  # chooses the precision

import mpmath
from mpmath import mp, mpf

TURN = 2 * mp.pi
ZERO = mpf(2) ** -200  # what is less is a whole number of half turns, made of a rounded pi


def sines_and_cosines(pairs):
    """A block of sines, then a block of cosines, of (axis, frequency)."""
    return [(kind, [pair], 0) for kind in ("sine", "cosine") for pair in pairs]


def interleaved(pairs):
    return [(kind, [pair], 0) for pair in pairs for kind in ("sine", "cosine")]


def raw(axes):
    return [("raw", [(a, mpf(1))], 0) for a in range(axes)]


def geometric(base, count, over, unit=1):
    """unit base^(-k / over)"""
    return [unit * mpf(base) ** (-mpf(k) / over) for k in range(count)]


def linear(first, last, count, unit):
    return [unit * (first + (mpf(last) - first) * k / (count - 1)) for k in range(count)]


def by_axis(dim, axes, base, lay_out, unit=1):
    """Each axis has its own run, with the paper's ladder over it."""
    w = geometric(base, dim // axes // 2, dim // axes // 2, unit)
    return [column for a in range(axes) for column in lay_out([(a, f) for f in w])]


def by_rung(axes, w):
    """Of each frequency the sines of every axis, then their cosines."""
    return [column for f in w for column in sines_and_cosines([(a, f) for a in range(axes)])]


def nerf(dim, unit=1, lead=3):
    return raw(lead) + by_rung(3, [unit * mpf(2) ** k for k in range((dim - lead) // 6)])


def gligen(dim):
    return by_rung(4, geometric(mpf(1) / 100, dim // 8, dim // 8))


def perceiver(dim, last):
    w = linear(1, last, (dim - 2) // 4, mp.pi)
    return raw(2) + sines_and_cosines([(a, f) for a in range(2) for f in w])


def fourier_embed(dim, last):
    w = linear(1, last, (dim - 2) // 4, mp.pi)
    return raw(2) + sines_and_cosines([(a, f) for f in w for a in range(2)])


def fourier_octaves(dim, last):
    n = dim // 4
    return sines_and_cosines([(a, f) for a in range(2) for f in geometric(mpf(1) / last, n, n - 1, mp.pi)])


def matrix(lines):
    """Each angle is a sum over the axes, of turns."""
    terms = [[(a, TURN * mpf(w)) for a, w in enumerate(column)] for column in zip(*lines)]
    return [(kind, each, 0) for kind in ("sine", "cosine") for each in terms]


def listed(frequencies, unit=TURN):
    return sines_and_cosines([(0, unit * mpf(w)) for w in frequencies])


def phased(kind, frequencies, phases, unit):
    return [(kind, [(0, unit * mpf(w))], unit * mpf(b)) for w, b in zip(frequencies, phases)]


def double_exponent(dim):
    """Every column has its own power."""
    return [("cosine" if c % 2 else "sine", [(0, mpf(10000) ** (-mpf(2 * c) / dim))], 0) for c in range(dim)]


def runaway(dim):
    n = dim // 2
    r = mpmath.log(10000) / (n - 1)
    return sines_and_cosines([(0, -r * mpmath.exp(k)) for k in range(n)])


def one_axis(spacing, dim):
    return [(0, w) for w in truth.frequencies(spacing, dim)]


def angle_at(column, place):
    _, terms, phase = column
    return mpmath.fsum([mpf(place[a]) * w for a, w in terms] + [phase])


def value_at(column, place):
    if column[0] == "raw":
        return mpf(place[column[1][0][0]])
    c, s = mpmath.libmp.mpf_cos_sin(angle_at(column, place)._mpf_, mp.prec)
    value = mp.make_mpf(s if column[0] == "sine" else c)
    return value if abs(value) > ZERO else mpf(0)


def size_at(column, place):
    """What a relative error of a coordinate or a frequency costs: the sum of |x_a w| and of the phase."""
    _, terms, phase = column
    return float(mpmath.fsum([abs(mpf(place[a]) * w) for a, w in terms] + [abs(phase)]))
