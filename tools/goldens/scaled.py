# SPDX-License-Identifier: Apache-2.0
"""Ladders of rotations for long contexts, and factors of their cosines and sines, as real numbers.

The formulas are those of include/posenc/ladders.h and families.h, written down with mpmath; r is the rotated width.
"""
import record  # chooses the CPU target: before NumPy

import mpmath
from mpmath import mpf

import truth


def _clip(x, least, most):
    return max(least, min(x, most))


def _ntk(w, r, base, factor):
    return [(mpf(base) * mpf(factor) ** (mpf(r) / (r - 2))) ** (-mpf(2 * k) / r) for k in range(len(w))]


def _yarn(w, r, base, factor, length, fast, slow, truncate):
    low, high = (r * mpmath.log(length / (2 * mpmath.pi * t)) / (2 * mpmath.log(base)) for t in (fast, slow))
    if truncate:
        low, high = mpmath.floor(low), mpmath.ceil(high)
    low, high = max(low, mpf(0)), min(high, mpf(r - 1))
    if low == high:
        high += mpf(1) / 1000
    ramps = [_clip((k - low) / (high - low), mpf(0), mpf(1)) for k in range(len(w))]
    return [v / mpf(factor) * ramp + v * (1 - ramp) for v, ramp in zip(w, ramps)]


def _llama3(w, r, base, factor, low, high, length):
    def each(v):
        turns = length * v / (2 * mpmath.pi)
        if turns > high:
            return v
        if turns < low or low == high:
            return v / mpf(factor)
        t = (turns - low) / (mpf(high) - low)
        return (1 - t) * v / mpf(factor) + t * v
    return [each(v) for v in w]


def _proportional(w, r, base, factor, part):
    return [v / mpf(factor) if k < int(part * r / 2) else mpf(0) for k, v in enumerate(w)]


KINDS = {"linear": lambda w, r, base, factor: [v / mpf(factor) for v in w], "ntk": _ntk, "yarn": _yarn,
         "llama3": _llama3, "proportional": _proportional}


def frequencies(r, base, scaling):
    """w_k, k < r / 2; `scaling` is None or a kind with its fields."""
    w = truth.frequencies("over_width", r, base)
    if scaling is None:
        return w
    fields = dict(scaling)
    return KINDS[fields.pop("kind")](w, r, base, **fields)


def magnitude(stated):
    """A number, or YaRN's m(gain) / m(gain_all), m(1) where one of the two is 0."""
    if not isinstance(stated, dict):
        return mpf(stated)
    m = lambda gain: 1 + mpf(gain) / 10 * mpmath.log(stated["factor"])
    gain, gain_all = stated["gain"], stated["gain_all"]
    return m(gain) / m(gain_all) if gain and gain_all else m(1)


def cosines_and_sines(positions, w, factor):
    """factor cos(p w_k) and factor sin(p w_k), rounded once to f32."""
    def rounded(function):
        return truth.array([[truth.round_real(factor * function(p * v), "f32") for v in w] for p in positions], "f32")
    return rounded(mpmath.cos), rounded(mpmath.sin)
