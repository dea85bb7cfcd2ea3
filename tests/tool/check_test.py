# SPDX-License-Identifier: Apache-2.0
# posenc check: exit 0 of what is right, 1 with the cure of what is not, 2 of a question that cannot be asked.

import json
import subprocess

import tool_case
from tool_case import ToolCase


class Check(ToolCase):
    def table(self, name, preset, positions):
        self.run_tool("table", "--preset", preset, "--dim", "64", "--positions", positions, "--out", name)

    def check(self, *words):
        return subprocess.run([tool_case.TOOL, "check", *words], cwd=self.folder, capture_output=True, text=True)

    def test_right_is_0_and_wrong_is_1_with_its_cure(self):
        self.table("pe.npy", "transformer", "0:128")
        self.table("late.npy", "transformer", "1:129")
        right = self.check("pe.npy", "--against", "transformer")
        self.assertEqual((right.returncode, right.stdout.splitlines()[0], right.stderr), (0, "right", ""))
        late = self.check("late.npy", "--against", "transformer")
        self.assertEqual((late.returncode, late.stderr), (1, ""))
        self.assertIn("row p holds position p + 1", late.stdout)
        self.assertEqual(self.check("late.npy", "--against", "transformer", "--positions", "1:129").returncode, 0)

    def test_a_file_is_identified_first(self):
        self.table("pe.npy", "transformer", "0:128")
        self.table("other.npy", "whisper", "0:128")
        self.assertEqual(self.check("pe.npy", "--against", "pe.npy").returncode, 0)
        self.assertEqual(self.check("pe.npy", "--against", "other.npy").returncode, 1)

    def test_rows_are_asked_for_where_the_file_has_them(self):
        self.table("pe.npy", "transformer", "0:128")
        self.table("late.npy", "transformer", "1:129")
        self.table("slow.npy", "transformer", "0:32:0.25")
        for name in ("late.npy", "slow.npy"):
            self.assertEqual(self.check(name, "--against", name).returncode, 0, name)
            other = self.check("pe.npy", "--against", name)
            self.assertEqual(other.returncode, 1, other.stdout)
            self.assertIn("its rows are at positions from", other.stderr)
        self.assertIn("positions begin at 0, not at 1", self.check("pe.npy", "--against", "late.npy").stdout)

    def test_json_says_the_same(self):
        self.table("pe.npy", "transformer", "0:128")
        wrong = self.check("pe.npy", "--against", "whisper", "--json")
        said = json.loads(wrong.stdout)
        self.assertEqual((wrong.returncode, said["right"], said["against"]), (1, False, "whisper"))
        self.assertIn("ladder leaves out its end point (2k / d), k / (n - 1) asked", said["findings"])
        self.assertEqual((said["entries"], said["first"], said["explained"]), (128 * 64, [0, 1], 1))
        self.assertGreater(said["wrong"], 7000)
        self.assertEqual((said["found"]["form"], said["found"]["storage"]), ("table", "f32"))
        right = json.loads(self.check("pe.npy", "--against", "transformer", "--json").stdout)
        self.assertEqual((right["right"], right["wrong"], right["first"], right["findings"]), (True, 0, [], []))

    def test_biases_and_classes_are_held_entry_by_entry(self):
        places = ["--queries", "0:20", "--keys", "0:20"]
        self.run_tool("bias", "--preset", "alibi", "--heads", "8", *places, "--out", "bias.npy")
        self.run_tool("bias", "--preset", "t5-bucket", *places, "--out", "classes.npy")
        self.assertEqual(self.check("bias.npy", "--against", "alibi").returncode, 0)
        self.assertEqual(self.check("classes.npy", "--against", "t5-bucket").returncode, 0)
        wrong = self.check("classes.npy", "--against", "deberta-bucket")
        self.assertEqual(wrong.returncode, 1)
        self.assertIn("classes is log", wrong.stdout)

    def test_the_cells_of_a_preset_are_numbered_as_its_original_numbers_them(self):
        grid = ["--dim", "64", "--height", "5", "--width", "7"]
        self.run_tool("grid", "--preset", "detr-sine", *grid, "--out", "detr.npy")
        self.assertEqual(self.check("detr.npy", "--against", "detr-sine").returncode, 0)
        other = self.check("detr.npy", "--against", "deformable-detr-sine")
        self.assertEqual(other.returncode, 1)
        self.assertIn("places are numbered as those of", other.stdout)

    def test_what_cannot_be_asked_is_one_line_and_2(self):
        self.table("pe.npy", "transformer", "0:128")
        (self.folder / "bad.json").write_text("{")
        for words in (
            ["pe.npy"],
            ["--against", "transformer"],
            ["pe.npy", "--against", "nosuch"],
            ["pe.npy", "--against", "bad.json"],
            ["pe.npy", "--against", "none.npy"],
            ["none.npy", "--against", "transformer"],
            ["pe.npy", "--against", "t5-bucket"],
            ["pe.npy", "--against", "transformer", "--dim", "0"],
            ["pe.npy", "--against", "transformer", "--positions", "0:4"],
        ):
            with self.subTest(words):
                refused = self.check(*words)
                self.assertEqual((refused.returncode, refused.stdout), (2, ""))
                self.assertEqual(refused.stderr.count("\n"), 1, refused.stderr)


if __name__ == "__main__":
    tool_case.main()
