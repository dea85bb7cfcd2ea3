# SPDX-License-Identifier: Apache-2.0
"""Errors name the operation, the rule and the value, and leave outputs as they were."""

import pickle

import numpy as np
import posenc
import pytest


def test_an_error_states_its_parts_and_survives_pickling():
    with pytest.raises(posenc.PosencError) as caught:
        posenc.table("whisper", 3, range(4))
    error = caught.value
    assert isinstance(error, ValueError)
    assert (error.operation, error.rule, error.value, error.index) == (
        error.operation,
        "width must be even",
        "3",
        (),
    )
    assert str(error) == f"[{error.operation}] width must be even, got 3"
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is posenc.PosencError and str(again) == str(error) and again.index == ()


def test_an_error_has_the_index_of_its_element():
    rows = np.zeros((4, 8), np.float32)
    stage = posenc.InputStage(rows, "transformer", scale="none")
    with pytest.raises(posenc.PosencError) as caught:
        stage.encode([[0, 1], [2, 4]], range(2))
    assert caught.value.index == (1, 1)
    assert str(caught.value).endswith(" at [1, 1]")


def call_with(name, *arguments, **options):
    return lambda: getattr(posenc, name)(*arguments, **options)


F32 = np.zeros((2, 4), np.float32)


@pytest.mark.parametrize(
    "call",
    [
        call_with("table", "no-such-preset", 8, 1),
        call_with("table", "", 8, 1),
        call_with("table", "{}", 8, 1),
        call_with("table", {"posenc_convention": 2}, 8, 1),
        call_with("table", "transformer", 0, 1),
        call_with("table", "transformer", -4, 1),
        call_with("table", "transformer", 2**40, 1),
        call_with("table", "transformer", 2**30, range(2**20)),
        call_with("table", "transformer", 8, [[1, 2], [3]]),
        call_with("table", "transformer", 8, [0.5] * 2**18 + [[1]]),
        call_with("seeded_rows", 2**40, 2**20, seed=1, init="normal"),
        call_with("seeded_rows", -1, 2, seed=1, init="normal"),
        call_with("table", "transformer", 2**70, 1),
        call_with("table", "transformer", 8, 2**63),
        call_with("table", "transformer", 8, [float("nan")]),
        call_with("table", "transformer", 8, [2.0**54]),
        call_with("table", "transformer", 8, range(2**62, 2**63 + 5)),
        call_with("table", "transformer", 8, np.zeros((2, 2, 2))),
        call_with("table", "transformer", 8, 1, recipe="f32-guess"),
        call_with("table", posenc.Convention("transformer"), 8, 1, recipe="original"),
        call_with("table", "transformer", 8, 1, dtype="int64"),
        call_with("table", "transformer", 8, range(2), out=np.zeros((2, 7), np.float32)),
        call_with("table", "transformer", 8, range(2), out=np.zeros((3, 8), np.float32)),
        call_with("table", "transformer", 8, range(2), out=np.zeros((2, 8), np.int32)),
        call_with("table", "alibi", 8, range(2)),
        call_with("table", "llama", 8, range(2)),
        call_with("grid", "transformer", 8, (2, 2)),
        call_with("grid", "mae-2d", 8, (2,)),
        call_with("grid", "mae-2d", 8, (2, -2)),
        call_with("grid", "mae-2d", 8, (2**40, 2**40)),
        call_with("grid", "mae-2d", 8, (2, 2), places=posenc.Places("middle", "one", 0, 1, 0, "none")),
        call_with("coordinates", "mae-2d", 8, ([1],)),
        call_with("coordinates", "mae-2d", 8, {"x": [1]}),
        call_with("coordinates", "mae-2d", 8, {"x": [1], "y": [1], "z": [1]}),
        call_with("timestep", "transformer", 8, 1),
        call_with("rotate", "transformer", range(2), F32),
        call_with("rotate", "llama", range(3), F32),
        call_with("rotate", "llama", range(2), F32.astype(np.int32)),
        call_with("rotate", "llama", range(2), F32, rotated=3),
        call_with("rotate", "llama", range(2), F32, token_axis=0),
        call_with("rotate", "llama", range(2), F32, side="value"),
        call_with("rotate", "llama", range(2), [F32, F32], out=[F32]),
        call_with("rotate", "llama", range(2), []),
        call_with("rotate", "llama", range(3), np.zeros((3, 4, 4), np.float32)),
        call_with("rotate", "rope-dynamic", range(2), F32),
        call_with("rotary_cache", "llama", 8, range(2), out={"cos": np.zeros((2, 8), np.float32)}),
        call_with("bias", "alibi", 0, 1, 1),
        call_with("bias", "alibi", 8, 1, 1, out=np.zeros((7, 1, 1), np.float32)),
        call_with("bias", "transformer", 8, 1, 1),
        call_with("buckets", "t5-bucket", 0.5, 1),
        call_with("window_buckets", "swin-window", 0, 3),
        call_with("log_coordinates", "swinv2-cpb", 2**40, 3),
        call_with("learned_rows", "opt", [-5]),
        call_with("resize_table", "vit-resize", F32, (2, 2, 2)),
        call_with("resize_table", "vit-resize", F32, (0, 2)),
        call_with("dropout", F32, 1.5, seed=1),
        call_with("dropout", F32, 0.5, seed=-1),
        call_with("dropout", F32, 0.5, seed=1, call=2**32),
        call_with("seeded_rows", 2, 2, seed=1, init="uniform"),
        call_with("seeded_rows", -2, 2, seed=1, init="normal"),
        call_with("positions_of_mask", [1, 1], first=2**63 - 1, absent=0),
        call_with("positions_of_ends", [0, 5, 3]),
        call_with("positions_of_ends", [1, 3]),
        call_with("place_coordinates", posenc.Places(0, "gaps", 0, 1, 0, "none"), (1,), 0),
        call_with("place_coordinates", posenc.Places(0, "one", 0, 1, 0, "none"), (1,), 1),
        call_with("InputStage", F32, "transformer", scale="square"),
        call_with("InputStage", F32, "whisper", scale="none", dropout=2.0),
        call_with("Rows", "transformer", 0),
        call_with("Rotary", "alibi", 8),
        call_with("inspect", {}),
        call_with("inspect", "{"),
        call_with("inspect", {"model_type": "no-such-model"}),
        call_with("regime", "llama", -1),
        call_with("set_threads", 0),
        call_with("set_threads", 1025),
        call_with("preset", "whispr"),
        call_with("preset", "\udcff"),
        call_with("table", "\udcff", 8, 1),
        call_with("table", "transformer", 8, 1, recipe="\udcff"),
        call_with("table", "transformer", 8, 1, dtype="\udcff"),
        call_with("rotate", "llama", range(2), F32, side="\udcff"),
        call_with("inspect", {}, part="\udcff"),
        call_with("InputStage", F32, table=F32, scale="none", recipe="nonsense"),
        call_with("InputStage", F32, table=F32, scale="none", length=-7),
        call_with("InputStage", F32, table=F32, scale="none", learned=0.5),
    ],
)
def test_a_value_that_breaks_a_rule_is_named(call):
    with pytest.raises(posenc.PosencError) as caught:
        call()
    error = caught.value
    assert error.operation and error.rule
    assert str(error).startswith(f"[{error.operation}] {error.rule}, got ")


