# SPDX-License-Identifier: Apache-2.0
"""Numbers moved from where one convention has them to where another reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from . import _core
from ._types import context as _context

if TYPE_CHECKING:
    from ._types import A, Array, ConventionLike


class HeadOrder(NamedTuple):
    """Columns of a head: column c of a new one is read[c] of the old one before a rotation, written[c] after it."""

    read: tuple[int, ...]
    written: tuple[int, ...]

    def inverse(self) -> HeadOrder:
        """The way back."""
        return HeadOrder(_inverse(self.read), _inverse(self.written))


class Projection(NamedTuple):
    """The rows of a projection, a head after another: `groups` times the same runs of heads.

    With H query heads and G key heads: separate ones are (1, [("query", H)]), GPT-NeoX and Bloom (H, [("query", 1),
    ("key", 1), ("value", 1)]), Phi-3 and Qwen 1 (1, [("query", H), ("key", G), ("value", G)]).
    """

    groups: int
    runs: Sequence[tuple[str, int]]  #: what they hold, "query", "key" or "value", and how many heads


class HeadProof(NamedTuple):
    """What was found when the rows of random numbers were reordered and both rotations made: true where it holds."""

    holds: bool  #: equal to the bit, and every score within its own bound
    heads: int  #: of queries and keys
    columns: int  #: of a head
    positions: int  #: of each head
    parted: int | None  #: the first column, counted over all, where the two rotations part
    difference: float  #: the largest of two scores
    bound: float  #: of that difference

    def __bool__(self) -> bool:
        return self.holds


class TableProof(NamedTuple):
    """How near the rows of a stored table are to those of a convention: true where no entry is outside."""

    entries: int
    equal: int  #: to the bit of the exact row in the table's type
    furthest: float  #: the largest difference
    outside: tuple[int, int] | None  #: the first entry that is further off than a table can be: row, column

    def __bool__(self) -> bool:
        return self.outside is None


#: So many query heads, or a projection.
ProjectionLike: TypeAlias = "int | Projection | tuple[int, Sequence[tuple[str, int]]]"


def _inverse(order: tuple[int, ...]) -> tuple[int, ...]:
    back = [0] * len(order)
    for new, old in enumerate(order):
        back[old] = new
    return tuple(back)


def _projection(projection: ProjectionLike) -> tuple[int, Sequence[tuple[str, int]]]:
    if isinstance(projection, tuple) and len(projection) == 2:
        return projection
    if not isinstance(projection, int) or isinstance(projection, bool):
        kind = type(projection).__name__
        raise TypeError(
            f"[reorder_rows] a projection must be a number of heads, or (groups, runs of heads), got {kind}"
        )
    return 1, [("query", projection)]


def head_order(
    old: ConventionLike,
    new: ConventionLike,
    head: int,
    *,
    length: int | None = None,
    centre: float | None = None,
) -> HeadOrder:
    """The order of the columns of a head in which one rotation turns what another turned in the old one.

    Parameters
    ----------
    old, new : str, dict or Convention
        Of rotations, whose pairs turn by the same angles.
    head : int
        Columns of a head.

    Examples
    --------
    >>> import posenc
    >>> posenc.head_order("meta-llama", "llama", 6).read
    (0, 2, 4, 1, 3, 5)
    """
    return HeadOrder(*map(tuple, _core.head_order(old, new, head, _context(length, centre, None))))


def reorder_rows(order: HeadOrder, projection: ProjectionLike, x: A, *, out: Array = None) -> A:
    """The rows of a projection, its bias or its norm, in another order of the columns of its heads; values stay.

    Parameters
    ----------
    projection : int, or Projection
        So many heads of queries or of keys, or what the rows hold.
    x : array, shape (rows, ..), contiguous
        Rows move whole.
    out : array of the same type and size, optional
        It shares no memory with x.

    Examples
    --------
    >>> import posenc
    >>> order = posenc.head_order("meta-llama", "llama", 4)
    >>> posenc.reorder_rows(order, 2, np.arange(8, dtype=np.float32))
    array([0., 2., 1., 3., 4., 6., 5., 7.], dtype=float32)
    """
    reordered: A = _core.reorder_rows(order, _projection(projection), x, out)
    return reordered


def prove_head_order(
    old: ConventionLike,
    new: ConventionLike,
    order: HeadOrder,
    projections: Sequence[ProjectionLike],
    *,
    seed: int = 0,
    length: int | None = None,
    centre: float | None = None,
) -> HeadProof:
    """Proves an order of columns on random numbers: reordered, then rotated, they are rotated, then reordered.

    Examples
    --------
    >>> import posenc
    >>> order = posenc.head_order("meta-llama", "llama", 64)
    >>> bool(posenc.prove_head_order("meta-llama", "llama", order, [8, 2]))
    True
    """
    all_of_them = [_projection(projection) for projection in projections]
    return HeadProof(*_core.prove_head_order(old, new, order, all_of_them, _context(length, centre, None), seed))


def table_order(
    old: ConventionLike,
    new: ConventionLike,
    dim: int,
    *,
    length: int | None = None,
    learned: float | None = None,
) -> tuple[int, ...]:
    """Which column of a table of the old convention is each column of a table of the new one.

    Examples
    --------
    >>> import posenc
    >>> halves = posenc.Convention("transformer").replace(layout="sine_first")
    >>> posenc.table_order("transformer", halves, 6)
    (0, 2, 4, 1, 3, 5)
    """
    return tuple(_core.table_order(old, new, dim, _context(length, None, learned)))


def reorder_columns(order: Sequence[int], x: A, *, out: Array = None) -> A:
    """out[.., c] = x[.., order[c]]: elements move as they are.

    Parameters
    ----------
    x : array, shape (.., d)
    out : array of the same type and shape, optional
        It shares no element with x.

    Examples
    --------
    >>> import posenc
    >>> posenc.reorder_columns((0, 2, 1), np.float32([[5, 6, 7]]))
    array([[5., 7., 6.]], dtype=float32)
    """
    reordered: A = _core.reorder_columns(order, x, out)
    return reordered


def prove_table(
    convention: ConventionLike,
    table: Array,
    *,
    first: int = 0,
    length: int | None = None,
    centre: float | None = None,
    learned: float | None = None,
) -> TableProof:
    """How near a table's rows are to the exact ones of a convention at positions first, first + 1, ...

    Examples
    --------
    >>> import posenc
    >>> table = posenc.table("transformer", 64, range(100))
    >>> bool(posenc.prove_table("transformer", table)), posenc.prove_table("transformer", table, first=1).outside
    (True, (0, 0))
    """
    return TableProof(*_core.prove_table(convention, first, table, _context(length, centre, learned)))
