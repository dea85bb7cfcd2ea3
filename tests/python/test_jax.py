# SPDX-License-Identifier: Apache-2.0
"""posenc.jax: the bits of NumPy's calls under jit, grad and vmap; gradients that are adjoints; what is refused."""

import doctest
import subprocess
import sys

import equal_axes
import jax
import jax.numpy as jnp
import numpy as np
import posenc
import posenc.jax as calls
import pytest
from conftest import ROOT, bits

pytestmark = pytest.mark.jax
DTYPES = ["float32", "float16", "bfloat16"]
IDS = np.array([[3, 1, 4, 1, 5], [8, 2, 6, 5, 3]], np.int32)
STAGE = {"scale": "sqrt_dim", "padding_id": 1}


def normal(*shape, dtype="float32", seed=0):
    return jax.random.normal(jax.random.key(seed), shape, jnp.float32).astype(dtype)


def same(made, wanted):
    assert made.shape == wanted.shape and np.asarray(made).dtype == wanted.dtype
    assert bits(np.asarray(made)) == bits(wanted)


# ---- tables ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_tables_have_the_bits_of_numpys_under_jit_and_without(dtype):
    at = jnp.array([0, 7, -3, 2**31 - 1], jnp.int32)
    wanted = posenc.table("whisper", 64, np.asarray(at), dtype=dtype)
    call = lambda at: calls.table("whisper", 64, at, dtype=dtype)  # noqa: E731
    same(call(at), wanted)
    same(jax.jit(call)(at), wanted)
    same(call(range(5)), posenc.table("whisper", 64, range(5), dtype=dtype))
    same(call(7), posenc.table("whisper", 64, 7, dtype=dtype))
    same(jax.jit(call)(at.reshape(2, 2)), wanted.reshape(2, 2, 64))


def test_recipes_fractions_and_axes():
    halves = jnp.array([0.5, 1.25])
    same(calls.table("ddpm", 8, halves), posenc.table("ddpm", 8, np.asarray(halves)))
    same(
        calls.table("pytorch", 8, range(9), recipe="original"), posenc.table("pytorch", 8, range(9), recipe="original")
    )
    cells = jnp.arange(3), jnp.array([2, 2, 9])
    wanted = posenc.coordinates("mae-2d", 8, [np.asarray(each) for each in cells])
    same(jax.jit(lambda x, y: calls.table("mae-2d", 8, (x, y)))(*cells), wanted)


def test_vmap_of_tables():
    at = jnp.arange(24).reshape(2, 3, 4)
    call = lambda at: calls.table("transformer", 16, at)  # noqa: E731
    wanted = posenc.table("transformer", 16, range(24)).reshape(2, 3, 4, 16)
    same(jax.vmap(jax.vmap(call))(at), wanted)
    same(jax.jit(jax.vmap(call))(at), wanted)


def test_a_sum_with_a_table_has_the_gradient_of_the_sum():
    x = normal(5, 16)
    value = jax.grad(lambda x: (x + calls.table("transformer", 16, jnp.arange(5))).sum())
    same(jax.jit(value)(x), np.ones((5, 16), np.float32))


# ---- rotations ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_rotations_have_the_bits_of_numpys(dtype):
    x, at = normal(2, 3, 5, 16, dtype=dtype), jnp.array([[0, 1, 2, 3, 4], [9, 8, 7, 1000, 5]])
    call = lambda x, at: calls.rotate("llama", at, x)  # noqa: E731
    for positions in (at, at[1]):
        wanted = posenc.rotate("llama", np.asarray(positions), np.asarray(x))
        same(call(x, positions), wanted)
        same(jax.jit(call)(x, positions), wanted)
    square = x[:, :2, :2]  # as many sequences as heads and tokens
    same(call(square, at[:, :2]), posenc.rotate("llama", np.asarray(at[:, :2]), np.asarray(square)))
    heads_last = jnp.swapaxes(x, 1, 2)
    turned = jax.jit(lambda x: calls.rotate("llama", at, x, token_axis=-3))(heads_last)
    same(jnp.swapaxes(turned, 1, 2), posenc.rotate("llama", np.asarray(at), np.asarray(x)))


