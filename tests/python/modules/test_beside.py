# SPDX-License-Identifier: Apache-2.0
"""What every name of posenc.torch takes beside what it replaces: at most three times as long, mostly a fraction.

CPU time of one thread, in turns, each ratio that of two neighbours, the median of them: others on the machine take from
both alike. `python -m pytest -m torch -s tests/python/modules/test_beside.py` prints the rows.
"""

import copy
import math
import statistics
import time
import warnings
from typing import NamedTuple

import posenc.torch as pt
import pytest
import torch
from originals import BatchFirst, Embedded, OpenNMT, sincos_2d, timestep_embedding
from torch import nn
from torch_shared import MOST, expect_at_most, table

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import transformers
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor
    from transformers.models.llama.modeling_llama import LlamaRotaryEmbedding, apply_rotary_pos_emb
    from transformers.models.t5.modeling_t5 import T5Attention

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore")]
SIZES = (1, 128, 2048)


class Work(NamedTuple):
    """The same by both, of a number of tokens, and the tensors whose gradients are asked for."""

    ours: object
    theirs: object
    leaves: tuple = ()
    apart: float | None = 1e-2  #: what the results may differ by; None where they are no tensors of one shape


# ---- the rows ----------------------------------------------------------------------------------------------------


def llama(head=128):
    return LlamaRotaryEmbedding(transformers.LlamaConfig(hidden_size=4 * head, num_attention_heads=4, head_dim=head))


def rotary_embedding(tokens):
    ours, theirs, x, at = (
        pt.RotaryEmbedding("llama", 128),
        llama(),
        torch.zeros(1, tokens, 8),
        torch.arange(tokens)[None],
    )
    return Work(lambda: ours(x, at), lambda: theirs(x, at))


def heads(tokens, **options):
    """And the tables of transformers, which every layer of a model reads."""
    q, k = torch.randn(1, 8, tokens, 64, **options), torch.randn(1, 2, tokens, 64, **options)
    at = torch.arange(tokens)
    return q, k, at, llama(64)(q, at[None])


def rotated(tokens):
    q, k, at, tables = heads(tokens, requires_grad=True)
    ours = lambda: pt.apply_rotary(q, k, at, convention="llama")  # noqa: E731
    return Work(ours, lambda: apply_rotary_pos_emb(q, k, *tables), (q, k))


def rotated_in_place(tokens):
    q, k, at, tables = heads(tokens)
    ours = lambda: pt.apply_rotary_(q, k, at, convention="llama")  # noqa: E731
    return Work(ours, lambda: apply_rotary_pos_emb(q, k, *tables), apart=None)


def positional_encoding(tokens, **options):
    ours, theirs = (
        pt.PositionalEncoding(512, convention="pytorch", batch_first=True, scale="none", **options),
        BatchFirst(512),
    )
    x = torch.randn(1, tokens, 512, requires_grad=True)
    return Work(lambda: ours(x), lambda: theirs(x), (x,))


def positional_step(tokens):
    """Of so many sequences."""
    ours, theirs = pt.PositionalEncoding(512, convention="opennmt", batch_first=False, scale="sqrt_dim"), OpenNMT(512)
    x = torch.randn(1, tokens, 512, requires_grad=True)
    return Work(lambda: ours(x, step=77), lambda: theirs(x, step=77), (x,))


def sinusoidal(tokens, at=None, **options):
    ours = pt.SinusoidalEmbedding(512, convention="whisper", **options)
    theirs = nn.Embedding.from_pretrained(table("whisper", 512, range(4096)))
    at = torch.arange(tokens) if at is None else at
    return Work(lambda: ours(at), lambda: theirs(at))


def sinusoidal_anywhere(tokens):
    return sinusoidal(tokens, torch.randint(4096, (tokens,)))


def timesteps(tokens):
    ours, steps = pt.TimestepEmbedding(320, convention="ddpm"), torch.rand(tokens) * 1000
    return Work(lambda: ours(steps), lambda: timestep_embedding(steps, 320))


