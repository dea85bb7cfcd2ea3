# SPDX-License-Identifier: Apache-2.0
# Many texts: posenc tokens, lines and JSON lines on any number of threads, in their order; what encode takes of table.

import json
import random
import re
import struct

import tool_case
from tool_case import ToolCase, bf16_bits, f16, f32, read_safetensors, true_sine_and_cosine, write_npy

WORDS = ("the", "dog", "bit", "man", "我", "爱", "你", "zebra")


class Tokens(ToolCase):
    def ids(self, *arguments, **options):
        return [[int(each) for each in line.split(" ") if each]
                for line in self.run_tool("tokens", *arguments, **options).split("\n")[:-1]]

    def test_a_text_is_a_line_of_the_ids_that_encode_tells(self):
        told = self.json_of("encode", "--text", "我爱你", "--text", "你爱我")
        self.assertEqual(self.ids("--text", "我爱你", "--text", "你爱我"), [text["ids"] for text in told["texts"]])
        self.assertEqual(self.run_tool("tokens", "--text", "ab", "--tokens", "bytes"), "97 98\n")

    def test_files_standard_input_and_lines_are_texts(self):
        (self.folder / "a.txt").write_text("a\n\nbc\n")
        self.assertEqual(self.ids("a.txt", "--tokens", "bytes"), [[97, 10, 10, 98, 99, 10]])
        self.assertEqual(self.ids("a.txt", "--tokens", "bytes", "--lines"), [[97], [], [98, 99]])
        self.assertEqual(self.ids("-", "--tokens", "bytes", input=b"xy", stdin=None), [[120, 121]])
        self.assertEqual(self.ids("a.txt", "--tokens", "bytes", "--lines", "--max-length", "1", "--truncate"),
                         [[97], [], [98]])

    def test_a_file_of_ids_appears_whole(self):
        (self.folder / "ids.txt").write_text("old")
        (self.folder / "a.txt").write_bytes(b"ab\n\xff\n")
        self.assert_refused(["tokens", "a.txt", "--lines", "--out", "ids.txt"], "in line 2 of 'a.txt'")
        done = self.start("tokens", "--text", "ab", "--tokens", "bytes", "--out", "ids.txt")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertRegex(done.stderr.decode(), r"\Aposenc: ids.txt: 2 tokens of 1 text in [0-9.e-]+ s, [0-9.]+( [kMG])? tokens/s\n\Z")
        self.assertEqual((self.folder / "ids.txt").read_text(), "97 98\n")
        told = self.json_of("tokens", "--text", "ab", "--tokens", "bytes", "--out", "ids.txt")
        self.assertEqual((told["count"], told["sequences"], told["tokens"]["size"]), (2, 1, 256))

    def test_a_vocabulary_is_built_and_saved(self):
        (self.folder / "a.txt").write_text("b a b")
        self.assertEqual(self.ids("a.txt", "--tokens", "words", "--save-vocab", "v.txt"), [[4, 5, 4]])
        self.assertEqual(self.ids("--text", "a c", "--tokens", "words", "--vocab", "v.txt"), [[5, 1]])

    def test_what_is_wrong(self):
        (self.folder / "a.txt").write_text("a\n")
        for words, rule in ((["tokens"], "a text must be given: FILE, - or --text"),
                            (["tokens", "--text", "1", "--tokens", "ids"], "--tokens must make ids of texts, got 'ids'"),
                            (["tokens", "no.txt"], "[tokens] the text must exist and be readable"),
                            (["tokens", "a.txt", "--json"], "--json must come with --out FILE"),
                            (["tokens", "a.txt", "--out", "./a.txt"], "--out and a text must be two files"),
                            (["tokens", "--text", "a", "--truncate"], "[tokens] --truncate must come with --max-length"),
                            (["tokens", "a.txt", "--lines", "--json-lines", "t"], "one of --lines and --json-lines"),
                            (["tokens", "a.txt", "--json-lines", "t"], "every line under --json-lines must be a JSON object, got 'a' in line 1 of 'a.txt'")):
            self.assert_refused(words, rule)


