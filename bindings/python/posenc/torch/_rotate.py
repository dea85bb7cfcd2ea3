# SPDX-License-Identifier: Apache-2.0
"""Queries and keys turned by their positions: new tensors, or in place."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor

from .. import _core
from .._convention import convention_text
from .._errors import PosencError
from .._pairs import has_products, pairs_of
from .._types import context
from ._eager import goes_straight, is_under_transform, records, records_straight
from ._errors import expect_tensor
from ._graph import cosines_sines, is_served, serves_rotation
from ._kept import Kept
from ._ops import cache_width, length_of, write_cache
from ._positions import axes_of, count_of, tensors_of
from ._products import turn
from ._text import shape_text

if TYPE_CHECKING:
    from .._types import ConventionLike
    from ._positions import PositionsLike

_tables = Kept()  # of functions on other devices, which have no module to keep theirs
_SIDES = ("query", "key")
_KERNEL_TYPES = (torch.float32, torch.bfloat16, torch.float16, torch.float64)


class _Rotation(NamedTuple):
    """What is the same for queries and keys."""

    convention: str
    rotated: int
    token_axis: int
    is_inverse: bool
    recipe: str
    length: int | None
    centre: float | None


def _by_kernel(
    tensors: tuple[Tensor, ...], sides: tuple[str, ...], positions: PositionsLike, of: _Rotation
) -> tuple[Tensor, ...]:
    where = context(of.length, of.centre, None)
    made: tuple[Tensor, ...] = _core.rotate(
        of.convention, positions, tensors, None, of.rotated, sides, of.token_axis or None, of.is_inverse, of.recipe,
        where,
    )  # fmt: skip
    return made


class _Recorded(torch.autograd.Function):
    """Tensors turned at once whose gradients, inverse rotations, are recorded."""

    @staticmethod
    def forward(
        ctx: Any, positions: int | range | tuple[Tensor, ...], sides: tuple[str, ...], of: _Rotation, *tensors: Tensor
    ) -> tuple[Tensor, ...]:
        lists = positions if isinstance(positions, tuple) else ()
        ctx.save_for_backward(*lists)  # and not changed in between: autograd counts
        ctx.set_materialize_grads(False)
        ctx.numbers, ctx.sides, ctx.of = None if lists else positions, sides, of
        return _by_kernel(tensors, sides, lists[0] if len(lists) == 1 else positions, of)

    @staticmethod
    def backward(ctx: Any, *grads: Tensor | None) -> tuple[Tensor | None, ...]:
        lists = ctx.saved_tensors
        positions = ctx.numbers if not lists else lists[0] if len(lists) == 1 else lists
        of = ctx.of._replace(is_inverse=not ctx.of.is_inverse)
        given = tuple(grad for grad in grads if grad is not None)
        sides = tuple(side for side, grad in zip(ctx.sides, grads, strict=True) if grad is not None)
        turned = iter(_turned(given, sides, positions, of) if given else ())
        return None, None, None, *(None if grad is None else next(turned) for grad in grads)


def _by_operator(x: Tensor, positions: list[Tensor], side: str, of: _Rotation) -> Tensor:
    made: Tensor = torch.ops.posenc.rotate(
        x, positions, of.convention, of.rotated, side, of.token_axis, of.is_inverse, of.recipe, of.length, of.centre
    )
    return made


def _depends_on_length(convention: str, head: int) -> bool:
    return _core.rotary_depends_on_length(convention, head)


_depends_on_length._dynamo_marked_constant = True  # type: ignore[attr-defined]  # in a graph


def _half_tables(x: Tensor, positions: list[Tensor], of: _Rotation) -> list[Tensor]:
    """Cosines and sines, a column a pair, in f64 for f64 and else in f32, on the device of x."""
    dtype = torch.float64 if x.dtype == torch.float64 else torch.float32
    length = of.length
    if length is None and _depends_on_length(of.convention, of.rotated):
        raise PosencError("rotate", "length must be stated: frequencies depend on it", "none")
    if is_served(x.device, dtype, of.recipe, positions) and serves_rotation(of.convention, length):
        return cosines_sines(of.convention, of.rotated, length, positions, of.recipe)
    if x.device.type in ("cpu", "meta") or torch.compiler.is_compiling() or len(positions) > 1:
        made = torch.ops.posenc.cache(
            positions, of.convention, of.rotated, "halves_twice", dtype, of.recipe, length
        )  # fmt: skip
    else:
        length = length_of(positions, length)
        regime = None if length is None else _core.regime(of.convention, length)

        def make(at: range | Tensor, dtype: torch.dtype) -> list[Tensor]:
            shape = [len(at), cache_width(of.convention, of.rotated)]
            return write_cache(at, shape, of.convention, of.rotated, "halves_twice", dtype, of.recipe, length)

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
    if q.dim() < 2:
        raise PosencError("rotate", "x must have shape [.., L, d]", f"{q.dim()} axes")
    head = q.shape[-1] if rotated is None else rotated
    return _Rotation(convention_text(convention), head, token_axis or 0, inverse, recipe, length, centre)


def _expect_alike(q: Tensor, k: Tensor) -> None:
    expect_tensor("rotate", "q", q)
    expect_tensor("rotate", "k", k)
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
        float32, bfloat16, float16, float64. Under torch.func products are PyTorch's own, of exact cosines and sines;
        on other devices and in exports of cosines and sines of the recipe phase, or near it (docs/torch.md).
    positions : int, float, range, list, or array or Tensor (L,) or (B, L); of several axes a sequence or dict of them
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
            convention, positions, (q, k), None, rotated, _SIDES, token_axis, inverse, recipe,
            None if length is None and centre is None else (length, centre, None),
        )  # fmt: skip
        return made
    _expect_alike(q, k)
    of = _rotation(q, convention, rotated, token_axis, recipe, length, centre, inverse)
    q, k = _turned((q, k), _SIDES, positions, of)
    return q, k


def _turned(
    tensors: tuple[Tensor, ...], sides: tuple[str, ...], positions: PositionsLike, of: _Rotation
) -> tuple[Tensor, ...]:
    if goes_straight(*tensors):
        return _by_kernel(tensors, sides, positions, of)
    axes = axes_of(of.convention)
    if records_straight(*tensors) and all(x.requires_grad and x.dtype in _KERNEL_TYPES for x in tensors):
        is_plain = len(axes) == 1 and type(positions) in (int, range)
        at = positions if is_plain else tuple(tensors_of("rotate", "positions", positions, axes, tensors[0].device))
        made: tuple[Tensor, ...] = _Recorded.apply(at, sides, of, *tensors)  # type: ignore[no-untyped-call]
        return made
    if len(tensors) > 1:  # of which one records
        return tuple(_turned((x,), (side,), positions, of)[0] for x, side in zip(tensors, sides, strict=True))
    return (_by_dispatcher(tensors[0], positions, axes, sides[0], of),)


def _by_dispatcher(x: Tensor, positions: PositionsLike, axes: tuple[str, ...], side: str, of: _Rotation) -> Tensor:
    at = tensors_of("rotate", "positions", positions, axes, x.device)
    # torch.func differentiates no operator of a library: products, which have the same bits.
    is_transformed = not torch.compiler.is_compiling() and is_under_transform() and has_products(of.convention)
    is_kernel = x.dtype in _KERNEL_TYPES and x.device.type in ("cpu", "meta")
    if is_kernel and not is_transformed and not _is_exported(x, at, of):
        return _by_operator(x, at, side, of)
    return _by_products(x, at, of)


def _is_exported(x: Tensor, at: list[Tensor], of: _Rotation) -> bool:
    """Whether a program without the operators has it."""
    return is_served(x.device, x.dtype, of.recipe, at) and has_products(of.convention)


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
            convention, positions, (q, k), (q, k), rotated, _SIDES, token_axis, inverse, recipe,
            None if length is None and centre is None else (length, centre, None),
        )  # fmt: skip
        torch._C._increment_version((q, k))  # as torch.autograd.graph.increment_version, in a third of its time
        return q, k
    _expect_alike(q, k)
    if records(q, k):
        raise PosencError("rotate", "what is turned in place must record no gradient", "a tensor with requires_grad")
    of = _rotation(q, convention, rotated, token_axis, recipe, length, centre, inverse)
    at = tensors_of("rotate", "positions", positions, axes_of(of.convention), q.device)
    for x, side in zip((q, k), _SIDES, strict=True):
        is_kernel = x.dtype in _KERNEL_TYPES and x.device.type in ("cpu", "meta")
        if is_kernel and not _is_exported(x, at, of):
            torch.ops.posenc.rotate_(
                x, at, of.convention, of.rotated, side, of.token_axis, of.is_inverse, of.recipe, of.length, of.centre
            )  # fmt: skip
        else:
            x.copy_(_by_products(x, at, of))
    return q, k
