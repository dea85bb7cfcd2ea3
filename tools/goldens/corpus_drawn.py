# SPDX-License-Identifier: Apache-2.0
"""Cases of the corpus's last round whose fields are drawn: bases, scalings of rotations, counts, steps, and strangers of
other seeds, shapes and base tables. Needs no package."""
import corpus_bases
import corpus_fields
import corpus_strangers
from corpus_bases import falling
from corpus_works import AGAIN, drawn_by

BASES = (250000, 4321.5, 1e6 / 3, 320, 65536, 7e6, 1234.75, 20000)
THETAS = (10000.0, 10000.0, 500000.0, 1e6, 20000.0, 3e5, 5e6, 123456.0, 40000.0)


# ---- caches of every type of rope ---------------------------------------------------------------------

def usual(draw):
    """head, first position, rows, theta"""
    return draw.choice((32, 64, 80, 96, 128)), draw.choice((0, 0, 1, 3, 64, 500)), draw.choice((24, 40, 64)), draw.choice(THETAS)


def default(draw):
    head, first, rows, theta = usual(draw)
    return "rope-half", head, head, first, rows, {"rope_theta": theta}, 4096, {"ladder.base": theta}


def partial(draw):
    head, first, rows, theta = usual(draw)
    factor = draw.choice((0.25, 0.5, 0.75))
    part = int(head * factor)
    return ("rope-half", head, part, first, rows, {"rope_theta": theta, "partial_rotary_factor": factor}, 4096,
            {"part": part, "ladder.base": theta})


def linear(draw):
    head, first, rows, theta = usual(draw)
    factor = draw.choice((1.5, 2.0, 2.25, 3.0, 4.0, 8.0))
    return ("rope-linear", head, head, first, rows, {"rope_type": "linear", "rope_theta": theta, "factor": factor}, 4096,
            {"ladder.scaling.factor": factor, "ladder.base": theta})


def dynamic(draw):
    head, first, rows, theta = usual(draw)
    factor, length = draw.choice((2.0, 3.0, 4.0, 8.0)), draw.choice((16, 32, 64, 100))
    return ("rope-dynamic", head, head, first, max(rows, length), {"rope_type": "dynamic", "rope_theta": theta, "factor": factor},
            length, {"ladder.scaling.factor": factor, "ladder.scaling.length": length, "ladder.base": theta})


def yarn(draw):
    head, first, rows, theta = usual(draw)
    factor, length = draw.choice((2.0, 4.0, 8.0, 16.0, 32.0, 40.0)), draw.choice((2048, 4096, 8192, 32768))
    fast, slow = draw.choice(((32, 1), (32, 1), (16, 1), (64, 2)))
    return ("rope-yarn", head, head, first, rows,
            {"rope_type": "yarn", "rope_theta": theta, "factor": factor, "beta_fast": fast, "beta_slow": slow,
             "original_max_position_embeddings": length}, int(factor) * length,
            {"ladder.scaling.factor": factor, "ladder.scaling.length": length, "ladder.scaling.fast": fast,
             "ladder.scaling.slow": slow, "magnitude.factor": factor, "ladder.base": theta})


def llama3(draw):
    head, first, rows, theta = usual(draw)
    factor, length = draw.choice((2.0, 4.0, 8.0, 16.0, 32.0)), draw.choice((4096, 8192, 16384))
    low, high = draw.choice(((1.0, 4.0), (1.0, 4.0), (1.0, 8.0), (2.0, 8.0)))
    return ("rope-llama3", head, head, first, rows,
            {"rope_type": "llama3", "rope_theta": theta, "factor": factor, "low_freq_factor": low, "high_freq_factor": high,
             "original_max_position_embeddings": length}, int(factor) * length,
            {"ladder.scaling.factor": factor, "ladder.scaling.length": length, "ladder.scaling.low": low,
             "ladder.scaling.high": high, "ladder.base": theta})


def proportional(draw):
    head, first, rows, theta = usual(draw)
    part, factor = draw.choice((0.25, 0.5, 0.75)), draw.choice((1.0, 2.0, 8.0))
    return ("rope-proportional", head, head, first, rows,
            {"rope_type": "proportional", "rope_theta": theta, "partial_rotary_factor": part, "factor": factor}, 4096,
            {"ladder.scaling.part": part, "ladder.scaling.factor": factor, "ladder.base": theta})


