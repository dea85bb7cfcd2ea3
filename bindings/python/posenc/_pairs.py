# SPDX-License-Identifier: Apache-2.0
"""Which columns of a head turn together, for rotations as products of another package's own."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from . import _core
from ._convention import Convention
from ._errors import PosencError


class Pairs(NamedTuple):
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


def pairs_of(convention: str, head: int) -> Pairs:
    return Pairs(*_pairs(convention, head))


@lru_cache(maxsize=64)
def _known(convention: str, head: int) -> tuple[int, int, bool, bool, int]:
    stated = _stated(convention)
    for field, plain in _PLAIN.items():
        if stated.fields[field] != plain:
            raise PosencError("rotate", f"by products {field} must be {plain}", str(stated.fields[field]))
    width, is_adjacent = _core.rotary_width(convention, head), stated.pairing == "adjacent"
    return (
        head - width if stated.where == "last" else 0,
        width,
        is_adjacent,
        is_adjacent and stated.written == "in_place",
        1 if stated.turn == "forward" else -1,
    )


def _pairs(convention: str, head: int) -> tuple[int, int, bool, bool, int]:
    return _known(convention, head)


# Constants in a graph of PyTorch, as torch.compiler.assume_constant_result marks them.
has_products._dynamo_marked_constant = True  # type: ignore[attr-defined]
_pairs._dynamo_marked_constant = True  # type: ignore[attr-defined]
