# SPDX-License-Identifier: Apache-2.0
# The rooms and their arrows: every #include of src/, include/ and apps/ points down, or this names its line.
#
# Usage: layering_test.py SOURCE_DIR

import pathlib
import re
import sys
import tempfile
import unittest

# What a room may include besides itself. Edges see what is public, so numerics and engine stay private.
MAY_SEE = {
    "vocabulary": set(),
    "numerics": {"vocabulary"},
    "engine": {"vocabulary", "numerics"},
    "encodings": {"vocabulary", "numerics", "engine"},
    "layers": {"vocabulary", "numerics", "engine", "encodings"},
    "pool": {"vocabulary"},
    "formats": {"vocabulary", "public encodings", "public layers"},  # a model on disk is a value of layers
    "text": {"vocabulary", "formats", "public encodings", "public layers"},  # a text encoder hands ids to an input stage
    "edges": {"vocabulary", "public encodings", "public layers", "public pool", "public formats", "public text"},
}
# A public header belongs to the room of its word. These words have no source, or every room speaks them.
ROOM_OF_WORD = {"core": "vocabulary", "version": "vocabulary", "scale": "encodings"}
# Other people's headers, by prefix, and the rooms that may include them.
LIBRARIES = {
    "hwy/": {"engine"},
    "dnnl": {"engine"},
    "omp.h": {"engine"},
    "utf8proc": {"text"},
    "sentencepiece": {"text"},
    "nlohmann/": {"formats", "text", "edges"},
    "CLI/": {"edges"},
    "fmt/": {"edges"},
    "cairo": {"edges"},
}
# The same sources compile to WebAssembly: no threads, files, streams.
PURE_ROOMS = {"numerics", "engine", "encodings", "layers"}
IMPURE = {
    "condition_variable", "cstdio", "filesystem", "fstream", "future", "iostream", "istream", "mutex", "ostream",
    "shared_mutex", "sstream", "stdio.h", "thread", "unistd.h",
}
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:<([^>]+)>|"([^"]+)")')


def room_of(path, root):
    """The room of a file of ours, given relative to the root; None where there is none."""
    parts = path.parts
    if parts[0] == "apps":
        return "edges"
    if parts[0] == "src":
        return parts[1] if parts[1] in MAY_SEE else None
    if parts[:2] == ("include", "posenc"):
        word = path.stem
        if word in ROOM_OF_WORD:
            return ROOM_OF_WORD[word]
        rooms = [source.parent.name for source in root.glob(f"src/*/{word}.cc")]
        return rooms[0] if len(rooms) == 1 and rooms[0] in MAY_SEE else None
    return None


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
        return "no such file; ours are <posenc/WORD.h>, or quoted with the path from the root"
    if path.parts[0] == "include" and target.parts[0] != "include":
        return "a public header includes public headers only"
    other = room_of(target, root)
    seen = MAY_SEE[room] | {room}
    if other in seen or (target.parts[0] == "include" and f"public {other}" in seen):
        return None
    return f"{room} may not see {other}"


def faults(root):
    found = []
    for folder in ("src", "include", "apps"):
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

    def test_the_tree_is_read(self):
        self.assertGreater(len(list(self.root.glob("src/*/*.cc"))), 10)


class Planted(unittest.TestCase):
    """The checker finds what it is there for."""

    def planted(self, files):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            for name, text in files.items():
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                (root / name).write_text(text, encoding="utf-8")
            return faults(root)

    def test_an_upward_include_is_named_with_its_line(self):
        files = {"src/numerics/wide.h": '#pragma once\n#include "src/engine/sincos.h"\n', "src/engine/sincos.h": ""}
        self.assertEqual(
            ['src/numerics/wide.h:2: #include "src/engine/sincos.h": numerics may not see engine'], self.planted(files))

    def test_a_public_header_belongs_to_the_room_of_its_word(self):
        files = {
            "src/engine/sincos.cc": "#include <posenc/dropout.h>\n",
            "src/layers/dropout.cc": "#include <posenc/dropout.h>\n",
            "include/posenc/dropout.h": "",
        }
        self.assertEqual(["src/engine/sincos.cc:1: #include <posenc/dropout.h>: engine may not see layers"],
                         self.planted(files))

    def test_downward_includes_and_the_vocabulary_pass(self):
        files = {
            "src/layers/dropout.cc": '#include <posenc/core.h>\n#include "src/engine/random.h"\n#include <vector>\n',
            "src/engine/random.h": "#include <posenc/core.h>\n#include <hwy/highway.h>\n",
            "include/posenc/core.h": "",
        }
        self.assertEqual([], self.planted(files))

    def test_edges_and_formats_see_public_headers_only(self):
        files = {
            "apps/posenc/main.cc": '#include "src/encodings/preset.h"\n#include <posenc/preset.h>\n',
            "src/formats/spec.cc": '#include "src/encodings/preset.h"\n#include <posenc/preset.h>\n',
            "src/encodings/preset.h": "",
            "src/encodings/preset.cc": "",
            "include/posenc/preset.h": "",
        }
        self.assertEqual(
            ['src/formats/spec.cc:1: #include "src/encodings/preset.h": formats may not see encodings',
             'apps/posenc/main.cc:1: #include "src/encodings/preset.h": edges may not see encodings'],
            self.planted(files))

    def test_text_sees_the_public_layers_and_layers_see_no_text(self):
        files = {
            "src/text/text_encoder.cc": '#include <posenc/input_stage.h>\n#include "src/layers/ids.h"\n',
            "src/layers/input_stage.cc": "#include <posenc/text_encoder.h>\n",
            "src/layers/ids.h": "",
            "include/posenc/input_stage.h": "",
            "include/posenc/text_encoder.h": "#include <posenc/input_stage.h>\n",
        }
        self.assertEqual(
            ["src/layers/input_stage.cc:1: #include <posenc/text_encoder.h>: layers may not see text",
             'src/text/text_encoder.cc:2: #include "src/layers/ids.h": text may not see layers'],
            self.planted(files))

    def test_only_edges_see_the_pool_and_it_sees_the_vocabulary_alone(self):
        files = {
            "apps/posenc/main.cc": "#include <posenc/pool.h>\n",
            "src/layers/input_stage.cc": "#include <posenc/pool.h>\n",
            "src/pool/pool.cc": "#include <posenc/pool.h>\n#include <thread>\n#include <posenc/input_stage.h>\n",
            "include/posenc/pool.h": "",
            "include/posenc/input_stage.h": "",
        }
        self.assertEqual(
            ["src/layers/input_stage.cc:1: #include <posenc/pool.h>: layers may not see pool",
             "src/pool/pool.cc:3: #include <posenc/input_stage.h>: pool may not see layers"],
            self.planted(files))

    def test_libraries_and_streams_stay_in_their_rooms(self):
        files = {"src/layers/dropout.cc": "#include <hwy/highway.h>\n#include <iostream>\n"}
        self.assertEqual(2, len(self.planted(files)))

    def test_a_path_that_hides_its_room_is_refused(self):
        files = {"src/engine/sincos.cc": '#include "sincos.h"\n', "src/engine/sincos.h": ""}
        self.assertEqual(1, len(self.planted(files)))

    def test_a_file_outside_the_rooms_is_refused(self):
        self.assertEqual(1, len(self.planted({"src/extras/wide.cc": "#include <vector>\n"})))


if __name__ == "__main__":
    Layering.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
