# SPDX-License-Identifier: Apache-2.0
"""Cases of the corpus that no convention makes: identify must name none. Needs no package."""
import corpus_strangers_again
from corpus_works import Case, Dress, as_it_is, drawn_by

HERE = "stranger_originals: "
TUTORIAL, HALVES, WHISPER = "of('tf-tutorial', 64, 32)", "of('mae-1d', 100, 16)", "of('whisper', 50, 64)"

# detail, call, what it is nearest to.
TABLES = {
    "numpy": (
        ("normal numbers", "normal(64, 64, 1)", ""),
        ("normal numbers", "normal(100, 8, 2, 0.02)", ""),
        ("normal numbers", "normal(17, 128, 3, 0.3)", ""),
        ("uniform numbers", "uniform(64, 32, 4)", ""),
        ("uniform numbers", "uniform(200, 16, 5, 0, 1)", ""),
        ("uniform numbers", "uniform(9, 320, 6, -0.05, 0.05)", ""),
        ("smoothed noise", "smoothed(100, 16, 7, 4)", ""),
        ("smoothed noise", "smoothed(64, 64, 8, 12)", ""),
        ("smoothed noise", "smoothed(300, 8, 9, 30)", ""),
        ("a random walk", "walk(128, 32, 10)", ""),
        ("a cosine transform", "cosine_transform(64, 64)", ""),
        ("a cosine transform", "cosine_transform(100, 32)", ""),
        ("a Hadamard matrix", "hadamard(64)", ""),
        ("a Hadamard matrix", "hadamard(16)", ""),
        ("Chebyshev polynomials", "chebyshev(100, 16)", ""),
        ("bumps", "bumps(64, 16)", ""),
        ("ramps", "ramps(50, 32)", ""),
        ("bits of the position", "binary(64, 12)", ""),
        ("the unit matrix", "np.eye(48, dtype=np.float32)", ""),
        ("zeros", "np.zeros((32, 16), np.float32)", ""),
        ("ones", "np.ones((20, 8), np.float32)", ""),
        ("waves of random frequencies", "random_waves(100, 32, 11)", ""),
        ("waves of random phases", "random_phases(100, 16, 12)", ""),
        ("noise of 1e-2", f"noisy({TUTORIAL}, 13, 1e-2)", "tf-tutorial"),
        ("noise of 1e-2", f"noisy({HALVES}, 14, 1e-2)", "mae-1d"),
        ("noise of 1e-2", f"noisy({WHISPER}, 15, 1e-2)", "whisper"),
        ("noise of 0.3", f"noisy({TUTORIAL}, 16, 0.3)", "tf-tutorial"),
        ("shuffled columns", f"shuffled_columns({TUTORIAL}, 17)", "tf-tutorial"),
        ("shuffled columns", f"shuffled_columns({HALVES}, 18)", "mae-1d"),
        ("shuffled columns", f"shuffled_columns({WHISPER}, 19)", "whisper"),
        ("shuffled rows", f"shuffled_rows({TUTORIAL}, 20)", "tf-tutorial"),
        ("one damaged row", f"damaged_row({TUTORIAL}, 37, 21)", "tf-tutorial"),
        ("one damaged row", f"damaged_row({HALVES}, 5, 22)", "mae-1d"),
        ("one damaged column", f"damaged_column({WHISPER}, 9, 23)", "whisper"),
        ("steps of 1/127", f"steps({TUTORIAL}, 127)", "tf-tutorial"),
        ("steps of 1/7", f"steps({HALVES}, 7)", "mae-1d"),
        ("columns of two conventions", f"mixed_columns({TUTORIAL}, of('mae-1d', 64, 32))", "tf-tutorial"),
        ("columns of two conventions", f"mixed_columns({WHISPER}, of('tf-tutorial', 50, 64))", "whisper"),
        ("rows of two conventions", f"mixed_rows({TUTORIAL}, of('mae-1d', 64, 32))", "tf-tutorial"),
        ("the mean of two conventions", f"({TUTORIAL} + of('mae-1d', 64, 32)) / 2", "tf-tutorial"),
        ("squares", f"{TUTORIAL} ** 2", "tf-tutorial"),
        ("a drift that grows with the column", f"drifted({TUTORIAL}, 24, 0.2)", "tf-tutorial"),
        ("a drift that grows with the column", f"drifted({HALVES}, 25, 0.05)", "mae-1d"),
    ),
    "torch": (
        ("learned, as PyTorch begins", "fresh(1, lambda: torch.nn.Embedding(64, 64).weight)", ""),
        ("learned, as PyTorch begins", "fresh(2, lambda: torch.nn.init.trunc_normal_(torch.empty(50, 96), std=0.02))", ""),
        ("learned, as PyTorch begins", "fresh(3, lambda: torch.nn.init.xavier_uniform_(torch.empty(100, 32)))", ""),
        ("learned, as PyTorch begins", "fresh(4, lambda: torch.nn.init.orthogonal_(torch.empty(32, 32)))", ""),
        ("a layer's weights", "fresh(5, lambda: torch.nn.Linear(64, 40).weight)", ""),
        ("trained from noise", "trained(64, 32, 6, None, 300)", ""),
        ("trained from noise", "trained(100, 16, 7, None, 600)", ""),
        ("trained from sines", f"trained(64, 32, 8, {TUTORIAL}, 30)", "tf-tutorial"),
        ("angles in bf16", "sines_in(torch.bfloat16, 300, 16)", "pytorch"),
        ("angles in f16", "sines_in(torch.float16, 100, 32)", "pytorch"),
        ("frequencies in bf16", "cosines_of_rounded(torch.bfloat16, 100, 32)", "rope-half"),
        ("frequencies in f16", "cosines_of_rounded(torch.float16, 64, 64)", "rope-half"),
        ("trained from sines", f"trained(100, 16, 9, {HALVES}, 200)", "mae-1d"),
    ),
}
TRAINED = (
    ("learned, of a trained Whisper", "whisper_decoder()[:64, :96]"),
    ("learned, of a trained Whisper", "whisper_decoder()[100:115]"),
    ("learned, of a trained ALBERT", "rxnmapper()[:100, :64]"),
    ("learned, of a trained ALBERT", "rxnmapper()[:12]"),
    ("learned, of a trained BERT", "mini_lm('embeddings.position_embeddings.weight')[:64, :96]"),
    ("learned, of a trained BERT", "mini_lm('embeddings.position_embeddings.weight')[200:216]"),
    ("embeddings, of a trained BERT", "mini_lm('embeddings.word_embeddings.weight')[2000:2050, :64]"),
    ("a layer's weights, of a trained BERT", "mini_lm('encoder.layer.0.attention.self.query.weight')[:64, :64]"),
    ("learned, of a trained translator", "annalog(('pos_embedding',))[:100, :64]"),
)
HF = "transformers.models.{0}.modeling_{0}: (torch.manual_seed({1}), {2})[1].detach()"
FRESH = (
    ("learned, as BERT begins", HF.format("bert", 1, "BertModel(BertConfig(hidden_size=64, num_hidden_layers=1, "
     "num_attention_heads=2, intermediate_size=8, vocab_size=9, max_position_embeddings=80))"
     ".embeddings.position_embeddings.weight")),
    ("learned, as GPT-2 begins", HF.format("gpt2", 2, "GPT2Model(GPT2Config(n_embd=32, n_layer=1, n_head=2, vocab_size=9, "
     "n_positions=128)).wpe.weight")),
    ("learned, as ViT begins", HF.format("vit", 3, "ViTModel(ViTConfig(hidden_size=32, num_hidden_layers=1, "
     "num_attention_heads=2, intermediate_size=8, image_size=64, patch_size=8)).embeddings.position_embeddings")),
)
LISTS = (
    ("bias", "learned numbers of classes", "normal(8, 32, 36)[:, np.abs(np.add.outer(np.arange(20), -np.arange(20)))]"),
    ("query_scale", "random numbers", "sorted_list(300, 37) + 1"),
    ("log_coordinates", "coordinates without their logarithm",
     "np.stack(np.meshgrid(np.arange(-6, 7) / 6, np.arange(-6, 7) / 6, indexing='ij'), -1).astype(np.float32)"),
    ("inv_freq", "sorted random numbers", "sorted_list(32, 30)"),
    ("inv_freq", "1 / (k + 1)", "(1 / np.arange(1, 33)).astype(np.float32)"),
    ("inv_freq", "random numbers", "uniform(1, 64, 31, 0, 1)[0]"),
    ("slopes", "random numbers", "sorted_list(12, 32)"),
    ("buckets", "random numbers", "classes(20, 30, 33, 32)"),
    ("buckets", "sums of places", "np.add.outer(np.arange(16), np.arange(24))"),
    ("bias", "random numbers", "normal(8 * 16, 16, 34).reshape(8, 16, 16)"),
    ("cos", "random numbers", "uniform(64, 32, 35)"),
)
TURNS = (("noise added", "turned_by_noise(16, 64, 40, 0.1)"), ("noise in its place", "turned_by_noise(12, 32, 42, 5)"),
         ("random angles", "turned_at_random(16, 64, 44)"))


