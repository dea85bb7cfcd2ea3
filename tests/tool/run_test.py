# SPDX-License-Identifier: Apache-2.0
# posenc run on a model that is worked out by hand: what it writes, how it is refused, what the picture says.

import json
import math
import xml.etree.ElementTree

import tiny_model
import tool_case
from tool_case import ToolCase, read_safetensors, write_npy, write_safetensors

SVG = "{http://www.w3.org/2000/svg}"
TEXT = ["run", "--model", "text"]
SOUND = ["run", "--model", "sound"]

# (name, arguments, words of the message)
ROWS = [
    ("no model", ["run", "a"], "--model must be given"),
    ("no text", TEXT, "a text must be given, or --file or --features"),
    ("empty text", [*TEXT, "a", ""], "a text must not be empty, got text 2"),
    ("unknown character", [*TEXT, "abc", "bad é b"], "every character must be one that the model knows, got 'é' in column 5 of text 2"),
    ("unknown character in a file", [*TEXT, "--file", "bad.txt"], "got 'я' in column 2 of line 3 of 'bad.txt'"),
    ("too long", [*TEXT, "a" * 15], "a text must fit into the model's positions"),
    ("not UTF-8", [*TEXT, "--file", "latin.txt"], "UTF-8"),
    ("file absent", [*TEXT, "--file", "no.txt"], "'no.txt' (No such file or directory)"),
    ("file empty", [*TEXT, "--file", "empty.txt"], "a file of texts must not be empty, got 'empty.txt'"),
    ("standard input twice", [*TEXT, "--file", "-", "--file", "-"], "standard input must be named once"),
    ("features for text", [*TEXT, "--features", "f.npy"], "the model reads texts"),
    ("text for features", [*SOUND, "a"], "the model reads features"),
    ("texts and features", [*TEXT, "a", "--features", "f.npy"], "texts or --features must be given, got both"),
    ("features of two types", [*SOUND, "--features", "f8.npy"], "--features must be f32 [channels, columns] and not empty, or several of them along a first axis, got 'f8.npy' f64 [8, 2]"),
    ("features of one axis", [*SOUND, "--features", "flat.npy"], "got 'flat.npy' f32 [8]"),
    ("features of nothing", [*SOUND, "--features", "hollow.npy"], "got 'hollow.npy' f32 [8, 0]"),
    ("features of other channels", [*SOUND, "--features", "seven.npy"], "--features must be [8, columns] for this model, got [7, 2] in array 1 of 'seven.npy'"),
    ("features too short for a row", ["run", "--model", "wide", "--features", "f.npy"], "a source must be long enough for a row of the encoder, got array 1 of 'f.npy'"),
    ("features beyond the positions", [*SOUND, "--features", "long.npy"], "no more rows than the table has, 16"),
    ("features that are not finite", [*SOUND, "--features", "nan.npy"], "--features must be finite, got nan in 'nan.npy' at [1, 1]"),
    ("features that are no npy", [*SOUND, "--features", "bad.txt"], "bad.txt"),
    ("no name of a folder", ["run", "--model", "", "a"], "--model must be a folder with model.json and model.safetensors, got ''"),
    ("folder absent", ["run", "--model", "absent", "a"], "--model must be a folder with model.json and model.safetensors, got 'absent'"),
    ("folder that is a file", ["run", "--model", "bad.txt", "a"], "--model must be a folder with model.json and model.safetensors, got 'bad.txt'"),
    ("decoder that decodes nothing", ["run", "--model", "mute", "a"], "/decoder and /decoding of model.json must be there together, or both null, got /decoder alone in 'mute'"),
    ("more tokens than rows", ["run", "--model", "talkative", "a"], "the source's vocabulary must have at most the rows of source.rows, 8, got 9 tokens in 'talkative'"),
    ("fewer tokens than rows", ["run", "--model", "terse", "b"], "every token that the model makes must be one of its vocabulary, 0 to 3, got 4 in the output of text 1, by the model 'terse'"),
    ("positions before the table", ["run", "--model", "early", "a"], "positions must be rows of the table, integers in [0, 16), got -1 in text 1"),
    ("longest output without a bound", ["run", "--model", "endless", "aaa"], "/decoding/longest/per_token must be at most 2147483647, got 4611686018427387904"),
    ("rows that are no numbers", ["run", "--model", "nan", "b", "a"], "the encoder's rows must be finite, got nan in row 0 of text 2, by the model 'nan'"),
    ("vectors that are no numbers", ["run", "--model", "nan_vectors", "a"], "the encoder's rows must be finite, got nan in row 0 of text 1, by the model 'nan_vectors'"),
    ("logits that are no numbers", ["run", "--model", "nan_logits", "a"], "the logits must be finite, got nan for token 4 after 0 tokens of text 1, by the model 'nan_logits'"),
    ("logits of a beam", ["run", "--model", "nan_logits", "a", "--beam", "3"], "the logits must be finite, got nan for token 4"),
    ("beam for vectors", ["run", "--model", "vectors", "a", "--beam", "3"], "--beam must come with a model that makes text, got 'vectors'"),
    ("folder of Hugging Face", ["run", "--model", "hugging", "a"],
     "--model must have a model.json, which tools/convert/convert.py makes of a Hugging Face folder, got 'hugging'"),
    ("folder without a model", ["run", "--model", "nothing", "a"], "'nothing/model.json' (No such file or directory)"),
    ("folder without tensors", ["run", "--model", "bare", "a"], "'bare/model.safetensors' (No such file or directory)"),
    ("tensor missing", ["run", "--model", "lacking", "a"], "got 'cross.key'"),
    ("tensor of another shape", ["run", "--model", "narrow", "a"], "must be [32, 32], got [32, 16]"),
    ("no beam", [*TEXT, "a", "--beam", "0"], "--beam must be an integer in plain digits, 1 to 1024, got '0'"),
    ("head beyond the model's", [*TEXT, "a", "--plot", "p.svg", "--head", "2"], "--head must be mean or 0 to 1, got 2"),
    ("head without a picture", [*TEXT, "a", "--head", "1"], "--head must come with --plot"),
    ("head by name", [*TEXT, "a", "--plot", "p.svg", "--head", "first"], "--head must be mean or a number, got 'first'"),
    ("picture of an empty line", [*TEXT, "--file", "line.txt", "--plot", "p.svg"], "--plot must come with one text, got an empty one"),
    ("picture of two texts", [*TEXT, "a", "b", "--plot", "p.svg"], "--plot must come with one text, got 2"),
    ("picture of an unknown kind", [*TEXT, "a", "--plot", "p.gif"], "must end in .png or .svg"),
    ("picture over the weights", [*TEXT, "a", "--plot", "text/model.svg", "--out", "text/model.safetensors"], "--out and --model must be two files"),
    ("vectors of a model that writes", [*TEXT, "a", "--out", "x.npy"], "--out must come with a model that makes vectors"),
    ("vector of an empty line", ["run", "--model", "vectors", "--file", "gap.txt"], "a text must not be empty, got line 2 of 'gap.txt'"),
]


