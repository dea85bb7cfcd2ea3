# SPDX-License-Identifier: Apache-2.0
"""Tables that no convention makes, in a later round of the corpus: of the kinds of the first, with drawn seeds, shapes and
base tables. Needs no package."""
from corpus_works import drawn_by

HERE = "stranger_originals: "
NEAREST = ("tf-tutorial", "mae-1d", "whisper")


class Drawn:
    """What a call is written with."""

    def __init__(self, draw):
        self.draw, self.nearest = draw, draw.choice(NEAREST)
        self.rows, self.width = draw.choice((9, 20, 33, 50, 64, 77, 100, 128, 150)), draw.choice((8, 16, 24, 32, 48, 64, 96))
        self.side = draw.choice((8, 16, 32, 64, 128))
        self.head = draw.choice((16, 32, 64, 128))
        self.places = draw.choice((5, 8, 12, 16, 24))

    @property
    def shape(self):
        return f"{self.rows}, {self.width}"

    @property
    def seed(self):
        """Each time another."""
        return self.draw.randrange(1000, 10**6)

    @property
    def near(self):
        """The base table."""
        return f"of('{self.nearest}', {self.rows}, {self.width})"

    @property
    def other(self):
        """A table of another convention, of the same shape."""
        return f"of('{self.draw.choice([each for each in NEAREST if each != self.nearest])}', {self.rows}, {self.width})"

    def one_of(self, *choices):
        return self.draw.choice(choices)

    def part_of(self, length, taken):
        """A slice of so many out of a length."""
        first = self.draw.randrange(length - taken + 1)
        return f"{first}:{first + taken}"


