# SPDX-License-Identifier: Apache-2.0
# What ./dev install lays down, ./dev uninstall takes away, and nothing else.
#
# Usage: prefix_test.py SOURCE_DIR BUILD_DIR

import hashlib
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

FILES = ("bin/posenc", "include/posenc/sinusoid.h", "lib/pkgconfig/posenc.pc", "lib/cmake/posenc/posencConfig.cmake",
         "share/man/man1/posenc.1", "share/bash-completion/completions/posenc", "share/zsh/site-functions/_posenc",
         "share/fish/vendor_completions.d/posenc.fish", "share/doc/posenc/LICENSE")


def tree(folder):
    """Every path below the folder, with a hash of the bytes of files: libraries are too long to tell differences of."""
    return {str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None
            for path in folder.glob("**/*")}


class Prefix(unittest.TestCase):
    source = build = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.record = self.folder / "share/posenc/installed"

    def call(self, *arguments):
        return subprocess.run([str(self.source / "tools/install/prefix.sh"), *map(str, arguments)], capture_output=True,
                              text=True, env={key: value for key, value in os.environ.items() if key != "DESTDIR"})

    def install(self, prefix):
        done = self.call("install", self.build, prefix)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def uninstall(self, prefix):
        done = self.call("uninstall", prefix)
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_it_lays_down_what_is_told_and_takes_it_away_from_among_others(self):
        for path in ("bin/other", "share/man/man1/other.1"):
            (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / path).write_text("others'")
        (self.folder / "lib").mkdir()  # empty, and not ours
        before = tree(self.folder)
        self.install(self.folder)
        for path in FILES:
            self.assertTrue((self.folder / path).is_file(), path)
        version = subprocess.run([self.folder / "bin/posenc", "--version"], capture_output=True, text=True, check=True)
        self.assertRegex(version.stdout, r"^posenc \d+\.\d+\.\d+\n$")
        self.uninstall(self.folder)
        self.assertEqual(tree(self.folder), before)

    def test_the_record_names_every_file_and_every_folder_that_was_made(self):
        self.install(self.folder / "new")
        named = (self.folder / "new/share/posenc/installed").read_text().splitlines()
        there = [f"{path}/" if path.is_dir() else str(path) for path in self.folder.glob("**/*")]
        self.assertEqual(sorted(named), sorted(there))

    def test_a_prefix_that_was_not_there_is_not_there_again(self):
        self.install(self.folder / "a/b c")
        self.assertTrue((self.folder / "a/b c/bin/posenc").is_file())
        self.uninstall(self.folder / "a/b c")
        self.assertEqual(tree(self.folder), {})

    def test_another_install_leaves_nothing_of_the_first_and_keeps_its_folders_in_mind(self):
        prefix = self.folder / "new"
        self.install(prefix)
        first = tree(prefix)
        gone = prefix / "include/posenc/gone.h"
        gone.write_text("of an older version")
        with (prefix / "share/posenc/installed").open("a") as record:
            record.write(f"{gone}\n")
        self.install(prefix)
        self.assertEqual(tree(prefix), first)
        self.uninstall(prefix)
        self.assertEqual(tree(self.folder), {})

    def test_what_others_put_into_its_folders_stays(self):
        self.install(self.folder)
        (self.folder / "include/posenc/mine.h").write_text("mine")
        self.uninstall(self.folder)
        self.assertEqual(list(tree(self.folder)), ["include", "include/posenc", "include/posenc/mine.h"])

    def test_where_nothing_was_installed_nothing_is_taken_away(self):
        (self.folder / "bin").mkdir()
        done = self.call("uninstall", self.folder)
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"[uninstall] PREFIX must hold share/posenc/installed, got {self.folder}", done.stderr)
        self.assertEqual(tree(self.folder), {"bin": None})

    def test_a_record_of_paths_elsewhere_is_refused(self):
        prefix, other = self.folder / "prefix", self.folder / "other"
        other.write_text("others'")
        for path in (other, f"{prefix}/../other", "other"):
            self.record = prefix / "share/posenc/installed"
            self.record.parent.mkdir(parents=True, exist_ok=True)
            self.record.write_text(f"{path}\n")
            done = self.call("uninstall", prefix)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"must name paths in {prefix}, got {path}", done.stderr)
            self.assertTrue(other.is_file())

    def test_dev_takes_one_prefix(self):
        for arguments in (["install", "a", "b"], ["uninstall", "--all"]):
            done = subprocess.run([self.source / "dev", *arguments], capture_output=True, text=True, cwd=self.folder)
            self.assertEqual(done.returncode, 1)
            self.assertIn(f"{arguments[0]} takes one PREFIX or nothing, got {' '.join(arguments[1:])}", done.stderr)
        done = subprocess.run([self.source / "dev", "uninstall", "here/../there"], capture_output=True, text=True,
                              cwd=self.folder)
        self.assertIn(f"got {self.folder}/there", done.stderr)


if __name__ == "__main__":
    Prefix.source, Prefix.build = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    unittest.main(argv=sys.argv[:1])
