# SPDX-License-Identifier: Apache-2.0
# The rooms and their arrows: every #include of src/, include/, apps/ and bindings/ points down, or this names its line.
#
# Usage: layering_test.py SOURCE_DIR

import pathlib
import re
import sys
import unittest

from planted import planted
from rooms import LIBRARY_OF, library_of_header, public_headers, room_of

# What a room may include besides itself. Edges see what is public, so that the rest stays private.
PUBLIC = {"public " + room for room in ("conventions", "encodings", "input", "referee", "transformer", "pool", "spec", "inspect",
                                     "io", "text")}
MAY_SEE = {
    "base": set(),
    "numerics": {"base"},
    "plan": {"base", "numerics"},
    "conventions": {"base", "numerics", "plan"},
    "engine": {"base", "numerics", "plan"},
    "encodings": {"base", "numerics", "plan", "engine", "conventions"},
    "input": {"base", "numerics", "plan", "engine", "conventions", "encodings"},
    # The referee compares a table or a rotation with plans, proves it by the public calls, and writes it as JSON.
    "referee": {"base", "numerics", "plan", "conventions", "encodings", "spec"},
    "transformer": {"base", "numerics", "plan", "engine", "conventions", "encodings", "input"},
    "pool": {"base"},
    # JSON is read and written by the field tables.
    "spec": {"base", "conventions"},
    # What a configuration says is made of public conventions and measured by public calls.
    "inspect": {"base", "spec", "public conventions", "public encodings"},
    # A model on disk is a value of the transformer; what a file's tensors hold the referee says.
    "io": {"base", "spec", "public referee", "public inspect", "public conventions", "public encodings", "public input", "public transformer"},
    # A text encoder hands ids to an input stage.
    "text": {"base", "spec", "io", "public conventions", "public encodings", "public input"},
    "edges": {"public base"} | PUBLIC,
}
# Other people's headers, by prefix, and the rooms that may include them.
LIBRARIES = {
    "hwy/": {"engine", "transformer"},
    "dnnl": {"transformer"},
    "omp.h": {"transformer"},
    "zlib": {"io"},
    "utf8proc": {"text"},
    "sentencepiece": {"text"},
    "nlohmann/": {"spec", "edges"},
    "CLI/": {"edges"},
    "fmt/": {"edges"},
    "cairo": {"edges"},
}
# The same sources compile to WebAssembly: no threads, files, streams.
PURE_ROOMS = {"base", "numerics", "plan", "conventions", "engine", "encodings", "input", "referee", "transformer"}
IMPURE = {
    "condition_variable", "cstdio", "filesystem", "fstream", "future", "iostream", "istream", "mutex", "ostream",
    "shared_mutex", "sstream", "stdio.h", "thread", "unistd.h",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')


def our_target(system, quoted):
    """The included file of ours, relative to the root, or None for somebody else's."""
    if system is not None:
        return pathlib.Path("include") / system if system.startswith("posenc/") else None
    return pathlib.Path(quoted)


def fault(path, system, quoted, root):
    """What is wrong with one include, or None."""
    room = room_of(path, root)
    if room is None:
        return "the file is in no room"
    target = our_target(system, quoted)
    if target is None:
        allowed = [rooms for prefix, rooms in LIBRARIES.items() if system.startswith(prefix)]
        if allowed and room not in allowed[0]:
            return f"{room} may not use this library"
        if room in PURE_ROOMS and system in IMPURE:
            return f"{room} uses no threads, files or streams"
        return None
    if not (root / target).is_file():
        return "no such file; ours are <posenc/WORD.h> and <posenc/LIBRARY/WORD.h>, or quoted with the path from the root"
    if path.parts[0] == "include" and target.parts[0] != "include":
        return "a public header includes public headers only"
    other = room_of(target, root)
    seen = MAY_SEE[room] | {room}
    if other in seen or (target.parts[0] == "include" and f"public {other}" in seen):
        return None
    return f"{room} may not see {other}"


def faults(root):
    found = []
    for folder in ("src", "include", "apps", "bindings"):
        for path in sorted(root.glob(f"{folder}/**/*")):
            if path.suffix not in (".h", ".cc"):
                continue
            for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
                match = INCLUDE.match(line)
                if match:
                    relative = path.relative_to(root)
                    problem = fault(relative, match[1], match[2], root)
                    if problem:
                        found.append(f"{relative}:{number}: {line.strip()}: {problem}")
    return found


class Layering(unittest.TestCase):
    root = None
    longMessage = False

    def test_every_include_points_down(self):
        found = faults(self.root)
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_a_public_header_is_in_the_folder_of_its_library(self):
        found = [f"{header}: {LIBRARY_OF.get(room_of('include/posenc' / header, self.root))}" for header in public_headers(self.root)
                 if LIBRARY_OF.get(room_of("include/posenc" / header, self.root)) != library_of_header(header)]
        self.assertFalse(found, "\n" + "\n".join(found))

    def test_the_tree_is_read(self):
        self.assertGreater(len(list(self.root.glob("src/**/*.cc"))), 100)

    def test_every_folder_of_src_is_a_room(self):
        self.assertEqual(set(LIBRARY_OF), {path.name for path in (self.root / "src").iterdir() if path.is_dir()})
        self.assertEqual(set(MAY_SEE), set(LIBRARY_OF) | {"edges"})


class Planted(unittest.TestCase):
    """The checker finds what it is there for."""

    def planted(self, files):
        with planted(files) as root:
            return faults(root)

    def test_an_upward_include_is_named_with_its_line(self):
        files = {"src/numerics/ziv.h": '#pragma once\n#include "src/engine/tables/sincos.h"\n',
                 "src/engine/tables/sincos.h": ""}
        self.assertEqual(
            ['src/numerics/ziv.h:2: #include "src/engine/tables/sincos.h": numerics may not see engine'],
            self.planted(files))

    def test_a_public_header_belongs_to_the_room_of_its_word(self):
        files = {
            "src/engine/tables/sincos.cc": "#include <posenc/dropout.h>\n",
            "src/input/dropout.cc": "#include <posenc/dropout.h>\n",
            "include/posenc/dropout.h": "",
        }
        self.assertEqual(["src/engine/tables/sincos.cc:1: #include <posenc/dropout.h>: engine may not see input"],
                         self.planted(files))

    def test_a_word_with_two_sources_is_in_no_room(self):
        files = {
            "src/input/dropout.cc": "",
            "src/engine/random/dropout.cc": "",
            "include/posenc/dropout.h": "#include <vector>\n",
        }
        self.assertEqual(["include/posenc/dropout.h:1: #include <vector>: the file is in no room"], self.planted(files))

    def test_downward_includes_and_the_base_pass(self):
        files = {
            "src/base/core.cc": "#include <posenc/core.h>\n",
            "src/input/dropout.cc": '#include <posenc/core.h>\n#include "src/engine/random/random.h"\n#include <vector>\n',
            "src/engine/random/random.h": "#include <posenc/core.h>\n#include <hwy/highway.h>\n",
            "include/posenc/core.h": "",
        }
        self.assertEqual([], self.planted(files))

    def test_edges_and_readers_see_public_headers_only(self):
        files = {
            "apps/posenc/main.cc": '#include "src/conventions/ladder.h"\n#include <posenc/preset.h>\n',
            "src/io/model.cc": '#include "src/conventions/ladder.h"\n#include <posenc/preset.h>\n',
            "src/conventions/ladder.h": "",
            "src/conventions/preset.cc": "",
            "include/posenc/preset.h": "",
        }
        self.assertEqual(
            ['src/io/model.cc:1: #include "src/conventions/ladder.h": io may not see conventions',
             'apps/posenc/main.cc:1: #include "src/conventions/ladder.h": edges may not see conventions'],
            self.planted(files))

    def test_text_sees_the_public_input_stage_which_sees_no_text(self):
        files = {
            "src/text/text_encoder.cc": '#include <posenc/input_stage.h>\n#include "src/input/ids.h"\n',
            "src/input/input_stage.cc": "#include <posenc/text/text_encoder.h>\n",
            "src/input/ids.h": "",
            "include/posenc/input_stage.h": "",
            "include/posenc/text/text_encoder.h": "#include <posenc/input_stage.h>\n",
        }
        self.assertEqual(
            ["src/input/input_stage.cc:1: #include <posenc/text/text_encoder.h>: input may not see text",
             'src/text/text_encoder.cc:2: #include "src/input/ids.h": text may not see input'],
            self.planted(files))

    def test_only_edges_see_the_pool_and_it_sees_the_base_alone(self):
        files = {
            "apps/posenc/main.cc": "#include <posenc/pool/pool.h>\n",
            "src/input/input_stage.cc": "#include <posenc/pool/pool.h>\n",
            "src/pool/pool.cc": "#include <posenc/pool/pool.h>\n#include <thread>\n#include <posenc/input_stage.h>\n",
            "include/posenc/pool/pool.h": "",
            "include/posenc/input_stage.h": "",
        }
        self.assertEqual(
            ["src/input/input_stage.cc:1: #include <posenc/pool/pool.h>: input may not see pool",
             "src/pool/pool.cc:3: #include <posenc/input_stage.h>: pool may not see input"],
            self.planted(files))

    def test_libraries_and_streams_stay_in_their_rooms(self):
        files = {"src/input/dropout.cc": "#include <hwy/highway.h>\n#include <iostream>\n"}
        self.assertEqual(2, len(self.planted(files)))

    def test_a_path_that_hides_its_room_is_refused(self):
        files = {"src/engine/tables/sincos.cc": '#include "sincos.h"\n', "src/engine/tables/sincos.h": ""}
        self.assertEqual(1, len(self.planted(files)))

    def test_a_file_outside_the_rooms_is_refused(self):
        self.assertEqual(1, len(self.planted({"src/extras/bignum.cc": "#include <vector>\n"})))


if __name__ == "__main__":
    Layering.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
