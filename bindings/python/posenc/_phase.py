# SPDX-License-Identifier: Apache-2.0
"""The recipe `phase` as a graph: written once over words of 32 bits and a product of two of them, for any runtime.

A number is a whole one, not below 0 and below 2^32; a runtime supplies the operations. What each line is says
posenc/phase_plan.h.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

from . import _core
from ._types import context

# ---- plans ---------------------------------------------------------------------------------------------------------

CONSTANT, COORDINATE, WAVE = range(3)


class Order(Enum):
    """Sines and cosines of angles 0, 1, .. in the columns of a plan."""

    sine_first = 1  #: [s.. | c..]
    cosine_first = 2  #: [c.. | s..]
    interleaved = 3  #: [s0 c0 s1 c1 ..]


class Plan(NamedTuple):
    """As posenc/phase_plan.h says."""

    axes: tuple[str, ...]
    words: tuple[tuple[int, ...], ...]  #: of each axis, one an angle
    starts: tuple[int, ...] | None  #: None: 0 everywhere
    columns: tuple[tuple[int, int, int], ...]  #: (kind, quarter, number)
    scale: float
    order: Order | None  #: None: any

    def place_of(self, kind: int, quarter: int, number: int) -> int:
        """Of a column among [sines | cosines | -sines | -cosines | 0, m, 0, -m | coordinates]."""
        angles = len(self.words[0])
        if kind == WAVE:
            return quarter * angles + number
        return 4 * angles + (quarter if kind == CONSTANT else 4 + number)


def _order(columns: tuple[tuple[int, int, int], ...], angles: int) -> Order | None:
    sines, cosines = (tuple((WAVE, quarter, k) for k in range(angles)) for quarter in (0, 1))
    orders = {
        sines + cosines: Order.sine_first,
        cosines + sines: Order.cosine_first,
        tuple(each for pair in zip(sines, cosines, strict=True) for each in pair): Order.interleaved,
    }
    return orders.get(columns)


def _plan(axes: list[str], angles: list[tuple[list[int], int]], columns: Any, scale: float) -> Plan:
    words = tuple(tuple(each[a] for each, _ in angles) for a in range(len(axes)))
    starts = tuple(start for _, start in angles)
    placed = tuple(map(tuple, columns))
    return Plan(tuple(axes), words, starts if any(starts) else None, placed, scale, _order(placed, len(angles)))


@lru_cache(maxsize=64)
def plan_of_rows(convention: str, dim: int, learned: float | None = None) -> Plan:
    return _plan(*_core.phase_plan_of_rows(convention, dim, context(None, None, learned)))


@lru_cache(maxsize=64)
def plan_of_rotation(convention: str, head: int, length: int | None = None) -> Plan:
    return _plan(*_core.phase_plan_of_rotation(convention, head, context(length, None, None)))


# ---- waves ---------------------------------------------------------------------------------------------------------

_SINE = ((1686629713, 1387197328, 1369107519, 1286724417, 1388671293), (33, 35, 36, 37))
_ALL = (1 << 32) - 1
_COSINE = ((2147483647, 1324675872, 1089501132, 1433510551, 1988114506), (31, 34, 36, 37))


class Operations(Protocol):
    """Of numbers, truths and floats of 32 bits. A shift, a bound and what is named constant is an int."""

    def product(self, a: Any, b: Any) -> tuple[Any, Any]:
        """The upper and the lower 32 bits of a b."""

    def scaled(self, a: Any, b: Any, shift: int) -> Any:
        """a b / 2^shift, rounded down, which is below 2^32."""

    def add(self, a: Any, b: Any) -> Any:
        """a + b modulo 2^32."""

    def overflows(self, a: Any, b: Any) -> Any:
        """1 where a + b is 2^32 or more, else 0."""

    def minus(self, constant: int, b: Any) -> Any:
        """constant - b, which is not below 0."""

    def up(self, a: Any, shift: int) -> Any:
        """a 2^shift, which is below 2^32."""

    def down(self, a: Any, shift: int) -> Any:
        """a / 2^shift, rounded down."""

    def lowest(self, a: Any, bits: int) -> Any:
        """a modulo 2^bits."""

    def below(self, a: Any, bound: int) -> Any: ...

    def where(self, truth: Any, a: Any, b: Any) -> Any:
        """Of numbers, floats and constants."""

    def differ(self, a: Any, b: Any) -> Any:
        """Exactly one of two truths."""

    def both(self, a: Any, b: Any) -> Any: ...

    def signed_float(self, is_negative: Any, high: Any, low: Any) -> Any:
        """high 2^24 + low, both below 2^24, negated or not, rounded once; a 0 is +0."""

    def float(self, a: Any) -> Any:
        """A number below 2^31, rounded."""

    def times(self, a: Any, b: Any) -> Any:
        """The product of a float and a float or a constant, rounded."""


class Angles(NamedTuple):
    """Words of the angles of a plan, as a runtime keeps them: one an axis, and what they have at coordinates 0."""

    upper: Sequence[Any]
    lower: Sequence[Any]
    start: tuple[Any, Any] | None  #: none: 0


def _opposite(o: Operations, high: Any, low: Any) -> tuple[Any, Any]:
    """2^64 - a: the complement of both words, and 1."""
    high, low = o.minus(_ALL, high), o.minus(_ALL, low)
    return o.add(high, o.overflows(low, 1)), o.add(low, 1)


def phases(o: Operations, positions: Sequence[tuple[Any, Any]], angles: Angles) -> tuple[Any, Any, Any]:
    """The upper and the lower words of phases, and where their sines are to be negated, or None: nowhere.

    positions: of each axis the size, below 2^31, and whether it is below 0.
    """
    parts = []
    for (size, is_negative), upper, lower in zip(positions, angles.upper, angles.lower, strict=True):
        carried, low = o.product(size, lower)
        high = o.add(o.product(size, upper)[1], carried)
        parts.append((high, low, is_negative))
    if len(parts) == 1 and angles.start is None:
        return parts[0]
    made = angles.start
    for high, low, is_negative in parts:
        far_high, far_low = _opposite(o, high, low)
        high, low = o.where(is_negative, far_high, high), o.where(is_negative, far_low, low)
        if made is not None:
            high, low = o.add(o.add(made[0], high), o.overflows(made[1], low)), o.add(made[1], low)
        made = high, low
    assert made is not None
    return *made, None


def _polynomial(o: Operations, z: Any, of: tuple[Sequence[int], Sequence[int]]) -> Any:
    coefficients, shifts = of
    made = coefficients[-1]
    for coefficient, shift in zip(coefficients[-2::-1], shifts[::-1], strict=True):
        made = o.minus(coefficient, o.scaled(z, made, shift))
    return made


def waves(o: Operations, high: Any, low: Any, is_mirrored: Any) -> tuple[Any, Any]:
    """The sine and the cosine of phases, floats; is_mirrored: as phases() says."""
    # X, from the nearer end of the quarter, as words of 31 bits.
    a, b = o.add(o.up(o.lowest(high, 30), 1), o.down(low, 31)), o.lowest(low, 31)
    from_start, is_whole = o.below(a, 1 << 30), o.below(b, 1)
    X = o.where(from_start, a, o.where(is_whole, o.minus(1 << 31, a), o.minus((1 << 31) - 1, a)))
    X_low = o.where(from_start, b, o.where(is_whole, b, o.minus(1 << 31, b)))

    x = o.add(X, o.down(X_low, 30))
    z = o.scaled(x, x, 30)
    s = _polynomial(o, z, _SINE)
    S, C = o.scaled(x, s, 30), _polynomial(o, z, _COSINE)

    quarter = o.down(high, 30)
    is_even, in_first_half = o.below(o.lowest(quarter, 1), 1), o.below(quarter, 2)
    swapped = o.differ(is_even, from_start)
    sine_below = o.below(o.minus(3, quarter), 2)
    if is_mirrored is not None:
        sine_below = o.differ(sine_below, is_mirrored)
    cosine_below = o.differ(is_even, in_first_half)

    is_small, is_tiny = o.below(X, 1 << 24), o.below(X, 1 << 17)
    upper = o.where(is_tiny, o.add(o.up(o.lowest(X, 17), 7), o.down(X_low, 24)), X)
    lower = o.where(is_tiny, o.lowest(X_low, 24), o.down(X_low, 7))
    upper, lower = o.where(is_small, upper, o.down(S, 24)), o.where(is_small, lower, o.lowest(S, 24))
    factor = o.float(s)
    factor = o.where(is_tiny, o.times(factor, 2.0**-92), o.times(factor, 2.0**-85))
    by = o.where(is_small, factor, 2.0**-31)
    exchanged = o.both(swapped, o.differ(sine_below, cosine_below))
    S_below, C_below = o.differ(sine_below, exchanged), o.differ(cosine_below, exchanged)
    of_S = o.times(o.signed_float(S_below, upper, lower), by)
    of_C = o.times(o.signed_float(C_below, o.down(C, 24), o.lowest(C, 24)), 2.0**-31)
    return o.where(swapped, of_C, of_S), o.where(swapped, of_S, of_C)
