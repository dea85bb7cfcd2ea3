# SPDX-License-Identifier: Apache-2.0
"""From the places of a batch or a grid to positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ._convention import Places
    from ._types import Array


def positions_of_mask(mask: Array, *, first: int, absent: int, before: Array = 0, out: Array = None) -> NDArray[Any]:
    """Positions of the places of a mask: present ones count up from first, absent ones get absent.

    Parameters
    ----------
    mask : array_like of bool or int, shape (L,) or (B, L)
        0 where a place is absent.
    before : int or array_like, shape (B,)
        Present places of earlier calls: steps and chunks go on from there.

    Examples
    --------
    >>> import posenc
    >>> posenc.positions_of_mask([[1, 1, 0], [0, 1, 1]], first=0, absent=1)
    array([[0, 1, 1],
           [1, 0, 1]])
    """
    return _core.positions_of_mask(mask, first, absent, before, out)


def positions_of_ids(
    ids: Array, padding_id: int, *, first: int, absent: int, before: Array = 0, out: Array = None
) -> NDArray[Any]:
    """The same of token ids: a place is absent where its id is the padding id.

    Examples
    --------
    >>> import posenc
    >>> posenc.positions_of_ids([[7, 8, 9, 1], [1, 1, 5, 6]], 1, first=2, absent=1)     # fairseq, RoBERTa
    array([[2, 3, 4, 1],
           [1, 1, 2, 3]])
    """
    return _core.positions_of_ids(ids, padding_id, first, absent, before, out)


def positions_of_ends(ends: Array, *, first: int = 0, out: Array = None) -> NDArray[Any]:
    """Positions of sequences packed one behind the other, whose ends are known (cu_seqlens).

    Examples
    --------
    >>> import posenc
    >>> posenc.positions_of_ends([0, 3, 5])
    array([0, 1, 2, 0, 1])
    """
    return _core.positions_of_ends(ends, first, out)


def place_coordinates(places: Places, extents: Sequence[int], axis: int, *, out: Array = None) -> NDArray[Any]:
    """Coordinates of the places of one axis of a grid.

    Examples
    --------
    >>> import posenc
    >>> centres = posenc.Places(0.5, "count", 0, 2, -1, "none")
    >>> posenc.place_coordinates(centres, (2, 4), 1)
    array([-0.75, -0.25,  0.25,  0.75])
    """
    return _core.place_coordinates(places, extents, axis, out)


def masked_place_coordinates(places: Places, mask: Array, axis: int, *, out: Array = None) -> NDArray[Any]:
    """Coordinates of the cells of a padded grid along one axis: each line is numbered by its own present cells (DETR).

    Examples
    --------
    >>> import posenc
    >>> whole = posenc.Places(0, "one", 0, 1, 0, "none")
    >>> posenc.masked_place_coordinates(whole, [[1, 1, 0]], 1)
    array([[0., 1., 1.]])
    """
    return _core.masked_place_coordinates(places, mask, axis, out)
