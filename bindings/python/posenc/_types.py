# SPDX-License-Identifier: Apache-2.0
"""What functions take, as types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

if TYPE_CHECKING:
    from ._convention import Convention, Preset
    from ._inspect import PositionRole

#: Name of a preset or an alias, JSON, a dict of it, or a convention.
ConventionLike: TypeAlias = "str | Mapping[str, Any] | Convention | Preset | PositionRole"
#: An array of NumPy, PyTorch, JAX, or of any package with DLPack or buffers.
Array: TypeAlias = Any
#: One position, a range, a list, or an array [L] or [B, L] of int32, int64, float32 or float64.
Positions: TypeAlias = "int | float | range | Sequence[int] | Sequence[float] | Array"
#: Positions; of several axes a sequence of them in the order of the convention's axes, or a dict by their names.
Coordinates: TypeAlias = "Positions | Sequence[Positions] | Mapping[str, Positions]"
#: Array of any package: the result is of its kind.
A = TypeVar("A")

Context: TypeAlias = "tuple[int | None, float | None, float | None] | None"


def context(length: int | None, centre: float | None, learned: float | None) -> Context:
    if length is None and centre is None and learned is None:
        return None
    return length, centre, learned
