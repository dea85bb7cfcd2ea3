# SPDX-License-Identifier: Apache-2.0
"""Positions are read alike wherever they are taken: in inference, in training and in graphs."""

import numpy as np
import posenc
import posenc.torch as modules
import pytest
import torch

pytestmark = [pytest.mark.torch, pytest.mark.filterwarnings("ignore::DeprecationWarning")]
AT = [3, 0, 2, 9, 1]


class Exported:
    """An array of another package: DLPack alone."""

    def __init__(self, values):
        self._own = torch.tensor(values)

    def __dlpack__(self, **options):
        return self._own.__dlpack__(**options)

    def __dlpack_device__(self):
        return self._own.__dlpack_device__()


KINDS = {
    "list": AT,
    "tuple": tuple(AT),
    "list of NumPy's integers": [np.int64(each) for each in AT],
    "list of tensors": [torch.tensor(each) for each in AT],
    "int64": np.array(AT),
    "int32": np.array(AT, np.int32),
    "float32": np.array(AT, np.float32),
    "with strides": np.array(AT[::-1])[::-1],
    "floats": [float(each) for each in AT],
    "tensor": torch.tensor(AT),
    "tensor of int32": torch.tensor(AT, dtype=torch.int32),
    "tensor of float64": torch.tensor(AT, dtype=torch.float64),
    "batch of lists": [AT, AT],
    "batch": np.array([AT, AT]),
    "batch of ranges": [range(5), range(5)],
    "range": range(5),
    "range backwards": range(4, -1, -1),
    "DLPack": Exported(AT),
}


def listed(kind):
    """The same positions as a tensor."""
    given = KINDS[kind]
    if isinstance(given, Exported):
        return given._own
    return torch.tensor([list(each) if isinstance(each, range) else np.asarray(each).tolist() for each in given]).long()


def heads(grad=False):
    torch.manual_seed(3)
    return torch.randn(2, 4, 5, 16, requires_grad=grad), torch.randn(2, 2, 5, 16, requires_grad=grad)


def x_of(grad=False):
    torch.manual_seed(4)
    return torch.randn(2, 5, 16, requires_grad=grad)


ROWS = {
    "exact": modules.SinusoidalEmbedding(16, convention="transformer"),
    "by recipe": modules.SinusoidalEmbedding(16, convention="transformer", recipe="f32-exp"),
}
ROTARY = modules.RotaryEmbedding("llama", 16)
BY_RECIPE = modules.RotaryEmbedding("llama", 16, recipe="f32-reciprocal")
STEPS = modules.TimestepEmbedding(16, convention="ddpm")
BIAS = modules.AlibiBias(4, convention="alibi")
CLASSES = modules.RelativeBuckets(convention="t5-bucket")
EMBED = modules.InputEmbedding(9, 16, convention="transformer", scale="none")
IDS = torch.tensor([[3, 1, 4, 1, 5], [8, 2, 6, 5, 3]])
WORKS = {  # of positions, and whether a gradient is recorded
    "apply_rotary": lambda at, grad: modules.apply_rotary(*heads(grad), at, convention="llama"),
    "apply_rotary of one that records": lambda at, grad: modules.apply_rotary(
        heads()[0], heads(grad)[1], at, convention="llama"
    ),
    "apply_rotary_": lambda at, grad: modules.apply_rotary_(*heads(), at, convention="llama"),
    "RotaryEmbedding": lambda at, grad: ROTARY(x_of(grad), at),
    "RotaryEmbedding by recipe": lambda at, grad: BY_RECIPE(x_of(grad), at),
    "SinusoidalEmbedding": lambda at, grad: ROWS["exact"](at),
    "SinusoidalEmbedding by recipe": lambda at, grad: ROWS["by recipe"](at),
    "TimestepEmbedding": lambda at, grad: STEPS(at),
    "InputEmbedding": lambda at, grad: EMBED.requires_grad_(grad)(IDS, at),
}
PAIRS = {  # of queries and keys
    "AlibiBias": lambda at: BIAS(at, at),
    "RelativeBuckets": lambda at: CLASSES(at, at),
}


def expect_equal(made, expected):
    for a, b in zip(made if isinstance(made, tuple) else (made,), expected, strict=True):
        assert torch.equal(a.detach(), b.detach())


def expected_of(work, at):
    made = work(at, False)
    return made if isinstance(made, tuple) else (made,)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", WORKS)
