# SPDX-License-Identifier: Apache-2.0
"""Files that the safetensors package writes, and a comparison of our readers and writers with NumPy and that package.

Usage: python tools/goldens/tensor_files.py [--check] [--exchange PROGRAM [--tensors N]]

Without options writes tests/io/goldens/*.safetensors and safetensors_sweep.txt; --check compares instead.
--exchange runs the test program io_exchange over N random tensors (10,000) and over changed headers.
Made with NumPy 2.4.6, PyTorch 2.13.0 and safetensors 0.8.0; the files depend on no CPU.
"""
import argparse
import io
import json
import pathlib
import struct
import subprocess
import sys
import tempfile
import warnings

import numpy as np
import safetensors
import safetensors.numpy
import safetensors.torch
import torch

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests/io/goldens"

# Element i of a tensor, in row-major order, is VALUES[i % 7], as in npy.py.
VALUES = [0, 1, -2, 3, 100, -64, 7]
# What a byte of a header is changed to: bounds, structure, digits, letters of types, and what is not ASCII.
CHANGES = [b"\x00\x01\x09\x0a\x20\",-.0", b"159:AF[]\\e{}\x7f\x80\xc3\xff"]
CHANGED = [byte for text in CHANGES for byte in text]


def filled(shape, dtype):
    count = int(np.prod(shape, dtype=np.int64))
    return torch.tensor([VALUES[i % 7] for i in range(count)], dtype=torch.int64).to(dtype).reshape(shape)


def saved(tensors, metadata=None):
    return safetensors.torch.save(tensors, metadata)


def golden_files():
    t = torch
    types = {"f32": ((2, 3), t.float32), "f64": ((2,), t.float64), "f16": ((3,), t.float16), "bf16": ((3,), t.bfloat16),
             "i32": ((2, 1), t.int32), "i64": ((2,), t.int64)}
    odd = {"a": ((3,), t.float16), "b": ((1,), t.float64), "c": ((1, 1), t.int32), "d": ((5,), t.bfloat16)}
    empty = {"none": ((0, 3), t.float32), "no": ((2, 0), t.int64), "two": ((2,), t.float16), "nil": ((0,), t.bfloat16)}
    names = ["b", "a", "B", "a.b", "a b", "\u00e9", "\u6211\u7231\u4f60", "\U0001f600", "\uffff", "quote\"slash\\",
             "tab\tline\nescape\x1b"]
    others = {"bool": filled((3,), t.bool), "u8": filled((3,), t.uint8), "f8": filled((2,), t.float8_e4m3fn),
              "i16": filled((2,), t.int16), "f32": filled((2,), t.float32)}

    def made(shapes):
        return {name: filled(*shape) for name, shape in shapes.items()}
    return {
        "types": saved(made(types), {"format": "pt"}),
        "odd_sizes": saved(made(odd)),
        "empty_tensors": saved(made(empty)),
        "no_tensors": saved({}),
        "scalar": saved(made({"s": ((), t.float32)})),
        "axes_8": saved(made({"w": ((1, 2, 1, 1, 3, 1, 1, 1), t.float64)})),
        "names": saved({name: filled((1,), t.float32) for name in names}, {"key \"\u00e9\"\n": "value \\ \u2028"}),
        "other_types": saved(others),
        "pair": saved(made({"a": ((2,), t.float32), "b": ((1,), t.int32)})),
    }


# ---- what the package reads ---------------------------------------------------------------------

def description(data):
    """The line of tests/io/safetensors_description.h, or None where the package refuses."""
    try:
        found = safetensors.deserialize(data)
    except safetensors.SafetensorError:
        return None
    lines = []
    for name, tensor in found:
        shape = ",".join(str(size) for size in tensor["shape"])
        lines.append(f"{name.encode().hex()} {tensor['dtype']} {shape} {bytes(tensor['data']).hex()};")
    return "".join(sorted(lines))


