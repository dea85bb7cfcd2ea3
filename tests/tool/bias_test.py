# SPDX-License-Identifier: Apache-2.0
# posenc bias: biases, classes, coordinates, factors and stored rows, printed and as files.
import math

import tool_case
from tool_case import ToolCase


class Bias(ToolCase):
    def test_classes_are_printed_as_integers(self):
        self.assertEqual(self.run_tool("bias", "--preset", "t5-bucket", "--queries", "8:10", "--keys", "0,8,9,16"),
                         "8 0 17 24\n8 1 0 23\n")
        self.assertEqual(self.run_tool("bias", "--preset", "beit-window", "--window", "1x2"),
                         "5 3 3\n4 1 0\n4 2 1\n")

    def test_biases_are_matrices_with_an_empty_line_between_them(self):
        words = ("bias", "--preset", "alibi", "--heads", "2", "--queries", "1:3", "--keys", "0:2")
        self.assertEqual(self.run_tool(*words), "-0.0625 0\n-0.125 -0.0625\n\n-0.00390625 0\n-0.0078125 -0.00390625\n")
        falcon = ("bias", "--preset", "falcon-alibi", "--heads", "1", "--queries", "0:1", "--keys", "0:3")
        self.assertEqual(self.run_tool(*falcon, "--head-dim", "64"), "0 0.00048828125 0.0009765625\n")
        self.assert_refused([*falcon], "the width of a head must be stated")

    def test_a_report_has_the_numbers_and_the_convention(self):
        report = self.json_of("bias", "--preset", "llama4-temperature", "--positions", "8190:8192", "--dtype", "f64")
        self.assertEqual((report["dtype"], report["shape"], report["out"]), ("f64", [2], None))
        self.assertEqual(report["convention"]["family"], "query_scale")
        self.assertEqual(report["values"][0], 1)
        self.assertAlmostEqual(report["values"][1], 1 + 0.1 * math.log(2), delta=1e-15)
        rows = self.json_of("bias", "--preset", "opt", "--positions", "0:3")
        self.assertEqual((rows["dtype"], rows["values"]), ("i64", [2, 3, 4]))

    def test_rows_of_cells_are_those_of_the_table_that_the_preset_numbers(self):
        idefics = ("bias", "--preset", "idefics2-patch")
        rows = lambda *words: [[int(row) for row in line.split()] for line in self.run_tool(*words).splitlines()]
        self.assertEqual(rows(*idefics, "--height", "5", "--width", "9"),
                         [[70 * (70 * y // 5) + 70 * x // 9 for y in range(5) for x in range(9)]])
        self.assertEqual(rows(*idefics, "--height", "2", "--width", "3", "--whole-places"), [[0, 1, 2, 70, 71, 72]])
        self.assertEqual(rows(*idefics, "--positions", "y=2,3", "--positions", "x=0,5"), [[140, 215]])
        self.assertEqual(rows("bias", "--preset", "imgpt-learned", "--height", "2", "--width", "2"),
                         [[0, 0], [0, 1], [1, 0], [1, 1]])
        self.run_tool(*idefics, "--height", "2", "--width", "3", "--plot", "x.svg")

    def test_a_place_beside_the_table_is_what_is_refused(self):
        beside = ("bias", "--preset", "idefics2-patch", "--height", "71", "--width")
        self.assert_refused([*beside, "71", "--whole-places"],
                            "second coordinates must be within the columns, got position [0, 70]")
        self.assert_refused([*beside, "1", "--whole-places"], "rows must be in the table, got position [70, 0]")

    def test_a_file_holds_the_tensor(self):
        self.run_tool("bias", "--preset", "t5-bucket", "--queries", "0:2", "--keys", "0:3", "--out", "x.npy")
        self.assertEqual(self.npy("x.npy"), ("<i8", (2, 3), (0, 17, 18, 1, 0, 17)))
        report = self.json_of("bias", "--preset", "swinv2-cpb", "--window", "2x3", "--out", "c.npy")
        self.assertEqual((report["shape"], report["values"]), ([3, 5, 2], None))
        self.assertEqual(self.npy("c.npy")[:2], ("<f4", (3, 5, 2)))

    def test_a_number_alone_is_one_position_and_says_so(self):
        done = self.start("bias", "--preset", "t5-bucket", "--queries", "200", "--keys", "0:2")
        self.assertEqual(done.stdout, b"15 15\n")
        self.assertEqual(done.stderr, b"posenc: --queries 200 is one position; 0:200 are the first 200\n")
        for query in ("0", "200:201", "-3"):
            done = self.start("bias", "--preset", "t5-bucket", "--queries", query, "--keys", "0:2")
            self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_all_that_is_missing_is_said_at_once(self):
        self.assert_refused(["bias", "--preset", "alibi"], "--queries, --keys and --heads must be given, got none")
        self.assert_refused(["bias", "--preset", "t5-bucket"], "--queries and --keys must be given, got none")

    def test_what_the_numbers_are_not_of_is_refused(self):
        for preset, given, option in (
                ("swin-window", ("--window", "4x4", "--queries", "0:3"), "--queries"),
                ("swinv2-cpb", ("--window", "4x4", "--positions", "0:3"), "--positions"),
                ("t5-bucket", ("--queries", "0:2", "--keys", "0:2", "--heads", "8"), "--heads"),
                ("alibi", ("--queries", "0:2", "--keys", "0:2", "--heads", "8", "--window", "8x8"), "--window"),
                ("alibi", ("--queries", "0:2", "--keys", "0:2", "--heads", "8", "--height", "8"), "--height"),
                ("llama4-temperature", ("--positions", "0:2", "--keys", "0:2"), "--keys"),
                ("learned", ("--positions", "0:2", "--head-dim", "3"), "--head-dim")):
            self.assert_refused(["bias", "--preset", preset, *given], f"{option} must not be given for ")
        self.assert_refused(["bias", "--preset", "t5-bucket", "--queries", "0:2", "--keys", "0:2", "--heads", "8"],
                            "classes of queries and keys, which are of --queries, --keys, got '8'")
        self.assert_refused(["bias", "--preset", "qwen-logn", "--height", "3"],
                            "--height must not be given for factors of queries, which are of --positions, got '3'")

    def test_the_width_of_a_head_may_have_no_effect(self):
        pairs = ("--queries", "0:2", "--keys", "0:2", "--heads", "2", "--head-dim", "3")
        for preset, note in (("alibi", b"posenc: --head-dim 3 has no effect: nothing of alibi depends on it\n"), ("falcon-alibi", b"")):
            done = self.start("bias", "--preset", preset, *pairs)
            self.assertEqual((done.returncode, done.stderr), (0, note))

    def test_what_is_wrong(self):
        t5 = ("bias", "--preset", "t5-bucket")
        for words, rule in (((*t5, "--queries", "0:4"), "--keys must be given"),
                            ((*t5, "--queries", "0:4", "--keys", "0:4", "--dtype", "f64"),
                             "--dtype must not be given for whole numbers, which are i64, got 'f64'"),
                            ((*t5, "--queries", "0:300", "--keys", "0:300"),
                             "--out must be given for more than 65536 numbers, got 90000"),
                            ((*t5, "--queries", "0.5", "--keys", "0:4"), "must be integers from -2^52 to 2^52"),
                            (("bias", "--preset", "swin-window", "--window", "7"), "--window must be HxW, as 7x7, got '7'"),
                            (("bias", "--preset", "swin-window", "--window", "7x"),
                             "each side of --window 7x must be an integer in plain digits, 1 to 16384, got ''"),
                            (("bias", "--preset", "whisper"), "the convention must be slopes, as a bias is"),
                            (("bias", "--preset", "alibi", "--queries", "0:2", "--keys", "0:2"),
                             "--heads must be given")):
            self.assert_refused(words, rule)


if __name__ == "__main__":
    tool_case.main()
