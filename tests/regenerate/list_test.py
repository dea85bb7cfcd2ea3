# SPDX-License-Identifier: Apache-2.0
# The work list of the goldens, the files of tests/goldens and the list in docs/goldens-list.md say the same.
#
# Usage: list_test.py SOURCE_DIR

import json
import pathlib
import struct
import sys
import unittest

SOURCE = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(SOURCE / "tools" / "goldens"))
import goldens
import worklist


def metadata(path):
    data = path.read_bytes()
    size, = struct.unpack_from("<Q", data)
    return json.loads(data[8:8 + size])["__metadata__"]


class List(unittest.TestCase):
    def setUp(self):
        self.made = [work for work in worklist.WORKS if worklist.made_here(work)]

    def test_names_are_its_rows_own(self):
        names = [work.name for work in worklist.WORKS]
        self.assertEqual(len(set(names)), len(names))

    def test_every_file_has_its_row_and_every_row_its_file(self):
        files = {path.name for path in (SOURCE / "tests" / "goldens").iterdir()}
        self.assertEqual(files, {f"{work.name}.safetensors" for work in self.made})

    def test_every_row_has_its_script_and_its_pinned_package(self):
        for work in worklist.WORKS:
            program = f"{work.module}.py" if worklist.made_here(work) else work.program.split()[0]
            self.assertTrue((SOURCE / "tools" / "goldens" / program).is_file(), work.name)
            self.assertIn("==", goldens.required(work.package), work.name)

    def test_every_file_says_by_which_row_it_was_made(self):
        for work in self.made:
            said = metadata(SOURCE / "tests" / "goldens" / f"{work.name}.safetensors")
            self.assertEqual((said["package"], said["script"]), (work.package, f"tools/goldens/{work.module}.py"))
            self.assertEqual(said.get("preset", ""), getattr(work, "preset", ""), work.name)

    def test_the_page_has_the_list(self):
        self.assertEqual(goldens.PAGE.read_text(), goldens.page(), "run ./dev goldens --page")


if __name__ == "__main__":
    unittest.main()
