# SPDX-License-Identifier: Apache-2.0
"""posenc's kernels as PyTorch's modules and operators. Importing this imports torch."""

from __future__ import annotations

from . import _encode_ops, _ops  # isort: skip
from . import _batching  # isort: skip
from ._batches import Batch, Batches
from ._context_parallel import context_parallel, join_context
from ._errors import StoredTableWarning
from ._input import InputEmbedding
from ._relative import AlibiBias, RelativeBuckets
from ._replace import Replacement, Swap, replace
from ._rotary_embedding import RotaryEmbedding
from ._rotate import apply_rotary, apply_rotary_
from ._sinusoid import GridEmbedding, PositionalEncoding, SinusoidalEmbedding, TimestepEmbedding

__all__ = [
    "AlibiBias",
    "Batch",
    "Batches",
    "GridEmbedding",
    "InputEmbedding",
    "PositionalEncoding",
    "RelativeBuckets",
    "Replacement",
    "RotaryEmbedding",
    "SinusoidalEmbedding",
    "StoredTableWarning",
    "Swap",
    "TimestepEmbedding",
    "apply_rotary",
    "apply_rotary_",
    "context_parallel",
    "join_context",
    "replace",
]

del _batching, _encode_ops, _ops