def test_arrays_of_numpy_are_taken_as_jax_takes_them():
    x = np.random.default_rng(1).standard_normal((5, 16))
    same(calls.rotate("llama", np.arange(5), x), posenc.rotate("llama", range(5), x.astype(np.float32)))
    rows = calls.encode(x, np.arange(5), np.arange(7, 12), convention="transformer", scale="none")
    stage = posenc.InputStage(x.astype(np.float32), "transformer", scale="none")
    same(rows, stage.encode(np.arange(5), range(7, 12)))


def test_vmap_of_rotations():
    x, at = normal(4, 3, 2, 5, 16), jnp.arange(20).reshape(4, 5) * 7
    call = lambda x, at: calls.rotate("llama", at, x)  # noqa: E731
    wanted = posenc.rotate("llama", np.asarray(at), np.asarray(x))
    same(jax.vmap(call)(x, at), wanted)
    same(jax.jit(jax.vmap(call))(x, at), wanted)
    same(jax.vmap(call, (0, None))(x, at[1]), posenc.rotate("llama", np.asarray(at[1]), np.asarray(x)))
    one = [posenc.rotate("llama", np.asarray(each), np.asarray(x[0])) for each in at]
    same(jax.vmap(call, (None, 0))(x[0], at), np.stack(one))
    lists = jnp.arange(60).reshape(4, 3, 5)  # a list for each sequence of each mapped call
    each = [posenc.rotate("llama", np.asarray(a), np.asarray(b)) for a, b in zip(lists, x, strict=True)]
    same(jax.vmap(call)(x, lists), np.stack(each))
    inner = jax.vmap(call, (0, 0))  # heads each at places of their own
    same(jax.vmap(inner)(x, lists), np.stack(each))


def test_several_axes_and_parts_of_a_head():
    x, at = normal(2, 5, 128), [jnp.arange(5), jnp.arange(5) * 2, jnp.array([[3] * 5, [4] * 5])]
    name = "qwen2-vl"
    assert len(posenc.Convention(name).axes) == 3
    wanted = posenc.rotate(name, [np.broadcast_to(np.asarray(each), (2, 5)) for each in at], np.asarray(x))
    same(jax.jit(lambda x, *at: calls.rotate(name, at, x))(x, *at), wanted)
    part = calls.rotate("llama", range(5), x, rotated=16)
    same(part, posenc.rotate("llama", range(5), np.asarray(x), rotated=16))


def test_the_gradient_of_a_rotation_is_the_inverse_rotation():
    x, weight, at = normal(2, 5, 16), normal(2, 5, 16, seed=1), jnp.array([[0, 1, 2, 3, 4], [9, 8, 7, 6, 5]])
    loss = lambda x, at: (calls.rotate("llama", at, x) * weight).sum()  # noqa: E731
    wanted = posenc.rotate("llama", np.asarray(at), np.asarray(weight), inverse=True)
    same(jax.grad(loss)(x, at), wanted)
    same(jax.jit(jax.grad(loss))(x, at), wanted)
    each = jax.vmap(jax.grad(lambda x, w, at: (calls.rotate("llama", at, x) * w).sum()))
    same(each(x, weight, at), wanted)
    narrow = jax.grad(lambda x: calls.rotate("llama", at, x).astype(jnp.float32).sum())(x.astype(jnp.bfloat16))
    assert narrow.dtype == jnp.bfloat16


# ---- the input stage -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_stage_and_its_gradient_have_the_bits_of_numpys(dtype):
    rows, grad = normal(9, 16, dtype=dtype), normal(2, 5, 16, dtype=dtype, seed=1)
    stage = posenc.InputStage(np.asarray(rows), "transformer", **STAGE)
    call = lambda rows, ids: calls.encode(rows, ids, range(5), convention="transformer", **STAGE)  # noqa: E731
    same(call(rows, IDS), stage.encode(IDS, range(5)))
    same(jax.jit(call)(rows, IDS), stage.encode(IDS, range(5)))
    backward = jax.jit(lambda rows, ids: jax.vjp(lambda rows: call(rows, ids), rows)[1](grad)[0])
    same(backward(rows, IDS), stage.backward(IDS, np.asarray(grad)))


