# SPDX-License-Identifier: Apache-2.0
"""The tensors of a model as its package stores them, each format opened by its own library; bf16 comes as f32."""
import json
import pathlib
import pickle

import ctranslate2_file
import numpy as np

# Of .safetensors, in NumPy's words; BF16 is none of them.
TYPES = {"F16": "<f2", "F32": "<f4", "F64": "<f8", "BOOL": "?", "I8": "i1", "I16": "<i2", "I32": "<i4", "I64": "<i8",
         "U8": "u1", "U16": "<u2", "U32": "<u4", "U64": "<u8"}


def read(path, within=None):
    """Tensors by name, as NumPy arrays. `within` is the key of the dictionary of tensors in a larger checkpoint."""
    path = pathlib.Path(path)
    if path.name.endswith(".index.json"):
        return from_index(path)
    start = path.open("rb").read(4)
    if path.suffix == ".safetensors":
        return from_safetensors(path)
    if start[:2] == b"PK" or start[:1] == b"\x80":
        return from_torch(path, within)
    return ctranslate2_file.read(path)[0]


def from_safetensors(path):
    import safetensors

    # Not safetensors.numpy.load_file, which has no bf16.
    try:
        entries = safetensors.deserialize(path.read_bytes())
    except safetensors.SafetensorError as problem:
        raise ValueError(f"{path} is no whole .safetensors file: {problem}") from problem
    return {name: elements(entry["dtype"], entry["data"], name).reshape(entry["shape"]) for name, entry in entries}


def from_index(path):
    """The tensors of all files that an index names; each must be where it says."""
    try:
        places = json.loads(path.read_text(encoding="utf-8"))["weight_map"]
        files = sorted(set(places.values()))
    except (ValueError, KeyError, TypeError, AttributeError) as problem:
        raise ValueError(f"{path} must be an index of files: a weight_map of names ({problem})") from problem
    strange = [file for file in files if pathlib.PurePath(file).name != file or not file.endswith(".safetensors")]
    missing = [file for file in files if not (path.parent / file).is_file()]
    if strange or missing:
        raise ValueError(f"the files of {path} must be .safetensors beside it, got {', '.join(strange or missing)}")
    tensors = {}
    for file in files:
        held = from_safetensors(path.parent / file)
        absent = [name for name, place in places.items() if place == file and name not in held]
        if absent:
            raise ValueError(f"{path.parent / file} must hold what {path.name} places there, and lacks {absent[0]}")
        tensors |= {name: held[name] for name in held if places.get(name) == file}
    return tensors


def elements(kind, raw, name):
    if kind == "BF16":  # the upper half of an f32
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
    if kind not in TYPES:
        raise ValueError(f"{name} must be BF16 or one of {', '.join(TYPES)}, got {kind}")
    return np.frombuffer(raw, TYPES[kind])


def from_torch(path, within):
    import torch

    # weights_only: nothing but tensors and plain containers is unpickled.
    try:
        state = torch.load(path, map_location="cpu", weights_only=True)
    except pickle.UnpicklingError as problem:
        raise ValueError(f"{path} holds more than tensors: {first_line(problem)}") from problem
    except Exception as problem:  # a file cut short is a RuntimeError, an EOFError, an IndexError, ...
        raise ValueError(f"{path} is no whole file of PyTorch: {first_line(problem)}") from problem
    for key in within.split("/") if within else ():
        if key not in dictionary(state):
            raise ValueError(f"--within: {path} has no {key!r}; it has {', '.join(map(str, state))}")
        state = state[key]
    strangers = [str(name) for name, value in dictionary(state).items() if not isinstance(value, torch.Tensor)]
    if strangers:
        raise ValueError(f"--within must name the dictionary of tensors; besides, {path} has {', '.join(strangers)}")
    return {name: (tensor.float() if tensor.dtype == torch.bfloat16 else tensor).numpy(force=True)
            for name, tensor in state.items()}


def dictionary(state):
    if not isinstance(state, dict):
        raise ValueError(f"--within must name a dictionary of tensors, got {type(state).__name__}")
    return state


def first_line(problem):
    return (str(problem).splitlines() or [type(problem).__name__])[0]


def widened(array):
    """f32, whatever the float type was: no value changes."""
    array = np.asarray(array)
    if array.dtype not in (np.float16, np.float32):
        raise ValueError(f"weights must be f16, bf16 or f32, got {array.dtype}")
    return np.ascontiguousarray(array, np.float32)
