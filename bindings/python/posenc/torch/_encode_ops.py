# SPDX-License-Identifier: Apache-2.0
"""The operators posenc::encode and encode_backward: ids to the first block's input in one pass, and the gradient.

A mask of dropout is a function of a seed, which is a tensor: it follows torch.manual_seed, and the backward pass and a
checkpointed second forward pass make the same mask again. `tokens` states where each token stands in a longer sequence,
of which this is a part: the mask is then that of the whole.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.autograd.function import once_differentiable

from .. import _core
from .._errors import PosencError
from ._eager import goes_straight, plain
from ._errors import fresh, refuse_device
from ._positions import tensor_of
from ._text import scale_of, shape_text

_STAGE = "str convention, str scale, float dropout, Tensor? seed, int? padding_id, str recipe, Tensor? tokens=None"
torch.library.define("posenc::encode", f"(Tensor rows, Tensor ids, Tensor positions, {_STAGE}) -> Tensor")
torch.library.define("posenc::encode_backward", f"(Tensor grad, Tensor rows, Tensor ids, {_STAGE}) -> Tensor")


class Stage(NamedTuple):
    """What both operators take behind their tensors, in the order of _STAGE."""

    convention: str
    scale: str
    dropout: float
    seed: Tensor | None
    padding_id: int | None
    recipe: str
    tokens: range | Tensor | None = None

    def over(self, rows: Tensor) -> _core.InputStage:
        key, scale = 0 if self.seed is None else int(self.seed), scale_of(self.scale)
        return _core.InputStage(
            rows, self.convention, None, scale, self.dropout, key, self.padding_id, self.recipe, None
        )


def _runs(tokens: range | Tensor) -> Iterator[tuple[int, int, int]]:
    """Where each run of consecutive tokens begins, its length, and the number of its first token."""
    if isinstance(tokens, range):
        tokens = torch.arange(tokens.start, tokens.stop, tokens.step, device="cpu")
    breaks = (tokens.diff() != 1).nonzero().flatten() + 1
    begins = [0, *breaks.tolist()]
    numbers = tokens[begins].tolist()
    for begin, end, number in zip(begins, [*begins[1:], len(tokens)], numbers, strict=True):
        yield begin, end - begin, number


def _drop(x: Tensor, p: float, seed: Tensor, tokens: range | Tensor) -> None:
    """x [.., L, d] in place."""
    if isinstance(tokens, Tensor) and (tokens.dim() != 1 or tokens.is_floating_point()):
        raise PosencError("encode", "tokens must be whole numbers [L]", f"{shape_text(tokens)} of {tokens.dtype}")
    if len(tokens) != x.shape[-2]:
        raise PosencError("encode", f"tokens must be a number for each of {x.shape[-2]} tokens", str(len(tokens)))
    if len(tokens) == 0:
        return
    key = int(seed)
    for begin, count, number in _runs(tokens):
        part = x.narrow(-2, begin, count)
        _core.dropout(part, p, key, 0, number, part)


def encode_rows(rows: Tensor, ids: Tensor, positions: Any, stage: Stage) -> Tensor:
    """positions: a tensor or a range."""
    out = fresh("encode", [*ids.shape, rows.shape[1]], rows.dtype)
    seed, tokens = stage.seed, stage.tokens
    stage.over(rows).encode(ids, positions, out, seed is not None and tokens is None, 0, 0)
    if seed is not None and tokens is not None:
        _drop(out, stage.dropout, seed, tokens)
    return out


def _encode(rows: Tensor, ids: Tensor, positions: Tensor, *stage: Any) -> Tensor:
    return encode_rows(plain(rows), plain(ids), plain(positions), Stage(*stage))


torch.library.impl("posenc::encode", "CPU", _encode)


def _encode_elsewhere(rows: Tensor, ids: Tensor, positions: Tensor, *stage: Any) -> Tensor:
    refuse_device("encode", rows)


torch.library.impl("posenc::encode", "CompositeExplicitAutograd", _encode_elsewhere)


def _encode_fake(rows: Tensor, ids: Tensor, positions: Tensor, *stage: Any) -> Tensor:
    return rows.new_empty([*ids.shape, rows.shape[1]])


torch.library.register_fake("posenc::encode", _encode_fake)


def _encode_backward(grad: Tensor, rows: Tensor, ids: Tensor, *arguments: Any) -> Tensor:
    stage = Stage(*arguments)
    seed, tokens = stage.seed, stage.tokens
    out = torch.empty(rows.shape, dtype=rows.dtype, device="cpu")
    if seed is None or tokens is None:
        stage.over(plain(rows)).backward(plain(ids), plain(grad), out, seed is not None, 0, 0)
        return out
    # Products and sums of narrow types are f32's, as where the stage drops itself: one rounding, at the end.
    dtype = torch.float64 if rows.dtype == torch.float64 else torch.float32
    kept = plain(grad).to(dtype, copy=True)
    _drop(kept, stage.dropout, seed, tokens)
    wide = out if rows.dtype == dtype else torch.empty(rows.shape, dtype=dtype, device="cpu")
    stage._replace(dropout=0.0, seed=None).over(wide).backward(plain(ids), kept, wide, False, 0, 0)
    return out if wide is out else out.copy_(wide)


torch.library.impl("posenc::encode_backward", "CPU", _encode_backward)


def _encode_backward_elsewhere(grad: Tensor, rows: Tensor, ids: Tensor, *stage: Any) -> Tensor:
    refuse_device("encode_backward", grad)


torch.library.impl("posenc::encode_backward", "CompositeExplicitAutograd", _encode_backward_elsewhere)


def _encode_backward_fake(grad: Tensor, rows: Tensor, ids: Tensor, *stage: Any) -> Tensor:
    return rows.new_empty(rows.shape)


torch.library.register_fake("posenc::encode_backward", _encode_backward_fake)


def _setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    rows, ids, _, *arguments = inputs
    stage = Stage(*arguments)
    ctx.save_for_backward(rows, ids, stage.seed, stage.tokens)
    ctx.stage = stage._replace(seed=None, tokens=None)


def _gradient(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    rows, ids, seed, tokens = ctx.saved_tensors
    stage = ctx.stage._replace(seed=seed, tokens=tokens)
    made = torch.ops.posenc.encode_backward(grad, rows, ids, *stage)
    return made, None, None, *[None] * len(stage)


torch.library.register_autograd("posenc::encode", _gradient, setup_context=_setup)


class Encoded(torch.autograd.Function):
    """The same past the dispatcher, where a gradient of the rows is all that is recorded."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, ids: Tensor, positions: range | Tensor, stage: Stage) -> Tensor:
        tokens = stage.tokens
        ctx.save_for_backward(rows, ids, stage.seed, tokens if isinstance(tokens, Tensor) else None)
        ctx.stage = stage._replace(seed=None, tokens=None if isinstance(tokens, Tensor) else tokens)
        return encode_rows(rows, ids, positions, stage)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
        rows, ids, seed, tokens = ctx.saved_tensors
        stage = ctx.stage._replace(seed=seed, tokens=ctx.stage.tokens if tokens is None else tokens)
        if goes_straight(grad):
            return _encode_backward(grad, rows, ids, *stage), None, None, None
        numbers = tensor_of("encode", "tokens", stage.tokens, ids.device) if stage.tokens is not None else None
        return torch.ops.posenc.encode_backward(grad, rows, ids, *stage[:-1], numbers), None, None, None
