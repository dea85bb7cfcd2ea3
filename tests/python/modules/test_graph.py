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
from posenc.torch import _graph, _rows
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning")]


# ---- bits ----------------------------------------------------------------------------------------------------------


def of_rows(name, dim, at, recipe="phase"):
    return _graph.rows(_graph.Of(name, dim, False), at, recipe)


@pytest.mark.parametrize(
    ("name", "dims"),
    [
        ("transformer", (8, 66, 320)),
        ("whisper", (8, 66)),
        ("opennmt", (8, 66)),
        ("fairseq-sinusoidal", (1, 7)),
        ("stable-diffusion-timestep", (1, 320)),
        ("t2t-nd", (3, 64)),
        ("nerf", (63,)),
    ],
)
def test_rows_have_the_bits_of_the_recipe(name, dims):
    axes = len(posenc.preset(name).convention.axes)
    at = [PLACES // (a + 1) for a in range(axes)]
    for dim in dims:
        places = [each.numpy() for each in at]
        call = posenc.table if axes == 1 else posenc.coordinates
        assert same(of_rows(name, dim, at), call(name, dim, places[0] if axes == 1 else places, recipe="phase"))


@pytest.mark.parametrize("name", ["llama", "gpt-neox", "rope-yarn", "rope-llama3", "qwen2-vl"])
def test_cosines_and_sines_have_the_bits_of_the_recipe(name):
    axes = len(posenc.preset(name).convention.axes)
    at = [PLACES // (a + 1) for a in range(axes)]
    places = at[0].numpy() if len(at) == 1 else tuple(each.numpy() for each in at)
    cache = posenc.rotary_cache(name, 128, places, stored="halves_twice", recipe="phase")
    for made, wanted in zip(_graph.cosines_sines(name, 128, None, at, "phase"), cache.values(), strict=True):
        assert same(made, torch.as_tensor(wanted)[:, : made.shape[1]])


def test_any_shape_of_positions():
    row = torch.as_tensor(posenc.table("transformer", 16, 7, recipe="phase"))
    for shape in ((), (0,), (1,), (3, 5), (2, 1, 3)):
        at = torch.zeros(shape, dtype=torch.int32) + 7
        made = of_rows("transformer", 16, [at])
        assert made.shape == (*shape, 16)
        assert same(made.reshape(-1, 16), row.expand(at.numel(), 16))
    batch = _graph.cosines_sines(
        "qwen2-vl", 128, None, [torch.ones(2, 5).long(), torch.ones(5).long(), PLACES[:5]], "phase"
    )
    assert batch[0].shape == (2, 5, 64)


def test_of_two_lists_the_one_of_the_length():
    """LongRoPE: of a length that is stated, of the greatest position, of none."""
    for last in (4095, 4096):
        at = torch.arange(last - 3, last + 1)
        cache = posenc.rotary_cache(
            "rope-longrope", 96, at.numpy(), length=last + 1, stored="halves_twice", recipe="phase"
        )
        for length in (last + 1, -1):
            made = _graph.cosines_sines("rope-longrope", 96, length, [at], "phase")
            assert same(made[0], torch.as_tensor(cache["cos"])[:, :48])
    assert _graph.cosines_sines("rope-longrope", 96, -1, [at[:0]], "phase")[0].shape == (0, 48)


def test_the_sines_of_a_device_are_near():
    """phase-native, on the CPU: odd, and relatively near where they are small."""
    for name, dim in (("transformer", 512), ("stable-diffusion-timestep", 320)):
        made = of_rows(name, dim, [PLACES], "exact").double()
        exact = torch.from_numpy(posenc.table(name, dim, PLACES.numpy(), dtype="float64"))
        assert (made - exact).abs().max() <= 2**-20
        assert torch.equal(made[1], -made[2]) or torch.equal(made[1][0::2], -made[2][0::2]) or name != "transformer"
    small = of_rows("transformer", 512, [PLACES], "exact").double()[1, -2]
    assert abs(small / exact_entry("transformer", 512, 1, 510) - 1) <= 2**-22


def exact_entry(name, dim, position, column):
    return float(posenc.table(name, dim, position, dtype="float64").reshape(-1)[column])


def test_a_default_type_of_half_precision_changes_nothing():
    wanted = of_rows("transformer", 16, [PLACES])
    torch.set_default_dtype(torch.float16)
    try:
        assert same(of_rows("transformer", 16, [PLACES]), wanted)
    finally:
        torch.set_default_dtype(torch.float32)


# ---- devices -------------------------------------------------------------------------------------------------------


def of_module(module, *given):
    return lambda: (module, given)


IDS = torch.arange(5)[None]
MODULES = {
    "cosines and sines": of_module(modules.RotaryEmbedding("llama", 64), torch.randn(1, 5, 8), IDS),
    "of several axes": of_module(modules.RotaryEmbedding("qwen2-vl", 128), torch.randn(1, 5, 8), IDS.expand(3, 1, 5)),
    "of two lists": of_module(modules.RotaryEmbedding("rope-longrope", 96), torch.randn(1, 5, 8), IDS),
    "rows": of_module(modules.SinusoidalEmbedding(64, convention="whisper"), IDS[0]),
    "added": of_module(
        modules.PositionalEncoding(64, convention="transformer", batch_first=True, scale="none").eval(),
        torch.randn(1, 5, 64),
    ),
    "a rotation": of_module(
        lambda q, at: modules.apply_rotary(q, q, at, convention="llama"), torch.randn(1, 2, 5, 64), IDS[0]
    ),
}


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
    compiled = torch.compile(lambda at: of_rows("transformer", 66, [at]), fullgraph=True)
    assert same(compiled(PLACES), of_rows("transformer", 66, [PLACES]))


@pytest.mark.compile
@pytest.mark.parametrize("name", MODULES)
def test_each_compiles_as_one_graph_on_a_device(name, monkeypatch):
    """The way of other devices, on the CPU."""
    for module in (_graph, _rows):
        monkeypatch.setattr(module, "is_asked", lambda device: True)
    call, given = MODULES[name]()
    wanted = call(*given)
    torch._dynamo.reset()
    made = torch.compile(call, fullgraph=True, backend="eager")(*given)
    for a, b in zip(
        made if isinstance(made, tuple) else (made,), wanted if isinstance(wanted, tuple) else (wanted,), strict=True
    ):
        torch.testing.assert_close(a, b, rtol=0, atol=2**-19)


@pytest.mark.compile
@pytest.mark.parametrize("name", MODULES)
@pytest.mark.parametrize("strict", [True, False])
def test_each_is_exported_without_operators_of_posenc(name, strict):
    call, given = MODULES[name]()

    class Call(torch.nn.Module):
        def forward(self, *given):
            return call(*given)

    program = torch.export.export(Call(), given, strict=strict)
    assert "posenc" not in str(program.graph)


@pytest.mark.compile
@pytest.mark.parametrize("name", ["vjepa2", "chatglm-2d", "xpos-lucid"])
def test_what_has_no_products_is_exported_by_operators(name):
    axes = len(posenc.preset(name).convention.axes)
    head = 60 if name == "vjepa2" else 64

    class Call(torch.nn.Module):
        def forward(self, q, *at):
            return modules.apply_rotary(q, q, at[0] if axes == 1 else at, convention=name, centre=0.0)

    given = (torch.randn(1, 2, 5, head), *(torch.arange(5) for _ in range(axes)))
    made = torch.export.export(Call(), given).module()(*given)
    for a, b in zip(made, Call()(*given), strict=True):
        assert same(a, b)
