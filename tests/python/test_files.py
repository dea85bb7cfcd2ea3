# SPDX-License-Identifier: Apache-2.0
"""Files of tensors, and conformance from Python."""

import json
import pathlib

import numpy as np
import posenc
import pytest

GOLDENS = pathlib.Path(__file__).resolve().parents[1] / "io/goldens"


# ---- identify_file, check_file ------------------------------------------------------------------------------------


def test_a_file_is_identified_as_its_array_is(tmp_path):
    rows = posenc.table("whisper", 64, range(100, 160))
    np.save(tmp_path / "pe.npy", rows)
    found = posenc.identify_file(tmp_path / "pe.npy")
    assert found and "whisper" in found.presets and found.file == str(tmp_path / "pe.npy")
    (tensor,) = found.tensors
    assert (tensor.name, tensor.type, tensor.shape, tensor.note) == ("", "<f4", (60, 64), None)
    alone = posenc.identify(rows)
    assert tensor.found.candidates == alone.candidates and tensor.found.text == alone.text
    assert json.loads(found.json)["tensors"][0]["candidates"] == json.loads(alone.json)["candidates"]
    assert str(found) == found.text and "whisper" in repr(found)


def test_archives_have_names_and_tensors_that_are_not_looked_at(tmp_path):
    rows = posenc.table("transformer", 16, range(30))
    np.savez_compressed(tmp_path / "m.npz", a=rows, b=np.zeros((0, 4), np.float32))
    found = posenc.identify_file(tmp_path / "m.npz")
    assert [bool(each) for each in found.tensors] == [True, False]
    assert found.tensors[1].found is None and found.tensors[1].note
    assert [each.name for each in posenc.identify_file(tmp_path / "m.npz", "a").tensors] == ["a"]
    with pytest.raises(posenc.PosencError, match="must be one of"):
        posenc.identify_file(tmp_path / "m.npz", "c")


def test_gguf_metadata_mean_a_convention():
    found = posenc.identify_file(GOLDENS / "llama.gguf")
    assert found.gguf.architecture == "llama" and found.gguf.keys["llama.rope.freq_base"] == "500000"
    assert found.gguf.rotation.pairing == "adjacent" and len(found.gguf.differences) == 2
    assert posenc.compare(found.gguf.rotation, found.gguf.rotation)


def test_a_folder_has_its_configuration(tmp_path):
    from shutil import copy

    copy(GOLDENS / "llama.gguf", tmp_path)
    config = {"model_type": "llama", "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2}
    (tmp_path / "config.json").write_text(json.dumps(config))
    found = posenc.identify_file(tmp_path)
    assert found.config.rotary.head == 16
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "nobody's"}))
    found = posenc.identify_file(tmp_path)
    assert found.config is None and any("model_type" in note for note in found.notes)


def test_pickles_are_refused_with_the_cure(tmp_path):
    (tmp_path / "m.pt").write_bytes(b"\x80\x02}q\x00.")
    with pytest.raises(posenc.PosencError, match=r"safetensors\.torch\.save_file"):
        posenc.identify_file(tmp_path / "m.pt")
    with pytest.raises((OSError, posenc.PosencError)):
        posenc.identify_file(tmp_path / "none.npy")
    with pytest.raises(TypeError):
        posenc.identify_file(7)


def test_a_file_is_checked_as_its_array_is(tmp_path):
    rows = posenc.table("transformer", 64, range(1, 129))
    np.savez(tmp_path / "m.npz", pe=rows, other=np.ones(3, np.float32))
    told = posenc.check_file(tmp_path / "m.npz", "transformer", "pe")
    assert not told and told == posenc.check(rows, "transformer")
    assert posenc.check_file(tmp_path / "m.npz", "transformer", "pe", positions=range(1, 129))
    with pytest.raises(posenc.PosencError, match="must be named"):
        posenc.check_file(tmp_path / "m.npz", "transformer")


