# SPDX-License-Identifier: Apache-2.0
"""The cases of the corpus that one package computes, as they come from it.

usage: corpus_part.py PACKAGE FILE      (corpus.py calls this in the environment of the package)
FILE: a safetensors file; CASE.PART are the tensors of a case, and the metadata has fields of its record that are known
here alone.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import json
import pathlib
import sys

import numpy as np

import corpus_works
import tables

torch = record.torch


def queries(heads, places, head, seed, dtype):
    """Uniform in [-4, 4): the same bits everywhere."""
    q = torch.from_numpy(8 * np.random.default_rng(seed).random((1, heads, places, head)) - 4)
    return q.to(torch.bfloat16 if dtype == "bf16" else torch.float32)


def seen(case):
    """The names of a call, as the works of its row have them."""
    names = dict(case.sees)
    if "q" in names:
        names["q"] = queries(*names["q"])
    if "distances" in names:
        names["distances"] = np.arange(-names["distances"], names["distances"] + 1)
    if case.kind == "query_scale":
        names["positions"] = np.array(names["positions"])
    if "places" in names:
        names["places"] = torch.tensor(names["places"], dtype=torch.float32)
    if "mask" in names:
        names["mask"] = np.array(names["mask"])
    return names


def plain(value):
    """NumPy, of PyTorch or NumPy."""
    if isinstance(value, np.ndarray):
        return np.ascontiguousarray(value)
    return record.stored(value.detach() if value.requires_grad else value)


# ---- what of the result of a call is the table: {part: array}, and fields of the record -----------------

def table(case, made):
    array = plain(made[-1] if isinstance(made, tuple) else made)
    if case.kind in ("table", "grid"):
        array = array.reshape(-1, array.shape[-1])
    return {"": array}, {}


def classes(case, made):
    """[queries, keys] of the classes of distances, which are in order."""
    reach, (queries, keys) = case.sees["distances"], (case.says["queries"], case.says["keys"])
    distance = np.arange(keys)[None, :] - np.arange(queries)[:, None]
    return {"": np.asarray(made).astype(np.int64)[distance + reach]}, {}


def inv_freq(case, made):
    return {"": plain(made[0])}, {}


def coordinates_of(case, made):
    """Turned places come with their coordinates in place of a ladder."""
    if "positions" in case.sees:
        return {}
    return {"coordinates": np.asarray(made[0], np.float64).tolist()}


def in_form(array, form):
    return {"once": array, "halves": np.concatenate([array, array], -1), "pairs": np.repeat(array, 2, -1)}[form]


def waves(case, made):
    cos, sin = (plain(torch.as_tensor(each).to(torch.float32)) for each in made[1:3])
    fields, form = coordinates_of(case, made), case.says["stored"]
    if case.kind == "cos_sin" and form == "complex":
        return {"": np.stack([cos, sin], -1)}, fields
    cos, sin = in_form(cos, form), in_form(sin, form)
    return {"": {"cos": cos, "sin": sin, "cos_sin": np.concatenate([cos, sin], -1)}[case.kind]}, fields


def turned(case, made):
    return {"before": plain(queries(*case.sees["q"])), "after": plain(made[-1])}, coordinates_of(case, made)


def parts(case, made):
    """A call that gives {part: array} itself."""
    return {part: plain(array) for part, array in made.items()}, {}


def computed(case):
    return globals()[case.gives](case, tables.called(case.call, **seen(case)))


def main(package, path):
    tensors, metadata, faults = {}, {}, []
    for case in corpus_works.cases():
        if case.package != package:
            continue
        try:
            made, fields = computed(case)
        except Exception as error:  # all that fail are told at once
            faults.append(f"{case.name}: {type(error).__name__}: {error}")
            continue
        tensors |= {f"{case.name}.{part}": array for part, array in made.items()}
        metadata[case.name] = json.dumps(fields)
    metadata["made_by"] = record.made_by(package)
    print(*faults, sep="\n", end="\n" if faults else "", file=sys.stderr)
    pathlib.Path(path).write_bytes(record.pack(metadata, tensors))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
