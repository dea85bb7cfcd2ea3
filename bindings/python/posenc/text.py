# SPDX-License-Identifier: Apache-2.0
"""Text to token ids and back, by the readers of the command-line tool: equal ids for every kind of tokenizer."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

try:
    import posenc._text as _text
except ModuleNotFoundError as error:
    raise ModuleNotFoundError(
        "posenc.text was left out of this package when it was built, by POSENC_TEXT=OFF", name=error.name
    ) from error
from ._errors import PosencError
from ._integers import at_least

if TYPE_CHECKING:
    from numpy import int32, int64
    from numpy.typing import NDArray

_FILES = ("bpe", "sentencepiece")
_VOCABULARIES = ("chars", "words")


class Failure(NamedTuple):
    """Why a text has no ids."""

    row: int  #: of the texts that were given, from 0
    error: PosencError


class Encoded(NamedTuple):
    """The ids of several texts: those of text i are ids[offsets[i]:offsets[i + 1]], none where it failed."""

    ids: NDArray[int32]
    offsets: NDArray[int64]
    failures: tuple[Failure, ...]


class Tokenizer:
    """Text to the ids that `posenc tokens` gives. Immutable; use it from any thread.

    A pickle holds the bytes of the tokenizer's file, so another process or machine needs no file.

    Parameters
    ----------
    tokens : str
        As the tool's --tokens: "bpe" (3,072 tokens, built in), "bpe:tokenizer.json", "sentencepiece:m.model", "chars",
        "words", "bytes" or "ids".
    vocab : path, optional
        Of chars and words: a file of one token a line.
    size : int, optional
        Of ids, which are 0 to size - 1.

    Raises
    ------
    PosencError
        A value, or a file's content, breaks a rule, which it names.
    OSError
        The system does not give the file.

    Examples
    --------
    >>> import posenc.text
    >>> tokenizer = posenc.text.Tokenizer("bpe")
    >>> ids = tokenizer.encode("我爱你")
    >>> ids.tolist(), tokenizer.decode(ids).decode()
    ([1502, 2577, 1882], '我爱你')
    """

    __slots__ = ("_file", "_handle", "_kind", "_name", "_size")

    def __init__(
        self, tokens: str = "bpe", *, vocab: str | os.PathLike[str] | None = None, size: int | None = None
    ) -> None:
        if not isinstance(tokens, str):
            raise TypeError(f"[tokenizer] tokens must be a str, got {type(tokens).__name__}")
        kind, path = _parted(tokens)
        if (vocab is not None) != (kind in _VOCABULARIES):
            rule = "chars and words must come with vocab, and the other kinds without"
            raise PosencError("tokenizer", rule, f"{tokens} {'with' if vocab is not None else 'without'} it")
        if (size is not None) != (kind == "ids"):
            rule = "ids must come with size, and the other kinds without"
            raise PosencError("tokenizer", rule, f"{tokens} {'with' if size is not None else 'without'} it")
        if vocab is not None:
            path = os.fspath(vocab)
        name = path or {"built_in": "built in"}.get(kind, kind)
        file = _text.built_in() if kind == "built_in" else _text.read_file(kind, path) if path else b""
        _expect_no_word_pieces(kind, file, name)
        self._set(kind, file, name, size or 0)

    def _set(self, kind: str, file: bytes, name: str, size: int) -> None:
        self._handle = _text.Tokenizer(kind, file, name, size)
        self._kind, self._file, self._name, self._size = kind, file, name, size

    @property
    def kind(self) -> str:
        """ "bpe", "sentencepiece", "chars", "words", "bytes" or "ids"."""
        return "bpe" if self._kind == "built_in" else self._kind

    @property
    def source(self) -> str:
        """The file as it was named, "built in", or the kind."""
        return self._name

    @property
    def size(self) -> int:
        """Ids are 0 to size - 1."""
        return self._handle.size()

    @property
    def unknown(self) -> int | None:
        """The id that stands for what the tokenizer does not know; None where that is an error."""
        return self._handle.unknown()

    @property
    def identity(self) -> dict[str, str | int]:
        """Kind, size and the SHA-256 of the file: equal where ids are equal, whatever the file is called."""
        from hashlib import sha256

        return {"kind": self.kind, "size": self.size, "sha256": sha256(self._file).hexdigest()}

    def encode(self, text: str | bytes, *, most: int | None = None) -> NDArray[int32]:
        """The ids of a text.

        Parameters
        ----------
        text : str or bytes
            Bytes are UTF-8 for every kind but "bytes".
        most : int, optional
            The first ids, as many: what stands behind them is not looked at.

        Raises
        ------
        PosencError
            With the offset of the byte at fault as its index.
        """
        return self._handle.encode(_bytes_of(text), _most_of(most))

    def encode_all(self, texts: Sequence[str | bytes], *, most: int | None = None) -> Encoded:
        """The ids of several texts, without the GIL. A text that breaks a rule stands among the failures.

        Examples
        --------
        >>> import posenc.text
        >>> encoded = posenc.text.Tokenizer("bpe").encode_all([b"to be", b"\\xe9t\\xe9"])
        >>> encoded.offsets.tolist()
        [0, 2, 2]
        >>> print(encoded.failures[0].error.rule)
        text must be valid UTF-8: continuation bytes complete a sequence
        """
        import numpy as np

        parts = [_bytes_of(text) for text in texts]
        offsets = np.zeros(len(parts) + 1, np.int64)
        np.cumsum([len(part) for part in parts], out=offsets[1:])
        return self._encode_column(np.frombuffer(b"".join(parts), np.uint8), offsets, most)

    def _encode_column(self, data: NDArray[Any], offsets: NDArray[Any], most: int | None) -> Encoded:
        """As Arrow has texts: text i is data[offsets[i]:offsets[i + 1]]."""
        ids, ends, failures = self._handle.encode_column(data, offsets, _most_of(most))
        return Encoded(ids, ends, tuple(Failure(row, PosencError(*problem)) for row, *problem in failures))

    def decode(self, ids: Any) -> bytes:
        """The bytes that ids stand for; they need not be valid UTF-8."""
        import numpy as np

        return self._handle.decode(np.ascontiguousarray(_int32(ids), np.int32))

    def token(self, id: int) -> bytes:
        """The bytes of one token; it may be a part of a character."""
        return self._handle.token(id)

    def __len__(self) -> int:
        return self.size

    def __reduce__(self) -> tuple[Any, ...]:
        return _tokenizer, (self._kind, self._file, self._name, self._size)

    def __repr__(self) -> str:
        return f"<Tokenizer {self.kind} of {self.size} ids: {self._name}>"


def _parted(tokens: str) -> tuple[str, str]:
    """The kind and the file of "kind:file"."""
    kind, _, path = tokens.partition(":")
    if kind in _FILES and path:
        return kind, path
    if tokens == "bpe":
        return "built_in", ""
    if tokens in (*_VOCABULARIES, "bytes", "ids"):
        return tokens, ""
    rule = "tokens must be bpe, bpe:FILE, chars, words, bytes, ids or sentencepiece:FILE"
    raise PosencError("tokenizer", rule, repr(tokens))


def _expect_no_word_pieces(kind: str, file: bytes, name: str) -> None:
    """A vocab.txt of WordPiece reads as a list of words, of which most texts have others."""
    if kind not in ("bpe", *_VOCABULARIES) or file.startswith(b"{"):
        return
    lines = file.splitlines()
    piece = next((line for line in lines if line.startswith(b"##")), None)
    if piece is not None and b"[UNK]" in lines:
        rule = "a file must be of BPE, SentencePiece, words or characters; of WordPiece the kind ids takes the ids"
        raise PosencError("tokenizer", rule, f"{name} with {piece.decode(errors='replace')!r}")


def _bytes_of(text: str | bytes) -> bytes:
    if isinstance(text, bytes):
        return text
    if not isinstance(text, str):
        raise TypeError(f"[encode] text must be str or bytes, got {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        rule = "text must be of whole characters"
        raise PosencError("encode", rule, ascii(error.object[error.start]), (error.start,)) from None


def _most_of(most: int | None) -> int | None:
    return None if most is None else at_least(0, "encode", "most", most)


def _int32(ids: Any) -> NDArray[Any]:
    """Ids of any integers, none of which may be cut to 32 bits."""
    import numpy as np

    array = np.asarray(ids)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(f"[decode] ids must be a list of integers, got {array.ndim} axes of {array.dtype}")
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < 1 << 31:
        beyond = (array < 0) | (array >= 1 << 31)
        raise PosencError("decode", "ids must be in [0, 2^31)", str(array[beyond][0]), (int(beyond.argmax()),))
    return array


def _tokenizer(kind: str, file: bytes, name: str, size: int) -> Tokenizer:
    made = Tokenizer.__new__(Tokenizer)
    made._set(kind, file, name, size)
    return made


__all__ = ["Encoded", "Failure", "Tokenizer"]
