# SPDX-License-Identifier: Apache-2.0
# What the converter and its neighbours refuse, in one line and with status 2, on a model of nn.Transformer's form that is
# made here; what it accepts, the C++ tests read.
#
# Usage: convert_test.py SOURCE_DIR, with the packages of tools/convert/requirements.txt

import json
import pathlib
import pickle
import subprocess
import sys
import tempfile
import unittest
import wave

import numpy
import safetensors.numpy
import safetensors.torch
import torch

TOOLS = None
WIDTH, LAYERS = 8, 2


def state():
    net = torch.nn.Transformer(WIDTH, 2, LAYERS, LAYERS, 16)
    tensors = {f"transformer.{name}": value for name, value in net.state_dict().items()}
    for side, size in (("src", 5), ("tgt", 6)):
        tensors[f"{side}_tok_emb.embedding.weight"] = torch.ones(size, WIDTH)
    tensors["generator.weight"], tensors["generator.bias"] = torch.ones(6, WIDTH), torch.ones(6)
    tensors["positional_encoding.pos_embedding"] = torch.ones(9, 1, WIDTH)
    return tensors


class Convert(unittest.TestCase):
    longMessage = False

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.source = self.folder / "model.pt"
        torch.save({"state": state()}, self.source)

    def run_with(self, *options, source=None):
        command = [sys.executable, "-B", TOOLS / "convert.py", source or self.source, self.folder / "out", "--family", "pytorch"]
        return subprocess.run([*command, *options], capture_output=True, text=True)

    def refused(self, words, *options, source=None):
        done = self.run_with(*options, source=source)
        self.assert_refused(words, done)
        self.assertFalse((self.folder / "out").exists())

    def assert_refused(self, words, done):
        self.assertEqual(2, done.returncode, done.stderr)
        self.assertIn(words, done.stderr)
        self.assertIn(": error: ", done.stderr.splitlines()[-1])
        self.assertNotIn("Traceback", done.stderr)

    def run_tool(self, *arguments):
        return subprocess.run([sys.executable, "-B", TOOLS / arguments[0], *arguments[1:]], capture_output=True, text=True)

    heads = ("--set", "encoder.heads=2", "--set", "decoder.heads=2", "--within", "state")

    def test_layers_and_parts_are_read_off_the_tensors(self):
        done = self.run_with(*self.heads)
        self.assertEqual(0, done.returncode, done.stderr)
        model = json.loads((self.folder / "out" / "model.json").read_text())
        self.assertEqual((LAYERS, 2, 2), tuple(model["encoder"][key] for key in ("layers", "heads", "key_heads")))
        value = model["tensors"]["decoder.{layer}.cross_attention.value.weight"]
        self.assertEqual({"tensor": "transformer.decoder.layers.{layer}.multihead_attn.in_proj_weight",
                          "rows": [2 * WIDTH, 3 * WIDTH]}, value)
        tensors = safetensors.numpy.load_file(self.folder / "out" / "model.safetensors")
        self.assertEqual((9, WIDTH), tensors["positional_encoding.pos_embedding"].shape)

    def test_another_model_of_the_family_needs_other_names_only(self):
        renamed = {name.replace("src_tok_emb.embedding", "words").replace("transformer.", "net."): value
                   for name, value in state().items()}
        torch.save({"state": renamed}, self.source)
        done = self.run_with(*self.heads, "--name", "source=words.weight", "--name", "transformer=net",
                             "--set", 'source.positions={"preset": "pytorch", "recipe": "original", "storage": null, "origin": 0}')
        self.assertEqual(0, done.returncode, done.stderr)

    def test_what_the_weights_do_not_say_must_be_stated(self):
        self.refused("must be stated by --set: encoder.heads, decoder.heads", "--within", "state")

    def test_a_tensor_that_is_not_there_is_named(self):
        self.refused("no tensor 'words'", *self.heads, "--tensor", "source.rows=words")

    def test_a_checkpoint_of_more_than_tensors_needs_the_key_of_those(self):
        self.refused("--within must name the dictionary of tensors", *self.heads[:4])
        self.refused("has no 'model'; it has state", *self.heads[:4], "--within", "model")

    def test_an_unknown_family_is_refused_with_those_there_are(self):
        families = sorted(path.stem for path in (TOOLS / "families").glob("*.json"))
        self.refused(f"--family must be one of {', '.join(families)}, got 'gpt'", *self.heads, "--family", "gpt")

    def test_a_pickle_with_code_is_not_run(self):
        class Code:
            def __reduce__(self):
                return print, ("code",)

        torch.save({"state": Code()}, self.source)
        self.refused("holds more than tensors", *self.heads)

    def test_a_vocabulary_has_no_classes(self):
        import texts

        with (self.folder / "vocabulary.pkl").open("wb") as file:
            pickle.dump({"itos": pathlib.PurePosixPath("x")}, file)
        with (self.folder / "vocabulary.pkl").open("rb") as file, self.assertRaises(pickle.UnpicklingError):
            texts.Plain(file).load()

    def test_a_model_bin_cut_short_is_refused(self):
        path = self.folder / "model.bin"
        path.write_bytes((6).to_bytes(4, "little") + (5).to_bytes(2, "little") + b"Spec\0" + bytes(8) + b"\1")
        self.refused("ends at byte", *self.heads, source=path)

    def test_bfloat16_is_widened_without_a_change(self):
        narrow = {name: value.bfloat16().contiguous() for name, value in state().items()}
        torch.save({"state": narrow}, self.source)
        stored = self.folder / "model.safetensors"
        safetensors.torch.save_file(narrow, stored)
        for source, options in ((self.source, self.heads), (stored, self.heads[:4])):
            done = self.run_with(*options, source=source)
            self.assertEqual(0, done.returncode, done.stderr)
            tensors = safetensors.numpy.load_file(self.folder / "out" / "model.safetensors")
            for name in ("transformer.encoder.layers.0.linear1.weight", "transformer.decoder.layers.1.norm3.bias"):
                self.assertEqual(numpy.float32, tensors[name].dtype)
                numpy.testing.assert_array_equal(tensors[name], narrow[name].float().numpy(force=True))

    def test_a_file_cut_short_is_refused(self):
        stored = self.folder / "model.safetensors"
        safetensors.torch.save_file({name: value.contiguous() for name, value in state().items()}, stored)
        for path, words in ((stored, "no whole .safetensors file"), (self.source, "no whole file of PyTorch")):
            whole = path.read_bytes()
            for size in (8, len(whole) // 2, len(whole) - 1):
                path.write_bytes(whole[:size])
                self.refused(words, *self.heads, source=path)
        self.source.write_bytes(b"\x80\2abc")
        self.refused("no whole file of PyTorch", *self.heads)

    def test_tensors_stand_in_a_dictionary(self):
        torch.save(torch.ones(3), self.source)
        self.refused("--within must name a dictionary of tensors, got Tensor", *self.heads)

    def test_what_is_stated_has_the_form_of_a_model(self):
        self.refused("encoder.heads must be an integer of at least 1, got \"x\"", *self.heads, "--set", 'encoder.heads="x"')
        self.refused("source must be an object with positions, got null", *self.heads, "--set", "source=null")
        self.refused("target and decoder must be there together", *self.heads, "--set", "target=null")
        self.refused("--set source.scale.by: scale must be an object", *self.heads, "--set", "source.scale.by=1")
        self.refused("the value of encoder.heads must be JSON, got '2x'", *self.heads, "--set", "encoder.heads=2x")

    def test_a_recording_of_another_form_is_refused(self):
        path = self.folder / "in.wav"
        with wave.open(str(path), "wb") as file:
            file.setparams((2, 2, 44100, 8, "NONE", None))
            file.writeframes(bytes(32))
        stereo = path.read_bytes()
        for content, words in ((stereo, "got 44100 Hz, 2, 16"), (b"no sound at all", "must be a whole WAV file"),
                               (stereo[:20], "must be a whole WAV file"), (b"", "must be a whole WAV file")):
            path.write_bytes(content)
            self.assert_refused(words, self.run_tool("features.py", path, self.folder / "out.npy"))
        self.assert_refused("none.wav", self.run_tool("features.py", self.folder / "none.wav", self.folder / "out.npy"))

    def test_an_unknown_checkpoint_is_refused_with_those_there_are(self):
        words = "NAME must be one of tg2fa, whisper, annalog, minilm, got 'gpt'"
        self.assert_refused(words, self.run_tool("fetch.py", self.folder, "gpt"))


if __name__ == "__main__":
    TOOLS = pathlib.Path(sys.argv.pop(1)).resolve() / "tools" / "convert"
    sys.path.insert(0, str(TOOLS))
    unittest.main()
