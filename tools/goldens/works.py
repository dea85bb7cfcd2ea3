# SPDX-License-Identifier: Apache-2.0
"""What a row of the work list says. A row of a table or a rotation is a convention's whole entry: package, calls of the
original, formula, widths and positions.

A call is "module: expression"; the module is imported in the environment of tools/goldens/packages/PACKAGE.txt and the
expression sees its names, np, torch, and dim with positions (a list) or grid, the extents (height, width), or those of
every axis with height and width last. It gives the table of those positions or cells, or the pair (ladder, table).
"""
import dataclasses
import typing


class Formula(typing.NamedTuple):
    """Sinusoids of base 10000, for truth.py to make the correctly rounded values; as the library's fields say it."""
    spacing: str
    layout: str
    odd_width: str
    factor: int = 1  # of every angle
    scale: str = "none"  # of every entry, or one_over_sqrt_d


class Cells(typing.NamedTuple):
    """The same of several axes that have pairs of their own."""
    axes: str  # a letter each, in the order of the columns: "yx"
    spacing: str
    layout: str
    scope: str = "run"  # what a block of sines spans: an axis's run or the row
    pairs: typing.Union[str, tuple] = "equal"  # "equal_up", or (shares, of)


class OfPreset:
    """A row of the library's: it has the name of its preset."""

    @property
    def name(self):
        return self.preset


@dataclasses.dataclass(frozen=True, kw_only=True)
class Table(OfPreset):
    """tests/goldens/PRESET.safetensors: tables of a preset by its original, and correctly rounded."""
    preset: str
    package: str
    calls: dict  # recipe of the library: the original that follows it
    formula: typing.Union[Formula, Cells, None]  # None: no correctly rounded values
    rows: dict  # width: positions, or a list of grids
    ladders: dict = dataclasses.field(default_factory=dict)  # recipe: ladder, where its call gives the table alone
    types: tuple = ()  # of the correctly rounded tables, beside those of the originals
    length: int = 5000  # rows of the original's own table, for distances.py
    module = "tables"


@dataclasses.dataclass(frozen=True)
class Turn:
    """One case of a rotation: q is uniform in [-4, 4) by `seed`. `contracted`: the original's products are fused."""
    name: str
    call: str  # sees q [1, heads, L, head], positions, rotated; gives (ladder, cosines [L, rotated / 2], sines, turned q)
    head: int
    rotated: int
    heads: int
    positions: tuple
    seed: int
    dtype: str = "f32"
    contracted: bool = False
    first: int = 0  # of the rotated columns


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rotation(OfPreset):
    """tests/goldens/PRESET.safetensors: q turned by the original, and by the contract of the library."""
    preset: str
    package: str
    pairing: str
    turns: tuple
    recipe: typing.Optional[str] = "f32-reciprocal"  # None: the original's roundings are no recipe
    base: float = 10000
    scaling: typing.Optional[dict] = None  # the kind and its fields
    magnitude: typing.Any = 1  # of cosines and sines: a number, or YaRN's factor, gain and gain_all
    backward: bool = False
    written: str = "in_place"
    module = "rotary"


@dataclasses.dataclass(frozen=True, kw_only=True)
class TurnedPlaces(OfPreset):
    """tests/goldens/PRESET.safetensors: q turned by the coordinates of places, by the original; q is uniform by `seed`."""
    preset: str
    package: str
    call: str  # sees q [1, 2, places, head]; gives (coordinates, cosines [places, n], sines, turned q)
    head: int
    places: int
    angles: str  # of each pair, an expression in the names of axes.py
    seed: int
    centre: typing.Optional[float] = None  # of a decay; q are queries
    module = "axes"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Places(OfPreset):
    """tests/goldens/PRESET.safetensors: rows at coordinates by the original, and correctly rounded."""
    preset: str
    package: str
    call: str  # sees dim with places, f32 [rows, axes], or grid, (height, width); gives [rows, columns]
    columns: str  # an expression of coordinate_truth.py that sees dim: what stands in each column
    rows: dict  # width: a list of places, or a grid
    roundings: int  # of 2^-24 of an angle: its operations, and ln(base) for a rounded exponent
    numbering: dict = dataclasses.field(default_factory=dict)  # of a grid's places
    scale: typing.Callable = lambda dim: 1  # of every entry
    learned: typing.Optional[float] = None  # the scale that the call states
    module = "places"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Biases(OfPreset):
    """tests/goldens/PRESET.safetensors: what is added to scores by the original, and correctly rounded."""
    preset: str
    package: str
    call: str  # sees heads, queries, keys; gives [heads, keys] where queries do not count, or [heads, queries, keys]
    value: str  # as the library's field
    heads: tuple
    octaves: float = 8
    mask: tuple = ()  # of the keys; empty: all are counted
    head: int = 0  # columns of a head whose root divides the bias; 0: none
    bf16: bool = False  # slopes are rounded to it
    places: int = 3  # how far the original's f32 are from the real numbers, at most
    module = "slopes"


@dataclasses.dataclass(frozen=True, kw_only=True)
class Answers(OfPreset):
    """tests/goldens/PRESET.safetensors: classes, coordinates, factors or rows by the original; real numbers exactly, too."""
    preset: str
    package: str
    kind: str  # a function of answers.py
    call: str  # classes: sees distances; windows, coordinates: height, width; query_scales: positions; rows: their input
    reach: int = 2**17  # classes: distances to it
    cases: typing.Any = ()  # windows; positions; pairs of sizes; or {case: (positions or mask, values)}
    gain: float = 0  # of coordinates and of factors; 0: without one
    law: str = "log_steps"  # of factors with a gain
    pretrained: int = 0
    every: int = 0
    origin: int = 0
    numbering: tuple = ()  # first, absent: of masks
    extra: int = 0  # rows of a table to be resized that belong to no cell
    module = "answers"


@dataclasses.dataclass(frozen=True)
class Script:
    """tests/goldens/NAME.safetensors by a module of its own; `preset` where it belongs to one."""
    name: str
    package: str
    module: str
    about: str
    preset: str = ""


@dataclasses.dataclass(frozen=True)
class Other:
    """Files of another room, or none: a program that knows --check itself."""
    name: str
    package: str
    program: str
    about: str
