# SPDX-License-Identifier: Apache-2.0
"""Rotations of a row of the work list: given q, turned by the original and by the contract of the library.

Beside each result stands what the contract makes of the same q with correctly rounded cosines and sines: of the real
angles (`exact`) and of the recipe's (`recipe`). The contract, written in NumPy: (RN(RN(x c) - RN(y s)), RN(RN(x s) +
RN(y c))) in f32, bf16 widened first and rounded once. Given its own cosines and sines the original is the contract to
the bit, or this stops; only where its products are `contracted` may it round them otherwise.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import json

import numpy as np
import torch

import truth
from stage import differing_bits, rounded
from tables import called

ABOUT = ("CASE/in: q [1, heads, L, d]; ladder, cosine and sine [L, rotated / 2] of the original; out: its rotated q; "
         "recipe and exact: the contract's, with the angles of the recipe f32-reciprocal and the real ones. contracted: "
         "cases whose original rounds its products otherwise")
RECIPE = "f32-reciprocal"


def exact_angles(positions, rotated):
    sines, cosines = np.hsplit(truth.exact_rows(positions, "over_width", "sine_first", "refused", rotated, "f32"), 2)
    return cosines, sines


def recipe_angles(positions, ladder):
    sines, cosines = truth.sin_cos(truth.recipe_angles(RECIPE, positions, ladder))
    return cosines, sines


def contract(q, cos, sin, pairing, rotated, dtype):
    wide = q.to(torch.float32).numpy()
    adjacent = pairing == "adjacent"
    half = rotated // 2
    first = slice(0, rotated, 2) if adjacent else slice(0, half)
    second = slice(1, rotated, 2) if adjacent else slice(half, rotated)
    x, y, out = wide[..., first], wide[..., second], wide.copy()
    out[..., first] = rounded(x * cos - y * sin, dtype)
    out[..., second] = rounded(x * sin + y * cos, dtype)
    return out


# ---- the work -----------------------------------------------------------------------------------

def turned(turn, pairing):
    """{name: tensor} of one case."""
    generator = np.random.default_rng(turn.seed)  # uniform doubles: the same bits everywhere
    q = torch.from_numpy(8 * generator.random((1, turn.heads, len(turn.positions), turn.head)) - 4)
    q = q.to(torch.bfloat16 if turn.dtype == "bf16" else torch.float32)
    ladder, cos, sin, out = called(turn.call, q=q, positions=turn.positions, rotated=turn.rotated)
    made = {"given": contract(q, cos.numpy(), sin.numpy(), pairing, turn.rotated, turn.dtype)}
    for name, angles in {
        "recipe given the ladder": recipe_angles(turn.positions, ladder.numpy()),
        "recipe": recipe_angles(turn.positions, truth.recipe_ladder(RECIPE, "over_width", turn.rotated)),
        "exact": exact_angles(turn.positions, turn.rotated),
    }.items():
        made[name] = contract(q, *angles, pairing, turn.rotated, turn.dtype)
    check_and_show(turn, out, made)
    kept = {holds: torch.from_numpy(made[holds]).to(q.dtype) for holds in ("recipe", "exact")}
    tensors = {"in": q, "ladder": ladder, "cosine": cos, "sine": sin, "out": out, **kept}
    return {"positions": np.array(turn.positions)} | {k: record.stored(v) for k, v in tensors.items()}


def check_and_show(turn, out, made):
    counts = {what: differing_bits(out, wide) for what, wide in made.items()}
    most = {what: np.abs(out.to(torch.float32).numpy() - wide).max() for what, wide in made.items()}
    shown = ", ".join(f"{what} {counts[what]} ({most[what]:.3g})" for what in made)
    print(f"{turn.name}, {out.numel()} entries; differ from the contract (most): {shown}")
    if counts["given"] and not turn.contracted:
        raise ArithmeticError(f"{turn.name}: {counts['given']} entries are not the contract's given their cosines")


def certain(name):
    return name.split("/")[1] in ("positions", "in", "recipe", "exact")


def make(work):
    tensors = {f"{turn.name}/{name}": tensor for turn in work.turns
               for name, tensor in turned(turn, work.pairing).items()}
    calls = json.dumps({turn.name: turn.call for turn in work.turns})
    contracted = " ".join(turn.name for turn in work.turns if turn.contracted)
    return {"about": ABOUT, "kind": "rotations", "calls": calls, "contracted": contracted}, tensors
