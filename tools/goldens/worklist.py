# SPDX-License-Identifier: Apache-2.0
"""The work list: one row a golden file, and nothing else names a golden. Needs no package, so that it can be listed."""
import coordinate_works
import relative_works
import rotation_works
import waves_works
from works import Answers, Biases, Other, Places, Rotation, Script, Table, TurnedPlaces

WORKS = [
    *waves_works.WORKS,
    *coordinate_works.WORKS,
    *rotation_works.WORKS,
    *relative_works.WORKS,
    Script("printed-rows", "numpy", "printed_rows", "rows of seven conventions whose digits another program printed"),
    Script("masked-places", "transformers", "masked_places", "tables of a padded image by DETR and Deformable DETR"),
    Script("timesteps", "diffusers", "timesteps", "diffusers' tables for every field of a timestep, the recipe's, exact ones"),
    Script("input-stage", "torch", "stage", "PyTorch's input stage step by step, given rows, ids, table and mask"),
    Script("resized-modes", "torch", "resizes", "every mode of PyTorch's interpolate, sides from 1 to 200"),
    Script("backward", "torch", "backward", "the gradient of the rows by PyTorch's autograd"),
    Script("attention", "torch", "attention", "PyTorch's scaled_dot_product_attention on 200 random shapes and masks"),
    Script("multi-head", "torch", "multi_head", "PyTorch's nn.MultiheadAttention on 200 random shapes and masks"),
    Script("nn-transformer", "torch", "transformer", "PyTorch's nn.Transformer in 20 configurations"),
    Script("additive", "torch", "additive", "Bahdanau's formula written down in PyTorch, in f64"),
    Script("recurrent", "torch", "recurrent", "the recurrent network with self attention in PyTorch, in f64"),
    Other("packages-diffusers", "diffusers", "packages.py diffusers", "diffusers' tables against our originals"),
    Other("packages-transformers", "transformers", "packages.py transformers", "transformers' tables against our originals"),
    Other("packages-positional-encodings", "positional-encodings", "packages.py positional-encodings",
          "its table against the recipe f32-reciprocal"),
    Other("corpus", "numpy", "corpus.py",
          "tests/referee/corpus: tables by the packages above with what is true of them, one part held out"),
    Other("tensor-files", "safetensors", "tensor_files.py", "tests/io/goldens: files of the safetensors package"),
    Other("npy-files", "numpy", "npy.py", "tests/io/goldens: files of numpy.save"),
    Other("npz-files", "numpy", "npz.py", "tests/io/goldens: archives of numpy.savez and savez_compressed"),
    Other("gguf-files", "gguf", "gguf_files.py", "tests/io/goldens: files of the gguf package"),
    Other("bpe", "tokenizers", "bpe.py", "tests/text/goldens/bpe.json: ids of the tool's own vocabulary"),
    Other("tokenizer-files", "tokenizers", "tokenizer_files.py", "tests/text/goldens: what `tokenizers` says of files"),
    Other("sentence-piece", "sentencepiece", "sentence_piece.py", "tests/text/goldens: ids of two small models"),
]


def of_name(name):
    return next(work for work in WORKS if work.name == name)


def made_here(work):
    """Whether the work is a file of tests/goldens."""
    return not isinstance(work, Other)


def about(work):
    if isinstance(work, Table):
        return ", ".join(work.calls.values()) or "the formula, correctly rounded"
    if isinstance(work, (Biases, Places, TurnedPlaces, Answers)):
        return work.call
    if isinstance(work, Rotation):
        return ", ".join(dict.fromkeys(turn.call for turn in work.turns))
    return work.about
