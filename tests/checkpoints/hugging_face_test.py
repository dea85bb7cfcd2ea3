# SPDX-License-Identifier: Apache-2.0
# A folder of Hugging Face as it stands becomes a model folder: config.json, tokenizer.json, and model.safetensors or shards.
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
        for changes, words in (({"model_type": "chinese_clip"}, "model_type must be one of bart, bert, electra, distilbert, marian, pegasus, roberta"),
                               ({"model_type": "gpt2"}, "got 'gpt2': it is a decoder alone"),
                               ({"model_type": "t5"}, "got 't5': its attention has buckets"),
                               ({"model_type": "electra", "embedding_size": 4, "hidden_size": 8}, "embedding_size of config.json must equal hidden_size, got 4 and 8"),
                               ({"is_decoder": True}, "is_decoder of config.json must be false, got true"),
                               ({"hidden_act": "silu"}, "hidden_act of config.json must be one of gelu, relu, got 'silu'"),
                               ({"position_embedding_type": "relative_key"}, "position_embedding_type of config.json must be \"absolute\""),
                               ({"num_attention_heads": "x"}, "num_attention_heads of config.json must be one of")):
            self.write(**changes)
            done = self.convert()
            self.assertEqual((done.returncode, self.out.exists()), (2, False), done.stderr)
            self.assertIn(words, done.stderr)
        self.write()
        (self.folder / "model.safetensors").rename(self.folder / "model-00001-of-00002.safetensors")
        self.assertIn("must hold model.safetensors or model.safetensors.index.json, got config.json, model-00001", self.convert().stderr)

    def shards(self):
        """The weights in two files, as an index names them."""
        held = tensors("")
        half = dict(list(held.items())[::2])
        parts = {"model-00001-of-00002.safetensors": half,
                 "model-00002-of-00002.safetensors": {name: value for name, value in held.items() if name not in half}}
        for file, part in parts.items():
            safetensors.numpy.save_file(part, self.folder / file)
        (self.folder / "model.safetensors").unlink()
        return {name: file for file, part in parts.items() for name in part}

    def index(self, places):
        (self.folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": places}))

    def test_shards_are_the_file(self):
        self.model()
        whole = [(self.out / name).read_bytes() for name in ("model.safetensors", "model.json")]
        self.index(self.shards())
        self.model()
        self.assertEqual([(self.out / name).read_bytes() for name in ("model.safetensors", "model.json")], whole)

    def test_an_index_that_its_files_contradict_is_refused(self):
        places = self.shards()
        first = next(iter(places))
        for index, words in ((places | {first: "../model.safetensors"}, "must be .safetensors beside it, got ../model.safetensors"),
                             (places | {first: "model-00003.safetensors"}, "must be .safetensors beside it, got model-00003.safetensors"),
                             (places | {"x": places[first]}, "must hold what model.safetensors.index.json places there, and lacks x")):
            self.index(index)
            self.assertIn(words, self.convert().stderr)
        for text in ("", "[]", "{}", '{"weight_map": 1}'):
            (self.folder / "model.safetensors.index.json").write_text(text)
            self.assertIn("must be an index of files", self.convert().stderr)


if __name__ == "__main__":
    CONVERT = pathlib.Path(sys.argv.pop()) / "tools/convert/convert.py"
    unittest.main()
