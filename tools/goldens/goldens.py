# SPDX-License-Identifier: Apache-2.0
"""./dev goldens: makes or checks rows of the work list, each in the environment of its package.

usage: goldens.py                      lists the rows
       goldens.py NAME...              makes them
       goldens.py --check [NAME...]    makes them again, all without a name, and compares bytes; writes nothing
       goldens.py [--check] NAME --OPTION...   the options of its program, as tensor-files' --exchange PROGRAM
       goldens.py --page               writes the list into docs/goldens-list.md; --names prints the names alone
Exit: 0 all equal or made; 1 not, with the row named; 2 no such row; 77 bits that cannot be compared here, nothing wrong.
"""
import difflib
import os
import pathlib
import subprocess
import sys
import venv

import corpus_keys
import derived
import worklist

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = ROOT / "build" / "goldens"
PAGE = ROOT / "docs" / "goldens-list.md"
SKIPPED = 77


def required(package):
    """The text of a requirements file with those that it includes."""
    text = (HERE / "packages" / f"{package}.txt").read_text()
    return text + "".join(required(line[3:-4]) for line in text.splitlines() if line.startswith("-r "))


ALONE = "  # alone"


def installed_by(package):
    """The lists of pip's arguments that install a package, each with its settings: a pin whose line ends with ALONE
    comes without what it depends on, because its golden needs a source file of it and no more. What follows ALONE are
    settings of its own build, which then sees the pins before it."""
    pins = [line for line in required(package).splitlines() if line and not line.startswith(("#", "-r "))]
    alone = [line.split(ALONE) for line in pins if ALONE in line]
    built = [(["--no-deps", *["--no-build-isolation"] * bool(settings), pin], dict(each.split("=") for each in settings.split()))
             for pin, settings in alone]
    return [([line for line in pins if ALONE not in line], {}), *built]


def python_of(package):
    """The interpreter of build/goldens/PACKAGE/venv, made anew where the pins changed."""
    folder = BUILD / package
    python, stamp = folder / "venv" / "bin" / "python", folder / "requirements"
    if not stamp.is_file() or stamp.read_text() != required(package):
        print(f"dev: installing {package} into {folder.relative_to(ROOT)}", file=sys.stderr, flush=True)
        venv.create(folder / "venv", clear=True, with_pip=True)
        for arguments, settings in installed_by(package):
            subprocess.run([python, "-m", "pip", "install", "-q", "--disable-pip-version-check", *arguments], check=True,
                           env=os.environ | settings)
        stamp.write_text(required(package))
    return python


def status_of(work, checks, more):
    command = ["write.py", work.name] if worklist.made_here(work) else work.program.split()
    command += ["--check"] * checks + more
    return subprocess.run([python_of(work.package), "-B", HERE / command[0], *command[1:]], cwd=ROOT).returncode


def rows():
    """(name, package, whether it is the original's, what it holds)"""
    return [(work.name, work.package, derived.status(work), worklist.about(work)) for work in worklist.WORKS]


def show():
    widths = [max(len(row[i]) for row in rows()) for i in (0, 1)]
    for name, package, _, about in rows():
        print(f"{name:{widths[0]}}  {package:{widths[1]}}  {about}")


def page_with(marker, lines, page=None):
    """docs/goldens-list.md, or `page`, with these lines between its two comments that name the program."""
    before, begin, rest = (page or PAGE.read_text()).partition(f"<!-- {marker} -->\n")
    _, end, after = rest.partition("<!-- end -->\n")
    if not end:
        raise ValueError(f"{PAGE}: no comment {marker}")
    return before + begin + "".join(f"{line}\n" for line in lines) + end + after


def page():
    """docs/goldens-list.md with the list and the keys as they are."""
    keys = page_with("tools/goldens/corpus_keys.py", corpus_keys.lines())
    return page_with("./dev goldens --page", [
        "| name | package | golden | calls, or what it holds |", "| --- | --- | --- | --- |",
        *(f"| {name} | {package} | {status} | {about} |" for name, package, status, about in rows())], keys)


def chosen(names):
    known = [work.name for work in worklist.WORKS]
    for name in names:
        if name not in known:
            near = difflib.get_close_matches(name, known, 3)
            print(f"dev: no golden is called {name!r}" + (f"; near: {', '.join(near)}" if near else ""), file=sys.stderr)
            sys.exit(2)
    return [work for work in worklist.WORKS if work.name in names or not names]


def main(arguments):
    if arguments == ["--page"]:
        PAGE.write_text(page())
        return 0
    if arguments == ["--names"]:
        print(*(work.name for work in worklist.WORKS), sep="\n")
        return 0
    options = next((i for i, a in enumerate(arguments) if a.startswith("--") and a != "--check"), len(arguments))
    arguments, more = arguments[:options], arguments[options:]
    checks, names = "--check" in arguments, [a for a in arguments if a != "--check"]
    if more and len(names) != 1:
        print(f"dev: {more[0]} goes to the program of one golden: name it first", file=sys.stderr)
        return 2
    if not checks and not names:
        show()
        return 0
    statuses = {work.name: status_of(work, checks, more) for work in chosen(names)}
    wrong = [name for name, status in statuses.items() if status not in (0, SKIPPED)]
    skipped = [name for name, status in statuses.items() if status == SKIPPED]
    if wrong or skipped:
        print(f"goldens: {len(statuses)} rows, wrong: {', '.join(wrong) or 'none'}, skipped: {', '.join(skipped) or 'none'}",
              file=sys.stderr)
    return 1 if wrong else SKIPPED if skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
