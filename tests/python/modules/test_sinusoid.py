# SPDX-License-Identifier: Apache-2.0
"""PositionalEncoding and its kin: the originals' results, any length, no state, checked checkpoints, any type."""

import copy
import pickle
import warnings

import posenc
import posenc.torch as modules
import pytest
import torch
from originals import BatchFirst, Divide, OpenNMT
from torch.utils.checkpoint import checkpoint
from torch_shared import table

pytestmark = pytest.mark.torch


def opennmt(dim=16, dropout=0.0, **options):
    return modules.PositionalEncoding(
        dim, dropout, convention="opennmt", batch_first=False, scale="sqrt_dim", **options
    )


def batch_first(dim=16, convention="pytorch", **options):
    return modules.PositionalEncoding(dim, convention=convention, batch_first=True, scale="none", **options)


# ---- the originals -----------------------------------------------------------------------------------------------

# Entries of the originals are off by what f32 makes of their angles: 2^-22 of p and 2 units.
near = 100 * 2**-22 + 2**-22


def test_the_form_of_opennmt():
    x, original, mine = torch.randn(100, 3, 16), OpenNMT(16), opennmt()
    torch.testing.assert_close(mine(x), original(x), rtol=0, atol=near + 2**-20)
    assert mine(x).is_contiguous() and mine(x).shape == x.shape
    torch.testing.assert_close(mine(x[:1], step=77), original(x[:1], step=77), rtol=0, atol=near + 2**-20)
    assert torch.equal(mine(x[:1], step=torch.tensor(77)), mine(x[:1], step=77))
    assert torch.equal(mine(x), x * 4.0 + table("opennmt", 16, range(100)).unsqueeze(1))


@pytest.mark.parametrize(("original", "convention"), [(Divide(16, 0.0), "pytorch-divide"), (BatchFirst(16), "pytorch")])
def test_the_batch_first_forms(original, convention):
    x, mine = torch.randn(3, 100, 16), batch_first(convention=convention)
    torch.testing.assert_close(mine(x), original(x), rtol=0, atol=near)
    assert torch.equal(mine(x), x + table(convention, 16, range(100)))
    assert torch.equal(mine(x[1]), mine(x)[1])


def test_the_recipe_of_an_original_is_nearer_to_it():
    x, original = torch.zeros(1, 4000, 16), BatchFirst(16)
    exact, by_recipe = batch_first(), batch_first(recipe="original")
    assert torch.equal(by_recipe(x)[0], table("pytorch", 16, range(4000), recipe="original"))
    assert (by_recipe(x) - original(x)).abs().mean() < 0.2 * (exact(x) - original(x)).abs().mean()


def test_any_length_and_far_steps():
    assert batch_first()(torch.zeros(1, 6000, 16))[0, 5999].equal(table("pytorch", 16, 5999)[0])
    assert opennmt()(torch.zeros(1, 1, 16), step=10**12)[0, 0].equal(table("opennmt", 16, 10**12)[0])


def test_what_is_refused():
    with pytest.raises(posenc.PosencError, match="width must be even, got 7"):
        opennmt(7)
    with pytest.raises(posenc.PosencError, match="with a step x must have one token, got 2"):
        opennmt()(torch.zeros(2, 1, 16), step=3)
    with pytest.raises(posenc.PosencError, match="of width 16"):
        opennmt()(torch.zeros(2, 1, 8))
    with pytest.raises(posenc.PosencError, match="x must be f32, f64, f16 or bf16, got i32"):
        batch_first()(torch.zeros(1, 2, 16, dtype=torch.int32))
    cells = modules.GridEmbedding(16, convention="mae-2d")
    with pytest.raises(posenc.PosencError, match="extents must be >= 0, got -1"):
        cells(-1, 2)
    with pytest.raises(posenc.PosencError, match="must fit into memory"):
        cells(2**40, 2**40)
    with pytest.raises(TypeError, match="extents must be integers, got tuple"):
        cells((2, 2))
    with pytest.raises(posenc.PosencError, match="sqrt_dim, got sqrt"):
        modules.PositionalEncoding(16, convention="opennmt", batch_first=True, scale="sqrt")


def test_dropout_is_pytorchs_in_training_alone():
    x, mine = torch.ones(5, 2, 16), opennmt(dropout=0.5)
    torch.manual_seed(3)
    dropped = mine(x)
    torch.manual_seed(3)
    assert torch.equal(dropped, torch.nn.functional.dropout(mine.eval()(x), 0.5, True))
    assert torch.equal(mine(x), opennmt()(x))


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float64])
def test_half_precision_is_rounded_once(dtype):
    x, name = torch.randn(2, 9, 16).to(dtype), str(dtype).removeprefix("torch.")
    assert torch.equal(batch_first()(x), x + table("pytorch", 16, range(9), name))


