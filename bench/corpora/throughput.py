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
import time
from typing import Any, NamedTuple

os.environ["TOKENIZERS_PARALLELISM"] = "false"  # a process has one thread, as an actor has

import posenc
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import torch
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


def cpu_seconds():
    """Of this process and all that come from it, with those that have ended and were waited for."""
    ticks = os.sysconf("SC_CLK_TCK")
    parents, spent = {}, {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:  # it has ended meanwhile
            continue
        pid = int(path.parent.name)
        parents[pid], spent[pid] = int(fields[1]), sum(map(int, fields[11:15])) / ticks
    ours = {os.getpid()}
    while more := {pid for pid, parent in parents.items() if parent in ours} - ours:
        ours |= more
    return sum(spent[pid] for pid in ours)


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
    return sum(int(batch.tokens.sum()) for batch in batches)


def peer_tensors(folder, encode):
    """The same by PyTorch's modules."""
    tokens = 0
    for path in sorted(pathlib.Path(folder).glob("*.parquet")):
        for batch in pq.ParquetFile(path).iter_batches(64):
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
            options = {"compression": "none", "use_dictionary": False, "write_statistics": False}
            with pq.ParquetWriter(path, made[0].schema, **options) as writer:
                for each in made:
                    writer.write_table(each)

        writing, _ = timed(write)
        cpu = time.process_time() - began
        size = os.stat(path).st_size
    tokens = int(pc.sum(pc.list_value_length(ids["ids"])).as_py())
    return encoding, writing, cpu, tokens, size / tokens


# ---- several -------------------------------------------------------------------------------------------------------


def steady(done, count):
    """Tokens a second between the first parts of all workers and the last part, CPU seconds of a million tokens in the
    same time, and the seconds before it."""
    began, at, tokens, spent = time.perf_counter(), [], [], []
    for said in done:
        at.append(time.perf_counter())
        spent.append(cpu_seconds())
        tokens.append(said["tokens"])
    counted, first = sum(tokens[count:]), count - 1
    return counted / (at[-1] - at[first]), 1e6 * (spent[-1] - spent[first]) / counted, at[first] - began


def on_ray(work, parts, actors):
    return steady(module.by_ray(work, parts, actors, None), actors)


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
    row(f"{of.name}: text to ids, one process", alone, 1e6 * cpu / tokens, "1", shares(seconds))
    for actors in (1, 2):
        made = [on_ray(in_folder(of.work, f"{folder}/ray-{actors}-{i}"), parts, actors) for i in range(repeat)]
        rate, cpu, start = max(made)
        name = f"Ray, {actors} actor{'s' if actors > 1 else ''}"
        row(f"{of.name}: text to ids, {name}", rate, cpu, f"{rate / (actors * alone):.2f}", f"{start:.1f} s to start")
    cpu, (took, count) = min(spending(timed, of.tensors, f"{folder}/alone-0") for _ in range(repeat))
    row(f"{of.name}: stored ids to tensors", count / took, 1e6 * cpu / count)
    encoding, writing, cpu, count, size = min(stored(of.work, of.encode, small) for _ in range(repeat))
    note = f"encoding {100 * encoding / (encoding + writing):.0f} %, writing the rest; {size:.0f} bytes a token"
    row(f"{of.name}: ids to stored tensors", count / (encoding + writing), 1e6 * cpu / count, note=note)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mebibytes", type=int, default=24, help="of text (24)")
    parser.add_argument("--repeat", type=int, default=2, help="of every measurement, of which the best counts (2)")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    with tempfile.TemporaryDirectory() as folder:
        corpus, vocabulary = f"{folder}/corpus.txt", f"{folder}/tokenizer.json"
        write_corpus(corpus, arguments.mebibytes << 20)
        train_vocabulary(corpus, vocabulary)
        parts = [part for part in module.parts_of([corpus], PART_BYTES, "text") if part.end - part.begin == PART_BYTES]
        small = parts[0]._replace(end=1 << 19)
        pipelines = pipelines_of(vocabulary)
        expect_equal_ids(*(of.work for of in pipelines), small)
        print(f"| {' | '.join(COLUMNS)} |\n|{' --- |' * len(COLUMNS)}")
        for i, of in enumerate(pipelines):
            measure(of, parts, small, f"{folder}/{i}", arguments.repeat)
    return 0


def pipelines_of(vocabulary):
    tokenizer = Tokenizer(f"bpe:{vocabulary}")
    rows = posenc.seeded_rows(tokenizer.size, WIDTH, seed=7, init="scaled")
    convention = posenc.Convention("transformer")
    meant = Corpus(tokenizer.identity, convention, "sqrt_dim")
    tokenize = Tokenize(tokenizer, most=MOST, longer="split")
    ours = module.Work("", meant, tokenize, None, "text", "")
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
