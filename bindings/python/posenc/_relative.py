# SPDX-License-Identifier: Apache-2.0
"""Of pairs of positions: biases, classes, coordinates under a logarithm."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._types import Array, ConventionLike, Positions


def bias(
    convention: ConventionLike,
    heads: int,
    queries: Positions,
    keys: Positions,
    *,
    head: int = 0,
    present: Array = None,
    dtype: Any = None,
    out: Array = None,
) -> NDArray[Any]:
    """What is added to attention scores by the distance of query and key (ALiBi).

    Parameters
    ----------
    heads : int
    queries, keys : positions, shape (L,) and (S,)
    head : int
        Columns of a head, where the scale depends on it (Falcon).
    present : array_like, shape (S,), optional
        0 where a key is absent, of biases over present keys (Bloom).
    out : array, shape (heads, L, S), optional

    Examples
    --------
    >>> import posenc
    >>> posenc.bias("alibi", 8, 2, range(3))[0]
    array([[-1. , -0.5,  0. ]], dtype=float32)
    """
    return _core.bias(convention, heads, queries, keys, head, present, dtype, out)


def bias_slopes(convention: ConventionLike, heads: int) -> NDArray[Any]:
    """The slopes of all heads, for attention that adds the bias itself.

    Examples
    --------
    >>> import posenc
    >>> posenc.bias_slopes("alibi", 4)
    array([0.25      , 0.0625    , 0.015625  , 0.00390625], dtype=float32)
    """
    return _core.bias_slopes(convention, heads)


def buckets(
    convention: ConventionLike, queries: Positions, keys: Positions, *, dtype: Any = None, out: Array = None
) -> NDArray[Any]:
    """The class of every query and key by their distance: the row of a table that a model has learned (T5).

    Examples
    --------
    >>> import posenc
    >>> posenc.buckets("t5-bucket", 0, [0, 1, 7, 8, 100])
    array([[ 0, 17, 23, 24, 31]])
    """
    return _core.buckets(convention, queries, keys, dtype, out)


def window_buckets(
    convention: ConventionLike, height: int, width: int, *, dtype: Any = None, out: Array = None
) -> NDArray[Any]:
    """The class of every pair of cells of a window (Swin, BEiT), a class token before them where there is one.

    Examples
    --------
    >>> import posenc
    >>> posenc.window_buckets("swin-window", 1, 3)
    array([[2, 1, 0],
           [3, 2, 1],
           [4, 3, 2]])
    """
    return _core.window_buckets(convention, height, width, dtype, out)


def log_coordinates(
    convention: ConventionLike, height: int, width: int, *, dtype: Any = None, out: Array = None
) -> NDArray[Any]:
    """How far apart two cells of a window are, under a logarithm: what Swin V2's network reads.

    Returns
    -------
    array, shape (2 height - 1, 2 width - 1, 2)

    Examples
    --------
    >>> import posenc
    >>> posenc.log_coordinates("swinv2-cpb", 2, 2)[0, 0]
    array([-1.0566417, -1.0566417], dtype=float32)
    """
    return _core.log_coordinates(convention, height, width, dtype, out)