def foreign_files():
    """Bytes that are no configuration, no tensors and no tokenizer, by kind."""
    config = b'{"model_type": "llama", "hidden_size": 64}'
    return {
        "npy": b"\x93NUMPY\x01\x00v\x00{'descr': '<f4'",
        "zip": b"PK\x03\x04\x14\x00\x00\x00",
        "png": b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR",
        "gguf": b"GGUF\x03\x00\x00\x00\xff\xff",
        "latin": config.replace(b"llama", b"ll\xe4ma"),
        "utf16": config.decode().encode("utf-16"),
        "cut": config[:-9],
        "cut character": config.replace(b"llama", "é".encode()[:1]),
        "nul": config.replace(b" ", b"\x00"),
        "empty": b"",
        "noise": bytes(np.random.default_rng(1).integers(0, 256, 4096, np.uint8)),
    }


READERS = {
    "inspect": posenc.inspect,
    "identify_file": posenc.identify_file,
    "check_file": lambda path: posenc.check_file(path, "transformer"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("kind", foreign_files())
@pytest.mark.parametrize("name", ["f.npy", "f.npz", "f.safetensors", "f.gguf", "config.json"])
def test_a_file_of_foreign_bytes_is_refused_with_a_rule(tmp_path, reader, kind, name):
    (tmp_path / name).write_bytes(foreign_files()[kind])
    with pytest.raises(posenc.PosencError) as refused:
        READERS[reader](tmp_path / name)
    assert refused.value.operation and refused.value.rule


def test_a_configuration_is_not_read_beyond_its_limit(tmp_path):
    with open(tmp_path / "config.json", "wb") as file:
        file.truncate(1 << 40)  # with no block on the disk
    with pytest.raises(posenc.PosencError, match="at most 16777216 bytes"):
        posenc.inspect(tmp_path)


# ---- conformance --------------------------------------------------------------------------------------------------


def exactly(case):
    if case["operation"] != "rows" or len(case["axes"]) > 1:
        return None
    context = {name: case[name] for name in ("length", "centre", "learned") if name in case}
    return posenc.coordinates(case["convention"], case["dim"], np.array(case["positions"][0]), **context)


def test_our_own_rows_are_exact():
    card = posenc.conformance_score(exactly)
    assert set(card.counts) == {"exact", "not offered"} and card.counts["exact"] > 20
    assert all(score.result == "not offered" or score for score in card.cases.values())
    assert card.text.splitlines()[-1] == ", ".join(f"{count} {result}" for result, count in card.counts.items())
    assert json.loads(card.json)["counts"] == card.counts and str(card) == card.text


def test_what_is_wrong_is_named_and_what_fails_is_told():
    def theirs(case):
        if case["case"] == "whisper":
            raise KeyError("no such thing")
        if case["case"] == "mae-1d":
            return np.ones((2, 3), np.float32)
        return posenc.table(
            posenc.Convention("transformer").replace({"ladder.base": 777}), case["dim"], np.array(case["positions"][0])
        )

    card = posenc.conformance_score(theirs, only=["transformer", "whisper", "mae-1d"])
    wrong, failed, shape = card.cases["transformer"], card.cases["whisper"], card.cases["mae-1d"]
    assert wrong.result == "wrong" and not wrong and any("777" in finding for finding in wrong.findings)
    assert (failed.result, failed.reason, failed.distance) == ("failed", "KeyError: 'no such thing'", None)
    assert shape.result == "failed" and "must have shape" in shape.reason
    with pytest.raises(posenc.PosencError):
        posenc.conformance_score(theirs, only="nobody's")
    with pytest.raises(TypeError):
        posenc.conformance_score(7)


def test_vectors_are_scored_from_a_folder(tmp_path):
    index, numbers = posenc.conformance_write(tmp_path / "vectors")
    cases = {case["case"]: case for case in json.loads(pathlib.Path(index).read_text())["cases"]}
    assert list(cases) == [case["case"] for case in posenc.conformance_cases()]
    data = pathlib.Path(numbers).read_bytes()
    size = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + size])
    at = header[cases["whisper"]["tensors"]["recipe_f32"]]
    begin, end = (8 + size + offset for offset in at["data_offsets"])
    np.save(tmp_path / "whisper.npy", np.frombuffer(data[begin:end], np.float32).reshape(at["shape"]))
    card = posenc.conformance_score(tmp_path, only=["whisper", "transformer"])
    assert [score.result for score in card.cases.values()] == ["recipe", "not offered"]
    with pytest.raises(posenc.PosencError):
        posenc.conformance_score(tmp_path / "none")
    with pytest.raises((OSError, posenc.PosencError)):
        posenc.conformance_write(tmp_path / "none/none")
