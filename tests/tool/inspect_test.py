# SPDX-License-Identifier: Apache-2.0
# posenc inspect, and --config of the verbs that make numbers.

import json
import shutil

import tool_case
from tool_case import ToolCase, read_safetensors

CONFIGS = "tests/inspect/configs"
LLAMA = {"model_type": "llama", "hidden_size": 4096, "num_attention_heads": 32, "num_hidden_layers": 4,
         "max_position_embeddings": 4096, "rope_theta": 10000.0}


class Inspect(ToolCase):
    def config(self, name):
        """A configuration of the fixtures, in the folder of this case."""
        shutil.copy(tool_case.SOURCE / CONFIGS / f"{name}.json", self.folder / "config.json")
        return "config.json"

    def write(self, name, **changes):
        (self.folder / name).write_text(json.dumps({**LLAMA, **changes}))
        return name

    def test_every_number_has_the_key_that_it_came_from(self):
        found = self.json_of("inspect", self.config("llama-3.1-8b"))
        role = found["roles"]["rotary"]
        self.assertEqual(role["preset"], "rope-llama3")
        self.assertEqual(role["width"], {"head": 128, "rotated": 128})
        self.assertEqual(role["convention"]["ladders"][0]["base"], 500000)
        self.assertEqual(len(role["frequencies"]["any length"]), 64)
        self.assertEqual(found["layers"], {"count": 32, "rotary": "all", "without": []})
        at = "/roles/rotary/convention/ladders/0/"
        self.assertEqual(found["from"][at + "base"], "/rope_theta")
        self.assertEqual(found["from"][at + "scaling/low"], "/rope_scaling/low_freq_factor")
        self.assertEqual(found["from"]["/roles/rotary/width/head"], "/hidden_size over /num_attention_heads")
        text = self.run_tool("inspect", "config.json")
        for words in ("/rope_theta", "llama3", "/hidden_size over /num_attention_heads", "500000"):
            self.assertIn(words, text)

    def test_the_page_shows_what_is_printed(self):
        page = (tool_case.SOURCE / "docs/inspect.md").read_text()
        shown = page.split("$ posenc inspect config.json\n", 1)[1].split("\n\n", 1)[0]
        printed = self.run_tool("inspect", self.config("llama-3.1-8b"))
        self.assertEqual([line.strip() for line in shown.splitlines()], [line.strip() for line in printed.splitlines()])

    def test_a_folder_and_standard_input_are_read_alike(self):
        name = self.config("qwen3-8b")
        whole = self.json_of("inspect", name)
        self.assertEqual(whole, {**self.json_of("inspect", "."), "source": name})
        with open(self.folder / name) as file:
            self.assertEqual(whole, {**self.json_of("inspect", "-", stdin=file), "source": name})

    def test_what_it_wrote_it_reads_again(self):
        self.config("gemma-3-4b-text")
        first = self.run_tool("inspect", "config.json", "--json")
        (self.folder / "positions.json").write_text(first)
        self.assertEqual(self.run_tool("inspect", "positions.json", "--json"), first)
        self.assertIn("same positions", self.run_tool("inspect", "config.json", "positions.json"))

    def test_two_spellings_of_a_model_have_the_same_positions(self):
        for old, new in (("llama-3.1-8b", "llama-3.1-8b-new"), ("gemma-3-4b-text", "gemma-3-4b-text-new"),
                         ("phi-3.5-mini", "phi-3-mini-su")):
            a, b = (str(tool_case.SOURCE / CONFIGS / f"{name}.json") for name in (old, new))
            self.assertEqual(self.json_of("inspect", a, b)["differences"], [], old)

    def test_of_two_models_what_differs_is_told(self):
        a, b = self.write("a.json"), self.write("b.json", rope_theta=500000.0)
        lines = self.run_tool("inspect", a, b).splitlines()
        self.assertEqual(lines[0], "/roles/rotary/convention/ladders/0/base: 500000, not 10000")

    def test_a_role_of_a_window_has_its_cells(self):
        swin = {"model_type": "swin", "image_size": 16, "patch_size": 4, "embed_dim": 8, "depths": [1, 1],
                "num_heads": [1, 2], "window_size": 3}
        (self.folder / "swin.json").write_text(json.dumps(swin))
        for role, window in (("bias.stage1", "3x3"), ("bias.stage2", "2x2")):
            stated = self.run_tool("bias", "--preset", "swin-window", "--window", window)
            self.assertEqual(self.run_tool("bias", "--config", f"swin.json:{role}"), stated)
        other = self.run_tool("bias", "--config", "swin.json:bias.stage1", "--window", "2x2")
        self.assertEqual(other, self.run_tool("bias", "--preset", "swin-window", "--window", "2x2"))

    def test_a_role_stands_in_place_of_a_preset(self):
        name = self.write("c.json")
        out = ["--positions", "0:3", "--out"]
        self.run_tool("cache", "--config", name, *out, "a.safetensors")
        self.run_tool("cache", "--preset", "llama", "--set", "stored=halves_twice", "--dim", "128", *out, "b.safetensors")
        self.assertEqual(*[read_safetensors(self.folder / file) for file in ("a.safetensors", "b.safetensors")])
        self.config("gemma-3-4b-text")
        self.run_tool("cache", "--config", "config.json:rotary.full_attention", *out, "c.safetensors")
        self.assert_refused(["cache", "--config", "config.json", *out, "d.safetensors"],
                            "got rotary.sliding_attention, rotary.full_attention")
        self.assert_refused(["cache", "--config", "config.json:rotary", *out, "d.safetensors"], "must be one of")
        self.assert_refused(["cache", "--config", name, "--preset", "llama", *out, "d.safetensors"],
                            "one of --preset and --config")
        self.assert_refused(["cache", "--config", name, *out, "c.json"], "--out and --config must be two files")

    def test_a_long_context_has_the_frequencies_of_its_length(self):
        name = self.config("phi-3.5-mini")
        listed = self.json_of("inspect", name)["roles"]["rotary"]["frequencies"]
        cache = ["cache", "--config", name, "--positions", "0:2", "--tensor", "inv_freq", "--out", "w.npy"]
        for length, lengths in (("4096", "length <= 4096"), ("4097", "length > 4096")):
            self.run_tool(*cache, "--length", length)
            self.assertEqual(list(self.npy("w.npy")[2]), listed[lengths])
            asked = self.json_of("inspect", name, "--length", length)["roles"]["rotary"]["frequencies"]
            self.assertEqual(asked, {f"length {length}": listed[lengths]})
        self.assert_refused(cache, "length")

    def test_a_signal_comes_with_its_scale(self):
        self.config("marian-en-de")
        text = ["encode", "--text", "a b", "--out"]
        self.run_tool(*text, "a.npy", "--config", "config.json")
        self.run_tool(*text, "b.npy", "--preset", "marian-hf", "--scale", "sqrt")
        self.assertEqual(self.npy("a.npy"), self.npy("b.npy"))
        convention = self.json_of("inspect", "config.json")["roles"]["embedding"]["convention"]
        (self.folder / "spec.json").write_text(json.dumps(convention))
        self.assert_refused([*text, "c.npy", "--spec", "spec.json"], "--scale must be given with --table, --spec")
        self.run_tool(*text, "c.npy", "--spec", "spec.json", "--scale", "sqrt")
        self.assertEqual(self.npy("a.npy"), self.npy("c.npy"))
        self.run_tool("table", "--config", "config.json", "--positions", "0:4", "--out", "d.npy")
        self.assertEqual(self.npy("d.npy")[1], (4, 512))

    def test_what_it_does_not_understand_it_refuses_by_name(self):
        for changes, words in (({"rope_thetas": 1}, "/rope_thetas"), ({"model_type": "lama"}, "such as llama"),
                               ({"rope_scaling": {"type": "linear", "factor": 2, "beta": 1}}, "/rope_scaling/beta"),
                               ({"rope_scaling": {"type": "linear"}}, "/rope_scaling/factor must be stated")):
            self.assert_refused(["inspect", self.write("c.json", **changes)], words)
        self.assert_refused(["inspect"], "one configuration must be given, or two")
        self.assert_refused(["inspect", "none.json"], "No such file")
        self.assert_refused(["inspect", "-", "-"], "standard input must be named once")
        self.assert_refused(["inspect", self.write("c.json"), "--length", "0"], "--length must be")
        self.assertIn("rope-half", self.run_tool("inspect", self.write("c.json", model_type="lama"), "--as", "llama"))
        self.assert_refused(["inspect", self.write("c.json"), "--as", "lama"], "[inspect] as must be a model type that has a row, such as llama, ")
        self.assert_refused(["inspect", self.write("c.json", model_type="lama")], "/model_type must be one that has a row")
        self.assert_refused(["inspect", self.write("c.json"), "--part", "foo"], "one of the configuration's, which has none, got 'foo'")
        self.write("two.json", model_type="gemma3", text_config={**LLAMA, "model_type": "gemma3_text"}, vision_config={"a": 1})
        self.assert_refused(["inspect", "two.json", "--part", "foo"], "one of the configuration's, text, vision, got 'foo'")

    def run_in_part(self, *arguments):
        """What a call prints that exits with 2, and its one line on standard error."""
        done = self.start("inspect", *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        message = done.stderr.decode()
        self.assertRegex(message, r"\Aposenc: error: \[inspect\] all positions of a model must be read, unless --partial "
                                  r"takes those that are, got '[^\n]+\n\Z")
        self.assertLessEqual(len(done.stderr), 300)
        return done.stdout.decode(), message

    def test_a_model_that_is_read_in_part_is_printed_and_exits_with_2(self):
        tower = {"model_type": "pixtral", "hidden_size": 8}
        text = {"text_config": {**LLAMA, "model_type": "mistral"}}
        (self.folder / "m.json").write_text(json.dumps({"model_type": "mistral3", **text, "vision_config": tower}))
        printed, message = self.run_in_part("m.json")
        self.assertIn("text.rotary", printed)
        self.assertIn("\nmissing: vision: /vision_config is not read: model type 'pixtral' has no row for vision\n", printed)
        self.assertTrue(message.endswith("got 'm.json' without vision\n"), message)
        self.assertEqual(self.run_tool("inspect", "m.json", "--partial"), printed)
        listed = json.loads(self.run_in_part("m.json", "--json")[0])
        self.assertEqual([each["name"] for each in listed["missing"]], ["vision"])
        self.assertEqual(self.json_of("inspect", "m.json", "--partial"), listed)
        self.assertEqual(self.json_of("inspect", "m.json", "--part", "text")["missing"], [])
        self.run_in_part("m.json", "--part", "vision")

    def test_a_role_of_a_model_in_part_is_answered_by_its_name(self):
        text = {"text_config": {**LLAMA, "model_type": "mistral"}}
        (self.folder / "m.json").write_text(json.dumps({"model_type": "mistral3", **text, "vision_config": {"a": 1}}))
        out = ["--positions", "0:3", "--out"]
        self.run_tool("cache", "--config", "m.json:rotary", *out, "a.safetensors")
        self.run_tool("cache", "--config", self.write("l.json"), *out, "b.safetensors")
        self.assertEqual(*[read_safetensors(self.folder / file) for file in ("a.safetensors", "b.safetensors")])
        self.assert_refused(["cache", "--config", "m.json", *out, "c.safetensors"],
                            "must name text.rotary, as FILE:ROLE, since other positions of the model are not read: "
                            "/vision_config is not read")
        self.assert_refused(["cache", "--config", "m.json:vision.rotary", *out, "c.safetensors"], "as /vision_config is not")

    def test_what_is_missing_of_two_models_is_said_beside_what_differs(self):
        text = {"text_config": {**LLAMA, "model_type": "mistral"}}
        (self.folder / "a.json").write_text(json.dumps({"model_type": "mistral3", **text, "vision_config": {"a": 1}}))
        (self.folder / "b.json").write_text(json.dumps({"model_type": "llava", **text}))
        printed, _ = self.run_in_part("a.json", "b.json")
        self.assertIn("\nmissing of a.json: vision: ", printed)
        self.assertIn("\nmissing of b.json: vision: /vision_config is not stated\n", printed)
        told = self.json_of("inspect", "a.json", "b.json", "--partial")
        self.assertEqual([len(each) for each in told["missing"]], [1, 1])
        self.assertEqual(told["differences"], ["/model_type: \"llava\", not \"mistral3\""])

    def test_two_that_are_missing_of_each_of_two_models_are_lists(self):
        # Not an object, as two pairs of texts could be taken for.
        towers = {"vision_config": {"model_type": "none"}, "audio_config": {"model_type": "none"}}
        for name, model_type in (("a.json", "mistral3"), ("b.json", "llava")):
            parts = {"text_config": {**LLAMA, "model_type": "mistral"}, **towers}
            (self.folder / name).write_text(json.dumps({"model_type": model_type, **parts}))
        missing = self.json_of("inspect", "a.json", "b.json", "--partial")["missing"]
        self.assertEqual([[words.partition(":")[0] for words in each] for each in missing], [["vision", "audio"]] * 2)

    def test_an_unknown_type_is_refused_whatever_parts_it_has(self):
        (self.folder / "m.json").write_text(json.dumps({**LLAMA, "model_type": "minicpmv", "vision_config": {
            "model_type": "siglip_vision_model", "hidden_size": 64, "image_size": 32, "patch_size": 8}}))
        self.assert_refused(["inspect", "m.json"], "/model_type must be one that has a row")
        self.assert_refused(["inspect", "m.json", "--partial"], "/model_type must be one that has a row")

    def test_numbers_of_python_are_read(self):
        (self.folder / "m.json").write_text('{"model_type": "mamba2", "num_hidden_layers": 2, "limit": [0.0, Infinity, NaN]}')
        self.assertEqual(self.json_of("inspect", "m.json")["roles"], {})
        self.assert_refused(["inspect", self.write("c.json", rope_theta=float("inf"))], "/rope_theta must be a finite number")
        convention = json.loads(self.run_tool("presets", "llama", "--json"))["presets"][0]["convention"]
        (self.folder / "s.json").write_text(json.dumps({**convention, "magnitude": float("inf")}))
        self.assert_refused(["cache", "--spec", "s.json", "--dim", "4", "--positions", "0:2"], "must be JSON")

    def test_code_that_a_configuration_names_is_not_run(self):
        name = self.write("c.json", auto_map={"AutoConfig": "configuration_x.X"})
        (self.folder / "configuration_x.py").write_text("raise SystemExit(1)")
        self.assertIn("/auto_map names code, which is not run", self.json_of("inspect", name)["notes"])


if __name__ == "__main__":
    tool_case.main()
