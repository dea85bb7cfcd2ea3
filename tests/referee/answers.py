# SPDX-License-Identifier: Apache-2.0
# Recorded answers of the referee (recorded.h): records them again by running every test that has one, and says by case
# what changed.
#
# Usage: answers.py record PROGRAM    runs PROGRAM, referee_test, writes answers.json.gz and prints the changes
#        answers.py changes OLD NEW   the changes between two such files
#        answers.py show CASE         the recorded answers of the cases whose name holds CASE
# Cases of the held part are digests: their number is printed, and no name.

import concurrent.futures
import gzip
import json
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile

FILE = pathlib.Path(__file__).with_name("answers.json.gz")
SUITES = ["*Recorded*", "Reports.*", "IdentifyCorpus.*", "Originals.Of*", "*Traps.*", "KnownFaults.*"]


def read(path):
    """The answers of a file by case, as text."""
    if not pathlib.Path(path).exists():
        return {}
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return dict(line.rstrip("\n").split("\t", 1) for line in file)


def write(path, answers):
    """The same bytes for the same answers: no time and no name in the header."""
    text = "".join(f"{case}\t{answer}\n" for case, answer in sorted(answers.items()))
    path.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


# ---- changes

NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[-+]?\d+)?")


def are_equal(now, was):
    """Numbers, and texts but for their numbers, within 2^-20."""
    if isinstance(now, str) and isinstance(was, str):
        return NUMBER.sub("#", now) == NUMBER.sub("#", was) and all(
            math.isclose(float(one), float(other), rel_tol=2**-20)
            for one, other in zip(NUMBER.findall(now), NUMBER.findall(was)))
    fitted = isinstance(now, float) and isinstance(was, (int, float)) and not isinstance(was, bool)
    return math.isclose(now, was, rel_tol=2**-20) if fitted else now == was


def differences(now, was, path=""):
    """Lines "path: now, not was", as differences_of_json of recorded.h has them."""
    if isinstance(now, dict) and isinstance(was, dict):
        for key in sorted(now.keys() | was.keys()):
            yield from differences(now.get(key), was.get(key), f"{path}/{key}")
    elif isinstance(now, list) and isinstance(was, list) and len(now) == len(was):
        for i, (one, other) in enumerate(zip(now, was)):
            yield from differences(one, other, f"{path}/{i}")
    elif not are_equal(now, was):
        yield f"{path}: {json.dumps(now)}, not {json.dumps(was)}"


def print_changes(now, was):
    """A block of lines for each case."""
    held, changed = 0, 0
    for case in sorted(now.keys() & was.keys()):
        if now[case] == was[case]:
            continue
        if case.startswith("held/"):
            held += 1
            continue
        lines = list(differences(json.loads(now[case]), json.loads(was[case])))
        changed += bool(lines)
        if lines:
            print(case, *lines, sep="\n  ")
    for word, cases in (("new", now.keys() - was.keys()), ("gone", was.keys() - now.keys())):
        for suite in sorted({case.split("/")[0] for case in cases}):
            print(f"{suite}: {sum(case.split('/')[0] == suite for case in cases)} {word}")
    print(f"{len(now)} answers, {changed} changed, and {held} of the held part")


# ---- recording

def record(program):
    """All answers of the program, a process a test, as many at once as there are CPUs. Tests that fail are printed."""
    suites = subprocess.run([program, "--gtest_list_tests", "--gtest_filter=" + ":".join(SUITES)],
                            check=True, capture_output=True, text=True).stdout
    shares = sum(line.startswith(" ") for line in suites.splitlines())
    with tempfile.TemporaryDirectory() as folder:
        def run(share):
            environment = {**os.environ, "POSENC_RECORD": folder,
                           "GTEST_TOTAL_SHARDS": str(shares), "GTEST_SHARD_INDEX": str(share)}
            return subprocess.run([program, "--gtest_brief=1", "--gtest_filter=" + ":".join(SUITES)],
                                  env=environment, capture_output=True, text=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            for done in pool.map(run, range(shares)):
                if done.returncode:
                    print(done.stdout, end="")
        answers, twice = {}, []
        for part in sorted(pathlib.Path(folder).iterdir()):
            for line in part.read_text(encoding="utf-8").splitlines():
                case, answer = line.split("\t", 1)
                if answers.setdefault(case, answer) != answer:
                    twice.append(case)
    if twice:
        sys.exit(f"answers.py: more than one answer of {', '.join(twice)}; nothing is recorded")
    return answers


def main(arguments):
    match arguments:
        case ["record", program]:
            was, now = read(FILE), record(program)
            write(FILE, now)
            print_changes(now, was)
        case ["changes", old, new]:
            print_changes(read(new), read(old))
        case ["show", part]:
            for name, answer in read(FILE).items():
                if part in name and not name.startswith("held/"):
                    print(name, json.dumps(json.loads(answer), indent=2), sep="\n")
        case _:
            sys.exit("usage: answers.py record PROGRAM | changes OLD NEW | show CASE")


if __name__ == "__main__":
    main(sys.argv[1:])
