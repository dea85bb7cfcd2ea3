# SPDX-License-Identifier: Apache-2.0
"""Tables of a row of the work list: the ladder and the table of each original, and the correctly rounded ones."""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib
import json

import numpy as np

import truth
import works

ABOUT = ("dD/positions, or dD-HxW/grid: what the tables of width D hold. dD/exact/TYPE: the real numbers rounded once; "
         "dD/RECIPE/TYPE: the original that follows this recipe. ladder: w_k; divisors: base^e_k; table [positions, "
         "columns], of a grid [height * width, columns]")


def called(call, **names):
    """What the call of a row gives: an expression in the names of a module."""
    module, expression = call.split(": ", 1)
    scope = {**vars(importlib.import_module(module)), "np": np, "torch": record.torch, **names}
    return eval(expression, scope)


def array(value):
    return np.ascontiguousarray(value) if isinstance(value, np.ndarray) else record.stored(value)


def original(work, recipe, dim, what):
    """(ladder, table) of the original; the ladder is None where nothing gives it."""
    place = {"grid": what} if isinstance(what, tuple) else {"positions": what}
    made = called(work.calls[recipe], dim=dim, **place)
    ladder, table = made if isinstance(made, tuple) else (None, made)
    if recipe in work.ladders:
        ladder = called(work.ladders[recipe], dim=dim)
    return None if ladder is None else array(ladder), array(table)


def exact_table(formula, dim, what, dtype):
    if isinstance(what, tuple):
        def rows(extent, width):
            return truth.exact_rows(range(extent), formula.spacing, formula.layout, "refused", width, dtype)
        return truth.cell_table(formula, dim, what, rows)
    return truth.exact_rows(what, *formula[:3], dim, dtype, formula.factor, formula.scale)


def ladder_widths(formula, dim):
    """The widths whose ladders a file states, one after the other."""
    if not isinstance(formula, works.Cells):
        return [dim]
    widths = truth.run_widths(formula, dim)
    return widths[:1] if len(set(widths)) == 1 else widths


def cases(work):
    """(name, width, positions or grid)"""
    for dim, rows in work.rows.items():
        if isinstance(rows[0], tuple):
            yield from ((f"d{dim}-{'x'.join(map(str, grid))}", dim, grid) for grid in rows)
        else:
            yield f"d{dim}", dim, rows


def case_tensors(work, dim, what):
    is_grid = isinstance(what, tuple)
    tensors = {"grid" if is_grid else "positions": np.array(what)}
    types = set(work.types)
    for recipe in work.calls:
        ladder, table = original(work, recipe, dim, what)
        types.add(record.dtype_name(table))
        tensors[f"{recipe}/{record.dtype_name(table)}/table"] = table
        if ladder is not None:
            holds = "divisors" if "divide" in recipe else "ladder"
            tensors[f"{recipe}/{record.dtype_name(ladder)}/{holds}"] = ladder
    if work.formula is None:
        return tensors
    tensors["exact/f64/ladder"] = np.concatenate([
        truth.exact_ladder(work.formula.spacing, width, factor=getattr(work.formula, "factor", 1))
        for width in ladder_widths(work.formula, dim)])
    for dtype in types:
        tensors[f"exact/{dtype}/table"] = exact_table(work.formula, dim, what, dtype)
    return tensors


def certain(name):
    return name.split("/")[1] in ("exact", "positions", "grid")


def make(work):
    tensors = {f"{case}/{name}": tensor for case, dim, what in cases(work)
               for name, tensor in case_tensors(work, dim, what).items()}
    return {"about": ABOUT, "kind": "tables", "calls": json.dumps(work.calls | {
        f"{recipe}, ladder": call for recipe, call in work.ladders.items()})}, tensors
