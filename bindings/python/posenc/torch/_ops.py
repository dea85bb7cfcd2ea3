# SPDX-License-Identifier: Apache-2.0
"""The operators posenc::rotate, rotate_, table, cache, add_signal, bias, buckets and grid, for graphs and gradients.

Conventions go in as text, positions as tensors: graphs hold both, and an operator without a tensor has no device.
Where nothing is traced or recorded, posenc.torch calls the kernels itself.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .. import _core
from .._convention import Places
from .._types import context
from ._eager import plain
from ._errors import fresh, refuse_device
from ._text import FORMS, dtype_text

_ROTATION = (
    "Tensor[] positions, str convention, int rotated, str side, int token_axis, bool inverse, str recipe, "
    "int? length, float? centre"
)
torch.library.define("posenc::rotate", f"(Tensor x, {_ROTATION}) -> Tensor")
torch.library.define("posenc::rotate_", f"(Tensor(a!) x, {_ROTATION}) -> ()")
torch.library.define(
    "posenc::table",
    "(Tensor[] positions, str convention, int dim, ScalarType dtype, str recipe, float? learned) -> Tensor",
)
torch.library.define(
    "posenc::cache",
    "(Tensor[] positions, str convention, int head, str stored, ScalarType dtype, str recipe, int? length) -> Tensor[]",
)
torch.library.define(
    "posenc::add_signal", "(Tensor x, Tensor positions, str convention, str recipe, float? learned) -> Tensor"
)
torch.library.define(
    "posenc::bias",
    "(Tensor queries, Tensor keys, Tensor? present, bool are_counted, str convention, int heads, int head, "
    "ScalarType dtype) -> Tensor",
)
torch.library.define("posenc::buckets", "(Tensor queries, Tensor keys, str convention) -> Tensor")
torch.library.define(
    "posenc::grid",
    "(SymInt[] extents, str convention, int dim, ScalarType dtype, str recipe, str places, Device device) -> Tensor",
)

OF_POSITIONS = -1  #: as a length: the greatest position and one more


def length_of(positions: Sequence[Any], length: int | None) -> int | None:
    """The length that frequencies depend on, where it is to be read from positions of tokens."""
    if length != OF_POSITIONS:
        return length
    numbers = positions[0]
    return max(1, int(numbers.max()) + 1) if numbers.numel() else 1


def place_shape(positions: Sequence[Tensor]) -> list[int]:
    """[L] or [B, L], of coordinates the longer one."""
    return max((list(each.shape) for each in positions), key=lambda shape: len(shape))


# ---- rotations -----------------------------------------------------------------------------------------------------


def _turn(
    x: Tensor,
    out: Tensor | None,
    positions: Sequence[Tensor],
    convention: str,
    rotated: int,
    side: str,
    token_axis: int,
    inverse: bool,
    recipe: str,
    length: int | None,
    centre: float | None,
) -> Tensor:
    at = plain(positions[0]) if len(positions) == 1 else tuple(map(plain, positions))
    where = context(length_of(positions, length), centre, None)
    made: Tensor = _core.rotate(
        convention, at, x, out, rotated, side or None, token_axis or None, inverse, recipe, where
    )
    return made


def _rotate(x: Tensor, *rotation: Any) -> Tensor:
    return _turn(plain(x), None, *rotation)


torch.library.impl("posenc::rotate", "CPU", _rotate)


def _rotate_in_place(x: Tensor, *rotation: Any) -> None:
    same = plain(x)
    _turn(same, same, *rotation)


torch.library.impl("posenc::rotate_", "CPU", _rotate_in_place)


def _rotate_elsewhere(x: Tensor, *rotation: Any) -> Tensor:
    refuse_device("rotate", x)


torch.library.impl("posenc::rotate", "CompositeExplicitAutograd", _rotate_elsewhere)
torch.library.impl("posenc::rotate_", "CompositeExplicitAutograd", _rotate_elsewhere)


def _rotate_fake(x: Tensor, *rotation: Any) -> Tensor:
    return torch.empty_like(x)


torch.library.register_fake("posenc::rotate", _rotate_fake)


def _rotate_in_place_fake(x: Tensor, *rotation: Any) -> None:
    return None


torch.library.register_fake("posenc::rotate_", _rotate_in_place_fake)


def _rotate_setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    _, positions, *scalars = inputs
    ctx.save_for_backward(*positions)
    ctx.scalars = scalars


def _rotate_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    positions = list(ctx.saved_tensors)
    convention, rotated, side, token_axis, inverse, recipe, length, centre = ctx.scalars
    turned = torch.ops.posenc.rotate(
        grad, positions, convention, rotated, side, token_axis, not inverse, recipe, length, centre
    )
    return turned, [None] * len(positions), *[None] * len(ctx.scalars)


torch.library.register_autograd("posenc::rotate", _rotate_backward, setup_context=_rotate_setup)


# ---- tables --------------------------------------------------------------------------------------------------------


def write_table(
    positions: Any, convention: str, dim: int, dtype: torch.dtype, recipe: str, learned: float | None, out: Tensor
) -> Tensor:
    """positions: a tensor, a range, or a tuple of them for several axes."""
    where = context(None, None, learned)
    write = _core.coordinates if isinstance(positions, tuple) else _core.table
    made: Any = write(convention, dim, positions, dtype_text("table", dtype), recipe, where, out)
    return made  # type: ignore[no-any-return]


def table_width(convention: str, dim: int) -> int:
    return _core.Convention(convention)._columns(dim)


def _table(
    positions: list[Tensor], convention: str, dim: int, dtype: torch.dtype, recipe: str, learned: float | None
) -> Tensor:
    here = [plain(each.cpu()) for each in positions]
    out = fresh("table", [*place_shape(here), table_width(convention, dim)], dtype)
    at = here[0] if len(here) == 1 else tuple(here)
    return write_table(at, convention, dim, dtype, recipe, learned, out).to(positions[0].device)


torch.library.impl("posenc::table", "CompositeExplicitAutograd", _table)


def _table_fake(
    positions: list[Tensor], convention: str, dim: int, dtype: torch.dtype, recipe: str, learned: float | None
) -> Tensor:
    return positions[0].new_empty([*place_shape(positions), table_width(convention, dim)], dtype=dtype)


torch.library.register_fake("posenc::table", _table_fake)


def cache_width(convention: str, head: int) -> int:
    return _core.rotary_width(convention, head)


def write_cache(
    positions: Any, shape: Sequence[int], convention: str, head: int, stored: str, dtype: torch.dtype, recipe: str,
    length: int | None,
) -> list[Tensor]:  # fmt: skip
    """Tensors of that shape, which ends with the cache's width."""
    out = {name: fresh("rotary_cache", shape, dtype) for name in FORMS[stored]}
    type_ = dtype_text("rotary_cache", dtype)
    _core.rotary_cache(convention, head, positions, stored, type_, recipe, context(length, None, None), out)
    return list(out.values())


