# SPDX-License-Identifier: Apache-2.0
# What the shared libraries export and import, and the flags that the sources are compiled with.
#
# Usage: symbols_test.py SOURCE_DIR COMPILE_COMMANDS LIBPOSENC.so OBJECTS.txt [NAME=LIBPOSENC_NAME.so]...
# OBJECTS.txt lists the objects of the libraries without exceptions, one a line; NAME is pool, transformer, spec or io.

import json
import pathlib
import re
import subprocess
import sys
import unittest

from rooms import library_of_header, public_headers

# The result of these is fixed by IEEE 754 or by their definition, whoever wrote them.
EXACT_IN_LIBM = {"floor", "ceil", "trunc", "rint", "nearbyint", "sqrt", "fma", "ldexp", "frexp", "scalbn"}
EXACT_IN_LIBM |= {name + "f" for name in EXACT_IN_LIBM}
ENVIRONMENT = {"fegetenv", "fesetenv", "fegetround", "fesetround"}  # read and restore the rounding mode


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(path, *options):
    """The names in nm's table, demangled and without versions."""
    lines = run("nm", "--demangle", *options, str(path)).splitlines()
    names = [re.sub(r"^[0-9a-f ]{16} [A-Za-z] ", "", line) for line in lines if line and not line.endswith(":")]
    return [name.split("@")[0] for name in names]


def declared(headers):
    """Names that a POSENC_EXPORT in the headers declares."""
    names = set()
    for header in headers:
        text = re.sub(r"//[^\n]*|^#[^\n]*", "", header.read_text(encoding="utf-8"), flags=re.MULTILINE)
        for declaration in re.findall(r"\bPOSENC_EXPORT\b([^;{]*)", text):
            match = re.search(r"([A-Za-z_]\w*)\s*\(", declaration)
            if match:
                names.add(match[1])
    return names


def function_name(demangled):
    """The last name before the arguments: "write" of posenc::Rows::write(...) const."""
    return re.sub(r"\[abi:\w+\]", "", demangled.split("(")[0]).split("::")[-1].lstrip("~")


