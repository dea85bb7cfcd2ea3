# SPDX-License-Identifier: Apache-2.0
"""Tokens a second of examples/corpus_ray.py and where the time goes, beside the same pipeline of PyTorch's modules and
a tokenizer of Hugging Face's package: the table of docs/scale.md.

usage: throughput.py [--mebibytes N] [--repeat N]    ./dev bench --corpora runs it

The corpus is the text of this tree, repeated; the vocabulary is trained on it, and both tokenizers read its file.
"""

import argparse
import itertools
import os
import pathlib
import sys
import tempfile
import threading
import time
from typing import Any, NamedTuple

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # a process has one thread, as an actor has

import posenc
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import ray
import torch
from posenc.corpus import UNCOMPRESSED, Work, part_file, parts_of
from posenc.ray import Corpus, Encode, Tokenize
from posenc.text import Tokenizer

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OWN = [str(HERE), str(ROOT / "examples")]
sys.path[:0] = OWN
os.environ["PYTHONPATH"] = os.pathsep.join([*OWN, os.environ.get("PYTHONPATH", "")])  # of Ray's workers

import corpus_ray as module  # noqa: E402
import peer  # noqa: E402

MOST, WIDTH, VOCABULARY = 128, 512, 16384
COLUMNS = ("pipeline", "million tokens/s", "CPU s a million", "efficiency", "where the time goes")
LONGEST = 8192  # positions of the table that the module of PyTorch's tutorial keeps
PART_BYTES = 2 << 20
BATCHES = 256  # of 64 rows, that are read back


def write_corpus(path, size):
    """The tree's pages and sources, again and again, each file cut into texts of some thousand characters."""
    files = sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("src/**/*.cc"), *ROOT.glob("include/**/*.h")])
    texts = [" ".join(file.read_text(encoding="utf-8").split()) for file in files]
    texts = [text[at : at + 4000] for text in texts for at in range(0, len(text), 4000)]
    with open(path, "w", encoding="utf-8") as out:
        for text in itertools.cycle(texts):
            out.write(text + "\n")
            if out.tell() >= size:
                return


def train_vocabulary(corpus, path):
    import tokenizers

    tokenizer = tokenizers.Tokenizer(tokenizers.models.BPE())
    tokenizer.pre_tokenizer = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = tokenizers.decoders.ByteLevel()
    alphabet = tokenizers.pre_tokenizers.ByteLevel.alphabet()
    trainer = tokenizers.trainers.BpeTrainer(vocab_size=VOCABULARY, initial_alphabet=alphabet, show_progress=False)
    with open(corpus, encoding="utf-8") as file:
        tokenizer.train_from_iterator(itertools.islice(file, 1000), trainer)
    tokenizer.save(str(path))


def timed(call, *arguments):
    began = time.perf_counter()
    made = call(*arguments)
    return time.perf_counter() - began, made


class CpuSeconds:
    """Of this process and of Ray's, which are no children of it, between begin and end; those that end are looked at
    every tenth of a second before."""

    def __enter__(self):
        self._first, self._last = self._now(), {}
        self._ended = threading.Event()
        self._looks = threading.Thread(target=self._look, daemon=True)
        self._looks.start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._looks.join()
        self._last |= self._now()
        ticks = sum(last - self._first.get(process, 0) for process, last in self._last.items())
        self.seconds = ticks / os.sysconf("SC_CLK_TCK")

    def _look(self):
        while not self._ended.wait(0.1):
            self._last |= self._now()

    @staticmethod
    def _now():
        """Ticks by process and the moment it began."""
        ticks = {}
        for path in pathlib.Path("/proc").glob("[0-9]*"):
            try:
                is_ray = any(word in (path / "cmdline").read_bytes() for word in (b"ray::", b"/ray/"))
                if is_ray or int(path.name) == os.getpid():
                    fields = (path / "stat").read_text().rpartition(")")[2].split()
                    ticks[path.name, fields[19]] = int(fields[11]) + int(fields[12])
            except OSError:  # it has ended meanwhile
                continue
        return ticks


