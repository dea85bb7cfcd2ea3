# SPDX-License-Identifier: Apache-2.0
"""A corpus of texts to Parquet files of token ids, on Ray or on this machine's processes.

    python examples/corpus_ray.py books/*.txt --out ids --actors 2
    python examples/corpus_ray.py crawl.jsonl --key text --most 512 --longer split --out ids --processes 2

Every line of a .txt file, every object of a .jsonl file and every row of a .parquet file is a text, and its row id is
its place in all inputs: of lines the byte where it begins, so nothing is read twice to be numbered. The inputs are cut
into parts; a part becomes part-N.parquet, whole or not at all, and what is no text (not UTF-8, null, too long) goes
with its reason into rejects/part-N.jsonl. A run that was stopped goes on where it was: parts that are there are not
made again. posenc.torch.Batches makes tensors of ids where they are read; --materialise stores tensors.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import hashlib
import itertools
import json
import math
import multiprocessing
import os
import platform
import sys
import time
import uuid
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import posenc
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from posenc.ray import Corpus, Encode, Tokenize
from posenc.text import Tokenizer

KINDS = {".txt": "lines", ".jsonl": "objects", ".parquet": "table"}
MOST_BYTES = 16 << 20  # of a line: what is longer is rejected without being held
LONGEST_WRITE = 3600  # seconds of a part
GROUP_ROWS, GROUP_BYTES = 512, 64 << 20  # at most of a row group, which readers decode whole: rows, bytes of tensors
FAULTS = (posenc.PosencError, OSError, pa.ArrowException)  # of an input or of the system, not of this program
ACTOR_CPUS, TASK_CPUS = 0.25, 0.5  # actors stay below half of the CPUs, so a task finds room on some machine


DONE = pa.schema([*((name, pa.int64()) for name in ("part", "rows", "rejected", "tokens")), ("fault", pa.string())])


class Part(NamedTuple):
    """A piece of one input: the texts that begin in [begin, end), bytes of lines or rows of a table."""

    number: int
    path: str
    kind: str
    begin: int
    end: int
    base: int  # the row id of the input's byte, or row, 0


# ---- inputs --------------------------------------------------------------------------------------------------------


def parts_of(paths: Iterable[str], size: int, key: str) -> list[Part]:
    """Parts of about `size` bytes."""
    parts: list[Part] = []
    base = 0
    paths = list(paths)
    for path in paths:
        if paths.count(path) > 1:
            raise posenc.PosencError("corpus", "an input must be given once", path)
        kind = KINDS.get(Path(path).suffix)
        if kind is None:
            raise posenc.PosencError("corpus", f"an input must end in {', '.join(KINDS)}", path)
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
    with table_of(path) as file:
        footer, schema = file.metadata, file.schema_arrow
    if key not in schema.names:
        rule = f"a table must have the column of texts {key!r}"
        raise posenc.PosencError("corpus", rule, f"{', '.join(schema.names)} in {path}")
    kind = schema.field(key).type
    try:
        pa.nulls(0, kind).cast(pa.large_binary())  # as rows_of_table does
    except pa.ArrowException as error:
        raise posenc.PosencError("corpus", f"the column {key!r} must be of texts", f"{kind} in {path}") from error
    cuts, held, rows = [0], 0, 0
    for i in range(footer.num_row_groups):
        group = footer.row_group(i)
        rows, held = rows + group.num_rows, held + group.total_byte_size
        if held >= size:
            cuts.append(rows)
            held = 0
    return [*cuts, rows] if cuts[-1] != rows else cuts, rows


@contextlib.contextmanager
def table_of(path: str) -> Iterator[pq.ParquetFile]:
    """A file of Parquet, whose faults name it."""
    try:
        with pq.ParquetFile(path) as file:
            yield file
    except (pa.ArrowException, OSError) as error:
        if isinstance(error, OSError) and error.errno is not None:  # the system's own, not Arrow's of the content
            raise
        rule = "a table must be a whole file of Parquet"
        raise posenc.PosencError("corpus", rule, f"{path}: {one_line(error)}") from error


def one_line(error: Exception) -> str:
    return " ".join(str(error).split())


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
        found = json.loads(line)
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
    with table_of(part.path) as file:
        row = 0
        for group in range(file.num_row_groups):
            count = file.metadata.row_group(group).num_rows
            if part.begin <= row < part.end:
                column = file.read_row_group(group, [key])[key].cast(pa.large_binary())
                yield from ((row + i, text, None) for i, text in enumerate(column.to_pylist()))
            row += count


# ---- a part --------------------------------------------------------------------------------------------------------


class Work(NamedTuple):
    """What is done with every part; its calls are the stages of a pipeline."""

    folder: str
    corpus: Corpus
    tokenize: Tokenize
    encode: Encode | None
    key: str
    parts: int  # how many there are
    stated: str  # of all options that change a byte

    def read(self, part: Part) -> pa.Table:
        """A row for every text, with its part, and the number of them: a part is written whole."""
        table = read_part(part, self.key)
        for name, value in (("part", part.number), ("of", len(table))):
            table = table.append_column(name, pa.array(np.full(len(table), value)))
        return table

    def write(self, table: pa.Table, number: int, of: int) -> dict[str, int]:
        """The rows of one part, all of them, to its two files; the first of these says that the part is done."""
        is_bad = pc.is_valid(table["reason"])
        bad, good = table.filter(is_bad), table.filter(pc.invert(is_bad)).select(["row", "first", "ids"])
        rows = pc.count_distinct(table["row"]).as_py()
        if rows != of or len(table.group_by(["row", "first"]).aggregate([])) != len(table):
            raise RuntimeError(f"[corpus] a part must be written whole, got {rows} of {of} rows of part {number}")
        if len(bad):
            write_whole(rejects_file(self.folder, number), lambda path: write_rejects(path, bad))
        write_whole(part_file(self.folder, number), lambda path: self._write_rows(path, good, number))
        tokens = int(pc.sum(pc.list_value_length(good["ids"])).as_py() or 0)
        return {"part": number, "rows": rows - len(bad), "rejected": len(bad), "tokens": tokens}

    def _write_rows(self, path: str, good: pa.Table, number: int) -> None:
        schema = self.schema(number)
        # Encoded rows do not compress: neither codec nor dictionary nor statistics are worth their time.
        dense = {"compression": "none", "use_dictionary": False, "write_statistics": False} if self.encode else {}
        with pq.ParquetWriter(path, schema, **dense) as writer:
            if self.encode is None:
                writer.write_table(good.cast(schema), row_group_size=GROUP_ROWS)
                return
            size = rows_at_once(self.encode)
            for begin in range(0, len(good), size):
                ids = good.slice(begin, size)
                made = self.encode(ids).append_column("ids", ids["ids"])
                writer.write_table(made.select(schema.names).cast(schema))

    def schema(self, number: int) -> pa.Schema:
        fields = [pa.field("row", pa.int64()), pa.field("first", pa.int64()), pa.field("ids", pa.list_(pa.int32()))]
        if self.encode is not None:
            fields += [pa.field("tokens", pa.int32()), self.encode.field]
        return pa.schema(fields, metadata=self.corpus.metadata((number, self.parts)))


def rows_at_once(encode: Encode) -> int:
    """Whose tensors are made and held together."""
    tensor = encode.field.type
    return max(1, min(GROUP_ROWS, GROUP_BYTES // (math.prod(tensor.shape) * tensor.value_type.bit_width // 8)))


def part_file(folder: str, number: int) -> str:
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
        return not os.path.exists(f"/proc/{pid}")
    return time.time() - own.stat().st_mtime > LONGEST_WRITE


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
    """All stages of one part in this process."""
    table = work.read(part)
    return work.write(work.tokenize(table), part.number, len(table))


# ---- engines -------------------------------------------------------------------------------------------------------


def by_processes(work: Work, parts: list[Part], processes: int) -> Iterator[dict[str, int]]:
    if processes == 1:
        yield from (whole_part(work, part) for part in parts)
        return
    pool = ProcessPoolExecutor(processes, multiprocessing.get_context("spawn"), begin_process, (work,))
    try:
        for done in as_completed([pool.submit(part_of_process, part) for part in parts]):
            yield done.result()
    except BrokenProcessPool as error:
        rule = "processes must live until their parts are written; the same command goes on"
        raise posenc.PosencError("corpus", rule, "a process that was killed") from error
    finally:
        pool.shutdown(cancel_futures=True)


def begin_process(work: Work) -> None:
    globals()["_work"] = work


def part_of_process(part: Part) -> dict[str, int]:
    return whole_part(globals()["_work"], part)


def by_ray(work: Work, parts: list[Part], actors: int | None, address: str | None) -> Iterator[dict[str, int]]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    if not ray.is_initialized():
        ray.init(address=address, include_dashboard=None if address else False, log_to_driver=False)
    resources: dict[str, float] = ray.cluster_resources()  # type: ignore[no-untyped-call]
    actors = min(actors_of(actors, resources.get("CPU", 0)), len(parts))
    context = ray.data.DataContext.get_current()
    context.enable_progress_bars = False
    context.target_max_block_size = None  # a part stays one block from reading to writing
    try:
        for done in pipeline(ray, work, parts, actors).iter_rows():
            if (fault := done.pop("fault")) is not None:
                raise posenc.PosencError(fault)
            yield done
    except ray.exceptions.RayError as error:
        rule = "Ray must end what it has begun; the same command goes on"
        raise posenc.PosencError("corpus", rule, one_line(error)[-200:]) from error


def actors_of(asked: int | None, cpus: float) -> int:
    """One a CPU unless asked: a quarter of them all, and half where half of the machines are lost.

    Actors that take every CPU wait for the results of tasks that never start.
    """
    if cpus < 1:
        raise posenc.PosencError("corpus", "a cluster must have 1 CPU or more", f"{cpus:g}")
    most = int(cpus / 2 / ACTOR_CPUS)
    if asked is None:
        return int(cpus)
    if not 1 <= asked <= most:
        raise posenc.PosencError("corpus", f"actors must be 1 to {most} on {cpus:g} CPUs", str(asked))
    return asked


def guarded(call: Callable[[Any], pa.Table]) -> Callable[[Any], pa.Table]:
    """Ray tells an exception by pages of its own lines: a fault goes on as a row, past the stages behind it."""

    def guarded_call(given: Any) -> pa.Table:
        if isinstance(given, pa.Table) and "fault" in given.column_names:
            return given
        try:
            return call(given)
        except FAULTS as error:
            return pa.table({"fault": [one_line(error)]})

    return guarded_call


class Actor:
    """A process of Ray that keeps one callable, with its tokenizer."""

    def __init__(self, call: Callable[[pa.Table], pa.Table]) -> None:
        self._call = guarded(call)

    def __call__(self, table: pa.Table) -> pa.Table:
        return self._call(table)


def pipeline(ray: Any, work: Work, parts: list[Part], actors: int) -> Any:
    """A dataset of what was written of every part that has rows, or of its fault."""

    @guarded
    def read(item: dict[str, Any]) -> pa.Table:
        return work.read(parts[int(item["item"][0])])

    @guarded
    def write(table: pa.Table) -> pa.Table:
        done = [work.write(table, table["part"][0].as_py(), table["of"][0].as_py())] if len(table) else []
        return pa.Table.from_pylist(done)

    def end(table: pa.Table) -> pa.Table:
        """One schema for what was written and for faults."""
        return pa.Table.from_pylist(write(table).to_pylist(), DONE)

    dataset = ray.data.from_items(list(range(len(parts))), override_num_blocks=len(parts))
    dataset = dataset.map_batches(read, batch_size=None, num_cpus=ACTOR_CPUS)  # of an actor's: it does both
    dataset = dataset.map_batches(
        Actor,
        fn_constructor_args=(work.tokenize,),
        compute=ray.data.ActorPoolStrategy(size=actors),
        num_cpus=ACTOR_CPUS,
        batch_size=None,
        batch_format="pyarrow",
    )
    return dataset.map_batches(end, batch_size=None, batch_format="pyarrow", num_cpus=TASK_CPUS)


# ---- a run ---------------------------------------------------------------------------------------------------------


def run(work: Work, parts: list[Part], engine: Callable[[list[Part]], Iterable[dict[str, int]]]) -> dict[str, int]:
    """Makes the parts that are not there. Returns what was made, with the parts that were there."""
    os.makedirs(os.path.join(work.folder, "rejects"), exist_ok=True)
    expect_same_run(work.folder, work.stated)
    left = [part for part in parts if not os.path.exists(part_file(work.folder, part.number))]
    total = {"parts": 0, "rows": 0, "rejected": 0, "tokens": 0, "there": len(parts) - len(left)}
    began = last = time.monotonic()
    for done in engine(left) if left else ():
        count(total, done)
        if time.monotonic() - last >= 1:
            last = time.monotonic()
            tell(total, len(parts), last - began)
    # A part in which no line begins has no rows to send through a pipeline.
    for part in left:
        if not os.path.exists(part_file(work.folder, part.number)):
            count(total, whole_part(work, part))
    for folder in (Path(work.folder), Path(work.folder, "rejects")):
        for own in filter(is_left, folder.glob(".part-*")):
            own.unlink(missing_ok=True)
    tell(total, len(parts), time.monotonic() - began)
    return total


def count(total: dict[str, int], done: dict[str, int]) -> None:
    total["parts"] += 1
    for name in ("rows", "rejected", "tokens"):
        total[name] += done[name]


def tell(total: dict[str, int], parts: int, seconds: float) -> None:
    speed = total["tokens"] / max(seconds, 1e-9)
    done = f"{total['there'] + total['parts']} of {parts} parts, {total['rows']} rows, {total['tokens']} tokens"
    print(f"corpus: {done}, {total['rejected']} rejected, {speed:.3g} tokens/s", file=sys.stderr)


def expect_same_run(folder: str, stated: str) -> None:
    """A folder holds one run: its parts must have been cut and made alike."""
    path = os.path.join(folder, "run.json")
    if not os.path.exists(path):
        if any(Path(folder).glob("part-*.parquet")):
            raise posenc.PosencError("corpus", "a folder with parts must have the run.json that they are of", folder)
        write_whole(path, lambda own: write_text(own, stated))
        return
    old, new = json.loads(Path(path).read_text(encoding="utf-8")), json.loads(stated)
    differing = [name for name in new if old.get(name) != new[name]]
    if differing:
        rule = f"a run must go on with the {differing[0]} that {path} states"
        raise posenc.PosencError("corpus", rule, json.dumps(new[differing[0]])[:200])


def work_of(arguments: argparse.Namespace, parts: list[Part]) -> Work:
    tokenizer = Tokenizer(arguments.tokens, vocab=arguments.vocab)
    convention = posenc.Convention(arguments.convention)
    corpus = Corpus(tokenizer.identity, convention, arguments.scale, dropout=arguments.dropout, seed=arguments.seed)
    # What readers would be told once the ids are stored.
    posenc.InputStage(
        np.zeros((1, arguments.dim), np.float32), convention, scale=arguments.scale, dropout=arguments.dropout,
        seed=arguments.seed,
    )  # fmt: skip
    tokenize = Tokenize(tokenizer, most=arguments.most, longer=arguments.longer)
    encode, tensors = None, None
    if arguments.materialise:
        if arguments.most is None:
            raise posenc.PosencError("corpus", "--materialise must come with --most, the length of a tensor", "none")
        rows = rows_of(arguments, tokenizer.size)
        encode = Encode(rows, convention, scale=arguments.scale, length=arguments.most)
        tensors = [str(rows.dtype), *rows.shape, hashlib.sha256(rows.tobytes()).hexdigest()]
    metadata = json.loads(next(iter(corpus.metadata().values())))
    limits = [arguments.most, arguments.longer]
    extents = {part.path: part.end for part in parts}
    stated = {
        "inputs": [[path, end, os.stat(path).st_mtime_ns] for path, end in extents.items()],
        "part_bytes": arguments.part_bytes,
        "corpus": metadata,
        "key": arguments.key,
        "limits": limits,
        "tensors": tensors,
    }
    return Work(arguments.out, corpus, tokenize, encode, arguments.key, len(parts), json.dumps(stated))


def rows_of(arguments: argparse.Namespace, vocabulary: int) -> Any:
    """The embedding: a file's, or rows that the seed makes."""
    rows = (
        loaded(arguments.rows)
        if arguments.rows
        else posenc.seeded_rows(vocabulary, arguments.dim, seed=arguments.seed, init="scaled")
    )
    if rows.ndim != 2 or rows.shape[0] < vocabulary:
        rule = f"--rows must have shape [vocabulary, d], a row for each of {vocabulary} ids"
        raise posenc.PosencError("corpus", rule, str(list(rows.shape)))
    if arguments.dtype == "bfloat16":
        import ml_dtypes

        return rows.astype(ml_dtypes.bfloat16)
    return rows.astype(arguments.dtype)


