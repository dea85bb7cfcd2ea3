# SPDX-License-Identifier: Apache-2.0
"""Pictures on written pages that the tool draws: each is that of one command.

    python3 -B tools/docs/page_pictures.py build/dev/apps/posenc/posenc order   # draws docs/pictures/order.png anew
    python3 -B tools/docs/page_pictures.py build/dev/apps/posenc/posenc         # all of them

tests/tool/page_pictures_test.py compares, and holds the commands to those of the pages.
"""

import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
PICTURES = SOURCE / "docs/pictures"

COMMANDS = {
    "demo": "demo",
    "order": "order 'the dog bit the man' 'the man bit the dog'",
    "table": "table transformer --dim 128 --positions 0:100",
    "ladder": "presets transformer --dim 512",
}
# Pictures that need more than the tool.
OTHERS = {
    "attention": "run --model models/annalog 'CC(=O)Nc1ccc(O)cc1' --head mean, where tools/convert/fetch.py put it",
    "page": "tests/web/readme_picture.mjs in a browser",
}


def draw(tool, name, folder):
    """The picture of that name, in a new file of the folder."""
    where = ("--out", folder) if name == "demo" else ("--plot", folder / f"{name}.png")
    subprocess.run([tool, *shlex.split(COMMANDS[name]), *where], check=True, capture_output=True)
    return folder / f"{name}.png"


if __name__ == "__main__":
    for asked in sys.argv[2:] or COMMANDS:
        with tempfile.TemporaryDirectory() as new:
            shutil.copyfile(draw(sys.argv[1], asked, pathlib.Path(new)), PICTURES / f"{asked}.png")
