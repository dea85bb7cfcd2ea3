# SPDX-License-Identifier: Apache-2.0
"""Cases of the corpus whose fields are not those of their presets: other bases and scalings, caches of rotations by
transformers and diffusers, tables of whole models. Needs no package."""
from corpus_works import GRIDS, Case, Dress, as_it_is, drawn_by, dress, dress_of_cells, dress_of_rows, rotated_case

BASES = (500000, 12345.5, 1e6 / 7, 100, 32768, 2e6, 777.25)
PAPER = "numpy: np.stack([f(np.outer(positions, 10000.0 ** -(np.arange(0, dim, 2) / dim))) for f in (np.sin, np.cos)], " \
        "-1).reshape(len(positions), dim)"

# Rows of positions: preset, package, the call, which sees dim, positions and base.
ROWS = (
    ("whisper-published", "transformers", "transformers.models.whisper.modeling_whisper: sinusoids(500, dim, base)[positions]"),
    ("timesfm", "transformers",
     "transformers.models.timesfm.modeling_timesfm: TimesFmPositionalEmbedding(type('Config', (), {'min_timescale': 1, "
     "'max_timescale': base, 'hidden_size': dim}))(position=torch.tensor(positions)[None].float())[0]"),
    ("vibevoice-timestep", "transformers",
     "transformers.models.vibevoice.modeling_vibevoice: VibeVoiceDiffusionHeadSinusoidalEmbedding(type('Config', (), {"
     "'frequency_embedding_size': dim, 'diffusion_max_period': base}))(torch.tensor(positions))"),
    ("diffusers-timestep", "diffusers",
     "diffusers.models.embeddings: get_timestep_embedding(torch.tensor(positions), dim, max_period=base)"),
    ("stable-diffusion-timestep", "diffusers",
     "diffusers.models.embeddings: get_timestep_embedding(torch.tensor(positions), dim, flip_sin_to_cos=True, "
     "downscale_freq_shift=0, max_period=base)"),
    ("kerashub-sine", "keras-hub",
     "keras_layers: SinePositionEncoding(max_wavelength=base)(torch.zeros(1, len(positions), dim), "
     "positions=torch.tensor(positions, dtype=torch.float32))[0]"),
)
# Cells of images: they see dim, grid and base.
IMAGES = (
    ("d-fine-2d", "transformers",
     "transformers.models.d_fine.modeling_d_fine: build_2d_sinusoidal_position_embedding(*grid, dim, base)"),
    ("detr-sine", "transformers",
     "place_originals: cells(transformers('detr', 'DetrSinePositionEmbedding')(dim // 2, base, normalize=True)((1, 3, *grid), "
     "'cpu', torch.float32))"),
    ("grounding-dino-sine", "transformers",
     "place_originals: masked('grounding_dino', 'GroundingDinoSinePositionEmbedding', grid, d_model=dim, "
     "positional_embedding_temperature=base)"),
    ("timm-2d", "timm", "timm_layers: build_sincos2d_pos_embed(list(grid), dim, temperature=base)"),
    ("timm-2d-interleaved", "timm",
     "timm_layers: build_sincos2d_pos_embed(list(grid), dim, temperature=base, interleave_sin_cos=True)"),
)
# Rotations: they see q, positions, rotated and base.
TURNS = (
    ("kerashub-rope", "keras-hub", "keras_layers: rotary(q, positions, rotated, max_wavelength=base)", "split_half"),
    ("rotary-embedding-torch", "rotary-embedding-torch", "lucid_originals: rotary(q, positions, theta=base)", "adjacent"),
)


def row_cases(bases, again=""):
    for preset, package, call in ROWS:
        for i in range(2):
            name = f"{preset}/base-{i}{again}"
            draw = drawn_by(name)
            width, rows, first, base = (draw.choice(each) for each in ((8, 16, 64), (33, 64, 90), (0, 0, 1, 100), bases))
            yield Case(name=name, preset=preset, package=package, kind="table", call=call, gives="table",
                       sees={"dim": width, "positions": list(range(first, first + rows)), "base": base},
                       says={"width": width, "first": first, "rows": rows, "set": {"ladder.base": base}},
                       dress=dress_of_rows(draw, leads=True))


def image_cases(bases, again=""):
    for preset, package, call in IMAGES:
        for i in range(2):
            name = f"{preset}/base-{i}{again}"
            draw = drawn_by(name)
            width, grid, base = draw.choice((8, 16, 64)), draw.choice(GRIDS), draw.choice(bases)
            yield Case(name=name, preset=preset, package=package, kind="grid", call=call, gives="table",
                       sees={"dim": width, "grid": grid, "base": base}, dress=dress_of_cells(draw),
                       says={"width": width, "grid": grid, "rows": grid[0] * grid[1], "first": 0,
                             "set": {"ladder.base": base}})


