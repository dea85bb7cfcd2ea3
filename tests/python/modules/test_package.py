# SPDX-License-Identifier: Apache-2.0
"""The package posenc.torch: its types, its examples, its page, what importing it costs."""

import doctest
import importlib
import inspect
import os
import pkgutil
import re
import subprocess
import sys

import equal_axes
import posenc.torch as modules
import pytest
from conftest import ROOT

pytestmark = pytest.mark.torch
FILES = [f"posenc.torch.{each.name}" for each in pkgutil.iter_modules(modules.__path__)]


@pytest.mark.timeout(300)  # it reads all of torch
def test_it_passes_mypy_strict(tmp_path):
    source = ROOT / "bindings/python"
    run = [sys.executable, "-m", "mypy", "--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path)]
    done = subprocess.run([*run, "-p", "posenc.torch"], capture_output=True, text=True, cwd=source)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("name", modules.__all__)
def test_every_public_name_is_documented(name):
    text = inspect.getdoc(getattr(modules, name))
    assert text and text.splitlines()[0].rstrip()[-1] in ".:", name


@pytest.mark.parametrize("name", FILES)
def test_examples(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module).failed == 0
    for test in equal_axes.doctests(doctest.DocTestFinder().find(module)):
        assert doctest.DocTestRunner().run(test).failed == 0, test.name


def test_the_examples_of_the_page_run(tmp_path):
    text = (ROOT / "docs/torch.md").read_text(encoding="utf-8")
    blocks = [block.split("```")[0] for block in text.split("```python\n")[1:]]
    assert blocks
    for code in (each for block in blocks for each in (block, *equal_axes.with_equal_axes(block))):
        subprocess.run([sys.executable, "-W", "error", "-c", code], check=True, cwd=tmp_path)
    for name in modules.__all__:
        assert name in text, name


def test_the_examples_of_the_page_of_more_machines_run(tmp_path):
    """In their order, in one folder, but for what needs a cluster."""
    pytest.importorskip("pyarrow", reason="posenc.torch.Batches needs pyarrow")
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    blocks = re.findall(r"^```(sh|python)\n(.*?)^```", (ROOT / "docs/scale.md").read_text(), re.MULTILINE | re.DOTALL)
    assert [language for language, _ in blocks] == ["sh", "python", "python"]
    for language, text in blocks:
        command = ["bash", "-euc", text] if language == "sh" else [sys.executable, "-W", "error", "-c", text]
        subprocess.run(command, check=True, cwd=tmp_path, env={**os.environ, "PATH": path})
    assert list((tmp_path / "ids").glob("part-*.parquet"))


def test_importing_it_takes_little_more_than_torch():
    code = (
        "import torch, time, sys; start = time.perf_counter(); import posenc.torch\n"
        "assert 'torch._dynamo' not in sys.modules and 'transformers' not in sys.modules\n"
        "print(time.perf_counter() - start)"
    )
    times = [
        float(subprocess.run([sys.executable, "-c", code], check=True, capture_output=True).stdout) for _ in range(2)
    ]
    assert min(times) < 1.0, times


def test_posenc_itself_imports_no_torch():
    code = "import posenc, sys; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
