# SPDX-License-Identifier: Apache-2.0
# Every preset answers by name from the verb that its page names, and from no other; any two can be asked for what differs.
import re

import tool_case
from tool_case import ToolCase, write_npy


class Answers(ToolCase):
    def verb_of(self, name):
        return re.search(r"^made by +posenc (\w+)$", self.run_tool("presets", name), re.MULTILINE)[1]

    def ask(self, verb, name, width):
        """The words of a call that needs nothing more, whatever the preset."""
        convention = self.convention(name)
        axes = convention.get("axes") or ["step" if verb == "timestep" else "position"]
        if convention["family"] == "grid":
            axes = ["x", "y"]
        option = "--steps" if verb == "timestep" else "--positions"
        places = [word for axis in axes for word in (option, f"{axis}=0:2")] if len(axes) > 1 else [option, "0:2"]
        words = [verb, "--preset", name]
        if verb == "grid":
            extents = {"y": "--height", "x": "--width"}
            words += [word for axis in axes
                      for word in ([extents[axis], "2"] if axis in extents else ["--extent", f"{axis}=2"])]
        elif verb == "rotary":
            write_npy(self.folder / "q.npy", "<f4", [2, width], [1.0] * 2 * width)
            return [*words, *places, "--in", "q.npy", "--out", "x.npy", "--length", "9000", "--centre", "1", "--side", "key"]
        elif verb != "bias":
            words += places
        if verb == "bias":
            family = convention["family"]
            distances = ["--queries", "0:2", "--keys", "0:2"]
            return words + {"learned": places, "query_scale": places, "log_coordinates": ["--window", "2x2"],
                            "bias": [*distances, "--heads", "4"],
                            "slopes": [*distances, "--heads", "4", "--head-dim", "64"]}.get(
                                family, ["--window", "2x2"] if "window" in str(convention["classes"]) else distances)
        learned = ["--learned", "1.5"] if verb in ("table", "grid") else []
        return [*words, "--dim", str(width), "--out", "x.npy", *learned]

    def convention(self, name):
        return self.conventions[name]

    def setUp(self):
        super().setUp()
        self.presets = self.json_of("presets")["presets"]
        self.conventions = {preset["name"]: preset["convention"] for preset in self.presets}

    def test_by_its_verb(self):
        for name in self.conventions:
            verb = self.verb_of(name)
            with self.subTest(name, verb=verb):
                tried = []
                for width in (128, 120, 96, 512, 63, 8, 4, 144, 9, 6, 256, 1024):  # a listed ladder has one width alone
                    done = self.start(*self.ask(verb, name, width))
                    if done.returncode == 0:
                        break
                    tried.append((width, done.stderr.decode()))
                self.assertEqual(done.returncode, 0, tried)

    def test_not_by_another(self):
        for name in self.conventions:
            verb = self.verb_of(name)
            for other in ("table", "grid", "timestep", "rotary", "bias"):
                same = {verb, "table"} if verb in ("grid", "timestep") else {verb}
                if other in same:
                    continue
                done = self.start(other, "--preset", name)
                self.assertEqual(done.returncode, 2)
                self.assertIn(f"this one is for posenc {verb}", done.stderr.decode(), (name, other))

    def test_any_two_can_be_compared(self):
        names = list(self.conventions)
        for a, b in zip(names, names[1:]):
            report = self.json_of("presets", a, b)
            self.assertTrue(report["tables"] or report["reason"], (a, b))
            if report["tables"] and not report["differences"]:
                self.assertEqual({table["largest"] for table in report["tables"]}, {0}, (a, b))


if __name__ == "__main__":
    tool_case.main()
