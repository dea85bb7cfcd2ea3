# SPDX-License-Identifier: Apache-2.0
"""Types and scales as operators take them: text, which a graph can hold."""

from __future__ import annotations

import math
from typing import TypeAlias

import torch

from .._convention import Scale
from .._errors import PosencError

ScaleLike: TypeAlias = "str | float | Scale"

DTYPES = {
    torch.float32: "float32",
    torch.float64: "float64",
    torch.float16: "float16",
    torch.bfloat16: "bfloat16",
}
#: Tensors of each form of a table of cosines and sines.
FORMS = {
    "halves_twice": ("cos", "sin"),
    "pairs_twice": ("cos", "sin"),
    "sine_cosine": ("sin_cos",),
    "complex": ("cos_sin",),
    "angles_twice": ("angles",),
}


def shape_text(tensor: torch.Tensor) -> str:
    """As torch.compile can trace it."""
    return "[" + ", ".join([f"{size}" for size in tensor.shape]) + "]"


def dtype_text(operation: str, dtype: torch.dtype) -> str:
    try:
        return DTYPES[dtype]
    except KeyError:
        raise PosencError(operation, f"dtype must be one of {', '.join(DTYPES.values())}", str(dtype)) from None


def default_device() -> torch.device:
    """That of new tensors: torch.get_default_device takes three times as long, and is in no graph."""
    return torch.empty(0).device


def scale_text(scale: ScaleLike) -> str:
    """ "none", "sqrt_dim" or a number, a rounding behind a comma."""
    by, rounding = (scale.by, scale.rounding) if isinstance(scale, Scale) else (scale, None)
    if isinstance(by, str) and by not in ("none", "sqrt_dim"):
        raise PosencError("scale", "scale must be a number, none or sqrt_dim", by)
    return (by if isinstance(by, str) else repr(float(by))) + (f",{rounding}" if rounding else "")


def scale_of(text: str) -> Scale:
    by, _, rounding = text.partition(",")
    return Scale(by if by in ("none", "sqrt_dim") else float(by), rounding or None)


def factors_of(text: str, dim: int) -> tuple[float, float]:
    """The numbers that rows are multiplied with, as InputStage rounds them: those of narrower types, and of float64."""
    by, rounding = scale_of(text)
    factor = 1.0 if by == "none" else math.sqrt(dim) if by == "sqrt_dim" else float(by)
    if rounding:
        narrow = next((known for known, name in DTYPES.items() if name == rounding), torch.float32)
        factor = _rounded(factor, narrow)
    return _rounded(factor, torch.float32), factor


def _rounded(number: float, dtype: torch.dtype) -> float:
    return float(torch.tensor(number, dtype=torch.float64, device="cpu").to(dtype))
