# SPDX-License-Identifier: Apache-2.0
"""Small functions against what they mean: classes, numbering, stored rows, caches, models."""

import json

import numpy as np
import posenc
import pytest
from conftest import bits


def test_a_rotation_is_that_of_its_cache():
    x = posenc.seeded_rows(6, 64, seed=2, init="normal")
    cache = posenc.rotary_cache("llama", 64, range(6), stored="halves_twice")
    half = np.concatenate([-x[:, 32:], x[:, :32]], axis=1)
    assert bits(posenc.rotate("llama", range(6), x)) == bits(x * cache["cos"] + half * cache["sin"])
    out = {name: np.empty_like(array) for name, array in cache.items()}
    assert posenc.rotary_cache("llama", 64, range(6), stored="halves_twice", out=out)["cos"] is out["cos"]
    assert bits(out["sin"]) == bits(cache["sin"])


def test_several_tensors_share_their_positions():
    q, k = (posenc.seeded_rows(40, 16, seed=s, init="normal").reshape(2, 4, 5, 16) for s in (1, 2))
    together = posenc.rotate("llama", range(5), [q, k[:, :1]])
    assert bits(together[0]) == bits(posenc.rotate("llama", range(5), q))
    assert bits(together[1]) == bits(posenc.rotate("llama", range(5), k[:, :1]))


def test_tokens_before_heads():
    x = posenc.seeded_rows(60, 16, seed=1, init="normal").reshape(1, 5, 12, 16)
    expected = posenc.rotate("llama", range(5), x.swapaxes(1, 2)).swapaxes(1, 2)
    assert bits(posenc.rotate("llama", range(5), x, token_axis=-3)) == bits(expected)
    stated = r"tokens of \[.., L, H, d\] are stated by token_axis=-3, got \[1, 5, 12, 16\]"
    with pytest.raises(posenc.PosencError, match=stated):
        posenc.rotate("llama", range(5), x)
    with pytest.raises(posenc.PosencError, match=stated):
        posenc.rerotate("llama", x, range(5), range(1, 6))


