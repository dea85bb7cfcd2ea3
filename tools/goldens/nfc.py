# SPDX-License-Identifier: Apache-2.0
"""Shows every scalar value that NFC treats in one way in the `tokenizers` package and in another in utf8proc.

    pip install tokenizers==0.23.3          (and Debian's libutf8proc2 2.8.0-1, read by ctypes: Unicode 15.0)
    python tools/goldens/nfc.py

Compared are, for every scalar, its NFC, the NFC of its decomposition, and where NFC puts it next to marks of the least
and the greatest combining class; for every mark of Unicode 15.0, next to one mark of every class. docs/tokenizer.md has the
counts.
"""

import collections
import ctypes
import sys

from tokenizers import normalizers

TOKENIZERS = "0.23.3"
SCALARS = [*range(0x80, 0xD800), *range(0xE000, 0x110000)]
STABLE, COMPOSE, DECOMPOSE = 1 << 1, 1 << 3, 1 << 4
LIBRARY = ctypes.CDLL("libutf8proc.so.2")
LIBRARY.utf8proc_map.restype = ctypes.c_ssize_t
LIBRARY.utf8proc_version.restype = ctypes.c_char_p
LIBRARY.utf8proc_unicode_version.restype = ctypes.c_char_p
LIBC = ctypes.CDLL(None)
PACKAGE = normalizers.NFC()


class Property(ctypes.Structure):  # the beginning of utf8proc_property_t
    _fields_ = [("category", ctypes.c_int16), ("combining_class", ctypes.c_int16)]


LIBRARY.utf8proc_get_property.restype = ctypes.POINTER(Property)


def combining_class(scalar):
    return LIBRARY.utf8proc_get_property(scalar).contents.combining_class


def is_assigned(scalar):
    return LIBRARY.utf8proc_get_property(scalar).contents.category != 0


def by_utf8proc(lines, form=COMPOSE):
    text = "\n".join(lines).encode()
    made = ctypes.c_void_p()
    size = LIBRARY.utf8proc_map(text, ctypes.c_ssize_t(len(text)), ctypes.byref(made), STABLE | form)
    normal = ctypes.string_at(made, size).decode().split("\n")
    LIBC.free(made)
    return normal


def by_package(lines):
    return PACKAGE.normalize_str("\n".join(lines)).split("\n")


def ranges_of(scalars):
    """(first, last) of every run of neighbours."""
    runs = []
    for scalar in scalars:
        if runs and runs[-1][1] == scalar - 1:
            runs[-1][1] = scalar
        else:
            runs.append([scalar, scalar])
    return [f"U+{a:04X}" + (f" to U+{b:04X}" if a < b else "") for a, b in runs]


def main():
    import tokenizers

    if tokenizers.__version__ != TOKENIZERS:
        sys.exit(f"tokenizers {tokenizers.__version__}, not {TOKENIZERS}")
    differing = set()

    def compare(scalars, lines):
        for scalar, ours, theirs in zip(scalars, by_utf8proc(lines), by_package(lines), strict=True):
            if ours != theirs:
                differing.add(scalar)

    decomposed = by_utf8proc([chr(scalar) for scalar in SCALARS], DECOMPOSE)
    for pattern in ("{0}", "a{0}\u0334", "a\u0345{0}"):  # classes 1 and 240: the least and the greatest
        compare(SCALARS, [pattern.format(chr(scalar)) for scalar in SCALARS])
    compare(SCALARS, decomposed)
    placed = [scalar for scalar in SCALARS if combining_class(scalar) > 0]
    marks = {}  # one of each class, in the same class there
    for scalar in placed:
        if scalar not in differing and by_utf8proc([chr(scalar)]) == [chr(scalar)]:
            marks.setdefault(combining_class(scalar), chr(scalar))
    print(f"utf8proc {LIBRARY.utf8proc_version().decode()}, Unicode {LIBRARY.utf8proc_unicode_version().decode()}; "
          f"a mark of each of {len(marks)} combining classes")
    for mark in marks.values():
        for pattern in ("a{0}{1}", "a{1}{0}"):
            compare(placed, [pattern.format(chr(scalar), mark) for scalar in placed])
    kinds = collections.defaultdict(list)
    for scalar in sorted(differing):
        kind = "assigned" if is_assigned(scalar) else "not assigned"
        kinds[f"{kind} in 15.0, class {'not 0' if combining_class(scalar) else '0'}"].append(scalar)
    for kind, scalars in kinds.items():
        print(f"{len(scalars)} {kind}: " + ", ".join(ranges_of(scalars)))


if __name__ == "__main__":
    main()
