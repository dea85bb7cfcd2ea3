# SPDX-License-Identifier: Apache-2.0
# posenc table against sines of 60 digits and against arithmetic written out here.

import math
import os

import tool_case
from tool_case import ToolCase, f16, f32, true_sine_and_cosine, write_npy


class Table(ToolCase):
    def check_transformer(self, positions, values, width, rounded):
        for row, position in enumerate(positions):
            for k in range(width // 2):
                sine, cosine = true_sine_and_cosine(position, 10000, (2 * k, width))
                at = row * width + 2 * k
                self.assertEqual(values[at : at + 2], (rounded(float(sine)), rounded(float(cosine))), (position, k))

    def test_every_value_is_the_true_one_rounded_once(self):
        for dtype, descr, rounded in (("f32", "<f4", f32), ("f64", "<f8", float), ("f16", "<f2", f16)):
            with self.subTest(dtype):
                self.run_tool("table", "--preset", "transformer", "--dim", "18", "--positions", "-3:9",
                              "--dtype", dtype, "--out", "x.npy")
                self.assertEqual(self.npy("x.npy")[:2], (descr, (12, 18)))
                self.check_transformer(range(-3, 9), self.npy("x.npy")[2], 18, rounded)

    def test_huge_fractional_and_tiny_positions(self):
        positions = [2**53, -(2**53) + 1, 0.1, -1234.5625, 5e-324, 1e15 + 0.5]
        self.run_tool("table", "--preset", "transformer", "--dim", "6", "--positions",
                      "9007199254740992,-9007199254740991.0,0.1,-1234.5625,5e-324,1000000000000000.5", "--out", "x.npy")
        self.check_transformer(positions, self.npy("x.npy")[2], 6, f32)

    def test_integers_are_exact_over_all_of_int64(self):
        positions = [-(2**63), 2**63 - 1, 2**53 + 1]
        self.run_tool("table", "--preset", "transformer", "--dim", "4", "--positions",
                      ",".join(map(str, positions)), "--out", "x.npy")
        self.check_transformer(positions, self.npy("x.npy")[2], 4, f32)

    def test_ranges(self):
        cases = (("0:5", range(5)), ("-2:3", range(-2, 3)), ("0:10:3", range(0, 10, 3)), ("5:1:-1", range(5, 1, -1)),
                 ("7", [7]), ("3,1,4,1", [3, 1, 4, 1]), ("0:1:0.25", [0, 0.25, 0.5, 0.75]),
                 ("0:0.3:0.1", [0, 0.1, 0.2]), ("2.0:0:-0.5", [2, 1.5, 1, 0.5]), ("1e1:12", [10, 11]),
                 ("9223372036854775804:9223372036854775807", range(2**63 - 4, 2**63 - 1)),
                 ("-9223372036854775806:-9223372036854775808:-1", [-(2**63) + 2, -(2**63) + 1]))
        for text, positions in cases:
            with self.subTest(text):
                self.run_tool("table", "--preset", "transformer", "--dim", "2", "--positions", text, "--out", "x.npy")
                self.assertEqual(self.npy("x.npy")[1], (len(positions), 2))
                self.check_transformer(positions, self.npy("x.npy")[2], 2, f32)

    def test_positions_from_a_file(self):
        for descr, positions in (("<i8", [2**40, -1, 0]), ("<i4", [5, -6]), ("<f8", [0.5, 1e10]), ("<f4", [0.25])):
            with self.subTest(descr):
                write_npy(self.folder / "p.npy", descr, [len(positions)], positions)
                self.run_tool("table", "--preset", "transformer", "--dim", "4", "--positions", "p.npy", "--out", "x.npy")
                self.check_transformer(positions, self.npy("x.npy")[2], 4, f32)

    def test_frequencies_that_are_an_example_are_said_to_be(self):
        def said(*options):
            words = ("timestep", "--preset", "gaussian-fourier", "--dim", "8", "--steps", "0:2", "--out", "x.npy")
            return self.start(*words, *options).stderr.count(b"are an example")
        self.assertEqual(said(), 1)
        self.assertEqual(said("--set", "ladder.frequencies=1,2,3,4"), 0)

    def test_whisper_has_its_own_ladder_and_layout(self):
        self.run_tool("table", "--preset", "whisper", "--dim", "8", "--positions", "0:6", "--out", "x.npy")
        values = self.npy("x.npy")[2]
        for p in range(6):
            for k in range(4):
                sine, cosine = true_sine_and_cosine(p, 10000, (k, 3))
                self.assertEqual((values[8 * p + k], values[8 * p + 4 + k]), (f32(float(sine)), f32(float(cosine))))

    def test_recipes_round_at_every_step(self):
        # f64-to-f32 of tf-tutorial: the angle in f64, the sine in f64, then f32. libm errs by an ulp of f64 at most.
        self.run_tool("table", "--preset", "tf-tutorial", "--recipe", "original", "--dim", "8", "--positions", "0:50",
                      "--out", "x.npy")
        values = self.npy("x.npy")[2]
        for p in range(50):
            for k in range(4):
                self.assertEqual(values[8 * p + 2 * k], f32(math.sin(p / 10000 ** (2 * k / 8))), (p, k))
        # f32-divide: RN(p / RN(B^RN(e))), whose sine is taken of the rounded angle.
        self.run_tool("table", "--preset", "transformer", "--recipe", "f32-divide", "--dim", "8", "--positions", "0:50",
                      "--out", "y.npy")
        values = self.npy("y.npy")[2]
        for p in range(50):
            for k in range(4):
                angle = f32(p / f32(10000 ** f32(2 * k / 8)))
                self.assertEqual(values[8 * p + 2 * k], f32(math.sin(angle)), (p, k))

    def test_a_ladder_is_used_to_the_bit(self):
        ladder = [1.0, 0.3, 1e-5]
        write_npy(self.folder / "w.npy", "<f8", [3], ladder)
        self.run_tool("table", "--preset", "transformer", "--ladder", "w.npy", "--dim", "6", "--positions", "0:20",
                      "--out", "x.npy")
        values = self.npy("x.npy")[2]
        for p in range(20):
            for k, w in enumerate(ladder):
                sine, cosine = true_sine_and_cosine(tool_case.decimal.Decimal(w) * p, 1, (0, 1))
                self.assertEqual(values[6 * p + 2 * k : 6 * p + 2 * k + 2], (f32(float(sine)), f32(float(cosine))))

    def test_a_spec_is_a_convention(self):
        spec = self.json_of("presets", "transformer")["presets"][0]["convention"]
        (self.folder / "c.json").write_text(tool_case.json.dumps(spec))
        common = ("--dim", "16", "--positions", "0:9", "--out")
        self.run_tool("table", "--preset", "transformer", *common, "x.npy")
        self.run_tool("table", "--spec", "c.json", *common, "y.npy")
        self.assertEqual((self.folder / "x.npy").read_bytes(), (self.folder / "y.npy").read_bytes())

    def test_a_timestep_preset_writes_fractional_steps(self):
        self.run_tool("table", "--preset", "diffusers-timestep", "--dim", "9", "--positions", "999,0.25", "--out", "x.npy")
        shape, values = self.npy("x.npy")[1:]
        self.assertEqual(shape, (2, 9))
        for row, step in enumerate((999, 0.25)):
            for k in range(4):
                sine, cosine = true_sine_and_cosine(step, 10000, (k, 3))
                self.assertEqual((values[9 * row + k], values[9 * row + 4 + k]), (f32(float(sine)), f32(float(cosine))))
            self.assertEqual(values[9 * row + 8], 0)

    def test_a_spec_of_a_timestep_has_shift_scale_and_flip(self):
        spec = {"posenc_convention": 1, "family": "timestep", "max_period": 10000, "shift": 0, "scale": 1000,
                "layout": "cosine_first"}
        (self.folder / "c.json").write_text(tool_case.json.dumps(spec))
        report = self.json_of("table", "--spec", "c.json", "--dim", "6", "--positions", "0.5", "--out", "x.npy")
        written = report["convention"]  # in version 2
        self.assertEqual((written["posenc_convention"], written["layout"], written["angle_factor"]), (2, "cosine_first", 1000))
        values = self.npy("x.npy")[2]
        for k in range(3):
            sine, cosine = true_sine_and_cosine(500, 10000, (k, 3))
            self.assertEqual((values[3 + k], values[k]), (f32(float(sine)), f32(float(cosine))))

    def test_blocks_of_a_large_table_join_without_a_seam(self):
        self.run_tool("table", "--preset", "transformer", "--dim", "512", "--positions", "0:20000", "--out", "x.npy")
        self.run_tool("table", "--preset", "transformer", "--dim", "512", "--positions", "0:20000:19", "--out", "y.npy")
        whole, some = (self.folder / "x.npy").read_bytes()[128:], (self.folder / "y.npy").read_bytes()[128:]
        self.assertEqual(len(whole), 20000 * 2048)
        self.assertEqual(b"".join(whole[p * 2048 : p * 2048 + 2048] for p in range(0, 20000, 19)), some)

    def test_blocks_of_real_positions_are_those_of_the_range(self):
        self.run_tool("table", "--preset", "transformer", "--dim", "2048", "--positions", "0:500:0.1", "--out", "x.npy")
        shape, values = self.npy("x.npy")[1:]
        self.assertEqual(shape, (5000, 2048))
        for i in (0, 2047, 2048, 2049, 4095, 4096, 4999):
            self.assertEqual(values[i * 2048], f32(math.sin(i * 0.1)), i)

    def test_a_table_larger_than_its_memory_is_written_in_blocks(self):
        rows = (1 << 19) if "POSENC_EXHAUSTIVE" in os.environ else (1 << 16)  # of 4 KiB: 2 GiB, 256 MiB
        for name in ("x.npy", "x.safetensors"):
            peak = self.peak("table", "--preset", "transformer", "--dim", "1024", "--positions", f"0:{rows}", "--no-sync",
                             "--out", name)
            self.assertGreater((self.folder / name).stat().st_size, rows * 4096)
            (self.folder / name).unlink()
            self.assertLess(peak, (256 if tool_case.SANITIZED else 64) << 20, name)

    def test_an_odd_width_may_give_a_column_less(self):
        report = self.json_of("table", "--preset", "tf-official", "--dim", "7", "--positions", "0:3", "--out", "x.npy")
        self.assertEqual((report["dim"], report["shape"]), (7, [3, 6]))
        self.assertEqual(self.npy("x.npy")[1], (3, 6))

    def test_the_report_has_stable_keys(self):
        report = self.json_of("table", "--preset", "transformer", "--dim", "4", "--positions", "0:2", "--out", "x.npy")
        self.assertEqual(list(report), ["operation", "name", "convention", "recipe", "dim", "dtype", "shape", "axes",
                                        "frequencies", "out", "plot"])
        self.assertEqual(report["frequencies"], [1.0, 0.01])
        self.assertEqual((report["out"], report["plot"]), ("x.npy", None))

    def test_notes_go_to_stderr(self):
        done = self.start("table", "--preset", "transformer", "--dim", "4", "--positions", "0:2", "--out", "x.npy")
        self.assertEqual((done.returncode, done.stdout), (0, b""))
        self.assertEqual(done.stderr.count(b"\n"), 1)

    def test_the_factor_of_a_scale_may_have_no_effect(self):
        words = ("table", "--dim", "8", "--positions", "0:2", "--out", "t.npy", "--learned", "1.5", "--preset")
        self.assertIn(b"posenc: --learned 1.5 has no effect: nothing of transformer depends on it\n",
                      self.start(*words, "transformer").stderr)
        self.assert_refused([*words[:7], "--preset", "speecht5"], "--learned must be stated: the scale is a factor of the caller's")
        done = self.start(*words, "speecht5")
        self.assertEqual((done.returncode, b"no effect" in done.stderr), (0, False), done.stderr)
        grid = ("grid", "--preset", "mae-2d", "--dim", "8", "--height", "2", "--width", "2", "--out", "g.npy", "--learned", "2")
        self.assertIn(b"--learned 2 has no effect", self.start(*grid).stderr)


if __name__ == "__main__":
    tool_case.main()
