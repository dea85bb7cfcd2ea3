# SPDX-License-Identifier: Apache-2.0
# Names the sources that include the header of nlohmann-json, directly or through headers of this tree: each takes 3 to
# 5 s more to compile for its 25,000 lines. A source that sees it without being named here fails, and so does a name too many.
#
# Usage: json_header_test.py SOURCE_DIR

import functools
import pathlib
import re
import sys
import unittest

from planted import planted

# The libraries and the tool have one source each, which hands out plain values. Tests parse with it what a reader of
# this tree is compared with, and edit documents before a reader refuses them.
SEES = {
    "src": {"src/spec/json/json_parser.cc"},
    "apps": {"apps/posenc/cli/json.cc"},
    "bindings": set(),
    "tests": {
        "tests/checkpoints/reference.cc",
        "tests/checkpoints/whisper_test.cc",
        "tests/io/model_test.cc",
        "tests/referee/identify_corpus_test.cc",
        "tests/referee/known_share_test.cc",
        "tests/referee/originals_test.cc",
        "tests/referee/recorded.cc",
        "tests/referee/recorded_test.cc",
        "tests/text/default/golden_test.cc",
        "tests/text/default/tokenizer_golden_test.cc",
        "tests/text/sentence_piece_test.cc",
        "tests/text/tokenizer_json_test.cc",
    },
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:<([^>]+)>|"([^"]+)")', re.MULTILINE)
HEADER = "nlohmann/json.hpp"


@functools.cache
def included(path):
    """The names that a file includes: of this tree relative to its root, of others as they stand."""
    found = INCLUDE.findall(path.read_text(encoding="utf-8"))
    return {f"include/{system}" if system.startswith("posenc/") else system or quoted for system, quoted in found}


def closure(root, name):
    """Every name that a file includes, directly or through files of this tree; conditions are not evaluated."""
    found, left = set(), [name]
    while left:
        for each in included(root / left.pop()):
            if each not in found:
                found.add(each)
                if (root / each).is_file():
                    left.append(each)
    return found


def seeing(root, folder):
    sources = (path.relative_to(root).as_posix() for path in (root / folder).rglob("*.cc"))
    return {source for source in sources if HEADER in closure(root, source)}


class JsonHeader(unittest.TestCase):
    root = None

    def test_sources_of_the_libraries_that_see_it_are_named(self):
        self.assertEqual(SEES["src"], seeing(self.root, "src"))

    def test_sources_of_the_tool_that_see_it_are_named(self):
        self.assertEqual(SEES["apps"], seeing(self.root, "apps"))

    def test_sources_of_the_bindings_that_see_it_are_named(self):
        self.assertEqual(SEES["bindings"], seeing(self.root, "bindings"))

    def test_sources_of_the_tests_that_see_it_are_named(self):
        self.assertEqual(SEES["tests"], seeing(self.root, "tests"))


class Planted(unittest.TestCase):
    """The scan finds what it is there for."""

    def seeing(self, files):
        with planted(files) as root:
            return seeing(root, "apps")

    def test_a_source_that_includes_it(self):
        self.assertEqual({"apps/a.cc"}, self.seeing({"apps/a.cc": "#include <nlohmann/json.hpp>\n", "apps/b.cc": ""}))

    def test_a_source_that_sees_it_through_a_header(self):
        files = {"apps/a.cc": '#include "apps/a.h"\n', "apps/a.h": "#include <posenc/b.h>\n",
                 "include/posenc/b.h": "#  include <nlohmann/json.hpp>\n"}
        self.assertEqual({"apps/a.cc"}, self.seeing(files))

    def test_no_source_that_sees_its_declarations_alone(self):
        self.assertEqual(set(), self.seeing({"apps/a.cc": "#include <nlohmann/json_fwd.hpp>\n"}))

    def test_headers_that_include_each_other(self):
        files = {"apps/a.cc": '#include "apps/a.h"\n', "apps/a.h": '#include "apps/b.h"\n', "apps/b.h": '#include "apps/a.h"\n'}
        self.assertEqual(set(), self.seeing(files))


if __name__ == "__main__":
    JsonHeader.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
