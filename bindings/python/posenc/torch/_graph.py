# SPDX-License-Identifier: Apache-2.0
"""Rows, cosines and sines by operations of PyTorch's own: for other devices, exported programs and ONNX files.

Positions stay where they are: no table, no number is read. What a graph holds are the words of a plan, two whole
numbers an angle. Compiled and exported code has the recipe `phase`, as has what asks for it. Where exact entries are
asked for and each operation is a kernel, on a device, they are `phase-native`: the whole turns by the same words, the
device's own sines.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch._guards import active_fake_mode

from .. import _core
from .._phase import Angles, Order, Plan, phases, plan_of_rotation, plan_of_rows, waves
from ._eager import is_under_transform
from ._ops import OF_POSITIONS

_ALL = (1 << 32) - 1
_RECIPES = ("exact", "phase")


def is_asked(device: torch.device) -> bool:
    """Whether a graph is wanted in the place of the operators, which run on the CPU."""
    return torch.compiler.is_exporting() or device.type not in ("cpu", "meta")


def is_served(device: torch.device, dtype: torch.dtype, recipe: str, positions: Sequence[Tensor]) -> bool:
    """Whether a graph makes them: of whole positions, to 32 bits at most."""
    is_whole = not any(each.is_floating_point() for each in positions)
    return is_asked(device) and is_whole and dtype != torch.float64 and recipe in _RECIPES


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


class Of(NamedTuple):
    """What rows are of, or cosines and sines of a rotation: a key, since a plan takes longer to hash than to use."""

    convention: str
    width: int
    is_rotation: bool
    length: int | None = None
    learned: float | None = None


class Words(NamedTuple):
    """A plan and its words, on a device."""

    order: Order | None
    scale: float
    columns: int
    angles: Angles  #: words of 32 bits
    signed: tuple[Tensor, ...]  #: of 64, an axis each
    start: Tensor | None
    places: Tensor  #: of columns, Plan.place_of


# What a graph takes as constants: numbers and tensors alone, by arguments that are themselves constants.


def _plan(convention: str, width: int, is_rotation: bool, length: int | None, learned: float | None) -> Plan:
    return plan_of_rotation(convention, width, length) if is_rotation else plan_of_rows(convention, width, learned)


def _facts(*of: Any) -> tuple[int, bool, int, float, int]:
    plan = _plan(*of)
    has_start = plan.starts is not None
    return len(plan.axes), has_start, plan.order.value if plan.order else 0, plan.scale, len(plan.columns)


def _made(plan: Plan, device: str) -> tuple[Tensor, ...]:
    """Of each axis, and of the start where there is one: upper and lower words, and those of 64 bits; the places."""

    def constant(numbers: Sequence[int]) -> Tensor:
        return torch.tensor(numbers, dtype=torch.int64, device=device)

    lists = [*plan.words, *([] if plan.starts is None else [plan.starts])]
    made = [
        constant(part)
        for words in lists
        for part in (
            [word >> 32 for word in words],
            [word & _ALL for word in words],
            [word - (1 << 64) if word >> 63 else word for word in words],
        )
    ]
    return *made, constant([plan.place_of(*column) for column in plan.columns])


_kept: dict[Any, tuple[Tensor, ...]] = {}
_MOST_KEPT = 256


def _tensors(device: str, *of: Any) -> tuple[Tensor, ...]:
    """Copied to a device once: a few numbers, which every later call and every graph reads there."""
    key = device, of, active_fake_mode()
    known = _kept.get(key)
    if known is None:
        with torch.inference_mode(False):  # a gradient may be asked for later
            known = _made(_plan(*of), device)
        if is_under_transform():
            return known
        if len(_kept) >= _MOST_KEPT:
            _kept.clear()
        _kept[key] = known
    return known


# As torch.compiler.assume_constant_result marks them, without its import of torch._dynamo.
_facts._dynamo_marked_constant = True  # type: ignore[attr-defined]
_tensors._dynamo_marked_constant = True  # type: ignore[attr-defined]


def words_of(of: Of, device: torch.device) -> Words:
    axes, has_start, order, scale, columns = _facts(*of)
    tensors = _tensors(str(device), *of)
    upper, lower, signed = tensors[0:-1:3], tensors[1:-1:3], tensors[2:-1:3]
    start = (upper[axes], lower[axes]) if has_start else None
    angles = Angles(upper[:axes], lower[:axes], start)
    known = Order(order) if order else None
    return Words(known, scale, columns, angles, signed[:axes], signed[axes] if has_start else None, tensors[-1])


def _by_words(words: Words, positions: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    sizes = [(each.abs().unsqueeze(-1), (each < 0).unsqueeze(-1)) for each in positions]
    o = _Onnx() if torch.onnx.is_in_onnx_export() else _Whole()
    return waves(o, *phases(o, sizes, words.angles))


def _natively(words: Words, positions: Sequence[Tensor]) -> tuple[Tensor, Tensor]:
    """Products wrap modulo 2^64, as they do in every kernel of whole numbers."""
    turns = words.start
    for each, of_axis in zip(positions, words.signed, strict=True):
        part = each.unsqueeze(-1) * of_axis
        turns = part if turns is None else turns + part
    assert turns is not None
    angle = turns.float() * (math.pi * 2.0**-63)
    return angle.sin(), angle.cos()


def _sines_cosines(words: Words, positions: Sequence[Tensor], recipe: str) -> tuple[Tensor, Tensor]:
    """[.., angles] each, f32, times the scale. Positions of each axis, whole, of a size below 2^31."""
    is_graph = torch.compiler.is_compiling() or torch.compiler.is_exporting()
    made = _by_words(words, positions) if is_graph or recipe == "phase" else _natively(words, positions)
    return made if words.scale == 1 else (made[0] * words.scale, made[1] * words.scale)


def _read(positions: Sequence[Tensor]) -> list[Tensor]:
    return list(torch.broadcast_tensors(*(each.long() for each in positions)))  # type: ignore[no-untyped-call]


# ---- columns -------------------------------------------------------------------------------------------------------


def _spread(words: Words, positions: Sequence[Tensor], recipe: str) -> Tensor:
    """Any columns, each from its place among all that there may be."""
    sine, cosine = _sines_cosines(words, positions, recipe)
    zero = torch.zeros_like(positions[0], dtype=torch.float32).unsqueeze(-1)
    one = zero + words.scale
    coordinates = [each.float().unsqueeze(-1) * words.scale for each in positions]
    blocks = (sine, cosine, 0 - sine, 0 - cosine, zero, one, zero, 0 - one, *coordinates)
    return torch.cat(blocks, -1).index_select(-1, words.places)


def rows(of: Of, positions: Sequence[Tensor], recipe: str) -> Tensor:
    """[.., columns], f32."""
    at = _read(positions)
    words = words_of(of, at[0].device)
    if words.order is None:
        return _spread(words, at, recipe)
    sine, cosine = _sines_cosines(words, at, recipe)
    if words.order is Order.interleaved:
        return torch.stack((sine, cosine), -1).flatten(-2)
    return torch.cat((sine, cosine) if words.order is Order.sine_first else (cosine, sine), -1)


def _of_pairs(of: Of, at: Sequence[Tensor], recipe: str) -> list[Tensor]:
    words = words_of(of, at[0].device)
    if words.order is Order.cosine_first:
        sine, cosine = _sines_cosines(words, at, recipe)
        return [cosine, sine]
    n = words.columns // 2
    made = _spread(words, at, recipe)
    return [made.narrow(-1, 0, n), made.narrow(-1, n, n)]


def _longest_short(convention: str) -> int | None:
    """The longest sequence that takes the first of two ladders; None where there are other than two."""
    least, most = 1, 1 << 40
    if _core.regime(convention, most) != 1:
        return None
    while most - least > 1:
        middle = (least + most) // 2
        least, most = (middle, most) if _core.regime(convention, middle) == 0 else (least, middle)
    return least


_longest_short._dynamo_marked_constant = True  # type: ignore[attr-defined]


def serves_rotation(convention: str, length: int | None) -> bool:
    """Whether a graph has its frequencies: not where every length of positions has frequencies of its own."""
    return length != OF_POSITIONS or _longest_short(convention) is not None


def cosines_sines(
    convention: str, head: int, length: int | None, positions: Sequence[Tensor], recipe: str
) -> list[Tensor]:
    """Of every pair of a rotation, [.., pairs] each, f32. length: OF_POSITIONS where frequencies depend on it."""
    at = _read(positions)
    last = None if length is None else _longest_short(convention)
    if last is None or length is None:
        return _of_pairs(Of(convention, head, True, length), at, recipe)
    shorter, longer = Of(convention, head, True, last), Of(convention, head, True, last + 1)
    if length != OF_POSITIONS:
        return _of_pairs(shorter if length <= last else longer, at, recipe)
    is_longer = (at[0] >= last).any()
    made = (_of_pairs(each, at, recipe) for each in (shorter, longer))
    return [torch.where(is_longer, b, a) for a, b in zip(*made, strict=True)]
