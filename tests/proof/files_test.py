# SPDX-License-Identifier: Apache-2.0
# Files are read and written alike on every machine: one hash for each stored file and way of writing it again.
#
# Usage: files_test.py IO_EXCHANGE [--through EMULATOR | --regenerate]
#
# files.txt holds a line "FILE LETTER SHA-256", sorted: of the answer that tests/io/exchange.cc gives, a message too.

import argparse
import hashlib
import pathlib
import shlex
import struct
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
FOLDERS = [HERE.parent / "io/goldens", *(HERE.parent / "fuzz/corpus").iterdir()]
LETTERS = {".npy": "nN", ".safetensors": "sSd", ".npz": "z", ".gguf": "g"}
COMMAND = []


def answers():
    """The hash of each answer by file and letter."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:  # messages name the scratch file, so its name is fixed
        with subprocess.Popen([*COMMAND, "scratch"], cwd=folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            for path in sorted(path for of in FOLDERS for path in of.iterdir() if path.suffix in LETTERS):
                for letter in LETTERS[path.suffix]:
                    data = path.read_bytes()
                    process.stdin.write(letter.encode() + struct.pack("<Q", len(data)) + data)
                    process.stdin.flush()
                    head = process.stdout.read(9)
                    if len(head) != 9:
                        raise AssertionError(f"io_exchange ended at {path}")
                    answer = process.stdout.read(struct.unpack("<BQ", head)[1])
                    found[f"{path.parent.name}/{path.name} {letter}"] = hashlib.sha256(head + answer).hexdigest()
            process.stdin.close()
    if process.returncode != 0:
        raise AssertionError(f"io_exchange ended with {process.returncode}")
    return found


def lines(found):
    return [f"{name} {sha}" for name, sha in sorted(found.items())]


class Files(unittest.TestCase):
    maxDiff = None

    def test_are_read_and_written_as_in_the_tree(self):
        self.assertEqual(lines(answers()), (HERE / "files.txt").read_text().splitlines())


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program", type=pathlib.Path)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--through", default="", metavar="EMULATOR", help="runs another machine's program")
    kind.add_argument("--regenerate", action="store_true", help="writes files.txt")
    arguments = parser.parse_args()
    COMMAND = [*shlex.split(arguments.through), arguments.program.resolve()]
    if arguments.regenerate:
        (HERE / "files.txt").write_text("".join(line + "\n" for line in lines(answers())))
    else:
        unittest.main(argv=sys.argv[:1], verbosity=2)
