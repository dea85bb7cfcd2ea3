# SPDX-License-Identifier: Apache-2.0
"""One source file of an installed package, without the package around it: calls of the work list that need no more.

Its imports of the package itself, and of packages that are not installed, give stand-ins: whatever of them the call
does use fails or shows in the golden.
"""
import record  # chooses the CPU target: before NumPy and PyTorch

import importlib.machinery
import importlib.util
import pathlib
import sys
from unittest import mock


class _StandIns:
    """Finds the modules of one package, and those that nothing else finds."""

    def __init__(self, package):
        self.package = package

    def find_spec(self, name, path=None, target=None):
        others = [finder for finder in sys.meta_path if finder is not self]
        found = any(finder.find_spec(name, path, target) for finder in others)
        if found and name.partition(".")[0] != self.package:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec):
        return mock.MagicMock()

    def exec_module(self, module):
        pass


def source(path):
    """The module that stands at this path below a folder of sys.path."""
    place = next(found for folder in sys.path if (found := pathlib.Path(folder) / path).is_file())
    spec = importlib.util.spec_from_file_location(f"alone.{place.stem}", place)
    module = importlib.util.module_from_spec(spec)
    before, stand_ins = set(sys.modules), _StandIns(path.partition("/")[0])
    sys.meta_path.insert(0, stand_ins)
    try:
        spec.loader.exec_module(module)
    finally:
        sys.meta_path.remove(stand_ins)
        for name in set(sys.modules) - before:
            if isinstance(sys.modules[name], mock.MagicMock):
                del sys.modules[name]
    return module
