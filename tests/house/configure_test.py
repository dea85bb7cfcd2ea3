# SPDX-License-Identifier: Apache-2.0
# CMake names all missing packages at once, and configures the parts that need none of them.
#
# Usage: configure_test.py SOURCE_DIR PYTHON    PYTHON has nanobind

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ALL = ["CLI11", "ZLIB", "fmt", "hwy", "nlohmann_json"]


class Configure(unittest.TestCase):
    root, python = None, None

    def configure(self, *options, without=(), pkg_config=True):
        """The exit status and what was printed, its lines joined."""
        environment = dict(os.environ) | ({} if pkg_config else {"PKG_CONFIG_LIBDIR": "/nonexistent", "PKG_CONFIG_PATH": ""})
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                ["cmake", "-S", self.root, "-B", folder, "-G", "Ninja", "-DPOSENC_TESTS=OFF", "-DPOSENC_INSTALL=OFF",
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


if __name__ == "__main__":
    Configure.root, Configure.python = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]
    del sys.argv[1:3]
    unittest.main()
