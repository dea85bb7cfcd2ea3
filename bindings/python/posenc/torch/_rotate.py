# SPDX-License-Identifier: Apache-2.0
"""Queries and keys turned by their positions: new tensors, or in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import torch
from torch import Tensor

from .. import _core
from .._convention import convention_text
from .._errors import PosencError
from ._eager import goes_straight, is_under_transform, records
from ._kept import Kept
from ._ops import length_of, write_cache
from ._positions import count_of, depends_on_length, tensors_of
from ._products import has_products, pairs_of, turn
from ._text import shape_text

if TYPE_CHECKING:
    from .._types import ConventionLike
    from ._positions import PositionsLike

_tables = Kept()  # of functions on other devices, which have no module to keep theirs
_KERNEL_TYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)


class _Rotation(NamedTuple):
    convention: str
    rotated: int
    token_axis: int
    is_inverse: bool
    recipe: str
    length: int | None
    centre: float | None


def _by_operator(x: Tensor, positions: list[Tensor], side: str, of: _Rotation) -> Tensor:
    made: Tensor = torch.ops.posenc.rotate(
        x, positions, of.convention, of.rotated, side, of.token_axis, of.is_inverse, of.recipe, of.length, of.centre
    )
    return made


def _half_tables(x: Tensor, positions: list[Tensor], of: _Rotation) -> list[Tensor]:
    """Cosines and sines, a column a pair, in f64 for f64 and else in f32, on the device of x."""
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    length = of.length
    if length is None and depends_on_length(of.convention, of.rotated):
        raise PosencError("rotate", "length must be stated: frequencies depend on it", "none")
    if x.device.type in ("cpu", "meta") or torch.compiler.is_compiling() or len(positions) > 1:
        made = torch.ops.posenc.cache(
            positions, of.convention, of.rotated, "halves_twice", dtype, of.recipe, length
        )  # fmt: skip
    else:
        length = length_of(positions, length)
        regime = None if length is None else _core.regime(of.convention, length)

        def make(at: range, dtype: torch.dtype) -> list[Tensor]:
            return write_cache(at, [len(at)], of.convention, of.rotated, "halves_twice", dtype, of.recipe, length)

        made = _tables.at(positions[0], x.device, dtype, make, (of.convention, of.rotated, of.recipe, regime))
    return [each[..., : each.shape[-1] // 2] for each in made]


def _by_products(x: Tensor, positions: list[Tensor], of: _Rotation) -> Tensor:
    tokens_first = of.token_axis == -3
    laid = x.transpose(-3, -2) if tokens_first else x
    if laid.dim() < 2 or laid.shape[-2] != count_of(positions[0]):
        raise PosencError("rotate", f"x must have {count_of(positions[0])} tokens", shape_text(x))
    cos, sin = _half_tables(x, positions, of)
    wide = laid if x.dtype in (torch.float32, torch.float64) else laid.float()
    made = turn(wide, cos, sin, pairs_of(of.convention, of.rotated), of.is_inverse).to(x.dtype)
    return made.transpose(-3, -2) if tokens_first else made


def _rotation(
    q: Tensor,
    convention: ConventionLike,
    rotated: int | None,
    token_axis: int | None,
    recipe: str,
    length: int | None,
    centre: float | None,
    inverse: bool,
) -> _Rotation:
    if token_axis not in (None, -2, -3):
        raise PosencError("rotate", "token_axis must be -2 or -3", str(token_axis))
    head = q.shape[-1] if rotated is None else rotated
    return _Rotation(convention_text(convention), head, token_axis or 0, inverse, recipe, length, centre)


def _expect_one_device(q: Tensor, k: Tensor) -> None:
    if q.device != k.device:
        raise PosencError("rotate", "q and k must be on one device", f"{q.device} and {k.device}")


def apply_rotary(
    q: Tensor,
    k: Tensor,
    positions: PositionsLike,
    *,
    convention: ConventionLike,
    rotated: int | None = None,
    token_axis: int | None = None,
    recipe: str = "exact",
    length: int | None = None,
    centre: float | None = None,
    inverse: bool = False,
) -> tuple[Tensor, Tensor]:
    """Queries and keys with their pairs of columns turned by their positions. Gradients are inverse rotations.

    Parameters
    ----------
    q, k : Tensor, shape (.., L, d)
        float32, bfloat16, float16, float64. On other devices, and under torch.func, exact cosines and sines, the
        products PyTorch's own.
    positions : int, range or Tensor (L,) or (B, L); of several axes a sequence of them
    convention : str, dict or Convention
        Of rotations. The others are as in posenc.rotate.

    Examples
    --------
    >>> import torch, posenc.torch
    >>> q, k = torch.ones(1, 8, 5, 64), torch.ones(1, 2, 5, 64)
    >>> turned, _ = posenc.torch.apply_rotary(q, k, range(5), convention="llama")
    >>> turned.shape
    torch.Size([1, 8, 5, 64])
    """
    if goes_straight(q, k):
        made: tuple[Tensor, Tensor] = _core.rotate(
            convention, positions, (q, k), None, rotated, ("query", "key"), token_axis, inverse, recipe,
            None if length is None and centre is None else (length, centre, None),
        )  # fmt: skip
        return made
    _expect_one_device(q, k)
    of = _rotation(q, convention, rotated, token_axis, recipe, length, centre, inverse)
    return _turned(q, positions, "query", of), _turned(k, positions, "key", of)


def _turned(x: Tensor, positions: PositionsLike, side: str, of: _Rotation) -> Tensor:
    at = tensors_of(positions, x.device)
    # torch.func differentiates no operator of a library: products, which have the same bits.
    is_transformed = not torch.compiler.is_compiling() and is_under_transform() and has_products(of.convention)
    if x.dtype in _KERNEL_TYPES and x.device.type in ("cpu", "meta") and not is_transformed:
        return _by_operator(x, at, side, of)
    return _by_products(x, at, of)


def apply_rotary_(
    q: Tensor,
    k: Tensor,
    positions: PositionsLike,
    *,
    convention: ConventionLike,
    rotated: int | None = None,
    token_axis: int | None = None,
    recipe: str = "exact",
    length: int | None = None,
    centre: float | None = None,
    inverse: bool = False,
) -> tuple[Tensor, Tensor]:
    """apply_rotary in place, for decoding steps and large tensors. Refuses what records gradients.

    Examples
    --------
    >>> import torch, posenc.torch
    >>> q, k = torch.ones(1, 8, 1, 64), torch.ones(1, 2, 1, 64)
    >>> posenc.torch.apply_rotary_(q, k, 7, convention="llama")[0] is q
    True
    """
    if goes_straight(q, k):
        _core.rotate(
            convention, positions, (q, k), (q, k), rotated, ("query", "key"), token_axis, inverse, recipe,
            None if length is None and centre is None else (length, centre, None),
        )  # fmt: skip
        torch._C._increment_version((q, k))  # as torch.autograd.graph.increment_version, in a third of its time
        return q, k
    if records(q, k):
        raise PosencError("rotate", "what is turned in place must record no gradient", "a tensor with requires_grad")
    _expect_one_device(q, k)
    of = _rotation(q, convention, rotated, token_axis, recipe, length, centre, inverse)
    for x, side in ((q, "query"), (k, "key")):
        at = tensors_of(positions, x.device)
        if x.dtype in _KERNEL_TYPES and x.device.type in ("cpu", "meta"):
            torch.ops.posenc.rotate_(
                x, at, of.convention, of.rotated, side, of.token_axis, of.is_inverse, of.recipe, of.length, of.centre
            )  # fmt: skip
        else:
            x.copy_(_by_products(x, at, of))
    return q, k