def test_every_kind_of_list_is_read_alike_with_a_gradient_and_without(name, kind):
    work = WORKS[name]
    expected = expected_of(work, listed(kind))
    for grad in (False, True):
        made = work(KINDS[kind], grad)
        expect_equal(made, expected)
        recorded = [each for each in (made if isinstance(made, tuple) else (made,)) if each.requires_grad]
        if recorded:
            torch.autograd.backward([each.sum() for each in recorded])


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "batch" not in kind])
@pytest.mark.parametrize("name", PAIRS)
def test_queries_and_keys_are_read_alike(name, kind):
    assert torch.equal(PAIRS[name](KINDS[kind]), PAIRS[name](listed(kind)))


@pytest.mark.parametrize(
    "one", [7, np.int64(7), np.array(7), torch.tensor(7), torch.tensor([7]), [7], 7.0, range(7, 8)]
)
def test_one_position_is_read_alike(one):
    q, k = torch.randn(2, 4, 1, 16), torch.randn(2, 2, 1, 16)
    expected = modules.apply_rotary(q, k, 7, convention="llama")
    expect_equal(modules.apply_rotary(q, k, one, convention="llama"), expected)
    expect_equal(modules.apply_rotary(q.requires_grad_(), k.requires_grad_(), one, convention="llama"), expected)
    expect_equal(ROTARY(q, one), ROTARY(q, torch.tensor([7])))
    for rows in (*ROWS.values(), STEPS):
        assert torch.equal(rows(one), rows(torch.tensor([7])))
    encode, x = (
        modules.PositionalEncoding(16, convention="opennmt", batch_first=True, scale="none"),
        torch.randn(2, 1, 16),
    )
    assert torch.equal(encode(x, step=one), encode(x, step=7))
    assert torch.equal(encode(x.requires_grad_(), step=one), encode(x, step=7))


@pytest.mark.parametrize("recipe", ["exact", "f32-exp"])
@pytest.mark.parametrize("batch_first", [True, False])
def test_each_sequence_may_have_a_step_of_its_own(batch_first, recipe):
    encode = modules.PositionalEncoding(16, convention="opennmt", batch_first=batch_first, scale="none", recipe=recipe)
    x = torch.randn(3, 1, 16) if batch_first else torch.randn(1, 3, 16)
    for steps in ([5, 0, 10**6], np.array([5, 0, 10**6]), torch.tensor([5, 0, 10**6])):
        made = encode(x, step=steps)
        for i, step in enumerate((5, 0, 10**6)):
            own = (slice(i, i + 1),) if batch_first else (slice(None), slice(i, i + 1))
            assert torch.equal(made[own], encode(x[own], step=step))


PLANE = {
    "sequence": [AT, AT[::-1]],
    "arrays": (np.array(AT), np.array(AT[::-1])),
    "array of both": np.array([AT, AT[::-1]]),
    "dict": {"y": np.array(AT[::-1]), "x": AT},
}


@pytest.mark.parametrize("kind", PLANE)
def test_several_axes_are_read_alike(kind):
    axes = posenc.Convention("rope2d-qwen-vision").axes
    given = dict(zip(axes, (AT, AT[::-1]), strict=True)) if kind == "dict" else PLANE[kind]
    lists = [torch.tensor(AT), torch.tensor(AT[::-1])]
    expected = modules.apply_rotary(*heads(), lists, convention="rope2d-qwen-vision")
    for grad in (False, True):
        made = modules.apply_rotary(*heads(grad), given, convention="rope2d-qwen-vision")
        expect_equal(made, expected)
    rows = modules.SinusoidalEmbedding(16, convention="mae-2d")
    given = dict(zip(posenc.Convention("mae-2d").axes, (AT, AT[::-1]), strict=True)) if kind == "dict" else given
    assert torch.equal(rows(given), rows(lists))


REFUSED = {"none": None, "text": "0 1 2", "truth": True, "object": object(), "int16": torch.zeros(5, dtype=torch.int16),
           "texts": ["a", "b"], "complex": np.zeros(5, complex)}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
@pytest.mark.parametrize("name", [name for name in WORKS if name != "InputEmbedding"])
def test_what_is_no_position_is_a_type_error_that_names_the_operation(name, kind):
    if name == "TimestepEmbedding" and kind == "int16":
        return  # steps of narrow types are widened
    for grad in (False, True):
        with pytest.raises(
            TypeError, match=r"^\[\w+\] (positions|position_ids|steps) must be an int, a float, a range"
        ):
            WORKS[name](REFUSED[kind], grad)


