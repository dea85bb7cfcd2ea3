# SPDX-License-Identifier: Apache-2.0
# Pictures of the pages are what the tool draws today, by the command under which a page shows them.

import collections
import re
import shlex
import sys

import tool_case
from pictures_test import pixels
from tool_case import ToolCase

# The share of a picture above which its colours are compared: letters of other fonts fill less.
LEAST_FILL = 1 / 2000


def fills(data):
    """Colours that fill at least that share, and all that there are."""
    width, height, rows = pixels(data)
    counts = collections.Counter(colour for row in rows for colour in row)
    return {colour for colour, count in counts.items() if count >= LEAST_FILL * width * height}, set(counts)


def without_files(words):
    """The words of a command but for what it writes."""
    return [word for i, word in enumerate(words) if not {"--plot", "--out"} & set(words[max(i - 1, 0) : i + 1])]


def commands_above(text):
    """For each picture of the page the commands of posenc before it."""
    found = []
    for picture in re.finditer(r"!\[[^\]]*\]\((?:docs/)?pictures/(\w+)\.png\)", text):
        lines = re.findall(r"(?:^\$ |`)posenc ([^`\n]+)", text[: picture.start()], re.M)
        found.append((picture[1], [shlex.split(line) for line in lines if line.count("'") % 2 == 0]))
    return found


def recipes():
    sys.path.insert(0, str(tool_case.SOURCE / "tools/docs"))
    import page_pictures

    return page_pictures


class PagePictures(ToolCase):
    def test_each_is_what_the_tool_draws(self):
        for name in recipes().COMMANDS:
            with self.subTest(picture=name):
                drawn = recipes().draw(tool_case.TOOL, name, self.folder).read_bytes()
                held = (recipes().PICTURES / f"{name}.png").read_bytes()
                if drawn == held:
                    continue
                (large, every), (held_large, held_every) = fills(drawn), fills(held)
                self.assertGreater(len(large), 1)
                self.assertEqual(large - held_every, set(), "tools/docs/page_pictures.py POSENC draws it anew")
                self.assertEqual(held_large - every, set(), "tools/docs/page_pictures.py POSENC draws it anew")

    def test_other_numbers_are_another_picture(self):
        for name, positions in (("one.png", "0:3"), ("other.png", "7:10")):
            self.run_tool("table", "transformer", "--dim", "8", "--positions", positions, "--plot", name)
        (one, every), (other, _) = (fills((self.folder / name).read_bytes()) for name in ("one.png", "other.png"))
        self.assertNotEqual(other - every, set())
        self.assertLessEqual(one, every)

    def test_every_picture_has_its_command(self):
        names = {path.stem for path in recipes().PICTURES.iterdir()}
        self.assertEqual(names, {*recipes().COMMANDS, *recipes().OTHERS})

    def test_a_page_shows_it_under_its_command(self):
        shown = set()
        for page in (tool_case.SOURCE / "README.md", *sorted((tool_case.SOURCE / "docs").glob("*.md"))):
            for name, commands in commands_above(page.read_text(encoding="utf-8")):
                wanted = shlex.split(recipes().COMMANDS.get(name, ""))
                own = [words for words in commands if words[:1] == wanted[:1]]
                if own:
                    self.assertEqual(without_files(own[-1]), wanted, f"{page.name}: the last command before {name}.png")
                    shown.add((page.name, name))
        self.assertLessEqual({("tutorial.md", "order"), ("order.md", "order"), ("tutorial.md", "table")}, shown)


if __name__ == "__main__":
    tool_case.main()
