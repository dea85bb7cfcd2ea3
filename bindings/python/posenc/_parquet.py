# SPDX-License-Identifier: Apache-2.0
"""Files of Parquet, whose faults name them."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

from ._errors import PosencError


@contextlib.contextmanager
def parquet_of(operation: str, path: str, metadata: Any = None) -> Iterator[Any]:
    """A pyarrow.parquet.ParquetFile. metadata: its footer, where that is known."""
    import pyarrow.parquet as pq

    with content_of(operation, path), pq.ParquetFile(path, metadata=metadata) as file:
        yield file


@contextlib.contextmanager
def content_of(operation: str, path: str) -> Iterator[None]:
    """What Arrow says of the content of a file; what the system says of it, and a lack of memory, stay."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno is not None):
            raise
        rule = "a table must be a whole file of Parquet"
        raise PosencError(operation, rule, f"{path}: {one_line(error)}") from error


def one_line(error: Exception) -> str:
    """What an error says, where others say it over several lines."""
    return " ".join(str(error).split())
