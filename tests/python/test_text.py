# SPDX-License-Identifier: Apache-2.0
"""posenc.text: the ids of the command-line tool, its refusals, pickles."""

import ast
import doctest
import inspect
import multiprocessing
import os
import pathlib
import pickle
import subprocess
import sys

import numpy as np
import posenc
import posenc.text
import pytest
from conftest import ROOT
from posenc import _text
from posenc.text import Tokenizer

GOLDENS = ROOT / "tests/text/goldens"
TEXTS = [
    "我爱你",
    "I love you, don't I?  42 times\t— naïve café\u0301",
    "",
    "  \u3000 spaces\u00a0",
    "def f(x):\n    return x ** 2\n",
    "🙂👩‍👩‍👧 \x00 \u212b ǆ",
]
VOCABULARY = ["<pad>", "<unk>", "<bos>", "<eos>", *"我爱你I love", "love", "you,", "é"]


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory):
    path = tmp_path_factory.mktemp("text") / "vocabulary.txt"
    characters = dict.fromkeys(token for token in VOCABULARY if len(token) == 1 and not token.isspace())
    path.write_text("\n".join([*VOCABULARY[:4], *characters]) + "\n", encoding="utf-8")
    return path


def tool():
    """The tool of a build that is beside this package, of the developers or of ./dev run."""
    for preset in ("dev", "run"):
        path = ROOT / f"build/{preset}/apps/posenc/posenc"
        if path.exists():
            return path
    pytest.fail("no posenc is built in build/dev or build/run; ./dev python builds it")


KINDS = {
    "built in": ["bpe"],
    **{f"{name}.json": [f"bpe:{GOLDENS / name}.json"] for name in ("gpt2", "llama3", "qwen", "unknown")},
    **{f"{name}.model": [f"sentencepiece:{GOLDENS / name}.model"] for name in ("unigram", "pairs")},
    "bytes": ["bytes"],
    "chars": ["chars", "vocabulary"],
    "words": ["words", "vocabulary"],
}


def made(kind, vocabulary):
    tokens, *rest = KINDS[kind]
    return Tokenizer(tokens, vocab=vocabulary if rest else None)


def ids_of_tool(kind, vocabulary, text):
    tokens, *rest = KINDS[kind]
    options = ["--vocab", vocabulary] if rest else []
    done = subprocess.run(
        [tool(), "tokens", "-", "--tokens", tokens, *options], input=text.encode(), capture_output=True
    )
    if done.returncode:
        return done.stderr.decode()
    return [int(word) for word in done.stdout.split()]


@pytest.mark.parametrize("kind", KINDS)
def test_ids_are_those_of_the_tool(kind, vocabulary):
    tokenizer = made(kind, vocabulary)
    for text in TEXTS:
        told = ids_of_tool(kind, vocabulary, text)
        if isinstance(told, list):
            assert tokenizer.encode(text).tolist() == told, text
            continue
        with pytest.raises(posenc.PosencError) as refused:
            tokenizer.encode(text)
        assert f"[{refused.value.operation}] {refused.value.rule}, got " in told


def test_the_built_in_vocabulary_has_three_tokens_for_three_characters():
    tokenizer = Tokenizer()
    ids = tokenizer.encode("我爱你")
    assert ids.dtype == np.int32 and ids.shape == (3,)
    assert b"".join(map(tokenizer.token, ids.tolist())).decode() == tokenizer.decode(ids).decode() == "我爱你"
    assert (tokenizer.kind, tokenizer.source, tokenizer.size, len(tokenizer)) == ("bpe", "built in", 3072, 3072)


@pytest.mark.parametrize("kind", KINDS)
def test_a_pickle_needs_no_file(kind, vocabulary, tmp_path):
    there = made(kind, vocabulary)
    tokens, *rest = KINDS[kind]
    if ":" in tokens or rest:
        own = tmp_path / "file"
        own.write_bytes(pathlib.Path(vocabulary if rest else tokens.partition(":")[2]).read_bytes())
        there = Tokenizer(tokens if rest else f"{tokens.partition(':')[0]}:{own}", vocab=own if rest else None)
        kept = pickle.dumps(there)
        own.unlink()
    else:
        kept = pickle.dumps(there)
    again = pickle.loads(kept)
    assert again.identity == there.identity == made(kind, vocabulary).identity
    assert repr(again) == repr(there)
    for text in TEXTS:
        one, other = (each.encode_all([text]) for each in (there, again))
        assert one.ids.tolist() == other.ids.tolist() and len(one.failures) == len(other.failures)