def test_what_is_no_tensor_is_named():
    q, encode = (
        torch.randn(1, 2, 5, 16),
        modules.PositionalEncoding(8, convention="opennmt", batch_first=True, scale=1.0),
    )
    for work, name in (
        (lambda: encode(None), "x"),
        (lambda: EMBED([[1, 2]]), "ids"),
        (lambda: ROTARY(None, [1]), "x"),
        (lambda: modules.apply_rotary(None, q, range(5), convention="llama"), "q"),
        (lambda: modules.apply_rotary(q, [1.0], range(5), convention="llama"), "k"),
        (lambda: modules.apply_rotary_(q, None, range(5), convention="llama"), "k"),
    ):
        with pytest.raises(TypeError, match=rf"^\[\w+\] {name} must be a tensor, got (NoneType|list)"):
            work()


def test_lists_of_unequal_lengths_and_numbers_beyond_64_bits_are_refused():
    for given, rule in (([[1, 2], [3]], "numbers, or lists of as many numbers"), (2**63, "must fit in 64 bits"),
                        (range(2**63 - 2, 2**63 + 3), "must fit in 64 bits")):  # fmt: skip
        for grad in (False, True):
            with pytest.raises(posenc.PosencError, match=rule):
                modules.apply_rotary(*heads(grad), given, convention="llama")
    last = range(2**63 - 5, 2**63)  # its end is beyond
    expect_equal(
        modules.apply_rotary(*heads(True), last, convention="llama"),
        modules.apply_rotary(*heads(), last, convention="llama"),
    )


def test_a_list_that_is_changed_before_the_gradient_is_told():
    q, k = heads(True)
    at = torch.tensor(AT)
    made = modules.apply_rotary(q, k, at, convention="llama")
    at[0] = 5
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        made[0].sum().backward()


def test_what_is_handed_out_is_no_table_that_is_kept():
    for rows in (modules.SinusoidalEmbedding(16, convention="transformer"), ROWS["by recipe"]):
        for at in (range(5), torch.arange(5)):
            before = rows(at).clone()
            rows(at).zero_()
            assert torch.equal(rows(at), before)
    cells = modules.GridEmbedding(16, convention="mae-2d")
    before = cells(2, 3).clone()
    cells(2, 3).zero_()
    assert torch.equal(cells(2, 3), before)


def test_what_inference_has_made_serves_a_gradient():
    rows, cells = (
        modules.SinusoidalEmbedding(16, convention="transformer"),
        modules.GridEmbedding(16, convention="mae-2d"),
    )
    with torch.inference_mode():
        rows(range(5)), cells(2, 2)
    weight = torch.ones(16, requires_grad=True)
    ((rows(range(5)) * weight).sum() + (cells(2, 2) * weight).sum()).backward()
    assert weight.grad.isfinite().all()


GRAPHS = {
    "apply_rotary": lambda x, at: modules.apply_rotary(x, x, at, convention="llama"),
    "RotaryEmbedding": lambda x, at: ROTARY(x, at),
    "SinusoidalEmbedding": lambda x, at: (ROWS["exact"](at),),
    "InputEmbedding": lambda x, at: (EMBED(IDS, at),),
}


@pytest.mark.compile
@pytest.mark.timeout(300)
@pytest.mark.parametrize("kind", ["list", "int64", "tensor", "range", "batch"])
@pytest.mark.parametrize("name", GRAPHS)
def test_a_graph_reads_them_alike(name, kind):
    torch._dynamo.reset()
    x = x_of()
    compiled = torch.compile(GRAPHS[name], fullgraph=True, backend="eager")
    expect_equal(compiled(x, KINDS[kind]), GRAPHS[name](x, listed(kind)))


@pytest.mark.compile
def test_a_graph_of_a_step_is_one_of_all_steps():
    torch._dynamo.reset()
    encode = modules.PositionalEncoding(16, convention="opennmt", batch_first=True, scale="none")
    counter = torch._dynamo.testing.CompileCounter()
    compiled, x = (
        torch.compile(lambda x, step: encode(x, step=step), fullgraph=True, backend=counter),
        torch.zeros(1, 1, 16),
    )
    for step in range(12):
        assert torch.equal(compiled(x, step), encode(x, step=step))
    assert counter.frame_count <= 4
