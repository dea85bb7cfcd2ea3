# SPDX-License-Identifier: Apache-2.0
"""Ladders of rotations for long contexts, and factors of their cosines and sines, as real numbers.

The formulas are those of include/posenc/ladders.h and families.h, written down with mpmath; r is the rotated width.
Under the recipe f32-reciprocal they are the operations of transformers 5.23, each rounded to f32 by NumPy, with
correctly rounded powers and logarithms; what Python forms of numbers alone is f64. PyTorch makes a number over a tensor
as the tensor's reciprocal times the number.
"""
import record  # chooses the CPU target: before NumPy

import math

import mpmath
import numpy as np
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


def _clipped(w, r, base, pairs):
    clipped = min(pairs, len(w))
    kept = len(w) - clipped
    tapers = [(1 + mpmath.cos(mpmath.pi * j / (clipped - 1))) / 2 if j < clipped - 1 else mpf(0) for j in range(clipped)]
    return w[:kept] + [v * taper for v, taper in zip(w[kept:], tapers if clipped > 1 else [mpf(1)])]


def _dynamic_ntk(w, r, base, factor, length, tokens):
    return _ntk(w, r, base, mpf(factor) * max(tokens, length) / length - (mpf(factor) - 1))


def _longrope(w, r, base, factors, length, tokens):
    return [v / mpf(by) for v, by in zip(w, factors[tokens > length])]


KINDS = {"dynamic_ntk": _dynamic_ntk, "longrope": _longrope,
         "linear": lambda w, r, base, factor: [v / mpf(factor) for v in w], "ntk": _ntk, "yarn": _yarn,
         "llama3": _llama3, "proportional": _proportional, "clipped": _clipped}


def frequencies(r, base, scaling):
    """w_k, k < r / 2; `scaling` is None or a kind with its fields."""
    w = truth.frequencies("over_width", r, base)
    if scaling is None:
        return w
    fields = dict(scaling)
    return KINDS[fields.pop("kind")](w, r, base, **fields)


# ---- the recipe f32-reciprocal -------------------------------------------------------------------

F = np.float32
ONE = F(1)


def _powers(r, base):
    return truth.array([truth.round_real(mpf(float(F(base))) ** mpf(float(F(j) / F(r))), "f32")
                        for j in range(0, r, 2)], "f32")


def _f64_log(x):
    return truth.round_real(mpmath.log(x), "f64")


def _ntk_steps(r, base, factor):
    return ONE / _powers(r, base * truth.round_real(mpf(factor) ** mpf(r / (r - 2)), "f64"))


def _yarn_steps(r, base, factor, length, fast, slow, truncate):
    low, high = (r * _f64_log(length / (t * 2 * math.pi)) / (2 * _f64_log(base)) for t in (fast, slow))
    if truncate:
        low, high = math.floor(low), math.ceil(high)
    low, high = max(low, 0), min(high, r - 1)
    if low == high:
        high += 0.001
    ramp = np.clip((np.arange(r // 2).astype(F) - F(low)) / F(high - low), F(0), ONE)
    kept, powers = ONE - ramp, _powers(r, base)
    return (ONE / (F(factor) * powers)) * (ONE - kept) + (ONE / powers) * kept


def _llama3_steps(r, base, factor, low, high, length):
    w = ONE / _powers(r, base)
    wave = (ONE / w) * F(2 * math.pi)
    t = ((ONE / wave) * F(length) - F(low)) / F(high - low)
    between = ((ONE - t) * w) / F(factor) + t * w
    return np.where(wave > F(length / low), w / F(factor), np.where(wave < F(length / high), w, between))


def _proportional_steps(r, base, factor, part):
    w = ONE / _powers(r, base) / F(factor)
    return np.where(np.arange(r // 2) < int(part * r / 2), w, F(0))


def _linspace(to, count):
    """PyTorch's, from 0: its second half counts from the end, by one rounding, as its code on AVX2 has it."""
    step = F(to) / F(max(count - 1, 1))

    def from_end(j):
        return F(truth.round_real(mpf(float(F(to))) - (count - 1 - j) * mpf(float(step)), "f32"))
    return [F(j) * step if j < count // 2 or count == 1 else from_end(j) for j in range(count)]


def _clipped_steps(r, base, pairs):
    w = ONE / _powers(r, base)
    clipped = min(pairs, len(w))
    cosines = [F(truth.round_real(mpmath.cos(mpf(float(angle))), "f32")) for angle in _linspace(math.pi, clipped)]
    w[len(w) - clipped:] *= np.array([F(0.5) * (ONE + cosine) for cosine in cosines], F)
    return w


def _dynamic_ntk_steps(r, base, factor, length, tokens):
    grown = F(factor) * F(max(tokens, length)) / F(length) - F(factor - 1)
    power = F(truth.round_real(mpf(float(grown)) ** mpf(r / (r - 2)), "f32"))
    return ONE / _powers(r, F(base) * power)


def _longrope_steps(r, base, factors, length, tokens):
    return ONE / (np.array(factors[tokens > length], F) * _powers(r, base))


STEPS = {"dynamic_ntk": _dynamic_ntk_steps, "longrope": _longrope_steps,
         "linear": lambda r, base, factor: ONE / _powers(r, base) / F(factor), "ntk": _ntk_steps, "yarn": _yarn_steps,
         "llama3": _llama3_steps, "proportional": _proportional_steps, "clipped": _clipped_steps}


def recipe_ladder(recipe, r, base, scaling):
    """w_k under a recipe, or the divisors B^e_k under a dividing one."""
    if scaling is None:
        return truth.recipe_ladder(recipe, "over_width", r, base)
    fields = dict(scaling)
    if recipe == "f32-power":
        assert fields.pop("kind") == "linear"
        return truth.recipe_ladder(recipe, "over_width", r, base) / F(fields["factor"])
    assert recipe == ("f32-reciprocal-fused" if fields["kind"] == "clipped" else "f32-reciprocal")
    ladder = STEPS[fields.pop("kind")](r, base, **fields)
    assert ladder.dtype == F
    return ladder


def recipe_magnitude(stated):
    return F(truth.round_real(magnitude(stated), "f32"))


# ---- magnitudes, cosines and sines ---------------------------------------------------------------

def magnitude(stated):
    """A number, YaRN's m(gain) / m(gain_all), m(1) where one of the two is 0, or LongRoPE's."""
    if not isinstance(stated, dict):
        return mpf(stated)
    if "length" in stated:
        return mpmath.sqrt(1 + mpmath.log(stated["factor"]) / mpmath.log(stated["length"]))
    m = lambda gain: 1 + mpf(gain) / 10 * mpmath.log(stated["factor"])
    gain, gain_all = stated["gain"], stated["gain_all"]
    return m(gain) / m(gain_all) if gain and gain_all else m(1)


def cosines_and_sines(positions, w, factor):
    """factor cos(p w_k) and factor sin(p w_k), rounded once to f32."""
    def rounded(function):
        return truth.array([[truth.round_real(factor * function(p * v), "f32") for v in w] for p in positions], "f32")
    return rounded(mpmath.cos), rounded(mpmath.sin)
