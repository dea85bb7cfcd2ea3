# SPDX-License-Identifier: Apache-2.0
# What cpack makes of a build: the fields of its Debian packages, and what is in them and in the archive.
#
# Usage: packages_test.py SOURCE_DIR BUILD_DIR FOLDER
# FOLDER/root holds the packages unpacked afterwards: consumers find them there.

import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import unittest

# What the files of libposenc-dev find, by the static library that links it.
NEEDED_BY = {"posenc": {"libhwy-dev"}, "transformer": {"libdnnl-dev"},
             "io": {"zlib1g-dev", "libutf8proc-dev", "libsentencepiece-dev", "pkg-config"}}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def names_in(depends):
    """Names of packages in a field of dependencies, without versions and alternatives."""
    return {re.split(r"[ :(|]", entry.strip())[0] for entry in depends.split(",") if entry.strip()}


class Packages(unittest.TestCase):
    source = build = folder = None

    @classmethod
    def setUpClass(cls):
        shutil.rmtree(cls.folder, ignore_errors=True)
        run("cpack", "--config", str(cls.build / "CPackConfig.cmake"), "-B", str(cls.folder))
        cls.root = cls.folder / "root"
        cls.debs = {path.name.split("_")[0]: path for path in cls.folder.glob("*.deb")}
        for deb in cls.debs.values():
            run("dpkg-deb", "-x", str(deb), str(cls.root))

    def field(self, package, name):
        return run("dpkg-deb", "-f", str(self.debs[package]), name).strip()

    def files(self, package):
        lines = run("dpkg-deb", "-c", str(self.debs[package])).splitlines()
        return {line.split(None, 5)[5].split(" -> ")[0].removeprefix("./"): line for line in lines if line[0] != "d"}

    def version(self):
        header = (self.source / "include/posenc/version.h").read_text()
        return ".".join(re.findall(r"^#define POSENC_VERSION_\w+ (\d+)$", header, re.MULTILINE))

    def test_the_fields_say_what_a_package_is(self):
        self.assertLessEqual({"posenc", "libposenc-dev"}, set(self.debs))
        for package, section in (("posenc", "utils"), ("libposenc-dev", "libdevel")):
            self.assertEqual(self.field(package, "Package"), package)
            self.assertEqual(self.field(package, "Version"), self.version())
            self.assertEqual(self.field(package, "Section"), section)
            self.assertEqual(self.field(package, "Architecture"), run("dpkg", "--print-architecture").strip())
            self.assertRegex(self.field(package, "Maintainer"), r"^[^<]+ <\S+@\S+>$")
            short, *long = self.field(package, "Description").splitlines()
            self.assertLessEqual(len(short), 80)
            self.assertTrue(long)

    def test_the_tool_depends_on_every_library_that_it_loads(self):
        depends = names_in(self.field("posenc", "Depends"))
        loaded = dict(re.findall(r"^\s*(\S+) => (/\S+)", run("ldd", str(self.root / "usr/bin/posenc")), re.MULTILINE))
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", str(self.root / "usr/bin/posenc")))
        self.assertGreater(len(needed), 5)
        for library in needed:
            if library.startswith(("libposenc", "ld-linux")):
                continue
            owners = subprocess.run(["dpkg", "-S", f"*/{pathlib.Path(loaded[library]).name}"], capture_output=True,
                                    text=True).stdout
            self.assertTrue(depends & {line.split(":")[0] for line in owners.splitlines()}, f"{library} of {owners}")

    def test_the_libraries_depend_on_what_their_files_find(self):
        depends = names_in(self.field("libposenc-dev", "Depends"))
        static = {path.stem.removeprefix("lib").removeprefix("posenc_") for path in self.root.glob("usr/lib/**/libposenc*.a")}
        self.assertEqual(depends - {"libposenc"},
                         set().union(*(packages for name, packages in NEEDED_BY.items() if name in static)))

    def test_no_path_is_in_two_packages_and_all_are_of_root(self):
        seen = {}
        for package in self.debs:
            for path, line in self.files(package).items():
                self.assertIsNone(seen.get(path), f"{path} of {package}")
                seen[path] = package
                self.assertRegex(line, r"^(-rw-r--r--|-rwxr-xr-x|lrwxrwxrwx) root/root ")

    def test_each_package_has_its_part(self):
        tool, development = self.files("posenc"), self.files("libposenc-dev")
        for path in ("bin/posenc", "share/man/man1/posenc.1", "share/bash-completion/completions/posenc",
                     "share/zsh/vendor-completions/_posenc", "share/fish/vendor_completions.d/posenc.fish",
                     "share/doc/posenc/copyright", "share/doc/posenc/LICENSE.whisper"):
            self.assertIn(f"usr/{path}", tool)
        for path in ("include/posenc/core.h", "lib/pkgconfig/posenc.pc", "lib/cmake/posenc/posencConfig.cmake",
                     "share/doc/posenc/LICENSE"):
            self.assertIn(f"usr/{path}", development)
        self.assertFalse([path for path in tool if path.startswith(("usr/lib", "usr/include"))])

    def test_the_archive_has_what_the_packages_have(self):
        archive, = self.folder.glob("*.tar.gz")
        with tarfile.open(archive) as tar:
            archived = {member.name.split("/", 1)[1] for member in tar if not member.isdir()}
        packaged = {path.removeprefix("usr/").replace("vendor-completions", "site-functions")
                    for package in self.debs for path in self.files(package)}
        self.assertEqual(archived, packaged)
        self.assertEqual(archive.name.split("-")[:2], ["posenc", self.version()])

    def test_the_unpacked_tool_runs(self):
        tool = str(self.root / "usr/bin/posenc")
        self.assertEqual(run(tool, "--version"), f"posenc {self.version()}\n")
        self.assertIn('"name":"whisper"', run(tool, "presets", "whisper", "--json"))

    def test_no_file_knows_where_it_was_built(self):
        for path in filter(pathlib.Path.is_file, self.root.glob("usr/**/*")):
            if path.suffix in (".pc", ".cmake", ".h") or path.parent.name == "man1":
                text = path.read_text(encoding="utf-8")
                self.assertFalse([place for place in (self.build, self.source, self.folder) if str(place) in text], path)
        path = run("readelf", "--dynamic", str(self.root / "usr/bin/posenc"))
        self.assertEqual(re.findall(r"\(RU?N?PATH\).*\[(.*)\]", path), ["$ORIGIN/../lib"])


if __name__ == "__main__":
    Packages.source, Packages.build, Packages.folder = (pathlib.Path(path).resolve() for path in sys.argv[1:])
    unittest.main(argv=sys.argv[:1])
