# SPDX-License-Identifier: Apache-2.0
"""Tables that a module keeps where making rows at every call would cost more: under recipes, and on other devices where
no graph serves (_graph.py).

A table holds positions 0, 1, .. of one device and type, each entry made in that type, never cast. It is part of no
state: neither saved, nor moved, nor copied with its module, but made again where it is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Any, TypeAlias

import torch
from torch import Tensor

from ._errors import refuse_size

#: Rows of a range or a list [L] of positions.
Make: TypeAlias = Callable[["range | Tensor", torch.dtype], list[Tensor]]

# Most contexts that models are made for end before position 131,072, where a table of 128 columns has 64 MiB in f32.
# One token beyond it would ask for as much again, and a position of 2^40 for more than any memory: rows of such
# positions, and of those that no table begins with, are made for themselves at every call.
MOST_ROWS = 1 << 17


def _looked(tables: list[Tensor], flat: Tensor) -> list[Tensor]:
    try:
        return [each.index_select(0, flat) for each in tables]
    except RuntimeError as error:
        refuse_size("table", [len(flat), tables[0].shape[1]], error)


class Kept:
    """Of one kind of rows. `make` writes them on the CPU: that of a module, which hands it over at every call."""

    def __init__(self) -> None:
        self._tables: dict[Hashable, list[Tensor]] = {}

    def up_to(
        self, count: int, device: torch.device, dtype: torch.dtype, make: Make, kind: Hashable = None
    ) -> list[Tensor]:
        """Tables of at least `count` rows. One that is too short is made anew, of twice as many where it may."""
        key = (str(device), dtype, kind)
        tables = self._tables.get(key)
        if tables is None or tables[0].shape[0] < count:
            rows = min(max(64, count, 2 * tables[0].shape[0] if tables else 0), MOST_ROWS)
            with torch.inference_mode(False):  # a gradient may be asked for later
                tables = self._tables[key] = [each.to(device) for each in make(range(rows), dtype)]
        return tables

    def of_range(
        self, places: range, device: torch.device, dtype: torch.dtype, make: Make, most: int = MOST_ROWS
    ) -> list[Tensor]:
        """The rows of a range, which are the table's own where it has them."""
        if places.step != 1 or places.start < 0 or places.stop > most:
            return [each.to(device) for each in make(places, dtype)]
        tables = self.up_to(places.stop, device, dtype, make)
        return [each[places.start : places.stop] for each in tables]

    def at(
        self,
        positions: Tensor,
        device: torch.device,
        dtype: torch.dtype,
        make: Make,
        kind: Hashable = None,
        most: int = MOST_ROWS,
    ) -> list[Tensor]:
        """The rows of positions of any shape, as new tensors."""
        flat = positions.reshape(-1)
        made = self._looked_up(flat, device, dtype, make, kind, most)
        if made is None:
            made = [each.to(device) for each in make(flat.cpu(), dtype)]
        return made if positions.dim() == 1 else [each.reshape(*positions.shape, each.shape[1]) for each in made]

    def _looked_up(
        self, flat: Tensor, device: torch.device, dtype: torch.dtype, make: Make, kind: Hashable, most: int
    ) -> list[Tensor] | None:
        """Nothing for positions that no table has. Of another device two numbers are read: the least and the greatest;
        on the CPU a look-up says itself that there is no such row yet."""
        if flat.is_floating_point() or flat.numel() == 0:
            return None
        known = self._tables.get((str(device), dtype, kind))
        if known is not None and device.type == "cpu":
            try:
                return _looked(known, flat)
            except IndexError:
                pass
        least, greatest = (int(end) for end in torch.aminmax(flat))
        if least < 0 or greatest >= most:
            return None
        return _looked(self.up_to(greatest + 1, device, dtype, make, kind), flat)

    def __deepcopy__(self, memo: Any) -> Kept:
        return Kept()

    def __reduce__(self) -> tuple[Any, ...]:
        return Kept, ()
