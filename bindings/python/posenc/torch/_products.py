# SPDX-License-Identifier: Apache-2.0
"""Rotations as products of PyTorch's own: on other devices, in exports, under torch.func."""

from __future__ import annotations

import torch
from torch import Tensor

from .._pairs import Pairs


def _split(columns: Tensor, is_adjacent: bool) -> tuple[Tensor, Tensor]:
    if is_adjacent:
        first, second = columns.reshape(*columns.shape[:-1], -1, 2).unbind(-1)
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
