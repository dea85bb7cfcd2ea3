# SPDX-License-Identifier: Apache-2.0
"""What the vendored files are: small, of the standard library alone, of chosen conventions; what is wrong is refused."""

import re
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
        self.assertRegex(self.refused("--convention", "llama-9"), "must be the name of a preset .*got 'llama-9'")

    def test_what_is_no_rotation_and_no_row_is_refused(self) -> None:
        self.assertRegex(self.refused("--convention", "alibi"), "must be a rotation, or waves of one axis")

    def test_a_width_that_the_convention_refuses_is_refused(self) -> None:
        self.assertRegex(self.refused("--convention", "llama-3.1", "--width", "7"), "width must be even, got 7")

    def test_a_rotation_whose_frequencies_each_length_changes_is_refused(self) -> None:
        self.assertRegex(self.refused("--convention", "rope-dynamic"), "each length has frequencies of its own")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
