# SPDX-License-Identifier: Apache-2.0
# Runs tests of a build by ctest, or those whose names hold a word, and says at the end which cases were skipped, and why,
# and which failed.
#
# Usage: run.py BUILD [NAME...] [CTEST ARGUMENTS...]
# A NAME is part of the name of a GoogleTest case, room.Suite.Case, or of another entry of ctest, in upper or lower case. An
# entry of ctest is a program of GoogleTest or a shard of it, or a script.

import json
import os
import pathlib
import re
import subprocess
import sys

LEFT_OUT = re.compile("exhaustive|regenerate|checkpoints|consumer")


def ctest(build, *arguments):
    return ["ctest", "--test-dir", build, "--no-tests=error", "--parallel", str(os.cpu_count()), *arguments]


# ---- what an entry of ctest printed

def without_passed(lines):
    """Without the two lines of each GoogleTest case that passed and printed nothing."""
    begun = None
    for line in lines:
        if begun is not None and not line.startswith("[       OK ]"):
            yield begun
        elif begun is not None:
            begun = None
            continue
        begun = line if line.startswith("[ RUN      ]") else None
        if begun is None:
            yield line
    if begun is not None:
        yield begun


def failed_cases(output):
    """Cases of GoogleTest and of unittest that failed, and the one that a program did not come back from."""
    found, running = [], None
    for line in output:
        begun = re.match(r"\[ RUN      \] (\S+)", line)
        ended = re.match(r"\[  (?:     OK|FAILED ) \] (\S+).* \(\d+ ms\)", line)
        script = re.match(r"(?:FAIL|ERROR): (.+)", line)
        if begun:
            running = begun[1]
        elif ended:
            running = None
            found += [ended[1]] if "FAILED" in line else []
        elif script and script[1] not in found:
            found.append(script[1])
    return found + ([f"{running}, which did not end"] if running else [])


def skipped_cases(output):
    """Cases of GoogleTest and pytest that were skipped, with the reason that they give."""
    reason = None
    for line in output:
        ended = re.match(r"\[  SKIPPED \] (\S+) \(\d+ ms\)", line)
        script = re.match(r"SKIPPED \[\d+\] (.+)", line)
        if line.endswith(": Skipped"):
            reason = []
        elif ended:
            yield f"{ended[1]}: {' '.join(reason or ['no reason given'])}"
            reason = None
        elif reason is not None and line:
            reason.append(line)
        elif script:
            yield script[1]


def entries(log):
    """Name, output and success of every entry in ctest's log."""
    name, output = None, []
    for line in log:
        begun = re.match(r"\d+/\d+ Testing: (.*)", line)
        if begun:
            name, output = begun[1], []
        elif name is not None and line in ("Test Passed.", "Test Failed."):
            yield name, output, line == "Test Passed."
            name = None
        else:
            output.append(line)
    if name is not None:
        yield name, output, False


def say_skipped_and_failed(build):
    log = pathlib.Path(build, "Testing/Temporary/LastTest.log").read_text(encoding="utf-8", errors="replace")
    found = list(entries(log.splitlines()))
    for name, output, _ in found:
        for case in skipped_cases(output):
            print(f"skipped: {name}: {case}", flush=True)
    for name, output, passed in found:
        if not passed:
            for case in failed_cases(output) or ["see above"]:
                print(f"failed: {name}: {case}", flush=True)


def run_ctest(build, arguments):
    process = subprocess.Popen(ctest(build, "--output-on-failure", *arguments), stdout=subprocess.PIPE, text=True,
                               encoding="utf-8", errors="replace")
    for line in without_passed(process.stdout):
        print(line, end="", flush=True)
    status = process.wait()
    say_skipped_and_failed(build)
    return status


# ---- by name

def listed(build):
    """What ctest would run by default: name, command and labels of each entry."""
    text = subprocess.run([*ctest(build), "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout
    for test in json.loads(text)["tests"]:
        labels = next((p["value"] for p in test["properties"] if p["name"] == "LABELS"), [])
        if "command" in test and not any(LEFT_OUT.search(label) for label in labels):
            yield test["name"], test["command"], labels


def cases(command):
    """Suite.Case of what the command would run."""
    suite, found = "", []
    for line in subprocess.run([*command, "--gtest_list_tests"], check=True, capture_output=True, text=True).stdout.splitlines():
        name = line.split("#")[0].strip()
        if not line.startswith(" "):
            suite = name
        else:
            found.append(suite + name)
    return found


def run_named(build, names, arguments):
    holds = lambda text: any(name.lower() in text.lower() for name in names)
    programs, others = {}, []
    for name, command, labels in listed(build):
        if "googletest" in labels:
            if os.path.exists(command[0]):  # a build of one target has but that one
                programs[command[0]] = command
        elif holds(name):
            others.append(name)
    statuses = []
    for program, command in programs.items():
        room = pathlib.Path(program).name.removesuffix("_test")
        chosen = [case for case in cases(command) if holds(f"{room}.{case}")]
        if chosen:
            print(f"{room}: {len(chosen)} cases", flush=True)
            statuses.append(subprocess.run([program, "--gtest_filter=" + ":".join(chosen)]).returncode)
    if others:
        pattern = "^(" + "|".join(re.escape(name) for name in others) + ")$"
        statuses.append(run_ctest(build, ["-R", pattern, *arguments]))
    if not statuses:
        print(f"no test has a name with {' or '.join(names)}", file=sys.stderr)
    return 0 if statuses and not any(statuses) else 1


if __name__ == "__main__":
    build, *rest = sys.argv[1:]
    first = next((i for i, word in enumerate(rest) if word.startswith("-")), len(rest))
    sys.exit(run_named(build, rest[:first], rest[first:]) if first else run_ctest(build, rest))