def spending(call, *arguments):
    """CPU seconds of this process, and what the call gives."""
    began = time.process_time()
    made = call(*arguments)
    return time.process_time() - began, made


# ---- one process ---------------------------------------------------------------------------------------------------


def stages(work, parts):
    """Seconds of reading, tokenizing and writing ids, and the tokens."""
    seconds, tokens = [0.0, 0.0, 0.0], 0
    for part in parts:
        took, table = timed(work.read, part)
        seconds[0] += took
        took, made = timed(work.tokenize, table)
        seconds[1] += took
        took, said = timed(work.write, made, part.number, len(table))
        seconds[2] += took
        tokens += said["tokens"]
    return seconds, tokens


def posenc_tensors(folder, rows):
    """Tokens of posenc.torch.Batches: ids read, tensors made."""
    import posenc.torch

    batches = posenc.torch.Batches(folder, batch=64, rows=torch.from_numpy(rows), length=MOST)
    return sum(int(batch.tokens.sum()) for batch in itertools.islice(batches, BATCHES))


def peer_tensors(folder, encode):
    """The same by PyTorch's modules."""
    files = sorted(pathlib.Path(folder).glob("*.parquet"))
    batches = itertools.chain.from_iterable(pq.ParquetFile(file).iter_batches(64) for file in files)
    tokens = 0
    for batch in itertools.islice(batches, BATCHES):
        table = pa.Table.from_batches([batch])
        encode.tensors(table)
        tokens += int(pc.sum(pc.list_value_length(table["ids"])).as_py())
    return tokens


def stored(work, encode, part):
    """Of one part: seconds of encoding and of writing tensors, CPU seconds of both, tokens, and bytes a token."""
    ids = work.tokenize(work.read(part)).select(["row", "first", "ids"])
    began = time.process_time()
    encoding, made = timed(lambda: [encode(ids.slice(at, 256)) for at in range(0, len(ids), 256)])
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tensors.parquet")

        def write():
            with pq.ParquetWriter(path, made[0].schema, **UNCOMPRESSED) as writer:
                for each in made:
                    writer.write_table(each)

        writing, _ = timed(write)
        cpu = time.process_time() - began
        size = os.stat(path).st_size
    tokens = int(pc.sum(pc.list_value_length(ids["ids"])).as_py())
    return encoding, writing, cpu, tokens, size / tokens


# ---- several -------------------------------------------------------------------------------------------------------


