# SPDX-License-Identifier: Apache-2.0
"""posenc.ray without Ray: texts to ids to tensors, the same bytes for any blocks, in any process."""

import doctest
import json
import multiprocessing
import os
import pickle
import subprocess
import sys
from functools import partial

import ml_dtypes
import numpy as np
import posenc
import pytest
from conftest import bits

pa = pytest.importorskip("pyarrow", reason="posenc.ray needs pyarrow")

import posenc.ray  # noqa: E402
from posenc.ray import Corpus, Encode, Tokenize  # noqa: E402
from posenc.text import Tokenizer  # noqa: E402

WORDS = ["to", "be", "or", "not", "我爱你", "that", "is", "the", "question"]
TEXTS = [" ".join(WORDS[i % len(WORDS)] for i in range(n % 23)) for n in range(200)]
ROWS = posenc.seeded_rows(3072, 16, seed=7, init="scaled")


def texts(rows=None):
    rows = range(len(TEXTS)) if rows is None else rows
    return pa.table({"row": pa.array(list(rows), pa.int64()), "text": [TEXTS[i] for i in rows]})


def encode(**options):
    return Encode(ROWS, "transformer", scale="sqrt_dim", **{"length": 64, **options})


def tensors(table):
    return table["encoded"].combine_chunks().to_numpy_ndarray()


CALLS = ("from posenc.ray import Tokenize; Tokenize()", "import posenc.corpus", "from posenc.ray import Encode\nENCODE")
MADE = "import numpy; Encode(numpy.ones((9, 8), 'f'), 'transformer', scale='none', length=4)"


@pytest.mark.parametrize("call", CALLS)
def test_without_pyarrow_it_says_what_brings_it(call):
    code = f"import sys; sys.modules['pyarrow'] = None; {call.replace('ENCODE', MADE)}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.endswith(" pyarrow must be installed: posenc[ray] brings it\n")


# ---- Tokenize ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("type", ["string", "large_string", "binary", "large_binary", "string_view"])
def test_ids_are_those_of_each_text_alone(type):
    table = texts()
    table = table.set_column(1, "text", table["text"].cast(getattr(pa, type)()))
    made = Tokenize("bpe")(table)
    tokenizer = Tokenizer("bpe")
    assert made["ids"].to_pylist() == [tokenizer.encode(text).tolist() for text in TEXTS]
    assert made.schema.field("ids").type == pa.list_(pa.int32())
    assert made["row"].to_pylist() == list(range(len(TEXTS))) and set(made["first"].to_pylist()) == {0}
    assert made["reason"].null_count == made["text"].null_count == len(TEXTS)


def test_parts_of_a_table_and_chunks_give_the_rows_of_the_whole():
    whole = Tokenize("bpe")(texts())
    for size in (1, 7, 64):
        parts = [Tokenize("bpe")(texts().slice(begin, size)) for begin in range(0, len(TEXTS), size)]
        assert pa.concat_tables(parts).combine_chunks().equals(whole.combine_chunks())
    chunked = pa.concat_tables([texts().slice(0, 50), texts().slice(50)])
    assert Tokenize("bpe")(chunked).equals(whole)


def test_batches_of_every_kind_go_in():
    whole = Tokenize("bpe")(texts())
    batch = texts().to_batches()[0]
    assert isinstance(Tokenize("bpe")(batch), pa.RecordBatch)
    assert pa.Table.from_batches(map(Tokenize("bpe"), [batch])).equals(whole)  # as Spark's mapInArrow calls it
    assert Tokenize("bpe")({"row": np.arange(len(TEXTS)), "text": TEXTS}).equals(whole)
    assert len(Tokenize("bpe")(texts([]))) == 0 and len(Tokenize("bpe")(batch.slice(0, 0))) == 0
    with pytest.raises(TypeError, match="pyarrow Table or RecordBatch"):
        Tokenize("bpe")([1])


def test_bad_rows_keep_their_bytes_and_say_why():
    bad = [b"good", b"caf\xe9", None, b"to be or not to be", b""]
    table = pa.table({"row": [10, 11, 12, 13, 14], "text": pa.array(bad, pa.binary()), "file": list("abcde")})
    made = Tokenize("bpe", most=3)(table)
    assert [ids is None for ids in made["ids"].to_pylist()] == [False, True, True, True, False]
    reasons = made["reason"].to_pylist()
    assert reasons[0] is None and reasons[4] is None
    assert reasons[1].startswith("[bpe_encode] text must be valid UTF-8") and "at [3]" in reasons[1]
    assert reasons[2] == "[tokenize] text must not be null, got null"
    assert reasons[3] == "[tokenize] a text must have at most 3 tokens, or be cut or split, got more"
    assert made["text"].to_pylist() == [None, b"caf\xe9", None, b"to be or not to be", None]
    assert made["row"].to_pylist() == [10, 11, 12, 13, 14] and made["file"].to_pylist() == list("abcde")