class ManyTexts(ToolCase):
    def setUp(self):
        super().setUp()
        choose = random.Random(1)
        self.texts = [" ".join(choose.choices(WORDS, k=choose.randrange(1, 30))) for _ in range(9000)]
        (self.folder / "a.txt").write_text("\n".join(self.texts) + "\n")
        (self.folder / "a.jsonl").write_text("".join(json.dumps({"id": i, "t": text}) + "\n" for i, text in enumerate(self.texts)))

    def test_order_and_ids_do_not_depend_on_threads_or_form(self):
        one = self.run_tool("tokens", "a.txt", "--lines", "--threads", "1")
        self.assertEqual(one.count("\n"), len(self.texts))
        self.assertEqual(self.run_tool("tokens", "a.txt", "--lines", "--threads", "7"), one)
        self.assertEqual(self.run_tool("tokens", "a.jsonl", "--json-lines", "t", "--threads", "3"), one)

    def test_encode_takes_json_lines_and_tells_its_speed(self):
        lines = self.texts[:50]
        (self.folder / "b.txt").write_text("\n".join(lines))
        (self.folder / "b.jsonl").write_text("".join(json.dumps({"t": text}) + "\n" for text in lines))
        self.run_tool("encode", "b.txt", "--lines", "--threads", "1", "--out", "x.safetensors")
        done = self.start("encode", "b.jsonl", "--json-lines", "t", "--threads", "4", "--out", "y.safetensors")
        self.assertEqual(done.returncode, 0)
        self.assertRegex(done.stderr.decode(), r"posenc: \d+ tokens of 50 texts in [0-9.e-]+ s, [0-9.]+( [kMG])? tokens/s\n")
        self.assertEqual(read_safetensors(self.folder / "x.safetensors"), read_safetensors(self.folder / "y.safetensors"))

    def test_the_first_error_in_order_is_the_one_that_is_told(self):
        with open(self.folder / "a.txt", "ab") as file:
            for _ in range(500):
                file.write(b"\xff\n")
        for threads in ("1", "5"):
            self.assert_refused(["tokens", "a.txt", "--lines", "--out", "ids.txt", "--threads", threads],
                                f"in line {len(self.texts) + 1} of 'a.txt'")

    def test_what_is_no_text_of_an_object_is_refused(self):
        for line, rule in (("[]", "must be a JSON object, got '[]'"), ('{"t": 3}', "must have the text 't'"),
                           ("{}", "must have the text 't'"), ('{"t": "a"', "must be a JSON object")):
            (self.folder / "c.jsonl").write_text('{"t": "a"}\n' + line + "\n")
            self.assert_refused(["encode", "c.jsonl", "--json-lines", "t", "--out", "x.npy"], "in line 2 of 'c.jsonl'")
            self.assert_refused(["encode", "c.jsonl", "--json-lines", "t", "--out", "x.npy"], rule)


class SharedRow(ToolCase):
    def said(self, text):
        done = self.start("encode", "--text", text, "--out", "x.npy")
        self.assertEqual(done.returncode, 0)
        return done.stderr.decode()

    def test_tokens_of_the_built_in_vocabulary_that_share_one_row_are_told(self):
        said = "have the same row: Whisper never met 48 of the built-in tokens, control characters among them, which share one"
        self.assertIn(rf"'\x09' and '\x0A' {said}", self.said("a\tb\n"))
        self.assertNotIn("the same row", self.said("a\nb\n"))
        values = self.npy("x.npy")[2]
        self.run_tool("encode", "--text", "a\tb\t", "--out", "y.npy")
        self.assertEqual(values, self.npy("y.npy")[2])


