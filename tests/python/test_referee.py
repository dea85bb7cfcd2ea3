# SPDX-License-Identifier: Apache-2.0
"""Which convention is this, and if it is another one, why: values of C++ as Python's, and arrays moved between them."""

import gc
import json
import math
import pickle
import signal
import sys
import time

import ml_dtypes
import numpy as np
import posenc
import pytest
from conftest import bits


def noise(*shape):
    return np.random.default_rng(7).standard_normal(shape, np.float32)


# ---- identify -----------------------------------------------------------------------------------------------------


def test_an_identification_states_every_field():
    found = posenc.identify(posenc.table("whisper", 64, range(100, 160), dtype="float16"))
    assert found and "whisper" in found.presets and not found.kind and found.nearest is None
    first = found.candidates[0]
    assert (first.form, first.width, first.extents, first.extra, first.storage) == ("table", 64, (60,), 0, "f16")
    assert first.places[0] == posenc.AxisPlaces("position", 100.0, 1.0)
    assert first.exact.entries == first.exact.equal == 60 * 64 and first.exact.share == 1 and first.exact.first == ()
    assert bits(posenc.table(first, 64, range(100, 160), dtype="float16")) == bits(
        posenc.table("whisper", 64, range(100, 160), dtype="float16")
    )
    stated = json.loads(found.json)
    assert stated["candidates"][0]["presets"] == list(first.presets)
    assert str(found) == found.text and found.text.splitlines()[1].split() == ["form", "table"]
    assert repr(found).startswith("Identification(['")


def test_a_base_is_fitted_with_its_interval():
    far = posenc.Convention("transformer").replace({"ladder.base": 123456})
    found = posenc.identify(posenc.table(far, 64, range(200)))
    fitted = found.candidates[0].fitted[0]
    assert (fitted.name, fitted.simple) == ("base", "123456") and fitted.low < 123456 < fitted.high
    assert any("123456" in line for line in found.candidates[0].differences)


@pytest.mark.parametrize(
    "turned", [lambda t: t.T, lambda t: t[None], lambda t: t[:, None], lambda t: t[:, ::-1][:, ::-1]]
)
def test_arrays_of_any_strides_are_taken(turned):
    assert "whisper" in posenc.identify(turned(posenc.table("whisper", 16, range(40)))).presets


def test_what_is_none_says_what_it_is_like():
    found = posenc.identify(noise(16, 8))
    assert not found and found.candidates == () and found.presets == ()
    assert repr(found) == f"Identification(kind={found.kind!r})"


def test_known_positions_need_no_steps():
    places = [0, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144]
    table = posenc.table("transformer", 32, places)
    for positions in (places, [places], np.array(places), (np.array(places, np.float64),)):
        assert "transformer" in posenc.identify(table, positions).presets
    assert "transformer" not in posenc.identify(table, range(12)).presets


@pytest.mark.parametrize("depth", ["sampled", "full"])
def test_a_depth_is_a_word(depth):
    table = posenc.table("whisper", 16, range(40), recipe="original")
    assert posenc.identify(table, depth=depth).candidates[0].recipe
    with pytest.raises(posenc.PosencError, match="depth must be sampled or full"):
        posenc.identify(table, depth="deep")


def test_a_rotation_is_told_from_its_inverse():
    before = noise(32, 16)
    after = posenc.rotate("rope-half", range(32), before)
    found, back = posenc.identify_rotation(before, after, range(32)), posenc.identify_rotation(after, before, range(32))
    assert found.candidates[0].form == "rotation" and "rope-half" in found.presets
    assert {each.form for each in back.candidates if "rope-half" in each.presets} == {"rotation backward"}
    assert not posenc.identify_rotation(before, before, range(32))


# ---- check --------------------------------------------------------------------------------------------------------


def test_a_diagnosis_is_true_where_it_is_right():
    right = posenc.check(posenc.table("pytorch", 64, range(128)), "transformer")
    assert right and right.right and right.findings == () and right.found.form == "table"
    wrong = posenc.check(posenc.table("transformer", 64, range(1, 129)), "transformer")
    assert not wrong and wrong.findings[0] == "row p holds position p + 1" and str(wrong).startswith("wrong\n")
    assert repr(wrong) == f"Diagnosis(right=False, findings={list(wrong.findings)})"
    assert posenc.check(posenc.table("transformer", 64, range(1, 129)), "transformer", positions=range(1, 129))


def test_what_is_found_can_be_asked_again():
    table = posenc.table("whisper", 32, range(60))
    found = posenc.identify(table)
    assert posenc.check(table, found.candidates[0]) and posenc.check(table, found.candidates[0].convention)


