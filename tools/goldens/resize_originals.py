# SPDX-License-Identifier: Apache-2.0
"""Calls of what resizes tables of images. Each imports its own package: an environment has one."""
import record  # chooses the CPU target: before NumPy and PyTorch

import types

import numpy as np

if record.torch:
    import torch


def vit(table, after):
    """Patches of one pixel."""
    from transformers.models.vit.modeling_vit import ViTEmbeddings
    rows = torch.tensor(table)[None]
    embeddings = torch.zeros(1, after[0] * after[1] + 1, table.shape[1])
    holder = types.SimpleNamespace(position_embeddings=rows, patch_size=1)
    return ViTEmbeddings.interpolate_pos_encoding(holder, embeddings, *after)[0]


def dino(table, before, after):
    """DINO is no package: its call of PyTorch, written again."""
    if before == after:
        return table
    rows = torch.tensor(table)
    cells = rows[1:].reshape(1, *before, -1).permute(0, 3, 1, 2)
    factors = tuple((places + 0.1) / side for places, side in zip(after, before))
    cells = torch.nn.functional.interpolate(cells, scale_factor=factors, mode="bicubic")
    return torch.cat([rows[:1], cells[0].permute(1, 2, 0).reshape(after[0] * after[1], -1)])


def swin(table, after):
    """The function takes windows, whose tables have 2 w - 1 cells along an axis."""
    from timm_layers import resize_rel_pos_bias_table_simple
    window = [(side + 1) // 2 for side in after]
    return resize_rel_pos_bias_table_simple(torch.tensor(table), window, (after[0] * after[1], table.shape[1]))


def beit(table, before, after):
    from transformers.models.beit.modeling_beit import BeitRelativePositionBias
    return of_windows(BeitRelativePositionBias, table, before, after)


def of_windows(bias, table, before, after):
    """The module looks its resized table up at once: each row is read where the index of a pair of cells names it."""
    old, new = [tuple((side + 1) // 2 for side in sides) for sides in (before, after)]
    index = bias.generate_relative_position_index(new)
    holder = types.SimpleNamespace(window_size=old, num_relative_distance=len(table),
                                   generate_relative_position_index=lambda _: index,
                                   relative_position_bias_table=torch.tensor(table))
    looked_up = bias.forward(holder, new).reshape(table.shape[1], -1).numpy()
    places = np.unique(index.reshape(-1).numpy(), return_index=True)[1]
    return looked_up[:, places].T


def big_vision(table, before, after):
    """big_vision is no package: its call of SciPy, written again."""
    import scipy.ndimage
    factors = tuple(places / side for places, side in zip(after, before))
    return scipy.ndimage.zoom(table.reshape(*before, -1), (*factors, 1), order=1).reshape(after[0] * after[1], -1)
