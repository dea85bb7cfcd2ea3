# SPDX-License-Identifier: Apache-2.0
"""What tests of examples/corpus_ray.py share: the module, inputs with every fault, what a folder holds."""

import hashlib
import importlib.util
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
OBJECTS = ['{"text": null}', '{"other": 1}', "[1]", '{"text": "cut', '{"text": "\\ud800"}']  # that have no text
EXAMPLE = ROOT / "examples/corpus_ray.py"


def example():
    """As a module that processes of Ray can import too: its folder is in their PYTHONPATH."""
    if "corpus_ray" not in sys.modules:
        spec = importlib.util.spec_from_file_location("corpus_ray", EXAMPLE)
        sys.modules["corpus_ray"] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules["corpus_ray"])
    return sys.modules["corpus_ray"]


def write_inputs(folder, lines=600):
    """Lines, objects and a table, with bad rows among them. Returns the paths and the texts of good and of bad rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    good, bad = [], 0
    with open(folder / "a.txt", "wb") as file:
        for i in range(lines):
            if i % 50 == 7:
                file.write(b"caf\xe9 of Latin-1\n")
                bad += 1
                continue
            good.append(f"line {i}: " + "to be or not to be, 我爱你 " * (i % 5))
            file.write(good[-1].encode() + (b"\r\n" if i % 2 else b"\n"))
        file.write(b"the last line has no end")
        good.append("the last line has no end")
    with open(folder / "b.jsonl", "w", encoding="utf-8") as file:
        for i in range(lines // 4):
            if i % 25 == 3:
                file.write(OBJECTS[i // 25 % len(OBJECTS)] + "\n")
                bad += 1
                continue
            good.append(f"object {i}\nof two lines")
            file.write(json.dumps({"text": good[-1], "id": i}) + "\n")
    column = [None if i % 20 == 1 else f"row {i} of a table" for i in range(lines // 4)]
    pq.write_table(pa.table({"text": column}), folder / "c.parquet", row_group_size=37)
    good += [text for text in column if text is not None]
    bad += column.count(None)
    return [str(folder / name) for name in ("a.txt", "b.jsonl", "c.parquet")], good, bad


def broken_table(folder):
    """A file of Parquet whose footer is whole, and of whose four row groups of 25 rows one is not."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    path = folder / "broken.parquet"
    pq.write_table(pa.table({"text": [f"text {i}" for i in range(100)]}), path, row_group_size=25)
    column = pq.read_metadata(path).row_group(1).column(0)
    with open(path, "r+b") as file:
        file.seek(column.dictionary_page_offset or column.data_page_offset)
        file.write(b"\xff" * 16)
    return path


def write_unwritable(folder):
    """A text that is none, and a folder in the place of the file of its reject. Returns the path of the text."""
    (folder / "bad.txt").write_bytes(b"caf\xe9\n")
    (folder / "out/rejects/part-00000000.jsonl").mkdir(parents=True)
    return folder / "bad.txt"


def digests(folder):
    """SHA-256 of every file of a finished run, by its name there."""
    paths = sorted(path for path in pathlib.Path(folder).rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() for path in paths}
