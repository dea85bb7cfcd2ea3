# SPDX-License-Identifier: Apache-2.0
"""What several tests read: the golden files, as NumPy's arrays."""

import importlib.util
import json
import pathlib
import struct
import sys
from dataclasses import dataclass

import ml_dtypes
import numpy as np
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests/house"))
# What is asked of a package is not even read where there is none.
NEEDS = {
    "modules": "torch",
    "test_jax.py": "jax",
    "test_notebook.py": "nbclient",
    "modules/test_onnx.py": "onnxruntime",
}
collect_ignore = [path for path, package in NEEDS.items() if not importlib.util.find_spec(package)]
DTYPES = {
    "F64": np.float64,
    "F32": np.float32,
    "F16": np.float16,
    "BF16": ml_dtypes.bfloat16,
    "I64": np.int64,
    "I32": np.int32,
}


@dataclass
class Golden:
    """tests/goldens/NAME.safetensors."""

    name: str
    metadata: dict
    tensors: dict

    def cases(self):
        return sorted({name.split("/")[0] for name in self.tensors})


def golden(name):
    data = (ROOT / "tests/goldens" / f"{name}.safetensors").read_bytes()
    (length,) = struct.unpack_from("<Q", data)
    header = json.loads(data[8 : 8 + length])
    metadata, tensors = header.pop("__metadata__", {}), {}
    for tensor, of in header.items():
        begin, end = (8 + length + offset for offset in of["data_offsets"])
        tensors[tensor] = np.frombuffer(data[begin:end], DTYPES[of["dtype"]]).reshape(of["shape"])
    return Golden(name, metadata, tensors)


def goldens(kind):
    """All of a kind."""
    names = sorted(path.stem for path in (ROOT / "tests/goldens").glob("*.safetensors"))
    found = [file for file in map(golden, names) if file.metadata.get("kind") == kind]
    assert found, kind
    return found


def bits(array):
    """The bytes of an array: equal where every element has the same bits."""
    return np.ascontiguousarray(array).tobytes()


@pytest.fixture(autouse=True)
def one_thread():
    """Whoever asks for threads gets them for that test alone."""
    import posenc

    posenc.set_threads(1)
    yield
    posenc.set_threads(1)


@pytest.fixture(autouse=True)
def same_random_numbers():
    """PyTorch's, where a test has imported it."""
    torch = sys.modules.get("torch")
    if torch is not None:
        torch.manual_seed(20)
