# SPDX-License-Identifier: Apache-2.0
"""How far each original is from its recipe and from exact: prints the tables of docs/goldens.md."""
import record  # chooses the CPU target: before NumPy

import argparse
import functools
import json

import numpy as np

import truth
from originals import ORIGINALS, mae_2d

FOLDER = record.TESTS / "encodings" / "goldens"
WIDTHS = (64, 512)
ROWS = 5000  # of an original without a max_len, too
GRID = (14, 14)


def ulps(a, b):
    """Distance in last places of the type, entry by entry; +0 and -0 are one value."""
    kind = {2: np.int16, 4: np.int32, 8: np.int64}[a.dtype.itemsize]

    def order(x):
        i = x.view(kind).astype(np.int64)
        return np.where(i < 0, np.iinfo(kind).min - i, i)

    return np.abs(order(np.ascontiguousarray(a)) - order(np.ascontiguousarray(b)))


def differing(a, b):
    u = ulps(a, b)
    return int((u != 0).sum()), u.size, int(u.max())


@functools.cache
def exact_halves(spacing, dim):
    """Correctly rounded sines and cosines [ROWS, n] of each output type: each real is computed once."""
    n = len(truth.frequencies(spacing, dim))
    halves = {t: np.empty((2, ROWS, n), truth.NUMPY[t]) for t in truth.NUMPY}
    for p in range(ROWS):
        for k, pair in enumerate(truth.sine_and_cosine(p, spacing, dim)):
            for dtype, half in halves.items():
                half[:, p, k] = [truth.round_real(v, dtype) for v in pair]
    return halves


def rows_of(o, dim, positions, ladder):
    """Rows 0, 1, ...: the recipe's of that ladder, and the exact ones."""
    given = truth.recipe_table(o.recipe, positions, ladder, o.layout, o.odd_width, dim)
    spacing = "over_gaps" if o.spacing == "over_gaps_or_one" else o.spacing  # one ladder where n > 1
    sines, cosines = exact_halves(spacing, dim)[record.dtype_name(given)]
    count = len(positions)
    return given, truth.lay_out_halves(sines[:count], cosines[:count], o.layout, o.odd_width, dim)


def tables(o, dim, rows):
    """The original's ladder and table, the recipe's ladder, the recipe's table of the original's ladder, and exact.
    `rows` is a number of positions, or a (height, width)."""
    half = dim // 2 if isinstance(rows, tuple) else dim
    recipe_ladder = truth.recipe_ladder(o.recipe, o.spacing, half)
    if isinstance(rows, tuple):
        ladder, table = o.make(dim, rows)
        given, exact = (spread(r, rows) for r in rows_of(o, half, list(range(max(rows))), ladder))
    else:
        positions = list(range(rows))
        ladder, table = o.make(dim, positions)
        given, exact = rows_of(o, dim, positions, ladder)
    return ladder, table, recipe_ladder, given, exact


def spread(half, grid):
    """[height * width, dim] from one-axis rows: columns first."""
    y, x = np.divmod(np.arange(grid[0] * grid[1]), grid[1])
    return np.hstack([half[x], half[y]])


def distance(a, b):
    return np.abs(a.astype(np.float64) - b.astype(np.float64)).max()


def share(count, size):
    return f"{count} of {size} ({100 * count / size:.3g} %)" if count else f"0 of {size}"


def line(o, dim):
    rows = GRID if o.make is mae_2d else o.max_len or ROWS
    ladder, table, recipe_ladder, given, exact = tables(o, dim, rows)
    l_count, l_size, l_ulp = differing(ladder, recipe_ladder)
    t_count, t_size, t_ulp = differing(table, given)
    e_count, e_size, _ = differing(table, exact)
    return (f"| {o.preset} | {o.recipe} | {dim} | {len(table)} | {share(l_count, l_size)}, {l_ulp} "
            f"| {share(t_count, t_size)}, {t_ulp} | {share(e_count, e_size)} | {distance(table, exact):.3g} |")


