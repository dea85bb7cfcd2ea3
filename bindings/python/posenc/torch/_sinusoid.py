# SPDX-License-Identifier: Apache-2.0
"""Position rows as modules: added to embeddings, by themselves, of diffusion steps, of grids."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
from torch import Tensor, nn

from .. import _core
from .._convention import Places
from .._errors import PosencError
from ._errors import expect_tensor
from ._ops import places_text, write_grid
from ._positions import device_of, first_places, tensor_of
from ._rows import RowModule
from ._text import DTYPES, ScaleLike, default_device, dtype_text, factors_of, scale_text, shape_text

if TYPE_CHECKING:
    from typing import Self

    from .._types import ConventionLike, Positions
    from ._positions import PositionsLike


class PositionalEncoding(RowModule):
    """x s + rows, then dropout: at any length, of positions 0, 1, .., or of one position.

    Parameters
    ----------
    dim : int
    dropout : float
        PyTorch's, in training.
    convention : str, dict or Convention
        Of rows of one axis.
    batch_first : bool
        x is [B, L, d], or else [L, B, d]; [L, d] in either.
    scale : {"none", "sqrt_dim"}, float or Scale
        What x is multiplied with first.

    Examples
    --------
    >>> import torch, posenc.torch
    >>> encode = posenc.torch.PositionalEncoding(8, 0.1, convention="opennmt", batch_first=False, scale="sqrt_dim")
    >>> encode(torch.ones(5, 2, 8)).shape                          # tokens, sentences, columns
    torch.Size([5, 2, 8])
    >>> encode.eval()(torch.ones(1, 2, 8), step=7).shape
    torch.Size([1, 2, 8])
    """

    def __init__(
        self,
        dim: int,
        dropout: float = 0.0,
        *,
        convention: ConventionLike,
        batch_first: bool,
        scale: ScaleLike,
        recipe: str = "exact",
    ) -> None:
        super().__init__(dim, convention, recipe)
        if self.width != dim:
            raise PosencError(
                "positional_encoding", "the convention must give as many columns as x has", str(self.width)
            )
        self.dropout = nn.Dropout(dropout)
        self.batch_first, self._scale = batch_first, scale_text(scale)
        self._factors = factors_of(self._scale, dim)

    def forward(self, x: Tensor, step: Positions | None = None) -> Tensor:
        """step: the position of the one token that x has, or of that of each of its B sequences [B]."""
        expect_tensor("positional_encoding", "x", x)
        if x.shape[-1] != self.dim or x.dim() not in (2, 3):
            raise PosencError("positional_encoding", f"x must be [.., L, d] of width {self.dim}", shape_text(x))
        tokens_first = x.dim() == 3 and not self.batch_first
        length = x.shape[0] if tokens_first else x.shape[-2]
        if self._scale != "none":
            x = x * self._factors[x.dtype == torch.float64]
        laid = x.transpose(0, 1) if tokens_first else x
        made = self.added(laid, self._positions(length, step, x.device))
        made = made.transpose(0, 1) if tokens_first else made
        return self.dropout(made) if self.training and self.dropout.p else made

    def _positions(self, length: int, step: Positions | None, device: torch.device) -> range | Tensor:
        if step is None:
            return first_places(length, device)
        if length != 1:
            raise PosencError("positional_encoding", "with a step x must have one token", str(length))
        if type(step) is int and not torch.compiler.is_compiling():  # of a graph it would be a constant
            return range(step, step + 1)
        steps = tensor_of("positional_encoding", "step", step, device)
        return steps if steps.shape == (1,) else steps.reshape(-1, 1)

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, batch_first={self.batch_first}, scale={self._scale!r}"


class _Typed(RowModule):
    """Rows of a type of its own, which .to(), .half() and the like change, and on the device that they name."""

    def __init__(self, dim: int, convention: ConventionLike, recipe: str, dtype: torch.dtype) -> None:
        super().__init__(dim, convention, recipe)
        dtype_text("rows", dtype)
        self.dtype = dtype

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> Self:
        self.dtype = fn(torch.empty(0, dtype=self.dtype, device="cpu")).dtype
        super()._apply(fn, recurse)  # type: ignore[no-untyped-call]
        return self

    def extra_repr(self) -> str:
        return f"{super().extra_repr()}, dtype={DTYPES[self.dtype]}"


class SinusoidalEmbedding(_Typed):
    """Rows of positions, of one axis or several: in the place of an nn.Embedding whose weight is a table.

    Examples
    --------
    >>> import torch, posenc.torch
    >>> rows = posenc.torch.SinusoidalEmbedding(384, convention="whisper")
    >>> rows(torch.arange(1500)).shape
    torch.Size([1500, 384])
    >>> rows.half()(7).dtype
    torch.float16
    """

    _stored_names = ("weight", "pe")

    def __init__(
        self,
        dim: int,
        *,
        convention: ConventionLike,
        recipe: str = "exact",
        dtype: torch.dtype = torch.float32,
        num_embeddings: int | None = None,
    ) -> None:
        super().__init__(dim, convention, recipe, dtype)
        self.num_embeddings, self.embedding_dim = num_embeddings, self.width  #: what others ask an nn.Embedding

    def forward(self, positions: PositionsLike) -> Tensor:
        device = positions.device if type(positions) is Tensor else device_of(positions)
        made = self.rows(positions, device, self.dtype)
        is_kept = isinstance(positions, range) and not torch.compiler.is_compiling() and made._is_view()
        return made.clone() if is_kept else made


class TimestepEmbedding(_Typed):
    """Rows of steps of a diffusion process, whole or fractional [N], as a tensor, an array or a list.

    Examples
    --------
    >>> import torch, posenc.torch
    >>> rows = posenc.torch.TimestepEmbedding(320, convention="stable-diffusion-timestep")
    >>> rows(torch.tensor([0.0, 999.5])).shape
    torch.Size([2, 320])
    """

    def __init__(
        self, dim: int, *, convention: ConventionLike, recipe: str = "exact", dtype: torch.dtype = torch.float32
    ) -> None:
        super().__init__(dim, convention, recipe, dtype)
        _core.timestep(self.convention, dim, range(0), None, recipe, None, torch.empty(0, self.width, device="cpu"))

    def forward(self, steps: Positions) -> Tensor:
        if isinstance(steps, Tensor) and steps.dtype not in (torch.float64, torch.int32, torch.int64):
            steps = steps.float()
        at = tensor_of("timestep", "steps", steps, device_of(steps))
        return self.at([at], self.dtype)


class _Cells(NamedTuple):
    asked: tuple[tuple[int, ...], torch.device, torch.dtype]
    cells: Tensor  #: its version counts changes in place, by whoever got it


class GridEmbedding(_Typed):
    """The table of all cells of an image, a video or a volume; the last one is kept until someone changes it.

    Examples
    --------
    >>> import torch, posenc.torch
    >>> cells = posenc.torch.GridEmbedding(768, convention="mae-2d")
    >>> cells(14, 14).shape
    torch.Size([14, 14, 768])
    """

    def __init__(
        self,
        dim: int,
        *,
        convention: ConventionLike,
        recipe: str = "exact",
        places: Places | None = None,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        super().__init__(dim, convention, recipe, dtype)
        self.places = Places(*_core.cell_places(convention, places))  #: of the preset's name, where there is one
        self._last: _Cells | None = None

    def forward(self, *extents: int, device: torch.device | str | None = None) -> Tensor:
        to = default_device() if device is None else torch.device(device)
        if torch.compiler.is_compiling():
            of = (self.convention, self.dim, self.dtype, self.recipe, places_text(self.places))
            made: Tensor = torch.ops.posenc.grid(extents, *of, to)
            return made
        last = self._last
        if last is not None and last.asked == (extents, to, self.dtype) and last.cells._version == 0:
            return last.cells
        self._expect_cells(extents)
        if to.type == "meta":
            return torch.empty(*extents, self.width, dtype=self.dtype, device=to)
        with torch.inference_mode(False):  # a gradient may be asked for later
            out = write_grid(extents, self.convention, self.dim, self.dtype, self.recipe, self.places)
            self._last = _Cells((extents, to, self.dtype), out.to(to))
        return self._last.cells

    def _expect_cells(self, extents: tuple[int, ...]) -> None:
        rows = 1
        for extent in extents:
            if not isinstance(extent, int):
                raise TypeError(f"[grid] extents must be integers, got {type(extent).__name__}")
            if extent < 0:
                raise PosencError("grid", "extents must be >= 0", f"{extent}")
            rows *= extent
        if rows * self.width * self.dtype.itemsize >= 2**63:
            raise PosencError("grid", "the result must fit into memory", f"an array of shape {(*extents, self.width)}")

    def __getstate__(self) -> dict[str, Any]:
        return {**super().__getstate__(), "_last": None}
