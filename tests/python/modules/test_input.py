# SPDX-License-Identifier: Apache-2.0
"""InputEmbedding, AlibiBias, RelativeBuckets: frameworks' results, gradients, dropout by PyTorch's seed."""

import copy

import posenc
import posenc.torch as modules
import pytest
import torch
from torch.nn import functional
from torch.utils.checkpoint import checkpoint
from torch_shared import table

pytestmark = pytest.mark.torch
IDS = torch.tensor([[3, 1, 4, 1, 5], [8, 2, 6, 5, 3]])


def embedding(dropout=0.0, dtype=torch.float32, **options):
    return modules.InputEmbedding(
        9, 16, convention="transformer", scale="sqrt_dim", dropout=dropout, dtype=dtype, **options
    )


def by_torch(embed, ids=IDS, positions=range(5), name="float32"):
    return functional.embedding(ids, embed.weight) * 4.0 + table("transformer", 16, positions, name)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_it_is_the_embedding_times_the_scale_plus_the_signal(dtype):
    embed, name = embedding(dtype=dtype), str(dtype).removeprefix("torch.")
    assert torch.equal(embed(IDS), by_torch(embed, name=name))
    with torch.no_grad():
        assert torch.equal(embed(IDS), by_torch(embed, name=name))
    assert embed(IDS).requires_grad and embed(IDS[0]).shape == (5, 16)


def test_steps_and_positions():
    embed = embedding().requires_grad_(False)
    whole = embed(IDS)
    for i in range(5):
        assert torch.equal(embed(IDS[:, i : i + 1], i), whole[:, i : i + 1])
        assert torch.equal(embed(IDS[:, i : i + 1], torch.tensor([i])), whole[:, i : i + 1])
    assert torch.equal(embed(IDS, range(7, 12)), by_torch(embed, positions=range(7, 12)))
    at = torch.tensor([[4, 3, 2, 1, 0], [9, 9, 9, 9, 2**40]])
    assert torch.equal(embed(IDS, at), by_torch(embed, positions=at.numpy()))


def test_weights_that_change_are_read_anew():
    embed = embedding()
    before = embed(IDS)
    with torch.no_grad():
        embed.weight.mul_(2)
    assert torch.equal(embed(IDS), by_torch(embed)) and not torch.equal(embed(IDS), before)
    embed.weight = torch.nn.Parameter(torch.ones(9, 16))
    assert torch.equal(embed(IDS), by_torch(embed))


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_the_gradient_is_torchs_and_the_same_with_any_threads(dtype):
    embed = embedding(dtype=dtype, padding_id=1)
    weight = torch.randn(2, 5, 16).to(dtype)
    embed(IDS).backward(weight)
    mine = embed.weight.grad
    rows = embed.weight.detach().double().requires_grad_()
    (functional.embedding(IDS, rows, padding_idx=1) * 4.0).backward(weight.double())
    torch.testing.assert_close(mine.double(), rows.grad, rtol=2 * torch.finfo(dtype).eps, atol=1e-6)
    assert not mine[1].any() and mine.dtype == dtype
    posenc.set_threads(2)
    embed.zero_grad()
    embed(IDS).backward(weight)
    assert torch.equal(embed.weight.grad, mine)


def test_the_gradient_in_f64():
    embed = embedding(dtype=torch.float64)
    call = lambda rows: torch.ops.posenc.encode(  # noqa: E731
        rows, IDS, torch.arange(5), "transformer", "sqrt_dim", 0.0, None, None, "exact"
    )
    assert torch.autograd.gradcheck(call, (embed.weight,))


def test_padding_reads_as_zeros_and_the_signal_is_added():
    embed = embedding(padding_id=3)
    with torch.no_grad():
        embed.weight[3] = 7.0
    assert torch.equal(embed(IDS)[0, 0], table("transformer", 16, 0)[0])


def test_dropout_follows_the_seed_of_pytorch():
    embed = modules.InputEmbedding(9, 64, convention="transformer", scale="none", dropout=0.25)
    plain = embed.eval()(IDS)
    embed.train()
    torch.manual_seed(5)
    first, second = embed(IDS), embed(IDS)
    torch.manual_seed(5)
    assert torch.equal(embed(IDS), first) and not torch.equal(first, second)
    kept = first != 0
    assert torch.equal(first[kept], plain[kept] * (4 / 3)) and abs(kept.float().mean() - 0.75) < 0.1
    assert torch.equal(embed.eval()(IDS), plain)


