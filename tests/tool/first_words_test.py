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
            self.assertIn(f"posenc {verb} [NAME", told)
            self.assertIn("is a preset, in the place of --preset", told)

    # ---- a convention as the next word

    def test_what_a_file_is_checked_against_is_the_second_word(self):
        self.run_tool("table", "whisper", "--dim", "8", "--out", "pe.npy")
        for against in ("whisper", "Whisper", "mae-1d", "pe.npy"):
            stated, word = self.start("check", "pe.npy", "--against", against), self.start("check", "pe.npy", against)
            self.assertIn(stated.returncode, (0, 1))
            self.assertEqual((word.returncode, word.stdout), (stated.returncode, stated.stdout), against)
        told = self.json_of("check", "pe.npy", "whisper")
        self.assertEqual((told["file"], told["against"]), ("pe.npy", "whisper"))
        self.assert_refused(["check", "pe.npy", "whisper", "--against", "mae-1d"],
                            "the other convention must be given once, as the second word or by --against, got 'whisper' and 'mae-1d'")
        self.assert_refused(["check", "pe.npy", "whisper", "mae-1d"], "there must be at most two names, got 'mae-1d'")
        self.assert_refused(["check", "--against", "whisper"], "a file must be given, got none")
        self.assert_refused(["check", "-", "-"], "standard input must be named once")

    def test_what_an_entry_is_compared_with_is_the_second_word(self):
        words = ("--dim", "8", "--position", "3", "--column", "1")
        self.assertEqual(self.run_tool("explain", "whisper", "mae-1d", *words),
                         self.run_tool("explain", "whisper", *words, "--against", "mae-1d"))
        self.assert_refused(["explain", "whisper", "mae-1d", *words, "--against", "xlm"],
                            "the other convention must be given once")

    def test_the_cases_of_a_score_are_the_words_behind_it(self):
        (self.folder / "answers").mkdir()
        for words in (("whisper",), ("whisper", "mae-1d")):
            only = [word for name in words for word in ("--only", name)]
            self.assertEqual(self.start("conformance", "score", *words, "--files", "answers").stdout,
                             self.start("conformance", "score", *only, "--files", "answers").stdout)
        self.assert_refused(["conformance", "score", "wisper", "--files", "answers"], "--only must be a case, got 'wisper'")

    def test_a_preset_behind_a_file_to_identify_names_the_verb_for_it(self):
        self.assert_refused(["identify", "q.npy", "whisper"],
                            "one file must be given (posenc check says whether it is what a preset says), got 'whisper'")

    def test_the_next_word_is_completed(self):
        for words in (("check", "pe.npy", "whis"), ("check", "pe.npy", "--against", "whis"), ("explain", "mae-1d", "whis"),
                      ("conformance", "score", "whis")):
            self.assertIn("whisper", self.run_tool("complete", *words).splitlines())
        for words in (("check", "pe.npy", "whisper", ""), ("explain", "whisper", "mae-1d", "")):
            self.assertEqual(self.run_tool("complete", *words), self.run_tool("complete", *words[:-1], "-"))

    # ---- all that is missing

    def test_all_that_is_missing_without_a_preset_is_named_at_once(self):
        out = ("--out", "x.npy")
        for words, missing in ((["table", *out], f"{CONVENTION}, --dim and --positions"),
                               (["table", "--dim", "8", *out], f"{CONVENTION} and --positions"),
                               (["timestep", *out], f"{CONVENTION}, --dim and --steps"),
                               (["grid", *out], f"{CONVENTION}, --height, --width and --dim"),
                               (["rotary", *out], f"{CONVENTION}, --in and --positions"),
                               (["cache", *out], f"{CONVENTION}, --dim and --positions"),
                               (["table"], f"{CONVENTION} and --dim"), (["timestep"], f"{CONVENTION} and --dim"),
                               (["grid"], f"{CONVENTION} and --dim"), (["rotary"], f"{CONVENTION} and --in"),
                               (["cache"], f"{CONVENTION} and --dim"),
                               (["bias"], CONVENTION), (["explain"], f"{CONVENTION} and --position"),
                               (["resize"], f"{CONVENTION}, --in, --height and --width")):
            self.assert_refused(words, f"[{words[0]}] {missing} must be given, got none")

    def test_all_that_a_preset_asks_for_is_named_at_once(self):
        out = ("--out", "x.npy")
        for words, missing in ((["table", "transformer", *out], "--dim and --positions"),
                               (["table", "whisper", *out], "--dim"), (["table", "transformer"], "--dim"),
                               (["timestep", "ddpm", *out], "--dim and --steps"),
                               (["grid", "mae-2d", *out], "--height, --width and --dim"),
                               (["grid", "mae-2d", "--height", "4"], "--width and --dim"),
                               (["grid", "diffusers-3d", *out], "--extent t=N, --height, --width and --dim"),
                               (["rotary", "llama", *out], "--in and --positions"), (["rotary", "llama"], "--in"),
                               (["bias", "alibi"], "--queries, --keys and --heads"),
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

    # ---- positions that are not stated

    def excerpt(self, *words):
        """What a call shows, and its first note."""
        done = self.start(*words)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode(), done.stderr.decode().splitlines()[0]

    def test_a_preset_that_states_its_rows_has_them(self):
        for preset, rows in (("whisper", 1500), ("pytorch", 5000), ("xlm", 512), ("Whisper", 1500)):
            shown, note = self.excerpt("table", preset, "--dim", "384")
            self.assertEqual(shown, self.run_tool("table", preset, "--dim", "384", "--positions", f"0:{rows}"))
            self.assertEqual(note, f"posenc: taken, as none are stated: --positions 0:{rows}, the rows of the original's table")
        for words in (("--json",), ("--set", "layout=interleaved", "--json")):
            self.assertEqual(self.json_of("table", "whisper", "--dim", "8", *words[:-1])["shape"], [1500, 8])
        self.run_tool("table", "whisper", "--dim", "8", "--out", "own.npy")
        self.run_tool("table", "whisper", "--dim", "8", "--positions", "0:1500", "--out", "stated.npy")
        self.assertEqual((self.folder / "own.npy").read_bytes(), (self.folder / "stated.npy").read_bytes())
        self.assertIn("1500 in the original", self.run_tool("presets", "whisper"))
        self.assertIn("max_len", self.run_tool("table", "--help"))

    def test_a_model_s_configuration_states_its_rows(self):
        config = {"model_type": "whisper", "d_model": 8, "max_source_positions": 30, "max_target_positions": 4}
        (self.folder / "config.json").write_text(tool_case.json.dumps(config))
        told = self.json_of("table", "--config", "config.json:embedding.encoder")
        self.assertEqual(told["shape"], [30, 8])
        _, note = self.excerpt("table", "--config", "config.json:embedding.encoder")
        self.assertEqual(note, "posenc: taken, as none are stated: --positions 0:30, the rows of the model's table")

    def test_an_excerpt_takes_a_few_positions_and_says_which(self):
        for words, taken in ((("table", "transformer", "--dim", "8"), ("--positions", "0:8")),
                             (("table", "dab-detr-anchor", "--dim", "16"), ("--positions", "y=0:8", "--positions", "x=0:8",
                                                                            "--positions", "w=0:8", "--positions", "h=0:8")),
                             (("timestep", "ddpm", "--dim", "8"), ("--steps", "0:8")),
                             (("grid", "mae-2d", "--dim", "8"), ("--height", "8", "--width", "8")),
                             (("grid", "diffusers-3d", "--dim", "96"), ("--extent", "t=8", "--height", "8", "--width", "8")),
                             (("cache", "gpt-j", "--dim", "64"), ("--positions", "0:8")),
                             (("rotary", "llama", "--in", "q.npy"), ("--positions", "0:2")),
                             (("table", "transformer", "--dim", "8", "--plot", "-"), ("--positions", "0:8"))):
            shown, note = self.excerpt(*words)
            self.assertEqual(note, f"posenc: taken, as none are stated: {' '.join(taken)}")
            self.assertEqual(shown, self.run_tool(*words, *taken))

    def test_a_terminal_shows_biases_of_a_few_queries_and_keys(self):
        for words, taken in ((("bias", "alibi", "--heads", "2"), ("--queries", "0:8", "--keys", "0:8")),
                             (("bias", "t5-bucket"), ("--queries", "0:8", "--keys", "0:8")),
                             (("bias", "llama4-temperature"), ("--positions", "0:8")),
                             (("bias", "learned"), ("--positions", "0:8"))):
            shown = self.on_terminal(*words)
            note = f"posenc: taken, as none are stated: {' '.join(taken)}\n"
            self.assertIn(note, shown)
            self.assertEqual(shown.replace(note, ""), self.on_terminal(*words, *taken))

    def test_what_is_kept_has_its_positions_stated(self):
        for words, option in ((("table", "transformer", "--dim", "8"), "--positions"),
                              (("timestep", "ddpm", "--dim", "8"), "--steps"),
                              (("grid", "mae-2d", "--dim", "8"), "--height and --width"),
                              (("cache", "gpt-j", "--dim", "64"), "--positions"),
                              (("rotary", "llama", "--in", "q.npy"), "--positions"),
                              (("bias", "t5-bucket"), "--queries and --keys")):
            for kept in (("--out", "x.npy"), ("--out", "-"), ("--json",)):
                self.assert_refused([*words, *kept], f"{option} must be given, got none")
        self.assert_refused(["table", "transformer", "--dim", "8", "--plot", "x.png"], "--positions must be given, got none")

    # ---- words of other tools

    def test_options_of_other_tools_name_ours(self):
        for verb, option, ours in (("table", "-o", "--out"), ("table", "--output", "--out"), ("rotary", "--file", "--in"),
                                   ("table", "--file", "--out"), ("table", "--length", "--positions"),
                                   ("cache", "--max_len", "--positions"), ("timestep", "--length", "--steps"),
                                   ("grid", "--length", "--extent"), ("grid", "-n", "--extent"),
                                   ("table", "--d_model", "--dim"), ("table", "--hidden-size", "--dim"),
                                   ("table", "--width", "--dim"), ("cache", "--theta", "--set"),
                                   ("table", "--precision", "--dtype"), ("encode", "-o", "--out"),
                                   ("bias", "-j", "--threads"), ("grid", "--model", "--preset"),
                                   ("tokens", "-o", "--out"), ("demo", "-o", "--out"), ("table", "--output_file", "--out"),
                                   ("tokens", "--length", "--max-length"), ("encode", "--length", "--max-length"),
                                   ("resize", "--length", "--height"), ("convert", "--length", "--rows")):
            self.assert_refused([verb, option, "4"], f"(nearest: {ours}), got '{option}'")

    def test_a_verb_that_writes_no_file_says_where_its_answer_goes(self):
        told = "its answer goes to standard output, as JSON with --json"
        for verb in ("compare", "inspect", "explain", "check", "identify", "doctor", "completion"):
            for option in ("-o", "--output", "--out"):
                self.assert_refused([verb, option, "x"], f"(it writes no file: {told}), got '{option}'")
        for verb in ("presets", "order"):
            self.assert_refused([verb, "-o", "x"], f"({told}; --plot writes a picture), got '-o'")
        self.assert_refused(["convert", "-o", "x"], "(its output is the second word, OUT), got '-o'")
        self.assert_refused(["conformance", "-o", "x"], "(write DIR has the folder of its files; a score goes to standard output")

    def test_every_verb_answers_to_an_output_of_other_tools(self):
        for verb in tool_case.re.findall(r"^  posenc (\w+)", self.run_tool("--help"), tool_case.re.MULTILINE):
            self.assertRegex(self.start(verb, "-o", "x").stderr.decode(), r"nearest: --out|output", verb)

    def test_a_verb_of_texts_takes_them_whole(self):
        for verb in ("order", "run"):
            for option in ("--length", "--max_length"):
                self.assert_refused([verb, option, "4"], f"(texts are taken whole), got '{option}'")

    def test_an_option_that_a_verb_has_is_not_another_tool_s(self):
        self.assert_refused(["grid", "mae-2d", "--width", "x", "--height", "2", "--dim", "8"],
                            "--width must be an integer in plain digits")
        self.assert_refused(["doctor", "--length", "4"], "options must be those of posenc doctor --help, got '--length'")

    def test_types_of_other_tools_name_ours(self):
        for word, ours in (("float16", "f16"), ("torch.float16", "f16"), ("float32", "f32"), ("np.float64", "f64"),
                           ("half", "f16"), ("double", "f64"), ("bfloat16", "bf16"), ("Float16", "f16"), ("BFloat16", "bf16")):
            self.assert_refused(["table", "whisper", "--dim", "8", "--positions", "0:4", "--dtype", word],
                                f"--dtype must be f32, f64, f16 or bf16 (nearest: {ours}), got '{word}'")

    # ---- capitals

    def test_case_does_not_change_the_kind_of_answer(self):
        for name, exact in (("Llama", "llama"), ("WHISPER", "whisper"), ("Rope-Half", "rope-half"), ("T5-Bucket", "t5-bucket")):
            self.assertEqual(self.json_of("presets", name), self.json_of("presets", exact), name)
            self.assertEqual(self.run_tool("presets", name), self.run_tool("presets", exact), name)
        self.assertEqual(self.run_tool("presets", "Whisper", "MAE-1d"), self.run_tool("presets", "whisper", "mae-1d"))
        self.assertEqual(self.run_tool("compare", "Whisper", "MAE-1d"), self.run_tool("compare", "whisper", "mae-1d"))

    def test_words_of_options_are_read_in_any_case(self):
        table = ("table", "whisper", "--dim", "8", "--positions", "0:4")
        tool_case.write_npy(self.folder / "image.npy", "<f4", [4, 2], [0.5] * 8)
        window = ("bias", "swin-window", "--window")
        gptj = ("cache", "gpt-j", "--dim", "64", "--positions", "0:2")
        for words, capitals, exact in (
                (table, ("--dtype", "F16"), ("--dtype", "f16")), (table, ("--dtype", "BF16"), ("--dtype", "bf16")),
                (table, ("--recipe", "Original"), ("--recipe", "original")),
                (table, ("--recipe", "F32-Exp"), ("--recipe", "f32-exp")),
                (table, ("--set", "Layout=Interleaved"), ("--set", "layout=interleaved")),
                (table, ("--set=LADDER.BASE=5E2",), ("--set=ladder.base=5e2",)),
                (("encode", "--text", "a"), ("--scale", "SQRT"), ("--scale", "sqrt")),
                (("encode", "--text", "a"), ("--axes", "Batch-First"), ("--axes", "batch-first")),
                (("encode", "--text", "a", "--seed", "1", "--dim", "8", "--tokens", "bytes"), ("--init", "Normal"), ("--init", "normal")),
                (("encode", "--text", "a"), ("--weights", "Built-In"), ("--weights", "built-in")),
                (("encode", "--text", "a", "--seed", "1", "--dim", "8", "--init", "normal"), ("--tokens", "Bytes"), ("--tokens", "bytes")),
                (("rotary", "llama", "--in", "q.npy", "--positions", "0:2"), ("--side", "Key"), ("--side", "key")),
                (("explain", "xpos-lucid", "--dim", "8", "--position", "3", "--column", "1", "--centre", "0"), ("--side", "KEY"), ("--side", "key")),
                (("presets",), ("--family", "Slopes"), ("--family", "slopes")),
                (gptj, ("--tensor", "Sin_Cos"), ("--tensor", "sin_cos")), (window, ("2X3",), ("2x3",)),
                (("table", "dab-detr-image", "--dim", "8"), ("--positions", "Y=0:2", "--positions", "X=0:2"),
                 ("--positions", "y=0:2", "--positions", "x=0:2")),
                (("grid", "diffusers-3d", "--dim", "96", "--height", "2", "--width", "2"), ("--extent", "T=2"), ("--extent", "t=2")),
                (("completion",), ("Bash",), ("bash",)), (("conformance",), ("Score", "--files", "."), ("score", "--files", "."))):
            told = self.start(*words, *capitals), self.start(*words, *exact)
            self.assertIn(told[1].returncode, (0, 1), told[1].stderr)
            self.assertEqual((told[0].returncode, told[0].stdout), (told[1].returncode, told[1].stdout), capitals)

    def test_formats_and_layouts_are_read_in_any_case(self):
        for format_word in ("RAW", "Npy"):
            table = ("table", "whisper", "--dim", "8", "--positions", "0:4", "--out", "-", "--format")
            self.assertEqual(self.start(*table, format_word).stdout, self.start(*table, format_word.lower()).stdout)
        self.run_tool("table", "transformer", "--dim", "8", "--positions", "0:4", "--out", "pe.npy")
        for layout in ("Interleaved:Sine_First", "interleaved:sine_first"):
            self.run_tool("convert", "--layout", layout, "pe.npy", f"{layout[0]}.npy")
        self.assertEqual((self.folder / "I.npy").read_bytes(), (self.folder / "i.npy").read_bytes())

    def test_verbs_are_read_in_any_case(self):
        words = ("whisper", "--dim", "8", "--positions", "0:4")
        self.assertEqual(self.run_tool("Table", *words), self.run_tool("table", *words))
        self.assertEqual(self.run_tool("help", "TABLE"), self.run_tool("help", "table"))
        self.assertEqual(self.run_tool("HELP"), self.run_tool("help"))
        self.assertEqual(self.run_tool("--Version"), self.run_tool("--version"))
        self.assertEqual(self.run_tool("complete", "Table", "--d"), self.run_tool("complete", "table", "--d"))
        self.assert_refused(["Tabel"], "the verb must be one of posenc --help (nearest: table), got 'Tabel'")

    def test_roles_are_read_in_any_case(self):
        config = {"model_type": "whisper", "d_model": 8, "max_source_positions": 30, "max_target_positions": 4}
        (self.folder / "config.json").write_text(tool_case.json.dumps(config))
        words = ("--positions", "0:4", "--json")
        told = [tool_case.json.loads(self.run_tool("table", "--config", f"config.json:{role}", *words))
                for role in ("Embedding.Encoder", "embedding.encoder")]
        self.assertEqual(*[{**each, "name": ""} for each in told])

    def test_a_file_is_not_taken_for_a_word_in_capitals(self):
        tool_case.write_npy(self.folder / "Built-In", "<f4", [2, 4], [1.0] * 8)
        self.assert_refused(["encode", "--text", "a", "--weights", "Built-In"], "got 'Built-In'")

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
