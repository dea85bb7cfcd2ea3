# SPDX-License-Identifier: Apache-2.0
"""How far a model's own tables are from exact ones, and whether rounding explains it."""

from __future__ import annotations

import copy
import inspect as python
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ._checkpoint import bound_at
from ._rotary_embedding import RotaryEmbedding


class Apart(NamedTuple):
    """The largest difference of two tables, its position, and what rounding explains there."""

    difference: float
    position: int
    bound: float
    is_explained: bool  #: at every position


def apart(old: Tensor, exact: Tensor, positions: Tensor) -> Apart:
    """Tables [.., P, width] of positions [P]."""
    width = exact.shape[-1]
    differences = (old.double() - exact.double()).abs().reshape(-1, len(positions), width).amax((0, 2))
    size = max(1.0, float(exact.abs().max()))
    bounds = bound_at(positions, size) + torch.finfo(old.dtype).eps * size
    worst = int(differences.argmax())
    is_explained = bool((differences <= bounds).all())
    return Apart(float(differences[worst]), int(positions[worst]), float(bounds[worst]), is_explained)


def worst_of(found: list[Apart]) -> Apart:
    return max(found, key=lambda each: (not each.is_explained, each.difference))


def probes(last: int, device: torch.device) -> list[Tensor]:
    """The first positions, and the last that the model was made for: of one length each."""
    near = torch.arange(min(128, last), device=device)
    return [near] if last <= 128 else [near, torch.arange(last - 32, last, device=device)]


def _ids(positions: Tensor, axes: int, coordinates: int) -> Tensor:
    if axes == 1:
        return positions[None]
    lists = [positions + axis for axis in range(axes)]
    return torch.stack(lists, -1) if coordinates == -1 else torch.stack(lists)[:, None]


def _tables(module: nn.Module, ids: Tensor, kind: str, dtype: torch.dtype) -> tuple[Tensor, ...]:
    x = torch.zeros(1, 1, 1, dtype=dtype, device=ids.device)
    takes_kind = "layer_type" in python.signature(module.forward).parameters and kind
    made: Any = module(x, ids, kind) if takes_kind else module(x, ids)
    return made if isinstance(made, tuple) else (made,)


def compare(old: nn.Module, new: RotaryEmbedding, last: int, device: torch.device) -> Apart | None:
    """Of all types of layers; nothing where the two do not give tables of the same shapes."""
    old, found = copy.deepcopy(old), []  # some change their frequencies when they are called
    for kind, of in new._rotations.items():
        for positions in probes(last, device):
            ids = _ids(positions, len(of.axes), new.coordinates)
            try:
                theirs = _tables(old, ids, kind, torch.float32)
            except (RuntimeError, TypeError, IndexError, ValueError, AttributeError):
                return None
            ours = _tables(new, ids, kind, torch.float32)
            if [each.shape for each in theirs] != [each.shape for each in ours]:
                return None
            found += [apart(a, b.to(a.device), positions) for a, b in zip(theirs, ours, strict=True)]
    return worst_of(found)


def own_type(old: nn.Module, new: RotaryEmbedding, device: torch.device) -> torch.dtype | None:
    """The type of its tables where that does not follow x."""
    kind, of = next(iter(new._rotations.items()))
    ids = _ids(torch.arange(2, device=device), len(of.axes), new.coordinates)
    dtype = _tables(copy.deepcopy(old), ids, kind, torch.bfloat16)[0].dtype
    return None if dtype == torch.bfloat16 else dtype


def is_table(stored: Tensor, exact: Callable[[range, torch.dtype], Tensor]) -> Apart | None:
    """Whether stored rows are those of positions 0, 1, ..; two rows are looked at first."""
    for rows in (range(min(2, len(stored))), range(len(stored))):
        found = apart(stored[: len(rows)].cpu(), exact(rows, torch.float64), torch.arange(len(rows)))
        if not found.is_explained:
            return None
    return found
