# SPDX-License-Identifier: Apache-2.0
"""Cosines and sines of a model's rotations, by the interface of transformers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from .. import _core
from .._convention import convention_text
from .._errors import PosencError
from .._inspect import inspect
from ._checkpoint import CheckedLoad, Stored, away_from
from ._eager import goes_straight
from ._errors import expect_tensor, fresh
from ._graph import cosines_sines, is_served, serves_rotation
from ._kept import Kept
from ._ops import OF_POSITIONS, cache_width, length_of, place_shape, write_cache
from ._positions import axes_of, coordinates_of, tensor_of
from ._text import shape_text

if TYPE_CHECKING:
    from .._inspect import ModelPositions
    from .._types import Array, ConventionLike

_FORMS = {"halves_twice": "halves_twice", "pairs_twice": "pairs_twice", "halves_once": "halves_twice"}


class _Rotation(NamedTuple):
    convention: str
    head: int
    axes: tuple[str, ...]
    length: int | None  #: OF_POSITIONS where frequencies depend on it
    width: int  #: columns of a table of both halves


def _rotation(convention: ConventionLike, head: int) -> _Rotation:
    text = convention_text(convention)
    length = OF_POSITIONS if _core.rotary_depends_on_length(text, head) else None
    return _Rotation(text, head, axes_of(text), length, cache_width(text, head))


class _Ready(NamedTuple):
    """What a step asks for, made once: between two steps of a model its weights fill the caches of the processor, so
    that a call costs what it touches, 65 us where the same one again and again takes 13."""

    cache: _core.RotaryCache
    width: int


class RotaryEmbedding(CheckedLoad):
    """forward(x, position_ids) -> (cos, sin), each entry the real number rounded once to the type of x.

    On other devices and in exports entries are of the recipe phase, or near it (docs/torch.md). It has no parameter and
    no buffer: nothing to cast, to save or to initialise. Frequencies that depend on the length (dynamic NTK, LongRoPE)
    are those of the greatest position and one more, at every call anew.

    Parameters
    ----------
    convention : str, dict or Convention; or a dict of (convention, head) by the type of layer
        Of rotations.
    head : int
        Columns of a head.
    stored : {"halves_twice", "halves_once", "pairs_twice"}
        [a_0 .. a_n-1 | the same], as most models read them; without the second half (GPT-OSS); [a_0, a_0, a_1, ..]
        (Cohere).
    coordinates : {0, -1}
        The axis of position_ids that has the coordinates, of several: (3, B, L) or (N, 2).
    dtype : torch.dtype, optional
        In place of that of x.

    Examples
    --------
    >>> import torch, posenc.torch
    >>> rotary = posenc.torch.RotaryEmbedding("llama", 64)
    >>> cos, sin = rotary(torch.ones(1, 5, 256), torch.arange(5)[None])
    >>> cos.shape
    torch.Size([1, 5, 64])
    >>> list(rotary.state_dict())
    []
    """

    def __init__(
        self,
        convention: ConventionLike | Mapping[str, tuple[ConventionLike, int]],
        head: int | None = None,
        *,
        stored: str = "halves_twice",
        coordinates: int = 0,
        recipe: str = "exact",
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__()
        if stored not in _FORMS:
            raise PosencError("rotary", f"stored must be one of {', '.join(_FORMS)}", stored)
        if coordinates not in (0, -1):
            raise PosencError("rotary", "coordinates must be 0 or -1", str(coordinates))
        if head is None:
            if not isinstance(convention, Mapping):
                raise PosencError("rotary", "head must be stated", "none")
            self._rotations = {kind: _rotation(*of) for kind, of in convention.items()}
        else:
            self._rotations = {"": _rotation(convention, head)}
        self.stored, self.coordinates, self.recipe, self.dtype = stored, coordinates, recipe, dtype
        self._kept = Kept()
        self._ready = self._made_ready()

    def _made_ready(self) -> dict[str | None, _Ready]:
        """By type of layer, where one table serves all calls: exact, of one axis, of frequencies without a length."""
        form, recipe = _FORMS[self.stored], self.recipe
        return {
            kind: _Ready(_core.RotaryCache(of.convention, of.head, form, recipe, None), of.width)
            for kind, of in self._rotations.items()
            if recipe == "exact" and of.length is None and len(of.axes) == 1
        }

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in self.__dict__.items() if key != "_ready"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__(state)  # type: ignore[no-untyped-call]
        self._ready = self._made_ready()

    @classmethod
    def from_config(cls, config: Any, *, part: str | None = None, **options: Any) -> RotaryEmbedding:
        """That of a model of transformers, by its configuration.

        Parameters
        ----------
        config : a configuration, a dict, JSON or a path
        part : str, optional
            "text", "vision": of a model that has several.
        **options
            As of the class.
        """
        positions = inspect(config)
        found = rotations_of(positions)
        if part is None and len(found) == 1:
            part = next(iter(found))
        if part not in found:
            raise PosencError("rotary", f"part must be one that has rotations: {', '.join(found) or 'none'}", str(part))
        rotations = found[part]
        return cls(*rotations[""], **options) if "" in rotations else cls(rotations, **options)

    def _of(self, layer_type: str | None) -> _Rotation:
        kind = layer_type or ""
        if "" in self._rotations:
            return self._rotations[""]
        if kind not in self._rotations:
            raise PosencError("rotary", f"layer_type must be one of {', '.join(self._rotations)}", kind or "none")
        return self._rotations[kind]

    def forward(self, x: Tensor, position_ids: Array, layer_type: str | None = None) -> tuple[Tensor, Tensor]:
        """position_ids: a tensor, or whatever an array or a list of them may be; of several axes `coordinates` says."""
        ready = self._ready.get("") or self._ready.get(layer_type)
        is_plain = type(x) is Tensor and type(position_ids) is Tensor and x.is_cpu and position_ids.dim() > 0
        if ready is not None and is_plain and goes_straight(position_ids):
            shape, dtype = [*position_ids.shape, ready.width], self.dtype or x.dtype
            new = fresh("rotary_cache", shape, dtype), fresh("rotary_cache", shape, dtype)
            cos, sin = ready.cache.write(position_ids, new)
        else:
            expect_tensor("rotary", "x", x)
            of = self._of(layer_type)
            ids = tensor_of("rotary", "position_ids", position_ids, x.device)
            at = coordinates_of(ids, len(of.axes), axis=self.coordinates)
            cos, sin = self._tables(of, at, x.device, self.dtype or x.dtype)
        if self.stored == "halves_once":
            return cos.chunk(2, -1)[0], sin.chunk(2, -1)[0]
        return cos, sin

    def _tables(self, of: _Rotation, at: list[Tensor], device: torch.device, dtype: torch.dtype) -> list[Tensor]:
        if is_served(device, dtype, self.recipe, at) and serves_rotation(of.convention, of.length):
            return self._by_graph(of, at, dtype)
        if device.type == "cpu" and self.recipe == "exact" and goes_straight(*at):
            where = at[0] if len(at) == 1 else tuple(at)
            return self._written(of, where, place_shape(at), dtype, length_of(at, of.length))
        is_kept = device.type not in ("cpu", "meta") or self.recipe != "exact"
        if is_kept and len(at) == 1 and not (torch.compiler.is_compiling() or at[0].is_meta):
            return self._from_kept(of, at[0], device, dtype)
        made: list[Tensor] = torch.ops.posenc.cache(
            at, of.convention, of.head, _FORMS[self.stored], dtype, self.recipe, of.length
        )
        return made

    def _by_graph(self, of: _Rotation, at: list[Tensor], dtype: torch.dtype) -> list[Tensor]:
        made = cosines_sines(of.convention, of.head, of.length, at, self.recipe)
        if self.stored == "pairs_twice":
            return [each.repeat_interleave(2, -1).to(dtype) for each in made]
        return [torch.cat((each, each), -1).to(dtype) for each in made]

    def _written(
        self, of: _Rotation, where: Any, places: list[int], dtype: torch.dtype, length: int | None
    ) -> list[Tensor]:
        shape, form = [*places, of.width], _FORMS[self.stored]
        return write_cache(where, shape, of.convention, of.head, form, dtype, self.recipe, length)

    def _from_kept(self, of: _Rotation, at: Tensor, device: torch.device, dtype: torch.dtype) -> list[Tensor]:
        length = length_of([at], of.length)
        regime = None if length is None else _core.regime(of.convention, length)

        def make(rows: range | Tensor, dtype: torch.dtype) -> list[Tensor]:
            return self._written(of, rows, [len(rows)], dtype, length)

        return self._kept.at(at, device, dtype, make, (of.convention, regime))

    def _check_stored(self, name: str, stored: Tensor) -> Stored | None:
        """inv_freq, or that of a type of layer."""
        kind = next((kind for kind in self._rotations if kind and name.startswith(kind)), "")
        if not name.endswith("inv_freq") or (kind or "") not in self._rotations:
            return None
        of = self._rotations[kind]
        length = 1 if of.length == OF_POSITIONS else of.length
        where = None if length is None else (length, None, None)
        exact = torch.tensor(
            _core.rotary_frequencies(of.convention, of.head, "exact", where), dtype=torch.float64, device="cpu"
        )
        if stored.shape != exact.shape:
            return Stored(False, f"it has shape {shape_text(stored)}, frequencies here {shape_text(exact)}")
        if stored.numel() == 0 or stored.is_meta:
            return Stored(True)
        apart = (stored.detach().cpu().double() - exact).abs() / exact.abs().clamp_min(1e-300)
        pair = int(apart.nan_to_num(nan=float("inf")).argmax())
        return away_from(apart[pair], f"pair {pair}", 4 * torch.finfo(stored.dtype).eps, " of the frequency")

    _stored_names: tuple[str, ...] = ("inv_freq",)

    def extra_repr(self) -> str:
        heads = ", ".join(f"{kind or 'head'}: {of.head} columns" for kind, of in self._rotations.items())
        return f"{heads}, width={self.width}, stored={self.stored!r}, recipe={self.recipe!r}"

    @property
    def width(self) -> int:
        """Columns of cosines."""
        of = next(iter(self._rotations.values()))
        return of.width // 2 if self.stored == "halves_once" else of.width


def rotations_of(positions: ModelPositions) -> dict[str, dict[str, tuple[Any, int]]]:
    """(convention, head) by part and type of layer, "" where there is one."""
    found: dict[str, dict[str, tuple[Any, int]]] = {}
    for part in positions.parts.values():
        for name, role in part.roles.items():
            if role.convention is not None and role.convention.family == "rotary" and role.head is not None:
                kind = name.partition(".")[2]
                found.setdefault(part.name, {})[kind] = (role.convention, role.head)
    return found
