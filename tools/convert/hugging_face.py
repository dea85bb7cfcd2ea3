# SPDX-License-Identifier: Apache-2.0
"""A folder of Hugging Face as it stands: what its config.json and tokenizer.json say of a model of one of our families.

A family's JSON has "hugging_face" where it can be told from such a folder: the model_type of config.json, the keys that
our fields take, the words of their values, and what else must be so for the family to be right.
"""
import json
import pathlib


class Unlike(Exception):
    pass


def read_json(path):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as found:
        raise Unlike(f"{path} must be JSON: {found}") from None


def families(folder):
    """Name to what its JSON says of Hugging Face, of those that say anything."""
    known = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}
    return {name: family["hugging_face"] for name, family in known.items() if "hugging_face" in family}


def family_of(folder, known):
    """The family of a folder, by the model_type of its config.json."""
    config = read_json(folder / "config.json")
    for name, said in known.items():
        if said["model_type"] == config.get("model_type"):
            return name
    kinds = ", ".join(said["model_type"] for said in known.values())
    raise Unlike(f"model_type must be one of {kinds} for a folder without --family, got {config.get('model_type')!r}")


def weights(folder):
    """The file of the tensors; a model in several files has an index, which is not read."""
    path = folder / "model.safetensors"
    if not path.is_file():
        raise Unlike(f"{folder} must hold model.safetensors, got {', '.join(sorted(p.name for p in folder.iterdir()))}")
    return path


def fields(folder, said):
    """[(path, value)] of config.json's keys, as --set states them."""
    config = read_json(folder / "config.json")
    for key, value in said["must_be"].items():
        if config.get(key, value) != value:
            raise Unlike(f"{key} of config.json must be {value!r}, got {config[key]!r}")
    result = []
    for path, key in said["fields"].items():
        if key not in config:
            raise Unlike(f"config.json must state {key}")
        value = config[key]
        if isinstance(value, str):
            if value not in said["words"]:
                raise Unlike(f"{key} of config.json must be one of {', '.join(said['words'])}, got {value!r}")
            value = said["words"][value]
        result.append((path, value))
    return result


def prefix(said, tensors):
    """[(name, text)]: what stands before the names of tensors in files of models with a head."""
    name, of = said["prefix"]["name"], said["prefix"]["of"]
    found = [tensor[: -len(of)] for tensor in tensors if tensor.endswith(of)]
    return [(name, found[0])] if found else []


def token_id(tokenizer, content):
    for token in tokenizer.get("added_tokens", []):
        if token.get("content") == content:
            return token["id"]
    vocabulary = tokenizer.get("model", {}).get("vocab", {})
    if isinstance(vocabulary, dict) and content in vocabulary:
        return vocabulary[content]
    raise Unlike(f"tokenizer.json must have the token {content!r}")


def text(folder, said):
    """([(path, value)], files to copy, a note): how the model reads text. Its own BPE is read by posenc; of any other
    tokenizer the ids are taken, which its own program makes."""
    path = folder / "tokenizer.json"
    if not path.is_file():
        return [], [], "no tokenizer.json: what text.source is, --set says"
    tokenizer = read_json(path)
    kind = tokenizer.get("model", {}).get("type")
    ends = {"begin": token_id(tokenizer, said["begin"]), "end": token_id(tokenizer, said["end"])}
    if kind == "BPE":
        return [("text.source", {"tokenizer": "bpe", "file": path.name} | ends)], [path], ""
    return ([("text.source", {"tokenizer": "ids", "file": None} | ends)], [],
            f"tokenizer.json is {kind}, which posenc does not read: texts are given as ids, between begin and end")
