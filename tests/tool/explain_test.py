# SPDX-License-Identifier: Apache-2.0
# posenc explain: one entry step by step, as text and as JSON; what it refuses.

import decimal
import re
import struct

import tool_case
from tool_case import ToolCase

ENTRY = ["explain", "--preset", "transformer", "--dim", "512", "--position", "1000000", "--column", "37"]


class Explain(ToolCase):
    def test_the_digits_are_those_of_the_true_cosine(self):
        entry = self.json_of(*ENTRY)["entries"][0]
        _, cosine = tool_case.true_sine_and_cosine(1000000, 10000, (36, 512))
        with decimal.localcontext() as context:
            context.prec = 40
            self.assertEqual(decimal.Decimal(entry["exact"]["text"]), +cosine)
        self.assertEqual((entry["exact"]["digits"], entry["exact"]["exact"]), (40, False))
        self.assertEqual(entry["what"], "the cosine of frequency 18 of axis position")
        self.assertEqual(entry["angle"]["terms"][0]["formula"], "10^(-9/32)")

    def test_the_bits_are_the_tables(self):
        for recipe in ("exact", "f32-exp", "f64-to-f16"):
            told = self.json_of(*ENTRY, "--recipe", recipe)["entries"][0]
            found = told["rounded"] if recipe == "exact" else told["under_recipe"]
            for dtype, code in (("f32", "I"), ("f64", "Q"), ("f16", "H")):
                self.run_tool("table", "--preset", "transformer", "--dim", "512", "--positions", "1000000", "--recipe",
                              recipe, "--dtype", dtype, "--out", "row.npy")
                size = struct.calcsize(code)
                body = (self.folder / "row.npy").read_bytes()[-512 * size:]
                bits = struct.unpack(f"<512{code}", body)[37]
                self.assertEqual({each["dtype"]: each["bits"] for each in found}[dtype], f"0x{bits:0{2 * size}x}")

    def test_the_steps_stand_in_the_order_of_the_recipe(self):
        steps = self.json_of(*ENTRY, "--recipe", "f32-exp")["entries"][0]["steps"]
        names = [step["name"] for step in steps]
        self.assertEqual(names, ["logarithm", "rate", "rate", "exponent", "frequency", "position", "angle", "cosine"])
        self.assertIsNone(steps[-1]["angle"])
        self.assertGreater(abs(steps[-2]["angle"]), 0.01)

    def test_original_is_the_presets_own_recipe(self):
        call = ["explain", "--preset", "opennmt", "--dim", "64", "--position", "9", "--column", "3", "--recipe"]
        self.assertEqual(self.json_of(*call, "original"), self.json_of(*call, "f32-exp"))

    def test_a_rotation_has_its_pair(self):
        pair = self.json_of("explain", "--preset", "rope-half", "--dim", "64", "--column", "37", "--position", "0",
                            "--values", "3,-4")["pair"]
        self.assertEqual((pair["pair"], pair["read"], pair["before"], pair["after"]), (5, [5, 37], [3, -4], [3, -4]))

    def test_several_axes_are_named(self):
        told = self.run_tool("explain", "--preset", "mae-2d", "--dim", "64", "--column", "3", "--position", "x=3",
                             "--position", "y=4")
        self.assertIn("at x 3, y 4\nthe sine of frequency 3 of axis x", told)

    def test_biases_classes_factors_and_rows(self):
        self.assertIn("0.25", self.run_tool("explain", "--preset", "alibi", "--dim", "8", "--column", "1", "--position",
                                            "7", "--key", "3"))
        self.run_tool("explain", "--preset", "t5-bucket", "--position", "7", "--key", "3")
        self.run_tool("explain", "--preset", "llama4-temperature", "--position", "10000")
        self.assertIn("9", self.run_tool("explain", "--preset", "bart", "--position", "7"))

    def test_where_two_part(self):
        told = self.json_of(*ENTRY, "--against", "whisper")["against"]
        self.assertEqual((told["name"], told["parting"]["column"], told["parting"]["position"]), ("whisper", 1, 0))
        same = self.json_of(*ENTRY, "--against", "opennmt")["against"]
        self.assertIsNone(same["parting"])
        self.assertIn("the same real number in every column", self.run_tool(*ENTRY, "--against", "opennmt"))

    def test_what_it_refuses(self):
        for words, rule in ((ENTRY[:-2], "--column must be given"), (ENTRY[:3], "--position must be given"),
                            ([*ENTRY[:-1], "512"], "column must be 0 to 511"),
                            ([*ENTRY, "--values", "1,2"], "--values must come with a rotation"),
                            ([*ENTRY, "--key", "1"], "--key must come with slopes or buckets"),
                            ([*ENTRY, "--side", "left"], "--side must be query or key"),
                            ([*ENTRY, "--against", "rope-half"], "convention must be"),
                            ([*ENTRY, "--against", "nobody"], "nobody"),
                            ([*ENTRY, "--recipe", "f31"], "f31"),
                            (["explain", "--preset", "transformer", "--dim", "8", "--column", "0", "--position", "0:3"],
                             "--position must be one position"),
                            (["explain", "--preset", "alibi", "--dim", "8", "--column", "0", "--position", "1"],
                             "--key must be given"),
                            (["explain", "--preset", "swinv2-cpb", "--position", "1"], "one position")):
            self.assert_refused(words, rule)

    def test_the_page_shows_what_is_printed(self):
        page = (tool_case.SOURCE / "docs/referee.md").read_text()
        calls = re.findall(r"^    \$ posenc (explain .*)\n((?:    .*\n|\n)*)", page, re.M)
        self.assertTrue(calls)
        for call, shown in calls:
            printed = self.run_tool(*call.split())
            self.assertEqual([line.strip() for line in shown.splitlines() if line.strip()],
                             [line.strip() for line in printed.splitlines()])


if __name__ == "__main__":
    tool_case.main()
