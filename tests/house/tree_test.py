# SPDX-License-Identifier: Apache-2.0
# The tree as a table of contents: licence lines, names, lengths, one word for header, source, test and page.
#
# Usage: tree_test.py SOURCE_DIR

import pathlib
import re
import subprocess
import sys
import unittest

from rooms import library_of_header, public_headers, room_of, sources_of

CODE = {".h", ".cc", ".c", ".ts", ".js", ".mjs", ".css"}
SCRIPTS = {".py", ".sh", ".cmake"}
SCRIPT_NAMES = {"CMakeLists.txt", "dev", "run"}
NO_FILE_IS_CALLED = re.compile(r"(^|[_-])(utils?|common|helpers?|misc)([_.-]|$)")
LONGEST = 600
# Header words without a source of their own: where their claims are tested, None for nothing to test.
TESTED_IN = {"scale": "tests/input/input_stage_test.cc", "version": None, "posenc": None}


def tracked(root):
    """Paths of the files of a clone; of everything but build products where there is no git."""
    if (root / ".git").exists():
        listed = subprocess.run(["git", "-c", f"safe.directory={root}", "ls-files", "-z", "--cached"], cwd=root,
                                check=True, capture_output=True).stdout.decode()
        names = [name for name in listed.split("\0") if name]
    else:
        names = [str(path.relative_to(root)) for path in root.glob("**/*") if path.is_file()]
    left_out = {"build", "out", "__pycache__"}
    return [pathlib.Path(name) for name in names if not left_out & set(pathlib.Path(name).parts) and
            (root / name).is_file()]


class Tree(unittest.TestCase):
    root = None
    longMessage = False

    @classmethod
    def setUpClass(cls):
        cls.paths = tracked(cls.root)
        cls.sources = [path for path in cls.paths if path.suffix in CODE]
        cls.scripts = [path for path in cls.paths if path.suffix in SCRIPTS or path.name in SCRIPT_NAMES]

    def lines(self, path):
        return (self.root / path).read_text(encoding="utf-8").splitlines()

    def none(self, faults):
        self.assertFalse(faults, "\n" + "\n".join(str(fault) for fault in faults))

    def test_the_tree_is_read(self):
        self.assertGreater(len(self.sources), 20)
        self.assertGreater(len(self.scripts), 10)

    def test_every_source_file_starts_with_its_licence(self):
        faults = []
        for path in self.sources + self.scripts:
            lines = self.lines(path)
            first = lines[1:2] if lines and lines[0].startswith("#!") else lines[:1]
            marks = ("//", "/*") if path.suffix in CODE else ("#",)  # /* is what every C reads
            if first not in [[f"{mark} SPDX-License-Identifier: Apache-2.0"] for mark in marks]:
                faults.append(path)
        self.none(faults)

    def test_every_source_file_says_next_what_it_holds(self):
        self.none([path for path in self.sources
                   if not any(re.match(r"(//|  ) \S", line) for line in self.lines(path)[1:2])])

    def test_no_file_is_named_after_nothing(self):
        self.none([path for path in self.paths if any(NO_FILE_IS_CALLED.search(part) for part in path.parts)])

    def test_no_source_file_is_too_long(self):
        self.none([f"{path}: {len(self.lines(path))} lines" for path in self.sources
                   if len(self.lines(path)) > LONGEST])

    def test_a_public_word_names_its_source_and_test(self):
        faults = []
        for header in public_headers(self.root):
            word = header.stem
            if word in TESTED_IN:
                if TESTED_IN[word] and not (self.root / TESTED_IN[word]).is_file():
                    faults.append(f"{TESTED_IN[word]} is missing")
                continue
            sources = sources_of(word, self.root)
            if len(sources) != 1:
                faults.append(f"<posenc/{header}> has {len(sources)} sources src/**/{word}.cc")
                continue
            test = self.root / "tests" / room_of(sources[0], self.root) / f"{word}_test.cc"
            if not test.is_file():
                faults.append(f"{test.relative_to(self.root)} is missing")
        self.none(faults)

    def test_the_header_of_all_includes_those_of_its_library(self):
        included = re.findall(r"^#include <posenc/(.*)>$", (self.root / "include/posenc/posenc.h").read_text(), re.MULTILINE)
        self.assertEqual(included, [str(header) for header in public_headers(self.root)
                                    if library_of_header(header) == "posenc" and header.stem != "posenc"])

    def test_nothing_is_built_for_this_machine_alone(self):
        phrase = "march=" + "native"  # in two parts, so that this file has it not
        builders = [path for path in self.paths if path.suffix in CODE | SCRIPTS | {".json", ".in", ".toml", ".md"} or
                    path.name in SCRIPT_NAMES]
        self.none([path for path in builders if phrase in (self.root / path).read_text(encoding="utf-8")])

    def test_the_names_that_are_refused(self):
        for name in ("utils.h", "string_util.cc", "common", "test-helpers.py", "misc_things.h"):
            self.assertTrue(NO_FILE_IS_CALLED.search(name), name)
        for name in ("convention.h", "commonplace.cc", "utilise.md"):
            self.assertFalse(NO_FILE_IS_CALLED.search(name), name)


if __name__ == "__main__":
    Tree.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
