# SPDX-License-Identifier: Apache-2.0
# posenc rotary: a tensor turned along the axis of its tokens.
import math

import tool_case
from tool_case import ToolCase, bf16, bf16_bits, f16, f32, read_safetensors, true_sine_and_cosine, write_npy, write_safetensors

HEAD = 8


def cosine_and_sine(position, pair, base=10000):
    sine, cosine = true_sine_and_cosine(position, base, (pair, HEAD // 2))
    return f32(float(cosine)), f32(float(sine))


def turned(row, position, backward=False):
    """A row of f32 as rope-half turns it: pairs (k, k + 4), every step in f32."""
    out = list(row)
    for k in range(HEAD // 2):
        cosine, sine = cosine_and_sine(position, k)
        sine = -sine if backward else sine
        x, y = row[k], row[k + HEAD // 2]
        out[k] = f32(f32(x * cosine) - f32(y * sine))
        out[k + HEAD // 2] = f32(f32(x * sine) + f32(y * cosine))
    return out


def numbers(count):
    return [f32(math.sin(i * i + 1)) for i in range(count)]


class Rotary(ToolCase):
    def rows(self, values):
        return [list(values[i : i + HEAD]) for i in range(0, len(values), HEAD)]

    def write(self, name, shape, values=None, descr="<f4"):
        values = values or numbers(math.prod(shape))
        write_npy(self.folder / name, descr, shape, values)
        return values

    def test_the_axis_of_the_positions_is_the_one_before_the_columns(self):
        values = self.write("q.npy", (2, 3, 5, HEAD))
        words = ("rotary", "--preset", "llama", "--in", "q.npy", "--positions", "7:12", "--out", "r.npy")
        report = self.json_of(*words)
        self.assertEqual((report["axis"], report["position_axes"], report["rotated"]), (2, ["position"], HEAD))
        self.assertEqual((report["dtype"], report["shape"], report["direction"]), ("f32", [2, 3, 5, HEAD], "forward"))
        for i, row in enumerate(self.rows(self.npy("r.npy")[2])):
            self.assertEqual(row, turned(values[i * HEAD : (i + 1) * HEAD], 7 + i % 5), i)
        note = self.start(*words).stderr.decode()
        self.assertIn("r.npy: f32 [2, 3, 5, 8], turned along axis 2 by position, 8 of 8 columns, rope-half", note)

    def test_the_axis_is_no_guess_from_sizes(self):
        words = ("rotary", "--preset", "llama", "--in", "q.npy", "--positions", "0:3", "--out", "r.npy")
        for shape in ((1, 3, 3, HEAD), (3, 3, 3, HEAD)):
            values = self.write("q.npy", shape)
            for axis, position in (((), lambda i: i % 3), (("--axis", "1"), lambda i: i // 3 % 3),
                                   (("--axis", "-2"), lambda i: i % 3)):
                self.run_tool(*words, *axis)
                for i, row in enumerate(self.rows(self.npy("r.npy")[2])):
                    self.assertEqual(row, turned(values[i * HEAD : (i + 1) * HEAD], position(i)), (axis, i))
        self.write("q.npy", (1, 3, 5, HEAD))
        self.assert_refused(words, "axis 2 of --in must have the 3 positions, or --axis must state another, got [1, 3, 5, 8]")
        self.run_tool(*words, "--axis", "1")

    def test_backward_is_the_transposed_map(self):
        values = self.write("q.npy", (2, HEAD))
        self.run_tool("rotary", "--preset", "llama", "--in", "q.npy", "--positions", "3,9", "--inverse", "--out", "r.npy")
        self.assertEqual(self.rows(self.npy("r.npy")[2]),
                         [turned(values[:HEAD], 3, True), turned(values[HEAD:], 9, True)])

    def test_types_are_those_of_the_input(self):
        values = [f16(value) for value in numbers(2 * HEAD)]
        self.write("h.npy", (2, HEAD), values, "<f2")
        self.run_tool("rotary", "--preset", "llama", "--in", "h.npy", "--positions", "1:3", "--out", "r.npy")
        descr, shape, out = self.npy("r.npy")
        self.assertEqual((descr, shape), ("<f2", (2, HEAD)))
        self.assertEqual(list(out), [f16(x) for i in (0, 1) for x in turned(values[i * HEAD : (i + 1) * HEAD], 1 + i)])
        values = [bf16(value) for value in numbers(2 * HEAD)]
        write_safetensors(self.folder / "b.safetensors", {"q": ("BF16", [2, HEAD], [bf16_bits(v) for v in values]),
                                                          "other": ("F32", [1], [0.0])})
        words = ("rotary", "--preset", "llama", "--positions", "1:3")
        self.run_tool(*words, "--in", "b.safetensors:q", "--out", "r.safetensors")
        expected = [bf16(x) for i in (0, 1) for x in turned(values[i * HEAD : (i + 1) * HEAD], 1 + i)]
        self.assertEqual(read_safetensors(self.folder / "r.safetensors"),
                         {"q": ("BF16", [2, HEAD], tuple(bf16_bits(v) for v in expected))})
        self.run_tool(*words, "--in", "b.safetensors:q", "--out", "r.npy")
        self.assertEqual(list(self.npy("r.npy")[2]), expected)  # as f32, which holds the same values
        self.assert_refused([*words, "--in", "b.safetensors", "--out", "r.npy"], "--in must name one tensor")

    def test_every_sequence_may_have_positions_of_its_own(self):
        values = self.write("q.npy", (2, 3, 2, HEAD))  # [B, L, H, d]
        write_npy(self.folder / "p.npy", "<i8", (2, 3), [0, 1, 2, 5, 6, 7])
        self.run_tool("rotary", "--preset", "llama", "--in", "q.npy", "--positions", "p.npy", "--axis", "1", "--out", "r.npy")
        for i, row in enumerate(self.rows(self.npy("r.npy")[2])):
            self.assertEqual(row, turned(values[i * HEAD : (i + 1) * HEAD], (0, 1, 2, 5, 6, 7)[i // 2]), i)

    def test_several_axes_by_name_by_file_and_as_cells(self):
        values = self.write("q.npy", (6, HEAD))
        words = ("rotary", "--preset", "rope2d-qwen-vision", "--in", "q.npy")
        axes = self.json_of(*words, "--height", "2", "--width", "3", "--out", "cells.npy")["position_axes"]
        self.assertEqual(axes, ["y", "x"])
        y, x = [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2]
        self.run_tool(*words, "--positions", "x=0,1,2,0,1,2", "--positions", "y=0,0,0,1,1,1", "--out", "named.npy")
        write_npy(self.folder / "yx.npy", "<i8", (6, 2), [each for pair in zip(y, x) for each in pair])
        self.run_tool(*words, "--positions", "yx.npy", "--out", "file.npy")
        self.assertEqual(self.npy("cells.npy"), self.npy("named.npy"))
        self.assertEqual(self.npy("cells.npy"), self.npy("file.npy"))
        row, out = values[5 * HEAD :], self.npy("cells.npy")[2][5 * HEAD :]  # y 1, x 2
        for k, (position, pair) in enumerate(((1, 0), (1, 1), (2, 0), (2, 1))):
            sine, cosine = (f32(float(v)) for v in true_sine_and_cosine(position, 10000, (pair, 2)))
            self.assertEqual(out[k], f32(f32(row[k] * cosine) - f32(row[k + 4] * sine)), k)

    def test_what_a_scheme_depends_on_is_stated(self):
        self.write("q.npy", (2, HEAD))
        words = ("rotary", "--in", "q.npy", "--positions", "0:2", "--out", "r.npy", "--preset")
        self.assert_refused([*words, "rope-dynamic"], "--length must be stated")
        self.run_tool(*words, "rope-dynamic", "--length", "9000")
        self.assert_refused([*words, "xpos-lucid"], "--centre must be stated")
        for preset, more in (("xpos-lucid", ("--centre", "1", "--side", "key", "--recipe", "f64")), ("rope-yarn", ("--recipe", "f32-exp"))):
            self.assert_refused([*words, preset, *more], "or f32-reciprocal, f32-reciprocal-unit-position, ")
        cache = ("cache", "--preset", "xpos-lucid", "--set", "stored=complex", "--dim", "8", "--positions", "0:2", "--out", "c.npy")
        self.assert_refused(cache, "the convention must have no decay: queries and keys differ, got xpos")
        self.assert_refused([*words, "xpos-lucid", "--centre", "1"], "a tensor must be stated to hold queries or keys")
        self.run_tool(*words, "xpos-lucid", "--centre", "1", "--side", "key")

    def test_what_a_scheme_does_not_depend_on_has_a_note(self):
        self.write("q.npy", (2, HEAD))
        rotary = ("rotary", "--in", "q.npy", "--positions", "0:2", "--out", "r.npy", "--preset")
        given = {"--length": "9000", "--centre": "1", "--side": "query"}
        words = [word for pair in given.items() for word in pair]
        for preset, read in (("llama", ()), ("rope-dynamic", ("--length",)), ("xpos-lucid", ("--centre", "--side"))):
            done = self.start(*rotary, preset, *words)
            notes = [line for line in done.stderr.decode().splitlines() if "has no effect" in line]
            name = self.json_of("presets", preset)["presets"][0]["name"]
            self.assertEqual((done.returncode, notes), (0, [
                f"posenc: {option} {value} has no effect: nothing of {name} depends on it"
                for option, value in given.items() if option not in read]))
        cache = ("cache", "--dim", "8", "--positions", "0:2", "--out", "c.safetensors", "--length", "9000", "--set", "stored=complex",
                 "--preset")
        self.assertIn(b"--length 9000 has no effect", self.start(*cache, "llama").stderr)
        self.assertNotIn(b"no effect", self.start(*cache, "rope-dynamic").stderr)

    def test_a_role_of_a_configuration_and_a_spec_stand_for_a_preset(self):
        (self.folder / "config.json").write_text('{"model_type": "llama", "hidden_size": 16, "num_attention_heads": 2, '
                                                 '"max_position_embeddings": 2048}')
        self.write("q.npy", (3, HEAD))
        spec = self.json_of("presets", "llama")["presets"][0]["convention"]
        (self.folder / "c.json").write_text(tool_case.json.dumps(spec))
        words = ("rotary", "--in", "q.npy", "--positions", "0:3")
        for option, file in (("--preset", "llama"), ("--spec", "c.json"), ("--config", "config.json"),
                             ("--config", "config.json:rotary")):
            self.run_tool(*words, option, file, "--out", "r.npy")
            self.assertEqual(self.rows(self.npy("r.npy")[2]),
                             [turned(numbers(3 * HEAD)[i * HEAD : (i + 1) * HEAD], i) for i in range(3)], file)
        self.write("wide.npy", (3, 16))
        self.assert_refused(["rotary", "--in", "wide.npy", "--positions", "0:3", "--config", "config.json", "--out",
                             "x.npy"], "--in must have heads of 8 columns, as --config says, got f32 [3, 16]")

    def test_what_is_wrong(self):
        self.write("q.npy", (2, 4, HEAD))
        self.write("flat.npy", (HEAD,))
        self.write("odd.npy", (4, 7))
        self.write("whole.npy", (4, HEAD), list(range(4 * HEAD)), "<i8")
        (self.folder / "text.txt").write_text("1 2")
        ask = ("rotary", "--preset", "llama", "--positions", "0:4", "--out", "r.npy", "--in")
        for words, rule in ((ask[:-1], "--in must be given"),
                            ((*ask, "no.npy"), "No such file"),
                            ((*ask, "text.txt"), "--in must be FILE.npy, FILE.safetensors:TENSOR or -, got 'text.txt'"),
                            ((*ask, "flat.npy"), "--in must have an axis of positions and one of columns, got [8]"),
                            ((*ask, "whole.npy"), "--in must be f32, f64, f16 or bf16, got i64 [4, 8]"),
                            ((*ask, "odd.npy"), "width must be even, got 7"),
                            ((*ask, "q.npy", "--axis", "2"), "--axis must not be the last"),
                            ((*ask, "q.npy", "--axis", "3"), "--axis must be an integer in plain digits, -3 to 2"),
                            ((*ask, "q.npy", "--axis", "0"), "axis 0 of --in must have the 4 positions, got [2, 4, 8]"),
                            ((*ask, "q.npy", "--side", "keys"), "--side must be query or key, got 'keys'"),
                            ((*ask, "q.npy", "--length", "0"), "--length must be an integer in plain digits"),
                            ((*ask, "q.npy", "--centre", "x"), "--centre must be a decimal number"),
                            ((*ask[:3], "--positions", "0:5", *ask[5:], "q.npy"),
                             "axis 1 of --in must have the 5 positions, or --axis must state another, got [2, 4, 8]"),
                            ((*ask[:5], "--out", "./q.npy", "--in", "q.npy"), "--out and --in must be two files"),
                            ((*ask, "q.npy", "--width", "4"), "one of --positions and the extents of cells must be given"),
                            ((*ask[:3], *ask[5:], "q.npy", "--width", "4"), "--extent position=N must be given"),
                            (("rotary", "--preset", "whisper", *ask[3:], "q.npy"),
                             "must be rotary (this one is for posenc table), got 'whisper'"),
                            (("rotary", "--preset", "mrope-chunk", *ask[3:], "q.npy"),
                             "--positions must name each axis, t=..., y=..., x=..., or be a .npy file"),
                            (("rotary", *ask[3:], "q.npy"), "a preset (or --spec or --config) must be given")):
            self.assert_refused(words, rule)


if __name__ == "__main__":
    tool_case.main()
