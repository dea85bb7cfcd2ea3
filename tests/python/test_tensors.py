# SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch and arrays of JAX go in and out of the same functions, without a copy."""

import numpy as np
import posenc
import pytest
from conftest import bits

pytestmark = pytest.mark.torch
try:
    import torch
except ImportError:
    torch = None


def as_bits(tensor):
    return tensor.contiguous().view(torch.uint8).numpy().tobytes()


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16"])
def test_a_tensor_is_written_in_place(name):
    out = torch.zeros(5, 3, 8, dtype=getattr(torch, name))[:, 1]
    assert posenc.table("transformer", 8, range(5), out=out) is out
    assert as_bits(out) == bits(posenc.table("transformer", 8, range(5), dtype=name))
    assert bits(posenc.table("transformer", 8, range(5), dtype=out.dtype)) == as_bits(out)


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16"])
def test_a_rotation_gives_tensors_for_tensors(name):
    x = torch.arange(2 * 4 * 5 * 8).reshape(2, 4, 5, 8).to(getattr(torch, name)) / 320
    made = posenc.rotate("llama", range(5), x)
    assert isinstance(made, torch.Tensor) and made.dtype == x.dtype
    wide = posenc.rotate("llama", range(5), (x if name == "float64" else x.float()).numpy())
    assert as_bits(made) == as_bits(torch.from_numpy(wide).to(x.dtype))
    again = x.transpose(1, 2).contiguous().transpose(1, 2)
    assert posenc.rotate("llama", range(5), again, out=again) is again
    assert as_bits(again) == as_bits(made)


def test_a_subclass_of_a_tensor_gives_tensors():
    class Mine(torch.Tensor):
        pass

    x = torch.ones(5, 8)
    made = posenc.rotate("llama", range(5), x.as_subclass(Mine))
    assert isinstance(made, torch.Tensor) and as_bits(made) == as_bits(posenc.rotate("llama", range(5), x))
    negated = torch.complex(x, x).conj().imag.as_subclass(Mine)
    with pytest.raises(posenc.PosencError, match="no pending"):
        posenc.rotate("llama", range(5), negated)


def test_positions_ids_and_masks_may_be_tensors():
    positions = torch.arange(5)
    assert bits(posenc.table("transformer", 8, positions)) == bits(posenc.table("transformer", 8, range(5)))
    rows = torch.ones(10, 8)
    stage = posenc.InputStage(rows, "transformer", scale="none")
    assert bits(stage.encode(torch.tensor([[1, 2]]), range(2))) == bits(stage.encode([[1, 2]], range(2)))
    mask = torch.tensor([[True, False, True]])
    assert posenc.positions_of_mask(mask, first=0, absent=-1).tolist() == [[0, -1, 1]]


def test_an_output_that_records_a_gradient_is_refused_and_stays():
    out = torch.zeros(2, 8, requires_grad=True)
    with pytest.raises(posenc.PosencError, match="record no gradient"):
        posenc.table("transformer", 8, range(2), out=out)
    with pytest.raises(posenc.PosencError, match="record no gradient"):
        posenc.rotate("llama", range(2), out, out=out)
    assert not out.detach().any()
    posenc.table("transformer", 8, range(2), out=out.detach())
    assert as_bits(out.detach()) == bits(posenc.table("transformer", 8, range(2)))


def test_a_tensor_that_is_yet_to_be_negated_is_refused():
    x = torch.complex(torch.ones(2, 8), torch.ones(2, 8)).conj().imag  # its memory holds 1, it reads as -1
    assert x.is_neg() and x[0, 0] == -1
    calls = {
        "x": lambda: posenc.rotate("llama", range(2), x),
        "out": lambda: posenc.table("transformer", 8, range(2), out=x),
        "rows": lambda: posenc.InputStage(x, "transformer", scale="none"),
        "positions": lambda: posenc.table("transformer", 8, x[0]),
    }
    for name, call in calls.items():
        with pytest.raises(posenc.PosencError, match=rf"{name} must have no pending .*resolve_neg\(\)"):
            call()
    resolved = posenc.rotate("llama", range(2), x.resolve_neg())
    assert as_bits(resolved) == as_bits(posenc.rotate("llama", range(2), torch.full((2, 8), -1.0)))
    with pytest.raises((TypeError, posenc.PosencError), match=r"\[rotate\] x must"):
        posenc.rotate("llama", range(2), torch.ones(2, 8, dtype=torch.complex64).conj())


def test_an_input_that_records_a_gradient_is_refused():
    x, into = torch.ones(2, 8, requires_grad=True), torch.zeros(2, 8)
    rows = posenc.Rows("transformer", 8)
    for call in (
        lambda: posenc.rotate("llama", range(2), x),
        lambda: posenc.rotate("llama", range(2), [into, x], out=[into, into]),
        lambda: posenc.rotate("llama", range(2), x, out=into),
        lambda: posenc.rerotate("llama", x, 0, 1),
        lambda: posenc.dropout(x, 0.5, seed=1),
        lambda: rows.add(range(2), x),
    ):
        with pytest.raises(posenc.PosencError, match=r"must record no gradient: posenc\.torch has its gradient"):
            call()
    assert not into.any()
    with torch.no_grad():
        assert not posenc.rotate("llama", range(2), x).requires_grad
    assert as_bits(posenc.rotate("llama", range(2), x.detach())) == as_bits(
        posenc.rotate("llama", range(2), torch.ones(2, 8))
    )


def test_tensors_of_other_devices_and_layouts_are_named():
    plain, refusal = torch.zeros(2, 8), posenc.PosencError
    for x, error in ((plain.to("meta"), refusal), (plain.to_sparse(), refusal), (plain.char(), TypeError)):
        with pytest.raises(error, match=r"\[rotate\] x must be"):
            posenc.rotate("llama", range(2), x)
        with pytest.raises(error, match=r"\[table\] out must be"):
            posenc.table("transformer", 8, range(2), out=x)


def test_arrays_of_jax_go_in_and_are_never_written():
    import jax.numpy as jnp

    x = jnp.ones((5, 8), jnp.float32)
    made = posenc.rotate("llama", jnp.arange(5), x)
    assert isinstance(made, np.ndarray) and bits(made) == bits(
        posenc.rotate("llama", range(5), np.ones((5, 8), np.float32))
    )
    with pytest.raises(posenc.PosencError, match="out must be writable"):
        posenc.table("transformer", 8, range(5), out=x)
    assert (np.asarray(x) == 1).all()
    half = jnp.ones((5, 8), jnp.bfloat16)
    assert posenc.rotate("llama", range(5), half).dtype == half.dtype
    assert bits(jnp.asarray(posenc.table("transformer", 8, range(5)))) == bits(posenc.table("transformer", 8, range(5)))
