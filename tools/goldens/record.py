# SPDX-License-Identifier: Apache-2.0
"""Golden files on disk: the CPU target that made them, the arrays, the index, and the comparison with what is there.

Import this before NumPy or PyTorch: both choose their vector code when they load.
"""
import argparse
import contextlib
import io
import json
import os
import pathlib
import platform
import sys

# The elementary functions of both packages depend on the vector code. AVX2 is what most x86-64 machines have, so that
# they can regenerate the files to the bit; GOLDEN_TARGET=native measures this machine's own instead.
if os.environ.get("GOLDEN_TARGET") != "native":
    os.environ["ATEN_CPU_CAPABILITY"] = "avx2"
    os.environ["NPY_DISABLE_CPU_FEATURES"] = "X86_V4 AVX512_ICL AVX512_SPR"

import mpmath
import numpy as np
import torch

torch.set_num_threads(1)

TESTS = pathlib.Path(__file__).resolve().parents[2] / "tests"
SKIPPED = 77  # what CTest is told to read as "not run"
NAMES = {"float32": "f32", "float64": "f64", "float16": "f16", "int32": "i32", "int64": "i64"}


def made_by(script):
    """Versions and CPU target. Equal values mean that the bits can be compared."""
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown):
        np.show_runtime()
    found = shown.getvalue().split("'found': [")[1].split("]")[0]
    cpu = [line.split(":")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    return {
        "script": f"tools/goldens/{script}",
        "python": platform.python_version(),
        "numpy": np.__version__,
        "torch": torch.__version__,
        "mpmath": mpmath.__version__,
        "machine": platform.machine(),
        "torch_cpu_capability": torch.backends.cpu.get_cpu_capability(),
        "numpy_simd": found.replace("'", "").replace(" ", "").replace("\n", "").split(","),
        "cpu": cpu[0] if cpu else "not stated",
    }


def same_maker(ours, theirs):
    """Versions and target agree. The CPU's name and the patch version of Python are there to be read only."""
    keys = ("numpy", "torch", "mpmath", "machine", "torch_cpu_capability", "numpy_simd")
    return all(ours[key] == theirs.get(key) for key in keys)


def parse(description):
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="recompute and compare with the committed files")
    return parser


def dtype_name(array):
    return NAMES[array.dtype.name]


def same_bits(a, b):
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def write(folder, index_name, head, entries):
    """Writes every entry's array and the index, one entry a line. An entry is (description, array)."""
    folder.mkdir(parents=True, exist_ok=True)
    for description, array in entries:
        np.save(folder / description["file"], array)
    lines = [json.dumps(described(*entry)) for entry in entries]
    top = ",\n".join(f"  {json.dumps(key)}: {json.dumps(value)}" for key, value in head.items())
    text = "{\n" + top + ',\n  "files": [\n    ' + ",\n    ".join(lines) + "\n  ]\n}\n"
    (folder / index_name).write_text(text)
    size = sum((folder / entry[0]["file"]).stat().st_size for entry in entries)
    print(f"wrote {len(entries)} files, {size} bytes, and {index_name}")


def described(description, array):
    return {"dtype": dtype_name(array), **description, "shape": list(array.shape)}


def check(folder, index_name, head, entries, exact=lambda description: False):
    """Compares with what is there; returns the exit status. Under other versions or another CPU target only entries
    that `exact` accepts are compared, because they depend on neither."""
    there = json.loads((folder / index_name).read_text())
    comparable = same_maker(head["made_by"], there["made_by"])
    listed = {entry["file"]: entry for entry in there["files"]}
    wrong, skipped = [], 0
    for description, array in entries:
        name = description["file"]
        if listed.pop(name, None) != json.loads(json.dumps(described(description, array))):
            wrong.append(f"{name}: the index says something else")
        elif not comparable and not exact(description):
            skipped += 1
        elif not same_bits(np.load(folder / name), array):
            wrong.append(f"{name}: other bits")
    wrong += [f"{name}: listed but not made" for name in listed]
    for line in wrong:
        print(line, file=sys.stderr)
    print(f"{len(entries) - skipped} files compared, {skipped} skipped, {len(wrong)} wrong")
    if skipped:
        print(f"made by {there['made_by']}, here {head['made_by']}: bits cannot be compared", file=sys.stderr)
    return 1 if wrong else SKIPPED if skipped else 0
