# SPDX-License-Identifier: Apache-2.0
# posenc grid: each half of a row is the one-axis row of one coordinate.

from fractions import Fraction

import tool_case
from tool_case import ToolCase, f32, true_sine_and_cosine

MAE = ("grid", "--preset", "mae-2d")


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

    def test_a_grid_of_many_blocks_is_made_of_the_rows_of_each_axis(self):
        # A block has 4 MiB, and so have the rows of the columns that are kept for it: whole lines of cells, parts of
        # one line, and both, each across the ends of blocks.
        for height, width, dim in ((23, 91, 1024), (2, 5000, 512), (5, 700, 1536), (6000, 1, 512)):
            size = ("--height", str(height), "--width", str(width), "--dim", str(dim), "--dtype", "f64")
            self.run_tool(*MAE, *size, "--out", "x.npy")
            self.run_tool("table", "--preset", "mae-1d", "--dim", str(dim // 2), "--positions",
                          f"0:{max(height, width)}", "--dtype", "f64", "--out", "axis.npy")
            grid, axis, half = self.elements("x.npy"), self.elements("axis.npy"), 4 * dim
            self.assertEqual(len(grid), height * width * 2 * half)
            for y in range(height):
                line = b"".join(axis[x * half : (x + 1) * half] + axis[y * half : (y + 1) * half] for x in range(width))
                self.assertTrue(grid[y * len(line) : (y + 1) * len(line)] == line, (height, width, y))

    def elements(self, name):
        return (self.folder / name).read_bytes()[128:]

    def test_cells_are_numbered_as_the_preset_numbers_them(self):
        size = ("--height", "2", "--width", "3", "--dim", "8", "--out", "x.npy")
        turn = Fraction(6.283185307179586)  # the double that the original multiplies by
        for words, first in (((), turn / (2 + Fraction(1e-6))), (("--whole-places",), Fraction(0))):
            self.run_tool("grid", "--preset", "detr-sine", *words, *size)
            sine, cosine = true_sine_and_cosine(float(first), 10000, (0, 2))  # of the line, which comes first
            self.assertEqual(list(self.npy("x.npy")[2][:2]), [f32(float(sine)), f32(float(cosine))], words)

    def test_memory_does_not_grow_with_the_grid(self):
        small, large = (self.peak(*MAE, "--dim", "512", "--height", height, "--width", "512", "--out", "/dev/null")
                        for height in ("4", "512"))  # 4 MiB and 512 MiB of numbers
        self.assertLess(large - small, (200 if tool_case.SANITIZED else 32) << 20)

    def test_of_other_axes_an_extent_each(self):
        size = ("--height", "2", "--width", "4")
        rows = ("--set", "axes=t,y,x", "--set", "scope=row")
        self.run_tool("grid", "--preset", "mae-2d", *rows, "--extent", "t=3", *size, "--dim", "12", "--out", "x.npy")
        self.assertEqual(self.npy("x.npy")[:2], ("<f4", (3, 2, 4, 12)))
        values = self.npy("x.npy")[2]
        first = (2 * 2 * 4 + 1 * 4 + 3) * 12  # t = 2, y = 1, x = 3
        for i, coordinate in ((0, 2), (2, 1), (4, 3)):  # two sines each
            sine, _ = true_sine_and_cosine(coordinate, 10000, (0, 2))
            self.assertEqual(values[first + i], f32(float(sine)))
        for words, rule in ((size, "--extent t=N must be given"),
                            ((*size, "--extent", "t=3", "--extent", "t=4"), "--extent must state an axis once"),
                            ((*size, "--extent", "t=3", "--extent", "z=4"), "the axes are t, y, x"),
                            ((*size, "--extent", "t"), "--extent must be AXIS=N"),
                            ((*size, "--extent", "t=0"), "must be an integer in plain digits"),
                            (("--height", "2", "--extent", "t=3"), "--width must be given")):
            self.assert_refused(("grid", "--preset", "mae-2d", *rows, *words, "--dim", "12", "--out", "y.npy"), rule)
        self.assert_refused(("grid", "--preset", "mae-2d", "--set", "axes=t,y", *size, "--extent", "t=3", "--dim", "8",
                             "--out", "y.npy"), "--width must come with an axis x: the axes are t, y")

    def test_types(self):
        for dtype, descr in (("f64", "<f8"), ("f16", "<f2")):
            self.run_tool("grid", "--preset", "mae-2d", "--height", "1", "--width", "2", "--dim", "4",
                          "--dtype", dtype, "--out", "x.npy")
            self.assertEqual(self.npy("x.npy")[:2], (descr, (1, 2, 4)))

    def test_the_report_has_stable_keys(self):
        report = self.json_of("grid", "--preset", "mae-2d", "--height", "1", "--width", "2", "--dim", "4",
                              "--out", "x.npy")
        self.assertEqual(list(report), ["operation", "name", "convention", "recipe", "dim", "dtype", "shape", "axes",
                                        "out", "plot"])


if __name__ == "__main__":
    tool_case.main()
