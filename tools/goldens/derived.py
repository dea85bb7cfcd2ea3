# SPDX-License-Identifier: Apache-2.0
"""Goldens whose original is no package that installs: what they are made by in its place, each with the reason."""

TUTORIAL = "a tutorial or an example, which no package has"
REPOSITORY = "a repository that is no package, written again"
TENSORFLOW = "TensorFlow code, written again operation by operation"
JAX = "JAX code, written again"
NATIVE = "native code, written again"
PAPER = "a paper's formula"
CHECKPOINT = "code that comes with a checkpoint, written again"
FORKS = "code of old forks, written again"
LINE = "a line inside a model's forward pass, written again"
INTEGERS = "whole numbers by their formula"

REASONS = {
    "transformer": PAPER, "nerf-pi": PAPER, "time2vec": PAPER,
    "pytorch": TUTORIAL, "pytorch-divide": TUTORIAL, "annotated-transformer": TUTORIAL, "torch-examples": TUTORIAL,
    "tf-tutorial": TUTORIAL,
    "opennmt": "releases that are sequence-first, which install no more, written again",
    "whisper": "values of its files, f64 rounded to f16, which no published code computes",
    "tf-official": TENSORFLOW, "tensor2tensor": TENSORFLOW, "t2t-nd": TENSORFLOW, "ddpm": TENSORFLOW, "nerf": TENSORFLOW,
    "mae-1d": REPOSITORY, "mae-2d": REPOSITORY, "mocov3-2d": REPOSITORY, "fairseq-sinusoidal": REPOSITORY,
    "dino-resize": REPOSITORY,
    "bigvision-2d": JAX, "bigvision-resize": JAX + " around SciPy's own zoom",
    "marian-native": NATIVE, "burn-sinusoids": NATIVE, "ct2-native": NATIVE, "ct2-alibi": NATIVE, "ggml-alibi": NATIVE,
    "zero-row-origin": FORKS, "double-exponent-legacy": FORKS, "paddle-fluid-bug": FORKS,
    "chatglm-2d": CHECKPOINT, "qwen-logn": CHECKPOINT,
    "llama4-temperature": LINE, "inkling-temperature": LINE,
    "rope-clipped": REPOSITORY + " over the ladder of transformers",
    "deberta-v1": INTEGERS, "shaw": INTEGERS, "bert-relative-key": INTEGERS, "kerashub-position": INTEGERS,
    "t2t-learned": INTEGERS, "t2t-emb-nd": INTEGERS, "marian-trained": INTEGERS,
}
# Environments of libraries that originals are written in, not of originals.
LIBRARIES = ("numpy", "torch", "scipy")


def status(work):
    """original, or derived with the reason; of a golden that is no preset's own nothing."""
    if not getattr(work, "preset", ""):
        return ""
    if work.package not in LIBRARIES and work.name not in REASONS:
        return "original"
    return f"derived: {REASONS[work.name]}"
