# SPDX-License-Identifier: Apache-2.0
# A model small enough to be worked out by hand: by its positions alone it copies its source, token by token.
#
# Rows of 32 columns: 8 for the token, one hot, 16 for the position, one hot. The encoder adds nothing. The decoder's
# token t asks for the source's position t + 1 in head 0 and adds 10 times the token that it finds; head 1 reads all
# alike and adds nothing. So the logits are 10 for the token of the source, and 1 more for the token before.

import json
import math

from tool_case import write_safetensors

TOKENS = ["<unk>", "<bos>", "<eos>", "a", "b", "c", "d", " "]
POSITIONS = WIDTH_OF_POSITIONS = 16
WIDTH = 32


def matrix(rows, columns, entries=()):
    """F32 [rows, columns] of zeros but for the entries {(row, column): value}."""
    values = [0.0] * (rows * columns)
    for (row, column), value in dict(entries).items():
        values[row * columns + column] = value
    return ("F32", [rows, columns], values)


def tensors(features):
    zeros, ones = ("F32", [WIDTH], [0.0] * WIDTH), ("F32", [WIDTH], [1.0] * WIDTH)
    nothing = matrix(WIDTH, WIDTH)
    result = {
        "rows": matrix(len(TOKENS), WIDTH, {(i, i): 1.0 for i in range(len(TOKENS))}),
        "positions": matrix(POSITIONS, WIDTH, {(p, 8 + p): 1.0 for p in range(POSITIONS)}),
        "cross.query": matrix(WIDTH, WIDTH, {(p, 8 + p): 30.0 for p in range(POSITIONS)}),
        "cross.key": matrix(WIDTH, WIDTH, {(p, 8 + p + 1): 1.0 for p in range(POSITIONS - 1)}),
        "cross.value": matrix(WIDTH, WIDTH, {(i, i): 1.0 for i in range(8)}),
        "cross.out": matrix(WIDTH, WIDTH, {(i, i): 10.0 for i in range(8)}),
        "nothing": nothing, "ones": ones,
        "output": matrix(len(TOKENS), WIDTH, {(i, i): 1.0 for i in range(8)}),
    }
    if features:
        result["convolution"] = ("F32", [WIDTH, 8, 1], [1.0 if o == c else 0.0 for o in range(WIDTH) for c in range(8)])
        result["zeros"] = zeros
    return result


def parts(features, decoder):
    attention = lambda name, **named: {f"{name}.{part}.{kind}": named.get(part, "nothing") if kind == "weight" else None
                                       for part in ("query", "key", "value", "out") for kind in ("weight", "bias")}
    norm = lambda name, tensor="ones": {f"{name}.weight": tensor, f"{name}.bias": None}
    feed = lambda layer: {f"{layer}.feed_forward.{map}.{kind}": "nothing" if kind == "weight" else None
                          for map in ("wide", "narrow") for kind in ("weight", "bias")}
    side = lambda name: {f"{name}.rows": "rows", f"{name}.added": None, **norm(f"{name}.norm", None)}
    result = {"source.convolutions.0.weight": "convolution", "source.convolutions.0.bias": "zeros"} if features else side("source")
    encoder = "encoder.{layer}"
    result |= attention(f"{encoder}.attention") | norm(f"{encoder}.attention_norm") | feed(encoder)
    result |= norm(f"{encoder}.feed_forward_norm") | norm("encoder.final_norm", None)
    if not decoder:
        return result
    layer = "decoder.{layer}"
    result |= side("target") | attention(f"{layer}.self_attention") | norm(f"{layer}.self_norm")
    result |= attention(f"{layer}.cross_attention", query="cross.query", key="cross.key", value="cross.value", out="cross.out")
    result |= norm(f"{layer}.cross_norm") | feed(layer) | norm(f"{layer}.feed_forward_norm") | norm("decoder.final_norm", None)
    return result | {"output.weight": "output", "output.bias": None}


def description(features=False, decoder=True):
    positions = {"table": "positions", "origin": 0}
    tokens = {"kind": "tokens", "scale": "none", "positions": positions, "norm_epsilon": None}
    stack = {"layers": 1, "heads": 2, "key_heads": 2, "norm": "before", "activation": "relu", "score": "scaled_dot",
             "epsilon": 1e-5, "positions": "none"}
    text = {"tokenizer": "chars", "file": "tokens.txt", "begin": 1, "end": 2}
    convolutions = {"kind": "features", "convolutions": [{"stride": 1, "padding": 0}], "positions": positions}
    return {
        "posenc_model": 1, "family": "tiny", "source": convolutions if features else tokens, "encoder": stack,
        "target": tokens if decoder else None, "decoder": stack if decoder else None,
        "text": {"source": None if features else text, "target": text if decoder else None},
        "decoding": {"prompt": [1], "end": 2, "longest": {"per_token": 0 if features else 1, "plus": 12 if features else 2},
                     "suppressed": [], "suppressed_first": []} if decoder else None,
        "tensors": parts(features, decoder), "provenance": None}


def write(folder, features=False, decoder=True, vocabulary=TOKENS, change=lambda stated, stored: None):
    """`change` is given the description and the tensors before they are written."""
    stated, stored = description(features, decoder), tensors(features)
    folder.mkdir()
    change(stated, stored)
    (folder / "model.json").write_text(json.dumps(stated))
    (folder / "tokens.txt").write_text("".join(token + "\n" for token in vocabulary))
    write_safetensors(folder / "model.safetensors", stored)


def with_number(tensor, at, value):
    """A change: one number of a stored tensor."""
    def change(stated, stored):
        dtype, shape, values = stored[tensor]
        stored[tensor] = (dtype, shape, [*values[:at], value, *values[at + 1:]])
    return change


def score(text):
    """The log probability of copying the text."""
    total, before = 0.0, "<bos>"
    for token in [*text, "<eos>"]:
        logits = [10.0 * (other == token) + (other == before) for other in TOKENS]
        total += logits[TOKENS.index(token)] - math.log(sum(map(math.exp, logits)))
        before = token
    return total
