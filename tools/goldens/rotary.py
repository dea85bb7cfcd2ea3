# SPDX-License-Identifier: Apache-2.0
"""Goldens of rotary encodings: what transformers' LLaMA and GPT-J and Meta's complex form make of given q.

usage: rotary.py          writes tests/encodings/goldens/rotary.json and its files
       rotary.py --check  recomputes and compares
Beside each result stands what the contract makes of the same q with correctly rounded cosines and sines: of the real
angles (`exact`) and of the recipe's (`recipe`). The contract, written in NumPy: (RN(RN(x c) - RN(y s)), RN(RN(x s) +
RN(y c))) in f32, bf16 widened first and rounded once. Either way the script counts the entries of the original that
differ from it given the original's own cosines and sines, and stops where that is another number than CASES says.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib.metadata
import sys

import numpy as np
import torch
from transformers.models.gptj import modeling_gptj
from transformers.models.llama import modeling_llama
from transformers.models.llama.configuration_llama import LlamaConfig

import truth
from stage import differing_bits, rounded, stored

FOLDER = record.TESTS / "encodings" / "goldens"
NEAR = [0, 1, 2, 3, 5, 17, 100, 511, 1023, 2047]
FAR = NEAR + [4095, 131071, 1048575]

# name, preset, width of a head, rotated columns, heads, positions, entries that differ from the contract. PyTorch's
# complex product of runs too short for its vectors is another one: off by one rounding here and there.
CASES = [
    ("llama-8", "rope-half", 8, 8, 2, FAR, 0),
    ("llama-64", "rope-half", 64, 64, 2, FAR, 0),
    ("llama-128", "rope-half", 128, 128, 1, FAR, 0),
    ("gptj-16-of-24", "rope-pair", 24, 16, 2, NEAR, 0),
    ("meta-8", "rope-pair", 8, 8, 2, FAR, 10),
    ("meta-64", "rope-pair", 64, 64, 2, FAR, 0),
    ("meta-64-bf16", "rope-pair", 64, 64, 2, FAR, 0),
]


# ---- the originals: (ladder, cosines [L, r / 2], sines, rotated q), q being [1, heads, L, d] ----

def llama(q, positions, rotated):
    config = LlamaConfig(hidden_size=q.shape[1] * rotated, num_attention_heads=q.shape[1], head_dim=rotated)
    module = modeling_llama.LlamaRotaryEmbedding(config)
    cos, sin = module(q, torch.tensor([positions]))
    out, _ = modeling_llama.apply_rotary_pos_emb(q, q, cos, sin)
    half = rotated // 2
    return module.inv_freq, cos[0, :, :half], sin[0, :, :half], out


def gptj(q, positions, rotated):
    """Its heads stand after the sequence, and it rotates the first columns of a head."""
    table = modeling_gptj.create_sinusoidal_positions(max(positions) + 1, rotated)[positions]
    sin, cos = table[None].chunk(2, dim=-1)
    x = q.transpose(1, 2)
    turned = modeling_gptj.apply_rotary_pos_emb(x[..., :rotated], sin, cos)
    out = torch.cat([turned, x[..., rotated:]], dim=-1).transpose(1, 2)
    ladder = 1.0 / (10000 ** (torch.arange(0, rotated, 2, dtype=torch.int64) / rotated))
    return ladder, cos[0], sin[0], out


def meta(q, positions, rotated):
    """llama/model.py, precompute_freqs_cis and apply_rotary_emb, written again: no package holds it."""
    ladder = 1.0 / (10000.0 ** (torch.arange(0, rotated, 2)[: rotated // 2].float() / rotated))
    freqs = torch.outer(torch.arange(max(positions) + 1), ladder).float()[positions]
    cis = torch.polar(torch.ones_like(freqs), freqs)
    x = torch.view_as_complex(q.float().reshape(*q.shape[:-1], -1, 2))
    return ladder, cis.real, cis.imag, torch.view_as_real(x * cis).flatten(3).type_as(q)


def original(name):
    return {"llama": llama, "gptj": gptj, "meta": meta}[name.split("-")[0]]


# ---- the contract, in NumPy ----

RECIPE = "f32-reciprocal"


def exact_angles(positions, rotated):
    sines, cosines = np.hsplit(truth.exact_rows(positions, "over_width", "sine_first", "refused", rotated, "f32"), 2)
    return cosines, sines


def recipe_angles(positions, ladder):
    sines, cosines = truth.sin_cos(truth.recipe_angles(RECIPE, positions, ladder))
    return cosines, sines


def contract(q, cos, sin, pairing, rotated, dtype):
    wide = q.to(torch.float32).numpy()
    adjacent = pairing == "rope-pair"
    half = rotated // 2
    first = slice(0, rotated, 2) if adjacent else slice(0, half)
    second = slice(1, rotated, 2) if adjacent else slice(half, rotated)
    x, y, out = wide[..., first], wide[..., second], wide.copy()
    out[..., first] = rounded(x * cos - y * sin, dtype)
    out[..., second] = rounded(x * sin + y * cos, dtype)
    return out


# ---- files ----

def case_files(case, index):
    name, preset, width, rotated, heads, positions, differing = case
    dtype = "bf16" if name.endswith("bf16") else "f32"
    generator = np.random.default_rng(2000 + index)  # uniform doubles: the same bits everywhere
    q = torch.from_numpy(8 * generator.random((1, heads, len(positions), width)) - 4)
    q = q.to(torch.bfloat16 if dtype == "bf16" else torch.float32)
    ladder, cos, sin, out = original(name)(q, positions, rotated)
    made = {"given": contract(q, cos.numpy(), sin.numpy(), preset, rotated, dtype)}
    made["recipe given the ladder"] = contract(q, *recipe_angles(positions, ladder.numpy()), preset, rotated, dtype)
    own_ladder = truth.recipe_ladder(RECIPE, "over_width", rotated)
    made["recipe"] = contract(q, *recipe_angles(positions, own_ladder), preset, rotated, dtype)
    made["exact"] = contract(q, *exact_angles(positions, rotated), preset, rotated, dtype)
    check_and_show(name, out, made, differing)
    about = {"case": name, "preset": preset, "rotated": rotated, "positions": positions, "differing": differing}
    kept = {holds: torch.from_numpy(made[holds]).to(q.dtype) for holds in ("recipe", "exact")}
    files = []
    for holds, tensor in {"in": q, "ladder": ladder, "cosine": cos, "sine": sin, "out": out, **kept}.items():
        how = {"dtype": "bf16", "stored_as": "i32"} if tensor.dtype == torch.bfloat16 else {}
        files.append(({"file": f"{name}.{holds}.npy", **about, "holds": holds, **how}, stored(tensor)))
    return files


def check_and_show(name, out, made, differing):
    counts = {what: differing_bits(out, wide) for what, wide in made.items()}
    most = {what: np.abs(out.to(torch.float32).numpy() - wide).max() for what, wide in made.items()}
    shown = ", ".join(f"{what} {counts[what]} ({most[what]:.3g})" for what in made)
    print(f"{name}, {out.numel()} entries; differ from the contract (most): {shown}")
    if counts["given"] != differing:
        raise ArithmeticError(f"{name}: {counts['given']} entries differ from the contract, {differing} are stated")


def entries():
    return [file for index, case in enumerate(CASES) for file in case_files(case, index)]


HEAD = {
    "versions": {"transformers": importlib.metadata.version("transformers")},
    "about": "See docs/goldens.md. A case holds q as `in` [1, heads, L, d], the original's ladder, cosines and sines "
             "[L, rotated / 2], and the rotated q as `out`, `recipe` and `exact` being the contract's with the angles "
             "of the recipe f32-reciprocal and the real ones; differing: entries of `out` that are not the contract's "
             "given those cosines and sines; bf16 is its 16 bits in i32",
}

if __name__ == "__main__":
    arguments = record.parse(__doc__.split("\n")[0]).parse_args()
    head = {"made_by": record.made_by("rotary.py"), **HEAD}
    made = entries()
    if arguments.check:
        sys.exit(record.check(FOLDER, "rotary.json", head, made, lambda d: d["holds"] in ("in", "recipe", "exact")))
    record.write(FOLDER, "rotary.json", head, made)
