# SPDX-License-Identifier: Apache-2.0
"""Biases, classes of pairs, factors of queries and rows of stored tables."""
from works import Answers, Biases, Script

HEADS = (1, 2, 3, 8, 12, 32, 71)
# Keys of biases that count present ones.
SOME_KEYS = (0, 1, 1, 0, 1, 1, 1, 0, 1)
# Positions of queries: on both sides of steps of 8192 and 16384.
QUERIES = (0, 1, 100, 8190, 8191, 8192, 16382, 16383, 16384, 32767, 40000, 65535, 262143, 10**6, 10**7)
# Of stored tables: tokens, and batches with pads on either side.
TOKENS = {"tokens": ("positions", [[0, 1, 2, 7, 100, 511]])}
MASKS = {"pads": ("mask", [[0, 0, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0], [0, 1, 1, 0, 1, 1]])}


def cells_on(side, height, width):
    """[y, x] of the cells of an image, line by line, on a table of side x side."""
    cells = [(side * y // height, side * x // width) for y in range(height) for x in range(width)]
    return [[y for y, _ in cells], [x for _, x in cells]]


# Tables that are resized: from a square to any size, to squares, from any size, and those of windows, of 2 w - 1 cells.
SQUARES = tuple(((side, side), after) for side, after in (
    (1, (3, 2)), (2, (1, 13)), (3, (64, 2)), (7, (7, 7)), (7, (13, 16)), (13, (14, 7)), (14, (24, 24)), (14, (37, 3)),
    (16, (14, 200)), (24, (14, 14)), (37, (16, 13)), (37, (200, 1)), (64, (7, 24)), (200, (13, 3)), (200, (199, 2))))
OBLONGS = (((3, 5), (7, 64)), ((37, 2), (1, 24)), ((1, 200), (2, 37)))
TO_SQUARES = tuple(((a, a), (b, b)) for a, b in (
    (1, 2), (2, 1), (3, 7), (7, 3), (8, 26), (13, 14), (14, 13), (16, 24), (24, 16), (37, 24), (64, 14), (200, 37)))
WINDOWS = tuple(((a, a), after) for a, after in (
    (1, (3, 3)), (3, (1, 1)), (13, (23, 23)), (13, (15, 7)), (23, (13, 47)), (27, (63, 13)), (63, (13, 27))))

WORKS = [
    Script("alibi", "transformers", "bias", "slopes and tables by ALiBi's authors, BLOOM and MPT, and correctly rounded",
           preset="alibi"),
    Biases(preset="mpt-alibi", package="transformers", value="key_from_last", heads=HEADS,
           call="transformers.models.mpt.modeling_mpt: build_mpt_alibi_tensor(heads, keys).squeeze(1)"),
    Answers(preset="t5-bucket", package="transformers", kind="classes",
            call="transformers.models.t5.modeling_t5: T5Attention._relative_position_bucket(torch.tensor(distances), "
                 "True, 32, 128)"),
    Answers(preset="t5-bucket-decoder", package="transformers", kind="classes",
            call="transformers.models.t5.modeling_t5: T5Attention._relative_position_bucket(torch.tensor(distances), "
                 "False, 32, 128)"),
    Answers(preset="mpnet-bucket", package="transformers", kind="classes",
            call="transformers.models.mpnet.modeling_mpnet: MPNetEncoder.relative_position_bucket("
                 "torch.tensor(distances), 32, 128)"),
    Answers(preset="wavlm-bucket", package="transformers", kind="classes",
            call="relative_originals: hf('wavlm', 'WavLMAttention')._relative_positions_bucket("
                 "types.SimpleNamespace(num_buckets=320, max_distance=800), torch.tensor(distances))"),
    Answers(preset="layoutlm-bucket", package="transformers", kind="classes",
            call="relative_originals: hf('layoutlmv2', 'relative_position_bucket')("
                 "torch.tensor(distances), num_buckets=32, max_distance=128)"),
    Answers(preset="layoutlm-2d-bucket", package="transformers", kind="classes",
            call="relative_originals: hf('layoutlmv2', 'relative_position_bucket')("
                 "torch.tensor(distances), num_buckets=64, max_distance=256)"),
    Answers(preset="layoutlmv3-bucket", package="transformers", kind="classes",
            call="relative_originals: hf('layoutlmv3', 'LayoutLMv3Encoder').relative_position_bucket("
                 "None, torch.tensor(distances), num_buckets=32, max_distance=128)"),
    Answers(preset="layoutlmv3-2d-bucket", package="transformers", kind="classes",
            call="relative_originals: hf('layoutlmv3', 'LayoutLMv3Encoder').relative_position_bucket("
                 "None, torch.tensor(distances), num_buckets=64, max_distance=256)"),
    Answers(preset="xt-t5-bucket", package="x-transformers", kind="classes",
            call="x_transformers.x_transformers: RelativePositionBias._relative_position_bucket(torch.tensor(distances), "
                 "causal=True, num_buckets=32, max_distance=128)"),
    Answers(preset="deberta-bucket", package="transformers", kind="classes",
            call="transformers.models.deberta_v2.modeling_deberta_v2: make_log_bucket_position("
                 "torch.tensor(-distances), 256, 512).long()"),
    Answers(preset="deberta-v1", package="numpy", kind="classes",
            call="relative_originals: clipped(-distances, 512, 511)"),
    Answers(preset="shaw", package="numpy", kind="classes", call="relative_originals: clipped(distances, 16, 16)"),
    Answers(preset="bert-relative-key", package="numpy", kind="classes",
            call="relative_originals: clipped(-distances, 511, 511)"),
    Answers(preset="wav2vec2-bert", package="transformers", kind="classes", reach=300,
            call="relative_originals: wav2vec2_bert(distances)"),
    Answers(preset="sam-decomposed", package="transformers", kind="classes", reach=63,
            call="relative_originals: sam(distances)"),
    Answers(preset="swin-window", package="timm", kind="windows", cases=((7, 7), (4, 6), (1, 3)),
            call="timm_layers: gen_relative_position_index((height, width))"),
    Answers(preset="beit-window", package="transformers", kind="windows", cases=((4, 4), (4, 6), (1, 3)),
            call="transformers.models.beit.modeling_beit: BeitRelativePositionBias.generate_relative_position_index("
                 "(height, width))"),
    Answers(preset="swinv2-cpb", package="timm", kind="coordinates", gain=8, cases=((7, 7), (8, 16), (2, 3)),
            call="timm_layers: gen_relative_log_coords((height, width))"),
    Answers(preset="swin-cr-cpb", package="timm", kind="coordinates", cases=((7, 5), (1, 12)),
            call="timm_layers: gen_relative_log_coords((height, width), mode='cr')"),
    Answers(preset="llama4-temperature", package="torch", kind="query_scales", gain=0.1, every=8192, origin=1,
            cases=QUERIES, call="relative_originals: llama4(positions)"),
    Answers(preset="ministral3-temperature", package="transformers", kind="query_scales", gain=0.1, every=16384,
            cases=QUERIES, call="transformers.models.ministral3.modeling_ministral3: get_llama_4_attn_scale("
                                "torch.tensor(positions)[None], 0.1, 16384)[0, 0, :, 0]"),
    Answers(preset="inkling-temperature", package="torch", kind="query_scales", gain=0.1, every=128000, origin=1,
            law="log_clamp", cases=QUERIES + (127999, 128000, 131071, 1048575), call="relative_originals: inkling(positions)"),
    Answers(preset="qwen-logn", package="numpy", kind="query_scales", every=8192, origin=1, cases=QUERIES[:-3],
            call="relative_originals: qwen(positions)"),
    Answers(preset="learned", package="transformers", kind="stored_rows", cases=TOKENS,
            call="relative_originals: bert(positions)"),
    Answers(preset="learned-offset2", package="transformers", kind="stored_rows", cases=TOKENS,
            call="relative_originals: bart(positions)"),
    Answers(preset="opt", package="transformers", kind="stored_rows", cases=MASKS, numbering=(0, -1),
            call="relative_originals: opt(mask)"),
    Answers(preset="learned-padding-idx", package="transformers", kind="stored_rows", cases=MASKS, numbering=(2, 1),
            call="relative_originals: roberta(mask)"),
    Answers(preset="prophetnet", package="transformers", kind="stored_rows", numbering=(1, 0),
            cases=MASKS | {"long": ("mask", [[0, 0] + [1] * 518])}, call="relative_originals: prophetnet(mask)"),
    Answers(preset="learned-scaled", package="x-transformers", kind="stored_rows", cases=TOKENS,
            call="xt_originals: absolute(positions)"),
    Answers(preset="kerashub-position", package="numpy", kind="stored_rows", cases=TOKENS,
            call="relative_originals: positions[0]"),
    Answers(preset="t2t-learned", package="numpy", kind="stored_rows", cases={"long": ("positions", [[*range(300)]])},
            call="relative_originals: np.where(positions[0] < 256, positions[0], -1)"),
    Answers(preset="marian-trained", package="numpy", kind="stored_rows", cases={"long": ("positions", [[*range(60)]])},
            call="relative_originals: np.minimum(positions[0], 49)"),
    Answers(preset="detr-learned", package="transformers", kind="stored_rows",
            cases={"cells": ("positions", [[0, 3, 49, 7], [0, 5, 2, 49]])}, call="relative_originals: detr(positions)"),
    Answers(preset="imgpt-learned", package="diffusers", kind="stored_rows",
            cases={"cells": ("positions", [[0, 3, 29, 7], [0, 5, 2, 39]])},
            call="relative_originals: image_gpt(positions)"),
    Answers(preset="t2t-emb-nd", package="numpy", kind="stored_rows",
            cases={"cells": ("positions", [[0, 3, 63, 64], [0, 80, 2, 63]])},
            call="relative_originals: np.where(positions < 64, positions, -1).T"),
    Answers(preset="reformer-axial", package="transformers", kind="stored_rows",
            cases={"first": ("positions", [[p // 64 for p in range(200)], [p % 64 for p in range(200)]])},
            call="relative_originals: reformer(positions)"),
    Answers(preset="idefics2-patch", package="transformers", kind="stored_rows",
            cases={f"h{h}w{w}": ("positions", cells_on(70, h, w)) for h, w in ((5, 9), (13, 3), (14, 14))},
            call="relative_originals: idefics2(positions)"),
    Answers(preset="phi-4-multimodal-vision", package="transformers", kind="stored_rows",
            cases={f"h{h}w{w}": ("positions", cells_on(32, h, w)) for h, w in ((5, 9), (13, 3), (14, 14))},
            call="relative_originals: patches(positions, 'phi4_multimodal', 'Phi4MultimodalVision', 32)"),
    Biases(preset="bloom-alibi", package="transformers", value="key", heads=HEADS, mask=SOME_KEYS, places=14,
           call="transformers.models.bloom.modeling_bloom: build_alibi_tensor(torch.tensor(mask), heads, "
                "torch.float32)[:, 0]"),
    Biases(preset="falcon-alibi", package="transformers", value="key", heads=HEADS, mask=SOME_KEYS, head=64, bf16=True,
           places=2**16,  # products are bf16, too
           call="transformers.models.falcon.modeling_falcon: build_alibi_tensor(torch.tensor(mask), heads, "
                "torch.float32)[:, 0] * 64 ** -0.5"),
    Biases(preset="ct2-alibi", package="numpy", value="key", heads=HEADS, call="slopes: written_again(heads, 'key')"),
    Biases(preset="ggml-alibi", package="numpy", value="causal", heads=HEADS,
           call="slopes: written_again(heads, 'causal')"),
    Answers(preset="vit-resize", package="transformers", kind="resized", extra=1, cases=SQUARES,
            call="resize_originals: vit(table, after)"),
    Answers(preset="dino-resize", package="torch", kind="resized", extra=1, cases=SQUARES,
            call="resize_originals: dino(table, before, after)"),
    Answers(preset="timm-resize", package="timm", kind="resized", extra=1, cases=SQUARES + OBLONGS,
            call="timm_layers: resample_abs_pos_embed(torch.tensor(table)[None], after, before)[0]"),
    Answers(preset="levit-resize", package="timm", kind="resized", cases=TO_SQUARES,
            call="timm_layers: resize_rel_pos_bias_table_levit(torch.tensor(table), (after[0] * after[1], 3))"),
    Answers(preset="swin-resize", package="timm", kind="resized", cases=WINDOWS,
            call="resize_originals: swin(table, after)"),
    Answers(preset="beit-resize", package="transformers", kind="resized", extra=3, cases=WINDOWS,
            call="resize_originals: beit(table, before, after)"),
    Answers(preset="bigvision-resize", package="scipy", kind="resized", cases=TO_SQUARES,
            call="resize_originals: big_vision(table, before, after)"),
]
