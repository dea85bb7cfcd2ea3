# SPDX-License-Identifier: Apache-2.0
"""Conventions and presets as values."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core

if TYPE_CHECKING:
    from ._types import ConventionLike


def _frozen(value: Any) -> Any:
    """Lists as tuples, objects as mappings that nobody can change."""
    if isinstance(value, list):
        return tuple(_frozen(item) for item in value)
    if isinstance(value, dict):
        return MappingProxyType({key: _frozen(item) for key, item in value.items()})
    return value


def _thawed(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return [_thawed(item) for item in value]
    if isinstance(value, Mapping):
        return {key: _thawed(item) for key, item in value.items()}
    return value


def _is_structured(value: Any) -> bool:
    """An object, or a list that holds one: no word and no number."""
    return isinstance(value, Mapping) or (
        isinstance(value, (list, tuple)) and any(isinstance(item, (Mapping, list, tuple)) for item in value)
    )


class Convention(_core.Convention):
    """Every choice that fixes the numbers of a position table, a rotation or a bias. Immutable.

    Its fields are attributes; docs/conventions.md says what each means. Two are equal when every field is.

    Parameters
    ----------
    convention : str, dict or Convention
        Name of a preset, JSON of version 1 or 2, or a dict of it, which states every field.

    Examples
    --------
    >>> import posenc
    >>> paper = posenc.Convention("transformer")
    >>> paper.layout, paper.ladders[0]["base"]
    ('interleaved', 10000)
    >>> paper == posenc.Convention(paper.to_json())
    True
    >>> far = paper.replace({"ladder.base": 500000}, layout="sine_first")
    >>> far.ladders[0]["base"], far.layout
    (500000, 'sine_first')
    """

    def __init__(self, convention: ConventionLike | _core.Convention) -> None:
        super().__init__(convention)

    @property
    def fields(self) -> Mapping[str, Any]:
        """Every field by its name."""
        cached: Mapping[str, Any] | None = self.__dict__.get("_fields")
        if cached is None:
            stated = self.to_dict()
            del stated["posenc_convention"], stated["family"]
            cached = self.__dict__["_fields"] = MappingProxyType({key: _frozen(item) for key, item in stated.items()})
        return cached

    @property
    def family(self) -> str:
        """ "waves", "rotary", "slopes", "buckets", "log_coordinates", "query_scale" or "learned"."""
        return str(self.to_dict()["family"])

    def to_dict(self) -> dict[str, Any]:
        """What to_json says, as a dict."""
        import json

        stated: dict[str, Any] = json.loads(self.to_json())
        return stated

    def columns(self, dim: int) -> int:
        """Columns of a table of width dim: as many, or fewer or more where the convention says so."""
        return self._columns(dim)

    def replace(self, changes: Mapping[str, Any] | None = None, /, **fields: Any) -> Convention:
        """The convention with some fields changed, one after the other.

        Parameters
        ----------
        changes : mapping, optional
            Values by path: "layout", "ladders.0.base", "ladder.base" (that of every ladder).
        **fields
            Values by name.
        """
        result = self
        for path, value in {**(changes or {}), **fields}.items():
            if not _is_structured(value):
                result = Convention(result._replaced({path: value}))
                continue
            stated = result.to_dict()
            if path not in stated:
                from ._errors import PosencError

                raise PosencError("replace", "an object or a list of them replaces a whole field", path)
            result = Convention({**stated, path: _thawed(value)})
        return result

    def differences(self, other: ConventionLike) -> list[str]:
        """A line for every field in which the other differs, by its path."""
        return self._differences(other)

    def plot(self, ax: Any = None, *, dim: int = 64, positions: range = range(100)) -> Any:
        """Draws the table, the cosines of a rotation, or the bias of one head of 8. Needs matplotlib.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from ._plot import plot

        return plot(self, ax, dim, positions)

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_"):
            try:
                return self.fields[name]
            except KeyError:
                pass
        near = [] if name.startswith("_") else [field for field in self.fields if field.startswith(name.rstrip("s"))]
        there = f"; it has {', '.join(near)}" if near else ""
        raise AttributeError(f"a convention of {self.family} has no field {name!r}{there}", name=name, obj=self)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self.fields]

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError("a convention is immutable: use replace", name=name, obj=self)

    __delattr__ = None  # type: ignore[assignment]

    def __eq__(self, other: object) -> bool:
        return self.to_json() == other.to_json() if isinstance(other, Convention) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        return f"Convention({self.to_dict()!r})"

    def __str__(self) -> str:
        return self._line()

    def __reduce__(self) -> tuple[Any, ...]:
        return Convention, (self.to_json(),)


class Places(NamedTuple):
    """How an axis of a grid is numbered: place i of n has the coordinate ((i + first) / (divisor + eps)) gain + shift.

    first is a number or "minus_half"; divisor "one", "count", "gaps", "last", "longest" or "shortest"; rounding "none"
    or "floor".
    """

    first: float | str
    divisor: str
    eps: float
    gain: float
    shift: float
    rounding: str


def convention_text(convention: ConventionLike) -> str:
    """What graphs hold: the name of a preset as it is, since a recipe may be that of the preset; all else as JSON."""
    if isinstance(convention, str):
        return convention
    name = getattr(convention, "name", None)  # of a Preset
    if isinstance(name, str) and name in _core.presets():
        return name
    return Convention(convention).to_json()


class Scale(NamedTuple):
    """What embedding rows are multiplied with: "none", "sqrt_dim" or a number; the type that it is rounded to first."""

    by: str | float
    rounding: str | None = None


class Preset(NamedTuple):
    """A named convention and what its original does around it."""

    name: str
    convention: Convention
    recipe: str  #: the original's arithmetic; posenc's is "exact" unless asked
    scale: Scale
    dropout: float
    axes: str  #: "batch_first" or "sequence_first"
    max_len: int | None  #: rows of the original's table
    places: Places | None  #: how the original numbers the cells of a grid, if not 0, 1, 2, ..
    source: str
    note: str
    aliases: tuple[str, ...]
    stated: tuple[str, ...]  #: paths of fields that a model's own file states: its number counts, not this one


def presets() -> list[str]:
    """Names of all presets.

    Examples
    --------
    >>> import posenc
    >>> "whisper" in posenc.presets()
    True
    """
    return _core.presets()


def preset(name: str) -> Preset:
    """A preset by its name or an alias.

    Examples
    --------
    >>> import posenc
    >>> whisper = posenc.preset("whisper")
    >>> whisper.recipe, whisper.max_len
    ('f64-to-f16', 1500)
    """
    found, convention, recipe, scale, dropout, axes, max_len, places, source, note, aliases, stated = _core.preset(name)
    return Preset(
        found,
        Convention(convention),
        recipe,
        Scale(*scale),
        dropout,
        axes,
        max_len,
        None if places is None else Places(*places),
        source,
        note,
        aliases,
        stated,
    )


def recipes() -> list[str]:
    """Names of all recipes, "exact" first.

    Examples
    --------
    >>> import posenc
    >>> posenc.recipes()[:2]
    ['exact', 'f32-exp']
    """
    return _core.recipes()


def regime(convention: ConventionLike, length: int) -> int:
    """Which of its ladders a convention has for sequences of that length: equal numbers, equal frequencies.

    Examples
    --------
    >>> import posenc
    >>> longer = posenc.regime("rope-longrope", 1 << 17)
    >>> longer == posenc.regime("rope-longrope", 16)
    False
    """
    return _core.regime(convention, length)
