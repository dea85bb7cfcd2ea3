# SPDX-License-Identifier: Apache-2.0
"""A corpus of texts to Parquet files of token ids, on Ray or on this machine's processes.

    python examples/corpus_ray.py books/*.txt --out ids --actors 2
    python examples/corpus_ray.py crawl.jsonl --key text --most 512 --longer split --out ids --processes 2

Every line of a .txt file, every object of a .jsonl file and every row of a .parquet file is a text, and its row id is
its place in all inputs: of lines the byte where it begins, so nothing is read twice to be numbered. The inputs are cut
into parts; a part becomes part-N.parquet, whole or not at all. A row that is not UTF-8, null, too long or in a damaged
row group goes into rejects/part-N.jsonl with the reason. A run that was stopped goes on where it was: parts that are
there are not made again. posenc.torch.Batches makes tensors of ids where they are read; --materialise stores tensors.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import signal
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import posenc
import pyarrow as pa
from posenc.corpus import FAULTS, Part, Work, by_processes, one_line, parts_of, run, stated
from posenc.ray import Corpus, Encode, Tokenize
from posenc.text import Tokenizer

EXTRAS = {"ray": "ray", "ml_dtypes": "bfloat16"}  # of posenc, that bring a package
ACTOR_CPUS, TASK_CPUS = 0.25, 0.5  # actors stay below half of the CPUs, so a task finds room on some machine
DONE = pa.schema([*((name, pa.int64()) for name in ("part", "rows", "rejected", "tokens")), ("fault", pa.string())])


# ---- Ray -----------------------------------------------------------------------------------------------------------


def by_ray(work: Work, parts: list[Part], actors: int | None, address: str | None) -> Iterator[dict[str, int]]:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    import ray

    if not ray.is_initialized():
        try:
            ray.init(address=address, include_dashboard=None if address else False, log_to_driver=False)
        except (ConnectionError, RuntimeError, ValueError) as error:
            rule = "--address must be that of a cluster that runs"
            raise posenc.PosencError("corpus", rule, f"{address}: {one_line(error)}") from error
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
    dataset = dataset.map_batches(read, batch_size=None, num_cpus=ACTOR_CPUS)  # as an actor, so that Ray lets it read
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


def work_of(arguments: argparse.Namespace, parts: list[Part]) -> Work:
    tokenizer = Tokenizer(arguments.tokens, vocab=arguments.vocab)
    corpus = corpus_of(arguments, tokenizer)
    tokenize = Tokenize(tokenizer, most=arguments.most, longer=arguments.longer)
    encode, tensors = encode_of(arguments, tokenizer) if arguments.materialise else (None, None)
    of_run = stated(
        parts,
        corpus,
        part_bytes=arguments.part_bytes,
        key=arguments.key,
        limits=[arguments.most, arguments.longer],
        tensors=tensors,
    )
    # Processes of a cluster stand where it was started.
    return Work(os.path.abspath(arguments.out), corpus, tokenize, encode, arguments.key, len(parts), of_run)


def corpus_of(arguments: argparse.Namespace, tokenizer: Tokenizer) -> Corpus:
    convention = posenc.Convention(arguments.convention)
    options: Any = {"scale": arguments.scale, "dropout": arguments.dropout, "seed": arguments.seed}
    # What readers would be told once the ids are stored.
    posenc.InputStage(np.zeros((1, arguments.dim), np.float32), convention, **options)
    return Corpus(tokenizer.identity, convention, **options)


def encode_of(arguments: argparse.Namespace, tokenizer: Tokenizer) -> tuple[Encode, list[Any]]:
    """With what a run states of its tensors."""
    if arguments.most is None:
        raise posenc.PosencError("corpus", "--materialise must come with --most, the length of a tensor", "none")
    rows = rows_of(arguments, tokenizer.size)
    encode = Encode(rows, arguments.convention, scale=arguments.scale, length=arguments.most)
    return encode, [str(rows.dtype), *rows.shape, hashlib.sha256(rows.tobytes()).hexdigest()]


def rows_of(arguments: argparse.Namespace, vocabulary: int) -> Any:
    """The embedding: a file's, or rows that the seed makes."""
    if not arguments.rows:
        rows = posenc.seeded_rows(vocabulary, arguments.dim, seed=arguments.seed, init="scaled")
        return rows.astype(dtype_of(arguments.dtype))
    rows = loaded(arguments.rows)
    if rows.ndim != 2 or rows.shape[0] < vocabulary:
        rule = f"--rows must have shape [vocabulary, d], a row for each of {vocabulary} ids"
        raise posenc.PosencError("corpus", rule, str(list(rows.shape)))
    with np.errstate(over="ignore"):  # what is too large is told below
        rows = rows.astype(dtype_of(arguments.dtype))
    is_finite = np.isfinite(rows.astype(np.float32) if arguments.dtype == "bfloat16" else rows)
    if not is_finite.all():
        at = tuple(int(i) for i in np.argwhere(~is_finite)[0])
        raise posenc.PosencError("corpus", f"--rows must be finite in {arguments.dtype}", str(rows[at]), at)
    return rows