def turn_cases(bases, again=""):
    for preset, package, call, pairing in TURNS:
        for gives in ("inv_freq", "waves", "turned"):
            name = f"{preset}/base-{gives}{again}"
            draw = drawn_by(name)
            head, rows, first, base = (draw.choice(each) for each in ((16, 64), (16, 40), (0, 1, 100), bases))
            sees = {"q": (1, rows, head, draw.randrange(10**6), "f32"), "rotated": head, "base": base,
                    "positions": list(range(first, first + rows))}
            says = {"width": head, "rotated": head, "first": first, "rows": rows, "set": {"ladder.base": base}}
            yield rotated_case(_Of(preset, package), name, draw, gives, call, sees, says,
                               ("once", "halves" if pairing == "split_half" else "pairs"))


class _Of:
    """What rotated_case asks of a row."""

    def __init__(self, preset, package):
        self.preset, self.package = preset, package


# ---- caches of Llama's class, and of Phi's for partial widths, of every type of rope ------------------

def falling(count, first, last):
    """Factors of 5 digits, rising."""
    return [round(first + (last - first) * (k / (count - 1)) ** 2, 5) for k in range(count)]


SHORT, LONG = falling(32, 1, 1.75), falling(32, 1.125, 40)
# name: preset, head, rotated, first position, rows, rope_parameters, max_position_embeddings, fields that differ
ROPES = {
    "default-a": ("rope-half", 64, 64, 0, 64, {"rope_theta": 500000.0}, 4096, {"ladder.base": 500000}),
    "default-b": ("rope-half", 128, 128, 1, 40, {"rope_theta": 12345.5}, 4096, {"ladder.base": 12345.5}),
    "default-c": ("rope-half", 32, 32, 100, 100, {"rope_theta": 1e6 / 7}, 4096, {"ladder.base": 1e6 / 7}),
    "default-d": ("rope-half", 96, 96, 0, 48, {"rope_theta": 10000.0}, 4096, {}),
    "partial-a": ("rope-half", 80, 32, 0, 64, {"rope_theta": 10000.0, "partial_rotary_factor": 0.4}, 4096, {"part": 32}),
    "partial-b": ("rope-half", 128, 32, 2, 50, {"rope_theta": 25000.0, "partial_rotary_factor": 0.25}, 4096,
                  {"part": 32, "ladder.base": 25000}),
    "partial-c": ("rope-half", 64, 48, 0, 64, {"rope_theta": 1e6, "partial_rotary_factor": 0.75}, 4096,
                  {"part": 48, "ladder.base": 1000000}),
    "linear-a": ("rope-linear", 64, 64, 0, 64, {"rope_type": "linear", "rope_theta": 10000.0, "factor": 2.0}, 4096,
                 {"ladder.scaling.factor": 2}),
    "linear-b": ("rope-linear", 128, 128, 100, 40, {"rope_type": "linear", "rope_theta": 500000.0, "factor": 2.5}, 4096,
                 {"ladder.scaling.factor": 2.5, "ladder.base": 500000}),
    "dynamic-a": ("rope-dynamic", 64, 64, 0, 64, {"rope_type": "dynamic", "rope_theta": 10000.0, "factor": 2.0}, 32,
                  {"ladder.scaling.factor": 2, "ladder.scaling.length": 32}),
    "dynamic-b": ("rope-dynamic", 128, 128, 200, 40, {"rope_type": "dynamic", "rope_theta": 500000.0, "factor": 4.0}, 128,
                  {"ladder.scaling.factor": 4, "ladder.scaling.length": 128, "ladder.base": 500000}),
    "yarn-a": ("rope-yarn", 64, 64, 0, 64, {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 4.0,
                                            "original_max_position_embeddings": 2048}, 8192,
               {"ladder.scaling.factor": 4, "ladder.scaling.length": 2048, "magnitude.factor": 4}),
    "yarn-b": ("rope-yarn", 128, 128, 1, 40, {"rope_type": "yarn", "rope_theta": 1e6, "factor": 4.0,
                                              "original_max_position_embeddings": 32768}, 131072,
               {"ladder.scaling.factor": 4, "ladder.scaling.length": 32768, "magnitude.factor": 4, "ladder.base": 1000000}),
    "yarn-c": ("rope-yarn", 64, 64, 100, 64, {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 8.0, "beta_fast": 16,
                                              "beta_slow": 2, "original_max_position_embeddings": 4096}, 32768,
               {"ladder.scaling.factor": 8, "ladder.scaling.fast": 16, "ladder.scaling.slow": 2, "magnitude.factor": 8}),
    "yarn-d": ("deepseek-v2", 64, 64, 0, 50, {"rope_type": "yarn", "rope_theta": 10000.0, "factor": 10.0, "beta_fast": 32,
                                              "beta_slow": 1, "mscale": 0.707, "mscale_all_dim": 0.5,
                                              "original_max_position_embeddings": 4096}, 40960,
               {"ladder.scaling.factor": 10, "magnitude.factor": 10, "magnitude.gain_all": 0.5}),
    "longrope-a": ("rope-longrope", 64, 64, 0, 64, {"rope_type": "longrope", "rope_theta": 10000.0, "short_factor": SHORT,
                                                    "long_factor": LONG, "original_max_position_embeddings": 1024}, 16384,
                   {"ladder.scaling.short_factors": SHORT, "ladder.scaling.long_factors": LONG,
                    "ladder.scaling.length": 1024, "magnitude.factor": 16, "magnitude.length": 1024}),
    "longrope-b": ("rope-longrope", 64, 64, 2000, 64, {"rope_type": "longrope", "rope_theta": 500000.0,
                                                       "short_factor": SHORT, "long_factor": LONG,
                                                       "original_max_position_embeddings": 1024}, 16384,
                   {"ladder.scaling.short_factors": SHORT, "ladder.scaling.long_factors": LONG, "ladder.base": 500000,
                    "ladder.scaling.length": 1024, "magnitude.factor": 16, "magnitude.length": 1024}),
    "llama3-a": ("rope-llama3", 64, 64, 0, 64, {"rope_type": "llama3", "rope_theta": 500000.0, "factor": 32.0,
                                                "low_freq_factor": 1.0, "high_freq_factor": 4.0,
                                                "original_max_position_embeddings": 8192}, 131072,
                 {"ladder.scaling.factor": 32}),
    "llama3-b": ("rope-llama3", 128, 128, 1, 40, {"rope_type": "llama3", "rope_theta": 10000.0, "factor": 4.0,
                                                  "low_freq_factor": 2.0, "high_freq_factor": 8.0,
                                                  "original_max_position_embeddings": 2048}, 8192,
                 {"ladder.scaling.factor": 4, "ladder.base": 10000, "ladder.scaling.low": 2, "ladder.scaling.high": 8,
                  "ladder.scaling.length": 2048}),
    "proportional-a": ("rope-proportional", 64, 64, 0, 64, {"rope_type": "proportional", "rope_theta": 1e6,
                                                            "partial_rotary_factor": 0.5}, 4096, {"ladder.scaling.part": 0.5}),
    "proportional-b": ("rope-proportional", 128, 128, 2, 40, {"rope_type": "proportional", "rope_theta": 10000.0,
                                                              "partial_rotary_factor": 0.25, "factor": 8.0}, 4096,
                       {"ladder.base": 10000, "ladder.scaling.factor": 8}),
}


