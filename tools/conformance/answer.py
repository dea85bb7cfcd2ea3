# SPDX-License-Identifier: Apache-2.0
"""The functions of a package as `posenc conformance score --command` asks for them.

usage: answer.py PACKAGE FOLDER     in an environment that has the package; answers go to FOLDER
A case is offered where the work list of the goldens (tools/goldens) has a call of the package for its preset: the same
calls, at the positions of the case. Many originals index a table that they build; they get the first places alone.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "goldens"))
import record  # chooses the CPU target: before NumPy and PyTorch

import contextlib
import io
import json
import resource

import numpy as np
import torch

import tables
import worklist
from works import OfPreset

# Tables up to a place that nobody holds end with an error, not with the machine's memory.
MOST_BYTES = 3 << 30
# All places of a case; the whole ones below 2^17, 2^13 and 2^7.
FIRST_PLACES = (None, 13, 12, 9)


def whole(values):
    """Whole positions as int, so that originals that index with them can."""
    return [int(value) if float(value).is_integer() else value for value in values]


def recipe_of(work, request):
    """The recipe of the case where the row has an original that follows it, else the row's first."""
    own = request["recipe"].split(":")[0]
    return own if own in work.calls else next(iter(work.calls))


def rows(work, request, count):
    """The table of an original: rows at positions of one axis."""
    positions = whole(request["positions"][0])[:count]
    _, table = tables.original(work, recipe_of(work, request), request["dim"], positions)
    return np.asarray(table)


SIDE = 8  # of the grid that stands for its first places


def grid_rows(work, request, _):
    """The first places of a case, picked from the table of a grid."""
    axes, lists = request["axes"], request["positions"]
    order = [axis for axis in axes if axis not in ("y", "x")] + [axis for axis in ("y", "x") if axis in axes]
    _, table = tables.original(work, recipe_of(work, request), request["dim"], (SIDE,) * len(axes))
    count = next(i for i, place in enumerate(zip(*lists)) if max(place) >= SIDE)
    index = tuple(np.array(lists[axes.index(axis)][:count], int) for axis in order)
    return np.asarray(table).reshape(*(SIDE,) * len(axes), -1)[index]


def rotations(work, request, count):
    positions = tuple(whole(request["positions"][0])[:count])
    head = torch.tensor(request["head"], dtype=torch.float32)
    q = head.expand(1, 1, len(positions), len(head)).clone()
    _, _, _, turned = tables.called(work.turns[0].call, q=q, positions=positions, rotated=2 * int(head.sum()))
    return turned.detach().reshape(len(positions), len(head)).to(torch.float32).numpy()


def places(work, request, count):
    """Rows at coordinates; a call that takes a grid has no rows elsewhere."""
    if any(isinstance(each[0], int) for each in work.rows.values()):
        raise ValueError("the original takes grids alone")
    at = np.array(request["positions"], np.float32).T[:count]
    return np.asarray(tables.array(tables.called(work.call, dim=request["dim"], places=torch.from_numpy(at.copy()))))


def classes(work, request, _):
    found = np.asarray(tables.called(work.call, distances=np.arange(-work.reach, work.reach + 1)))
    queries, keys = (np.array(whole(each)) for each in request["positions"])
    return found.astype(np.int64)[keys[None, :] - queries[:, None] + work.reach]


def of_window(work, request, _):
    height, width = request["window"]
    return np.asarray(tables.array(tables.called(work.call, height=height, width=width)))


def query_scales(work, request, _):
    made = tables.called(work.call, positions=np.array(request["positions"][0]))
    return np.asarray(tables.array(made)).reshape(request["shape"])


def biases(work, request, _):
    queries, keys = map(whole, request["positions"])
    made = np.asarray(tables.array(tables.called(work.call, heads=request["dim"], queries=queries, keys=keys)))
    made = made if made.ndim == 3 else made[:, None, :]
    return np.ascontiguousarray(np.broadcast_to(made, request["shape"]))


