# SPDX-License-Identifier: Apache-2.0
"""Rotations by ggml's kernels of the CPU. Each function is a call of works.TurnedPlaces.

Cosines and sines are what the kernel makes of heads whose first halves are 1 and whose others are 0.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import ctypes

import ggml
import numpy as np
import torch

from axes import TOKENS

FAR = (0, 1, 2, 3, 17, 100, 1023, 4095, 131071)


def computed(q, positions, rope):
    """q [1, heads, P, head], turned by the operation that `rope` makes of context, q and positions in ggml's order."""
    context = ggml.ggml_init(ggml.ggml_init_params(mem_size=1 << 26, mem_buffer=None, no_alloc=False))
    places = np.ascontiguousarray(positions, np.int32)
    x = np.ascontiguousarray(q[0].transpose(0, 1).numpy())  # [P, heads, head]
    a = ggml.ggml_new_tensor_4d(context, ggml.GGML_TYPE_F32, *x.shape[::-1], 1)
    b = ggml.ggml_new_tensor_1d(context, ggml.GGML_TYPE_I32, places.size)
    for tensor, array in ((a, x), (b, places)):
        ctypes.memmove(ggml.ggml_get_data(tensor), array.ctypes.data, array.nbytes)
    out = rope(context, a, b)
    graph = ggml.ggml_new_graph(context)
    ggml.ggml_build_forward_expand(graph, out)
    ggml.ggml_graph_compute_with_ctx(context, graph, 1)
    turned = np.empty_like(x)
    ctypes.memmove(turned.ctypes.data, ggml.ggml_get_data(out), turned.nbytes)
    ggml.ggml_free(context)
    return torch.from_numpy(turned).transpose(0, 1)[None]


def with_waves(q, positions, rope, firsts, seconds):
    unit = torch.zeros_like(q[:, :1])
    unit[..., firsts] = 1
    waves = computed(unit, positions, rope)[0, 0]
    return waves[:, firsts].contiguous(), waves[:, seconds].contiguous(), computed(q, positions, rope)


def of_text(q, mode, firsts, seconds):
    def rope(context, a, b):
        return ggml.ggml_rope_ext(context, a, b, None, q.shape[3], mode, 0, 10000.0, 1.0, 0.0, 1.0, 32.0, 1.0)
    return np.array(FAR, np.float64)[:, None], *with_waves(q, FAR, rope, firsts, seconds)


def normal(q):
    return of_text(q, 0, slice(0, None, 2), slice(1, None, 2))


def neox(q):
    half = q.shape[3] // 2
    return of_text(q, ggml.GGML_ROPE_TYPE_NEOX, slice(half), slice(half, None))


def imrope(q):
    """The fourth position of every token is 0, as llama.cpp states it for text and images."""
    places = np.concatenate([TOKENS.T, np.zeros((1, len(TOKENS)))]).ravel()
    sections = (ctypes.c_int * 4)(24, 20, 20, 0)

    def rope(context, a, b):
        return ggml.ggml_rope_multi(context, a, b, None, q.shape[3], sections, ggml.GGML_ROPE_TYPE_IMROPE, 0, 5e6, 1.0,
                                    0.0, 1.0, 32.0, 1.0)
    half = q.shape[3] // 2
    return TOKENS, *with_waves(q, places, rope, slice(half), slice(half, None))
