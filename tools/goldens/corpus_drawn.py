# SPDX-License-Identifier: Apache-2.0
"""Fields of tables and classes in a later round of the corpus, drawn in place of the listed ones of the first."""
from corpus_rounds import ENTRIES

DIFFUSERS = "diffusers.models.embeddings: "
STEPS = DIFFUSERS + "get_timestep_embedding(torch.tensor(positions, dtype=torch.float32), dim, "
TIMESFM = ("transformers.models.timesfm.modeling_timesfm: TimesFmPositionalEmbedding(type('Config', (), {{'min_timescale': {}, "
           "'max_timescale': {}, 'hidden_size': dim}}))(position=torch.tensor(positions)[None].float())[0]")
T5 = "transformers.models.t5.modeling_t5: T5Attention._relative_position_bucket(torch.tensor(distances), "
WAVLM = ("relative_originals: hf('wavlm', 'WavLMAttention')._relative_positions_bucket(types.SimpleNamespace(num_buckets={}, "
         "max_distance={}), torch.tensor(distances))")
DEBERTA = "transformers.models.deberta_v2.modeling_deberta_v2: make_log_bucket_position(torch.tensor(-distances), {}, {}).long()"
FACTORS = (0.125, 0.2, 0.5, 2, 3, 5, 8, 16, 20, 50, 100)  # of every angle
MOST = (100, 250, 500, 750, 1000, 1500, 2000, 3000)  # the same, of positions from 0 to 1


def fields_again(preset, package, call, draw, of):
    """(step, call, fields that differ) of a row of its kind with other numbers."""
    base = draw.choice(of.bases)
    if preset == "diffusers-timestep":
        factor = draw.choice(FACTORS)
        return 1, STEPS + f"scale={factor}, max_period={base})", {"angle_factor": factor, "ladder.base": base}
    if preset == "dit-label":
        factor = draw.choice(FACTORS)
        return 1, STEPS + f"True, scale={factor})", {"angle_factor": factor}
    if preset == "aura-flow-timestep":
        factor, step = draw.choice(MOST), draw.choice((1 / 8, 1 / 16, 1 / 32, 3 / 128))
        return step, STEPS + f"True, 0, {factor}, {base})", {"angle_factor": factor, "ladder.base": base}
    if preset == "ernie-image-timestep":
        return 1, STEPS + f"False, 0, max_period={base})", {"ladder.base": base}
    if preset == "timesfm":
        least = draw.choice((0.25, 0.5, 2, 4, 8))
        most = draw.choice((500, 1000, 3000, 10000, 50000, 200000))
        return 1, TIMESFM.format(least, most), {"ladder.first": least, "ladder.base": most / least}
    # Bits that f32 holds.
    return (draw.choice((0.25, 0.5, 0.625, 0.75, 1.5, 2, 3)) if package == "diffusers" else 1), call, {}


def row_again(entry, draw, of):
    """An entry of corpus_fields.ROWS with other numbers."""
    preset, package, _, _, _, _, call, _ = entry
    step, call, changed = fields_again(preset, package, call, draw, of)
    width = draw.choice([w for w in (8, *of.widths) if w <= 512])
    rows = draw.choice([n for n in of.lengths if n * width <= ENTRIES])
    first = 0 if preset == "aura-flow-timestep" else draw.choice([at for at in of.firsts if at <= 127])
    return preset, package, width, first, rows, step, call, changed


def classes_again(entry, draw, of):
    """An entry of corpus_fields.CLASSES with other numbers."""
    preset, _, _, _, _ = entry
    queries, keys = draw.choice(of.classes)
    if preset == "shaw":
        left, right = draw.choice(((3, 3), (5, 5), (10, 10), (20, 20), (31, 31), (50, 50), (2, 6), (7, 1), (15, 16), (40, 8)))
        return (preset, f"relative_originals: clipped(distances, {left}, {right})", queries, keys,
                {"classes.left": left, "classes.right": right})
    count = draw.choice((8, 12, 16, 24, 32, 48, 64, 96, 128))
    reach = draw.choice([each for each in (20, 33, 50, 64, 100, 128, 200, 256, 300, 512, 1000) if each > count])
    call = {"t5-bucket": T5 + f"True, {count}, {reach})", "t5-bucket-decoder": T5 + f"False, {count}, {reach})",
            "wavlm-bucket": WAVLM.format(count, reach), "deberta-bucket": DEBERTA.format(count, reach)}[preset]
    return preset, call, queries, keys, {"classes.count": count, "classes.reach": reach}
