# SPDX-License-Identifier: Apache-2.0
"""Waves of one axis and of grids: tables by their originals, and correctly rounded."""
from works import Cells, Formula, Table

FEW = [0, 1, 2, 3, 100, 511, 1023, 4999]
ROWS = [0, 1, 2, 3, 5, 7, 13, 31, 100, 127, 511, 1023, 2047, 4093, 4999]
FAR = [65537, 1000003, 16777217]  # the last is no f32
WHISPER = [0, 1, 2, 3, 5, 7, 13, 31, 100, 127, 511, 1023, 1499]
ENDS = WHISPER[:4] + WHISPER[-4:]
REAL = [0.5, -1.0, -3.0, 2.25, 0.1, -1023.75, 1e-3, 1000000.5, 4294967297.0, 9007199254740992.0]
STEPS = [0, 1, 2, 3, 5, 20, 100, 481, 500, 981, 999, 1000]
FRACTIONS = [0.5, 0.25, 999.5, 0.1, 333.3333, 1e-3, -1.0, 1000000.5]
FLOW = [0.0, 1.0, 0.5, 0.25, 0.1, 0.3333333, 0.9990234375, 1e-3]  # steps from 0 to 1
MARIAN = [0, 1, 2, 3, 5, 7, 13, 31, 100, 127, 511, 1023, 2047]
DISTANCES = [0, 1, -1, 2, -2, 7, -7, 100, -100, 511, -511, 4999, -4999]
BOXES = [0, 1, 2, 3, 50, 99.5, 100, 0.1, 33.3333, 12.25]  # coordinates of a page, times 100
FIVE = [0, 1, 2, 3, 4]  # the worked example: length 5, width 14
TUTORIAL = {2: ROWS, 4: ROWS, 8: ROWS, 14: FIVE, 64: ROWS, 512: FEW}
PAPER = Formula("over_width", "interleaved", "refused")
HALVES = Formula("over_width", "sine_first", "refused")
ENDPOINT = Formula("over_gaps", "sine_first", "refused")
TIMESTEP = Formula("over_gaps", "sine_first", "zero_column")
PAIRS_STEP = Formula("over_pairs", "cosine_first", "zero_column")
DIVISORS = "numpy: power(10000, arange(0, dim, 2) / dim)"
RECIPROCALS = "torch: 1 / 10000 ** (arange(0.0, dim, 2.0) / dim)"
GRIDS = {4: [(2, 2), (2, 3)], 8: [(3, 3), (3, 2)], 16: [(1, 5)], 64: [(14, 3)], 512: [(2, 2)]}
TIMM_LADDER = {"f32-reciprocal": "timm_layers: freq_bands(dim // 4, step=1)"}

