# SPDX-License-Identifier: Apache-2.0
"""A folder of Hugging Face as it stands: what its config.json and tokenizer.json say of a model of one of our families.

A family's JSON has "hugging_face" where it can be told from such a folder: the model_types of config.json, the keys that
our fields take, the words of their values, and what else must be so for the family to be right.
"""
import json

import families

# What folders of other types would need.
NOT_RUN = {
    "it is a decoder alone, and posenc runs a decoder behind an encoder":
        ("gpt2", "gpt_neo", "gpt_neox", "gptj", "gpt_bigcode", "opt", "bloom", "falcon", "llama", "mistral", "mixtral", "gemma",
         "gemma2", "gemma3", "gemma3_text", "qwen2", "qwen3", "qwen2_moe", "qwen3_moe", "phi", "phi3", "stablelm", "mpt", "olmo2",
         "deepseek_v2", "deepseek_v3"),
    "its attention has buckets of distances, or parts of scores of their own":
        ("t5", "mt5", "umt5", "longt5", "mpnet", "deberta", "deberta-v2", "xlnet", "longformer", "big_bird"),
    "its feed-forward parts have a gate": ("modernbert", "nomic_bert", "eurobert"),
    "its input is an image": ("vit", "deit", "beit", "swin", "clip", "siglip", "dinov2"),
}


class Unlike(Exception):
    pass


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as found:
        raise Unlike(f"{path} must be JSON: {found}") from None


def known_families(folder):
    """Name to what its JSON says of Hugging Face, of those that say anything."""
    known = {name: families.load(folder, name) for name in families.names(folder)}
    return {name: family["hugging_face"] for name, family in known.items() if "hugging_face" in family}


def family_of(folder, known):
    """The family of a folder, by the model_type of its config.json."""
    kind = read_json(folder / "config.json").get("model_type")
    for name, said in known.items():
        if kind in said["model_types"]:
            return name
    for reason, kinds in NOT_RUN.items():
        if kind in kinds:
            raise Unlike(f"model_type must be one that posenc runs, got {kind!r}: {reason}")
    kinds = ", ".join(kind for said in known.values() for kind in said["model_types"])
    raise Unlike(f"model_type must be one of {kinds} for a folder without --family, got {kind!r}")


def weights(folder):
    """The file of the tensors, or the index of several."""
    for name in ("model.safetensors", "model.safetensors.index.json"):
        if (folder / name).is_file():
            return folder / name
    found = ", ".join(sorted(path.name for path in folder.iterdir()))
    raise Unlike(f"{folder} must hold model.safetensors or model.safetensors.index.json, got {found}")


def fields(folder, said):
    """[(path, value)] of config.json's keys, as --set states them."""
    config = read_json(folder / "config.json")
    for key, value in said["must_be"].items():
        if config.get(key, value) != value:
            raise Unlike(f"{key} of config.json must be {json.dumps(value)}, got {json.dumps(config[key])}")
    for key, other in said.get("must_equal", {}).items():
        if config.get(key, config.get(other)) != config.get(other):
            raise Unlike(f"{key} of config.json must equal {other}, got {config[key]} and {config.get(other)}")
    result = []
    for path, key in said["fields"].items():
        if key is None:  # what a family that is like another does not state
            continue
        if key not in config:
            raise Unlike(f"config.json must state {key}")
        value = config[key]
        if isinstance(value, (str, bool)):
            word = str(value).lower() if isinstance(value, bool) else value
            if word not in said["words"]:
                raise Unlike(f"{key} of config.json must be one of {', '.join(said['words'])}, got {value!r}")
            value = said["words"][word]
        result.append((path, value))
    return result


def decoding(folder, said):
    """[(path, value)]: how a model with a decoder goes on, greedily from its first tokens to its end."""
    if "decoding" not in said:
        return []
    config, stated = read_json(folder / "config.json"), folder / "generation_config.json"
    if stated.is_file():  # which older folders do not have
        config |= read_json(stated)
    first = [config.get(key) for key in said["decoding"]["prompt"]]
    if first[0] is None or config.get("eos_token_id") is None:
        raise Unlike(f"config.json or generation_config.json must state {said['decoding']['prompt'][0]} and eos_token_id")
    return [("decoding", {"prompt": [each for each in first if each is not None], "end": config["eos_token_id"],
                          "longest": {"per_token": 0, "plus": config[said["decoding"]["longest"]]},
                          "suppressed": [], "suppressed_first": []})]


def prefix(said, tensors):
    """[(name, text)]: what stands before the names of tensors in files of models with a head."""
    name, of = said["prefix"]["name"], said["prefix"]["of"]
    found = [tensor[: -len(of)] for tensor in tensors if tensor.endswith(of)]
    return [(name, found[0])] if found else []


def left_out(said, tensors):
    """[(part, None)]: parts that some models of the family do not have."""
    return [(part, None) for part, name in said.get("optional", {}).items() if name not in tensors]


def token_id(tokenizer, content):
    for token in tokenizer.get("added_tokens", []):
        if token.get("content") == content:
            return token["id"]
    vocabulary = tokenizer.get("model", {}).get("vocab", {})
    if isinstance(vocabulary, dict) and content in vocabulary:
        return vocabulary[content]
    raise Unlike(f"tokenizer.json must have the token {content!r}")


def end_id(folder, said, tokenizer, which):
    """The id of the first or the last token of a text: by its name in tokenizer.json, or by a key of config.json."""
    key = said[which]
    if isinstance(key, dict):
        return read_json(folder / "config.json").get(key["key"])
    return None if key is None else token_id(tokenizer, key)


def text(folder, said):
    """([(path, value)], files to copy, a note): how the model reads text. Its own BPE is read by posenc; of any other
    tokenizer the ids are taken, which its own program makes."""
    path = folder / "tokenizer.json"
    if not path.is_file() and not all(isinstance(said[which], dict) or said[which] is None for which in ("begin", "end")):
        return [], [], "no tokenizer.json: what text.source is, --set says"
    tokenizer = read_json(path) if path.is_file() else {}
    kind = tokenizer.get("model", {}).get("type")
    sides = ("text.source", "text.target") if "decoding" in said else ("text.source",)
    ends = {which: end_id(folder, said, tokenizer, which) for which in ("begin", "end")}
    if kind == "BPE":
        return [(side, {"tokenizer": "bpe", "file": path.name} | ends) for side in sides], [path], ""
    why = f"tokenizer.json is {kind}, which posenc does not read" if kind else "no tokenizer.json"
    return ([(side, {"tokenizer": "ids", "file": None} | ends) for side in sides], [],
            f"{why}: texts are given as ids, between begin and end")
