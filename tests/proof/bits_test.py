# SPDX-License-Identifier: Apache-2.0
# The bits are the same everywhere: one hash for every instruction set, number of threads, cut, address and environment.
#
# Usage: bits_test.py POSENC_BITS HASH_FILE [--brief] [--through EMULATOR] [--regenerate]

import argparse
import hashlib
import pathlib
import subprocess
import sys
import unittest

RUNNER = []
PROGRAM = HASH_FILE = None
BRIEF = False


def some(cases):
    """All of them, or the last one where each takes ten times as long."""
    return list(cases)[-1:] if BRIEF else cases


def digest(*options):
    """The hash of what the program writes, and how many bytes that were."""
    sha, size = hashlib.sha256(), 0
    with subprocess.Popen([*RUNNER, PROGRAM, *options], stdout=subprocess.PIPE) as process:
        while block := process.stdout.read(1 << 20):
            sha.update(block)
            size += len(block)
    if process.returncode != 0:
        raise AssertionError(f"posenc_bits {' '.join(options)} ended with {process.returncode}")
    return sha.hexdigest(), size


def targets():
    return subprocess.run([*RUNNER, PROGRAM, "--list-targets"], capture_output=True, check=True, text=True).stdout.split()


class Bits(unittest.TestCase):
    def expect_the_hash(self, *options):
        with self.subTest(" ".join(options)):
            self.assertEqual(digest(*options)[0], HASH_FILE.read_text().split()[0])

    def test_are_those_in_the_tree(self):
        self.expect_the_hash()

    def test_are_more_than_ten_million_outputs(self):
        self.assertGreater(digest()[1], 2.2 * 10**7)  # of 2 to 8 bytes each

    def test_do_not_depend_on_the_instruction_set(self):
        ran = targets()
        for target in ran:
            self.expect_the_hash("--target", target, "--threads", "2")
        print("ran on", " ".join(ran))
        self.assertGreaterEqual(len(ran), 3)

    def test_do_not_depend_on_threads(self):
        for threads in some(("2", "3", "7")):
            self.expect_the_hash("--threads", threads)

    def test_do_not_depend_on_cuts(self):
        for cut in some(("1", "7", "63", "129")):
            self.expect_the_hash("--cut", cut, "--threads", "2")

    def test_do_not_depend_on_addresses_and_strides(self):
        for offset in some(range(0, 64, 2)):
            self.expect_the_hash("--offset", str(offset), "--pad", str(offset % 9), "--threads", "2")

    def test_do_not_depend_on_the_kind_of_stores(self):
        for target in some(targets()):  # 32 columns between rows: they stay whole lines, and are streamed
            self.expect_the_hash("--target", target, "--reading", "later", "--pad", "32", "--threads", "2")
        self.expect_the_hash("--reading", "later")
        self.expect_the_hash("--reading", "soon")

    def test_do_not_depend_on_the_callers_floating_point_environment(self):
        for rounding in some(("up", "zero", "down")):
            self.expect_the_hash("--rounding", rounding, "--flush", "--threads", "2")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("hash_file", type=pathlib.Path)
    parser.add_argument("--through", metavar="EMULATOR", help="runs another machine's program; the plain case alone")
    parser.add_argument("--brief", action="store_true", help="one case of a kind: under sanitizers")
    parser.add_argument("--regenerate", action="store_true", help="writes the hash file")
    arguments = parser.parse_args()
    RUNNER = [arguments.through] if arguments.through else []
    PROGRAM, HASH_FILE, BRIEF = arguments.program, arguments.hash_file, arguments.brief
    if arguments.regenerate:
        HASH_FILE.write_text(digest()[0] + "\n")
    else:
        cases = ["Bits.test_are_those_in_the_tree"] if RUNNER else None
        unittest.main(argv=sys.argv[:1], defaultTest=cases, verbosity=2)
