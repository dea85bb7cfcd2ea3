# SPDX-License-Identifier: Apache-2.0
"""Of pairs of positions: biases of attention scores, and the classes whose rows a model has learned."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor, nn

from .. import _core
from .._convention import Convention, convention_text
from .._errors import PosencError
from ._ops import write_bias, write_buckets
from ._positions import device_of, tensor_of
from ._text import DTYPES, dtype_text, shape_text

if TYPE_CHECKING:
    from .._types import Array, ConventionLike, Positions


def _place(operation: str, name: str, positions: int | Positions) -> range | Tensor:
    """A number n is positions 0 to n - 1. Kernels are on the CPU."""
    if isinstance(positions, range):
        return positions
    if isinstance(positions, (int, np.integer)) and not isinstance(positions, bool):
        if positions < 0:
            raise PosencError(operation, f"the number of {name} must be >= 0", str(positions))
        return range(positions)
    at = tensor_of(operation, name, positions, device_of(positions))
    return at.cpu() if not at.is_meta else range(at.shape[-1])


def _listed(operation: str, name: str, positions: int | Positions, device: torch.device) -> Tensor:
    """The same for a graph, which has no ranges."""
    if isinstance(positions, int) and not isinstance(positions, bool):
        return torch.arange(positions, device=device)
    return tensor_of(operation, name, positions, device)


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
        dtype_text("bias", dtype)  # says now what it would say at the first call
        self.dtype = dtype
        stated = Convention(self.convention)
        if stated.family != "slopes":
            raise PosencError("bias", "convention must be of slopes", stated.family)
        stated.columns(heads)

    def forward(self, queries: int | Positions, keys: int | Positions, present: Array = None) -> Tensor:
        """queries, keys: how many, or positions [L] and [S] as a range, a list, an array or a tensor; present: a mask
        [S], of [B, S] a bias each.

        Where keys are told by their number, those that are present count 0, 1, .. (Bloom).
        """
        device = device_of(queries, keys, present)
        masks = present if present is None or isinstance(present, Tensor) else torch.as_tensor(present)
        if masks is not None and masks.dim() not in (1, 2):
            raise PosencError("bias", "present must be [S] or [B, S]", shape_text(masks))
        of = (isinstance(keys, (int, np.integer)), self.convention, self.heads, self.head, self.dtype)
        if torch.compiler.is_compiling():
            at = (_listed("bias", "queries", queries, device), _listed("bias", "keys", keys, device))
            made: Tensor = torch.ops.posenc.bias(*at, masks, *of)
            return made
        q, k = _place("bias", "queries", queries), _place("bias", "keys", keys)
        if device.type == "meta":
            batch = [] if masks is None or masks.dim() == 1 else [masks.shape[0]]
            return torch.empty([*batch, self.heads, len(q), len(k)], dtype=self.dtype, device=device)
        return write_bias(q, k, masks, *of).to(device)

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

    def forward(self, queries: int | Positions, keys: int | Positions) -> Tensor:
        """How many, or positions [L] and [S] as a range, a list, an array or a tensor."""
        device = device_of(queries, keys)
        if torch.compiler.is_compiling():
            at = (_listed("buckets", "queries", queries, device), _listed("buckets", "keys", keys, device))
            made: Tensor = torch.ops.posenc.buckets(*at, self.convention)
            return made
        q, k = _place("buckets", "queries", queries), _place("buckets", "keys", keys)
        if device.type == "meta":
            return torch.empty(len(q), len(k), dtype=torch.int64, device=device)
        return write_buckets(q, k, self.convention).to(device)

    def extra_repr(self) -> str:
        return f"convention={self.convention!r}"
