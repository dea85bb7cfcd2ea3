# SPDX-License-Identifier: Apache-2.0
"""What tests of graphs share."""

import posenc.torch as modules
import torch

PLACES = torch.tensor([0, 1, -1, 2, 4095, 131071, -1048575, 2**31 - 1])


def same(a, b):
    """To the bit, of f32."""
    return torch.equal(a.view(torch.int32), torch.as_tensor(b).contiguous().view(torch.int32))


class Positions(torch.nn.Module):
    """What a model asks of positions."""

    def __init__(self):
        super().__init__()
        self.rotary = modules.RotaryEmbedding("llama", 16)
        self.rows = modules.SinusoidalEmbedding(32, convention="whisper")
        self.encode = modules.PositionalEncoding(32, convention="transformer", batch_first=True, scale="none")

    def forward(self, x):
        at = torch.arange(x.shape[1])
        x = self.encode(x) + self.rows(at)
        q, k = (x.reshape(*x.shape[:-1], 2, 16).transpose(1, 2) for _ in range(2))
        cos, sin = self.rotary(x, at[None])
        q, k = modules.apply_rotary(q, k, at, convention="llama")
        return q * cos[:, None] + k * sin[:, None]
