# SPDX-License-Identifier: Apache-2.0
"""Positions as modules and functions take them: what posenc's kernels read, as tensors where a graph or a gradient
keeps them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn, TypeAlias

import numpy as np
import torch
from torch import Tensor

from .. import _core
from .._errors import PosencError
from .._types import Coordinates, Positions
from ._text import default_device, shape_text

#: Of one axis or of several.
PositionsLike: TypeAlias = Coordinates

_TYPES = (torch.int32, torch.int64, torch.float32, torch.float64)
_RULE = "an int, a float, a range, a list, or an array of int32, int64, float32 or float64"
_OTHER_LISTS = "numbers, or lists of as many numbers each"


def first_places(length: int, device: torch.device) -> range | Tensor:
    """0, 1, .. A range of a size that a graph leaves open would fix it."""
    is_open = torch.compiler.is_compiling() or type(length) is not int
    return torch.arange(length, device=device) if is_open else range(length)


# ---- one axis ------------------------------------------------------------------------------------------------------


def _refuse(operation: str, name: str, value: Any) -> NoReturn:
    dtype = getattr(value, "dtype", None)
    text = type(value).__name__ + ("" if dtype is None else f" of {dtype}")
    raise TypeError(f"[{operation}] {name} must be {_RULE}, got {text}")


def _expect_int64(operation: str, name: str, number: int) -> None:
    if not -(2**63) <= number < 2**63:
        text = "2^63 or more" if number > 0 else "less than -2^63"
        raise PosencError(operation, f"{name} must fit in 64 bits", text)


def _of_int(operation: str, name: str, number: int, device: torch.device) -> Tensor:
    if not torch.compiler.is_compiling():  # where a comparison would fix the number
        _expect_int64(operation, name, number)
    return torch.full((), number, dtype=torch.int64, device=device)


def _of_range(operation: str, name: str, numbers: range, device: torch.device) -> Tensor:
    if not torch.compiler.is_compiling() and numbers:
        _expect_int64(operation, name, numbers[0])
        _expect_int64(operation, name, numbers[-1])
    try:
        if -(2**63) <= numbers.stop < 2**63:
            return torch.arange(numbers.start, numbers.stop, numbers.step, device=device)
        return torch.arange(len(numbers), device=device) * numbers.step + numbers.start  # its end is no int64
    except (RuntimeError, OverflowError):
        raise PosencError(operation, f"{name} must fit into memory", f"{numbers}") from None


def _of_list(operation: str, name: str, values: Sequence[Any]) -> Tensor:
    if all(type(each) in (int, float) for each in values):
        is_whole = all(type(each) is int for each in values)
        try:
            return torch.tensor(values, dtype=torch.int64 if is_whole else torch.float64, device="cpu")
        except (RuntimeError, OverflowError):
            raise PosencError(operation, f"{name} must fit in 64 bits", "a greater number in a list") from None
    parts = [_read(operation, name, each, torch.device("cpu")) for each in values]
    if any(part.is_floating_point() for part in parts):
        parts = [part.double() for part in parts]
    if any(part.shape != parts[0].shape for part in parts):
        raise PosencError(operation, f"{name} must be {_OTHER_LISTS}", "other lists")
    return torch.stack(parts)


def _of_array(operation: str, name: str, value: Any) -> Tensor:
    """NumPy's, and what becomes one: a copy, which is small beside rows of it."""
    if torch.compiler.is_compiling():  # which has no type of an array, nor anything that fails
        return torch.from_numpy(value)
    try:
        numbers = np.array(value)
        if numbers.dtype != object:
            return torch.from_numpy(numbers)
        if hasattr(value, "__dlpack__"):
            return torch.utils.dlpack.from_dlpack(value)
    except (TypeError, ValueError, BufferError, RuntimeError):
        pass
    _refuse(operation, name, value)


