# SPDX-License-Identifier: Apache-2.0
"""What the vendored files are: small, of the standard library alone, of chosen conventions; what is wrong is refused."""

import re
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, LOWERED, BUILT, COMPILER = (Path(argument) for argument in sys.argv[1:5])
MOST = 500_000  # bytes of both files
STANDARD = re.compile(r"<[a-z0-9_]+>|<xmmintrin\.h>")


def run(*options: str) -> subprocess.CompletedProcess:
    command = [sys.executable, "-B", str(TOOL), "--lowered", str(LOWERED), *options]
    return subprocess.run(command, capture_output=True, text=True)


def compiled(folder: str, *arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([COMPILER, "-std=c++17", *arguments], cwd=folder, capture_output=True, text=True)


def size(folder: Path) -> int:
    return sum((folder / name).stat().st_size for name in ("posenc_rope.h", "posenc_rope.cc"))


class Files(unittest.TestCase):
    def test_all_rotations_take_at_most_500_kb(self) -> None:
        self.assertLessEqual(size(BUILT / "rotations"), MOST)

    def test_they_include_the_standard_library_alone(self) -> None:
        for folder in ("rotations", "rows"):
            for name in ("posenc_rope.h", "posenc_rope.cc"):
                text = (BUILT / folder / name).read_text()
                for included in re.findall(r"^#include (.*)$", text, re.M):
                    known = re.match(r'"posenc_rope\.(h|cc)"', included) or STANDARD.fullmatch(included)
                    self.assertTrue(known, f"{folder}/{name} includes {included}")
                self.assertNotRegex(text, r"\bHWY_|\bhwy::|nlohmann")

    def test_the_header_has_no_macro(self) -> None:
        text = (BUILT / "rotations" / "posenc_rope.h").read_text()
        self.assertEqual(re.findall(r"^#\s*define.*$", text, re.M), [])

    def test_chosen_conventions_are_smaller_and_made_alike_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            made = []
            for name in ("a", "b"):
                done = run("--convention", "llama-3.1", "--width", "128", "--out", f"{folder}/{name}")
                self.assertEqual(done.returncode, 0, done.stderr)
                made.append((Path(folder, name, "posenc_rope.cc").read_text(), size(Path(folder, name))))
            self.assertEqual(made[0], made[1])
            self.assertLess(made[0][1], size(BUILT / "rotations") * 2 // 3)

    def test_a_program_compiles_them_by_a_relative_path_from_another_folder(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            made = run("--convention", "llama-3.1", "--width", "128", "--out", f"{folder}/third_party")
            self.assertEqual(made.returncode, 0, made.stderr)
            done = compiled(folder, "-fsyntax-only", "third_party/posenc_rope.cc")
            self.assertEqual((done.returncode, done.stderr), (0, ""))

    def refused(self, *options: str) -> str:
        with tempfile.TemporaryDirectory() as folder:
            done = run(*options, "--out", folder)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(list(Path(folder).iterdir()), [])
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_an_unknown_name_is_refused(self) -> None:
        said = self.refused("--convention", "llama-9")
        self.assertRegex(said, "must be the name of a preset, of which llama-2, .* are nearest, got 'llama-9'")
        self.assertLess(len(said), 200)

    def test_names_are_taken_in_any_case(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            done = run("--convention", "Llama-3.1", "--width", "128", "--out", folder)
            self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_program_that_is_not_there_is_refused_in_one_line(self) -> None:
        self.assertRegex(self.refused("--lowered", "./nope"), "--lowered must be the program posenc_lowered, got './nope'")

    def test_fields_are_set_as_the_tool_sets_them(self) -> None:
        made = []
        with tempfile.TemporaryDirectory() as folder:
            for name, *settings in (("rope-half", "--set", "ladder.base=1000000"), ("qwen2",)):
                done = run("--convention", name, *settings, "--width", "128", "--out", folder)
                self.assertEqual(done.returncode, 0, done.stderr)
                text = Path(folder, "posenc_rope.cc").read_text()
                made.append(re.search(r"constexpr Frequency frequencies\[\] = \{.*?\n\};", text, re.S)[0])
                header = Path(folder, "posenc_rope.h").read_text()
                self.assertEqual("with ladder.base=1000000" in header, bool(settings))
        self.assertEqual(*made)

    def test_a_setting_that_no_field_has_is_refused(self) -> None:
        chosen = ("--convention", "llama-3.1", "--width", "128")
        self.assertRegex(self.refused(*chosen, "--set", "base=5"), "the path must begin with one of .*, got 'base'")
        self.assertRegex(self.refused(*chosen, "--set", "ladder.base"), "--set must be PATH=VALUE")
        self.assertRegex(self.refused("--set", "ladder.base=5"), "--set must come with --convention")

    def test_without_exceptions_a_problem_ends_the_program_with_its_text(self) -> None:
        program = """#include "posenc_rope.h"
            int main(int count, char**) {
              if (!posenc::check_preset("none")) return 1;
              const posenc::RotaryRows rotation(posenc::preset("llama-3.1").convention, count == 1 ? 128 : 7);
            }"""
        with tempfile.TemporaryDirectory() as folder:
            made = run("--convention", "llama-3.1", "--width", "128", "--out", folder)
            self.assertEqual(made.returncode, 0, made.stderr)
            Path(folder, "main.cc").write_text(program)
            built = compiled(folder, "-fno-exceptions", "-O0", "main.cc", "posenc_rope.cc", "-o", "main")
            self.assertEqual((built.returncode, built.stderr), (0, ""))
            self.assertEqual(subprocess.run([f"{folder}/main"]).returncode, 0)
            ended = subprocess.run([f"{folder}/main", "7"], capture_output=True, text=True)
            self.assertEqual(ended.returncode, -signal.SIGABRT)
            self.assertRegex(ended.stderr, "the width must be one that this file was made for .*got 7")

    def test_what_is_no_rotation_and_no_row_is_refused(self) -> None:
        self.assertRegex(self.refused("--convention", "alibi"), "must be a rotation, or waves of one axis")

    def test_a_width_that_the_convention_refuses_is_refused(self) -> None:
        self.assertRegex(self.refused("--convention", "llama-3.1", "--width", "7"), "width must be even, got 7")

    def test_a_rotation_whose_frequencies_each_length_changes_is_refused(self) -> None:
        self.assertRegex(self.refused("--convention", "rope-dynamic"), "each length has frequencies of its own")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
