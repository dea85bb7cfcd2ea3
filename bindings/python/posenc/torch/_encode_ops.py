# SPDX-License-Identifier: Apache-2.0
"""The operators posenc::encode and encode_backward: ids to the first block's input in one pass, and the gradient.

A mask of dropout is a function of a seed, which is a tensor: it follows torch.manual_seed, and the backward pass and a
checkpointed second forward pass make the same mask again.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from .. import _core
from ._eager import plain
from ._errors import refuse_device
from ._text import scale_of

_STAGE = "str convention, str scale, float dropout, Tensor? seed, int? padding_id, str recipe"
torch.library.define("posenc::encode", f"(Tensor rows, Tensor ids, Tensor positions, {_STAGE}) -> Tensor")
torch.library.define("posenc::encode_backward", f"(Tensor grad, Tensor rows, Tensor ids, {_STAGE}) -> Tensor")


def _stage(
    rows: Tensor, convention: str, scale: str, dropout: float, seed: Tensor | None, padding_id: int | None, recipe: str
) -> _core.InputStage:
    key = 0 if seed is None else int(seed)
    return _core.InputStage(rows, convention, None, scale_of(scale), dropout, key, padding_id, recipe, None)


def encode_rows(rows: Tensor, ids: Tensor, positions: Any, *stage: Any) -> Tensor:
    """positions: a tensor or a range."""
    out = rows.new_empty([*ids.shape, rows.shape[1]]).detach()
    _stage(rows, *stage).encode(ids, positions, out, stage[3] is not None, 0, 0)
    return out


def _encode(rows: Tensor, ids: Tensor, positions: Tensor, *stage: Any) -> Tensor:
    return encode_rows(plain(rows), plain(ids), plain(positions), *stage)


torch.library.impl("posenc::encode", "CPU", _encode)


def _encode_elsewhere(rows: Tensor, ids: Tensor, positions: Tensor, *stage: Any) -> Tensor:
    refuse_device("encode", rows)


torch.library.impl("posenc::encode", "CompositeExplicitAutograd", _encode_elsewhere)


def _encode_fake(rows: Tensor, ids: Tensor, positions: Tensor, *stage: Any) -> Tensor:
    return rows.new_empty([*ids.shape, rows.shape[1]])


torch.library.register_fake("posenc::encode", _encode_fake)


def _encode_backward(grad: Tensor, rows: Tensor, ids: Tensor, *stage: Any) -> Tensor:
    out = torch.empty(rows.shape, dtype=rows.dtype, device="cpu")
    _stage(plain(rows), *stage).backward(plain(ids), plain(grad), out, stage[3] is not None, 0, 0)
    return out


torch.library.impl("posenc::encode_backward", "CPU", _encode_backward)


def _encode_backward_elsewhere(grad: Tensor, rows: Tensor, ids: Tensor, *stage: Any) -> Tensor:
    refuse_device("encode_backward", grad)


torch.library.impl("posenc::encode_backward", "CompositeExplicitAutograd", _encode_backward_elsewhere)


def _encode_backward_fake(grad: Tensor, rows: Tensor, ids: Tensor, *stage: Any) -> Tensor:
    return rows.new_empty(rows.shape)


torch.library.register_fake("posenc::encode_backward", _encode_backward_fake)


def _setup(ctx: Any, inputs: tuple[Any, ...], output: Tensor) -> None:
    rows, ids, _, convention, scale, dropout, seed, padding_id, recipe = inputs
    ctx.save_for_backward(rows, ids, seed)
    ctx.stage = convention, scale, dropout, padding_id, recipe


def _gradient(ctx: Any, grad: Tensor) -> tuple[Any, ...]:
    rows, ids, seed = ctx.saved_tensors
    convention, scale, dropout, padding_id, recipe = ctx.stage
    made = torch.ops.posenc.encode_backward(
        grad, rows, ids, convention, scale, dropout, seed, padding_id, recipe
    )  # fmt: skip
    return made, *[None] * 8


torch.library.register_autograd("posenc::encode", _gradient, setup_context=_setup)