def rope_cases(ropes, again=""):
    for title, (preset, head, rotated, first, rows, rope, longest, changed) in ropes.items():
        for gives in ("inv_freq", "waves", "turned"):
            rows = min(rows, 12) if gives == "turned" else rows
            if gives == "turned" and (title[-1] != "a" or preset == "deepseek-v2"):
                continue
            name = f"{preset}/{title}-{gives}{again}"
            draw = drawn_by(name)
            of = "'phi', 'Phi'" if title.startswith("partial") else "'llama', 'Llama'"
            call = (f"rotary_originals: model({of}, q, positions, columns=slice({rotated}), head_dim={head}, "
                    f"max_position_embeddings={longest}, pad_token_id=0, "
                    f"rope_parameters={({'rope_type': 'default'} | rope)!r})")
            says = {"width": rotated if preset == "deepseek-v2" else head, "rotated": rotated, "first": first, "rows": rows,
                    "length": first + rows, "set": changed}
            sees = {"q": (1, rows, head, draw.randrange(10**6), "f32"), "positions": list(range(first, first + rows))}
            yield rotated_case(_Of(preset, "transformers"), name, draw, gives, call, sees, says, ("halves", "once"))


CACHES = ((16, 10000.0), (56, 10000.0), (64, 256.0), (32, 2000.0), (88, 500000.0))


