# SPDX-License-Identifier: Apache-2.0
"""Runs examples/first_hour.ipynb: notebook.py writes its outputs anew."""

import asyncio
import pathlib
import tempfile
import warnings

import nbformat

PAGE = pathlib.Path(__file__).resolve().parents[2] / "examples/first_hour.ipynb"


def read():
    return nbformat.read(PAGE, as_version=4)


def run():
    """The notebook with what its cells print and draw now."""
    with warnings.catch_warnings(), tempfile.TemporaryDirectory() as folder:
        warnings.simplefilter("ignore")  # of the packages that run it
        from nbclient import NotebookClient

        page = read()
        client = NotebookClient(
            page, timeout=100, kernel_name="python3", resources={"metadata": {"path": str(PAGE.parent)}},
            record_timing=False,
        )  # fmt: skip
        kernel = client.create_kernel_manager()
        kernel.transport, kernel.ip = "ipc", f"{folder}/kernel"  # nothing listens on a port
        asyncio.run(client.async_execute())
    return page


def printed(page):
    """The text of every cell's outputs: pictures are drawn by other versions in other bytes."""
    return [
        "".join(output.get("text", "") for output in cell.outputs) for cell in page.cells if cell.cell_type == "code"
    ]


def pictures(page):
    return sum(
        "image/png" in output.get("data", {}) for cell in page.cells if cell.cell_type == "code"
        for output in cell.outputs
    )  # fmt: skip


if __name__ == "__main__":
    made = run()
    made.metadata = read().metadata
    nbformat.write(made, PAGE)
