# SPDX-License-Identifier: Apache-2.0
# posenc.h is clean in every C and C++ there is, the library exports its functions and nothing else, misuse_test.c has an
# example of each, and bindings/c/example.c needs gcc alone.
#
# Usage: header_test.py SOURCE_DIR LIBPOSENC_C.so MISUSE_TEST CXX CC

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

SOURCE, LIBRARY, MISUSE, CXX, CC = (*sys.argv[1:6],) if len(sys.argv) > 5 else (None,) * 5
HEADER = pathlib.Path(SOURCE or ".") / "bindings/c/posenc.h"
STRICT = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-fsyntax-only")


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


def declared(status=r"\w+"):
    """The functions of the header that return `status`."""
    text = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)
    return set(re.findall(rf"POSENC_API (?:const )?{status}\b[ *]*(posenc_\w+)\(", text))


class Header(unittest.TestCase):
    def test_is_clean_in_every_language(self):
        for compiler, language, standards in ((CC, "c", ("c99", "c11", "c17")), (CXX, "c++", ("c++98", "c++11", "c++17", "c++20"))):
            for standard in standards:
                run(compiler, "-x", language, f"-std={standard}", *STRICT, HEADER)

    def test_is_what_the_library_exports(self):
        lines = run("nm", "-D", "--defined-only", LIBRARY).splitlines()
        exported = {name.split("@")[0] for name in (line.split()[-1] for line in lines)} - {"POSENC_1"}
        self.assertGreater(len(exported), 60)
        self.assertEqual(exported, declared())

    def test_names_the_library_by_its_abi(self):
        abi = re.search(r"define POSENC_ABI (\d+)", HEADER.read_text(encoding="utf-8"))[1]
        self.assertIn(f"[libposenc_c.so.{abi}]", run("readelf", "-d", LIBRARY))

    def test_has_an_example_of_every_function_that_can_refuse(self):
        self.assertEqual(set(run(MISUSE, "names").split()), declared("posenc_status"))


class Example(unittest.TestCase):
    def test_is_built_by_a_c_compiler_alone(self):
        folder = pathlib.Path(LIBRARY).parent
        with tempfile.TemporaryDirectory() as built:
            program = pathlib.Path(built) / "example"
            run(CC, "-std=c99", *STRICT[:-1], HEADER.parent / "example.c", f"-I{HEADER.parent}", f"-L{folder}", "-lposenc_c",
                f"-Wl,-rpath,{folder}", "-o", program)
            lines = run(program, env={**os.environ, "LC_ALL": "C"}).splitlines()
        page = (pathlib.Path(SOURCE) / "docs/c.md").read_text(encoding="utf-8")
        self.assertEqual(lines, re.search(r"```\n(row 1.*?)\n```", page, flags=re.DOTALL)[1].splitlines())


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
