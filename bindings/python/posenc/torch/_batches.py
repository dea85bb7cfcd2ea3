# SPDX-License-Identifier: Apache-2.0
"""Batches of a corpus of ids, with the tensor that the first block reads, made where they are read."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import torch
from torch import Tensor
from torch.utils.data import IterableDataset, get_worker_info

from .._corpus import Corpus, Stages, padded
from .._errors import PosencError
from .._records import Records


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
    the number of workers. Convention, scale, dropout and seed are those of the files' metadata (`corpus`).

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
        for name, value in (("batch", batch), ("length", length)):
            if value is not None and value < 1:
                raise PosencError("batches", f"{name} must be >= 1", str(value))
        if (rank is None) != (world is None) or (rank is not None and world is not None and not 0 <= rank < world):
            raise PosencError("batches", "rank and world must come together, 0 <= rank < world", f"{rank} and {world}")
        self._records = Records(path)
        self._batch, self._length, self._train, self._drop_last = batch, length, train, drop_last
        self._rank, self._world = rank, world
        self._epoch = self._record = self._resume = 0
        self._stages = None if rows is None else self._stages_of(rows)
        self._rows = None if rows is None else rows

    def _stages_of(self, rows: Tensor) -> Stages:
        if rows.dim() != 2 or rows.shape[0] < int(self.corpus.tokenizer["size"]):
            rule = f"rows must have shape [vocabulary, d], a row for each of {self.corpus.tokenizer['size']} ids"
            raise PosencError("batches", rule, str(list(rows.shape)))
        if rows.requires_grad:
            rule = "rows are a frozen embedding: to train one, leave them out, and have InputEmbedding in the model"
            raise PosencError("batches", rule, "rows that require a gradient")
        of = self.corpus
        return Stages(rows, of.convention, scale=of.scale, dropout=of.dropout, seed=of.seed, recipe=of.recipe)

    @property
    def corpus(self) -> Corpus:
        """What the files say of themselves."""
        return self._records.corpus

    @property
    def records(self) -> int:
        """Rows of all files."""
        return len(self._records)

    def set_epoch(self, epoch: int) -> None:
        """The next iteration begins that epoch. Where workers of a DataLoader iterate, say it before each."""
        self._epoch, self._record, self._resume = epoch, 0, 0

    def state_dict(self) -> dict[str, int]:
        """Where this process's iteration stands; of a DataLoader with workers the `state` of a batch says it."""
        return {"epoch": self._epoch, "record": self._record}

    def load_state_dict(self, state: dict[str, int]) -> None:
        """The next iteration goes on there, with any numbers of workers, ranks and rows of a batch."""
        if state.keys() != {"epoch", "record"} or min(state.values()) < 0:
            raise PosencError("batches", "a state must have epoch and record, both >= 0", str(state))
        self._epoch = state["epoch"]
        self._record = self._resume = state["record"]

    def __iter__(self) -> Iterator[Batch]:
        info = get_worker_info()
        worker, workers = (0, 1) if info is None else (info.id, info.num_workers)
        rank, world = self._place()
        begin, epoch, total = self._resume, self._epoch, self.records
        self._resume = 0
        each = world * self._batch  # rows of one batch of every rank
        for at in range(begin + worker * each, total, workers * each):
            if self._drop_last and at + each > total:
                break
            # In a worker: where it alone would go on, if all of them are told the same.
            self._record = at - worker * each + workers * each
            start = at + rank * self._batch
            if start < total:
                yield self._made(start, min(self._batch, total - start), epoch, {"epoch": epoch, "record": at + each})
        self._epoch, self._record = epoch + 1, 0

    def _place(self) -> tuple[int, int]:
        if self._rank is not None and self._world is not None:
            return self._rank, self._world
        distributed = torch.distributed
        if distributed.is_available() and distributed.is_initialized():
            return distributed.get_rank(), distributed.get_world_size()
        return 0, 1

    def _made(self, start: int, count: int, epoch: int, state: dict[str, int]) -> Batch:
        rows = self._records.read(start, count)
        tokens = rows.offsets[1:] - rows.offsets[:-1]
        ids, is_token = padded(rows.ids, rows.offsets, self._length or max(1, int(tokens.max())))
        made: Tensor | None = None
        if self._stages is not None and self._rows is not None:
            made = torch.empty(*ids.shape, self._stages.width, dtype=self._rows.dtype)
            if self._train:
                self._stages.train(ids, is_token, rows.first, rows.row, epoch, made)
            else:
                self._stages.evaluate(ids, is_token, rows.first, made)
        row, first = torch.tensor(rows.row), torch.tensor(rows.first)
        return Batch(row, first, torch.tensor(tokens), torch.from_numpy(ids), made, state)