def diffusers_caches(caches, again=""):
    for i, (rotated, base) in enumerate(caches):
        for real in ("real", "complex"):
            name = f"rope-pair/diffusers-{real}-{i}{again}"
            draw = drawn_by(name)
            rows, first = draw.choice((16, 40, 64)), draw.choice((0, 1, 100))
            made = (f"get_1d_rotary_pos_embed({rotated}, np.arange({first}, {first + rows}), theta={base}, "
                    f"use_real={real == 'real'}, repeat_interleave_real=True)")
            if real == "real":
                kind, stored = draw.choice(("cos", "sin")), "pairs"
                call = f"diffusers.models.embeddings: [None, *(each[:, ::2] for each in {made})]"
            else:
                kind, stored = "cos_sin", "complex"
                call = f"diffusers.models.embeddings: (lambda z: (None, z.real, z.imag))({made})"
            yield Case(name=name, preset="rope-pair", package="diffusers", kind=kind, call=call, gives="waves",
                       sees={"positions": []}, dress=dress(draw, "[L,d]", "[1,L,d]")._replace(scale="1"),
                       says={"width": rotated, "rotated": rotated, "first": first, "rows": rows, "stored": stored,
                             "set": {} if base == 10000 else {"ladder.base": base}})


# ---- by hand --------------------------------------------------------------------------------------------

def row(name, preset, package, call, width, first, rows, clothes=Dress(), **says):
    return Case(name=name, preset=preset, package=package, kind="table", call=call, gives="table", dress=clothes,
                sees={"dim": width, "positions": list(range(first, first + rows))},
                says={"width": width, "first": first, "rows": rows, **says})


def by_hand():
    fairseq = "transformers.models.{}: {}({}, dim, padding_idx=1).weights[positions]"
    m2m, speech = ("m2m_100.modeling_m2m_100", "M2M100SinusoidalPositionalEmbedding"), (
        "speech_to_text.modeling_speech_to_text", "Speech2TextSinusoidalPositionalEmbedding")
    yield from (
        row("transformer/0", "transformer", "numpy", PAPER, 8, 0, 50),
        row("transformer/1", "transformer", "numpy", PAPER, 64, 100, 64, Dress("[d,L]", "f32")),
        row("transformer/2", "transformer", "numpy", PAPER, 512, 0, 11, Dress("[1,L,d]", "f32", scale="root")),
        row("whisper/1500", "whisper", "torch", "numpy_originals: whisper_file(dim, positions)", 64, 0, 1500),
        row("whisper-published/1500", "whisper-published", "transformers",
            "transformers.models.whisper.modeling_whisper: sinusoids(1500, dim)[positions]", 16, 0, 1500),
        row("whisper/trained", "whisper", "trained", "trained_originals: whisper_encoder()[:len(positions)]", 384, 0, 60),
        row("fairseq/padding-0", "hf-fairseq-offset2", "transformers", fairseq.format(*m2m, 100), 16, 0, 100, zero_rows=[1]),
        row("fairseq/padding-1", "hf-fairseq-offset2", "transformers", fairseq.format(*speech, 60), 64, 0, 60, zero_rows=[1]),
        row("zero-row-origin/zero", "zero-row-origin", "numpy",
            "numpy_originals: (lambda t: np.concatenate([0 * t[:1], t[1:]]))(zero_row_origin(dim, positions)[1])", 32, 0, 64,
            zero_rows=[0]),
        row("pytorch/root", "pytorch", "torch", "torch_originals: pytorch(dim, positions)", 320, 0, 16,
            Dress("[L,1,d]", scale="root")),
    )


def slope_cases(counts, again=""):
    slopes = {"press": ("alibi", "bias: torch.tensor(press_slopes(heads))"),
              "bloom": ("bloom-alibi",
                        "transformers.models.bloom.modeling_bloom: _get_alibi_slopes(heads, torch.device('cpu'))"),
              "mpt": ("mpt-alibi",
                      "transformers.models.mpt.modeling_mpt: -build_mpt_alibi_tensor(heads, 9).squeeze(1)[:, -2]")}
    for maker, (preset, call) in slopes.items():
        for heads in counts:
            name = f"slopes/{maker}-{heads}{again}"
            yield Case(name=name, preset=preset, package="transformers", kind="slopes", call=call, gives="table",
                       sees={"heads": heads}, says={"heads": heads}, dress=as_it_is(drawn_by(name)))


def alibi_cases(sizes, again=""):
    for heads, queries, keys in sizes:
        name = f"alibi/{heads}{again}"
        call = ("bias: torch.tensor(press_slopes(heads))[:, None, None] * "
                "-torch.abs(torch.arange(keys)[None] - torch.arange(queries)[:, None])[None]")
        yield Case(name=name, preset="alibi", package="transformers", kind="bias", call=call, gives="table",
                   sees={"heads": heads, "queries": queries, "keys": keys},
                   says={"heads": heads, "queries": queries, "keys": keys}, dress=as_it_is(drawn_by(name)))


CASES = [*row_cases(BASES), *image_cases(BASES), *turn_cases(BASES), *rope_cases(ROPES), *diffusers_caches(CACHES), *by_hand(),
         *slope_cases((2, 8, 12, 32, 71, 112)), *alibi_cases(((2, 7, 9), (8, 16, 16), (12, 1, 40), (16, 12, 12)))]
