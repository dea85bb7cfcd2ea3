# SPDX-License-Identifier: Apache-2.0
# posenc grid: each half of a row is the one-axis row of one coordinate.

import tool_case
from tool_case import ToolCase, f32, true_sine_and_cosine


class Grid(ToolCase):
    def test_mae_2d_puts_the_column_first(self):
        report = self.json_of("grid", "--preset", "mae-2d", "--height", "3", "--width", "5", "--dim", "8",
                              "--out", "x.npy")
        self.assertEqual(report["shape"], [3, 5, 8])
        descr, shape, values = self.npy("x.npy")
        self.assertEqual((descr, shape), ("<f4", (3, 5, 8)))
        for y in range(3):
            for x in range(5):
                row = []
                for coordinate in (x, y):
                    pairs = [true_sine_and_cosine(coordinate, 10000, (k, 2)) for k in range(2)]
                    row += [f32(float(sine)) for sine, _ in pairs] + [f32(float(cosine)) for _, cosine in pairs]
                at = (y * 5 + x) * 8
                self.assertEqual(list(values[at : at + 8]), row, (y, x))

    def test_types(self):
        for dtype, descr in (("f64", "<f8"), ("f16", "<f2")):
            self.run_tool("grid", "--preset", "mae-2d", "--height", "1", "--width", "2", "--dim", "4",
                          "--dtype", dtype, "--out", "x.npy")
            self.assertEqual(self.npy("x.npy")[:2], (descr, (1, 2, 4)))

    def test_the_report_has_stable_keys(self):
        report = self.json_of("grid", "--preset", "mae-2d", "--height", "1", "--width", "2", "--dim", "4",
                              "--out", "x.npy")
        self.assertEqual(list(report), ["operation", "name", "convention", "recipe", "dim", "dtype", "shape", "out",
                                        "plot"])


if __name__ == "__main__":
    tool_case.main()