def test_gradients_pass_through():
    x = torch.randn(3, 2, 16, requires_grad=True)
    opennmt()(x).backward(torch.full((3, 2, 16), 0.5))
    assert torch.equal(x.grad, torch.full_like(x, 2.0))
    y = torch.randn(2, 3, 16, requires_grad=True)
    assert batch_first()(y).detach().equal(batch_first()(y.detach()))


# ---- no state ----------------------------------------------------------------------------------------------------

EVERY = {
    "positional": opennmt,
    "by recipe": lambda: batch_first(recipe="f32-exp"),
    "sinusoidal": lambda: modules.SinusoidalEmbedding(16, convention="whisper"),
    "timestep": lambda: modules.TimestepEmbedding(16, convention="ddpm"),
    "grid": lambda: modules.GridEmbedding(16, convention="mae-2d"),
    "rotary": lambda: modules.RotaryEmbedding("llama", 16),
    "alibi": lambda: modules.AlibiBias(8, convention="alibi"),
    "buckets": lambda: modules.RelativeBuckets(convention="t5-bucket"),
}
INPUTS = {
    "positional": (torch.ones(5, 2, 16),),
    "by recipe": (torch.ones(2, 5, 16),),
    "sinusoidal": (torch.arange(5),),
    "timestep": (torch.arange(5),),
    "grid": (2, 3),
    "rotary": (torch.ones(1), torch.arange(5)[None]),
    "alibi": (4, 5),
    "buckets": (4, 5),
}


def result(module, name):
    made = module(*INPUTS[name])
    return torch.cat(made) if isinstance(made, tuple) else made


@pytest.mark.parametrize("name", EVERY)
def test_nothing_to_cast_to_save_or_to_initialise(name):
    module = EVERY[name]()
    before = result(module, name)
    assert not module.state_dict() and not list(module.parameters()) and not list(module.buffers())
    for other in (copy.deepcopy(module), pickle.loads(pickle.dumps(module)), module.half().float()):
        assert torch.equal(result(other, name), before)
    with torch.device("meta"):
        empty = EVERY[name]()
    assert torch.equal(result(empty.to_empty(device="cpu"), name), before)
    assert repr(module)


@pytest.mark.parametrize("name", EVERY)
def test_meta_inputs_give_meta_results_of_the_same_shape(name):
    inputs = [each.to("meta") if isinstance(each, torch.Tensor) else each for each in INPUTS[name]]
    if name == "grid":
        made = EVERY[name]()(*inputs, device="meta")
    elif name in ("alibi", "buckets"):
        with torch.device("meta"):
            made = EVERY[name]()(*inputs)
    else:
        made = EVERY[name]()(*inputs)
    made = torch.cat(made) if isinstance(made, tuple) else made
    real = result(EVERY[name](), name)
    assert made.is_meta and made.shape == real.shape and made.dtype == real.dtype


# ---- checkpoints -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("original", [OpenNMT(16), BatchFirst(16), Divide(16)])
def test_an_old_checkpoint_loads_strictly_and_agrees(original):
    convention = "pytorch-divide" if isinstance(original, Divide) else "pytorch"
    model = torch.nn.Sequential(batch_first(convention=convention))
    state = {f"0.{key}": value for key, value in original.state_dict().items()}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert not model.load_state_dict(state).missing_keys
        model.load_state_dict({key: value.half() for key, value in state.items()})
    assert "0.pe" in state


def test_a_table_of_another_convention_is_told():
    pe = BatchFirst(16).pe.clone()
    pe[0, 37, 4] += 0.25
    with pytest.warns(modules.StoredTableWarning, match="differs by 0.25 at position 37, column 4"):
        batch_first().load_state_dict({"pe": pe})
    with pytest.warns(modules.StoredTableWarning, match="rows here have 16 columns"):
        batch_first().load_state_dict({"pe": BatchFirst(8).pe})
    halves = table("tensor2tensor", 16, range(50))
    with pytest.warns(modules.StoredTableWarning, match="pe of the checkpoint is not what the convention says"):
        batch_first().load_state_dict({"pe": halves})
    with pytest.warns(modules.StoredTableWarning, match="it is not a number at position 0, column 0"):
        batch_first().load_state_dict({"pe": torch.full((1, 9, 16), torch.nan)})


