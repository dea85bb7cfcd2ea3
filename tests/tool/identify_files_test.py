# SPDX-License-Identifier: Apache-2.0
# posenc identify: files of every kind, one JSON, and what is refused.

import json
import struct
import zipfile

import tool_case
from tool_case import ToolCase


def gguf(keys, tensors=()):
    """A GGUF file of keys (name, type, packed value) and f32 tensors (name, values), put together by hand."""
    def text(value):
        return struct.pack("<Q", len(value)) + value.encode()

    out, body = b"GGUF" + struct.pack("<IQQ", 3, len(tensors), len(keys)), b""
    for name, kind, value in keys:
        out += text(name) + struct.pack("<I", kind) + (text(value) if kind == 8 else value)
    for name, values in tensors:
        out += text(name) + struct.pack("<IQIQ", 1, len(values), 0, len(body))
        body += struct.pack(f"<{len(values)}f", *values)
        body += bytes(-len(body) % 32)
    return out + bytes(-len(out) % 32) + body


def u32(value):
    return struct.pack("<I", value)


class Identify(ToolCase):
    def found(self, *words):
        return self.json_of("identify", *words)

    def table(self, name, *words):
        self.run_tool("table", "--preset", "whisper", "--dim", "32", "--positions", "0:40", "--out", name, *words)

    def test_json_has_what_the_library_states(self):
        self.table("pe.npy")
        said = self.found("pe.npy")
        self.assertEqual([said[key] for key in ("operation", "file", "others", "gguf", "config", "notes")],
                         ["identify", "pe.npy", 0, None, None, []])
        tensor = said["tensors"][0]
        self.assertEqual([tensor[key] for key in ("tensor", "type", "shape", "note", "identified")],
                         ["", "<f4", [40, 32], None, True])
        self.assertIn("whisper", tensor["candidates"][0]["presets"])

    def test_position_ids_are_told_with_the_first(self):
        for first, ids in ((0, [0, 1, 2, 3]), (2, [2, 3, 4, 5]), (None, [2, 3, 5, 6])):
            tool_case.write_npy(self.folder / "ids.npy", "<i8", (2, 4), ids + ids)
            note = self.found("ids.npy")["tensors"][0]["note"]
            self.assertEqual(note, None if first is None else f"positions, counted from {first}")

    def test_many_tensors_that_hold_the_same_are_told_once(self):
        self.table("pe.npy")
        _, shape, values = self.npy("pe.npy")
        many = {f"layers.{i}.pos_embed": ("F32", list(shape), values) for i in range(20)}
        tool_case.write_safetensors(self.folder / "m.safetensors", many)
        text = self.run_tool("identify", "m.safetensors")
        self.assertIn("(20 tensors): F32 [40, 32]", text)
        self.assertEqual(text.count("entries equal"), 1)

    def test_the_rope_keys_of_a_gguf_file_are_told_with_the_convention_that_they_mean(self):
        keys = [("general.architecture", 8, "qwen2"), ("qwen2.rope.freq_base", 6, struct.pack("<f", 1e6)),
                ("qwen2.context_length", 4, u32(32768)), ("qwen2.attention.key_length", 4, u32(64))]
        (self.folder / "m.gguf").write_bytes(gguf(keys))
        text = self.run_tool("identify", "m.gguf")
        self.assertEqual([line.split() for line in text.splitlines()],
                         [["metadata", "of", "qwen2"], ["qwen2.rope.freq_base", "1000000"],
                          ["qwen2.context_length", "32768"], ["qwen2.attention.key_length", "64"],
                          ["rotation", "qwen2"]])
        said = self.found("m.gguf")["gguf"]
        self.assertEqual((said["preset"], said["rotation"]["pairing"], said["keys"]["qwen2.context_length"]),
                         ("qwen2", "split_half", "32768"))

    def test_a_tensor_is_named_behind_a_colon(self):
        self.table("pe.npy")
        _, shape, values = self.npy("pe.npy")
        tensors = {"pe": ("F32", list(shape), values), "other": ("F32", [3], [1, 2, 4])}
        tool_case.write_safetensors(self.folder / "m.safetensors", tensors)
        self.assertEqual([each["tensor"] for each in self.found("m.safetensors:pe")["tensors"]], ["pe"])
        self.assertEqual(len(self.found("m.safetensors")["tensors"]), 2)

    def test_a_rotation_is_told_by_both_its_ends(self):
        self.run_tool("table", "--preset", "transformer", "--dim", "16", "--positions", "0:20", "--out", "q.npy")
        self.run_tool("rotary", "--preset", "rope-half", "--positions", "0:20", "--in", "q.npy", "--out", "r.npy")
        said = self.found("--before", "q.npy", "--after", "r.npy", "--positions", "0:20")
        self.assertIn("rope-half", said["candidates"][0]["presets"])

    def test_both_ends_of_a_rotation_stand_at_any_address(self):
        self.run_tool("table", "--preset", "transformer", "--dim", "16", "--positions", "0:20", "--out", "q.npy")
        self.run_tool("rotary", "--preset", "rope-half", "--positions", "0:20", "--in", "q.npy", "--out", "r.npy")
        (_, shape, before), (_, _, after) = self.npy("q.npy"), self.npy("r.npy")
        for odd in range(1, 5):  # bytes in front of q, and so of r
            tensors = {"odd": ("U8", [odd], bytes(odd)), "q": ("F32", list(shape), before), "r": ("F32", list(shape), after)}
            tool_case.write_safetensors(self.folder / "qr.safetensors", tensors)
            said = self.found("--before", "qr.safetensors:q", "--after", "qr.safetensors:r", "--positions", "0:20")
            self.assertIn("rope-half", said["candidates"][0]["presets"])
        for name in ("q.npy", "r.npy"):
            (self.folder / name).rename(self.folder / name[0])
        for unaligned in (1, 2, 3, 4):
            with zipfile.ZipFile(self.folder / "qr.npz", "w") as archive:
                archive.write(self.folder / "q", "x" * unaligned + ".npy")
                archive.write(self.folder / "q", "q.npy")
                archive.write(self.folder / "r", "r.npy")
            said = self.found("--before", "qr.npz:q", "--after", "qr.npz:r", "--positions", "0:20")
            self.assertIn("rope-half", said["candidates"][0]["presets"])

    def test_what_cannot_be_read_is_one_line(self):
        self.table("pe.npy")
        for name, data in (("empty.npy", b""), ("cut.npy", (self.folder / "pe.npy").read_bytes()[:-1]),
                           ("text.npy", b"hello"), ("m.pt", b"\x80\x02}q\x00."), ("m.bin", b"PK\x03\x04" + bytes(60)),
                           ("g.gguf", b"GGUF" + bytes(20)), ("s.safetensors", b"\xff" * 20)):
            (self.folder / name).write_bytes(data)
        (self.folder / "folder").mkdir()
        for words, rule in ((["empty.npy"], "empty"), (["cut.npy"], "cut off"), (["text.npy"], "NUMPY"),
                            (["m.pt"], "a pickle runs code"), (["m.bin"], "read_npz"), (["g.gguf"], "gguf"),
                            (["s.safetensors"], "safetensors"), (["folder"], "a folder must hold"),
                            (["none.npy"], "No such file"), (["pe.npy:x"], "has no name"), ([], "one file must be given"),
                            (["pe.npy", "pe.npy"], "one file must be given"), (["pe.npy", "--positions", "x"], "--positions"),
                            (["--before", "pe.npy"], "--after and --positions"),
                            (["pe.npy", "--before", "pe.npy", "--after", "pe.npy", "--positions", "0:40"], "without --before"),
                            (["--before", "pe.npy", "--after", "pe.npy", "--positions", "0:7"], "positions")):
            with self.subTest(words):
                self.assert_refused(["identify", *words], rule)


if __name__ == "__main__":
    tool_case.main()
