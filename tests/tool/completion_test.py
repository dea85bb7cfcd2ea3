# SPDX-License-Identifier: Apache-2.0
# posenc completion: what a shell offers behind each word, and that bash does.

import os
import pathlib
import pty
import re
import shutil
import subprocess

import tool_case
from tool_case import ToolCase

FILES = "/"  # the shell's own completion of files


class Completion(ToolCase):
    def offered(self, *words):
        """What the last word may be."""
        return self.run_tool("complete", *words).splitlines()

    def verbs(self):
        return re.findall(r"^  posenc (\w+)", self.run_tool("--help"), re.MULTILINE)

    def preset_names(self):
        return [preset["name"] for preset in self.json_of("presets")["presets"]]

    # ---- verbs and options

    def test_the_first_word_is_a_verb_or_an_option_of_all(self):
        self.assertEqual(self.offered(""), ["--help", "--version", *self.verbs()])
        self.assertEqual(self.offered(), self.offered(""))
        self.assertEqual(self.offered("en"), ["encode"])
        self.assertEqual(self.offered("--v"), ["--version"])
        self.assertEqual(self.offered("help", "ta"), ["table"])

    def test_every_option_that_a_help_tells_is_offered(self):
        for verb in self.verbs():
            told = re.findall(r"^  (?:-h,)?(--[a-z-]+)", self.run_tool(verb, "--help"), re.MULTILINE)
            self.assertLessEqual({"--help", "--json"}, set(told))
            self.assertEqual(sorted(self.offered(verb, "-")), sorted(told), verb)

    def test_options_go_on_from_what_is_typed(self):
        self.assertEqual(self.offered("table", "--d"), ["--dim", "--dtype"])
        self.assertEqual(self.offered("table", "--dim", "4", "--p"), ["--preset", "--positions", "--plot"])
        self.assertEqual(self.offered("table", "--nothing"), [])

    def test_where_no_word_of_its_own_may_stand_it_is_an_option(self):
        self.assertEqual(self.offered("table", "whisper", ""), self.offered("table", "-"))
        self.assertEqual(self.offered("table", "--spec", "c.json", ""), self.offered("table", "-"))
        self.assertEqual(self.offered("doctor", ""), self.offered("doctor", "-"))
        self.assertEqual(self.offered("completion", "bash", ""), self.offered("completion", "-"))

    # ---- values

    def test_a_preset_by_its_beginning(self):
        self.assertEqual(self.offered("table", "--preset", ""), self.preset_names())
        begun = [name for name in self.preset_names() if name.startswith("whis")]
        self.assertIn("whisper", begun)
        self.assertEqual(self.offered("encode", "--preset", "whis"), begun)
        self.assertEqual(self.offered("grid", "--preset=whis"), [f"--preset={name}" for name in begun])
        self.assertEqual(self.offered("presets", "whis"), begun)
        for verb in ("table", "grid", "timestep", "rotary", "cache", "bias", "resize", "explain"):
            self.assertEqual(self.offered(verb, "whis"), begun)

    def test_a_recipe_is_one_of_the_presets_or_any_by_name(self):
        recipes = self.offered("table", "--recipe", "")
        self.assertEqual(recipes[:2], ["original", "exact"])
        self.assertLessEqual({preset["original"]["name"] for preset in self.json_of("presets")["presets"]}, set(recipes))

    def test_words_of_an_option(self):
        for verb, option, words in (("table", "--dtype", ["f32", "f64", "f16", "bf16"]),
                                    ("encode", "--axes", ["batch-first", "sequence-first"]),
                                    ("encode", "--scale", ["sqrt", "none"]), ("encode", "--init", ["normal", "scaled"]),
                                    ("encode", "--tokens", ["bpe", "chars", "words", "bytes", "ids", "bpe:", "sentencepiece:"])):
            self.assertEqual(self.offered(verb, option, ""), words)

    def test_a_number_or_a_text_has_no_words(self):
        for words in (["table", "--dim", ""], ["encode", "--text", ""], ["encode", "--seed="]):
            self.assertEqual(self.offered(*words), [])

    def test_files_are_left_to_the_shell(self):
        for words in (["encode", ""], ["table", "--out", "a"], ["table", "--out=a"], ["table", "--plot", ""],
                      ["table", "--spec", ""], ["table", "--positions", ""], ["encode", "--vocab", ""],
                      ["encode", "--weights", ""], ["encode", "--tokens", "bpe:"], ["encode", "--tokens", "bpe:to"], ["demo", "--out", ""]):
            self.assertEqual(self.offered(*words), [FILES], words)

    # ---- fields

    def test_set_offers_every_path_of_the_preset(self):
        for preset in ("transformer", "rope-half", "alibi", "mae-2d"):
            shown = self.run_tool("presets", preset).partition("Every field, as --set names it:\n")[2]
            fields = {line.split()[0] for line in shown.splitlines()}
            paths = self.offered("table", "--preset", preset, "--set", "")
            self.assertTrue(all(path.endswith("=") for path in paths), paths)
            self.assertEqual(len(set(paths)), len(paths))
            if "ladders" in fields:  # is changed by the fields of each, or by its kind
                fields = fields - {"ladders"} | {"ladder", "ladder.base", "ladder.spacing.over"}
            self.assertLessEqual({f"{field}=" for field in fields - {"deal"}}, set(paths), preset)

    def test_paths_within_a_ladder(self):
        paths = ["ladder.unit=", "ladder.base=", "ladder.first=", "ladder.slope=", "ladder.spacing=",
                 "ladder.spacing.over=", "ladder.spacing.width=", "ladder.spacing.shift=", "ladder.spacing.least=",
                 "ladder.scaling="]
        for words in (["table", "--preset", "whisper"], ["table", "whisper"], ["encode"], ["presets", "whisper"]):
            self.assertEqual(self.offered(*words, "--set", "ladder."), paths)

    def test_what_is_set_before_has_its_fields(self):
        before = ["presets", "rope-half", "--set", "ladder.scaling=linear"]
        self.assertEqual(self.offered(*before, "--set", "ladder.scaling."), ["ladder.scaling.factor="])
        self.assertEqual(self.offered("table", "--set", "ladder=listed", "--set", "ladder.f"), ["ladder.frequencies="])

    def test_words_of_a_field_stand_behind_the_sign(self):
        self.assertEqual(self.offered("table", "--set", "layout="),
                         ["layout=interleaved", "layout=sine_first", "layout=cosine_first"])
        self.assertEqual(self.offered("table", "--set=layout=s"), ["--set=layout=sine_first"])
        self.assertEqual(self.offered("presets", "rope-half", "--set", "pairing=a"), ["pairing=adjacent"])
        self.assertEqual(self.offered("table", "--set", "ladder="),
                         ["ladder=geometric", "ladder=listed", "ladder=linear", "ladder=runaway"])

    def test_every_word_that_is_offered_is_read(self):
        for preset in ("transformer", "rope-half", "alibi"):
            for path in self.offered("presets", preset, "--set", ""):
                for word in self.offered("presets", preset, "--set", path)[:2]:
                    done = self.start("presets", preset, "--set", word + ("1" if word.endswith("=") else ""))
                    self.assertNotRegex(done.stderr.decode(), r"the path must|must be one of|end of the path", word)

    def test_the_fields_of_a_file(self):
        spec = self.json_of("presets", "alibi")["presets"][0]["convention"]
        (self.folder / "c.json").write_text(tool_case.json.dumps(spec))
        self.assertEqual(self.offered("table", "--spec", "c.json", "--set", "oct"), ["octaves="])

    def test_nothing_is_offered_behind_what_is_refused(self):
        for words in (["frobnicate", ""], ["table", "--preset", "none", "--set", ""],
                      ["table", "--spec", "missing.json", "--set", ""], ["table", "--set", "layout", "--set", ""]):
            self.assertEqual(self.offered(*words), [])

    # ---- scripts

    def test_the_script_of_each_shell(self):
        for shell, line in (("bash", "complete -F _posenc posenc"), ("zsh", "compdef _posenc posenc"),
                            ("fish", "complete -c posenc")):
            text = self.run_tool("completion", shell)
            self.assertIn(line, text)
            self.assertEqual(self.json_of("completion", shell),
                             {"operation": "completion", "shell": shell, "script": text})
        self.assertEqual(self.offered("completion", ""), ["bash", "zsh", "fish"])

    def test_another_shell_is_refused(self):
        rule = "[completion] the shell must be bash, zsh or fish, got "
        self.assert_refused(["completion", "tcsh"], rule + "'tcsh'")
        self.assert_refused(["completion"], rule + "none")
        self.assert_refused(["completion", "bash", "zsh"], "there must be at most one name, got 'zsh'")

    def test_zsh_finds_the_script_in_a_folder_of_functions(self):
        self.assertEqual(self.run_tool("completion", "zsh").splitlines()[0], "#compdef posenc")
        if shutil.which("zsh") is None:
            self.skipTest("zsh is not there")
        (self.folder / "_posenc").write_text(self.run_tool("completion", "zsh"))
        done = subprocess.run(["zsh", "-fc", "fpath=($PWD $fpath); autoload -U compinit; compinit -u -D; print $_comps[posenc]\n"
                               "compadd() { print -l -- ${@:#-*} }; words=(posenc pre) CURRENT=2 PREFIX=pre; _posenc; "
                               "unfunction _posenc; source ./_posenc; print $functions[_posenc]"], cwd=self.folder,
                              env=self.environment(), capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr, "")
        self.assertEqual([line for line in done.stdout.splitlines() if line][:2], ["_posenc", "presets"])
        self.assertIn("compadd", done.stdout)

    # ---- bash

    def environment(self, **more):
        path = f"{pathlib.Path(tool_case.TOOL).parent}:{os.environ['PATH']}"
        return {**os.environ, "PATH": path, "HOME": str(self.folder), **more}  # histories and settings are not ours

    def bash(self, commands):
        done = subprocess.run(["bash", "--norc", "-c", f"source <(posenc completion bash)\n{commands}"], cwd=self.folder,
                              env=self.environment(), stdin=subprocess.DEVNULL, capture_output=True, timeout=120)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout.decode().splitlines()

    def reply(self, line, *words):
        """COMPREPLY where bash has cut the line into these words."""
        quoted = " ".join(f"'{word}'" for word in words)
        return self.bash(f"COMP_LINE='{line}' COMP_POINT={len(line)} COMP_WORDS=({quoted}) COMP_CWORD={len(words) - 1}\n"
                         "_posenc posenc 2>/dev/null\n[ ${#COMPREPLY[@]} = 0 ] || printf '%s\\n' \"${COMPREPLY[@]}\"")

    def test_bash_gets_what_is_offered(self):
        self.assertEqual(self.reply("posenc pre", "posenc", "pre"), ["presets"])
        self.assertEqual(self.reply("posenc  table  --d", "posenc", "table", "--d"), ["--dim", "--dtype"])
        self.assertEqual(self.reply("posenc table --dim ", "posenc", "table", "--dim", ""), [])

    def test_bash_ends_words_at_the_sign(self):
        layouts = ["interleaved", "sine_first", "cosine_first"]
        for line, words in (("--set layout=", ["--set", "layout", "="]), ("--set layout=s", ["--set", "layout", "=", "s"]),
                            ("--set=layout=", ["--set", "=", "layout", "="])):
            self.assertEqual(self.reply(f"posenc table {line}", "posenc", "table", *words),
                             layouts[1:2] if line.endswith("s") else layouts, line)
        self.assertEqual(self.reply("posenc table --set layout=x --d", "posenc", "table", "--set", "layout", "=", "x", "--d"),
                         ["--dim", "--dtype"])

    def typed(self, keys):
        """What a bash at a terminal prints after these keys."""
        (self.folder / "rc").write_text("PS1=; bind 'set enable-bracketed-paste off'; source <(posenc completion bash)\n")
        main, terminal = pty.openpty()
        with subprocess.Popen(["bash", "--rcfile", "rc", "-i"], cwd=self.folder, stdin=terminal, stdout=subprocess.PIPE,
                              stderr=terminal, env=self.environment(TERM="dumb"), start_new_session=True) as shell:
            os.close(terminal)
            os.write(main, keys.encode() + b"\nexit\n")
            out, _ = shell.communicate(timeout=60)
        os.close(main)
        return out.decode()

    def test_keys_at_a_terminal(self):
        self.assertIn("octaves", self.typed("posenc pre\talib\t --js\t"))
        self.assertIn('"layout":"sine_first"', self.typed("posenc presets transf\t --set layo\tsine\t --json"))
        spec = self.json_of("presets", "alibi")["presets"][0]["convention"]
        (self.folder / "fields.json").write_text(tool_case.json.dumps(spec))
        self.assertIn("'fields.json with octaves=7'",
                      self.typed("posenc table --spec fie\t --set oct\t7 --positions 0:1 --dim 4 --out x.npy 2>&1"))


if __name__ == "__main__":
    tool_case.main()