def test_a_diagnosis_has_its_evidence():
    table = posenc.table("transformer", 32, range(50))
    table[17, 3] += 1
    wrong = posenc.check(table, "transformer")
    assert (wrong.right, wrong.entries, wrong.wrong, wrong.first) == (False, 50 * 32, 1, (17, 3))


def test_cells_are_checked_by_their_places():
    places = posenc.Places(first=0.5, divisor="count", eps=0.0, gain=8.0, shift=-4.0, rounding="none")
    cells = posenc.grid("mae-2d", 32, (4, 4), places=places)
    assert posenc.check(cells, "mae-2d", places=places) and not posenc.check(cells, "mae-2d")


# ---- compare ------------------------------------------------------------------------------------------------------


def test_a_comparison_is_true_where_numbers_are_equal():
    same = posenc.compare("transformer", "pytorch", dim=64)
    assert same and same.equal and same.largest is None and same.differences == ()
    other = posenc.compare("transformer", "whisper", dim=64, positions=range(7, 20))
    assert not other and other.axes == ("position", "column") and other.entries == 13 * 64
    table = [posenc.table(name, 64, range(7, 20), dtype="float64") for name in ("transformer", "whisper")]
    row, column = map(int, other.largest.at)
    distance = np.abs(table[0] - table[1])
    assert abs(other.largest.a - other.largest.b) == distance.max() == distance[row - 7, column]
    assert (
        other.score.of == "products" and str(other) == other.text and repr(other).startswith("Comparison(equal=False")
    )


def test_biases_are_compared_for_a_width_of_heads_and_grids_by_their_places():
    narrow, wide = (posenc.compare("bloom-alibi", "falcon-alibi", head=head, positions=range(9)) for head in (64, 256))
    assert narrow.largest.a == 8 * narrow.largest.b and wide.largest.a == 16 * wide.largest.b
    grids = posenc.compare("detr-sine", "deformable-detr-sine")
    assert not grids and grids.differences[-1].startswith("places: ") and grids.axes[0] == "y place"
    assert posenc.compare("detr-sine", posenc.preset("detr-sine").convention)


def test_what_is_found_is_compared_with_what_was_meant():
    far = posenc.Convention("transformer").replace({"ladder.base": 20000})
    found = posenc.identify(posenc.table(far, 64, range(100))).candidates[0]
    assert posenc.compare(found, far, dim=64)
    assert any("20000" in line for line in posenc.compare("transformer", found, dim=64).differences)


# ---- explain ------------------------------------------------------------------------------------------------------


def test_an_explanation_has_the_bits_of_the_table():
    for recipe in ("exact", "f32-exp"):
        told = posenc.explain("transformer", 1000, dim=64, column=5, recipe=recipe)
        entry = told.entries[0]
        rounded = entry["rounded"] if recipe == "exact" else entry["under_recipe"]
        row = posenc.table("transformer", 64, 1000, recipe=recipe)
        assert int(next(each["bits"] for each in rounded if each["dtype"] == "f32"), 16) == row.view(np.uint32)[0, 5]
        assert told.recipe == recipe and math.isclose(float(entry["exact"]["text"]), row[0, 5], rel_tol=1e-3)
        with pytest.raises(TypeError):
            entry["exact"] = 0


def test_an_explanation_of_a_rotation_has_its_pair():
    told = posenc.explain("rope-half", 10, dim=64, column=37, values=(3, -4))
    head = np.zeros((11, 64), np.float32)
    head[10, [5, 37]] = 3, -4
    turned = posenc.rotate("rope-half", range(11), head)
    assert told.pair["read"] == (5, 37) and told.pair["after"] == tuple(map(float, turned[10, [5, 37]]))


def test_positions_of_pairs_and_of_axes():
    assert posenc.explain("alibi", 7, key=3, dim=8, column=1).entries
    assert posenc.explain("t5-bucket", 7, key=3).entries
    told = posenc.explain("mae-2d", {"y": 3, "x": 4}, dim=64, column=3)
    assert "at x 4, y 3" in told.title or "at y 3, x 4" in told.title
    axes = posenc.Convention("mae-2d").axes
    in_order = tuple({"y": 3, "x": 4}[axis] for axis in axes)
    assert posenc.explain("mae-2d", in_order, dim=64, column=3) == told


def test_where_two_conventions_part():
    apart = posenc.parting("transformer", "whisper", 512)
    assert (apart.column, apart.position, apart.in_a, apart.in_b) == (1, 0, 1.0, 0.0) and apart.searched == 1 << 16
    assert str(apart).startswith("they part at column 1")
    assert posenc.parting("transformer", "opennmt", 64) is None


