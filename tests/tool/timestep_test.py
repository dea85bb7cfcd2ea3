# SPDX-License-Identifier: Apache-2.0
# posenc timestep, and posenc table of several axes: rows at steps and at coordinates.
import tool_case
from tool_case import ToolCase, f32, true_sine_and_cosine, write_npy


class Timestep(ToolCase):
    def test_steps_give_the_rows_that_the_table_has(self):
        report = self.json_of("timestep", "--preset", "stable-diffusion-timestep", "--dim", "8", "--steps", "999,0.5",
                              "--out", "t.npy")
        self.assertEqual((report["shape"], report["axes"]), ([2, 8], ["step", "column"]))
        values = self.npy("t.npy")[2]
        for i, step in enumerate(("999", "0.5")):
            pairs = [true_sine_and_cosine(step, 10000, (k, 4)) for k in range(4)]
            row = [f32(float(cosine)) for _, cosine in pairs] + [f32(float(sine)) for sine, _ in pairs]
            self.assertEqual(list(values[8 * i : 8 * i + 8]), row)
        write_npy(self.folder / "s.npy", "<f8", [2], [999.0, 0.5])
        for steps in ("s.npy", "step=999,0.5"):
            self.run_tool("timestep", "--preset", "stable-diffusion-timestep", "--dim", "8", "--steps", steps, "--out", "u.npy")
            self.assertEqual(self.npy("u.npy"), self.npy("t.npy"))

    def test_rows_at_coordinates(self):
        write_npy(self.folder / "xyz.npy", "<f8", [2, 3], [0.25, -1.5, 2.0, 0.0, 1.0, 0.5])
        report = self.json_of("table", "--preset", "nerf", "--dim", "15", "--positions", "xyz.npy", "--out", "r.npy")
        self.assertEqual((report["shape"], report["axes"]), ([2, 15], ["place", "column"]))
        values = self.npy("r.npy")[2]
        self.assertEqual(values[:3], (0.25, -1.5, 2.0))  # coordinates lead
        for rung in (0, 1):  # [sin x, sin y, sin z, cos x, cos y, cos z] of each octave
            for axis, coordinate in enumerate(("0.25", "-1.5", "2")):
                sine, cosine = true_sine_and_cosine(coordinate, 2, (-rung, 1))
                self.assertEqual(values[3 + 6 * rung + axis], f32(float(sine)))
                self.assertEqual(values[6 + 6 * rung + axis], f32(float(cosine)))
        named = [word for axis, list_of in (("z", "2,0.5"), ("x", "0.25,0"), ("y", "-1.5,1.0"))
                 for word in ("--positions", f"{axis}={list_of}")]
        self.run_tool("table", "--preset", "nerf", "--dim", "15", *named, "--out", "n.npy")
        self.assertEqual(self.npy("n.npy"), self.npy("r.npy"))

    def test_the_cells_of_a_grid_are_rows_at_their_coordinates(self):
        self.run_tool("grid", "--preset", "mae-2d", "--height", "2", "--width", "3", "--dim", "8", "--out", "g.npy")
        self.run_tool("table", "--preset", "mae-2d", "--dim", "8", "--positions", "y=0,0,0,1,1,1", "--positions",
                      "x=0,1,2,0,1,2", "--out", "t.npy")
        self.assertEqual(self.npy("t.npy")[2], self.npy("g.npy")[2])

    def test_a_learned_scale_multiplies(self):
        self.run_tool("table", "--preset", "speecht5", "--learned", "0.5", "--dim", "4", "--positions", "0:2", "--out", "x.npy")
        self.assertEqual(self.npy("x.npy")[2][:4], (0, 0.5, 0, 0.5))


if __name__ == "__main__":
    tool_case.main()
