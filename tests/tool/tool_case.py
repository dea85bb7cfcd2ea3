# SPDX-License-Identifier: Apache-2.0
# Runs the tool in a folder of its own, reads what it writes, and knows the true value of a sine to 60 digits.

import ast
import decimal
import json
import math
import os
import pathlib
import pty
import re
import struct
import subprocess
import sys
import tempfile
import unittest

TOOL = None
SOURCE = None
SANITIZED = False

decimal.getcontext().prec = 60
decimal.getcontext().Emin = -10000
CODES = {"<f4": ("f", 4), "<f8": ("d", 8), "<f2": ("e", 2), "<i8": ("q", 8), "<i4": ("i", 4)}


def f32(value):
    """The f32 nearest to a double."""
    return struct.unpack("<f", struct.pack("<f", value))[0]


def f16(value):
    return struct.unpack("<e", struct.pack("<e", value))[0]


def read_npy(path):
    """Type, shape and elements of an .npy file, read by hand."""
    data = pathlib.Path(path).read_bytes()
    assert data[:8] == b"\x93NUMPY\x01\x00", data[:8]
    size = struct.unpack("<H", data[8:10])[0]
    header = ast.literal_eval(data[10 : 10 + size].decode("latin1"))
    assert header["fortran_order"] is False and (10 + size) % 64 == 0
    code, width = CODES[header["descr"]]
    count = math.prod(header["shape"])
    body = data[10 + size :]
    assert len(body) == count * width, (len(body), header)
    return header["descr"], header["shape"], struct.unpack(f"<{count}{code}", body)


def write_npy(path, descr, shape, values):
    text = repr({"descr": descr, "fortran_order": False, "shape": tuple(shape)})
    text += " " * (-(11 + len(text)) % 64) + "\n"
    body = struct.pack(f"<{len(values)}{CODES[descr][0]}", *values)
    pathlib.Path(path).write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text.encode() + body)


def bf16_bits(value):
    """The bits of the bfloat16 nearest to an f32, ties to even."""
    bits = struct.unpack("<I", struct.pack("<f", value))[0]
    return (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16


def bf16(value):
    return struct.unpack("<f", struct.pack("<I", bf16_bits(value) << 16))[0]


STORED = {"F32": ("f", 4), "F64": ("d", 8), "F16": ("e", 2), "I64": ("q", 8), "I32": ("i", 4), "BF16": ("H", 2),
          "U8": ("B", 1)}


def read_safetensors(path):
    """Name to (type, shape, elements), read by hand; bf16 as its bits."""
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    tensors = {}
    for name, info in json.loads(data[8 : 8 + size]).items():
        if name == "__metadata__":
            continue
        code, width = STORED[info["dtype"]]
        begin, end = (8 + size + at for at in info["data_offsets"])
        tensors[name] = (info["dtype"], info["shape"], struct.unpack(f"<{(end - begin) // width}{code}", data[begin:end]))
    return tensors


def write_safetensors(path, tensors):
    """Name to (type, shape, elements)."""
    header, body = {}, b""
    for name, (dtype, shape, values) in tensors.items():
        packed = struct.pack(f"<{len(values)}{STORED[dtype][0]}", *values)
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(packed)]}
        body += packed
    text = json.dumps(header).encode()
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + body)


def arctan_of_inverse(n):
    total = term = decimal.Decimal(1) / n
    k = 1
    while abs(term) > decimal.Decimal(10) ** -85:
        term = -term / (n * n)
        k += 2
        total += term / k
    return total


with decimal.localcontext() as wide:
    wide.prec = 90
    PI = 16 * arctan_of_inverse(5) - 4 * arctan_of_inverse(239)  # Machin


