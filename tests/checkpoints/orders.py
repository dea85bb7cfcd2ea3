#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""How far the transliterator's f32 strays from f64 in other orders of its sums: why tg2fa_test.cc bounds as it does.

usage: orders.py FOLDER [ORDERS]      FOLDER is the one that prepare.sh filled; 512 orders take a minute
"""
import copy
import json
import pathlib
import sys

import numpy as np
import safetensors.numpy
import torch

import references


def largest_score(net, inputs, source):
    """Of the encoder's attention, before the softmax."""
    largest = []

    def look(attention, given):
        queries, keys, _ = torch.nn.functional.linear(given[0][:, 0], attention.in_proj_weight,
                                                      attention.in_proj_bias).chunk(3, -1)
        heads = [each.unflatten(-1, (attention.num_heads, -1)).transpose(0, 1) for each in (queries, keys)]
        largest.append(float((heads[0] @ heads[1].mT).abs().max()) / attention.head_dim**0.5)
    hooks = [layer.self_attn.register_forward_pre_hook(look) for layer in net.transformer.encoder.layers]
    references.at_once(net, inputs, source, source[:1])
    for hook in hooks:
        hook.remove()
    return max(largest)


def main(folder, count):
    sys.path.insert(0, str(folder / "packages" / "tg2fa"))
    from tg2fa_translit.transformer import transformer

    wide = copy.deepcopy(transformer).double()
    tensors = safetensors.numpy.load_file(folder / "references" / "tg2fa.safetensors")
    strays = [case["strays"] for case in json.loads((folder / "references" / "tg2fa.json").read_text(encoding="utf-8"))]
    inputs = [(tensors[f"{i}.source"][:, None], tensors[f"{i}.ids"][:-1, None]) for i in range(len(strays))]
    exact = [references.at_once(wide, transformer, *each) for each in inputs]
    score = max(largest_score(wide, transformer, source) for source, _ in inputs)
    print(f"largest score in the encoder: {score:.0f}, where f32 has steps of {np.spacing(np.float32(score)):.1e}")
    best = [np.sort(tensors[f"{i}.logits"])[:, -2:] for i in range(len(strays))]
    print(f"smallest distance of two best tokens: {np.diff(np.concatenate(best)).min():.1e}")
    apart = []
    for seed in range(references.ORDERS, references.ORDERS + count):  # those before made the references
        net = references.in_order(transformer, np.random.default_rng(seed).permutation(64))
        apart.append([float((references.at_once(net, net, *each) - truth).abs().max())
                      for each, truth in zip(inputs, exact)])
    apart, bounds = np.array(apart), np.maximum(1e-4, 2 * np.array(strays))
    farthest = apart.max(1)
    print(f"farthest from f64 in any sentence, over {count} orders: {farthest.min():.1e} to {farthest.max():.1e}, "
          f"median {np.median(farthest):.1e}; above 1e-4 in {(farthest > 1e-4).sum()}")
    print(f"bounds: {bounds.min():.1e} to {bounds.max():.1e}, median {np.median(bounds):.1e}; "
          f"left in {(apart > bounds).any(1).sum()} orders, the most of one that was taken is {(apart / bounds).max():.2f}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
    main(pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 512)
