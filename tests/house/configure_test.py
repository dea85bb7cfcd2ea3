# SPDX-License-Identifier: Apache-2.0
# CMake names all missing packages at once, and configures the parts that need none of them.
#
# Usage: configure_test.py SOURCE_DIR PYTHON    PYTHON has nanobind

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import tomllib
import unittest

ALL = ["CLI11", "ZLIB", "fmt", "hwy", "nlohmann_json"]


class Configure(unittest.TestCase):
    root, python = None, None

    def configure(self, *options, without=(), pkg_config=True, source=None):
        """The exit status and what was printed, its lines joined."""
        environment = dict(os.environ) | ({} if pkg_config else {"PKG_CONFIG_LIBDIR": "/nonexistent", "PKG_CONFIG_PATH": ""})
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                ["cmake", "-S", source or self.root, "-B", folder, "-G", "Ninja", "-DPOSENC_TESTS=OFF", "-DPOSENC_INSTALL=OFF",
                 *(f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in without), *options],
                env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        return ended.returncode, " ".join(ended.stdout.split())

    def test_all_that_is_missing_is_named_at_once(self):
        status, said = self.configure(without=ALL, pkg_config=False)
        self.assertNotEqual(status, 0)
        self.assertIn("libhwy-dev nlohmann-json3-dev zlib1g-dev libutf8proc-dev libsentencepiece-dev libcli11-dev libfmt-dev "
                      "libcairo2-dev libfontconfig-dev", said)

    def test_a_part_that_is_off_needs_nothing(self):
        core = [f"-DPOSENC_{part}=OFF" for part in ("POOL", "TRANSFORMER", "SPEC", "REFEREE", "IO", "TEXT", "C", "TOOL")]
        status, said = self.configure(*core, without=sorted({*ALL} - {"hwy"}), pkg_config=False)
        self.assertEqual(status, 0, said)

    def test_the_python_package_does_without_libraries_of_text_where_it_is_told_to(self):
        package = ["-DPOSENC_PYTHON=ON", f"-DPython_EXECUTABLE={self.python}",
                   *(f"-DPOSENC_{part}=OFF" for part in ("TRANSFORMER", "C", "TOOL"))]
        status, said = self.configure(*package, pkg_config=False)
        self.assertNotEqual(status, 0)
        self.assertRegex(said, "libutf8proc-dev libsentencepiece-dev .*pip install . -Ccmake.define.POSENC_TEXT=OFF")
        status, said = self.configure(*package, "-DPOSENC_TEXT=OFF", pkg_config=False)
        self.assertEqual(status, 0, said)

    def test_the_archive_of_sources_has_what_its_build_reads(self):
        package = tomllib.loads((self.root / "pyproject.toml").read_text())["tool"]["scikit-build"]
        with tempfile.TemporaryDirectory() as folder:
            for path in package["sdist"]["include"]:
                kept = pathlib.Path(folder, path.lstrip("/"))
                kept.parent.mkdir(parents=True, exist_ok=True)
                copy = shutil.copytree if (self.root / path.lstrip("/")).is_dir() else shutil.copy
                copy(self.root / path.lstrip("/"), kept)
            options = [f"-D{name}={value}" for name, value in package["cmake"]["define"].items()]
            status, said = self.configure(*options, f"-DPython_EXECUTABLE={self.python}", source=folder)
        self.assertEqual(status, 0, said)


if __name__ == "__main__":
    Configure.root, Configure.python = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    del sys.argv[1:3]
    unittest.main()