def _cache(
    positions: list[Tensor], convention: str, head: int, stored: str, dtype: torch.dtype, recipe: str,
    length: int | None,
) -> list[Tensor]:  # fmt: skip
    here = [plain(each.cpu()) for each in positions]
    at = here[0] if len(here) == 1 else tuple(here)
    shape = [*place_shape(here), cache_width(convention, head)]
    made = write_cache(at, shape, convention, head, stored, dtype, recipe, length_of(here, length))
    return [each.to(positions[0].device) for each in made]


torch.library.impl("posenc::cache", "CompositeExplicitAutograd", _cache)


def _cache_fake(
    positions: list[Tensor], convention: str, head: int, stored: str, dtype: torch.dtype, recipe: str,
    length: int | None,
) -> list[Tensor]:  # fmt: skip
    shape = [*place_shape(positions), cache_width(convention, head)]
    return [positions[0].new_empty(shape, dtype=dtype) for _ in FORMS[stored]]


torch.library.register_fake("posenc::cache", _cache_fake)


# ---- sums ----------------------------------------------------------------------------------------------------------


def _add_signal(x: Tensor, positions: Tensor, convention: str, recipe: str, learned: float | None) -> Tensor:
    rows = _core.Rows(convention, x.shape[-1], recipe, context(None, None, learned))
    made: Tensor = rows.add(plain(positions), plain(x), None)
    return made


torch.library.impl("posenc::add_signal", "CPU", _add_signal)


def _add_signal_elsewhere(x: Tensor, *signal: Any) -> Tensor:
    refuse_device("add", x)


torch.library.impl("posenc::add_signal", "CompositeExplicitAutograd", _add_signal_elsewhere)


def _add_signal_fake(x: Tensor, *signal: Any) -> Tensor:
    return torch.empty_like(x)


torch.library.register_fake("posenc::add_signal", _add_signal_fake)


