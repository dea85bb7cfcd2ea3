# SPDX-License-Identifier: Apache-2.0
"""What tests of posenc.torch share."""

import statistics
import time
from typing import NamedTuple

import numpy as np
import posenc
import torch

torch.set_num_threads(1)  # products of small tensors, on a machine that does other work


def table(convention, dim, positions, dtype="float32", **options):
    """By NumPy, whose values tests/python compares with goldens."""
    if dtype != "bfloat16":
        return torch.from_numpy(posenc.table(convention, dim, positions, dtype=dtype, **options))
    return torch.from_numpy(posenc.table(convention, dim, positions, dtype=dtype, **options).view(np.int16)).view(
        torch.bfloat16
    )


def rotated(convention, positions, x, **options):
    """By NumPy, of f32."""
    return torch.from_numpy(posenc.rotate(convention, positions, x.detach().numpy(), **options))


# ---- time beside a peer's ----------------------------------------------------------------------------------------

# A regression costs a factor of ten and more; less than three is within the noise of a shared machine.
MOST = 3


def seconds(call, times):
    start = time.process_time()
    for _ in range(times):
        call()
    return (time.process_time() - start) / times


class Measured(NamedTuple):
    ratio: float
    ours: float
    theirs: float


def measured(ours, theirs, rounds=9):
    calls = (ours, theirs)
    first = [min(seconds(call, 1) for _ in range(2)) for call in calls]  # and what is made once
    if max(first) > 0.05:
        rounds = 3
    times = [max(1, int(1e-3 / max(each, 1e-6))) for each in first]
    pairs = [[seconds(call, count) for call, count in zip(calls, times, strict=True)] for _ in range(rounds)]
    return Measured(statistics.median(a / b for a, b in pairs), *map(statistics.median, zip(*pairs, strict=True)))


def expect_at_most(most, name, ours, theirs):
    found = measured(ours, theirs)
    for _ in range(2):  # what is slow stays slow
        if found.ratio > most:
            found = min(found, measured(ours, theirs))
    print(f"{name}: {found.ratio:.3g}, {1e6 * found.ours:.4g} us beside {1e6 * found.theirs:.4g}")
    assert found.ratio <= most
