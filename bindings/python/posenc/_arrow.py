# SPDX-License-Identifier: Apache-2.0
"""Columns of Arrow as arrays of NumPy and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ._errors import PosencError

if TYPE_CHECKING:
    from numpy import bool_, int64
    from numpy.typing import NDArray


def table_of(batch: Any) -> Any:
    import pyarrow as pa

    if isinstance(batch, pa.Table):
        return batch
    if isinstance(batch, pa.RecordBatch):
        return pa.Table.from_batches([batch])
    if isinstance(batch, Mapping):
        return pa.table(dict(batch))
    rule = "a batch must be a pyarrow Table or RecordBatch, or a dict of columns"
    raise TypeError(f"[corpus] {rule}, got {type(batch).__name__}")


def like(batch: Any, table: Any) -> Any:
    """A RecordBatch for a RecordBatch, else the table."""
    import pyarrow as pa

    if not isinstance(batch, pa.RecordBatch):
        return table
    made = table.combine_chunks().to_batches()
    return made[0] if made else pa.RecordBatch.from_pylist([], table.schema)


def column_of(table: Any, name: str, operation: str) -> Any:
    if name in table.column_names:
        return table[name]
    there = ", ".join(table.column_names) or "none"
    raise PosencError(operation, f"a batch must have the column {name}", there)


def whole(column: Any) -> Any:
    """One array of a column."""
    import pyarrow as pa

    if not isinstance(column, pa.ChunkedArray):
        return column
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def integers_of(column: Any, name: str) -> NDArray[int64]:
    import numpy as np
    import pyarrow as pa

    if not pa.types.is_integer(column.type):
        raise TypeError(f"[corpus] {name} must be a column of integers, got {column.type}")
    if column.null_count:
        raise PosencError("corpus", f"{name} must not be null", f"{column.null_count} nulls")
    numbers: NDArray[int64] = np.asarray(whole(column).cast(pa.int64()))
    return numbers


def texts_of(column: Any, name: str) -> Any:
    """Texts as large_binary."""
    import pyarrow as pa

    types = (pa.string(), pa.large_string(), pa.binary(), pa.large_binary(), pa.null())
    if column.type not in types and not pa.types.is_string_view(column.type):
        raise TypeError(f"[tokenize] {name} must be a column of strings or binary, got {column.type}")
    return whole(column.cast(pa.large_binary()))


def bytes_of(binary: Any) -> tuple[NDArray[Any], NDArray[Any]]:
    """The bytes of all texts, and where each begins; of a null nothing."""
    import numpy as np

    if binary.null_count:
        binary = binary.fill_null(b"")
    _, offsets, data = binary.buffers()
    count = len(binary)
    ends = np.frombuffer(offsets, np.int64, count + 1, 8 * binary.offset) if count else np.zeros(1, np.int64)
    return np.frombuffer(data or b"", np.uint8), ends


def pieces(counts: NDArray[Any], most: int | None) -> tuple[NDArray[int64], NDArray[int64]]:
    """The text of every row, and the index of its first token there."""
    import numpy as np

    each = np.ones_like(counts) if most is None else np.maximum(1, -(-counts // most))
    of = np.repeat(np.arange(len(counts)), each)
    place = np.arange(len(of)) - np.repeat(np.cumsum(each) - each, each)
    return of, place * (most or 0)


def lists(ids: NDArray[Any], starts: NDArray[Any], is_bad: NDArray[Any]) -> Any:
    """A list of ids for every row, null where it is bad."""
    import numpy as np
    import pyarrow as pa

    if is_bad.any():
        counts = np.diff(starts)
        ids = ids[np.repeat(~is_bad, counts)]
        starts = np.append(0, np.cumsum(np.where(is_bad, 0, counts)))
    if len(ids) >= 1 << 31:
        raise PosencError("tokenize", "a batch must have less than 2^31 tokens", str(len(ids)))
    offsets = pa.array(starts, pa.int32())
    return pa.ListArray.from_arrays(offsets, pa.array(ids, pa.int32()), mask=pa.array(is_bad))


def only(binary: Any, is_kept: NDArray[Any]) -> Any:
    """The texts that are kept, null elsewhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not is_kept.any():
        return pa.nulls(len(binary), pa.large_binary())
    return pc.if_else(pa.array(is_kept), binary, pa.scalar(None, pa.large_binary()))


def lists_of(column: Any, name: str) -> tuple[NDArray[int64], NDArray[int64], NDArray[bool_]]:
    """The ids of all rows, where those of each begin, and which rows are null."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.compute as pc

    if not (pa.types.is_list(column.type) or pa.types.is_large_list(column.type)):
        raise TypeError(f"[encode] {name} must be a column of lists of integers, got {column.type}")
    array = whole(column)
    counts = np.asarray(pc.fill_null(pc.list_value_length(array), 0).cast(pa.int64()))
    return integers_of(array.flatten(), name), np.append(0, np.cumsum(counts)), np.asarray(array.is_null())


def tensors(values: NDArray[Any], is_null: NDArray[Any], type: Any) -> Any:
    import numpy as np
    import pyarrow as pa

    flat = values.reshape(-1)
    stored = pa.array(flat.view(np.uint16) if values.dtype.kind == "V" else flat)
    mask = pa.array(is_null) if is_null.any() else None
    lists = pa.FixedSizeListArray.from_arrays(stored, type.storage_type.list_size, mask=mask)
    return pa.ExtensionArray.from_storage(type, lists)
