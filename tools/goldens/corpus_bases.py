# SPDX-License-Identifier: Apache-2.0
"""Cases of the corpus whose fields are not those of their presets: other bases and scalings, caches of rotations by
transformers and diffusers, tables of whole models. Needs no package."""
import math

import corpus_ropes
from corpus_rounds import CELLS, ENTRIES, USUAL_THETAS
from corpus_works import HEADS, Case, Dress, as_it_is, drawn_by, dress, dress_of_cells, dress_of_rows, rotated_case

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


def row_cases(of):
    for preset, package, call in ROWS:
        for i in range(2):
            name = of.named(f"{preset}/base-{i}")
            draw = drawn_by(name)
            if of.is_first:
                width, rows, first = (draw.choice(each) for each in ((8, 16, 64), (33, 64, 90), (0, 0, 1, 100)))
            else:
                width = draw.choice((8, *(w for w in of.widths if w <= 512)))
                rows = draw.choice([n for n in of.lengths if n * width <= ENTRIES])
                first = draw.choice([at for at in of.firsts if at + rows <= 500])  # the rows of a table
            base = draw.choice(of.bases)
            yield Case(name=name, preset=preset, package=package, kind="table", call=call, gives="table",
                       sees={"dim": width, "positions": list(range(first, first + rows)), "base": base},
                       says={"width": width, "first": first, "rows": rows, "set": {"ladder.base": base}},
                       dress=dress_of_rows(draw, leads=True))


def image_cases(of):
    for preset, package, call in IMAGES:
        for i in range(2):
            name = of.named(f"{preset}/base-{i}")
            draw = drawn_by(name)
            width = draw.choice((8, 16, 64) if of.is_first else (8, 16, 24, 32, 48, 64, 96))
            grid = draw.choice([each for each in of.grids if math.prod(each) * width <= CELLS])
            base = draw.choice(of.bases)
            yield Case(name=name, preset=preset, package=package, kind="grid", call=call, gives="table",
                       sees={"dim": width, "grid": grid, "base": base}, dress=dress_of_cells(draw),
                       says={"width": width, "grid": grid, "rows": grid[0] * grid[1], "first": 0,
                             "set": {"ladder.base": base}})


def turn_cases(of):
    for preset, package, call, pairing in TURNS:
        for gives in ("inv_freq", "waves", "turned"):
            name = of.named(f"{preset}/base-{gives}")
            draw = drawn_by(name)
            if of.is_first:
                head, rows, first = (draw.choice(each) for each in ((16, 64), (16, 40), (0, 1, 100)))
            else:
                head, first = draw.choice(HEADS), draw.choice(of.starts)
                rows = draw.choice(of.turned if gives == "turned" else [n for n in of.waves if n * head <= 2 * ENTRIES])
            base = draw.choice(of.bases)
            sees = {"q": (of.heads_of(draw), rows, head, draw.randrange(10**6), "f32"), "rotated": head, "base": base,
                    "positions": list(range(first, first + rows))}
            says = {"width": head, "rotated": head, "first": first, "rows": rows, "set": {"ladder.base": base}}
            yield rotated_case(_Of(preset, package), name, draw, gives, call, sees, says,
                               ("once", "halves" if pairing == "split_half" else "pairs"))


class _Of:
    """What rotated_case asks of a row."""

    def __init__(self, preset, package):
        self.preset, self.package = preset, package


# ---- caches of Llama's class, and of Phi's for partial widths, of every type of rope ------------------

def rope_cases(of):
    for title, (preset, head, rotated, first, rows, rope, longest, changed) in corpus_ropes.ropes_of(of).items():
        for gives in ("inv_freq", "waves", "turned"):
            rows = min(rows, 12) if gives == "turned" else rows
            if gives == "turned" and (title[-1] != "a" or preset == "deepseek-v2"):
                continue
            name = of.named(f"{preset}/{title}-{gives}")
            draw = drawn_by(name)
            model = "'phi', 'Phi'" if title.startswith("partial") else "'llama', 'Llama'"
            call = (f"rotary_originals: model({model}, q, positions, columns=slice({rotated}), head_dim={head}, "
                    f"max_position_embeddings={longest}, pad_token_id=0, "
                    f"rope_parameters={({'rope_type': 'default'} | rope)!r})")
            says = {"width": rotated if preset == "deepseek-v2" else head, "rotated": rotated, "first": first, "rows": rows,
                    "length": first + rows, "set": changed}
            sees = {"q": (of.heads_of(draw), rows, head, draw.randrange(10**6), "f32"),
                    "positions": list(range(first, first + rows))}
            yield rotated_case(_Of(preset, "transformers"), name, draw, gives, call, sees, says, ("halves", "once"))


CACHES = ((16, 10000.0), (56, 10000.0), (64, 256.0), (32, 2000.0), (88, 500000.0))  # width, base


def diffusers_caches(of):
    for i, (rotated, base) in enumerate(CACHES):
        for real in ("real", "complex"):
            name = of.named(f"rope-pair/diffusers-{real}-{i}")
            draw = drawn_by(name)
            rows, first = draw.choice((16, 40, 64)), draw.choice((0, 1, 100))
            if not of.is_first:
                rotated, base, first = draw.choice(HEADS), draw.choice(USUAL_THETAS + of.bases), draw.choice(of.starts)
                rows = draw.choice([n for n in of.waves if n * rotated <= 2 * ENTRIES])
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


