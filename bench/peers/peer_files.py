# SPDX-License-Identifier: Apache-2.0
# Files and text: the packages that everybody reads tensors and makes ids with, on one thread.

import os
import pathlib
import tempfile

import numpy as np

import sizes
from cell import Cell

ROOT = pathlib.Path(__file__).resolve().parents[2]


def tensor():
    return np.random.default_rng(6).random(sizes.FILE, dtype=np.float32) * 2 - 1


def safetensors(threads):
    from safetensors.numpy import load_file, save_file

    rows = tensor()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.safetensors")
        save_file({"rows": rows}, path)
        # Its dictionary holds copies of the file's bytes.
        yield Cell(sizes.file_row("safetensors", "read"), "safetensors", lambda: load_file(path)["rows"])
        yield Cell(sizes.file_row("safetensors", "write"), "safetensors", lambda: save_file({"rows": rows}, path))


def npy(threads):
    rows = tensor()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rows.npy")
        np.save(path, rows)
        yield Cell(sizes.file_row("npy", "read"), "NumPy load", lambda: np.load(path))
        yield Cell(sizes.file_row("npy", "write"), "NumPy save", lambda: np.save(path, rows))


# ---- text


def pages():
    return "".join(path.read_text() for path in sorted((ROOT / "docs").glob("*.md")))


def byte_letters():
    """GPT-2's letter for each byte."""
    kept = [*range(33, 127), *range(161, 173), *range(174, 256)]
    others = [byte for byte in range(256) if byte not in kept]
    return {byte: chr(byte) for byte in kept} | {byte: chr(256 + i) for i, byte in enumerate(others)}


def default_tokens():
    """Tokens and merges of apps/posenc/default, as docs/tokenizer.md lays them out."""
    file = (ROOT / "apps/posenc/default/whisper_base_3072.bin").read_bytes()
    count, merges, _, text = np.frombuffer(file, "<u4", 4, 12)
    lengths = np.frombuffer(file, "<u4", count, 28 + 4 * count)
    start, letters = 28 + 8 * int(count), byte_letters()
    ends = start + np.cumsum(lengths)
    tokens = ["".join(letters[byte] for byte in file[end - size : end]) for end, size in zip(ends, lengths)]
    pairs = np.frombuffer(file, "<u4", 2 * merges, start + text).reshape(-1, 2)
    return tokens, [(tokens[left], tokens[right]) for left, right in pairs]


def tokenizers(threads):
    from tokenizers import Tokenizer, models, pre_tokenizers

    tokens, merges = default_tokens()
    made = Tokenizer(models.BPE({token: i for i, token in enumerate(tokens)}, merges))
    made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    text = pages()
    yield Cell(sizes.tokenizer_row("bpe of 3072"), "tokenizers", lambda: made.encode(text).ids)


def sentencepiece(threads):
    from sentencepiece import SentencePieceProcessor

    made, text = SentencePieceProcessor(str(ROOT / "tests/text/goldens/unigram.model")), pages()
    yield Cell(sizes.tokenizer_row("sentencepiece"), "sentencepiece", lambda: made.encode(text))
