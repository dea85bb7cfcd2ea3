# SPDX-License-Identifier: Apache-2.0
"""Goldens of the recurrent network with self attention: its formulas written down in PyTorch, step by step.

At step t the cell (nn.RNNCell or nn.LSTMCell) takes x_t and, where a plain network has the state before, the context
before; its new state is the query. Main mode: keys and values are the states so far, its own among them. Literal mode:
the contexts so far; the first one is the first state. Inputs and weights are those of `numbers` in additive.py. A tensor
holds states, contexts and weights, [B, T, 2h + T], computed in f64; it prints how far the same code in f32 is from it.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import json

import torch

from additive import numbers

INPUTS, WIDTH, BETWEEN = 5, 7, 6
LENGTHS, STEPS = [11, 1, 0, 8], 11


def cell_of(kind, dtype):
    """Weights from -1/2 to 1/2, as wide as PyTorch's own for four columns."""
    make, gates = {"rnn": (torch.nn.RNNCell, WIDTH), "lstm": (torch.nn.LSTMCell, 4 * WIDTH)}[kind]
    cell = make(INPUTS, WIDTH, dtype=dtype)
    with torch.no_grad():
        cell.weight_ih.copy_(numbers((gates, INPUTS), 21) / 2)
        cell.weight_hh.copy_(numbers((gates, WIDTH), 22) / 2)
        cell.bias_ih.copy_(numbers((gates,), 23) / 2)
        cell.bias_hh.copy_(numbers((gates,), 24) / 2)
    return cell


def score_of(kind, dtype):
    """score(query [h], keys [n, h]) -> [n]"""
    if kind == "dot":
        return lambda query, keys: keys @ query
    if kind == "scaled_dot":
        return lambda query, keys: keys @ query / WIDTH**0.5
    of_query, of_key = numbers((BETWEEN, WIDTH), 25).to(dtype), numbers((BETWEEN, WIDTH), 26).to(dtype)
    direction, bias = numbers((BETWEEN,), 27).to(dtype), numbers((BETWEEN,), 28).to(dtype)
    return lambda query, keys: torch.tanh(of_query @ query + keys @ of_key.T + bias) @ direction


@torch.no_grad()
def run(kind, score_kind, mode, dtype):
    cell, score = cell_of(kind, dtype), score_of(score_kind, dtype)
    x = numbers((len(LENGTHS), STEPS, INPUTS), 20).to(dtype)
    out = torch.zeros(len(LENGTHS), STEPS, 2 * WIDTH + STEPS, dtype=dtype)
    for b, length in enumerate(LENGTHS):
        context, memory, states, contexts = torch.zeros(WIDTH, dtype=dtype), torch.zeros(WIDTH, dtype=dtype), [], []
        for t in range(length):
            if kind == "rnn":
                state = cell(x[b, t], context)
            else:
                state, memory = cell(x[b, t], (context, memory))
            states.append(state)
            remembered = states if mode == "states" else contexts
            if remembered:
                keys = torch.stack(remembered)
                weights = torch.softmax(score(state, keys), 0)
                context = weights @ keys
                out[b, t, 2 * WIDTH:2 * WIDTH + len(keys)] = weights
            else:
                context = state
            contexts.append(context)
            out[b, t, :WIDTH], out[b, t, WIDTH:2 * WIDTH] = state, context
    return out


def make(work):
    tensors = {}
    for cell in ("rnn", "lstm"):
        for score in ("dot", "scaled_dot", "additive"):
            for mode in ("states", "contexts"):
                wide, narrow = run(cell, score, mode, torch.float64), run(cell, score, mode, torch.float32)
                print(f"{cell}, {score}, {mode}: PyTorch in f32 is {(wide - narrow).abs().max().item():.3g} from f64")
                tensors[f"{cell}/{score}/{mode}"] = record.stored(wide)
    network = {"inputs": INPUTS, "width": WIDTH, "between": BETWEEN, "lengths": LENGTHS, "steps": STEPS}
    return {"about": "CELL/SCORE/REMEMBERED [B, T, 2h + T]: states, contexts, weights; inputs and weights of the network by "
                     "the recurrence of additive.py", "network": json.dumps(network)}, tensors
