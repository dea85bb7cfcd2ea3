# SPDX-License-Identifier: Apache-2.0
# The archive of sources that an index would take, `pip install` of it in a fresh environment, as a user of that index does,
# and then the README's Python. What the tree holds beside the archive is out of reach.
#
# Usage: pip_test.py SOURCE_DIR FOLDER    FOLDER is emptied; needs what pip downloads. SKBUILD_CMAKE_DEFINE=POSENC_BUILT=BUILD
# spares it the libraries.

import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import unittest

from readme_test import blocks


class Pip(unittest.TestCase):
    root, folder = None, None

    @classmethod
    def setUpClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)
        for name in ("builder", "venv"):
            cls.run_here(sys.executable, "-m", "venv", name)
        cls.run_here("builder/bin/pip", "install", "-q", "--disable-pip-version-check", "build")
        cls.said = cls.run_here("builder/bin/python", "-m", "build", "--sdist", "--outdir", "dist", cls.root)
        cls.archive, = (cls.folder / "dist").iterdir()
        # A folder of its own for what is compiled, since the unpacked archive is gone when pip ends.
        cls.run_here("venv/bin/pip", "install", "-q", "--disable-pip-version-check", "--no-cache-dir",
                     f"-Cbuild-dir={cls.folder}/build", cls.archive)

    @classmethod
    def run_here(cls, *command):
        cls.folder.mkdir(parents=True, exist_ok=True)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        return subprocess.run(command, check=True, cwd=cls.folder, env=environment, stdout=subprocess.PIPE, text=True).stdout

    def test_the_archive_holds_what_builds_and_no_more(self):
        with tarfile.open(self.archive) as archive:
            paths = {pathlib.PurePath(*pathlib.PurePath(member.name).parts[1:]) for member in archive if member.isfile()}
        self.assertLessEqual({pathlib.PurePath(name) for name in ("LICENSE", "PKG-INFO", "pyproject.toml")}, paths)
        self.assertEqual({path.parts[0] for path in paths},
                         {"CMakeLists.txt", "LICENSE", "PKG-INFO", "apps", "bindings", "cmake", "docs", "include",
                          "pyproject.toml", "src"})
        tracked = subprocess.run(["git", "-C", self.root, "ls-files", "-z", "include", "src", "cmake", "bindings/python"],
                                 check=True, stdout=subprocess.PIPE, text=True).stdout
        if tracked:  # else this tree is no repository
            missing = {pathlib.PurePath(name) for name in tracked.split("\0") if name} - paths
            self.assertEqual(missing, set())

    def test_building_it_warns_of_nothing(self):
        self.assertNotIn("deprecated", self.said)

    def test_it_installs_posenc_and_numpy_alone(self):
        lines = self.run_here("venv/bin/pip", "list", "--format=freeze", "--disable-pip-version-check").splitlines()
        self.assertEqual({line.split("==")[0] for line in lines} - {"pip", "setuptools"}, {"numpy", "posenc"})

    def test_the_python_of_the_readme_runs(self):
        for page in ("README.md", "docs/python.md"):
            examples = [text for language, _, text in blocks(self.root / page) if language == "python"]
            self.assertTrue(examples, page)
            for text in examples:
                self.run_here("venv/bin/python", "-W", "error", "-c", text)

    def test_it_is_what_was_installed_that_runs(self):
        where = self.run_here("venv/bin/python", "-c", "import posenc; print(posenc.__file__)")
        self.assertTrue(where.startswith(str(self.folder / "venv")), where)


if __name__ == "__main__":
    Pip.root, Pip.folder = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main()
