# SPDX-License-Identifier: Apache-2.0
"""Tables of a padded image by transformers' DETR and Deformable DETR: each numbers the present cells of a line."""
import record  # chooses the CPU target: before NumPy and PyTorch

import numpy as np
import torch

from place_originals import cells, transformers

MODELS = {"detr-sine": ("detr", "DetrSinePositionEmbedding"),
          "deformable-detr-sine": ("deformable_detr", "DeformableDetrSinePositionEmbedding")}
HEIGHT, WIDTH, DIM = 7, 9, 16
ABOUT = "mask i64 [7, 9], 1 where a cell is present; PRESET/original f32 [7, 9, 16]"


def mask():
    """An image of 5 x 6 cells, of which one and a whole column are left out."""
    present = np.zeros((HEIGHT, WIDTH), np.int64)
    present[:5, :6] = 1
    present[2, 3] = 0
    present[:, 1] = 0
    return present


def original(model, name):
    embedding = transformers(model, name)(DIM // 2, normalize=True)
    made = embedding((1, 3, HEIGHT, WIDTH), "cpu", torch.float32, torch.tensor(mask())[None])
    return np.ascontiguousarray(cells(made).reshape(HEIGHT, WIDTH, DIM).numpy())


def certain(name):
    return name == "mask"


def make(work):
    tensors = {"mask": mask()}
    for preset, (model, name) in MODELS.items():
        tensors[f"{preset}/original"] = original(model, name)
    return {"about": ABOUT, "kind": "masked_places"}, tensors
