# SPDX-License-Identifier: Apache-2.0
# posenc encode --tokens: ids of every kind, vocabulary files, unknown tokens.

import unicodedata

import tool_case
from tool_case import ToolCase, write_npy

INIT = ("--init", "normal", "--seed", "1", "--dim", "4")


class Tokens(ToolCase):
    def ids(self, *arguments, **options):
        report = self.json_of("encode", *arguments, *INIT, **options)
        return [text["ids"] for text in report["texts"]]

    def write(self, name, text):
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def test_bytes_are_their_values_whatever_they_are(self):
        self.write("a.bin", bytes(range(256)) + b"\xff\xc0\x80")
        self.assertEqual(self.ids("a.bin", "--tokens", "bytes"), [[*range(256), 255, 192, 128]])

    def test_chars_are_code_points_of_nfc_by_frequency(self):
        text = "cafe\u0301 caf\u00e9 \u6211\u6211"
        report = self.json_of("encode", "--text", text, "--tokens", "chars", "--save-vocab", "v.txt", *INIT)
        vocabulary = (self.folder / "v.txt").read_text().splitlines()
        self.assertEqual(vocabulary[:4], ["<pad>", "<unk>", "<bos>", "<eos>"])
        self.assertEqual("".join(vocabulary[i] for i in report["texts"][0]["ids"]), unicodedata.normalize("NFC", text))
        self.assertEqual(report["unknown"], {"count": 0})
        self.assertEqual(self.ids("--text", text, "--tokens", "chars", "--vocab", "v.txt"), [report["texts"][0]["ids"]])

    def test_words_and_what_the_vocabulary_lacks(self):
        self.write("v.txt", "<unk>\nthe\ncat\n")
        report = self.json_of("encode", "--text", " the  cat\tsat\nthe mat ", "--tokens", "words", "--vocab", "v.txt", *INIT)
        self.assertEqual(report["texts"][0]["ids"], [1, 2, 0, 1, 0])
        self.assertEqual(report["unknown"], {"count": 2, "id": 0, "first": "sat", "source": "--text", "line": 1,
                                             "column": 11, "offset": 10})
        done = self.start("encode", "--text", "the dog", "--tokens", "words", "--vocab", "v.txt", *INIT, "--out", "x.npy")
        self.assertIn("posenc: 1 unknown token became '<unk>'; the first is 'dog' in line 1, column 5 of '--text' (byte 4)\n",
                      done.stderr.decode())

    def test_an_unknown_token_has_the_same_place_by_every_way(self):
        text = "the cat\r\n\u00e9\u00e9 the \u6211 sat\nthe sat\n"
        place = {"count": 4, "id": 0, "first": "\u00e9\u00e9", "source": "a.txt", "line": 2, "column": 1, "offset": 9}
        self.write("v.txt", "<unk>\nthe\ncat\n")
        self.write("a.txt", text)
        words = ("--tokens", "words", "--vocab", "v.txt", *INIT)
        for more in ((), ("--lines",), ("--plot", "p.png")):
            self.assertEqual(self.json_of("encode", "a.txt", *words, *more)["unknown"], place, more)
        self.write("v.txt", "<unk>\nthe\ncat\n\u00e9\u00e9\n")
        place |= {"count": 3, "first": "\u6211", "column": 8, "offset": 18}
        for more in ((), ("--lines",), ("--plot", "p.png")):
            self.assertEqual(self.json_of("encode", "a.txt", *words, *more)["unknown"], place, more)

    def test_a_vocabulary_of_several_texts_serves_them_all(self):
        self.write("a.txt", "one two")
        self.write("b.txt", "two three")
        self.assertEqual(self.ids("a.txt", "b.txt", "--tokens", "words", "--save-vocab", "v.txt"), [[5, 4], [4, 6]])
        self.assertEqual((self.folder / "v.txt").read_text().split(), ["<pad>", "<unk>", "<bos>", "<eos>", "two", "one", "three"])

    def test_ids_from_text_and_from_arrays(self):
        size = ("--vocab-size", "8", "--tokens", "ids")
        self.write("a.txt", "3 1,4\r\n1, 5\t7\n")
        self.assertEqual(self.ids("a.txt", *size), [[3, 1, 4, 1, 5, 7]])
        write_npy(self.folder / "a.npy", "<i8", [2, 3], [3, 1, 4, 1, 5, 7])
        self.assertEqual(self.ids("a.npy", *size), [[3, 1, 4], [1, 5, 7]])
        write_npy(self.folder / "b.npy", "<i4", [2], [0, 7])
        self.assertEqual(self.ids("b.npy", *size), [[0, 7]])

    def test_one_text_gives_the_same_rows_by_every_way_to_its_ids(self):
        self.write("a.txt", "3 1 4 1 5")
        write_npy(self.folder / "a.npy", "<i8", [5], [3, 1, 4, 1, 5])
        size = ("--tokens", "ids", "--vocab-size", "8", *INIT, "--dropout", "0.25")
        self.run_tool("encode", "a.txt", *size, "--out", "x.npy")
        self.run_tool("encode", "a.npy", *size, "--out", "y.npy")
        self.run_tool("encode", "-", *size, "--out", "z.npy", stdin=None, input=b"3 1 4 1 5")
        files = self.files()
        self.assertEqual(files["x.npy"], files["y.npy"])
        self.assertEqual(files["x.npy"], files["z.npy"])

    def write_tokenizer(self, name, left_out="", **model):
        """A byte-level BPE of printable ASCII and a few merges, without some of its characters."""
        tokens = {chr(i): i - 33 for i in range(33, 127)} | {"\u0120": 94, "ab": 95, "\u0120a": 96, "[UNK]": 97}
        for token in left_out:
            tokens[f"({token})"] = tokens.pop(token)
        byte_level = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
        self.write(name, tool_case.json.dumps({
            "version": "1.0", "truncation": None, "padding": None,
            "added_tokens": [{"id": 98, "content": "<end>", "single_word": False, "lstrip": False, "rstrip": False,
                              "normalized": False, "special": True}],
            "normalizer": None, "pre_tokenizer": byte_level, "post_processor": byte_level, "decoder": byte_level,
            "model": {"type": "BPE", "dropout": None, "unk_token": None, "continuing_subword_prefix": None,
                      "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "vocab": tokens,
                      "merges": ["a b", "\u0120 a"], **model}}))

    def test_a_tokenizer_json(self):
        self.write_tokenizer("t.json")
        report = self.json_of("encode", "--text", "ab ab<end>", "--tokens", "bpe:t.json", *INIT)
        self.assertEqual(report["texts"][0]["ids"], [95, 94, 95, 98])
        self.assertEqual(report["tokens"], {"kind": "bpe", "source": "t.json", "size": 99})
        self.assertEqual(report["unknown"], {"count": 0})
        done = self.start("encode", "--text", "ab", "--tokens", "bpe:t.json", *INIT, "--out", "x.npy")
        self.assertIn("t.json: no part in the ids have post-processor ByteLevel, decoder ByteLevel", done.stderr.decode())

    def test_bytes_that_a_tokenizer_json_lacks_are_told(self):
        self.write_tokenizer("t.json", left_out="qz", unk_token="[UNK]")
        self.write("a.txt", "<end>a b ab zaqz<end>q")
        call = ("encode", "a.txt", "--tokens", "bpe:t.json", *INIT)
        place = {"count": 4, "id": 97, "first": "z", "source": "a.txt", "line": 1, "column": 13, "offset": 12}
        self.assertEqual(self.json_of(*call)["unknown"], place)
        self.assertEqual(self.json_of(*call, "--lines")["unknown"], place)
        self.assertIn("posenc: 4 unknown tokens became '[UNK]'; the first is 'z' in line 1, column 13 of 'a.txt' (byte 12)\n",
                      self.start(*call, "--out", "x.npy").stderr.decode())
        self.write_tokenizer("t.json", left_out="qz", unk_token="[UNK]", fuse_unk=True)
        self.assertEqual(self.json_of(*call)["unknown"], place | {"count": 3})
        self.write_tokenizer("t.json", left_out="qz")
        self.assert_refused([*call, "--out", "x.npy"], "each byte of a text must be a token of the vocabulary, got byte \\x7A")

    def test_what_a_sentencepiece_model_lacks_is_told(self):
        model = tool_case.SOURCE / "tests/text/goldens/unigram.model"
        call = ("encode", "--text", "the \u0416\u0416 and \u042e", "--tokens", f"sentencepiece:{model}", *INIT)
        unknown = self.json_of(*call)["unknown"]
        self.assertEqual(unknown, {"count": 2, "id": unknown["id"], "first": "\u0416\u0416", "source": "--text", "line": 1,
                                   "column": 5, "offset": 4})
        self.assertEqual(self.json_of(*call)["texts"][0]["ids"].count(unknown["id"]), 2)
        self.assertIn("2 unknown tokens became '<unk>'; the first is '\u0416\u0416' in line 1, column 5 of '--text' (byte 4)",
                      self.start(*call, "--out", "x.npy").stderr.decode())

    def test_memory_does_not_grow_with_the_text(self):
        if tool_case.SANITIZED:
            self.skipTest("the sanitizer needs its own memory")
        line = b"The quick brown fox, 123, \xe6\x88\x91\xe7\x88\xb1\xe4\xbd\xa0.\n"
        letters = "\n".join(sorted(set(line.decode()) - {"\n"}))
        self.write("v.txt", "# tokens with escapes: \\n \\t \\r \\\\ \\xNN\n" + letters + "\n\\n\n")
        tokens = {"bytes": ("--tokens", "bytes", *INIT), "chars": ("--tokens", "chars", "--vocab", "v.txt", *INIT),
                  "bpe": (), "ids": ("--tokens", "ids", "--vocab-size", "9", *INIT)}
        for kind, options in tokens.items():
            text = b"1 2 3 4 5 6 7 8\n" if kind == "ids" else line
            peaks = []
            for size in (1 << 18, 1 << 22):  # the larger result has 64 MiB and more
                self.write("a.txt", (text * (size // len(text) + 1))[:size].rsplit(b"\n", 1)[0])
                peaks.append(self.peak("encode", "a.txt", *options, "--out", "/dev/null"))
            self.assertLess(peaks[1] - peaks[0], 16 << 20, (kind, peaks))
            self.assertLess(peaks[1], 64 << 20, (kind, peaks))

    def test_memory_is_bounded_for_a_word(self):
        if tool_case.SANITIZED:
            self.skipTest("the sanitizer needs its own memory")
        for letters in (b"e", b"ACGT", "\u6211\u7231".encode(), b" "):
            self.write("a.txt", letters * ((1 << 19) // len(letters)))
            self.assertLess(self.peak("encode", "a.txt", "--out", "/dev/null"), 80 << 20, letters)
            self.write("a.txt", b"a\n" + letters * ((1 << 19) + 9))
            self.assert_refused(["encode", "a.txt", "--out", "x.npy"], "a piece must have at most 524288 bytes, got more in line")


ROWS = [
    ("kind unknown", ["--text", "a", "--tokens", "bert"], "--tokens must be bpe, bpe:FILE"),
    ("kind without its file", ["--text", "a", "--tokens", "bpe:"], "got 'bpe:'"),
    ("chars without a vocabulary", ["--text", "a", "--tokens", "chars", *INIT], "must come with --vocab or --save-vocab"),
    ("both vocabularies", ["--text", "a", "--tokens", "chars", "--vocab", "v.txt", "--save-vocab", "w.txt", *INIT],
     "one of --vocab and --save-vocab"),
    ("vocabulary for bytes", ["--text", "a", "--tokens", "bytes", "--vocab", "v.txt", *INIT], "chars or words, got bytes"),
    ("vocabulary built from standard input", ["-", "--tokens", "chars", "--save-vocab", "w.txt", *INIT],
     "must be a file or --text"),
    ("vocabulary absent", ["--text", "a", "--tokens", "words", "--vocab", "no.txt", *INIT], "No such file"),
    ("vocabulary is a folder", ["--text", "a", "--tokens", "words", "--vocab", "folder", *INIT], "(a folder)"),
    ("vocabulary empty", ["--text", "a", "--tokens", "words", "--vocab", "empty.txt", *INIT], "empty.txt"),
    ("vocabulary with a token twice", ["--text", "a", "--tokens", "words", "--vocab", "twice.txt", *INIT], "'b'"),
    ("vocabulary with an empty line", ["--text", "a", "--tokens", "words", "--vocab", "gap.txt", *INIT], "gap.txt"),
    ("vocabulary that is gzip", ["--text", "a", "--tokens", "words", "--vocab", "v.gz", *INIT], "gzip"),
    ("vocabulary that is npy", ["--text", "a", "--tokens", "words", "--vocab", "v.npy", *INIT], "npy"),
    ("vocabulary that is HTML", ["--text", "a", "--tokens", "words", "--vocab", "v.html", *INIT], "HTML"),
    ("WordPiece in place of BPE", ["--text", "a", "--tokens", "bpe:vocab.txt"],
     "a tokenizer must be a tokenizer.json of BPE; of WordPiece, --tokens ids takes the ids, got 'vocab.txt'"),
    ("vocabulary of WordPiece", ["--text", "a", "--tokens", "words", "--vocab", "vocab.txt", *INIT],
     "WordPiece is not read: make ids by its own tokenizer, then --tokens ids, got 'vocab.txt' with '##ing'"),
    ("vocabulary that is a map", ["--text", "a", "--tokens", "words", "--vocab", "vocab.json", *INIT],
     "a map has no merges: --tokens bpe:tokenizer.json has both, got 'vocab.json', which begins like JSON"),
    ("tokenizer that is a map", ["--text", "a", "--tokens", "bpe:vocab.json", *INIT],
     "a tokenizer must have merges; a vocab.json has none, the tokenizer.json beside it does, got 'vocab.json'"),
    ("word unknown without <unk>", ["--text", "b zebra", "--tokens", "words", "--vocab", "v.txt", *INIT], "zebra"),
    ("text that is gzip", ["v.gz"], "gzip"),
    ("text that is PNG", ["v.png"], "PNG"),
    ("text that is PDF", ["v.pdf"], "PDF"),
    ("text in UTF-16", ["utf16.txt"], "UTF-16"),
    ("size of ids without --init", ["ids.txt", "--tokens", "ids", "--vocab-size", "4"], "--vocab-size must come with"),
    ("ids with --init without a size", ["ids.txt", "--tokens", "ids", *INIT], "must come with --vocab-size"),
    ("id of the size", ["ids.txt", "--tokens", "ids", "--vocab-size", "4", *INIT], "4"),
    ("id with a point", ["--text", "1.0", "--tokens", "ids", "--vocab-size", "4", *INIT], "1.0"),
    ("id negative", ["--text=-1", "--tokens", "ids", "--vocab-size", "4", *INIT], "-1"),
    ("id in an array", ["ids.npy", "--tokens", "ids", "--vocab-size", "4", *INIT], "an id must be 0 to 3, got 9 in 'ids.npy' at [1, 0]"),
    ("array of reals as ids", ["reals.npy", "--tokens", "ids", "--vocab-size", "4", *INIT], "ids must be integers"),
    ("array of three axes as ids", ["cube.npy", "--tokens", "ids", "--vocab-size", "4", *INIT], "[1, 1, 2]"),
    ("array without ids", ["none.npy", "--tokens", "ids", "--vocab-size", "4", *INIT], "not empty"),
    ("tokenizer absent", ["--text", "a", "--tokens", "bpe:no.json", *INIT], "No such file"),
    ("tokenizer of another model", ["--text", "a", "--tokens", "bpe:unigram.json", *INIT], "Unigram"),
    ("model of sentencepiece absent", ["--text", "a", "--tokens", "sentencepiece:no.model", *INIT], "No such file"),
    ("model of sentencepiece that is text", ["--text", "a", "--tokens", "sentencepiece:v.txt", *INIT], "v.txt"),
]


class Refused(ToolCase):
    def setUp(self):
        super().setUp()
        files = {"v.txt": "b\nc\n", "empty.txt": "", "twice.txt": "b\nc\nb\n", "gap.txt": "b\n\nc\n",
                 "v.gz": b"\x1f\x8b\x08\0\0\0\0\0", "v.npy": b"\x93NUMPY\x01\0", "v.html": "<!DOCTYPE html>\n<html>",
                 "v.png": b"\x89PNG\r\n\x1a\n", "v.pdf": "%PDF-1.7\n", "utf16.txt": "\ufeffabc".encode("utf-16-le"),
                 "vocab.txt": "[PAD]\n[UNK]\n[CLS]\na\n##ing\n", "vocab.json": '{"a": 0, "b": 1}',
                 "ids.txt": "0 1 2 3 4", "unigram.json": '{"version":"1.0","model":{"type":"Unigram","vocab":[["a",0]]}}'}
        for name, data in files.items():
            (self.folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
        (self.folder / "folder").mkdir()
        write_npy(self.folder / "ids.npy", "<i8", [2, 2], [0, 1, 9, 2])
        write_npy(self.folder / "reals.npy", "<f4", [2], [0.0, 1.0])
        write_npy(self.folder / "cube.npy", "<i8", [1, 1, 2], [0, 1])
        write_npy(self.folder / "none.npy", "<i8", [0], [])

    def test_rows(self):
        for name, arguments, words in ROWS:
            with self.subTest(name):
                self.assert_refused(["encode", *arguments, "--out", "x.npy"], words)


if __name__ == "__main__":
    tool_case.main()