def grid(tokens):
    ours, height = pt.GridEmbedding(256, convention="mae-2d"), 2 ** (int(math.log2(tokens)) // 2)

    def anew():
        ours._last = None
        return ours(height, tokens // height).flatten(0, 1)

    return Work(anew, lambda: torch.from_numpy(sincos_2d(256, height, tokens // height)).float())


def grid_again(tokens):
    """The sum with the last one, which the module keeps, beside that with a buffer."""
    ours, height = pt.GridEmbedding(256, convention="mae-2d"), 2 ** (int(math.log2(tokens)) // 2)
    theirs = nn.Module()
    cells = torch.from_numpy(sincos_2d(256, height, tokens // height)).float()
    theirs.register_buffer("pos_embed", cells.reshape(height, tokens // height, 256))
    x = torch.randn(1, height, tokens // height, 256, requires_grad=True)
    return Work(lambda: x + ours(height, tokens // height), lambda: x + theirs.pos_embed, (x,))


def biases(tokens):
    ours, mask = pt.AlibiBias(8, convention="bloom-alibi"), torch.ones(1, tokens, dtype=torch.int64)
    return Work(lambda: ours(1, tokens, mask), lambda: build_alibi_tensor(mask, 8, torch.float32)[None])


def classes(tokens):
    ours = pt.RelativeBuckets(convention="t5-bucket")

    def theirs():
        at = torch.arange(tokens)
        return T5Attention._relative_position_bucket(at[None, :] - at[:, None])

    return Work(lambda: ours(tokens, tokens), theirs, apart=0)


def input_embedding(tokens):
    theirs = Embedded(1000, 512)
    ours = pt.InputEmbedding(1000, 512, convention="pytorch", scale="sqrt_dim")
    ours.weight, ids = theirs.rows.weight, torch.randint(1000, (1, tokens))
    return Work(lambda: ours(ids), lambda: theirs(ids), (ours.weight,))


def chunks(tokens):
    return torch.arange(4 * tokens).chunk(4)


def of_a_rank(tokens):
    def theirs():
        parts = chunks(tokens)
        return torch.cat((parts[1], parts[2]))

    return Work(lambda: pt.context_parallel(4 * tokens, 1, 2, split="zigzag"), theirs, apart=0)


def of_all_ranks(tokens):
    shards = [torch.randn(1, 2 * tokens, 64, requires_grad=True) for _ in range(2)]

    def theirs():
        a, b, c, d = chunks(tokens)
        return torch.cat(shards, 1).index_select(1, torch.cat((a, d, b, c)).argsort())

    return Work(lambda: pt.join_context(shards, split="zigzag", dim=1), theirs, tuple(shards), apart=0)


def small(tokens):
    return transformers.LlamaConfig(
        hidden_size=256, num_attention_heads=4, num_key_value_heads=4, num_hidden_layers=4, intermediate_size=512,
        vocab_size=512, max_position_embeddings=max(tokens, 64),
    )  # fmt: skip


def replacement(tokens):
    """Once a model, of so many positions: beside making the model."""
    config = small(tokens)
    model = transformers.LlamaForCausalLM(config)
    own = model.model.rotary_emb

    def ours():
        model.model.rotary_emb = own
        assert pt.replace(model).swapped

    return Work(ours, lambda: transformers.LlamaForCausalLM(config), apart=None)


ROWS = {
    "RotaryEmbedding": rotary_embedding,
    "apply_rotary": rotated,
    "apply_rotary_": rotated_in_place,
    "PositionalEncoding": positional_encoding,
    "PositionalEncoding, a step": positional_step,
    "PositionalEncoding, by recipe": lambda tokens: positional_encoding(tokens, recipe="original"),
    "SinusoidalEmbedding": sinusoidal,
    "SinusoidalEmbedding, anywhere": sinusoidal_anywhere,
    "SinusoidalEmbedding, by recipe": lambda tokens: sinusoidal(tokens, recipe="f32-exp"),
    "TimestepEmbedding": timesteps,
    "GridEmbedding": grid,
    "GridEmbedding, again": grid_again,
    "AlibiBias": biases,
    "RelativeBuckets": classes,
    "InputEmbedding": input_embedding,
    "context_parallel": of_a_rank,
    "join_context": of_all_ranks,
    "replace": replacement,
}
# Batches has its row in test_batches.py, which needs pyarrow; the others are what replace and Batches give or warn of.
ELSEWHERE = {"Batches", "Batch", "Replacement", "Swap", "StoredTableWarning"}


def test_every_public_name_has_a_row():
    assert {name.partition(",")[0] for name in ROWS} | ELSEWHERE == set(pt.__all__)


# ---- time --------------------------------------------------------------------------------------------------------


def with_backward(call, leaves):
    def run():
        made = call()
        torch.autograd.backward([each.sum() for each in (made if isinstance(made, tuple) else (made,))])
        for leaf in leaves:
            leaf.grad = None

    return run


@pytest.mark.parametrize("tokens", SIZES)
@pytest.mark.parametrize("name", ROWS)
def test_a_call_takes_at_most_three_times_as_long_as_what_it_replaces(name, tokens):
    work = ROWS[name](tokens)
    if work.apart is not None:
        torch.testing.assert_close(work.ours(), work.theirs(), rtol=0, atol=work.apart)
    with torch.no_grad():
        expect_at_most(MOST, f"{name}, {tokens}", work.ours, work.theirs)
    if work.leaves:
        both = (with_backward(call, work.leaves) for call in (work.ours, work.theirs))
        expect_at_most(MOST, f"{name}, {tokens}, with backward", *both)


# ---- decoding ----------------------------------------------------------------------------------------------------


def tokens_of(model):
    """One greedy token after the other, and the seconds that each takes."""
    cache = transformers.DynamicCache(config=model.config)
    ids = torch.arange(8)[None]
    while True:
        start = time.process_time()
        with torch.no_grad():
            ids = model(ids, past_key_values=cache).logits[:, -1:].argmax(-1)
        yield time.process_time() - start


def decoded(own, replaced, tokens, rounds):
    """The ratios of neighbouring tokens: between two of them the weights pass through the caches."""
    ratios = []
    for _ in range(rounds):
        streams = tokens_of(replaced), tokens_of(own)
        next(streams[0]), next(streams[1])
        for i in range(tokens):
            order = streams if i % 2 else streams[::-1]
            pair = [next(stream) for stream in order]
            ours, theirs = pair if i % 2 else pair[::-1]
            ratios.append(ours / theirs)
    return statistics.median(ratios)


def own_and_replaced():
    own = transformers.LlamaForCausalLM(small(2048)).eval()
    replaced = copy.deepcopy(own)
    assert pt.replace(replaced).swapped
    return own, replaced


def test_a_replaced_model_decodes_as_fast():
    ratio = decoded(*own_and_replaced(), tokens=30, rounds=2)
    print(f"decoding: {ratio:.3g}")
    assert ratio <= MOST


# ---- of quiet machines -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("tokens", [1, 128, 4096])
def test_costs_of_cosines_and_sines_are_a_tenth_above_transformers_at_most(tokens):
    work = rotary_embedding(tokens)
    with torch.no_grad():
        expect_at_most(1.1, f"RotaryEmbedding, {tokens}", work.ours, work.theirs)


def test_costs_of_decoding_are_a_fiftieth_above_those_of_the_own_model():
    own, replaced = own_and_replaced()
    ratios = [decoded(own, replaced, tokens=60, rounds=4)]
    while ratios[-1] > 1.02 and len(ratios) < 4:
        ratios.append(decoded(own, replaced, tokens=60, rounds=4))
    print("decoding:", *(f"{ratio:.4g}" for ratio in ratios))
    assert min(ratios) <= 1.02
