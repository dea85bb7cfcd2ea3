# SPDX-License-Identifier: Apache-2.0
"""posenc's kernels in programs of JAX, by callbacks to the CPU: under jit, grad and vmap. Importing this imports jax.

A call costs about 0.1 ms more than the kernel, and a copy of large arrays. A table that is made once needs none of it:
jnp.asarray(posenc.table(...)). With recipe="phase" tables and rotations are jnp's own operations, of whole positions:
on any device, exported, under jvp and scan, without a callback.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

import posenc

from . import _jax_phase
from ._convention import Convention, Scale, convention_text
from ._errors import PosencError
from ._pairs import pairs_of
from ._phase import plan_of_rotation, plan_of_rows

if TYPE_CHECKING:
    from ._types import ConventionLike

__all__ = ["encode", "rotate", "table"]

#: One position, a range, or an array [L] or [B, L]; of several axes a sequence of these.
PositionsLike: TypeAlias = "int | range | jax.Array | np.ndarray[Any, Any] | Sequence[Any]"


def _array_of(operation: str, positions: Any) -> jax.Array:
    if isinstance(positions, jax.Array):
        return positions
    try:
        numbers = np.asarray(positions)
    except MemoryError:
        raise PosencError(operation, "positions must fit into memory", str(positions)) from None
    narrow = numbers.astype(jax.dtypes.canonicalize_dtype(numbers.dtype))
    if numbers.dtype.kind in "iu" and not np.array_equal(narrow, numbers):
        far = max(numbers.max(), -numbers.min())
        raise PosencError(operation, f"positions must be of {narrow.dtype}, unless jax_enable_x64 is set", str(far))
    return jnp.asarray(narrow)


def _expect_memory(operation: str, shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    try:
        np.empty(shape, dtype)  # pages that nobody touches take nothing
    except (MemoryError, ValueError):
        raise PosencError(operation, "the result must fit into memory", f"an array of shape {shape}") from None


def _lists_of(operation: str, positions: PositionsLike, axes: int) -> list[jax.Array]:
    """An array for each axis of a convention."""
    if axes == 1:
        return [_array_of(operation, positions)]
    if not isinstance(positions, (list, tuple)) or len(positions) != axes:
        raise PosencError(operation, f"positions must be a sequence of {axes}, one for each axis", str(positions))
    return [_array_of(operation, each) for each in positions]


def _expect_type(operation: str, dtype: Any) -> np.dtype[Any]:
    asked: np.dtype[Any] = np.dtype(dtype)
    if jax.dtypes.canonicalize_dtype(asked) != asked:
        raise PosencError(operation, "dtype must be of at most 32 bits, unless jax_enable_x64 is set", str(asked))
    return asked


@dataclass(frozen=True)
class _Work:
    """A function and what it is told beside arrays: equal ones are one to JAX, which compiles a callback once."""

    function: Callable[..., Any]
    of: Any

    def __call__(self, *given: Any) -> Any:
        return self.function(self.of, *(np.asarray(each) for each in given))


def _callback(work: _Work, shape: Sequence[int], dtype: Any, method: str, *arrays: Any) -> jax.Array:
    result = jax.ShapeDtypeStruct(tuple(shape), dtype)  # type: ignore[no-untyped-call]
    called: jax.Array = jax.pure_callback(work, result, *arrays, vmap_method=method)
    return called


# ---- tables --------------------------------------------------------------------------------------------------------


class _Table(NamedTuple):
    convention: str
    dim: int
    dtype: np.dtype[Any]
    recipe: str
    length: int | None
    learned: float | None


def _rows(of: _Table, *at: np.ndarray[Any, Any]) -> Any:
    """Of lists of any one shape, one for each axis."""
    flat = [each.reshape(-1) for each in at]
    made: Any = posenc.coordinates if len(flat) > 1 else posenc.table
    rows = made(
        of.convention, of.dim, flat if len(flat) > 1 else flat[0], dtype=of.dtype, recipe=of.recipe, length=of.length,
        learned=of.learned,
    )  # fmt: skip
    return rows.reshape(*at[0].shape, rows.shape[-1])


def table(
    convention: ConventionLike,
    dim: int,
    positions: PositionsLike,
    *,
    dtype: Any = jnp.float32,
    recipe: str = "exact",
    length: int | None = None,
    learned: float | None = None,
) -> jax.Array:
    """Rows of a position table, each entry rounded once. It has no gradient: none by positions, and nothing to learn.

    Parameters
    ----------
    positions : int, range or array, shape (L,) or (B, L); of several axes a sequence of them
        int32 or float32; int64 and float64 where jax_enable_x64 is set.

    The others are those of posenc.table.

    Examples
    --------
    >>> import jax, posenc.jax
    >>> rows = jax.jit(lambda at: posenc.jax.table("transformer", 4, at))
    >>> rows(jax.numpy.arange(2))
    Array([[0.        , 1.        , 0.        , 1.        ],
           [0.84147096, 0.5403023 , 0.00999983, 0.99995   ]], dtype=float32)
    """
    of = _Table(convention_text(convention), dim, _expect_type("table", dtype), recipe, length, learned)
    lists = _lists_of("table", positions, len(Convention(convention).axes))
    lists = jnp.broadcast_arrays(*map(jnp.atleast_1d, lists))
    if recipe == "phase":
        _rows(of, *(np.zeros(0, np.int32) for _ in lists))  # says what a callback would
        numbers = _jax_phase.numbers_of("table", lists)
        return _jax_phase.rows(plan_of_rows(of.convention, dim, learned), numbers).astype(of.dtype)
    if isinstance(dim, int) and dim > 0:  # before a ladder is made
        _expect_memory("table", (*lists[0].shape, dim), of.dtype)
    none = _rows(of, *(np.zeros(0, each.dtype) for each in lists))  # says now what a callback would say late
    return _callback(_Work(_rows, of), (*lists[0].shape, none.shape[-1]), of.dtype, "broadcast_all", *lists)


# ---- rotations -----------------------------------------------------------------------------------------------------


class _Rotation(NamedTuple):
    """What is not an array, and no part of a gradient."""

    convention: str
    rotated: int | None
    side: str | None
    recipe: str
    length: int | None
    centre: float | None
    inverse: bool


def _turn(of: _Rotation, positions: list[Any], x: Any) -> Any:
    return posenc.rotate(
        of.convention, positions if len(positions) > 1 else positions[0], x, rotated=of.rotated, side=of.side,
        token_axis=-2, inverse=of.inverse, recipe=of.recipe, length=of.length, centre=of.centre,
    )  # fmt: skip


def _turn_batches(of: _Rotation, x: np.ndarray[Any, Any], *at: np.ndarray[Any, Any]) -> Any:
    """x [.., L, d], and positions [.., L] with as many axes before the tokens, of size 1 where they share a list."""
    lead = np.broadcast_shapes(x.shape[:-2], *(each.shape[:-1] for each in at))
    whole = np.broadcast_to(x, lead + x.shape[-2:])
    own = max((axis + 1 for each in at for axis, size in enumerate(each.shape[:-1]) if size != 1), default=0)
    if own == 0:
        return _turn(of, [each.reshape(-1) for each in at], whole)
    batch = math.prod(lead[:own])
    lists = [
        np.broadcast_to(each.reshape(*each.shape[:own], each.shape[-1]), (*lead[:own], each.shape[-1]))
        for each in at
    ]  # fmt: skip
    flat = [each.reshape(batch, each.shape[-1]) for each in lists]
    return _turn(of, flat, whole.reshape(batch, *whole.shape[own:])).reshape(whole.shape)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _rotated(of: _Rotation, lists: list[jax.Array], x: jax.Array) -> jax.Array:
    return _callback(_Work(_turn_batches, of), x.shape, x.dtype, "expand_dims", x, *lists)


def _rotated_forward(of: _Rotation, lists: list[Any], x: Any) -> tuple[jax.Array, list[jax.Array]]:
    if any(each.perturbed for each in lists):
        raise PosencError("rotate", "gradients must be those of x", "a gradient by positions")
    values = [each.value for each in lists]
    return _rotated(of, values, x.value), values


def _rotated_backward(of: _Rotation, lists: list[jax.Array], grad: Any) -> tuple[None, Any]:
    if isinstance(grad, SymbolicZero):
        return None, jnp.zeros(grad.shape, grad.dtype)
    return None, _rotated(of._replace(inverse=not of.inverse), lists, grad)


_rotated.defvjp(_rotated_forward, _rotated_backward, symbolic_zeros=True)


def _aligned(positions: jax.Array, x: jax.Array) -> jax.Array:
    """[L] or [B, L] with an axis for each that x has before its columns."""
    if positions.ndim > 2 or x.ndim < positions.ndim + 1 or x.shape[-2] != positions.shape[-1]:
        rule = f"x must be [B, .., L, d] for positions {list(positions.shape)}"
        if x.ndim > 2 and x.shape[-3] == positions.shape[-1]:
            rule += "; tokens of [.., L, H, d] are stated by token_axis=-3"
        raise PosencError("rotate", rule, str(x.shape))
    if positions.ndim == 2 and positions.shape[0] != x.shape[0]:
        raise PosencError("rotate", f"x must have a sequence for each of {positions.shape[0]} lists", str(x.shape))
    return positions.reshape(*positions.shape[:-1], *[1] * (x.ndim - 1 - positions.ndim), positions.shape[-1])


def rotate(
    convention: ConventionLike,
    positions: PositionsLike,
    x: jax.Array,
    *,
    rotated: int | None = None,
    side: str | None = None,
    token_axis: int | None = None,
    inverse: bool = False,
    recipe: str = "exact",
    length: int | None = None,
    centre: float | None = None,
) -> jax.Array:
    """Queries or keys with their pairs of columns turned by their positions. The gradient is the inverse rotation.

    Parameters
    ----------
    positions : int, range or array, shape (L,) or (B, L); of several axes a sequence of them
    x : array, shape (.., L, d)
        float32, bfloat16, float16; float64 where jax_enable_x64 is set.

    The others are those of posenc.rotate.

    Examples
    --------
    >>> import jax, posenc.jax
    >>> q = jax.numpy.ones((1, 8, 5, 64))
    >>> turn = jax.jit(lambda q, at: posenc.jax.rotate("llama", at, q))
    >>> turn(q, jax.numpy.arange(5)).shape
    (1, 8, 5, 64)
    """
    x = jnp.asarray(x)
    if token_axis not in (None, -2, -3):
        raise PosencError("rotate", "token_axis must be -2 or -3", str(token_axis))
    if x.ndim < (3 if token_axis == -3 else 2):
        raise PosencError("rotate", "x must be [.., L, d], or [.., L, H, d] with token_axis=-3", str(x.shape))
    lists = [jnp.atleast_1d(each) for each in _lists_of("rotate", positions, len(Convention(convention).axes))]
    of = _Rotation(convention_text(convention), rotated, side, recipe, length, centre, inverse)
    # What a callback would say late.
    types = [np.int32 if recipe == "phase" else each.dtype for each in lists]
    _turn(of, [np.zeros(0, each) for each in types], np.empty((0, x.shape[-1]), x.dtype))
    laid = jnp.swapaxes(x, -2, -3) if token_axis == -3 else x
    if recipe == "phase":
        head = x.shape[-1] if rotated is None else rotated
        plan, pairs = plan_of_rotation(of.convention, head, length), pairs_of(of.convention, head)
        at = [_aligned(each, laid) for each in _jax_phase.numbers_of("rotate", lists)]
        made = _jax_phase.turned(plan, pairs, at, laid, inverse)
    else:
        made = _rotated(of, [_aligned(each, laid) for each in lists], laid)
    return jnp.swapaxes(made, -2, -3) if token_axis == -3 else made


# ---- the input stage ------------------------------------------------------------------------------------------------


class _Stage(NamedTuple):
    convention: str
    scale: str | float | Scale
    dropout: float
    drops: bool
    padding_id: int | None
    recipe: str


def _stage(of: _Stage, rows: Any, words: Any) -> posenc.InputStage:
    return posenc.InputStage(
        rows, of.convention, scale=of.scale, dropout=of.dropout, seed=int(words[0]) << 32 | int(words[1]),
        padding_id=of.padding_id, recipe=of.recipe,
    )  # fmt: skip


def _encode(of: _Stage, rows: Any, ids: Any, at: Any, words: Any) -> Any:
    return _stage(of, rows, words).encode(ids, at, train=of.drops)


def _encode_backward(of: _Stage, rows: Any, ids: Any, words: Any, grad: Any) -> Any:
    return _stage(of, rows, words).backward(ids, grad, train=of.drops)


@partial(jax.custom_vjp, nondiff_argnums=(0,))
def _encoded(of: _Stage, rows: jax.Array, ids: jax.Array, at: jax.Array, words: jax.Array) -> jax.Array:
    # A mask counts the sequences of a call: each call that is mapped is one of its own.
    return _callback(
        _Work(_encode, of), (*ids.shape, rows.shape[1]), rows.dtype, "sequential", rows, ids, at, words
    )  # fmt: skip


def _encoded_forward(of: _Stage, rows: Any, ids: Any, at: Any, words: Any) -> tuple[jax.Array, Any]:
    if at.perturbed:
        raise PosencError("encode", "gradients must be those of rows", "a gradient by positions")
    return _encoded(of, rows.value, ids.value, at.value, words.value), (rows.value, ids.value, words.value)


def _encoded_backward(of: _Stage, kept: Any, grad: Any) -> tuple[Any, ...]:
    rows, ids, words = kept
    if isinstance(grad, SymbolicZero):
        return jnp.zeros(rows.shape, rows.dtype), None, None, None
    work = _Work(_encode_backward, of)
    return _callback(work, rows.shape, rows.dtype, "sequential", rows, ids, words, grad), None, None, None


_encoded.defvjp(_encoded_forward, _encoded_backward, symbolic_zeros=True)


def encode(
    rows: jax.Array,
    ids: jax.Array,
    positions: PositionsLike,
    *,
    convention: ConventionLike,
    scale: str | float | Scale,
    dropout: float = 0.0,
    key: jax.Array | None = None,
    padding_id: int | None = None,
    recipe: str = "exact",
) -> jax.Array:
    """Token ids to what the first block reads, as posenc.InputStage; the gradient is that of rows, its sums in order.

    Parameters
    ----------
    rows : array, shape (vocabulary, d)
    ids : array of int, shape (L,) or (B, L)
    positions : positions, shape (L,) or (B, L)
    dropout, key : float, and a key of jax.random
        The mask is a function of the key. Without one nothing is dropped.

    The others are those of posenc.InputStage.

    Examples
    --------
    >>> import jax, posenc.jax
    >>> rows = jax.random.normal(jax.random.key(7), (100, 64))
    >>> ids = jax.numpy.array([[3, 1, 4], [1, 5, 9]])
    >>> posenc.jax.encode(rows, ids, range(3), convention="transformer", scale="sqrt_dim").shape
    (2, 3, 64)
    """
    of = _Stage(convention_text(convention), scale, dropout, key is not None, padding_id, recipe)
    rows, tokens = jnp.asarray(rows), jnp.asarray(ids)
    at = jnp.atleast_1d(_array_of("encode", positions))
    if tokens.ndim not in (1, 2):
        raise PosencError("encode", "ids must be [L] or [B, L]", str(tokens.shape))
    if at.shape not in (tokens.shape, tokens.shape[-1:]):
        raise PosencError("encode", f"positions must be [L] or [B, L] for ids {tokens.shape}", str(at.shape))
    # What a callback would say late.
    _encode(of, np.empty(rows.shape, rows.dtype), np.zeros(0, tokens.dtype), np.zeros(0, at.dtype), (0, 0))
    words = jnp.zeros(2, jnp.uint32) if key is None else jax.random.bits(key, (2,), jnp.uint32)
    made: jax.Array = _encoded(of, rows, tokens, at, words)
    return made
