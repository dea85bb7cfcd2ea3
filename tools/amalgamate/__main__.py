# SPDX-License-Identifier: Apache-2.0
"""Makes posenc_rope.h and posenc_rope.cc: rotations and sinusoids of chosen conventions, to vendor."""

from __future__ import annotations

import argparse
import re
import textwrap
from pathlib import Path

import cpp17
import kernels
import presets
from items import Item, split
from reach import reached

ROOT = Path(__file__).resolve().parent.parent.parent
PARTS = Path(__file__).resolve().parent / "parts"
# The names that programs call, for rotations, for rows, and for both; a class brings its members.
ROTATIONS = {"RotaryRows", "RotaryCache", "Rotated", "rerotate", "with", "FieldChange"}
ROWS = {"Rows", "sinusoid"}
BOTH = {"Positions", "Error", "exact", "preset", "presets", "view"}
# The sources that a plan made beforehand needs: rounding and the quick path, kernels without strips of tables and vectors
# of f64, which are speed alone, and the calls. The files get the declarations that those names reach.
TAKEN = {
    "include/posenc": "core positions rerotate rotary rotary_cache rows shared sinusoid",
    "src/base": "blocks core elements environment finishes nearest overlap quote scratch shapes shared stores to_text",
    "src/numerics": "dyadic factorials frequency phase rounding rounding_test sine_cosine",
    "src/plan": "pair_plan row_plan",
    "src/engine": "lanes-inl",
    "src/engine/tables": "columns evidence-inl f64_kernel factor frequencies phase rounding_test-inl sincos sincos_kernel "
    "sines sines-inl",
    "src/engine/rotary": "across-inl lines-inl pairs-inl rotate turn",
    "src/encodings": "axis_angles axis_rows cells coordinates line_batch merged_axes positions rotary rotary_cache rotation rows "
    "rules sinusoid tensor_lines undecided wide_rotation",
}
# LEFT: files of TAKEN that are not taken. ONLY: files of which only these declarations are taken.
LEFT = {
    "src/encodings/axis_angles.cc",
    "src/encodings/cells.cc",
    "src/encodings/rows.h",
    "src/engine/rotary/turn.cc",
    "src/engine/tables/f64_kernel.cc",
    "src/engine/tables/factor.cc",
    "src/plan/row_plan.cc",
}
ONLY = {
    "src/encodings/axis_angles.h": "Place",
    "src/encodings/cells.h": "CellRows",
    "src/encodings/axis_rows.cc": "Column Kind Pattern has_pattern pattern_of",
    "src/encodings/rows.cc": "operation_of check_one_axis check_frequencies check_write check_add width axes for_rows write_line "
    "add_checked",
    "src/engine/tables/frequencies.cc": "add_columns rungs_of certain_pair",
    "src/plan/pair_plan.cc": "Columns run_of columns goes_on kept_of turns_by_one_angle plain_pairs placement transposed",
}
# Names that exist only where conventions are lowered: declarations that mention one are dropped.
MISSING = {"Bignum", "Enclosure", "Rational", "Real", "StepLadder", "ConventionUse", "Strip", "StripWriter"}
# Files, or names of theirs, that take few of the nanoseconds of a step: GCC takes two thirds of the time for them at -O1.
SLOW = {
    "src/base": "core.cc overlap.cc quote.h shared.cc to_text.h",
    "src/encodings": "rerotate.cc rotary_cache.cc rows.cc sinusoid.cc wide_rotation.cc",
    "src/plan": "pair_plan.cc",
    "src/engine/tables": "columns.cc",
    "parts": "calls.cc presets.cc",
}
SLOW_NAMES = {"parts/plans.cc": "CellRows Rotation certain_pair factor_of rungs_of settled write_sums", "parts/plans.h": "turn"}
LEVEL_1 = ["#if !defined(__clang__)", "#pragma GCC push_options", '#pragma GCC optimize("O1")', "#endif"]
LEVEL_BACK = ["#if !defined(__clang__)", "#pragma GCC pop_options", "#endif"]
INCLUDE = re.compile(r'^#include\s+(?:<(posenc/[^>]+)>|"(src/[^"]+)")', re.M)


