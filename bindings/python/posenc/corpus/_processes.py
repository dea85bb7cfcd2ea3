# SPDX-License-Identifier: Apache-2.0
"""The parts of a corpus on the processes of one machine."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import signal
import sys
from collections.abc import Iterator
from multiprocessing.connection import Connection, wait

from .._errors import PosencError
from ._inputs import Part
from ._parts import FAULTS, Work, whole_part


def by_processes(work: Work, parts: list[Part], processes: int) -> Iterator[dict[str, int]]:
    """What whole_part returns of each part, in the order in which they are done; an engine of `run`."""
    if processes == 1:
        yield from (whole_part(work, part) for part in parts)
        return
    context = multiprocessing.get_context("spawn")
    left = iter(parts)
    workers, busy = [], []
    try:
        for part in itertools.islice(left, processes):
            line, other_end = context.Pipe()
            workers.append(context.Process(target=serve, args=(work, other_end), daemon=True))
            workers[-1].start()
            other_end.close()
            busy.append(line)
            line.send(part)
        while busy:
            ready = wait(busy)
            for line in [each for each in busy if each in ready]:
                done = line.recv()
                if isinstance(done, Exception):
                    raise done
                yield done
                if (following := next(left, None)) is None:
                    busy.remove(line)
                else:
                    line.send(following)
    except (EOFError, ConnectionError) as error:
        rule = "processes must live until their parts are written; the same command goes on"
        raise PosencError("corpus", rule, "a process that was killed") from error
    finally:
        for worker in workers:
            worker.terminate()
        for worker in workers:
            worker.join()


def serve(work: Work, line: Connection) -> None:
    """A process: makes the parts that it is sent, until the other end is gone, however that process has ended."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # which a terminal sends to all: the first process ends this one
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    with contextlib.suppress(EOFError, ConnectionError):
        while True:
            part = line.recv()
            try:
                done: dict[str, int] | Exception = whole_part(work, part)
            except FAULTS as error:
                done = error
            line.send(done)
