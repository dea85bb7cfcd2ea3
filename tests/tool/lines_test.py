# SPDX-License-Identifier: Apache-2.0
# posenc encode --lines, --max-length and --truncate: padded batches.

import tool_case
from tool_case import ToolCase, read_safetensors

TEXT = b"one two three\r\n\nfour\nfive six"
WORDS = ("--tokens", "words", "--vocab", "v.txt", "--init", "normal", "--seed", "1", "--dim", "4")


class Lines(ToolCase):
    def setUp(self):
        super().setUp()
        (self.folder / "a.txt").write_bytes(TEXT)
        (self.folder / "v.txt").write_text("<pad>\n<unk>\none\ntwo\nthree\nfour\nfive\nsix\n")

    def encode(self, *arguments, out="x.npy", **options):
        self.run_tool("encode", *arguments, *WORDS, "--out", out, **options)
        if out.endswith(".safetensors"):
            return read_safetensors(self.folder / out)
        return self.npy(out)[1:]

    def row_of(self, words, *more):
        shape, values = self.encode("--text", words, *more, out="row.npy")
        return values

    def test_every_line_is_a_row_and_padding_is_zeros(self):
        shape, values = self.encode("a.txt", "--lines")
        self.assertEqual(shape, (4, 3, 4))
        zeros = (0.0,) * 4
        self.assertEqual(values[:12], self.row_of("one two three"))
        self.assertEqual(values[12:24], zeros * 3)
        self.assertEqual(values[24:36], self.row_of("four") + zeros * 2)
        self.assertEqual(values[36:], self.row_of("five six") + zeros)

    def test_lengths_and_ids_are_told(self):
        tensors = self.encode("a.txt", "--lines", out="x.safetensors")
        self.assertEqual(tensors["lengths"], ("I64", [4], (3, 0, 1, 2)))
        self.assertEqual(tensors["ids"], ("I32", [4, 3], (2, 3, 4, 0, 0, 0, 5, 0, 0, 6, 7, 0)))
        done = self.start("encode", "a.txt", "--lines", *WORDS, "--out", "x.npy")
        self.assertIn("f32 [4, 3, 4], lines of 0 to 3 tokens, batch-first", done.stderr.decode())
        report = self.json_of("encode", "a.txt", "--lines", *WORDS)
        self.assertEqual([(text["line"], text["length"]) for text in report["texts"]], [(1, 3), (2, 0), (3, 1), (4, 2)])
        self.assertEqual(report["lengths"], [3, 0, 1, 2])

    def test_lines_of_several_files_are_counted_each(self):
        (self.folder / "b.txt").write_text("six\n\n")
        with self.subTest("in the report"):
            texts = self.json_of("encode", "--text", "one\ntwo", "a.txt", "b.txt", "--lines", *WORDS)["texts"]
            self.assertEqual([(text["source"], text["line"]) for text in texts],
                             [("--text", 1), ("--text", 2), *[("a.txt", i) for i in (1, 2, 3, 4)], ("b.txt", 1), ("b.txt", 2)])
        self.assert_refused(["encode", "b.txt", "a.txt", "--lines", *WORDS, "--max-length", "2", "--out", "x.npy"],
                            "got more in line 1 of 'a.txt'")

    def test_a_report_has_the_first_texts_and_every_length(self):
        (self.folder / "c.txt").write_text("one\n" * 5000 + "one two\n")
        report = self.json_of("encode", "c.txt", "--lines", *WORDS)
        self.assertEqual(report["lengths"], [1] * 5000 + [2])
        self.assertEqual(len(report["texts"]), 4096)
        self.assertEqual(report["texts"][4095], {"source": "c.txt", "line": 4096, "length": 1, "ids": [2],
                                                 "original_ids": None, "tokens": ["one"]})

    def test_a_line_takes_few_bytes_of_memory(self):
        if tool_case.SANITIZED:
            self.skipTest("the sanitizers keep what is freed")
        long_name = "n" * 250  # held once
        lines = 400000
        (self.folder / long_name).write_bytes(b"ab\n" * lines)
        (self.folder / "few").write_bytes(b"ab\n")
        for more, most in ((("--out", "/dev/null"), 48), (("--out", "/dev/null", "--json"), 96)):
            with self.subTest(more):
                many, few = (self.peak("encode", name, "--lines", "--tokens", "bytes", *WORDS[4:], *more)
                             for name in (long_name, "few"))
                each = (many - few) / lines
                self.assertLess(each, most)

    def test_standard_input_has_the_length_that_it_is_given(self):
        piped = {"stdin": None, "input": TEXT}
        shape, values = self.encode("-", "--lines", "--max-length", "5", **piped)
        self.assertEqual(shape, (4, 5, 4))
        self.assertEqual((shape, values), self.encode("a.txt", "--lines", "--max-length", "5"))
        self.assertEqual(values[:12] + (0.0,) * 8, self.row_of("one two three") + values[12:20])

    def test_long_lines_are_cut_when_asked(self):
        shape, values = self.encode("a.txt", "--lines", "--max-length", "2", "--truncate")
        self.assertEqual(shape, (4, 2, 4))
        self.assertEqual(values[:8], self.row_of("one two"))

    def test_a_text_is_cut_when_asked(self):
        want = self.row_of("one two")
        self.assertEqual(self.encode("a.txt", "--max-length", "2", "--truncate"), ((1, 2, 4), want))
        self.assertEqual(self.encode("-", "--max-length", "2", "--truncate", stdin=None, input=TEXT), ((1, 2, 4), want))
        self.assertEqual(self.encode("a.txt", "--max-length", "6"), self.encode("a.txt"))

    def test_what_is_cut_off_is_neither_counted_nor_refused_however_long(self):
        (self.folder / "strict.txt").write_text("one\ntwo\n")
        strict = ("--vocab", "strict.txt", *WORDS[:2], *WORDS[4:], "--out", "x.npy")
        one = self.row_of("one")
        for behind in (b"what", b"\xff", b"\xe7\x88", b"two " * 100000 + b"what \xff", b"what " * 100000):
            text = b"one " + behind
            (self.folder / "a.txt").write_bytes(text)
            for source, piped in ((("a.txt",), {}), (("a.txt", "--lines"), {}), (("-",), {"stdin": None, "input": text})):
                with self.subTest(source, behind=behind[:4]):
                    cut = (*source, "--max-length", "1", "--truncate")
                    done = self.start("encode", *cut, *WORDS, "--out", "x.npy", **piped)
                    self.assertEqual((done.returncode, "unknown" in done.stderr.decode()), (0, False), done.stderr)
                    self.assertEqual(self.npy("x.npy")[1:], ((1, 1, 4), one))
                    self.run_tool("encode", *cut, *strict, **piped)
        (self.folder / "a.txt").write_bytes(b"one what two what")
        report = self.json_of("encode", "a.txt", "--max-length", "3", "--truncate", *WORDS)
        self.assertEqual(report["unknown"]["count"], 1)

    def test_a_typed_text_may_begin_like_a_file_of_another_format(self):
        report = self.json_of("encode", "--text", "%PDF-1.4 one", *WORDS)
        self.assertEqual(report["texts"][0]["length"], 2)
        self.run_tool("encode", "--text", "%PDF-1.4 one", "--lines", *WORDS[:2], "--save-vocab", "made.txt", *WORDS[4:])
        (self.folder / "a.txt").write_bytes(b"%PDF-1.4 one")
        self.assert_refused(["encode", "a.txt", *WORDS], "what begins like PDF")

    def test_sequence_first_is_the_same_batch_turned(self):
        _, values = self.encode("a.txt", "--lines")
        shape, turned = self.encode("a.txt", "--lines", "--axes", "sequence-first")
        self.assertEqual(shape, (3, 4, 4))
        self.assertEqual(turned, tuple(values[(b * 3 + t) * 4 + c] for t in range(3) for b in range(4) for c in range(4)))

    def test_masks_depend_on_the_number_of_the_line_and_not_on_the_order_of_axes(self):
        dropout = ("--dropout", "0.5", "--lines")
        (self.folder / "b.txt").write_text("one two\none two\n")
        shape, values = self.encode("b.txt", *dropout)
        _, turned = self.encode("b.txt", *dropout, "--axes", "sequence-first")
        self.assertNotEqual(values[:8], values[8:])
        self.assertEqual(turned, tuple(values[(b * 2 + t) * 4 + c] for t in range(2) for b in range(2) for c in range(4)))

    def test_many_lines_equal_single_texts(self):
        lines = [" ".join(["one", "two", "three"][: i % 4]) for i in range(3000)]
        (self.folder / "c.txt").write_text("\n".join(lines))
        shape, values = self.encode("c.txt", "--lines")
        self.assertEqual(shape, (3000, 3, 4))
        for i in (1, 1501, 2999):
            row = self.row_of(lines[i])
            self.assertEqual(values[i * 12 : i * 12 + len(row)], row)


