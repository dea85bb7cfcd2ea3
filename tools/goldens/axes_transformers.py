# SPDX-License-Identifier: Apache-2.0
"""Rotations of several axes by transformers: images, video and M-RoPE. Each function is a call of works.TurnedPlaces.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib
import types

import numpy as np
import torch

from axes import EXAMPLES, HEIGHT, TOKENS, WIDTH, cells, once, video

def modeling(module):
    return importlib.import_module(f"transformers.models.{module}.modeling_{module}")


def tokens(q, module, name, *, stored, turn="apply_rotary_pos_emb", **fields):
    """A text model whose tokens have a time, a row and a column."""
    of = modeling(module)
    stated = types.SimpleNamespace(max_position_embeddings=8192, hidden_size=q.shape[1] * q.shape[3],
                                   num_attention_heads=q.shape[1], **fields)
    cos, sin = getattr(of, f"{name}RotaryEmbedding")(stated)(q, torch.tensor(TOKENS.T, dtype=torch.int64)[:, None])
    out, _ = getattr(of, turn)(q, q, cos, sin)
    n = cos.shape[-1] // 2
    return TOKENS, once(cos, n, stored), once(sin, n, stored), out


def images(q, module, name, *, base, turned):
    """A model of images whose rotary class takes (row, column) of every patch. `turned`(q, cos, sin) -> q."""
    at = cells()
    stated = types.SimpleNamespace(head_dim=q.shape[3], rope_parameters={"rope_type": "axial", "rope_theta": base},
                                   memory_attention_hidden_size=q.shape[3], memory_attention_downsample_rate=1,
                                   memory_attention_num_attention_heads=1)
    cos, sin = getattr(modeling(module), f"{name}RotaryEmbedding")(stated)(q, torch.tensor(at))
    return at, cos.reshape(len(at), -1), sin.reshape(len(at), -1), turned(modeling(module), q, cos, sin)


def qwen_vision(q):
    """Its heads stand after the sequence."""
    def turned(of, q, cos, sin):
        x = q[0].transpose(0, 1)
        return of.apply_rotary_pos_emb_vision(x, x, cos.reshape(len(x), -1), sin.reshape(len(x), -1))[0].transpose(0, 1)[None]
    at, cos, sin, out = images(q, "qwen2_vl", "Qwen2VLVision", base=10000.0, turned=turned)
    n = q.shape[3] // 2
    return at, once(cos, n, "halves"), once(sin, n, "halves"), out


def pixtral(q):
    def turned(of, q, cos, sin):
        return of.apply_rotary_pos_emb(q, q, cos.reshape(1, q.shape[2], -1), sin.reshape(1, q.shape[2], -1))[0]
    at, cos, sin, out = images(q, "pixtral", "PixtralVision", base=10000.0, turned=turned)
    n = q.shape[3] // 2
    return at, once(cos, n, "halves"), once(sin, n, "halves"), out


def gemma4_vision(q):
    """Columns first: its axes are x, y, and each axis's run is split in two halves."""
    at = cells()[:, ::-1].copy()
    of = modeling("gemma4")
    stated = types.SimpleNamespace(head_dim=q.shape[3], rope_parameters={"rope_type": "axial", "rope_theta": 100.0})
    positions = torch.tensor(at)[None]
    cos, sin = of.Gemma4VisionRotaryEmbedding(stated)(q, positions)
    out = of.apply_multidimensional_rope(q.transpose(1, 2), cos, sin, positions).transpose(1, 2)
    quarter = q.shape[3] // 4
    runs = [torch.cat([table.reshape(len(at), 4, quarter)[:, i] for i in (0, 2)], 1) for table in (cos, sin)]
    return at, *runs, out


