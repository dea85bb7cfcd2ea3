# SPDX-License-Identifier: Apache-2.0
"""The work list: one row a golden file, and nothing else names a golden. Needs no package, so that it can be listed.

A row of a table or a rotation is a convention's whole entry: package, calls of the original, formula, widths and
positions. A call is "module: expression"; the module is imported in the environment of tools/goldens/packages/PACKAGE.txt
and the expression sees its names, np, torch, and dim with positions (a list) or grid, the extents (height, width), or
those of every axis with height and width last. It gives the table of those positions or cells, or the pair (ladder,
table).
"""
import dataclasses
import typing


class Formula(typing.NamedTuple):
    """Sinusoids of base 10000, for truth.py to make the correctly rounded values; as the library's fields say it."""
    spacing: str
    layout: str
    odd_width: str
    factor: int = 1  # of every angle
    scale: str = "none"  # of every entry, or one_over_sqrt_d


class Cells(typing.NamedTuple):
    """The same of several axes that have pairs of their own."""
    axes: str  # a letter each, in the order of the columns: "yx"
    spacing: str
    layout: str
    scope: str = "run"  # what a block of sines spans: an axis's run or the row
    pairs: typing.Union[str, tuple] = "equal"  # "equal_up", or (shares, of)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Table:
    """tests/goldens/PRESET.safetensors: tables of a preset by its original, and correctly rounded."""
    preset: str
    package: str
    calls: dict  # recipe of the library: the original that follows it
    formula: typing.Union[Formula, Cells, None]  # None: no correctly rounded values
    rows: dict  # width: positions, or a list of grids
    ladders: dict = dataclasses.field(default_factory=dict)  # recipe: ladder, where its call gives the table alone
    types: tuple = ()  # of the correctly rounded tables, beside those of the originals
    length: int = 5000  # rows of the original's own table, for distances.py
    module = "tables"

    @property
    def name(self):
        return self.preset


@dataclasses.dataclass(frozen=True)
class Turn:
    """One case of a rotation: q is uniform in [-4, 4) by `seed`. `contracted`: the original's products are fused."""
    name: str
    call: str  # sees q [1, heads, L, head], positions, rotated; gives (ladder, cosines [L, rotated / 2], sines, turned q)
    head: int
    rotated: int
    heads: int
    positions: tuple
    seed: int
    dtype: str = "f32"
    contracted: bool = False
    first: int = 0  # of the rotated columns


@dataclasses.dataclass(frozen=True, kw_only=True)
class Rotation:
    """tests/goldens/PRESET.safetensors: q turned by the original, and by the contract of the library."""
    preset: str
    package: str
    pairing: str
    turns: tuple
    recipe: typing.Optional[str] = "f32-reciprocal"  # None: the original's roundings are no recipe
    base: float = 10000
    scaling: typing.Optional[dict] = None  # the kind and its fields
    magnitude: typing.Any = 1  # of cosines and sines: a number, or YaRN's factor, gain and gain_all
    backward: bool = False
    written: str = "in_place"
    module = "rotary"

    @property
    def name(self):
        return self.preset


@dataclasses.dataclass(frozen=True, kw_only=True)
class Biases:
    """tests/goldens/PRESET.safetensors: what is added to scores by the original, and correctly rounded."""
    preset: str
    package: str
    call: str  # sees heads, queries, keys; gives [heads, keys] where queries do not count, or [heads, queries, keys]
    value: str  # as the library's field
    heads: tuple
    octaves: float = 8
    module = "slopes"

    @property
    def name(self):
        return self.preset


@dataclasses.dataclass(frozen=True)
class Script:
    """tests/goldens/NAME.safetensors by a module of its own; `preset` where it belongs to one."""
    name: str
    package: str
    module: str
    about: str
    preset: str = ""


@dataclasses.dataclass(frozen=True)
class Other:
    """Files of another room, or none: a program that knows --check itself."""
    name: str
    package: str
    program: str
    about: str


# ---- positions and widths -----------------------------------------------------------------------

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

NEAR = (0, 1, 2, 3, 5, 17, 100, 511, 1023, 2047)
TO_A_MILLION = NEAR + (4095, 131071, 1048575)
FAR_TOKENS = (0, 1, 2, 3, 17, 100, 1023, 4095, 131071)

