# SPDX-License-Identifier: Apache-2.0
# The examples of a page, taken out of it: C++ blocks become files to compile, shell blocks are run here.
#
# readme_test.py extract PAGE FOLDER    writes FOLDER/example_LINE.cc for each ```cpp block and prints their names; it
#                                       runs the block, and then at other sizes, as equal_axes.py has them
# readme_test.py run PAGE FOLDER TOOL   runs the ```sh and ```console blocks of the page, in order, in an emptied FOLDER
#
# A block whose info string holds `no-test` is left out. In a ```console block `$ ` starts a command, the lines below it
# are what it prints, and a line `...` stands for any lines.

import os
import pathlib
import re
import shutil
import subprocess
import sys

from equal_axes import with_equal_axes

FENCE = re.compile(r"^```(\w+)?(.*)$")


def blocks(page):
    """(language, line number, text) of every block that is to be tested."""
    found, language, start, lines = [], None, 0, []
    for number, line in enumerate(page.read_text(encoding="utf-8").splitlines(), 1):
        match = FENCE.match(line)
        if language is None and match:
            language, start, lines = match[1] or "text", number, []
            if "no-test" in match[2].split():
                language = "no-test"
        elif language is not None and line.rstrip() == "```":
            found.append((language, start, "\n".join(lines) + "\n"))
            language = None
        elif language is not None:
            lines.append(line)
    if language is not None:
        raise SystemExit(f"{page}:{start}: the block has no end")
    return found


def program(text):
    """A block without a main becomes the body of one; with shapes that rotate, one body for each choice of sizes."""
    others = list(with_equal_axes(text))
    if re.search(r"\bint main\(", text):
        if others:
            raise SystemExit(f"shapes that rotate must stand in a block without a main:\n{text}")
        return text
    lines = text.splitlines()
    includes = [line for line in lines if line.startswith("#include")]
    bodies = [[line for line in each.splitlines() if not line.startswith("#include")] for each in (text, *others)]
    return "\n".join([*includes, "int main() {", *(line for body in bodies for line in ("{", *body, "}")), "}", ""])


def extract(page, folder):
    folder.mkdir(parents=True, exist_ok=True)
    names = []
    for language, line, text in blocks(page):
        if language == "cpp":
            path = folder / f"example_{line}.cc"
            new = program(text)
            if not path.is_file() or path.read_text(encoding="utf-8") != new:
                path.write_text(new, encoding="utf-8")
            names.append(path.name)
    print(";".join(names), end="")


def shell(command, folder, tool):
    env = dict(os.environ, PATH=f"{tool.parent}{os.pathsep}{os.environ['PATH']}")
    return subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=folder, env=env, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, encoding="utf-8")


def steps(text):
    """(command, expected lines) of a console block."""
    found = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found and found[-1][0].endswith("\\"):
            found[-1] = (found[-1][0] + "\n" + line, [])
        elif found:
            found[-1][1].append(line)
    return found


def matches(expected, printed):
    pattern = "\n".join(r"(?:.*\n)*?.*" if line.strip() == "..." else re.escape(line.rstrip()) for line in expected)
    return re.fullmatch(pattern, "\n".join(line.rstrip() for line in printed.splitlines())) is not None


def run(page, folder, tool):
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    count = 0
    for language, line, text in blocks(page):
        if language not in ("sh", "console"):
            continue
        for command, expected in [(text, None)] if language == "sh" else steps(text):
            count += 1
            done = shell(command, folder, tool)
            if done.returncode != 0:
                raise SystemExit(f"{page}:{line}: exit status {done.returncode} of\n{command}\n{done.stdout}")
            if expected is not None and not matches(expected, done.stdout):
                raise SystemExit(f"{page}:{line}: the page says\n" + "\n".join(expected) +
                                 f"\nbut\n{command}\nprints\n{done.stdout}")
    if count == 0:
        raise SystemExit(f"{page}: no command was found")
    print(f"{count} commands of {page.name} ran")


if __name__ == "__main__":
    verb, page, folder, *rest = sys.argv[1:]
    if verb == "extract":
        extract(pathlib.Path(page), pathlib.Path(folder))
    else:
        run(pathlib.Path(page), pathlib.Path(folder), pathlib.Path(rest[0]))
