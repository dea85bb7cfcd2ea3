# SPDX-License-Identifier: Apache-2.0
# The bits are the same everywhere: one hash a work for every instruction set, number of threads, cut, address and
# environment, and the older sum over the first works together.
#
# Usage: bits_test.py POSENC_BITS [--exhaustive | --brief | --plain | --through EMULATOR | --regenerate]
#
# bits.txt holds a line "NAME SHA-256" for each work, sorted. --regenerate adds the lines of new works. It changes none:
# whoever means to change a bit deletes its line by hand, and says why in the commit.

import argparse
import concurrent.futures
import dataclasses
import hashlib
import itertools
import pathlib
import shlex
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent
RUNNER = []
PROGRAM = None
BRIEF = False


@dataclasses.dataclass
class Output:
    total: str  # hash of the bytes before the frame "sum"
    works: dict  # hash by name
    size: int  # bytes of all works


def run(*options):
    """What the program writes: frames of a line "NAME BYTES" and so many bytes."""
    total, works, size, summed = hashlib.sha256(), {}, 0, None
    with subprocess.Popen([*RUNNER, PROGRAM, *options], stdout=subprocess.PIPE) as process:
        while line := process.stdout.readline():
            name, length = line.decode().split()
            if name == "sum":
                summed = total.hexdigest()
                continue
            block = process.stdout.read(int(length))
            if len(block) != int(length):
                break
            works.setdefault(name, hashlib.sha256()).update(block)
            size += len(block)
            if summed is None:
                total.update(block)
    if process.returncode != 0 or summed is None:
        raise AssertionError(f"posenc_bits {' '.join(options)} ended with {process.returncode}")
    return Output(summed, {name: sha.hexdigest() for name, sha in works.items()}, size)


def read_lines():
    pairs = [line.split() for line in (HERE / "bits.txt").read_text().splitlines()]
    assert pairs == sorted(pairs) and len(dict(pairs)) == len(pairs), "bits.txt must be sorted, each name once"
    return dict(pairs)


def differences(expected, got):
    """A line for each work whose bits differ, or which one of the two lacks."""
    faults = []
    for name in sorted(expected.keys() | got.keys()):
        if name not in got:
            faults.append(f"work {name}: in bits.txt, but not written")
        elif name not in expected:
            faults.append(f"work {name}: written, but not in bits.txt (bits_test.py --regenerate adds it)")
        elif expected[name] != got[name]:
            faults.append(f"work {name}: expected {expected[name][:16]}.., got {got[name][:16]}..")
    return faults


def targets():
    return subprocess.run([*RUNNER, PROGRAM, "--list-targets"], capture_output=True, check=True, text=True).stdout.split()


class Case(unittest.TestCase):
    maxDiff = None

    def expect_the_hashes(self, *runs):
        """Of runs with those options each, two at a time: most of a run's time is no thread's of its own."""
        expected, summed = read_lines(), (HERE / "bits.sha256").read_text().split()[0]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            outputs = list(pool.map(lambda options: run(*options), runs))
        for options, output in zip(runs, outputs):
            with self.subTest(" ".join(options)):
                faults = differences(expected, output.works)
                if output.total != summed:
                    faults.append(f"the sum of the first works: bits.sha256 has another than {output.total}")
                self.assertFalse(faults, "\n".join(["", *faults]))
        return outputs


class Plain(Case):
    def test_are_those_in_the_tree(self):
        self.expect_the_hashes(())


