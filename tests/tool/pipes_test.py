# SPDX-License-Identifier: Apache-2.0
# Numbers down a pipe: --out -, --format, what reads -, excerpts where there is no --out, and verbs in a row.

import json
import os
import pty
import struct
import subprocess
import time
import unittest

import tool_case
from tool_case import ToolCase, read_safetensors, write_npy

TABLE = ("table", "--preset", "transformer", "--dim", "4", "--positions", "0:3")
Q = [0.25 * i for i in range(32)]
# Every verb that makes numbers, in a folder with q.npy [4, 8] and square.npy [4, 2].
VERBS = {
    "table": TABLE,
    "grid": ("grid", "--preset", "mae-2d", "--dim", "8", "--height", "2", "--width", "3"),
    "timestep": ("timestep", "--preset", "ddpm", "--dim", "8", "--steps", "999,0.5"),
    "rotary": ("rotary", "--preset", "llama", "--in", "q.npy", "--positions", "0:4"),
    "cache": ("cache", "--preset", "llama", "--set", "stored=halves_twice", "--dim", "8", "--positions", "0:4",
              "--tensor", "cos"),
    "bias": ("bias", "--preset", "alibi", "--heads", "2", "--queries", "0:2", "--keys", "0:3"),
    "resize": ("resize", "--preset", "timm-resize", "--set", "resize.extra=0", "--in", "square.npy", "--height", "3",
               "--width", "3"),
    "encode": ("encode", "--text", "我爱你"),
}


