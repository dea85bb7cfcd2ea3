# SPDX-License-Identifier: Apache-2.0
"""Goldens of timesteps with every field: tables of diffusers, the recipe's and the correctly rounded ones beside them."""
import record  # chooses the CPU target: before NumPy and PyTorch

import json

import mpmath
import numpy as np
import torch
from diffusers.models.embeddings import get_timestep_embedding
from mpmath import mpf

import truth
from torch_originals import timestep_ladder

WHOLE = [0, 1, 20, 481, 981, 999, -7]
SHARES = [0, 0.001, 0.25, 1 / 3, 0.5, 0.999, 1]
FRACTIONS = [0.001, 0.25, 0.5, 0.999, 1 / 3, 14.5, 998.75]

ABOUT = ("CASE/steps; CASE/BY/table [steps, columns] and ladder (max_period^-e_k, without the scale) by diffusers, by the "
         "recipe f32-exp-quotient with correctly rounded functions, or the real numbers rounded once; the fields of a "
         "case under its name")

# (name, width, max_period, shift, scale, cosines first, steps)
CASES = [
    ("stable-diffusion", 320, 10000, 0, 1, True, WHOLE),
    ("narrow", 2, 10000, 0, 1, True, WHOLE + FRACTIONS),
    ("narrow-odd", 3, 10000, 0, 1, True, WHOLE + FRACTIONS),
    ("class-labels", 256, 10000, 1, 1, True, WHOLE),
    ("auraflow", 256, 10000, 0, 1000, True, SHARES),
    ("half-shift", 65, 10000, 0.5, 1, False, WHOLE + FRACTIONS),
    ("all-fields", 51, 2000, 0.71875, 0.1, False, WHOLE + FRACTIONS),
]


def recipe_ladder(dim, max_period, shift):
    c = -np.float32(truth.round_real(mpmath.log(max_period), "f64"))
    exponents = np.arange(dim // 2, dtype=np.float32) * c / np.float32(dim // 2 - shift)
    return truth.array([truth.round_real(mpmath.exp(mpf(float(e))), "f32") for e in exponents], "f32")


def lay_out(sines, cosines, cosine_first, dim):
    table = np.hstack([cosines, sines] if cosine_first else [sines, cosines])
    return np.pad(table, ((0, 0), (0, dim % 2)))


def recipe_table(ladder, dim, scale, cosine_first, steps):
    angles = np.float32(scale) * (np.array(steps).astype(np.float32)[:, None] * ladder)
    return lay_out(*truth.sin_cos(angles), cosine_first, dim)


def exact_table(dim, max_period, shift, scale, cosine_first, steps):
    n = dim // 2
    w = [mpf(scale) * mpf(max_period) ** (-mpf(k) / (n - mpf(shift))) for k in range(n)]
    angles = [[mpf(step) * v for v in w] for step in steps]
    waves = [truth.array([[truth.round_real(f(a), "f32") for a in row] for row in angles], "f32")
             for f in (mpmath.sin, mpmath.cos)]
    return lay_out(*waves, cosine_first, dim)


def certain(name):
    return name.split("/")[1] != "diffusers"


def make(work):
    metadata, tensors = {"about": ABOUT, "kind": "timesteps"}, {}
    for name, dim, max_period, shift, scale, cosine_first, steps in CASES:
        metadata[name] = json.dumps({"dim": dim, "max_period": max_period, "shift": shift, "scale": scale,
                                     "layout": "cosine_first" if cosine_first else "sine_first"})
        ladder = recipe_ladder(dim, max_period, shift)
        table = get_timestep_embedding(torch.tensor(steps), dim, cosine_first, shift, scale, max_period)
        tensors |= {f"{name}/{holds}": np.ascontiguousarray(array) for holds, array in {
            "steps": np.array(steps, np.float64),
            "diffusers/ladder": timestep_ladder(dim, shift, max_period),
            "diffusers/table": table.numpy(),
            "recipe/ladder": ladder,
            "recipe/table": recipe_table(ladder, dim, scale, cosine_first, steps),
            "exact/table": exact_table(dim, max_period, shift, scale, cosine_first, steps),
        }.items()}
    return metadata, tensors