def test_dropout_is_a_function_of_the_key():
    rows = normal(9, 64)
    call = lambda rows, key: calls.encode(  # noqa: E731
        rows, IDS, range(5), convention="transformer", scale="none", dropout=0.25, key=key
    )
    first = jax.jit(call)(rows, jax.random.key(1))
    same(call(rows, jax.random.key(1)), np.asarray(first))
    assert (np.asarray(call(rows, jax.random.key(2))) != np.asarray(first)).any()
    plain = np.asarray(call(rows, None))
    kept = np.asarray(first) != 0
    assert 0.65 < kept.mean() < 0.85 and np.array_equal(np.asarray(first)[kept], (plain * np.float32(4 / 3))[kept])
    weight = normal(2, 5, 64, seed=3)
    mask = np.where(kept, np.float32(4 / 3), np.float32(0))
    stage = posenc.InputStage(np.asarray(rows), "transformer", scale="none")
    gradient = jax.grad(lambda rows: (call(rows, jax.random.key(1)) * weight).sum())(rows)
    same(gradient, stage.backward(IDS, np.asarray(weight) * mask))


def test_vmap_of_the_stage_is_its_calls():
    rows, ids = normal(9, 16), jnp.asarray(np.stack([IDS, IDS[::-1]]))
    call = lambda ids, key: calls.encode(  # noqa: E731
        rows, ids, range(5), convention="transformer", scale="none", dropout=0.5, key=key
    )
    keys = jax.random.split(jax.random.key(0))
    each = np.stack([np.asarray(call(ids[i], keys[i])) for i in range(2)])
    same(jax.jit(jax.vmap(call))(ids, keys), each)


# ---- what is refused -------------------------------------------------------------------------------------------------


def test_what_is_refused():
    x = normal(2, 5, 16)
    for match, call in {
        "unless jax_enable_x64 is set, got 4294967296": lambda: calls.table("transformer", 8, [2**32]),
        "at most 32 bits, unless jax_enable_x64 is set, got float64": lambda: calls.table(
            "transformer", 8, 0, dtype="float64"
        ),
        "width must be even, got 7": lambda: jax.jit(lambda at: calls.table("whisper", 7, at))(jnp.arange(3)),
        "a sequence of 2, one for each axis": lambda: calls.table("mae-2d", 8, 0),
        r"\[B, .., L, d\] for positions \[4\], got \(2, 5, 16\)": lambda: calls.rotate("llama", range(4), x),
        "a sequence for each of 3 lists": lambda: calls.rotate("llama", jnp.zeros((3, 5), jnp.int32), x),
        r"for positions \[5\]; tokens of \[.., L, H, d\] are stated by token_axis=-3, got": lambda: calls.rotate(
            "llama", range(5), jnp.swapaxes(x[None], 1, 2)
        ),
        "token_axis must be -2 or -3, got 1": lambda: calls.rotate("llama", range(5), x, token_axis=1),
        "convention must be": lambda: calls.rotate("whisper", range(5), x),
        r"ids must be \[L\] or \[B, L\]": lambda: calls.encode(
            normal(9, 16), IDS[None], 0, convention="transformer", scale="none"
        ),
        "positions must be": lambda: calls.rotate("llama", jnp.zeros(5, jnp.int8), x),
        "ids must be": lambda: calls.encode(normal(9, 16), x[0, 0], range(16), convention="transformer", scale="none"),
        r"positions must be \[L\] or \[B, L\] for ids \(2, 5\), got \(4,\)": lambda: calls.encode(
            normal(9, 16), IDS, range(4), convention="transformer", scale="none"
        ),
        "a gradient by positions": lambda: jax.grad(lambda at: calls.rotate("llama", at, x).sum())(jnp.arange(5.0)),
    }.items():
        with pytest.raises((posenc.PosencError, TypeError), match=match):
            call()
    with pytest.raises(ValueError, match="callbacks do not support JVP"):
        jax.grad(lambda at: calls.table("ddpm", 8, at).sum())(jnp.arange(5.0))
    with pytest.raises(Exception, match=r"ids must be in \[0, 9\)"):  # told late: ids are data
        jax.block_until_ready(calls.encode(normal(9, 16), IDS + 5, range(5), convention="transformer", scale="none"))


