# SPDX-License-Identifier: Apache-2.0
# First commands of a newcomer: no verb, a preset without its option, half of what a verb needs, the words of other tools,
# a name in capitals.

import tool_case
from tool_case import ToolCase

# A call of every verb about one preset, without the preset, and a preset for it.
ABOUT_A_PRESET = (
    ("table", "whisper", ("--dim", "8", "--positions", "0:4")),
    ("timestep", "ddpm", ("--dim", "8", "--steps", "0:4")),
    ("grid", "mae-2d", ("--dim", "8", "--height", "2", "--width", "2")),
    ("rotary", "llama", ("--in", "q.npy", "--positions", "0:2")),
    ("cache", "llama", ("--set", "stored=complex", "--dim", "8", "--positions", "0:2")),
    ("bias", "alibi", ("--heads", "2", "--queries", "0:2", "--keys", "0:2")),
    ("resize", "vit-resize", ("--in", "cells.npy", "--height", "3", "--width", "3")),
    ("explain", "whisper", ("--dim", "8", "--position", "3", "--column", "1")),
)
CONVENTION = "a preset (or --spec or --config)"


class FirstWords(ToolCase):
    def setUp(self):
        super().setUp()
        tool_case.write_npy(self.folder / "q.npy", "<f4", [2, 4], [1.0] * 8)
        tool_case.write_npy(self.folder / "cells.npy", "<f4", [5, 2], [0.5] * 10)

    # ---- no verb

    def test_without_a_verb_the_help_is_told_to_standard_error(self):
        done = self.start()
        self.assertEqual(done.returncode, 2)
        self.assertEqual(done.stdout, b"")
        self.assertEqual(done.stderr.decode(), self.run_tool("--help"))

    # ---- a preset without its option

    def test_a_preset_is_the_first_word_of_every_verb_about_one(self):
        for verb, preset, words in ABOUT_A_PRESET:
            stated = self.run_tool(verb, "--preset", preset, *words)
            self.assertEqual(self.run_tool(verb, preset, *words), stated, verb)
            self.assertEqual(self.run_tool(verb, *words, preset), stated, verb)
            self.assertEqual(self.json_of(verb, preset, *words), self.json_of(verb, "--preset", preset, *words), verb)

    def test_a_first_word_that_is_near_a_preset_is_told_so(self):
        for verb, _, words in ABOUT_A_PRESET:
            self.assert_refused([verb, "wisper", *words], "name must be that of a preset, of which whisper")

    def test_one_preset_is_enough(self):
        words = ("--dim", "8", "--positions", "0:4")
        self.assert_refused(["table", "whisper", "--preset", "mae-1d", *words],
                            "a preset must be given once, as the first word or by --preset, got 'whisper' and 'mae-1d'")
        self.assert_refused(["table", "whisper", "mae-1d", *words], "there must be at most one name, got 'mae-1d'")
        self.assert_refused(["table", "whisper", "--spec", "c.json", *words], "one of --preset and --spec must be given")

    def test_the_help_shows_the_first_word(self):
        for verb, _, _ in ABOUT_A_PRESET:
            told = self.run_tool(verb, "--help")
            self.assertIn(f"posenc {verb} [NAME]", told)
            self.assertIn("NAME is a preset, in the place of --preset.", told)

    # ---- all that is missing

    def test_all_that_is_missing_without_a_preset_is_named_at_once(self):
        for words, missing in ((["table"], f"{CONVENTION}, --dim and --positions"),
                               (["table", "--dim", "8"], f"{CONVENTION} and --positions"),
                               (["timestep"], f"{CONVENTION}, --dim and --steps"),
                               (["grid"], f"{CONVENTION}, --height, --width and --dim"),
                               (["rotary"], f"{CONVENTION}, --in and --positions"),
                               (["cache"], f"{CONVENTION}, --dim and --positions"),
                               (["bias"], CONVENTION), (["explain"], f"{CONVENTION} and --position"),
                               (["resize"], f"{CONVENTION}, --in, --height and --width")):
            self.assert_refused(words, f"[{words[0]}] {missing} must be given, got none")

    def test_all_that_a_preset_asks_for_is_named_at_once(self):
        for words, missing in ((["table", "whisper"], "--dim and --positions"),
                               (["timestep", "ddpm"], "--dim and --steps"),
                               (["grid", "mae-2d"], "--height, --width and --dim"),
                               (["grid", "diffusers-3d"], "--extent t=N, --height, --width and --dim"),
                               (["rotary", "llama"], "--in and --positions"), (["bias", "alibi"], "--queries, --keys and --heads"),
                               (["explain", "whisper"], "--dim, --column and --position"),
                               (["explain", "alibi"], "--dim, --column, --key and --position"),
                               (["explain", "t5-bucket"], "--key and --position"),
                               (["resize", "vit-resize"], "--in, --height and --width")):
            self.assert_refused(words, f"[{words[0]}] {missing} must be given, got none")

    def test_a_preset_of_another_verb_is_told_before_what_is_missing(self):
        self.assert_refused(["grid", "whisper"], "this one is for posenc table")
        self.assert_refused(["table", "llama"], "this one is for posenc rotary")

    def test_verbs_of_files_name_all_that_is_missing(self):
        for words, missing in ((["check"], "a file and --against"), (["check", "q.npy"], "--against"),
                               (["convert"], "IN, OUT and --pairing (or --layout, --first or --rows)"),
                               (["convert", "--pairing", "adjacent:split_half"], "IN, OUT and --heads (or --config)"),
                               (["convert", "--rows", "4"], "IN and OUT")):
            self.assert_refused(words, f"[{words[0]}] {missing} must be given, got none")

    # ---- words of other tools

    def test_options_of_other_tools_name_ours(self):
        for verb, option, ours in (("table", "-o", "--out"), ("table", "--output", "--out"), ("rotary", "--file", "--in"),
                                   ("table", "--file", "--out"), ("table", "--length", "--positions"),
                                   ("cache", "--max_len", "--positions"), ("timestep", "--length", "--steps"),
                                   ("grid", "--length", "--extent"), ("grid", "-n", "--extent"),
                                   ("table", "--d_model", "--dim"), ("table", "--hidden-size", "--dim"),
                                   ("table", "--width", "--dim"), ("cache", "--theta", "--set"),
                                   ("table", "--precision", "--dtype"), ("encode", "-o", "--out"),
                                   ("bias", "-j", "--threads"), ("grid", "--model", "--preset")):
            self.assert_refused([verb, option, "4"], f"(nearest: {ours}), got '{option}'")

    def test_an_option_that_a_verb_has_is_not_another_tool_s(self):
        self.assert_refused(["grid", "mae-2d", "--width", "x", "--height", "2", "--dim", "8"],
                            "--width must be an integer in plain digits")
        self.assert_refused(["doctor", "--length", "4"], "options must be those of posenc doctor --help, got '--length'")

    def test_types_of_other_tools_name_ours(self):
        for word, ours in (("float16", "f16"), ("torch.float16", "f16"), ("float32", "f32"), ("np.float64", "f64"),
                           ("half", "f16"), ("double", "f64"), ("bfloat16", "bf16"), ("BF16", "bf16"), ("F32", "f32")):
            self.assert_refused(["table", "whisper", "--dim", "8", "--positions", "0:4", "--dtype", word],
                                f"--dtype must be f32, f64, f16 or bf16 (nearest: {ours}), got '{word}'")

    # ---- capitals

    def test_case_does_not_change_the_kind_of_answer(self):
        for name, exact in (("Llama", "llama"), ("WHISPER", "whisper"), ("Rope-Half", "rope-half"), ("T5-Bucket", "t5-bucket")):
            self.assertEqual(self.json_of("presets", name), self.json_of("presets", exact), name)
            self.assertEqual(self.run_tool("presets", name), self.run_tool("presets", exact), name)
        self.assertEqual(self.run_tool("presets", "Whisper", "MAE-1d"), self.run_tool("presets", "whisper", "mae-1d"))
        self.assertEqual(self.run_tool("compare", "Whisper", "MAE-1d"), self.run_tool("compare", "whisper", "mae-1d"))

    def test_a_preset_is_read_in_any_case(self):
        words = ("--dim", "8", "--positions", "0:4")
        for name in (("--preset", "Whisper"), ("WHISPER",)):
            self.assertEqual(self.json_of("table", *name, *words), self.json_of("table", "whisper", *words))

    def test_no_two_names_differ_by_case_alone(self):
        names = [name for preset in self.json_of("presets")["presets"] for name in [preset["name"], *preset["aliases"]]]
        folded = {name.lower() for name in names}
        self.assertEqual(len(folded), len(set(names)))

    def test_a_file_is_not_taken_for_a_preset_in_capitals(self):
        self.run_tool("table", "whisper", "--dim", "8", "--positions", "0:8", "--out", "x.npy")
        (self.folder / "x.npy").rename(self.folder / "MAE-1d")
        done = self.start("compare", "MAE-1d", "whisper", "--dim", "8")
        self.assertNotEqual(done.stdout, self.start("compare", "mae-1d", "whisper", "--dim", "8").stdout)


if __name__ == "__main__":
    tool_case.main()
