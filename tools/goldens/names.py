# SPDX-License-Identifier: Apache-2.0
"""What the code computes that a name of a preset stands for: tests/tool/names/computed.json, of the names whose record in
tests/tool/names is `code` in a package. tests/tool/names_test.py holds the presets to it.

usage: names.py PACKAGE...    transformers, diffusers, timm: makes the rows of their names anew

Run it in an environment of tools/goldens/packages/PACKAGE.txt. A call gives the rows of POSITIONS, of the cells of an
image of 2 x 3, the classes of its pairs, or the rows of a table that tokens take; `words` asks the tool for the same,
`table` is the file that they read.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib
import json
import sys
import types

import numpy as np
import torch

from relative_originals import numbered
from resize_originals import of_windows

FILE = record.HERE.parents[1] / "tests/tool/names/computed.json"
DIM, POSITIONS = 16, [2, 3, 7]
HEIGHT, WIDTH = 2, 3
LENGTH = 32
LISTED = ",".join(map(str, POSITIONS))
TABLE = ["table", "--dim", str(DIM), "--positions", LISTED]
TIMESTEP = ["timestep", "--dim", str(DIM), "--steps", LISTED]
WIDE = ["timestep", "--dim", "256", "--steps", LISTED[-1]]  # of classes that have one width
GRID = ["grid", "--dim", str(DIM), "--height", str(HEIGHT), "--width", str(WIDTH)]
SQUARE = ["grid", "--dim", str(DIM), "--height", "3", "--width", "3"]
FRAMES, HEAD = 3, 36
CACHE = ["cache", "--dim", str(HEAD), "--height", str(HEIGHT), "--width", str(WIDTH), "--extent", f"t={FRAMES}",
         "--set", "stored=pairs_twice", "--tensor", "cos"]
CLASSES = ["bias", "--window", f"{HEIGHT}x{WIDTH}"]
CELLS = ["bias", "--height", str(HEIGHT), "--width", str(WIDTH)]
PADDED, TAKEN = [7, 7, 1, 7], ["bias", "--set", "rows=512", "--positions", "2,3,1,4"]  # 1 is the padding token
OF_X, OF_Y = [0.5, -1.25, 0.8125, 2.0], [0.25, 1.5, -0.375, -1.0]  # lines of a matrix that a checkpoint holds
SUMMED = ["grid", "--dim", "8", "--height", "3", "--width", "3", "--set", f"ladder.frequencies={','.join(map(str, OF_X))}",
          "--set", "ladders.1=listed", "--set", "ladders.1.unit=turns",
          "--set", f"ladders.1.frequencies={','.join(map(str, OF_Y))}"]
RESIZED = ["resize", "--in", "table.npy", "--height", "5", "--width", "5"]
OF_BIASES = [[float(row * row % 7), float(row)] for row in range(3 * 3 + 3)]


def of(module, name, package="transformers.models"):
    """A name of modeling_MODULE, or of a module by its whole path."""
    path = module if "." in module else f"{package}.{module}.modeling_{module}"
    return getattr(importlib.import_module(path), name)


def config(**fields):
    return types.SimpleNamespace(**fields)


def weights(module, name, *arguments):
    """Rows of a table that the class makes as its weight."""
    made = of(module, name)(*arguments)
    made = made.create_weight() if hasattr(made, "create_weight") else made
    return (made if isinstance(made, torch.Tensor) else made.weight)[POSITIONS]


def fairseq(module, name):
    """Rows from the first that a token has: 0 and the padding id 1 stand in front, as hf-fairseq-offset2 counts them."""
    return of(module, name).get_embedding(LENGTH, DIM, 1)[POSITIONS]


def conformer(module, name, *more):
    """Of a sequence of LENGTH, from its longest distance on."""
    made = of(module, name)(config(hidden_size=DIM, max_source_positions=LENGTH), *more)(torch.zeros(1, LENGTH, DIM))
    rows = (made[1] if isinstance(made, tuple) else made).reshape(-1, DIM)
    return rows[[LENGTH - 1 - p for p in POSITIONS]]


def images(module, name):
    """Of an image without padding, cell by cell."""
    sine = of(module, name)(DIM // 2, normalize=True)
    shape = (1, 3, HEIGHT, WIDTH)
    if "Table" in name:
        out = sine(torch.zeros(shape), torch.ones(1, HEIGHT, WIDTH))
    else:
        out = sine(shape, "cpu", torch.float32)
    out = out[0] if isinstance(out, (tuple, list)) else out
    return out.reshape(DIM, -1).T if out.ndim == 4 else out.reshape(-1, DIM)


def learned(rows):
    """The first row, the third and the last."""
    return ["bias", "--set", f"rows={rows}", "--positions", f"0,2,{rows - 1}"]


EMBEDDINGS = "diffusers.models.embeddings"

TRANSFORMERS = {
    "canary": (TABLE, lambda: of("canary", "CanaryPositionalEmbedding")(LENGTH, DIM)(torch.tensor(POSITIONS))),
    "fastspeech2-conformer": (TABLE, lambda: conformer("fastspeech2_conformer", "FastSpeech2ConformerRelPositionalEncoding",
                                                       {"positional_dropout_rate": 0.0})),
    "wav2vec2-conformer": (TABLE, lambda: conformer("wav2vec2_conformer", "Wav2Vec2ConformerRelPositionalEmbedding")),
    "seamless-conformer": (TABLE, lambda: conformer("seamless_m4t", "SeamlessM4TConformerRelPositionalEmbedding")),
    "xlm": (TABLE, lambda: of("xlm", "create_sinusoidal_embeddings")(LENGTH, DIM, torch.empty(LENGTH, DIM))[POSITIONS]),
    "florence2-temporal": (TABLE, lambda: of("florence2", "Florence2VisionPositionalEmbeddingCosine1D")(
        config(vision_config=config(projection_dim=DIM, embed_dim=[DIM], max_temporal_embeddings=LENGTH),
               projection_dim=DIM, embed_dim=[DIM], max_temporal_embeddings=LENGTH))
        .pos_idx_to_embed[POSITIONS]),
    "xl-sinusoid": (TABLE, lambda: xlnet()),
    "xlnet": (TABLE, lambda: xlnet()),
    "funnel": (TABLE, lambda: funnel()),
    "informer": (TABLE, lambda: weights("informer", "InformerSinusoidalPositionalEmbedding", LENGTH, DIM)),
    "autoformer": (TABLE, lambda: weights("autoformer", "AutoformerSinusoidalPositionalEmbedding", LENGTH, DIM)),
    "time-series-transformer": (TABLE, lambda: weights("time_series_transformer", "TimeSeriesSinusoidalPositionalEmbedding",
                                                       LENGTH, DIM)),
    "vit-mae": (SQUARE, lambda: mae()),
    "mae": (SQUARE, lambda: mae()),
    "omni-audio": (TABLE, lambda: of("qwen2_5_omni", "SinusoidsPositionEmbedding")(LENGTH, DIM)
                   .positional_embedding[POSITIONS]),
    "pegasus-x": (TABLE, lambda: of("pegasus_x", "PegasusXSinusoidalPositionalEmbedding")(DIM)(
        torch.zeros(1, LENGTH, DIM)).reshape(-1, DIM)[POSITIONS]),
    "tipsv2-text": (TABLE, lambda: of("tipsv2", "Tipsv2SinusoidalPositionalEmbedding").get_embedding(LENGTH, DIM)[POSITIONS]),
    "musicgen": (TABLE, lambda: of("musicgen", "MusicgenSinusoidalPositionalEmbedding").get_embedding(LENGTH, DIM)[POSITIONS]),
    "musicgen-melody": (TABLE, lambda: of("musicgen_melody", "MusicgenMelodySinusoidalPositionalEmbedding")
                        .get_embedding(LENGTH, DIM)[POSITIONS]),
    "fsmt": (TABLE, lambda: of("fsmt", "SinusoidalPositionalEmbedding").get_embedding(LENGTH, DIM, None)[POSITIONS]),
    "wmt19": (TABLE, lambda: of("fsmt", "SinusoidalPositionalEmbedding").get_embedding(LENGTH, DIM, None)[POSITIONS]),
    "fun-asr": (TABLE, lambda: of("fun_asr_nano", "FunAsrNanoPositionEmbedding")(LENGTH, DIM).positional_embedding[POSITIONS]),
    "funasr": (TABLE, lambda: of("fun_asr_nano", "FunAsrNanoPositionEmbedding")(LENGTH, DIM).positional_embedding[POSITIONS]),
    "timesfm": (TABLE, lambda: of("timesfm", "TimesFmPositionalEmbedding")(
        config(min_timescale=1, max_timescale=10000, hidden_size=DIM))(position=torch.tensor(POSITIONS)[None].float())[0]),
    "gemma3n-audio-rel": (TABLE, lambda: of("gemma3n", "Gemma3nAudioRelativePositionEmbedding")(
        config(conf_num_attention_heads=1, hidden_size=DIM, conf_attention_context_left=13, conf_attention_context_right=0))
        ._get_timing_signal_1d_pos(torch.tensor([POSITIONS]), torch.float32)[0]),
    "gemma4-audio": (TABLE, lambda: gemma4()),
    "parakeet-rel": (TABLE, lambda: of("parakeet", "ParakeetEncoderRelPositionalEncoding")(
        config(hidden_size=DIM, max_position_embeddings=LENGTH))(torch.zeros(1, LENGTH, DIM))
        [0, [LENGTH - 1 - p for p in POSITIONS]]),
    "videoprism-text": (TABLE, lambda: of("videoprism", "create_sinusoidal_positions")(LENGTH, DIM)[POSITIONS]),
    "videoprism": (TABLE, lambda: of("videoprism", "create_sinusoidal_positions")(LENGTH, DIM)[POSITIONS]),
    **{name: (TABLE, lambda module=module, called=called: fairseq(module, called)) for name, module, called in (
        ("m2m-100", "m2m_100", "M2M100SinusoidalPositionalEmbedding"),
        ("nllb", "m2m_100", "M2M100SinusoidalPositionalEmbedding"),
        ("nllb-moe", "nllb_moe", "NllbMoeSinusoidalPositionalEmbedding"),
        ("xglm", "xglm", "XGLMSinusoidalPositionalEmbedding"),
        ("speech-to-text", "speech_to_text", "Speech2TextSinusoidalPositionalEmbedding"),
        ("speech2text", "speech_to_text", "Speech2TextSinusoidalPositionalEmbedding"),
        ("seamless-m4t", "seamless_m4t", "SeamlessM4TSinusoidalPositionalEmbedding"),
        ("seamlessm4t", "seamless_m4t", "SeamlessM4TSinusoidalPositionalEmbedding"),
        ("trocr", "trocr", "TrOCRSinusoidalPositionalEmbedding"),
        ("kosmos2", "kosmos2", "Kosmos2TextSinusoidalPositionalEmbedding"),
        ("kosmos2.5", "kosmos2_5", "Kosmos2_5TextSinusoidalPositionalEmbedding"))},
    "omni-dit-timestep": (TIMESTEP, lambda: of("qwen2_5_omni", "SinusPositionEmbedding")(DIM)(
        torch.tensor(POSITIONS).float())),
    "vibevoice-timestep": (TIMESTEP, lambda: of("vibevoice", "VibeVoiceDiffusionHeadSinusoidalEmbedding")(
        config(frequency_embedding_size=DIM, hidden_size=DIM, diffusion_max_period=10000))(torch.tensor(POSITIONS).float())),
    **{name: (GRID, lambda module=module, called=called: images(module, called)) for name, module, called in (
        ("detr-sine", "detr", "DetrSinePositionEmbedding"), ("detr", "detr", "DetrSinePositionEmbedding"),
        ("maskformer", "maskformer", "MaskFormerSinePositionEmbedding"),
        ("mask2former", "mask2former", "Mask2FormerSinePositionEmbedding"),
        ("conditional-detr", "conditional_detr", "ConditionalDetrSinePositionEmbedding"),
        ("table-transformer", "table_transformer", "TableTransformerSinePositionEmbedding"),
        ("oneformer", "oneformer", "OneFormerSinePositionEmbedding"),
        ("sam2-image", "sam2", "Sam2SinePositionEmbedding"), ("sam3-image", "sam3", "Sam3SinePositionEmbedding"),
        ("deformable-detr-sine", "deformable_detr", "DeformableDetrSinePositionEmbedding"),
        ("deformable-detr", "deformable_detr", "DeformableDetrSinePositionEmbedding"))},
    "swin-window": (CLASSES, lambda: swin()),
    "donut-swin": (CLASSES, lambda: donut()),
    "beit-window": (CLASSES, lambda: beit("beit", "BeitRelativePositionBias")),
    "beit": (CLASSES, lambda: beit("beit", "BeitRelativePositionBias")),
    "data2vec-vision": (CLASSES, lambda: beit("data2vec.modeling_data2vec_vision", "Data2VecVisionRelativePositionBias")),
    "data2vec-vision-resize": (RESIZED, lambda: of_windows(
        of("transformers.models.data2vec.modeling_data2vec_vision", "Data2VecVisionRelativePositionBias"),
        np.array(OF_BIASES, np.float32), (3, 3), (5, 5)), OF_BIASES),
    **{name: (CLASSES, lambda: swin_v2()) for name in ("swinv2-cpb", "swinv2", "swin-v2")},
    "blip": (learned(512), lambda: tokens(blip(), "position_embeddings")),
    "bark": (learned(1024), lambda: tokens(bark(), "position_embeds_layer")),
    "owl-vit": (learned(16), lambda: tokens(of("owlvit", "OwlViTTextEmbeddings")(of(
        "transformers.models.owlvit.configuration_owlvit", "OwlViTTextConfig")()), "position_embedding")),
    "timesformer": (learned(197), lambda: timesformer()),
    "data2vec-text": (TAKEN, lambda: padded("data2vec.modeling_data2vec_text", "Data2VecTextEmbeddings")),
    "ibert": (TAKEN, lambda: padded("ibert.modeling_ibert", "IBertEmbeddings")),
    "conditional-detr-learned": (CELLS, lambda: lines_and_columns(
        of("conditional_detr", "ConditionalDetrLearnedPositionEmbedding"), (1, 1, HEIGHT, WIDTH), "cpu", torch.float32)),
    "table-transformer-learned": (CELLS, lambda: lines_and_columns(
        of("table_transformer", "TableTransformerLearnedPositionEmbedding"), torch.zeros(1, 1, HEIGHT, WIDTH))),
    **{name: (SUMMED, lambda module=module, prefix=prefix: sam(module, prefix)) for name, module, prefix in (
        ("sam", "sam", "Sam"), ("sam-prompt", "sam", "Sam"), ("sam2", "sam2", "Sam2"),
        ("sam3", "sam3_tracker", "Sam3Tracker"), ("edgetam", "edgetam", "EdgeTam"), ("sam-hq", "sam_hq", "SamHQ"))},
}


def xlnet():
    model = of("xlnet", "XLNetModel")
    made = config(d_model=DIM, attn_type="bi", bi_data=False, clamp_len=-1, positional_embedding=model.positional_embedding)
    return model.relative_positional_encoding(made, LENGTH, LENGTH)[[LENGTH - p for p in POSITIONS], 0]


def funnel():
    """Of its first block, whose distances begin with LENGTH."""
    structure = of("funnel", "FunnelAttentionStructure")(config(d_model=DIM, attention_type="relative_shift", num_blocks=1,
                                                                hidden_dropout=0.0, separate_cls=False, pool_q_only=False,
                                                                truncate_seq=False))
    structure.seq_len = LENGTH
    (rows, _), = structure.get_position_embeds(LENGTH, torch.float32, "cpu")
    return rows[[LENGTH - p for p in POSITIONS]]


def mae():
    """What a model of 3 x 3 patches begins with, behind its class token: the halves of its function, exchanged."""
    stated = of("transformers.models.vit_mae.configuration_vit_mae", "ViTMAEConfig")(
        hidden_size=DIM, num_hidden_layers=1, num_attention_heads=1, intermediate_size=1, image_size=12, patch_size=4)
    embeddings = of("vit_mae", "ViTMAEEmbeddings")(stated)
    embeddings.initialize_weights()
    return embeddings.position_embeddings[0, 1:]


def gemma4():
    """Of the 12 distances of its context, from the farthest on to 0."""
    made = of("gemma4", "Gemma4AudioRelPositionalEncoding")(config(
        hidden_size=DIM, attention_chunk_size=12, attention_context_left=13, attention_context_right=0,
        conf_attention_chunk_size=12, conf_attention_context_left=13, conf_attention_context_right=0))
    rows = made(torch.zeros(1, LENGTH, DIM)).reshape(-1, DIM)
    return rows[[len(rows) - 1 - p for p in POSITIONS]]


def swin():
    return of("swin", "SwinRelativePositionBias")(1, (HEIGHT, WIDTH)).relative_position_index.reshape(HEIGHT * WIDTH, -1)


def donut():
    stated = config(attention_probs_dropout_prob=0.0, qkv_bias=True)
    made = of("transformers.models.donut.modeling_donut_swin", "DonutSwinSelfAttention")(stated, 8, 1, (HEIGHT, WIDTH))
    return made.relative_position_index.reshape(HEIGHT * WIDTH, -1)


def beit(module, name):
    bias = of("transformers.models." + module if "." in module else module, name)
    return bias.generate_relative_position_index((HEIGHT, WIDTH)) if hasattr(bias, "generate_relative_position_index") else \
        bias(config(num_attention_heads=1), (HEIGHT, WIDTH)).relative_position_index


def swin_v2():
    """Of a window that no other one was trained for: what the network of its biases is given."""
    made = of("swinv2", "Swinv2SelfAttention")(config(qkv_bias=True, attention_probs_dropout_prob=0.0), 8, 1, (HEIGHT, WIDTH))
    return made.relative_coords_table.reshape(-1, 2)


def asked(table, call):
    """The rows that a call looks up in a table."""
    seen = []
    table.register_forward_hook(lambda _, given, __: seen.append(given[0]))
    call()
    return seen[0].reshape(-1, 1)


def tokens(layer, table):
    """Of as many tokens as the table has rows: those of `learned`."""
    rows = getattr(layer, table)
    return asked(rows, lambda: layer(torch.zeros(1, len(rows.weight), dtype=torch.long)))[[0, 2, -1]]


def padded(module, name):
    """Of tokens with a padding token among them."""
    made = of(f"transformers.models.{module}", name)(config(
        vocab_size=8, hidden_size=4, pad_token_id=1, max_position_embeddings=512, type_vocab_size=1, layer_norm_eps=1e-5,
        hidden_dropout_prob=0.0, quant_mode=False, force_dequant="none"))
    return asked(made.position_embeddings, lambda: made(torch.tensor([PADDED])))


def blip():
    stated = of("transformers.models.blip.configuration_blip", "BlipTextConfig")()
    return of("transformers.models.blip.modeling_blip_text", "BlipTextEmbeddings")(stated)


def bark():
    stated = of("transformers.models.bark.configuration_bark", "BarkSemanticConfig")(
        num_layers=1, num_heads=1, hidden_size=4, input_vocab_size=2, output_vocab_size=2)
    return of("bark", "BarkCausalModel")(stated)


def timesformer():
    """Of a frame: patches and times of zeros leave the rows, whose numbers the table holds."""
    stated = of("transformers.models.timesformer.configuration_timesformer", "TimesformerConfig")(num_frames=1)
    made = of("timesformer", "TimesformerEmbeddings")(stated)
    with torch.no_grad():
        for weights in made.parameters():
            weights.zero_()
        made.position_embeddings += torch.arange(float(made.num_patches + 1))[None, :, None]
        return made(torch.zeros(1, 1, 3, stated.image_size, stated.image_size))[0, [0, 2, -1], :1]


def lines_and_columns(embedding, *image):
    made = embedding(1)
    numbered(made.row_embeddings), numbered(made.column_embeddings)
    return made(*image)[0].reshape(2, -1).T


def sam(module, prefix):
    """Of an image of 3 x 3 cells."""
    made = of(module, f"{prefix}PositionalEmbedding")(config(scale=1, num_pos_feats=len(OF_X), hidden_size=2 * len(OF_X)))
    made.positional_embedding.data = torch.tensor([OF_X, OF_Y])
    model = config(shared_image_embedding=made, prompt_encoder=config(image_embedding_size=(3, 3)),
                   config=config(prompt_encoder_config=config(image_embedding_size=3)))
    return of(module, f"{prefix}Model").get_image_wide_positional_embeddings(model)[0].reshape(2 * len(OF_X), -1).T


DIFFUSERS = {
    "latte": (TABLE, lambda: of(EMBEDDINGS, "get_1d_sincos_pos_embed_from_grid")(
        DIM, torch.tensor(POSITIONS).reshape(-1, 1), output_type="pt")),
    "qwenimage-timestep": (TIMESTEP, lambda: of("diffusers.models.transformers.transformer_qwenimage", "get_timestep_embedding")(
        torch.tensor(POSITIONS).float(), DIM, flip_sin_to_cos=True, downscale_freq_shift=0, scale=1000)),
    "ernie-image-timestep": (TIMESTEP, lambda: of(EMBEDDINGS, "Timesteps")(DIM, False, 0)(torch.tensor(POSITIONS))),
    "aura-flow-timestep": (TIMESTEP, lambda: of(EMBEDDINGS, "Timesteps")(DIM, True, 0, 1000)(torch.tensor(POSITIONS))),
    **{name: (WIDE, lambda called=called, rest=rest: of(EMBEDDINGS, called)(*rest).time_proj(
        torch.tensor(POSITIONS[-1:]).float())) for name, called, rest in (
        ("dit-label", "CombinedTimestepLabelEmbeddings", (4, 4)),
        ("flux", "CombinedTimestepTextProjEmbeddings", (4, 4)), ("sd3", "CombinedTimestepTextProjEmbeddings", (4, 4)))},
    "wan": (WIDE, lambda: of("diffusers.models.transformers.transformer_wan",
            "WanTimeTextImageEmbedding")(4, 256, 4, 4).timesteps_proj(torch.tensor(POSITIONS[-1:]).float())),
    "wan-2.1": (CACHE, lambda: video("wan", "WanRotaryPosEmbed")),
    "skyreels": (CACHE, lambda: video("skyreels_v2", "SkyReelsV2RotaryPosEmbed")),
    "chronoedit": (CACHE, lambda: video("chronoedit", "ChronoEditRotaryPosEmbed", temporal_skip_len=8)),
    "sdxl": (["timestep", "--dim", "32", "--steps", LISTED], lambda: sdxl()),
}


def video(module, name, **more):
    """Cosines of every cell of a video; patches are of 2 x 2."""
    made = of(f"diffusers.models.transformers.transformer_{module}", name)(HEAD, (1, 2, 2), 64, **more)
    return made(torch.zeros(1, 4, FRAMES, 2 * HEIGHT, 2 * WIDTH))[0].reshape(-1, HEAD)


def sdxl():
    """The projection that a UNet makes with the defaults of its class, of blocks of 32 channels."""
    net = of("diffusers.models.unets.unet_2d_condition", "UNet2DConditionModel")(
        sample_size=8, block_out_channels=(32,), down_block_types=("DownBlock2D",), up_block_types=("UpBlock2D",),
        layers_per_block=1, cross_attention_dim=32)
    return net.time_proj(torch.tensor(POSITIONS).float())


def maxvit():
    """Of maxvit_*_rw_*, whose rel_pos_type is bias."""
    import timm_layers  # enters timm without torchvision
    made = of("timm.layers.pos_embed_rel", "RelPosBias")((HEIGHT, WIDTH), 1)
    return made.relative_position_index.reshape(HEIGHT * WIDTH, -1)


PACKAGES = {"transformers": TRANSFORMERS, "diffusers": DIFFUSERS, "timm": {"maxvit": (CLASSES, maxvit)}}


def short(rows):
    """Nine digits tell a number of f32; the integers are classes."""
    rows = rows.detach().numpy() if isinstance(rows, torch.Tensor) else np.asarray(rows)
    if np.issubdtype(rows.dtype, np.integer):
        return rows.astype(int).tolist()
    return [[float(f"{x:.9g}") for x in row] for row in rows.astype(np.float64).reshape(len(rows), -1)]


def main(packages):
    made = json.loads(FILE.read_text())["computed"] if FILE.is_file() else {}
    for package in packages:
        for name, (words, call, *table) in PACKAGES[package].items():
            made[name] = {"words": words, "rows": short(call())} | ({"table": table[0]} if table else {})
    lines = [f" {json.dumps(name)}: {json.dumps(made[name])}" for name in sorted(made)]
    FILE.write_text('{"computed": {\n' + ",\n".join(lines) + "\n}}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