def test_activation_checkpointing_makes_the_same_mask_again():
    embed = embedding(dropout=0.5)
    torch.manual_seed(9)
    embed(IDS).square().sum().backward()
    plain, embed.weight.grad = embed.weight.grad, None
    torch.manual_seed(9)
    checkpoint(embed, IDS, use_reentrant=False).square().sum().backward()
    assert torch.equal(embed.weight.grad, plain)


def test_autocast_leaves_types_as_they_are():
    embed, q = embedding(), torch.randn(2, 5, 16)
    with torch.autocast("cpu", torch.bfloat16):
        assert torch.equal(embed(IDS), by_torch(embed))
        turned = modules.apply_rotary(q, q.bfloat16(), range(5), convention="llama")
    assert turned[0].dtype == torch.float32 and turned[1].dtype == torch.bfloat16


def test_its_one_parameter_is_saved_and_an_old_table_is_checked():
    embed = embedding(padding_id=2)
    assert list(embed.state_dict()) == ["weight"] and not embed.weight[2].any()
    other = embedding()
    other.load_state_dict({**embed.state_dict(), "pe": table("transformer", 16, range(50))[None]})
    assert torch.equal(other(IDS), by_torch(embed))
    with pytest.warns(modules.StoredTableWarning):
        other.load_state_dict({**embed.state_dict(), "pe": torch.zeros(1, 50, 16)})
    assert torch.equal(copy.deepcopy(embed)(IDS), embed(IDS))


def test_meta_and_the_way_of_other_devices():
    with torch.device("meta"):
        empty = embedding(dropout=0.1)
    made = empty(IDS.to("meta"))
    assert made.is_meta and made.shape == (2, 5, 16)
    embed = embedding(padding_id=3)
    assert torch.equal(embed._elsewhere(IDS, range(5)), embed(IDS))  # the same numbers by PyTorch's own operators
    assert torch.equal(embed._elsewhere(IDS, torch.arange(5)), embed(IDS))


def test_what_is_refused():
    embed = embedding()
    with pytest.raises(posenc.PosencError, match=r"ids must be in \[0, 9\)|got 9"):
        embed(torch.tensor([9]))
    with pytest.raises(posenc.PosencError, match="vocabulary must be >= 0, got -10"):
        modules.InputEmbedding(-10, 8, convention="transformer", scale="none")
    with pytest.raises(posenc.PosencError, match=r"dropout must be in \[0, 1\), got 1"):
        embedding(dropout=1.0)
    with pytest.raises(posenc.PosencError, match=r"padding_id must be in \[0, 9\), got 9"):
        embedding(padding_id=9)
    with pytest.raises(posenc.PosencError, match="ids must be"):
        embed(torch.zeros(1, 1, 1, dtype=torch.int64))


def test_a_second_derivative_is_refused():
    embed = embedding()
    (first,) = torch.autograd.grad(embed(IDS).square().sum(), embed.weight, create_graph=True)
    with pytest.raises(RuntimeError, match="once_differentiable"):
        first.sum().backward()


# ---- pairs of positions ------------------------------------------------------------------------------------------


def test_biases_are_numpys():
    bias = modules.AlibiBias(8, convention="alibi", dtype=torch.float16)
    assert torch.equal(bias(4, 5), torch.from_numpy(posenc.bias("alibi", 8, range(4), range(5), dtype="float16")))
    assert torch.equal(bias(torch.tensor([4]), range(5))[:, 0], bias(5, 5)[:, 4])
    mask = torch.tensor([[1, 1, 1, 0], [0, 1, 1, 1]])
    made = modules.AlibiBias(8, convention="bloom-alibi")(1, 4, mask)
    for row in range(2):
        present = mask[row].numpy()
        at = posenc.positions_of_mask(present[None], first=0, absent=0)[0]
        assert torch.equal(made[row], torch.from_numpy(posenc.bias("bloom-alibi", 8, range(1), at, present=present)))
    with pytest.raises(posenc.PosencError):
        modules.AlibiBias(8, convention="llama")


def test_classes_are_numpys():
    classes = modules.RelativeBuckets(convention="t5-bucket")
    assert torch.equal(classes(4, 200), torch.from_numpy(posenc.buckets("t5-bucket", range(4), range(200))))
    assert torch.equal(classes(torch.tensor([3]), 9)[0], classes(4, 9)[3])
    with pytest.raises(posenc.PosencError):
        modules.RelativeBuckets(convention="alibi")


def test_a_negative_number_of_positions_is_refused():
    with pytest.raises(posenc.PosencError, match="the number of queries must be >= 0, got -3"):
        modules.AlibiBias(8, convention="alibi")(-3, 3)
    with pytest.raises(posenc.PosencError, match="the number of keys must be >= 0, got -1"):
        modules.RelativeBuckets(convention="t5-bucket")(3, -1)