def _read(operation: str, name: str, value: Any, device: torch.device) -> Tensor:
    """Of any rank: a number has none. What is made of a range or an integer is made on the device."""
    if isinstance(value, Tensor):
        return value
    if isinstance(value, range):
        return _of_range(operation, name, value, device)
    if isinstance(value, (list, tuple)):
        return _of_list(operation, name, value)
    if value is None or isinstance(value, (bool, str, bytes, Mapping)):
        _refuse(operation, name, value)
    if isinstance(value, int):
        return _of_int(operation, name, value, device)
    if isinstance(value, float):
        return torch.full((), value, dtype=torch.float64, device="cpu")
    return _of_array(operation, name, value)


def tensor_of(operation: str, name: str, positions: Positions, device: torch.device) -> Tensor:
    """[L] or [B, L], or of more axes, which the caller knows."""
    made = _read(operation, name, positions, device)
    if made.dtype not in _TYPES:
        _refuse(operation, name, positions)
    return (made if made.dim() else made.reshape(1)).to(device)


def device_of(*positions: Any) -> torch.device:
    """That of the first tensor among them and in their lists, or else that of new tensors."""
    for each in positions:
        within = each.values() if isinstance(each, Mapping) else each if isinstance(each, (list, tuple)) else (each,)
        for one in within:
            if isinstance(one, Tensor):
                return one.device
    return default_device()


def count_of(positions: Tensor) -> int:
    """Tokens of a sequence."""
    return positions.shape[-1]


# ---- several axes --------------------------------------------------------------------------------------------------


def tensors_of(operation: str, name: str, positions: Any, axes: Sequence[str], device: torch.device) -> list[Tensor]:
    """A tensor for each axis, of a sequence in their order or a dict by their names; of one axis that of its list."""
    if isinstance(positions, Mapping):
        given = [positions[axis] for axis in axes if axis in positions]
        if len(given) != len(axes) or len(positions) != len(axes):
            missing = next((f"none of {axis}" for axis in axes if axis not in positions), f"{len(positions)} of them")
            _refuse_lists(operation, name, axes, missing)
    elif len(axes) == 1:
        return [tensor_of(operation, name, positions, device)]
    else:
        if isinstance(positions, (range, str)) or not hasattr(positions, "__len__"):
            raise TypeError(f"[{operation}] {_list_each(name, axes)}, got {type(positions).__name__}")
        if len(positions) != len(axes):
            _refuse_lists(operation, name, axes, f"{len(positions)} of them")
        given = list(positions)
    return [
        tensor_of(operation, f"{name} of {axis}", each, device) for axis, each in zip(axes, given, strict=True)
    ]  # fmt: skip


def _list_each(name: str, axes: Sequence[str]) -> str:
    return f"{name} must be a list for each axis: {' '.join(axes)}"


def _refuse_lists(operation: str, name: str, axes: Sequence[str], value: str) -> NoReturn:
    raise PosencError(operation, _list_each(name, axes), value)


def coordinates_of(position_ids: Tensor, axes: int, *, axis: int) -> list[Tensor]:
    """A list an axis of a convention: slices along `axis` where there are several, or the same numbers for all."""
    if axes == 1:
        return [position_ids]
    if position_ids.dim() == 2 and axis == 0:  # [B, L]: text alone, whose tokens have one number on every axis
        return [position_ids] * axes
    if position_ids.shape[axis] == 1:
        return [position_ids.select(axis, 0)] * axes
    if position_ids.shape[axis] != axes:
        raise PosencError("rotary", f"position_ids must have {axes} coordinates", shape_text(position_ids))
    return list(position_ids.unbind(axis))


def axes_of(convention: str) -> tuple[str, ...]:
    """One at least: of a convention without axes the kernel that is asked says what it takes."""
    return tuple(_core.Convention(convention)._axes()) or ("position",)


# A constant in a graph, as torch.compiler.assume_constant_result marks it, without its import of torch._dynamo.
axes_of._dynamo_marked_constant = True  # type: ignore[attr-defined]
