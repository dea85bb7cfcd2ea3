# SPDX-License-Identifier: Apache-2.0
# posenc presets, and what every verb has: --help, --json, --version.

import tool_case
from tool_case import ToolCase

KEYS = ["name", "family", "convention", "original", "scale", "dropout", "axes", "max_len", "source", "note", "aliases"]


class Presets(ToolCase):
    def row_of(self, name):
        """The words of a preset's line in the list."""
        return next(line.split() for line in self.run_tool("presets").splitlines() if line.split()[:1] == [name])

    def test_the_list_has_every_preset_in_the_same_order_as_the_report(self):
        presets = self.json_of("presets")["presets"]
        names = [preset["name"] for preset in presets]
        lines = self.run_tool("presets").splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:len(names) + 1]], names)
        self.assertEqual(len(set(names)), len(names))
        for preset in presets:
            self.assertEqual(list(preset), KEYS)

    def test_each_preset_of_the_list_is_told_by_its_name(self):
        for preset in self.json_of("presets")["presets"]:
            self.assertEqual(self.json_of("presets", preset["name"])["presets"], [preset])

    def test_one_preset_tells_everything(self):
        whisper = self.json_of("presets", "whisper")["presets"][0]
        convention = whisper["convention"]
        self.assertEqual((convention["posenc_convention"], convention["family"]), (2, "waves"))
        self.assertEqual((convention["layout"], convention["odd_width"]), ("sine_first", "refused"))
        self.assertEqual(convention["ladders"], [
            {"kind": "geometric", "unit": "radians", "base": 10000, "first": 1, "slope": "falling",
             "spacing": {"over": "pairs", "width": 0, "shift": 1, "least": 0}, "scaling": "none"}])
        self.assertEqual(whisper["original"]["name"], "f64-to-f16")
        self.assertEqual(whisper["original"]["steps"]["storage"], ["f32", "f16"])
        self.assertEqual((whisper["scale"], whisper["axes"], whisper["max_len"]), ("none", "batch-first", 1500))
        text = self.run_tool("presets", "whisper")
        for word in ("over_gaps", "sine_first", "f64-to-f16", "1500", "posenc_convention"):
            self.assertIn(word, text)

    def test_of_another_word_those_that_hold_it_are_listed(self):
        found = [preset["name"] for preset in self.json_of("presets", "TENSORFLOW")["presets"]]
        self.assertIn("tf-official", found)
        self.assertIn("tf-tutorial", found)
        self.assertNotIn("whisper", found)
        lines = self.run_tool("presets", "TENSORFLOW").splitlines()
        self.assertEqual([line.split()[0] for line in lines[1:len(found) + 1]], found)
        self.assert_refused(["presets", "wisper"], "of which whisper")
        self.assert_refused(["presets", ""], "name must be that of a preset")
        self.assert_refused(["presets", "TENSORFLOW", "--set", "layout=sine_first"], "name must be that of a preset")

    def test_a_timestep_states_its_fields(self):
        convention = self.json_of("presets", "diffusers-timestep")["presets"][0]["convention"]
        ladder = convention["ladders"][0]
        self.assertEqual((ladder["base"], ladder["first"], ladder["spacing"]["shift"]), (10000, 1, 1))
        self.assertEqual((convention["layout"], convention["odd_width"]), ("sine_first", "zero_column"))
        text = self.run_tool("presets", "ddpm")
        for word in ("max_period 10000", "shift 1", "scale 1", "sine_first", "f32-exp"):
            self.assertIn(word, text)

    def test_a_rotation_shows_its_pairing(self):
        self.assertEqual(self.row_of("rope-half")[:3], ["rope-half", "rotary", "split_half"])
        rotary = self.json_of("presets", "rope-pair")["presets"][0]
        self.assertEqual((rotary["convention"]["family"], rotary["convention"]["pairing"]), ("rotary", "adjacent"))

    def test_a_bias_states_its_octaves(self):
        self.assertEqual(self.row_of("alibi")[:4], ["alibi", "bias", "-", "exact"])
        self.assertEqual(self.json_of("presets", "alibi")["presets"][0]["convention"],
                         {"posenc_convention": 2, "family": "slopes", "octaves": 8, "value": "minus_distance",
                          "over": "all", "slope_rounding": "none", "scale": 1, "heads_beyond": "odd_steps"})

    def test_exact_has_no_steps(self):
        self.assertEqual(self.json_of("presets", "transformer")["presets"][0]["original"],
                         {"name": "exact", "steps": None})

    def test_every_verb_has_help_with_an_example(self):
        self.assertIn("posenc VERB --help", self.run_tool("--help"))
        for verb in ("encode", "table", "grid", "presets", "demo"):
            text = self.run_tool(verb, "--help")
            self.assertIn(f"Example: posenc {verb}", text)
            self.assertIn("--json", text)
            self.assertNotIn("as is", text)

    def test_the_version_is_that_of_the_header(self):
        header = (tool_case.SOURCE / "include/posenc/version.h").read_text()
        numbers = [line.split()[-1] for line in header.splitlines() if line.startswith("#define POSENC_VERSION_")]
        self.assertEqual(self.run_tool("--version"), f"posenc {'.'.join(numbers)}\n")


if __name__ == "__main__":
    tool_case.main()