def on_ray(work, parts, actors):
    """Tokens a second of the parts whose files are the later half; CPU seconds a million tokens, of the whole run; and
    seconds to the first file."""
    began = time.time()
    with CpuSeconds() as spent:
        tokens = {said["part"]: said["tokens"] for said in module.by_ray(work, parts, actors, None)}
    made = sorted((os.stat(part_file(work.folder, number)).st_mtime, number) for number in tokens)
    later = made[len(made) // 2 :]
    counted = sum(tokens[number] for _, number in later[1:])
    return counted / (later[-1][0] - later[0][0]), 1e6 * spent.seconds / sum(tokens.values()), made[0][0] - began


def row(name, rate, cpu, efficiency="", note=""):
    print(f"| {name} | {rate / 1e6:.2f} | {cpu:.2f} | {efficiency} | {note} |", flush=True)


def shares(seconds):
    total = sum(seconds)
    words = zip(("reading", "tokenizing", "writing"), seconds, strict=True)
    return ", ".join(f"{word} {100 * each / total:.0f} %" for word, each in words)


def in_folder(work, folder):
    os.makedirs(f"{folder}/rejects")
    return work._replace(folder=folder)


class Pipeline(NamedTuple):
    """One way to do the same work."""

    name: str
    work: Any
    encode: Any
    tensors: Any  # (folder): reads ids back and makes tensors; tokens


def measure(of, parts, small, folder, repeat):
    """Prints the rows of one pipeline; of every measurement the best."""
    runs = [spending(stages, in_folder(of.work, f"{folder}/alone-{i}"), parts) for i in range(repeat)]
    cpu, (seconds, tokens) = min(runs, key=lambda run: sum(run[1][0]))
    alone = tokens / sum(seconds)
    size = sum(file.stat().st_size for file in pathlib.Path(folder, "alone-0").glob("part-*")) / tokens
    note = f"{shares(seconds)}; {size:.1f} bytes a token"
    row(f"{of.name}: text to ids, one process", alone, 1e6 * cpu / tokens, "1", note)
    for actors in (1, 2):
        made = [on_ray(in_folder(of.work, f"{folder}/ray-{actors}-{i}"), parts, actors) for i in range(repeat)]
        rate, cpu, start = max(made)
        name = f"Ray, {actors} actor{'s' if actors > 1 else ''}"
        efficiency = f"{rate / (actors * alone):.2f}"
        row(f"{of.name}: text to ids, {name}", rate, cpu, efficiency, f"first file after {start:.0f} s")
    cpu, (took, count) = min(spending(timed, of.tensors, f"{folder}/alone-0") for _ in range(repeat))
    row(f"{of.name}: stored ids to tensors", count / took, 1e6 * cpu / count)
    encoding, writing, cpu, count, size = min(stored(of.work, of.encode, small) for _ in range(repeat))
    note = f"encoding {100 * encoding / (encoding + writing):.0f} %, writing the rest; {size:.0f} bytes a token"
    row(f"{of.name}: ids to stored tensors", count / (encoding + writing), 1e6 * cpu / count, note=note)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mebibytes", type=int, default=96, help="of text; of it the peer has a quarter (96)")
    parser.add_argument("--repeat", type=int, default=2, help="of every measurement, of which the best counts (2)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        corpus, vocabulary = f"{folder}/corpus.txt", f"{folder}/tokenizer.json"
        write_corpus(corpus, arguments.mebibytes << 20)
        train_vocabulary(corpus, vocabulary)
        parts = [part for part in parts_of([corpus], PART_BYTES, "text") if part.end - part.begin == PART_BYTES]
        small = parts[0]._replace(end=1 << 19)
        pipelines = pipelines_of(vocabulary, len(parts))
        ray.init(include_dashboard=False, log_to_driver=False)  # what a cluster that exists has behind it
        expect_equal_ids(*(of.work for of in pipelines), small)
        print(f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}")
        for i, of in enumerate(pipelines):
            measure(of, parts[:: 1 + 3 * i], small, f"{folder}/{i}", arguments.repeat)
    return 0


def pipelines_of(vocabulary, parts):
    tokenizer = Tokenizer(f"bpe:{vocabulary}")
    rows = posenc.seeded_rows(tokenizer.size, WIDTH, seed=7, init="scaled")
    convention = posenc.Convention("transformer")
    meant = Corpus(tokenizer.identity, convention, "sqrt_dim")
    tokenize = Tokenize(tokenizer, most=MOST, longer="split")
    ours = Work("", meant, tokenize, None, "text", parts, "")
    theirs = ours._replace(tokenize=peer.PeerTokenize(vocabulary, MOST))
    encode = Encode(rows, convention, scale="sqrt_dim", length=MOST)
    peer_encode = peer.PeerEncode(rows, MOST, LONGEST, encode.field)
    return [
        Pipeline("posenc", ours, encode, lambda folder: posenc_tensors(folder, rows)),
        Pipeline("tokenizers, PyTorch", theirs, peer_encode, lambda folder: peer_tensors(folder, peer_encode)),
    ]


def expect_equal_ids(ours, theirs, part):
    table = ours.read(part)
    one, other = ours.tokenize(table), theirs.tokenize(table)
    if not one["ids"].combine_chunks().equals(other["ids"].combine_chunks()):
        raise SystemExit("throughput: the two tokenizers differ")


if __name__ == "__main__":
    sys.exit(main())
