# SPDX-License-Identifier: Apache-2.0
# posenc order: attention over the built-in rows and over a model, against plain loops and a model known by heart.

import math
import re
import shlex
import xml.etree.ElementTree

import tiny_model
import tool_case
from tool_case import ToolCase
from whisper_rows import Rows

SVG = "{http://www.w3.org/2000/svg}"
WO, AI, NI = "我", "爱", "你"
A, B = WO + AI + NI, NI + AI + WO

SCREEN = """\
What attention sees of two texts: the built-in rows, preset transformer, width 512

  A  '我爱你'    3 tokens: '我' '爱' '你'
  B  '你爱我'    3 tokens: '你' '爱' '我'
  B is A's tokens in another order.

Self attention with one head and no trained projections: an output row is the mean of the text's own rows x,
weighted by softmax(x . x' / √512). The rows are tokens x √512, without or with the position signal.

How far the output row of a token in A is from its output row in B (largest element: 2.5)

"""
LAST = """
Without positions both texts give the same output rows in another order, up to the rounding of the sums: attention
sees a bag of words. With positions the rows differ: they say where a token stands.
"""

# (name, arguments, words of the message)
ROWS = [
    ("no text", ["order"], "there must be two texts, to compare them, got none"),
    ("one text", ["order", "我爱你"], "there must be two texts, to compare them, got one: '我爱你'"),
    ("three texts", ["order", "a", "b", "c"], "there must be two texts, to compare them, got 3"),
    ("empty text", ["order", "a", ""], "a text must not be empty, got text 2"),
    ("empty line", ["order", "--file", "gap.txt"], "a text must not be empty, got line 2 of 'gap.txt'"),
    ("the same text", ["order", "ab", "ab"], "the two texts must differ, got 'ab' twice"),
    ("nothing in common", ["order", "x", "y"], "the two texts must have a token in common, to compare its rows, got none"),
    ("too long", ["order", "a", "a b" * 5000], "a text must have at most 4096 tokens"),
    ("picture of an unknown kind", ["order", A, B, "--plot", "p.gif"], "must end in .png or .svg"),
    ("picture over a text", ["order", "--file", "gap.svg", "--plot", "gap.svg"], "--plot and --file must be two files"),
    ("unknown to the model", ["order", "--model", "text", "ab", "bя"], "got 'я' in column 2 of text 2"),
    ("a model of features", ["order", "--model", "sound", "ab", "ba"], "the model must read text, as its model.json says, got 'sound'"),
    ("the same tokens", ["order", "--model", "numbers", "3 4", "3, 4"], "the two texts must be other tokens, or in another order, got the same"),
    ("rows that are no numbers", ["order", "--model", "nan", "ab", "ba"], "the encoder's rows must be finite, got nan in row 0 of text 1, by the model 'nan'"),
    ("logits that are no numbers", ["order", "--model", "nan_logits", "ab", "ba"], "the logits must be finite, got nan for token 4 after 0 tokens of text 1"),
    ("a decoder that decodes nothing", ["order", "--model", "mute", "ab", "ba"], "/decoder alone in 'mute'"),
    ("no model", ["order", "--model", "none", "ab", "ba"], "--model must be a folder with model.json and model.safetensors, got 'none'"),
]


def attend(rows):
    """softmax(x . x' / sqrt 512) x', row by row."""
    out = []
    for row in rows:
        scores = [math.fsum(a * b for a, b in zip(row, other)) / math.sqrt(512) for other in rows]
        weights = [math.exp(score - max(scores)) for score in scores]
        out.append([math.fsum(w * other[c] for w, other in zip(weights, rows)) / sum(weights) for c in range(512)])
    return out


def signal(position):
    angles = [position / 10000 ** (2 * k / 512) for k in range(256)]
    return [value for angle in angles for value in (math.sin(angle), math.cos(angle))]