def test_doubles_and_far_positions_where_x64_is_set():
    with jax.enable_x64(True):
        at = jnp.array([2**53, 7])
        wanted = posenc.table("transformer", 8, np.asarray(at), dtype="float64")
        same(calls.table("transformer", 8, at, dtype="float64"), wanted)


# ---- the package -----------------------------------------------------------------------------------------------------


# ---- the recipe phase ----------------------------------------------------------------------------------------------

FAR = np.array([0, 1, -1, 4095, 131071, -1048575, 2**31 - 1], np.int32)  # JAX starts no thread before a test


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("name", "dim"), [("transformer", 34), ("whisper", 64), ("stable-diffusion-timestep", 320)])
def test_tables_of_the_phase_have_its_bits(name, dim, dtype):
    wanted = posenc.table(name, dim, np.asarray(FAR), dtype=dtype, recipe="phase")
    call = lambda at: calls.table(name, dim, at, dtype=dtype, recipe="phase")  # noqa: E731
    same(call(FAR), wanted)
    same(jax.jit(call)(FAR), wanted)


def test_cells_of_the_phase_have_its_bits():
    cells = jnp.arange(3), jnp.array([2, 2, 9])
    wanted = posenc.coordinates("mae-2d", 8, [np.asarray(each) for each in cells], recipe="phase")
    same(jax.jit(lambda x, y: calls.table("mae-2d", 8, (x, y), recipe="phase"))(*cells), wanted)


