# SPDX-License-Identifier: Apache-2.0
"""Rotations of several axes by diffusers: images and video. Each function is a call of works.TurnedPlaces."""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib

import numpy as np
import torch
from diffusers.models import embeddings

from axes import EXAMPLES, FRAMES, HEIGHT, TOKENS, WIDTH, cells, once, video


def transformer(name, symbol):
    return getattr(importlib.import_module(f"diffusers.models.transformers.transformer_{name}"), symbol)


def latent(frames=FRAMES):
    """Latents whose patches of 2 x 2 are the cells."""
    return torch.zeros(1, 16, frames, 2 * HEIGHT, 2 * WIDTH)


def adjacent(at, q, cos, sin):
    """Tables [P, 2 n] of pairs, each value twice; q by diffusers' own function."""
    cos, sin = (table.reshape(len(at), -1) for table in (cos, sin))
    out = embeddings.apply_rotary_emb(q, (cos, sin))
    n = cos.shape[1] // 2
    return at, once(cos, n, "pairs"), once(sin, n, "pairs"), out


def halves(at, q, cos, sin):
    cos, sin = (table.reshape(len(at), -1) for table in (cos, sin))
    out = embeddings.apply_rotary_emb(q, (cos, sin), use_real_unbind_dim=-2)
    n = cos.shape[1] // 2
    return at, once(cos, n, "halves"), once(sin, n, "halves"), out


def complexes(at, q, table):
    """[P, n] of complex numbers; q has its heads behind the sequence there."""
    table = table.reshape(len(at), -1)
    out = embeddings.apply_rotary_emb(q.transpose(1, 2), table[None], use_real=False).transpose(1, 2)
    return at, table.real, table.imag, out


def cogview4(q):
    """Patches of an image of any shape on a square of 256: whole numbers."""
    height, width = 3, 5
    cos, sin = transformer("cogview4", "CogView4RotaryPosEmbed")(q.shape[3], 2, (256, 256))(
        torch.zeros(1, 4, 2 * height, 2 * width))
    return halves(np.floor(cells(height, width) * 256 / [height, width]), q, cos, sin)


def hunyuandit(q):
    """Columns first, of a square image: a table of h x w is flattened the other way than its coordinates."""
    cos, sin = embeddings.get_2d_rotary_pos_embed(q.shape[3], ((0, 0), (4, 4)), (4, 4))
    return adjacent(cells(4, 4)[:, ::-1], q, cos, sin)


def lumina(q):
    table = embeddings.get_2d_rotary_pos_embed_lumina(q.shape[3], HEIGHT, WIDTH, linear_factor=2.0, ntk_factor=3.0)
    return complexes(cells(), q, table)


def cogvideox(q):
    return adjacent(video(), q, *embeddings.get_3d_rotary_pos_embed(
        q.shape[3], ((0, 0), (HEIGHT, WIDTH)), (HEIGHT, WIDTH), FRAMES))


def allegro(q):
    """Coordinates over the interpolation of 2; each axis's run is a rotation of its own, in two halves."""
    tables = embeddings.get_3d_rotary_pos_embed_allegro(
        q.shape[3], ((0, 0), (HEIGHT, WIDTH)), (HEIGHT, WIDTH), FRAMES, (2.0, 2.0, 2.0))
    at, width = video(), q.shape[3] // 3
    own = [[table[at[:, a].astype(int)] for table in tables[a]] for a in range(3)]
    out = torch.cat([embeddings.apply_rotary_emb(q[..., a * width:(a + 1) * width], tuple(own[a]), use_real_unbind_dim=-2)
                     for a in range(3)], -1)
    cos, sin = (torch.cat([each[i][:, :width // 2] for each in own], 1) for i in (0, 1))
    return at / 2, cos, sin, out


def wan(q):
    cos, sin = transformer("wan", "WanRotaryPosEmbed")(q.shape[3], (1, 2, 2), 64)(latent())
    return adjacent(video(), q, cos, sin)


def helios(q):
    """One table of cosines and sines of all axes; q has its heads behind the sequence there."""
    frames = torch.arange(FRAMES)[None]
    made = transformer("helios", "HeliosRotaryPosEmbed")((44, 42, 42), 10000.0)(frames, HEIGHT, WIDTH, "cpu")
    table = made.flatten(2).transpose(1, 2)
    out = transformer("helios", "apply_rotary_emb_transposed")(q.transpose(1, 2), table).transpose(1, 2)
    n = q.shape[3] // 2
    cos, sin = table[0].chunk(2, dim=-1)
    return video(), once(cos, n, "pairs"), once(sin, n, "pairs"), out


def flux(q):
    return adjacent(TOKENS, q, *embeddings.FluxPosEmbed(10000, [16, 56, 56])(torch.tensor(TOKENS, dtype=torch.float32)))


def flux2(q):
    at = np.c_[TOKENS, np.arange(len(TOKENS))]
    return adjacent(at, q, *transformer("flux2", "Flux2PosEmbed")(2000, [32] * 4)(torch.tensor(at, dtype=torch.float32)))


def lumina2(q):
    at = np.minimum(TOKENS, 299)  # its tables have 300 rows
    embed = transformer("lumina2", "Lumina2RotaryPosEmbed")(10000, [32, 32, 32])
    return complexes(at, q, embed._get_freqs_cis(torch.tensor(at, dtype=torch.int64)[None])[0])


def z_image(q):
    at = np.minimum(TOKENS, 60)  # its first table has 64 rows
    embed = transformer("z_image", "RopeEmbedder")(256.0, [16, 56, 56], [64, 128, 128])
    return complexes(at, q, embed(torch.tensor(at, dtype=torch.int64)))


def hunyuanvideo(q):
    return adjacent(video(), q, *transformer("hunyuan_video", "HunyuanVideoRotaryPosEmbed")(2, 1, [16, 56, 56], 256.0)(latent()))


def qwenimage(q):
    """One frame of 5 x 6, counted from its middle."""
    table, _ = transformer("qwenimage", "QwenEmbedRope")(10000, [16, 56, 56], True)([(1, 5, 6)], max_txt_seq_len=4)
    return complexes(np.c_[np.zeros(30), cells(5, 6) - [3, 3]], q, table)


def ltx(q):
    """Fractions of 20 s and 2048 pixels, from -1 to 1."""
    cos, sin = transformer("ltx", "LTXVideoRotaryPosEmbed")(q.shape[3])(
        torch.zeros(1, len(video()), q.shape[3]), FRAMES, HEIGHT, WIDTH, (0.32, 32.0, 32.0))
    at = (video().astype(np.float32) * np.float32([0.32, 32, 32]) / np.float32([20, 2048, 2048]) * 2 - 1).astype(np.float64)
    return adjacent(at, q, cos, sin)


def cosmos(q):
    cos, sin = transformer("cosmos", "CosmosRotaryPosEmbed")(q.shape[3])(latent())
    return halves(video(), q, cos, sin)


def mochi(q):
    """Rows and columns of 3 x 5 are centres of cells sqrt(192 192 / 15) apart; the processor of its attention turns pairs
    as Wan's."""
    of, (x, y, t) = transformer("mochi", "MochiRoPE")(), EXAMPLES
    frequencies = torch.tensor([t, y, x])[:, None]
    cos, sin = (table[:, 0] for table in of(frequencies, FRAMES, 3, 5, dtype=torch.float32))
    at = of._get_positions(FRAMES, 3, 5, dtype=torch.float32).numpy().astype(np.float64)
    return adjacent(at, q, cos.repeat_interleave(2, -1), sin.repeat_interleave(2, -1))
