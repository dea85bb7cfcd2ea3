# SPDX-License-Identifier: Apache-2.0
"""What modules of position rows share: rows on any device, of any type, and the check of old tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .. import _core
from .._convention import convention_text
from ._checkpoint import CheckedLoad, Stored, away_from
from ._eager import goes_straight
from ._kept import Kept
from ._ops import table_width, write_table
from ._positions import axes_of, count_of, lists_of, tensors_of
from ._text import shape_text

if TYPE_CHECKING:
    from .._types import ConventionLike
    from ._positions import PositionsLike


def reals_bound(dtype: torch.dtype, positions: int) -> float:
    """What rounding explains between an exact table and one that was made in f32, then stored in dtype: frequencies are
    off by 2^-22 of themselves (exp and pow of 2 units, their argument of one), angles with them, entries by a unit."""
    return float(2.0**-22 * positions + 2.0**-23 + torch.finfo(dtype).eps)


class RowModule(CheckedLoad):
    """A convention of one axis or more, a width and a recipe. No parameter, no buffer."""

    _stored_names: tuple[str, ...] = ("pe",)

    def __init__(self, dim: int, convention: ConventionLike, recipe: str) -> None:
        super().__init__()
        self.convention = convention_text(convention)
        self.dim, self.recipe = dim, recipe
        self.width = table_width(self.convention, dim)
        self.axes = axes_of(self.convention)
        if recipe == "exact" or self.axes == 1:
            _core.Rows(self.convention, dim, recipe, None)  # says now what it would say at the first call
        self._kept = Kept()

    def rows(self, positions: PositionsLike, device: torch.device, dtype: torch.dtype) -> Tensor:
        """Each entry rounded once to that type."""
        if torch.compiler.is_compiling() or device.type == "meta":
            return self._by_operator(positions, device, dtype)
        one = None if isinstance(positions, (list, tuple)) else positions
        is_kept = device.type != "cpu" or self.recipe != "exact"
        if is_kept and isinstance(one, range) and one.step == 1 and one.start >= 0:
            return self._kept.up_to(one.stop, device, dtype, self._make)[0][one.start : one.stop]
        if is_kept and isinstance(one, int) and one >= 0:
            return self._kept.up_to(one + 1, device, dtype, self._make)[0][one : one + 1]
        if is_kept and isinstance(one, Tensor) and not one.is_floating_point() and not one.is_meta:
            return self._kept.at(one.to(device), device, dtype, self._make)[0]
        return self._by_operator(positions, device, dtype)

    def _make(self, at: range, dtype: torch.dtype) -> list[Tensor]:
        out = torch.empty(len(at), self.width, dtype=dtype, device="cpu")
        return [write_table(at, self.convention, self.dim, dtype, self.recipe, None, out)]

    def _by_operator(self, positions: PositionsLike, device: torch.device, dtype: torch.dtype) -> Tensor:
        """Or past the dispatcher, where nothing traces."""
        at = lists_of(positions)
        tensors = [each for each in at if isinstance(each, Tensor)]
        if device.type == "cpu" and (tensors or not torch.compiler.is_compiling()) and goes_straight(*tensors):
            shape = max((list(each.shape) for each in tensors), key=lambda sizes: len(sizes), default=[count_of(at[0])])
            out = torch.empty([*(shape or [1]), self.width], dtype=dtype, device="cpu")
            where = at[0] if len(at) == 1 else tuple(at)
            return write_table(where, self.convention, self.dim, dtype, self.recipe, None, out)
        return self._by_dispatcher(positions, device, dtype)

    def _by_dispatcher(self, positions: PositionsLike, device: torch.device, dtype: torch.dtype) -> Tensor:
        at = tensors_of(positions, device)
        made: Tensor = torch.ops.posenc.table(at, self.convention, self.dim, dtype, self.recipe, None)
        return made

    def added(self, x: Tensor, positions: range | Tensor) -> Tensor:
        """x [.., L, d] and the rows of its tokens."""
        if self.width == x.shape[-1] and x.dim() <= 3 and x.device.type in ("cpu", "meta") and self.recipe == "exact":
            if goes_straight(x) and not (isinstance(positions, Tensor) and not goes_straight(positions)):
                made: Tensor = _core.Rows(self.convention, self.dim, self.recipe, None).add(positions, x, None)
                return made
            at = tensors_of(positions, x.device)[0]
            summed: Tensor = torch.ops.posenc.add_signal(x, at, self.convention, self.recipe, None)
            return summed
        return x + self.rows(positions, x.device, x.dtype)

    def _check_stored(self, name: str, stored: Tensor) -> Stored | None:
        """A table [n, d], [n, 1, d] or [1, n, d]."""
        if self.axes != 1 or not stored.is_floating_point():
            return None
        table = stored.reshape(-1, stored.shape[-1]) if stored.dim() else stored
        if table.dim() != 2 or table.shape[1] != self.width or table.numel() != stored.numel():
            return Stored(False, f"it has shape {shape_text(stored)}, rows here have {self.width} columns")
        if table.numel() == 0 or table.is_meta:
            return Stored(True)
        exact = torch.empty(table.shape, dtype=torch.float64, device="cpu")
        write_table(range(len(table)), self.convention, self.dim, torch.float64, "exact", None, exact)
        apart = (table.detach().cpu().double() - exact).abs()
        row, column = divmod(int(apart.nan_to_num(nan=float("inf")).argmax()), table.shape[1])
        return away_from(apart[row, column], f"position {row}, column {column}", reals_bound(stored.dtype, len(table)))

    def extra_repr(self) -> str:
        return f"{self.dim}, convention={self.convention!r}, recipe={self.recipe!r}"

    def __getstate__(self) -> dict[str, Any]:
        return {key: value if key != "_kept" else Kept() for key, value in self.__dict__.items()}