@pytest.mark.parametrize("name", ["llama", "gpt-j", "rope-yarn", "qwen2-vl"])
def test_rotations_of_the_phase_are_those_of_its_cosines(name):
    """XLA may contract a product and a sum: one rounding less."""
    at = [FAR // (a + 1) for a in range(len(posenc.preset(name).convention.axes))]
    places = [np.asarray(each) for each in at]
    x = normal(2, 4, len(FAR), 128)
    wanted = posenc.rotate(name, places if len(at) > 1 else places[0], np.asarray(x), recipe="phase")
    call = jax.jit(lambda x: calls.rotate(name, at if len(at) > 1 else at[0], x, recipe="phase"))
    np.testing.assert_allclose(call(x), wanted, rtol=0, atol=2**-21)
    back = jax.jit(lambda x: calls.rotate(name, at if len(at) > 1 else at[0], x, recipe="phase", inverse=True))
    np.testing.assert_allclose(back(call(x)), x * (posenc.rotary_cache(
        name, 128, [0] * len(at) if len(at) > 1 else [0], stored="halves_twice")["cos"].max() ** 2
    ), rtol=0, atol=2**-19)  # fmt: skip


def test_the_phase_is_transformed_as_any_function_and_calls_nothing_back():
    turn = lambda x, at: calls.rotate("llama", at, x, recipe="phase")  # noqa: E731
    x, at = normal(3, 5, 16), jnp.arange(5)
    assert "callback" not in str(jax.make_jaxpr(turn)(x, at))
    made, tangent = jax.jvp(lambda x: turn(x, at), (x,), (x,))
    np.testing.assert_allclose(made, tangent, rtol=1e-6, atol=1e-6)  # a rotation is linear
    np.testing.assert_allclose(jax.vmap(turn, (0, None))(x, at), turn(x, at), rtol=0, atol=2**-21)
    _, steps = jax.lax.scan(lambda p, row: (p + 1, turn(row[None], p[None])[0]), jnp.int32(0), x[0])
    np.testing.assert_allclose(steps, turn(x[0], at), rtol=0, atol=2**-21)


def test_the_phase_is_exported():
    from jax import export

    tokens = export.symbolic_shape("tokens")
    program = export.export(jax.jit(lambda at: calls.table("transformer", 34, at, recipe="phase")))(
        jax.ShapeDtypeStruct(tokens, jnp.int32)
    )
    again = export.deserialize(program.serialize())
    same(again.call(FAR), posenc.table("transformer", 34, np.asarray(FAR), recipe="phase"))


def test_the_phase_refuses_fractions():
    with pytest.raises(
        posenc.PosencError, match="whole numbers of at most 32 bits under the recipe phase, got float32"
    ):
        calls.table("transformer", 8, jnp.array([0.5]), recipe="phase")
    with pytest.raises(posenc.PosencError, match="must have 64 columns or more"):
        calls.rotate("llama", [0, 1], jnp.ones((2, 8)), rotated=64, recipe="phase")


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint16", "uint32"])
def test_the_phase_takes_every_type_of_whole_numbers(dtype):
    of = np.iinfo(dtype)
    at = np.array([of.min, of.min + 1, 0, 1, of.max], dtype)
    wanted = posenc.table("transformer", 16, at.astype(np.int64), recipe="phase")
    near = np.abs(at.astype(np.int64)) < 2**31
    same(calls.table("transformer", 16, jnp.asarray(at), recipe="phase")[near], wanted[near])
    for empty in (np.zeros(0, dtype), np.zeros((2, 0), dtype)):
        assert calls.table("transformer", 16, jnp.asarray(empty), recipe="phase").shape == (*empty.shape, 16)


@pytest.mark.parametrize(("name", "dim"), [("fairseq-sinusoidal", 1), ("nerf", 39), ("perceiver-fourier", 9)])
def test_columns_without_a_wave_have_the_bits_of_the_phase(name, dim):
    axes = len(posenc.preset(name).convention.axes)
    width = next(d for d in range(dim, 200) if takes(name, d))
    at = [np.arange(3) + a for a in range(axes)]
    made = calls.table(name, width, at[0] if axes == 1 else at, recipe="phase")
    call = posenc.table if axes == 1 else posenc.coordinates
    same(made, call(name, width, at[0] if axes == 1 else at, recipe="phase"))


def takes(name, dim):
    axes = len(posenc.preset(name).convention.axes)
    try:
        posenc.table(name, dim, [0]) if axes == 1 else posenc.coordinates(name, dim, [[0]] * axes)
    except posenc.PosencError:
        return False
    return True


def test_examples():
    assert doctest.testmod(calls).failed == 0
    again = list(equal_axes.doctests(doctest.DocTestFinder().find(calls)))
    assert again and all(doctest.DocTestRunner().run(test).failed == 0 for test in again)


@pytest.mark.timeout(110)
def test_it_passes_mypy_strict(tmp_path):
    run = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path)]
    done = subprocess.run([*run, "-p", "posenc.jax"], capture_output=True, text=True, cwd=ROOT / "bindings/python")
    assert done.returncode == 0, done.stdout + done.stderr


def test_posenc_itself_imports_no_jax():
    code = "import posenc, sys; assert 'jax' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.parametrize(
    "work",
    [
        lambda: calls.table("transformer", 16, range(2**45)),
        lambda: calls.table("transformer", 2**30, range(2**20)),
        lambda: calls.rotate("llama", range(2**45), jnp.zeros((4, 16))),
        lambda: calls.encode(
            jnp.zeros((4, 16)), jnp.zeros(4, int), range(2**45), convention="transformer", scale="none"
        ),
    ],
    ids=["rows", "columns", "positions of a rotation", "positions of ids"],
)
def test_what_memory_does_not_hold_is_told(work):
    with pytest.raises(posenc.PosencError, match="must fit into memory"):
        work()
