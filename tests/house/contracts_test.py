# SPDX-License-Identifier: Apache-2.0
"""tools/docs/contracts.py: what Doxygen reads of a header.

usage: contracts_test.py SOURCE_DIR
"""
import pathlib
import re
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "tools/docs"))
import contracts


class Contracts(unittest.TestCase):
    def test_a_part_of_a_contract_begins_a_paragraph(self):
        self.assertEqual(contracts.header("/// Adds. Shapes: [L].\n/// Errors: none. Source: a book.\nvoid f();"),
                         "/// Adds.\n///\n/// Shapes: [L].\n///\n/// Errors: none.\n///\n/// Source: a book.\nvoid f();\n")

    def test_rows_are_a_table(self):
        self.assertEqual(contracts.header("/// | a | b |\n/// | 1 | 2 |"), "/// | a | b |\n/// | --- | --- |\n/// | 1 | 2 |\n")

    def test_nothing_is_a_command_or_a_tag(self):
        self.assertEqual(contracts.header("/// \\p{L} and <unk>, `<pad>`\n/// .. s3"), "/// \\\\p{L} and \\<unk>, `<pad>`\n/// \\.. s3\n")
        self.assertEqual(contracts.header("int a;  ///< <bos>"), "int a;  ///< \\<bos>\n")

    def test_code_stays(self):
        code = "template <class T>\nint f(T a) { return '\\n' < a; }\n"
        self.assertEqual(contracts.header(code), code)

    def test_no_word_of_a_header_is_lost(self):
        for path in sorted((SOURCE / "include/posenc").rglob("*.h")):
            text = path.read_text(encoding="utf-8")
            words = lambda text: re.findall(r"\w+", re.sub(r"^\s*///(?!<)", "", text, flags=re.MULTILINE))
            if "nullptr};" not in text:
                self.assertEqual(words(contracts.header(text)), words(text), path.name)


if __name__ == "__main__":
    unittest.main()