PAPER = Formula("over_width", "interleaved", "refused")
HALVES = Formula("over_width", "sine_first", "refused")
ENDPOINT = Formula("over_gaps", "sine_first", "refused")
TIMESTEP = Formula("over_gaps", "sine_first", "zero_column")
PAIRS_STEP = Formula("over_pairs", "cosine_first", "zero_column")

DIVISORS = "numpy: power(10000, arange(0, dim, 2) / dim)"
RECIPROCALS = "torch: 1 / 10000 ** (arange(0.0, dim, 2.0) / dim)"


def model(module, name, more=""):
    """The call of a model of transformers: what it states besides its heads."""
    return f"rotary_originals: model('{module}', '{name}', q, positions{more and ', ' + more})"


GRIDS = {4: [(2, 2), (2, 3)], 8: [(3, 3), (3, 2)], 16: [(1, 5)], 64: [(14, 3)], 512: [(2, 2)]}
HEADS = (1, 2, 3, 8, 12, 32, 71)
TIMM_LADDER = {"f32-reciprocal": "timm_layers: freq_bands(dim // 4, step=1)"}

# ---- the rows -----------------------------------------------------------------------------------

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
    Rotation(preset="rope-half", package="transformers", pairing="split_half", turns=(
        Turn("llama-8", "rotary_originals: llama(q, positions, rotated)", 8, 8, 2, TO_A_MILLION, 2000),
        Turn("llama-64", "rotary_originals: llama(q, positions, rotated)", 64, 64, 2, TO_A_MILLION, 2001),
        Turn("llama-128", "rotary_originals: llama(q, positions, rotated)", 128, 128, 1, TO_A_MILLION, 2002))),
    Rotation(preset="rope-pair", package="transformers", pairing="adjacent", turns=(
        Turn("gptj-16-of-24", "rotary_originals: gptj(q, positions, rotated)", 24, 16, 2, NEAR, 2003),
        Turn("meta-8", "rotary_originals: meta(q, positions, rotated)", 8, 8, 2, TO_A_MILLION, 2004, contracted=True),
        Turn("meta-64", "rotary_originals: meta(q, positions, rotated)", 64, 64, 2, TO_A_MILLION, 2005),
        Turn("meta-64-bf16", "rotary_originals: meta(q, positions, rotated)", 64, 64, 2, TO_A_MILLION, 2006, "bf16"))),
    Rotation(preset="roformer", package="transformers", pairing="adjacent", recipe="f64-divide-to-f32", turns=(
        Turn("roformer-16", "rotary_originals: roformer(q, positions, rotated)", 16, 16, 2, NEAR, 2100),
        Turn("roformer-64", "rotary_originals: roformer(q, positions, rotated)", 64, 64, 1, NEAR, 2101))),
    Rotation(preset="gpt-j", package="transformers", pairing="adjacent", turns=(
        Turn("gptj-64-of-80", "rotary_originals: gptj(q, positions, rotated)", 80, 64, 2, NEAR, 2102),)),
    Rotation(preset="gpt-neox", package="transformers", pairing="split_half", turns=(
        Turn("pythia-16-of-64", model("gpt_neox", "GPTNeoX"), 64, 16, 2, FAR_TOKENS, 2103),
        Turn("gpt-neox-24-of-96", model("gpt_neox", "GPTNeoX"), 96, 24, 1, FAR_TOKENS, 2104))),
    Rotation(preset="phi-2", package="transformers", pairing="split_half", turns=(
        Turn("phi-32-of-80", model("phi", "Phi", "columns=slice(rotated), partial_rotary_factor=0.4"), 80, 32, 2,
             FAR_TOKENS, 2105),)),
    Rotation(preset="cohere", package="transformers", pairing="adjacent", base=8e6, turns=(
        Turn("cohere-128", model("cohere", "Cohere", "rope_parameters={'rope_type': 'default', 'rope_theta': 8e6}"),
             128, 128, 1, FAR_TOKENS, 2106),)),
    Rotation(preset="glm", package="transformers", pairing="adjacent", turns=(
        Turn("glm-64-of-128", model("glm", "Glm"), 128, 64, 1, FAR_TOKENS, 2107),)),
    Rotation(preset="ernie-4.5", package="transformers", pairing="adjacent", base=500000, turns=(
        Turn("ernie-128", model("ernie4_5", "Ernie4_5"), 128, 128, 1, FAR_TOKENS, 2108),)),
    Rotation(preset="esm2", package="transformers", pairing="split_half", turns=(
        Turn("esm-16", model("esm", "Esm"), 16, 16, 2, NEAR, 2109),
        Turn("esm-64", model("esm", "Esm"), 64, 64, 1, NEAR, 2110))),
    Rotation(preset="falcon-rotary", package="transformers", pairing="split_half", turns=(
        Turn("falcon-64", model("falcon", "Falcon"), 64, 64, 2, FAR_TOKENS, 2111),)),
    Rotation(preset="nanochat", package="transformers", pairing="split_half", backward=True, turns=(
        Turn("nanochat-128", model("nanochat", "NanoChat"), 128, 128, 1, FAR_TOKENS, 2112),)),
    Rotation(preset="gemma", package="transformers", pairing="split_half", turns=(
        Turn("gemma-128", model("gemma", "Gemma", "head_dim=128"), 128, 128, 1, FAR_TOKENS, 2113),)),
    Rotation(preset="gemma-3-sliding", package="transformers", pairing="split_half", turns=(
        Turn("gemma-3-64", model("gemma3", "Gemma3", "config='Gemma3Text', layer=('sliding_attention',), head_dim=64"),
             64, 64, 1, FAR_TOKENS, 2128),)),
    Rotation(preset="moonshine", package="transformers", pairing="adjacent", turns=(
        Turn("moonshine-32-of-36", model("moonshine", "Moonshine", "head_dim=36"), 36, 32, 2, NEAR, 2114),)),
    Rotation(preset="smollm3", package="transformers", pairing="split_half", base=5e6, turns=(
        Turn("smollm3-64", model("smollm3", "SmolLM3", "rope_parameters={'rope_type': 'default', 'rope_theta': 5e6}"),
             64, 64, 1, FAR_TOKENS, 2115),)),
    Rotation(preset="modernbert-full", package="transformers", pairing="split_half", base=160000, turns=(
        Turn("modernbert-64", model("modernbert", "ModernBert", "layer=('full_attention',)"), 64, 64, 1, FAR_TOKENS,
             2116),)),
    Rotation(preset="modernbert-sliding", package="transformers", pairing="split_half", turns=(
        Turn("modernbert-64", model("modernbert", "ModernBert", "layer=('sliding_attention',)"), 64, 64, 1, FAR_TOKENS,
             2117),)),
    Rotation(preset="llama4-text", package="transformers", pairing="adjacent", base=500000, turns=(
        Turn("llama4-128", model("llama4", "Llama4Text", "turn='apply_rotary_emb', heads_last=True"), 128, 128, 1,
             FAR_TOKENS, 2118),)),
    Rotation(preset="cohere2", package="transformers", pairing="adjacent", turns=(
        Turn("cohere2-64", model("cohere2", "Cohere2"), 64, 64, 1, FAR_TOKENS, 2129),)),
    Rotation(preset="helium", package="transformers", pairing="adjacent", base=100000, turns=(
        Turn("helium-128", model("helium", "Helium", "head_dim=128"), 128, 128, 1, FAR_TOKENS, 2130),)),
    Rotation(preset="moshi", package="transformers", pairing="split_half", turns=(
        Turn("moshi-64", model("moshi", "Moshi", "head_dim=64"), 64, 64, 1, NEAR, 2131),
        Turn("mimi-16", model("mimi", "Mimi", "head_dim=16"), 16, 16, 2, NEAR, 2132))),
    Rotation(preset="rotary-embedding-torch", package="rotary-embedding-torch", pairing="adjacent", turns=(
        Turn("whole-16", "lucid_originals: rotary(q, positions)", 16, 16, 2, FAR_TOKENS, 2133),
        Turn("whole-64", "lucid_originals: rotary(q, positions)", 64, 64, 1, FAR_TOKENS, 2134))),
    Rotation(preset="xt-rotary", package="x-transformers", pairing="adjacent", turns=(
        Turn("xt-32-of-64", "xt_originals: rotary(q, positions, rotated)", 64, 32, 2, FAR_TOKENS, 2136),)),
    Rotation(preset="kerashub-rope", package="torch", pairing="split_half", recipe="f32-power", turns=(
        Turn("keras-16", "keras_rotations: rotary(q, positions, rotated)", 16, 16, 2, FAR_TOKENS, 2140),
        Turn("keras-128", "keras_rotations: rotary(q, positions, rotated)", 128, 128, 1, FAR_TOKENS, 2141))),
    Rotation(preset="rope-linear", package="transformers", pairing="split_half",
             scaling={"kind": "linear", "factor": 4}, turns=(
        Turn("linear-128", model("llama", "Llama", "rope_parameters={'rope_type': 'linear', 'rope_theta': 10000.0, "
                                 "'factor': 4.0}"), 128, 128, 1, FAR_TOKENS, 2119),)),
    Rotation(preset="gemma-3-full", package="transformers", pairing="split_half", base=1e6,
             scaling={"kind": "linear", "factor": 8}, turns=(
        Turn("gemma-3-128", model(
            "gemma3", "Gemma3", "config='Gemma3Text', layer=('full_attention',), head_dim=128, rope_parameters="
            "{'sliding_attention': {'rope_type': 'default', 'rope_theta': 1e4}, "
            "'full_attention': {'rope_type': 'linear', 'rope_theta': 1e6, 'factor': 8.0}}"),
             128, 128, 1, FAR_TOKENS, 2135),)),
    Rotation(preset="rope-ntk", package="rotary-embedding-torch", pairing="adjacent",
             scaling={"kind": "ntk", "factor": 4}, turns=(
        Turn("ntk-16", "lucid_originals: rotary(q, positions, theta_rescale_factor=4.0)", 16, 16, 2, FAR_TOKENS, 2120),
        Turn("ntk-64", "lucid_originals: rotary(q, positions, theta_rescale_factor=4.0)", 64, 64, 1, FAR_TOKENS,
             2121))),
    Rotation(preset="rope-yarn", package="transformers", pairing="split_half",
             scaling={"kind": "yarn", "factor": 16, "length": 4096, "fast": 32, "slow": 1, "truncate": True},
             magnitude={"factor": 16, "gain": 1, "gain_all": 0}, turns=(
        Turn("yarn-128", model("llama", "Llama", "rope_parameters={'rope_type': 'yarn', 'rope_theta': 10000.0, "
                               "'factor': 16.0, 'original_max_position_embeddings': 4096}, "
                               "max_position_embeddings=65536"),
             128, 128, 1, FAR_TOKENS, 2122),)),
    Rotation(preset="rope-llama3", package="transformers", pairing="split_half", base=500000,
             scaling={"kind": "llama3", "factor": 8, "low": 1, "high": 4, "length": 8192}, turns=(
        Turn("llama3-128", model("llama", "Llama", "rope_parameters={'rope_type': 'llama3', 'rope_theta': 500000.0, "
                                 "'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0, "
                                 "'original_max_position_embeddings': 8192}, max_position_embeddings=131072"),
             128, 128, 1, FAR_TOKENS, 2123),)),
    Rotation(preset="rope-proportional", package="transformers", pairing="split_half", base=1e6,
             scaling={"kind": "proportional", "factor": 1, "part": 0.25}, turns=(
        Turn("proportional-256", model("llama", "Llama", "rope_parameters={'rope_type': 'proportional', 'rope_theta': "
                                       "1e6, 'partial_rotary_factor': 0.25}"), 256, 256, 1, FAR_TOKENS, 2124),)),
    Rotation(preset="gpt-oss", package="transformers", pairing="split_half", base=150000,
             scaling={"kind": "yarn", "factor": 32, "length": 4096, "fast": 32, "slow": 1, "truncate": False},
             magnitude={"factor": 32, "gain": 1, "gain_all": 0}, turns=(
        Turn("gpt-oss-64", model("gpt_oss", "GptOss"), 64, 64, 1, FAR_TOKENS, 2125),)),
    Rotation(preset="deepseek-v3", package="transformers", pairing="adjacent", written="split_half",
             scaling={"kind": "yarn", "factor": 40, "length": 4096, "fast": 32, "slow": 1, "truncate": True},
             magnitude={"factor": 40, "gain": 1, "gain_all": 1}, turns=(
        Turn("deepseek-v3-64-of-192", model(
            "deepseek_v3", "DeepseekV3", "columns=slice(128, None), turn='apply_rotary_pos_emb_interleave', "
            "rope_parameters={'rope_type': 'yarn', 'rope_theta': 10000.0, 'factor': 40.0, "
            "'original_max_position_embeddings': 4096, 'beta_fast': 32, 'beta_slow': 1, 'mscale': 1.0, "
            "'mscale_all_dim': 1.0}, max_position_embeddings=163840"), 192, 64, 1, FAR_TOKENS, 2126, first=128),)),
    Rotation(preset="deepseek-v2", package="transformers", pairing="adjacent",
             scaling={"kind": "yarn", "factor": 40, "length": 4096, "fast": 32, "slow": 1, "truncate": True},
             magnitude={"factor": 40, "gain": 0.707, "gain_all": 1}, turns=(
        Turn("deepseek-v2-64-of-192", model(
            "deepseek_v2", "DeepseekV2", "columns=slice(128, None), turn='apply_rotary_emb', "
            "rope_parameters={'rope_type': 'yarn', 'rope_theta': 10000.0, 'factor': 40.0, "
            "'original_max_position_embeddings': 4096, 'beta_fast': 32, 'beta_slow': 1, 'mscale': 0.707, "
            "'mscale_all_dim': 1.0}, max_position_embeddings=163840"), 192, 64, 1, FAR_TOKENS, 2127, first=128),)),
    Script("alibi", "transformers", "bias", "slopes and tables by ALiBi's authors, BLOOM and MPT, and correctly rounded",
           preset="alibi"),
    Biases(preset="mpt-alibi", package="transformers", value="key_from_last", heads=HEADS,
           call="transformers.models.mpt.modeling_mpt: build_mpt_alibi_tensor(heads, keys).squeeze(1)"),
    Script("printed-rows", "numpy", "printed_rows", "rows of seven conventions whose digits another program printed"),
    Script("timesteps", "diffusers", "timesteps", "diffusers' tables for every field of a timestep, the recipe's, exact ones"),
    Script("input-stage", "torch", "stage", "PyTorch's input stage step by step, given rows, ids, table and mask"),
    Script("backward", "torch", "backward", "the gradient of the rows by PyTorch's autograd"),
    Script("attention", "torch", "attention", "PyTorch's scaled_dot_product_attention on 200 random shapes and masks"),
    Script("multi-head", "torch", "multi_head", "PyTorch's nn.MultiheadAttention on 200 random shapes and masks"),
    Script("nn-transformer", "torch", "transformer", "PyTorch's nn.Transformer in 20 configurations"),
    Script("additive", "torch", "additive", "Bahdanau's formula written down in PyTorch, in f64"),
    Script("recurrent", "torch", "recurrent", "the recurrent network with self attention in PyTorch, in f64"),
    Other("packages-diffusers", "diffusers", "packages.py diffusers", "diffusers' tables against our originals"),
    Other("packages-transformers", "transformers", "packages.py transformers", "transformers' tables against our originals"),
    Other("packages-positional-encodings", "positional-encodings", "packages.py positional-encodings",
          "its table against the recipe f32-reciprocal"),
    Other("tensor-files", "safetensors", "tensor_files.py", "tests/io/goldens: files of the safetensors package"),
    Other("npy-files", "numpy", "npy.py", "tests/io/goldens: files of numpy.save"),
    Other("bpe", "tokenizers", "bpe.py", "tests/text/goldens/bpe.json: ids of the tool's own vocabulary"),
    Other("tokenizer-files", "tokenizers", "tokenizer_files.py", "tests/text/goldens: what `tokenizers` says of files"),
    Other("sentence-piece", "sentencepiece", "sentence_piece.py", "tests/text/goldens: ids of two small models"),
]


def of_name(name):
    return next(work for work in WORKS if work.name == name)


def made_here(work):
    """Whether the work is a file of tests/goldens."""
    return not isinstance(work, Other)


def about(work):
    if isinstance(work, Table):
        return ", ".join(work.calls.values()) or "the formula, correctly rounded"
    if isinstance(work, Biases):
        return work.call
    if isinstance(work, Rotation):
        return ", ".join(dict.fromkeys(turn.call for turn in work.turns))
    return work.about
