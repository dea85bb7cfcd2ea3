# SPDX-License-Identifier: Apache-2.0
"""Calls of MLX."""
import record  # before NumPy

import mlx.core as mx
import mlx.nn
import numpy as np


def sinusoidal(dim, places):
    return np.array(mlx.nn.SinusoidalPositionalEncoding(dim)(mx.array(places[:, 0].numpy())))