WORKS = [
    Table(preset="transformer", package="numpy", calls={}, types=("f32", "f64", "f16", "bf16"), formula=PAPER,
          rows={2: ROWS + FAR, 8: ROWS + REAL, 64: ROWS + FAR, 512: FEW}),
    Table(preset="opennmt", package="torch", calls={"f32-exp": "torch_originals: opennmt(dim, positions)"},
          formula=PAPER, rows=TUTORIAL),
    Table(preset="nemo-fixed", package="transformers",
          formula=Formula("over_width", "sine_first", "refused", scale="one_over_sqrt_d"),
          calls={"f32-exp": "transformers.models.canary.modeling_canary: "
                            "CanaryPositionalEmbedding(5000, dim)(torch.tensor(positions))"},
          ladders={"f32-exp": "numpy: torch.exp(-(log(10000 ** ((dim - 2) / dim)) / (dim // 2 - 1)) "
                              "* torch.arange(dim // 2).float())"},
          rows={4: ROWS, 6: ROWS, 8: ROWS, 64: ROWS, 512: FEW}),
    Table(preset="pytorch-divide", package="torch", formula=PAPER, rows=TUTORIAL,
          calls={"f32-divide": "torch_originals: pytorch_divide(dim, positions)"}),
    Table(preset="pytorch", package="torch", calls={"f32-exp": "torch_originals: pytorch(dim, positions)"},
          formula=PAPER, rows=TUTORIAL),
    Table(preset="annotated-transformer", package="torch", calls={"f32-exp": "torch_originals: pytorch(dim, positions)"},
          formula=PAPER, rows=TUTORIAL),
    Table(preset="torch-examples", package="torch", calls={"f32-exp": "torch_originals: pytorch(dim, positions)"},
          formula=PAPER, rows=TUTORIAL),
    Table(preset="tf-official", package="torch",
          calls={"f32-exp-graph": "torch_originals: tf_official(dim, positions)"},
          formula=Formula("over_gaps", "sine_first", "short_row"),
          rows={4: ROWS + FAR, 7: ROWS, 8: ROWS, 14: FIVE, 64: ROWS + FAR, 512: FEW}),
    Table(preset="tensor2tensor", package="torch",
          calls={"f32-exp-graph": "torch_originals: tensor2tensor(dim, positions)"},
          formula=Formula("over_gaps_or_one", "sine_first", "zero_column"),
          rows={2: ROWS, 3: ROWS, 4: ROWS + FAR, 7: ROWS, 14: FIVE, 64: ROWS + FAR, 65: FEW, 512: FEW}),
    Table(preset="espnet-abs", package="espnet", formula=PAPER,
          calls={"f32-exp": "alone: source('espnet/nets/pytorch_backend/transformer/embedding.py')"
                            ".PositionalEncoding(dim, 0.0).pe[0][positions]"},
          ladders={"f32-exp": "torch_originals: opennmt(dim, [0])[0]"}, rows={2: ROWS, 4: ROWS, 14: FIVE, 64: ROWS}),
    Table(preset="burn-sinusoids", package="torch", calls={"f32-exp-graph": "torch_originals: burn(dim, positions)"},
          formula=PAPER, rows={2: ROWS, 4: ROWS, 14: FIVE, 22: ROWS, 64: ROWS}),
    Table(preset="diffusers-sin1d", package="diffusers", formula=PAPER,
          calls={"f32-exp": "diffusers.models.embeddings: SinusoidalPositionalEmbedding(dim, 5000).pe[0][positions]"},
          ladders={"f32-exp": "torch_originals: pytorch(dim, [0])[0]"}, rows={2: ROWS, 4: ROWS, 14: FIVE, 64: ROWS}),
    Table(preset="espnet-rel", package="transformers", formula=PAPER,
          calls={"f32-exp": "transformers.models.fastspeech2_conformer.modeling_fastspeech2_conformer: "
                            "FastSpeech2ConformerRelPositionalEncoding(type('Config', (), {'hidden_size': dim}), "
                            "{'positional_dropout_rate': 0.0}).pos_enc[0, [4999 - p for p in positions]]"},
          ladders={"f32-exp": "torch_originals: opennmt(dim, [0])[0]"},
          rows={2: DISTANCES, 8: DISTANCES, 64: DISTANCES}),
    Table(preset="xlm", package="transformers", formula=Formula("over_width", "interleaved", "lone_sine"),
          calls={"f64-divide-to-f32": "transformers.models.xlm.modeling_xlm: "
                                      "create_sinusoidal_embeddings(5000, dim, torch.empty(5000, dim))[positions]"},
          ladders={"f64-divide-to-f32": DIVISORS}, rows={2: ROWS, 3: ROWS, 7: ROWS, 8: ROWS, 64: ROWS, 65: ROWS}),
    Table(preset="florence2-temporal", package="transformers", formula=PAPER,
          calls={"f32-exp": "transformers.models.florence2.modeling_florence2: "
                            "Florence2VisionPositionalEmbeddingCosine1D(type('Config', (), {'vision_config': type("
                            "'Vision', (), {'embed_dim': [dim], 'max_temporal_embeddings': 5000})}))"
                            ".pos_idx_to_embed[positions]"},
          ladders={"f32-exp": "torch_originals: opennmt(dim, [0])[0]"}, rows={2: ROWS, 4: ROWS, 14: FIVE, 64: ROWS}),
    Table(preset="positional-encodings-1d", package="positional-encodings",
          formula=Formula("over_pairs_up", "interleaved", "lone_sine"),
          calls={"f32-reciprocal": "positional_encodings.torch_encodings: "
                                   "PositionalEncoding1D(dim)(torch.zeros(1, 5000, dim))[0][positions]"},
          ladders={"f32-reciprocal": "positional_encodings.torch_encodings: PositionalEncoding1D(dim).inv_freq"},
          # Not 65: a power there is a last place off in PyTorch, which makes two in its reciprocal.
          rows={1: ROWS, 2: ROWS, 3: ROWS, 7: ROWS, 8: ROWS, 63: ROWS, 64: ROWS}),
    Table(preset="mae-1d", package="numpy", calls={"f64": "numpy_originals: mae_1d(dim, positions)"}, formula=HALVES,
          rows={2: ROWS + REAL, 4: ROWS + REAL, 8: ROWS + REAL, 64: FEW + REAL, 512: FEW}),
    Table(preset="bros-1d", package="transformers", formula=HALVES,
          calls={"f32-reciprocal": "transformers.models.bros.modeling_bros: BrosPositionalEmbedding1D(type("
                                   "'Config', (), {'dim_bbox_sinusoid_emb_1d': dim}))"
                                   "(torch.tensor(positions).float().view(-1, 1, 1))[:, 0, 0]"},
          ladders={"f32-reciprocal": RECIPROCALS}, rows={2: BOXES, 4: BOXES, 24: BOXES, 64: BOXES}),
    Table(preset="xl-sinusoid", package="transformers", formula=HALVES,
          calls={"f32-reciprocal": "transformers.models.xlnet.modeling_xlnet: XLNetModel.relative_positional_encoding("
                                   "type('Model', (), {'d_model': dim, 'attn_type': 'bi', 'bi_data': False, "
                                   "'clamp_len': -1, 'positional_embedding': XLNetModel.positional_embedding}), "
                                   "5000, 5000)[[5000 - p for p in positions], 0]"},
          ladders={"f32-reciprocal": RECIPROCALS}, rows={2: DISTANCES, 8: DISTANCES, 64: DISTANCES}),
    Table(preset="marian-native", package="torch",
          calls={"f32-exp-graph": "torch_originals: marian_native(dim, positions)"},
          formula=Formula("over_width_less_one", "sine_first", "repeated_cosine"),
          rows={3: ROWS, 4: ROWS, 7: ROWS, 8: ROWS, 64: ROWS, 65: ROWS}),
    Table(preset="ct2-marian", package="ctranslate2", formula=HALVES,
          calls={"f64-divide": "ctranslate2.converters.marian: "
                               "_make_sinusoidal_position_encodings(dim)[positions]"},
          rows={2: MARIAN, 4: MARIAN, 8: MARIAN, 64: MARIAN}, length=2048),
    Table(preset="marian-hf", package="transformers", formula=Formula("over_width", "sine_first", "lone_sine"),
          calls={"f64-divide-to-f32": "transformers.models.marian.modeling_marian: "
                                      "MarianSinusoidalPositionalEmbedding(5000, dim).create_weight()[positions]"},
          ladders={"f64-divide-to-f32": DIVISORS}, rows={2: ROWS, 3: ROWS, 7: ROWS, 8: ROWS, 64: ROWS, 65: ROWS}),
    Table(preset="tf-tutorial", package="numpy", calls={"f64-to-f32": "numpy_originals: tf_tutorial(dim, positions)"},
          formula=Formula("over_width", "interleaved", "lone_sine"),
          rows={2: ROWS + FAR, 3: ROWS, 7: ROWS, 8: ROWS + FAR, 15: ROWS, 64: ROWS + FAR, 512: FEW}),
    Table(preset="mae-2d", package="numpy", calls={"f64": "numpy_originals: mae_2d(dim, grid)"},
          formula=Cells("xy", "over_width", "sine_first"),
          rows={4: [(2, 2), (2, 3)], 8: [(3, 3), (3, 2)], 16: [(1, 5)], 64: [(4, 4)], 512: [(2, 2)]}),
    Table(preset="d-fine-2d", package="transformers", formula=Cells("yx", "over_width", "sine_first"),
          calls={"f64-to-f32": "transformers.models.d_fine.modeling_d_fine: "
                               "build_2d_sinusoidal_position_embedding(*grid, dim)"},
          ladders={"f64-to-f32": "numpy_originals: mae_1d(dim // 2, [0])[0]"}, rows=GRIDS),
    Table(preset="timm-2d", package="timm", formula=Cells("yx", "over_width", "sine_first", "row"),
          calls={"f32-reciprocal": "timm_layers: build_sincos2d_pos_embed(list(grid), dim)"},
          ladders=TIMM_LADDER, rows=GRIDS),
    Table(preset="timm-2d-interleaved", package="timm", formula=Cells("yx", "over_width", "sine_first"),
          calls={"f32-reciprocal": "timm_layers: "
                                   "build_sincos2d_pos_embed(list(grid), dim, interleave_sin_cos=True)"},
          ladders=TIMM_LADDER, rows=GRIDS),
    Table(preset="mocov3-2d", package="torch", formula=Cells("yx", "over_width", "sine_first"),
          calls={"f32-reciprocal": "torch_originals: mocov3(dim, grid)"}, rows=GRIDS),
    Table(preset="bigvision-2d", package="torch", formula=Cells("xy", "over_gaps", "sine_first"),
          calls={"f32-reciprocal": "torch_originals: big_vision(dim, grid)"},
          rows={dim: grids for dim, grids in GRIDS.items() if dim > 4}),
    Table(preset="t2t-nd", package="torch", formula=Cells("yx", "over_gaps", "sine_first"),
          calls={"f32-exp-graph": "torch_originals: tensor2tensor_nd(dim, grid)"},
          rows={8: [(3, 3), (3, 2)], 9: [(2, 3)], 15: [(2, 3)], 64: [(14, 3)], 512: [(2, 2)]}),
    Table(preset="positional-encodings-2d", package="positional-encodings",
          formula=Cells("yx", "over_width", "interleaved", pairs="equal_up"),
          calls={"f32-reciprocal": "positional_encodings.torch_encodings: "
                                   "PositionalEncoding2D(dim)(torch.zeros(1, *grid, dim)).flatten(0, 2)"},
          ladders={"f32-reciprocal": "positional_encodings.torch_encodings: PositionalEncoding2D(dim).inv_freq"},
          rows={2: [(2, 3)], 3: [(2, 3)], 4: [(2, 3)], 5: [(3, 2)], 10: [(3, 5)], 64: [(14, 3)], 65: [(2, 3)],
                512: [(2, 2)]}),
    Table(preset="positional-encodings-3d", package="positional-encodings",
          formula=Cells("zyx", "over_width", "interleaved", pairs="equal_up"),
          calls={"f32-reciprocal": "positional_encodings.torch_encodings: "
                                   "PositionalEncoding3D(dim)(torch.zeros(1, *grid, dim)).flatten(0, 3)"},
          ladders={"f32-reciprocal": "positional_encodings.torch_encodings: PositionalEncoding3D(dim).inv_freq"},
          rows={2: [(2, 3, 4)], 6: [(2, 3, 4)], 7: [(4, 3, 2)], 64: [(3, 4, 3)], 66: [(2, 2, 3)], 384: [(2, 1, 2)]}),
    Table(preset="diffusers-3d", package="diffusers",
          formula=Cells("txy", "over_width", "sine_first", pairs=((2, 3, 3), 8)),
          calls={"f64": "diffusers.models.embeddings: "
                        "get_3d_sincos_pos_embed(dim, (grid[2], grid[1]), grid[0]).flatten(0, 1)"},
          ladders={"f64": "numpy_originals: np.concatenate([mae_1d(dim * share // 8, [0])[0] for share in (2, 3, 3)])"},
          rows={16: [(3, 2, 2), (2, 3, 4)], 64: [(3, 3, 2)], 256: [(2, 2, 1)]}),
    Table(preset="whisper", package="torch", formula=ENDPOINT,
          calls={"f64-to-f16": "numpy_originals: whisper_file(dim, positions)",
                 "f32-exp": "torch_originals: whisper_published(dim, positions)"},
          rows={4: WHISPER, 8: WHISPER, 64: WHISPER, 384: ENDS, 512: ENDS}, length=1500),
    Table(preset="onmt-concat", package="opennmt", formula=ENDPOINT,
          calls={"f32-exp": "alone: source('onmt/modules/embeddings.py')"
                            ".PositionalEncoding(dim, 'SinusoidalConcat').pe[positions, 0]"},
          ladders={"f32-exp": "torch_originals: ddpm(dim, [0])[0]"}, rows={4: ROWS, 8: ROWS, 64: ROWS}),
    Table(preset="whisper-published", package="transformers", formula=ENDPOINT,
          calls={"f32-exp": "transformers.models.whisper.modeling_whisper: sinusoids(1500, dim)[positions]"},
          ladders={"f32-exp": "torch_originals: whisper_published(dim, [0])[0]"},
          rows={4: WHISPER, 8: WHISPER, 64: WHISPER, 384: ENDS}, length=1500),
    Table(preset="pegasus-x", package="transformers", formula=ENDPOINT,
          calls={"f32-exp": "transformers.models.pegasus_x.modeling_pegasus_x: "
                            "PegasusXSinusoidalPositionalEmbedding(dim)(torch.zeros(1, 5000, dim))[0][positions]"},
          ladders={"f32-exp": "torch_originals: ddpm(dim, [0])[0]"}, rows={4: ROWS, 8: ROWS, 64: ROWS, 128: FEW}),
    Table(preset="paddle-transformer", package="paddlenlp", formula=TIMESTEP,
          calls={"f64-exp-to-f32": "alone: source('paddlenlp/transformers/transformer/modeling.py')"
                                   ".position_encoding_init(5000, dim)[positions]"},
          ladders={"f64-exp-to-f32": "numpy: exp(arange(dim // 2) * -(log(10000.0) / (dim // 2 - 1)))"},
          rows={4: ROWS, 5: ROWS, 8: ROWS, 64: ROWS, 65: ROWS}),
    Table(preset="tipsv2-text", package="transformers", formula=TIMESTEP,
          calls={"f32-exp": "transformers.models.tipsv2.modeling_tipsv2: "
                            "Tipsv2SinusoidalPositionalEmbedding.get_embedding(5000, dim)[positions]"},
          ladders={"f32-exp": "torch_originals: ddpm(dim, [0])[0]"}, rows={4: ROWS, 5: ROWS, 8: ROWS, 64: ROWS, 65: ROWS}),
    Table(preset="musicgen", package="transformers", formula=Formula("over_gaps", "cosine_first", "zero_column"),
          calls={"f32-exp": "transformers.models.musicgen.modeling_musicgen: "
                            "MusicgenSinusoidalPositionalEmbedding.get_embedding(5000, dim)[positions]"},
          ladders={"f32-exp": "torch_originals: ddpm(dim, [0])[0]"},
          rows={4: ROWS, 5: ROWS, 8: ROWS, 64: ROWS, 65: ROWS, 512: FEW}),
    Table(preset="fairseq-sinusoidal", package="torch", formula=TIMESTEP,
          calls={"f32-exp": "torch_originals: fairseq(dim, positions)"},
          rows={4: ROWS, 5: ROWS, 8: ROWS, 64: ROWS, 65: ROWS}),
    Table(preset="fsmt", package="transformers", formula=TIMESTEP,
          calls={"f32-exp": "transformers.models.fsmt.modeling_fsmt: "
                            "SinusoidalPositionalEmbedding.get_embedding(5000, dim, None)[positions]"},
          ladders={"f32-exp": "torch_originals: ddpm(dim, [0])[0]"}, rows={4: ROWS, 5: ROWS, 8: ROWS, 64: ROWS, 65: ROWS}),
    Table(preset="hf-fairseq-offset2", package="transformers", formula=TIMESTEP,
          calls={"f32-exp": "transformers.models.m2m_100.modeling_m2m_100: "
                            "M2M100SinusoidalPositionalEmbedding(4998, dim).weights[positions]"},
          ladders={"f32-exp": "torch_originals: ddpm(dim, [0])[0]"}, rows={4: ROWS, 5: ROWS, 8: ROWS, 64: ROWS, 65: ROWS}),
    Table(preset="esm-1", package="fair-esm", formula=TIMESTEP,
          calls={"f32-exp": "esm.modules: SinusoidalPositionalEmbedding(dim, 0)"
                            "(torch.ones(1, 5000).long())[0, [p - 1 for p in positions]]"},
          ladders={"f32-exp": "torch_originals: ddpm(dim, [0])[0]"}, rows={dim: ROWS[1:] for dim in (4, 5, 8, 64, 65)}),
    Table(preset="fun-asr", package="transformers", formula=ENDPOINT,
          calls={"f32-exp": "transformers.models.fun_asr_nano.modeling_fun_asr_nano: "
                            "FunAsrNanoPositionEmbedding(5000, dim).positional_embedding[positions]"},
          ladders={"f32-exp": "torch_originals: whisper_published(dim, [0])[0]"}, rows={4: ROWS, 8: ROWS, 64: ROWS}),
    Table(preset="ct2-native", package="torch", formula=Formula("over_gaps", "sine_first", "short_row"),
          calls={"f32-exp-graph": "torch_originals: ct2_native(dim, positions)"}, rows={4: ROWS, 7: ROWS, 8: ROWS, 64: ROWS}),
    Table(preset="timesfm", package="transformers", formula=Formula("over_gaps_or_one", "sine_first", "refused"),
          calls={"f32-exp": "transformers.models.timesfm.modeling_timesfm: TimesFmPositionalEmbedding(type('Config', (), {"
                            "'min_timescale': 1, 'max_timescale': 10000, 'hidden_size': dim}))"
                            "(position=torch.tensor(positions)[None].float())[0]"},
          ladders={"f32-exp": "numpy: torch.exp(torch.arange(dim // 2).float() * -(log(10000.0) / fmax(dim // 2 - 1, 1)))"},
          rows={2: ROWS, 4: ROWS, 8: ROWS, 64: ROWS}),
    Table(preset="gemma3n-audio-rel", package="transformers", formula=Formula("over_gaps_or_one", "sine_first", "short_row"),
          calls={"f32-exp": "transformers.models.gemma3n.modeling_gemma3n: Gemma3nAudioRelativePositionEmbedding(type("
                            "'Config', (), {'conf_num_attention_heads': 1, 'hidden_size': dim, "
                            "'conf_attention_context_left': 13, 'conf_attention_context_right': 0}))"
                            "._get_timing_signal_1d_pos(torch.tensor([positions]), torch.float32)[0]"},
          ladders={"f32-exp": "numpy: torch.exp(torch.arange(dim // 2) * -(log(10000.0) / fmax(dim // 2 - 1, 1)))"},
          rows={2: DISTANCES, 5: DISTANCES, 8: DISTANCES, 64: DISTANCES}),
    Table(preset="espnet-rel-legacy", package="espnet", formula=PAPER,
          calls={"f32-exp": "alone: source('espnet/nets/pytorch_backend/transformer/embedding.py')"
                            ".LegacyRelPositionalEncoding(dim, 0.0).pe[0][[4999 - p for p in positions]]"},
          ladders={"f32-exp": "torch_originals: opennmt(dim, [0])[0]"}, rows={2: ROWS, 4: ROWS, 64: ROWS}),
    Table(preset="parakeet-rel", package="transformers", formula=PAPER,
          calls={"f32-reciprocal": "transformers.models.parakeet.modeling_parakeet: "
                                   "ParakeetEncoderRelPositionalEncoding(type('Config', (), {'hidden_size': dim, "
                                   "'max_position_embeddings': 5000}))(torch.zeros(1, 5000, dim))"
                                   "[0, [4999 - p for p in positions]]"},
          ladders={"f32-reciprocal": RECIPROCALS}, rows={2: DISTANCES, 8: DISTANCES, 64: DISTANCES}),
    Table(preset="videoprism-text", package="transformers", formula=HALVES,
          calls={"f32-reciprocal": "transformers.models.videoprism.modeling_videoprism: "
                                   "create_sinusoidal_positions(5000, dim)[positions]"},
          ladders={"f32-reciprocal": RECIPROCALS}, rows={2: ROWS, 4: ROWS, 8: ROWS, 64: ROWS}),
    Table(preset="kerashub-sine", package="keras-hub", formula=Formula("over_width", "interleaved", "lone_sine"),
          calls={"f32-power": "keras_layers: sine(dim, positions)"}, rows={2: ROWS, 3: ROWS, 7: ROWS, 8: ROWS, 64: ROWS}),
    Table(preset="zero-row-origin", package="numpy", formula=PAPER,
          calls={"f64-divide-to-f32": "numpy_originals: zero_row_origin(dim, positions)"},
          rows={2: ROWS, 4: ROWS, 8: ROWS, 64: ROWS}),
    Table(preset="diffusers-timestep", package="diffusers", formula=TIMESTEP,
          calls={"f32-exp-quotient": "diffusers.models.embeddings: get_timestep_embedding(torch.tensor(positions), dim)"},
          ladders={"f32-exp-quotient": "torch_originals: timestep_ladder(dim)"},
          rows={4: STEPS + FAR, 5: STEPS + FRACTIONS, 8: STEPS + FRACTIONS, 64: STEPS + FAR, 65: STEPS,
                320: STEPS + FRACTIONS, 512: STEPS}, length=1000),
    Table(preset="ddpm", package="torch", calls={"f32-exp": "torch_originals: ddpm(dim, positions)"}, formula=TIMESTEP,
          rows={4: STEPS + FAR, 5: STEPS, 8: STEPS, 64: STEPS + FAR, 128: STEPS, 512: STEPS}, length=1000),
    Table(preset="stable-diffusion-timestep", package="diffusers", formula=PAIRS_STEP,
          calls={"f32-exp-quotient": "diffusers.models.embeddings: Timesteps(dim, True, 0)(torch.tensor(positions))"},
          ladders={"f32-exp-quotient": "torch_originals: timestep_ladder(dim, 0)"},
          rows={2: STEPS, 3: STEPS, 4: STEPS + FAR, 5: STEPS + FRACTIONS, 64: STEPS + FAR, 65: STEPS,
                320: STEPS}, length=1000),
    Table(preset="dit-label", package="diffusers", formula=Formula("over_gaps", "cosine_first", "zero_column"),
          calls={"f32-exp-quotient": "diffusers.models.embeddings: CombinedTimestepLabelEmbeddings(4, 4).time_proj("
                                     "torch.tensor(positions))"},
          ladders={"f32-exp-quotient": "torch_originals: timestep_ladder(dim)"}, rows={256: STEPS + FRACTIONS},
          length=1000),
    Table(preset="ernie-image-timestep", package="diffusers", formula=Formula("over_pairs", "sine_first", "zero_column"),
          calls={"f32-exp-quotient": "diffusers.models.embeddings: Timesteps(dim, False, 0)(torch.tensor(positions))"},
          ladders={"f32-exp-quotient": "torch_originals: timestep_ladder(dim, 0)"},
          rows={2: STEPS, 3: STEPS, 5: STEPS + FRACTIONS, 64: STEPS + FAR, 65: STEPS}, length=1000),
    Table(preset="aura-flow-timestep", package="diffusers",
          formula=Formula("over_pairs", "cosine_first", "zero_column", 1000),
          calls={"f32-exp-quotient": "diffusers.models.embeddings: "
                                     "Timesteps(dim, True, 0, 1000)(torch.tensor(positions))"},
          ladders={"f32-exp-quotient": "torch_originals: timestep_ladder(dim, 0)"},
          rows={2: FLOW, 3: FLOW, 5: FLOW, 64: FLOW, 65: FLOW, 256: FLOW}, length=1000),
    Table(preset="omni-dit-timestep", package="transformers",
          formula=Formula("over_gaps", "sine_first", "short_row", 1000),
          calls={"f32-exp-scaled-position": "transformers.models.qwen2_5_omni.modeling_qwen2_5_omni: "
                                            "SinusPositionEmbedding(dim)(torch.tensor(positions, dtype=torch.float32))"},
          ladders={"f32-exp-scaled-position": "torch_originals: ddpm(dim, [0])[0]"},
          rows={4: FLOW, 5: FLOW, 8: FLOW, 64: FLOW, 65: FLOW, 256: FLOW}, length=1000),
    Table(preset="kerashub-flux-timestep", package="keras-hub",
          formula=Formula("over_pairs", "cosine_first", "zero_column", 1000),
          calls={"f32-exp-quotient-scaled-position": "keras_layers: flux(dim, positions)"},
          ladders={"f32-exp-quotient-scaled-position": "torch_originals: timestep_ladder(dim, 0)"},
          rows={2: FLOW, 3: FLOW, 5: FLOW, 64: FLOW, 65: FLOW, 256: FLOW}, length=1000),
    Table(preset="vibevoice-timestep", package="transformers", formula=Formula("over_pairs", "cosine_first", "short_row"),
          calls={"f32-exp-quotient": "transformers.models.vibevoice.modeling_vibevoice: "
                                     "VibeVoiceDiffusionHeadSinusoidalEmbedding(type('Config', (), {"
                                     "'frequency_embedding_size': dim, 'diffusion_max_period': 10000}))"
                                     "(torch.tensor(positions))"},
          ladders={"f32-exp-quotient": "torch_originals: timestep_ladder(dim, 0)"},
          rows={2: STEPS, 3: STEPS, 5: STEPS + FRACTIONS, 64: STEPS + FAR}, length=1000),
    Table(preset="qwenimage-timestep", package="diffusers",
          formula=Formula("over_pairs", "cosine_first", "zero_column", 1000),
          calls={"f32-exp-quotient": "diffusers.models.transformers.transformer_qwenimage: "
                                     "get_timestep_embedding(torch.tensor(positions), dim, True, 0, 1000)"},
          ladders={"f32-exp-quotient": "torch_originals: timestep_ladder(dim, 0)"},
          rows={2: FLOW, 5: FLOW, 64: FLOW, 256: FLOW}, length=1000),
]
