# SPDX-License-Identifier: Apache-2.0
"""From token ids to what the first block reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _core
from ._types import context as _context

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._convention import Scale
    from ._types import A, Array, ConventionLike, Positions


class InputStage:
    """Embedding rows, a scale, a position signal and dropout, in one pass over memory. Immutable.

    out[b, t] = RN(RN(rows[ids[b, t]] s) + signal[p]), then times 0 or 1 / (1 - p) under dropout.

    Parameters
    ----------
    rows : array, shape (vocabulary, d)
        float32, float64, float16 or bfloat16. It is read at every call, never copied.
    convention : str, dict or Convention, optional
        The signal; or a table in its place.
    table : array, shape (n, d), optional
        Stored rows, used to the bit.
    scale : {"none", "sqrt_dim"}, float or Scale
        What rows are multiplied with. It has no default.
    dropout : float
        The probability, applied where encode is told to train.
    seed : int
        Of the masks, 64 bits.
    padding_id : int, optional
        The id whose row reads as zeros.

    Examples
    --------
    >>> import numpy as np, posenc
    >>> rows = posenc.seeded_rows(100, 64, seed=7, init="scaled")
    >>> stage = posenc.InputStage(rows, "transformer", scale="sqrt_dim", dropout=0.1, seed=7)
    >>> stage.encode([[3, 1, 4], [1, 5, 9]], range(3)).shape
    (2, 3, 64)
    >>> whole = stage.encode([[3, 1, 4]], range(3))
    >>> bool((stage.encode([[4]], 2) == whole[:, 2:]).all())             # a step gives the bits of the whole
    True
    """

    __slots__ = ("_handle", "_made_of")

    def __init__(
        self,
        rows: Array,
        convention: ConventionLike | None = None,
        *,
        table: Array = None,
        scale: str | float | Scale,
        dropout: float = 0.0,
        seed: int = 0,
        padding_id: int | None = None,
        recipe: str = "exact",
        length: int | None = None,
        learned: float | None = None,
    ) -> None:
        self._handle = _core.InputStage(
            rows,
            convention,
            table,
            scale,
            dropout,
            seed,
            padding_id,
            recipe,
            _context(length, None, learned),
        )
        self._made_of = (rows, convention, table, scale, dropout, seed, padding_id, recipe, length, learned)

    @property
    def width(self) -> int:
        """Columns of a row."""
        return self._handle.width()

    @property
    def factor(self) -> float:
        """The scale as used."""
        return self._handle.factor()

    def encode(
        self,
        ids: Array,
        positions: Positions,
        *,
        out: Array = None,
        train: bool = False,
        call: int = 0,
        first: int = 0,
    ) -> NDArray[Any]:
        """What the first block reads.

        Parameters
        ----------
        ids : array_like of int, shape (B, L) or (L,)
        positions : positions, shape (L,) or (B, L)
        out : array, shape (*ids.shape, d), optional
            Of the type of rows.
        train : bool
            Whether dropout is applied.
        call, first : int
            Of the mask: the number of the call, and the index of the first token, for chunks.
        """
        return self._handle.encode(ids, positions, out, train, call, first)

    def backward(
        self, ids: Array, grad_out: Array, *, out: Array = None, train: bool = False, call: int = 0, first: int = 0
    ) -> NDArray[Any]:
        """The gradient of the rows, in an order of sums that no thread changes; train, call and first as in encode."""
        return self._handle.backward(ids, grad_out, out, train, call, first)

    def backward_touched(
        self, ids: Array, grad_out: Array, *, train: bool = False, call: int = 0, first: int = 0
    ) -> tuple[NDArray[Any], NDArray[Any]]:
        """The ids that occur, increasing, and the gradient of their rows alone."""
        return self._handle.backward_touched(ids, grad_out, train, call, first)

    def touched(self, ids: Array) -> NDArray[Any]:
        """The ids that occur, increasing, without the padding id."""
        return self._handle.touched(ids)

    def __reduce__(self) -> tuple[Any, ...]:
        return _stage, self._made_of

    def __repr__(self) -> str:
        rows, convention, table, scale, dropout, seed, padding_id, recipe, length, learned = self._made_of
        signal = f"{convention!r}" if table is None else f"table={_array_text(table)}"
        return (
            f"InputStage({_array_text(rows)}, {signal}, scale={scale!r}, dropout={dropout!r}, seed={seed!r}, "
            f"padding_id={padding_id!r}, recipe={recipe!r}, length={length!r}, learned={learned!r})"
        )


def _array_text(array: Array) -> str:
    """Of an array that is too long to print."""
    shape, dtype = getattr(array, "shape", ()), getattr(array, "dtype", "unknown")
    return f"<{' x '.join(map(str, shape))} of {dtype}>"


def _stage(
    rows: Array,
    convention: ConventionLike | None,
    table: Array,
    scale: str | float | Scale,
    dropout: float,
    seed: int,
    padding_id: int | None,
    recipe: str,
    length: int | None,
    learned: float | None,
) -> InputStage:
    return InputStage(
        rows,
        convention,
        table=table,
        scale=scale,
        dropout=dropout,
        seed=seed,
        padding_id=padding_id,
        recipe=recipe,
        length=length,
        learned=learned,
    )


def dropout(x: A, p: float, *, seed: int, call: int = 0, first: int = 0, out: A | None = None) -> A:
    """x with elements dropped by a mask that is a function of seed, call, batch row, token and column alone.

    Parameters
    ----------
    x : array, shape (L, d) or (B, L, d)
    p : float
        0 <= p < 1.
    out : array, optional
        x itself: in place.

    Examples
    --------
    >>> import numpy as np, posenc
    >>> x = np.ones((1000, 64), np.float32)
    >>> dropped = posenc.dropout(x, 0.25, seed=7)
    >>> round(float((dropped == 0).mean()), 2), round(float(dropped.max()), 6)
    (0.25, 1.333333)
    """
    result: A = _core.dropout(x, p, seed, call, first, out)
    return result


def seeded_rows(rows: int, dim: int, *, seed: int, init: str, stream: int = 0) -> NDArray[Any]:
    """Pseudo-random normal rows, the same bits on every machine: "normal" N(0, 1), or "scaled" N(0, 1 / d).

    Examples
    --------
    >>> import posenc
    >>> posenc.seeded_rows(100, 64, seed=7, init="scaled").shape
    (100, 64)
    """
    return _core.seeded_rows(rows, dim, seed, stream, init)
