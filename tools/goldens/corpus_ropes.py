# SPDX-License-Identifier: Apache-2.0
"""Ladders of every type of rope, as configurations state them: those of the first round of the corpus, and drawn ones."""
from corpus_rounds import USUAL_THETAS
from corpus_works import drawn_by


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


# ---- drawn --------------------------------------------------------------------------------------------

HEADS = (32, 48, 64, 64, 80, 96, 112, 128, 128, 256)
FACTORS = (1.25, 1.5, 2.0, 2.0, 2.5, 3.0, 4.0, 4.0, 6.0, 8.0, 8.0, 10.0, 16.0, 32.0, 40.0)
LENGTHS = (512, 1024, 2048, 4096, 4096, 8192, 8192, 16384, 32768, 32768, 3000)
WHOLE_FACTORS = tuple(factor for factor in FACTORS if factor == int(factor))


def linear(draw, head):
    factor = draw.choice((*FACTORS, round(draw.uniform(1, 12), 2)))
    return "rope-linear", head, {"factor": factor}, 4096, {"ladder.scaling.factor": factor}


def dynamic(draw, head):
    factor, length = draw.choice(FACTORS), draw.choice((16, 20, 32, 64, 100, 128, 512, 2048))
    return "rope-dynamic", head, {"factor": factor}, length, {"ladder.scaling.factor": factor, "ladder.scaling.length": length}


def yarn(draw, head):
    factor, length = draw.choice(FACTORS), draw.choice(LENGTHS)
    fast, slow = draw.choice(((32, 1), (32, 1), (32, 1), (16, 1), (16, 2), (64, 2), (24, 3)))
    rope = {"factor": factor, "original_max_position_embeddings": length}
    if (fast, slow) != (32, 1):
        rope |= {"beta_fast": fast, "beta_slow": slow}
    changed = {"factor": factor, "length": length, "fast": fast, "slow": slow}
    if draw.random() < 0.25:
        rope["truncate"], changed["truncate"] = False, "none"
    return ("rope-yarn", head, rope, int(factor * length),
            {f"ladder.scaling.{field}": value for field, value in changed.items()} | {"magnitude.factor": factor})


def deepseek(draw, head):
    factor, length = draw.choice(FACTORS), draw.choice(LENGTHS)
    gain, gain_all = draw.choice((0.707, 1.0, 0.8)), draw.choice((0.5, 0.707, 1.0, 0.25))
    return ("deepseek-v2", head, {"factor": factor, "mscale": gain, "mscale_all_dim": gain_all,
                                  "original_max_position_embeddings": length}, int(factor * length),
            {"ladder.scaling.factor": factor, "ladder.scaling.length": length, "magnitude.factor": factor,
             "magnitude.gain": gain, "magnitude.gain_all": gain_all})


def longrope(draw, head):
    n, length, times = head // 2, draw.choice((512, 1024, 2048, 4096, 8192)), draw.choice((2, 4, 16, 32))
    short = falling(n, draw.choice((1, 1.05)), draw.choice((1, 1.25, 2, 2.8)))
    long = falling(n, draw.choice((1, 1.08, 1.5)), draw.choice((8, 24.5, 48, 64)))
    return ("rope-longrope", head, {"short_factor": short, "long_factor": long, "original_max_position_embeddings": length},
            times * length,
            {"ladder.scaling.short_factors": short, "ladder.scaling.long_factors": long, "ladder.scaling.length": length,
             "magnitude.factor": times, "magnitude.length": length})


def llama3(draw, head):
    factor, length = draw.choice(WHOLE_FACTORS), draw.choice(LENGTHS)
    low, high = draw.choice(((1.0, 4.0), (1.0, 4.0), (1.0, 4.0), (1.0, 8.0), (2.0, 8.0), (1.0, 2.0), (0.5, 3.0)))
    return ("rope-llama3", head, {"factor": factor, "low_freq_factor": low, "high_freq_factor": high,
                                  "original_max_position_embeddings": length}, int(factor * length),
            {"ladder.scaling.factor": factor, "ladder.scaling.length": length, "ladder.scaling.low": low,
             "ladder.scaling.high": high})


def proportional(draw, head):
    part, factor = draw.choice((0.25, 0.25, 0.5, 0.75)), draw.choice((1.0, 1.0, 2.0, 4.0, 8.0))
    return ("rope-proportional", head, {"partial_rotary_factor": part} | ({"factor": factor} if factor != 1 else {}), 4096,
            {"ladder.scaling.part": part, "ladder.scaling.factor": factor})


def default(_draw, head):
    return "rope-half", head, {}, 4096, {}


def partial(draw, head):
    part = draw.choice([turned for turned in (8, 16, 24, 32, 48, 64, 96) if turned < head])
    return "rope-half", part, {"partial_rotary_factor": part / head}, 4096, {"part": part}


KINDS = {"default": default, "partial": partial, "linear": linear, "dynamic": dynamic, "yarn": yarn, "longrope": longrope,
         "llama3": llama3, "proportional": proportional}


def again(title, name):
    """The entry of a title in a later round: of the same type, with every number drawn by the name."""
    draw, preset = drawn_by(name), ROPES[title][0]
    head = draw.choice([each for each in HEADS if preset != "deepseek-v2" or each == 64])
    theta = draw.choice(USUAL_THETAS)
    made = deepseek if preset == "deepseek-v2" else KINDS[title.partition("-")[0]]
    preset, rotated, rope, longest, changed = made(draw, head)
    first = draw.choice((0, 0, 0, 1, 2, 7, 33, 100, 500, 1500))
    if made in (dynamic, longrope):  # on both sides of the original length
        first = draw.choice((0, rope.get("original_max_position_embeddings", longest), first))
    kind = {} if made in (default, partial) else {"rope_type": "yarn" if made is deepseek else title.partition("-")[0]}
    return (preset, head, rotated, first, draw.choice((12, 20, 33, 48, 64, 100)), kind | {"rope_theta": theta} | rope, longest,
            changed | {"ladder.base": int(theta) if theta == int(theta) else theta})


def ropes_of(of):
    return ROPES if of.is_first else {title: again(title, of.named(f"rope {title}")) for title in ROPES}
