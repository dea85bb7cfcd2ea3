# SPDX-License-Identifier: Apache-2.0
"""examples/first_hour.ipynb runs, prints what it has printed, and draws its pictures."""

import re

import notebook
import pytest
from conftest import ROOT

pytestmark = [pytest.mark.notebook, pytest.mark.timeout(110), pytest.mark.filterwarnings("ignore")]


@pytest.fixture(scope="module")
def made():
    return notebook.run()


def words(text):
    """What is printed but for its numbers: those of PyTorch and NumPy are of the machine."""
    return re.sub(r"\d+(\.\d+)?(e[-+]?\d+)?", "#", text)


def test_it_prints_what_it_says(made):
    now, then = notebook.printed(made), notebook.printed(notebook.read())
    assert [words(text) for text in now] == [words(text) for text in then], "python tests/python/notebook.py"
    assert any("apart by rounding alone" in text for text in now)
    assert now[-1] == "True\n"


def test_its_pictures_are_drawn(made):
    assert notebook.pictures(made) == notebook.pictures(notebook.read()) >= 4


def test_its_links_lead_somewhere_and_it_is_small():
    texts = [cell.source for cell in notebook.read().cells if cell.cell_type == "markdown"]
    links = re.findall(r"\]\((\S+?)\)", "\n".join(texts))
    assert links and all((ROOT / "examples" / link).is_file() for link in links)
    assert notebook.PAGE.stat().st_size < 200_000
