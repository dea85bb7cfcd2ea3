# SPDX-License-Identifier: Apache-2.0
# posenc encode --weights and --init, and .safetensors out of every verb.

import math

import tool_case
from tool_case import ToolCase, bf16, bf16_bits, f16, f32, read_safetensors, write_npy, write_safetensors

IDS = ("--text", "2 0 1", "--tokens", "ids")
ROWS = [[0.5, -1.25, 3.0, 0.1], [1e-3, 2.0, -0.75, 7.5], [-4.0, 0.3, 0.2, -0.0]]


def signal(position):
    row = []
    for k in range(2):
        angle = position / 10000 ** (2 * k / 4)
        row += [math.sin(angle), math.cos(angle)]
    return row


def expected(stored, rounded):
    """The three rows when rows hold `stored` values: factor 2 is exact, and sums are rounded as `rounded` does."""
    out = []
    for position, token in enumerate((2, 0, 1)):
        for value, wave in zip(stored[token], signal(position)):
            out.append(rounded(f32(rounded(f32(value * 2)) + rounded(wave))))
    return out


class Weights(ToolCase):
    def encoded(self, weights, *more):
        self.run_tool("encode", *IDS, "--weights", weights, *more, "--out", "y.npy")
        return self.npy("y.npy")

    def test_rows_of_each_type_give_rows_of_that_type(self):
        flat = [value for row in ROWS for value in row]
        for descr, rounded in (("<f4", f32), ("<f2", f16)):
            write_npy(self.folder / "w.npy", descr, [3, 4], flat)
            stored = [[rounded(value) for value in row] for row in ROWS]
            self.assertEqual(self.encoded("w.npy"), (descr, (1, 3, 4), tuple(expected(stored, rounded))))

    def test_f64_rows_stay_f64(self):
        write_npy(self.folder / "w.npy", "<f8", [3, 4], [value for row in ROWS for value in row])
        descr, shape, values = self.encoded("w.npy")
        self.assertEqual((descr, shape), ("<f8", (1, 3, 4)))
        for position, token in enumerate((2, 0, 1)):
            for column in range(4):
                wave = tool_case.true_sine_and_cosine(position, 10000, (2 * (column // 2), 4))[column % 2]
                self.assertEqual(values[position * 4 + column], ROWS[token][column] * 2 + float(wave))

    def test_bf16_rows_go_to_safetensors_as_they_are_and_to_npy_as_f32(self):
        bits = [bf16_bits(value) for row in ROWS for value in row]
        write_safetensors(self.folder / "w.safetensors", {"other": ("I64", [1], [5]), "rows": ("BF16", [3, 4], bits)})
        stored = [[bf16(value) for value in row] for row in ROWS]
        want = expected(stored, bf16)
        self.assertEqual(self.encoded("w.safetensors:rows"), ("<f4", (1, 3, 4), tuple(want)))
        self.run_tool("encode", *IDS, "--weights", "w.safetensors:rows", "--out", "y.safetensors")
        tensors = read_safetensors(self.folder / "y.safetensors")
        self.assertEqual(tensors["output"], ("BF16", [1, 3, 4], tuple(bf16_bits(value) for value in want)))
        self.assertEqual(tensors["ids"], ("I32", [1, 3], (2, 0, 1)))
        self.assertEqual(tensors["lengths"], ("I64", [1], (3,)))

    def test_the_only_tensor_needs_no_name(self):
        write_safetensors(self.folder / "w.safetensors", {"a:b": ("F32", [3, 4], [0.0] * 12)})
        self.assertEqual(self.encoded("w.safetensors"), self.encoded("w.safetensors:a:b"))

    def test_seeded_rows_are_the_same_for_any_vocabulary(self):
        more = ("--init", "normal", "--seed", "7", "--dim", "4", "--scale", "none")
        self.run_tool("encode", *IDS, "--vocab-size", "3", *more, "--out", "x.npy")
        self.run_tool("encode", *IDS, "--vocab-size", "1000", *more, "--out", "y.npy")
        self.assertEqual(self.npy("x.npy"), self.npy("y.npy"))
        self.run_tool("encode", *IDS, "--vocab-size", "3", "--init", "scaled", *more[2:], "--out", "z.npy")
        for plain, scaled, t in zip(self.npy("x.npy")[2], self.npy("z.npy")[2], range(12)):
            wave = f32(signal(t // 4)[t % 4])
            self.assertAlmostEqual(scaled - wave, (plain - wave) / 2, places=6)

    def test_a_tokenizer_file_may_have_fewer_tokens_than_rows(self):
        report = self.json_of("encode", "--text", "a", "--init", "normal", "--seed", "1", "--dim", "4")
        self.assertEqual((report["shape"], report["weights"]), ([1, 1, 4], "normal"))
        write_npy(self.folder / "w.npy", "<f4", [3080, 2], [0.0] * 6160)
        self.assertEqual(self.json_of("encode", "--text", "a", "--weights", "w.npy")["shape"], [1, 1, 2])

    def test_table_and_grid_write_safetensors_bf16_too(self):
        self.run_tool("table", "--preset", "transformer", "--dim", "4", "--positions", "0:3", "--dtype", "bf16", "--out",
                      "t.safetensors")
        want = tuple(bf16_bits(value) for position in range(3) for value in signal(position))
        self.assertEqual(read_safetensors(self.folder / "t.safetensors"), {"table": ("BF16", [3, 4], want)})
        grid = ("grid", "--preset", "mae-2d", "--dim", "8", "--height", "2", "--width", "3")
        self.run_tool(*grid, "--out", "g.safetensors")
        self.run_tool(*grid, "--out", "g.npy")
        values = self.npy("g.npy")[2]
        self.assertEqual(read_safetensors(self.folder / "g.safetensors"), {"grid": ("F32", [2, 3, 8], values)})


ROWS_REFUSED = [
    ("name of no known kind", ["--weights", "w.bin"], "must be FILE.npy, FILE.safetensors:TENSOR or -"),
    ("weights absent", ["--weights", "no.npy"], "No such file"),
    ("weights of one axis", ["--weights", "line.npy"], "f32 [4]"),
    ("weights of three axes", ["--weights", "cube.npy"], "f32 [1, 1, 4]"),
    ("weights of integers", ["--weights", "ids.npy"], "i64 [1, 4]"),
    ("weights without rows", ["--weights", "none.npy"], "f32 [0, 4]"),
    ("weights of another width", ["--weights", "w.npy", "--dim", "8"], "--dim must be 4, the width of the rows, got 8"),
    ("weights and init", ["--weights", "w.npy", "--init", "normal", "--seed", "1"], "one of --weights and --init"),
    ("init unknown", ["--init", "xavier", "--seed", "1", "--dim", "4"], "--init must be normal or scaled, got 'xavier'"),
    ("init without seed", ["--init", "normal", "--dim", "4"], "--init must come with --seed"),
    ("init without width", ["--init", "normal", "--seed", "1"], "--dim must be given"),
    ("init of absurd width", ["--init", "normal", "--seed", "1", "--dim", "9223372036854775807"], "x 4 bytes"),
    ("init beyond the memory", ["--init", "normal", "--seed", "1", "--dim", "1000000000000"], "must fit in memory"),
    ("fewer rows than tokens", ["--weights", "w.npy"], "3072 tokens ('built in') and 2 rows ('w.npy')"),
    ("other rows than bytes", ["--weights", "w.npy", "--tokens", "bytes"], "256 tokens ('bytes') and 2 rows"),
    ("rows missing", ["--tokens", "bytes"], "--weights or --init must be given"),
    ("tensor of no name", ["--weights", "w.safetensors:"], "must have a name"),
    ("tensor not named", ["--weights", "w.safetensors"], "must name one tensor"),
    ("tensor absent", ["--weights", "w.safetensors:emb"], "emb"),
    ("tensor of integers", ["--weights", "w.safetensors:ids"], "i64 [1]"),
    ("tensor of a pickle", ["--weights", "pickle.safetensors"], "ickle"),
    ("same file twice", ["--plot", "x.png"], "--out and --plot must be two files, got 'x.npy' and 'x.png'"),
    ("its own weights", ["--weights", "link.npy"], "--out and --weights must be two files, got 'x.npy' and 'link.npy'"),
]

ANY = ("--text", "a", "--init", "normal", "--seed", "1", "--dim", "4")
CHARS = ("--tokens", "chars", *ANY[2:])
TABLE = ("table", "--preset", "transformer", "--dim", "4", "--positions", "0:3")
# Two targets, or a target and an input, that are one file; u.npy is not there.
ALIASED = [
    (["encode", *CHARS, "--text", "a", "--out", "u.npy", "--save-vocab", "./u.npy"], "--out and --save-vocab"),
    (["encode", *CHARS, "--text", "a", "--out", "u.npy", "--save-vocab", "folder/../u.npy"], "--out and --save-vocab"),
    (["encode", *ANY, "--out", "u.npy", "--plot", "u.png"], "--out and --plot"),
    (["encode", *CHARS, "in.txt", "--out", "u.npy", "--save-vocab", "in.txt"], "--save-vocab and a text"),
    (["encode", "--tokens", "bytes", *ANY[2:], "in.npy", "--out", "hard.npy"], "--out and a text"),
    (["encode", "--tokens", "ids", "--vocab-size", "4", *ANY[2:], "w.npy", "--out", "./w.npy"], "--out and a text"),
    (["encode", "--tokens", "ids", "--text", "0", "--weights", "w.npy", "--out", "w.npy"], "--out and --weights"),
    (["encode", *ANY[:2], "--weights", "w.safetensors:ids", "--out", "w.safetensors"], "--out and --weights"),
    (["encode", *CHARS, "--text", "a", "--vocab", "in.npy", "--out", "in.npy"], "--out and --vocab"),
    (["encode", *ANY, "--tokens", "bpe:in.npy", "--out", "in.npy"], "--out and --tokens"),
    ([*TABLE, "--out", "u.npy", "--plot", "u.png"], "--out and --plot"),
    ([*TABLE, "--ladder", "w.npy", "--out", "w.npy"], "--out and --ladder"),
    ([*TABLE[:-1], "ids.npy", "--out", "ids.npy"], "--out and --positions"),
    (["grid", "--preset", "mae-2d", "--dim", "8", "--height", "2", "--width", "2", "--out", "u.npy", "--plot", "u.png"],
     "--out and --plot"),
    (["demo", "--out", "folder"], "sentences.npy and english.npy"),
]


class Refused(ToolCase):
    def setUp(self):
        super().setUp()
        for name, descr, shape in (("line", "<f4", [4]), ("cube", "<f4", [1, 1, 4]), ("w", "<f4", [2, 4])):
            write_npy(self.folder / f"{name}.npy", descr, shape, [0.0] * math.prod(shape))
        write_npy(self.folder / "none.npy", "<f4", [0, 4], [])
        write_npy(self.folder / "ids.npy", "<i8", [1, 4], [0, 1, 2, 3])
        write_safetensors(self.folder / "w.safetensors",
                          {"embeddings": ("F32", [1, 2], [0.0, 0.0]), "ids": ("I64", [1], [5])})
        (self.folder / "pickle.safetensors").write_bytes(b"\x80\x04\x95\x10\0\0\0\0\0\0\0" + b"x" * 20)
        (self.folder / "x.npy").write_bytes(b"the old file")
        for name, target in (("x.png", "x.npy"), ("link.npy", "x.npy"), ("u.png", "u.npy")):
            (self.folder / name).symlink_to(target)
        (self.folder / "in.txt").write_text("abc")
        (self.folder / "in.npy").write_text("abc")
        (self.folder / "hard.npy").hardlink_to(self.folder / "in.npy")
        (self.folder / "folder").mkdir()
        (self.folder / "folder/sentences.npy").symlink_to("english.npy")

    def test_targets_that_are_one_file_are_refused_before_anything_is_read(self):
        for arguments, words in ALIASED:
            with self.subTest(arguments):
                self.assert_refused(arguments, words + " must be two files, got ")
        self.assertEqual([path.name for path in (self.folder / "folder").iterdir()], ["sentences.npy"])

    def test_standard_input_is_an_input_under_any_name(self):
        with open(self.folder / "in.npy", "rb") as text:
            self.assert_refused(["encode", "-", "--tokens", "bytes", *ANY[2:], "--out", "in.npy"],
                                "--out and standard input must be two files", stdin=text)

    def test_rows(self):
        for name, arguments, words in ROWS_REFUSED:
            with self.subTest(name):
                self.assert_refused(["encode", "--text", "a", *arguments, "--out", "x.npy"], words)


if __name__ == "__main__":
    tool_case.main()
