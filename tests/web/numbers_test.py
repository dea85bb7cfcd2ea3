# SPDX-License-Identifier: Apache-2.0
"""What the page's tests expect are numbers of this library: each line of numbers.txt is what a command of the tool makes.

usage: numbers_test.py POSENC NUMBERS [--write]    a line: what it makes, a tab, the command

What a command makes is the SHA-256 of the elements of its --out, or else what it prints.
"""
import hashlib
import pathlib
import shlex
import subprocess
import sys
import tempfile


def made(tool, command):
    words = shlex.split(command)
    assert words[0] == "posenc", command
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([str(pathlib.Path(tool).resolve()), *words[1:]], cwd=folder, check=True, capture_output=True, text=True)
        if "--out" not in words:
            return done.stdout.strip().replace("\n", " ")
        data = (pathlib.Path(folder) / words[words.index("--out") + 1]).read_bytes()
    return hashlib.sha256(data[10 + int.from_bytes(data[8:10], "little"):]).hexdigest()


def main(tool, numbers, write=False):
    path = pathlib.Path(numbers)
    lines = [line.split("\t") for line in path.read_text(encoding="utf-8").rstrip("\n").split("\n")]
    now = [(made(tool, command), command) for _, command in lines]
    if write:
        path.write_text("".join(f"{value}\t{command}\n" for value, command in now), encoding="utf-8")
        return 0
    wrong = [command for (value, command), (known, _) in zip(now, lines) if value != known]
    print("\n".join(wrong) or f"{len(lines)} commands make what the page's tests expect")
    return 1 if wrong or not lines else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:3], write="--write" in sys.argv))
