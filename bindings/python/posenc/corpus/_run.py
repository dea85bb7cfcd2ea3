# SPDX-License-Identifier: Apache-2.0
"""A run: the parts of a corpus that are not there are made, by whichever engine."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from .._corpus import KEY, Corpus
from .._errors import PosencError
from ._inputs import Part
from ._parts import Work, is_left, part_file, whole_part, write_text, write_whole

#: A function of the parts that are left, which gives what whole_part returns of each, in any order.
Engine = Callable[[list[Part]], Iterable[dict[str, int]]]


def run(work: Work, parts: list[Part], engine: Engine, tell: Callable[[dict[str, int], float], None]) -> dict[str, int]:
    """Makes the parts that are not there, or not whole.

    Returns how many parts, rows, rejected and tokens were made, and how many parts were there; `tell` hears of it once
    a second and at the end, with the seconds since the beginning.
    """
    os.makedirs(os.path.join(work.folder, "rejects"), exist_ok=True)
    expect_same_run(work.folder, work.stated)
    left = [part for part in parts if not work.is_done(part)]
    total = {"parts": 0, "rows": 0, "rejected": 0, "tokens": 0, "there": len(parts) - len(left)}
    began = last = time.monotonic()
    made = set()
    for done in engine(left) if left else ():
        expect_seen(work.folder, done["part"])
        made.add(done["part"])
        count(total, done)
        if time.monotonic() - last >= 1:
            last = time.monotonic()
            tell(total, last - began)
    # A part in which no line begins has no rows to send through a pipeline.
    for part in left:
        if part.number not in made:
            count(total, whole_part(work, part))
    remove_leftovers(work.folder)
    tell(total, time.monotonic() - began)
    return total


def stated(parts: list[Part], corpus: Corpus, **options: Any) -> str:
    """Of a run whatever changes a byte of it: its inputs as they are now, the corpus, and other options."""
    extents = {part.path: part.end for part in parts}
    inputs = [[path, end, os.stat(path).st_mtime_ns] for path, end in extents.items()]
    return json.dumps({"inputs": inputs, "corpus": json.loads(corpus.metadata()[KEY]), **options})


def expect_seen(folder: str, number: int) -> None:
    """Where a part was made on another machine it is in the same folder, by whatever path."""
    path = part_file(folder, number)
    # Of a folder on a network a system may still know that a file was missing; listing it asks again.
    if not os.path.exists(path) and os.path.basename(path) not in os.listdir(folder):
        raise PosencError("corpus", "all machines must see the folder of a run by one path", f"no {path}")


def remove_leftovers(folder: str) -> None:
    for each in (Path(folder), Path(folder, "rejects")):
        for own in filter(is_left, each.glob(".part-*")):
            own.unlink(missing_ok=True)


def count(total: dict[str, int], done: dict[str, int]) -> None:
    total["parts"] += 1
    for name in ("rows", "rejected", "tokens"):
        total[name] += done[name]


def expect_same_run(folder: str, statement: str) -> None:
    """A folder holds one run: its parts must have been cut and made alike."""
    path = os.path.join(folder, "run.json")
    if not os.path.exists(path):
        if any(Path(folder).glob("part-*.parquet")):
            raise PosencError("corpus", "a folder with parts must have the run.json that they are of", folder)
        write_whole(path, lambda own: write_text(own, statement))
        return
    try:
        old = json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError:
        old = None
    if not isinstance(old, dict):
        raise PosencError("corpus", "the run.json of a folder must be a JSON object", path)
    new = json.loads(statement)
    differing = [name for name in new if old.get(name) != new[name]]
    if differing:
        rule = f"a run must go on with the {differing[0]} that {path} states"
        raise PosencError("corpus", rule, json.dumps(new[differing[0]])[:200])
