# SPDX-License-Identifier: Apache-2.0
# posenc compare: presets, specs, configurations and files beside each other; exit 2 of what cannot be compared.

import json
import math
import subprocess

import tool_case
from tool_case import ToolCase


class Compare(ToolCase):
    def compare(self, *words):
        return subprocess.run([tool_case.TOOL, "compare", *words], cwd=self.folder, capture_output=True, text=True)

    def tool_says(self, *words):
        return subprocess.run([tool_case.TOOL, *words], capture_output=True, text=True, check=True).stdout

    def said(self, *words):
        answer = self.compare(*words, "--json")
        self.assertEqual((answer.returncode, answer.stderr), (0, ""))
        return json.loads(answer.stdout)

    def test_two_presets(self):
        said = self.said("whisper", "mae-1d", "--dim", "512")
        self.assertEqual((said["equal"], said["entries"], said["axes"]), (False, 512 * 512, ["position", "column"]))
        self.assertEqual(said["differences"][0], "ladders.0.spacing.over: pairs, not width")
        self.assertAlmostEqual(abs(said["largest"]["a"] - said["largest"]["b"]), 0.7124, places=4)
        self.assertEqual(said["first_f32"]["at"], [1, 1])
        text = self.compare("whisper", "mae-1d", "--dim", "512").stdout
        self.assertIn("first f32   position 1, column 1", text)
        self.assertIn("PE(p).PE(q) changes by up to", text)

    def test_equal_numbers_under_two_names(self):
        self.assertTrue(self.said("transformer", "pytorch", "--positions", "0:9")["equal"])

    def test_biases_whose_scale_depends_on_the_width_of_a_head(self):
        for words, root in (((), 8), (("--head-dim", "64"), 8), (("--head-dim", "256"), 16)):
            said = self.said("bloom-alibi", "falcon-alibi", "--positions", "0:9", *words)
            self.assertEqual((said["equal"], said["dim"], said["numbers"]), (False, 8, "biases"))
            self.assertEqual(said["largest"]["a"], said["largest"]["b"] * root)
        self.assertTrue(self.said("falcon-alibi", "falcon-alibi", "--head-dim", "80")["equal"])
        for width in ("0", "x", "1073741825"):
            refused = self.compare("alibi", "falcon-alibi", "--head-dim", width)
            self.assertEqual(refused.returncode, 2)
            self.assertIn("--head-dim must be", refused.stderr)

    def test_presets_that_number_places_differently_are_not_the_same(self):
        line = "places: first 1, divisor last, eps 1e-06, gain 6.283185307179586, shift 0, rounding none, not first 0.5, divisor count"
        said = self.said("detr-sine", "deformable-detr-sine")
        self.assertFalse(said["equal"])
        self.assertTrue(said["differences"][-1].startswith(line), said["differences"])
        self.assertEqual((said["axes"], said["entries"]), (["y place", "x place", "column"], 22 * 22 * 512))
        y, x, column = (int(number) for number in said["largest"]["at"])
        coordinates = lambda i: ((i + 1) / (22 + 1e-6) * math.tau, (i + 0.5) / (22 + 1e-6) * math.tau)  # of 22 places
        frequency = 10000 ** -(column % 256 // 2 / 128)
        wave = math.cos if column % 2 else math.sin
        ours, theirs = (wave(of * frequency) for of in coordinates(y if column < 256 else x))
        self.assertAlmostEqual(said["largest"]["a"], ours, places=12)
        self.assertAlmostEqual(said["largest"]["b"], theirs, places=12)
        self.assertGreater(abs(ours - theirs), 0.13)
        self.assertEqual(said["first_bf16"]["at"][:2], [0, 0])
        self.assertEqual(said["score"]["largest"], 0)  # all places lie half a step further on, and distances are the same
        text = self.compare("detr-sine", "deformable-detr-sine").stdout
        self.assertTrue(text.startswith("different\n"), text)
        self.assertIn(", at y place ", text)
        at_numbers = self.said("detr-sine", "deformable-detr-sine", "--positions", "0:5")  # coordinates of both
        self.assertEqual((at_numbers["equal"], at_numbers["first"], at_numbers["axes"][0]), (False, None, "y"))
        self.assertTrue(self.said("detr-sine", "mask2former")["equal"])
        listed = json.loads(self.tool_says("presets", "detr-sine", "--json"))  # a spec does not say how places are numbered
        (self.folder / "spec.json").write_text(json.dumps(listed["presets"][0]["convention"]))
        self.assertTrue(self.said("detr-sine", "spec.json")["equal"])
        self.assertGreater(self.said("mae-2d", "detr-sine")["score"]["largest"], 1)

    def test_a_spec_a_configuration_and_a_file(self):
        listed = json.loads(self.tool_says("presets", "whisper", "--json"))
        (self.folder / "spec.json").write_text(json.dumps(listed["presets"][0]["convention"]))
        self.run_tool("table", "--preset", "whisper", "--dim", "64", "--positions", "0:64", "--out", "pe.npy")
        self.assertTrue(self.said("whisper", "spec.json")["equal"])
        said = self.said("pe.npy", "whisper")
        self.assertEqual((said["equal"], said["dim"]), (True, 64))
        (self.folder / "config.json").write_text(
            json.dumps({"model_type": "llama", "hidden_size": 256, "num_attention_heads": 4, "rope_theta": 10000.0,
                        "max_position_embeddings": 2048, "num_hidden_layers": 2})
        )
        said = self.said("config.json", "rope-pair")
        self.assertEqual((said["dim"], said["differences"][0]), (64, "pairing: split_half, not adjacent"))
        self.assertIsNone(said["first"])

    def test_a_file_that_may_be_several_conventions_says_so(self):
        # At position 0 all ladders are one.
        self.run_tool("table", "--preset", "transformer", "--dim", "64", "--positions", "0:1", "--out", "zero.npy")
        answer = self.compare("zero.npy", "transformer")
        if answer.returncode == 0:
            self.assertIn("its entries do not tell apart", answer.stderr)
        else:
            self.assertEqual((answer.returncode, answer.stderr.count("\n")), (2, 1))

    def test_a_file_whose_rows_stand_elsewhere_says_so(self):
        self.run_tool("table", "--preset", "transformer", "--dim", "64", "--positions", "1:65", "--out", "late.npy")
        answer = self.compare("late.npy", "transformer")
        self.assertIn("'late.npy': its rows are at positions from 1 in steps of 1", answer.stderr)

    def test_what_cannot_be_compared_is_one_line_and_2(self):
        self.run_tool("table", "--preset", "transformer", "--dim", "64", "--positions", "0:64", "--out", "pe.npy")
        (self.folder / "bad.json").write_text("{")
        for words in (
            [],
            ["transformer"],
            ["transformer", "whisper", "mae-1d"],
            ["transformer", "nosuch"],
            ["bad.json", "transformer"],
            ["transformer", "none.npy"],
            ["transformer", "pe.npy:x"],
            ["transformer", "whisper", "--dim", "0"],
            ["transformer", "whisper", "--dim", "7"],
            ["transformer", "whisper", "--positions", "3:3"],
            ["transformer", "whisper", "--positions", "0:4294967296"],
            ["t5-bucket", "t5-bucket", "--positions", "0.5"],
        ):
            with self.subTest(words):
                refused = self.compare(*words)
                self.assertEqual((refused.returncode, refused.stdout), (2, ""), refused.stderr)
                self.assertEqual(refused.stderr.count("\n"), 1, refused.stderr)


if __name__ == "__main__":
    tool_case.main()
