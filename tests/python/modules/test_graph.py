# SPDX-License-Identifier: Apache-2.0
"""Rows, cosines and sines by operations of PyTorch's own: the bits of the recipe `phase` in a graph, nothing of the
host and no table on a device, programs that load without posenc. Devices are claimed (FakeTensorMode), not there."""

import subprocess
import sys

import posenc
import posenc.torch as modules
import pytest
import torch
from graph_shared import PLACES, Positions, same
from posenc.torch import _graph
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


# ---- bits ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["transformer", "whisper", "opennmt", "timesfm", "fairseq-sinusoidal", "stable-diffusion-timestep"]
)
def test_rows_have_the_bits_of_the_recipe(name):
    for dim in (8, 66, 320):
        made = _graph.rows(_graph.plan_of_rows(name, dim), [PLACES])
        assert same(made, posenc.table(name, dim, PLACES.numpy(), recipe="phase"))


@pytest.mark.parametrize("name", ["llama", "gpt-neox", "rope-yarn", "rope-llama3", "qwen2-vl"])
def test_cosines_and_sines_have_the_bits_of_the_recipe(name):
    known = _graph.plan_of_rotation(name, 128)
    at = [PLACES // (a + 1) for a in range(len(known.axes))]
    places = at[0].numpy() if len(at) == 1 else tuple(each.numpy() for each in at)
    cache = posenc.rotary_cache(name, 128, places, stored="halves_twice", recipe="phase")
    for made, wanted in zip(_graph.cosines_sines(name, 128, None, at), cache.values(), strict=True):
        assert same(made, torch.as_tensor(wanted)[:, : made.shape[1]])


def test_any_shape_of_positions():
    plan = _graph.plan_of_rows("transformer", 16)
    for shape in ((), (0,), (1,), (3, 5), (2, 1, 3)):
        at = torch.zeros(shape, dtype=torch.int32) + 7
        made = _graph.rows(plan, [at])
        assert made.shape == (*shape, 16)
        assert same(made.reshape(-1, 16), torch.as_tensor(posenc.table("transformer", 16, 7, recipe="phase")).expand(
            at.numel(), 16))  # fmt: skip


def test_the_sines_of_a_device_are_near():
    """phase-native, on the CPU."""
    for name, dim in (("transformer", 64), ("stable-diffusion-timestep", 320)):
        plan = _graph.plan_of_rows(name, dim)
        sine, cosine = _graph._natively(plan, [PLACES])
        exact = posenc.table(name, dim, PLACES.numpy(), dtype="float64")
        for column, (_, quarter, angle) in enumerate(plan.columns):
            off = (sine, cosine)[quarter][:, angle].double() - torch.from_numpy(exact)[:, column]
            assert off.abs().max() <= 2**-20


# ---- devices -------------------------------------------------------------------------------------------------------


class Watched(TorchDispatchMode):
    """Refuses a copy to another device, a number that is read, and any tensor longer than `most`."""

    def __init__(self, most):
        super().__init__()
        self.most, self.seen = most, 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        name = str(function)
        assert "_local_scalar_dense" not in name, name
        made = function(*args, **(kwargs or {}))
        given = [each for each in torch.utils._pytree.tree_leaves((args, kwargs)) if isinstance(each, torch.Tensor)]
        for each in torch.utils._pytree.tree_leaves(made):
            if not isinstance(each, torch.Tensor):
                continue
            self.seen += 1
            assert all(before.device == each.device for before in given), f"{name}: {each.device}"
            assert each.numel() <= self.most, f"{name}: {tuple(each.shape)}"
        return made


def on_a_device(call, most):
    """The first call copies the words of a convention there."""
    with FakeTensorMode():
        call(torch.device("cuda"))
        with Watched(most) as watched:
            call(torch.device("cuda"))
    assert watched.seen > 0


def of_positions(device, *shape):
    return torch.empty(shape, dtype=torch.int64, device=device)


def rotary(name, head, axes=0):
    module = modules.RotaryEmbedding(name, head)
    shape = (axes, 2, 5) if axes else (2, 5)
    return lambda device: module(torch.empty(2, 5, 8, device=device), of_positions(device, *shape))


def added():
    module = modules.PositionalEncoding(64, convention="transformer", batch_first=True, scale="sqrt_dim").eval()
    return lambda device: module(torch.empty(2, 5, 64, device=device))


def rows():
    module = modules.SinusoidalEmbedding(64, convention="whisper")
    return lambda device: module(of_positions(device, 5))


def turned(device):
    q = torch.empty(1, 4, 5, 64, device=device)
    return modules.apply_rotary(q, q, of_positions(device, 1, 5), convention="llama")


DEVICE_CALLS = {
    "cosines and sines": lambda: rotary("llama", 64),
    "of several axes": lambda: rotary("qwen2-vl", 128, 3),
    "of two lists": lambda: rotary("rope-longrope", 96),
    "a rotation": lambda: turned,
    "rows": rows,
    "added": added,
}


@pytest.mark.parametrize("name", DEVICE_CALLS)
def test_on_a_device_nothing_is_read_copied_or_kept(name):
    on_a_device(DEVICE_CALLS[name](), most=4 * 2 * 5 * 128)


# ---- programs ------------------------------------------------------------------------------------------------------


def exported(length):
    x = torch.randn(2, length, 32)
    tokens = torch.export.Dim("tokens", min=2, max=1 << 20)
    return x, torch.export.export(Positions().eval(), (x,), dynamic_shapes=({1: tokens},))


@pytest.mark.compile
def test_a_program_loads_without_posenc(tmp_path):
    _, program = exported(7)
    assert "posenc" not in str(program.graph)
    x = torch.randn(2, 11, 32)
    torch.export.save(program, tmp_path / "positions.pt2")
    torch.save((x, Positions().eval()(x)), tmp_path / "x.pt")
    run = (
        "import sys, torch\n"
        "x, wanted = torch.load(sys.argv[2])\n"
        "made = torch.export.load(sys.argv[1]).module()(x)\n"
        "assert 'posenc' not in sys.modules\n"
        "print(float((made - wanted).abs().max()))\n"
    )
    told = subprocess.run(
        [sys.executable, "-c", run, tmp_path / "positions.pt2", tmp_path / "x.pt"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert told.returncode == 0, told.stderr
    assert float(told.stdout) <= 2**-19  # exact entries there, those of the recipe here


@pytest.mark.compile
def test_compiled_graphs_have_the_bits():
    plan = _graph.plan_of_rows("transformer", 66)
    compiled = torch.compile(lambda at: _graph._by_words(plan, [at]), fullgraph=True)
    for wanted, made in zip(_graph._by_words(plan, [PLACES]), compiled(PLACES), strict=True):
        assert same(made, wanted)
