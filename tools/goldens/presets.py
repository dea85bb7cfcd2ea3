# SPDX-License-Identifier: Apache-2.0
"""Goldens of the presets: ladders and table rows of the originals, and the correctly rounded values beside them.

usage: presets.py          writes tests/encodings/goldens
       presets.py --check  recomputes and compares
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib.metadata
import json
import sys

import numpy as np

import truth
from originals import ORIGINALS, mae_2d

FOLDER = record.TESTS / "encodings" / "goldens"

FEW = [0, 1, 2, 3, 100, 511, 1023, 4999]
ROWS = [0, 1, 2, 3, 5, 7, 13, 31, 100, 127, 511, 1023, 2047, 4093, 4999]
FAR = [65537, 1000003, 16777217]  # the last is no f32
WHISPER = [0, 1, 2, 3, 5, 7, 13, 31, 100, 127, 511, 1023, 1499]
REAL = [0.5, -1.0, -3.0, 2.25, 0.1, -1023.75, 1e-3, 1000000.5, 4294967297.0, 9007199254740992.0]
STEPS = [0, 1, 2, 3, 5, 20, 100, 481, 500, 981, 999, 1000]
FRACTIONS = [0.5, 0.25, 999.5, 0.1, 333.3333, 1e-3, -1.0, 1000000.5]
FIVE = [0, 1, 2, 3, 4]  # the worked example: length 5, width 14

MODULE = {2: ROWS, 4: ROWS, 8: ROWS, 14: FIVE, 64: ROWS, 512: FEW}
WIDTHS = {
    "transformer": {2: ROWS + FAR, 8: ROWS + REAL, 64: ROWS + FAR, 512: FEW},
    "opennmt": MODULE,
    "pytorch-divide": MODULE,
    "pytorch": MODULE,
    "tf-official": {4: ROWS + FAR, 7: ROWS, 8: ROWS, 14: FIVE, 64: ROWS + FAR, 512: FEW},
    "tensor2tensor": {2: ROWS, 3: ROWS, 4: ROWS + FAR, 7: ROWS, 14: FIVE, 64: ROWS + FAR, 65: FEW, 512: FEW},
    "mae-1d": {2: ROWS + REAL, 4: ROWS + REAL, 8: ROWS + REAL, 64: FEW + REAL, 512: FEW},
    "tf-tutorial": {2: ROWS + FAR, 3: ROWS, 7: ROWS, 8: ROWS + FAR, 15: ROWS, 64: ROWS + FAR, 512: FEW},
    "mae-2d": {4: [(2, 2), (2, 3)], 8: [(3, 3), (3, 2)], 16: [(1, 5)], 64: [(4, 4)], 512: [(2, 2)]},
    "diffusers-timestep": {4: STEPS + FAR, 5: STEPS + FRACTIONS, 8: STEPS + FRACTIONS, 64: STEPS + FAR, 65: STEPS,
                           320: STEPS + FRACTIONS, 512: STEPS},
    "ddpm": {4: STEPS + FAR, 5: STEPS, 8: STEPS, 64: STEPS + FAR, 128: STEPS, 512: STEPS},
    "whisper": {4: WHISPER, 8: WHISPER, 64: WHISPER, 384: WHISPER[:4] + WHISPER[-4:], 512: WHISPER[:4] + WHISPER[-4:]},
}

# conventions.md's rows: printed from 60-digit arithmetic of another program. d = 8, base 10000.
# (name, spacing, cosines first, position of the angle, factor, digits)
GOLDEN_ROWS = [
    ("interleaved, over_width", "over_width", "interleaved", 3, 1,
     "0.141120002 -0.989992499 0.295520216 0.955336511 0.029995501 0.999550045 0.0029999956 0.99999553"),
    ("sine_first, over_width", "over_width", "sine_first", 3, 1,
     "0.141120002 0.295520216 0.029995501 0.0029999956 -0.989992499 0.955336511 0.999550045 0.99999553"),
    ("sine_first, over_gaps", "over_gaps", "sine_first", 3, 1,
     "0.141120002 0.138798103 0.00646325899 0.000299999985 -0.989992499 0.990320683 0.999979138 0.99999994"),
    ("cosine_first, over_width", "over_width", "cosine_first", 3, 1,
     "-0.989992499 0.955336511 0.999550045 0.99999553 0.141120002 0.295520216 0.029995501 0.0029999956"),
    ("cosine_first, over_gaps", "over_gaps", "cosine_first", 3, 1,
     "-0.989992499 0.990320683 0.999979138 0.99999994 0.141120002 0.138798103 0.00646325899 0.000299999985"),
    ("sine_first, over_gaps, stored row 3 of a table whose positions start at 1", "over_gaps", "sine_first", 4, 1,
     "-0.756802499 0.184598729 0.00861763209 0.00039999999 -0.653643608 0.982813954 0.999962866 0.99999994"),
    ("sine_first, over_gaps, rows of norm 1", "over_gaps", "sine_first", 3, 0.5,
     "0.0705600008 0.0693990514 0.0032316295 0.000149999993 -0.49499625 0.495160341 0.499989569 0.49999997"),
]


def golden_rows():
    rows = []
    for name, spacing, layout, position, factor, digits in GOLDEN_ROWS:
        pairs = truth.sine_and_cosine(position, spacing, 8)
        if layout == "cosine_first":
            reals = [c for _, c in pairs] + [s for s, _ in pairs]
        else:
            reals = truth.lay_out(pairs, layout, "refused", 8)
        values = [truth.round_real(v * factor, "f32") for v in reals]
        if [np.float32(v) for v in digits.split()] != [np.float32(v) for v in values]:
            raise ArithmeticError(f"{name}: the printed row is another one")
        rows.append({"name": name, "spacing": spacing, "layout": layout, "dim": 8, "position": position,
                     "factor": factor, "f32": [float.hex(v) for v in values]})
    return rows


def entry(name, what, o, recipe, dim, holds, array):
    place = {"grid": list(what)} if isinstance(what, tuple) else {"positions": what}
    label = f"{name}.{holds}" if recipe != "exact" else f"{name}.exact-{holds}"
    return {"file": f"{label}.npy", "set": name, "preset": o.preset, "recipe": recipe, "dim": dim, "holds": holds,
            **(place if holds == "table" else {})}, array


def exact_table(o, dim, what, dtype):
    if isinstance(what, tuple):
        height, width = what
        rows = truth.exact_rows(range(max(what)), o.spacing, o.layout, o.odd_width, dim // 2, dtype)
        y, x = np.divmod(np.arange(height * width), width)
        return np.hstack([rows[x], rows[y]])
    return truth.exact_rows(what, o.spacing, o.layout, o.odd_width, dim, dtype)


def original_set(o, dim, what):
    """Four files: the original's ladder and table, and the correctly rounded ones."""
    size = f"-{what[0]}x{what[1]}" if isinstance(what, tuple) else ""
    name = f"{o.preset}-{o.recipe}-{dim}{size}"
    ladder, table = o.make(dim, what)
    holds = "divisors" if o.recipe == "f32-divide" else "ladder"
    half = dim // 2 if o.make is mae_2d else dim
    return [
        entry(name, what, o, o.recipe, dim, holds, np.ascontiguousarray(ladder)),
        entry(name, what, o, o.recipe, dim, "table", np.ascontiguousarray(table)),
        entry(name, what, o, "exact", dim, "ladder", truth.exact_ladder(o.spacing, half)),
        entry(name, what, o, "exact", dim, "table", exact_table(o, dim, what, record.dtype_name(table))),
    ]


