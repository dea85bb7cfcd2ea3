# SPDX-License-Identifier: Apache-2.0
"""What tests of posenc.torch share."""

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