def stored():
    """The same for the committed files, all widths together."""
    index = json.loads((FOLDER / "index.json").read_text())
    for o in ORIGINALS:
        ladders, given, exact, far = [], [], [], 0
        for entry in index["files"]:
            if (entry["preset"], entry["recipe"], entry["holds"]) != (o.preset, o.recipe, "table"):
                continue
            name, dim = entry["set"], entry["dim"]
            ladder = next(np.load(FOLDER / f"{name}.{h}.npy") for h in ("ladder", "divisors")
                          if (FOLDER / f"{name}.{h}.npy").exists())
            table = np.load(FOLDER / entry["file"])
            grid = entry.get("grid")
            half = dim // 2 if grid else dim
            positions = list(range(max(grid))) if grid else entry["positions"]
            of_ladder = truth.recipe_table(o.recipe, positions, ladder, o.layout, o.odd_width, half)
            ladders.append(differing(ladder, truth.recipe_ladder(o.recipe, o.spacing, half)))
            given.append(differing(table, spread(of_ladder, grid) if grid else of_ladder))
            truth_table = np.load(FOLDER / f"{name}.exact-table.npy")
            exact.append(differing(table, truth_table))
            far = max(far, distance(table, truth_table))
        cells = [f"{share(sum(c for c, _, _ in m), sum(n for _, n, _ in m))}, {max(u for _, _, u in m)}"
                 for m in (ladders, given)]
        print(f"| {o.preset} | {o.recipe} | {len(given)} | {' | '.join(cells)} "
              f"| {share(sum(c for c, _, _ in exact), sum(n for _, n, _ in exact))} | {far:.3g} |")


def timesteps():
    """The committed cases of timesteps.py; tables are compared in the columns of equal frequencies."""
    cases = {}
    for entry in json.loads((FOLDER / "timesteps.json").read_text())["files"]:
        case = cases.setdefault(entry["set"], entry["timestep"] | {"dim": entry["dim"]})
        case[entry["by"], entry["holds"]] = np.load(FOLDER / entry["file"])
    for name, case in cases.items():
        ladder, given = case["diffusers", "ladder"], case["recipe", "ladder"]
        table, recipe, exact = (case[by, "table"] for by in ("diffusers", "recipe", "exact"))
        equal = np.resize(ladder == given, table.shape[1])
        equal[2 * len(ladder):] = True  # the zeros of an odd width
        l_count, l_size, l_ulp = differing(ladder, given)
        t_count, t_size, t_ulp = differing(table[:, equal], recipe[:, equal])
        e_count, e_size, _ = differing(table, exact)
        print(f"| {name} | {case['dim']} | {case['shift']}, {case['scale']}, {case['max_period']}, {case['layout']} "
              f"| {share(l_count, l_size)}, {l_ulp} | {share(t_count, t_size)}, {t_ulp} | {share(e_count, e_size)} "
              f"| {distance(table, exact):.3g} |")


def full():
    for dim in WIDTHS:
        for o in ORIGINALS:
            print(line(o, dim), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stored", action="store_true", help="only the committed files: seconds instead of minutes")
    arguments = parser.parse_args()
    maker = record.made_by("distances.py")
    print(f"torch {maker['torch']} ({maker['torch_cpu_capability']}), NumPy {maker['numpy']} "
          f"({', '.join(maker['numpy_simd'])}), {maker['cpu']}\n")
    three = ("ladder entries that differ from the recipe, max ulp "
             "| table entries that differ from the recipe given the original's ladder, max ulp "
             "| table entries that differ from exact | max distance to exact |")
    print(f"| preset | recipe | tables | {three}\n| --- | --- | --- | --- | --- | --- | --- |")
    stored()
    print(f"\n| case | d | shift, scale, max_period, layout | {three}")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    timesteps()
    if not arguments.stored:
        print(f"\n| preset | recipe | d | rows | {three}")
        print("| --- | --- | --- | --- | --- | --- | --- | --- |")
        full()
