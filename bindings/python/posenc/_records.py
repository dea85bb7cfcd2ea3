# SPDX-License-Identifier: Apache-2.0
"""Rows of ids in Parquet files by their number, from whichever row group has them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ._arrow import integers_of, lists_of
from ._corpus import KEY, Corpus, Part
from ._errors import PosencError
from ._extras import expect_pyarrow
from ._parquet import parquet_of

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

_COLUMNS = ("row", "first", "ids")


class Rows(NamedTuple):
    """Some rows: the ids of row i are ids[offsets[i]:offsets[i + 1]]."""

    row: NDArray[int64]
    first: NDArray[int64]
    ids: NDArray[int64]
    offsets: NDArray[int64]


class Records:
    """The rows of all files in their order, which is that of their names."""

    def __init__(self, path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> None:
        import numpy as np

        expect_pyarrow("batches")
        self._files = _files_of(path)
        stated, groups, parts = None, [], []
        for file in self._files:
            with parquet_of("batches", file) as opened:
                footer = opened.metadata
            said = (footer.metadata or {}).get(KEY)
            self.corpus = Corpus.of(footer.metadata)
            if stated is not None and said != stated:
                rule = f"all files must have the metadata of {self._files[0]}"
                raise PosencError("batches", rule, f"others in {file}")
            missing = [name for name in _COLUMNS if name not in footer.schema.to_arrow_schema().names]
            if missing:
                raise PosencError("batches", f"a file must have the column {missing[0]}", file)
            stated = said
            parts.append(Part.of(footer.metadata))
            groups += [(file, i, footer.row_group(i).num_rows) for i in range(footer.num_row_groups)]
        if isinstance(path, (str, os.PathLike)) and os.path.isdir(path):
            _expect_all(parts, self._files, path)
        self._groups = [(file, i) for file, i, _ in groups]
        self._starts = np.append(0, np.cumsum([count for *_, count in groups], dtype=np.int64))
        self._last: tuple[int, Rows] | None = None
        self._footer: tuple[str, Any] | None = None

    def __len__(self) -> int:
        return int(self._starts[-1])

    def read(self, start: int, count: int) -> Rows:
        """`count` > 0 rows from number `start` on."""
        import numpy as np

        parts = []
        group = int(np.searchsorted(self._starts, start, "right")) - 1
        while count > 0:
            rows, begin = self._group(group), start - int(self._starts[group])
            end = min(begin + count, len(rows.row))
            at = rows.offsets[begin : end + 1]
            parts.append(Rows(rows.row[begin:end], rows.first[begin:end], rows.ids[at[0] : at[-1]], at - at[0]))
            start, count, group = start + end - begin, count - (end - begin), group + 1
        if len(parts) == 1:
            return parts[0]
        counts = np.concatenate([np.diff(part.offsets) for part in parts])
        joined = [np.concatenate(arrays) for arrays in zip(*(part[:3] for part in parts), strict=True)]
        return Rows(joined[0], joined[1], joined[2], np.append(0, np.cumsum(counts)))

    def _group(self, number: int) -> Rows:
        """The one that was read last is kept, and the footer of its file, which says where each one begins."""
        last = self._last  # other threads may put theirs there meanwhile
        if last is None or last[0] != number:
            file, index = self._groups[number]
            kept = self._footer
            with parquet_of("batches", file, kept[1] if kept and kept[0] == file else None) as opened:
                table = opened.read_row_group(index, list(_COLUMNS), use_threads=False)
                self._footer = file, opened.metadata
            ids, offsets, is_null = lists_of(table["ids"], "ids")
            if is_null.any():
                raise PosencError("batches", "ids must not be null", file, (int(is_null.argmax()),))
            rows = Rows(integers_of(table["row"], "row"), integers_of(table["first"], "first"), ids, offsets)
            last = self._last = number, rows
        return last[1]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_last": None, "_footer": None}


def _files_of(path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]]) -> list[str]:
    if isinstance(path, (str, os.PathLike)):
        one = Path(path)
        files = sorted(map(str, one.glob("*.parquet"))) if one.is_dir() else [str(one)]
    else:
        files = [os.fspath(each) for each in path]
    if not files:
        raise PosencError("batches", "a folder must have files *.parquet", str(path))
    return files


def _expect_all(parts: list[Part | None], files: list[str], folder: str | os.PathLike[str]) -> None:
    """Where files say that they are parts of a whole, the whole is there, each part once."""
    first = parts[0]
    found: dict[int, str] = {}
    for part, file in zip(parts, files, strict=True):
        if (part and part.total) != (first and first.total):
            whole = f"one of {first.total} parts" if first else "no part"
            raise PosencError("batches", f"all files must be of one dataset: {files[0]} is {whole}", file)
        if part and found.setdefault(part.number, file) != file:
            raise PosencError("batches", f"a folder must have each part once: {found[part.number]} is this one", file)
    missing = next((number for number in range(first.total) if number not in found), None) if first else None
    if first and missing is not None:
        rule = f"a folder must have all {first.total} parts of its dataset, 0 to {first.total - 1}"
        raise PosencError("batches", rule, f"no part {missing} in {os.fspath(folder)}")
