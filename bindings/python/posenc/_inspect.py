# SPDX-License-Identifier: Apache-2.0
"""What a model's own configuration says of its positions."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._convention import Convention, Places, Scale
from ._errors import PosencError

if TYPE_CHECKING:
    from ._types import Coordinates


class PositionRole(NamedTuple):
    """What positions are used for in some layers of a model. Numbers that a role does not have are None."""

    name: str  #: "rotary", "rotary.sliding_attention", "embedding", "bias"
    preset: str | None  #: the row with this convention
    convention: Convention | None  #: None: a role that is a scale alone
    scale: Scale | None  #: of the embedding that the signal is added to
    numbering: Mapping[str, int] | None  #: first and absent, for positions_of_mask
    places: Places | None
    head: int | None  #: columns of a head
    rotated: int | None  #: columns of it that turn
    heads: int | None
    columns: int | None  #: of a signal's row
    rows: int | None  #: of the model's own table
    cells: tuple[int, ...]  #: of an image or a window
    frequencies: Mapping[str, tuple[float, ...]]  #: radians per position, by the lengths that they are for
    magnitude: float | None  #: of cosines and sines
    layers: tuple[int, ...] | None  #: that have the role; None: all, or not counted by layers

    def table(self, positions: Coordinates, **options: Any) -> Any:
        """The rows of a signal, or the cosines and sines of a rotation, of the model's own width."""
        from ._rotary import rotary_cache
        from ._tables import coordinates

        if self.convention is not None and self.convention.family == "rotary" and self.head is not None:
            return rotary_cache(self.convention, self.head, positions, **options)
        if self.convention is not None and self.convention.family == "waves" and self.columns is not None:
            return coordinates(self.convention, self.columns, positions, **options)
        raise PosencError("inspect", "a table is of waves or a rotation whose width is known", self.name)


class ModelPart(NamedTuple):
    """A model, or one of the models that a configuration is made of."""

    name: str  #: "" for the configuration itself; "text", "vision"
    model_type: str
    roles: Mapping[str, PositionRole]
    layers: int | None
    without: tuple[int, ...]  #: layers that have none of the roles that are counted by layers
    softmax_factor: float | None


class MissingPositions(NamedTuple):
    """What a model has besides what inspect reads of it."""

    name: str  #: of a part, "vision", or of a role, "embedding"; "" for the configuration itself
    why: str


class ModelPositions(NamedTuple):
    """The positions of a model. A role that has one name may be read as an attribute: positions.rotary."""

    source: str
    model_type: str
    length: int | None
    regimes: tuple[int, ...]  #: lengths beyond which frequencies change
    parts: Mapping[str, ModelPart]
    sources: Mapping[str, str]  #: the key that each number came from, by JSON pointer
    missing: tuple[MissingPositions, ...]  #: () where these are all positions of the model
    unread: tuple[str, ...]
    notes: tuple[str, ...]
    text: str  #: for people

    @property
    def roles(self) -> dict[str, PositionRole]:
        """All roles, those of a part with its name before theirs: "text.rotary"."""
        return {
            f"{part.name}.{name}" if part.name else name: role
            for part in self.parts.values()
            for name, role in part.roles.items()
        }

    def role(self, name: str) -> PositionRole:
        """The role of that name; a name may be cut where one role alone begins or ends so."""
        roles = self.roles
        if name in roles:
            return roles[name]
        found = [full for full in roles if full.startswith(name + ".") or full.endswith("." + name)]
        if len(found) == 1:
            return roles[found[0]]
        raise PosencError("inspect", f"role must be one of {', '.join(roles) or 'none'}", name)

    def __getattr__(self, name: str) -> PositionRole:
        if name.startswith("_"):
            raise AttributeError(name)
        try:
            return self.role(name)
        except PosencError as error:
            raise AttributeError(str(error), name=name, obj=self) from None

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"ModelPositions({self.model_type!r}, roles={list(self.roles)})"


