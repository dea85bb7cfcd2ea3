# SPDX-License-Identifier: Apache-2.0
"""Files of texts to Parquet files of ids, part by part, on any engine that calls a function of a part.

A part becomes part-N.parquet, whole or not at all. A row that is not UTF-8, null, too long or in a damaged row group
goes into rejects/part-N.jsonl with the reason. examples/corpus_ray.py runs this on processes and on Ray. Importing it
imports pyarrow, which `posenc[ray]` brings.
"""

from __future__ import annotations

from . import _needs  # isort: skip
from .._parquet import one_line
from ._inputs import Part, parts_of, read_part
from ._parts import FAULTS, UNCOMPRESSED, Work, part_file, whole_part
from ._processes import by_processes
from ._run import run, stated

__all__ = [
    "FAULTS",
    "UNCOMPRESSED",
    "Part",
    "Work",
    "by_processes",
    "one_line",
    "part_file",
    "parts_of",
    "read_part",
    "run",
    "stated",
    "whole_part",
]

del _needs