class Run(ToolCase):
    def setUp(self):
        super().setUp()
        tiny_model.write(self.folder / "text")
        tiny_model.write(self.folder / "sound", features=True)
        tiny_model.write(self.folder / "vectors", decoder=False)

    def test_it_copies_each_text_to_a_line(self):
        self.assertEqual(self.run_tool(*TEXT, "abca", "d"), "abca\nd\n")
        self.assertEqual(self.run_tool(*TEXT, "ab", "--beam", "3"), "ab\n")

    def test_lines_of_files_and_of_standard_input_are_texts(self):
        (self.folder / "a.txt").write_bytes(b"ab\r\n\ncc d\nd")
        self.assertEqual(self.run_tool(*TEXT, "--file", "a.txt"), "ab\n\ncc d\nd\n")
        self.assertEqual(self.run_tool(*TEXT, "a", "--file", "-", "--file", "a.txt", input=b"bb\n", stdin=None),
                         "a\nbb\nab\n\ncc d\nd\n")

    def test_json_lines_are_texts_and_threads_keep_their_order(self):
        texts = ["ab", "c", "dd a", "abcd"] * 25
        (self.folder / "a.jsonl").write_text("".join(json.dumps({"n": 1, "t": text}) + "\n" for text in texts))
        for threads in ("1", "4"):
            done = self.start(*TEXT, "--file", "a.jsonl", "--json-lines", "t", "--threads", threads)
            self.assertEqual((done.returncode, done.stdout.decode().splitlines()), (0, texts))
            self.assertRegex(done.stderr.decode(), r"\Aposenc: 275 tokens of 100 texts in \S+ s, \S+( [kMG])? tokens/s\n\Z")
        (self.folder / "b.jsonl").write_text('{"t": "a"}\n{"t": 3}\n')
        self.assert_refused([*TEXT, "--file", "b.jsonl", "--json-lines", "t"],
                            "every object must have the text 't', got '{\"t\": 3}' in line 2 of 'b.jsonl'")
        self.assert_refused([*TEXT, "a", "--json-lines", "t"], "--json-lines must come with --file")

    def test_vectors_go_down_a_pipe(self):
        self.run_tool("run", "--model", "vectors", "ab", "ba", "--out", "x.npy")
        done = self.start("run", "--model", "vectors", "ab", "ba", "--out", "-")
        self.assertEqual((done.returncode, done.stdout), (0, (self.folder / "x.npy").read_bytes()))

    def test_the_padding_of_features_is_not_drawn(self):
        wanted = [1, 3, 5, 2] + [0] * 8
        values = [10.0 if wanted[t] == channel else 0.0 for channel in range(8) for t in range(12)]
        write_npy(self.folder / "f.npy", "<f4", [8, 12], values)
        title = self.title_of("--features", "f.npy", model="sound")
        self.assertIn("5 columns (row of the source)", title)
        self.assertIn("The source has 12 rows; those from 5 on are padding and not drawn", title)

    def test_attention_is_drawn_in_the_terminal(self):
        text = self.run_tool(*TEXT, "abc", "--plot", "-")
        self.assertIn("mean of 2 heads\ndown: token made; across: token of the source\n", text)

    def test_the_report_has_ids_tokens_and_the_log_probability(self):
        for beams in ("1", "4"):
            report = self.json_of(*TEXT, "abba c", "--beam", beams)
            self.assertEqual(list(report), ["operation", "model", "family", "positions", "beams", "texts", "out", "plot"])
            self.assertEqual((report["model"], report["positions"], report["beams"]), ("text", True, int(beams)))
            (text,) = report["texts"]
            self.assertEqual(text["source_ids"], [1, 3, 4, 4, 3, 7, 5, 2])
            self.assertEqual((text["output"], text["ids"], text["ended"]), ("abba c", [3, 4, 4, 3, 7, 5], True))
            self.assertEqual(text["tokens"], ["a", "b", "b", "a", "␣", "c"])
            self.assertAlmostEqual(text["score"], tiny_model.score("abba c"), places=4)

    def test_without_positions_it_sees_a_bag_of_tokens(self):
        # All tokens are read alike; a is there twice and wins at every step, so that nothing ends but at the limit.
        for text in ("aab", "aba", "baa"):
            done = self.start(*TEXT, text, "--without-positions")
            self.assertEqual((done.returncode, done.stdout.decode()), (0, "aaaaaaa\n"))
            self.assertIn("the output of text 1 was cut after 7 tokens, without an end", done.stderr.decode())
        self.assertFalse(self.json_of(*TEXT, "aab", "--without-positions")["positions"])

    def test_what_it_does_not_know_is_taken_only_when_asked(self):
        done = self.start(*TEXT, "aéb", "--allow-unknown")
        self.assertEqual((done.returncode, done.stdout.decode()), (0, "a<unk>b\n"))
        self.assertIn("1 unknown token of text 1 became '<unk>'; the first is 'é' in column 2", done.stderr.decode())

    def test_features_are_a_source_as_well(self):
        # One hot columns of a, c, <eos>; the model begins to read at position 1.
        wanted = [1, 3, 5, 2]
        values = [10.0 if wanted[t] == channel else 0.0 for channel in range(8) for t in range(4)]
        write_npy(self.folder / "f.npy", "<f4", [8, 4], values)
        self.assertEqual(self.run_tool(*SOUND, "--features", "f.npy"), "ac\n")
        write_npy(self.folder / "two.npy", "<f4", [2, 8, 4], values + values)
        report = self.json_of(*SOUND, "--features", "two.npy", "--features", "f.npy")
        self.assertEqual([(text["source"], text["line"], text["shape"], text["output"]) for text in report["texts"]],
                         [("two.npy", 1, [8, 4], "ac"), ("two.npy", 2, [8, 4], "ac"), ("f.npy", 1, [8, 4], "ac")])
        title = self.title_of("--features", "f.npy", model="sound")
        self.assertIn("mean of 2 heads: 3 rows (token made), 4 columns (row of the source)", title)

    def test_a_model_without_a_decoder_gives_the_mean_of_its_rows(self):
        self.run_tool("run", "--model", "vectors", "ab", "ba", "cd", "--out", "x.npy")
        descr, shape, values = self.npy("x.npy")
        self.assertEqual((descr, shape), ("<f4", (3, 32)))
        for t, text in enumerate(("ab", "ba", "cd")):
            ids = [1, *map(tiny_model.TOKENS.index, text), 2]
            mean = [ids.count(c) / 4 if c < 8 else 0.25 if 8 <= c < 12 else 0 for c in range(32)]
            for found, wanted in zip(values[32 * t : 32 * t + 32], mean):
                self.assertAlmostEqual(found, wanted, places=6)
        report = self.json_of("run", "--model", "vectors", "ab")
        self.assertEqual(report["texts"][0]["vector"], list(values[:32]))
        screen = self.run_tool("run", "--model", "vectors", "ab", "cd")
        self.assertIn("2 vectors of width 32: the mean of the encoder's rows of a text", screen)
        self.assertIn("1.000  0.750", screen)  # 6 / 8: <bos>, <eos> and four positions of it
        self.run_tool("run", "--model", "vectors", "ab", "--out", "x.safetensors")
        self.assertEqual(read_safetensors(self.folder / "x.safetensors")["vectors"][1], [1, 32])

    def title_of(self, *arguments, model="text"):
        self.run_tool("run", "--model", model, *arguments, "--plot", "p.svg")
        return xml.etree.ElementTree.fromstring((self.folder / "p.svg").read_bytes()).find(SVG + "title").text

    def test_the_picture_says_what_it_shows(self):
        title = self.title_of("abc")
        for words in ("What 'text' reads, with positions", "mean of 2 heads: 4 rows (token made), 5 columns (token of the source)",
                      "head 0: 4 rows", "head 1: 4 rows", "it sums to 1", "Colours from 0 (white) to 1 (brown)"):
            self.assertIn(words, title)
        title = self.title_of("abc", "--head", "1")
        self.assertNotIn("mean", title)
        self.assertNotIn("head 0", title)
        self.assertIn("to 0.2 (brown)", title)  # of five tokens alike
        self.assertIn("to 0.6 (brown)", self.title_of("abc", "--head", "mean"))
        self.assertIn("last layer's self attention", self.title_of("abc", model="vectors"))
        self.run_tool(*TEXT, "a", "--plot", "p.png")
        self.assertEqual((self.folder / "p.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_what_is_wrong_is_refused(self):
        for name, descr, shape in (("f", "<f4", [8, 2]), ("f8", "<f8", [8, 2]), ("flat", "<f4", [8]), ("hollow", "<f4", [8, 0]),
                                   ("seven", "<f4", [7, 2]), ("long", "<f4", [8, 17])):
            write_npy(self.folder / f"{name}.npy", descr, shape, [0.0] * math.prod(shape))
        write_npy(self.folder / "nan.npy", "<f4", [8, 2], [0.0] * 3 + [math.nan] + [0.0] * 12)
        (self.folder / "bad.txt").write_text("a\nb\naяb\n")
        (self.folder / "gap.txt").write_text("a\n\nb\n")
        (self.folder / "line.txt").write_text("\n")
        (self.folder / "latin.txt").write_bytes("a\u00e9".encode("latin1"))
        (self.folder / "empty.txt").write_bytes(b"")
        (self.folder / "nothing").mkdir()
        (self.folder / "hugging").mkdir()
        (self.folder / "hugging/config.json").write_text("{}")
        for name, change in (("bare", None), ("lacking", lambda all: all.pop("cross.key")),
                             ("narrow", lambda all: all.update({"cross.key": tiny_model.matrix(32, 16)}))):
            tiny_model.write(self.folder / name)
            path = self.folder / name / "model.safetensors"
            path.unlink()
            if change:
                tensors = tiny_model.tensors(False)
                change(tensors)
                write_safetensors(path, tensors)
        self.write_spoilt_models()
        for name, arguments, words in ROWS:
            with self.subTest(name):
                self.assert_refused(arguments, words)

    def write_spoilt_models(self):
        longer = {"per_token": 2**62, "plus": 2}
        write = lambda name, **options: tiny_model.write(self.folder / name, **options)
        write("mute", change=lambda stated, stored: stated.update(decoding=None))
        write("talkative", vocabulary=[*tiny_model.TOKENS, "e"])
        write("terse", change=self.shorten)
        write("early", change=lambda stated, stored: stated["source"].update(positions={"table": "positions", "origin": -1}))
        write("endless", change=lambda stated, stored: stated["decoding"].update(longest=longer))
        write("wide", features=True, change=lambda stated, stored: stored.update(convolution=("F32", [32, 8, 3], [0.0] * 768)))
        nan_of_a = tiny_model.with_number("rows", 3 * tiny_model.WIDTH, math.nan)
        write("nan", change=nan_of_a)
        write("nan_vectors", decoder=False, change=nan_of_a)
        write("nan_logits", change=tiny_model.with_number("output", 4 * tiny_model.WIDTH, math.nan))

    def shorten(self, stated, stored):
        """The target's vocabulary ends before b."""
        (self.folder / "terse/short.txt").write_text("".join(token + "\n" for token in tiny_model.TOKENS[:4]))
        stated["text"]["target"] = {**stated["text"]["target"], "file": "short.txt"}

    def test_rows_without_a_token_do_no_harm_until_they_are_made(self):
        tiny_model.write(self.folder / "terse", change=self.shorten)
        self.assertEqual(self.run_tool("run", "--model", "terse", "aa"), "aa\n")

    def test_names_are_unique(self):
        self.assertEqual(len({name for name, _, _ in ROWS}), len(ROWS))

    def test_the_help_has_an_example(self):
        words = self.run_tool("run", "--help")
        self.assertIn("Usage: posenc run [TEXT...] [OPTIONS]\n", words)
        self.assertIn("TEXT... are texts; the lines of --file are texts as well.\nExample: posenc run --model ", words)


if __name__ == "__main__":
    tool_case.main()
