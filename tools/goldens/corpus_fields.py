# SPDX-License-Identifier: Apache-2.0
"""Cases of the corpus far from position 0, in f64, of pairs with other counts, and of steps with other fields. Needs no
package."""
import corpus_drawn
import waves_works
from corpus_drawn import DEBERTA, DIFFUSERS, STEPS, T5, WAVLM
from corpus_rounds import ENTRIES
from corpus_works import Case, Dress, as_it_is, dress_of_rows, drawn_by

# Presets of which a file may be cut out of a longer table, and how far it is there.
FAR = {"pytorch": 1000, "opennmt": 4096, "tensor2tensor": 3333, "musicgen": 2047, "marian-hf": 1500, "xlm": 4000,
       "tf-tutorial": 512, "diffusers-timestep": 500, "pegasus-x": 4800, "hf-fairseq-offset2": 1025, "videoprism-text": 64,
       "whisper-published": 1400}
# preset, package, width, first, rows, step, call, fields that differ
ROWS = (
    ("diffusers-timestep", "diffusers", 64, 0, 50, 1, STEPS + "scale=10)", {"angle_factor": 10}),
    ("dit-label", "diffusers", 32, 1, 40, 1, STEPS + "True, scale=0.25)", {"angle_factor": 0.25}),
    ("aura-flow-timestep", "diffusers", 128, 0, 33, 1 / 32, STEPS + "True, 0, 500, 2000)",
     {"angle_factor": 500, "ladder.base": 2000}),
    ("ernie-image-timestep", "diffusers", 16, 100, 64, 1, STEPS + "False, 0, max_period=1000)", {"ladder.base": 1000}),
    ("mae-1d", "diffusers", 64, 0, 40, 0.5, DIFFUSERS +
     "get_1d_sincos_pos_embed_from_grid(dim, torch.tensor(positions, dtype=torch.float64))", {}),
    ("mae-1d", "diffusers", 16, 2, 64, 0.375, DIFFUSERS +
     "get_1d_sincos_pos_embed_from_grid(dim, torch.tensor(positions, dtype=torch.float64)).float()", {}),
    ("mae-1d", "numpy", 128, 0, 16, 1, "numpy_originals: mae_1d(dim, positions)", {}),
    ("mae-1d", "numpy", 8, 100, 64, 1, "numpy_originals: mae_1d(dim, positions)", {}),
    ("ct2-marian", "ctranslate2", 32, 1, 48, 1,
     "ctranslate2.converters.marian: _make_sinusoidal_position_encodings(dim)[positions]", {}),
    ("timesfm", "transformers", 64, 0, 64, 1,
     "transformers.models.timesfm.modeling_timesfm: TimesFmPositionalEmbedding(type('Config', (), {'min_timescale': 2, "
     "'max_timescale': 10000, 'hidden_size': dim}))(position=torch.tensor(positions)[None].float())[0]",
     {"ladder.first": 2, "ladder.base": 5000}),
    ("timesfm", "transformers", 16, 1, 100, 1,
     "transformers.models.timesfm.modeling_timesfm: TimesFmPositionalEmbedding(type('Config', (), {'min_timescale': 0.25, "
     "'max_timescale': 1000, 'hidden_size': dim}))(position=torch.tensor(positions)[None].float())[0]",
     {"ladder.first": 0.25, "ladder.base": 4000}),
)
# preset, call, queries, keys, fields that differ
CLASSES = (
    ("t5-bucket", T5 + "True, 64, 256)", 100, 100, {"classes.count": 64, "classes.reach": 256}),
    ("t5-bucket", T5 + "True, 16, 40)", 50, 60, {"classes.count": 16, "classes.reach": 40}),
    ("t5-bucket-decoder", T5 + "False, 64, 300)", 1, 400, {"classes.count": 64, "classes.reach": 300}),
    ("wavlm-bucket", WAVLM.format(64, 200), 80, 80, {"classes.count": 64, "classes.reach": 200}),
    ("deberta-bucket", DEBERTA.format(32, 128), 64, 64, {"classes.count": 32, "classes.reach": 128}),
    ("shaw", "relative_originals: clipped(distances, 8, 8)", 30, 30, {"classes.left": 8, "classes.right": 8}),
    ("shaw", "relative_originals: clipped(distances, 64, 64)", 20, 20, {"classes.left": 64, "classes.right": 64}),
)
MPT = "transformers.models.mpt.modeling_mpt: build_mpt_alibi_tensor(heads, keys, alibi_bias_max={}).squeeze(1)"
SCALES = ("transformers.models.ministral3.modeling_ministral3: get_llama_4_attn_scale(torch.tensor(positions)[None], "
          "{}, {})[0, 0, :, 0]")


