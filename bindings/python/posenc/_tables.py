# SPDX-License-Identifier: Apache-2.0
"""Rows of position tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._convention import Convention, Places
    from ._types import A, Array, Context, ConventionLike, Coordinates, Positions


def _context(length: int | None, learned: float | None) -> Context:
    return None if length is None and learned is None else (length, None, learned)


def table(
    convention: ConventionLike,
    dim: int,
    positions: Positions,
    *,
    dtype: Any = None,
    recipe: str = "exact",
    length: int | None = None,
    learned: float | None = None,
    out: Array = None,
) -> NDArray[Any]:
    """Rows of a position table of one axis, each entry the real number rounded once.

    Parameters
    ----------
    convention : str, dict or Convention
        Name of a preset, or a convention.
    dim : int
        Width of a row.
    positions : int, float, range or array_like, shape (L,) or (B, L)
        int32, int64, float32 or float64; reals up to 2**53 in size.
    dtype : str or dtype, optional
        "float32" unless stated, "float64", "float16" or "bfloat16" (NumPy's needs ml_dtypes).
    recipe : str
        The arithmetic: "exact", "original" (the preset's own), or a name of recipes().
    length : int, optional
        Tokens of the whole sequence, where frequencies depend on it.
    learned : float, optional
        The factor of a learned output scale, where the convention has one.
    out : array, shape (L, d) or (B, L, d), optional
        Any strides. After an error it is as it was; after Ctrl-C unspecified.

    Returns
    -------
    array
        out, or a new NumPy array.

    Raises
    ------
    PosencError
        A value breaks a rule, which it names.

    Examples
    --------
    >>> import posenc
    >>> posenc.table("transformer", 4, range(2))
    array([[0.        , 1.        , 0.        , 1.        ],
           [0.84147096, 0.5403023 , 0.00999983, 0.99995   ]], dtype=float32)
    >>> posenc.table("transformer", 2, 2**63 - 1, dtype="float64")
    array([[0.53033527, 0.84778801]])
    """
    return _core.table(convention, dim, positions, dtype, recipe, _context(length, learned), out)


def coordinates(
    convention: ConventionLike,
    dim: int,
    coordinates: Coordinates,
    *,
    dtype: Any = None,
    recipe: str = "exact",
    length: int | None = None,
    learned: float | None = None,
    out: Array = None,
) -> NDArray[Any]:
    """Rows at any coordinates of a convention of any number of axes: points, boxes, patches.

    Parameters
    ----------
    coordinates : sequence or dict
        Positions for each axis, in the order of the convention's axes or by their names; of one axis its positions.

    Other parameters, result and errors are those of table.

    Examples
    --------
    >>> import posenc
    >>> posenc.Convention("mae-2d").axes
    ('x', 'y')
    >>> posenc.coordinates("mae-2d", 4, {"x": [0.5], "y": [2.0]})
    array([[ 0.47942555,  0.87758255,  0.9092974 , -0.41614684]],
          dtype=float32)
    """
    return _core.coordinates(convention, dim, coordinates, dtype, recipe, _context(length, learned), out)


def grid(
    convention: ConventionLike,
    dim: int,
    extents: Sequence[int],
    *,
    dtype: Any = None,
    recipe: str = "exact",
    length: int | None = None,
    places: Places | None = None,
    out: Array = None,
) -> NDArray[Any]:
    """The table of all cells of an image, a video or a volume.

    Parameters
    ----------
    extents : tuple of int
        (height, width); of other axes than y and x theirs before, as (frames, height, width).
    places : Places, optional
        How cells are numbered on every axis. Unless stated, as the preset that is named numbers them; of a convention
        without a name as those presets do that it is, and 0, 1, 2, .. where none is it.
    out : array, shape (*extents, d), optional

    Other parameters and errors are those of table.

    Examples
    --------
    >>> import posenc
    >>> posenc.grid("mae-2d", 8, (2, 3)).shape
    (2, 3, 8)
    """
    return _core.grid(
        convention, dim, extents, dtype, recipe, None if length is None else (length, None, None), places, out
    )


def timestep(
    convention: ConventionLike,
    dim: int,
    steps: Positions,
    *,
    dtype: Any = None,
    recipe: str = "exact",
    out: Array = None,
) -> NDArray[Any]:
    """The rows of steps of a diffusion process, whole or fractional.

    Parameters are those of table; the convention has the axis "step".

    Examples
    --------
    >>> import posenc
    >>> posenc.timestep("ddpm", 4, [0, 999.5]).shape
    (2, 4)
    """
    return _core.timestep(convention, dim, steps, dtype, recipe, None, out)


def query_scale(
    convention: ConventionLike, positions: Positions, *, dtype: Any = None, out: Array = None
) -> NDArray[Any]:
    """What queries at those positions are multiplied with.

    Examples
    --------
    >>> import posenc
    >>> posenc.query_scale("llama4-temperature", [0, 8192])
    array([1.       , 1.0693147], dtype=float32)
    """
    return _core.query_scale(convention, positions, dtype, out)


def learned_rows(
    convention: ConventionLike, positions: Coordinates, *, dtype: Any = None, out: Array = None
) -> NDArray[Any]:
    """The row of a stored table that every position takes; of several axes that of every axis's table.

    Parameters
    ----------
    dtype : str or dtype, optional
        "int64" unless stated, or "int32".

    Examples
    --------
    >>> import posenc
    >>> posenc.learned_rows("opt", range(3))
    array([2, 3, 4])
    """
    return _core.learned_rows(convention, positions, dtype, out)


def resize_table(
    convention: ConventionLike,
    table: A,
    size: tuple[int, int],
    *,
    source: tuple[int, int] | None = None,
    out: A | None = None,
) -> A:
    """The table of an image of other extents, as the convention's original makes it.

    Parameters
    ----------
    table : array, shape (rows, d)
        float32, float16 or bfloat16: a row for each cell, and those of no cell.
    size : (int, int)
        Height and width of the new image.
    source : (int, int), optional
        Those of the old one; the greatest square that the rows have room for unless stated.

    Examples
    --------
    >>> import numpy as np, posenc
    >>> old = np.arange(10, dtype=np.float32).reshape(5, 2)       # a class token and 2 x 2 cells
    >>> posenc.resize_table("vit-resize", old, (3, 3)).shape
    (10, 2)
    """
    result: A = _core.resize_table(convention, table, size, source, out)
    return result


class Rows:
    """A convention made ready for one width: rows at any positions, no length limit. Immutable; use it from any thread.

    Parameters are those of table. table() keeps the last 64 of these itself: a Rows saves a look-up.

    Examples
    --------
    >>> import numpy as np, posenc
    >>> rows = posenc.Rows("transformer", 64)
    >>> rows.write(range(5)).shape
    (5, 64)
    >>> x = np.ones((1, 64), np.float32)
    >>> rows.add(7, x, out=x) is x
    True
    """

    __slots__ = ("_handle", "_made_of")

    def __init__(
        self,
        convention: ConventionLike,
        dim: int,
        *,
        recipe: str = "exact",
        length: int | None = None,
        learned: float | None = None,
    ) -> None:
        from ._convention import Convention

        self._handle = _core.Rows(convention, dim, recipe, _context(length, learned))
        name = convention if isinstance(convention, str) else Convention(convention)
        self._made_of = (name, dim, recipe, length, learned)

    @property
    def convention(self) -> Convention:
        from ._convention import Convention

        return Convention(self._made_of[0])

    @property
    def width(self) -> int:
        """Columns of a row."""
        return self._handle.width()

    @property
    def frequencies(self) -> list[float]:
        """The angular frequencies, each rounded once to a double; under a recipe its own."""
        return self._handle.frequencies()

    def write(self, positions: Coordinates, out: Array = None, *, dtype: Any = None) -> NDArray[Any]:
        """The rows of those positions, as table; of several axes as coordinates."""
        return self._handle.write(positions, dtype, out)

    def add(self, positions: Positions, x: A, out: A | None = None) -> A:
        """x + the rows, rounded once; out may be x."""
        result: A = self._handle.add(positions, x, out)
        return result

    def __reduce__(self) -> tuple[Any, ...]:
        return _rows, self._made_of

    def __repr__(self) -> str:
        convention, dim, recipe, length, learned = self._made_of
        return f"Rows({convention!r}, {dim}, recipe={recipe!r}, length={length!r}, learned={learned!r})"


def _rows(convention: ConventionLike, dim: int, recipe: str, length: int | None, learned: float | None) -> Rows:
    return Rows(convention, dim, recipe=recipe, length=length, learned=learned)