def _json_of(config: Any) -> tuple[str | bytes, str]:
    """The text of a configuration, as bytes where it is a file's, and the name of that file."""
    import json

    if isinstance(config, str) and config.lstrip().startswith("{"):
        return config, ""
    if isinstance(config, (str, os.PathLike)):
        path = os.fspath(config)
        path = os.path.join(path, "config.json") if os.path.isdir(path) else path
        with open(path, "rb") as file:
            text = file.read(_core.json_byte_limit() + 1)
        if len(text) > _core.json_byte_limit():
            rule = f"a configuration must have at most {_core.json_byte_limit()} bytes"
            raise PosencError("inspect", rule, f"{path!r}, which has more")
        return text, path
    if not isinstance(config, Mapping) and not hasattr(config, "to_dict"):
        kind = type(config).__name__
        raise TypeError(f"[inspect] config must be a dict, JSON, a path or a configuration of transformers, got {kind}")
    return json.dumps(dict(config if isinstance(config, Mapping) else config.to_dict()), default=str), ""


def _role(name: str, stated: Mapping[str, Any], layers: Mapping[str, Any]) -> PositionRole:
    width, scale, places, counted = stated["width"], stated["scale"], stated["places"], layers.get(name)
    return PositionRole(
        name,
        stated["preset"],
        None if stated["convention"] is None else Convention(stated["convention"]),
        None
        if scale is None
        else Scale("sqrt_dim" if scale["by"] == "sqrt_dim" else scale["number"], scale["rounding"]),
        stated["numbering"],
        None if places is None else Places(**places),
        width.get("head"),
        width.get("rotated"),
        width.get("heads"),
        width.get("columns"),
        width.get("rows"),
        tuple(width.get("cells", ())),
        {lengths: tuple(values) for lengths, values in (stated["frequencies"] or {}).items()},
        stated["magnitude"],
        tuple(counted) if isinstance(counted, list) else None,
    )


def _part(name: str, stated: Mapping[str, Any]) -> ModelPart:
    layers = stated["layers"]
    roles = {role: _role(role, of, layers) for role, of in stated["roles"].items()}
    return ModelPart(
        name, stated["model_type"], roles, layers["count"], tuple(layers["without"]), stated["softmax_factor"]
    )


def inspect(
    config: Any, *, length: int | None = None, part: str | None = None, as_: str | None = None
) -> ModelPositions:
    """The positions that a model's configuration states, and the key that every number came from.

    A part of the model that is not read is no error but an item of missing.

    Parameters
    ----------
    config : dict, str, path or a configuration of transformers
        The configuration, its JSON, its file, or the folder of that.
    length : int, optional
        Tokens of the sequence, where frequencies depend on it.
    part : str, optional
        "text": that part alone.
    as_ : str, optional
        The model type, in place of its own.

    Examples
    --------
    >>> import posenc
    >>> config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
    ...           "rope_theta": 500000.0}
    >>> positions = posenc.inspect(config)
    >>> positions.rotary.convention.ladders[0]["base"], positions.rotary.head
    (500000, 16)
    >>> positions.sources["/roles/rotary/convention/ladders/0/base"]
    '/rope_theta'
    >>> positions.rotary.table(range(5))["cos"].shape
    (5, 16)
    """
    import json

    text, source = _json_of(config)
    stated_text, lines = _core.inspect(text, source, as_, part, length)
    stated = json.loads(stated_text)
    parts = {"": _part("", stated)} if "roles" in stated else {}
    parts.update({name: _part(name, of) for name, of in stated.get("parts", {}).items()})
    context = stated["context"]
    return ModelPositions(
        stated["source"],
        stated["model_type"],
        context["length"],
        tuple(context["regimes"]),
        parts,
        stated["from"],
        tuple(MissingPositions(**each) for each in stated["missing"]),
        tuple(stated["unread"]),
        tuple(stated["notes"]),
        lines,
    )


def model_types() -> list[str]:
    """The model types that inspect knows.

    Examples
    --------
    >>> import posenc
    >>> "llama" in posenc.model_types()
    True
    """
    return _core.model_types()
