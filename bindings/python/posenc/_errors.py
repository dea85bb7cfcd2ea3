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
        return str(self.args[0])

    @property
    def rule(self) -> str:
        return str(self.args[1])

    @property
    def value(self) -> str:
        return str(self.args[2])

    @property
    def index(self) -> tuple[int, ...]:
        return tuple(self.args[3]) if len(self.args) > 3 else ()

    def __str__(self) -> str:
        at = f" at [{', '.join(map(str, self.index))}]" if self.index else ""
        return f"[{self.operation}] {self.rule}, got {self.value}{at}"
