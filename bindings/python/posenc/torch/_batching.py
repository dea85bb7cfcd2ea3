# SPDX-License-Identifier: Apache-2.0
"""torch.func.vmap of the operators: the axis that is mapped becomes one of the axes before the tokens."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .._errors import PosencError


def _rotate(
    info: Any, in_dims: tuple[Any, ...], x: Tensor, positions: list[Tensor], *scalars: Any
) -> tuple[Tensor, int]:
    x_dim, position_dims = in_dims[0], in_dims[1]
    convention, rotated, side, token_axis, *rest = scalars
    stated = [convention, rotated, side, token_axis or -2, *rest]
    if all(dim is None for dim in position_dims):
        to = 1 if any(each.dim() == 2 for each in positions) else 0  # positions [B, L] belong to the first axis
        return torch.ops.posenc.rotate(x.movedim(x_dim, to), positions, *stated), to
    size = info.batch_size
    x = x.unsqueeze(0).expand(size, *x.shape) if x_dim is None else x.movedim(x_dim, 0)
    moved = [each if dim is None else each.movedim(dim, 0) for each, dim in zip(positions, position_dims, strict=True)]
    pairs = list(zip(moved, position_dims, strict=True))
    if not any(each.dim() == 3 or (dim is None and each.dim() == 2) for each, dim in pairs):
        return torch.ops.posenc.rotate(x, moved, *stated), 0
    flat = [
        each.expand(size, *each.shape).flatten(0, 1) if dim is None and each.dim() == 2
        else each.unsqueeze(1).expand(size, x.shape[1], -1).flatten(0, 1) if dim is not None and each.dim() == 2
        else each.flatten(0, 1) if each.dim() == 3
        else each
        for each, dim in pairs
    ]  # fmt: skip
    turned = torch.ops.posenc.rotate(x.flatten(0, 1), flat, *stated)
    return turned.unflatten(0, (size, -1)), 0


def _mapped_first(positions: list[Tensor], dims: list[Any], size: int) -> tuple[list[Tensor], list[int]]:
    """Positions as one list an axis, the mapped axis first, and the shape that they had."""
    moved = [each.expand(size, *each.shape) if dim is None else each.movedim(dim, 0)
             for each, dim in zip(positions, dims, strict=True)]  # fmt: skip
    shape = max((list(each.shape) for each in moved), key=lambda shape: len(shape))
    return [each.expand(shape).flatten() for each in moved], shape


def _table(info: Any, in_dims: tuple[Any, ...], positions: list[Tensor], *scalars: Any) -> tuple[Tensor, int]:
    flat, shape = _mapped_first(positions, in_dims[0], info.batch_size)
    return torch.ops.posenc.table(flat, *scalars).unflatten(0, shape), 0


def _cache(
    info: Any, in_dims: tuple[Any, ...], positions: list[Tensor], *scalars: Any
) -> tuple[list[Tensor], list[int]]:
    flat, shape = _mapped_first(positions, in_dims[0], info.batch_size)
    made = torch.ops.posenc.cache(flat, *scalars)
    return [each.unflatten(0, shape) for each in made], [0] * len(made)


def _add_signal(
    info: Any, in_dims: tuple[Any, ...], x: Tensor, positions: Tensor, convention: str, recipe: str, learned: Any
) -> tuple[Tensor, int]:
    """The table and the sum: the same bits, since the signal is rounded before it is added."""
    x = x.unsqueeze(0) if in_dims[0] is None else x.movedim(in_dims[0], 0)
    at = positions.unsqueeze(0) if in_dims[1] is None else positions.movedim(in_dims[1], 0)
    rows = torch.ops.posenc.table([at.flatten()], convention, x.shape[-1], x.dtype, recipe, learned)
    rows = rows.unflatten(0, at.shape)
    if rows.dim() < x.dim():  # positions [L] of x [B, L, d]
        rows = rows.unsqueeze(1)
    return x + rows, 0


def _encode(info: Any, in_dims: tuple[Any, ...], rows: Tensor, ids: Tensor, *rest: Any) -> tuple[Tensor, int]:
    if in_dims[1] is None or any(dim is not None for dim in (in_dims[0], *in_dims[2:])):
        raise PosencError("encode", "vmap must be over ids alone", "another axis")
    ids = ids.movedim(in_dims[1], 0)
    if ids.dim() == 2:
        return torch.ops.posenc.encode(rows, ids, *rest), 0
    made = torch.ops.posenc.encode(rows, ids.flatten(0, 1), *rest)
    return made.unflatten(0, ids.shape[:2]), 0


torch.library.register_vmap("posenc::rotate", _rotate)
torch.library.register_vmap("posenc::table", _table)
torch.library.register_vmap("posenc::cache", _cache)
torch.library.register_vmap("posenc::add_signal", _add_signal)
torch.library.register_vmap("posenc::encode", _encode)
