# SPDX-License-Identifier: Apache-2.0
"""The input stage, its gradient and dropout: what frameworks compute, the same in pieces and in place."""

import pickle

import ml_dtypes
import numpy as np
import posenc
import pytest
from conftest import bits

F32 = np.float32


def rows_of(dtype=F32):
    return posenc.seeded_rows(50, 16, seed=3, init="normal").astype(dtype)


IDS = np.array([[3, 1, 4, 1, 5], [9, 2, 6, 5, 3]])


def test_it_is_the_row_times_the_scale_plus_the_signal():
    rows = rows_of()
    stage = posenc.InputStage(rows, "transformer", scale="sqrt_dim")
    table = posenc.table("transformer", 16, range(7, 12))
    assert stage.factor == 4 and stage.width == 16
    assert bits(stage.encode(IDS, range(7, 12))) == bits(rows[IDS] * F32(4) + table)


@pytest.mark.parametrize("dtype", [np.float64, np.float16, ml_dtypes.bfloat16])
def test_other_types_have_their_own_roundings(dtype):
    rows = rows_of(dtype)
    made = posenc.InputStage(rows, "transformer", scale=2.0).encode(IDS, range(5))
    wide = np.float64 if dtype is np.float64 else F32
    scaled = (rows[IDS].astype(wide) * wide(2)).astype(dtype)
    table = posenc.table("transformer", 16, range(5), dtype=np.dtype(dtype).name)
    assert bits(made) == bits((scaled.astype(wide) + table.astype(wide)).astype(dtype))


def test_a_stored_table_is_used_to_the_bit():
    rows, table = rows_of(), np.arange(80, dtype=F32).reshape(5, 16)
    stage = posenc.InputStage(rows, table=table, scale="none")
    assert bits(stage.encode(IDS[0], [4, 3, 2, 1, 0])) == bits(rows[IDS[0]] + table[::-1])


def test_steps_and_chunks_give_the_bits_of_the_whole():
    stage = posenc.InputStage(rows_of(), "transformer", scale="sqrt_dim", dropout=0.25, seed=11)
    whole = stage.encode(IDS, range(5), train=True, call=4)
    pieces = [stage.encode(IDS[:, i : i + 1], i, train=True, call=4, first=i) for i in range(5)]
    assert bits(np.concatenate(pieces, axis=1)) == bits(whole)
    plain = stage.encode(IDS, range(5))
    assert bits(posenc.dropout(plain, 0.25, seed=11, call=4)) == bits(whole)


def test_dropout_in_blocks_is_that_of_the_whole():
    x = np.ones((2, 9000, 64), F32)  # several blocks of tokens
    whole = posenc.dropout(x, 0.5, seed=5, call=2)
    first = posenc.dropout(x[:, :10], 0.5, seed=5, call=2)
    last = posenc.dropout(x[:, 8990:], 0.5, seed=5, call=2, first=8990)
    assert bits(whole[:, :10]) == bits(first) and bits(whole[:, 8990:]) == bits(last)
    posenc.set_threads(2)
    assert posenc.dropout(x, 0.5, seed=5, call=2, out=x) is x
    assert bits(x) == bits(whole) and 0.49 < (x == 0).mean() < 0.51


def test_train_and_inverse_are_truth_values():
    stage = posenc.InputStage(rows_of(), "transformer", scale="none", dropout=0.25, seed=11)
    for true, false in ((np.True_, np.False_), (1, 0), ("yes", None)):
        assert bits(stage.encode(IDS, range(5), train=true)) == bits(stage.encode(IDS, range(5), train=True))
        assert bits(stage.encode(IDS, range(5), train=false)) == bits(stage.encode(IDS, range(5)))
        x = np.ones((5, 16), F32)
        assert bits(stage.backward(IDS[0], x, train=true)) == bits(stage.backward(IDS[0], x, train=True))
        grad = stage.backward_touched(IDS[0], x, train=true)[1]
        assert bits(grad) == bits(stage.backward_touched(IDS[0], x, train=True)[1])
        back = posenc.rotate("llama", range(5), x, inverse=True)
        assert bits(posenc.rotate("llama", range(5), x, inverse=true)) == bits(back)
    with pytest.raises(ValueError, match="truth"):
        stage.encode(IDS, range(5), train=np.zeros(2))


def test_the_gradient_is_the_transposed_map():
    rows = rows_of()
    stage = posenc.InputStage(rows, "transformer", scale="sqrt_dim", dropout=0.25, seed=11, padding_id=9)
    grad = posenc.seeded_rows(10, 16, seed=8, init="normal").reshape(2, 5, 16)
    made = stage.backward(IDS, grad, train=True, call=4)
    masked = posenc.dropout(grad, 0.25, seed=11, call=4)
    expected = np.zeros_like(rows)
    for b, t in np.ndindex(IDS.shape):
        if IDS[b, t] != 9:
            expected[IDS[b, t]] += masked[b, t]
    assert bits(made) == bits(expected * F32(4))
    ids, touched = stage.backward_touched(IDS, grad, train=True, call=4)
    assert ids.tolist() == sorted(set(IDS.ravel().tolist()) - {9}) == stage.touched(IDS).tolist()
    assert bits(made[ids]) == bits(touched)


def test_rows_are_read_at_every_call_and_held():
    rows = rows_of()
    stage = posenc.InputStage(rows, "transformer", scale="none")
    rows[3] = 0
    assert bits(stage.encode([3], 0)) == bits(posenc.table("transformer", 16, 0))
    again = pickle.loads(pickle.dumps(stage))
    del rows
    assert bits(again.encode(IDS, range(5))) == bits(stage.encode(IDS, range(5)))


def test_a_stage_says_what_it_was_made_of():
    said = repr(posenc.InputStage(rows_of(), "transformer", scale="sqrt_dim", padding_id=9))
    assert said == (
        "InputStage(<50 x 16 of float32>, 'transformer', scale='sqrt_dim', dropout=0.0, seed=0, padding_id=9, "
        "recipe='exact', length=None, learned=None)"
    )
    said = repr(posenc.InputStage(rows_of(), table=np.zeros((5, 16), F32), scale="none"))
    assert said.startswith("InputStage(<50 x 16 of float32>, table=<5 x 16 of float32>, scale='none'")


def test_ids_may_be_lists_and_i32():
    stage = posenc.InputStage(rows_of(), "transformer", scale=posenc.Scale("sqrt_dim", "bfloat16"))
    expected = bits(stage.encode(IDS, range(5)))
    assert bits(stage.encode(IDS.tolist(), range(5))) == expected
    assert bits(stage.encode(IDS.astype(np.int32), range(5))) == expected
