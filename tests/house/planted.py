# SPDX-License-Identifier: Apache-2.0
# A small tree of files, for tests that show that a check finds what it is there for.

import contextlib
import pathlib
import tempfile


@contextlib.contextmanager
def planted(files):
    """The root of a temporary tree that holds those files, {name: text}."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text, encoding="utf-8")
        yield root
