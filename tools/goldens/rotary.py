# SPDX-License-Identifier: Apache-2.0
"""Rotations of a row of the work list: given q, turned by the original and by the contract of the library.

Beside each result stands what the contract makes of the same q with correctly rounded cosines and sines: of the real
angles (`exact`) and of the recipe's (`recipe`). The contract, written in NumPy: (RN(RN(x c) - RN(y s)), RN(RN(x s) +
RN(y c))) in f32, bf16 widened first and rounded once. Given its own cosines and sines the original is the contract to
the bit, or this stops; only where its products are `contracted` may it round them otherwise. A row without a recipe has
in place of it the real frequencies, rounded once to f64 (`frequencies`).
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import json

import numpy as np
import torch

import scaled
import truth
from stage import differing_bits, rounded
from tables import called

ABOUT = ("CASE/in: q [1, heads, L, d]; ladder, cosine and sine [L, rotated / 2] of the original; out: its rotated q; "
         "%s. contracted: cases whose original rounds its products otherwise")
HOLDS = {True: "recipe and exact: the contract's, with the angles of the recipe %s and the real ones",
         False: "exact: the contract's, with the real angles; frequencies: the real ones, rounded once to f64"}


def real_frequencies(work, turn):
    return scaled.frequencies(turn.rotated, work.base, work.scaling)


def exact_angles(work, turn):
    return scaled.cosines_and_sines(turn.positions, real_frequencies(work, turn), scaled.magnitude(work.magnitude))


def recipe_angles(work, positions, ladder):
    """`ladder` as scaled.recipe_ladder gives it."""
    sines, cosines = truth.sin_cos(truth.recipe_angles(work.recipe, positions, ladder))
    m = scaled.recipe_magnitude(work.magnitude)
    return m * cosines.astype(np.float32), m * sines.astype(np.float32)


def contract(q, cos, sin, work, turn):
    wide = q.to(torch.float32).numpy()
    first, end, half = turn.first, turn.first + turn.rotated, turn.first + turn.rotated // 2
    adjacent, halves = (slice(first, end, 2), slice(first + 1, end, 2)), (slice(first, half), slice(half, end))
    read = adjacent if work.pairing == "adjacent" else halves
    written = halves if work.written == "split_half" else read
    x, y, out = wide[..., read[0]], wide[..., read[1]], wide.copy()
    if work.backward:
        sin = -sin
    out[..., written[0]] = rounded(x * cos - y * sin, turn.dtype)
    out[..., written[1]] = rounded(x * sin + y * cos, turn.dtype)
    return out


# ---- the work -----------------------------------------------------------------------------------

def turned(work, turn):
    """{name: tensor} of one case."""
    generator = np.random.default_rng(turn.seed)  # uniform doubles: the same bits everywhere
    q = torch.from_numpy(8 * generator.random((1, turn.heads, len(turn.positions), turn.head)) - 4)
    q = q.to(torch.bfloat16 if turn.dtype == "bf16" else torch.float32)
    ladder, cos, sin, out = called(turn.call, q=q, positions=turn.positions, rotated=turn.rotated)
    angles = {"exact": exact_angles(work, turn)}
    if work.recipe:
        own = 1 / ladder.numpy() if "divide" in work.recipe else ladder.numpy()
        made = scaled.recipe_ladder(work.recipe, turn.rotated, work.base, work.scaling)
        angles |= {"recipe given the ladder": recipe_angles(work, turn.positions, own),
                   "recipe": recipe_angles(work, turn.positions, made)}
        units = np.abs(ladder.numpy() - made) / np.spacing(np.abs(made))
        print(f"{turn.name}: the ladder is at most {units.max():g} last places from the recipe's")
    made = {what: contract(q, *both, work, turn) for what, both in angles.items()}
    check_and_show(turn, out, {"given": contract(q, cos.numpy(), sin.numpy(), work, turn)} | made)
    kept = {holds: torch.from_numpy(made[holds]).to(q.dtype) for holds in ("recipe", "exact") if holds in made}
    tensors = {"in": q, "ladder": ladder, "cosine": cos, "sine": sin, "out": out, **kept}
    arrays = {"positions": np.array(turn.positions)} | {k: record.stored(v) for k, v in tensors.items()}
    if not work.recipe:
        real = [truth.round_real(w, "f64") for w in real_frequencies(work, turn)]
        arrays["frequencies"] = np.array(real)
        show_ladder(turn, ladder.numpy(), arrays["frequencies"])
    return arrays


def show_ladder(turn, theirs, real):
    units = np.spacing(np.maximum(real, np.finfo(np.float32).tiny).astype(np.float32)).astype(np.float64)
    most = np.abs(theirs.astype(np.float64) - real) / units
    print(f"{turn.name}: the ladder is at most {most.max():.3g} last places of f32 from the real one")


def check_and_show(turn, out, made):
    counts = {what: differing_bits(out, wide) for what, wide in made.items()}
    most = {what: np.abs(out.to(torch.float32).numpy() - wide).max() for what, wide in made.items()}
    shown = ", ".join(f"{what} {counts[what]} ({most[what]:.3g})" for what in made)
    print(f"{turn.name}, {out.numel()} entries; differ from the contract (most): {shown}")
    if counts["given"] and not turn.contracted:
        raise ArithmeticError(f"{turn.name}: {counts['given']} entries are not the contract's given their cosines")


def certain(name):
    return name.split("/")[1] in ("positions", "in", "recipe", "exact", "frequencies")


def make(work):
    tensors = {f"{turn.name}/{name}": tensor for turn in work.turns
               for name, tensor in turned(work, turn).items()}
    calls = json.dumps({turn.name: turn.call for turn in work.turns})
    contracted = " ".join(turn.name for turn in work.turns if turn.contracted)
    holds = HOLDS[True] % work.recipe if work.recipe else HOLDS[False]
    tokens = {"length": str(work.scaling["tokens"])} if "tokens" in (work.scaling or {}) else {}
    return {"about": ABOUT % holds, "kind": "rotations", "calls": calls, "contracted": contracted, **tokens}, tensors
