# SPDX-License-Identifier: Apache-2.0
"""What modules of position rows share: rows on any device, of any type, and the check of old tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .. import _core
from .._convention import convention_text
from ._checkpoint import CheckedLoad, Stored, table_apart
from ._eager import goes_straight, records_straight
from ._errors import fresh
from ._graph import Of, is_asked, is_served
from ._graph import rows as graph_rows
from ._kept import MOST_ROWS, Kept
from ._ops import place_shape, table_width, write_table
from ._positions import axes_of, tensor_of, tensors_of
from ._text import DTYPES, shape_text

if TYPE_CHECKING:
    from .._types import ConventionLike
    from ._positions import PositionsLike


# Exact rows of many positions take twice as long to make on the CPU as to read, so a table of the first ones is kept:
# 16 MiB in f32, 8192 rows of 512 columns, which is more than most models of such rows are made for. Rows beyond it are
# made at every call.
_FEW = 1 << 22


class _Added(torch.autograd.Function):
    """x and rows: the gradient is that of the sum."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, positions: range | Tensor, rows: _core.Rows) -> Tensor:
        made: Tensor = rows.add(positions, x, None)
        return made

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None, None]:
        return grad, None, None


class RowModule(CheckedLoad):
    """A convention of one axis or more, a width and a recipe. No parameter, no buffer."""

    _stored_names: tuple[str, ...] = ("pe",)

    def __init__(self, dim: int, convention: ConventionLike, recipe: str) -> None:
        super().__init__()
        self.convention = convention_text(convention)
        self.dim, self.recipe = dim, recipe
        self.width = table_width(self.convention, dim)
        self.axes = axes_of(self.convention)
        if recipe == "exact" or len(self.axes) == 1:
            _core.Rows(self.convention, dim, recipe, None)  # says now what it would say at the first call
        self._kept = Kept()

    def rows(self, positions: PositionsLike, device: torch.device, dtype: torch.dtype) -> Tensor:
        """Each entry rounded once to that type; on other devices and in exports of the recipe phase, or near it. Of a
        range they may be those that are kept: to be read alone."""
        if is_asked(device):
            at = self._read(positions, device)
            if is_served(device, dtype, self.recipe, at):
                return graph_rows(Of(self.convention, self.dim, False), at, self.recipe).to(dtype)
        if torch.compiler.is_compiling() or device.type == "meta":
            return self._by_dispatcher(self._read(positions, device), dtype)
        if len(self.axes) == 1 and isinstance(positions, range) and goes_straight():
            if len(positions) == 1 and self._is_cheap(device):
                return self._make(positions, dtype)[0]
            return self._kept.of_range(positions, device, dtype, self._make, self._most_kept(device))[0]
        at = self._read(positions, device)
        is_looked_up = len(at) == 1 and (at[0].numel() != 1 or not self._is_cheap(device))
        if is_looked_up and not at[0].is_meta and (device.type != "cpu" or goes_straight(*at)):
            return self._kept.at(at[0], device, dtype, self._make, most=self._most_kept(device))[0]
        return self.at(at, dtype)

    def _is_cheap(self, device: torch.device) -> bool:
        """Whether a row takes no longer than a look for it."""
        return device.type == "cpu" and self.recipe == "exact"

    def _most_kept(self, device: torch.device) -> int:
        return min(MOST_ROWS, _FEW // max(self.width, 1)) if self._is_cheap(device) else MOST_ROWS

    def _read(self, positions: PositionsLike, device: torch.device) -> list[Tensor]:
        if isinstance(positions, Tensor) and len(self.axes) == 1:
            return [tensor_of("rows", "positions", positions, device)]
        return tensors_of("rows", "positions", positions, self.axes, device)

    def at(self, positions: list[Tensor], dtype: torch.dtype) -> Tensor:
        """The rows of lists that are read, past the dispatcher where nothing traces."""
        if not goes_straight(*positions):
            return self._by_dispatcher(positions, dtype)
        out = fresh("table", [*place_shape(positions), self.width], dtype)
        where = positions[0] if len(positions) == 1 else tuple(positions)
        return write_table(where, self.convention, self.dim, dtype, self.recipe, None, out)

    def _make(self, at: range | Tensor, dtype: torch.dtype) -> list[Tensor]:
        out = fresh("table", [len(at), self.width], dtype)
        return [write_table(at, self.convention, self.dim, dtype, self.recipe, None, out)]

    def _by_dispatcher(self, positions: list[Tensor], dtype: torch.dtype) -> Tensor:
        made: Tensor = torch.ops.posenc.table(positions, self.convention, self.dim, dtype, self.recipe, None)
        return made

    def added(self, x: Tensor, positions: range | Tensor) -> Tensor:
        """x [.., L, d] and the rows of its tokens."""
        is_kept = isinstance(positions, range) and len(positions) > 1 and positions.stop <= self._most_kept(x.device)
        has_kernel = self.width == x.shape[-1] and x.dim() <= 3 and not is_asked(x.device)
        if not has_kernel or self.recipe != "exact" or (is_kept and x.dtype in DTYPES):
            return x + self.rows(positions, x.device, x.dtype)
        lists = (positions,) if isinstance(positions, Tensor) else ()
        if goes_straight(x, *lists):
            made: Tensor = _core.Rows(self.convention, self.dim, self.recipe, None).add(positions, x, None)
            return made
        if records_straight(x, *lists):
            rows = _core.Rows(self.convention, self.dim, self.recipe, None)
            recorded: Tensor = _Added.apply(x, positions, rows)  # type: ignore[no-untyped-call]
            return recorded
        (at,) = self._read(positions, x.device)
        summed: Tensor = torch.ops.posenc.add_signal(x, at, self.convention, self.recipe, None)
        return summed

    def _check_stored(self, name: str, stored: Tensor) -> Stored | None:
        """A table [n, d], [n, 1, d] or [1, n, d]."""
        if len(self.axes) != 1 or not stored.is_floating_point():
            return None
        table = stored.reshape(-1, stored.shape[-1]) if stored.dim() else stored
        if table.dim() != 2 or table.shape[1] != self.width or table.numel() != stored.numel():
            return Stored(False, f"it has shape {shape_text(stored)}, rows here have {self.width} columns")
        if table.numel() == 0 or table.is_meta:
            return Stored(True)
        exact = fresh("table", table.shape, torch.float64)
        write_table(range(len(table)), self.convention, self.dim, torch.float64, "exact", None, exact)
        return table_apart(table, exact)

    def extra_repr(self) -> str:
        return f"{self.dim}, convention={self.convention!r}, recipe={self.recipe!r}"

    def __getstate__(self) -> dict[str, Any]:
        return {key: value if key != "_kept" else Kept() for key, value in self.__dict__.items()}
