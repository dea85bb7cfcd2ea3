# SPDX-License-Identifier: Apache-2.0
"""Which convention a file's tensors hold: .npy, .npz, safetensors, GGUF, a model's folder."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _core
from ._convention import Convention
from ._inspect import ModelPositions, inspect
from ._referee import Diagnosis, Identification, _diagnosis, _identification, _lists, _of_role
from ._types import context as _context

if TYPE_CHECKING:
    from ._convention import Places
    from ._types import ConventionLike, Positions


class FileTensor(NamedTuple):
    """A tensor of a file, and what it holds: true where it is identified."""

    name: str  #: empty: the array of an .npy file
    type: str  #: as the file says it
    shape: tuple[int, ...]
    found: Identification | None  #: None: it was not looked at
    note: str | None  #: why not; or what was identified in place of its entries

    def __bool__(self) -> bool:
        return bool(self.found)


class GgufPositions(NamedTuple):
    """What the metadata of a GGUF file state. It has the convention that they mean, where they say enough."""

    architecture: str | None
    keys: Mapping[str, str]  #: that speak of positions, with their values
    rotation: Convention | None
    preset: str | None  #: the row that the rotation is, or the one it is nearest to
    differences: tuple[str, ...]  #: from that row
    note: str | None  #: why there is no rotation
    sliding: Convention | None  #: of layers with a window, where it is another
    unread: tuple[str, ...]  #: keys of rotations that these do not hold


class FileIdentification(NamedTuple):
    """What the tensors of a file hold, and what stands beside them: true where one of them is identified."""

    file: str
    tensors: tuple[FileTensor, ...]
    others: int  #: further tensors, which are not named after positions
    gguf: GgufPositions | None  #: of a GGUF file
    config: ModelPositions | None  #: of a folder with a config.json
    notes: tuple[str, ...]  #: what was left out, and why
    text: str  #: the words of the tool
    json: str  #: every field

    @property
    def presets(self) -> tuple[str, ...]:
        """The names of all candidates of all tensors, each once."""
        found = [tensor.found for tensor in self.tensors if tensor.found is not None]
        return tuple(dict.fromkeys(name for each in found for name in each.presets))

    def __bool__(self) -> bool:
        return any(self.tensors)

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"FileIdentification({self.file!r}, {list(self.presets)})"


def _tensor(stated: Mapping[str, Any], text: str) -> FileTensor:
    import json

    own = ("tensor", "type", "shape", "note")
    found = {name: value for name, value in stated.items() if name not in own}
    identified = _identification((json.dumps(found), text)) if found else None
    return FileTensor(stated["tensor"], stated["type"], tuple(stated["shape"]), identified, stated["note"])


def _gguf(stated: Mapping[str, Any] | None) -> GgufPositions | None:
    if stated is None:
        return None
    rotation, sliding = (None if stated[name] is None else Convention(stated[name]) for name in ("rotation", "sliding"))
    lists = {name: tuple(stated[name]) for name in ("differences", "unread")}
    return GgufPositions(**{**stated, **lists, "rotation": rotation, "sliding": sliding})


def identify_file(
    path: str | os.PathLike[str],
    tensor: str | None = None,
    positions: Positions | Sequence[Positions] | None = None,
    *,
    depth: str = "sampled",
) -> FileIdentification:
    """Which conventions the tensors of a file hold, and which its metadata or its folder's configuration state.

    Parameters
    ----------
    path : path
        An .npy, .npz, .safetensors or .gguf file, the index of a model in several files, or a model's folder. Pickles
        (.pt, .bin, .ckpt) are refused: loading one runs its code.
    tensor : str, optional
        That one alone; else all of up to 16, of more those that are named after positions.
    positions : range or array_like, shape (L,), optional
        Where the rows are, where that is known; of several axes a list for each.
    depth : str
        "full": recipes are held against every entry, not against 2^20 of them.

    Examples
    --------
    >>> import numpy as np
    >>> import posenc, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.savez(folder + "/model.npz", pe=posenc.table("whisper", 64, range(100)), scale=np.ones(3, np.int8))
    ...     found = posenc.identify_file(folder + "/model.npz")
    >>> [(each.name, bool(each)) for each in found.tensors], "whisper" in found.presets
    ([('pe', True), ('scale', False)], True)
    """
    import json

    stated_text, text, texts = _core.identify_file(os.fspath(path), tensor, _lists(positions), depth)
    stated = json.loads(stated_text)
    return FileIdentification(
        stated["file"],
        tuple(_tensor(each, words) for each, words in zip(stated["tensors"], texts, strict=True)),
        stated["others"],
        _gguf(stated["gguf"]),
        None if stated["config"] is None else inspect(stated["config"]["source"]),
        tuple(stated["notes"]),
        text,
        stated_text,
    )


def check_file(
    path: str | os.PathLike[str],
    against: ConventionLike,
    tensor: str | None = None,
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
    """Whether a tensor of a file is what a convention says, and if not, what was done to it.

    Parameters
    ----------
    path : path
        As identify_file takes it.
    against : str, dict, Convention, Candidate or role of inspect
    tensor : str, optional
        Its name, where there are several.

    Others are those of check.

    Examples
    --------
    >>> import numpy as np
    >>> import posenc, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(folder + "/pe.npy", posenc.table("transformer", 64, range(1, 129)))
    ...     posenc.check_file(folder + "/pe.npy", "transformer").findings[0]
    'row p holds position p + 1'
    """
    dim, places = _of_role(against, dim, places)
    context, lists = _context(length, centre, learned), _lists(positions)
    return _diagnosis(
        _core.check_file(os.fspath(path), tensor, against, dim, lists, queries, keys, context, places, depth)
    )
