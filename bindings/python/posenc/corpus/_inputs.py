# SPDX-License-Identifier: Apache-2.0
"""Files of texts, cut into parts: which texts a part has, and the row id of each."""

from __future__ import annotations

import codecs
import itertools
import json
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import pyarrow as pa

from .._errors import PosencError
from .._parquet import content_of, parquet_of

KINDS = {".txt": "lines", ".jsonl": "objects", ".parquet": "table"}
MOST_BYTES = 16 << 20  # of a line: what is longer is rejected without being held


class Part(NamedTuple):
    """A piece of one input: the texts that begin in [begin, end), bytes of lines or rows of a table."""

    number: int
    path: str
    kind: str
    begin: int
    end: int
    base: int  #: the row id of the input's byte, or row, 0


def parts_of(paths: Iterable[str], size: int, key: str) -> list[Part]:
    """Inputs (.txt: lines, .jsonl: objects, .parquet: a column of a table) as parts of about `size` bytes.

    A row id is the place of a text in all inputs: of lines the byte where it begins, so nothing is read twice to be
    numbered. Texts of objects and of tables are those of `key`. Paths become absolute, for processes that stand in
    other folders.
    """
    parts: list[Part] = []
    base = 0
    given: set[str] = set()
    for path in map(os.path.abspath, paths):
        if (real := os.path.realpath(path)) in given:
            raise PosencError("corpus", "an input must be given once", path)
        given.add(real)
        kind = KINDS.get(Path(path).suffix)
        if kind is None:
            raise PosencError("corpus", f"an input must end in {', '.join(KINDS)}", path)
        cuts, extent = cuts_of_table(path, size, key) if kind == "table" else cuts_of_file(path, size)
        for begin, end in itertools.pairwise(cuts):
            parts.append(Part(len(parts), path, kind, begin, end, base))
        base += extent
    return parts


def cuts_of_file(path: str, size: int) -> tuple[list[int], int]:
    extent = os.stat(path).st_size
    return [*range(0, extent, size), extent], extent


def cuts_of_table(path: str, size: int, key: str) -> tuple[list[int], int]:
    """Between row groups."""
    with parquet_of("corpus", path) as file:
        footer, schema = file.metadata, file.schema_arrow
    if key not in schema.names:
        rule = f"a table must have the column of texts {key!r}"
        raise PosencError("corpus", rule, f"{', '.join(schema.names)} in {path}")
    kind = schema.field(key).type
    try:
        pa.nulls(0, kind).cast(pa.large_binary())  # as rows_of_table does
    except pa.ArrowException as error:
        raise PosencError("corpus", f"the column {key!r} must be of texts", f"{kind} in {path}") from error
    cuts, held, rows = [0], 0, 0
    for i in range(footer.num_row_groups):
        group = footer.row_group(i)
        rows, held = rows + group.num_rows, held + group.total_byte_size
        if held >= size:
            cuts.append(rows)
            held = 0
    return [*cuts, rows] if cuts[-1] != rows else cuts, rows


def read_part(part: Part, key: str) -> pa.Table:
    """The columns row, text (binary, null where there is none), and reason, where it is none for Tokenize."""
    found = list(rows_of_table(part, key) if part.kind == "table" else rows_of_lines(part, key))
    return pa.table(
        {
            "row": pa.array([part.base + row for row, _, _ in found], pa.int64()),
            "text": pa.array([text for _, text, _ in found], pa.large_binary()),
            "reason": pa.array([reason for _, _, reason in found], pa.string()),
        }
    )


def rows_of_lines(part: Part, key: str) -> Iterator[tuple[int, bytes | None, str | None]]:
    with open(part.path, "rb") as file:
        if part.begin > 0:  # the line that goes on here belongs to a part before
            file.seek(part.begin - 1)
            skip_line(file, part.end)
        while (at := file.tell()) < part.end:
            line = file.readline(MOST_BYTES + 2)
            if not line:
                return
            if len(line) > MOST_BYTES and not line.endswith(b"\n"):
                skip_line(file)
                rule = f"a line must have at most {MOST_BYTES} bytes"
                yield at, None, f"[corpus] {rule}, got {file.tell() - at} at byte {at} of {part.path}"
                continue
            line = line.removesuffix(b"\n").removesuffix(b"\r")
            if at == 0:
                line = line.removeprefix(codecs.BOM_UTF8)
            yield (at, line, None) if part.kind == "lines" else (at, *text_of(line, key))


def skip_line(file: BinaryIO, end: int | None = None) -> None:
    """Up to `end`: a line over many parts is not read by each of them to its own end."""
    while end is None or file.tell() < end:
        line = file.readline(MOST_BYTES if end is None else min(MOST_BYTES, end - file.tell()))
        if not line or line.endswith(b"\n"):
            return


def text_of(line: bytes, key: str) -> tuple[bytes | None, str | None]:
    """The text of a JSON object; a line that has none is kept as it is, with the reason."""
    try:
        found = json.loads(line.decode())  # of bytes it guesses UTF-16 too
    except (ValueError, RecursionError) as error:
        return line, f"[corpus] a line must be a JSON object, got {error}"
    if not isinstance(found, dict):
        return line, f"[corpus] a line must be a JSON object, got {type(found).__name__}"
    text = found.get(key)
    if not isinstance(text, str):
        rule = f"an object must have the text {key!r}"
        return line, f"[corpus] {rule}, got {'null' if text is None else type(text).__name__}"
    try:
        return text.encode(), None
    except UnicodeEncodeError as error:
        return line, f"[corpus] a text must be of whole characters, got {error.object[error.start]!a}"


def rows_of_table(part: Part, key: str) -> Iterator[tuple[int, bytes | None, str | None]]:
    with parquet_of("corpus", part.path) as file:
        row = 0
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            if part.begin <= row < part.end:
                texts, reason = read_texts(part.path, file, group, key)
                yield from ((row + i, None if reason else texts[i], reason) for i in range(count))
            row += count


def read_texts(path: str, file: Any, group: int, key: str) -> tuple[list[bytes | None], str | None]:
    """Of a row group that is damaged no texts, and the reason: the other ones are worth their run."""
    try:
        with content_of("corpus", path):
            column = file.read_row_group(group, [key])[key].cast(pa.large_binary())
    except PosencError as error:
        return [], f"{error} in row group {group}"
    return column.to_pylist(), None
