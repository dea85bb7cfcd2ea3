# SPDX-License-Identifier: Apache-2.0
"""Examples that rotate, again with as many heads as tokens: no call may depend on whether two sizes happen to be equal."""

import doctest
import re

SHAPE = re.compile(r"[({](\d+), (\d+), (\d+), (\d+)[)}]")


def with_equal_axes(text):
    """The text once for each pair of middle axes of its shapes of four, the larger size written as the smaller."""
    shapes = [tuple(map(int, sizes)) for sizes in SHAPE.findall(text)] if "rota" in text else []
    pairs = {(max(middle), min(middle)) for _, *middle, _ in shapes if middle[0] != middle[1]}
    for larger, smaller in sorted(pairs):
        if any(larger in (first, last) for first, *_, last in shapes):
            raise SystemExit(f"{larger} must be the size of one axis alone in\n{text}")
        yield re.sub(rf"\b{larger}\b", str(smaller), text)


def doctests(tests):
    """Those of docstrings that doctest has found."""
    for test in tests:
        for text in with_equal_axes(test.docstring or ""):
            name = f"{test.name}, equal axes"
            yield doctest.DocTestParser().get_doctest(text, dict(test.globs), name, test.filename, test.lineno)
