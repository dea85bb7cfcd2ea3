# SPDX-License-Identifier: Apache-2.0
"""torch.compile of one graph with any sizes, and torch.export: eager bits, no second compilation for another shape."""

import io

import posenc
import posenc.torch as modules
import pytest
import torch

pytestmark = [pytest.mark.compile, pytest.mark.timeout(300), pytest.mark.filterwarnings("ignore::DeprecationWarning")]


class FirstBlock(torch.nn.Module):
    """Every kind of operator on one way."""

    def __init__(self):
        super().__init__()
        self.embed = modules.InputEmbedding(50, 32, convention="transformer", scale="sqrt_dim", dropout=0.1)
        self.positions = modules.PositionalEncoding(32, convention="opennmt", batch_first=True, scale="none")
        self.rotary = modules.RotaryEmbedding("llama", 16)
        self.rows = modules.SinusoidalEmbedding(32, convention="whisper")

    def forward(self, ids):
        x = self.positions(self.embed(ids)) + self.rows(torch.arange(ids.shape[1]))
        q = x.reshape(*x.shape[:-1], 2, 16).transpose(1, 2)
        at = torch.arange(ids.shape[1])
        q, k = modules.apply_rotary(q, q, at, convention="llama")
        cos, sin = self.rotary(x, at[None])
        return (q * cos[:, None] + k * sin[:, None]).transpose(1, 2).flatten(-2)


def ids(batch, length):
    return torch.randint(50, (batch, length))


def test_one_graph_of_any_sizes():
    model = FirstBlock().eval()
    compiled = torch.compile(model, fullgraph=True, dynamic=True)
    with torch.no_grad():
        for shape in ((2, 9), (3, 17), (4, 5)):
            tokens = ids(*shape)
            torch.testing.assert_close(compiled(tokens), model(tokens), rtol=0, atol=2**-20)  # inductor fuses the sum
            torch._dynamo.config.error_on_recompile = True
    torch._dynamo.reset()
    torch._dynamo.config.error_on_recompile = False


def test_a_wrong_width_is_told():
    """Of one graph by PyTorch, which has no exception in it and tells ours."""
    model = modules.PositionalEncoding(8, convention="transformer", batch_first=True, scale="none")
    x = torch.zeros(2, 3, 7)
    with pytest.raises(posenc.PosencError, match=r"of width 8, got \[2, 3, 7\]"):
        torch.compile(model, backend="eager")(x)
    torch._dynamo.reset()
    with pytest.raises(
        RuntimeError, match=r"PosencError\('positional_encoding', 'x must be .* of width 8', '\[2, 3, 7\]'"
    ):
        torch.compile(model, backend="eager", fullgraph=True)(x)


ABSENT = torch.tensor([[0, 1, 1, 1], [1, 1, 1, 1]])
OF_PAIRS = {
    "numbers": lambda n: modules.AlibiBias(8, convention="alibi")(n, n + 2),
    "a range and a list": lambda n: modules.AlibiBias(8, convention="mpt-alibi")(range(2, 4), [0, 3, n]),
    "keys that are absent": lambda n: modules.AlibiBias(4, convention="bloom-alibi")(n, 4, ABSENT),
    "classes": lambda n: modules.RelativeBuckets(convention="t5-bucket")(torch.arange(n), 9),
    "cells": lambda n: modules.GridEmbedding(16, convention="detr-sine")(n, 4),
}


@pytest.mark.parametrize("name", OF_PAIRS)
def test_biases_classes_and_cells_in_one_graph(name):
    torch._dynamo.reset()
    compiled = torch.compile(OF_PAIRS[name], fullgraph=True, backend="aot_eager")
    for n in (3, 5, 8, 9):
        assert torch.equal(compiled(n), OF_PAIRS[name](n))


def test_training_in_one_graph():
    model = FirstBlock()
    compiled = torch.compile(model, fullgraph=True, dynamic=True, backend="aot_eager")
    tokens = ids(2, 9)
    torch.manual_seed(3)
    compiled(tokens).square().sum().backward()
    made, model.embed.weight.grad = model.embed.weight.grad, None
    torch.manual_seed(3)
    model(tokens).square().sum().backward()
    torch.testing.assert_close(made, model.embed.weight.grad, rtol=1e-5, atol=1e-5)


def test_in_place_in_one_graph():
    def step(q, k):
        modules.apply_rotary_(q, k, 7, convention="llama")
        return q + 0

    q, k = torch.randn(1, 8, 1, 64), torch.randn(1, 2, 1, 64)
    expected = modules.apply_rotary(q, k, 7, convention="llama")
    assert torch.equal(torch.compile(step, fullgraph=True, backend="aot_eager")(q, k), expected[0])
    assert torch.equal(q, expected[0]) and torch.equal(k, expected[1])


@pytest.mark.parametrize("strict", [False, True])
def test_an_exported_graph_is_saved_and_loaded(strict):
    model, tokens = FirstBlock().eval(), ids(2, 9)
    batch, length = torch.export.Dim("batch", min=1, max=64), torch.export.Dim("length", min=2, max=512)
    program = torch.export.export(model, (tokens,), dynamic_shapes=({0: batch, 1: length},), strict=strict)
    names = {str(node.target) for node in program.graph.nodes}
    assert {f"posenc.{name}.default" for name in ("encode", "add_signal", "rotate", "cache", "table")} <= names
    file = io.BytesIO()
    torch.export.save(program, file)
    file.seek(0)
    loaded = torch.export.load(file).module()
    for shape in ((2, 9), (5, 33)):
        tokens = ids(*shape)
        assert torch.equal(loaded(tokens), model(tokens))


def test_a_model_on_meta_is_traced():
    with torch.device("meta"):
        model = FirstBlock().eval()
        out = torch.compile(model, fullgraph=True, backend="eager")(torch.zeros(2, 9, dtype=torch.int64))
    assert out.is_meta and out.shape == (2, 9, 32)
