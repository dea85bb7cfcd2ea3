# SPDX-License-Identifier: Apache-2.0
"""Rows, cosines and sines by operations of PyTorch's own: for other devices, exported programs and ONNX files.

Positions stay where they are: no table, no number is read, no longest position. What a graph holds are the words of a
plan, two whole numbers an angle. Compiled and exported code has the recipe `phase`. What runs operation by operation on
a device, where each is a kernel, is `phase-native`: the whole turns by the same words, the device's own sines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch._guards import active_fake_mode

from .. import _core
from .._errors import PosencError
from .._phase import CONSTANT, WAVE, Angles, Order, Plan, phases, plan_of_rotation, plan_of_rows, waves
from ._ops import OF_POSITIONS

_ALL = (1 << 32) - 1
GRAPHS = ("exact", "phase")  #: recipes that a graph serves


def is_asked(device: torch.device) -> bool:
    """Whether a graph is wanted in the place of the operators, which run on the CPU."""
    return torch.compiler.is_exporting() or device.type not in ("cpu", "meta")


def are_whole(positions: Sequence[Tensor]) -> bool:
    return not any(each.is_floating_point() for each in positions)


# Constants in a graph, as torch.compiler.assume_constant_result marks them, without its import of torch._dynamo.
for _made in (plan_of_rows, plan_of_rotation):
    _made._dynamo_marked_constant = True  # type: ignore[attr-defined]


# ---- waves ---------------------------------------------------------------------------------------------------------


class _Whole:
    """Numbers below 2^32 as int64, whose products are below 2^63."""

    def product(self, a: Any, b: Any) -> tuple[Any, Any]:
        made = a * b
        return self.down(made, 32), self.lowest(made, 32)

    def scaled(self, a: Any, b: Any, shift: int) -> Any:
        return self.down(a * b, shift)

    def add(self, a: Any, b: Any) -> Any:
        return self.lowest(a + b, 32)

    def overflows(self, a: Any, b: Any) -> Any:
        return self.down(a + b, 32)

    def minus(self, constant: int, b: Any) -> Any:
        return constant - b

    def up(self, a: Any, shift: int) -> Any:
        return a * (1 << shift)

    def down(self, a: Any, shift: int) -> Any:
        return a >> shift

    def lowest(self, a: Any, bits: int) -> Any:
        return a & ((1 << bits) - 1)

    def below(self, a: Any, bound: int) -> Any:
        return a < bound

    def where(self, truth: Any, a: Any, b: Any) -> Any:
        if isinstance(a, float) and isinstance(b, float):
            return torch.where(truth, a, b).float()
        return torch.where(truth, a, b)

    def differ(self, a: Any, b: Any) -> Any:
        return a ^ b

    def both(self, a: Any, b: Any) -> Any:
        return a & b

    def signed_float(self, is_negative: Any, high: Any, low: Any) -> Any:
        number = high * (1 << 24) + low
        return torch.where(is_negative, -number, number).float()

    def float(self, a: Any) -> Any:
        return a.float()

    def times(self, a: Any, b: Any) -> Any:
        return a * b


class _Onnx(_Whole):
    """ONNX has no shifts of signed numbers, and ONNX Runtime's CUDA provider none at all. Division is its own: that of
    PyTorch would bring its rules for numbers below 0."""

    def down(self, a: Any, shift: int) -> Any:
        by = torch.tensor(1 << shift)
        return torch.onnx.ops.symbolic("Div", (a, by), dtype=torch.int64, shape=a.shape)

    def lowest(self, a: Any, bits: int) -> Any:
        return torch.remainder(a, 1 << bits)


class _Words(NamedTuple):
    """Of a plan, on a device."""

    angles: Angles  #: words of 32 bits
    signed: tuple[Tensor, ...]  #: of 64, an axis each
    starts: Tensor | None


def _constant(numbers: Sequence[int], device: str) -> Tensor:
    return torch.tensor(numbers, dtype=torch.int64, device=device)


def _signed(words: Sequence[int], device: str) -> Tensor:
    return _constant([word - (1 << 64) if word >> 63 else word for word in words], device)


def _made_words(plan: Plan, device: str) -> _Words:
    def upper(words: Sequence[int]) -> Tensor:
        return _constant([word >> 32 for word in words], device)

    def lower(words: Sequence[int]) -> Tensor:
        return _constant([word & _ALL for word in words], device)

    start = None if plan.starts is None else (upper(plan.starts), lower(plan.starts))
    angles = Angles(list(map(upper, plan.words)), list(map(lower, plan.words)), start)
    signed = tuple(_signed(words, device) for words in plan.words)
    return _Words(angles, signed, None if plan.starts is None else _signed(plan.starts, device))


_kept: dict[Any, tuple[Plan, _Words]] = {}
_MOST_KEPT = 256


def _words(plan: Plan, device: str) -> _Words:
    """Copied to a device once: a few numbers, which every later call and every graph reads there."""
    key = id(plan), device, active_fake_mode()  # a hash of the plan takes longer than its waves
    if key not in _kept:
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        with torch.inference_mode(False):  # a gradient may be asked for later
            _kept[key] = plan, _made_words(plan, device)
    return _kept[key][1]


_words._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _by_words(plan: Plan, positions: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    is_exporting = torch.compiler.is_exporting()
    angles = (_made_words if is_exporting else _words)(plan, str(positions[0].device)).angles
    sizes = [(each.abs().unsqueeze(-1), (each < 0).unsqueeze(-1)) for each in positions]
    o = _Onnx() if torch.onnx.is_in_onnx_export() else _Whole()
    return waves(o, *phases(o, sizes, angles))


def _natively(plan: Plan, positions: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Products wrap modulo 2^64, as they do in every kernel of whole numbers."""
    words = _words(plan, str(positions[0].device))
    turns = words.starts
    for each, of_axis in zip(positions, words.signed, strict=True):
        part = each.unsqueeze(-1) * of_axis
        turns = part if turns is None else turns + part
    assert turns is not None
    angle = (turns >> 32).float() * (math.pi * 2.0**-31)
    return angle.sin(), angle.cos()