class Bits(Case):
    """One case of a kind, and every instruction set."""

    def test_do_not_depend_on_the_instruction_set(self):
        ran = targets()
        asked = ran[-1:] if BRIEF else ran
        runs = [("--target", target, "--threads", threads) for target in asked for threads in ("1", "2")]
        output = self.expect_the_hashes(*runs)[0]
        print(f"{len(output.works)} works, {output.size} bytes, on {' '.join(ran)}")
        self.assertGreater(output.size, 2.2 * 10**7)  # ten million outputs of 2 to 8 bytes
        self.assertGreaterEqual(len(ran), 2 if BRIEF else 3)

    def test_do_not_depend_on_cuts_addresses_stores_and_the_floating_point_environment(self):
        self.expect_the_hashes(("--cut", "7", "--threads", "2"),
                               ("--offset", "6", "--pad", "5", "--threads", "2"),
                               # 32 columns between rows: they stay whole lines, and are streamed
                               ("--reading", "later", "--pad", "32", "--threads", "2"),
                               ("--rounding", "down", "--flush-results", "--flush-operands", "--trap", "--threads", "2"))


class Exhaustive(Case):
    """The cases that Bits leaves out."""

    def test_do_not_depend_on_threads(self):
        self.expect_the_hashes(*[("--threads", threads) for threads in ("3", "7")])

    def test_do_not_depend_on_cuts(self):
        self.expect_the_hashes(*[("--cut", cut, "--threads", "2") for cut in ("1", "63", "129")])

    def test_do_not_depend_on_addresses_and_strides(self):
        self.expect_the_hashes(*[("--offset", str(offset), "--pad", str(offset % 9), "--threads", "2")
                                 for offset in range(0, 64, 2)])

    def test_do_not_depend_on_the_kind_of_stores(self):
        later = ("--reading", "later", "--pad", "32", "--threads", "2")
        self.expect_the_hashes(*[("--target", target, *later) for target in targets()], ("--reading", "later"),
                               ("--reading", "soon"))

    def test_do_not_depend_on_the_callers_floating_point_environment(self):
        roundings = [()] + [("--rounding", rounding) for rounding in ("up", "down", "zero")]
        options = [[(), (option,)] for option in ("--flush-results", "--flush-operands", "--trap")]
        runs = [(*rounding, *itertools.chain(*flags), "--threads", "2")
                for rounding in roundings for flags in itertools.product(*options)]
        self.expect_the_hashes(*runs)
        print(f"{len(runs)} environments")


class Comparison(unittest.TestCase):
    def test_names_what_differs_and_nothing_else(self):
        faults = differences({"a": "1", "b": "2", "c": "3"}, {"a": "1", "b": "9", "d": "4"})
        self.assertEqual([fault.split(":")[0] for fault in faults], ["work b", "work c", "work d"])


def regenerate():
    """Adds what is new to bits.txt; the exit status of the program."""
    expected, got = read_lines(), run().works
    changed = [fault for fault in differences(expected, expected | got)
               if fault.split(":")[0].removeprefix("work ") in expected]
    gone = sorted(expected.keys() - got.keys())
    for fault in changed + [f"work {name}: in bits.txt, but not written" for name in gone]:
        print(fault, file=sys.stderr)
    if changed or gone:
        print("bits_test.py: no line is edited here; delete those by hand if that is meant", file=sys.stderr)
        return 1
    (HERE / "bits.txt").write_text("".join(f"{name} {sha}\n" for name, sha in sorted(got.items())))
    print(f"{len(got) - len(expected)} lines added, {len(got)} in all")
    return 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--exhaustive", action="store_true", help="every thread count, cut, address and kind of stores")
    kind.add_argument("--brief", action="store_true", help="one instruction set: under sanitizers")
    kind.add_argument("--plain", action="store_true", help="one run: of what another compiler made")
    kind.add_argument("--through", metavar="EMULATOR", help="runs another machine's program; the plain case alone")
    kind.add_argument("--regenerate", action="store_true", help="adds the lines of new works to bits.txt")
    arguments = parser.parse_args()
    RUNNER = shlex.split(arguments.through) if arguments.through else []
    PROGRAM, BRIEF = arguments.program, arguments.brief
    if arguments.regenerate:
        sys.exit(regenerate())
    cases = ["Exhaustive"] if arguments.exhaustive else ["Plain"] if RUNNER or arguments.plain else ["Comparison", "Bits"]
    unittest.main(argv=sys.argv[:1], defaultTest=cases, verbosity=2)
