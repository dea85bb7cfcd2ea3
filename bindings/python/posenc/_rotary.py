# SPDX-License-Identifier: Apache-2.0
"""Rotations of queries and keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from . import _core
from ._types import context as _context

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._convention import Convention
    from ._types import A, Array, ConventionLike, Coordinates


@overload
def rotate(
    convention: ConventionLike,
    positions: Coordinates,
    x: Sequence[Array],
    *,
    out: Sequence[Array] | None = None,
    rotated: int | None = None,
    side: str | Sequence[str] | None = None,
    token_axis: int | None = None,
    inverse: bool = False,
    recipe: str = "exact",
    length: int | None = None,
    centre: float | None = None,
) -> tuple[Array, ...]: ...
@overload
def rotate(
    convention: ConventionLike,
    positions: Coordinates,
    x: A,
    *,
    out: A | None = None,
    rotated: int | None = None,
    side: str | None = None,
    token_axis: int | None = None,
    inverse: bool = False,
    recipe: str = "exact",
    length: int | None = None,
    centre: float | None = None,
) -> A: ...
def rotate(
    convention: ConventionLike,
    positions: Coordinates,
    x: Any,
    *,
    out: Any = None,
    rotated: int | None = None,
    side: Any = None,
    token_axis: int | None = None,
    inverse: bool = False,
    recipe: str = "exact",
    length: int | None = None,
    centre: float | None = None,
) -> Any:
    """Queries or keys with their pairs of columns turned by their positions.

    Parameters
    ----------
    convention : str, dict or Convention
        Of rotations.
    positions : int, float, range or array_like, shape (L,) or (B, L)
        Of several axes such a list for each, in their order or as a dict by name.
    x : array, shape (.., L, d), or a list of such arrays
        float32, bfloat16, float16, or float64, which is for proofs. Several arrays at the same positions share their
        cosines and sines.
    out : array or list of arrays, optional
        x itself: in place. New arrays of the kind of x unless given.
    rotated : int, optional
        Columns of a head; all of x unless stated. Further ones are copied.
    side : {"query", "key"}, optional
        Stated where the convention has a decay (xPos).
    token_axis : {-2, -3}, optional
        -3 for (.., L, H, d); -2 unless stated, whatever the sizes.
    inverse : bool
        Turned by the transposed map: the gradient.
    recipe : str
        As in table.
    length : int, optional
        Tokens of the whole sequence, where frequencies depend on it (dynamic NTK, LongRoPE).
    centre : float, optional
        The position at which a decay is 1.

    Returns
    -------
    array or tuple of arrays

    Examples
    --------
    >>> import numpy as np, posenc
    >>> q = np.ones((1, 8, 5, 64), np.float32)                  # batch, heads, tokens, columns
    >>> turned = posenc.rotate("llama", range(5), q)
    >>> bool(np.allclose(posenc.rotate("llama", range(5), turned, inverse=True), q))
    True
    >>> q, k = posenc.rotate("llama", 5, [q[:, :, :1], q[:, :, 1:2]])    # one decoding step
    """
    return _core.rotate(
        convention, positions, x, out, rotated, side, token_axis, inverse, recipe, _context(length, centre, None)
    )


def rotary_cache(
    convention: ConventionLike,
    head: int,
    positions: Coordinates,
    *,
    stored: str | None = None,
    dtype: Any = None,
    recipe: str = "exact",
    length: int | None = None,
    out: Mapping[str, Array] | None = None,
) -> dict[str, NDArray[Any]]:
    """Tables of the cosines and sines of a rotation, as kernels of other libraries read them.

    Parameters
    ----------
    head : int
        Columns of a head.
    stored : str, optional
        "halves_twice" (transformers), "pairs_twice" (Cohere, diffusers), "sine_cosine" (GPT-J), "complex" (Llama) or
        "angles_twice": in place of the convention's own field, or where it states none.
    out : dict, optional
        An array for each tensor.

    Returns
    -------
    dict
        Arrays of shape (L, width) or (B, L, width) by name.

    Examples
    --------
    >>> import posenc
    >>> cache = posenc.rotary_cache("llama", 64, range(5), stored="halves_twice")
    >>> {name: array.shape for name, array in cache.items()}
    {'cos': (5, 64), 'sin': (5, 64)}
    """
    return _core.rotary_cache(convention, head, positions, stored, dtype, recipe, _context(length, None, None), out)


def rotary_frequencies(
    convention: ConventionLike, head: int, *, recipe: str = "exact", length: int | None = None
) -> list[float]:
    """What others call inv_freq: radians per position of each pair, rounded once to a double; under a recipe its own.

    Examples
    --------
    >>> import posenc
    >>> posenc.rotary_frequencies("llama", 8)
    [1.0, 0.1, 0.01, 0.001]
    """
    return _core.rotary_frequencies(convention, head, recipe, _context(length, None, None))


def rerotate(
    convention: ConventionLike,
    keys: A,
    start: Coordinates,
    end: Coordinates,
    *,
    start_length: int | None = None,
    end_length: int | None = None,
    centre: float | None = None,
    token_axis: int | None = None,
    out: A | None = None,
) -> A:
    """Keys that were rotated at some positions, moved to others: a cache whose first tokens were dropped.

    Parameters
    ----------
    keys : array, shape (.., L, d)
    start, end : positions
        Where they were rotated, and where they are to stand.
    start_length, end_length : int, optional
        The length of the sequence then and now, where frequencies depend on it.

    Examples
    --------
    >>> import numpy as np, posenc
    >>> keys = np.ones((4, 8), np.float32)
    >>> cached = posenc.rotate("llama", range(10, 14), keys)
    >>> moved = posenc.rerotate("llama", cached, range(10, 14), range(4))
    >>> bool(np.allclose(moved, posenc.rotate("llama", range(4), keys), atol=1e-6))
    True
    """
    result: A = _core.rerotate(
        convention,
        keys,
        start,
        end,
        _context(start_length, centre, None),
        _context(end_length, centre, None),
        token_axis,
        out,
    )
    return result


class Rotary:
    """A rotation made ready for heads of one width. Immutable; use it from any thread.

    Parameters are those of rotate.

    Examples
    --------
    >>> import numpy as np, posenc
    >>> rotary = posenc.Rotary("llama", 64)
    >>> k = np.ones((8, 5, 64), np.float32)
    >>> rotary.rotate(range(5), k, out=k) is k
    True
    """

    __slots__ = ("_handle", "_made_of")

    def __init__(
        self,
        convention: ConventionLike,
        rotated: int,
        *,
        recipe: str = "exact",
        length: int | None = None,
        centre: float | None = None,
    ) -> None:
        from ._convention import Convention

        self._handle = _core.Rotary(convention, rotated, recipe, _context(length, centre, None))
        name = convention if isinstance(convention, str) else Convention(convention)
        self._made_of = (name, rotated, recipe, length, centre)

    @property
    def convention(self) -> Convention:
        from ._convention import Convention

        return Convention(self._made_of[0])

    @property
    def width(self) -> int:
        """Columns of a head that turn."""
        return self._handle.width()

    @property
    def axes(self) -> list[str]:
        """In the order in which coordinates are passed."""
        return self._handle.axes()

    def rotate(
        self,
        positions: Coordinates,
        x: Any,
        out: Any = None,
        *,
        side: Any = None,
        token_axis: int | None = None,
        inverse: bool = False,
    ) -> Any:
        """As the function rotate."""
        return self._handle.rotate(positions, x, out, side, token_axis, inverse)

    def __reduce__(self) -> tuple[Any, ...]:
        return _rotary, self._made_of

    def __repr__(self) -> str:
        convention, rotated, recipe, length, centre = self._made_of
        return f"Rotary({convention!r}, {rotated}, recipe={recipe!r}, length={length!r}, centre={centre!r})"


def _rotary(convention: ConventionLike, rotated: int, recipe: str, length: int | None, centre: float | None) -> Rotary:
    return Rotary(convention, rotated, recipe=recipe, length=length, centre=centre)
