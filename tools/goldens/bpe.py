# SPDX-License-Identifier: Apache-2.0
"""Makes tests/text/goldens/bpe.json: what the `tokenizers` package says of the tool's own vocabulary.

    pip install tokenizers==0.23.3          (and Debian's libutf8proc2 2.8.0-1, read by ctypes)
    python tools/goldens/bpe.py [--check]

The vocabulary is read from apps/posenc/default/whisper_base_3072.bin. The pre-tokenizer is ByteLevel(
add_prefix_space=False, use_regex=True), GPT-2's pattern. The file holds

- `strings`: short texts with their ids, for failures that can be read;
- `sections`: texts of mixed_text(seed, size), as SHA-256 of the text and of its ids as little-endian int32;
- `classes`: SHA-256 of one letter for every scalar value in order, L letter, N number, S white space, O other, found
  by how the package cuts "a", "1" and "!" with that scalar behind it;
- `later`: the scalars whose class the package has from a Unicode version later than 15.0. The script stops unless
  15.0 leaves every one of them unassigned; in `classes` they count as O. mixed_text uses assigned scalars only.

mixed_text is written a second time in tests/text/mixed_text.cc, so no text is committed.
"""

import ctypes
import hashlib
import itertools
import json
import pathlib
import struct
import sys

import tokenizers
from tokenizers import Tokenizer, models, pre_tokenizers

TOKENIZERS = "0.23.3"
ROOT = pathlib.Path(__file__).resolve().parents[2]
SECTION_SIZE = 1 << 17
SEEDS = range(1, 9)

STRINGS = [
    "", " ", "  ", "\n", "\0", "我爱你", "你爱我", "I love you", " the", "it's we'll I'd don't they're I've I'm IT'S",
    "x  y", "x \n y", " \t\u00a0\u3000z", "a\u0085b\u2028c", "e\u0301\u0323 \u0301", "١٢٣ ४५ Ⅷ ½ 12ab",
    "👩‍👩‍👧 👍🏽", "''s 's'", "------====", "naïve façade", "\U0010fffd\ufeff\u200b", "Attention is all you need.",
]  # fmt: skip

# ---- the text: change it only together with tests/text/mixed_text.cc ----

WORDS = [
    "the", "of", "and", "Attention", "is", "all", "you", "need", "position", "love", "Transformer", "x", "I", "model",
    "HTTP", "naïve", "don", "encoding", "sequence", "Über", "question", "sine", "a", "thousand", "tokenisation",
]  # fmt: skip
PHRASES = ["我爱你", "你爱我", "注意力", "位置编码", "今天天气很好", "的", "中文和English", "一二三", "人工智能。"]
ENDINGS = ["'s", "'t", "'re", "'ve", "'m", "'ll", "'d", "'S", "'LL", "'", "''s", "'\u017f", " 's", "'r", "'v"]
LETTERS = [
    (0x61, 0x7A), (0x41, 0x5A), (0xC0, 0xD6), (0x100, 0x17F), (0x3B1, 0x3C9), (0x430, 0x44F), (0x5D0, 0x5EA),
    (0x620, 0x64A), (0x905, 0x939), (0xE01, 0xE30), (0x10D0, 0x10FA), (0x3041, 0x3096), (0x30A1, 0x30FA),
    (0xAC00, 0xD7A3), (0x4E00, 0x9FFF), (0x20000, 0x2A6DF), (0x31350, 0x323AF), (0x1D400, 0x1D454),
    (0x10400, 0x1044F), (0x1E900, 0x1E943), (0x2B0, 0x2C1), (0xAA, 0xAA), (0x1C5, 0x1C5),
]  # fmt: skip
NUMBERS = [
    (0x30, 0x39), (0x30, 0x39), (0x660, 0x669), (0x6F0, 0x6F9), (0x966, 0x96F), (0xE50, 0xE59), (0xFF10, 0xFF19),
    (0x1D7CE, 0x1D7FF), (0x2160, 0x2188), (0xB2, 0xB3), (0xBC, 0xBE), (0x2460, 0x249B), (0x3021, 0x3029),
    (0x1F100, 0x1F10C), (0x11F50, 0x11F59), (0x1E4F0, 0x1E4F9),
]  # fmt: skip
MARKS = [
    (0x300, 0x36F), (0x483, 0x489), (0x591, 0x5BD), (0x64B, 0x65F), (0x93A, 0x93C), (0x20D0, 0x20F0),
    (0xFE00, 0xFE0F), (0xFE20, 0xFE2F), (0x1F3FB, 0x1F3FF), (0x200C, 0x200D),
]  # fmt: skip
SIGNS = [
    (0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x60), (0x7B, 0x7E), (0xA1, 0xA9), (0x2010, 0x2027), (0x2030, 0x205E),
    (0x20A0, 0x20C0), (0x2190, 0x23FF), (0x3001, 0x3003), (0x3008, 0x3020), (0xFF01, 0xFF0F), (0x1F000, 0x1F02B),
]  # fmt: skip
EMOJI = [
    (0x1F600, 0x1F64F), (0x1F300, 0x1F5FF), (0x1F680, 0x1F6D7), (0x1F900, 0x1F9FF), (0x2600, 0x26FF),
    (0x1FA75, 0x1FA77), (0x1F1E6, 0x1F1FF),
]  # fmt: skip
WHITE = [
    (0x20, 0x20), (0x20, 0x20), (0x09, 0x0D), (0x0A, 0x0A), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680),
    (0x2000, 0x200A), (0x2028, 0x2029), (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
]  # fmt: skip
ODD = [
    (0x00, 0x08), (0x0E, 0x1F), (0x7F, 0x84), (0x86, 0x9F), (0x180E, 0x180E), (0x200B, 0x200F), (0x202A, 0x202E),
    (0x2060, 0x2064), (0xFEFF, 0xFEFF), (0xFFF9, 0xFFFD), (0xE000, 0xE0FF), (0xF0000, 0xF00FF), (0x10FF00, 0x10FFFD),
    (0xE0020, 0xE007F),
]  # fmt: skip


