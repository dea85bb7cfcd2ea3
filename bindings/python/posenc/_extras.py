# SPDX-License-Identifier: Apache-2.0
"""Packages of others that parts of posenc need, and the extra that brings each."""

from __future__ import annotations

import importlib.util


def expect_pyarrow(operation: str) -> None:
    if importlib.util.find_spec("pyarrow") is None:
        raise ModuleNotFoundError(f"[{operation}] pyarrow must be installed: posenc[ray] brings it", name="pyarrow")
