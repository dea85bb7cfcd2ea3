# SPDX-License-Identifier: Apache-2.0
"""What each of several processes makes of its part of a sequence, and what one process makes of all of it."""

import contextlib
import os
import runpy

import posenc.torch as modules
import torch
import torch.distributed as dist
from torch.distributed.tensor.experimental._context_parallel import _attention
from torch.nn import functional

LENGTH, D, HEADS, VOCABULARY, SEED = 256, 32, 4, 50, 11
SPLITS = ("contiguous", "striped", "zigzag")


def inputs(dtype=torch.float32):
    """The same in every process: ids, gradients of the output, and the embedding with dropout."""
    torch.manual_seed(3)
    embed = modules.InputEmbedding(
        VOCABULARY, D, convention="transformer", scale="sqrt_dim", dropout=0.25, padding_id=0, dtype=dtype
    )
    ids = torch.randint(VOCABULARY, (2, LENGTH))
    return embed, ids, torch.randn(2, LENGTH, D).to(dtype), torch.randn(2, HEADS, LENGTH, D)


def made_at(at, numbers, embed, ids, grad, x):
    """Of the tokens at those positions: table, input stage, rotation, biases, gradient. numbers: for dropout."""
    rows = modules.SinusoidalEmbedding(D, convention="whisper")(at)
    torch.manual_seed(SEED)  # as all ranks of a training run have it
    encoded = embed(ids, at, tokens=numbers)
    encoded.backward(grad)
    gradient, embed.weight.grad = embed.weight.grad, None
    q, k = modules.apply_rotary(x, x, at, convention="llama")
    return {
        "table": rows,
        "encoded": encoded.detach(),
        "rotated": torch.cat((q, k)),
        "bias": modules.AlibiBias(HEADS, convention="alibi")(at, LENGTH),
        "gradient": gradient,
    }


TOKEN_AXIS = {"table": 0, "encoded": 1, "rotated": 2, "bias": 1}


def of_one_process(dtype=torch.float32):
    return made_at(torch.arange(LENGTH), None, *inputs(dtype))


def of_rank(rank, ranks, split, dtype=torch.float32):
    embed, ids, grad, x = inputs(dtype)
    at = modules.context_parallel(LENGTH, rank, ranks, split=split)
    return made_at(at, at, embed, ids[:, at], grad[:, at], x[:, :, at])


def gathered(mine, split):
    """What all_gather gives, joined; and the sum of the ranks' gradients."""
    whole = {}
    for name, axis in TOKEN_AXIS.items():
        shards = [torch.empty_like(mine[name]) for _ in range(dist.get_world_size())]
        dist.all_gather(shards, mine[name].contiguous())
        whole[name] = modules.join_context(shards, split=split, dim=axis)
    whole["gradient"] = mine["gradient"].clone()
    dist.all_reduce(whole["gradient"])
    return whole


def attended_whole():
    x = inputs()[3]
    q, k = modules.apply_rotary(x, x.flip(1), torch.arange(LENGTH), convention="llama")
    return functional.scaled_dot_product_attention(q, k, x, is_causal=True)


def attended_in_a_ring(rank, ranks):
    """By the ring of PyTorch's context_parallel, which it runs on GPUs alone, with the kernel of CPUs."""
    at = modules.context_parallel(LENGTH, rank, ranks, split="zigzag")
    x = inputs()[3][:, :, at]
    q, k = modules.apply_rotary(x, x.flip(1), at, convention="llama")
    kernel = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu
    mine, *_ = _attention._templated_ring_attention(dist.group.WORLD, 2, kernel, q, k, x, is_causal=True)
    shards = [torch.empty_like(mine) for _ in range(ranks)]
    dist.all_gather(shards, mine.contiguous())
    return modules.join_context(shards, split="zigzag", dim=2)


def work(rank, ranks, folder, example, arguments):
    """A process: into the folder what it has made of its tokens, and rank 0 what all have made; then the same process
    of the example, and what it says."""
    os.environ["GLOO_SOCKET_IFNAME"] = "lo"
    torch.set_num_threads(1)
    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=ranks)
    for split in SPLITS:
        for trial in range(2):
            mine = of_rank(rank, ranks, split)
            whole = gathered(mine, split)
            torch.save(mine["gradient"], f"{folder}/{split}-{trial}-gradient-{rank}.pt")
            if rank == 0:
                torch.save(whole, f"{folder}/{split}-{trial}.pt")
    attended = attended_in_a_ring(rank, ranks)
    if rank == 0:
        torch.save(attended, f"{folder}/ring.pt")
    dist.destroy_process_group()
    with open(f"{folder}/said-{rank}.txt", "w") as said, contextlib.redirect_stdout(said):
        runpy.run_path(example)["work"](rank, *arguments)
