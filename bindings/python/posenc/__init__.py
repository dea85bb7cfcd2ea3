# SPDX-License-Identifier: Apache-2.0
"""The position signal of Transformers: every convention by name, exact at any position.

Every function takes arrays of NumPy, PyTorch, JAX and whatever has DLPack, without a copy, and writes into out= where
given. Nothing here imports NumPy before an array is asked for.
"""

from __future__ import annotations

from . import _core
from ._conformance import CaseScore, ScoreCard, conformance_cases, conformance_score, conformance_write
from ._convention import Convention, Places, Preset, Scale, preset, presets, recipes, regime
from ._errors import PosencError
from ._files import FileIdentification, FileTensor, GgufPositions, check_file, identify_file
from ._inspect import MissingPositions, ModelPart, ModelPositions, PositionRole, inspect, model_types
from ._numbering import (
    masked_place_coordinates,
    place_coordinates,
    positions_of_ends,
    positions_of_ids,
    positions_of_mask,
)
from ._orders import (
    HeadOrder,
    HeadProof,
    Projection,
    TableProof,
    head_order,
    prove_head_order,
    prove_table,
    reorder_columns,
    reorder_rows,
    table_order,
)
from ._referee import (
    Agreement,
    AxisPlaces,
    Candidate,
    Comparison,
    Diagnosis,
    DifferingEntry,
    Explanation,
    Fitted,
    Identification,
    Parting,
    RuledOut,
    ScoreChange,
    check,
    compare,
    explain,
    identify,
    identify_rotation,
    parting,
)
from ._relative import bias, bias_slopes, buckets, log_coordinates, window_buckets
from ._rotary import Rotary, rerotate, rotary_cache, rotary_frequencies, rotate
from ._stage import InputStage, dropout, seeded_rows
from ._tables import Rows, coordinates, grid, learned_rows, query_scale, resize_table, table, timestep

__version__: str = _core.__version__


def set_threads(threads: int) -> None:
    """How many threads large calls use, the calling one included: 1 until asked. No bit depends on it.

    Examples
    --------
    >>> import posenc
    >>> posenc.set_threads(2)
    >>> posenc.threads()
    2
    >>> posenc.set_threads(1)
    """
    _core.set_threads(threads)


def threads() -> int:
    """The number that set_threads was told."""
    return _core.threads()


__all__ = [
    "Agreement",
    "AxisPlaces",
    "Candidate",
    "CaseScore",
    "Comparison",
    "Convention",
    "Diagnosis",
    "DifferingEntry",
    "Explanation",
    "FileIdentification",
    "FileTensor",
    "Fitted",
    "GgufPositions",
    "HeadOrder",
    "HeadProof",
    "Identification",
    "InputStage",
    "MissingPositions",
    "ModelPart",
    "ModelPositions",
    "Parting",
    "Places",
    "PosencError",
    "PositionRole",
    "Preset",
    "Projection",
    "Rotary",
    "Rows",
    "RuledOut",
    "Scale",
    "ScoreCard",
    "ScoreChange",
    "TableProof",
    "bias",
    "bias_slopes",
    "buckets",
    "check",
    "check_file",
    "compare",
    "conformance_cases",
    "conformance_score",
    "conformance_write",
    "coordinates",
    "dropout",
    "explain",
    "grid",
    "head_order",
    "identify",
    "identify_file",
    "identify_rotation",
    "inspect",
    "learned_rows",
    "log_coordinates",
    "masked_place_coordinates",
    "model_types",
    "parting",
    "place_coordinates",
    "positions_of_ends",
    "positions_of_ids",
    "positions_of_mask",
    "preset",
    "presets",
    "prove_head_order",
    "prove_table",
    "query_scale",
    "recipes",
    "regime",
    "reorder_columns",
    "reorder_rows",
    "rerotate",
    "resize_table",
    "rotary_cache",
    "rotary_frequencies",
    "rotate",
    "seeded_rows",
    "set_threads",
    "table",
    "table_order",
    "threads",
    "timestep",
    "window_buckets",
]