class Picker:
    """A linear congruential generator modulo 2^64 (Knuth's multiplier); the upper 31 bits are used."""

    def __init__(self, seed):
        self.state = seed

    def below(self, count):
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        return (self.state >> 33) % count

    def one(self, choices):
        return choices[self.below(len(choices))]

    def scalar(self, span):
        return chr(span[0] + self.below(span[1] - span[0] + 1))

    def some(self, spans, most):
        """1 to `most` scalars, each of any of the spans."""
        return "".join([self.scalar(self.one(spans)) for _ in range(1 + self.below(most))])

    def word(self, spans, most):
        """1 to `most` scalars, all of one of the spans."""
        span = self.one(spans)
        return "".join([self.scalar(span) for _ in range(1 + self.below(most))])


def run_of_one(pick):
    scalar = pick.scalar(pick.one(pick.one([LETTERS, NUMBERS, SIGNS, WHITE])))
    most = 400 if pick.below(16) == 0 else 20
    return scalar * (1 + pick.below(most))


KINDS = [
    lambda pick: pick.one(WORDS),
    lambda pick: pick.word(LETTERS, 10),
    lambda pick: " " + pick.word(LETTERS, 10),
    lambda pick: pick.one(PHRASES),
    lambda pick: pick.word(NUMBERS, 7),
    lambda pick: pick.one(ENDINGS),
    lambda pick: pick.some(WHITE, 5),
    lambda pick: pick.some(SIGNS, 4),
    lambda pick: pick.some(EMOJI, 2) + pick.one(["", "\u200d", "\ufe0f"]) + pick.some(EMOJI, 1),
    lambda pick: pick.word(LETTERS, 2) + pick.some(MARKS, 3),
    run_of_one,
    lambda pick: pick.some(ODD, 3),
    lambda pick: " ",
]


def mixed_text(seed, size):
    """Pieces of any kind until there are `size` bytes of UTF-8."""
    pick, pieces, total = Picker(seed), [], 0
    while total < size:  # every other piece is a word
        pieces.append(" " + pick.one(WORDS) if pick.below(2) else pick.one(KINDS)(pick))
        total += len(pieces[-1].encode())
    return "".join(pieces)


# ---- the package ----


def read_vocabulary(path):
    """(tokens, merges) of the embedded file; its layout is in default.h."""
    data = path.read_bytes()
    magic, version, tokens, merges, _, text_bytes = struct.unpack_from("<8s5I", data)
    assert (magic, version) == (b"posencDV", 1)
    at = 28 + 4 * tokens
    lengths = struct.unpack_from(f"<{tokens}I", data, at)
    at += 4 * tokens
    ends = list(itertools.accumulate(lengths))
    assert ends[-1] == text_bytes
    text = data[at : at + text_bytes]
    pairs = struct.unpack_from(f"<{2 * merges}I", data, at + text_bytes)
    return [text[end - size : end] for end, size in zip(ends, lengths)], list(zip(pairs[::2], pairs[1::2]))


