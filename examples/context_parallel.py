# SPDX-License-Identifier: Apache-2.0
"""One sequence on several processes: each embeds, rotates and attends for its own tokens, with the bits of one process.

    python examples/context_parallel.py --ranks 4 --length 2048 --split zigzag
    torchrun --nproc-per-node 4 examples/context_parallel.py          # or on the machines of a cluster

Attention is PyTorch's ring where the device has one; else keys and values are gathered, as on the CPU, where this was
tried. A step of training is compared with the same step of one process: the input has the same bits, dropout included;
the rest differs by the order of sums.
"""

import argparse
import os
import sys
import tempfile
from functools import partial

import posenc
import posenc.torch as pt
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.experimental import context_parallel
from torch.nn import functional

VOCABULARY, DIM, HEADS = 1000, 64, 4


class Model(nn.Module):
    """One layer of a decoder. `attend` is told the positions, of which all but attention is a function."""

    def __init__(self, dropout):
        super().__init__()
        self.embed = pt.InputEmbedding(VOCABULARY, DIM, convention="transformer", scale="sqrt_dim", dropout=dropout)
        self.project, self.out = nn.Linear(DIM, 3 * DIM), nn.Linear(DIM, VOCABULARY)

    def forward(self, ids, at, attend):
        x = self.embed(ids, at, tokens=at)
        q, k, v = (each.unflatten(-1, (HEADS, -1)).transpose(1, 2) for each in self.project(x).chunk(3, -1))
        q, k = pt.apply_rotary(q, k, at, convention="llama")
        self.seen = {"input": x.detach(), "queries": q.detach()}
        return self.out(x + attend(q, k, v, at).transpose(1, 2).flatten(-2))


# ---- attention ------------------------------------------------------------------------------------------------------


class Gather(torch.autograd.Function):
    """What every rank has, on every rank; the gradient of a shard is the sum of what all ranks say of it."""

    @staticmethod
    def forward(shard):
        shards = [torch.empty_like(shard) for _ in range(dist.get_world_size())]
        dist.all_gather(shards, shard)
        return tuple(shards)

    @staticmethod
    def setup_context(ctx, inputs, output):
        pass

    @staticmethod
    def backward(ctx, *grads):
        summed = torch.stack(grads)
        dist.all_reduce(summed)
        return summed[dist.get_rank()]


def gathered(q, k, v, at, *, split):
    """A query sees the keys of all ranks that do not stand behind it."""
    k, v = (pt.join_context(Gather.apply(each.contiguous()), split=split, dim=2) for each in (k, v))
    seen = at[:, None] >= torch.arange(k.shape[2], device=at.device)
    return functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)


def causal(q, k, v, at):
    """Of one process; and, inside PyTorch's context_parallel, its ring of all ranks."""
    return functional.scaled_dot_product_attention(q, k, v, is_causal=True)


# ---- a step ---------------------------------------------------------------------------------------------------------


def step(ids, at, attend):
    """Logits of the tokens at these positions, and the gradients of their part of the loss."""
    torch.manual_seed(1)  # all ranks have one state: the same weights, the same key of dropout
    model = Model(dropout=0.1 if ids.device.type == "cpu" else 0.0).to(ids.device)
    logits = model(ids[:, at], at, attend)
    targets = ids.roll(-1, 1)[:, at]
    loss = functional.cross_entropy(logits.flatten(0, 1), targets.flatten(), reduction="sum") / ids.numel()
    loss.backward()
    gradients = {name: parameter.grad for name, parameter in model.named_parameters()}
    return {**model.seen, "logits": logits.detach()}, gradients


def ring_step(ids, at, ranks):
    """By PyTorch's ring attention, whose order of tokens is zigzag; nothing where the device has no kernel for it."""
    places = torch.arange(ids.shape[1], device=ids.device)
    try:
        with context_parallel(init_device_mesh(ids.device.type, (ranks,)), buffers=[places], buffer_seq_dims=[0]):
            assert torch.equal(places, at)  # as PyTorch has split them
            return step(ids, at, causal)
    except NotImplementedError as error:
        if dist.get_rank() == 0:
            print(f"no ring attention here, keys and values are gathered: {error}")
        return None


def compare(made, gradients, ids, split):
    """With one process, on rank 0: whether all is as it must be."""
    wanted, wanted_gradients = step(ids, torch.arange(ids.shape[1], device=ids.device), causal)
    is_right = True
    for name, whole in made.items():
        apart = (whole - wanted[name]).abs().max().item()
        is_right &= apart == 0 if name == "input" else apart < 1e-4
        print(f"{name:8} {'the same bits' if apart == 0 else f'up to {apart:.1e} apart'}")
    for name, gradient in gradients.items():
        apart = ((gradient - wanted_gradients[name]).abs().max() / wanted_gradients[name].abs().max()).item()
        is_right &= apart < 1e-4
        print(f"gradient of {name:15} up to {apart:.1e} of its largest apart")
    return is_right


def work(rank, ranks, store, device, length, split):
    if store:  # all on this machine
        os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    torch.set_num_threads(1)
    if device != "cpu":
        torch.accelerator.set_device_index(int(os.environ.get("LOCAL_RANK", rank)))
    dist.init_process_group(init_method=store, rank=rank, world_size=ranks)  # gloo of CPUs, nccl of GPUs
    ids = torch.randint(VOCABULARY, (2, length), generator=torch.Generator().manual_seed(7)).to(device)
    at = pt.context_parallel(length, rank, ranks, split=split, device=device)
    done = ring_step(ids, at, ranks) if split == "zigzag" else None
    made, gradients = done or step(ids, at, partial(gathered, split=split))
    for name, axis in {"input": 1, "queries": 2, "logits": 1}.items():
        made[name] = pt.join_context(Gather.apply(made[name].contiguous()), split=split, dim=axis)
    for gradient in gradients.values():
        dist.all_reduce(gradient)
    is_right = rank != 0 or compare(made, gradients, ids, split)
    dist.destroy_process_group()
    if not is_right:
        raise RuntimeError("the ranks have made something else than one process")


def check(device, ranks, length, split):
    """What would be refused in every process, by pages of each."""
    if length < 1:
        raise posenc.PosencError("context_parallel", "length must be >= 1", str(length))
    pt.context_parallel(length, 0, ranks, split=split)
    here = torch.cuda.device_count() if device == "cuda" else None
    local = int(os.environ.get("LOCAL_WORLD_SIZE", ranks))
    if here is not None and here < local:
        raise posenc.PosencError("context_parallel", f"{local} ranks must have a GPU each", f"{here} on this machine")


def main():
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--ranks", type=int, default=4, help="processes, where torchrun starts none")
    options.add_argument("--length", type=int, default=2048, help="tokens of the sequence")
    options.add_argument("--split", choices=("contiguous", "striped", "zigzag"), default="zigzag")
    options.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    asked = options.parse_args()
    by_torchrun = "RANK" in os.environ
    ranks = int(os.environ["WORLD_SIZE"]) if by_torchrun else asked.ranks
    stated = asked.device, asked.length, asked.split
    try:
        check(asked.device, ranks, asked.length, asked.split)
    except posenc.PosencError as error:
        print(f"context_parallel: error: {error}", file=sys.stderr)
        return 2
    if by_torchrun:
        work(int(os.environ["RANK"]), ranks, None, *stated)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(work, (ranks, f"file://{folder}/store", *stated), nprocs=ranks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