def loaded(path: str) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except ValueError as error:
        raise posenc.PosencError("corpus", "--rows must be an .npy file of numbers", path) from error


def scale_of(word: str) -> str | float:
    try:
        return word if word in ("none", "sqrt_dim") else float(word)
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"a scale must be none, sqrt_dim or a number, got {word!r}") from error


def read_arguments(words: list[str] | None = None) -> argparse.Namespace:
    says = __doc__.split("\n\n")
    parser = argparse.ArgumentParser(
        description=says[0], epilog="\n\n".join(says[1:]), formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("inputs", nargs="+", metavar="FILE", help=".txt, .jsonl or .parquet")
    add("--out", required=True, metavar="FOLDER", help="of the Parquet files; every machine sees it by that name")
    add("--tokens", default="bpe", help="bpe (built in), bpe:FILE, sentencepiece:FILE, chars, words, bytes (bpe)")
    add("--vocab", metavar="FILE", help="of chars and words: one token a line")
    add("--key", default="text", help="of JSON objects, or the column of a table (text)")
    add("--most", type=int, metavar="N", help="tokens of a row (any)")
    add("--longer", default="reject", choices=["reject", "cut", "split"], help="what becomes of a longer text (reject)")
    add("--convention", default="transformer", help="that the ids are to be encoded by (transformer)")
    add("--scale", type=scale_of, default="sqrt_dim", help="of embedding rows: none, sqrt_dim, a number (sqrt_dim)")
    add("--dropout", type=float, default=0.0, help="for whoever trains on them (0)")
    add("--seed", type=int, default=0, help="of masks and seeded rows (0)")
    add("--part-bytes", type=int, default=8 << 20, metavar="N", help="of input, which one part has (8 MiB)")
    add("--processes", type=int, metavar="N", help="of this machine, without Ray")
    add("--address", help="of a Ray cluster that exists: auto on one of its machines, or HOST:6379 (a local one)")
    add("--actors", type=int, help="that tokenize, of a quarter of a CPU for Ray (one a CPU)")
    add("--materialise", action="store_true", help="store tensors beside the ids: 2 kB a token at --dim 512")
    add("--dim", type=int, default=512, help="width of seeded rows, with --materialise (512)")
    add("--rows", metavar="FILE.npy", help="the embedding [vocabulary, d], in place of seeded rows")
    add("--dtype", default="float32", choices=["float32", "float16", "bfloat16"], help="of tensors (float32)")
    arguments = parser.parse_args(words)
    if arguments.processes is not None and (arguments.actors is not None or arguments.address is not None):
        parser.error("--processes is without Ray: --actors and --address have no place beside it")
    if arguments.rows is not None and not arguments.materialise:
        parser.error("--rows is of stored tensors: it has no place without --materialise")
    if min(arguments.part_bytes, arguments.processes or 1) < 1:
        parser.error("--part-bytes and --processes must be >= 1")
    return arguments


def main(words: list[str] | None = None) -> int:
    arguments = read_arguments(words)
    try:
        parts = parts_of(arguments.inputs, arguments.part_bytes, arguments.key)
        work = work_of(arguments, parts)
        if arguments.processes is not None:
            total = run(work, parts, lambda left: by_processes(work, left, arguments.processes))
        else:
            total = run(work, parts, lambda left: by_ray(work, left, arguments.actors, arguments.address))
    except (*FAULTS, ImportError) as error:
        print(f"corpus: error: {one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("corpus: stopped; the same command goes on", file=sys.stderr)
        return 130
    print(json.dumps(total))
    return 0


if __name__ == "__main__":
    sys.exit(main())
