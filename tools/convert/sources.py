# SPDX-License-Identifier: Apache-2.0
"""The tensors of a model as its package stores them, each format opened by its own library."""
import pathlib
import pickle

import ctranslate2_file
import numpy as np


def read(path, within=None):
    """Tensors by name, as NumPy arrays. `within` is the key of the dictionary of tensors in a larger checkpoint."""
    path = pathlib.Path(path)
    start = path.open("rb").read(4)
    if path.suffix == ".safetensors":
        import safetensors.numpy

        return safetensors.numpy.load_file(path)
    if start[:2] == b"PK" or start[:1] == b"\x80":
        return from_torch(path, within)
    return ctranslate2_file.read(path)[0]


def from_torch(path, within):
    import torch

    # weights_only: nothing but tensors and plain containers is unpickled.
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as problem:
        raise ValueError(f"{path} holds more than tensors: {str(problem).splitlines()[0]}") from problem
    for key in within.split("/") if within else ():
        if key not in state:
            raise ValueError(f"--within: {path} has no {key!r}; it has {', '.join(map(str, state))}")
        state = state[key]
    strangers = [str(name) for name, value in state.items() if not isinstance(value, torch.Tensor)]
    if strangers:
        raise ValueError(f"--within must name the dictionary of tensors; besides, {path} has {', '.join(strangers)}")
    return {name: tensor.numpy() for name, tensor in state.items()}


def widened(array):
    """f32, whatever the float type was: no value changes."""
    array = np.asarray(array)
    if array.dtype not in (np.float16, np.float32):
        raise ValueError(f"weights must be f16 or f32, got {array.dtype}")
    return np.ascontiguousarray(array, np.float32)