MAKERS = {("rows", "tables"): rows, ("rows", "places"): places, ("rotations", "rotary"): rotations,
          ("classes", "answers"): classes, ("windows", "answers"): of_window, ("log_coordinates", "answers"): of_window,
          ("query_scales", "answers"): query_scales, ("biases", "slopes"): biases}


def ggml_style(request, count):
    """Rotations as ggml makes them, in NumPy: each angle is the one before it times base^(-2 / d), all in f32."""
    positions = np.array(request["positions"][0], np.float32)[:count]
    head = np.array(request["head"], np.float32)
    angles = np.empty((len(positions), len(head) // 2), np.float32)
    angles[:, 0] = positions
    ratio = np.float32(10000) ** np.float32(-2 / len(head))
    for k in range(1, angles.shape[1]):
        angles[:, k] = angles[:, k - 1] * ratio
    halves = request["case"] == "ggml-rope-neox"
    first, second = (slice(0, len(head) // 2), slice(len(head) // 2, None)) if halves else (slice(0, None, 2), slice(1, None, 2))
    out = np.empty((len(positions), len(head)), np.float32)
    x, y, cos, sin = head[first], head[second], np.cos(angles), np.sin(angles)
    out[:, first], out[:, second] = x * cos - y * sin, x * sin + y * cos
    return out


# What no package's work has: case, and what makes it.
WRITTEN_HERE = {"ggml-style": {"ggml-rope-normal": ggml_style, "ggml-rope-neox": ggml_style}}


def why_not(work, request):
    """A reason for which the call of a row is not of this case, or None."""
    if (request["operation"], work.module) not in MAKERS:
        return "the package has no function for it here"
    if request["operation"] == "rows" and work.module == "tables" and not work.calls:
        return "its original is exact"
    if request.get("learned") != getattr(work, "learned", None):
        return "the call states another learned scale"
    if "dynamic_ntk" in json.dumps(request["convention"]):
        return "the original takes the length from its positions"
    if request["operation"] == "rotations" and "head_dim" in work.turns[0].call:
        return "the call states a head of another width"
    return None


def maker_of(package, works, request):
    """What makes the answer, by how many places; or the reason why nothing does."""
    own = WRITTEN_HERE.get(package, {}).get(request["case"])
    if own:
        return lambda count: own(request, count)
    work = works.get(request["case"])
    reason = "the package has no function for it here" if work is None else why_not(work, request)
    if reason:
        return reason
    grid = work.module == "tables" and len(request["positions"]) > 1
    make = grid_rows if grid else MAKERS[request["operation"], work.module]
    return lambda count: make(work, request, count)


def answer(maker, request, folder):
    reason = ""
    for count in FIRST_PLACES if request["operation"] in ("rows", "rotations") else FIRST_PLACES[:1]:
        try:
            made = maker(count)
            if made.shape[1:] != tuple(request["shape"][1:]) or len(made) > request["shape"][0]:
                raise ValueError(f"shape {list(made.shape)}, not {request['shape']}")
        except Exception as error:  # whatever an original says of positions or widths that it does not take
            reason = reason or f"{type(error).__name__}: {error}".splitlines()[0][:120]
            continue
        path = folder / f"{request['case']}.npy"
        np.save(path, made.astype(np.float32) if made.dtype == np.float16 else made)  # f32 holds the same values
        return {"npy": str(path)}
    return {"skip": f"not at these places or this width, {reason}"}


def main():
    package, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_BYTES, MOST_BYTES))
    works = {work.name: work for work in worklist.WORKS if isinstance(work, OfPreset) and work.package == package}
    for line in sys.stdin:
        request = json.loads(line)
        with contextlib.redirect_stdout(io.StringIO()), torch.no_grad():  # standard output is for answers
            maker = maker_of(package, works, request)
            found = {"skip": maker} if isinstance(maker, str) else answer(maker, request, folder)
        print(json.dumps({"id": request["id"], **found}), flush=True)


if __name__ == "__main__":
    main()
