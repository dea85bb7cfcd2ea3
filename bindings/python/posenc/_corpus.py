# SPDX-License-Identifier: Apache-2.0
"""Rows of a corpus: how they become matrices, which mask each has, and what a dataset says of itself."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, NamedTuple

from ._convention import Convention, Scale
from ._errors import PosencError
from ._stage import InputStage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy import bool_, int64
    from numpy.typing import NDArray

    from ._types import Array, ConventionLike

#: Of the schema of a Parquet or Arrow file.
KEY = b"posenc.corpus"
_PART = b"posenc.part"
_VERSION = 1


class Part(NamedTuple):
    """One of the files of a dataset."""

    number: int  #: from 0
    total: int  #: files

    @classmethod
    def of(cls, metadata: Mapping[bytes, bytes] | None) -> Part | None:
        """That of a file's schema; None where it says nothing of others."""
        if not metadata or _PART not in metadata:
            return None
        try:
            number, total = json.loads(metadata[_PART])
            return cls(number.__index__(), total.__index__())
        except (AttributeError, TypeError, ValueError) as error:
            rule = f"the metadata {_PART.decode()} must be the number of a part and how many there are"
            raise PosencError("corpus", rule, ascii(metadata[_PART])[1:]) from error


class Corpus(NamedTuple):
    """What the ids of a corpus are, and the tensor that they stand for. It is the metadata of the dataset.

    Examples
    --------
    >>> import posenc
    >>> from posenc.ray import Corpus
    >>> from posenc.text import Tokenizer
    >>> corpus = Corpus(Tokenizer("bytes").identity, posenc.Convention("transformer"), "sqrt_dim", seed=7)
    >>> Corpus.of(corpus.metadata()) == corpus
    True
    """

    tokenizer: Mapping[str, str | int]  #: identity of a Tokenizer
    convention: Convention
    scale: str | float | Scale  #: of embedding rows
    recipe: str = "exact"
    dropout: float = 0.0
    seed: int = 0  #: of the masks, and of rows that are made by a seed

    def metadata(self, part: tuple[int, int] | None = None) -> dict[bytes, bytes]:
        """For the schema of a file. part: its number, from 0, and how many files there are; a folder that lacks one is
        then no dataset."""
        stated = {
            "version": _VERSION,
            **self._asdict(),
            "tokenizer": dict(self.tokenizer),
            "convention": self.convention.to_dict(),
        }
        made = {KEY: json.dumps(stated, sort_keys=True).encode()}
        return made if part is None else {**made, _PART: json.dumps(part).encode()}

    @classmethod
    def of(cls, metadata: Mapping[bytes, bytes] | None) -> Corpus:
        """That of a file's schema."""
        if not metadata or KEY not in metadata:
            raise PosencError("corpus", f"a dataset must have the metadata {KEY.decode()}", "none")
        try:
            stated = dict(json.loads(metadata[KEY]))
        except (TypeError, ValueError) as error:
            rule = f"the metadata {KEY.decode()} must be a JSON object"
            raise PosencError("corpus", rule, ascii(metadata[KEY])[1:201]) from error
        version = stated.pop("version", None)
        if version != _VERSION or stated.keys() != set(cls._fields):
            raise PosencError("corpus", f"the metadata must be of version {_VERSION}", f"version {version}")
        scale = stated["scale"]
        stated["scale"] = Scale(*scale) if isinstance(scale, list) else scale
        return cls(**{**stated, "convention": Convention(stated["convention"])})


def cut(ids: NDArray[Any], offsets: NDArray[int64], most: int) -> tuple[NDArray[Any], NDArray[int64]]:
    """Lists of ids without those behind the first `most` of each."""
    import numpy as np

    counts = np.diff(offsets)
    at = np.arange(len(ids)) - np.repeat(offsets[:-1], counts)
    return ids[at < most], np.concatenate(([0], np.cumsum(np.minimum(counts, most))))


def padded(ids: NDArray[int64], offsets: NDArray[Any], length: int) -> tuple[NDArray[int64], NDArray[bool_]]:
    """Lists of ids as a matrix [rows, length], and where it has a token; the rest is 0."""
    import numpy as np

    counts = np.diff(offsets)
    if counts.size and int(counts.max()) > length:
        row = int(counts.argmax())
        raise PosencError("encode", f"a row must have at most {length} tokens", str(int(counts[row])), (row,))
    is_token = np.arange(length) < counts[:, None]
    matrix = np.zeros((len(counts), length), np.int64)
    matrix[is_token] = ids[offsets[0] : offsets[-1]] if counts.size else ids[:0]
    return matrix, is_token


def starts_of(first: NDArray[int64], length: int) -> Any:
    """The positions of rows that begin at those; one list where all begin alike."""
    import numpy as np

    if first.size == 0:
        return range(length)
    begin = int(first[0])
    if bool((first == begin).all()):
        return range(begin, begin + length)
    return first[:, None] + np.arange(length)


class Stages:
    """The input stage of a corpus, with the mask of every row.

    The mask of row r in epoch e is that of the key seed + e + 2^32 floor(r / 2^32) (mod 2^64), of the call r mod 2^32,
    batch row 0, and token indices from the row's first one on: so it is the row's own, whatever stands beside it.
    """

    def __init__(
        self,
        rows: Array,
        convention: ConventionLike,
        *,
        scale: str | float | Scale,
        dropout: float,
        seed: int,
        recipe: str,
    ) -> None:
        self._made_of = (rows, convention)
        self._options: dict[str, Any] = {"scale": scale, "dropout": dropout, "recipe": recipe}
        self._seed = seed
        self._plain = InputStage(rows, convention, **self._options, seed=seed)
        self._last = (seed, self._plain)
        self.width = self._plain.width

    def evaluate(self, ids: NDArray[int64], is_token: NDArray[bool_], first: NDArray[int64], out: Array) -> None:
        """Rows of tokens to `out` [rows, length, d], zeros behind them."""
        if ids.size:
            self._plain.encode(ids, starts_of(first, ids.shape[1]), out=out)
        self._clear(is_token, out)

    def train(
        self,
        ids: NDArray[int64],
        is_token: NDArray[bool_],
        first: NDArray[int64],
        row: NDArray[int64],
        epoch: int,
        out: Array,
    ) -> None:
        """The same under dropout."""
        for i, (begin, number) in enumerate(zip(first.tolist(), row.tolist(), strict=True)):
            stage = self._of(number, epoch)
            at = range(begin, begin + ids.shape[1])
            stage.encode(ids[i : i + 1], at, out=out[i : i + 1], train=True, call=number % (1 << 32), first=begin)
        self._clear(is_token, out)

    def _of(self, row: int, epoch: int) -> InputStage:
        if row < 0:
            raise PosencError("encode", "row ids must be >= 0", str(row))
        key = (self._seed + epoch + (row >> 32 << 32)) % (1 << 64)
        last = self._last  # other threads may put theirs there meanwhile
        if last[0] != key:
            last = self._last = key, InputStage(*self._made_of, **self._options, seed=key)
        return last[1]

    @staticmethod
    def _clear(is_token: NDArray[bool_], out: Array) -> None:
        counts = is_token.sum(axis=1)
        for i in (counts < is_token.shape[1]).nonzero()[0].tolist():
            out[i, int(counts[i]) :] = 0
