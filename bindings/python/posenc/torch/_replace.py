# SPDX-License-Identifier: Apache-2.0
"""Exact tables in the place of those of a model of transformers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor, nn

from .._convention import convention_text
from .._errors import PosencError
from .._inspect import ModelPositions, PositionRole, inspect
from ._ops import cache_width, table_width, write_cache, write_table
from ._probe import Apart, compare, is_table, own_type
from ._rotary_embedding import RotaryEmbedding, rotations_of
from ._sinusoid import SinusoidalEmbedding


class Swap(NamedTuple):
    """What was put in the place of what, and how far the two tables are apart."""

    name: str  #: of the module in the model
    was: str  #: its class
    role: str  #: of posenc.inspect
    how: str  #: "module": another stands there; "values": the tensor of that name was written
    difference: float  #: the largest, between its table and the exact one, in f32
    position: int  #: where
    bound: float  #: what rounding explains there


class Replacement(NamedTuple):
    """What replace did."""

    swapped: tuple[Swap, ...]
    left: tuple[tuple[str, str], ...]  #: names of modules that look like tables, and why they stay

    def __str__(self) -> str:
        lines = [
            f"{each.name} ({each.was}) by {each.role}: up to {each.difference:.3g} apart, at position {each.position}; "
            f"rounding explains {each.bound:.3g}"
            for each in self.swapped
        ]
        lines += [f"{name} stays: {why}" for name, why in self.left]
        return "\n".join(lines) or "nothing to replace"


def replace(model: nn.Module, config: Any = None) -> Replacement:
    """Swaps the rotary and sinusoidal modules of a model of transformers for exact ones, by its configuration.

    A module is swapped where its own table agrees with the configuration's convention, as far as rounding explains.
    GPT-J's buffers and tables of other classes than nn.Embedding are written with exact values instead.

    Parameters
    ----------
    model : torch.nn.Module
    config : a configuration, a dict, JSON or a path, optional
        In place of model.config.

    Returns
    -------
    Replacement

    Raises
    ------
    PosencError
        The configuration is of a type that posenc.inspect does not know.
    """
    stated = getattr(model, "config", None) if config is None else config
    if stated is None:
        raise PosencError("replace", "config must be given where the model has none", type(model).__name__)
    positions = inspect(stated)
    swapped: list[Swap] = []
    left: list[tuple[str, str]] = []
    for name, module in list(model.named_modules()):
        if is_rotary(module):
            swap = _swap_rotary(model, name, module, positions)
            if isinstance(swap, Swap):
                swapped.append(swap)
            else:
                left.append((name, swap))
        else:
            swapped += _swap_tables(model, name, module, positions)
    return Replacement(tuple(swapped), tuple(left))


def is_rotary(module: nn.Module) -> bool:
    """By its name and its frequencies, as classes of transformers have them."""
    has_frequencies = any(name.endswith("inv_freq") for name, _ in module.named_buffers(recurse=False))
    return has_frequencies and "Rotary" in type(module).__name__


def _put(model: nn.Module, name: str, module: nn.Module) -> None:
    parent, _, own = name.rpartition(".")
    setattr(model.get_submodule(parent), own, module)


# ---- rotations -----------------------------------------------------------------------------------------------------


def _candidates(positions: ModelPositions) -> Iterator[tuple[str, RotaryEmbedding]]:
    for part, rotations in rotations_of(positions).items():
        role = ".".join(filter(None, (part, "rotary")))
        several = len(next(iter(rotations.values()))[0].axes) > 1
        for stored in ("halves_twice", "halves_once", "pairs_twice"):
            for coordinates in (0, -1) if several else (0,):
                if "" in rotations:
                    yield role, RotaryEmbedding(*rotations[""], stored=stored, coordinates=coordinates)
                else:
                    yield role, RotaryEmbedding(rotations, stored=stored, coordinates=coordinates)


def _swap_rotary(model: nn.Module, name: str, old: nn.Module, positions: ModelPositions) -> Swap | str:
    device = next(old.buffers()).device
    if device.type == "meta":
        return "on meta there is no table to compare with"
    last = min(int(getattr(old, "max_seq_len_cached", 0) or 4096), 1 << 17)
    found: list[tuple[Apart, str, RotaryEmbedding]] = []
    for role, new in _candidates(positions):
        compared = compare(old, new, last, device)
        if compared is not None:
            found.append((compared, role, new))
    if not found:
        return "no role of the configuration makes tables of its shape"
    best, role, new = min(found, key=lambda each: (not each[0].is_explained, each[0].difference))
    if not best.is_explained:
        return (
            f"its tables are {best.difference:.3g} from those of {role} at position {best.position}, "
            f"rounding explains {best.bound:.3g}"
        )
    new.dtype = own_type(old, new, device)
    new.train(old.training)
    _put(model, name, new)
    return Swap(name, type(old).__name__, role, "module", best.difference, best.position, best.bound)


# ---- stored rows ---------------------------------------------------------------------------------------------------


def _exact_rows(role: PositionRole) -> tuple[int, Callable[[range, torch.dtype], Tensor]] | None:
    """The width of a role's table, and its rows."""
    if role.convention is None or len(role.convention.fields.get("axes", ())) != 1:
        return None
    text = convention_text(role.convention)
    if role.convention.family == "waves" and role.columns is not None:
        dim, width = role.columns, table_width(text, role.columns)

        def waves(at: range, dtype: torch.dtype) -> Tensor:
            out = torch.empty(len(at), width, dtype=dtype, device="cpu")
            return write_table(at, text, dim, dtype, "exact", None, out)

        return width, waves
    if role.convention.family == "rotary" and role.convention.stored == "sine_cosine" and role.head is not None:
        head, columns = role.head, cache_width(text, role.head)

        def sine_cosine(at: range, dtype: torch.dtype) -> Tensor:
            return write_cache(at, [len(at), columns], text, head, "sine_cosine", dtype, "exact", None)[0]

        return columns, sine_cosine
    return None


