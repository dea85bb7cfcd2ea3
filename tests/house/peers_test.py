# SPDX-License-Identifier: Apache-2.0
"""bench/peers/features.csv: every feature that it says posenc has names a test, and the test is there.

usage: peers_test.py SOURCE
"""
import pathlib
import re
import sys
import unittest


class Peers(unittest.TestCase):
    longMessage = False
    source = None

    def rows(self):
        head, *rows = features.rows()
        return head, rows

    def test_the_page_is_made_of_the_rows(self):
        page = (self.source / "docs/peers.md").read_text(encoding="utf-8")
        self.assertEqual(page, features.page(), "bench/peers/features.py --page writes it anew")

    def known(self):
        """Suite.Name of every case of GoogleTest, tool.script of every script of the tool."""
        names = {f"tool.{path.stem.removesuffix('_test')}" for path in (self.source / "tests/tool").glob("*_test.py")}
        for path in (self.source / "tests").rglob("*_test.cc"):
            text = path.read_text(encoding="utf-8")
            names |= {".".join(match) for match in re.findall(r"^(?:TYPED_)?TEST(?:_F|_P)?\((\w+), (\w+)\)", text, re.MULTILINE)}
        return names

    def test_every_row_has_a_cell_for_every_library(self):
        head, rows = self.rows()
        self.assertEqual(head[:3], ["feature", "posenc", "test"])
        self.assertGreater(len(rows), 40)
        for row in rows:
            self.assertEqual(len(row), len(head), row[0])

    def test_every_feature_of_posenc_names_a_test_that_is_there(self):
        known, found = self.known(), 0
        for row in self.rows()[1]:
            if row[1] == "-":
                continue
            self.assertIn(row[1], ("Y", "P"), row[0])
            self.assertIn(row[2], known, row[0])
            found += 1
        self.assertGreater(found, 20)


if __name__ == "__main__":
    Peers.source = pathlib.Path(sys.argv.pop())
    sys.path.insert(0, str(Peers.source / "bench/peers"))
    import features

    unittest.main()
