# SPDX-License-Identifier: Apache-2.0
# posenc resize: a table of an image for another image, as a file.
import struct

import tool_case
from tool_case import ToolCase

TABLE = [0.25 * (i * 7 % 11) for i in range(10)]


class Resize(ToolCase):
    def setUp(self):
        super().setUp()
        self.write_npy("t.npy", (5, 2))
        self.words = ["resize", "--preset", "vit-resize", "--in", "t.npy", "--height", "3", "--width", "1"]

    def write_npy(self, name, shape):
        text = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}"
        text += " " * (-(11 + len(text)) % 64) + "\n"
        count = shape[0] * shape[1]
        (self.folder / name).write_bytes(b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text.encode() +
                                         struct.pack(f"<{count}f", *(TABLE * 8)[:count]))

    def test_a_square_is_assumed_and_extra_rows_are_kept(self):
        report = self.json_of(*self.words, "--out", "o.npy")
        self.assertEqual((report["from"], report["to"], report["shape"]), ([2, 2], [3, 1], [4, 2]))
        dtype, shape, values = self.npy("o.npy")
        self.assertEqual((dtype, shape, values[:2]), ("<f4", (4, 2), tuple(TABLE[:2])))

    def test_a_source_that_is_no_square_is_stated(self):
        self.write_npy("wide.npy", (7, 2))
        words = ["resize", "--preset", "vit-resize", "--in", "wide.npy", "--height", "2", "--width", "3", "--out", "o.npy"]
        self.assert_refused(words, "table must have shape [5, d], the rows of 2 x 2 cells and 1 more, got [7, 2]")
        self.run_tool(*words, "--from-height", "2", "--from-width", "3")
        self.assertEqual(self.npy("o.npy"), self.npy("wide.npy"))

    def test_fields_are_changed(self):
        self.run_tool(*self.words, "--set", "resize.filter=area", "--out", "o.npy")
        rows = [TABLE[i:i + 2] for i in range(0, 10, 2)]
        mean = [(rows[1][c] + rows[2][c]) / 2 for c in (0, 1)]
        self.assertEqual(list(self.npy("o.npy")[2][2:4]), mean)

    def test_what_is_wrong(self):
        for words, rule in (([*self.words, "--out", "t.npy"], "--out and --in must be two files"),
                            ([*self.words, "--out", "o.npy", "--from-height", "2"], "--from-width must be given"),
                            (["resize", "--preset", "learned", *self.words[3:], "--out", "o.npy"],
                             "the convention must be learned, with a resize"),
                            ([*self.words[:-1], "0", "--out", "o.npy"], "--width must be")):
            self.assert_refused(words, rule)


if __name__ == "__main__":
    tool_case.main()
