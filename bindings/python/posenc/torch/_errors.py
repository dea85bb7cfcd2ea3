# SPDX-License-Identifier: Apache-2.0
"""What this package says when it must say no, and when a checkpoint says something else."""

from __future__ import annotations

from typing import NoReturn

import torch

from .._errors import PosencError


class StoredTableWarning(UserWarning):
    """A checkpoint has a table that its module's convention does not make."""


def refuse_device(operation: str, tensor: torch.Tensor) -> NoReturn:
    raise PosencError(operation, "tensors must be on the CPU: there is no kernel elsewhere", str(tensor.device))