# How many, detail, call.
FREE = (
    (3, "normal numbers", lambda d: f"normal({d.shape}, {d.seed}, {d.one_of(1, 0.02, 0.3)})"),
    (2, "uniform numbers", lambda d: f"uniform({d.shape}, {d.seed})"),
    (1, "uniform numbers", lambda d: f"uniform({d.shape}, {d.seed}, 0, 1)"),
    (3, "smoothed noise", lambda d: f"smoothed({d.shape}, {d.seed}, {d.one_of(3, 8, 15, 25)})"),
    (1, "a random walk", lambda d: f"walk({d.shape}, {d.seed})"),
    (2, "a cosine transform", lambda d: f"cosine_transform({d.rows}, {min(d.rows, d.width)})"),
    (1, "a Hadamard matrix", lambda d: f"hadamard({d.side})"),
    (1, "Chebyshev polynomials", lambda d: f"chebyshev({d.shape})"),
    (1, "bumps", lambda d: f"bumps({d.shape})"),
    (1, "ramps", lambda d: f"ramps({d.shape})"),
    (1, "bits of the position", lambda d: f"binary({d.rows}, {d.one_of(8, 10, 16)})"),
    (1, "the unit matrix", lambda d: f"np.eye({d.side}, dtype=np.float32)"),
    (1, "zeros", lambda d: f"np.zeros(({d.shape}), np.float32)"),
    (1, "ones", lambda d: f"np.ones(({d.shape}), np.float32)"),
    (2, "waves of random frequencies", lambda d: f"random_waves({d.shape}, {d.seed})"),
    (2, "waves of random phases", lambda d: f"random_phases({d.shape}, {d.seed})"),
)
# Made from a table of a convention, or of two.
NEAR = (
    (4, "noise", lambda d: f"noisy({d.near}, {d.seed}, {d.one_of(0.01, 0.02, 0.05, 0.1, 0.3)})"),
    (3, "shuffled columns", lambda d: f"shuffled_columns({d.near}, {d.seed})"),
    (2, "shuffled rows", lambda d: f"shuffled_rows({d.near}, {d.seed})"),
    (2, "one damaged row", lambda d: f"damaged_row({d.near}, {d.draw.randrange(d.rows)}, {d.seed})"),
    (2, "one damaged column", lambda d: f"damaged_column({d.near}, {d.draw.randrange(d.width)}, {d.seed})"),
    (2, "a few steps", lambda d: f"steps({d.near}, {d.one_of(5, 15, 31, 63, 127)})"),
    (2, "columns of two conventions", lambda d: f"mixed_columns({d.near}, {d.other})"),
    (1, "rows of two conventions", lambda d: f"mixed_rows({d.near}, {d.other})"),
    (1, "the mean of two conventions", lambda d: f"({d.near} + {d.other}) / 2"),
    (1, "squares", lambda d: f"{d.near} ** 2"),
    (2, "a drift that grows with the column", lambda d: f"drifted({d.near}, {d.seed}, {d.one_of(0.05, 0.1, 0.2, 0.3)})"),
)
TORCH = (
    (1, "learned, as PyTorch begins", lambda d: f"fresh({d.seed}, lambda: torch.nn.Embedding({d.shape}).weight)"),
    (1, "learned, as PyTorch begins",
     lambda d: f"fresh({d.seed}, lambda: torch.nn.init.trunc_normal_(torch.empty({d.shape}), std=0.02))"),
    (1, "learned, as PyTorch begins", lambda d: f"fresh({d.seed}, lambda: torch.nn.init.xavier_uniform_(torch.empty({d.shape})))"),
    (1, "learned, as PyTorch begins",
     lambda d: f"fresh({d.seed}, lambda: torch.nn.init.orthogonal_(torch.empty({d.side}, {d.side})))"),
    (1, "a layer's weights", lambda d: f"fresh({d.seed}, lambda: torch.nn.Linear({d.shape}).weight)"),
    (2, "trained from noise", lambda d: f"trained({d.shape}, {d.seed}, None, {d.one_of(200, 400, 600)})"),
)
TORCH_NEAR = (
    (2, "trained from sines", lambda d: f"trained({d.shape}, {d.seed}, {d.near}, {d.one_of(30, 60, 100, 200)})"),
)
# The same in a short type, and what it is nearest to.
SHORT = (
    ("angles in bf16", lambda d: f"sines_in(torch.bfloat16, {d.shape})", "pytorch"),
    ("angles in f16", lambda d: f"sines_in(torch.float16, {d.shape})", "pytorch"),
    ("frequencies in bf16", lambda d: f"cosines_of_rounded(torch.bfloat16, {d.shape})", "rope-half"),
    ("frequencies in f16", lambda d: f"cosines_of_rounded(torch.float16, {d.shape})", "rope-half"),
)
PLACES, WORDS = (f"mini_lm('embeddings.{each}_embeddings.weight')" for each in ("position", "word"))
TRAINED = (
    (1, "learned, of a trained Whisper", lambda d: f"whisper_decoder()[{d.part_of(448, d.rows)}, {d.part_of(384, d.width)}]"),
    (1, "learned, of a trained Whisper", lambda d: f"whisper_decoder()[{d.part_of(448, 12)}]"),
    (1, "learned, of a trained ALBERT", lambda d: f"rxnmapper()[{d.part_of(256, d.rows)}, {d.part_of(128, d.width)}]"),
    (1, "learned, of a trained ALBERT", lambda d: f"rxnmapper()[{d.part_of(256, 10)}]"),
    (1, "learned, of a trained BERT", lambda d: f"{PLACES}[{d.part_of(512, d.rows)}, {d.part_of(384, d.width)}]"),
    (1, "learned, of a trained BERT", lambda d: f"{PLACES}[{d.part_of(512, 16)}]"),
    (1, "embeddings, of a trained BERT", lambda d: f"{WORDS}[{d.part_of(30000, d.rows)}, {d.part_of(384, d.width)}]"),
    (1, "a layer's weights, of a trained BERT",
     lambda d: f"mini_lm('encoder.layer.{d.one_of(0, 1, 2)}.attention.self.{d.one_of('query', 'key', 'value')}.weight')"
               f"[{d.part_of(384, 64)}, {d.part_of(384, 64)}]"),
    (1, "learned, of a trained translator", lambda d: f"annalog(('pos_embedding',))[{d.part_of(100, 50)}, {d.part_of(64, 48)}]"),
)
HF = "transformers.models.{0}.modeling_{0}: (torch.manual_seed({1}), {2})[1].detach()"
FRESH = (
    (1, "learned, as BERT begins", lambda d: HF.format("bert", d.seed, (
        f"BertModel(BertConfig(hidden_size={d.width}, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, "
        f"vocab_size=9, max_position_embeddings={d.rows})).embeddings.position_embeddings.weight"))),
    (1, "learned, as GPT-2 begins", lambda d: HF.format("gpt2", d.seed, (
        f"GPT2Model(GPT2Config(n_embd={d.width}, n_layer=1, n_head=2, vocab_size=9, n_positions={d.rows})).wpe.weight"))),
    (1, "learned, as ViT begins", lambda d: HF.format("vit", d.seed, (
        f"ViTModel(ViTConfig(hidden_size={d.width}, num_hidden_layers=1, num_attention_heads=2, intermediate_size=8, "
        f"image_size={8 * d.places}, patch_size=8)).embeddings.position_embeddings"))),
)
LISTS = (
    ("bias", "learned numbers of classes", lambda d: (
        f"normal({d.one_of(2, 8, 12)}, {d.places}, {d.seed})"
        f"[:, np.abs(np.add.outer(np.arange({d.places}), -np.arange({d.places})))]")),
    ("query_scale", "random numbers", lambda d: f"sorted_list({d.one_of(100, 250, 400)}, {d.seed}) + 1"),
    ("log_coordinates", "coordinates without their logarithm", lambda d: (
        f"np.stack(np.meshgrid(*[np.arange(-{d.places}, {d.places} + 1) / {d.places}] * 2, indexing='ij'), -1)"
        ".astype(np.float32)")),
    ("inv_freq", "sorted random numbers", lambda d: f"sorted_list({d.head // 2}, {d.seed})"),
    ("inv_freq", "a / (k + b)", lambda d: (
        f"({d.one_of(0.5, 1, 2)} / np.arange({(b := d.one_of(1, 2, 5))}, {b + d.head // 2})).astype(np.float32)")),
    ("inv_freq", "random numbers", lambda d: f"uniform(1, {d.head // 2}, {d.seed}, 0, 1)[0]"),
    ("slopes", "random numbers", lambda d: f"sorted_list({d.one_of(6, 8, 16, 20, 32)}, {d.seed})"),
    ("buckets", "random numbers",
     lambda d: f"classes({d.one_of(10, 25, 40)}, {d.one_of(12, 30)}, {d.seed}, {d.one_of(8, 16, 32)})"),
    ("buckets", "sums of places", lambda d: f"np.add.outer(np.arange({d.one_of(9, 20)}), np.arange({d.one_of(13, 31)}))"),
    ("bias", "random numbers", lambda d: f"normal({d.one_of(4, 8, 12)} * 16, 16, {d.seed}).reshape(-1, 16, 16)"),
    ("cos", "random numbers", lambda d: f"uniform({d.shape}, {d.seed})"),
)
TURNS = (
    ("noise added", lambda d: f"turned_by_noise({d.places}, {d.head}, {d.seed}, {d.one_of(0.03, 0.1, 0.3)})"),
    ("noise in its place", lambda d: f"turned_by_noise({d.places}, {d.head}, {d.seed}, 5)"),
    ("random angles", lambda d: f"turned_at_random({d.places}, {d.head}, {d.seed})"),
)


def kinds():
    """(package, module, looks, detail, call, nearest), where nearest is None: drawn"""
    for package, module, rows, nearest in (
            ("numpy", HERE, FREE, ""), ("numpy", HERE, NEAR, None), ("torch", HERE, TORCH, ""), ("torch", HERE, TORCH_NEAR, None),
            ("trained", "trained_originals: ", TRAINED, ""), ("transformers", "", FRESH, "")):
        for count, detail, call in rows:
            yield from [(package, module, "table", detail, call, nearest)] * count
    yield from (("torch", HERE, "table", detail, call, nearest) for detail, call, nearest in SHORT)
    yield from (("numpy", HERE, looks, detail, call, "") for looks, detail, call in LISTS)
    yield from (("numpy", HERE, "before_after", detail, call, "") for detail, call in TURNS)


def entries(of):
    """(name, package, call, looks, detail, nearest)"""
    for place, (package, module, looks, detail, call, nearest) in enumerate(kinds()):
        name = of.named(f"none/{place} {detail}")
        d = Drawn(drawn_by(f"fields of {name}"))
        yield name, package, module + call(d), looks, detail, d.nearest if nearest is None else nearest
