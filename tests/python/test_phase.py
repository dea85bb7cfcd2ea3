# SPDX-License-Identifier: Apache-2.0
"""The recipe `phase` as a graph, posenc/_phase.py, by NumPy's whole numbers of 64 bits and by words of 32: the bits of
the library's own kernel."""

import numpy as np
import posenc
import pytest
from posenc import _core, _phase

ALL = (1 << 32) - 1


class Wide:
    """Numbers below 2^32 as int64."""

    def product(self, a, b):
        return a * b >> 32, a * b & ALL

    def scaled(self, a, b, shift):
        return a * b >> shift

    def add(self, a, b):
        return a + b & ALL

    def overflows(self, a, b):
        return a + b >> 32

    def minus(self, constant, b):
        return constant - b

    def up(self, a, shift):
        return a << shift

    def down(self, a, shift):
        return a >> shift

    def lowest(self, a, bits):
        return a & (1 << bits) - 1

    def below(self, a, bound):
        return a < bound

    def where(self, truth, a, b):
        return np.where(truth, self._float_of(a), self._float_of(b))

    def differ(self, a, b):
        return a != b

    def both(self, a, b):
        return a & b

    def signed_float(self, is_negative, high, low):
        number = high * (1 << 24) + low
        return np.where(is_negative, -number, number).astype(np.float32)

    def float(self, a):
        return a.astype(np.float32)

    def times(self, a, b):
        return a * self._float_of(b)

    @staticmethod
    def _float_of(a):
        return np.float32(a) if isinstance(a, float) else a


class Words(Wide):
    """As uint32 alone, with products of 16 bits: what WGSL has, and JAX without its 64-bit types."""

    def product(self, a, b):
        a1, a0, b1, b0 = a >> 16, a & 0xFFFF, b >> 16, b & 0xFFFF
        low = a0 * b0
        middle = a1 * b0 + (low >> 16)
        other = a0 * b1 + (middle & 0xFFFF)
        return a1 * b1 + (middle >> 16) + (other >> 16), other << 16 | low & 0xFFFF

    def scaled(self, a, b, shift):
        high, low = self.product(a, np.uint32(b))
        return high >> shift - 32 if shift > 32 else high << 32 - shift | low >> shift

    def add(self, a, b):
        return a + np.uint32(b)

    def overflows(self, a, b):
        return (self.add(a, b) < a).astype(np.uint32)

    def minus(self, constant, b):
        return np.uint32(constant) - b

    def lowest(self, a, bits):
        return a & np.uint32((1 << bits) - 1)

    def below(self, a, bound):
        return a < np.uint32(bound)

    def signed_float(self, is_negative, high, low):
        size = high.astype(np.float32) * np.float32(1 << 24) + low.astype(np.float32)
        return np.where(is_negative, np.float32(0) - size, size)


RUNTIMES = [pytest.param(Wide(), np.int64, id="wide"), pytest.param(Words(), np.uint32, id="words")]
PLACES = [0, 1, 2, 7, 4095, 131071, 1048575, 2**31 - 1, -1, -8192, 1 - 2**31]


def halves(words, dtype):
    return tuple(np.array([part(word) for word in words], dtype) for part in (lambda w: w >> 32, lambda w: w & ALL))


def made(o, dtype, plan, places):
    """Sines and cosines of all angles at places of every axis, times the scale."""
    axes, angles, _, scale = plan
    words = [halves([of[a] for of, _ in angles], dtype) for a in range(len(axes))]
    starts = [start for _, start in angles]
    known = _phase.Angles([w[0] for w in words], [w[1] for w in words], halves(starts, dtype) if any(starts) else None)
    numbers = [(np.abs(each).astype(dtype)[:, None], (each < 0)[:, None]) for each in places]
    with np.errstate(over="ignore"):
        sine, cosine = _phase.waves(o, *_phase.phases(o, numbers, known))
    return sine * np.float32(scale), cosine * np.float32(scale)


def expect_same(a, b):
    np.testing.assert_array_equal(a.view(np.uint32), np.ascontiguousarray(b, np.float32).view(np.uint32))


@pytest.mark.parametrize(("o", "dtype"), RUNTIMES)
@pytest.mark.parametrize(("name", "dim"), [("transformer", 34), ("whisper", 64), ("stable-diffusion-timestep", 320)])
def test_rows_have_the_bits_of_the_kernel(o, dtype, name, dim):
    plan = _core.phase_plan_of_rows(name, dim, None)
    waves = made(o, dtype, plan, [np.array(PLACES)])
    table = posenc.table(name, dim, PLACES, recipe="phase")
    for column, (kind, quarter, angle) in enumerate(plan[2]):
        assert kind == 2 and quarter in (0, 1)
        expect_same(waves[quarter][:, angle], table[:, column])


@pytest.mark.parametrize(("o", "dtype"), RUNTIMES)
@pytest.mark.parametrize("name", ["llama", "rope-yarn", "qwen2-vl", "rope-mixed"])
def test_rotations_have_the_bits_of_the_kernel(o, dtype, name):
    """Of one axis, of a magnitude, of an axis a pair, of sums over axes."""
    head = 8 if name == "rope-mixed" else 128
    plan = _core.phase_plan_of_rotation(name, head, None)
    places = [np.array(PLACES) // (a + 1) for a in range(len(plan[0]))]
    sine, cosine = made(o, dtype, plan, places)
    at = places[0] if len(places) == 1 else tuple(places)
    cache = posenc.rotary_cache(name, head, at, stored="halves_twice", recipe="phase")
    for pair in range(len(plan[2]) // 2):
        expect_same(cosine[:, plan[2][pair][2]], cache["cos"][:, pair])
        expect_same(sine[:, plan[2][pair][2]], cache["sin"][:, pair])


@pytest.mark.parametrize("name", ["time2vec", "esmfold2-fourier"])
def test_starts_are_added(name):
    """An angle has turns at position 0."""
    plan = next(plan for plan in plans(name) if any(start for _, start in plan[1]))
    places = np.array(PLACES)
    rows = posenc.table(name, plan.dim, PLACES, recipe="phase")
    for o, dtype in ((Wide(), np.int64), (Words(), np.uint32)):
        waves = made(o, dtype, plan[:4], [places])
        for column, (kind, quarter, angle) in enumerate(plan[2]):
            if kind == 2:
                assert quarter < 2
                expect_same(waves[quarter][:, angle], rows[:, column])


class PlanOf(tuple):
    dim = 0


def plans(name):
    for dim in range(2, 300):
        try:
            plan = PlanOf(_core.phase_plan_of_rows(name, dim, None))
        except posenc.PosencError:
            continue
        plan.dim = dim
        yield plan


def test_a_plan_says_what_it_refuses():
    with pytest.raises(posenc.PosencError, match="recipe must be exact"):
        _core.phase_plan_of_rotation("xpos-lucid", 64, (None, 0.0, None))
    with pytest.raises(posenc.PosencError, match="rotary"):
        _core.phase_plan_of_rotation("transformer", 64, None)