def longrope(draw):
    head, first, rows, theta = usual(draw)
    length, times = draw.choice((1024, 2048, 4096)), draw.choice((4, 16, 32))
    short = falling(head // 2, 1, draw.choice((1.25, 2.5)))
    long = falling(head // 2, draw.choice((1, 1.5)), draw.choice((20, 64)))
    first = draw.choice((first, length + first))
    return ("rope-longrope", head, head, first, rows,
            {"rope_type": "longrope", "rope_theta": theta, "short_factor": short, "long_factor": long,
             "original_max_position_embeddings": length}, times * length,
            {"ladder.scaling.short_factors": short, "ladder.scaling.long_factors": long, "ladder.base": theta,
             "ladder.scaling.length": length, "magnitude.factor": times, "magnitude.length": length})


def ropes():
    kinds = (default, partial, linear, dynamic, yarn, llama3, proportional, longrope)
    return {f"{kind.__name__}-{letter}": kind(drawn_by(f"{kind.__name__}-{letter}{AGAIN}")) for kind in kinds for letter in "abcd"}


# ---- steps, classes, slopes ---------------------------------------------------------------------------

DIFFUSERS, STEPS = corpus_fields.DIFFUSERS, corpus_fields.STEPS
TIMES = ("transformers.models.timesfm.modeling_timesfm: TimesFmPositionalEmbedding(type('Config', (), {{'min_timescale': {}, "
         "'max_timescale': {}, 'hidden_size': dim}}))(position=torch.tensor(positions)[None].float())[0]")


def rows():
    draw = drawn_by(f"rows{AGAIN}")
    for scale in (2, 4.5, 20, 0.125):
        yield ("diffusers-timestep", "diffusers", draw.choice((16, 64)), draw.choice((0, 1, 30)), draw.choice((33, 50)), 1,
               STEPS + f"scale={scale})", {"angle_factor": scale})
    for scale, base in ((250, 4000), (100, 10000), (1000, 2500)):
        yield ("aura-flow-timestep", "diffusers", draw.choice((32, 64)), 0, 33, 1 / 32, STEPS + f"True, 0, {scale}, {base})",
               {"angle_factor": scale, "ladder.base": base})
    for base in (500, 30000):
        yield ("ernie-image-timestep", "diffusers", 32, draw.choice((0, 7, 250)), 40, 1, STEPS + f"False, 0, max_period={base})",
               {"ladder.base": base})
    for step in (0.25, 0.625, 1.5, 3):
        yield ("mae-1d", "diffusers", draw.choice((16, 32)), draw.choice((0, 3)), draw.choice((40, 64)), step, DIFFUSERS +
               "get_1d_sincos_pos_embed_from_grid(dim, torch.tensor(positions, dtype=torch.float64)).float()", {})
    for least, most in ((3, 9000), (0.5, 2000), (1, 60000)):
        yield ("timesfm", "transformers", draw.choice((16, 64)), draw.choice((0, 5)), 64, 1, TIMES.format(least, most),
               {"ladder.first": least, "ladder.base": most / least})


def classes():
    t5, wavlm = corpus_fields.T5, corpus_fields.WAVLM
    for count, reach in ((64, 128), (32, 100), (20, 60)):
        yield "t5-bucket", t5 + f"True, {count}, {reach})", 90, 70, {"classes.count": count, "classes.reach": reach}
    for count, reach in ((16, 50), (64, 200)):
        yield "t5-bucket-decoder", t5 + f"False, {count}, {reach})", 60, 380, {"classes.count": count, "classes.reach": reach}
    yield "wavlm-bucket", wavlm.format(32, 100), 120, 120, {"classes.count": 32, "classes.reach": 100}
    for each in (5, 31):
        yield ("shaw", f"relative_originals: clipped(distances, {each}, {each})", 50, 45,
               {"classes.left": each, "classes.right": each})


# ---- strangers ------------------------------------------------------------------------------------------

A, B, C = "of('tf-tutorial', 80, 48)", "of('mae-1d', 60, 64)", "of('whisper', 90, 32)"


def tables():
    draw = drawn_by(f"tables{AGAIN}")

    def shape():
        return f"{draw.choice((12, 40, 96, 130))}, {draw.choice((10, 24, 64, 90))}"
    made = [(f"{kind} numbers", f"{kind}({shape()}, {seed}{rest})", "") for seed, kind, rest in (
        (101, "normal", ""), (102, "normal", ", 0.02"), (103, "normal", ", 0.5"), (104, "uniform", ""), (105, "uniform", ", 0, 1"))]
    made += [("smoothed noise", f"smoothed({shape()}, {seed}, {reach})", "") for seed, reach in ((106, 3), (107, 8), (108, 20))]
    made += [("a random walk", f"walk({shape()}, 109)", ""), ("a cosine transform", "cosine_transform(80, 48)", ""),
             ("Chebyshev polynomials", "chebyshev(77, 24)", ""), ("waves of random frequencies", f"random_waves({shape()}, 110)", ""),
             ("waves of random phases", f"random_phases({shape()}, 111)", "")]
    made += [(f"noise of {size}", f"noisy({table}, {seed}, {size})", nearest) for seed, (table, nearest), size in (
        (112, (A, "tf-tutorial"), "2e-2"), (113, (B, "mae-1d"), "0.1"), (114, (C, "whisper"), "5e-3"))]
    made += [("shuffled columns", f"shuffled_columns({B}, 115)", "mae-1d"), ("shuffled rows", f"shuffled_rows({C}, 116)", "whisper"),
             ("one damaged row", f"damaged_row({C}, 44, 117)", "whisper"),
             ("one damaged column", f"damaged_column({A}, 20, 118)", "tf-tutorial"), ("steps of 1/31", f"steps({C}, 31)", "whisper"),
             ("columns of two conventions", f"mixed_columns({B}, of('tf-tutorial', 60, 64))", "mae-1d"),
             ("a drift that grows with the column", f"drifted({C}, 119, 0.1)", "whisper")]
    return {"numpy": made, "torch": [
        ("learned, as PyTorch begins", "fresh(11, lambda: torch.nn.Embedding(90, 48).weight)", ""),
        ("a layer's weights", "fresh(12, lambda: torch.nn.Linear(48, 72).weight)", ""),
        ("trained from noise", "trained(48, 40, 13, None, 400)", ""),
        ("trained from sines", f"trained(80, 48, 14, {A}, 100)", "tf-tutorial"),
        ("angles in bf16", "sines_in(torch.bfloat16, 400, 32)", "pytorch"),
        ("frequencies in bf16", "cosines_of_rounded(torch.bfloat16, 80, 48)", "rope-half")]}


TRAINED = (("learned, of a trained Whisper", "whisper_decoder()[200:264, 96:160]"),
           ("learned, of a trained BERT", "mini_lm('embeddings.position_embeddings.weight')[100:180, 200:248]"),
           ("embeddings, of a trained BERT", "mini_lm('embeddings.word_embeddings.weight')[5000:5064, 64:128]"))
LISTS = (("inv_freq", "sorted random numbers", "sorted_list(24, 130)"), ("slopes", "random numbers", "sorted_list(16, 131)"),
         ("inv_freq", "1 / (k + 1)", "(2 / np.arange(1, 25)).astype(np.float32)"),
         ("buckets", "random numbers", "classes(30, 20, 132, 16)"), ("cos", "random numbers", "uniform(50, 48, 133)"),
         ("bias", "random numbers", "normal(4 * 12, 12, 134).reshape(4, 12, 12)"))
TURNS = (("noise added", "turned_by_noise(12, 32, 140, 0.05)"), ("random angles", "turned_at_random(12, 48, 141)"))

CASES = [
    *corpus_bases.row_cases(BASES, AGAIN), *corpus_bases.image_cases(BASES, AGAIN), *corpus_bases.turn_cases(BASES, AGAIN),
    *corpus_bases.rope_cases(ropes(), AGAIN),
    *corpus_bases.diffusers_caches(((24, 10000.0), (40, 500.0), (64, 30000.0), (48, 1e6), (96, 2500.0)), AGAIN),
    *corpus_bases.slope_cases((3, 5, 16, 20, 40, 64), AGAIN), *corpus_bases.alibi_cases(((3, 6, 8), (10, 9, 20), (6, 1, 30)), AGAIN),
    *corpus_fields.far_cases(AGAIN), *corpus_fields.row_cases(rows(), AGAIN), *corpus_fields.class_cases(classes(), AGAIN),
    *corpus_fields.octave_cases(((12, 8, 24), (5, 16, 20)), AGAIN),
    *corpus_fields.scale_cases(((0.2, 1024, 900, 400), (0.05, 300, 100, 900), (0.4, 77, 0, 500)), AGAIN),
    *corpus_strangers.cases(tables(), TRAINED, (), LISTS, TURNS, AGAIN)]
