# SPDX-License-Identifier: Apache-2.0
# Puts a run of the benchmarks where readers find it: its text into docs/performance.md, its numbers into bench/results.
#
# Usage: publish.py FOLDER    with rows.json, rows.txt, peers.json and peers.txt of ./dev bench --publish; without
#                             peers.json what was published of peers stays

import csv
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
COLUMNS = [
    "operation",
    "size",
    "threads",
    "who",
    "form",
    "rounds",
    "ns_low",
    "ns_median",
    "ns_high",
    "ceiling",
    "ceiling_ns",
    "ratio",
    "bare_ns",
    "bare_ratio",
    "floor_ratio",
    "floor_ns",
    "verdict",
    "error",
    "wrong",
    "load",
    "target",
    "compiler",
    "flags",
]


def quartiles(entry):
    return {"ns_low": entry["ns"]["low"], "ns_median": entry["ns"]["median"], "ns_high": entry["ns"]["high"]}


def posenc_line(entry):
    line = {key: entry[key] for key in COLUMNS if key in entry and not isinstance(entry[key], dict)}
    line |= quartiles(entry) | {"who": "posenc", "form": "preallocated"}
    if "ceiling" in entry:
        line |= {"ceiling_ns": entry["ceiling_ns"]["median"], "ratio": entry["ratio"]["median"]}
    if "bare" in entry:
        line |= {"bare_ns": entry["bare_ns"]["median"], "bare_ratio": entry["bare_ratio"]["median"]}
    return line


def peer_line(cell):
    operation, size = cell["row"].split("  ")
    return quartiles(cell) | {
        "operation": operation,
        "size": size,
        "threads": cell["threads"],
        "who": cell["label"],
        "rounds": cell["rounds"],
        "form": cell["form"] + (", tuned" if cell["tuned"] else ""),
        "error": cell.get("error"),
        "wrong": cell.get("wrong"),
    }


def shortened(value):
    return f"{value:.6g}" if isinstance(value, float) else value


def posenc_lines(rows):
    machine = rows["machine"]
    both = {key: machine[key] for key in ("target", "compiler", "flags")} | {"load": rows["load_before"]}
    return [posenc_line(entry) | both for entry in rows["rows"]]


def peer_lines(peers, target):
    # The flags are ours: peers come as they are built.
    return [peer_line(cell) | {"target": target, "load": peers["load"][0]} for cell in peers["cells"]]


def published_peer_lines(path):
    with open(path, newline="") as file:
        return [line for line in csv.DictReader(file) if line["who"] != "posenc"]


def write_csv(path, lines):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: shortened(value) for key, value in line.items()} for line in lines)


def replace_part(page, name, text):
    """What stands between <!-- NAME --> and <!-- end NAME -->."""
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"docs/performance.md has no part <!-- {name} -->")
    return pattern.sub(lambda match: match[1] + text.strip() + "\n" + match[2], page)


def main(folder):
    rows = json.loads((folder / "rows.json").read_text())
    name = re.sub(r"[^a-z0-9]+", "-", rows["machine"]["cpu"].lower()).strip("-")
    results = ROOT / "bench/results" / f"{name}.csv"
    results.parent.mkdir(exist_ok=True)
    path = ROOT / "docs/performance.md"
    page = replace_part(path.read_text(), "rows", "```\n" + (folder / "rows.txt").read_text().strip() + "\n```")
    if (folder / "peers.json").exists():
        of_peers = peer_lines(json.loads((folder / "peers.json").read_text()), rows["machine"]["target"])
        page = replace_part(page, "peers", (folder / "peers.txt").read_text())
    else:
        of_peers = published_peer_lines(results)
    write_csv(results, posenc_lines(rows) + of_peers)
    path.write_text(page)
    print(f"wrote {results.relative_to(ROOT)} and {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