ROWS = [
    ("length zero", ["a.txt", "--max-length", "0"], "--max-length must be an integer in plain digits, 1 to"),
    ("truncate without a length", ["a.txt", "--truncate"], "--truncate must come with --max-length"),
    ("text too long", ["a.txt", "--max-length", "5"], "at most 5 tokens (--max-length), or be cut by --truncate, got more in 'a.txt'"),
    ("text too long for a pipe", ["a.txt", "--max-length", "5", "--out", "/dev/null"], "got more in 'a.txt'"),
    ("line too long", ["a.txt", "--lines", "--max-length", "2"], "got more in line 1 of 'a.txt'"),
    ("lines without a token", ["blank.txt", "--lines"], "at least one token"),
    ("line that is no UTF-8", ["bad.txt", "--lines"], "in line 2 of 'bad.txt' at [5]"),
    ("line beyond the limit", ["long.txt", "--lines"], "a line must have at most 16777216 bytes, got line 1 of 'long.txt'"),
]


class Refused(ToolCase):
    def setUp(self):
        super().setUp()
        (self.folder / "a.txt").write_bytes(TEXT)
        (self.folder / "v.txt").write_text("<pad>\n<unk>\none\ntwo\nthree\n")
        (self.folder / "blank.txt").write_text("\n\n \n")
        (self.folder / "bad.txt").write_bytes(b"one\nt\xffo\n")
        with open(self.folder / "long.txt", "wb") as file:
            file.truncate((16 << 20) + 70000)

    def test_rows(self):
        for name, arguments, words in ROWS:
            with self.subTest(name):
                out = () if "--out" in arguments else ("--out", "x.npy")
                self.assert_refused(["encode", *arguments, *WORDS, *out], words)


if __name__ == "__main__":
    tool_case.main()
