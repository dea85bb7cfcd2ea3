# SPDX-License-Identifier: Apache-2.0
"""Token ids to what the first block reads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn
from torch.nn import functional

from .._errors import PosencError
from ._eager import goes_straight, records_straight
from ._encode_ops import Encoded, Stage, encode_rows
from ._errors import expect_tensor, fresh
from ._positions import first_places, tensor_of
from ._rows import RowModule
from ._text import ScaleLike, factors_of, scale_text, shape_text

if TYPE_CHECKING:
    from .._types import ConventionLike, Positions


def _read(name: str, given: Positions, ids: Tensor) -> range | Tensor:
    return given if isinstance(given, range) else tensor_of("encode", name, given, ids.device)


class InputEmbedding(RowModule):
    """RN(RN(weight[id] s) + row), then dropout, in one pass over memory; its gradient by sums in a fixed order.

    On other devices by PyTorch's own operators and a kept table.

    Parameters
    ----------
    vocabulary, dim : int
        Of the weight, the one parameter: N(0, 1), as nn.Embedding's.
    convention : str, dict or Convention
    scale : {"none", "sqrt_dim"}, float or Scale
    dropout : float
        In training. The mask follows torch.manual_seed, not the number of threads.
    padding_id : int, optional
        Its row reads as zeros and gets no gradient; the signal is added to it too.

    Examples
    --------
    >>> import torch, posenc.torch
    >>> embed = posenc.torch.InputEmbedding(100, 64, convention="transformer", scale="sqrt_dim")
    >>> embed(torch.tensor([[3, 1, 4], [1, 5, 9]])).shape
    torch.Size([2, 3, 64])
    """

    def __init__(
        self,
        vocabulary: int,
        dim: int,
        *,
        convention: ConventionLike,
        scale: ScaleLike,
        dropout: float = 0.0,
        padding_id: int | None = None,
        recipe: str = "exact",
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        super().__init__(dim, convention, recipe)
        if self.width != dim:
            raise PosencError(
                "input_embedding", "the convention must give as many columns as rows have", str(self.width)
            )
        if vocabulary < 0:
            raise PosencError("input_embedding", "vocabulary must be >= 0", str(vocabulary))
        if not 0 <= dropout < 1:
            raise PosencError("input_embedding", "dropout must be in [0, 1)", str(dropout))
        if padding_id is not None and not 0 <= padding_id < vocabulary:
            raise PosencError("input_embedding", f"padding_id must be in [0, {vocabulary})", str(padding_id))
        self._scale, self.p, self.padding_id = scale_text(scale), dropout, padding_id
        self.weight = nn.Parameter(fresh("input_embedding", [vocabulary, dim], dtype, device))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        nn.init.normal_(self.weight)
        if self.padding_id is not None:
            with torch.no_grad():
                self.weight[self.padding_id].zero_()

    def forward(
        self,
        ids: Tensor,
        positions: Positions | None = None,
        *,
        tokens: Positions | None = None,
    ) -> Tensor:
        """ids [L] or [B, L]; positions 0, 1, .. unless given, [L] or [B, L], as a range, a list, an array or a tensor.

        tokens [L]: of a part of a sequence, where its tokens stand in the whole, so that dropout is that of the whole.
        """
        expect_tensor("input_embedding", "ids", ids)
        if ids.dim() not in (1, 2):
            raise PosencError("input_embedding", "ids must be [L] or [B, L]", shape_text(ids))
        at = first_places(ids.shape[-1], ids.device) if positions is None else _read("positions", positions, ids)
        numbers = None if tokens is None else _read("tokens", tokens, ids)
        if self.weight.device.type not in ("cpu", "meta"):
            return self._elsewhere(ids, at, numbers)
        drops = self.training and self.p > 0
        seed = torch.randint(2**62, (), device="cpu") if drops else None
        stage = self.convention, self._scale, self.p if drops else 0.0, seed, self.padding_id, self.recipe
        given = [each for each in (ids, at, numbers) if isinstance(each, Tensor)]
        if goes_straight(self.weight, *given):
            return encode_rows(self.weight, ids, at, Stage(*stage, numbers))
        if records_straight(self.weight, *given):
            recorded: Tensor = Encoded.apply(self.weight, ids, at, Stage(*stage, numbers))  # type: ignore[no-untyped-call]
            return recorded
        of_tokens = None if numbers is None else tensor_of("encode", "tokens", numbers, ids.device)
        at = tensor_of("encode", "positions", at, ids.device)
        made: Tensor = torch.ops.posenc.encode(self.weight, ids, at, *stage, of_tokens)
        return made

    def _elsewhere(self, ids: Tensor, positions: range | Tensor, tokens: range | Tensor | None = None) -> Tensor:
        if tokens is not None and self.training and self.p > 0:
            rule = "dropout of tokens by their numbers must be on the CPU: elsewhere it is PyTorch's"
            raise PosencError("encode", rule, str(self.weight.device))
        rows = functional.embedding(ids, self.weight, self.padding_id)
        if self.padding_id is not None:
            rows = rows.masked_fill((ids == self.padding_id).unsqueeze(-1), 0)
        if self._scale != "none":
            rows = rows * factors_of(self._scale, self.dim)[rows.dtype == torch.float64]
        made = rows + self.rows(positions, rows.device, rows.dtype)
        return functional.dropout(made, self.p, self.training)

    def extra_repr(self) -> str:
        return (
            f"{self.weight.shape[0]}, {super().extra_repr()}, scale={self._scale!r}, dropout={self.p}, "
            f"padding_id={self.padding_id}"
        )