def header_end(data):
    if data.startswith(b"\x93NUMPY"):
        length = "<H" if data[6] == 1 else "<I"
        return 8 + struct.calcsize(length) + struct.unpack_from(length, data, 8)[0]
    return 8 + struct.unpack_from("<Q", data)[0]


def changed(data):
    """Every byte of the header set to other values."""
    for at in range(header_end(data)):
        for value in CHANGED:
            if value != data[at]:
                yield at, value, data[:at] + bytes([value]) + data[at + 1:]


def sweep(data):
    """What the package reads from the changed files that it does read, a line each."""
    lines = [f"# offset, byte, what safetensors {safetensors.__version__} reads; it refuses the other changes to one of:",
             "# " + bytes(CHANGED).hex()]
    for at, value, file in changed(data):
        read = description(file)
        if read is not None:
            lines.append(f"{at} {value} {read}")
    return ("\n".join(lines) + "\n").encode()


def goldens():
    files = {f"{name}.safetensors": data for name, data in golden_files().items()}
    files["safetensors_sweep.txt"] = sweep(files["pair.safetensors"])
    return files


# ---- our side -----------------------------------------------------------------------------------

class Exchange:
    def __init__(self, program, scratch):
        self.process = subprocess.Popen([program, scratch], stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __call__(self, kind, data):
        """(answer, None) or (None, message)"""
        self.process.stdin.write(kind.encode() + struct.pack("<Q", len(data)) + data)
        self.process.stdin.flush()
        status, size = struct.unpack("<BQ", self.process.stdout.read(9))
        answer = self.process.stdout.read(size)
        return (answer, None) if status else (None, answer.decode())


class Count:
    """Claims that were checked, by their words; a wrong one is told at once."""

    def __init__(self):
        self.right, self.wrong = {}, 0

    def __call__(self, claim, holds, *details):
        self.right[claim] = self.right.get(claim, 0) + bool(holds)
        if not holds:
            self.wrong += 1
            print("WRONG:", claim, *details, file=sys.stderr)


TYPES = [np.float32, np.float64, np.float16, np.int32, np.int64]


def random_shape(random):
    rank = int(random.integers(0, 9))
    return tuple(int(size) for size in random.choice([0, 1, 2, 3, 5], size=rank, p=[0.04, 0.36, 0.3, 0.2, 0.1]))


def random_array(random, dtype):
    """Any bits at all: NaNs, infinities and subnormals too."""
    shape = random_shape(random)
    count = int(np.prod(shape, dtype=np.int64))
    return np.frombuffer(random.bytes(count * np.dtype(dtype).itemsize), dtype=dtype).reshape(shape)


def npy(array, version=None):
    file = io.BytesIO()
    np.lib.format.write_array(file, array, version=version)
    return file.getvalue()


def exchange_npy(exchange, random, count):
    for _ in range(count.tensors // 2):
        array = random_array(random, TYPES[random.integers(len(TYPES))])
        rows = npy(array)
        order, swapped = random.integers(2), random.integers(2)
        stored = np.asarray(array, order="F" if order else "C")
        stored = stored.astype(stored.dtype.newbyteorder(">")) if swapped else stored
        version = [None, (1, 0), (2, 0), (3, 0)][random.integers(4)]
        answer, message = exchange("n", npy(stored, version))
        count("npy: read from NumPy, written as NumPy writes", answer == rows, stored.shape, stored.dtype, message)
        answer, message = exchange("N", rows)
        count("npy: streamed as NumPy writes", answer == rows, array.shape, message)


def random_tensors(random, size):
    tensors = {}
    letters = "abcXYZ.019_ \"\\\n\u00e9\u6211"
    while len(tensors) < size:
        name = "".join(random.choice(list(letters)) for _ in range(int(random.integers(1, 12))))
        kind = int(random.integers(len(TYPES) + 1))
        if kind < len(TYPES):
            tensors[name] = torch.from_numpy(random_array(random, TYPES[kind]).copy())
        else:
            tensors[name] = torch.from_numpy(random_array(random, np.int16).copy()).view(torch.bfloat16)
    return tensors


def exchange_safetensors(exchange, random, count):
    done = 0
    while done < count.tensors // 2:
        tensors = random_tensors(random, min(int(random.integers(1, 12)), count.tensors // 2 - done))
        metadata = {"format": "pt"} if random.integers(2) else None
        file = saved(tensors, metadata)
        answer, message = exchange("s", file)
        count("safetensors: read from the package, written as the package writes", answer == file, message)
        answer, message = exchange("S", file)
        same = answer is not None and description(answer) == description(file)
        count("safetensors: streams are read alike by the package", same, message)
        answer, message = exchange("d", file)
        count("safetensors: described as the package does", (answer or b"").decode() == description(file), message)
        loaded = safetensors.torch.load(exchange("s", file)[0])
        count("safetensors: loaded by torch, the same bits", loaded.keys() == tensors.keys() and all(
            saved({"x": loaded[name]}) == saved({"x": value}) for name, value in tensors.items()))
        done += len(tensors)
    count.right["safetensors: random tensors"] = done


def exchange_prefixes(exchange, count):
    """Every proper prefix of every golden file is refused."""
    for path in sorted(FOLDER.iterdir()):
        if path.suffix in (".npy", ".safetensors"):
            data = path.read_bytes()
            for size in range(len(data)):
                answer, _ = exchange("n" if path.suffix == ".npy" else "d", data[:size])
                count("prefixes are refused", answer is None, path.name, size)


def numpy_reads(data):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return np.load(io.BytesIO(data), allow_pickle=False)
    except Exception:  # NumPy's parser lets many kinds through
        return None


def same_numbers(ours, theirs):
    """Equal shape, and equal bits after the widening of our reader."""
    if not isinstance(theirs, np.ndarray) or ours.shape != theirs.shape:
        return False
    return np.ascontiguousarray(theirs).astype(ours.dtype).tobytes() == ours.tobytes()


def exchange_changes(exchange, count):
    """A change of a header gives a refusal, or what the others read from the same bytes."""
    refused = accepted = 0
    for path in sorted(FOLDER.iterdir()):
        if path.suffix not in (".npy", ".safetensors"):
            continue
        for at, value, file in changed(path.read_bytes()):
            answer, message = exchange("n" if path.suffix == ".npy" else "d", file)
            refused += answer is None
            accepted += answer is not None
            if answer is None:
                fine = message.startswith("[read_") and len(message.encode()) <= 300 and not any(c < " " or "\x7f" <= c < "\xa0" for c in message)
                count("refusals are one clear line", fine, path.name, at, value, message)
            elif path.suffix == ".npy":
                theirs = numpy_reads(file)
                count("what we read is what NumPy reads", same_numbers(np.load(io.BytesIO(answer)), theirs),
                      path.name, at, value, theirs)
            else:
                count("what we read is what the package reads", answer.decode() == description(file), path.name, at,
                      value, description(file))
    count.right["changed headers refused"], count.right["changed headers read"] = refused, accepted


def compare(program, tensors):
    count, random = Count(), np.random.default_rng(4)
    count.tensors = tensors
    with tempfile.TemporaryDirectory() as folder:
        exchange = Exchange(program, f"{folder}/file")
        exchange_npy(exchange, random, count)
        exchange_safetensors(exchange, random, count)
        exchange_prefixes(exchange, count)
        exchange_changes(exchange, count)
        exchange.process.stdin.close()
        count("the program ends well", exchange.process.wait() == 0)
    print(json.dumps(count.right, indent=2))
    return count.wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare with the committed files instead of writing them")
    parser.add_argument("--exchange", metavar="PROGRAM", help="the test program io_exchange")
    parser.add_argument("--tensors", type=int, default=10_000)
    options = parser.parse_args()
    wrong = 0
    if options.check or not options.exchange:
        for name, data in goldens().items():
            if not options.check:
                (FOLDER / name).write_bytes(data)
            elif (FOLDER / name).read_bytes() != data:
                wrong += 1
                print(f"{name}: other bytes", file=sys.stderr)
    if options.exchange:
        wrong += compare(options.exchange, options.tensors)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