def test_several_texts_are_one_call_and_a_bad_one_fails_alone():
    texts = ["我爱你", b"caf\xe9", "", "to be", "half \ud800".encode("utf-8", "surrogatepass"), "or not"]
    encoded = Tokenizer().encode_all(texts)
    alone = [Tokenizer().encode(text).tolist() if i not in (1, 4) else [] for i, text in enumerate(texts)]
    parts = np.split(encoded.ids, encoded.offsets[1:-1])
    assert [part.tolist() for part in parts] == alone
    assert [failure.row for failure in encoded.failures] == [1, 4]
    error = encoded.failures[0].error
    assert error.operation == "bpe_encode" and "valid UTF-8" in error.rule and error.index == (3,)


def test_most_asks_for_the_first_ids_alone():
    tokenizer = Tokenizer()
    text = "to be or not to be " * 100
    whole = tokenizer.encode(text)
    assert tokenizer.encode(text, most=7).tolist() == whole[:7].tolist()
    assert tokenizer.encode(text, most=0).size == 0
    assert tokenizer.encode(b"to be or\xff", most=2).tolist() == whole[:2].tolist()
    assert tokenizer.encode_all([text, text], most=3).offsets.tolist() == [0, 3, 6]


def test_unknown_tokens_have_their_id(vocabulary):
    tokenizer = Tokenizer("words", vocab=vocabulary)
    assert tokenizer.unknown == 1 and tokenizer.encode("我 nobody 你").tolist() == [4, 1, 6]
    assert Tokenizer("bytes").unknown is None


def test_numbers_are_ids():
    tokenizer = Tokenizer("ids", size=100)
    assert tokenizer.encode("1 2, 99").tolist() == [1, 2, 99] and tokenizer.decode([1, 2]) == b"1 2"
    with pytest.raises(posenc.PosencError, match="100"):
        tokenizer.encode("100")


REFUSED = [
    (lambda _: Tokenizer("wordpiece"), "tokenizer", "tokens must be bpe, bpe:FILE"),
    (lambda _: Tokenizer("bpe:"), "tokenizer", "tokens must be bpe, bpe:FILE"),
    (lambda _: Tokenizer("chars"), "tokenizer", "chars and words must come with vocab"),
    (lambda path: Tokenizer("bpe", vocab=path), "tokenizer", "chars and words must come with vocab"),
    (lambda _: Tokenizer("ids"), "tokenizer", "ids must come with size"),
    (lambda _: Tokenizer("bytes", size=3), "tokenizer", "ids must come with size"),
    (lambda _: Tokenizer("ids", size=0), "ids", "the number of ids must be at least 1"),
    (lambda path: Tokenizer(f"bpe:{path}"), None, "JSON"),
    (lambda path: Tokenizer(f"sentencepiece:{path}"), None, "model"),
    (lambda _: Tokenizer().decode([3072]), "decode", "a token id must be one of 0 to 3071"),
    (lambda _: Tokenizer().decode([1, 1 << 31]), "decode", "2^31"),
    (lambda _: Tokenizer().token(-1), None, "id"),
    (lambda _: Tokenizer().encode("half \ud800"), "encode", "whole characters"),
    (lambda _: Tokenizer().encode("x", most=-1), "encode", "most must be >= 0"),
]


@pytest.mark.parametrize("call, operation, rule", REFUSED)
def test_a_refusal_names_operation_rule_and_value(call, operation, rule, vocabulary):
    with pytest.raises(posenc.PosencError) as refused:
        call(vocabulary)
    assert rule in refused.value.rule and refused.value.value and operation in (None, refused.value.operation)