def make_tokenizer(tokens, merges):
    """A byte-level BPE writes bytes as characters: printable Latin-1 as itself, the others from U+0100 on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = itertools.count(256)
    character = [chr(byte) if byte in printable else chr(next(others)) for byte in range(256)]
    names = ["".join(character[byte] for byte in token) for token in tokens]
    vocabulary = {name: i for i, name in enumerate(names)}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[(names[a], names[b]) for a, b in merges]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=True)
    return tokenizer


def scalar_values():
    return itertools.chain(range(0xD800), range(0xE000, 0x110000))


def class_of(pieces, scalar):
    """How the pattern sees a scalar: with what before it, it stands in one piece."""
    for mark, name in ("a", "L"), ("1", "N"), ("!", "O"):
        if len(pieces.pre_tokenize_str(mark + chr(scalar))) == 1:
            return name
    return "S"


def classes_of_unicode_15(pieces):
    """(one class letter a scalar value, [[first, last, class in the package], ...] of what 15.0 does not assign)."""
    utf8proc = ctypes.CDLL("libutf8proc.so.2")
    utf8proc.utf8proc_unicode_version.restype = ctypes.c_char_p
    assert utf8proc.utf8proc_unicode_version() == b"15.0.0"
    of_category = {**dict.fromkeys(range(1, 6), "L"), **dict.fromkeys(range(9, 12), "N"), 23: "S", 24: "S", 25: "S"}
    controls = {*range(0x09, 0x0E), 0x85}
    letters, later = [], []
    for scalar in scalar_values():
        category = utf8proc.utf8proc_category(scalar)
        own = "S" if scalar in controls else of_category.get(category, "O")
        found = class_of(pieces, scalar)
        letters.append(own)
        if found == own:
            continue
        if category != 0:
            sys.exit(f"bpe: U+{scalar:04X} is assigned in 15.0 as {own}, and the package says {found}")
        if later and later[-1][1] == scalar - 1 and later[-1][2] == found:
            later[-1][1] = scalar
        else:
            later.append([scalar, scalar, found])
    for first, last in itertools.chain(LETTERS, NUMBERS, MARKS, SIGNS, EMOJI, WHITE, ODD):
        assert all(utf8proc.utf8proc_category(scalar) != 0 for scalar in range(first, last + 1)), hex(first)
    return "".join(letters), later


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def section(tokenizer, seed):
    text = mixed_text(seed, SECTION_SIZE)
    ids = tokenizer.encode(text).ids
    return {
        "seed": seed,
        "text_bytes": len(text.encode()),
        "text_sha256": sha256(text.encode()),
        "ids": len(ids),
        "ids_sha256": sha256(struct.pack(f"<{len(ids)}i", *ids)),
    }


def main():
    if tokenizers.__version__ != TOKENIZERS:
        sys.exit(f"bpe: tokenizers is {tokenizers.__version__}, expected {TOKENIZERS}")
    tokenizer = make_tokenizer(*read_vocabulary(ROOT / "apps/posenc/default/whisper_base_3072.bin"))
    letters, later = classes_of_unicode_15(tokenizer.pre_tokenizer)
    golden = {
        "made_by": f"tools/goldens/bpe.py, tokenizers {TOKENIZERS}, utf8proc 2.8.0 (Unicode 15.0), any CPU",
        "classes_sha256": sha256(letters.encode()),
        "later": later,
        "section_size": SECTION_SIZE,
        "sections": [section(tokenizer, seed) for seed in SEEDS],
        "strings": [{"text": text, "ids": tokenizer.encode(text).ids} for text in STRINGS],
    }
    lines = [f" {json.dumps(key)}: " + json_value(value) for key, value in golden.items()]
    text, path = "{\n" + ",\n".join(lines) + "\n}\n", ROOT / "tests/text/goldens/bpe.json"
    if "--check" not in sys.argv[1:]:
        path.write_text(text)
    elif path.read_text() != text:
        sys.exit("bpe: other ids than those committed")
    print(f"{sum(last - first + 1 for first, last, _ in later)} scalars have a class from a later Unicode version")


def json_value(value):
    """One line, or one line an entry of a list."""
    if not isinstance(value, list):
        return json.dumps(value)
    return "[\n" + ",\n".join("  " + json.dumps(entry) for entry in value) + "\n ]"


if __name__ == "__main__":
    main()
