# SPDX-License-Identifier: Apache-2.0
"""Goldens of the Transformer: PyTorch's nn.Transformer in 20 configurations.

Weights and inputs come from a counter that the test computes too, so only outputs are stored, one
after another: of a whole model the encoder's rows and the logits, of rows before a sequence's length alone.
"""
import os

os.environ["MKL_CBWR"] = "COMPATIBLE"  # sums in one order on every processor
import record  # chooses the CPU target: before NumPy and PyTorch

import math
import pathlib

import numpy as np
import torch
from torch import nn

torch.backends.mha.set_fastpath_enabled(False)  # the modules as they are written

# norm before, activation, width, inner, heads, layers of encoder and decoder, batch, S, T, padded, final norms
MODELS = [
    (0, "relu", 64, 64, 8, 3, 3, 2, 12, 10, 1, 1),
    (0, "relu", 64, 256, 8, 6, 6, 1, 9, 8, 0, 1),
    (0, "gelu", 64, 128, 4, 2, 2, 3, 7, 6, 1, 1),
    (0, "gelu", 32, 64, 2, 1, 1, 2, 5, 5, 0, 0),
    (0, "relu", 16, 32, 1, 2, 3, 4, 6, 4, 1, 0),
    (0, "gelu", 16, 48, 16, 3, 2, 2, 8, 9, 1, 1),
    (0, "relu", 128, 128, 8, 2, 2, 1, 6, 5, 0, 1),
    (0, "gelu", 96, 192, 3, 1, 2, 2, 5, 4, 1, 0),
    (0, "relu", 24, 10, 6, 4, 4, 3, 5, 7, 1, 1),
    (0, "relu", 256, 512, 8, 2, 2, 1, 4, 3, 0, 1),
    (1, "gelu", 64, 256, 4, 3, 3, 2, 10, 9, 1, 1),
    (1, "gelu", 64, 64, 8, 6, 6, 1, 8, 8, 0, 1),
    (1, "relu", 64, 128, 2, 2, 2, 3, 7, 5, 1, 1),
    (1, "relu", 32, 64, 4, 1, 1, 2, 5, 5, 0, 0),
    (1, "gelu", 16, 64, 1, 2, 3, 4, 6, 4, 1, 0),
    (1, "relu", 16, 16, 4, 3, 2, 2, 8, 9, 1, 1),
    (1, "gelu", 128, 512, 2, 2, 1, 1, 6, 5, 0, 1),
    (1, "relu", 96, 96, 12, 1, 2, 2, 5, 4, 1, 0),
    (1, "gelu", 24, 96, 3, 4, 4, 3, 5, 7, 1, 1),
    (1, "gelu", 192, 384, 6, 2, 2, 1, 4, 3, 0, 1),
]
MODEL_FIELDS = ["before", "activation", "width", "inner", "heads", "encoder_layers", "decoder_layers", "batch",
                "source", "target", "padded", "final_norms"]
SOURCE_VOCABULARY, TARGET_VOCABULARY, POSITIONS = 19, 23, 16


# ---- numbers ----

