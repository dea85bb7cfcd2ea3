# SPDX-License-Identifier: Apache-2.0
"""Arguments that count something."""

from __future__ import annotations

import operator
from typing import Any

from ._errors import PosencError


def integer(operation: str, name: str, value: Any) -> int:
    """The value as an int: any integer type, no bool, no float."""
    try:
        number = None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        number = None
    if number is None:
        raise TypeError(f"[{operation}] {name} must be an integer, got {type(value).__name__}")
    return number


def at_least(least: int, operation: str, name: str, value: Any) -> int:
    number = integer(operation, name, value)
    if number < least:
        raise PosencError(operation, f"{name} must be >= {least}", str(number))
    return number
