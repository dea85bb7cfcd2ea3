# SPDX-License-Identifier: Apache-2.0
"""Sequences that several ranks share: which tokens each of them has."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor

from .._errors import PosencError
from .._integers import at_least, integer
from ._errors import refuse_size
from ._text import default_device

_CHUNKS = {"contiguous": 1, "striped": 1, "zigzag": 2}  #: of a rank


def _expect_split(length: int, ranks: int, split: str) -> None:
    if split not in _CHUNKS:
        raise PosencError("context_parallel", f"split must be one of {', '.join(_CHUNKS)}", split)
    chunks = _CHUNKS[split] * ranks
    if length < 0 or length % chunks:
        rule = (
            f"length must be a multiple of {chunks}, for equal parts of {ranks} ranks under {split}: pad the sequence"
        )
        raise PosencError("context_parallel", rule, str(length))


def context_parallel(
    length: int, rank: int, ranks: int, *, split: str, device: torch.device | str | None = None
) -> Tensor:
    """The positions of a rank's tokens, int64 (length / ranks,): every operation takes them, and they index tensors.

    An encoding is a function of the position, so what ranks make of these has the bits of one process.

    Parameters
    ----------
    length : int
        Of the whole sequence: a multiple of ranks, and under zigzag of 2 ranks. Another one must be padded.
    rank, ranks : int
        0 <= rank < ranks.
    split : {"contiguous", "striped", "zigzag"}
        One chunk after the other; every ranks-th token; chunks rank and 2 ranks - 1 - rank of 2 ranks, as PyTorch's
        context_parallel has them, so that all have as much to do under a causal mask.

    Raises
    ------
    PosencError
        A length that does not divide, an unknown split, a rank that is none.

    Examples
    --------
    >>> import posenc.torch
    >>> posenc.torch.context_parallel(16, 1, 4, split="zigzag")
    tensor([ 2,  3, 12, 13])
    >>> posenc.torch.context_parallel(16, 1, 4, split="striped")
    tensor([ 1,  5,  9, 13])
    """
    length, rank = integer("context_parallel", "length", length), integer("context_parallel", "rank", rank)
    ranks = at_least(1, "context_parallel", "ranks", ranks)
    _expect_split(length, ranks, split)
    if not 0 <= rank < ranks:
        raise PosencError("context_parallel", f"rank must be in [0, {ranks})", str(rank))
    to = default_device() if device is None else torch.device(device)
    if split == "striped":
        return _range(rank, length, ranks, to)
    size = length // (_CHUNKS[split] * ranks)
    head = _range(rank * size, (rank + 1) * size, 1, to)
    if split == "contiguous":
        return head
    return torch.cat((head, _range(length - (rank + 1) * size, length - rank * size, 1, to)))


def _range(start: int, stop: int, step: int, device: torch.device) -> Tensor:
    try:
        return torch.arange(start, stop, step, device=device)
    except RuntimeError as error:
        refuse_size("context_parallel", [len(range(start, stop, step))], error)


def join_context(shards: Sequence[Tensor], *, split: str, dim: int) -> Tensor:
    """The whole of what the ranks have, in their order: what all_gather gives, with its tokens put back.

    Parameters
    ----------
    shards : sequence of Tensor
        Of equal shapes, a tensor for each rank.
    split : {"contiguous", "striped", "zigzag"}
    dim : int
        The axis of tokens.

    Examples
    --------
    >>> import posenc.torch
    >>> shards = [posenc.torch.context_parallel(8, rank, 2, split="zigzag") for rank in range(2)]
    >>> posenc.torch.join_context(shards, split="zigzag", dim=0)
    tensor([0, 1, 2, 3, 4, 5, 6, 7])
    """
    ranks = len(shards)
    if len({shard.shape for shard in shards}) != 1:
        shapes = ", ".join(str(list(shard.shape)) for shard in shards)
        raise PosencError("join_context", "shards must be tensors of one shape, one for each rank", shapes or "none")
    _expect_split(shards[0].shape[dim] * ranks, ranks, split)
    if split == "contiguous":
        return torch.cat(list(shards), dim)
    if split == "striped":
        axis = dim % shards[0].dim()
        return torch.stack(list(shards), axis + 1).flatten(axis, axis + 1)
    heads, tails = zip(*(shard.tensor_split(2, dim) for shard in shards), strict=True)
    return torch.cat((*heads, *tails[::-1]), dim)