def far_cases(of):
    for work in waves_works.WORKS:
        if work.preset in FAR:
            name, first = of.named(f"{work.preset}/far"), FAR[work.preset]
            draw = drawn_by(name)
            width, rows, recipe = draw.choice((8, 16, 64)), draw.choice((16, 40, 60)), list(work.calls)[0]
            if not of.is_first:
                width = draw.choice([w for w in (8, *of.widths) if w <= 512])
                rows = draw.choice([n for n in of.lengths if n * width <= ENTRIES and n <= work.length // 3])
                first = draw.randrange(work.length // 3, work.length - rows)
            yield Case(name=name, preset=work.preset, package=work.package, kind="table", call=work.calls[recipe],
                       gives="table", sees={"dim": width, "positions": list(range(first, first + rows))},
                       dress=dress_of_rows(draw),
                       says={"width": width, "first": first, "rows": rows, "recipe": recipe})


def row_cases(of):
    for i, entry in enumerate(ROWS):
        name = of.named(f"{entry[0]}/fields-{i}")
        clothes = Dress("[1,L,d]" if i % 3 == 0 else "[L,d]")
        if not of.is_first:
            draw = drawn_by(name)
            entry, clothes = corpus_drawn.row_again(entry, draw, of), dress_of_rows(draw)
        preset, package, width, first, rows, step, call, changed = entry
        says = {"width": width, "first": first, "rows": rows, "set": changed} | ({"step": step} if step != 1 else {})
        yield Case(name=name, preset=preset, package=package, kind="table", call=call, gives="table",
                   sees={"dim": width, "positions": [first + step * k for k in range(rows)]}, says=says, dress=clothes)


def pair_cases(of):
    for i, entry in enumerate(CLASSES):
        name = of.named(f"{entry[0]}/fields-{i}")
        preset, call, queries, keys, changed = entry if of.is_first else corpus_drawn.classes_again(entry, drawn_by(name), of)
        package = "numpy" if preset == "shaw" else "transformers"
        yield Case(name=name, preset=preset, package=package, kind="buckets", call=call, gives="classes",
                   sees={"distances": 400}, says={"queries": queries, "keys": keys, "set": changed},
                   dress=Dress("", "i32" if i % 2 else "i64"))
    for octaves, heads, keys in ((16, 8, 20), (4, 12, 33), (10, 6, 9)):
        name = of.named(f"mpt-alibi/octaves-{octaves}")
        draw = drawn_by(name)
        if not of.is_first:
            octaves, heads, keys = draw.choice((2, 3, 5, 6, 7, 9, 12, 15, 20, 24)), draw.choice(of.heads), draw.choice(of.keys)
        yield Case(name=name, preset="mpt-alibi", package="transformers", kind="bias", call=MPT.format(octaves), gives="table",
                   sees={"heads": heads, "keys": keys}, dress=as_it_is(draw),
                   says={"heads": heads, "queries": 1, "keys": keys, "set": {"octaves": octaves}})
    for gain, every, first, rows in ((0.1, 2048, 2000, 300), (0.25, 64, 0, 400), (0.5, 100, 0, 1000)):
        name = of.named(f"ministral3-temperature/every-{every}")
        draw = drawn_by(name)
        if not of.is_first:
            gain = draw.choice((0.05, 0.1, 0.1, 0.15, 0.2, 0.3, 0.4, 0.7, 1.0))
            every = draw.choice((16, 50, 128, 256, 300, 512, 1000, 1024, 4096, 8192, 16384))
            rows = draw.choice((100, 256, 500, 2000))
            first = draw.choice((0, draw.randrange(3 * every), max(0, every - draw.randrange(rows))))
        yield Case(name=name, preset="ministral3-temperature", package="transformers", kind="query_scale", gives="table",
                   call=SCALES.format(gain, every), sees={"positions": list(range(first, first + rows))},
                   says={"first": first, "rows": rows, "set": {"factor.gain": gain, "factor.every": every}},
                   dress=as_it_is(draw))


def cases(of):
    for kind in (far_cases, row_cases, pair_cases):
        yield from kind(of)