class Order(ToolCase):
    def test_the_screen_tells_what_attention_sees(self):
        screen = self.run_tool("order", A, B)
        self.assertTrue(screen.startswith(SCREEN), screen)
        self.assertTrue(screen.endswith(LAST), screen)
        table = screen[len(SCREEN) : -len(LAST)].splitlines()
        self.assertEqual(table[0].split("  ")[1], "token")
        self.assertEqual([line.split()[:3] for line in table[1:4]], [["'我'", "0", "2"], ["'爱'", "1", "1"], ["'你'", "2", "0"]])
        self.assertRegex(table[4], r"^  largest +\S+ +0\.056  \S+ times$")

    def test_the_example_of_the_help_shows_a_visible_difference(self):
        example = re.search(r"^Example: (.*)", self.run_tool("order", "--help"), re.MULTILINE)[1]
        words = shlex.split(example)[1:]
        self.run_tool(*words)
        report = self.json_of(*words[: words.index("--plot")])
        self.assertTrue(report["permuted"])
        self.assertGreater(report["with"], report["largest_element"] / 2)

    def test_the_page_shows_the_screen(self):
        page = (tool_case.SOURCE / "docs/order.md").read_text()
        self.assertIn(SCREEN, page)
        self.assertIn(LAST, page)

    def test_the_numbers_are_those_of_plain_loops(self):
        report = self.json_of("order", A, B)
        rows = Rows()
        ids = [rows.tokens.index(word.encode()) for word in (WO, AI, NI)]
        self.assertEqual([text["ids"] for text in report["texts"]], [ids, ids[::-1]])
        self.assertTrue(report["permuted"])
        bare = [[value * math.sqrt(512) for value in rows.row(token)] for token in ids]
        placed = lambda order: attend([[v + w for v, w in zip(bare[token], signal(p))] for p, token in enumerate(order)])
        a, b = placed((0, 1, 2)), placed((2, 1, 0))
        for k, shared in enumerate(report["shared"]):
            self.assertEqual((shared["id"], shared["places"]), (ids[k], [[k], [2 - k]]))
            wanted = max(abs(v - w) for v, w in zip(a[k], b[2 - k]))
            self.assertAlmostEqual(shared["with"], wanted, delta=2e-5)
            self.assertLess(shared["without"], 4e-6)
        self.assertEqual(report["with"], max(shared["with"] for shared in report["shared"]))
        self.assertAlmostEqual(report["largest_element"], max(abs(v) for row in attend(bare) for v in row), delta=1e-5)
        self.assertGreater(report["with"] / max(report["without"], 1e-7), 10000)

    def test_a_token_may_be_there_more_than_once(self):
        report = self.json_of("order", "b a b c", "b c b a")
        self.assertTrue(report["permuted"])
        places = {shared["token"]: shared["places"] for shared in report["shared"]}
        self.assertEqual(places, {"b": [[0], [0]], "␣a": [[1], [3]], "␣b": [[2], [2]], "␣c": [[3], [1]]})
        self.assertLess(report["without"], 4e-6)
        self.assertGreater(report["with"], 0.01)

    def test_texts_of_other_tokens_say_what_is_compared(self):
        screen = self.run_tool("order", A, "你爱你")
        for words in ("B is not A's tokens in another order: A has more of '我'; B has more of '你'.",
                      "Only the tokens that both have are compared.",
                      "Without positions the rows differ only because other tokens are in the text"):
            self.assertIn(words, screen)
        report = self.json_of("order", A, "你爱你")
        self.assertFalse(report["permuted"])
        self.assertEqual([shared["token"] for shared in report["shared"]], [AI, NI])
        self.assertGreater(report["without"], 0.01)

    def test_lines_of_a_file_are_texts(self):
        (self.folder / "pair.txt").write_text(f"{A}\n{B}\n")
        self.assertEqual(self.run_tool("order", "--file", "pair.txt"), self.run_tool("order", A, B))
        self.assertEqual(self.run_tool("order", A, "--file", "-", input=f"{B}\r\n".encode(), stdin=None),
                         self.run_tool("order", A, B))

    def test_a_long_text_is_told_in_part_and_drawn_in_part(self):
        words = [f"{n}" for n in range(200)]
        texts = " ".join(words), " ".join(words[::-1])
        self.assertRegex(self.run_tool("order", *texts), r"\.\.\. \d+ more tokens\n")
        self.run_tool("order", *texts, "--plot", "p.svg")
        title = xml.etree.ElementTree.fromstring((self.folder / "p.svg").read_bytes()).find(SVG + "title").text
        self.assertIn(", the largest of 2 tokens)", title)

    def test_the_colours_of_a_picture_end_at_a_round_number(self):
        self.run_tool("order", A, B, "--plot", "p.svg")
        title = xml.etree.ElementTree.fromstring((self.folder / "p.svg").read_bytes()).find(SVG + "title").text
        end = re.search(r"Colours from 0 \(white\) to (\S+) \(brown\)", title)[1]
        self.assertAlmostEqual(20 * float(end) % 1, 0, msg=end)  # ticks are 0.05, 0.1 or 0.2 apart

    def test_the_picture_shows_four_maps(self):
        self.run_tool("order", A, B, "--plot", "p.svg")
        self.run_tool("order", "一", "一一", "--plot", "one.png")
        root = xml.etree.ElementTree.fromstring((self.folder / "p.svg").read_bytes())
        title = root.find(SVG + "title").text
        for words in ("A '我爱你', B '你爱我'", "A without positions: 3 rows (token that reads), 3 columns (token that is read)",
                      "B without positions: 0 of 9 differ", "A with positions", "B with positions: 8 of 9 differ", "it sums to 1",
                      "B's tokens stand in A's order"):
            self.assertIn(words, title)
        self.assertEqual((self.folder / "one.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def titles(self, *texts):
        """What the maps of the second text say of the first one's, without positions and with them."""
        self.run_tool("order", *texts, "--plot", "p.svg")
        title = xml.etree.ElementTree.fromstring((self.folder / "p.svg").read_bytes()).find(SVG + "title").text
        return re.findall(r"B (?:without|with) positions(?:: (\d+) of (\d+) differ)?", title)

    def test_the_picture_counts_the_weights_that_differ(self):
        self.assertEqual(self.titles("the dog bit the man", "the man bit the dog")[0], ("0", "49"))
        self.assertEqual(self.titles("b a b c", "b c b a")[0], ("0", "16"))  # a token may be there twice
        without, with_positions = self.titles(A, "你爱你")  # two tokens are shared, which other ones stand beside
        self.assertEqual((without[1], with_positions[1]), ("4", "4"))
        self.assertGreater(int(without[0]), 0)
        words = [f"{n}" for n in range(200)]
        without, with_positions = self.titles(" ".join(["x", *words]), " ".join(["x", *words[::-1]]))
        self.assertEqual(without[0], "0")  # cells of two tokens, in one order in both
        self.assertGreater(int(with_positions[0]), 100)

    def test_the_picture_outlines_the_weights_that_differ(self):
        self.run_tool("order", "the dog bit the man", "the man bit the dog", "--plot", "p.svg")
        picture = (self.folder / "p.svg").read_text()
        title = xml.etree.ElementTree.fromstring(picture).find(SVG + "title").text
        counted = int(re.search(r"B with positions: (\d+) of 49 differ", title)[1])
        self.assertGreater(counted, 20)
        outlines = [path for path in re.findall(r"<path [^>]*>", picture) if "stroke-width:2;" in path]
        self.assertEqual(len(outlines), counted)

    def models(self):
        tiny_model.write(self.folder / "text")
        tiny_model.write(self.folder / "sound", features=True)
        tiny_model.write(self.folder / "vectors", decoder=False)

    def test_a_model_is_read_with_its_positions_and_without(self):
        # Rows of the encoder are token and position, one hot: equal without positions, 1 apart with them where the
        # place differs. The model copies; without positions it repeats what is there most often.
        self.models()
        report = self.json_of("order", "--model", "text", "aab", "aba")
        self.assertEqual([text["tokens"] for text in report["texts"]],
                         [["<bos>", "a", "a", "b", "<eos>"], ["<bos>", "a", "b", "a", "<eos>"]])
        self.assertEqual({shared["token"]: (shared["without"], shared["with"]) for shared in report["shared"]},
                         {"<bos>": (0, 0), "a": (0, 1), "b": (0, 1), "<eos>": (0, 0)})
        self.assertIsNone(report["factor"])
        self.assertEqual({kind: [text["text"] for text in report["outputs"][kind]] for kind in ("without", "with")},
                         {"without": ["aaaaaaa", "aaaaaaa"], "with": ["aab", "aba"]})
        screen = self.run_tool("order", "--model", "text", "aab", "aba", "--plot", "p.png")
        self.assertIn("  without positions  A  aaaaaaa\n                     B  aaaaaaa   (the same)\n"
                      "  with positions     A  aab\n                     B  aba\n", screen)
        self.assertIn("the model 'text', 1 encoder layer of 2 heads, width 32", screen)
        self.assertIsNone(self.json_of("order", "--model", "vectors", "ab", "ba")["outputs"])

    def test_a_model_without_positions_does_not_tell_the_texts_apart(self):
        def change(stated, stored):
            stated["source"].update(positions="none")
        tiny_model.write(self.folder / "bag", decoder=False, change=change)
        report = self.json_of("order", "--model", "bag", "ab", "ba")
        self.assertEqual((report["without"], report["with"]), (0, 0))
        screen = self.run_tool("order", "--model", "bag", "ab", "ba")
        self.assertIn("sees a bag of words. With positions the rows differ no more: they do not tell these texts apart.\n", screen)
        self.assertRegex(screen, r"\n  largest +0 +0  the same\n")
        others = self.run_tool("order", "--model", "bag", "ab", "abc")  # its encoder reads no other token
        self.assertIn("Without positions the rows of the shared tokens are the same", others)

    def test_what_is_wrong_is_refused(self):
        self.models()
        write = lambda name, change: tiny_model.write(self.folder / name, change=change)
        write("mute", lambda stated, stored: stated.update(decoding=None))
        write("nan", tiny_model.with_number("rows", 3 * tiny_model.WIDTH, math.nan))
        write("nan_logits", tiny_model.with_number("output", 4 * tiny_model.WIDTH, math.nan))
        write("numbers", lambda stated, stored: stated["text"].update(
            source={**stated["text"]["source"], "tokenizer": "ids", "file": None}))
        (self.folder / "gap.txt").write_text("a\n\n")
        (self.folder / "gap.svg").write_text("a\nb\n")
        for name, arguments, words in ROWS:
            with self.subTest(name):
                self.assert_refused(arguments, words)

    def test_the_help_has_an_example(self):
        self.assertIn("Usage: posenc order [TEXT TEXT] [OPTIONS]\n", self.run_tool("order", "--help"))
        self.assertIn("Example: posenc order 'the dog bit the man' 'the man bit the dog' --plot order.svg", self.run_tool("order", "--help"))


if __name__ == "__main__":
    tool_case.main()
