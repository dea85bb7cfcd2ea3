# SPDX-License-Identifier: Apache-2.0
# The public headers, read by a compiler: all of them in one file, or each in a file of its own.
#
# headers_test.py SOURCE_DIR together COMPILER [FLAG...]    COMPILER: names of one, the first of which that is there reads
# headers_test.py SOURCE_DIR alone COMPILER [FLAG...]       them, with commas between; ends with 77 where none is. alone:
#                                                           behind precompiled headers of GCC

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from rooms import public_headers

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]

# Headers that are read once, precompiled, for those that include them: the library of C++ takes 0.8 s to read.
HUBS = ["core.h", "convention.h"]


# The error that ends a file where nothing of a header was refused. Templates that only the end of a file instantiates, as
# comparisons of variants, take as long as all else: they are read where headers are read together.
END = "read to its end"


def said_by(compiler, flags, include, text, *more):
    """What the compiler says of a file that holds this, and nothing else; `more`: what it makes, of `-`, its input."""
    command = [compiler, "-std=c++20", *WARNINGS, *flags, "-I", include, *more]
    return subprocess.run(command, input=text, capture_output=True, text=True).stderr


def including(names):
    return "".join(f"#include <posenc/{name}>\n" for name in names)


def included_by(name, include, found=None):
    """Names of the public headers that a header includes, and that those do."""
    found = set() if found is None else found
    for inner in re.findall(r"^#include <posenc/(.*)>$", (include / "posenc" / name).read_text(), re.MULTILINE):
        if inner not in found:
            found.add(inner)
            included_by(inner, include, found)
    return found


class Alone:
    """Reads each header behind the largest of HUBS that it includes: what stands in front is then what it reads anyway."""

    def __init__(self, compiler, flags, include, folder):
        self.all, self.folder = (compiler, flags, include), pathlib.Path(folder)
        self.within = {name: included_by(name, include) for name in HUBS}
        for name in HUBS:
            hub = self.folder / name
            hub.write_text(including([name]))
            said_by(*self.all, "", "-x", "c++-header", hub, "-o", f"{hub}.gch")

    def reads(self, name):
        inner = included_by(name, self.all[2])
        hub = max(inner & set(HUBS), key=lambda each: len(self.within[each]), default=None)
        before = ["-include", self.folder / hub, "-Winvalid-pch"] if hub else []
        text = including([name]) + f'static_assert(false, "{END}");\n'
        said = said_by(*self.all, text, *before, "-fsyntax-only", "-Wfatal-errors", "-x", "c++", "-")
        return "" if END in said else said


def main(source, how, compilers, *flags):
    include = pathlib.Path(source, "include")
    headers = [str(header) for header in public_headers(pathlib.Path(source))]
    assert "rotary.h" in headers and how in ("together", "alone")
    compiler = next(filter(None, map(shutil.which, compilers.split(","))), None)
    if compiler is None:
        print(f"skipped: this machine has no {' and no '.join(compilers.split(','))}")
        return 77
    if how == "together":
        said = [said_by(compiler, flags, include, including(headers), "-fsyntax-only", "-x", "c++", "-")]
    else:
        with tempfile.TemporaryDirectory() as folder:
            alone = Alone(compiler, flags, include, folder)
            said = [alone.reads(name) for name in headers]
    print("".join(said), end="")
    print(f"{len(headers)} headers {how}, {' '.join([compiler, *flags])}: {sum(map(bool, said))} of {len(said)} refused")
    return int(any(said))


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