def test_an_unstated_axis_is_no_guess_from_sizes():
    x = posenc.seeded_rows(64, 16, seed=1, init="normal")
    for shape in ((4, 16, 16), (1, 8, 8, 16), (4, 4, 4, 16), (2, 2, 2, 2, 2, 2, 16)):
        each = x.reshape(shape)
        tokens = shape[-2]
        expected = posenc.rotate("llama", [*range(tokens)] * (64 // tokens), x).reshape(shape)
        assert bits(posenc.rotate("llama", range(tokens), each)) == bits(expected)
        assert bits(posenc.rotate("llama", range(tokens), each, token_axis=-2)) == bits(expected)
        assert bits(posenc.Rotary("llama", 16).rotate(range(tokens), each)) == bits(expected)
        moved = posenc.rerotate("llama", expected, range(tokens), range(100, 100 + tokens))
        again = posenc.rerotate("llama", expected, range(tokens), range(100, 100 + tokens), token_axis=-2)
        assert bits(moved) == bits(again)


def test_axes_by_order_and_by_name():
    name = next(name for name in posenc.presets() if name.startswith("mrope-chunk"))
    axes = posenc.Convention(name).axes
    x = np.ones((3, 128), np.float32)
    lists = [np.arange(3) * (i + 1) for i in range(len(axes))]
    by_order = posenc.rotate(name, lists, x)
    assert bits(by_order) == bits(posenc.rotate(name, dict(zip(axes, lists, strict=True)), x))
    assert bits(by_order) == bits(posenc.rotate(name, np.array(lists), x))


def test_sides_and_length_where_the_convention_asks():
    x = np.ones((3, 64), np.float32)
    query = posenc.rotate("xpos-lucid", range(3), x, side="query", centre=0)
    key = posenc.rotate("xpos-lucid", range(3), x, side="key", centre=0)
    assert bits(query) != bits(key)
    both = posenc.rotate("xpos-lucid", range(3), [x, x], side=["query", "key"], centre=0)
    assert bits(both[0]) == bits(query) and bits(both[1]) == bits(key)
    near, far = (posenc.rotate("rope-dynamic", range(3), x, length=length) for length in (16, 1 << 16))
    assert bits(near) != bits(far)


def test_rows_add_in_place():
    x = np.ones((2, 3, 16), np.float32)
    rows = posenc.Rows("transformer", 16)
    expected = x + posenc.table("transformer", 16, range(3))
    assert bits(rows.add(range(3), x)) == bits(expected)
    assert rows.add(range(3), x, out=x) is x and bits(x) == bits(expected)
    assert rows.frequencies[0] == 1.0 and len(rows.frequencies) == 8
    places = posenc.Rows("mae-2d", 16)
    assert bits(places.write(([1], [2]))) == bits(posenc.coordinates("mae-2d", 16, ([1], [2])))


def test_a_grid_is_its_coordinates():
    made = posenc.grid("mae-2d", 16, (3, 5))
    x, y = np.meshgrid(np.arange(5), np.arange(3))
    assert bits(made.reshape(15, 16)) == bits(posenc.coordinates("mae-2d", 16, (x.ravel(), y.ravel())))


WHOLE = posenc.Places(first=0, divisor="one", eps=0, gain=1, shift=0, rounding="none")


def test_a_grid_by_a_name_is_numbered_as_the_preset_says():
    numbered = 0
    for name in posenc.presets():
        preset = posenc.preset(name)
        axes = preset.convention.axes if preset.convention.family == "waves" else ()
        if sorted(axes) != ["x", "y"]:
            continue
        width = next((d for d in (32, 64, 60, 36, 34, 516, 18, 2, 1) if columns(preset.convention, d)), None)
        if width is None:
            continue
        places = preset.places or WHOLE
        along = [posenc.place_coordinates(places, (3, 5), axis) for axis in (0, 1)]
        y, x = (each.ravel() for each in np.meshgrid(*along, indexing="ij"))
        by_coordinates = posenc.coordinates(name, width, {"y": y, "x": x}).reshape(3, 5, -1)
        for of in (name, preset):
            assert bits(posenc.grid(of, width, (3, 5))) == bits(by_coordinates), name
        assert bits(posenc.grid(name, width, (3, 5), places=places)) == bits(by_coordinates), name
        changed = bits(posenc.grid(name, width, (3, 5), places=WHOLE)) != bits(by_coordinates)
        assert changed == (preset.places is not None), name
        numbered += changed
    assert numbered >= 8


def columns(convention, width):
    try:
        return convention.columns(width)
    except posenc.PosencError:
        return 0


def test_a_grid_of_a_convention_without_a_name_is_numbered_as_the_presets_that_it_is():
    of = posenc.preset("grounding-dino-sine")
    assert bits(posenc.grid(of.convention, 32, (3, 5))) == bits(posenc.grid(of, 32, (3, 5)))
    other = of.convention.replace({"ladder.base": 12345})
    assert bits(posenc.grid(other, 32, (3, 5))) == bits(posenc.grid(other, 32, (3, 5), places=WHOLE))
    for name in ("detr-sine", "mae-2d"):
        with pytest.raises(posenc.PosencError, match="presets that are equal do not agree"):
            posenc.grid(posenc.Convention(name), 32, (3, 5))


def test_biases_are_minus_slope_times_distance():
    slopes = posenc.bias_slopes("alibi", 8)
    distance = np.abs(np.arange(2, 6)[:, None] - np.arange(9))
    expected = -slopes[:, None, None] * distance.astype(np.float32) + 0.0
    assert bits(posenc.bias("alibi", 8, range(2, 6), range(9))) == bits(expected)


def test_masks_may_be_booleans():
    mask = np.array([[True, True, False], [False, True, True]])
    made = posenc.positions_of_mask(mask, first=0, absent=1)
    assert made.tolist() == [[0, 1, 1], [1, 0, 1]]
    later = posenc.positions_of_mask([[1], [1]], first=0, absent=1, before=[2, 2])
    assert later.tolist() == [[2], [2]]
    assert posenc.positions_of_mask([[1], [1]], first=0, absent=1, before=5).tolist() == [[5], [5]]


def test_several_tables_have_a_last_axis():
    places = ([0, 1, 2], [5, 6, 7])
    rows = posenc.learned_rows("detr-learned", places)
    assert rows.tolist() == [[0, 5], [1, 6], [2, 7]]
    out = np.empty((3, 2), np.int32)
    assert posenc.learned_rows("detr-learned", places, out=out) is out and (out == rows).all()


def test_a_learned_table_is_resized():
    table = np.ones((1 + 14 * 14, 8), np.float32)
    made = posenc.resize_table("vit-resize", table, (7, 9))
    assert made.shape == (64, 8) and np.allclose(made, 1)
    assert bits(posenc.resize_table("vit-resize", table, (14, 14))) == bits(table)


CONFIG = {
    "model_type": "llama",
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_hidden_layers": 2,
    "rope_theta": 10000.0,
    "max_position_embeddings": 2048,
}


def test_a_model_is_inspected_in_every_form(tmp_path):
    class Config:
        def to_dict(self):
            return CONFIG

    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    expected = posenc.inspect(CONFIG)
    assert expected.model_type == "llama" and list(expected.roles) == ["rotary", "embedding"]
    for form in (json.dumps(CONFIG), Config()):
        assert posenc.inspect(form) == expected
    for path in (tmp_path, tmp_path / "config.json", str(tmp_path / "config.json")):
        assert posenc.inspect(path).rotary == expected.rotary
        assert posenc.inspect(path).source.endswith("config.json")


def test_a_role_has_its_convention_and_its_numbers():
    positions = posenc.inspect(CONFIG)
    role = positions.rotary
    assert (role.preset, role.head, role.rotated) == ("rope-half", 16, 16)
    assert role.convention == posenc.Convention("rope-half").replace(stored="halves_twice")
    assert role.frequencies["any length"][:2] == (1.0, 0.31622776601683794)
    assert positions.embedding.scale == posenc.Scale(1)
    assert bits(role.table(range(9))["cos"]) == bits(
        posenc.rotary_cache("rope-half", 16, range(9), stored="halves_twice")["cos"]
    )
    x = np.ones((3, 16), np.float32)
    assert bits(posenc.rotate(role, range(3), x)) == bits(posenc.rotate("rope-half", range(3), x))
    assert "rotary" in str(positions) and positions.unread == ("max_position_embeddings",)
    with pytest.raises(AttributeError, match="role must be one of rotary, embedding"):
        _ = positions.bias
    with pytest.raises(posenc.PosencError):
        positions.embedding.table(range(3))
    as_gemma = posenc.inspect({**CONFIG, "head_dim": 16}, as_="gemma")
    assert as_gemma.model_type == "gemma"
    with pytest.raises(posenc.PosencError, match=r"^\[inspect\] as must be a model type that has a row, such as gemma"):
        posenc.inspect(CONFIG, as_="gema")
    with pytest.raises(
        posenc.PosencError, match=r"/model_type must be one that has a row, .* stated by the option as,"
    ):
        posenc.inspect({**CONFIG, "model_type": "gema"})


def test_what_is_missing_of_a_model_is_data():
    tower = {"model_type": "pixtral", "hidden_size": 8}
    positions = posenc.inspect({"model_type": "mistral3", "text_config": CONFIG, "vision_config": tower})
    assert list(positions.roles) == ["text.rotary", "text.embedding"]
    assert [each.name for each in positions.missing] == ["vision"]
    assert positions.missing[0] == posenc.MissingPositions(
        "vision", "/vision_config is not read: model type 'pixtral' has no row for vision"
    )
    assert "missing: vision: " in str(positions) and posenc.inspect(CONFIG).missing == ()
    with pytest.raises(posenc.PosencError, match=r"^\[inspect\] /model_type must be one that has a row"):
        posenc.inspect({**CONFIG, "model_type": "minicpmv", "vision_config": tower})


def test_numbers_without_end_are_read_where_nothing_needs_them():
    config = {**CONFIG, "time_step_limit": (0.0, float("inf")), "other": [float("nan"), float("-inf")]}
    assert posenc.inspect(config).rotary == posenc.inspect(CONFIG).rotary
    assert posenc.inspect(json.dumps(config)).rotary == posenc.inspect(CONFIG).rotary
    with pytest.raises(posenc.PosencError, match="/rope_theta must be a finite number, got inf"):
        posenc.inspect({**CONFIG, "rope_theta": float("inf")})


def test_every_known_model_type_is_a_name():
    types = posenc.model_types()
    assert len(types) > 100 and all(isinstance(name, str) for name in types)


def test_a_picture_is_drawn_where_matplotlib_is():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    for name in ("transformer", "llama", "alibi", "mae-2d"):
        assert posenc.Convention(name).plot().get_images()


@pytest.mark.parametrize("shape", [(700_001,), (2, 600_001), (3000, 200)])
@pytest.mark.parametrize("threads", [1, 2])
def test_long_masks_are_numbered_in_blocks_as_a_whole(shape, threads):
    posenc.set_threads(threads)
    mask = (np.arange(np.prod(shape)).reshape(shape) * 2654435761 % 7 < 5).astype(np.int64)
    before = 5 if len(shape) == 1 else np.arange(shape[0])
    counted = np.cumsum(mask, axis=-1) - 1 + 3 + np.asarray(before)[..., None]
    expected = np.where(mask != 0, counted, -9)
    assert (posenc.positions_of_mask(mask, first=3, absent=-9, before=before) == expected).all()
    half = mask[..., ::-1].astype(np.int32)[..., ::-1] + 1
    assert (posenc.positions_of_ids(half, 1, first=3, absent=-9, before=before) == expected).all()
    assert posenc.positions_of_mask(mask, first=3, absent=-9, before=before, out=mask) is mask
    assert (mask == expected).all()
