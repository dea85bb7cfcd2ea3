# SPDX-License-Identifier: Apache-2.0
"""Numbers on written pages that a program knows: how many presets, model types, configurations there are.

    python3 -B tools/docs/page_numbers.py build/dev/apps/posenc/posenc          # compares
    python3 -B tools/docs/page_numbers.py build/dev/apps/posenc/posenc --page   # writes them

tests/tool/page_numbers_test.py compares. A number that is rounded down to hundreds on a page ("over 200") is compared so.
"""

import json
import pathlib
import re
import subprocess
import sys
from typing import NamedTuple

SOURCE = pathlib.Path(__file__).resolve().parents[2]


def said(tool, *words):
    return subprocess.run([tool, *words], check=True, capture_output=True, text=True).stdout


def model_types(tool):
    return len(set(said(tool, "complete", "inspect", "--as", "").split()))


def presets(tool):
    return len(json.loads(said(tool, "presets", "--json"))["presets"])


def defaults(tool):
    return len(json.loads((SOURCE / "tests/inspect/defaults.json").read_text(encoding="utf-8")))


class Number(NamedTuple):
    page: str
    words: str  #: around the number, which stands for N
    count: object  #: of the tool
    step: int = 1  #: a page says the greatest multiple that is no more


NUMBERS = (
    Number("docs/inspect.md", "N model types have a row", model_types),
    Number("docs/inspect.md", "of the default of N types", defaults),
    Number("CHANGELOG.md", "states: N model types", model_types),
    Number("CHANGELOG.md", "Over N presets", presets, 100),
    Number("docs/tutorial.md", "over N conventions", presets, 100),
)


def stated(number, text):
    """Where the page says it: (start, end, value) of every place."""
    before, after = (r"\s+".join(map(re.escape, words.split())) for words in re.split(r"\bN\b", number.words, maxsplit=1))
    found = re.finditer(rf"{before}\s*\b(\d+)\s+{after}", text)
    return [(each.start(1), each.end(1), int(each[1])) for each in found]


def true_value(number, tool):
    return number.count(tool) // number.step * number.step


def faults(tool, pages=None):
    """What pages say otherwise, a line each; `pages` are texts in place of those of the tree."""
    found = []
    for number in NUMBERS:
        text = (pages or {}).get(number.page) or (SOURCE / number.page).read_text(encoding="utf-8")
        places, value = stated(number, text), true_value(number, tool)
        if not places:
            found.append(f"{number.page} does not say: {number.words}")
        found += [f"{number.page}: {number.words}: {said}, {value} expected" for *_, said in places if said != value]
    return found


def write(tool):
    for number in NUMBERS:
        path = SOURCE / number.page
        text, value = path.read_text(encoding="utf-8"), str(true_value(number, tool))
        for start, end, _ in reversed(stated(number, text)):
            text = text[:start] + value + text[end:]
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    if "--page" in sys.argv:
        write(sys.argv[1])
    problems = faults(sys.argv[1])
    print("\n".join(problems) or f"{len(NUMBERS)} numbers of pages are right")
    sys.exit(1 if problems else 0)
