# SPDX-License-Identifier: Apache-2.0
"""Pictures of conventions, by matplotlib."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._errors import PosencError
from ._relative import bias
from ._rotary import rotary_cache
from ._tables import coordinates

if TYPE_CHECKING:
    from ._convention import Convention


def _picture(convention: Convention, dim: int, positions: range) -> tuple[Any, str, str]:
    if convention.family == "waves":
        axes = convention.axes
        return coordinates(convention, dim, positions if len(axes) == 1 else [positions] * len(axes)), "column", axes[0]
    if convention.family == "rotary":
        lists = positions if len(convention.axes) == 1 else [positions] * len(convention.axes)
        return (
            next(iter(rotary_cache(convention, dim, lists, stored="halves_twice").values())),
            "column",
            convention.axes[0],
        )
    if convention.family == "slopes":
        return bias(convention, 8, positions, positions, head=dim)[3], "key", "query"
    raise PosencError("plot", "convention must be of waves, rotary or slopes", convention.family)


def plot(convention: Convention, ax: Any, dim: int, positions: range) -> Any:
    picture, across, down = _picture(convention, dim, positions)
    if ax is None:
        import matplotlib.pyplot as plt

        ax = plt.subplots()[1]
    ax.imshow(picture, aspect="auto", interpolation="nearest", cmap="RdBu")
    ax.set_xlabel(across)
    ax.set_ylabel(down)
    return ax
