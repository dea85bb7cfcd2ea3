# SPDX-License-Identifier: Apache-2.0
"""Where the next iteration of a dataset begins, for the workers of a DataLoader too."""

from __future__ import annotations

from typing import Any, NamedTuple

import torch


class Place(NamedTuple):
    """A record of an epoch, of all ranks."""

    epoch: int
    record: int


class Next:
    """The place that the next iteration begins at, in memory that worker processes share with the one that says it.

    A DataLoader gives each worker a copy of the dataset, one for all epochs where workers persist. Those copies keep
    this memory; a pickle elsewhere has its own.
    """

    def __init__(self) -> None:
        self._words = torch.tensor([0, 0, 1, 0])  # epoch, record, times said, which of them has begun
        self._share()

    @property
    def place(self) -> Place:
        return Place(int(self._words[0]), int(self._words[1]))

    @property
    def said(self) -> int:
        """How often a place was said: another number, another place."""
        return int(self._words[2])

    @property
    def has_begun(self) -> bool:
        """Whether an iteration has begun since the place was said."""
        return int(self._words[3]) == self.said

    def say(self, place: Place) -> None:
        self._words[:3] = torch.tensor([*place, self.said + 1])

    def begin(self) -> None:
        self._words[3] = self.said

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        self._share()

    def _share(self) -> None:
        self._words.share_memory_()  # type: ignore[no-untyped-call]
