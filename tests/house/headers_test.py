# SPDX-License-Identifier: Apache-2.0
# The public headers, read by a compiler: all of them in one file, or each in a file of its own.
#
# headers_test.py SOURCE_DIR together COMPILER [FLAG...]    COMPILER: names of one, the first of which that is there reads
# headers_test.py SOURCE_DIR alone COMPILER [FLAG...]       them, with commas between; ends with 77 where none is

import pathlib
import shutil
import subprocess
import sys

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]


def faults(compiler, flags, include, headers):
    """What the compiler says of a file that includes those, and nothing else."""
    text = "".join(f"#include <posenc/{name}>\n" for name in headers)
    command = [compiler, "-std=c++20", "-fsyntax-only", *WARNINGS, *flags, "-I", include, "-x", "c++", "-"]
    return subprocess.run(command, input=text, capture_output=True, text=True).stderr


def main(source, how, compilers, *flags):
    include = pathlib.Path(source, "include")
    headers = sorted(path.name for path in (include / "posenc").glob("*.h"))
    assert "rotary.h" in headers and how in ("together", "alone")
    compiler = next(filter(None, map(shutil.which, compilers.split(","))), None)
    if compiler is None:
        print(f"skipped: this machine has no {' and no '.join(compilers.split(','))}")
        return 77
    files = [headers] if how == "together" else [[name] for name in headers]
    said = [faults(compiler, flags, include, each) for each in files]
    print("".join(said), end="")
    print(f"{len(headers)} headers {how}, {' '.join([compiler, *flags])}: {sum(map(bool, said))} of {len(files)} refused")
    return int(any(said))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
