# SPDX-License-Identifier: Apache-2.0
"""Which declarations a few of them need, by the names that each mentions.

Names alone: what is kept is never too little, but for a name that only a macro builds, and little too much.
"""

from __future__ import annotations

import re

from items import Item


def is_hidden(item: Item) -> bool:
    return "" in item.namespace and item.file.endswith(".cc")


because: dict[str, Item] = {}  # which item needed a name first: to find out why one is kept


def reached(items: list[Item], roots: set[str]) -> list[Item]:
    # A type hidden in a source never selects an overload: calls write its values as braces.
    types = {name for item in items if item.kind == "type" and not is_hidden(item) for name in item.names}
    given = {name for item in items for name in item.names}
    signatures: dict[str, set[frozenset[str]]] = {}
    for item in items:
        if item.kind in ("function", "member", "specialization"):
            for name in item.names:
                signatures.setdefault(name, set()).add(item.params & types)
    overloaded = {name for name, of in signatures.items() if len(of) > 1}
    because.clear()
    kept: set[int] = set()
    needed, kept_names, kept_types = set(roots), set(), set()

    by_parts: set[str] = set()  # what is written here knows every source
    needed_by: dict[str, set[str]] = {item.file: set() for item in items}

    def is_needed(item: Item) -> bool:
        if item.kind in ("instantiation",):
            return False
        if item.kind == "assertion":
            return (item.words & given) <= kept_names
        if item.kind == "using":
            return bool(item.names & needed) and bool(item.names & kept_names or "hn" in item.names)
        if item.owner:
            return item.owner in kept_types
        if item.kind == "operator":
            of = item.params & types
            return bool(of) and of <= kept_types
        mentioned = needed_by[item.file] | by_parts if is_hidden(item) else needed
        if not item.names & mentioned:
            return False
        if item.names & roots:
            return True
        return not (item.names & overloaded) or (item.params & types) <= kept_types

    while True:
        before = len(kept)
        for i, item in enumerate(items):
            if i in kept or not is_needed(item):
                continue
            kept.add(i)
            for word in item.words - needed:
                because[word] = item
            needed |= item.words
            (by_parts if item.file.startswith("parts/") else needed_by[item.file]).update(item.words)
            if item.kind != "using":
                kept_names |= item.names
            if item.kind == "type":
                kept_types |= item.names
        if len(kept) == before:
            return used([items[i] for i in sorted(kept)])


def used(items: list[Item]) -> list[Item]:
    """Without functions that a source keeps to itself and does not call: what mentioned them was a variable."""
    calls: dict[str, set[str]] = {}
    for item in items:
        at = "parts" if item.file.startswith("parts/") else item.file
        found = re.findall(r"(?<![.>])\b(\w+)\s*[(<]|[({,=]\s*&?(\w+)\s*(?=[,})])", item.text)
        calls.setdefault(at, set()).update(name for pair in found for name in pair if name not in item.names)
    known = calls.get("parts", set())
    return [
        item
        for item in items
        if not (is_hidden(item) and item.kind == "function") or item.names & (calls.get(item.file, set()) | known)
    ]
