# SPDX-License-Identifier: Apache-2.0
# The parts of a Transformer, and recurrent networks, by PyTorch's modules of random weights.

import torch

import sizes
from cell import Cell

F = torch.nn.functional


def rows(count, *shape):
    return torch.rand(count, *shape) * 2 - 1


class Step(torch.nn.Module):
    """One layer of a decoder before its norms, a token at a time: keys and values stay where they were projected."""

    def __init__(self):
        super().__init__()
        width = sizes.WIDTH
        self.norms = torch.nn.ModuleList(torch.nn.LayerNorm(width) for _ in range(3))
        self.own, self.cross = torch.nn.Linear(width, 3 * width), torch.nn.Linear(width, width)
        self.memory = torch.nn.Linear(width, 2 * width)
        self.outs = torch.nn.ModuleList(torch.nn.Linear(width, width) for _ in range(2))
        self.wide, self.narrow = torch.nn.Linear(width, sizes.INNER), torch.nn.Linear(sizes.INNER, width)

    def heads(self, x):
        return x.view(1, -1, sizes.ATTENTION_HEADS, sizes.WIDTH // sizes.ATTENTION_HEADS).transpose(1, 2)

    def attend(self, query, keys, values):
        return F.scaled_dot_product_attention(query, keys, values).transpose(1, 2).reshape(1, 1, sizes.WIDTH)

    def forward(self, x, t, cache, memory):
        query, key, value = (self.heads(part) for part in self.own(self.norms[0](x)).chunk(3, -1))
        cache[0][:, :, t : t + 1], cache[1][:, :, t : t + 1] = key, value
        x = x + self.outs[0](self.attend(query, cache[0][:, :, : t + 1], cache[1][:, :, : t + 1]))
        x = x + self.outs[1](self.attend(self.heads(self.cross(self.norms[1](x))), *memory))
        return x + self.narrow(F.gelu(self.wide(self.norms[2](x))))


def decoding(step, made):
    memory, tokens = rows(1, sizes.TOKENS, sizes.WIDTH), rows(1, sizes.STEPS, sizes.WIDTH)
    called = made(step)

    def run():
        kept = [step.heads(part) for part in step.memory(memory).chunk(2, -1)]
        cache = torch.empty(2, 1, sizes.ATTENTION_HEADS, sizes.STEPS, sizes.WIDTH // sizes.ATTENTION_HEADS)
        return [called(tokens[:, t : t + 1], t, cache, kept) for t in range(sizes.STEPS)]

    return run


def cells(made, label):
    x, memory = rows(1, sizes.TOKENS, sizes.WIDTH), rows(1, sizes.TOKENS, sizes.WIDTH)
    modules = {
        sizes.LINEAR_ROW: torch.nn.Linear(sizes.WIDTH, sizes.INNER),
        sizes.NORM_ROWS[0]: torch.nn.LayerNorm(sizes.WIDTH),
        sizes.FEED_FORWARD_ROW: torch.nn.Sequential(
            torch.nn.Linear(sizes.WIDTH, sizes.INNER), torch.nn.GELU(), torch.nn.Linear(sizes.INNER, sizes.WIDTH)
        ),
        sizes.ENCODER_LAYER_ROW: torch.nn.TransformerEncoderLayer(
            sizes.WIDTH, sizes.ATTENTION_HEADS, sizes.INNER, activation="gelu", batch_first=True, norm_first=True
        ),
    }
    for row, module in modules.items():
        called = made(module.eval())
        yield Cell(row, label, lambda: called(x))
    many, norm = rows(1, sizes.MANY_TOKENS, sizes.WIDTH), made(torch.nn.LayerNorm(sizes.WIDTH))
    yield Cell(sizes.NORM_ROWS[1], label, lambda: norm(many))
    layer = made(
        torch.nn.TransformerDecoderLayer(
            sizes.WIDTH, sizes.ATTENTION_HEADS, sizes.INNER, activation="gelu", batch_first=True, norm_first=True
        ).eval()
    )
    mask = torch.nn.Transformer.generate_square_subsequent_mask(sizes.TOKENS)
    yield Cell(sizes.DECODER_LAYER_ROW, label, lambda: layer(x, memory, tgt_mask=mask, tgt_is_causal=True))
    if made(F.gelu) is F.gelu:  # compiled anew for each of the first steps
        yield Cell(sizes.DECODING_ROW, f"{label} with a cache", decoding(Step().eval(), made))


def recurrent():
    """Without attention, which ours have: less work than ours, in the modules that people take."""
    for kind, module in (("rnn", torch.nn.RNN), ("lstm", torch.nn.LSTM)):
        for batch, steps in sizes.RECURRENT:
            network = module(sizes.RECURRENT_WIDTH, sizes.RECURRENT_WIDTH, batch_first=True).eval()
            x = rows(batch, steps, sizes.RECURRENT_WIDTH)
            yield Cell(sizes.recurrent_row(kind, batch, steps), f"PyTorch {module.__name__}, no attention", lambda: network(x))
