# SPDX-License-Identifier: Apache-2.0
"""The score card of docs/conformance.md: functions of other packages, each in the environment of its pins.

usage: card.py POSENC [PACKAGE...]   prints the card of those packages; without names of all
       card.py POSENC --page         writes the card of all into docs/conformance.md
POSENC is the tool. Environments are those of the goldens, build/goldens/PACKAGE, and are made where they are missing.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.insert(0, str(HERE.parent / "goldens"))
import goldens

# What is scored, and the environment of the goldens that it runs in.
PACKAGES = {"torch": "torch", "transformers": "transformers", "diffusers": "diffusers", "timm": "timm", "numpy": "torch",
            "ggml-style": "torch"}
PAGE = ROOT / "docs" / "conformance.md"
MARK = "<!-- below: tools/conformance/card.py -->"
ABOUT = {
    "torch": "functions of PyTorch's tutorials and of repositories that no package holds, written again in `tools/goldens/torch_originals.py`",
    "numpy": "the same in NumPy, `tools/goldens/numpy_originals.py`",
    "ggml-style": "ggml's rotation in NumPy: each angle is the one before it times a ratio (`tools/conformance/answer.py`)",
}


def version_of(package):
    """The pin of the package itself, with those of what it stands on."""
    return ", ".join(re.findall(r"^([\w.-]+==[\w.]+)", goldens.required(PACKAGES[package]), re.M))


def card_of(posenc, package):
    python = goldens.python_of(PACKAGES[package])
    with tempfile.TemporaryDirectory() as folder:
        command = shlex.join(map(str, [python, "-B", HERE / "answer.py", package, folder]))
        done = subprocess.run([posenc, "conformance", "score", "--command", command, "--timeout", "300", "--json"],
                              check=True, stdout=subprocess.PIPE)
    return json.loads(done.stdout)


def number(value):
    return "" if value is None else f"{value:.3g}"


def lines_of(package, card):
    offered = [line for line in card["cases"] if line["result"] != "not offered"]
    yield f"### {package}: {version_of(package)}"
    yield ""
    if package in ABOUT:
        yield ABOUT[package] + "."
        yield ""
    totals = ", ".join(f"{count} {result}" for result, count in card["counts"].items())
    yield f"{len(offered)} of {len(card['cases'])} cases: {totals}."
    yield ""
    if not offered:
        return
    yield "| case | result | places | largest ulp | largest distance | first not faithful at | it is |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    for line in offered:
        if line["places"] is None:
            yield f"| `{line['case']}` | {line['result']}: {line['reason'].replace('|', '/')} | | | | | |"
            continue
        places = "/".join(map(str, line["places"]))
        instead = ", ".join(f"`{name}`" for name in line["instead"][:4])
        yield (f"| `{line['case']}` | {line['result']} | {places} | {number(line['units'])} | {number(line['distance'])} | "
               f"{number(line['from'])} | {instead} |")
    yield ""


def main():
    posenc, names = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2:]
    page = names == ["--page"]
    text = "\n".join(line for package in (PACKAGES if page or not names else names)
                     for line in lines_of(package, card_of(posenc, package)))
    if not page:
        print(text)
        return
    head = PAGE.read_text().split(MARK)[0]
    PAGE.write_text(f"{head}{MARK}\n\n{text.rstrip()}\n")


if __name__ == "__main__":
    main()
