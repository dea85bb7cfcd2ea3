# SPDX-License-Identifier: Apache-2.0
"""Types, stubs, documentation and examples say what the package does."""

import ast
import doctest
import inspect
import pathlib
import subprocess
import sys

import equal_axes
import numpy as np
import posenc
import pytest
from conftest import ROOT
from posenc import _core

PACKAGE = ROOT / "bindings/python/posenc"
PUBLIC = list(posenc.__all__)


def stub():
    return ast.parse((PACKAGE / "_core.pyi").read_text())


def test_the_stub_of_the_core_has_its_names_and_numbers_of_arguments():
    functions = {node.name: node for node in stub().body if isinstance(node, ast.FunctionDef)}
    classes = {node.name: node for node in stub().body if isinstance(node, ast.ClassDef)}
    there = {name for name in dir(_core) if not name.startswith("__")}
    assert there == functions.keys() | classes.keys()
    for name, node in functions.items():
        assert len(node.args.args) == len(getattr(_core, name).__nb_signature__[0][0].split("arg")) - 1, name
    for name, node in classes.items():
        stated = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        own = {item for item in vars(getattr(_core, name)) if not item.startswith("__")} | {"__init__"}
        assert stated == own, name


def test_the_package_passes_mypy_strict(tmp_path):
    user = tmp_path / "user.py"
    user.write_text(
        "import numpy as np\nimport posenc\n"
        "table = posenc.table('whisper', 384, range(1500))\n"
        "table.sum()\n"
        "q = np.ones((1, 8, 5, 64), np.float32)\n"
        "turned: np.ndarray[tuple[int, int, int, int], np.dtype[np.float32]] = posenc.rotate('llama', range(5), q)\n"
        "pair = posenc.rotate('llama', range(5), [q, q])\nassert len(pair) == 2\n"
        "error: type[ValueError] = posenc.PosencError\n"
        "role: posenc.PositionRole = posenc.inspect('config.json').rotary\n"
    )
    run = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path)]
    done = subprocess.run([*run, str(PACKAGE), str(user)], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", PUBLIC)
def test_every_public_name_is_documented(name):
    item = getattr(posenc, name)
    text = inspect.getdoc(item)
    assert text and text.splitlines()[0].endswith("."), name


def examples():
    finder = doctest.DocTestFinder(recurse=True)
    for name in PUBLIC:
        found = finder.find(getattr(posenc, name), name, globs={"np": np})
        for test in (*found, *equal_axes.doctests(found)):
            if test.examples:
                yield pytest.param(test, id=test.name)


@pytest.mark.parametrize("test", list(examples()))
def test_examples_print_what_they_say(test):
    said = []
    with np.printoptions():
        doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE).run(test, out=said.append)
    assert not said, "".join(said)


def test_most_functions_have_an_example():
    have = {test.values[0].name.split(".")[0] for test in examples()}
    functions = {name for name in PUBLIC if inspect.isfunction(getattr(posenc, name))}
    assert functions <= have | {"threads"}, functions - have


def test_the_version_is_that_of_the_header():
    header = pathlib.Path(ROOT, "include/posenc/version.h").read_text()
    numbers = [line.split()[-1] for line in header.splitlines() if "VERSION_" in line]
    assert posenc.__version__ == ".".join(numbers)


def test_the_page_has_every_public_name():
    import page

    assert page.written() == page.table(), "python tests/python/page.py writes it anew"


@pytest.mark.parametrize("name", ["README.md", "docs/python.md", "docs/referee.md", "docs/conformance.md"])
def test_the_examples_of_a_page_run(name, tmp_path):
    blocks = [block.split("```")[0] for block in (ROOT / name).read_text(encoding="utf-8").split("```python\n")[1:]]
    assert blocks
    for text in (each for block in blocks for each in (block, *equal_axes.with_equal_axes(block))):
        subprocess.run([sys.executable, "-W", "error", "-c", text], check=True, cwd=tmp_path)