class Paper:
    """The transformer preset: its original is the formula, so every value is exact."""
    preset, spacing, layout, odd_width = "transformer", "over_width", "interleaved", "refused"


def paper_set(dim, positions):
    name = f"transformer-{dim}"
    files = [entry(name, positions, Paper, "exact", dim, "ladder", truth.exact_ladder("over_width", dim))]
    for dtype in ("f32", "f64", "f16", "bf16"):
        description, array = entry(f"{name}-{dtype}", positions, Paper, "exact", dim, "table",
                                   exact_table(Paper, dim, positions, dtype))
        stored = {"dtype": "bf16", "stored_as": "i32"} if dtype == "bf16" else {}
        files.append(({**description, "set": name, **stored}, array))
    return files


def entries():
    made = [file for dim, positions in WIDTHS["transformer"].items() for file in paper_set(dim, positions)]
    for o in ORIGINALS:
        for dim, rows in WIDTHS[o.preset].items():
            for what in rows if o.make is mae_2d else [rows]:
                made += original_set(o, dim, what)
    return made


HEAD = {
    "about": "See docs/goldens.md. set: files that belong together; recipe: whose arithmetic, exact being the real "
             "number rounded once; holds: ladder (w_k), divisors (base^e_k) or table; bf16 is its 16 bits in i32; a "
             "grid is [height, width] and its table is [height * width, dim]",
}

if __name__ == "__main__":
    arguments = record.parse(__doc__.split("\n")[0]).parse_args()
    made_by = {**record.made_by("presets.py"), "diffusers": importlib.metadata.version("diffusers")}
    head = {"made_by": made_by, **HEAD, "golden_rows": golden_rows()}
    if not arguments.check:
        record.write(FOLDER, "index.json", head, entries())
        sys.exit(0)
    status = record.check(FOLDER, "index.json", head, entries(), lambda d: d["recipe"] == "exact")
    if json.loads((FOLDER / "index.json").read_text())["golden_rows"] != head["golden_rows"]:
        print("golden_rows: other values", file=sys.stderr)
        status = 1
    sys.exit(status)
