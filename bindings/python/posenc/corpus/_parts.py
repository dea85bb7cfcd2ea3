# SPDX-License-Identifier: Apache-2.0
"""What is done with every part of a corpus, and the files that it becomes."""

from __future__ import annotations

import base64
import json
import math
import os
import platform
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from .._corpus import Corpus
from .._corpus import Part as Place
from .._errors import PosencError
from .._parquet import parquet_of
from ..ray import Encode, Tokenize
from ._inputs import Part, read_part

#: Of an input or of the system, not of a program.
FAULTS = (PosencError, OSError, pa.ArrowException)
#: Options of a writer of Parquet: encoded rows do not compress, so neither codec nor dictionary nor statistics are
#: worth their time.
UNCOMPRESSED = {"compression": "none", "use_dictionary": False, "write_statistics": False}
LONGEST_WRITE = 3600  # seconds of a part
REJECTED = b"posenc.rejected"  # of the schema of a part: how many lines the file of its rejects has
GROUP_ROWS, GROUP_BYTES = 512, 64 << 20  # at most of a row group, which readers decode whole: rows, bytes of tensors


class Work(NamedTuple):
    """What is done with every part; its calls are the stages of a pipeline."""

    folder: str  #: of the files that are made
    corpus: Corpus
    tokenize: Tokenize
    encode: Encode | None  #: to store tensors beside the ids
    key: str  #: of the texts in JSON objects and in tables
    parts: int  #: how many there are
    stated: str  #: of all options that change a byte

    def read(self, part: Part) -> pa.Table:
        """A row for every text, with its part, and the number of them: a part is written whole."""
        table = read_part(part, self.key)
        for name, value in (("part", part.number), ("of", len(table))):
            table = table.append_column(name, pa.array(np.full(len(table), value)))
        return table

    def write(self, table: pa.Table, number: int, of: int) -> dict[str, int]:
        """The rows of one part, all of them, to its two files, of which part-N.parquet says that the part is done.

        Returns its number, part, and how many rows, rejected and tokens it has.
        """
        is_bad = pc.is_valid(table["reason"])
        bad, good = table.filter(is_bad), table.filter(pc.invert(is_bad)).select(["row", "first", "ids"])
        rows = pc.count_distinct(table["row"]).as_py()
        if rows != of or len(table.group_by(["row", "first"]).aggregate([])) != len(table):
            raise RuntimeError(f"[corpus] a part must be written whole, got {rows} of {of} rows of part {number}")
        if len(bad):
            write_whole(rejects_file(self.folder, number), lambda path: write_rejects(path, bad))
        schema = self.schema(number, len(bad))
        write_whole(part_file(self.folder, number), lambda path: self._write_rows(path, good, schema))
        tokens = int(pc.sum(pc.list_value_length(good["ids"])).as_py() or 0)
        return {"part": number, "rows": rows - len(bad), "rejected": len(bad), "tokens": tokens}

    def is_done(self, part: Part) -> bool:
        """Whether both files of a part are there as they were written."""
        path = part_file(self.folder, part.number)
        try:
            with parquet_of("corpus", path) as file:
                said = file.schema_arrow.metadata or {}
            if Place.of(said) != (part.number, self.parts):
                return False
            rejected = int(said[REJECTED])
            return rejected == 0 or count_lines(rejects_file(self.folder, part.number)) == rejected
        except (FileNotFoundError, KeyError, ValueError):  # a PosencError is one
            return False

    def _write_rows(self, path: str, good: pa.Table, schema: pa.Schema) -> None:
        with pq.ParquetWriter(path, schema, **(UNCOMPRESSED if self.encode else {})) as writer:
            if self.encode is None:
                writer.write_table(good.cast(schema), row_group_size=GROUP_ROWS)
                return
            size = rows_at_once(self.encode)
            for begin in range(0, len(good), size):
                ids = good.slice(begin, size)
                made = self.encode(ids).append_column("ids", ids["ids"])
                writer.write_table(made.select(schema.names).cast(schema))

    def schema(self, number: int, rejected: int) -> pa.Schema:
        fields = [pa.field("row", pa.int64()), pa.field("first", pa.int64()), pa.field("ids", pa.list_(pa.int32()))]
        if self.encode is not None:
            fields += [pa.field("tokens", pa.int32()), self.encode.field]
        said = {**self.corpus.metadata((number, self.parts)), REJECTED: str(rejected).encode()}
        return pa.schema(fields, metadata=said)


def rows_at_once(encode: Encode) -> int:
    """Whose tensors are made and held together."""
    tensor = encode.field.type
    each = math.prod(tensor.shape) * tensor.value_type.bit_width // 8
    return max(1, min(GROUP_ROWS, GROUP_BYTES // int(each)))


def part_file(folder: str, number: int) -> str:
    """The path of a part that is done."""
    return os.path.join(folder, f"part-{number:08d}.parquet")


def rejects_file(folder: str, number: int) -> str:
    return os.path.join(folder, "rejects", f"part-{number:08d}.jsonl")


def write_whole(path: str, write: Callable[[str], None]) -> None:
    """Under another name first: a reader, and a run that goes on, see a whole file or none."""
    writer = f"{machine()}-{os.getpid()}"
    own = os.path.join(os.path.dirname(path), f".{os.path.basename(path)}.{writer}.{uuid.uuid4().hex}")
    try:
        write(own)
        with open(own, "rb") as file:
            os.fsync(file.fileno())
        os.replace(own, path)
    finally:
        if os.path.exists(own):
            os.unlink(own)


def machine() -> str:
    return platform.node().replace(".", "_")


def is_left(own: Path) -> bool:
    """A file of a writer that was killed: of this machine, or so old that nobody writes it any more."""
    host, _, pid = own.name.split(".")[-2].rpartition("-")
    if host == machine() and os.path.isdir("/proc/self"):
        return not is_running(pid)
    return time.time() - own.stat().st_mtime > LONGEST_WRITE


def is_running(pid: str) -> bool:
    """Not so is a process that was killed, though its parent has not waited for it yet."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


def count_lines(path: str) -> int:
    with open(path, "rb") as file:
        return sum(1 for _ in file)


def write_text(path: str, text: str) -> None:
    Path(path).write_text(text, encoding="utf-8")


def write_rejects(path: str, bad: pa.Table) -> None:
    with open(path, "w", encoding="utf-8") as file:
        for row in bad.select(["row", "reason", "text"]).to_pylist():
            text = row.pop("text")
            said: dict[str, Any] = row
            try:
                said |= {} if text is None else {"text": text.decode()}
            except UnicodeDecodeError:
                said["base64"] = base64.b64encode(text).decode()
            file.write(json.dumps(said, ensure_ascii=False) + "\n")


def whole_part(work: Work, part: Part) -> dict[str, int]:
    """All stages of one part in this process: what write returns."""
    table = work.read(part)
    return work.write(work.tokenize(table), part.number, len(table))