def files() -> list[Path]:
    """Every header after those that it includes, then the sources."""
    taken = {f"{folder}/{name}" for folder, names in TAKEN.items() for name in names.split()}
    headers: list[Path] = []
    seen: set[Path] = set()

    def is_taken(path: Path) -> bool:
        name = str(path.relative_to(ROOT))
        return name.rsplit(".", 1)[0] in taken and name not in LEFT

    def visit(path: Path) -> None:
        if path in seen:
            return
        seen.add(path)
        for public, own in INCLUDE.findall(path.read_text()):
            visit(ROOT / "include" / public if public else ROOT / own)
        if path.suffix == ".h" and is_taken(path):
            headers.append(path)

    sources = sorted(path for path in (ROOT / "src").rglob("*.cc") if is_taken(path))
    found = [path for folder in ("include", "src") for path in sorted((ROOT / folder).rglob("*.h")) if is_taken(path)]
    for source in [*sources, *found]:
        visit(source)
    return headers + sources


def items_of(name: str, text: str) -> list[Item]:
    items = split(name, kernels.plain(text) if kernels.is_kernel(text) else text)
    return [item for item in items if item.namespace]  # the rest are switches of the preprocessor


def library() -> list[Item]:
    items: list[Item] = []
    for path in files():
        name = str(path.relative_to(ROOT))
        for item in items_of(name, path.read_text()):
            if name not in ONLY or item.names & set(ONLY[name].split()):
                items.append(item)
    return items


def part(name: str, text: str | None = None) -> list[Item]:
    return items_of("parts/" + name, text if text is not None else (PARTS / name).read_text())


def place(item: Item) -> tuple:
    return tuple(name for name in item.namespace if name), item.owner, item.names


def is_header(item: Item) -> bool:
    return item.file.endswith(".h")


def joined(items: list[Item], stated: list[Item], late: list[Item], sources: list[Item]) -> list[Item]:
    """The library with the parts in the places of what has their names: `stated` where it stands, the others last."""
    # A part without a counterpart in the library precedes the next part that has one.
    taken: dict[tuple, list[Item]] = {}
    waiting: list[Item] = []
    there = {place(item) for item in items}
    for item in stated:
        waiting.append(item)
        if place(item) in there:
            taken[place(item)], waiting = waiting, []
    dropped = {place(item) for item in late + sources if item.kind not in ("using", "operator")}
    replaced = set(taken)
    items = [item for item in items if place(item) in replaced or not item.words & MISSING]
    headers: list[Item] = []
    rest: list[Item] = []
    for item in items:
        stands = item.kind not in ("using", "operator")
        if stands and place(item) in replaced:
            (headers if is_header(item) else rest).extend(taken.pop(place(item), []))
        elif is_header(item):
            if not (stands and place(item) in dropped and item.kind == "type"):
                headers.append(item)
        elif not (stands and place(item) in dropped):
            rest.append(item)
    return headers + waiting + late + rest + sources


def slow(item: Item) -> bool:
    folder, name = item.file.rsplit("/", 1)
    return name in SLOW.get(folder, "").split() or not item.names.isdisjoint(SLOW_NAMES.get(item.file, "").split())


def written(items: list[Item]) -> str:
    out: list[str] = []
    now: tuple[str, ...] = ()
    is_slow = False
    for item in items:
        if slow(item) != is_slow:
            out += closed(now) + (LEVEL_BACK if is_slow else LEVEL_1)
            now, is_slow = (), not is_slow
        if item.namespace != now:
            out += closed(now) + opened(item.namespace)
            now = item.namespace
        out.append(item.comment + item.text)
        if "\n" in item.text or item.comment:
            out.append("")
    return "\n".join(out + closed(now) + (LEVEL_BACK if is_slow else [])) + "\n"


def opened(namespace: tuple[str, ...]) -> list[str]:
    named = "::".join(name for name in namespace if name)
    return [f"\nnamespace {named} {{"] + (["namespace {"] if "" in namespace else []) + [""]


