# SPDX-License-Identifier: Apache-2.0
# Every preset answers by name from the verb that makes it and from no other, which names that verb.
import tool_case
from tool_case import ToolCase, write_npy

WIDTHS = (128, 64, 96, 120, 63, 8, 4, 9, 6, 256, 512)  # a listed ladder has one width alone
DISTANCES = ("--queries", "0:2", "--keys", "0:2")
WINDOW = ("--window", "2x2")


class Answers(ToolCase):
    def setUp(self):
        super().setUp()
        self.presets = self.json_of("presets")["presets"][::8 if tool_case.SANITIZED else 1]  # two processes a name

    def axes(self, preset):
        convention = preset["convention"]
        short = {"grid": ["x", "y"], "timestep": ["step"]}.get(preset["family"], ["position"])
        return convention.get("axes") or short

    def calls(self, preset):
        """Words that a verb needs besides the name, by width where there is one."""
        axes, verb, family = self.axes(preset), preset["verb"], preset["family"]
        option = "--steps" if verb == "timestep" else "--positions"
        places = [word for axis in axes for word in (option, f"{axis}=0:2")]
        if verb == "bias":
            kinds = {"learned": places, "query_scale": ("--positions", "0:2"), "log_coordinates": WINDOW,
                     "bias": (*DISTANCES, "--heads", "4"), "slopes": (*DISTANCES, "--heads", "4", "--head-dim", "64")}
            return [kinds.get(family) or (WINDOW if "window" in preset["name"] else DISTANCES)]
        if verb == "rotary":
            for width in WIDTHS:
                write_npy(self.folder / f"{width}.npy", "<f4", [2, width], [1.0] * 2 * width)
            return [(*places, "--in", f"{width}.npy", "--out", "x.npy", "--length", "9000", "--centre", "1", "--side",
                     "key") for width in WIDTHS]
        learned = ("--learned", "1.5") if verb == "table" else ()
        return [(*places, "--dim", str(width), "--out", "x.npy", *learned) for width in WIDTHS]

    def test_by_its_verb(self):
        for preset in self.presets:
            with self.subTest(preset["name"]):
                verb, tried = preset["verb"], []
                for words in self.calls(preset):  # rows of several axes at places; grid_test makes cells
                    done = self.start("table" if verb == "grid" else verb, "--preset", preset["name"], *words)
                    tried.append(done.stderr.decode())
                    if done.returncode == 0:
                        break
                self.assertEqual(done.returncode, 0, tried)

    def test_not_by_another(self):
        for preset in self.presets:
            verb = preset["verb"]
            for other in {"table", "grid", "timestep", "rotary", "bias"} - {verb}:
                if other == "table" and verb in ("grid", "timestep"):
                    continue
                done = self.start(other, "--preset", preset["name"])
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"this one is for posenc {verb}", done.stderr.decode(), (preset["name"], other))

    def test_two_can_be_compared(self):
        names = [preset["name"] for preset in self.presets]
        for a, b in list(zip(names, names[1:]))[::12]:
            report = self.json_of("presets", a, b)
            self.assertTrue(report["tables"] or report["reason"], (a, b))


if __name__ == "__main__":
    tool_case.main()
