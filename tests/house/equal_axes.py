# SPDX-License-Identifier: Apache-2.0
"""Examples that rotate, again with as many heads as tokens: no call may depend on whether two sizes happen to be equal."""

import doctest
import re

# A shape of batch, tokens, heads and columns; where it is one argument, {7, 8, 64} or ((7, 8, 64)), also without a batch.
SHAPE = re.compile(r"[({](\d+), (\d+), (\d+), (\d+)[)}]|(?:\{|\(\()(\d+), (\d+), (\d+)[)}]")


def with_equal_axes(text):
    """The text once for each pair of tokens and heads of its shapes, the larger size written as the smaller."""
    found = SHAPE.findall(text) if "rota" in text else []
    shapes = [[int(size) for size in sizes if size] for sizes in found]
    pairs = {(max(both), min(both)) for *_, tokens, heads, _ in shapes if len(both := {tokens, heads}) == 2}
    for larger, smaller in sorted(pairs):
        if any(larger in (*before, columns) for *before, _, _, columns in shapes):
            raise SystemExit(f"{larger} must be the size of one axis alone in\n{text}")
        yield re.sub(rf"\b{larger}\b", str(smaller), text)


def doctests(tests):
    """Those of docstrings that doctest has found."""
    for test in tests:
        for text in with_equal_axes(test.docstring or ""):
            name = f"{test.name}, equal axes"
            yield doctest.DocTestParser().get_doctest(text, dict(test.globs), name, test.filename, test.lineno)
