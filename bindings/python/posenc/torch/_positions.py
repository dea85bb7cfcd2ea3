# SPDX-License-Identifier: Apache-2.0
"""Positions as modules and functions take them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import torch
from torch import Tensor

from .. import _core
from .._errors import PosencError
from ._text import shape_text

#: One position, a range, or a tensor [L] or [B, L]; of several axes a sequence of these, an item an axis.
PositionsLike: TypeAlias = "int | range | Tensor | Sequence[int | range | Tensor]"
One: TypeAlias = "int | range | Tensor"


def first_places(length: int, device: torch.device) -> range | Tensor:
    """0, 1, .. A range of a size that a graph leaves open would fix it."""
    is_open = torch.compiler.is_compiling() or type(length) is not int
    return torch.arange(length, device=device) if is_open else range(length)


def lists_of(positions: PositionsLike) -> list[One]:
    return list(positions) if isinstance(positions, (list, tuple)) else [positions]  # type: ignore[list-item]


def tensor_of(positions: One, device: torch.device) -> Tensor:
    if isinstance(positions, Tensor):
        return positions.to(device)
    if isinstance(positions, range):
        return torch.arange(positions.start, positions.stop, positions.step, device=device)
    return torch.arange(positions, positions + 1, device=device)


def tensors_of(positions: PositionsLike, device: torch.device) -> list[Tensor]:
    return [tensor_of(each, device) for each in lists_of(positions)]


def count_of(positions: One) -> int:
    """Tokens of a sequence."""
    if isinstance(positions, Tensor):
        return positions.shape[-1] if positions.dim() else 1
    return len(positions) if isinstance(positions, range) else 1


def coordinates_of(position_ids: Tensor, axes: int, *, axis: int) -> list[Tensor]:
    """A list an axis of a convention: slices along `axis` where there are several, or the same numbers for all."""
    if axes == 1:
        return [position_ids]
    if position_ids.dim() == 2 and axis == 0:  # [B, L]: text alone, whose tokens have one number on every axis
        return [position_ids] * axes
    if position_ids.shape[axis] == 1:
        return [position_ids.select(axis, 0)] * axes
    if position_ids.shape[axis] != axes:
        raise PosencError("rotary", f"position_ids must have {axes} coordinates", shape_text(position_ids))
    return list(position_ids.unbind(axis))


def axes_of(convention: str) -> int:
    return len(_core.Convention(convention)._axes())


def depends_on_length(convention: str, head: int) -> bool:
    """Whether its frequencies are those of sequences of some length: dynamic NTK, LongRoPE."""
    try:
        _core.rotary_frequencies(convention, head, "exact", None)
    except PosencError:
        _core.rotary_frequencies(convention, head, "exact", (1, None, None))
        return True
    return False
