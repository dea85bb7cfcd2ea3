# SPDX-License-Identifier: Apache-2.0
"""Models of transformers before and after replace, and their own tensors beside AlibiBias and RelativeBuckets.

What a difference of tables explains: the models are run in f64, at the last positions that they were made for, where
their tables are worst. A second model has a table so many times as far from the exact one: its outputs are as many
times as far away, to first order. Norms are computed in f32 by transformers, whatever the type of the model.
"""

import copy
import pickle
import warnings

import posenc
import posenc.torch as modules
import pytest
import torch
from families import FAMILIES, inputs, model

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import transformers

pytestmark = [
    pytest.mark.transformers,
    pytest.mark.timeout(240),
    pytest.mark.filterwarnings("ignore"),  # transformers has warnings of its own
]
OF_NORMS = 2**-20  # of outputs: two layers' norms in f32
EXPECTED = {  # module and role of every swap
    "llama31": {("model.rotary_emb", "rotary")},
    "qwen2": {("model.rotary_emb", "rotary")},
    "qwen2_vl": {("model.language_model.rotary_emb", "text.rotary"), ("model.visual.rotary_pos_emb", "vision.rotary")},
    "gemma3": {("model.rotary_emb", "rotary")},
    "phi3": {("model.rotary_emb", "rotary")},
    "deepseek_v3": {("model.rotary_emb", "rotary")},
    "gpt_oss": {("model.rotary_emb", "rotary")},
    "gpt_neox": {("gpt_neox.rotary_emb", "rotary")},
    "gptj": {(f"transformer.h.{i}.attn.embed_positions", "rotary") for i in range(2)},
    "whisper": {("encoder.embed_positions", "embedding.encoder")},
}


class Further(torch.nn.Module):
    """exact + times (old - exact)."""

    def __init__(self, old, exact, times):
        super().__init__()
        self.old, self.exact, self.times = old, exact, times
        self.num_embeddings = getattr(old, "num_embeddings", None)

    def forward(self, *arguments, **named):
        old, exact = self.old(*arguments, **named), self.exact(*arguments, **named)
        if isinstance(old, tuple):
            return tuple(b + self.times * (a - b) for a, b in zip(old, exact, strict=True))
        return exact + self.times * (old - exact)


def further(old, exact, done):
    """And how many times: the table stays within 0.03 of the exact one."""
    times = min(1024.0, max(4.0, 0.03 / max(swap.difference for swap in done.swapped)))
    made = copy.deepcopy(exact)
    for swap in done.swapped:
        if swap.how == "module":
            parent, _, own = swap.name.rpartition(".")
            both = (copy.deepcopy(each.get_submodule(swap.name)) for each in (old, exact))
            setattr(made.get_submodule(parent), own, Further(*both, times))
        else:
            theirs, ours = (each.get_buffer(swap.name) for each in (old, exact))
            made.get_buffer(swap.name).copy_(ours + times * (theirs - ours))
    return made, times


def outputs(of, **given):
    wide = {key: each.double() if each.is_floating_point() else each for key, each in given.items()}
    with torch.no_grad():
        made = of(**wide, use_cache=False)
    return made.logits if "logits" in made else made.last_hidden_state


def replaced(old):
    made = copy.deepcopy(old)
    return made, modules.replace(made)


@pytest.mark.parametrize("name", FAMILIES)
def test_outputs_are_as_far_apart_as_the_tables_explain(name):
    old = model(name).double()
    exact, done = replaced(old)
    assert {(swap.name, swap.role) for swap in done.swapped} == EXPECTED[name] and not done.left
    assert all(0 < swap.difference <= swap.bound for swap in done.swapped), str(done)
    last = getattr(old.config.get_text_config(), "max_position_embeddings", 0)
    given = inputs(name, last=min(last, 1 << 17))
    scaled, times = further(old, exact, done)
    here, there, far = (outputs(each, **given) for each in (old, exact, scaled))
    apart, explained = (here - there).abs().max(), (far - there).abs().max() / times
    print(f"{name}: outputs {apart:.3g} apart of {there.abs().max():.3g}, explained {explained:.3g}\n{done}")
    assert 0 < apart <= 1.5 * explained + OF_NORMS * there.abs().max()


@pytest.mark.parametrize("name", [name for name in FAMILIES if name != "whisper"])
def test_greedy_tokens_are_equal_or_part_where_the_two_best_do(name):
    old = model(name)
    exact, _ = replaced(old)
    given = inputs(name, 20)
    options = {"max_new_tokens": 24, "do_sample": False, "output_logits": True, "return_dict_in_generate": True}
    theirs, ours = (each.generate(**given, **options, pad_token_id=0) for each in (old, exact))
    for row in range(2):
        same = theirs.sequences[row] == ours.sequences[row]
        steps = int((~same[20:]).int().argmax()) if not same.all() else 24
        for step in range(min(steps + 1, 24)):
            a, b = theirs.logits[step][row], ours.logits[step][row]
            apart = (a - b).abs().max()
            assert apart <= 1e-3 * b.abs().max()
            if a.argmax() != b.argmax():
                best = a.topk(2).values
                assert best[0] - best[1] <= 2 * apart
    assert ours.sequences.shape == theirs.sequences.shape


def test_the_lengths_of_longrope():
    """The same module, at each call by its own length: short frequencies, long ones, short ones again."""
    old = model("phi3").double()
    exact, _ = replaced(old)
    for tokens in (16, 64, 16):
        given = inputs("phi3", tokens)
        assert (outputs(exact, **given) - outputs(old, **given)).abs().max() < 1e-4


