# SPDX-License-Identifier: Apache-2.0
"""How far each original is from its recipe and from exact: prints the table of docs/goldens-list.md from the committed files.

usage: distances.py [--page]   the committed files: seconds, with the packages of packages/numpy.txt
       distances.py --full     every row of the originals' own tables, of width 64 and 512: minutes, packages/diffusers.txt
"""
import record  # chooses the CPU target: before NumPy

import argparse
import functools

import numpy as np

import goldens
import tables
import truth
import worklist
import works

WIDTHS = (64, 512)
GRIDS = {2: (14, 14), 3: (4, 8, 8)}  # by the number of axes
TABLES = [work for work in worklist.WORKS if isinstance(work, works.Table) and work.calls and work.formula]


def differing(a, b):
    u = truth.ulps(a, b)
    return int((u != 0).sum()), u.size, int(u.max())


@functools.cache
def exact_halves(spacing, dim, rows, factor):
    """Correctly rounded sines and cosines [rows, n] of each output type: each real is computed once."""
    n = len(truth.frequencies(spacing, dim))
    halves = {t: np.empty((2, rows, n), truth.NUMPY[t]) for t in truth.NUMPY}
    for p in range(rows):
        for k, pair in enumerate(truth.sine_and_cosine(p, spacing, dim, factor)):
            for dtype, half in halves.items():
                half[:, p, k] = [truth.round_real(v, dtype) for v in pair]
    return halves


def exact(work, dim, what, dtype):
    """As tables.exact_table of rows 0, 1, ..."""
    if isinstance(what, tuple) or work.formula.scale != "none":
        return tables.exact_table(work.formula, dim, what, dtype)
    spacing, layout, odd_width, factor, _ = work.formula
    spacing = "over_gaps" if spacing == "over_gaps_or_one" else spacing  # one ladder where n > 1
    sines, cosines = exact_halves(spacing, dim, 5000, factor)[dtype]
    return truth.lay_out_halves(sines[:len(what)], cosines[:len(what)], layout, odd_width, dim)


def given(work, recipe, dim, what, ladder):
    """The recipe's table on a ladder."""
    if not isinstance(what, tuple):
        _, layout, odd_width, factor, scale = work.formula
        table = truth.recipe_table(recipe, what, ladder, layout, odd_width, dim, factor)
        return table if scale == "none" else table / np.sqrt(table.dtype.type(dim))
    widths = tables.ladder_widths(work.formula, dim)
    ladders = iter(np.split(ladder, np.cumsum([width // 2 for width in widths])[:-1]) * (len(what) // len(widths)))
    return truth.cell_table(work.formula, dim, what, lambda extent, width: truth.recipe_table(
        recipe, list(range(extent)), next(ladders), work.formula.layout, "refused", width))


def distance(a, b):
    return np.abs(a.astype(np.float64) - b.astype(np.float64)).max()


def share(found):
    if not found:
        return "no ladder"
    count, size, most = (f(part) for f, part in zip((sum, sum, max), zip(*found)))
    return f"{count} of {size} ({100 * count / size:.3g} %), {most}" if count else f"0 of {size}, 0"


def cells(work, recipe, cases):
    """Three cells of the table, and the largest distance; `cases` are (width, positions or grid, ladder, table, exact)."""
    ladders, recipes, exacts, far = [], [], [], 0
    for dim, what, ladder, table, real in cases:
        if ladder is not None:
            ours = [truth.recipe_ladder(recipe, work.formula.spacing, width)
                    for width in tables.ladder_widths(work.formula, dim)]
            ladders.append(differing(ladder, np.concatenate(ours)))
            recipes.append(differing(table, given(work, recipe, dim, what, ladder)))
        exacts.append(differing(table, real))
        far = max(far, distance(table, real))
    return f"{share(ladders)} | {share(recipes)} | {share(exacts).rsplit(',', 1)[0]} | {far:.3g} |"


def stored(work, recipe):
    _, tensors = record.read(work.name)
    for case, dim, what in tables.cases(work):
        table, = (name for name in tensors if name.startswith(f"{case}/{recipe}/") and name.endswith("/table"))
        ladder = [tensors[name] for name in tensors
                  if name.startswith(f"{case}/{recipe}/") and name.endswith(("/ladder", "/divisors"))]
        real = tensors[f"{case}/exact/{table.split('/')[2]}/table"]
        yield dim, what if isinstance(what, tuple) else list(what), ladder[0] if ladder else None, tensors[table], real


def full(work, recipe, dim):
    what = GRIDS[len(work.formula.axes)] if isinstance(work.formula, works.Cells) else list(range(work.length))
    ladder, table = tables.original(work, recipe, dim, what)
    yield dim, what, ladder, table, exact(work, dim, what, record.dtype_name(table))


HEAD = ["| preset | recipe | width | ladder entries that differ from the recipe, max ulp "
        "| table entries that differ from the recipe given the original's ladder, max ulp "
        "| table entries that differ from exact | max distance to exact |", "| --- | --- | --- | --- | --- | --- | --- |"]


def lines(is_full):
    for work in TABLES:
        for recipe in work.calls:
            if not is_full:
                yield f"| {work.name} | {recipe} | all | {cells(work, recipe, stored(work, recipe))}"
                continue
            for dim in WIDTHS:
                yield f"| {work.name} | {recipe} | {dim} | {cells(work, recipe, full(work, recipe, dim))}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--full", action="store_true", help="every row of the originals' own tables: minutes")
    parser.add_argument("--page", action="store_true", help="write the table into docs/goldens-list.md")
    arguments = parser.parse_args()
    if arguments.page:
        goldens.PAGE.write_text(goldens.page_with("tools/goldens/distances.py --page", [*HEAD, *lines(False)]))
        return
    for line in [*HEAD, *lines(arguments.full)]:
        print(line, flush=True)


if __name__ == "__main__":
    main()
