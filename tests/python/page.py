# SPDX-License-Identifier: Apache-2.0
"""The table of docs/python-names.md, from the documentation of the functions: page.py writes it anew."""

import inspect
import pathlib

import posenc

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs/python-names.md"
HEAD = "| | |\n| --- | --- |\n"


def lines():
    """A row for every public name: classes first, as __all__ has them."""
    for name in posenc.__all__:
        item = getattr(posenc, name)
        first = (inspect.getdoc(item) or "").splitlines()[0]
        called = f"{name}{'(..)' if inspect.isfunction(item) else ''}"
        yield f"| `{called}` | {first} |"


def table():
    return "\n".join(lines()) + "\n"


def written():
    """The table as the page has it."""
    text = PAGE.read_text(encoding="utf-8")
    begin = text.index(HEAD) + len(HEAD)
    return text[begin:]


if __name__ == "__main__":
    text = PAGE.read_text(encoding="utf-8")
    PAGE.write_text(text.replace(written(), table()), encoding="utf-8")