def _add_signal_backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    return grad, None, None, None, None


torch.library.register_autograd("posenc::add_signal", _add_signal_backward)


# ---- pairs ---------------------------------------------------------------------------------------------------------


def _counted(present: Tensor) -> Tensor:
    """Of every mask [B, S]: those that are present count 0, 1, .."""
    out = torch.empty(present.shape, dtype=torch.int64, device="cpu")
    _core.positions_of_mask(present, 0, 0, 0, out)
    return out


def write_bias(
    queries: range | Tensor, keys: range | Tensor, present: Tensor | None, are_counted: bool, convention: str,
    heads: int, head: int, dtype: torch.dtype,
) -> Tensor:  # fmt: skip
    """[heads, L, S] on the CPU, of a mask [B, S] one each. are_counted: keys are told by their number."""
    batch = [] if present is None or present.dim() == 1 else [present.shape[0]]
    out = fresh("bias", [*batch, heads, len(queries), len(keys)], dtype)
    type_ = dtype_text("bias", dtype)
    if present is None:
        _core.bias(convention, heads, queries, keys, head, None, type_, out)
        return out
    masks = present.to("cpu", torch.int64).reshape(-1, present.shape[-1])
    places = _counted(masks) if are_counted else [keys] * len(masks)
    for b, mask in enumerate(masks):
        _core.bias(convention, heads, queries, places[b], head, mask, type_, out[b] if batch else out)
    return out


def _bias(queries: Tensor, keys: Tensor, present: Tensor | None, *of: Any) -> Tensor:
    return write_bias(plain(queries.cpu()), plain(keys.cpu()), present, *of).to(queries.device)


torch.library.impl("posenc::bias", "CompositeExplicitAutograd", _bias)


def _bias_fake(
    queries: Tensor, keys: Tensor, present: Tensor | None, are_counted: bool, convention: str, heads: int, head: int,
    dtype: torch.dtype,
) -> Tensor:  # fmt: skip
    batch = [] if present is None or present.dim() == 1 else [present.shape[0]]
    return queries.new_empty([*batch, heads, queries.shape[0], keys.shape[0]], dtype=dtype)


torch.library.register_fake("posenc::bias", _bias_fake)


def write_buckets(queries: range | Tensor, keys: range | Tensor, convention: str) -> Tensor:
    out = fresh("buckets", [len(queries), len(keys)], torch.int64)
    _core.buckets(convention, queries, keys, None, out)
    return out


def _buckets(queries: Tensor, keys: Tensor, convention: str) -> Tensor:
    return write_buckets(plain(queries.cpu()), plain(keys.cpu()), convention).to(queries.device)


torch.library.impl("posenc::buckets", "CompositeExplicitAutograd", _buckets)


def _buckets_fake(queries: Tensor, keys: Tensor, convention: str) -> Tensor:
    return queries.new_empty([queries.shape[0], keys.shape[0]], dtype=torch.int64)


torch.library.register_fake("posenc::buckets", _buckets_fake)


# ---- cells ---------------------------------------------------------------------------------------------------------


def places_text(places: Places) -> str:
    """As a graph holds them; every number of it is the same double again."""
    return json.dumps(places)


# A constant in a graph, as that of _positions.axes_of.
places_text._dynamo_marked_constant = True  # type: ignore[attr-defined]


def write_grid(
    extents: Sequence[int], convention: str, dim: int, dtype: torch.dtype, recipe: str, places: Places
) -> Tensor:
    out = fresh("grid", [*extents, table_width(convention, dim)], dtype)
    where = context(None, None, None)
    _core.grid(convention, dim, tuple(extents), dtype_text("grid", dtype), recipe, where, places, out)
    return out


def _grid(
    extents: Sequence[int], convention: str, dim: int, dtype: torch.dtype, recipe: str, places: str,
    device: torch.device,
) -> Tensor:  # fmt: skip
    return write_grid(extents, convention, dim, dtype, recipe, Places(*json.loads(places))).to(device)


torch.library.impl("posenc::grid", "BackendSelect", _grid)


def _grid_fake(
    extents: Sequence[int], convention: str, dim: int, dtype: torch.dtype, recipe: str, places: str,
    device: torch.device,
) -> Tensor:  # fmt: skip
    return torch.empty([*extents, table_width(convention, dim)], dtype=dtype, device=device)


torch.library.register_fake("posenc::grid", _grid_fake)
