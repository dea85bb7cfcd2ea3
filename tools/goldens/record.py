# SPDX-License-Identifier: Apache-2.0
"""Golden files on disk: the CPU target that made them, packing, and the comparison with what is there.

Import this before NumPy or PyTorch: both choose their vector code when they load.
"""
import contextlib
import importlib.metadata
import importlib.util
import io
import json
import os
import pathlib
import platform
import re
import struct
import sys

# The elementary functions of both packages depend on the vector code. AVX2 is what most x86-64 machines have, so that
# they can make the files again to the bit; GOLDEN_TARGET=native measures this machine's own instead. Intel's library,
# which PyTorch asks for exp of 128 numbers or more, has another path for each maker of processors but for this one.
if os.environ.get("GOLDEN_TARGET") != "native":
    os.environ["ATEN_CPU_CAPABILITY"] = "avx2"
    os.environ["MKL_CBWR"] = "COMPATIBLE"
    os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"

import numpy as np

torch = None
if importlib.util.find_spec("torch"):
    import torch
    torch.set_num_threads(1)

HERE = pathlib.Path(__file__).resolve().parent
FOLDER = HERE.parents[1] / "tests" / "goldens"
SKIPPED = 77  # what CTest is told to read as "not run"
BF16 = np.dtype("V2")  # NumPy has no bfloat16: its bytes
TYPES = {np.dtype("<f2"): "F16", np.dtype("<f4"): "F32", np.dtype("<f8"): "F64", BF16: "BF16",
         np.dtype("<i4"): "I32", np.dtype("<i8"): "I64"}
SHORT = {"F16": "f16", "F32": "f32", "F64": "f64", "BF16": "bf16", "I32": "i32", "I64": "i64"}


# ---- arrays -------------------------------------------------------------------------------------

def dtype_name(array):
    return SHORT[TYPES[array.dtype]]


def bf16(patterns):
    """The array of these 16-bit patterns."""
    return patterns.astype("<u2").view(BF16)


def patterns(array):
    """The 16-bit patterns of a bf16 array."""
    return np.ascontiguousarray(array).view("<u2")


def stored(tensor):
    """A PyTorch tensor as NumPy."""
    if tensor.dtype == torch.bfloat16:
        return np.ascontiguousarray(tensor.contiguous().view(torch.int16).numpy()).view(BF16)
    return np.ascontiguousarray(tensor.numpy())


# ---- who made it --------------------------------------------------------------------------------

def pins(package):
    """The packages that packages/PACKAGE.txt pins, with those of the files it includes."""
    names = []
    for line in (HERE / "packages" / f"{package}.txt").read_text().splitlines():
        if included := re.match(r"-r (\S+)\.txt", line):
            names += pins(included[1])
        elif pinned := re.match(r"([\w-]+)==", line):
            names.append(pinned[1])
    return names


def numpy_target():
    """The groups of instructions that NumPy dispatches to."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        np.show_runtime()
    return "+".join(re.findall(r"\w+", shown.getvalue().split("'found': [")[1].split("]")[0]))


def made_by(package):
    """Versions and CPU target. Equal texts mean that the bits can be compared."""
    versions = [f"{name} {importlib.metadata.version(name)}" for name in sorted(pins(package))]
    target = [platform.machine(), f"NumPy {numpy_target()}"]
    if "torch" in pins(package):
        target.append(f"PyTorch {torch.backends.cpu.get_cpu_capability()}")
    return ", ".join(versions) + "; " + ", ".join(target)


# ---- safetensors --------------------------------------------------------------------------------

def pack(metadata, tensors):
    """Bytes of a safetensors file that depend on nothing else: wide elements first, so that each tensor is aligned,
    then names; keys in order, no date."""
    names = sorted(tensors, key=lambda name: (-tensors[name].dtype.itemsize, name))
    header, at = {"__metadata__": dict(sorted(metadata.items()))}, 0
    for name in names:
        array = tensors[name]
        header[name] = {"dtype": TYPES[array.dtype], "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=True).encode()
    text += b" " * (-len(text) % 8)
    return struct.pack("<Q", len(text)) + text + b"".join(np.ascontiguousarray(tensors[n]).tobytes() for n in names)


def unpack(data):
    """(metadata, tensors) of a file by `pack`."""
    size, = struct.unpack_from("<Q", data)
    header = json.loads(data[8:8 + size])
    metadata = header.pop("__metadata__")
    types = {name: dtype for dtype, name in TYPES.items()}
    return metadata, {name: np.frombuffer(data[8 + size:][slice(*entry["data_offsets"])], types[entry["dtype"]])
                      .reshape(entry["shape"]) for name, entry in header.items()}


def read(name):
    return unpack((FOLDER / f"{name}.safetensors").read_bytes())


def write(name, data, folder=FOLDER):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.safetensors").write_bytes(data)
    print(f"{name}: wrote {len(data)} bytes")


def check(name, data, certain, folder=FOLDER):
    """Compares with what is there, byte by byte; the exit status. A file that other versions or another CPU target made
    is compared in its metadata and in the tensors that `certain` accepts by name: they depend on neither."""
    path = folder / f"{name}.safetensors"
    if not path.is_file():
        return fail(name, ["is not there"])
    if path.read_bytes() == data:
        print(f"{name}: equal, {len(data)} bytes")
        return 0
    (said, there), (says, here) = unpack(path.read_bytes()), unpack(data)
    makers = said.pop("made_by", ""), says.pop("made_by")
    comparable = makers[0] == makers[1]
    wrong = [f"metadata {key}: {said.get(key)!r} there, {says.get(key)!r} made"
             for key in sorted(said.keys() | says.keys()) if said.get(key) != says.get(key)]
    wrong += [f"{tensor}: there or made, not both" for tensor in sorted(there.keys() ^ here.keys())]
    both = [tensor for tensor in sorted(there.keys() & here.keys()) if comparable or certain(tensor)]
    wrong += [f"{tensor}: other bits" for tensor in both if not same_bits(there[tensor], here[tensor])]
    if wrong or comparable:
        return fail(name, wrong or ["the same content, packed otherwise"])
    print(f"{name}: {len(both)} of {len(here)} tensors compared, equal; the others are by\n  {makers[0]}, here it is\n"
          f"  {makers[1]}: bits cannot be compared", file=sys.stderr)
    return SKIPPED


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def fail(name, faults):
    for fault in faults:
        print(f"{name}: {fault}", file=sys.stderr)
    return 1