def loaded(path: str) -> Any:
    try:
        rows = np.load(path, allow_pickle=False)
    except (EOFError, ValueError) as error:
        raise posenc.PosencError("corpus", "--rows must be an .npy file of numbers", path) from error
    if not isinstance(rows, np.ndarray) or rows.dtype.kind != "f":
        kind = rows.dtype if isinstance(rows, np.ndarray) else "several arrays"
        raise posenc.PosencError("corpus", "--rows must be an array of floating point", f"{kind} in {path}")
    return rows


def dtype_of(name: str) -> Any:
    if name != "bfloat16":
        return np.dtype(name)
    import ml_dtypes

    return ml_dtypes.bfloat16


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
    add("--out", required=True, metavar="FOLDER", help="of the Parquet files; all machines see it by that name")
    add("--tokens", default="bpe", help="bpe (built in), bpe:FILE, sentencepiece:FILE, chars, words, bytes (bpe)")
    add("--vocab", metavar="FILE", help="of chars and words: one token a line")
    add("--key", default="text", help="of JSON objects, or the column of a table (text)")
    add("--most", type=int, metavar="N", help="most tokens of a row (any number)")
    add("--longer", default="reject", choices=["reject", "cut", "split"], help="what becomes of a longer text (reject)")
    add("--convention", default="transformer", help="of positions, for readers of the ids (transformer)")
    add("--scale", type=scale_of, default="sqrt_dim", help="of embedding rows: none, sqrt_dim, a number (sqrt_dim)")
    add("--dropout", type=float, default=0.0, help="rate of dropout, for readers of the ids (0)")
    add("--seed", type=int, default=0, help="of dropout's masks and of seeded rows (0)")
    add("--part-bytes", type=int, default=8 << 20, metavar="N", help="bytes of input in a part (8 MiB)")
    add("--processes", type=int, metavar="N", help="run without Ray, on as many processes of this machine")
    add("--address", help="of a Ray cluster that exists: auto on one of its machines, or HOST:6379 (a local one)")
    add("--actors", type=int, help="actors of Ray that tokenize, a quarter of a CPU each (one a CPU)")
    add("--materialise", action="store_true", help="store tensors beside the ids: 2 kB a token at --dim 512")
    add("--dim", type=int, default=512, help="width of seeded rows, with --materialise (512)")
    add("--rows", metavar="FILE.npy", help="the embedding [vocabulary, d], in place of seeded rows")
    add("--dtype", default="float32", choices=["float32", "float16", "bfloat16"], help="of tensors (float32)")
    arguments = parser.parse_args(words)
    if arguments.processes is not None and (arguments.actors is not None or arguments.address is not None):
        parser.error("--processes is without Ray: --actors and --address have no place beside it")
    if arguments.rows is not None and not arguments.materialise:
        parser.error("--rows is of stored tensors: it has no place without --materialise")
    for name in ("part_bytes", "processes", "dim"):
        value = getattr(arguments, name)
        if value is not None and value < 1:
            parser.error(f"--{name.replace('_', '-')} must be >= 1, got {value}")
    return arguments


def tell(total: dict[str, int], parts: int, seconds: float) -> None:
    speed = total["tokens"] / max(seconds, 1e-9)
    done = f"{total['there'] + total['parts']} of {parts} parts, {total['rows']} rows, {total['tokens']} tokens"
    print(f"corpus: {done}, {total['rejected']} rejected, {speed:.3g} tokens/s", file=sys.stderr)


def main(words: list[str] | None = None) -> int:
    arguments = read_arguments(words)
    try:
        parts = parts_of(arguments.inputs, arguments.part_bytes, arguments.key)
        work = work_of(arguments, parts)

        def engine(left: list[Part]) -> Iterator[dict[str, int]]:
            if arguments.processes is not None:
                return by_processes(work, left, arguments.processes)
            return by_ray(work, left, arguments.actors, arguments.address)

        total = run(work, parts, engine, lambda total, seconds: tell(total, len(parts), seconds))
    except (*FAULTS, ImportError) as error:
        extra = EXTRAS.get(error.name or "") if isinstance(error, ImportError) else None
        brings = f": posenc[{extra}] brings it" if extra else ""
        print(f"corpus: error: {one_line(error)}{brings}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("corpus: stopped; the same command goes on", file=sys.stderr)
        return 130
    print(json.dumps(total))
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C
    sys.exit(main())