class Numbers:
    """Tensor after tensor, each from the next stream."""

    def __init__(self, first):
        self.next = first

    def raw(self, count):
        """The upper 24 bits of splitmix64 at 1 .. count."""
        z = np.uint64(self.next << 32) + np.arange(1, count + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        self.next += 1
        return (z ^ (z >> np.uint64(31))) >> np.uint64(40)

    def make(self, shape, scale, offset=0.0):
        """Multiples of 2^-23 in [-1, 1), times `scale`, a power of two; the sum is rounded to f32."""
        values = (self.raw(math.prod(shape)).astype(np.float64) - 2**23) * 2.0**-23 * scale
        return torch.from_numpy((np.float32(offset) + values.astype(np.float32)).reshape(shape))

    def ids(self, shape, vocabulary):
        return torch.from_numpy((self.raw(math.prod(shape)) % np.uint64(vocabulary)).astype(np.int64).reshape(shape))

    def linear(self, outputs, inputs):
        return self.make((outputs, inputs), unit(inputs)), self.make((outputs,), 0.25)

    def norm(self, width):
        return self.make((width,), 0.5, 1.0), self.make((width,), 0.25)


def unit(n):
    """The largest power of two that is not above 1 / sqrt(n)."""
    return 2.0 ** math.floor(-0.5 * math.log2(n))


# ---- weights into modules ----

def set_to(module, weights):
    module.weight.copy_(weights[0])
    if module.bias is not None:
        module.bias.copy_(weights[1])


def set_heads(module, numbers, width, source):
    maps = [numbers.linear(width, width), numbers.linear(width, source), numbers.linear(width, source)]
    if module.in_proj_weight is not None:
        module.in_proj_weight.copy_(torch.cat([weight for weight, _ in maps]))
    else:
        for name, (weight, _) in zip("qkv", maps):
            getattr(module, f"{name}_proj_weight").copy_(weight)
    if module.in_proj_bias is not None:
        module.in_proj_bias.copy_(torch.cat([bias for _, bias in maps]))
    set_to(module.out_proj, numbers.linear(width, width))


def set_forward(layer, numbers, width, inner):
    set_to(layer.linear1, numbers.linear(inner, width))
    set_to(layer.linear2, numbers.linear(width, inner))


def set_encoder(encoder, numbers, width, inner):
    for layer in encoder.layers:
        set_heads(layer.self_attn, numbers, width, width)
        set_to(layer.norm1, numbers.norm(width))
        set_forward(layer, numbers, width, inner)
        set_to(layer.norm2, numbers.norm(width))
    norm = numbers.norm(width)
    if encoder.norm is not None:
        set_to(encoder.norm, norm)


def set_decoder(decoder, numbers, width, inner):
    for layer in decoder.layers:
        set_heads(layer.self_attn, numbers, width, width)
        set_to(layer.norm1, numbers.norm(width))
        set_heads(layer.multihead_attn, numbers, width, width)
        set_to(layer.norm2, numbers.norm(width))
        set_forward(layer, numbers, width, inner)
        set_to(layer.norm3, numbers.norm(width))
    norm = numbers.norm(width)
    if decoder.norm is not None:
        set_to(decoder.norm, norm)


# ---- what PyTorch says ----

def transformer(c):
    style = {"dropout": 0.0, "activation": c["activation"], "batch_first": True, "norm_first": bool(c["before"])}
    net = nn.Transformer(c["width"], c["heads"], c["encoder_layers"], c["decoder_layers"], c["inner"], **style).eval()
    if not c["final_norms"]:
        net.encoder.norm = net.decoder.norm = None
    return net


def hidden_after(lengths, count):
    return torch.arange(count)[None, :] >= torch.tensor(lengths)[:, None]


def of_model(c, index):
    """The encoder's rows and the logits of a whole model, of the rows that mean something."""
    numbers, width = Numbers(1 + 1000 * index), c["width"]
    tables = [numbers.make((SOURCE_VOCABULARY, width), unit(width)), numbers.make((POSITIONS, width), 1.0),
              numbers.make((TARGET_VOCABULARY, width), unit(width)), numbers.make((POSITIONS, width), 1.0)]
    net = transformer(c)
    set_encoder(net.encoder, numbers, width, c["inner"])
    set_decoder(net.decoder, numbers, width, c["inner"])
    output = nn.Linear(width, TARGET_VOCABULARY)
    set_to(output, numbers.linear(TARGET_VOCABULARY, width))
    source = numbers.ids((c["batch"], c["source"]), SOURCE_VOCABULARY)
    target = numbers.ids((c["batch"], c["target"]), TARGET_VOCABULARY)
    lengths = lengths_of(c["batch"], c["source"], c["padded"])
    hidden = hidden_after(lengths, c["source"])

    def embedded(ids, rows, table):
        return nn.functional.embedding(ids, rows) * math.sqrt(width) + table[: ids.shape[1]]

    memory = net.encoder(embedded(source, *tables[:2]), src_key_padding_mask=hidden)
    past = nn.Transformer.generate_square_subsequent_mask(c["target"])
    rows = net.decoder(embedded(target, *tables[2:]), memory, tgt_mask=past, tgt_is_causal=True,
                       memory_key_padding_mask=hidden)
    kept = [memory[b, :length].reshape(-1) for b, length in enumerate(lengths)]
    return torch.cat([*kept, output(rows).reshape(-1)])


def lengths_of(batch, count, padded):
    """Sequence b has b tokens less than the longest, at least one."""
    return [max(1, count - b) if padded else count for b in range(batch)]


ACTIVATIONS = ["relu", "gelu"]  # in a tensor of cases: their index


def target():
    """oneDNN computes gelu, and by the widest vectors of the processor, whatever PyTorch is told to use."""
    return "oneDNN AVX512" if " avx512f " in pathlib.Path("/proc/cpuinfo").read_text() else "oneDNN AVX2"


def certain(name):
    return name == "cases" or MODELS[int(name)][MODEL_FIELDS.index("activation")] == "relu"


def make(work):
    models = [dict(zip(MODEL_FIELDS, case)) for case in MODELS]
    cases = [[ACTIVATIONS.index(value) if field == "activation" else value for field, value in model.items()]
             for model in models]
    with torch.no_grad():
        tensors = {f"{index:02}": record.stored(of_model(c, index)) for index, c in enumerate(models)}
    return {"about": "cases: the fields of each, activation 0 relu, 1 gelu; the number of a case: the encoder's rows before "
                     "a sequence's length, then the logits", "fields": " ".join(MODEL_FIELDS)}, {
        "cases": np.array(cases)} | tensors
