# SPDX-License-Identifier: Apache-2.0
"""Rows at places: what the original gives there, and the correctly rounded values."""
import record  # chooses the CPU target: before NumPy and PyTorch

import json

import numpy as np

import coordinate_truth
import tables
import truth

ABOUT = ("dD/places: f64 [rows, axes], coordinates in the order of the convention; of a grid its cells, x fastest, "
         "numbered as the metadata dD says. dD/original: the table of the original, whose coordinates are f32. "
         "dD/exact/TYPE: the real numbers rounded once. dD/angles: |angle| of every entry, of a raw coordinate its size. "
         "roundings: of 2^-24 of an angle, by which the original may be off; learned: the context's scale")


def numbered(count, first=0, over="one", eps=0, gain=1, shift=0):
    """((i + first) / divisor) gain + shift of `count` places, every operation in f64."""
    i = np.arange(count, dtype=np.float64) + first
    divisor = {"one": 1.0, "count": float(count), "gaps": count - 1.0, "last": i[-1]}[over] + eps
    return i / divisor * gain + shift


def places_of(work, what):
    if isinstance(what, list):
        return np.array([np.ravel(place) for place in what], dtype=np.float64)
    sides = [numbered(count, **work.numbering) for count in what]
    return np.stack(np.meshgrid(*sides, indexing="ij"), -1).reshape(-1, 2)


def exact(columns, places, scale, dtype):
    return truth.array([[truth.round_real(scale * coordinate_truth.value_at(c, p), dtype) for c in columns]
                        for p in places], dtype)


def make(work):
    tensors, metadata = {}, {"about": ABOUT, "kind": "places", "call": work.call, "roundings": str(work.roundings)}
    for dim, what in work.rows.items():
        places = places_of(work, what)
        names = {"places": record.torch.tensor(places, dtype=record.torch.float32)} if record.torch else {"places": places}
        if not isinstance(what, list):
            names["grid"] = what
            metadata[f"d{dim}"] = json.dumps({"height": what[0], "width": what[1], **numbering_stated(work.numbering)})
        table = tables.array(tables.called(work.call, dim=dim, **names))
        columns, scale = tables.called(f"coordinate_truth: {work.columns}", dim=dim), work.scale(dim)
        tensors |= {f"d{dim}/places": places, f"d{dim}/original": table.reshape(len(places), -1),
                    f"d{dim}/angles": np.array([[coordinate_truth.size_at(c, p) for c in columns] for p in places])}
        for dtype in ("f32", "f64"):
            tensors[f"d{dim}/exact/{dtype}"] = exact(columns, places, scale, dtype)
    if work.learned is not None:
        metadata["learned"] = repr(work.learned)
    return metadata, tensors


def numbering_stated(numbering):
    return {"first": 0, "over": "one", "eps": 0, "gain": 1, "shift": 0} | numbering


def certain(name):
    return name.split("/")[1] != "original"
