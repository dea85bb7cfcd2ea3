# SPDX-License-Identifier: Apache-2.0
"""What this package says when it must say no, and when a checkpoint says something else."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NoReturn

import torch

from .._errors import PosencError


class StoredTableWarning(UserWarning):
    """A checkpoint has a table that its module's convention does not make."""


def refuse_device(operation: str, tensor: torch.Tensor) -> NoReturn:
    raise PosencError(operation, "tensors must be on the CPU: there is no kernel elsewhere", str(tensor.device))


def refuse_size(operation: str, shape: Sequence[int], error: RuntimeError) -> NoReturn:
    """Where that was an allocator's, which has no type of its own, nor has a size beyond int64."""
    if not any(words in str(error) for words in ("allocate memory", "overflow")):
        raise error
    raise PosencError(operation, "the result must fit into memory", f"a tensor of shape {list(shape)}") from None


def fresh(
    operation: str, shape: Sequence[int], dtype: torch.dtype | None, device: torch.device | str | None = "cpu"
) -> torch.Tensor:
    """New memory, where there is that much."""
    try:
        return torch.empty(shape, dtype=dtype, device=device)
    except RuntimeError as error:
        refuse_size(operation, shape, error)


def expect_tensor(operation: str, name: str, value: Any) -> None:
    if not isinstance(value, torch.Tensor):
        raise TypeError(f"[{operation}] {name} must be a tensor, got {type(value).__name__}")
