# SPDX-License-Identifier: Apache-2.0
# Every architecture of Hugging Face that tools/convert takes from a folder: small models of random weights, in one file and
# in shards, give what transformers gives.
#
# Usage: architectures_test.py SOURCE_DIR POSENC, with PyTorch and transformers

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import numpy
import torch
import transformers

CONVERT, TOOL = None, None
WORDS = 40  # of the vocabularies
TEXTS = ([7, 12, 9, 30], [5], [11, 11, 8, 39, 6, 21, 17])
ENCODER = {"hidden_size": 16, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 24, "vocab_size": WORDS,
           "max_position_embeddings": 20}
PAIR = {"d_model": 16, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 2,
        "encoder_ffn_dim": 24, "decoder_ffn_dim": 20, "vocab_size": WORDS, "max_position_embeddings": 20}
MARIAN = PAIR | {"pad_token_id": 39, "decoder_start_token_id": 39, "eos_token_id": 0, "forced_eos_token_id": None,
                 "activation_function": "relu"}
ENCODERS = {
    "bert": lambda t: t.BertModel(t.BertConfig(**ENCODER)),
    "electra": lambda t: t.ElectraModel(t.ElectraConfig(**ENCODER, embedding_size=16)),
    "roberta": lambda t: t.RobertaModel(t.RobertaConfig(**ENCODER, bos_token_id=1)),
    "camembert": lambda t: t.CamembertModel(t.CamembertConfig(**ENCODER)),
    "xlm-roberta": lambda t: t.XLMRobertaModel(t.XLMRobertaConfig(**ENCODER)),
    "distilbert": lambda t: t.DistilBertModel(t.DistilBertConfig(
        dim=16, n_layers=2, n_heads=4, hidden_dim=24, vocab_size=WORDS, max_position_embeddings=20)),
    "distilbert, sinusoids": lambda t: t.DistilBertModel(t.DistilBertConfig(
        dim=16, n_layers=2, n_heads=4, hidden_dim=24, vocab_size=WORDS, max_position_embeddings=20, sinusoidal_pos_embds=True)),
}
PAIRS = {
    "bart": lambda t: t.BartForConditionalGeneration(t.BartConfig(**PAIR, scale_embedding=True)),
    "bart, forced": lambda t: t.BartForConditionalGeneration(t.BartConfig(
        **PAIR, forced_bos_token_id=0, activation_function="relu")),
    "marian": lambda t: t.MarianMTModel(t.MarianConfig(**MARIAN, scale_embedding=True)),
    "pegasus": lambda t: t.PegasusForConditionalGeneration(t.PegasusConfig(
        **PAIR, activation_function="relu", scale_embedding=True)),
}


def drawn(make, seed):
    """A model whose weights are drawn widely, so that every part moves the result."""
    torch.manual_seed(seed)
    model = make(transformers).eval()
    with torch.no_grad():
        for name, values in model.named_parameters():
            if "position" not in name or not isinstance(model, (transformers.MarianMTModel, transformers.PegasusForConditionalGeneration)):
                values.copy_(torch.randn_like(values) * 0.3 + (1 if name.lower().endswith("norm.weight") else 0))
        if hasattr(model, "final_logits_bias"):
            model.generation_config.forced_eos_token_id = None
            model.final_logits_bias.copy_(torch.randn_like(model.final_logits_bias))
    return model


class Architectures(unittest.TestCase):
    def run_both(self, model, shards, texts):
        """The reports of posenc for the texts; the folder is converted as it stands but for the ids of text."""
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        folder = pathlib.Path(temporary.name)
        model.save_pretrained(folder / "in", max_shard_size="6KB" if shards else "1GB")
        self.assertEqual((folder / "in/model.safetensors.index.json").is_file(), shards)
        ids = '{"tokenizer": "ids", "file": null, "begin": null, "end": null}'
        sides = ["--set", f"text.source={ids}"]
        done = subprocess.run([sys.executable, "-B", CONVERT, folder / "in", folder / "out", *sides], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        words = [" ".join(map(str, text)) for text in texts]
        done = subprocess.run([TOOL, "run", "--model", folder / "out", "--json", *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["outputs" if "outputs" in json.loads(done.stdout) else "texts"]

    def test_encoders_give_the_rows_of_transformers(self):
        for seed, (name, make) in enumerate(ENCODERS.items()):
            for shards in (False, True):
                with self.subTest(name, shards=shards):
                    model = drawn(make, seed)
                    for text, report in zip(TEXTS, self.run_both(model, shards, TEXTS), strict=True):
                        with torch.no_grad():
                            rows = model(torch.tensor([text]))[0][0].double().mean(0).numpy()
                        numpy.testing.assert_allclose(report["vector"], rows, rtol=0, atol=1e-5)

    def test_pairs_write_what_transformers_writes(self):
        for seed, (name, make) in enumerate(PAIRS.items()):
            for shards in (False, True):
                with self.subTest(name, shards=shards):
                    model = drawn(make, 100 + seed)
                    for text, report in zip(TEXTS, self.run_both(model, shards, TEXTS), strict=True):
                        self.follow(model, text, report)

    def follow(self, model, text, report):
        """Every token is the likeliest one of transformers, and their log probabilities add up to the score."""
        stated = model.generation_config
        first = [each for each in (model.config.decoder_start_token_id, stated.forced_bos_token_id) if each is not None]
        made = report["ids"] + ([stated.eos_token_id] if report["ended"] else [])
        with torch.no_grad():
            logits = model(input_ids=torch.tensor([text]), decoder_input_ids=torch.tensor([first + made[:-1]])).logits[0]
        chances = logits[len(first) - 1 :].double().log_softmax(-1)
        self.assertEqual(chances.argmax(-1).tolist(), made)
        self.assertAlmostEqual(chances.max(-1).values.sum().item(), report["score"], delta=1e-3)


if __name__ == "__main__":
    TOOL = pathlib.Path(sys.argv.pop()).resolve()
    CONVERT = pathlib.Path(sys.argv.pop()).resolve() / "tools/convert/convert.py"
    unittest.main()
