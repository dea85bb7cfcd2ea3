# SPDX-License-Identifier: Apache-2.0
# Every ladder is made at the speed of a plain one: at most 2.5 times its instructions.
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

VALGRIND, PROGRAM = sys.argv.pop(1), sys.argv.pop(1)

# A scaled ladder is a plain one whose entries are multiplied, so that it takes the plain one's logarithm and e^x, those
# of its scaling, and some products an entry: 2.5 finds an elementary function an entry, which takes 20 times and more.
MOST = 2.5
# The plain ladder of as many columns.
PLAIN = {"rotation": "rotation rope-half", "rows": "rows transformer"}


def counts():
    """Instructions by name."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [VALGRIND, "--tool=callgrind", f"--callgrind-out-file={folder}/counts", PROGRAM],
            check=True,
            capture_output=True,
        )
        for path in pathlib.Path(folder).iterdir():
            text = path.read_text(errors="replace")
            name = re.search(r"^desc: Trigger: Client Request: (.*)$", text, re.MULTILINE)
            total = re.search(r"^(?:summary|totals): (\d+)", text, re.MULTILINE)
            if name and total:
                found[name[1]] = int(total[1])
    return found


class Ladders(unittest.TestCase):
    def test_each_is_made_at_the_speed_of_a_plain_one(self):
        found = counts()
        self.assertGreater(len(found), 150, "presets, and scalings of three widths")
        ratios = {}
        for name, count in found.items():
            kind, width = name.split()[0], name.split()[-1]
            ratios[name] = count / found[f"{PLAIN[kind]} {width}"]
        for name in sorted(ratios, key=ratios.get, reverse=True)[:20]:
            print(f"{name:44} {found[name]:10} instructions, {ratios[name]:5.2f} of a plain one")
        above = {name: round(ratio, 2) for name, ratio in ratios.items() if ratio > MOST}
        self.assertEqual(above, {}, "more instructions than a plain ladder takes so many times")


unittest.main()