def sines_cosines(plan: Plan, positions: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """[.., angles] each, f32, times the scale. Positions of each axis, whole, of a size below 2^31."""
    whole = [each.long() for each in positions]
    if torch.compiler.is_compiling() or torch.compiler.is_exporting() or whole[0].device.type in ("cpu", "meta"):
        made = _by_words(plan, whole)
    else:
        made = _natively(plan, whole)
    return made if plan.scale == 1 else (made[0] * plan.scale, made[1] * plan.scale)


def cosines_sines(convention: str, head: int, length: int | None, positions: Sequence[Tensor]) -> list[Tensor]:
    """Of every pair of a rotation, [.., pairs] each, f32. length: OF_POSITIONS where frequencies depend on it."""
    if length != OF_POSITIONS:
        return _of_pairs(plan_of_rotation(convention, head, length), positions)
    last = _last_of_first_regime(convention)
    if last is None:
        raise PosencError("rotate", "length must be stated: every length has frequencies of its own", "none")
    is_longer = positions[0].max() >= last
    shorter, longer = (_of_pairs(plan_of_rotation(convention, head, each), positions) for each in (last, last + 1))
    return [torch.where(is_longer, b, a) for a, b in zip(shorter, longer, strict=True)]


@lru_cache(maxsize=64)
def _last_of_first_regime(convention: str) -> int | None:
    """The longest sequence that takes the first of two ladders; None where there are more."""
    least, most = 1, 1 << 40
    if _core.regime(convention, most) != 1:
        return None
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if _core.regime(convention, middle) == 0 else (least, middle)
    return least


_last_of_first_regime._dynamo_marked_constant = True  # type: ignore[attr-defined]


def _of_pairs(plan: Plan, positions: Sequence[Tensor]) -> list[Tensor]:
    if plan.order is Order.cosine_first:
        sine, cosine = sines_cosines(plan, positions)
        return [cosine, sine]
    n = len(plan.columns) // 2
    made = _spread(plan, positions)
    return [made.narrow(-1, 0, n), made.narrow(-1, n, n)]


# ---- columns -------------------------------------------------------------------------------------------------------


@lru_cache(maxsize=64)
def _kept_places(places: tuple[int, ...], device: str, mode: Any) -> Tensor:
    return _constant(places, device)


def _places(places: tuple[int, ...], device: str) -> Tensor:
    if torch.compiler.is_compiling():
        return _constant(places, device)
    return _kept_places(places, device, active_fake_mode())


def _spread(plan: Plan, positions: Sequence[Tensor]) -> Tensor:
    """Any columns: those of [sin | cos | -sin | -cos | constants and coordinates] that they name."""
    sine, cosine = sines_cosines(plan, positions)
    n, zero = len(plan.words[0]), torch.zeros_like(sine.narrow(-1, 0, 1))
    one = zero + plan.scale
    others = [zero, one, zero, 0 - one, *(each.float().unsqueeze(-1) * plan.scale for each in positions)]
    blocks = torch.cat((sine, cosine, 0 - sine, 0 - cosine, *others), -1)

    def place(kind: int, quarter: int, number: int) -> int:
        if kind == WAVE:
            return quarter * n + number
        return 4 * n + (quarter if kind == CONSTANT else 4 + number)

    places = tuple(place(*column) for column in plan.columns)
    return blocks.index_select(-1, _places(places, str(blocks.device)))


def rows(plan: Plan, positions: Sequence[Tensor]) -> Tensor:
    """[.., columns], f32."""
    if plan.order is None:
        return _spread(plan, positions)
    sine, cosine = sines_cosines(plan, positions)
    if plan.order is Order.interleaved:
        return torch.stack((sine, cosine), -1).flatten(-2)
    return torch.cat((sine, cosine) if plan.order is Order.sine_first else (cosine, sine), -1)
