#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A trained model as its package stores it to a model folder of posenc: model.safetensors and model.json.

usage: convert.py SOURCE OUT_DIR --family F [--set PATH=JSON]... [--name N=TEXT]... [--tensor PART=TENSOR]...
       convert.py FOLDER OUT_DIR

FOLDER is one of Hugging Face as it stands: config.json, tokenizer.json, and model.safetensors or the index of several files;
hugging_face.py says what they state. families/F.json says which tensor is which, and how models of that family work. "?" stands there for what a file of
weights does not say, such as the number of heads: --set states it, and may restate anything else. --name gives another
text for one of the family's names, --tensor another tensor for one part. Layers and widths are read off the tensors.
docs/models.md describes model.json.
"""
import argparse
import json
import pathlib
import re
import shutil
import sys

import safetensors.numpy

import families
import hugging_face
import problem
import sources

HERE = pathlib.Path(__file__).resolve().parent


class Refused(Exception):
    pass


def family(name):
    known = families.names(HERE / "families")
    if name not in known:
        raise Refused(f"--family must be one of {', '.join(known)}, got {name!r}")
    return families.load(HERE / "families", name)


def put(document, path, value):
    *folders, last = path.split(".")
    for folder in folders:
        if document.get(folder) is None:
            document[folder] = {}
        document = document[folder]
        if not isinstance(document, dict):
            raise Refused(f"--set {path}: {folder} must be an object, got {json.dumps(document)}")
    document[last] = value


def named(value, names):
    """`value` with {name} replaced in every text; {layer} stays."""
    if isinstance(value, str):
        return re.sub(r"\{(\w+)\}", lambda found: names.get(found[1], found[0]), value)
    if isinstance(value, dict):
        return {key: named(each, names) for key, each in value.items()}
    return [named(each, names) for each in value] if isinstance(value, list) else value


def unstated(value, path=""):
    """The paths of every "?" that is left."""
    if value == "?":
        return [path]
    if isinstance(value, dict):
        return [each for key in value for each in unstated(value[key], f"{path}.{key}".lstrip("."))]
    return []


def require_form(model):
    """What is read here is there; posenc::io checks the rest."""
    for key in ("source", "target"):
        side = model[key]
        if side is None and key == "target":
            continue
        if not isinstance(side, dict) or not isinstance(side.get("positions"), (dict, str)):
            raise Refused(f"{key} must be an object with positions, got {json.dumps(side)}")
    for key in ("encoder", "decoder"):
        stack = model[key]
        if stack is None and key == "decoder":
            continue
        heads = stack.get("heads") if isinstance(stack, dict) else None
        if type(heads) is not int or heads < 1:
            raise Refused(f"{key}.heads must be an integer of at least 1, got {json.dumps(heads)}")
    if (model["target"] is None) != (model["decoder"] is None):
        raise Refused("target and decoder must be there together, or both null")


class Parts:
    """Our names of tensors, and the tensors of the source that they are found in."""

    def __init__(self, parts, tensors):
        self.parts = {part: {"tensor": place} if isinstance(place, str) else place for part, place in parts.items()}
        self.tensors = tensors

    def layers(self, stack):
        """How many layers of a stack the source has."""
        first = next((place["tensor"] for part, place in self.parts.items()
                      if part.startswith(stack + ".{layer}.") and place), None)
        count = 0
        while first and first.replace("{layer}", str(count)) in self.tensors:
            count += 1
        return count

    def tensor(self, name):
        if name not in self.tensors:
            raise Refused(f"the source has no tensor {name!r}; it has {', '.join(sorted(self.tensors)[:8])}, ...")
        return self.tensors[name]

    def placed(self, layers):
        """The parts as model.json states them, with rows in place of parts, and the names of all tensors used."""
        out, used = {}, []
        for part, place in self.parts.items():
            if place is None:
                out[part] = None
                continue
            count = layers[part.split(".")[0]] if "{layer}" in part else 1
            names = [place["tensor"].replace("{layer}", str(layer)) for layer in range(count)]
            used += names
            for name in names:
                self.tensor(name)
            if "part" in place and names:
                size = self.tensor(names[0]).shape[0]
                index, parts = place["part"]
                if size % parts:
                    raise Refused(f"{names[0]} must have {parts} parts of equal size, got {size} rows")
                out[part] = {"tensor": place["tensor"], "rows": [index * size // parts, (index + 1) * size // parts]}
            else:
                out[part] = place if "row" in place else place["tensor"]
        return out, used


def key_heads(parts, placed, stack, heads):
    """Grouped queries have fewer rows of keys."""
    attention = "attention" if stack == "encoder" else "self_attention"

    def rows(part):
        place = placed[f"{stack}.{{layer}}.{attention}.{part}.weight"]
        if isinstance(place, dict):
            return place["rows"][1] - place["rows"][0]
        return parts.tensor(place.replace("{layer}", "0")).shape[0]

    return heads * rows("key") // rows("query")


def from_folder(options):
    """The options of a folder of Hugging Face, with what its files state before what the call does."""
    folder = options.source
    known = hugging_face.known_families(HERE / "families")
    options.family = options.family or hugging_face.family_of(folder, known)
    if options.family not in known:
        raise Refused(f"--family of a folder must be one of {', '.join(known)}, got {options.family!r}")
    said = known[options.family]
    options.source = hugging_face.weights(folder)
    text, files, note = hugging_face.text(folder, said)
    tensors = sources.read(options.source)
    options.set = hugging_face.fields(folder, said) + text + hugging_face.decoding(folder, said) + options.set
    options.name = hugging_face.prefix(said, tensors) + options.name
    options.tensor = hugging_face.left_out(said, tensors) + options.tensor
    options.file = options.file + files
    return note


def model_of(arguments):
    """(model.json, the tensors to store)."""
    known = family(arguments.family)
    known["model"] |= {"text": {"source": None, "target": None}, "decoding": None, "provenance": None}
    for path, value in arguments.set:
        put(known["model"], path, value)
    names = known["names"] | dict(arguments.name)
    tensors = sources.read(arguments.source, arguments.within)
    parts = Parts(named(known["tensors"] | dict(arguments.tensor), names), tensors)
    model = {"posenc_model": 1, "family": arguments.family} | named(known["model"], names)
    missing = unstated(model)
    if missing:
        raise Refused("must be stated by --set: " + ", ".join(missing))
    require_form(model)
    layers = {stack: parts.layers(stack) for stack in ("encoder", "decoder") if model[stack] is not None}
    placed, used = parts.placed(layers)
    for stack, count in layers.items():
        heads = model[stack].pop("heads")
        model[stack] = {"layers": count, "heads": heads, "key_heads": key_heads(parts, placed, stack, heads)} | model[stack]
    used += [side["positions"]["table"] for side in (model["source"], model["target"])
             if side and "table" in side["positions"]]
    kept = {name: sources.widened(parts.tensor(name)) for name in sorted(set(used))}
    for side in (model["source"], model["target"]):
        table = side and side["positions"].get("table")
        if table:  # some tables have an axis of size 1 for the batch
            kept[table] = kept[table].reshape([size for size in kept[table].shape if size != 1])
    order = ("posenc_model", "family", "source", "encoder", "target", "decoder", "text", "decoding", "tensors", "provenance")
    model["tensors"] = placed
    return {key: model[key] for key in order}, kept, sorted(set(tensors) - set(used))


def text_of(model):
    """model.json: one entry of the second level a line."""
    def entry(key, value):
        if not isinstance(value, dict):
            return f"  {json.dumps(key)}: {json.dumps(value, ensure_ascii=False)}"
        inner = ",\n".join(f"    {json.dumps(k)}: {json.dumps(v, ensure_ascii=False)}" for k, v in value.items())
        return f"  {json.dumps(key)}: {{\n{inner}\n  }}"

    return "{\n" + ",\n".join(entry(key, value) for key, value in model.items()) + "\n}\n"


def write(folder, model, tensors, files):
    folder.mkdir(parents=True, exist_ok=True)
    for path in files:
        shutil.copyfile(path, folder / path.name)
    (folder / "model.safetensors").write_bytes(safetensors.numpy.save(tensors))
    (folder / "model.json").write_text(text_of(model), encoding="utf-8")


def assignment(parse):
    def split(text):
        key, equals, value = text.partition("=")
        if not equals:
            raise argparse.ArgumentTypeError(f"must be KEY=VALUE, got {text!r}")
        try:
            return key, parse(value)
        except json.JSONDecodeError:
            raise argparse.ArgumentTypeError(f"the value of {key} must be JSON, got {value!r}") from None

    return split


def parse(arguments):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--family", help="needed for a file; a folder's config.json says it")
    parser.add_argument("--within", help="key of the tensors in a larger checkpoint; / goes deeper")
    parser.add_argument("--set", type=assignment(json.loads), action="append", default=[], metavar="PATH=JSON")
    parser.add_argument("--name", type=assignment(str), action="append", default=[], metavar="NAME=TEXT")
    parser.add_argument("--tensor", type=assignment(str), action="append", default=[], metavar="PART=TENSOR")
    parser.add_argument("--file", type=pathlib.Path, action="append", default=[],
                        help="a vocabulary or tokenizer to copy into the folder")
    return parser.parse_args(arguments)


def main(arguments):
    options = parse(arguments)
    note = ""
    try:
        if options.source.is_dir():
            note = from_folder(options)
        if options.family is None:
            raise Refused("--family must be given for a file of weights")
        model, tensors, unused = model_of(options)
        write(options.out, model, tensors, options.file)
    except (Refused, hugging_face.Unlike, ValueError, OSError) as found:
        problem.stop("convert", found)
    size = sum(each.size for each in tensors.values())
    print(f"{options.out}: {len(tensors)} tensors, {size} numbers; left out: {', '.join(unused) or 'nothing'}")
    if note:
        print(f"convert: {note}", file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