def test_a_picture_of_qwen2_vl():
    old = model("qwen2_vl").double()
    exact, done = replaced(old)
    grid = torch.tensor([[1, 4, 6]])
    pixels = torch.randn(24, 3 * 2 * 4 * 4, dtype=torch.float64)
    with torch.no_grad():
        scaled, times = further(old, exact, done)
        here, there, far = (each.model.visual(pixels, grid_thw=grid).last_hidden_state for each in (old, exact, scaled))
    explained = (far - there).abs().max() / times
    assert 0 < (here - there).abs().max() <= 1.5 * explained + OF_NORMS * there.abs().max()


def test_half_precision_follows_the_model():
    for name in ("llama31", "whisper"):
        exact, _ = replaced(model(name))
        exact = exact.bfloat16()
        given = {k: v.bfloat16() if v.is_floating_point() else v for k, v in inputs(name).items()}
        with torch.no_grad():
            made = exact(**given)
        assert (made.logits if "logits" in made else made.last_hidden_state).dtype == torch.bfloat16


def test_the_state_of_a_model_stays_loadable():
    old = model("llama31")
    exact, _ = replaced(old)
    assert exact.state_dict().keys() == old.state_dict().keys()
    exact.load_state_dict(old.state_dict())
    speech = model("whisper")
    made, _ = replaced(speech)
    assert speech.state_dict().keys() - made.state_dict().keys() == {"encoder.embed_positions.weight"}
    assert not made.load_state_dict(speech.state_dict()).unexpected_keys  # strict: the old table is compared, left out
    again = pickle.loads(pickle.dumps(exact))
    assert torch.equal(outputs(again, **inputs("llama31")), outputs(exact, **inputs("llama31")))


def test_a_table_of_another_convention_stays():
    old = model("llama31")
    config = copy.deepcopy(old.config)
    config.rope_parameters["rope_theta"] = 1e4
    done = modules.replace(old, config)
    assert not done.swapped and done.left[0][0] == "model.rotary_emb" and "rounding explains" in done.left[0][1]
    assert type(old.model.rotary_emb).__name__ == "LlamaRotaryEmbedding"
    assert "stays" in str(done)


def test_every_type_of_rope_from_its_configuration():
    kinds = {
        "default": {},
        "linear": {"factor": 4.0},
        "dynamic": {"factor": 4.0},
        "yarn": {"factor": 4.0, "original_max_position_embeddings": 64},
    }
    for kind, rope in kinds.items():
        config = transformers.LlamaConfig(
            **{"hidden_size": 64, "num_attention_heads": 4, "max_position_embeddings": 64},
            rope_parameters={"rope_type": kind, "rope_theta": 1e4, **rope},
        )
        theirs = transformers.models.llama.modeling_llama.LlamaRotaryEmbedding(config)
        ours = modules.RotaryEmbedding.from_config(config)
        for length in (32, 256):
            at, x = torch.arange(length)[None], torch.zeros(1)
            for a, b in zip(theirs(x, at), ours(x, at), strict=True):
                torch.testing.assert_close(a, b, rtol=0, atol=2 * length * 2**-21, msg=lambda m, k=kind: f"{k}: {m}")


# ---- Bloom and T5 ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("heads", [4, 6])
def test_the_biases_of_bloom(heads):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    mask = torch.tensor([[1, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0]])
    theirs = build_alibi_tensor(mask, heads, torch.float32).reshape(3, heads, 1, 6)
    ours = modules.AlibiBias(heads, convention="bloom-alibi")(1, 6, mask)
    present = mask.bool()[:, None, None].expand_as(ours)
    torch.testing.assert_close(ours[present], theirs[present], rtol=2**-22, atol=0)


@pytest.mark.parametrize("is_decoder", [False, True])
def test_the_biases_of_t5(is_decoder):
    from transformers.models.t5.modeling_t5 import T5Attention

    config = transformers.T5Config(d_model=64, d_kv=16, d_ff=64, num_layers=2, num_heads=4, vocab_size=128)
    config.is_decoder = is_decoder
    attention = T5Attention(config, has_relative_attention_bias=True, layer_idx=0)
    role = posenc.inspect(config).roles["bias.decoder" if is_decoder else "bias.encoder"]
    classes = modules.RelativeBuckets(convention=role)(300, 300)
    ours = attention.relative_attention_bias(classes).permute(2, 0, 1)[None]
    theirs = attention.compute_bias(300, 300)
    assert torch.equal(ours, theirs)


@pytest.mark.parametrize("kind", ["bamba", "falcon_h1", "granitemoehybrid", "mamba2"])
def test_a_configuration_with_a_number_without_end_is_read(kind):
    config = transformers.CONFIG_MAPPING[kind]()
    assert "Infinity" in str(config.to_json_string()) or float("inf") in config.to_dict()["time_step_limit"]
    assert posenc.inspect(config).model_type == kind


def test_a_model_of_which_a_part_is_missing_is_replaced_as_far_as_it_is_read():
    text = {**model("llama31").config.to_dict(), "model_type": "mistral"}
    stated = {"model_type": "mistral3", "text_config": text, "vision_config": {"model_type": "pixtral"}}
    assert [each.name for each in posenc.inspect(stated).missing] == ["vision"]
    rotary = modules.RotaryEmbedding.from_config(stated)
    assert rotary.width == modules.RotaryEmbedding.from_config(text).width
    done = modules.replace(model("llama31"), stated)
    assert [swap.role for swap in done.swapped] == ["text.rotary"]


def test_a_model_without_a_configuration_is_refused():
    with pytest.raises(
        posenc.PosencError, match=r"\[replace\] config must be given where the model has none, got Linear"
    ):
        modules.replace(torch.nn.Linear(2, 2))