def closed(namespace: tuple[str, ...]) -> list[str]:
    named = "::".join(name for name in namespace if name)
    return (["}  // namespace"] if "" in namespace else []) + ([f"}}  // namespace {named}"] if named else [])


def head(made: list[tuple[dict, list[dict]]], settings: list[str]) -> str:
    """The head of the header: what it is, and which conventions it has."""
    version = ".".join(re.findall(r"define POSENC_VERSION_\w+ (\d+)", (ROOT / "include/posenc/version.h").read_text()))
    listed = []
    for row, plans in made:
        widths = ", ".join(str(width) for width in sorted({plan["width"] for plan in plans}))
        text = ", ".join([row["name"], *row["aliases"]]) + f" ({widths})"
        listed.append(textwrap.fill(text, 120, initial_indent="//     ", subsequent_indent="//       "))
    listed += [f"//     with {setting}" for setting in settings]
    text = (PARTS / "head.h.in").read_text()
    for mark, value in (
        ("@NAME@", made[0][0]["name"]),
        ("@WIDTH@", str(made[0][1][-1]["width"])),
        ("@VERSION@", version),
        ("@CONVENTIONS@", "\n".join(listed)),
    ):
        text = text.replace(mark, value)
    return text


def main() -> None:
    parser = argparse.ArgumentParser(prog="tools/amalgamate", description=__doc__)
    parser.add_argument("--lowered", required=True, metavar="PROGRAM", help="posenc_lowered of a build of this tree")
    parser.add_argument("--convention", action="append", metavar="NAME", help="a preset; as often as you like (all rotations)")
    parser.add_argument("--width", action="append", type=int, metavar="D", help="columns of a head or of a row; as often as you like (64 and 128)")
    parser.add_argument("--set", action="append", metavar="PATH=VALUE", help="changes a field of the conventions, ladder.base=500000; as often as you like")
    parser.add_argument("--out", required=True, type=Path, metavar="FOLDER", help="where posenc_rope.h and posenc_rope.cc go")
    options = parser.parse_args()

    if options.set and not options.convention:
        presets.fail("--set must come with --convention", f"'{options.set[0]}'")
    made, left = presets.chosen(presets.Lowered(options.lowered, options.set or []), options.convention, options.width)
    stated = [item for name in ("public.h", "plans.h", "kernels.h", "waves.h") for item in part(name)]
    sources = part("presets.cc", presets.source(made)) + part("plans.cc") + part("errors.cc") + part("calls.cc")
    items = joined(library(), stated, part("rows.h"), sources)
    plans = [plan for _, of in made for plan in of]
    roots = BOTH | (ROTATIONS if any("pairs" in plan for plan in plans) else set()) | (ROWS if any("row" in plan for plan in plans) else set())
    kept = reached(items, roots)
    structs = cpp17.structs(kept)
    for item in kept:
        item.text = cpp17.rewritten(item.text, structs)
    public = [i for i in kept if i.file.startswith("include/") or i.file in ("parts/public.h", "parts/waves.h")]
    lanes = [i for i in kept if "POSENC_LANES" in i.namespace]
    others = [i for i in kept if i not in public and i not in lanes]
    for item in others:
        item.text = cpp17.problems(item.text)
    parts = {name: cpp17.named((PARTS / name).read_text().split("\n", 1)[1]) for name in ("standard.h", "ranges.h", "messages.h", "lanes.h")}
    header = head(made, options.set or []) + parts["standard.h"] + written(public)
    source = (PARTS / "head.cc.in").read_text()
    for mark, text in (
        ("@HEADERS@", parts["ranges.h"] + parts["messages.h"] + written([i for i in others if is_header(i)])),
        ("@LANES@", parts["lanes.h"] + written(lanes)),
        ("@SOURCES@", written([i for i in others if not is_header(i)])),
    ):
        source = source.replace(mark, text)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "posenc_rope.h").write_text(header)
    (options.out / "posenc_rope.cc").write_text(source)
    print(f"{options.out}: posenc_rope.h {len(header)} bytes, posenc_rope.cc {len(source)} bytes, {len(made)} conventions")
    for why in left:
        print(f"left out: {why}")


main()
