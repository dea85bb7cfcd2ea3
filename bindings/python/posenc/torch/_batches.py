# SPDX-License-Identifier: Apache-2.0
"""Batches of a corpus of ids, with the tensor that the first block reads, made where they are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from .._corpus import Corpus, Stages, padded
from .._errors import PosencError
from .._integers import at_least, integer
from .._records import Records
from ._next import Next, Place


class Batch(NamedTuple):
    """Rows of a corpus; behind a row's last token ids and input are 0."""

    row: Tensor  #: [B] the rows' ids
    first: Tensor  #: [B] the positions of their first tokens
    tokens: Tensor  #: [B] how many each has
    ids: Tensor  #: [B, L] int64
    input: Tensor | None  #: [B, L, d] what the first block reads; None without rows
    state: dict[str, int]  #: for load_state_dict, to go on behind this batch


class Batches(IterableDataset[Batch]):
    """Batches of Parquet files of ids, as examples/corpus_ray.py writes them: DataLoader(batches, batch_size=None).

    Batch k has rows k n to k n + n - 1 of all files, and belongs to rank k mod world; a rank's j-th batch is made by
    worker j mod workers. So ranks and workers share no row, and the order that a training loop sees does not depend on
    the number of workers. A row group is decoded by every worker that has a row of it, and by no other. Convention,
    scale, dropout and seed are those of the files' metadata (`corpus`). A folder whose files say that they are parts of
    a dataset must have them all.

    Call set_epoch before every epoch. Without workers one follows the other by itself; workers cannot know which one it
    is, and refuse to begin a second time where that would repeat its masks, or leave out what a resumed one left out.

    Parameters
    ----------
    path : path or list of paths
        A folder of *.parquet, a file, or files in their order.
    batch : int
        Rows of a batch; the last ones may have fewer.
    rows : Tensor, shape (vocabulary, d), optional
        A frozen embedding: nothing learns through `input`, and workers may have a copy. To train one, leave it out: a
        batch has ids alone, which InputEmbedding in the model takes with their positions.
    length : int, optional
        Tokens of a batch; those of its longest row unless stated.
    train : bool
        Whether dropout is applied: a mask for every row and epoch, whatever batch the row is in.
    rank, world : int, optional
        Those of torch.distributed where it is in use, else 0 and 1.
    drop_last : bool
        Leave out the last rows where not every rank would have a whole batch of them.

    Examples
    --------
    >>> import os, tempfile, posenc, pyarrow as pa, pyarrow.parquet as pq
    >>> import posenc.torch
    >>> from posenc.ray import Corpus, Tokenize
    >>> tokenize = Tokenize("bpe")
    >>> corpus = Corpus(tokenize.tokenizer.identity, posenc.Convention("transformer"), "sqrt_dim")
    >>> table = tokenize(pa.table({"row": [0, 1, 2], "text": ["我爱你", "I love you", "to be"]}))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     pq.write_table(table.replace_schema_metadata(corpus.metadata()), os.path.join(folder, "0.parquet"))
    ...     batches = posenc.torch.Batches(folder, batch=2, rows=torch.ones(3072, 64))
    ...     first, second = batches
    >>> first.input.shape, second.row.tolist(), first.state
    (torch.Size([2, 3, 64]), [2], {'epoch': 0, 'record': 2})
    """

    def __init__(
        self,
        path: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
        *,
        batch: int,
        rows: Tensor | None = None,
        length: int | None = None,
        train: bool = False,
        rank: int | None = None,
        world: int | None = None,
        drop_last: bool = False,
    ) -> None:
        super().__init__()
        self._records = Records(path)
        self._batch = at_least(1, "batches", "batch", batch)
        self._length = None if length is None else at_least(1, "batches", "length", length)
        self._ranks = _ranks_of(rank, world)
        self._handed: tuple[tuple[int, int], int] | None = None  # rank and world, and the process that unpickled them
        self._train, self._drop_last = train, drop_last
        self._stages = None if rows is None else self._stages_of(rows)
        self._dtype = None if rows is None else rows.dtype
        self._has_masks = train and rows is not None and self.corpus.dropout > 0
        self._next, self._stands = Next(), Place(0, 0)
        self._own: tuple[int, Place] | None = None  # what this worker alone was told, and `said` then

    def _stages_of(self, rows: Tensor) -> Stages:
        if not isinstance(rows, Tensor):
            raise TypeError(f"[batches] rows must be a torch.Tensor, got {type(rows).__name__}")
        if rows.dim() != 2 or rows.shape[0] < int(self.corpus.tokenizer["size"]):
            rule = f"rows must have shape [vocabulary, d], a row for each of {self.corpus.tokenizer['size']} ids"
            raise PosencError("batches", rule, str(list(rows.shape)))
        if rows.requires_grad:
            rule = "rows are a frozen embedding: to train one, leave them out, and have InputEmbedding in the model"
            raise PosencError("batches", rule, "rows that require a gradient")
        of = self.corpus
        return Stages(rows.detach(), of.convention, scale=of.scale, dropout=of.dropout, seed=of.seed, recipe=of.recipe)

    @property
    def corpus(self) -> Corpus:
        """What the files say of themselves."""
        return self._records.corpus

    @property
    def records(self) -> int:
        """Rows of all files."""
        return len(self._records)

    def set_epoch(self, epoch: int) -> None:
        """The next iteration is of that epoch: from its start, or from where load_state_dict has set it."""
        epoch = at_least(0, "batches", "epoch", epoch)
        place, has_begun = self._said()
        self._say(place if place.epoch == epoch and not has_begun else Place(epoch, 0))

    def state_dict(self) -> dict[str, int]:
        """Where this process's iteration stands; of a DataLoader with workers the `state` of a batch says it."""
        return self._stands._asdict()

    def load_state_dict(self, state: dict[str, int]) -> None:
        """The next iteration goes on there, with any numbers of workers, ranks and rows of a batch."""
        if state.keys() != set(Place._fields):
            raise PosencError("batches", "a state must have epoch and record, both >= 0", str(state))
        self._say(Place(**{name: at_least(0, "batches", name, state[name]) for name in Place._fields}))

    def _say(self, place: Place) -> None:
        """To all processes; in a worker to it alone."""
        if get_worker_info() is None:
            self._next.say(place)
        else:
            self._own = self._next.said, place
        self._stands = place

    def _said(self) -> tuple[Place, bool]:
        """The place of the next iteration, and whether one has begun since it was said."""
        if self._own is not None and self._own[0] == self._next.said:
            return self._own[1], False
        self._own = None
        return self._next.place, self._next.has_begun

    def _begin(self, worker: int | None) -> Place:
        """Of workers the first one marks that an iteration has begun; the others may begin before it."""
        place, has_begun = self._said()
        again = Place(place.epoch, 0)
        if worker == 0 and has_begun and (place != again or self._has_masks):
            rule = "set_epoch must be called before every epoch where workers read"
            raise PosencError("batches", rule, f"epoch {place.epoch} once more")
        if not worker:
            self._next.begin()
        if self._own is not None:
            self._own = self._own[0], again
        return again if has_begun and worker is None else place

    def __iter__(self) -> Iterator[Batch]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        rank, world = self._rank_and_world()
        epoch, begin = self._begin(None if info is None else worker)
        total = self.records
        each = world * self._batch  # rows of one batch of every rank
        for at in range(begin + worker * each, total, workers * each):
            if self._drop_last and at + each > total:
                break
            # In a worker: where it alone would go on, if all of them are told the same.
            self._stands = Place(epoch, at - worker * each + workers * each)
            start = at + rank * self._batch
            if start < total:
                state = Place(epoch, at + each)._asdict()
                yield self._made(start, min(self._batch, total - start), epoch, state)
        self._stands = Place(epoch + 1, 0)
        if info is None or self._own is not None:
            self._say(self._stands)

    def __getstate__(self) -> dict[str, Any]:
        """Workers that are spawned unpickle this, and torch.distributed is not in use there: it tells them the rank."""
        if get_worker_info() is not None:
            return self.__dict__
        return {**self.__dict__, "_handed": (self._rank_and_world(), os.getpid())}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__ |= state
        if self._handed is not None:
            self._handed = self._handed[0], os.getpid()

    def _rank_and_world(self) -> tuple[int, int]:
        if self._ranks is not None:
            return self._ranks
        if get_worker_info() is not None and self._handed is not None and self._handed[1] == os.getpid():
            return self._handed[0]
        distributed = torch.distributed
        if distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank(), distributed.get_world_size()
        return 0, 1

    def _made(self, start: int, count: int, epoch: int, state: dict[str, int]) -> Batch:
        rows = self._records.read(start, count)
        tokens = rows.offsets[1:] - rows.offsets[:-1]
        ids, is_token = padded(rows.ids, rows.offsets, self._length or max(1, int(tokens.max())))
        made: Tensor | None = None
        if self._stages is not None:
            made = torch.empty(*ids.shape, self._stages.width, dtype=self._dtype)
            if self._train:
                self._stages.train(ids, is_token, rows.first, rows.row, epoch, made)
            else:
                self._stages.evaluate(ids, is_token, rows.first, made)
        row, first = torch.tensor(rows.row), torch.tensor(rows.first)
        return Batch(row, first, torch.tensor(tokens), torch.from_numpy(ids), made, state)


def _ranks_of(rank: int | None, world: int | None) -> tuple[int, int] | None:
    if rank is None and world is None:
        return None
    if rank is not None and world is not None:
        rank, world = integer("batches", "rank", rank), integer("batches", "world", world)
        if 0 <= rank < world:
            return rank, world
    raise PosencError("batches", "rank and world must come together, 0 <= rank < world", f"{rank} and {world}")
