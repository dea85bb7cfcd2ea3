# SPDX-License-Identifier: Apache-2.0
# The cells of an image are numbered alike however a convention is named: --preset, --spec, --config.

import json

import tool_case
from tool_case import ToolCase, write_npy

EXTENTS = {"y": ("--height", "3"), "x": ("--width", "4")}
COUNTS = {"y": 3, "x": 4}
WIDTHS = {"grid": (16, 24, 48, 8, 27, 130), "rotary": (64, 24, 128, 8, 256), "bias": (None,)}
DINO = {"model_type": "dinov3_vit", "hidden_size": 384, "num_attention_heads": 6, "num_hidden_layers": 12,
        "image_size": 224, "patch_size": 16, "rope_theta": 100.0}
QWEN = {"model_type": "qwen3_vl_vision", "hidden_size": 384, "num_heads": 6, "depth": 2,
        "num_position_embeddings": 2304, "rope_theta": 10000.0}


class Places(ToolCase):
    def words(self, preset, width):
        """A call that makes numbers of the cells of an image, but for the convention and --out."""
        words, cells = [preset["verb"]], 1
        for axis in preset["convention"]["axes"]:
            words += EXTENTS.get(axis, ("--extent", f"{axis}=2"))
            cells *= COUNTS.get(axis, 2)
        if preset["verb"] == "rotary":
            write_npy(self.folder / "q.npy", "<f4", (cells, width), [0.5 + i % 7 for i in range(cells * width)])
            return words + ["--in", "q.npy"]
        return words + (["--dim", str(width)] if width else [])

    def bytes_of(self, *words):
        """The file that a call makes; nothing where it is refused."""
        if self.start(*words, "--out", "x.npy").returncode != 0:
            return None
        return (self.folder / "x.npy").read_bytes()

    def call_of(self, preset):
        """The words of a call that the preset takes, and what it makes."""
        for width in WIDTHS[preset["verb"]]:
            words = self.words(preset, width)
            made = self.bytes_of(*words, "--preset", preset["name"])
            if made:
                return words, made
        return None, None

    def image_presets(self):
        axes = lambda preset: preset["convention"].get("axes", [])
        return [each for each in self.json_of("presets")["presets"]
                if "y" in axes(each) and each["verb"] in WIDTHS]

    def test_a_spec_that_is_a_preset_is_numbered_as_it_is(self):
        presets = self.image_presets()
        numberings = {}
        for preset in presets:
            numberings.setdefault(json.dumps(preset["convention"]), set()).add(json.dumps(preset["places"]))
        equal, refused, not_made = [], [], []
        for preset in presets:
            words, made = self.call_of(preset)
            if not made:
                not_made.append(preset)
                continue
            (self.folder / "c.json").write_text(json.dumps(preset["convention"]))
            spec = (*words, "--spec", "c.json")
            if len(numberings[json.dumps(preset["convention"])]) == 1:
                done = self.start(*spec, "--out", "x.npy")
                self.assertEqual((done.returncode, b"numbered" in done.stderr), (0, False), (preset["name"], done.stderr))
                self.assertTrue((self.folder / "x.npy").read_bytes() == made, preset["name"])
                equal.append(preset)
                continue
            (self.folder / "x.npy").unlink()
            self.assert_refused([*spec, "--out", "x.npy"], preset["name"])
            self.assertEqual(self.bytes_of(*spec, "--whole-places"),
                             self.bytes_of(*words, "--preset", preset["name"], "--whole-places"), preset["name"])
            refused.append(preset["name"])
        self.assertEqual([each["name"] for each in not_made], [])
        self.assertGreater(len(equal), 45)
        self.assertGreaterEqual(sum(each["places"] is not None for each in equal), 13)
        self.assertEqual(sorted(refused), ["deformable-detr-sine", "detr-sine", "diffusers-2d", "mae-2d",
                                           "rope2d-cogview4", "rope2d-qwen-vision"])

    def test_another_form_of_storage_is_numbered_alike(self):
        preset = next(each for each in self.image_presets() if each["name"] == "rope2d-dinov3")
        words = self.words(preset, 64)
        for form in ("sine_cosine", "pairs_twice"):
            (self.folder / "c.json").write_text(json.dumps({**preset["convention"], "stored": form}))
            self.assertEqual(self.bytes_of(*words, "--spec", "c.json"),
                             self.bytes_of(*words, "--preset", "rope2d-dinov3"), form)

    def role_and_preset(self, config, preset, *changes):
        words = self.words({"verb": "rotary", "convention": {"axes": ["y", "x"]}}, 64)
        (self.folder / "config.json").write_text(json.dumps(config))
        (self.folder / "inspected.json").write_text(self.run_tool("inspect", "config.json", "--json"))
        made = [self.bytes_of(*words, *convention) for convention in (
            ("--preset", preset, *changes), ("--config", "config.json:rotary"), ("--config", "inspected.json:rotary"),
            ("--preset", preset, *changes, "--whole-places"), ("--config", "config.json:rotary", "--whole-places"))]
        self.assertNotIn(None, made)
        self.assertTrue(made[0] == made[1] == made[2] and made[3] == made[4], preset)
        return made[0] == made[3]

    def test_a_role_is_numbered_as_its_model_numbers_cells(self):
        self.assertFalse(self.role_and_preset(DINO, "rope2d-dinov3"))
        changed = {**DINO, "rope_theta": 50.0}  # no preset is equal
        self.assertFalse(self.role_and_preset(changed, "rope2d-dinov3", "--set", "ladders.0.base=50"))
        self.assertTrue(self.role_and_preset(QWEN, "rope2d-qwen-vision"))  # where cogview4's would differ

    def test_where_nothing_says_how_a_note_tells_that_cells_count_from_0(self):
        convention = next(each for each in self.image_presets() if each["name"] == "detr-sine")["convention"]
        convention["ladders"][0]["base"] = 20000
        (self.folder / "c.json").write_text(json.dumps(convention))
        words = ("grid", "--height", "3", "--width", "4", "--dim", "16")
        note = b"posenc: cells are numbered 0, 1, .., as no preset is equal to --spec; --whole-places says so\n"
        for more, noted in ((("--spec", "c.json"), True), (("--spec", "c.json", "--json"), True),
                            (("--spec", "c.json", "--whole-places", "--json"), False),
                            (("--preset", "detr-sine", "--set", "ladders.0.base=20000", "--json"), False)):
            done = self.start(*words, *more, "--out", "x.npy")
            self.assertEqual((done.returncode, note in done.stderr), (0, noted), more)
        self.assertEqual(self.bytes_of(*words, "--spec", "c.json"),
                         self.bytes_of(*words, "--spec", "c.json", "--whole-places"))


if __name__ == "__main__":
    tool_case.main()
