# SPDX-License-Identifier: Apache-2.0
# A folder of Hugging Face as it stands becomes a model folder: config.json, model.safetensors, tokenizer.json.
#
# Usage: hugging_face_test.py SOURCE_DIR, with NumPy and safetensors

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import safetensors.numpy

CONVERT = None
WIDTH, LAYERS, VOCABULARY = 8, 2, 7
CONFIG = {"model_type": "bert", "num_attention_heads": 2, "hidden_act": "gelu", "layer_norm_eps": 1e-12,
          "position_embedding_type": "absolute"}
TOKENIZER = {"model": {"type": "WordPiece", "vocab": {"[PAD]": 0, "a": 1, "##b": 2}},
             "added_tokens": [{"id": 5, "content": "[CLS]"}, {"id": 6, "content": "[SEP]"}]}


def tensors(prefix):
    made = {"embeddings.word_embeddings.weight": (VOCABULARY, WIDTH), "embeddings.position_embeddings.weight": (9, WIDTH),
            "embeddings.token_type_embeddings.weight": (2, WIDTH), "embeddings.LayerNorm.weight": (WIDTH,),
            "embeddings.LayerNorm.bias": (WIDTH,)}
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}."
        for name in ("attention.self.query", "attention.self.key", "attention.self.value", "attention.output.dense"):
            made |= {f"{at}{name}.weight": (WIDTH, WIDTH), f"{at}{name}.bias": (WIDTH,)}
        for name, shape in (("intermediate.dense", (16, WIDTH)), ("output.dense", (WIDTH, 16))):
            made |= {f"{at}{name}.weight": shape, f"{at}{name}.bias": shape[:1]}
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            made |= {f"{at}{name}.weight": (WIDTH,), f"{at}{name}.bias": (WIDTH,)}
    return {prefix + name: numpy.ones(shape, numpy.float32) for name, shape in made.items()}


class HuggingFace(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "bert"
        self.out = pathlib.Path(folder.name) / "out"
        self.folder.mkdir()
        self.write()

    def write(self, prefix="", tokenizer=TOKENIZER, **changes):
        safetensors.numpy.save_file(tensors(prefix), self.folder / "model.safetensors")
        (self.folder / "config.json").write_text(json.dumps(CONFIG | changes))
        (self.folder / "tokenizer.json").write_text(json.dumps(tokenizer))

    def convert(self, *options):
        return subprocess.run([sys.executable, "-B", CONVERT, self.folder, self.out, *options], capture_output=True, text=True)

    def model(self, *options):
        done = self.convert(*options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads((self.out / "model.json").read_text()), done.stderr

    def test_nothing_but_the_folder_is_named(self):
        model, said = self.model()
        self.assertEqual((model["family"], model["encoder"]["layers"], model["encoder"]["heads"]), ("bert", LAYERS, 2))
        self.assertEqual(model["encoder"]["epsilon"], 1e-12)
        self.assertEqual(model["text"]["source"], {"tokenizer": "ids", "file": None, "begin": 5, "end": 6})
        self.assertIn("tokenizer.json is WordPiece, which posenc does not read: texts are given as ids", said)
        self.assertTrue((self.out / "model.safetensors").is_file())

    def test_the_prefix_of_a_model_with_a_head_is_found(self):
        self.write(prefix="bert.")
        self.assertEqual(self.model()[0]["tensors"]["source.rows"], "bert.embeddings.word_embeddings.weight")

    def test_a_bpe_comes_along(self):
        self.write(tokenizer=TOKENIZER | {"model": {"type": "BPE", "vocab": {}}})
        model, said = self.model()
        self.assertEqual(model["text"]["source"]["file"], "tokenizer.json")
        self.assertEqual(((self.out / "tokenizer.json").is_file(), said), (True, ""))

    def test_what_the_call_says_comes_last(self):
        self.assertEqual(self.model("--set", "encoder.heads=4")[0]["encoder"]["heads"], 4)

    def test_what_the_folder_contradicts_is_refused(self):
        for changes, words in (({"model_type": "t5"}, "model_type must be one of bert"),
                               ({"hidden_act": "silu"}, "hidden_act of config.json must be one of gelu, relu, got 'silu'"),
                               ({"position_embedding_type": "relative_key"}, "position_embedding_type of config.json must be 'absolute'"),
                               ({"num_attention_heads": "x"}, "num_attention_heads of config.json must be one of")):
            self.write(**changes)
            done = self.convert()
            self.assertEqual((done.returncode, self.out.exists()), (2, False), done.stderr)
            self.assertIn(words, done.stderr)
        self.write()
        (self.folder / "model.safetensors").rename(self.folder / "model-00001-of-00002.safetensors")
        self.assertIn("must hold model.safetensors, got config.json, model-00001", self.convert().stderr)


if __name__ == "__main__":
    CONVERT = pathlib.Path(sys.argv.pop()) / "tools/convert/convert.py"
    unittest.main()
