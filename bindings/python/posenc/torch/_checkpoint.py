# SPDX-License-Identifier: Apache-2.0
"""Old checkpoints: a table or frequencies in a state_dict are compared with the convention, then left out."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from ._errors import StoredTableWarning


class Stored(NamedTuple):
    """What a tensor of a checkpoint is beside the convention's."""

    agrees: bool
    difference: str = ""  #: in words


def bound_at(positions: Tensor, size: float) -> Tensor:
    """What rounding explains between exact tables and those that were made in f32, by position: a frequency is off by
    2^-22 of itself or less (a power and a quotient), an angle by 2^-24 more, entries by a unit. The size is that of the
    largest entry."""
    return size * (positions.double().abs() * 2.0**-21 + 2.0**-22)


def table_apart(table: Tensor, exact: Tensor) -> Stored:
    """A table of positions 0, 1, .. [n, width] beside the exact one, each position by its own bound: at the position
    that is farthest beyond it, or else nearest to it."""
    apart = (table.detach().cpu().double() - exact).abs().nan_to_num(nan=math.inf)
    size = max(1.0, float(exact.abs().max()))
    bounds = bound_at(torch.arange(len(table)), size) + torch.finfo(table.dtype).eps * size
    row, column = divmod(int((apart / bounds.unsqueeze(1)).argmax()), table.shape[1])
    away = float((table[row, column].double() - exact[row, column]).abs())
    return away_from(away, f"position {row}, column {column}", float(bounds[row]))


def away_from(apart: Tensor | float, where: str, bound: float, of: str = "") -> Stored:
    """By its largest difference, absolute or `of` something; not a number where the tensor is none there."""
    away = float(apart)
    if math.isnan(away):
        return Stored(False, f"it is not a number at {where}")
    return Stored(away <= bound, f"it differs by {away:.3g}{of} at {where}, rounding explains {bound:.3g}")


class CheckedLoad(nn.Module):
    """A module that takes its table from its convention, and tells where a checkpoint has another."""

    #: Keys that modules of others save, without the module's prefix.
    _stored_names: tuple[str, ...] = ()

    def _check_stored(self, name: str, stored: Tensor) -> Stored | None:
        """Nothing where it is no table of this module."""
        raise NotImplementedError

    def _load_from_state_dict(self, state_dict: dict[str, Any], prefix: str, *rest: Any) -> None:
        for key in [key for key in state_dict if key.startswith(prefix)]:
            name = key[len(prefix) :]
            if not any(name == known or name.endswith("_" + known) for known in self._stored_names):
                continue
            checked = self._check_stored(name, state_dict[key])
            if checked is None:
                continue
            del state_dict[key]
            if not checked.agrees:
                warnings.warn(
                    f"{key} of the checkpoint is not what the convention says: {checked.difference}. "
                    "The convention is used",
                    StoredTableWarning,
                    stacklevel=2,
                )
        super()._load_from_state_dict(state_dict, prefix, *rest)
