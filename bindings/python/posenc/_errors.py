# SPDX-License-Identifier: Apache-2.0
"""The exception of posenc."""

from __future__ import annotations


class PosencError(ValueError):
    """A value breaks a rule.

    Attributes
    ----------
    operation : str
        The function that says so, as the library names it.
    rule : str
        What must hold.
    value : str
        What was given in its place.
    index : tuple of int
        The element, where there is one; else empty.

    One that another package makes again of its text, as PyTorch does where a worker has failed, has no parts.

    Examples
    --------
    >>> import posenc
    >>> try:
    ...     posenc.table("whisper", 3, range(4))
    ... except posenc.PosencError as error:
    ...     print(error.rule, "|", error.value)
    width must be even | 3
    """

    # No __init__: torch.compile traces what an exception without one is made of, and tells it.

    @property
    def operation(self) -> str:
        return self._part(0)

    @property
    def rule(self) -> str:
        return self._part(1)

    @property
    def value(self) -> str:
        return self._part(2)

    @property
    def index(self) -> tuple[int, ...]:
        return tuple(self.args[3]) if len(self.args) > 3 else ()

    def _part(self, i: int) -> str:
        return str(self.args[i]) if len(self.args) > 2 else ""

    def __str__(self) -> str:
        if len(self.args) < 3:
            return super().__str__()
        at = f" at [{', '.join(map(str, self.index))}]" if self.index else ""
        return f"[{self.operation}] {self.rule}, got {self.value}{at}"