def true_sine_and_cosine(position, base, exponent):
    """sin and cos of position * base**-exponent, as Decimals; exponent is a pair (numerator, denominator)."""
    with decimal.localcontext() as context:
        context.prec = 90
        angle = decimal.Decimal(position) * decimal.Decimal(base) ** (-decimal.Decimal(exponent[0]) / exponent[1])
        angle = angle % (2 * PI)
        result = []
        for start in (1, 0):
            total, term, k = decimal.Decimal(0), angle if start else decimal.Decimal(1), start
            while abs(term) > decimal.Decimal(10) ** -70:
                total += term
                term = -term * angle * angle / ((k + 1) * (k + 2))
                k += 2
            result.append(total)
        return result


class ToolCase(unittest.TestCase):
    longMessage = True

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def start(self, *arguments, **options):
        options.setdefault("stdin", subprocess.DEVNULL)
        return subprocess.run([TOOL, *arguments], cwd=self.folder, capture_output=True, timeout=120, **options)

    def run_tool(self, *arguments, **options):
        """Standard output of a call that succeeds."""
        done = self.start(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode()

    def on_terminal(self, *arguments):
        main, terminal = pty.openpty()
        done = subprocess.run([TOOL, *arguments], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=terminal,
                              stderr=terminal, timeout=60)
        os.close(terminal)
        text = b""
        while True:
            try:
                piece = os.read(main, 65536)
            except OSError:
                break
            if not piece:
                break
            text += piece
        os.close(main)
        self.status = done.returncode
        return text.decode().replace("\r\n", "\n")

    def json_of(self, *arguments, **options):
        text = self.run_tool(*arguments, "--json", **options)
        self.assertEqual(text.count("\n"), 1)
        return json.loads(text)

    def npy(self, name):
        return read_npy(self.folder / name)

    def peak(self, *arguments):
        """Bytes of memory that a call held at most. What its parent holds counts too, so that is a process of its own.

        The address sanitizer keeps freed memory back, 256 MiB by default: here 1 MiB."""
        measure = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
                   "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=sys.stderr)")
        options = ":".join(filter(None, (os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=1")))
        done = subprocess.run([sys.executable, "-S", "-c", measure, TOOL, *arguments], cwd=self.folder,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=120,
                              env={**os.environ, "ASAN_OPTIONS": options})
        self.assertEqual(done.returncode, 0, done.stderr)
        return int(done.stderr.split()[-1]) * 1024

    def files(self):
        return {path.name: path.read_bytes() if path.is_file() else None for path in self.folder.iterdir()}

    def assert_refused(self, arguments, words, status=None, **options):
        """One line on stderr that has the words, nothing on stdout, that status, and the folder as it was.

        Without a status: 2, or 3 where the rule is one of the machine's size."""
        before = self.files()
        done = self.start(*arguments, **options)
        message = done.stderr.decode()
        too_small = "fit in memory" in message or "fit in the free space" in message
        self.assertEqual(done.returncode, status or (3 if too_small else 2), message)
        self.assertEqual(done.stdout, b"")
        self.assertRegex(message, r"\Aposenc: error: \[\w+\] [^\n]+, got [^\n]+\n\Z")
        self.assertLessEqual(len(done.stderr), 300)
        self.assertIn(words, message)
        self.assertEqual(self.files(), before)


class Shard(unittest.TestLoader):
    """Every n-th case of a script from the i-th on, where the environment has POSENC_SHARD=i/n."""

    def loadTestsFromModule(self, module, **options):
        cases = [case for suite in super().loadTestsFromModule(module, **options) for case in suite]
        first, count = map(int, os.environ.get("POSENC_SHARD", "1/1").split("/"))
        return self.suiteClass(cases[first - 1 :: count])


def main():
    global TOOL, SOURCE, SANITIZED
    SANITIZED = sys.argv.pop() == "sanitized"
    SOURCE = pathlib.Path(sys.argv.pop()).resolve()
    TOOL = str(pathlib.Path(sys.argv.pop()).resolve())
    unittest.main(module="__main__", testLoader=Shard())
