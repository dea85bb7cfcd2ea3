# SPDX-License-Identifier: Apache-2.0
"""The operators posenc::rotate, rotate_, table, cache and add_signal, for graphs and gradients.

Conventions go in as text, positions as tensors: graphs hold both, and an operator without a tensor has no device.
Where nothing is traced or recorded, posenc.torch calls the kernels itself.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from .. import _core
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
