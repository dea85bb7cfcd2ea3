# SPDX-License-Identifier: Apache-2.0
"""./dev docs: the site of the pages, with a reference of the headers, the Python package and the tool. A link that leads
nowhere, and a page that nothing leads to, fail it.

usage: site.py POSENC FOLDER    POSENC is the tool; the site is FOLDER/site
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LINK = re.compile(r"\]\(([^)\s#]+)((?:#[^)\s]*)?)\)")
HEADER = re.compile(r"(?:\.\./)*include/posenc/(\w+)\.h$")
# What a page of a header has; not what is private.
SECTIONS = ("briefdescription detaileddescription innerclass innernamespace define enum typedef func var friend public-type "
            "public-attrib public-func public-static-attrib public-static-func")
# The order of the pages beside the text; what no list has is under the last one.
PARTS = {
    "First steps": ["README", "tutorial", "concepts", "migrating", "install"],
    "Position encodings": ["encodings", "relative", "conventions", "inspect", "referee", "conformance"],
    "Models": ["input", "transformer", "models", "tokenizer", "files", "calls"],
    "Tool and bindings": ["posenc", "encode", "order", "run", "python", "torch", "scale", "c", "javascript"],
}


def written_into(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def staged(page, stage):
    """A page as the site has it: links to headers lead to their reference, other files of the tree stand beside it."""
    up = "../" * (len(page.relative_to(ROOT).parts) - 1)

    def link(match):
        target, place = match.groups()
        header = HEADER.match(target)
        if header:
            return f"]({up}cpp/{header[1]}.md)"
        file = (page.parent / target).resolve()
        if "://" not in target and file.is_file() and file.suffix != ".md":
            copy = stage / file.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(file, copy)
        return match[0]

    written_into(stage / page.relative_to(ROOT), LINK.sub(link, page.read_text(encoding="utf-8")))


def about(header):
    """The comment that a header begins with, behind its licence."""
    lines = header.read_text(encoding="utf-8").splitlines()[1:]
    end = next(i for i, line in enumerate(lines) if not line.startswith("//"))
    return "\n".join(line[2:].removeprefix(" ") for line in lines[:end])


def headers(stage):
    """A page a header; the names of the pages."""
    folder = ROOT / "include/posenc"
    of_word = {path.stem: path for path in folder.rglob("*.h")}
    for word, header in of_word.items():
        written_into(stage / f"cpp/{word}.md",
                     f"# {word}.h\n\n`#include <posenc/{header.relative_to(folder)}>`\n\n"
                     f"{about(header)}\n\n"
                     f"```{{eval-rst}}\n.. doxygenfile:: {word}.h\n   :sections: {SECTIONS}\n```\n")
    return [f"cpp/{word}" for word in sorted(of_word)]


def commands(posenc, stage):
    """The help of every verb, as the tool prints it."""
    told = subprocess.run([posenc, "--help"], check=True, capture_output=True, text=True).stdout
    text = "# The help of every verb\n"
    for verb in re.findall(r"^  posenc (\w+) ", told, re.MULTILINE):
        shown = subprocess.run([posenc, verb, "--help"], check=True, capture_output=True, text=True).stdout
        text += f"\n## posenc {verb}\n\n```text\n{shown.rstrip()}\n```\n"
    written_into(stage / "commands.md", text)


def toctree(caption, names):
    return f"\n```{{toctree}}\n:caption: {caption}\n:hidden:\n:maxdepth: 1\n\n" + "\n".join(names) + "\n```\n"


def index(stage, cpp):
    """README.md begins the site; beside the text stand all pages."""
    listed = {name for names in PARTS.values() for name in names}
    rest = sorted(path.stem for path in (ROOT / "docs").glob("*.md") if path.stem not in listed)
    tables = [toctree(caption, [f"docs/{name}" for name in names]) for caption, names in PARTS.items()]
    tables.append(toctree("Reference", ["cpp/headers", "python/posenc/index", "python/posenc/torch/index", "commands"]))
    tables.append(toctree("Project", [f"docs/{name}" for name in rest] + ["CONTRIBUTING", "CHANGELOG", "tools/goldens/README"]))
    with open(stage / "README.md", "a", encoding="utf-8") as file:
        file.write("".join(tables))
    written_into(stage / "cpp/headers.md",
                 "# C++ headers\n\nA page a header, in the order of its declarations.\n\n```{toctree}\n:maxdepth: 1\n\n" +
                 "\n".join(f"/{name}" for name in cpp) + "\n```\n")


def doxygen(folder):
    """The XML of the headers."""
    settings = (HERE / "Doxyfile").read_text() + (f"INPUT = {ROOT}/include/posenc\nOUTPUT_DIRECTORY = {folder}\n"
                                                 f"STRIP_FROM_PATH = {ROOT}/include\n"
                                                 f"INPUT_FILTER = \"{sys.executable} -B {HERE}/contracts.py\"\n")
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True)
    return folder / "xml"


def main(posenc, folder):
    stage = folder / "pages"
    for old in (stage, folder / "site"):
        shutil.rmtree(old, ignore_errors=True)
    pages = [ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "CHANGELOG")]
    for page in [*pages, *(ROOT / "docs").glob("*.md"), ROOT / "tools/goldens/README.md"]:
        staged(page, stage)
    shutil.copytree(ROOT / "docs/pictures", stage / "docs/pictures", dirs_exist_ok=True)
    index(stage, headers(stage))
    commands(posenc, stage)
    environment = {**os.environ, "POSENC_DOXYGEN": str(doxygen(folder / "doxygen")), "POSENC_PACKAGE": str(ROOT / "bindings/python/posenc")}
    command = [sys.executable, "-B", "-m", "sphinx", "-q", "-W", "--keep-going", "-j", "auto", "-c", HERE, stage, folder / "site"]
    status = subprocess.run(command, env=environment).returncode
    if status == 0:
        print(f"{folder}/site/README.html")
    return status


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()))
