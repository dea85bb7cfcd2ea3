# SPDX-License-Identifier: Apache-2.0
"""Old checkpoints: a table or frequencies in a state_dict are compared with the convention, then left out."""

from __future__ import annotations

import math
import warnings
from typing import Any, NamedTuple

from torch import Tensor, nn

from ._errors import StoredTableWarning


class Stored(NamedTuple):
    """What a tensor of a checkpoint is beside the convention's."""

    agrees: bool
    difference: str = ""  #: in words


def away_from(apart: Tensor, where: str, bound: float, of: str = "") -> Stored:
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
