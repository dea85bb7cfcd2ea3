# SPDX-License-Identifier: Apache-2.0
# The rooms of the house: which folder of src/ belongs to which library, and in which room a file or a public word is.

import functools
import pathlib

# The library of each room, as CMake names it without "posenc_": a folder belongs to one library.
LIBRARY_OF = {
    "base": "posenc",
    "numerics": "posenc",
    "plan": "posenc",
    "conventions": "posenc",
    "engine": "posenc",
    "encodings": "posenc",
    "input": "posenc",
    "referee": "referee",
    "pool": "pool",
    "transformer": "transformer",
    "spec": "spec",
    "inspect": "spec",
    "io": "io",
    "text": "text",
}
# Public words without a source of their own.
ROOM_OF_WORD = {"version": "base", "scale": "conventions", "posenc": "input"}


def public_headers(root):
    """The public headers, relative to include/posenc: those of posenc::NAME are in the folder NAME, those of posenc::posenc in none."""
    folder = root / "include/posenc"
    return sorted(path.relative_to(folder) for path in folder.rglob("*.h"))


def library_of_header(header):
    """The library whose folder a public header is in."""
    return str(header.parent) if header.parent.parts else "posenc"


@functools.cache
def sources_of(word, root):
    """The sources src/**/WORD.cc of a public word, relative to the root."""
    return [path.relative_to(root) for path in sorted(root.glob(f"src/**/{word}.cc"))]


def room_of_word(word, root):
    """The room of the public header posenc/WORD.h; None where it has no source, or several."""
    if word in ROOM_OF_WORD:
        return ROOM_OF_WORD[word]
    sources = sources_of(word, root)
    return room_of(sources[0], root) if len(sources) == 1 else None


def room_of(path, root):
    """The room of a file of ours, given relative to the root; None where there is none."""
    parts = pathlib.PurePath(path).parts
    if parts[0] in ("apps", "bindings"):
        return "edges"
    if parts[0] == "src":
        return parts[1] if parts[1] in LIBRARY_OF else None
    if parts[:2] == ("include", "posenc"):
        return room_of_word(pathlib.PurePath(path).stem, root)
    return None
