# SPDX-License-Identifier: Apache-2.0
"""Tables that a module keeps where making rows at every call would cost more: on other devices, and under recipes.

A table holds positions 0, 1, .. of one device and type, each entry made in that type, never cast. It is part of no
state: neither saved, nor moved, nor copied with its module, but made again where it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

import torch
from torch import Tensor

from .._errors import PosencError

Make: TypeAlias = Callable[[range, torch.dtype], list[Tensor]]


class Kept:
    """Of one kind of rows. `make` writes them on the CPU: that of a module, which hands it over at every call."""

    def __init__(self) -> None:
        self._tables: dict[Hashable, list[Tensor]] = {}

    def up_to(
        self, count: int, device: torch.device, dtype: torch.dtype, make: Make, kind: Hashable = None
    ) -> list[Tensor]:
        """Tables of at least `count` rows. One that is too short is made anew, of twice as many at least."""
        key = (str(device), dtype, kind)
        tables = self._tables.get(key)
        if tables is None or tables[0].shape[0] < count:
            rows = max(64, count) if tables is None else max(2 * tables[0].shape[0], count)
            tables = self._tables[key] = [each.to(device) for each in make(range(rows), dtype)]
        return tables

    def at(
        self, positions: Tensor, device: torch.device, dtype: torch.dtype, make: Make, kind: Hashable = None
    ) -> list[Tensor]:
        """The rows of whole positions of any shape. One number is read from another device: the greatest."""
        if positions.is_floating_point():
            raise PosencError("table", "positions of a kept table must be whole", str(positions.dtype))
        if positions.numel() == 0:
            return [each[:0].expand(*positions.shape, each.shape[1]) if positions.dim() == 1
                    else each.new_empty([*positions.shape, each.shape[1]])
                    for each in self.up_to(1, device, dtype, make, kind)]  # fmt: skip
        least, most = (int(end) for end in torch.aminmax(positions))
        if least < 0:
            raise PosencError("table", "positions of a kept table must be >= 0", str(least))
        return [each[positions] for each in self.up_to(most + 1, device, dtype, make, kind)]

    def __deepcopy__(self, memo: Any) -> Kept:
        return Kept()

    def __reduce__(self) -> tuple[Any, ...]:
        return Kept, ()
