# SPDX-License-Identifier: Apache-2.0
# posenc encode: out = RN(RN(row x s) + RN(signal)), from rows and sines got without it.

import math

import tool_case
from tool_case import ToolCase, f32
from whisper_rows import Rows

WO, AI, NI = "我", "爱", "你"


def signal(position):
    row = []
    for k in range(256):
        angle = position / 10000 ** (2 * k / 512)
        row += [f32(math.sin(angle)), f32(math.cos(angle))]
    return row


def summed(row, factor, position):
    # Products of two f32 are exact in a double, and a sum rounded to double and then to f32 is rounded right.
    return [f32(f32(value * factor) + wave) for value, wave in zip(row, signal(position))]


class Encode(ToolCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = Rows()
        cls.ids = [cls.rows.tokens.index(word.encode()) for word in (WO, AI, NI)]

    def rows_of(self, name):
        shape, values = self.npy(name)[1:]
        return shape, [list(values[at : at + 512]) for at in range(0, len(values), 512)]

    def test_one_text_is_one_sequence_to_the_bit(self):
        self.run_tool("encode", "--text", WO + AI + NI, "--out", "x.npy")
        shape, rows = self.rows_of("x.npy")
        self.assertEqual(shape, (1, 3, 512))
        factor = f32(math.sqrt(512))
        for t, token in enumerate(self.ids):
            self.assertEqual(rows[t], summed(self.rows.row(token), factor, t), t)

    def test_scale_start_and_preset(self):
        self.run_tool("encode", "--text", NI, "--scale", "none", "--start", "41", "--out", "x.npy")
        self.assertEqual(self.rows_of("x.npy")[1][0], summed(self.rows.row(self.ids[2]), 1.0, 41))
        self.run_tool("encode", "--text", NI, "--scale", "-2.5", "--out", "x.npy")
        self.assertEqual(self.rows_of("x.npy")[1][0], summed(self.rows.row(self.ids[2]), -2.5, 0))
        self.run_tool("encode", "--text", NI, "--preset", "pytorch", "--start", "7", "--out", "x.npy")
        self.assertEqual(self.rows_of("x.npy")[1][0], summed(self.rows.row(self.ids[2]), 1.0, 7))

    def test_a_batch_and_both_orders_of_axes(self):
        texts = ("--text", WO + AI + NI, "--text", NI + AI + WO)
        self.run_tool("encode", *texts, "--out", "x.npy")
        self.run_tool("encode", *texts, "--axes", "sequence-first", "--out", "y.npy")
        shape, rows = self.rows_of("x.npy")
        self.assertEqual(shape, (2, 3, 512))
        turned_shape, turned = self.rows_of("y.npy")
        self.assertEqual(turned_shape, (3, 2, 512))
        self.assertEqual(turned, [rows[b * 3 + t] for t in range(3) for b in range(2)])
        self.run_tool("encode", *texts, "--preset", "opennmt", "--out", "z.npy")
        self.assertEqual(self.npy("z.npy"), self.npy("y.npy"))

    def test_dropout_zeroes_or_scales_and_repeats(self):
        text = ("encode", "--text", AI * 40)
        self.run_tool(*text, "--out", "x.npy")
        self.run_tool(*text, "--dropout", "0.25", "--seed", "7", "--out", "y.npy")
        self.run_tool(*text, "--dropout", "0.25", "--seed", "7", "--out", "z.npy")
        self.run_tool(*text, "--dropout", "0.25", "--seed", "8", "--out", "other.npy")
        self.assertEqual(self.npy("y.npy"), self.npy("z.npy"))
        self.assertNotEqual(self.npy("y.npy"), self.npy("other.npy"))
        keep = f32(65536 / (65536 - 16384))
        plain, dropped = self.npy("x.npy")[2], self.npy("y.npy")[2]
        zeros = 0
        for before, after in zip(plain, dropped):
            if after == 0:
                zeros += 1
            else:
                self.assertEqual(after, f32(before * keep))
        # 20480 elements: five standard deviations are 310.
        self.assertLess(abs(zeros - 5120), 310)

    def test_pieces_at_an_offset_are_pieces_of_the_whole(self):
        for more in ((), ("--dropout", "0.1", "--seed", "3")):
            self.run_tool("encode", "--text", AI * 9, *more, "--out", "x.npy")
            self.run_tool("encode", "--text", AI * 4, "--start", "5", *more, "--out", "y.npy")
            self.assertEqual(self.rows_of("x.npy")[1][5:], self.rows_of("y.npy")[1])

    def test_files_and_standard_input_are_texts(self):
        (self.folder / "a.txt").write_text(WO + AI)
        (self.folder / "-odd").write_text(AI + NI)
        report = self.json_of("encode", "a.txt", "-", input=(NI + WO).encode(), stdin=None)
        self.assertEqual([text["source"] for text in report["texts"]], ["a.txt", "-"])
        self.assertEqual([text["ids"] for text in report["texts"]],
                         [[self.ids[0], self.ids[1]], [self.ids[2], self.ids[0]]])
        done = self.run_tool("encode", "--json", "--", "-odd")
        self.assertEqual(tool_case.json.loads(done)["texts"][0]["ids"], self.ids[1:])

    def test_the_report_has_stable_keys_and_original_ids(self):
        report = self.json_of("encode", "--text", "I love you", "--out", "x.npy")
        self.assertEqual(list(report), ["operation", "preset", "recipe", "tokens", "weights", "dim", "dtype", "shape",
                                        "axes", "start", "scale", "dropout", "mean", "norms", "unknown", "lengths", "texts", "out",
                                        "plot", "save_vocab"])
        self.assertEqual(report["tokens"], {"kind": "bpe", "source": "built in", "size": 3072})
        text = report["texts"][0]
        self.assertEqual(text["original_ids"], [40, 959, 291])
        self.assertEqual(text["tokens"], ["I", " love", " you"])
        self.assertEqual([self.rows.original_ids[i] for i in text["ids"]], [40, 959, 291])

    def test_norms_and_mean(self):
        report = self.json_of("encode", "--text", WO + AI + NI, "--out", "x.npy")
        norm = lambda rows: sum(math.sqrt(math.fsum(v * v for v in row)) for row in rows) / len(rows)
        token_rows = [self.rows.row(token) for token in self.ids]
        self.assertAlmostEqual(report["norms"]["token"], norm(token_rows), places=9)
        self.assertAlmostEqual(report["norms"]["scaled"], norm(token_rows) * math.sqrt(512), places=4)
        self.assertAlmostEqual(report["norms"]["signal"], 16, places=6)
        rows = self.rows_of("x.npy")[1]
        self.assertAlmostEqual(report["norms"]["output"], norm(rows), places=9)
        self.assertAlmostEqual(report["mean"], sum(map(math.fsum, rows)) / 1536, places=9)

    def test_without_out_it_prints_a_summary(self):
        text = self.run_tool("encode", "--text", WO + AI + NI)
        for words in ("[1, 3, 512]", "mean", "position signal", "22.6274", "1654", "27324", f"'{WO}'"):
            self.assertIn(words, text)
        self.assertEqual(self.files(), {})

    def test_texts_that_look_like_something_else(self):
        for text in ("{}", "[a,b]", "--", "-x", "++", "\0", "%%", "a\nb"):
            arguments = ["--text", text] if "\0" not in text else ["-"]
            more = {"input": text.encode(), "stdin": None} if "\0" in text else {}
            report = self.json_of("encode", *arguments, **more)
            spelled = b"".join(self.rows.tokens[i] for i in report["texts"][0]["ids"])
            self.assertEqual(spelled, text.encode())

    def test_any_text_comes_back_from_its_ids(self):
        text = "naïve café 😀 ψ\u200d\u0301 第一千零三个字\t\r\n  end"
        (self.folder / "a.txt").write_bytes(text.encode())
        report = self.json_of("encode", "a.txt")
        self.assertEqual(b"".join(self.rows.tokens[i] for i in report["texts"][0]["ids"]), text.encode())


if __name__ == "__main__":
    tool_case.main()
