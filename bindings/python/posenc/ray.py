# SPDX-License-Identifier: Apache-2.0
"""Corpora on engines of others: callables from batches of Arrow to batches of Arrow.

They import no engine: Ray Data, multiprocessing and Dask run them alike; Spark's mapInArrow, where they were not tried,
takes functions of that form too. What they make of a row is a function of the row and its id alone: any number of
workers, any size of batches and any retry give the same bytes. `posenc[ray]` brings pyarrow, which they need, and Ray
Data.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arrow import bytes_of, column_of, integers_of, like, lists, lists_of, only, pieces, table_of, tensors, texts_of
from ._corpus import Corpus, Stages, cut, padded
from ._errors import PosencError
from ._extras import expect_pyarrow
from ._integers import at_least
from .text import Failure, Tokenizer

if TYPE_CHECKING:
    from numpy import int64
    from numpy.typing import NDArray

    from ._convention import Scale
    from ._types import Array, ConventionLike

#: A pyarrow.Table, a pyarrow.RecordBatch, or a dict of columns.
Batch = Any

_LONGER = ("reject", "cut", "split")


def _expect_free(operation: str, others: list[str], made: tuple[str, ...]) -> None:
    taken = [name for name in others if name in made]
    if taken:
        rule = f"other columns must not be called {', '.join(made)}, as those that are made are"
        raise PosencError(operation, rule, ", ".join(taken))


class Tokenize:
    """Texts to ids: a batch with the columns row and text to one with row, first, ids and reason.

    A text that is null, that its tokenizer refuses (not UTF-8), or that is too long, keeps its row: its ids are null,
    `reason` says why, and `text` is kept. Elsewhere reason and text are null. A row that comes with a reason is such a
    row. Other columns stay as they are.

    Parameters
    ----------
    tokenizer : Tokenizer or str
        Or what a Tokenizer is made of.
    text, row : str
        The columns of the texts (strings or binary) and of their ids (integers, each its own).
    most : int, optional
        Tokens of a row.
    longer : {"reject", "cut", "split"}
        What becomes of a longer text. Split: it is several rows of equal `row`, `first` the index of the first token.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from posenc.ray import Tokenize
    >>> texts = pa.table({"row": [7, 8], "text": [b"I love you", None]})
    >>> made = Tokenize("bpe")(texts)
    >>> made["ids"].to_pylist(), made["reason"].to_pylist()
    ([[40, 908, 291], None], [None, '[tokenize] text must not be null, got null'])
    """

    def __init__(
        self,
        tokenizer: Tokenizer | str = "bpe",
        *,
        text: str = "text",
        row: str = "row",
        most: int | None = None,
        longer: str = "reject",
    ) -> None:
        expect_pyarrow("tokenize")
        if longer not in _LONGER:
            raise PosencError("tokenize", f"longer must be {', '.join(_LONGER[:-1])} or {_LONGER[-1]}", repr(longer))
        most = None if most is None else at_least(1, "tokenize", "most", most)
        self.tokenizer = tokenizer if isinstance(tokenizer, Tokenizer) else Tokenizer(tokenizer)
        self._columns = text, row
        self._most, self._longer = most, longer

    def __call__(self, batch: Batch) -> Batch:
        import numpy as np
        import pyarrow as pa

        table = table_of(batch)
        text_name, row_name = self._columns
        row = integers_of(column_of(table, row_name, "tokenize"), row_name)
        texts = texts_of(column_of(table, text_name, "tokenize"), text_name)
        # A text that is cut is read to its end, where it may turn out to be none.
        limit = self._most + 1 if self._most is not None and self._longer == "reject" else None
        encoded = self.tokenizer._encode_column(*bytes_of(texts), limit)
        ids, offsets = encoded.ids, encoded.offsets
        if self._most is not None and self._longer == "cut":
            ids, offsets = cut(ids, offsets, self._most)
        counts = np.diff(offsets)
        reasons = self._reasons(table, texts, encoded.failures, counts)
        is_bad = np.zeros(len(counts), bool)
        is_bad[list(reasons)] = True

        of, first = pieces(np.where(is_bad, 0, counts), self._most if self._longer == "split" else None)
        starts = np.append(offsets[of] + first, offsets[-1])
        others = [name for name in table.column_names if name not in (*self._columns, "reason")]
        _expect_free("tokenize", others, ("row", "first", "ids", "text"))
        columns = {
            "row": pa.array(row[of]),
            "first": pa.array(first),
            "ids": lists(ids, starts, is_bad[of]),
            "reason": pa.array([reasons.get(i) for i in of.tolist()] if reasons else pa.nulls(len(of), pa.string())),
            "text": only(texts, is_bad).take(pa.array(of)),
            **{name: table[name].take(pa.array(of)) for name in others},
        }
        return like(batch, pa.table(columns))

    def _reasons(self, table: Any, texts: Any, failures: tuple[Failure, ...], counts: NDArray[int64]) -> dict[int, str]:
        """Why some rows have no ids, by their place."""
        import numpy as np

        reasons = {failure.row: str(failure.error) for failure in failures}
        if self._most is not None and self._longer == "reject":
            rule = f"[tokenize] a text must have at most {self._most} tokens, or be cut or split, got more"
            reasons |= dict.fromkeys((counts > self._most).nonzero()[0].tolist(), rule)
        if texts.null_count:
            nulls = np.asarray(texts.is_null()).nonzero()[0].tolist()
            reasons |= dict.fromkeys(nulls, "[tokenize] text must not be null, got null")
        given = table["reason"].to_pylist() if "reason" in table.column_names else []
        return reasons | {i: reason for i, reason in enumerate(given) if reason is not None}


class Encode:
    """Ids to what the first block reads: `encoded`, a fixed_shape_tensor [length, d], in the place of the column ids.

    `tokens` says how many tokens a row has; behind the last one there are zeros. A row whose ids are null stays, null.
    Positions are `first`, first + 1, ..; the mask of dropout is a function of seed, row and first alone. Of bfloat16,
    which Arrow lacks, the bits are stored as uint16, and the field's metadata say so: `posenc.dtype` is bfloat16.

    Parameters
    ----------
    rows : numpy.ndarray, shape (vocabulary, d)
        The embedding. A pickle of the callable holds it.
    convention, scale, dropout, seed, recipe
        As InputStage takes them.
    length : int
        Tokens of a tensor.
    train : bool
        Whether dropout is applied.
    ids, row, first : str
        The columns; `row` is read under dropout alone, and a batch without `first` begins at position 0.

    Examples
    --------
    >>> import posenc, pyarrow as pa
    >>> from posenc.ray import Encode
    >>> rows = posenc.seeded_rows(256, 8, seed=7, init="scaled")
    >>> encode = Encode(rows, "transformer", scale="sqrt_dim", length=4)
    >>> made = encode(pa.table({"row": [0, 1], "ids": [[1, 2, 3], [4]]}))
    >>> made["encoded"].combine_chunks().to_numpy_ndarray().shape, made["tokens"].to_pylist()
    ((2, 4, 8), [3, 1])
    """

    def __init__(
        self,
        rows: Array,
        convention: ConventionLike,
        *,
        scale: str | float | Scale,
        length: int,
        dropout: float = 0.0,
        seed: int = 0,
        train: bool = False,
        recipe: str = "exact",
        ids: str = "ids",
        row: str = "row",
        first: str = "first",
    ) -> None:
        expect_pyarrow("encode")
        length = at_least(1, "encode", "length", length)
        self._stages = Stages(rows, convention, scale=scale, dropout=dropout, seed=seed, recipe=recipe)
        self._dtype = rows.dtype
        self._length, self._train = length, train
        self._columns = ids, row, first

    def __call__(self, batch: Batch) -> Batch:
        import numpy as np
        import pyarrow as pa

        table = table_of(batch)
        ids_name, row_name, first_name = self._columns
        _expect_free("encode", [name for name in table.column_names if name != ids_name], ("tokens", "encoded"))
        values, offsets, is_null = lists_of(column_of(table, ids_name, "encode"), ids_name)
        known = first_name in table.column_names
        first = integers_of(table[first_name], first_name) if known else np.zeros(len(is_null), np.int64)
        ids, is_token = padded(values, offsets, self._length)
        out = np.empty((*ids.shape, self._stages.width), self._dtype)
        if self._train:
            row = integers_of(column_of(table, row_name, "encode"), row_name)
            self._stages.train(ids, is_token, first, row, 0, out)
        else:
            self._stages.evaluate(ids, is_token, first, out)
        made = table.drop_columns([ids_name])
        made = made.append_column(pa.field("tokens", pa.int32()), pa.array(np.diff(offsets), pa.int32(), mask=is_null))
        made = made.append_column(self.field, tensors(out, is_null, self.field.type))
        return like(batch, made)

    @property
    def field(self) -> Any:
        """The pyarrow.Field of the tensors."""
        import pyarrow as pa

        name = str(self._dtype)
        stored = {"bfloat16": pa.uint16(), "float16": pa.float16()}.get(name) or pa.from_numpy_dtype(self._dtype)
        shape = (self._length, self._stages.width)
        return pa.field("encoded", pa.fixed_shape_tensor(stored, shape), metadata={"posenc.dtype": name})


__all__ = ["Corpus", "Encode", "Tokenize"]
