# SPDX-License-Identifier: Apache-2.0
"""Conventions are values: fields, text, equality, changes, pickles."""

import copy
import json
import pickle

import posenc
import pytest


def test_every_preset_round_trips_through_json_dict_repr_and_pickle():
    for name in posenc.presets():
        convention = posenc.Convention(name)
        assert posenc.Convention(convention.to_json()) == convention
        assert posenc.Convention(convention.to_dict()) == convention
        assert eval(repr(convention), {"Convention": posenc.Convention}) == convention
        assert pickle.loads(pickle.dumps(convention)) == convention
        assert copy.deepcopy(convention) == convention
        assert hash(posenc.Convention(convention.to_json())) == hash(convention)
        assert all(field in repr(convention) for field in convention.fields)


def test_different_conventions_differ():
    distinct = {posenc.Convention(name) for name in posenc.presets()}
    assert len(distinct) > 150
    assert posenc.Convention("transformer") != posenc.Convention("whisper")
    assert posenc.Convention("transformer") != "transformer"


def test_fields_are_attributes_that_nobody_changes():
    convention = posenc.Convention("transformer")
    assert convention.layout == "interleaved" and convention.fields["layout"] == "interleaved"
    assert convention.family == "waves" and "layout" in dir(convention)
    with pytest.raises(AttributeError, match="immutable"):
        convention.layout = "sine_first"
    with pytest.raises(AttributeError, match="no field 'pairing'"):
        _ = convention.pairing
    with pytest.raises(TypeError):
        convention.fields["layout"] = "sine_first"
    with pytest.raises(TypeError):
        convention.ladders[0]["base"] = 1
    with pytest.raises((AttributeError, TypeError)):
        del convention.layout


def test_a_field_is_replaced_by_name_path_or_whole():
    rope = posenc.Convention("rope-half")
    far = rope.replace({"ladder.base": 500000.0})
    assert far.ladders[0]["base"] == 500000 and rope.ladders[0]["base"] == 10000
    assert rope.differences(far) == ["ladders.0.base: 10000, not 5e+05"]
    ladder = {**rope.to_dict()["ladders"][0], "base": 500000}
    assert rope.replace(ladders=[ladder]) == far
    assert posenc.Convention("transformer").replace(layout="sine_first").layout == "sine_first"
    with pytest.raises(posenc.PosencError):
        rope.replace(layout="sine_first")
    with pytest.raises(posenc.PosencError):
        rope.replace({"ladder.base": -1})
    with pytest.raises(posenc.PosencError):
        rope.replace({"ladder.base": {"a": 1}})


def test_a_convention_is_taken_in_every_form():
    expected = posenc.table("whisper", 8, range(3)).tobytes()
    convention = posenc.Convention("whisper")
    frozen = {"posenc_convention": 2, "family": "waves", **convention.fields}
    for form in (convention, convention.to_json(), convention.to_dict(), posenc.preset("whisper"), frozen):
        assert posenc.table(form, 8, range(3)).tobytes() == expected


def test_a_preset_tells_what_the_tool_tells():
    whisper = posenc.preset("whisper")
    assert (whisper.name, whisper.recipe, whisper.max_len, whisper.axes) == (
        "whisper",
        "f64-to-f16",
        1500,
        "batch_first",
    )
    assert whisper.scale == posenc.Scale("none") and whisper.places is None and whisper.source
    assert posenc.preset("whisper-sinusoids") == whisper
    assert posenc.preset("transformer").scale.by == "sqrt_dim"
    assert posenc.preset("mistral").stated == ("ladder.base", "ladder.scaling") and whisper.stated == ()
    placed = [name for name in posenc.presets() if posenc.preset(name).places]
    assert placed
    for name in placed:
        assert isinstance(posenc.preset(name).places, posenc.Places)


def test_the_original_recipe_is_that_of_the_preset():
    named = posenc.table("whisper", 64, range(100), recipe="f64-to-f16").tobytes()
    assert posenc.table("whisper", 64, range(100), recipe="original").tobytes() == named
    assert posenc.table(posenc.preset("whisper"), 64, range(100), recipe="original").tobytes() == named
    assert posenc.table("whisper", 64, range(100)).tobytes() != named


def test_a_length_is_stated_where_frequencies_depend_on_it():
    ladder = dict(posenc.Convention("transformer").to_dict()["ladders"][0])
    ladder["scaling"] = {"kind": "dynamic_ntk", "factor": 2, "length": 16}
    scaled = posenc.Convention("transformer").replace(ladders=[ladder])
    with pytest.raises(posenc.PosencError, match="length"):
        posenc.table(scaled, 8, range(3))
    near, far = (posenc.Rows(scaled, 8, length=length).write(range(3)) for length in (8, 64))
    assert near.tobytes() == posenc.table("transformer", 8, range(3)).tobytes() != far.tobytes()
    assert far.tobytes() == posenc.table(scaled, 8, range(3), length=64).tobytes()


def test_the_json_is_version_2():
    assert json.loads(posenc.Convention("transformer").to_json())["posenc_convention"] == 2
    version_1 = """{"posenc_convention": 1, "family": "sinusoid", "ladder": {"base": 10000, "first": 1,
                   "spacing": "over_width"}, "layout": "interleaved", "odd_width": "refused"}"""
    assert posenc.Convention(version_1) == posenc.Convention("transformer")


def test_handles_are_pickled_by_what_they_are_made_of():
    rows = pickle.loads(pickle.dumps(posenc.Rows(posenc.Convention("whisper"), 64)))
    assert rows.write(range(5)).tobytes() == posenc.table("whisper", 64, range(5)).tobytes()
    assert rows.convention == posenc.Convention("whisper") and rows.width == 64
    rotary = pickle.loads(pickle.dumps(posenc.Rotary("llama", 64)))
    assert rotary.width == 64 and rotary.axes == ["position"] and "llama" in repr(rotary)


def test_a_field_that_is_not_there_names_those_like_it():
    with pytest.raises(AttributeError, match="of waves has no field 'ladder'; it has ladders"):
        _ = posenc.Convention("transformer").ladder
    with pytest.raises(AttributeError, match=r"of waves has no field 'pairing'$"):
        _ = posenc.Convention("transformer").pairing