# ---- orders -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.float16, np.int32, ml_dtypes.bfloat16])
def test_rows_of_heads_are_moved_as_numpy_moves_them(dtype):
    order = posenc.head_order("meta-llama", "llama", 8)
    weights = np.arange(3 * 8 * 5).reshape(24, 5).astype(dtype)
    expected = weights.reshape(3, 8, 5)[:, list(order.read)].reshape(24, 5)
    moved = posenc.reorder_rows(order, 3, weights)
    assert moved.dtype == weights.dtype and bits(moved) == bits(expected)
    assert bits(posenc.reorder_rows(order.inverse(), 3, moved)) == bits(weights)


def test_heads_of_values_stay():
    order = posenc.head_order("meta-llama", "llama", 4)
    fused = posenc.Projection(2, [("query", 2), ("key", 1), ("value", 1)])
    rows, out = np.arange(32, dtype=np.int64), np.empty(32, np.int64)
    assert posenc.reorder_rows(order, fused, rows, out=out) is out
    expected = rows.reshape(8, 4).copy()
    expected[[0, 1, 2, 4, 5, 6]] = expected[[0, 1, 2, 4, 5, 6]][:, list(order.read)]
    assert (out == expected.ravel()).all()


def test_reordered_projections_give_the_scores_that_they_gave():
    order, head = posenc.head_order("meta-llama", "llama", 16), 16
    wq, wk, x = noise(head, 32), noise(head, 32)[::-1].copy(), noise(20, 32)
    old = [posenc.rotate("meta-llama", range(20), x @ w.T) for w in (wq, wk)]
    new = [posenc.rotate("llama", range(20), x @ posenc.reorder_rows(order, 1, w).T) for w in (wq, wk)]
    np.testing.assert_allclose(new[0] @ new[1].T, old[0] @ old[1].T, rtol=1e-4, atol=1e-3)


def test_a_proof_is_false_where_the_order_is_wrong():
    order = posenc.head_order("meta-llama", "llama", 16)
    proof = posenc.prove_head_order("meta-llama", "llama", order, [4, posenc.Projection(1, [("key", 2)])])
    assert proof and (proof.heads, proof.columns, proof.parted) == (6, 16, None) and proof.difference <= proof.bound
    plain = posenc.HeadOrder(tuple(range(16)), tuple(range(16)))
    assert not posenc.prove_head_order("meta-llama", "llama", plain, [4])


def test_columns_of_tables_are_moved():
    halves = posenc.Convention("transformer").replace(layout="sine_first")
    order = posenc.table_order("transformer", halves, 32)
    table = posenc.table("transformer", 32, range(50))
    moved = posenc.reorder_columns(order, table)
    assert bits(moved) == bits(table[:, list(order)]) == bits(posenc.table(halves, 32, range(50)))
    assert posenc.prove_table(halves, moved).equal == 50 * 32
    assert posenc.prove_table(halves, table).outside == (0, 1)


# ---- values and errors --------------------------------------------------------------------------------------------


def results():
    table = posenc.table("whisper", 16, range(40))
    yield posenc.identify(table)
    yield posenc.check(table, "transformer")
    yield posenc.compare("transformer", "whisper", dim=16)
    yield posenc.parting("transformer", "whisper", 16)
    yield posenc.head_order("meta-llama", "llama", 8)


def test_results_are_values():
    for one, other in zip(results(), results(), strict=True):
        assert one == other
        with pytest.raises(AttributeError):
            one.text = "another"
        if not isinstance(one, posenc.HeadOrder):
            assert json.loads(one.json)
            assert pickle.loads(pickle.dumps(one.json)) == one.json


TABLE, ORDER = np.zeros((4, 8), np.float32), posenc.HeadOrder((0, 2, 1, 3), (0, 2, 1, 3))


