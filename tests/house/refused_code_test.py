# SPDX-License-Identifier: Apache-2.0
# What must not compile, and the sentence that the compiler says: python3 refused_code_test.py SOURCE_DIR COMPILER.

import pathlib
import subprocess
import sys
import unittest

HEAD = "#include <posenc/core.h>\n#include <cstddef>\nusing namespace posenc;\n"


class RefusedCode(unittest.TestCase):
    root: pathlib.Path
    compiler: str

    def compile(self, code, standard="c++20"):
        command = [self.compiler, f"-std={standard}", "-fsyntax-only", "-Werror", "-Wall", "-Wextra", "-Wconversion",
                   "-I", self.root / "include", "-x", "c++", "-"]
        return subprocess.run(command, input=HEAD + code + "\n", capture_output=True, text=True, timeout=60)

    def refused(self, code, sentence, standard="c++20"):
        result = self.compile(code, standard)
        self.assertNotEqual(result.returncode, 0, code)
        self.assertIn(sentence, " ".join(result.stderr.split()), code)

    def test_good_code_compiles(self):
        code = """
            View f(float* x, const bfloat16* y, std::int32_t* ids, unsigned n, std::int64_t m, std::size_t many) {
              enum { columns = 8 };
              static_cast<void>(view(y, {n, m, 3u, short{2}, columns}));
              static_cast<void>(view(ids, {static_cast<std::int64_t>(many)}));
              static_cast<void>(view(x, {}));
              const std::vector<std::int64_t> shape = {2, m};
              return view(x, shape);
            }"""
        result = self.compile(code)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_an_older_standard(self):
        self.refused("", "posenc needs C++20", standard="c++17")

    def test_other_elements(self):
        sentence = "posenc: elements of views are float, double, posenc::half"
        # Of long and long long, std::int64_t is one.
        other = "std::conditional_t<std::is_same_v<std::int64_t, long>, long long, long>"
        self.refused(f"View f({other}* x) {{ return view(x, {{1}}); }}", sentence)
        self.refused("ConstView f(const unsigned* x) { return view(x, {1}); }", sentence)
        self.refused("View f(short* x, std::span<const std::int64_t> s) { return view(x, s); }", sentence)

    def test_sizes_that_may_be_cut(self):
        self.refused("View f(float* x, std::size_t n) { return view(x, {n, 3}); }",
                     "posenc: sizes of views are std::int64_t")
        self.refused("View f(float* x, double n) { return view(x, {3, n}); }", "posenc: a size of a view is an integer")


if __name__ == "__main__":
    RefusedCode.root = pathlib.Path(sys.argv[1])
    RefusedCode.compiler = sys.argv[2]
    unittest.main(argv=sys.argv[:1])
