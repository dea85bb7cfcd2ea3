# SPDX-License-Identifier: Apache-2.0
"""Old checkpoints: a table or frequencies in a state_dict are compared with the convention, then left out."""

from __future__ import annotations

import warnings
from typing import Any

from torch import Tensor, nn

from ._errors import StoredTableWarning


class CheckedLoad(nn.Module):
    """A module that takes its table from its convention, and tells where a checkpoint has another."""

    #: Keys that modules of others save, without the module's prefix.
    _stored_names: tuple[str, ...] = ()

    def _check_stored(self, name: str, stored: Tensor) -> tuple[float, float, str] | None:
        """How far it is away, how far it may be, and this in words; nothing where it is no table of this module."""
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
            away, bound, words = checked
            if not away <= bound:
                warnings.warn(
                    f"{key} of the checkpoint is not what the convention says: {words}, rounding explains {bound:.3g}. "
                    "The convention is used",
                    StoredTableWarning,
                    stacklevel=2,
                )
        super()._load_from_state_dict(state_dict, prefix, *rest)
