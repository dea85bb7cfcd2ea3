# SPDX-License-Identifier: Apache-2.0
"""The operators: opcheck, gradients, vmap, other devices."""

import posenc
import posenc.torch as modules
import pytest
import torch
from torch_shared import rotated, table

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
ops = torch.ops.posenc
ROTATION = ("llama", 16, "", 0, False, "exact", None, None)
STAGE = ("transformer", "sqrt_dim", 0.25, torch.tensor(7), 3, "exact")


def x_of(*shape, dtype=torch.float32, grad=False):
    return torch.randn(*shape).to(dtype).requires_grad_(grad)


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("grad", [False, True])
def test_opcheck_of_rotate(dtype, grad):
    positions = [torch.arange(5)]
    torch.library.opcheck(ops.rotate.default, (x_of(2, 3, 5, 16, dtype=dtype, grad=grad), positions, *ROTATION))


def test_opcheck_of_the_others():
    at, ids = torch.arange(5), torch.tensor([[3, 1, 4, 1, 5]])
    torch.library.opcheck(ops.rotate_.default, (x_of(2, 5, 16), [at], *ROTATION))
    torch.library.opcheck(ops.table.default, ([at], "transformer", 16, torch.float32, "exact", None))
    torch.library.opcheck(ops.table.default, ([at, at + 1], "mae-2d", 16, torch.float16, "exact", None))
    torch.library.opcheck(ops.cache.default, ([at], "llama", 16, "halves_twice", torch.bfloat16, "exact", None))
    torch.library.opcheck(ops.add_signal.default, (x_of(2, 5, 16, grad=True), at, "transformer", "exact", None))
    torch.library.opcheck(ops.encode.default, (x_of(9, 16, grad=True), ids, at, *STAGE))
    torch.library.opcheck(ops.encode_backward.default, (x_of(1, 5, 16), x_of(9, 16), ids, *STAGE))


def test_rotate_has_the_bits_of_numpy():
    x = x_of(2, 3, 5, 16)
    for positions in (torch.arange(5), torch.tensor([[9, 1, 2, 3, 4], [0, 0, -7, 2**40, 1]])):
        assert torch.equal(ops.rotate(x, [positions], *ROTATION), rotated("llama", positions.numpy(), x))


def test_the_gradient_of_a_rotation_is_the_inverse_rotation():
    x, at, weight = x_of(2, 3, 5, 16, grad=True), torch.arange(5), x_of(2, 3, 5, 16)
    ops.rotate(x, [at], *ROTATION).backward(weight)
    assert torch.equal(x.grad, rotated("llama", range(5), weight, inverse=True))
    transposed = x_of(2, 5, 3, 16, grad=True)
    ops.rotate(transposed.transpose(1, 2), [at], *ROTATION).sum().backward()  # a gradient of stride 0
    assert torch.equal(transposed.grad[0, :, 0], rotated("llama", range(5), torch.ones(5, 16), inverse=True))


def test_a_second_derivative_turns_forward():
    x = x_of(5, 16, grad=True)
    y = ops.rotate(x, [torch.arange(5)], *ROTATION)
    (first,) = torch.autograd.grad(y, x, x_of(5, 16, grad=True), create_graph=True)
    first.sum().backward()


def test_the_gradient_of_encode_is_that_of_torch():
    rows, ids = x_of(9, 16, grad=True), torch.tensor([[3, 1, 4, 1, 5], [8, 1, 0, 0, 3]])
    weight = x_of(2, 5, 16)
    stage = ("transformer", "sqrt_dim", 0.0, None, 3, "exact")
    ops.encode(rows, ids, torch.arange(5), *stage).backward(weight)
    mine, rows.grad = rows.grad, None
    (torch.nn.functional.embedding(ids, rows, padding_idx=3) * 4.0).backward(weight)
    torch.testing.assert_close(mine, rows.grad, rtol=1e-6, atol=1e-6)
    assert not mine[3].any() and mine[1].any()


def test_the_mask_of_dropout_is_that_of_the_seed_in_both_directions():
    rows, ids, at = torch.ones(9, 64, requires_grad=True), torch.arange(8)[None], torch.arange(8)
    plain = ("transformer", "none", 0.0, None, None, "exact")
    stage = ("transformer", "none", 0.5, torch.tensor(2**61 + 5), None, "exact")
    out = ops.encode(rows, ids, at, *stage)
    kept = out != 0
    assert torch.equal(out[kept], 2 * ops.encode(rows, ids, at, *plain)[kept]) and 0.3 < kept.float().mean() < 0.7
    out.backward(torch.ones_like(out))
    assert torch.equal(rows.grad[:8][None], 2 * kept)


# ---- vmap --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dim", [0, 1, 2])
def test_vmap_of_a_rotation_over_x(dim):
    x, at = x_of(2, 3, 5, 5, 16), torch.arange(5)
    made = torch.vmap(lambda each: ops.rotate(each, [at], *ROTATION), dim, dim)(x)
    assert torch.equal(made, rotated("llama", range(5), x, token_axis=-2))


