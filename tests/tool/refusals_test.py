# SPDX-License-Identifier: Apache-2.0
# Bad command lines, row by row: exit 2, one line on stderr, nothing on stdout, every file as it was.

import os

import tool_case
from tool_case import ToolCase, write_npy

TABLE = ["table", "--preset", "transformer", "--positions", "0:4", "--out", "x.npy"]
AT = ["table", "--preset", "transformer", "--dim", "4", "--out", "x.npy", "--positions"]
ENCODE = ["encode", "--text", "hello", "--out", "x.npy"]
GRID = ["grid", "--preset", "mae-2d", "--dim", "8", "--out", "x.npy"]
PLACES = ["table", "--preset", "mae-2d", "--dim", "8", "--out", "x.npy"]
STEPS = ["--dim", "4", "--out", "x.npy", "--steps", "0:4"]
BIG = str(2**63 - 1)

DIM = "--dim must be an integer in plain digits"
ITEM = "each of --positions must be"

# (name, arguments, words of the message)
ROWS = [
    ("unknown verb", ["tabel"], "(nearest: table), got 'tabel'"),
    ("version and more", ["--version", "x"], "--version must stand alone, got 'x'"),
    ("help and more", ["help", "encode", "table"], "help must be of one verb, got 'table'"),
    ("help of no verb", ["help", "tabel"], "(nearest: table), got 'tabel'"),
    ("line separator", ["encode", "\u2028x\u2029", "--out", "x.npy"], r"got '\xE2\x80\xA8x\xE2\x80\xA9'"),
    ("text that turns", ["encode", "--text", "a", "--tokens", "\u202ex\u2066\u061c\u200f", "--out", "x.npy"],
     r"got '\xE2\x80\xAEx\xE2\x81\xA6\xD8\x9C\xE2\x80\x8F'"),
    ("text that turns in a path", [*TABLE, "--dim", "4", "--spec", "\u202e.json"], r"\xE2\x80\xAE.json"),
    ("ladder that turns", [*TABLE, "--dim", "4", "--ladder", "\u202e.npy"], r"got '\xE2\x80\xAE.npy'"),
    ("unknown option", ["table", "--d-im", "512"], "(nearest: --dim), got '--d-im'"),
    ("unknown option with a value", [*TABLE, "--dimm=5"], "(nearest: --dim), got '--dimm=5'"),
    ("unknown option that is like none", ["table", "--ddd"], "options must be those of posenc table --help, got '--ddd'"),
    ("mistyped recipe", [*TABLE, "--dim", "4", "--recipe", "orignal"],
     "--recipe must be one of posenc presets --recipes (nearest: original), got 'orignal'"),
    ("alias that is mistyped", ["table", "--preset", "attention-is-all-you-ned", "--dim", "4", "--positions", "0"], "are nearest, got"),
    ("format without a file", ["table", "--preset", "whisper", "--dim", "4", "--positions", "0", "--format", "raw"],
     "--format must come with --out, got 'raw'"),
    ("format of another name", [*TABLE, "--dim", "4", "--format", "raw"],
     "--format must be what the name of --out says, got 'raw' and 'x.npy'"),
    ("unknown format", [*TABLE, "--dim", "4", "--format", "csv"], "--format must be npy, safetensors or raw, got 'csv'"),
    ("two things for standard output", [*TABLE[:-1], "-", "--dim", "4", "--json"],
     "--out - must come without --json, as both go to standard output, got both"),
    ("standard input twice by options", ["table", "--preset", "whisper", "--dim", "4", "--positions", "-", "--ladder", "-"],
     "standard input must be named once"),
    ("unknown short option", [*TABLE, "-d", "4"], "got '-d'"),
    ("option as the last word", [*TABLE, "--dim"], "--dim must have a value"),
    ("nothing after the equals sign", [*TABLE, "--dim="], "--dim must have a value"),
    ("flag with a value", [*TABLE, "--dim", "4", "--json=yes"], "--json must have no value"),
    ("option twice", [*TABLE, "--dim", "512", "--dim", "256"], "--dim must be given once, got '512' and '256'"),
    ("output twice", [*TABLE, "--dim", "4", "--out", "y.npy"], "--out must be given once, got 'x.npy' and 'y.npy'"),
    ("stray word", [*TABLE, "--dim", "4", "stray"], "got 'stray'"),
    ("stray word after --", [*TABLE, "--dim", "4", "--", "stray"], "got 'stray'"),
    ("three names", ["presets", "mae-1d", "whisper", "ddpm"], "there must be at most two names, got 'ddpm'"),
    ("a change of no preset", ["presets", "--set", "ladder.base=2"], "--set must come with one name, got 0"),
    ("a schema of a preset", ["presets", "--schema", "whisper"], "--schema must stand alone, got more words"),
    ("option of another verb", ["presets", "--steps", "4"], "got '--steps'"),
    ("width of no preset", ["presets", "--dim", "4"], "--dim must come with two names, or with one and --plot, got '4'"),
    ("width of one preset", ["presets", "whisper", "--dim", "4"], "--dim must come with two names"),
    ("width of two presets", ["presets", "whisper", "mae-1d", "--dim", "x"], "--dim must be an integer in plain digits"),
    ("width that one of two refuses", ["presets", "whisper", "mae-1d", "--dim", "7"], "width must be even, got 7"),
    ("unknown family", ["presets", "--family", "rope"], "--family must be sinusoid, waves, grid, timestep, rotary"),
    ("family of two words", ["presets", "--family", "rotary", "a", "b"], "--family must come with one word at most"),
    ("picture of a list", ["presets", "--plot", "p.png"], "--plot must come with a name, or two"),
    ("picture of a bias", ["presets", "alibi", "--plot", "p.png"], "posenc bias --plot draws others, got 'alibi'"),
    ("picture that is text", ["presets", "whisper", "--plot", "p.txt"], "must end in .png or .svg"),
    ("missing dim", TABLE, "--dim must be given"),
    ("missing positions", ["table", "--preset", "transformer", "--dim", "4", "--out", "x.npy"], "--positions must be given"),
    ("missing preset", ["table", "--dim", "4", "--positions", "0:4", "--out", "x.npy"], "a preset (or --spec or --config) must be given"),
    ("dim empty", [*TABLE, "--dim", ""], DIM),
    ("dim letters", [*TABLE, "--dim", "abc"], DIM),
    ("dim with a tail", [*TABLE, "--dim", "512abc"], DIM),
    ("dim after a blank", [*TABLE, "--dim", " 512"], "got ' 512'"),
    ("dim before a blank", [*TABLE, "--dim", "512 "], "got '512 '"),
    ("dim with a plus", [*TABLE, "--dim", "+512"], DIM),
    ("dim negative", [*TABLE, "--dim", "-512"], DIM),
    ("dim zero", [*TABLE, "--dim", "0"], DIM),
    ("dim odd", [*TABLE, "--dim", "511"], "width must be even, got 511"),
    ("dim with a point", [*TABLE, "--dim", "512.0"], DIM),
    ("dim with an exponent", [*TABLE, "--dim", "1e3"], DIM),
    ("dim hexadecimal", [*TABLE, "--dim", "0x200"], DIM),
    ("dim with a leading zero", [*TABLE, "--dim", "0512"], DIM),
    ("dim with an underscore", [*TABLE, "--dim", "1_000"], DIM),
    ("dim with a comma", [*TABLE, "--dim", "1,000"], DIM),
    ("dim beyond 64 bits", [*TABLE, "--dim", "18446744073709551616"], DIM),
    ("dim in other digits", [*TABLE, "--dim", "\u0665"], DIM),
    ("size overflows", [*AT, "0:" + BIG], f"at most 2^63 - 1 bytes, got {BIG} x 4 x 4 bytes"),
    # a second file that cannot be written leaves the first as it was
    ("plot nowhere after a good table", [*AT, "0:4", "--plot", "missing/p.png"], "No such file"),
    ("plot nowhere after a good grid", [*GRID, "--height", "2", "--width", "2", "--plot", "missing/p.png"], "No such file"),
    ("plot nowhere after a good text", ["encode", "--text", "a", "--out", "x.npy", "--plot", "missing/p.png"],
     "No such file"),
    ("size beyond the disk", [*AT[:4], "4096", *AT[5:], "0:10000000000"], "163840000000000 bytes (149 TiB)"),
    ("width beyond the limit", [*TABLE, "--dim", BIG], "width must be 1 to 2^30"),
    ("no positions", [*AT, "5:5"], "must lead from A towards B"),
    ("end before start", [*AT, "5:1"], "must lead from A towards B"),
    ("end before start, reals", [*AT, "0.5:0.25"], "must lead from A towards B"),
    ("wrong way", [*AT, "0:5:-1"], "must lead from A towards B"),
    ("step zero", [*AT, "0:10:0"], "must not be 0"),
    ("step zero, real", [*AT, "0:10:0.0"], "must not be 0"),
    ("too many positions", [*AT, f"{-2**63}:{2**63 - 1}"], "at most 2^63 - 1 positions"),
    ("too many reals", [*AT, "0:9007199254740992:1e-300"], "at most 2^53 positions"),
    ("four parts", [*AT, "1:2:3:4"], "--positions must be"),
    ("empty item", [*AT, "1,2,,3"], "got '1,2,,3' at [2]"),
    ("empty last item", [*AT, "1,"], "at [1]"),
    ("no item", [*AT, ""], "at [0]"),
    ("colon alone", [*AT, ":"], ITEM),
    ("missing start", [*AT, ":5"], ITEM),
    ("nan", [*AT, "nan"], ITEM),
    ("inf", [*AT, "0:inf"], ITEM),
    ("real too large for a double", [*AT, "1e400"], ITEM),
    ("real too small for a double", [*AT, "1e-400"], ITEM),
    ("real beyond 2^53", [*AT, "9007199254740994.0"], "at most 2^53 in size"),
    ("integer beyond 64 bits", [*AT, "9223372036854775808"], ITEM),
    ("decimal comma in a list of points", [*AT, "1.5,2,.5"], ITEM),
    ("exponent missing", [*AT, "1e"], ITEM),
    ("point alone", [*AT, "."], ITEM),
    ("hexadecimal", [*AT, "0x1p3"], ITEM),
    ("blank in a list", [*AT, "1, 2"], "got ' 2'"),
    ("positions file absent", [*AT, "no.npy"], "'no.npy' (No such file or directory)"),
    ("positions file of two axes", [*AT, "matrix.npy"], "must have one axis"),
    ("positions file empty", [*AT, "empty.npy"], "must have one axis and not be empty"),
    ("positions file with NaN", [*AT, "nan.npy"], "at [1]"),
    ("positions file that is text", [*AT, "text.npy"], "text.npy"),
    ("positions file that is a folder", [*AT, "folder.npy"], "must be a regular file"),
    ("positions file that is a pipe", [*AT, "pipe.npy"], "must be a regular file"),
    ("positions path too long", [*AT, "a" * 5000 + ".npy"], "File name too long"),
    ("unknown preset", ["table", "--preset", "burt"], "name must be that of a preset, of which "),
    ("preset and spec", [*TABLE, "--dim", "4", "--spec", "c.json"], "one of --preset and --spec must be given"),
    ("spec with a byte order mark", ["table", "--spec", "bom.json", *TABLE[3:], "--dim", "4"],
     "the text must have no byte order mark, got the bytes EF BB BF at its start in 'bom.json'"),
    ("empty spec", ["table", "--spec", "empty.txt", *TABLE[3:], "--dim", "4"], "got an empty document in 'empty.txt'"),
    ("positions of a file of another name", [*TABLE[:3], "--dim", "4", "--positions", "steps.txt"],
     "each of --positions must be a decimal number like -12, 0.5 or 1e-3, or all of it a FILE.npy, got 'steps.txt'"),
    ("weights of a pickle", ["encode", "--text", "a", "--weights", "m.pt"], "safetensors.torch.save_file, got 'm.pt'"),
    ("ids in an array", ["tokens", "empty.txt", "--out", "ids.npy"], "--out must not end in .npy, as ids are text, got 'ids.npy'"),
    ("a table without a scale", ["encode", "--text", "a", "--table", "w.npy"],
     "--scale must be given with --table, --spec and roles of --config that state none, got no --scale"),
    ("a byte order mark that is not seen", ["encode", "--text", "a", "--scale", "\ufeff2"], r"got '\xEF\xBB\xBF2'"),
    ("a checkpoint by a pipe", ["convert", "--pairing", "adjacent:split_half", "--heads", "2", "a.safetensors", "-"],
     "--pairing must have files, which it goes through more than once, got '-'"),
    ("OUT of no known kind", ["convert", "--layout", "interleaved:sine_first", "a.npy", "b.txt"],
     "the name of OUT must end in .npy or .safetensors"),
    ("spec absent", ["table", "--spec", "no.json", *TABLE[3:], "--dim", "4"], "No such file"),
    ("spec of an unknown key", ["table", "--spec", "bad.json", *TABLE[3:], "--dim", "4"], "layuot"),
    ("original of a spec", ["table", "--spec", "good.json", *TABLE[3:], "--dim", "4", "--recipe", "original"],
     "--recipe original must be a preset's"),
    ("unknown recipe", [*TABLE, "--dim", "4", "--recipe", "f16"], "--recipe must be one of posenc presets --recipes, got 'f16'"),
    ("grid in table", ["table", "--preset", "mae-2d", *TABLE[3:], "--dim", "4"],
     "--positions must name each axis, x=..., y=..., or be a .npy file, got '0:4'"),
    ("grid in table by a spec", ["table", "--spec", "grid.json", *TABLE[3:], "--dim", "4"], "--positions must name each axis"),
    ("axis that is missing", [*PLACES, "--positions", "x=0:4"], "--positions y=... must be given"),
    ("axis twice", [*PLACES, "--positions", "x=0:4", "--positions", "x=0:4"],
     "--positions must be given once for an axis, got '0:4' and '0:4'"),
    ("axes of two lengths", [*PLACES, "--positions", "x=0:4", "--positions", "y=0:5"],
     "as many positions on every axis, got 4 on x and 5 on y"),
    ("axis that is none", [*PLACES, "--positions", "x=0:4", "--positions", "z=0:4"],
     "--positions must name an axis, of x, y, or be given once, got 'z=0:4'"),
    ("file of another number of axes", [*PLACES, "--positions", "cube.npy"],
     "a file of positions must be [L, 2], x, y along its last axis, and not be empty, got 'cube.npy' of shape [1, 2, 3]"),
    ("positions twice", [*TABLE, "--dim", "4", "--positions", "5:9"], "--positions must be given once, got '0:4' and '5:9'"),
    ("positions file that is the target", ["table", "--preset", "pytorch", "--dim", "4", "--positions", "same.npy", "--out",
                                           "same.npy"], "--out and --positions must be two files"),
    ("learned scale that is text", ["table", "--preset", "speecht5", *TABLE[3:], "--dim", "4", "--learned", "x"],
     "--learned must be a decimal number"),
    ("learned scale that is missing", ["table", "--preset", "speecht5", *TABLE[3:], "--dim", "4"],
     "learned must be stated: the scale is a factor of the caller's"),
    ("sinusoid in timestep", ["timestep", "--preset", "whisper", *STEPS],
     "must be waves of one axis of steps, as a timestep is (this one is for posenc table), got 'whisper'"),
    ("timestep without steps", ["timestep", "--preset", "ddpm", *STEPS[:4]], "--steps must be given"),
    ("steps that are text", ["timestep", "--preset", "ddpm", *STEPS[:4], "--steps", "x"], "each of --steps must be"),
    ("steps that lead nowhere", ["timestep", "--preset", "ddpm", *STEPS[:4], "--steps", "4:4"],
     "--steps A:B[:S] must lead from A towards B"),
    ("timestep in grid", ["grid", "--preset", "ddpm", "--height", "2", "--width", "2", "--dim", "4", "--out", "x.npy"],
     "got 'ddpm' of family timestep"),
    ("ladder of a timestep", ["table", "--preset", "ddpm", *TABLE[3:], "--dim", "4", "--ladder", "ladder.npy"],
     "--ladder must come with a sinusoid, a grid or a rotation; --spec states the fields of other families, got 'timestep'"),
    ("timestep of one frequency", ["table", "--preset", "ddpm", *TABLE[3:], "--dim", "2"], "the spacing divides by n - 1"),
    ("table in grid", ["grid", "--preset", "whisper", "--height", "2", "--width", "2", "--dim", "4", "--out", "x.npy"],
     "must be waves of two axes or more, as a grid is (this one is for posenc table), got 'whisper' of family sinusoid"),
    ("unknown type", [*TABLE, "--dim", "4", "--dtype", "float8"], "--dtype must be f32, f64, f16 or bf16"),
    ("type of other tools in capitals", [*TABLE, "--dim", "4", "--dtype", "FLOAT32"], "--dtype must be f32, f64, f16 or bf16"),
    ("bf16 has no npy", [*TABLE, "--dim", "4", "--dtype", "bf16"], "bf16"),
    ("ladder of two axes", [*TABLE, "--dim", "4", "--ladder", "matrix.npy"], "--ladder must have one axis"),
    ("ladder of integers", [*TABLE, "--dim", "4", "--ladder", "integers.npy"], "--ladder must have one axis"),
    ("ladder of another length", [*TABLE, "--dim", "8", "--ladder", "nan.npy"], ""),
    ("output of unknown kind", [*TABLE[:-1], "x.bin", "--dim", "4"], "must end in .npy or .safetensors"),
    ("output without a name", [*TABLE[:-1], "", "--dim", "4"], "must end in .npy"),
    ("output is a folder", [*TABLE[:-1], "folder.npy", "--dim", "4"], "(a folder)"),
    ("output in a missing folder", [*TABLE[:-1], "missing/dir/x.npy", "--dim", "4"], "No such file"),
    ("grid without height", [*GRID, "--width", "4"], "--height must be given"),
    ("grid of height zero", [*GRID, "--height", "0", "--width", "4"], "--height must be an integer"),
    ("grid overflows", [*GRID, "--height", BIG, "--width", BIG], f"a grid must have at most 2^63 - 1 cells, got {BIG} x {BIG} cells"),
    ("grid beyond the free space", [*GRID, "--height", "1000000", "--width", "1000000"], "32000000000000 bytes"),
    ("grid of odd quarter", ["grid", "--preset", "mae-2d", "--dim", "6", "--height", "2", "--width", "2", "--out",
                             "x.npy"], "got 6"),
    ("no text", ["encode"], "a text must be given"),
    ("empty text", ["encode", "--text", ""], "at least one token"),
    ("empty file", ["encode", "empty.txt"], "at least one token"),
    ("empty standard input", ["encode", "-"], "at least one token"),
    ("standard input twice", ["encode", "-", "-"], "standard input must be named once"),
    ("texts of different length", ["encode", "--text", "我", "--text", "我爱"], "must have the same number of tokens, got 1 and 2"),
    ("text absent", ["encode", "no.txt"], "No such file"),
    ("text is a folder", ["encode", "folder.npy"], "(a folder)"),
    ("text is a pipe", ["encode", "pipe.npy"], "(a pipe)"),
    ("text in Latin-1", ["encode", "latin.txt"], "at [3]"),
    ("text ends in a character", ["encode", "cut.txt"], "UTF-8"),
    ("text with a surrogate", ["encode", "surrogate.txt"], "UTF-8"),
    ("path of many lines", ["encode", "a\nb\x1b[31m"], r"'a\x0Ab\x1B[31m'"),
    ("path of foreign bytes", ["encode", b"\xff\xfe"], r"'\xFF\xFE'"),
    ("dropout above 1", [*ENCODE, "--dropout", "1.5", "--seed", "1"], "[0, 1), got 1.5"),
    ("dropout of 1", [*ENCODE, "--dropout", "1", "--seed", "1"], "[0, 1), got 1"),
    ("dropout negative", [*ENCODE, "--dropout", "-0.1", "--seed", "1"], "[0, 1), got -0.1"),
    ("dropout nan", [*ENCODE, "--dropout", "nan", "--seed", "1"], "--dropout must be a decimal number"),
    ("dropout in percent", [*ENCODE, "--dropout", "10%", "--seed", "1"], "--dropout must be a decimal number"),
    ("dropout too small to count", [*ENCODE, "--dropout", "1e-9", "--seed", "1"], "1e-09"),
    ("dropout without seed", [*ENCODE, "--dropout", "0.1"], "--dropout must come with --seed"),
    ("dropout before 0", [*ENCODE, "--dropout", "0.1", "--seed", "1", "--start", "-1"], "--start with --dropout must be"),
    ("seed negative", [*ENCODE, "--seed", "-1"], "0 to 18446744073709551615, got '-1'"),
    ("seed too large", [*ENCODE, "--seed", "18446744073709551616"], "0 to 18446744073709551615"),
    ("seed with a point", [*ENCODE, "--seed", "1.5"], "0 to 18446744073709551615"),
    ("start with a point", [*ENCODE, "--start", "1.0"], "--start must be an integer"),
    ("start at the end", [*ENCODE, "--start", BIG], "64 bits"),
    ("scale unknown", [*ENCODE, "--scale", "sqrt_d"], "--scale must be sqrt, none or a number"),
    ("scale nan", [*ENCODE, "--scale", "nan"], "--scale must be sqrt, none or a number"),
    ("scale too large", [*ENCODE, "--scale", "1e999"], "--scale must be a decimal number"),
    ("axes unknown", [*ENCODE, "--axes", "bld"], "--axes must be batch-first or sequence-first"),
    ("another width", [*ENCODE, "--dim", "256"], "--dim must be 512, the width of the rows"),
    ("grid in encode", [*ENCODE, "--preset", "mae-2d"], "must be waves of one axis of positions, as a sinusoid is (this one is for posenc grid"),
    ("seed of nothing", [*ENCODE, "--seed", "1"], "--seed must come with --dropout or --init, which alone depend on it, got '1'"),
    ("seed of rows from a file", [*ENCODE, "--weights", "w.npy", "--seed", "1"], "--seed must come with --dropout or --init"),
    ("rotation in table", ["table", "--preset", "rope-half", *TABLE[3:], "--dim", "4"], "'rope-half' of family rotary"),
    ("rotation in grid", ["grid", "--preset", "rope-half", *GRID[3:], "--height", "2", "--width", "2"],
     "must be waves of two axes or more, as a grid is (this one is for posenc rotary"),
    ("bias in table", ["table", "--preset", "alibi", *TABLE[3:], "--dim", "4"],
     "must be waves (this one is for posenc bias), got 'alibi' of family bias"),
    ("bias in grid", ["grid", "--preset", "alibi", *GRID[3:], "--height", "2", "--width", "2"], "'alibi' of family bias"),
    ("bias in encode", [*ENCODE, "--preset", "alibi"], "'alibi' of family bias"),
]


