# SPDX-License-Identifier: Apache-2.0
"""Rotations as products of PyTorch's own, by tables of exact cosines and sines: on other devices, under torch.func."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import torch
from torch import Tensor

from .. import _core
from .._convention import Convention
from .._errors import PosencError
from ._ops import cache_width


class Pairs(NamedTuple):
    """Which columns of a head turn together, and where the results go."""

    first: int  #: of the columns that turn
    width: int  #: how many of them
    is_adjacent: bool
    written_adjacent: bool
    sign: int  #: of the sines


_PLAIN = {"pairing_scope": "row", "angles": "by_pair", "decay": "none"}


@lru_cache(maxsize=64)
def _stated(convention: str) -> Convention:
    return Convention(_core.Convention(convention).to_json())


def has_products(convention: str) -> bool:
    """Whether each pair turns by one angle, without a decay."""
    return all(_stated(convention).fields[field] == plain for field, plain in _PLAIN.items())


@lru_cache(maxsize=64)
def pairs_of(convention: str, head: int) -> Pairs:
    stated = _stated(convention)
    for field, plain in _PLAIN.items():
        if stated.fields[field] != plain:
            raise PosencError("rotate", f"by products {field} must be {plain}", str(stated.fields[field]))
    width, is_adjacent = cache_width(convention, head), stated.pairing == "adjacent"
    return Pairs(
        head - width if stated.where == "last" else 0,
        width,
        is_adjacent,
        is_adjacent and stated.written == "in_place",
        1 if stated.turn == "forward" else -1,
    )


def _split(columns: Tensor, is_adjacent: bool) -> tuple[Tensor, Tensor]:
    if is_adjacent:
        first, second = columns.unflatten(-1, (-1, 2)).unbind(-1)
    else:
        first, second = columns.chunk(2, -1)
    return first, second


def _joined(a: Tensor, b: Tensor, is_adjacent: bool) -> Tensor:
    return torch.stack((a, b), -1).flatten(-2) if is_adjacent else torch.cat((a, b), -1)


def turn(x: Tensor, cos: Tensor, sin: Tensor, pairs: Pairs, is_inverse: bool) -> Tensor:
    """x [.., L, d]; cos and sin [L, n] or [B, L, n], a column a pair, and [B, L, n] belongs to x [B, .., L, d]."""
    if cos.dim() == 3:
        shape = [cos.shape[0], *[1] * (x.dim() - 3), *cos.shape[1:]]
        cos, sin = cos.reshape(shape), sin.reshape(shape)
    sin = sin * pairs.sign
    last = pairs.first + pairs.width
    turned = x.narrow(-1, pairs.first, pairs.width)
    if is_inverse:
        a, b = _split(turned, pairs.written_adjacent)
        made = _joined(a * cos + b * sin, b * cos - a * sin, pairs.is_adjacent)
    else:
        a, b = _split(turned, pairs.is_adjacent)
        made = _joined(a * cos - b * sin, a * sin + b * cos, pairs.written_adjacent)
    if pairs.width == x.shape[-1]:
        return made
    return torch.cat((x.narrow(-1, 0, pairs.first), made, x.narrow(-1, last, x.shape[-1] - last)), -1)