def test_vmap_of_a_rotation_over_positions():
    at = torch.tensor([[0, 1, 2], [5, 7, 9], [4, 4, 4], [1, 2, 3]])
    whole = [rotated("llama", at[i].numpy(), torch.ones(2, 3, 16)) for i in range(4)]
    turn = lambda x, p: ops.rotate(x, [p], *ROTATION)  # noqa: E731
    assert torch.equal(torch.vmap(turn, (None, 0))(torch.ones(2, 3, 16), at), torch.stack(whole))
    x = x_of(4, 2, 3, 16)
    made = torch.vmap(turn)(x, at)
    assert torch.equal(made[1], rotated("llama", at[1].numpy(), x[1]))
    both = at[:, None].expand(4, 2, 3)  # positions [B, L] of each
    assert torch.equal(torch.vmap(turn)(x, both), made)
    over_x = torch.vmap(lambda each: ops.rotate(each, [at[:2]], *ROTATION))(x)
    assert torch.equal(over_x[3], ops.rotate(x[3], [at[:2]], *ROTATION))


def test_vmap_of_sums_and_of_encode():
    x, at = x_of(4, 2, 5, 16), torch.arange(5)
    add = lambda each, p: ops.add_signal(each, p, "transformer", "exact", None)  # noqa: E731
    whole = x + table("transformer", 16, range(5))
    assert torch.equal(torch.vmap(add, (0, None))(x, at), whole)
    assert torch.equal(torch.vmap(add, (1, None), 1)(x, at), whole)
    assert torch.equal(torch.vmap(add)(x, at.expand(4, 5)), whole)
    rows, ids = x_of(9, 16), torch.randint(9, (4, 2, 5))
    stage = ("transformer", "none", 0.0, None, None, "exact")
    made = torch.vmap(lambda each: ops.encode(rows, each, at, *stage))(ids)
    assert torch.equal(made, rows[ids] + table("transformer", 16, range(5)))


def test_per_sample_gradients():
    x, at = x_of(4, 3, 5, 16), torch.arange(5)
    turn = lambda q: modules.apply_rotary(q, q, at, convention="llama")[0]  # noqa: E731
    grads = torch.vmap(torch.func.grad(lambda q: turn(q).sum()))(x)
    assert torch.equal(grads[2], rotated("llama", range(5), torch.ones(3, 5, 16), inverse=True))
    assert torch.equal(torch.vmap(turn)(x), rotated("llama", range(5), x))


def test_vmap_of_tables():
    at = torch.tensor([[0, 1, 2], [5, 7, 9]])
    made = torch.vmap(lambda p: ops.table([p], "transformer", 16, torch.float32, "exact", None), 1)(at)
    assert torch.equal(made, table("transformer", 16, at.T.contiguous().numpy()))
    cos, _ = torch.vmap(lambda p: ops.cache([p], "llama", 16, "halves_twice", torch.float32, "exact", None))(at)
    assert torch.equal(
        cos, torch.from_numpy(posenc.rotary_cache("llama", 16, at.numpy(), stored="halves_twice")["cos"])
    )


# ---- other devices -----------------------------------------------------------------------------------------------


def test_meta_tensors_have_the_shape_and_type_of_results():
    with torch.device("meta"):
        at = torch.arange(5)
        x = torch.empty(2, 5, 16, dtype=torch.bfloat16)
        assert ops.rotate(x, [at], *ROTATION).shape == x.shape
        assert ops.table([at], "transformer", 16, torch.float16, "exact", None).dtype == torch.float16
        cos, sin = ops.cache([at], "gpt-neox", 16, "halves_twice", torch.float32, "exact", None)
        assert cos.shape == sin.shape == (5, 4) and cos.is_meta


@pytest.mark.parametrize("name", ["rotate", "rotate_", "add_signal", "encode", "encode_backward"])
def test_an_operator_without_a_kernel_names_the_device(name):
    elsewhere = torch._C.DispatchKeySet(torch._C.DispatchKey.CUDA)  # as of a tensor on a GPU, of which there is none
    x, at, ids = torch.ones(2, 16), torch.arange(2), torch.zeros(2, dtype=torch.int64)
    arguments = {
        "rotate": (x, [at], *ROTATION),
        "rotate_": (x, [at], *ROTATION),
        "add_signal": (x, at, "transformer", "exact", None),
        "encode": (x, ids, at, *STAGE),
        "encode_backward": (x, x, ids, *STAGE),
    }
    with pytest.raises(posenc.PosencError, match="there is no kernel elsewhere, got cpu"):
        getattr(ops, name).default.redispatch(elsewhere, *arguments[name])


def test_a_tensor_on_another_device_is_refused_by_its_name():
    elsewhere = torch.ones(5, 16, device="meta")
    with pytest.raises(posenc.PosencError, match=r"x must be on the CPU, got an array on meta"):
        posenc.rotate("llama", range(5), elsewhere)
    with pytest.raises(posenc.PosencError, match=r"q and k must be on one device, got cpu and meta"):
        modules.apply_rotary(torch.ones(5, 16), elsewhere, range(5), convention="llama")
    with pytest.raises(posenc.PosencError, match=r"q and k must be on one device, got meta and cpu"):
        modules.apply_rotary_(elsewhere, torch.ones(5, 16), range(5), convention="llama")
