# SPDX-License-Identifier: Apache-2.0
"""Parts of a sequence on several ranks: every position once, the bits of one process, gradients as documented."""

import runpy
import sys

import numpy as np
import posenc
import posenc.torch as modules
import pytest
import ranks
import torch
from conftest import ROOT
from torch.distributed.tensor.experimental._context_parallel._load_balancer import _HeadTailLoadBalancer

RANKS = 4
every_split = pytest.mark.parametrize("split", ranks.SPLITS)
torch_mark, dist_mark = pytest.mark.torch, pytest.mark.dist


@torch_mark
@every_split
@pytest.mark.parametrize("count", [1, 2, 3, 8])
def test_every_position_is_of_one_rank_and_join_puts_them_back(split, count):
    length = 6 * count
    parts = [modules.context_parallel(length, rank, count, split=split) for rank in range(count)]
    assert {len(part) for part in parts} == {6}
    assert sorted(torch.cat(parts).tolist()) == list(range(length))
    x = torch.randn(2, length, 3)
    joined = modules.join_context([x[:, part] for part in parts], split=split, dim=1)
    assert torch.equal(joined, x)


@torch_mark
def test_what_each_split_is():
    def parts(split):
        return [modules.context_parallel(12, rank, 3, split=split).tolist() for rank in range(3)]

    assert parts("contiguous") == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]
    assert parts("striped") == [[0, 3, 6, 9], [1, 4, 7, 10], [2, 5, 8, 11]]
    assert parts("zigzag") == [[0, 1, 10, 11], [2, 3, 8, 9], [4, 5, 6, 7]]


@torch_mark
@pytest.mark.parametrize("count", [1, 2, 4, 5])
def test_zigzag_is_the_order_of_pytorchs_context_parallel(count):
    theirs = _HeadTailLoadBalancer(20 * count, count, "cpu")._generate_indices().reshape(count, -1)
    for rank in range(count):
        assert torch.equal(modules.context_parallel(20 * count, rank, count, split="zigzag"), theirs[rank])


@torch_mark
def test_no_tokens_are_a_sequence_too():
    assert modules.context_parallel(0, 1, 4, split="zigzag").tolist() == []
    embed, ids, _, _ = ranks.inputs()
    none = torch.zeros(0, dtype=torch.int64)
    assert embed(ids[:, none], none, tokens=none).shape == (2, 0, ranks.D)


@torch_mark
def test_what_is_refused():
    def refuses(match, *arguments, split="zigzag"):
        with pytest.raises(posenc.PosencError, match=match):
            modules.context_parallel(*arguments, split=split)

    refuses(r"length must be a multiple of 8, for equal parts of 4 ranks under zigzag: pad .*, got 60", 60, 0, 4)
    refuses("length must be a multiple of 4, .* under striped: pad the sequence, got 61", 61, 0, 4, split="striped")
    refuses("length must be a multiple of 8, .*got -8", -8, 0, 4)
    refuses(r"rank must be in \[0, 4\), got 4", 64, 4, 4)
    refuses("ranks must be >= 1, got 0", 64, 0, 0)
    refuses("split must be one of contiguous, striped, zigzag, got ring", 64, 0, 4, split="ring")
    with pytest.raises(posenc.PosencError, match=r"tensors of one shape, .*got \[2\], \[3\]"):
        modules.join_context([torch.zeros(2), torch.zeros(3)], split="striped", dim=0)
    with pytest.raises(posenc.PosencError, match="got none"):
        modules.join_context([], split="striped", dim=0)
    embed, ids, _, _ = ranks.inputs()
    with pytest.raises(posenc.PosencError, match="a number for each of 3 tokens, got 4"):
        embed(ids[:, :3], range(3), tokens=range(4))
    with pytest.raises(posenc.PosencError, match=r"whole numbers \[L\], got \[3\] of torch.float32"):
        embed(ids[:, :3], range(3), tokens=torch.zeros(3))


@torch_mark
@pytest.mark.parametrize("value", [4.0, True, "4", torch.tensor(4.0)])
def test_counts_are_integers(value):
    for name in ("length", "rank", "ranks"):
        counts = {"length": 32, "rank": 0, "ranks": 4, name: value}
        kind = type(value).__name__
        with pytest.raises(TypeError, match=rf"\[context_parallel\] {name} must be an integer, got {kind}"):
            modules.context_parallel(**counts, split="zigzag")
    assert len(modules.context_parallel(np.int64(32), torch.tensor(0), np.int32(4), split="zigzag")) == 8


EXAMPLE = ROOT / "examples/context_parallel.py"
WRONG = {
    "--ranks 0": "[context_parallel] ranks must be >= 1, got 0",
    "--ranks 3": "length must be a multiple of 6, for equal parts of 3 ranks under zigzag: pad the sequence, got 2048",
    "--ranks 3 --split striped": "length must be a multiple of 3",
    "--length 0": "[context_parallel] length must be >= 1, got 0",
    "--length -8": "[context_parallel] length must be >= 1, got -8",
    "--ranks 1000000 --length 2000000 --device cuda": "1000000 ranks must have a GPU each",
}


