# SPDX-License-Identifier: Apache-2.0
"""posenc's kernels in programs of JAX, by callbacks to the CPU: under jit, grad and vmap. Importing this imports jax.

A call under jit costs a quarter of a millisecond more than the kernel. A table that is made once needs none of this:
jnp.asarray(posenc.table(...)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero

import posenc

from ._convention import Convention, Scale, convention_text
from ._errors import PosencError

if TYPE_CHECKING:
    from ._types import ConventionLike

__all__ = ["encode", "rotate", "table"]

#: One position, a range, or an array [L] or [B, L]; of several axes a sequence of these.
PositionsLike: TypeAlias = "int | range | jax.Array | np.ndarray[Any, Any] | Sequence[Any]"


def _array_of(operation: str, positions: Any) -> jax.Array:
    if isinstance(positions, jax.Array):
        return positions
    numbers = np.asarray(positions)
    narrow = numbers.astype(jax.dtypes.canonicalize_dtype(numbers.dtype))
    if numbers.dtype.kind in "iu" and not np.array_equal(narrow, numbers):
        far = max(numbers.max(), -numbers.min())
        raise PosencError(operation, f"positions must be of {narrow.dtype}, unless jax_enable_x64 is set", str(far))
    return jnp.asarray(narrow)


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


def _callback(make: Any, shape: Sequence[int], dtype: Any, method: str, *arrays: Any) -> jax.Array:
    """make, of NumPy's arrays."""

    def made(*given: Any) -> Any:
        return make(*(np.asarray(each) for each in given))

    result = jax.ShapeDtypeStruct(tuple(shape), dtype)  # type: ignore[no-untyped-call]
    called: jax.Array = jax.pure_callback(made, result, *arrays, vmap_method=method)
    return called


# ---- tables --------------------------------------------------------------------------------------------------------


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
    stated, type_ = Convention(convention), _expect_type("table", dtype)
    options: dict[str, Any] = {"dtype": type_, "recipe": recipe, "length": length, "learned": learned}
    axes = len(stated.axes)
    make = partial(posenc.coordinates if axes > 1 else posenc.table, convention_text(convention), dim, **options)
    make(range(0) if axes == 1 else [range(0)] * axes)  # says now what a callback would say late
    lists = jnp.broadcast_arrays(*map(jnp.atleast_1d, _lists_of("table", positions, axes)))

    def rows(*at: np.ndarray[Any, Any]) -> Any:
        flat = [each.reshape(-1) for each in at]
        return make(flat if axes > 1 else flat[0]).reshape(*at[0].shape, width)

    width = stated.columns(dim)
    return _callback(rows, (*lists[0].shape, width), type_, "broadcast_all", *lists)


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
    return _callback(partial(_turn_batches, of), x.shape, x.dtype, "expand_dims", x, *lists)


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
        raise PosencError("rotate", f"x must be [B, .., L, d] for positions {list(positions.shape)}", str(x.shape))
    if positions.ndim == 2 and positions.shape[0] != x.shape[0]:
        raise PosencError("rotate", f"x must have a sequence for each of {positions.shape[0]} lists", str(x.shape))
    return positions.reshape(*positions.shape[:-1], *[1] * (x.ndim - 1 - positions.ndim), positions.shape[-1])


def _expect_one_axis(count: int, first: int, x: jax.Array) -> None:
    found = [axis for axis in range(first, x.ndim - 1) if x.shape[axis] == count]
    if count > 1 and len(found) > 1:
        rule = f"token_axis must be stated: axes {' and '.join(map(str, found))} of x have the {count} positions"
        raise PosencError("rotate", rule, str(x.shape))


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
    if token_axis not in (None, -2, -3):
        raise PosencError("rotate", "token_axis must be -2 or -3", str(token_axis))
    if x.ndim < (3 if token_axis == -3 else 2):
        raise PosencError("rotate", "x must be [.., L, d], or [.., L, H, d] with token_axis=-3", str(x.shape))
    lists = [jnp.atleast_1d(each) for each in _lists_of("rotate", positions, len(Convention(convention).axes))]
    of = _Rotation(convention_text(convention), rotated, side, recipe, length, centre, inverse)
    # What a callback would say late.
    _turn(of, [np.zeros(0, np.int32)] * len(lists), np.empty((0, x.shape[-1]), x.dtype))
    if token_axis is None:
        _expect_one_axis(lists[0].shape[-1], lists[0].ndim - 1, x)
    laid = jnp.swapaxes(x, -2, -3) if token_axis == -3 else x
    made: jax.Array = _rotated(of, [_aligned(each, laid) for each in lists], laid)
    return jnp.swapaxes(made, -2, -3) if token_axis == -3 else made


# ---- the input stage ------------------------------------------------------------------------------------------------


class _Stage(NamedTuple):
    convention: str
    scale: str | float | Scale
    dropout: float
    padding_id: int | None
    recipe: str


def _stage(of: _Stage, rows: Any, words: Any) -> posenc.InputStage:
    return posenc.InputStage(
        rows, of.convention, scale=of.scale, dropout=of.dropout, seed=int(words[0]) << 32 | int(words[1]),
        padding_id=of.padding_id, recipe=of.recipe,
    )  # fmt: skip


@partial(jax.custom_vjp, nondiff_argnums=(0, 1))
def _encoded(of: _Stage, train: bool, rows: jax.Array, ids: jax.Array, at: jax.Array, words: jax.Array) -> jax.Array:
    def make(rows: Any, ids: Any, at: Any, words: Any) -> Any:
        return _stage(of, rows, words).encode(ids, at, train=train)

    # A mask counts sequences: each call that is mapped has its own.
    return _callback(make, (*ids.shape, rows.shape[1]), rows.dtype, "sequential", rows, ids, at, words)


def _encoded_forward(of: _Stage, train: bool, rows: Any, ids: Any, at: Any, words: Any) -> tuple[jax.Array, Any]:
    if at.perturbed:
        raise PosencError("encode", "gradients must be those of rows", "a gradient by positions")
    values = rows.value, ids.value, at.value, words.value
    return _encoded(of, train, *values), (values[0], values[1], values[3])


def _encoded_backward(of: _Stage, train: bool, kept: Any, grad: Any) -> tuple[Any, ...]:
    rows, ids, words = kept

    def make(rows: Any, ids: Any, words: Any, grad: Any) -> Any:
        return _stage(of, rows, words).backward(ids, grad, train=train)

    if isinstance(grad, SymbolicZero):
        return jnp.zeros(rows.shape, rows.dtype), None, None, None
    return _callback(make, rows.shape, rows.dtype, "sequential", rows, ids, words, grad), None, None, None


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
    of = _Stage(convention_text(convention), scale, dropout, padding_id, recipe)
    _stage(of, np.empty(rows.shape, rows.dtype), (0, 0))  # says now what a callback would say late
    if ids.ndim not in (1, 2):
        raise PosencError("encode", "ids must be [L] or [B, L]", str(ids.shape))
    words = jnp.zeros(2, jnp.uint32) if key is None else jax.random.bits(key, (2,), jnp.uint32)
    at = jnp.atleast_1d(_array_of("encode", positions))
    made: jax.Array = _encoded(of, key is not None, rows, ids, at, words)
    return made
