# SPDX-License-Identifier: Apache-2.0
# Pictures: what kind of file, how large, what they say to those who do not see them, which colours.

import re
import struct
import xml.etree.ElementTree
import zlib

import tool_case
from tool_case import ToolCase

SVG = "{http://www.w3.org/2000/svg}"


def pixels(data):
    """Width, height and rows of (r, g, b) of an 8-bit RGB PNG."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, body = 8, b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at : at + 8])
        chunk = data[at + 8 : at + 8 + size]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", chunk[:10])
            assert (depth, colour) == (8, 2), (depth, colour)
        if kind == b"IDAT":
            body += chunk
        at += 12 + size
    raw, rows, above = zlib.decompress(body), [], bytes(3 * width)
    for y in range(height):
        kind, line = raw[y * (3 * width + 1)], bytearray(raw[y * (3 * width + 1) + 1 : (y + 1) * (3 * width + 1)])
        for x in range(3 * width):
            left, corner = (line[x - 3], above[x - 3]) if x >= 3 else (0, 0)
            up = above[x]
            guess = left + up - corner
            paeth = min((abs(guess - left), 0, left), (abs(guess - up), 1, up), (abs(guess - corner), 2, corner))[2]
            line[x] = (line[x] + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
        rows.append([tuple(line[3 * x : 3 * x + 3]) for x in range(width)])
        above = bytes(line)
    return width, height, rows


class Pictures(ToolCase):
    def plot(self, name, *arguments):
        self.run_tool(*arguments, "--plot", name)
        return (self.folder / name).read_bytes()

    def test_a_png_of_a_table_has_a_true_zero_and_both_colours(self):
        data = self.plot("p.png", "table", "--preset", "transformer", "--dim", "8", "--positions", "0:16")
        width, height, rows = pixels(data)
        self.assertGreater(min(width, height), 300)
        colours = {colour for row in rows for colour in row}
        self.assertIn((250, 250, 247), colours)  # sin 0: the colour of zero
        self.assertIn((115, 48, 3), colours)  # cos 0 = 1: the end of orange
        self.assertTrue(any(blue > 150 and red < 60 for red, _, blue in colours))

    def test_an_svg_says_its_title_axes_and_scale(self):
        data = self.plot("p.svg", "table", "--preset", "whisper", "--dim", "8", "--positions", "-2:3")
        root = xml.etree.ElementTree.fromstring(data)
        self.assertEqual(root.tag, SVG + "svg")
        title = root.find(SVG + "title").text
        for words in ("whisper: 5 positions, width 8, recipe exact", "(position)", "(column)", "-1 (blue)", "1 (orange)"):
            self.assertIn(words, title)
        self.assertGreater(len(list(root.iter(SVG + "use"))), 20)  # glyphs of ticks and labels

    def test_both_formats_have_the_same_proportions(self):
        arguments = ("grid", "--preset", "mae-2d", "--height", "3", "--width", "4", "--dim", "8")
        width, height = struct.unpack(">II", self.plot("p.png", *arguments)[16:24])
        root = xml.etree.ElementTree.fromstring(self.plot("p.svg", *arguments))
        self.assertEqual((width, height), tuple(2 * int(root.get(side)[:-2]) for side in ("width", "height")))

    def test_a_large_table_is_drawn_by_means_and_says_so(self):
        data = self.plot("p.png", "table", "--preset", "transformer", "--dim", "4096", "--positions", "0:1000000000")
        width, height = struct.unpack(">II", data[16:24])
        self.assertLess(max(width, height), 2500)
        data = self.plot("p.svg", "table", "--preset", "transformer", "--dim", "1802", "--positions", "0:1201")
        title = xml.etree.ElementTree.fromstring(data).find(SVG + "title").text
        self.assertIn("401 rows (position, means of 3 rows), 601 columns (column, means of 3 columns)", title)

    def test_the_picture_of_a_long_table_does_not_alias(self):
        # Column 0 turns by 2 pi / 64 a position. Every 64th row is the same; the mean of 64 is 0.
        frequency = tool_case.f32(0.09817477042468103)
        tool_case.write_npy(self.folder / "w.npy", "<f4", [1], [frequency])
        text = self.run_tool("table", "--preset", "transformer", "--ladder", "w.npy", "--dim", "2", "--positions",
                             "0:38400", "--plot", "-")
        self.assertIn("down: position, means of 1600 rows; across: column\n", text)
        rows = [line for line in text.splitlines()[3:-1]]
        self.assertEqual(len(rows), 24)
        largest = float(text.split()[-1])
        self.assertLess(largest, 1e-2)

    def test_a_table_is_drawn_in_the_terminal(self):
        text = self.run_tool("table", "--preset", "transformer", "--dim", "8", "--positions", "0:3", "--plot", "-")
        self.assertEqual(text.splitlines()[:3], ["transformer: 3 positions, width 8, recipe exact", "", "down: position; across: column"])
        self.assertEqual(text.splitlines()[3], "0  # # # #")
        self.assertTrue(text.endswith("-1 to 1\n"))

    def test_a_cell_in_the_terminal_says_once_how_much_it_stands_for(self):
        heading = self.run_tool("table", "whisper", "--dim", "384", "--plot", "-").splitlines()[2]
        self.assertEqual(heading, "down: position, means of 63 rows; across: column, means of 6 columns")
        heading = self.run_tool("table", "transformer", "--dim", "4", "--positions", "0:1000000000000", "--plot", "-").splitlines()[2]
        self.assertRegex(heading, r"^down: position, means of \d+ in every \d+ rows; across: column$")
        heading = self.run_tool("bias", "alibi", "--heads", "1", "--queries", "0:1200", "--keys", "0:8", "--plot", "-").splitlines()[3]
        self.assertEqual(heading, "down: query, means of 25 in every 50 rows; across: key")

    def test_standard_output_takes_one_thing(self):
        table = ["table", "--preset", "transformer", "--dim", "8", "--positions", "0:3", "--plot", "-"]
        self.assert_refused([*table, "--json"], "without --json")
        self.assert_refused([*table, "--out", "-"], "one of --out - and --plot -")

    def test_curves_are_drawn_in_the_terminal(self):
        text = self.run_tool("presets", "rope-yarn", "--plot", "-")
        ladder, similarity = text.split("\n\n")[1:3]
        lines = ladder.splitlines()
        self.assertEqual(lines[0], "ladder: up: period in tokens (logarithmic); across: pair k, 0 to 63")
        self.assertEqual(len(lines), 1 + 16 + 2)
        self.assertEqual([line.strip() for line in lines[-2:]], ["* rope-yarn", "o rope-yarn without scaling"])
        self.assertIn("*", lines[1])  # the longest period is the scaled one
        self.assertNotIn("o", "".join(lines[1:4]))
        self.assertTrue(similarity.startswith("similarity: up: score of a query"))
        self.assertLessEqual(max(map(len, lines)), 80)

    def test_one_curve_needs_no_name(self):
        lines = self.run_tool("bias", "--preset", "llama4-temperature", "--positions", "0:65536:1024", "--plot", "-").splitlines()
        self.assertEqual(lines[2], "up: factor; across: position, 0 to 64512")
        self.assertEqual(lines[-1], "   1 +*********")
        marks = [line[6:] for line in lines[3:]]
        self.assertEqual({len(line) for line in lines[3:]} & set(range(81, 999)), set())
        self.assertEqual([bool(set(column) & {"*"}) for column in zip(*(mark.ljust(74) for mark in marks))][:60], [True] * 60)

    def test_a_picture_of_texts_and_of_the_demo(self):
        for arguments, name in ((("encode", "--text", "我爱你", "--text", "你爱我", "--plot", "p.png"), "p.png"),
                                (("demo",), "out/demo.png")):
            self.run_tool(*arguments)
            data = (self.folder / name).read_bytes()
            self.assertEqual(data[:8], b"\x89PNG\r\n\x1a\n")
            self.assertGreater(struct.unpack(">II", data[16:24])[0], 800)

    def title(self, *arguments):
        return xml.etree.ElementTree.fromstring(self.plot("p.svg", *arguments)).find(SVG + "title").text

    def test_a_scaled_ladder_stands_beside_the_plain_one(self):
        title = self.title("presets", "rope-yarn")
        for words in ("rope-yarn, width 128", "ladder: period in tokens over pair k, 2 curves; rope-yarn; rope-yarn without scaling",
                      "similarity: score of a query and a key of ones, 1 where nothing turns over distance in tokens"):
            self.assertIn(words, title)
        self.assertIn("1 curves; rope-half", self.title("presets", "rope-half"))
        self.assertIn("2 curves; mae-1d; whisper", self.title("presets", "mae-1d", "whisper", "--dim", "64"))

    def test_several_axes_have_a_curve_each(self):
        title = self.title("presets", "diffusers-3d", "--dim", "64", "--positions", "0:16")
        self.assertIn("3 curves; diffusers-3d along t; diffusers-3d along x; diffusers-3d along y", title)
        self.assertIn("period in steps", self.title("presets", "ddpm", "--dim", "64"))

    def test_matrices_of_heads_classes_and_windows(self):
        pairs = ("--queries", "5:9", "--keys", "0:12")
        title = self.title("bias", "--preset", "alibi", "--heads", "12", *pairs)
        self.assertIn("alibi: 12 x 4 x 12 (head, query, key)", title)
        self.assertIn("head 0: 4 rows (query), 12 columns (key). head 2: 4 rows", title)  # six of the twelve
        self.assertIn("t5-bucket: 4 x 12 (query, key)", self.title("bias", "--preset", "t5-bucket", *pairs))
        self.assertIn("coordinate 1: 3 rows (dy + 1), 5 columns (dx + 2)",
                      self.title("bias", "--preset", "swinv2-cpb", "--window", "2x3"))
        self.assertIn("factor over position",
                      self.title("bias", "--preset", "llama4-temperature", "--positions", "0:65536:1024"))

    # ---- the tiles of a grid

    def test_a_grid_is_drawn_as_its_cells_a_tile_a_column(self):
        title = self.title("grid", "--preset", "mae-2d", "--height", "14", "--width", "14", "--dim", "768")
        tiles = title.count("column ")
        self.assertEqual(tiles, 64)
        self.assertIn("column 0: 14 rows (y), 14 columns (x), column 12, column 24, column 36, column 48, column 60, ", title)
        self.assertIn("column 767", title)
        self.assertIn("tiles: down: y; across: x", title)

    def test_a_tile_has_the_colours_of_its_column(self):
        # At width 4 the columns are sin x, cos x, sin y, cos y: sin x is 0 along the left edge, sin y along the top.
        zero, end = (250, 250, 247), (115, 48, 3)  # 0 and 1
        width, _, rows = pixels(self.plot("p.png", "grid", "--preset", "mae-2d", "--height", "3", "--width", "2", "--dim", "4"))
        body = [row[: width - 200] for row in rows]  # the bar of colours stands at the right
        side = 2 * 24  # pixels of a cell: 24 points at the most
        for colour in (zero, end):  # in a line of pixels: one cell of x, and in the first line two of y
            lines = [row.count(colour) for row in body]
            self.assertEqual([lines.count(cells * side) for cells in (1, 2, 3)], [2 * side, 0, side], colour)

    def test_a_grid_of_more_axes_has_a_band_for_each_index(self):
        title = self.title("grid", "--preset", "diffusers-3d", "--extent", "t=3", "--height", "4", "--width", "5", "--dim", "96")
        for band in ("t 0. column 0: 4 rows (y), 5 columns (x)", "t 1. column 0", "t 2. column 0"):
            self.assertIn(band, title)
        self.assertNotIn("t 3", title)

    def test_large_tiles_are_means(self):
        title = self.title("grid", "--preset", "mae-2d", "--height", "300", "--width", "50", "--dim", "8")
        self.assertIn("column 0: 100 rows (y, means of 3 cells), 50 columns (x), column 1, ", title)
        self.assertIn("tiles: down: y, means of 3 cells; across: x", title)

    def test_tiles_stand_beside_each_other_in_the_terminal(self):
        lines = self.run_tool("grid", "--preset", "mae-2d", "--height", "3", "--width", "4", "--dim", "4", "--plot", "-").splitlines()
        self.assertEqual(lines[2:4], ["columns 0, 1, 2, 3", "down: y; across: x"])
        self.assertEqual(lines[4], "0  ##   #+-=        ####")  # sin x, cos x, sin y, cos y along y = 0, of 4 cells each
        self.assertEqual([line[0] for line in lines[4:7]], ["0", "1", "2"])

    # ---- bars of colours

    def ticks(self, *arguments):
        """Both ends of the colours, as the picture says them."""
        return re.search(r"Colours from (\S+) \(blue\) over 0 \(white\) to (\S+) \(orange\)", self.title(*arguments)).groups()

    def test_colours_end_at_round_numbers(self):
        biases = ("bias", "--preset", "alibi", "--heads", "8", "--queries")
        for words, end in ((("table", "--preset", "whisper", "--dim", "8", "--positions", "0:16"), "1"),
                           ((*biases, "0", "--keys", "0:1"), "1"), ((*biases, "0:4", "--keys", "0:4"), "1.5"),
                           ((*biases, "36", "--keys", "0:37"), "20"), ((*biases, "0:3", "--keys", "0:3"), "1")):
            self.assertEqual(self.ticks(*words), ("-" + end, end), words)

    def test_any_text_can_be_a_label(self):
        text = "\x01<&>\u0301\U0010fffd😀"
        data = self.plot("p.svg", "encode", "--text", text)
        xml.etree.ElementTree.fromstring(data)

    def test_the_name_must_tell_the_format(self):
        for name in ("p.gif", "p", "", "p.PNG"):
            self.assert_refused(["encode", "--text", "a", "--plot", name], "must end in .png or .svg")


if __name__ == "__main__":
    tool_case.main()