class EncodeAsTable(ToolCase):
    """encode takes what table takes."""
    ZEROS = ("--tokens", "bytes", "--weights", "zeros.npy", "--scale", "none")

    def setUp(self):
        super().setUp()
        write_npy(self.folder / "zeros.npy", "<f4", [256, 4], [0.0] * 1024)

    def signal(self, *arguments):
        self.run_tool("encode", "--text", "abc", *self.ZEROS, *arguments, "--out", "x.npy")
        return self.npy("x.npy")

    def table(self, *arguments):
        self.run_tool("table", "--dim", "4", *arguments, "--out", "t.npy")
        return self.npy("t.npy")

    def test_positions(self):
        for positions in ("7,-3,0.5", "5:11:2", "0:9"):
            whole = self.table("--preset", "transformer", "--positions", positions)[2]
            self.assertEqual(self.signal("--positions", positions)[2], whole[:12])
        text = self.run_tool("encode", "--text", "abc", *self.ZEROS, "--positions", "7,-3,0.5")
        self.assertIn("positions 7 to 0.5", text)
        self.assertRegex(text, r"\n +-3 +98 ")
        ask = ["encode", "--text", "abc", *self.ZEROS, "--out", "y.npy", "--positions", "1,2"]
        self.assert_refused(ask, "--positions must have one for each of 3 tokens, got 2")
        self.assert_refused([*ask, "--start", "1"], "one of --start and --positions must be given")

    def test_ladder_and_spec(self):
        write_npy(self.folder / "w.npy", "<f8", [2], [0.5, 0.25])
        ladder = ("--preset", "transformer", "--ladder", "w.npy")
        self.assertEqual(self.signal(*ladder)[2], self.table(*ladder, "--positions", "0:3")[2])
        spec = json.loads(self.run_tool("presets", "whisper", "--json"))["presets"][0]["convention"]
        (self.folder / "spec.json").write_text(json.dumps(spec))
        self.assertEqual(self.signal("--spec", "spec.json")[2],
                         self.table("--preset", "whisper", "--positions", "0:3")[2])

    def test_dtype_is_that_of_rows_and_result(self):
        for dtype, code in (("f16", "<f2"), ("f64", "<f8")):
            got = self.signal("--dtype", dtype)
            self.assertEqual((got[0], got[2]), (code, self.table("--preset", "transformer", "--positions", "0:3", "--dtype", dtype)[2]))
        rows = [1 + 2.0 ** -12 + 2.0 ** -40, 1 + 2.0 ** -11 + 2.0 ** -40, -1 - 2.0 ** -11, 0.1]
        write_npy(self.folder / "rows.npy", "<f8", [1, 4], rows)
        write_npy(self.folder / "table.npy", "<f8", [1, 4], [0.0] * 4)
        ask = ("encode", "--text", "0", "--tokens", "ids", "--weights", "rows.npy", "--table", "table.npy", "--scale", "none")
        self.run_tool(*ask, "--dtype", "f16", "--out", "h.npy")
        self.assertEqual(self.npy("h.npy")[2], (1.0, 1 + 2.0 ** -10, -1.0, f16(0.1)))  # rounded once, not by way of f32
        self.run_tool(*ask, "--dtype", "bf16", "--out", "b.safetensors")
        self.assertEqual(read_safetensors(self.folder / "b.safetensors")["output"][2], tuple(bf16_bits(f32(x)) for x in rows))

    def test_a_learned_table(self):
        table = [float(i) for i in range(20)]
        write_npy(self.folder / "learned.npy", "<f4", [5, 4], table)
        self.assertEqual(self.signal("--table", "learned.npy")[2], tuple(table[:12]))
        self.assertEqual(self.signal("--table", "learned.npy", "--positions", "4,0,4")[2], (*table[16:], *table[:4], *table[16:]))
        self.assertIn("position signal", self.run_tool("encode", "--text", "abc", *self.ZEROS, "--table", "learned.npy"))
        ask = ["encode", "--text", "abc", *self.ZEROS, "--out", "y.npy", "--table", "learned.npy"]
        for more, rule in ((["--start", "3"], "positions"), (["--preset", "whisper"], "one of --table and --preset must be given"),
                           (["--ladder", "learned.npy"], "one of --table and --ladder must be given")):
            self.assert_refused([*ask, *more], rule)
        write_npy(self.folder / "wide.npy", "<f4", [5, 6], table + table[:10])
        self.assert_refused([*ask[:-1], "wide.npy"], "--table must have the width and the type of the rows")
        self.assert_refused(["encode", "--text", "abc", "--tokens", "bytes", "--weights", "zeros.npy", "--table",
                             "learned.npy", "--out", "y.npy"], "--scale must be given with --table, --spec")


if __name__ == "__main__":
    tool_case.main()