class Symbols(unittest.TestCase):
    longMessage = False
    source = library = objects = None
    compiled = []  # source file, command and working folder of all that lies in src/
    beside = {}

    def none(self, faults):
        self.assertFalse(faults, "\n" + "\n".join(faults))

    def headers(self, library):
        """The public headers of a library: "posenc", "pool", ..., as its folder is called."""
        return [self.source / "include/posenc" / header for header in public_headers(self.source)
                if library_of_header(header) == library]

    def test_the_library_exports_what_its_headers_declare_and_nothing_else(self):
        exported = symbols(self.library, "-D", "--defined-only")
        names = declared(self.headers("posenc"))
        self.assertGreater(len(exported), 20)
        self.none([symbol for symbol in exported
                   if not symbol.startswith("posenc::") or function_name(symbol) not in names])
        self.none(sorted(names - {function_name(symbol) for symbol in exported}))

    def test_the_libraries_beside_it_export_what_their_headers_declare_and_nothing_else(self):
        for name, library in self.beside.items():
            with self.subTest(name):
                exported = symbols(library, "-D", "--defined-only")
                names = declared(self.headers(name))
                self.assertTrue(exported)
                self.none([symbol for symbol in exported
                           if not symbol.startswith("posenc::") or function_name(symbol) not in names])

    def test_no_libm_symbol_decides_a_bit(self):
        compiler = next(word for word in self.compiled[0][1].split() if pathlib.Path(word).name != "ccache")
        libm = run(compiler, "-print-file-name=libm.so.6").strip()
        of_libm = set(symbols(libm, "-D", "--defined-only"))
        self.assertTrue({"sin", "cos", "exp", "log", "pow", "sinf", "powf"} <= of_libm)
        imported = set(symbols(self.library, "-D", "--undefined-only"))
        self.none(sorted(imported & of_libm - EXACT_IN_LIBM - ENVIRONMENT))

    def test_the_library_needs_nothing_but_highway(self):
        needed = re.findall(r"\(NEEDED\).*\[(.*)\]", run("readelf", "--dynamic", str(self.library)))
        runtime = re.compile(r"(libhwy|libstdc\+\+|libgcc_s|libm|libc|ld-linux.*)\.so")
        self.none([name for name in needed if not runtime.match(name)])
        self.assertTrue(any(name.startswith("libhwy") for name in needed))

    def test_one_object_throws_for_all(self):
        # A linker may keep the copy of an inline wrapper that is compiled here without exceptions. Its require is its own,
        # and calls raise, of the one source with exceptions.
        throwing = {pathlib.Path(path).name for path in self.objects if any(symbol.startswith("posenc::Error::")
                                                              for symbol in symbols(path, "--defined-only"))}
        self.assertEqual(throwing, {"finishes.cc.o"})
        self.none([f"{path}: {line}" for path in self.objects
                   for line in re.findall(r"^[0-9a-f ]{16} [WV] posenc::require\(.*$", run("nm", "--demangle", str(path)), re.MULTILINE)])

    def test_no_value_is_made_behind_a_guard(self):
        # A source without exceptions keeps the guard of a static variable whose initializer throws std::bad_alloc, and
        # every later call waits: src/base/made_once.h replaces such variables.
        self.none([path for path in self.objects if "__cxa_guard_acquire" in symbols(path, "--undefined-only")])

    def test_a_kernel_object_holds_no_weak_function(self):
        # A function that several objects hold may be taken from the one compiled for a wider instruction set. Those of a
        # kernel's own namespace say in their name which one that is.
        kernels = [(command, folder) for source, command, folder in self.compiled
                   if "hwy/foreach_target.h" in source.read_text(encoding="utf-8")]
        self.assertTrue(kernels)
        faults = []
        for command, folder in kernels:
            if not re.search(r" -O[23] ", command):
                self.skipTest("not optimised: inline functions stay functions")
            path = folder / re.search(r" -o (\S+)", command)[1]
            weak = re.findall(r"^[0-9a-f ]{16} W (.*)$", run("nm", "--demangle", str(path)), re.MULTILINE)
            faults += [f"{path.name}: {symbol}" for symbol in weak if not re.search(r"posenc::(engine|kernels)::N_", symbol)]
        self.none(faults)

    def test_every_source_is_compiled_with_the_flags_that_fix_its_bits(self):
        forbidden = re.compile(r"^-(Ofast|ffast-math|funsafe-math-optimizations|m(arch|cpu|tune|avx|sse|fma)\S*)$")
        faults = []
        for source, command, _ in self.compiled:
            flags = command.split()
            if "-ffp-contract=off" not in flags or "-fvisibility=hidden" not in flags:
                faults.append(f"{source}: without -ffp-contract=off or -fvisibility=hidden")
            faults += [f"{source}: {flag}" for flag in flags if forbidden.match(flag)]
        self.assertGreater(len(self.compiled), 10)
        self.none(faults)


def sources_of(unit):
    """What a unit of POSENC_UNITS compiles; of another source itself."""
    if unit.parent.name != "Unity":
        return [unit]
    return [pathlib.Path(path).resolve() for path in re.findall('^#include "(.*)"$', unit.read_text(), re.MULTILINE)]


if __name__ == "__main__":
    source, commands, library, objects, *beside = sys.argv[1:]
    Symbols.source = pathlib.Path(source).resolve()
    # CMake writes the path by which the checkout was reached, which may go through links.
    entries = [(path, entry["command"], pathlib.Path(entry["directory"]))
               for entry in json.loads(pathlib.Path(commands).read_text())
               for path in sources_of(pathlib.Path(entry["file"]).resolve())]
    Symbols.compiled = [entry for entry in entries if entry[0].is_relative_to(Symbols.source / "src")]
    Symbols.library = library
    Symbols.objects = pathlib.Path(objects).read_text().split()
    Symbols.beside = dict(entry.split("=", 1) for entry in beside if entry)
    unittest.main(argv=sys.argv[:1])