@pytest.mark.parametrize(
    "call",
    [
        call_with("table", 5, 8, 1),
        call_with("table", None, 8, 1),
        call_with("table", "transformer", "8", 1),
        call_with("table", "transformer", 8.0, 1),
        call_with("table", "transformer", True, 1),
        call_with("table", "transformer", 8, "1"),
        call_with("table", "transformer", 8, None),
        call_with("table", "transformer", 8, True),
        call_with("table", "transformer", 8, np.arange(3, dtype=np.int8)),
        call_with("table", "transformer", 8, np.ones(3, np.float16)),
        call_with("table", "transformer", 8, [1, "a"]),
        call_with("table", "transformer", 8, 1, recipe=5),
        call_with("grid", "mae-2d", 8, 5),
        call_with("grid", "mae-2d", 8, (2, 2), places=(1, 2)),
        call_with("coordinates", "mae-2d", 8, range(2)),
        call_with("rotate", "llama", range(2), F32, side=5),
        call_with("dropout", F32, "half", seed=1),
        call_with("InputStage", F32, scale="none"),
        call_with("InputStage", F32, "transformer", table=F32, scale="none"),
        call_with("preset", 5),
        call_with("inspect", 5),
        call_with("set_threads", 1.5),
    ],
)
def test_a_value_of_another_type_is_a_type_error_with_a_rule(call):
    with pytest.raises(TypeError, match=r"^\[\w+\] .+, got .+"):
        call()


@pytest.mark.parametrize("positions", ["1", None, True, object(), [1, "a"], np.zeros(2, np.int8), np.zeros(2, "f2")])
def test_wrong_positions_are_told_what_positions_may_be(positions):
    told = r"^\[table\] positions must be an int, a float, a range, a list, or an array of int32, int64, float32 or fl"
    with pytest.raises(TypeError, match=told):
        posenc.table("transformer", 8, positions)


def test_an_error_of_text_alone_says_it():
    """As a loader of PyTorch makes it again of a worker's."""
    told = posenc.PosencError("Caught PosencError in worker 0: [batches] a rule, got a value")
    assert str(told) == told.args[0] and told.index == ()
    assert (told.operation, told.rule, told.value) == ("", "", "")


def test_a_failed_call_leaves_its_output():
    out = np.full((2, 8), 7.0, np.float32)
    for positions in ([0.0, float("inf")], range(3), "text", [0, 2**70]):
        with pytest.raises((ValueError, TypeError)):
            posenc.table("transformer", 8, positions, out=out)
    assert (out == 7).all()


def test_a_failed_call_leaves_every_tensor_of_its_output():
    both, apart = np.full((2, 8), 7.0, np.float32), np.full((2, 8), 7.0, np.float32)
    for sine, rule in ((np.zeros((3, 8), np.float32), "out must"), (both, "share"), (both[::-1], "share")):
        with pytest.raises(posenc.PosencError, match=rule):
            posenc.rotary_cache("llama", 8, range(2), stored="halves_twice", out={"cos": both, "sin": sine})
        assert (both == 7).all()
    with pytest.raises(posenc.PosencError, match="none of sin"):
        posenc.rotary_cache("llama", 8, range(2), stored="halves_twice", out={"cos": both})
    assert (both == 7).all()
    posenc.rotary_cache("llama", 8, range(2), stored="halves_twice", out={"cos": both, "sin": apart})
    assert not (both == 7).any() and not (apart == 7).any()


def test_a_file_that_is_not_there():
    with pytest.raises(FileNotFoundError):
        posenc.inspect("/no/such/config.json")
