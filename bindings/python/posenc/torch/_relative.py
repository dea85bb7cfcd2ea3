# SPDX-License-Identifier: Apache-2.0
"""Of pairs of positions: biases of attention scores, and the classes whose rows a model has learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from .. import _core
from .._convention import Convention, convention_text
from .._errors import PosencError
from ._positions import count_of
from ._text import DTYPES, dtype_text, shape_text

if TYPE_CHECKING:
    from .._types import ConventionLike


def _place(operation: str, name: str, positions: int | range | Tensor) -> range | Tensor:
    """A number n is positions 0 to n - 1."""
    if isinstance(positions, Tensor):
        return positions.cpu() if positions.device.type != "meta" else range(positions.shape[0])
    if not isinstance(positions, int):
        return positions
    if positions < 0:
        raise PosencError(operation, f"the number of {name} must be >= 0", str(positions))
    return range(positions)


def _counted(keys: int | range | Tensor, places: range | Tensor, present: Tensor) -> range | Tensor:
    if not isinstance(keys, int):
        return places
    out = torch.empty(1, present.shape[0], dtype=torch.int64, device="cpu")
    _core.positions_of_mask(present[None].cpu().to(torch.int64), 0, 0, 0, out)
    return out[0]


def _device(queries: int | range | Tensor, keys: int | range | Tensor, other: Tensor | None = None) -> torch.device:
    for each in (queries, keys, other):
        if isinstance(each, Tensor):
            return each.device
    return torch.get_default_device()


class AlibiBias(nn.Module):
    """What is added to attention scores by the distance of query and key: [heads, L, S].

    Parameters
    ----------
    heads : int
    convention : str, dict or Convention
        Of slopes: "alibi", "bloom-alibi", "falcon-alibi", "mpt-alibi".
    head : int
        Columns of a head, where the scale depends on it (Falcon).

    Examples
    --------
    >>> import posenc.torch
    >>> posenc.torch.AlibiBias(8, convention="alibi")(range(2, 3), 3)[0]
    tensor([[-1.0000, -0.5000,  0.0000]])
    """

    def __init__(
        self, heads: int, *, convention: ConventionLike, head: int = 0, dtype: torch.dtype = torch.float32
    ) -> None:
        super().__init__()
        self.convention, self.heads, self.head = convention_text(convention), heads, head
        self._type = dtype_text("bias", dtype)
        self.dtype = dtype
        stated = Convention(self.convention)
        if stated.family != "slopes":
            raise PosencError("bias", "convention must be of slopes", stated.family)
        stated.columns(heads)

    def forward(
        self, queries: int | range | Tensor, keys: int | range | Tensor, present: Tensor | None = None
    ) -> Tensor:
        """queries, keys: how many, a range, or positions [L] and [S]; present: a mask [S], of [B, S] a bias each.

        Where keys are told by their number, those that are present count 0, 1, .. (Bloom).
        """
        device = _device(queries, keys, present)
        q, k = _place("bias", "queries", queries), _place("bias", "keys", keys)
        shape = [self.heads, count_of(q), count_of(k)]
        if device.type == "meta":
            batch = [] if present is None or present.dim() == 1 else [present.shape[0]]
            return torch.empty([*batch, *shape], dtype=self.dtype, device=device)
        if present is None or present.dim() == 1:
            return self._of(q, k if present is None else _counted(keys, k, present), present, shape).to(device)
        if present.dim() != 2:
            raise PosencError("bias", "present must be [S] or [B, S]", shape_text(present))
        return torch.stack([self._of(q, _counted(keys, k, mask), mask, shape) for mask in present]).to(device)

    def _of(self, q: range | Tensor, k: range | Tensor, mask: Tensor | None, shape: list[int]) -> Tensor:
        out = torch.empty(shape, dtype=self.dtype, device="cpu")
        here = None if mask is None else mask.cpu().to(torch.int64)
        _core.bias(self.convention, self.heads, q, k, self.head, here, self._type, out)
        return out

    def extra_repr(self) -> str:
        return f"{self.heads}, convention={self.convention!r}, dtype={DTYPES[self.dtype]}"


class RelativeBuckets(nn.Module):
    """The class of every query and key by their distance, int64 [L, S]: rows of a model's own embedding of biases.

    Examples
    --------
    >>> import posenc.torch
    >>> posenc.torch.RelativeBuckets(convention="t5-bucket")(range(1), 4)
    tensor([[ 0, 17, 18, 19]])
    """

    def __init__(self, *, convention: ConventionLike) -> None:
        super().__init__()
        self.convention = convention_text(convention)
        _core.buckets(self.convention, 0, 0, None, torch.empty(1, 1, dtype=torch.int64, device="cpu"))

    def forward(self, queries: int | range | Tensor, keys: int | range | Tensor) -> Tensor:
        """How many, a range, or positions [L] and [S]."""
        device = _device(queries, keys)
        q, k = _place("buckets", "queries", queries), _place("buckets", "keys", keys)
        out = torch.empty(count_of(q), count_of(k), dtype=torch.int64, device="cpu")
        if device.type == "meta":
            return out.to(device)
        _core.buckets(self.convention, q, k, None, out)
        return out.to(device)

    def extra_repr(self) -> str:
        return f"convention={self.convention!r}"