@torch_mark
@pytest.mark.parametrize("words", WRONG)
def test_the_example_refuses_in_a_line_before_it_starts_processes(words, monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", [str(EXAMPLE), *words.split()])
    monkeypatch.setattr(torch.multiprocessing, "spawn", None)
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    told = capsys.readouterr().err
    assert ended.value.code == 2 and WRONG[words] in told
    assert told.startswith("context_parallel: error: [context_parallel] ") and told.count("\n") == 1


@torch_mark
@every_split
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_parts_have_the_bits_of_the_whole(split, dtype):
    whole = ranks.of_one_process(dtype)
    parts = [ranks.of_rank(rank, RANKS, split, dtype) for rank in range(RANKS)]
    for name, axis in ranks.TOKEN_AXIS.items():
        joined = modules.join_context([part[name] for part in parts], split=split, dim=axis)
        assert torch.equal(joined, whole[name]), name
    assert (whole["encoded"] == 0).float().mean() > 0.2


@torch_mark
@every_split
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64, torch.bfloat16, torch.float16])
def test_the_gradient_of_a_part_is_that_of_its_tokens_alone(split, dtype):
    """A token whose gradient is zero adds nothing: the whole with the other parts' gradients at zero, mask and all."""
    at = modules.context_parallel(ranks.LENGTH, 1, RANKS, split=split)
    embed, ids, grad, x = ranks.inputs(dtype)
    alone = torch.zeros_like(grad)
    alone[:, at] = grad[:, at]
    whole = ranks.made_at(torch.arange(ranks.LENGTH), None, embed, ids, alone, x)
    part = ranks.of_rank(1, RANKS, split, dtype)["gradient"]
    assert torch.equal(part, whole["gradient"]) and part.any() and not part[0].any()


@torch_mark
def test_graphs_have_the_numbers_of_tokens_too():
    embed, ids, grad, _ = ranks.inputs()
    at = modules.context_parallel(ranks.LENGTH, 2, RANKS, split="zigzag")
    stage = "transformer", "sqrt_dim", 0.25, torch.tensor(5), 0, "exact", at
    rows = embed.weight.detach().requires_grad_()
    torch.library.opcheck(torch.ops.posenc.encode.default, (rows, ids[:, at], at, *stage))
    torch.library.opcheck(torch.ops.posenc.encode_backward.default, (grad[:, at], rows.detach(), ids[:, at], *stage))
    by_range = embed(ids[:, 2::4], range(2, ranks.LENGTH, 4), tokens=range(2, ranks.LENGTH, 4))
    assert by_range.shape == (2, ranks.LENGTH // 4, ranks.D)


# ---- processes ------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Of a run of four processes over gloo, which are those of the example too: to start one is most of its time."""
    path = tmp_path_factory.mktemp("ranks")
    spawn = torch.multiprocessing.spawn

    def spawn_both(_, arguments, nprocs):
        spawn(ranks.work, (RANKS, str(path), str(EXAMPLE), arguments), nprocs=nprocs)

    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as ended:
        patch.setattr(sys, "argv", [str(EXAMPLE), "--length", "512"])
        patch.setattr(torch.multiprocessing, "spawn", spawn_both)
        runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert ended.value.code == 0
    return path


@dist_mark
@pytest.mark.timeout(110)
@every_split
def test_four_processes_make_the_bits_of_one(split, folder):
    whole, theirs = ranks.of_one_process(), torch.load(folder / f"{split}-0.pt")
    for name in ranks.TOKEN_AXIS:
        assert torch.equal(theirs[name], whole[name]), name


@dist_mark
@every_split
def test_the_summed_gradient_is_that_of_one_process_but_for_the_order_of_sums(split, folder):
    """Each rank's by its own tokens in their order, as the whole's would be; then gloo's sum, the same at every run."""
    whole, theirs = ranks.of_one_process()["gradient"], torch.load(folder / f"{split}-0.pt")["gradient"]
    parts = [torch.load(folder / f"{split}-0-gradient-{rank}.pt") for rank in range(RANKS)]
    for rank, part in enumerate(parts):
        assert torch.equal(part, ranks.of_rank(rank, RANKS, split)["gradient"])
    exact = sum(part.double() for part in parts)
    bound = RANKS * 2.0**-24 * sum(part.double().abs() for part in parts)
    assert ((theirs.double() - exact).abs() <= bound).all()
    tokens = 2 * ranks.LENGTH
    torch.testing.assert_close(theirs, whole, rtol=0, atol=float(tokens * 2.0**-23 * whole.abs().max()))
    again = torch.load(folder / f"{split}-1.pt")["gradient"]
    assert torch.equal(theirs, again)


@dist_mark
@pytest.mark.timeout(110)
def test_pytorchs_ring_attention_takes_what_ranks_have_rotated(folder):
    torch.testing.assert_close(torch.load(folder / "ring.pt"), ranks.attended_whole(), rtol=0, atol=2e-6)


@dist_mark
@pytest.mark.timeout(110)
def test_the_example_trains_a_step_as_one_process(folder):
    said = (folder / "said-0.txt").read_text()
    assert "no ring attention here" in said and "gradient of embed.weight" in said
    assert "input    the same bits" in said