def sam2_memory(q):
    def turned(of, q, cos, sin):
        shape = cos.reshape(q.shape[2], -1)
        return of.apply_rotary_pos_emb_2d(q, q, shape, sin.reshape(q.shape[2], -1))[0]
    at, cos, sin, out = images(q, "sam2_video", "Sam2VideoVision", base=10000.0, turned=turned)
    n = q.shape[3] // 2
    return at, once(cos, n, "pairs"), once(sin, n, "pairs"), out


def llama4_vision(q):
    """A square image of 16 patches and a class token, which stands; columns first, counted from 1."""
    of, size = modeling("llama4"), 4
    stated = types.SimpleNamespace(image_size=56, patch_size=14, hidden_size=q.shape[3], num_attention_heads=1,
                                   rope_parameters={"rope_theta": 10000.0})
    table = of.Llama4VisionRotaryEmbedding._compute_freqs_ci(stated)[:size * size]
    x = q.transpose(1, 2)
    out, _ = of.vision_apply_rotary_emb(x, x, table)
    freqs = table.reshape(size * size, -1)
    return cells(size, size)[:, ::-1] + 1, freqs.real.contiguous(), freqs.imag.contiguous(), out.transpose(1, 2)


def dinov3(q):
    """Centres of the patches in [-1, 1], rows first, as its own f32 has them."""
    of = modeling("dinov3_vit")
    stated = types.SimpleNamespace(rope_theta=100.0, hidden_size=q.shape[3], num_attention_heads=1, image_size=64,
                                   patch_size=16)
    cos, sin = of.DINOv3ViTRopePositionEmbedding(stated).eval()(torch.zeros(1, 3, 16 * HEIGHT, 16 * WIDTH))
    out, _ = of.apply_rotary_pos_emb(q, q, cos, sin)
    at = of.get_patches_center_coordinates(HEIGHT, WIDTH, dtype=torch.float32, device="cpu").numpy()
    n = q.shape[3] // 2
    return at.astype(np.float64), once(cos, n, "halves"), once(sin, n, "halves"), out


def vjepa2(q):
    """Runs of 20 columns of a head of 64 for time, row and column; a column of a pair has its own angle."""
    turn, at = modeling("vjepa2").rotate_queries_or_keys, video()
    runs = [turn(q[..., 20 * a:20 * a + 20], torch.tensor(at[:, a], dtype=torch.float32)) for a in range(3)]
    return at, None, None, torch.cat([*runs, q[..., 60:]], -1)


def efficient_loftr(q):
    """All heads are one row of 256 there. Rows first, both counted from 1; windows of 4 cells are a place."""
    of = modeling("efficientloftr")
    stated = of.EfficientLoFTRConfig()
    cos, sin = of.EfficientLoFTRRotaryEmbedding(stated)(torch.zeros(1, stated.hidden_size, 4 * HEIGHT, 4 * WIDTH))
    cos, sin = (table.reshape(1, HEIGHT * WIDTH, -1) for table in (cos, sin))
    out, _ = of.apply_rotary_pos_emb(q, q, cos, sin)
    n = q.shape[3] // 2
    return cells() + 1, once(cos, n, "pairs"), once(sin, n, "pairs"), out


def lightglue(q):
    """Points of an image of 500 x 300, from its middle and over 250: x from -1 to 1. Of an image of 512 the products with
    these frequencies would be exact."""
    of = modeling("lightglue")
    points = torch.tensor([[83.3 * i + 1, 61.7 * j] for i in range(6) for j in range(5)], dtype=torch.float32)
    at = of.normalize_keypoints(points[None], 300, 500)
    encoder = of.LightGluePositionalEncoder(of.LightGlueConfig(descriptor_dim=q.shape[3], num_attention_heads=1))
    with torch.no_grad():
        encoder.projector.weight[:] = torch.tensor(EXAMPLES[:2]).T
        (cos, sin), = encoder(at)
    out, _ = of.apply_rotary_pos_emb(q, q, cos, sin)
    n = q.shape[3] // 2
    return at[0].numpy(), once(cos, n, "pairs"), once(sin, n, "pairs"), out