def cases(of):
    if of.is_first:
        yield from first_cases()
    else:
        for entry in corpus_strangers_again.entries(of):
            yield stranger(*entry, draw=drawn_by(entry[0]))


def first_cases():
    tables = [(package, detail, HERE + call, nearest) for package, rows in TABLES.items() for detail, call, nearest in rows]
    tables += [("trained", detail, "trained_originals: " + call, "") for detail, call in TRAINED]
    tables += [("transformers", detail, call, "") for detail, call in FRESH]
    for package, detail, call, nearest in tables:
        yield stranger(f"none/{call}", package, call, "table", detail, nearest, draw=drawn_by(f"none/{call}"))
    for looks, detail, call in LISTS:
        yield stranger(f"none/{call}", "numpy", HERE + call, looks, detail, "", draw=drawn_by(f"none/{call}"))
    for detail, call in TURNS:
        yield stranger(f"none/{call}", "numpy", HERE + call, "before_after", detail, "", draw=drawn_by(f"none/{call}"))


def stranger(name, package, call, looks, detail, nearest, *, draw):
    if looks == "before_after":
        return none(name, package, call, looks, detail, Dress(""), nearest, "parts")
    if looks == "table":
        clothes = Dress(draw.choice(("[L,d]", "[L,d]", "[1,L,d]", "[d,L]")),
                        draw.choice(("own", "own", "own", "f16", "bf16")), draw.choice(("stay", "widened")))
    else:
        clothes = Dress("", "i64") if looks == "buckets" else as_it_is(draw)
    return none(name, package, call, looks, detail, clothes, nearest)


def none(name, package, call, looks, detail, clothes, nearest, gives="table"):
    says = {"looks": looks, "detail": f"{detail} of {nearest}" if nearest else detail}
    return Case(name=name, preset="none", package=package, kind="none", call=call, gives=gives, dress=clothes,
                says=says | ({"nearest": nearest} if nearest else {}))
