# SPDX-License-Identifier: Apache-2.0
"""Test vectors of every preset, and how well numbers of others agree with them."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from . import _core
from ._errors import PosencError

if TYPE_CHECKING:
    from ._types import Array

#: What answers a request: an array, or None where the case is not offered.
Answers: TypeAlias = "Callable[[Mapping[str, Any]], Array | None]"


class CaseScore(NamedTuple):
    """What was made of a case: true where the answer is exact, the recipe's or faithful. Else numbers may be None."""

    case: str
    operation: str  #: what was asked: "rows", "rotations", "biases", ..
    result: str  #: "exact", "recipe", "faithful", "drifting", "wrong", "failed" or "not offered"
    reason: str | None  #: why it has no score
    places: tuple[int, int] | None  #: of the answer, and of the case
    units: float | None  #: the largest distance from exact, in last places of f32
    distance: float | None
    entry: tuple[int, ...] | None  #: the index of the entry that is furthest away
    since: float | None  #: the smallest place with an entry that is not faithful
    instead: tuple[str, ...]  #: of a wrong answer: presets of which it is a better one
    findings: tuple[str, ...]  #: of a wrong answer that is no preset's: what was done to it

    def __bool__(self) -> bool:
        return self.result in ("exact", "recipe", "faithful")


class ScoreCard(NamedTuple):
    """The scores of all cases by their names, and how many there are of each result."""

    cases: Mapping[str, CaseScore]
    counts: Mapping[str, int]
    text: str  #: the words of the tool
    json: str  #: every field

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return f"ScoreCard({dict(self.counts)})"


def _score(stated: Mapping[str, Any]) -> CaseScore:
    kept: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in stated.items()}
    kept["entry"], kept["since"] = kept.pop("index"), kept.pop("from")
    return CaseScore(**kept)


def _names(only: str | Iterable[str] | None) -> list[str]:
    return [] if only is None else [only] if isinstance(only, str) else list(only)


def _answers_of_files(folder: str) -> Answers:
    import numpy as np

    def answer(request: Mapping[str, Any]) -> Array | None:
        path = os.path.join(folder, request["case"] + ".npy")
        return np.load(path, allow_pickle=False) if os.path.exists(path) else None

    return answer


def conformance_cases(only: str | Iterable[str] | None = None) -> tuple[dict[str, Any], ...]:
    """What each case asks for: preset, convention, positions, shape of the answer.

    Parameters
    ----------
    only : str or iterable of str, optional
        These presets alone.

    Examples
    --------
    >>> import posenc
    >>> case = posenc.conformance_cases("whisper")[0]
    >>> case["operation"], case["dim"], case["shape"], case["positions"][0][:3]
    ('rows', 32, [17, 32], [0.0, 1.0, 2.0])
    """
    import json

    return tuple(json.loads(text) for text in _core.conformance_cases(_names(only)))


def conformance_write(folder: str | os.PathLike[str]) -> tuple[str, ...]:
    """Writes the test vectors of every preset: an index in JSON and the numbers in safetensors; returns both paths.

    Examples
    --------
    >>> import posenc, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.rpartition("/")[2] for path in posenc.conformance_write(folder)]
    ['index.json', 'vectors.safetensors']
    """
    return tuple(_core.conformance_write(os.fspath(folder)))


def conformance_score(
    answers: Answers | str | os.PathLike[str], *, only: str | Iterable[str] | None = None
) -> ScoreCard:
    """The score card of a function, or of a folder of arrays.

    Parameters
    ----------
    answers : callable or path
        Is called with each case, as conformance_cases has it, and returns an array of its shape, or None where it
        does not offer the case. What it raises is told in the card. A folder has CASE.npy.
    only : str or iterable of str, optional
        These presets alone.

    Examples
    --------
    >>> import numpy as np
    >>> import posenc
    >>> def theirs(case):
    ...     w = 10000.0 ** (-2 * np.arange(case["dim"] // 2) / case["dim"])
    ...     angles = np.outer(case["positions"][0], w)
    ...     return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(case["shape"])
    >>> card = posenc.conformance_score(theirs, only=["transformer", "whisper"])
    >>> card.cases["transformer"].result, card.cases["whisper"].result, "transformer" in card.cases["whisper"].instead
    ('drifting', 'wrong', True)
    """
    import json

    if isinstance(answers, (str, os.PathLike)):
        folder = os.fspath(answers)
        if not os.path.isdir(folder):
            raise PosencError("conformance", "answers must be a function or a folder", folder)
        answers = _answers_of_files(folder)
    elif not callable(answers):
        kind = type(answers).__name__
        raise TypeError(f"[conformance] answers must be a function or a folder, got {kind}")
    told = []
    for case in conformance_cases(only):
        try:
            answer = answers(case)
        except Exception as error:  # the other side's, which the card tells
            told.append((case["case"], None, "failed", f"{type(error).__name__}: {error}"))
            continue
        if answer is None:
            told.append((case["case"], None, "not offered", ""))
        else:
            told.append((case["case"], answer, "scored", ""))
    stated_text, text = _core.conformance_card(told)
    stated = json.loads(stated_text)
    scores = [_score(line) for line in stated["cases"]]
    return ScoreCard({score.case: score for score in scores}, stated["counts"], text, stated_text)