def _swap_tables(model: nn.Module, name: str, module: nn.Module, positions: ModelPositions) -> list[Swap]:
    swaps = []
    tensors = [*module.named_parameters(recurse=False), *module.named_buffers(recurse=False)]
    for own, tensor in tensors:
        if tensor.is_meta or not tensor.is_floating_point() or tensor.dim() < 2:
            continue
        stored = tensor.detach().reshape(-1, tensor.shape[-1]) if tensor.numel() == tensor.shape[-1] * max(
            tensor.shape[:-1]
        ) else None  # fmt: skip
        for full, role in positions.roles.items():
            made = _exact_rows(role) if stored is not None and stored.numel() else None
            if made is None or stored is None or made[0] != stored.shape[1]:
                continue
            found = is_table(stored, made[1])
            if found is None:
                continue
            how = _put_rows(model, name, module, role, tensor, made[1])
            where = name if how == "module" else ".".join(filter(None, (name, own)))
            swaps.append(Swap(where, type(module).__name__, full, how, found.difference, found.position, found.bound))
            break
    return swaps


def _put_rows(
    model: nn.Module,
    name: str,
    module: nn.Module,
    role: PositionRole,
    tensor: Tensor,
    exact: Callable[[range, torch.dtype], Tensor],
) -> str:
    is_rows = role.convention is not None and role.convention.family == "waves" and role.columns is not None
    if type(module) is nn.Embedding and is_rows:
        assert role.columns is not None and role.convention is not None
        rows = SinusoidalEmbedding(
            role.columns, convention=role.convention, dtype=tensor.dtype, num_embeddings=module.num_embeddings
        )
        _put(model, name, rows.train(module.training))
        return "module"
    count = tensor.numel() // tensor.shape[-1]
    with torch.no_grad():
        tensor.copy_(exact(range(count), tensor.dtype).reshape(tensor.shape))
    return "values"