@pytest.mark.parametrize("rows", [50, 5000, 20000])
def test_each_position_of_an_old_table_has_a_bound_of_its_own(rows):
    """Rounding explains more far away, and there alone."""
    pe = BatchFirst(16, rows).pe
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        batch_first().load_state_dict({"pe": pe})
    wrong = pe.clone()
    wrong[0, 0] += 1e-3
    with pytest.warns(
        modules.StoredTableWarning, match=r"differs by 0\.001 at position 0, column \d+, rounding explains 3"
    ):
        batch_first().load_state_dict({"pe": wrong})
    for everywhere in (pe + 1e-3, pe * 1.001):
        with pytest.warns(modules.StoredTableWarning, match=r"at position [01], column"):
            batch_first().load_state_dict({"pe": everywhere})
    narrow = pe.bfloat16()
    narrow[0, 3, 2] += 2**-5  # of a table of bf16 a unit of 0.5 to 1 is 2^-8
    with pytest.warns(modules.StoredTableWarning, match="position 3, column 2"):
        modules.SinusoidalEmbedding(16, convention="pytorch").load_state_dict({"weight": narrow[0]})


def test_keys_that_are_no_table_stay_errors():
    with pytest.raises(RuntimeError, match="Unexpected key"):
        batch_first().load_state_dict({"weight": torch.zeros(16)})


def test_an_embedding_of_rows_takes_the_weight_of_whisper():
    rows = modules.SinusoidalEmbedding(16, convention="whisper", num_embeddings=50)
    rows.load_state_dict({"weight": table("whisper", 16, range(50))})
    with pytest.warns(modules.StoredTableWarning, match="weight of the checkpoint"):
        rows.load_state_dict({"weight": table("transformer", 16, range(50))})


def test_activation_checkpointing_and_autocast_change_nothing():
    x, mine = torch.randn(2, 5, 16, requires_grad=True), batch_first()
    (plain,) = torch.autograd.grad(mine(x).square().sum(), x)
    (again,) = torch.autograd.grad(checkpoint(mine, x, use_reentrant=False).square().sum(), x)
    assert torch.equal(plain, again)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(mine(x), x + table("pytorch", 16, range(5)))
        assert mine(x.bfloat16()).dtype == torch.bfloat16


# ---- rows by themselves ------------------------------------------------------------------------------------------


def test_rows_follow_the_type_of_their_module():
    rows = modules.SinusoidalEmbedding(16, convention="whisper")
    at = torch.tensor([[0, 7, 3], [2**40, -5, 1]])
    assert torch.equal(rows(at), table("whisper", 16, at.numpy()))
    assert torch.equal(torch.nn.ModuleList([rows]).bfloat16()[0](at), table("whisper", 16, at.numpy(), "bfloat16"))
    assert torch.equal(rows.double()(range(9)), table("whisper", 16, range(9), "float64"))
    assert rows.float()(3).shape == (1, 16)


def test_points_of_several_axes():
    rows = modules.SinusoidalEmbedding(16, convention="mae-2d")
    x, y = torch.tensor([0.5, 3.0]), torch.tensor([2.0, 1.0])
    assert torch.equal(rows([x, y]), torch.from_numpy(posenc.coordinates("mae-2d", 16, [x.numpy(), y.numpy()])))


def test_steps_of_diffusion():
    steps = torch.tensor([0.0, 999.5, 3.0])
    made = modules.TimestepEmbedding(32, convention="ddpm", dtype=torch.float16)(steps)
    assert torch.equal(made, torch.from_numpy(posenc.timestep("ddpm", 32, steps.numpy(), dtype="float16")))
    half = modules.TimestepEmbedding(32, convention="ddpm")(steps.half())  # of a model in half precision
    assert torch.equal(half, torch.from_numpy(posenc.timestep("ddpm", 32, steps.half().float().numpy())))
    with pytest.raises(posenc.PosencError):
        modules.TimestepEmbedding(32, convention="transformer")


def test_cells_of_a_grid():
    cells = modules.GridEmbedding(16, convention="mae-2d")
    assert torch.equal(cells(3, 5), torch.from_numpy(posenc.grid("mae-2d", 16, (3, 5))))
    assert cells(3, 5) is cells(3, 5) and cells(2, 2).shape == (2, 2, 16)
    assert cells.half()(2, 2).dtype == torch.float16


# ---- kept tables -------------------------------------------------------------------------------------------------