class Refusals(ToolCase):
    def setUp(self):
        super().setUp()
        (self.folder / "x.npy").write_bytes(b"the old file")
        (self.folder / "folder.npy").mkdir()
        os.mkfifo(self.folder / "pipe.npy")
        write_npy(self.folder / "ladder.npy", "<f8", [2], [1.0, 0.5])
        write_npy(self.folder / "matrix.npy", "<f8", [1, 2], [0.0, 1.0])
        write_npy(self.folder / "cube.npy", "<f8", [1, 2, 3], [0.0] * 6)
        write_npy(self.folder / "same.npy", "<f8", [1], [0.0])
        write_npy(self.folder / "empty.npy", "<f8", [0], [])
        write_npy(self.folder / "nan.npy", "<f8", [2], [1.0, float("nan")])
        write_npy(self.folder / "integers.npy", "<i8", [2], [1, 2])
        good, grid = (tool_case.json.dumps(self.json_of("presets", name)["presets"][0]["convention"])
                      for name in ("transformer", "mae-2d"))
        for name, data in (("text.npy", b"1 2 3\n"), ("empty.txt", b""), ("latin.txt", "café".encode("latin1")),
                           ("cut.txt", "爱".encode()[:2]), ("surrogate.txt", b"a\xed\xa0\x80"),
                           ("good.json", good.encode()), ("bom.json", b"\xef\xbb\xbf" + good.encode()), ("grid.json", grid.encode()),
                           ("bad.json", good.replace("layout", "layuot").encode())):
            (self.folder / name).write_bytes(data)

    def test_rows(self):
        for name, arguments, words in ROWS:
            with self.subTest(name):
                self.assert_refused(arguments, words)

    def test_names_are_unique(self):
        self.assertEqual(len({name for name, _, _ in ROWS}), len(ROWS))

    def test_a_message_is_short_whatever_it_quotes(self):
        for arguments in (["x" * 100000], ["presets", "\x01" * 100000], ["encode", "--scale", "é" * 50000]):
            done = self.start(*arguments)
            self.assertEqual((done.returncode, done.stderr.count(b"\n")), (2, 1))
            self.assertLessEqual(len(done.stderr), 300)


if __name__ == "__main__":
    tool_case.main()