def test_a_reason_that_is_there_already_is_kept():
    table = pa.table({"row": [0, 1], "text": ["x", "y"], "reason": [None, "[corpus] a line"]})
    made = Tokenize("bpe")(table)
    assert made["ids"].to_pylist() == [Tokenizer("bpe").encode("x").tolist(), None]
    assert made["reason"].to_pylist() == [None, "[corpus] a line"] and made["text"].to_pylist() == [None, b"y"]


def test_a_bad_row_is_one_row_however_long():
    table = pa.table(
        {"row": [0, 1], "text": ["to be " * 50, b"\xff" * 50 + b" x" * 50], "reason": ["[corpus] a line", None]}
    )
    made = Tokenize("bpe", most=4, longer="split")(table)
    assert made["row"].to_pylist() == [0, 1] and made["ids"].null_count == 2


def test_longer_texts_are_cut_or_split():
    whole = [Tokenizer("bpe").encode(text).tolist() for text in TEXTS]
    cut = Tokenize("bpe", most=5, longer="cut")(texts())
    assert cut["ids"].to_pylist() == [ids[:5] for ids in whole]
    split = Tokenize("bpe", most=5, longer="split")(texts()).to_pylist()
    joined = {}
    for row in split:
        assert row["first"] == len(joined.setdefault(row["row"], [])) and len(row["ids"]) <= 5
        joined[row["row"]] += row["ids"]
    assert [joined[i] for i in range(len(TEXTS))] == whole
    assert len(split) == sum(max(1, -(-len(ids) // 5)) for ids in whole)


def test_a_text_that_is_cut_is_read_to_its_end():
    table = pa.table({"row": [0, 1], "text": [b"to be or not to be", b"to be or not to be \xff"]})
    made = Tokenize("bpe", most=3, longer="cut")(table)
    assert made["ids"].to_pylist()[0] == Tokenizer("bpe").encode("to be or not to be").tolist()[:3]
    assert made["ids"].to_pylist()[1] is None and "valid UTF-8" in made["reason"].to_pylist()[1]


def test_columns_with_names_of_what_is_made_are_refused():
    table = pa.table({"id": [7], "row": [100], "content": [b"hi"]})
    with pytest.raises(posenc.PosencError, match=r"other columns must not be called row, first, ids, text.*got row"):
        Tokenize("bpe", text="content", row="id")(table)
    with pytest.raises(posenc.PosencError, match=r"must not be called tokens, encoded.*got tokens"):
        encode()(pa.table({"row": [0], "ids": [[1, 2]], "tokens": [2]}))


def test_both_are_shipped_by_value():
    tokenize, train = Tokenize("bpe", most=4, longer="split"), encode(dropout=0.25, seed=3, train=True)
    ids = tokenize(texts())
    assert pickle.loads(pickle.dumps(tokenize))(texts()).equals(ids)
    assert pickle.loads(pickle.dumps(train))(ids).equals(train(ids))


# ---- Encode --------------------------------------------------------------------------------------------------------


def test_tensors_are_those_of_an_input_stage_and_zeros():
    ids = Tokenize("bpe")(texts())
    made = encode()(ids)
    stage = posenc.InputStage(ROWS, "transformer", scale="sqrt_dim")
    for row, count, tensor in zip(ids["ids"].to_pylist(), made["tokens"].to_pylist(), tensors(made), strict=True):
        assert count == len(row)
        assert bits(tensor[:count]) == bits(stage.encode(np.array(row, np.int64), range(count)))
        assert not tensor[count:].any()
    assert "ids" not in made.column_names and made["row"].to_pylist() == ids["row"].to_pylist()


@pytest.mark.parametrize("train", [False, True])
def test_a_split_text_has_the_tensor_of_the_whole(train):
    options = {"dropout": 0.5, "seed": 11, "train": train}
    whole = tensors(encode(**options)(Tokenize("bpe")(texts())))
    split = encode(**{**options, "length": 5})(Tokenize("bpe", most=5, longer="split")(texts()))
    for row, first, count, tensor in zip(
        split["row"].to_pylist(), split["first"].to_pylist(), split["tokens"].to_pylist(), tensors(split), strict=True
    ):
        assert bits(tensor[:count]) == bits(whole[row, first : first + count])


def test_no_bit_depends_on_blocks_or_their_order():
    train = encode(dropout=0.25, seed=3, train=True)
    ids = Tokenize("bpe")(texts())
    whole = tensors(train(ids))
    order = np.random.default_rng(1).permutation(len(TEXTS))
    for size in (1, 13):
        for begin in range(0, len(order), size):
            some = order[begin : begin + size]
            assert bits(tensors(train(ids.take(some)))) == bits(whole[some])
    assert (whole == 0).any() and not (whole == 0).all()


def test_masks_are_those_of_the_stated_key():
    row = (5 << 32) + 3
    ids = pa.table({"row": [row], "ids": [[1, 2, 3]], "first": [9]})
    made = tensors(encode(dropout=0.5, seed=100, train=True, length=3)(ids))
    stage = posenc.InputStage(ROWS, "transformer", scale="sqrt_dim", dropout=0.5, seed=100 + (5 << 32))
    assert bits(made) == bits(stage.encode([[1, 2, 3]], range(9, 12), train=True, call=3, first=9))


def test_rows_without_ids_stay_null():
    table = Tokenize("bpe")(pa.table({"row": [0, 1, 2], "text": ["to be", None, "or"]}))
    made = encode()(table)
    assert made["encoded"].null_count == 1 and made["tokens"].to_pylist() == [2, None, 1]
    alone = encode()(table.take([0, 2]))
    assert made["encoded"].take([0, 2]).combine_chunks().equals(alone["encoded"].combine_chunks())


@pytest.mark.parametrize("name, stored", [("float16", "halffloat"), ("bfloat16", "uint16"), ("float64", "double")])
def test_types_are_stored_as_they_are_and_say_so(name, stored):
    rows = ROWS.astype(getattr(ml_dtypes, name, None) or name)
    made = Encode(rows, "transformer", scale="sqrt_dim", length=64)(Tokenize("bpe")(texts()))
    field = made.schema.field("encoded")
    assert str(field.type.value_type) == stored and field.type.shape == [64, 16]
    assert field.metadata == {b"posenc.dtype": name.encode()}
    stage = posenc.InputStage(rows, "transformer", scale="sqrt_dim")
    ids = Tokenizer("bpe").encode(TEXTS[22]).astype(np.int64)
    assert bits(tensors(made)[22, : len(ids)]) == bits(stage.encode(ids, range(len(ids))))


def test_a_file_of_tensors_is_read_without_posenc(tmp_path):
    import pyarrow.parquet as pq

    made = encode()(Tokenize("bpe")(texts()))
    pq.write_table(made, tmp_path / "t.parquet")
    code = (
        "import sys, pyarrow.parquet as pq\n"
        f"table = pq.read_table({str(tmp_path / 't.parquet')!r})\n"
        "assert 'posenc' not in sys.modules\n"
        "print(table['encoded'].combine_chunks().to_numpy_ndarray().sum())"
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert float(done.stdout) == pytest.approx(float(tensors(made).sum()))


REFUSED = [
    (lambda: Tokenize("bpe", longer="drop"), "tokenize", "longer must be reject, cut or split"),
    (lambda: Tokenize("bpe", most=0), "tokenize", "most must be >= 1"),
    (lambda: Tokenize("bpe")(pa.table({"text": ["x"]})), "tokenize", "a batch must have the column row"),
    (lambda: Tokenize("bpe")(pa.table({"row": pa.array([None], pa.int64()), "text": ["x"]})), "corpus", "row must not"),
    (lambda: encode(length=0), "encode", "length must be >= 1"),
    (lambda: encode(length=2)(pa.table({"ids": [[1], [1, 2, 3]]})), "encode", "a row must have at most 2 tokens"),
    (lambda: encode()(pa.table({"ids": [[1, 3072]]})), "input_stage", "id"),
    (lambda: encode()(pa.table({"ids": pa.array([[1, None]], pa.list_(pa.int32()))})), "corpus", "ids must not be nu"),
    (lambda: encode(train=True)(pa.table({"ids": [[1]]})), "encode", "a batch must have the column row"),
    (lambda: encode(train=True, dropout=0.1)(pa.table({"ids": [[1]], "row": [-1]})), "encode", "row ids must be >= 0"),
    (lambda: Corpus.of({}), "corpus", "a dataset must have the metadata posenc.corpus"),
    (lambda: Corpus.of({b"posenc.corpus": b'{"version": 9}'}), "corpus", "the metadata must be of version 1"),
]


@pytest.mark.parametrize("call, operation, rule", REFUSED)
def test_a_refusal_names_operation_rule_and_value(call, operation, rule):
    with pytest.raises(posenc.PosencError) as refused:
        call()
    assert refused.value.operation == operation and rule in refused.value.rule and refused.value.value


@pytest.mark.parametrize("value", [4.0, True, "4"])
def test_counts_are_integers(value):
    kind = type(value).__name__
    with pytest.raises(TypeError, match=rf"\[tokenize\] most must be an integer, got {kind}"):
        Tokenize("bpe", most=value)
    with pytest.raises(TypeError, match=rf"\[encode\] length must be an integer, got {kind}"):
        encode(length=value)
    assert encode(length=np.int32(30))(Tokenize("bpe", most=np.int64(30), longer="cut")(texts()))


@pytest.mark.parametrize("column, call", [("text", Tokenize("bytes")), ("ids", encode())])
def test_columns_of_other_types_are_type_errors(column, call):
    with pytest.raises(TypeError, match=f"{column} must be a column of"):
        call(pa.table({"row": [0], column: [1.5]}))


# ---- elsewhere -----------------------------------------------------------------------------------------------------


def whole_in_a_process(call, table):
    made = call[1](call[0](table))
    return os.getpid(), made


def test_processes_make_the_bytes_of_one():
    train = encode(dropout=0.25, seed=3, train=True)
    calls = (Tokenize("bpe"), train)
    parts = [texts(range(begin, begin + 40)) for begin in range(0, 200, 40)]
    with multiprocessing.get_context("spawn").Pool(2) as pool:
        made = pool.starmap(whole_in_a_process, [(calls, part) for part in parts])
    assert os.getpid() not in {pid for pid, _ in made}
    assert (
        pa.concat_tables([table for _, table in made])
        .combine_chunks()
        .equals(train(calls[0](texts())).combine_chunks())
    )


@pytest.mark.ray
def test_dask_makes_the_bytes_of_one_process():
    bag = pytest.importorskip("dask.bag", reason="Dask is not installed: ./dev python --all -m ray installs it")
    calls = (Tokenize("bpe"), encode(dropout=0.25, seed=3, train=True))
    parts = [texts(range(begin, begin + 40)) for begin in range(0, 200, 40)]
    made = bag.from_sequence(parts, npartitions=3).map(partial(whole_in_a_process, calls))
    made = made.compute(scheduler="processes", num_workers=2)
    assert os.getpid() not in {pid for pid, _ in made}
    whole = calls[1](calls[0](texts()))
    assert pa.concat_tables([table for _, table in made]).combine_chunks().equals(whole.combine_chunks())


def test_it_imports_neither_ray_nor_an_engine():
    code = "import sys, posenc.ray; print(sorted({name.split('.')[0] for name in sys.modules}))"
    there = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
    assert "posenc" in there and not {"'ray'", "'pyarrow'", "'numpy'", "'torch'"} & set(there.strip("[]\n").split(", "))


def test_a_file_says_which_part_it_is():
    corpus = Corpus(Tokenizer("bytes").identity, posenc.Convention("whisper"), "none")
    stated = corpus.metadata((2, 5))
    assert stated[b"posenc.part"] == b"[2, 5]" and Corpus.of(stated) == corpus
    assert stated[b"posenc.corpus"] == corpus.metadata()[b"posenc.corpus"] and b"posenc.part" not in corpus.metadata()


def test_metadata_of_a_dataset_come_back():
    corpus = Corpus(
        Tokenizer("bpe").identity, posenc.Convention("whisper"), posenc.Scale("sqrt_dim", "bfloat16"), "exact", 0.1, 7
    )
    assert Corpus.of(corpus.metadata()) == corpus
    stated = json.loads(corpus.metadata()[b"posenc.corpus"])
    assert stated["version"] == 1 and stated["convention"] == corpus.convention.to_dict()


def test_examples_print_what_they_say():
    import posenc._corpus

    found = [doctest.testmod(module) for module in (posenc.ray, posenc._corpus)]
    assert sum(each.attempted for each in found) > 10 and not sum(each.failed for each in found)
