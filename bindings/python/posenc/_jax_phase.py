# SPDX-License-Identifier: Apache-2.0
"""The recipe `phase` by jnp, in words of 32 bits: no callback, no 64-bit types, any transformation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from ._errors import PosencError
from ._pairs import Pairs
from ._phase import Angles, Order, Plan, phases, waves


class _Words:
    """Numbers as uint32, whose sums wrap modulo 2^32; their products are those of 16 bits."""

    def product(self, a: Any, b: Any) -> tuple[Any, Any]:
        a1, a0, b1, b0 = a >> 16, a & 0xFFFF, b >> 16, b & 0xFFFF
        low = a0 * b0
        middle = a1 * b0 + (low >> 16)
        other = a0 * b1 + (middle & 0xFFFF)
        return a1 * b1 + (middle >> 16) + (other >> 16), other << 16 | low & 0xFFFF

    def scaled(self, a: Any, b: Any, shift: int) -> Any:
        high, low = self.product(a, jnp.uint32(b))
        return high >> (shift - 32) if shift > 32 else high << (32 - shift) | low >> shift

    def add(self, a: Any, b: Any) -> Any:
        return a + jnp.uint32(b)

    def overflows(self, a: Any, b: Any) -> Any:
        return (a + jnp.uint32(b) < a).astype(jnp.uint32)

    def minus(self, constant: int, b: Any) -> Any:
        return jnp.uint32(constant) - b

    def up(self, a: Any, shift: int) -> Any:
        return a << shift

    def down(self, a: Any, shift: int) -> Any:
        return a >> shift

    def lowest(self, a: Any, bits: int) -> Any:
        return a & jnp.uint32((1 << bits) - 1)

    def below(self, a: Any, bound: int) -> Any:
        return a < jnp.uint32(bound)

    def where(self, truth: Any, a: Any, b: Any) -> Any:
        return jnp.where(truth, *(jnp.float32(each) if isinstance(each, float) else each for each in (a, b)))

    def differ(self, a: Any, b: Any) -> Any:
        return a ^ b

    def both(self, a: Any, b: Any) -> Any:
        return a & b

    def signed_float(self, is_negative: Any, high: Any, low: Any) -> Any:
        size = high.astype(jnp.float32) * jnp.float32(1 << 24) + low.astype(jnp.float32)  # the product is exact
        return jnp.where(is_negative, jnp.float32(0) - size, size)

    def float(self, a: Any) -> Any:
        return a.astype(jnp.float32)

    def times(self, a: Any, b: Any) -> Any:
        return a * (jnp.float32(b) if isinstance(b, float) else b)


def _halves(words: Sequence[int]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    whole = np.array(words, np.uint64)
    return (whole >> np.uint64(32)).astype(np.uint32), whole.astype(np.uint32)


def numbers_of(operation: str, positions: Sequence[jax.Array]) -> list[jax.Array]:
    """As int32 or uint32, whose sizes are words."""
    for each in positions:
        if not jnp.issubdtype(each.dtype, jnp.integer) or each.dtype.itemsize > 4:
            rule = "positions must be whole numbers of at most 32 bits under the recipe phase"
            raise PosencError(operation, rule, str(each.dtype))
    return [each if each.dtype.itemsize == 4 else each.astype(jnp.int32) for each in positions]


def _sines_cosines(plan: Plan, positions: Sequence[jax.Array]) -> tuple[jax.Array, jax.Array]:
    """[.., angles] each, f32, times the scale. They are made once, however many heads they are for."""
    halves = [_halves(words) for words in plan.words]
    start = None if plan.starts is None else _halves(plan.starts)
    angles = Angles([upper for upper, _ in halves], [lower for _, lower in halves], start)
    numbers = [(jnp.abs(each)[..., None].astype(jnp.uint32), (each < 0)[..., None]) for each in positions]
    o = _Words()
    made = waves(o, *phases(o, numbers, angles))
    if plan.scale != 1:
        made = made[0] * jnp.float32(plan.scale), made[1] * jnp.float32(plan.scale)
    # XLA would make them anew for every head.
    kept: tuple[jax.Array, jax.Array] = jax.lax.optimization_barrier(made)  # type: ignore[no-untyped-call]
    return kept


def rows(plan: Plan, positions: Sequence[jax.Array]) -> jax.Array:
    """[.., columns], f32."""
    sine, cosine = _sines_cosines(plan, positions)
    if plan.order is Order.interleaved:
        return jnp.stack((sine, cosine), -1).reshape(*sine.shape[:-1], 2 * sine.shape[-1])
    if plan.order is not None:
        return jnp.concatenate((sine, cosine) if plan.order is Order.sine_first else (cosine, sine), -1)
    zero = jnp.zeros((*sine.shape[:-1], 1), jnp.float32)
    one = zero + jnp.float32(plan.scale)
    coordinates = [each.astype(jnp.float32)[..., None] * jnp.float32(plan.scale) for each in positions]
    blocks = jnp.concatenate((sine, cosine, 0 - sine, 0 - cosine, zero, one, zero, 0 - one, *coordinates), -1)
    return blocks[..., np.array([plan.place_of(*column) for column in plan.columns])]


def turned(plan: Plan, pairs: Pairs, positions: Sequence[jax.Array], x: jax.Array, is_inverse: bool) -> jax.Array:
    """x [.., L, d], positions with as many axes before the columns."""
    sine, cosine = _sines_cosines(plan, positions)
    if plan.order is not Order.cosine_first:  # pairs that share angles
        n = len(plan.columns) // 2
        halves = rows(plan, positions)
        cosine, sine = halves[..., :n], halves[..., n:]
    sine = sine * pairs.sign * (-1 if is_inverse else 1)
    dtype = x.dtype if x.dtype == jnp.float64 else jnp.float32
    last = pairs.first + pairs.width
    wide = x[..., pairs.first : last].astype(dtype)
    reads, writes = (pairs.is_adjacent, pairs.written_adjacent)[:: -1 if is_inverse else 1]
    a, b = (wide[..., 0::2], wide[..., 1::2]) if reads else jnp.split(wide, 2, -1)
    c, s = cosine.astype(dtype), sine.astype(dtype)
    parts = a * c - b * s, a * s + b * c
    made = jnp.stack(parts, -1).reshape(wide.shape) if writes else jnp.concatenate(parts, -1)
    return jnp.concatenate((x[..., : pairs.first], made.astype(x.dtype), x[..., last:]), -1)