def by_hand(of):
    fairseq = "transformers.models.{}: {}({}, dim, padding_idx=1).weights[positions]"
    m2m, speech = ("m2m_100.modeling_m2m_100", "M2M100SinusoidalPositionalEmbedding"), (
        "speech_to_text.modeling_speech_to_text", "Speech2TextSinusoidalPositionalEmbedding")
    whisper = "transformers.models.whisper.modeling_whisper: sinusoids(1500, dim)[positions]"
    zero = "numpy_originals: (lambda t: np.concatenate([0 * t[:1], t[1:]]))(zero_row_origin(dim, positions)[1])"
    trained = "trained_originals: whisper_encoder()[{}]"
    if of.is_first:
        yield from (
            row("transformer/0", "transformer", "numpy", PAPER, 8, 0, 50),
            row("transformer/1", "transformer", "numpy", PAPER, 64, 100, 64, Dress("[d,L]", "f32")),
            row("transformer/2", "transformer", "numpy", PAPER, 512, 0, 11, Dress("[1,L,d]", "f32", scale="root")),
            row("whisper/1500", "whisper", "torch", "numpy_originals: whisper_file(dim, positions)", 64, 0, 1500),
            row("whisper-published/1500", "whisper-published", "transformers", whisper, 16, 0, 1500),
            row("whisper/trained", "whisper", "trained", trained.format(":len(positions)"), 384, 0, 60),
            row("fairseq/padding-0", "hf-fairseq-offset2", "transformers", fairseq.format(*m2m, 100), 16, 0, 100,
                zero_rows=[1]),
            row("fairseq/padding-1", "hf-fairseq-offset2", "transformers", fairseq.format(*speech, 60), 64, 0, 60,
                zero_rows=[1]),
            row("zero-row-origin/zero", "zero-row-origin", "numpy", zero, 32, 0, 64, zero_rows=[0]),
            row("pytorch/root", "pytorch", "torch", "torch_originals: pytorch(dim, positions)", 320, 0, 16,
                Dress("[L,1,d]", scale="root")),
        )
        return
    for title, preset, package, call in (
            ("transformer/0", "transformer", "numpy", PAPER), ("transformer/1", "transformer", "numpy", PAPER),
            ("transformer/2", "transformer", "numpy", PAPER),
            ("whisper/1500", "whisper", "torch", "numpy_originals: whisper_file(dim, positions)"),
            ("whisper-published/1500", "whisper-published", "transformers", whisper),
            ("whisper/trained", "whisper", "trained", trained),
            ("fairseq/padding-0", "hf-fairseq-offset2", "transformers", fairseq),
            ("fairseq/padding-1", "hf-fairseq-offset2", "transformers", fairseq),
            ("zero-row-origin/zero", "zero-row-origin", "numpy", zero),
            ("pytorch/root", "pytorch", "torch", "torch_originals: pytorch(dim, positions)")):
        name = of.named(title)
        draw = drawn_by(name)
        width, clothes = draw.choice(of.widths), dress_of_rows(draw)
        if title == "whisper/trained":
            width = 384  # of the model
        rows = draw.choice([n for n in of.lengths if n * width <= ENTRIES])
        first = draw.choice(of.firsts)
        if title.endswith("1500"):
            width, rows, first = draw.choice((8, 16, 24)), 1500, 0
        zeros = {}
        if call is fairseq:
            zeros, first, call = {"zero_rows": [1]}, 0, fairseq.format(*draw.choice((m2m, speech)), rows)
        elif call is zero:
            zeros, first = {"zero_rows": [0]}, 0
        elif call is trained:
            call = trained.format(f"{first}:{first + rows}")
        elif title == "pytorch/root":
            clothes = clothes._replace(scale="root")
        yield row(name, preset, package, call, width, first, rows, clothes, **zeros)


SLOPES = {"press": ("alibi", "bias: torch.tensor(press_slopes(heads))"),
          "bloom": ("bloom-alibi", "transformers.models.bloom.modeling_bloom: _get_alibi_slopes(heads, torch.device('cpu'))"),
          "mpt": ("mpt-alibi", "transformers.models.mpt.modeling_mpt: -build_mpt_alibi_tensor(heads, 9).squeeze(1)[:, -2]")}


def alibi_cases(of):
    for maker, (preset, call) in SLOPES.items():
        for heads in (2, 8, 12, 32, 71, 112):
            name = of.named(f"slopes/{maker}-{heads}")
            draw = drawn_by(name)
            count = heads if of.is_first else draw.choice(of.heads)
            yield Case(name=name, preset=preset, package="transformers", kind="slopes", call=call, gives="table",
                       sees={"heads": count}, says={"heads": count}, dress=as_it_is(draw))
    for heads, queries, keys in ((2, 7, 9), (8, 16, 16), (12, 1, 40), (16, 12, 12)):
        name = of.named(f"alibi/{heads}")
        draw = drawn_by(name)
        counts = (heads, queries, keys) if of.is_first else of.pairs(draw)
        says = dict(zip(("heads", "queries", "keys"), counts, strict=True))
        call = ("bias: torch.tensor(press_slopes(heads))[:, None, None] * "
                "-torch.abs(torch.arange(keys)[None] - torch.arange(queries)[:, None])[None]")
        yield Case(name=name, preset="alibi", package="transformers", kind="bias", call=call, gives="table", sees=says,
                   says=says, dress=as_it_is(draw))


def cases(of):
    for kind in (row_cases, image_cases, turn_cases, rope_cases, diffusers_caches, by_hand, alibi_cases):
        yield from kind(of)
