# SPDX-License-Identifier: Apache-2.0
"""Which convention is this, is it the same as that, and if not, why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._convention import Convention, Places, _frozen
from ._inspect import PositionRole
from ._types import context as _context

if TYPE_CHECKING:
    from ._types import Array, ConventionLike, Coordinates, Positions


class Agreement(NamedTuple):
    """How the entries of a tensor compare with those of a convention; distances are in units in the last place."""

    entries: int  #: that were compared
    equal: int  #: to the bit
    median: float | None  #: None: not finite
    largest: float | None
    difference: float | None  #: the largest, in absolute terms
    first: tuple[int, ...]  #: row and column of the first entry that differs; empty: all are equal

    @property
    def share(self) -> float:
        """Of entries that are equal to the bit."""
        return self.equal / self.entries if self.entries else 1.0


class AxisPlaces(NamedTuple):
    """The coordinates of the places along one axis: first, first + step, .."""

    axis: str
    first: float
    step: float | None  #: None: they were listed, and are not equally spaced


class Fitted(NamedTuple):
    """A number that was measured: its interval, and the simple number inside it, if there is one."""

    name: str  #: "base", "scale", "first position", "step"
    value: float
    low: float
    high: float
    simple: str  #: "10000", "sqrt 512"; empty: there is none


class Candidate(NamedTuple):
    """One convention that a tensor may hold. It stands for its convention wherever one is asked for."""

    presets: tuple[str, ...]  #: rows that have these numbers; of a fitted one the row that it is nearest to
    differences: tuple[str, ...]  #: of a fitted one: "ladders.0.base: 10000, not 500000"
    convention: Convention
    form: str  #: "table", "cos [a | a]", "frequencies", "slopes", "bias", "rotation"
    reading: str  #: which axes count places: "[L, d]", "[H W, d]"
    extra: int  #: rows in front that belong to no place
    copies: int  #: how often the rows stand there, along axes of batches or of heads
    extents: tuple[int, ...]  #: of places along each axis
    width: int  #: columns of a row, of a head; heads
    places: tuple[AxisPlaces, ...]  #: where the rows are
    fitted: tuple[Fitted, ...]
    storage: str  #: the type that the entries went through last: "f32", "bf16"
    exact: Agreement  #: beside the real numbers, rounded once
    recipe: str  #: the arithmetic that has the most entries equal
    by_recipe: Agreement
    known_share: float  #: of equal bits that a right recipe is known to reach
    context: Mapping[str, Any]  #: length, centre, learned: what else the numbers depend on


class RuledOut(NamedTuple):
    """A convention that these entries rule out although it is near, and where."""

    preset: str
    equal_places: int  #: places in front at which it cannot be told from the candidate
    place: tuple[int, ...]  #: the entry that tells them apart
    difference: float  #: there
    differences: tuple[str, ...]  #: what the candidate has, and not the row: "layout: .."


class Identification(NamedTuple):
    """What a tensor holds: true where it is identified. Several candidates: these entries do not tell them apart."""

    candidates: tuple[Candidate, ...]
    kind: str  #: of what fits nothing
    nearest: Candidate | None  #: of what fits nothing
    ruled_out: tuple[RuledOut, ...]  #: the nearest few
    sampled: bool  #: recipes were held against some entries only
    text: str  #: the words of the tool
    json: str  #: every field

    @property
    def presets(self) -> tuple[str, ...]:
        """The names of all candidates, each once."""
        return tuple(dict.fromkeys(name for candidate in self.candidates for name in candidate.presets))

    def __bool__(self) -> bool:
        return bool(self.candidates)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Identification({list(self.presets)})" if self else f"Identification(kind={self.kind!r})"


class Diagnosis(NamedTuple):
    """Whether a tensor is what a convention says: true where it is right."""

    right: bool
    findings: tuple[str, ...]  #: of what is wrong: what differs, and where it first shows; of what is right: notes
    assumed: Mapping[str, str]  #: what it was held against where the call says nothing: {"queries": "199"}
    found: Candidate | None  #: right: how it is held; else what the tensor holds, where that is known
    entries: int  #: that were held against those asked
    wrong: int  #: of them: further off than roundings explain
    first: tuple[int, ...]  #: place and column of the first wrong one
    explained: float  #: the share of entries that the findings explain
    text: str  #: the words of the tool
    json: str  #: every field

    def __bool__(self) -> bool:
        return self.right

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Diagnosis(right={self.right}, findings={list(self.findings)})"


class DifferingEntry(NamedTuple):
    """An entry in which two conventions differ."""

    at: tuple[float, ...]  #: a number for each of Comparison.axes
    a: float  #: what each has there
    b: float


class ScoreChange(NamedTuple):
    """How much a product of two rows, or of a turned query and a turned key, is another one."""

    of: str  #: "products" of rows; of unit queries and keys "norm", the worst of all, or "single", of one column
    places: int  #: every pair of so many
    largest: float  #: the largest change
    p: tuple[float, ...]  #: where: the coordinates of both places
    q: tuple[float, ...]
    greatest: float  #: the largest product of a in size


class Comparison(NamedTuple):
    """Two conventions beside each other: true where they are the same real numbers at every position."""

    differences: tuple[str, ...]  #: "layout: interleaved, not sine_first": what a has, not b
    equal: bool
    numbers: str  #: what was compared: "entries", "cosines and sines", "biases", "classes", "factors"
    not_compared: str  #: why no numbers were, or not all of them; else empty
    dim: int
    context: Mapping[str, Any]  #: length, centre, learned: what else the numbers depend on
    axes: tuple[str, ...]  #: what the numbers of an entry count
    entries: int  #: that were compared
    largest: DifferingEntry | None  #: the entry that differs most; None: all are equal
    first: DifferingEntry | None  #: the first one in f64
    first_f32: DifferingEntry | None  #: once both are rounded
    first_bf16: DifferingEntry | None
    score: ScoreChange | None  #: of rows and rotations
    text: str  #: the words of the tool
    json: str  #: every field

    def __bool__(self) -> bool:
        return self.equal

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Comparison(equal={self.equal}, differences={list(self.differences)})"


class Explanation(NamedTuple):
    """One entry step by step. Numbers of 40 digits are mappings with text, digits and exact."""

    title: str  #: the entry, and where
    recipe: str
    entries: tuple[Mapping[str, Any], ...]  #: one; of a rotation its cosine and its sine
    pair: Mapping[str, Any] | None  #: of a rotation: the pair before and after
    text: str  #: the words of the tool
    json: str  #: every field

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Explanation({self.title!r}, recipe={self.recipe!r})"


class Parting(NamedTuple):
    """The first column in which two conventions are different numbers, and the first position at which f32 shows it."""

    column: int
    a: str  #: what each has there
    b: str
    position: int | None  #: of the first axis, one more on each next one; None: no entry below `searched` differs
    at_column: int  #: the first one that differs at `position`
    in_a: float | None
    in_b: float | None
    searched: int
    text: str  #: the words of the tool
    json: str  #: every field

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"Parting(column={self.column}, position={self.position})"


# ---- from JSON ------------------------------------------------------------------------------------------------------


def _agreement(stated: Mapping[str, Any]) -> Agreement:
    return Agreement(**{**stated, "first": tuple(stated["first"])})


def _tuples(stated: Mapping[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in stated.items()}


def _entry(stated: Mapping[str, Any] | None) -> DifferingEntry | None:
    return None if stated is None else DifferingEntry(**_tuples(stated))


def _candidate(stated: Mapping[str, Any]) -> Candidate:
    return Candidate(
        **{
            **_tuples(stated),
            "convention": Convention(stated["convention"]),
            "places": tuple(AxisPlaces(**axis) for axis in stated["places"]),
            "fitted": tuple(Fitted(**number) for number in stated["fitted"]),
            "exact": _agreement(stated["exact"]),
            "by_recipe": _agreement(stated["by_recipe"]),
            "context": _frozen(stated["context"]),
        }
    )


def _candidate_or_none(stated: Mapping[str, Any] | None) -> Candidate | None:
    return None if stated is None else _candidate(stated)


def _stated(told: tuple[str, str]) -> dict[str, Any]:
    import json

    stated: dict[str, Any] = json.loads(told[0])
    return stated


def _identification(told: tuple[str, str]) -> Identification:
    stated = _stated(told)
    return Identification(
        tuple(_candidate(each) for each in stated["candidates"]),
        stated["kind"],
        _candidate_or_none(stated["nearest"]),
        tuple(RuledOut(**_tuples(each)) for each in stated["ruled_out"]),
        stated["sampled"],
        told[1],
        told[0],
    )


def _diagnosis(told: tuple[str, str]) -> Diagnosis:
    stated = _tuples(_stated(told))
    read = {"found": _candidate_or_none(stated["found"]), "assumed": _frozen(stated["assumed"])}
    return Diagnosis(**{**stated, **read}, text=told[1], json=told[0])


def _lists(positions: Any) -> Sequence[Any]:
    """A list of positions for each axis: none where they are not known."""
    if positions is None:
        return ()
    if isinstance(positions, (list, tuple)) and any(hasattr(item, "__len__") for item in positions):
        return positions
    return (positions,)


def _of_role(against: ConventionLike, dim: int | None, places: Places | None) -> tuple[int | None, Places | None]:
    """The width and the numbering of cells that are asked: those of a role where the call says nothing."""
    if not isinstance(against, PositionRole):
        return dim, places
    width = against.columns if against.head is None else against.head
    return (width if dim is None else dim), places or against.places or Places(0, "one", 0, 1, 0, "none")


# ---- questions ------------------------------------------------------------------------------------------------------


def identify(
    tensor: Array, positions: Positions | Sequence[Positions] | None = None, *, depth: str = "sampled"
) -> Identification:
    """Which convention a tensor holds, and how sure that is.

    Parameters
    ----------
    tensor : array, shape (L, d), (d, L), (L, 1, d), (H, W, d), (H W, d), ..
        Rows of positions or of cells, cosines and sines as programs store them, frequencies, slopes, biases, factors;
        classes of int32 or int64.
    positions : range or array_like, shape (L,), optional
        Where the rows are, where that is known; of several axes a list for each.
    depth : str
        "full": recipes are held against every entry, not against 2^20 of them.

    Returns
    -------
    Identification
        True where it is identified; its str is what the tool says.

    Examples
    --------
    >>> import posenc
    >>> found = posenc.identify(posenc.table("whisper", 64, range(100, 160)))
    >>> "whisper" in found.presets, found.candidates[0].places[0].first
    (True, 100.0)
    >>> bool(posenc.identify(posenc.seeded_rows(8, 6, seed=1, init="normal")))
    False
    """
    return _identification(_core.identify(tensor, _lists(positions), depth))


def identify_rotation(before: Array, after: Array, positions: Positions, *, depth: str = "sampled") -> Identification:
    """Which rotation turned one tensor into another: pairing, direction, base, rotated width.

    Parameters
    ----------
    before, after : array, shape (.., L, d)
    positions : range or array_like, shape (L,)
        Of the tokens.

    Examples
    --------
    >>> import posenc
    >>> before = posenc.seeded_rows(32, 64, seed=1, init="normal")
    >>> found = posenc.identify_rotation(before, posenc.rotate("rope-half", range(32), before), range(32))
    >>> "rope-half" in found.presets, found.candidates[0].form
    (True, 'rotation')
    """
    return _identification(_core.identify_rotation(before, after, positions, depth))


def check(
    tensor: Array,
    against: ConventionLike,
    *,
    dim: int | None = None,
    positions: Positions | Sequence[Positions] | None = None,
    queries: Positions | None = None,
    keys: Positions | None = None,
    places: Places | None = None,
    depth: str = "sampled",
    length: int | None = None,
    centre: float | None = None,
    learned: float | None = None,
) -> Diagnosis:
    """Whether a tensor is what a convention says, and if not, what was done to it.

    Parameters
    ----------
    tensor : array
        As identify takes it.
    against : str, dict, Convention, Candidate or role of inspect
    dim : int, optional
        The width that the convention is asked for; that of the tensor unless given.
    positions : range or array_like, shape (L,), optional
        Of the rows, where they are not 0, 1, 2, ..; of several axes a list for each.
    queries, keys : range or array_like, optional
        Positions, of biases and classes of distances. Keys are at 0, 1, 2, .. unless given, queries the first of the
        keys or the last: `assumed` says which.
    places : Places, optional
        How cells are numbered: as by the preset that is named, or by those that are the convention, unless given.

    Examples
    --------
    >>> import posenc
    >>> diagnosis = posenc.check(posenc.table("transformer", 64, range(1, 129)), "transformer")
    >>> bool(diagnosis), diagnosis.findings[0]
    (False, 'row p holds position p + 1')
    >>> posenc.check(posenc.table("pytorch", 64, range(128)), "transformer").right
    True
    """
    dim, places = _of_role(against, dim, places)
    context = _context(length, centre, learned)
    return _diagnosis(_core.check(tensor, against, dim, _lists(positions), queries, keys, context, places, depth))


def compare(
    a: ConventionLike,
    b: ConventionLike,
    *,
    dim: int | None = None,
    head: int = 0,
    positions: Positions | Sequence[Positions] | None = None,
    length: int | None = None,
    centre: float | None = None,
    learned: float | None = None,
) -> Comparison:
    """In what two conventions differ, from where on, and what it means for a score.

    Parameters
    ----------
    a, b : str, dict, Convention, Candidate or role of inspect
    dim : int, optional
        Columns of a row, 512 unless given; of a head, 128; heads of a bias, 8.
    head : int, optional
        Columns of a head, where the scale of biases depends on them: 64 unless given.
    positions : range or array_like, shape (L,), optional
        0 to 511 unless given; of several axes a list for each, or one for all. Presets that number places differently
        are compared place by place unless given.

    Examples
    --------
    >>> import posenc
    >>> found = posenc.compare("transformer", "whisper", dim=64)
    >>> found.first_f32.at, bool(found), bool(posenc.compare("transformer", "pytorch"))
    ((0.0, 1.0), False, True)
    """
    told = _core.compare(a, b, dim, head, _lists(positions), _context(length, centre, learned))
    stated = _tuples(_stated(told))
    entries = {name: _entry(stated[name]) for name in ("largest", "first", "first_f32", "first_bf16")}
    score = None if stated["score"] is None else ScoreChange(**_tuples(stated["score"]))
    kept = {**stated, **entries, "score": score, "context": _frozen(stated["context"])}
    return Comparison(**kept, text=told[1], json=told[0])


def explain(
    convention: ConventionLike,
    position: Coordinates,
    *,
    dim: int = 0,
    column: int = 0,
    key: Positions | None = None,
    recipe: str = "exact",
    values: tuple[float, float] = (1.0, 0.0),
    side: str = "query",
    head: int = 0,
    length: int | None = None,
    centre: float | None = None,
    learned: float | None = None,
) -> Explanation:
    """One entry step by step: which real number it is, to 40 digits, and what each rounding of a recipe loses.

    Parameters
    ----------
    position : int or float
        Of several axes one each, in their order or as a dict by name; the query's, where there is a key.
    dim : int
        Columns of a row or of a head; the number of heads of slopes.
    column : int
        Of the row or of the head; the head of slopes.
    key : int or float, optional
        The position of the key: slopes and classes ask for it.
    values : pair of float
        What stands in the two columns that a rotation reads.
    side : str
        "query" or "key", under a decay.
    head : int
        Columns of a head, where the scale of slopes depends on them.

    Examples
    --------
    >>> import posenc
    >>> told = posenc.explain("transformer", 1000000, dim=512, column=37, recipe="f32-exp")
    >>> told.entries[0]["exact"]["text"]
    '-0.6334594462752282459375417204527761248165'
    >>> told.entries[0]["steps"][-1]["bits"]
    '0xbf2646ab'
    """
    told = _core.explain(
        convention, dim, column, position, key, recipe, values, side, head, _context(length, centre, learned)
    )
    stated = _stated(told)
    return Explanation(
        stated["title"], stated["recipe"], _frozen(stated["entries"]), _frozen(stated["pair"]), told[1], told[0]
    )


def parting(
    a: ConventionLike,
    b: ConventionLike,
    dim: int,
    *,
    positions: int = 1 << 16,
    length: int | None = None,
    centre: float | None = None,
    learned: float | None = None,
) -> Parting | None:
    """Where two conventions of rows or of rotations part; None where they are the same numbers.

    Parameters
    ----------
    dim : int
        Columns of a row or of a head.
    positions : int
        So many, from 0 on, are looked through.

    Examples
    --------
    >>> import posenc
    >>> posenc.parting("transformer", "whisper", 512)
    Parting(column=1, position=0)
    >>> posenc.parting("transformer", "pytorch", 512) is None
    True
    """
    told = _core.parting(a, b, dim, positions, _context(length, centre, learned))
    return None if told is None else Parting(**_stated(told), text=told[1], json=told[0])