@pytest.mark.parametrize(
    "call",
    [
        lambda: posenc.identify(np.float32(1)),
        lambda: posenc.identify(np.zeros((0, 8), np.float32)),
        lambda: posenc.identify(TABLE, [[0, 1], np.zeros((2, 2))]),
        lambda: posenc.identify(TABLE, depth=""),
        lambda: posenc.identify_rotation(TABLE, TABLE[:2], range(4)),
        lambda: posenc.identify_rotation(TABLE, TABLE, range(3)),
        lambda: posenc.check(TABLE, "whispr"),
        lambda: posenc.check(TABLE, "whisper", dim=-1),
        lambda: posenc.check(TABLE, "whisper", length=-1),
        lambda: posenc.compare("transformer", "whisper", dim=-1),
        lambda: posenc.compare("transformer", "whisper", positions=[range(3), range(4)]),
        lambda: posenc.explain("transformer", 1, dim=8, column=8),
        lambda: posenc.explain("transformer", [1, 2], dim=8, column=1),
        lambda: posenc.explain("transformer", 1, dim=8, column=1, recipe="f31"),
        lambda: posenc.explain("rope-half", 1, dim=8, column=1, values=(1, 2, 3)),
        lambda: posenc.explain("rope-half", 1, dim=8, column=1, side="value"),
        lambda: posenc.parting("transformer", "llama", 8),
        lambda: posenc.parting("transformer", "whisper", 8, positions=-1),
        lambda: posenc.head_order("meta-llama", "llama", 7),
        lambda: posenc.head_order("meta-llama", "transformer", 8),
        lambda: posenc.reorder_rows(ORDER, 0, np.zeros(8, np.float32)),
        lambda: posenc.reorder_rows(ORDER, 3, np.zeros(8, np.float32)),
        lambda: posenc.reorder_rows(ORDER, 2, np.zeros((8, 2), np.float32).T),
        lambda: posenc.reorder_rows(ORDER, (1, [("values", 2)]), np.zeros(8, np.float32)),
        lambda: posenc.reorder_rows(ORDER, 2, TABLE[:2, :4], out=np.zeros(9, np.float32)),
        lambda: posenc.reorder_rows(ORDER, 2, TABLE.ravel()[:8], out=TABLE.ravel()[4:12]),
        lambda: posenc.reorder_rows(ORDER, 2, np.zeros(8, np.float32), out=np.zeros(8, np.int32)),
        lambda: posenc.reorder_rows(posenc.HeadOrder((0, 0, 1, 2), (0, 1, 2, 3)), 2, np.zeros(8, np.float32)),
        lambda: posenc.prove_head_order("meta-llama", "llama", ORDER, []),
        lambda: posenc.prove_head_order("meta-llama", "llama", ORDER, [1], seed=-1),
        lambda: posenc.table_order("transformer", "llama", 8),
        lambda: posenc.reorder_columns([0, 1], TABLE),
        lambda: posenc.reorder_columns([0, 0], TABLE[:, :2]),
        lambda: posenc.reorder_columns(range(8), TABLE, out=TABLE),
        lambda: posenc.prove_table("transformer", TABLE[0]),
        lambda: posenc.prove_table("transformer", TABLE, first=2**62 * 2 - 1),
    ],
)
def test_a_value_that_breaks_a_rule_is_named(call):
    with pytest.raises(posenc.PosencError) as caught:
        call()
    assert caught.value.operation and caught.value.rule


@pytest.mark.parametrize(
    "call",
    [
        lambda: posenc.identify("whisper"),
        lambda: posenc.identify(None),
        lambda: posenc.identify(np.zeros((2, 2), np.int8)),
        lambda: posenc.identify(TABLE, "0:4"),
        lambda: posenc.check(TABLE, None),
        lambda: posenc.check(TABLE, "whisper", dim="8"),
        lambda: posenc.explain("transformer", None, dim=8, column=1),
        lambda: posenc.explain("transformer", 1, dim=8.5, column=1),
        lambda: posenc.explain("rope-half", 1, dim=8, column=1, values="12"),
        lambda: posenc.reorder_rows(ORDER, "2", TABLE),
        lambda: posenc.reorder_columns(5, TABLE),
    ],
)
def test_a_value_of_another_type_is_a_type_error_with_a_rule(call):
    with pytest.raises(TypeError, match=r"^\[\w+\] .+, got .+"):
        call()


# ---- what was left ------------------------------------------------------------------------------------------------


def test_a_call_that_was_left_keeps_its_array_until_its_work_ends():
    """The caller hears the signal; the thread goes on, and what it reads stays alive."""
    tensor = noise(64, 16)
    before = sys.getrefcount(tensor)

    def ring(*_):
        raise KeyboardInterrupt

    old = signal.signal(signal.SIGALRM, ring)
    try:
        with pytest.raises(KeyboardInterrupt):
            signal.setitimer(signal.ITIMER_REAL, 0.02)
            posenc.identify(tensor)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)
    deadline = time.monotonic() + 40
    while time.monotonic() < deadline:
        posenc.parting("transformer", "opennmt", 8, positions=1)  # a call that takes away what has ended
        gc.collect()
        if sys.getrefcount(tensor) == before:
            return
        time.sleep(0.05)
    pytest.fail("its reference was kept")
