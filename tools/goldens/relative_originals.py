# SPDX-License-Identifier: Apache-2.0
"""Classes, factors and rows by originals that give them only inside a layer, or that no package holds.

A layer of transformers is given a table whose row i holds i, so that what it looks up is the row.
"""
import record  # chooses the CPU target: before PyTorch

import importlib
import math
import types

import numpy as np

torch = record.torch  # None where a call needs none


def hf(model, name):
    return getattr(importlib.import_module(f"transformers.models.{model}.modeling_{model}"), name)


def hf_config(model, name, **fields):
    return getattr(importlib.import_module(f"transformers.models.{model}.configuration_{model}"), name)(**fields)


def numbered(table):
    """A table whose row i holds i."""
    with torch.no_grad():
        table.weight[:] = torch.arange(float(len(table.weight)))[:, None].expand_as(table.weight)
    return table


def by_distance(matrix, distances):
    """Classes of distances by those of queries and keys 0, 1, ..."""
    return [int(matrix[0, d] if d >= 0 else matrix[-d, 0]) for d in distances]


# ---- classes ------------------------------------------------------------------------------------

def clipped(distances, left, right):
    """Written again: a line within a layer, or of a package that is gone."""
    return np.clip(distances, -left, right) + left


def wav2vec2_bert(distances):
    n = int(distances[-1]) + 1
    module = types.SimpleNamespace(left_max_position_embeddings=64, right_max_position_embeddings=8, scaling=1,
                                   distance_embedding=lambda index: index[..., None].float())
    layer = importlib.import_module("transformers.models.wav2vec2_bert.modeling_wav2vec2_bert")
    ones = torch.ones(1, 1, n, 1)
    return by_distance(layer._apply_relative_key_position_encoding(module, ones, ones)[1][0, 0], distances)


def sam(distances):
    n = int(distances[-1]) + 1
    rows = torch.arange(2.0 * n - 1)[:, None]
    return by_distance(hf("sam", "SamVisionAttention").get_rel_pos(None, n, n, rows)[..., 0], distances)


# ---- factors ------------------------------------------------------------------------------------

def llama4(positions):
    """Within Llama4TextAttention.forward: its operations in f32, written again."""
    steps = torch.floor((torch.tensor(positions, dtype=torch.float32) + 1.0) / 8192)
    return torch.log1p(steps) * 0.1 + 1.0


def inkling(positions):
    """Within Inkling2Attention.forward: its operations in f32, written again."""
    count = (torch.tensor(positions) + 1).float()
    return 1.0 + 0.1 * torch.log((count / 128000).clamp(min=1.0))


def qwen(positions):
    """modeling_qwen.py of Qwen-7B is no package: its list, of f32 from doubles, written again."""
    return np.array([math.log(p + 1, 8192) if p + 1 > 8192 else 1 for p in positions.tolist()], np.float32)


# ---- rows ---------------------------------------------------------------------------------------

def bert(positions):
    config = hf_config("bert", "BertConfig", vocab_size=2, hidden_size=4)
    return hf("bert", "BertEmbeddings")(config).position_ids[0][positions[0]]


def bart(positions):
    table = numbered(hf("bart", "BartLearnedPositionalEmbedding")(1024, 1))
    return table(None, position_ids=torch.tensor(positions[0]))[0, :, 0].detach()


def opt(mask):
    return numbered(hf("opt", "OPTLearnedPositionalEmbedding")(64, 1))(torch.tensor(mask))[..., 0].detach()


def roberta(mask):
    ids = torch.where(torch.tensor(mask) != 0, 7, 1)
    return hf("roberta", "RobertaEmbeddings").create_position_ids_from_input_ids(ids, 1)


def prophetnet(mask):
    config = types.SimpleNamespace(max_position_embeddings=512, hidden_size=1, pad_token_id=0)
    return hf("prophetnet", "ProphetNetPositionalEmbeddings")(config)(mask.shape, "cpu", torch.tensor(mask))[1]


def detr(positions):
    module = hf("detr", "DetrLearnedPositionEmbedding")(1)
    numbered(module.row_embeddings), numbered(module.column_embeddings)
    x, y = positions
    return module((1, 1, 50, 50), "cpu", torch.float32)[0].permute(1, 2, 0)[y, x].detach()


def reformer(positions):
    config = types.SimpleNamespace(axial_pos_shape=(64, 64), axial_pos_embds_dim=(1, 1), hidden_dropout_prob=0,
                                   hidden_size=2, attn_layers=["local"], lsh_attn_chunk_length=64,
                                   local_attn_chunk_length=64)
    module = hf("reformer", "AxialPositionEmbeddings")(config).eval()
    with torch.no_grad():
        module.weights[0][:] = torch.arange(64.0)[:, None, None]
        module.weights[1][:] = torch.arange(64.0)[None, :, None]
    block, place = positions
    return module(torch.tensor(block * 64 + place)[None])[0].detach()


def patches(positions, model, vision, side):
    """Positions are the floors of side i / n along both axes of an image of height x width cells, which come first."""
    y, x = positions
    height, width = len(np.unique(y)), len(np.unique(x))
    config = hf_config(model, vision + "Config", image_size=14 * side, patch_size=14, hidden_size=1, num_attention_heads=1)
    module = hf(model, vision + "Embeddings")(config)
    numbered(module.position_embedding)
    with torch.no_grad():
        module.patch_embedding.weight.zero_(), module.patch_embedding.bias.zero_()
    pixels = torch.zeros(1, 3, 14 * height, 14 * width)
    return module(pixels, torch.ones(1, height, width, dtype=torch.bool))[0, :, 0].detach()


def idefics2(positions):
    return patches(positions, "idefics2", "Idefics2Vision", 70)


def image_gpt(positions):
    from diffusers.models.embeddings import ImagePositionalEmbeddings
    module = ImagePositionalEmbeddings(num_embed=1, height=30, width=40, embed_dim=1)
    numbered(module.height_emb), numbered(module.width_emb)
    with torch.no_grad():
        module.emb.weight.zero_(), module.height_emb.weight.mul_(1000)
    y, x = positions
    sums = module(torch.zeros(1, 30 * 40, dtype=torch.int64))[0, :, 0].detach()[y * 40 + x]
    return torch.stack([sums // 1000, sums % 1000], -1)