class Pipes(ToolCase):
    def setUp(self):
        super().setUp()
        write_npy(self.folder / "q.npy", "<f4", [4, 8], Q)
        write_npy(self.folder / "square.npy", "<f4", [4, 2], Q[:8])

    def out(self, *arguments, **options):
        done = self.start(*arguments, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout, done.stderr.decode()

    def test_standard_output_takes_the_bytes_of_the_file(self):
        for verb, words in VERBS.items():
            for name in ("x.npy", "x.safetensors"):
                with self.subTest(verb, name=name):
                    self.run_tool(*words, "--out", name)
                    data, said = self.out(*words, "--out", "-", "--format", name[2:])
                    if verb == "encode":  # whose file has room in its header for a length that is known at the end
                        (self.folder / "y.safetensors").write_bytes(data)
                        if name == "x.safetensors":
                            self.assertEqual(read_safetensors(self.folder / "y.safetensors"),
                                             read_safetensors(self.folder / name))
                    else:
                        self.assertEqual(data, (self.folder / name).read_bytes())
                    self.assertIn("posenc: standard output: ", said)

    def test_npy_is_what_standard_output_takes_without_a_word(self):
        self.run_tool(*TABLE, "--out", "x.npy")
        self.assertEqual(self.out(*TABLE, "--out", "-")[0], (self.folder / "x.npy").read_bytes())

    def test_raw_is_the_elements_and_their_shape_is_told(self):
        for verb, words in VERBS.items():
            with self.subTest(verb):
                self.run_tool(*words, "--out", "x.npy")
                shape, values = self.npy("x.npy")[1:]
                data, said = self.out(*words, "--out", "-", "--format", "raw")
                self.assertEqual(data, struct.pack(f"<{len(values)}f", *values))
                self.assertIn(f"[{', '.join(map(str, shape))}]", said)

    def test_raw_takes_a_file_of_any_name_and_bf16(self):
        self.run_tool(*TABLE, "--dtype", "bf16", "--out", "x.bin", "--format", "raw")
        self.run_tool(*TABLE, "--dtype", "bf16", "--out", "x.safetensors")
        bits = read_safetensors(self.folder / "x.safetensors")["table"][2]
        self.assertEqual((self.folder / "x.bin").read_bytes(), struct.pack(f"<{len(bits)}H", *bits))

    def test_without_a_file_an_excerpt_names_rows_and_columns(self):
        lines = self.run_tool(*TABLE).splitlines()
        self.assertEqual(lines[0], "f32 [3, 4] (position, column), transformer, recipe exact")
        self.assertEqual(lines[2].split(), ["position", "column", "0", "1", "2", "3"])
        self.assertEqual(lines[4].split(), ["1", "0.841471", "0.5403023", "0.009999833", "0.99995"])
        for verb, words in VERBS.items():
            with self.subTest(verb):
                self.assertGreater(len(self.run_tool(*words).splitlines()), 3)

    def test_an_excerpt_leaves_out_the_middle(self):
        lines = self.run_tool("table", "--preset", "transformer", "--dim", "512", "--positions", "100:1100").splitlines()
        self.assertEqual(len(lines), 2 + 1 + 8 + 1 + 4)
        self.assertEqual(lines[2].split(), ["position", "column", "0", "1", "2", "3", "...", "510", "511"])
        self.assertEqual([line.split()[0] for line in lines[3:]],
                         [*map(str, range(100, 108)), "...", "1096", "1097", "1098", "1099"])
        self.assertLessEqual(max(map(len, lines)), 100)

    def test_on_a_terminal_biases_have_the_names_of_their_rows(self):
        text = self.on_terminal(*VERBS["bias"][:-4], "--queries", "5:7", "--keys", "0:30")
        self.assertIn("head, query", text)
        self.assertEqual(text.splitlines()[3].split()[:3], ["0,", "5", "-0.3125"])

    def test_numbers_do_not_go_to_a_terminal(self):
        text = self.on_terminal(*TABLE, "--out", "-")
        self.assertEqual(self.status, 2)
        self.assertIn("--out - must go to a pipe or a file; without --out an excerpt is shown, got a terminal", text)

    def test_a_picture_goes_to_a_terminal_in_colours(self):
        text = self.on_terminal(*TABLE, "--plot", "-")
        self.assertEqual(self.status, 0)
        self.assertIn("\x1b[48;5;", text)

    def test_a_dash_is_read(self):
        def piped(words, data):
            return self.run_tool(*words, input=data, stdin=None)
        self.run_tool(*VERBS["rotary"], "--out", "r.npy")
        q = (self.folder / "q.npy").read_bytes()
        piped(("rotary", "--preset", "llama", "--in", "-", "--positions", "0:4", "--out", "s.npy"), q)
        self.assertEqual((self.folder / "r.npy").read_bytes(), (self.folder / "s.npy").read_bytes())
        self.run_tool(*TABLE[:-1], "1,2,3,7", "--out", "p.npy")
        for numbers in (b"1 2 3,7\n", b"1\n2\n3\n7"):
            piped((*TABLE[:-1], "-", "--out", "o.npy"), numbers)
            self.assertEqual((self.folder / "p.npy").read_bytes(), (self.folder / "o.npy").read_bytes())
        write_npy(self.folder / "at.npy", "<i8", [4], [1, 2, 3, 7])
        piped((*TABLE[:-1], "-", "--out", "o.npy"), (self.folder / "at.npy").read_bytes())
        self.assertEqual((self.folder / "p.npy").read_bytes(), (self.folder / "o.npy").read_bytes())
        table, _ = self.out(*TABLE, "--dtype", "f64", "--out", "-", "--format", "safetensors")
        self.assertIn("transformer", piped(("identify", "-"), table))
        self.assertIn("all 12 entries equal", piped(("check", "-:table", "--against", "transformer"), table))
        spec = json.dumps(json.loads(self.run_tool("presets", "transformer", "--json"))["presets"][0]["convention"]).encode()
        piped(("table", "--spec", "-", "--dim", "4", "--positions", "0:3", "--out", "t.npy"), spec)
        self.run_tool(*TABLE, "--out", "u.npy")
        self.assertEqual((self.folder / "t.npy").read_bytes(), (self.folder / "u.npy").read_bytes())

    def test_what_is_no_array_on_standard_input_is_refused(self):
        ask = ["rotary", "--preset", "llama", "--positions", "0:4", "--in"]
        for words, data, rule in (([*ask, "-"], b"1 2 3", "of 'standard input'"), ([*ask, "-"], b"", "of 'standard input'"),
                                  ([*TABLE[:-1], "-"], b"", "must have numbers on standard input"),
                                  ([*TABLE[:-1], "-"], b"\xef\xbb\xbf1 2", "--positions - must have no byte order mark"),
                                  ([*TABLE[:-1], "-"], b"1 x", "each of --positions must be")):
            self.assert_refused(words, rule, input=data, stdin=None)

    def test_a_closed_pipe_and_a_full_device_end_it(self):
        large = (*TABLE[:-1], "0:2000000")
        reader, writer = os.pipe()
        process = subprocess.Popen([tool_case.TOOL, *large, "--out", "-"], stdout=writer, stderr=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL)
        os.close(writer)
        os.read(reader, 10)
        os.close(reader)
        self.assertEqual((process.communicate(timeout=60)[1], process.returncode), (b"", 141))
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                done = subprocess.run([tool_case.TOOL, *TABLE, "--out", "-"], stdout=full, stderr=subprocess.PIPE,
                                      stdin=subprocess.DEVNULL, timeout=60)
            self.assertEqual(done.returncode, 3)
            self.assertIn("'standard output' (No space left on device)", done.stderr.decode())

    def test_a_safetensors_file_says_what_it_is_and_is_aligned(self):
        self.run_tool("table", "--preset", "whisper", "--dim", "384", "--positions", "2:5", "--set", "ladder.base=500",
                      "--out", "x.safetensors")
        data = (self.folder / "x.safetensors").read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        self.assertEqual((8 + size) % 64, 0)
        said = json.loads(data[8 : 8 + size])["__metadata__"]
        self.assertEqual({key: said[key] for key in ("operation", "recipe", "dim", "positions", "name")},
                         {"operation": "table", "recipe": "exact", "dim": "384", "positions": "2:5",
                          "name": "whisper with ladder.base=500"})
        self.assertEqual("posenc " + said["posenc"], self.run_tool("--version").strip())
        (self.folder / "spec.json").write_text(said["convention"])
        self.run_tool("table", "--spec", "spec.json", "--dim", "384", "--positions", "2:5", "--out", "y.npy")
        self.assertEqual(self.npy("y.npy")[2], read_safetensors(self.folder / "x.safetensors")["table"][2])


class Chains(ToolCase):
    BOOK = "the dog bit the man. 我爱你, 你爱我.\n" * 40000  # 1.7 MB

    def chain(self, first, second, **options):
        """Two verbs in a row, as a shell runs them."""
        one = subprocess.Popen([tool_case.TOOL, *first], cwd=self.folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, **options)
        two = subprocess.Popen([tool_case.TOOL, *second], cwd=self.folder, stdin=one.stdout, stdout=subprocess.PIPE, **options)
        one.stdout.close()
        out = two.communicate(timeout=120)[0]
        return one.wait(timeout=60), two.returncode, out

    def test_tokens_and_encode_in_a_row_are_encode(self):
        (self.folder / "book.txt").write_text(self.BOOK[:100000])
        self.run_tool("encode", "book.txt", "--out", "x.npy")
        one, two, _ = self.chain(("tokens", "book.txt"),
                                 ("encode", "-", "--tokens", "ids", "--weights", "built-in", "--out", "y.npy"))
        self.assertEqual((one, two), (0, 0))
        self.assertEqual((self.folder / "x.npy").read_bytes(), (self.folder / "y.npy").read_bytes())
        raw = ("encode", "-", "--tokens", "ids", "--weights", "built-in", "--out", "-", "--format", "raw")
        one, two, data = self.chain(("tokens", "book.txt"), raw)
        self.assertEqual((one, two), (0, 0))
        self.assertTrue((self.folder / "x.npy").read_bytes().endswith(data))

    def test_a_chain_ends_in_npy_or_safetensors_down_a_pipe(self):
        (self.folder / "book.txt").write_text(self.BOOK[:100000])
        for name in ("x.npy", "x.safetensors"):
            with self.subTest(name):
                self.run_tool("encode", "book.txt", "--out", name)
                one, two, data = self.chain(("tokens", "book.txt"), ("encode", "-", "--tokens", "ids", "--weights", "built-in",
                                                                     "--out", "-", "--format", name[2:]))
                self.assertEqual((one, two), (0, 0))
                (self.folder / f"y{name[1:]}").write_bytes(data)
                read = self.npy if name == "x.npy" else lambda file: read_safetensors(self.folder / file)
                self.assertEqual(read(f"y{name[1:]}"), read(name))

    def test_tensors_begin_at_multiples_of_their_types(self):
        self.run_tool("encode", "--text", "我爱你", "--tokens", "bytes", "--init", "normal", "--seed", "1", "--dim", "2", "--out",
                      "x.safetensors")
        data = (self.folder / "x.safetensors").read_bytes()
        size = struct.unpack("<Q", data[:8])[0]
        at = {name: 8 + size + each["data_offsets"][0] for name, each in json.loads(data[8 : 8 + size]).items()
              if name != "__metadata__"}
        self.assertEqual(sorted(at, key=at.get), ["output", "lengths", "ids"])
        self.assertEqual([at["output"] % 64, at["lengths"] % 8, at["ids"] % 4], [0, 0, 0])

    def test_tables_are_converted_in_a_pipe(self):
        self.run_tool(*TABLE, "--out", "x.npy")
        self.run_tool("convert", "x.npy", "y.npy", "--layout", "interleaved:sine_first")
        self.run_tool("convert", "x.npy", "y.safetensors", "--layout", "interleaved:sine_first")
        for end in ("npy", "safetensors"):
            _, status, data = self.chain((*TABLE, "--out", "-"), ("convert", "-", "-", "--layout", "interleaved:sine_first",
                                                                  "--format", end))
            self.assertEqual((status, data), (0, (self.folder / f"y.{end}").read_bytes()))

    def test_a_chain_holds_no_more_of_a_long_text(self):
        if tool_case.SANITIZED:
            self.skipTest("the sanitizer needs its own memory")
        (self.folder / "book.txt").write_text(self.BOOK)
        for end in ("raw", "npy"):
            self.assertLess(self.growth(end), 8 << 10)  # KiB; the ids alone are 2.6 MB of text and their rows 1.3 GB

    def growth(self, end):
        """KiB that ten times the text needs more."""
        peaks = []
        for share in (10, 1):
            (self.folder / "part.txt").write_text(self.BOOK[: len(self.BOOK) // share])
            line = f'"$0" tokens part.txt | "$0" encode - --tokens ids --weights built-in --out - --format {end} > /dev/null'
            measure = ("import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True); "
                       "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)")
            done = subprocess.run([os.sys.executable, "-S", "-c", measure, "sh", "-c", line, tool_case.TOOL],
                                  cwd=self.folder, capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            peaks.append(int(done.stdout.split()[-1]))
        return peaks[1] - peaks[0]

    def test_a_chain_draws_one_line_of_progress(self):
        main, terminal = pty.openpty()
        endless = subprocess.Popen(["sh", "-c", 'yes "the dog bit the man" | "$0" tokens - | "$0" encode - --tokens ids '
                                    "--weights built-in --out - --format raw > /dev/null", tool_case.TOOL],
                                   cwd=self.folder, stdin=subprocess.DEVNULL, stderr=terminal, process_group=0)
        time.sleep(4)
        os.killpg(endless.pid, 2)
        endless.wait(timeout=60)
        os.close(terminal)
        said = os.read(main, 65536).decode()
        os.close(main)
        self.assertIn("\rencode  ", said)
        self.assertNotIn("\rtokens  ", said)

    def test_lines_stay_lines(self):
        (self.folder / "a.txt").write_text("the dog\n\n我爱你\n")
        self.run_tool("encode", "a.txt", "--lines", "--out", "x.npy")
        one, two, _ = self.chain(("tokens", "a.txt", "--lines"),
                                 ("encode", "-", "--lines", "--tokens", "ids", "--weights", "built-in", "--out", "y.npy"))
        self.assertEqual((one, two), (0, 0))
        self.assertEqual((self.folder / "x.npy").read_bytes(), (self.folder / "y.npy").read_bytes())


if __name__ == "__main__":
    tool_case.main()
