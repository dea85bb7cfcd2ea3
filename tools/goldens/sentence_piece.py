# SPDX-License-Identifier: Apache-2.0
"""Makes tests/text/goldens/sentence_piece.json and two small models beside it, by the `sentencepiece` package.

    pip install sentencepiece==0.2.3
    python tools/goldens/sentence_piece.py [--check]

- `unigram.model`: a unigram model whose normalization is a short table of its own, so that the file has a character map;
- `pairs.model`: a BPE model with byte fallback and no normalization.

The golden file has, for each model, its size, its tokens, and the ids that the package gives for each of STRINGS.
--check encodes again with the models that are there and compares; training is not repeated.
"""

import argparse
import contextlib
import io
import json
import pathlib
import sys
import tempfile

import sentencepiece

VERSION = "0.2.3"
GOLDENS = pathlib.Path(__file__).resolve().parents[2] / "tests/text/goldens"
INDEX = GOLDENS / "sentence_piece.json"

SENTENCES = [
    "The order of the words carries the meaning, and attention alone does not see it.",
    "A position signal is added to each row of the embedding, so that the first block can tell here from there.",
    "Sines and cosines of falling frequency turn a position into a vector of a fixed length.",
    "Moving by a fixed distance is a rotation, whatever the place it starts from.",
    "I love you, and you love me: the same words in another order say another thing.",
    "The dog bites the man; the man bites the dog.",
    "Every token has an id, every id has a row, and every row is scaled before the signal is added.",
    "我爱你，你爱我。词的顺序不同，意思就不同。",
    "位置编码把每个位置变成一个向量，注意力才能看见顺序。",
    "今天天气很好，我们一起去公园散步。",
    "Die Reihenfolge der Wörter trägt die Bedeutung; die Aufmerksamkeit allein sieht sie nicht.",
    "L'ordre des mots porte le sens, et l'attention seule ne le voit pas.",
]
STRINGS = [
    "", " ", "a", "I love you", "我爱你", "你爱我", "the words", "  two  spaces  ", "line\nline\n\nline", "\ttab",
    "Attention is all you need.", "位置编码，position encoding。", "naïve Wörter", "e\u0301", "ＡＢ１", "½", "x\u3000y",
    "👩‍👩‍👧 👍🏽", "unseen: Ж ქ \U00020000", "▁ ▁", "<unk> <s> </s>", "\u0000 a", "0123456789", "aaaaaaaaaaaaaaaa",
    " ".join(SENTENCES),
]  # fmt: skip
RULES = {0xFF21: "A", 0xFF22: "B", 0xFF11: "1", 0x3000: " ", 0xBD: "1/2"}
COMMON = {"vocab_size": 400, "hard_vocab_limit": False, "num_threads": 1, "minloglevel": 2, "max_sentence_length": 1000}


def train(name, **options):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(SENTENCES), model_writer=model, **COMMON, **options)
    (GOLDENS / f"{name}.model").write_bytes(model.getvalue())


def train_both():
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):  # the model holds the name of the rules
        lines = [f"{source:X}\t{' '.join(f'{ord(c):X}' for c in to)}\n" for source, to in RULES.items()]
        pathlib.Path("rules.tsv").write_text("".join(lines))
        train("unigram", model_type="unigram", normalization_rule_tsv="rules.tsv")
    train("pairs", model_type="bpe", byte_fallback=True, normalization_rule_name="identity")


def described(name):
    processor = sentencepiece.SentencePieceProcessor(model_file=str(GOLDENS / f"{name}.model"))
    return {
        "model": f"{name}.model",
        "tokens": [processor.id_to_piece(i) for i in range(processor.get_piece_size())],
        "unknown": processor.unk_id(),
        "ids": [processor.encode(text) for text in STRINGS],
    }


def json_value(value):
    """One line, or one line an entry of a list of objects."""
    if not isinstance(value, list) or not isinstance(value[0], dict):
        return json.dumps(value)
    return "[\n" + ",\n".join("  " + json.dumps(entry) for entry in value) + "\n ]"


def main():
    parser = argparse.ArgumentParser(description="Golden ids of the sentencepiece package.")
    parser.add_argument("--check", action="store_true", help="encode again and compare with the committed file")
    options = parser.parse_args()
    if sentencepiece.__version__ != VERSION:
        print(f"sentence_piece: sentencepiece is {sentencepiece.__version__}, expected {VERSION}", file=sys.stderr)
        sys.exit(77 if options.check else 1)
    if not options.check:
        train_both()
    golden = {
        "made_by": f"tools/goldens/sentence_piece.py, sentencepiece {VERSION}",
        "strings": STRINGS,
        "models": [described("unigram"), described("pairs")],
    }
    text = "{\n" + ",\n".join(f" {json.dumps(key)}: {json_value(value)}" for key, value in golden.items()) + "\n}\n"
    if not options.check:
        INDEX.write_text(text)
    elif INDEX.read_text() != text:
        sys.exit("sentence_piece: the package gives other ids than the committed file")


if __name__ == "__main__":
    main()