@pytest.mark.parametrize("kind", ["words", "chars", "bpe"])
def test_a_vocabulary_of_word_pieces_is_refused_when_it_is_read(kind, tmp_path):
    path = tmp_path / "vocab.txt"
    path.write_text("[PAD]\n[UNK]\nto\nbe\n##ing\n")
    rule = r"must be of BPE, SentencePiece, words or characters; of WordPiece .* ids takes the ids"
    with pytest.raises(posenc.PosencError, match=rule + r", got .*vocab\.txt with '##ing'"):
        Tokenizer("bpe:" + str(path)) if kind == "bpe" else Tokenizer(kind, vocab=path)


def test_a_tokenizer_json_of_another_model_is_refused_when_it_is_read(tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_text('{"model": {"type": "WordPiece", "vocab": {"[UNK]": 0, "##ing": 1}}}')
    with pytest.raises(posenc.PosencError, match="must be BPE, got 'WordPiece'"):
        Tokenizer(f"bpe:{path}")


def test_a_word_may_begin_as_a_word_piece_does(tmp_path):
    path = tmp_path / "words.txt"
    path.write_text("to\n##ing\n")  # no [UNK] beside it
    assert Tokenizer("words", vocab=path).encode("##ing to").tolist() == [1, 0]


@pytest.mark.parametrize("most", [1.0, True, "1"])
def test_most_is_an_integer(most):
    with pytest.raises(TypeError, match=rf"\[encode\] most must be an integer, got {type(most).__name__}"):
        Tokenizer().encode("x", most=most)
    assert Tokenizer().encode("to be", most=np.int64(1)).size == 1


def test_other_types_and_missing_files_are_refused(tmp_path):
    with pytest.raises(posenc.PosencError, match=r"must exist and be readable, got .*nothing\.json"):
        Tokenizer(f"bpe:{tmp_path}/nothing.json")
    with pytest.raises(posenc.PosencError, match="regular file"):
        Tokenizer(f"sentencepiece:{tmp_path}")
    with pytest.raises(TypeError, match=r"\[tokenizer\] tokens must be a str, got NoneType"):
        Tokenizer(None)
    with pytest.raises(TypeError, match=r"\[encode\] text must be str or bytes, got int"):
        Tokenizer().encode(3)
    with pytest.raises(TypeError, match=r"\[decode\] ids must be a list of integers"):
        Tokenizer().decode([0.5])


def test_threads_share_one_tokenizer():
    from concurrent.futures import ThreadPoolExecutor

    tokenizer = Tokenizer()
    texts = [f"{i} 我爱你 to be or not" * 50 for i in range(64)]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda text: tokenizer.encode(text).tolist(), texts))
    assert found == [tokenizer.encode(text).tolist() for text in texts]


def encode_in_a_process(tokenizer):
    return os.getpid(), tokenizer.encode("我爱你").tolist()


def test_a_process_of_spawn_gets_it():
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        pid, ids = pool.apply(encode_in_a_process, (Tokenizer(),))
    assert pid != os.getpid() and ids == Tokenizer().encode("我爱你").tolist()


def test_the_stub_of_the_module_has_its_names():
    stub = ast.parse((ROOT / "bindings/python/posenc/_text.pyi").read_text())
    names = {node.name: node for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    assert names.keys() == {name for name in dir(_text) if not name.startswith("__")}
    stated = {item.name for item in names["Tokenizer"].body}
    assert stated == {name for name in vars(_text.Tokenizer) if not name.startswith("__")} | {"__init__"}


def test_names_are_documented_and_examples_print_what_they_say():
    for name in posenc.text.__all__:
        assert inspect.getdoc(getattr(posenc.text, name)).splitlines()[0].endswith("."), name
    assert doctest.testmod(posenc.text).failed == 0


def test_importing_it_loads_no_numpy_and_posenc_does_not_load_it():
    code = (
        "import sys, posenc; assert 'posenc._text' not in sys.modules\n"
        "import posenc.text; assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_package_that_was_built_without_says_so():
    hidden = "import sys; sys.modules['posenc._text'] = None; import posenc; posenc.table('transformer', 4, 2); "
    ended = subprocess.run([sys.executable, "-c", hidden + "import posenc.text"], stderr=subprocess.PIPE, text=True)
    assert ended.returncode == 1
    assert ended.stderr.endswith(
        "ModuleNotFoundError: posenc.text was left out of this package when it was built, by POSENC_TEXT=OFF\n"
    )