def test_a_kept_table_grows_and_is_never_cast():
    rows = modules.SinusoidalEmbedding(16, convention="transformer", recipe="f32-exp")
    for at in (torch.tensor([3, 1]), torch.tensor([[200, 5]]), torch.tensor([70])):
        assert torch.equal(rows(at), table("transformer", 16, at.numpy(), recipe="f32-exp"))
    kept = rows._kept._tables
    assert {each[0].shape[0] for each in kept.values()} == {201}
    assert torch.equal(rows.half()(at), table("transformer", 16, at.numpy(), "float16", recipe="f32-exp"))
    assert len(kept) == 2
    first = rows._kept.up_to(10, torch.device("cpu"), torch.float16, rows._make)[0]
    assert first is rows._kept.up_to(10, torch.device("cpu"), torch.float16, rows._make)[0]  # no copy a step
    meta = rows._kept.up_to(10, torch.device("meta"), torch.float16, rows._make)[0]
    assert meta.is_meta and meta.shape == (64, 16)
    assert rows._kept.at(torch.zeros(2, 0, dtype=torch.int64), torch.device("cpu"), torch.float32, rows._make)[
        0
    ].shape == (
        2,
        0,
        16,
    )


RECIPES = {"by recipe": {"recipe": "f32-exp"}, "exact": {}}


@pytest.mark.parametrize("options", RECIPES.values(), ids=RECIPES)
def test_positions_that_no_table_begins_with_have_rows_of_their_own(options):
    """Nor does one token far away fill the memory."""
    rows = modules.SinusoidalEmbedding(16, convention="transformer", **options)
    for at in ([-2], [2**40], [3, 2**17], [0.5, 7.0], [[5, 2**62], [0, 1]]):
        assert torch.equal(rows(torch.tensor(at)), table("transformer", 16, torch.tensor(at).numpy(), **options))
    for at in (range(-3, 2), range(2**40, 2**40 + 2), range(9, 3, -2), 2**40, -1):
        assert torch.equal(rows(at), table("transformer", 16, at, **options))
    assert all(each[0].shape[0] <= 64 for each in rows._kept._tables.values())


def test_a_kept_table_has_at_most_so_many_rows():
    rows = modules.SinusoidalEmbedding(2, convention="transformer", recipe="f32-exp")
    for at in (2**16 + 1, 2**17 - 1, 2**17):
        assert torch.equal(rows(at), table("transformer", 2, at, recipe="f32-exp"))
    assert [each[0].shape[0] for each in rows._kept._tables.values()] == [2**17]


def test_cosines_far_away_by_recipe():
    rotary, at = modules.RotaryEmbedding("llama", 16, recipe="f32-reciprocal"), [[-5, 2**40]]
    expected = posenc.rotary_cache("llama", 16, at, stored="halves_twice", recipe="f32-reciprocal")
    assert torch.equal(rotary(torch.zeros(1), at)[1], torch.from_numpy(expected["sin"]))
    assert not rotary._kept._tables


HUGE = {  # results and positions that no memory holds
    "rows": lambda: modules.SinusoidalEmbedding(16, convention="transformer")(range(2**45)),
    "rows by recipe": lambda: modules.SinusoidalEmbedding(16, convention="pytorch", recipe="original")(range(2**45)),
    "rows of a list": lambda: modules.SinusoidalEmbedding(2**20, convention="whisper")(
        torch.zeros(1, dtype=torch.int64).expand(2**30)
    ),
    "several axes": lambda: modules.SinusoidalEmbedding(16, convention="mae-2d")([range(2**60), range(2**60)]),
    "biases": lambda: modules.AlibiBias(8, convention="alibi")(2**30, 2**30),
    "classes": lambda: modules.RelativeBuckets(convention="t5-bucket")(2**30, 2**30),
    "cells": lambda: modules.GridEmbedding(16, convention="mae-2d")(2**22, 2**22),
    "cosines": lambda: modules.RotaryEmbedding("llama", 16)(torch.zeros(1), range(2**60)),
    "rotated": lambda: modules.apply_rotary(
        torch.zeros(5, 16, requires_grad=True), torch.zeros(5, 16), range(2**60), convention="llama"
    ),
    "tokens": lambda: modules.InputEmbedding(9, 16, convention="transformer", scale="none")(
        torch.zeros(5, dtype=torch.int64), [range(2**60)]
    ),
    "a rank's": lambda: modules.context_parallel(2**60, 0, 4, split="zigzag"),
    "a rank's of many": lambda: modules.context_parallel(2**62, 1, 4, split="striped"),
    "a vocabulary": lambda: modules.InputEmbedding(2**40, 512, convention="transformer", scale="none"),
}


@pytest.mark.parametrize("work", HUGE.values(), ids=HUGE)
def test_what_memory_does_not_hold_is_told(work):
    with pytest.raises(posenc.PosencError, match=r"^\[\w+\] .*(must fit into memory|a row for each of)"):
        work()
