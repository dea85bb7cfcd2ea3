# SPDX-License-Identifier: Apache-2.0
# posenc presets, and what every verb has: --help, --json, --version.

import tool_case
from tool_case import ToolCase

KEYS = ["name", "family", "convention", "original", "scale", "dropout", "axes", "max_len", "places", "source", "note", "aliases", "stated", "verb"]


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

    def test_every_column_of_the_list_is_as_wide_as_its_widest_word(self):
        head, *lines = self.run_tool("presets").split("\n\n")[0].splitlines()
        begin, end = head.index("original recipe"), head.index("scale")
        recipes = [preset["original"]["name"] for preset in self.json_of("presets")["presets"]]
        self.assertEqual([line[begin:end].rstrip() for line in lines], recipes)

    def test_the_recipes_are_listed_and_original_is_one(self):
        names = self.run_tool("presets", "--recipes").splitlines()
        self.assertEqual(names[:2], ["original", "exact"])
        for name in names:
            self.run_tool("table", "--preset", "transformer", "--recipe", name, "--dim", "4", "--positions", "0:2")
        self.assert_refused(["presets", "--recipes", "whisper"], "--recipes must stand alone")

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
        self.assertEqual(whisper["scale"], {"by": "number", "number": 1, "rounding": None})
        self.assertEqual((whisper["axes"], whisper["max_len"], whisper["places"]), ("batch_first", 1500, None))
        self.assertEqual(self.json_of("presets", "dinov3")["presets"][0]["places"]["gain"], 2)
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
        llama = self.json_of("presets", "llama")
        self.assertEqual([preset["name"] for preset in llama["presets"]], ["rope-half"])
        self.assertLessEqual({"rope-llama3", "llama4-text", "rope2d-llama4-vision"}, set(llama["others"]))
        self.assertIn("rope-llama3", self.run_tool("presets", "llama"))
        self.assert_refused(["presets", "wisper"], "of which whisper")
        self.assert_refused(["presets", ""], "name must be that of a preset")
        self.assert_refused(["presets", "TENSORFLOW", "--set", "layout=sine_first"], "name must be that of a preset")

    def test_a_family_is_listed_by_both_of_its_names(self):
        every = self.json_of("presets")["presets"]
        for name, verbs in (("waves", {"table", "grid", "timestep"}), ("timestep", {"timestep"}), ("rotary", {"rotary"}),
                            ("slopes", {"bias"}), ("bias", {"bias"}), ("learned", {"bias"})):
            found = self.json_of("presets", "--family", name)["presets"]
            self.assertLessEqual({preset["verb"] for preset in found}, verbs, name)
            self.assertTrue(found, name)
        waves = self.json_of("presets", "--family", "waves")["presets"]
        self.assertEqual(waves, [preset for preset in every if preset["verb"] in ("table", "grid", "timestep")])
        some = [preset["name"] for preset in self.json_of("presets", "--family", "rotary", "cohere")["presets"]]
        self.assertEqual(some, ["cohere", "cohere2"])

    # ---- two of them

    def tables(self, *words):
        report = self.json_of("presets", *words)
        self.assertIsNone(report["reason"])
        return {table["what"]: table for table in report["tables"]}

    def test_help_of_a_verb_is_its_own(self):
        self.assertEqual(self.run_tool("help", "presets"), self.run_tool("presets", "--help"))

    def test_two_words_of_one_model_are_searched_together(self):
        self.assertEqual(self.run_tool("presets", "qwen", "vision"), self.run_tool("presets", "qwen vision"))
        self.assertIn("rope2d-qwen-vision", self.run_tool("presets", "qwen", "vision"))
        self.assert_refused(["presets", "stable", "difusion"], "of which stable-diffusion, ")
        self.assert_refused(["presets", "llama", "nope"], "got 'nope'")

    def test_two_differ_by_the_numbers_of_their_traps(self):
        # Largest differences of entries, at width 512 and positions 0 to 511 unless said.
        for words, largest in ((("mae-1d", "whisper"), 0.712), (("mae-1d", "whisper", "--positions", "0:128"), 0.180),
                               (("pytorch", "mae-1d"), 2.000), (("whisper", "musicgen"), 1.414),
                               (("mae-2d", "timm-2d", "--dim", "768", "--height", "14", "--width", "14"), 2.000)):
            self.assertAlmostEqual(self.tables(*words)["entries"]["largest"], largest, delta=0.0006, msg=str(words))

    def test_names_are_found_as_people_write_them(self):
        for words, name in (("Llama 3.1", "rope-llama3"), ("Kimi K2", "deepseek-v3"), ("kimi-k2", "deepseek-v3"),
                            ("DeBERTa v2", "deberta-bucket"), ("EVA 02", "rope2d-eva-language"), ("GLM_MoE_DSA", "deepseek-v3")):
            self.assertIn(name, [preset["name"] for preset in self.json_of("presets", words)["presets"]], words)

    def test_models_are_found_as_their_configurations_spell_them(self):
        for words, first in (("qwen 2.5", "qwen2"), ("Qwen 3", "qwen2"), ("gpt2", "learned"), ("llama2", "rope-half"), ("gemma2", "gemma"),
                             ("phi3", "rope-longrope"), ("gemma3", "gemma-3-full"), ("glm4_moe", "phi-1.5"), ("deepseekv3", "deepseek-v3"),
                             ("llama3", "rope-llama3")):
            self.assertEqual(self.json_of("presets", words)["presets"][0]["name"], first, words)
        self.assertEqual(self.run_tool("presets", "qwen", "2.5"), self.run_tool("presets", "qwen 2.5"))
        self.assertEqual(self.run_tool("presets", "mamba2"), self.run_tool("presets", "Mamba 2").replace("mamba-2:", "mamba2:"))
        self.assert_refused(["presets", "qwen 30"], "name must be that of a preset")  # no part of a number is one
        self.assert_refused(["presets", "."], "name must be that of a preset")

    def test_names_come_before_notes(self):
        words = ("llama", "gemma", "qwen", "whisper", "dino", "t5")
        for word, found in ((word, self.json_of("presets", "--family", "rotary", word)["presets"]) for word in words):
            named = [any(word in name.lower() for name in [preset["name"], *preset["aliases"]]) for preset in found]
            self.assertEqual(named, sorted(named, reverse=True), word)

    def test_of_a_model_type_inspect_tells_more(self):
        done = self.start("presets", "qwen3_moe")
        self.assertEqual(done.returncode, 0)
        self.assertIn(b"qwen3_moe is a model type: of its config.json, posenc inspect tells the preset of each role", done.stderr)
        self.assertEqual(self.start("presets", "qwen 2.5").stderr, b"")
        types = tool_case.json.loads((tool_case.SOURCE / "tests/inspect/defaults.json").read_text())
        alone = [kind for kind in [*sorted(types)[::6], "hrm_text"] if self.start("presets", kind).returncode != 0]
        self.assertIn("hrm_text", alone)
        for kind in alone:
            self.assert_refused(["presets", kind], "posenc inspect reads")

    def test_the_same_waves_at_other_places_differ(self):
        report = self.json_of("presets", "detr-sine", "deformable-detr-sine")
        self.assertEqual(report["differences"],
                         ["places: first 1, divisor last, eps 1e-06, gain 6.283185307179586, shift 0, rounding none, "
                          "not first 0.5, divisor count, eps 1e-06, gain 6.283185307179586, shift 0, rounding none"])
        self.assertEqual(self.json_of("presets", "detr-sine", "deformable-detr-sine", "--whole-places")["differences"], [])

    def test_rotations_differ_by_angles_and_by_scores(self):
        turned = self.tables("rope-half", "nanochat")  # backward: the same angles
        self.assertEqual((turned["angles in radians"]["largest"], turned["angles in radians"]["first"]), (0, None))
        self.assertGreater(turned["scores"]["largest"], 3)
        paired = self.tables("rope-half", "rope-pair")
        self.assertEqual(paired["angles in radians"]["largest"], 0)
        self.assertGreater(paired["scores"]["largest"], 3)
        based = self.tables("rope-half", "smollm3", "--positions", "0,100", "--dim", "4")["angles in radians"]
        self.assertAlmostEqual(based["largest"], 100 * (1 / 100 - 5e6 ** -0.5), delta=1e-12)
        self.assertEqual((based["at"], based["first"]), ("position 100, pair 1", "position 100, pair 1"))

    def test_others_differ_in_their_own_unit(self):
        far = self.tables("mpt-alibi", "alibi", "--queries", "2047", "--keys", "0:2048", "--heads", "8")["biases"]
        self.assertEqual(far["largest"], 0)  # the last key is the query
        sides = self.tables("t5-bucket", "t5-bucket-decoder", "--queries", "0", "--keys", "0:41")["classes"]
        self.assertEqual((sides["largest"], sides["first"]), (28, "query 0, key 1"))
        rows = self.tables("learned", "opt")["stored rows"]
        self.assertEqual((rows["largest"], rows["at"]), (2, "position 0"))
        factors = self.tables("llama4-temperature", "ministral3-temperature", "--positions", "8191,8192")["factors"]
        self.assertEqual(factors["first"], "position 8191")

    def test_what_cannot_be_compared_has_a_reason(self):
        report = self.json_of("presets", "whisper", "alibi")
        self.assertEqual((report["tables"], report["reason"]), ([], "one is for posenc table, the other for posenc bias"))
        for a, b, reason in (("alibi", "t5-bucket", "one gives biases, the other classes"),
                             ("swinv2-cpb", "llama4-temperature", "one gives coordinates, the other factors")):
            self.assertEqual(self.json_of("presets", a, b)["reason"], reason)
        self.assertIn("the ladder must list", self.json_of("presets", "whisper", "gaussian-fourier")["reason"])

    def test_recipes_of_one_convention_differ(self):
        self.assertEqual(self.tables("transformer", "pytorch")["entries"]["largest"], 0)
        rounded = self.tables("transformer", "pytorch", "--recipe", "original")["entries"]["largest"]
        self.assertTrue(1e-6 < rounded < 1e-4, rounded)

    def test_a_file_stands_for_a_name(self):
        (self.folder / "config.json").write_text('{"model_type": "llama", "hidden_size": 16, "num_attention_heads": 2, '
                                                 '"max_position_embeddings": 2048, "rope_theta": 500000}')
        convention = self.json_of("presets", "llama")["presets"][0]["convention"]
        (self.folder / "c.json").write_text(tool_case.json.dumps(convention))
        self.assertEqual(self.json_of("presets", "--spec", "c.json", "llama")["differences"], [])
        role = self.json_of("presets", "--config", "config.json:rotary")["presets"][0]
        self.assertEqual(role["convention"]["ladders"][0]["base"], 500000)
        found = self.json_of("presets", "--config", "config.json", "llama")
        self.assertEqual(found["differences"], ["ladders.0.base: 5e+05, not 10000", "stored: halves_twice, not none"])
        angles = found["tables"][0]  # of heads of 8 columns
        self.assertAlmostEqual(angles["largest"], 511 * (10000 ** -0.25 - 500000 ** -0.25), delta=1e-9)
        self.assert_refused(["presets", "--spec", "c.json", "llama", "whisper"], "there must be at most two names")

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

    def test_recipes_that_differ_have_other_steps(self):
        originals = {}
        for preset in self.json_of("presets")["presets"]:
            original = preset["original"]
            self.assertEqual(originals.setdefault(original["name"], original["steps"]), original["steps"])
        self.assertLessEqual({"f32-reciprocal", "f32-reciprocal-fused", "f32-reciprocal-decay-quotient", "exact"}, set(originals))
        told = {tool_case.json.dumps(steps) for steps in originals.values()}
        self.assertEqual(len(told), len(originals))
        fused, decay = originals["f32-reciprocal-fused"], originals["f32-reciprocal-decay-quotient"]
        plain = originals["f32-reciprocal"]
        self.assertEqual({key for key in plain if plain[key] != fused[key]}, {"sums"})
        self.assertEqual({key for key in plain if plain[key] != decay[key]}, {"decay"})
        self.assertEqual((plain["scaling"], plain["scale_at"], plain["argument"]), ("transformers", "angle", "f32"))

    def test_every_verb_has_help_with_an_example(self):
        self.assertIn("posenc VERB --help", self.run_tool("--help"))
        for verb in ("encode", "table", "grid", "timestep", "rotary", "cache", "bias", "presets", "inspect", "demo"):
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
