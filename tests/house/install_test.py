# SPDX-License-Identifier: Apache-2.0
# What the pages say of ./dev, of CMake's options, of packages and of the version is what stands there.
#
# Usage: install_test.py SOURCE_DIR

import pathlib
import re
import subprocess
import sys
import unittest

from tree_test import tracked


class Install(unittest.TestCase):
    root = None
    longMessage = False

    def read(self, path):
        return (self.root / path).read_text(encoding="utf-8")

    def helped(self):
        """The verbs that ./dev help tells."""
        return set(re.findall(r"^\./dev (\S+)", subprocess.run([self.root / "dev", "help"], check=True, capture_output=True,
                                                               text=True).stdout, re.MULTILINE))

    def options(self):
        """Name, words and default of every option of CMake."""
        return re.findall(r'^(?:cmake_dependent_)?option\((\w+) "(.*?)" ([^ )]+)', self.read("CMakeLists.txt"), re.MULTILINE)

    def test_every_command_of_the_pages_is_told_by_the_help(self):
        for page in ("README.md", "CONTRIBUTING.md", "docs/install.md"):
            commands = set(re.findall(r"\./dev ([a-z][a-z0-9]*)", self.read(page)))
            self.assertTrue(commands and commands <= self.helped(), f"{page}: {commands - self.helped()}")
        self.assertIn("./dev install ", self.read("README.md"))

    def test_the_help_tells_every_command(self):
        cases = self.read("dev").split("\ncase $command in\n")[1]
        commands = {name for line in re.findall(r"^  ([a-z][a-z0-9 |-]*)\)", cases, re.MULTILINE) for name in line.split(" | ")}
        self.assertEqual(self.helped(), commands - {"-h", "--help"})

    def test_the_page_has_every_option_of_cmake_in_its_words(self):
        options = {name: words for name, words, _ in self.options()}
        options |= dict(re.findall(r'^set\((POSENC_\w+) \S+ CACHE STRING "(.*)"\)$', self.read("CMakeLists.txt"), re.MULTILINE))
        self.assertGreater(len(options), 8)
        told = dict(re.findall(r"^\| `(\w+)` \| .*? \| (.*) \|$", self.read("docs/install.md"), re.MULTILINE))
        self.assertEqual(told, options)

    def test_the_page_has_the_defaults_of_the_options(self):
        defaults = {name: default for name, _, default in self.options()}
        words = {"${PROJECT_IS_TOP_LEVEL}": "on, off in a subproject", "OFF": "off"}
        told = dict(re.findall(r"^\| `(\w+)` \| (.*?) \|", self.read("docs/install.md"), re.MULTILINE))
        for option, default in defaults.items():
            self.assertEqual(told[option], words[default], option)

    def test_the_page_has_the_packages_that_dev_installs(self):
        packages = re.search(r"^build_packages=\((.*?)\)", self.read("dev"), re.MULTILINE | re.DOTALL)[1].split()
        told = re.search(r"^apt-get install (.*?[^\\])\n", self.read("docs/install.md"), re.MULTILINE | re.DOTALL)[1]
        self.assertEqual(told.replace("\\\n", " ").split(), packages)

    def test_the_version_stands_in_its_header_alone(self):
        version = ".".join(re.findall(r"^#define POSENC_VERSION_\w+ (\d+)$", self.read("include/posenc/version.h"),
                                      re.MULTILINE))
        self.assertEqual(version.count("."), 2)
        repeated = re.compile(rf"\bposenc\b.*\b{re.escape(version)}\b|^\s*version\W+{re.escape(version)}\b", re.IGNORECASE)
        kinds = {".txt", ".cmake", ".in", ".toml", ".json", ".md", ".cc", ".h", ".py", ".sh"}
        faults = [f"{path}:{number}" for path in tracked(self.root)
                  if path.suffix in kinds and path.name != "CHANGELOG.md" and not {"goldens", "third_party"} & set(path.parts)
                  for number, line in enumerate(self.read(path).splitlines(), 1) if repeated.search(line)]
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def test_the_changes_begin_with_the_version(self):
        heading = re.search(r"^## \[(.*)\] - (?:Unreleased|\d{4}-\d\d-\d\d)$", self.read("CHANGELOG.md"), re.MULTILINE)[1]
        version = re.findall(r"^#define POSENC_VERSION_\w+ (\d+)$", self.read("include/posenc/version.h"), re.MULTILINE)
        self.assertEqual(heading, ".".join(version))


if __name__ == "__main__":
    Install.root = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
