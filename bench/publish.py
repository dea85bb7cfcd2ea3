# SPDX-License-Identifier: Apache-2.0
# Puts a run of the benchmarks where readers find it: its numbers and its table into bench/results, one of each for a kind
# of machine, and the tables of all kinds into docs/performance-tables.md and onto the screen.
#
# Usage: publish.py FOLDER    with rows.json, rows.txt and peers.json of ./dev bench --publish, and rows of a forced
#                             target, rows-NAME.json and rows-NAME.txt; without peers.json what was published of peers stays
#        publish.py --torch FILE    a run of the peers beside posenc.torch: its part of the page and its numbers alone

import csv
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance-tables.md"
RESULTS = ROOT / "bench/results"
sys.path.insert(0, str(ROOT / "bench/peers"))
import beside_torch  # noqa: E402
import compare  # noqa: E402

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


def published_lines(path):
    if not path.exists():  # the first run on this CPU
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_csv(path, lines):
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: shortened(value) for key, value in line.items()} for line in lines)


def replace_part(page, name, text):
    """What stands between <!-- NAME --> and <!-- end NAME -->."""
    pattern = re.compile(f"(<!-- {name} -->\n).*?(<!-- end {name} -->)", re.DOTALL)
    if not pattern.search(page):
        raise SystemExit(f"docs/performance-tables.md has no part <!-- {name} -->")
    return pattern.sub(lambda match: match[1] + text.strip() + "\n" + match[2], page)


def is_forced(machine):
    return machine.get("best_target", machine["target"]) != machine["target"]


def results_of(machine):
    """A kind of machine: the CPU, and the target where a lesser one was forced on it."""
    kind = machine["cpu"] + (f" forced {machine['target']}" if is_forced(machine) else "")
    name = re.sub(r"[^a-z0-9]+", "-", kind.lower()).strip("-")
    return RESULTS / f"{name}.csv"


def facts(text):
    """The first lines of a table, "name  value": cpu, target, ..."""
    return dict(line.split(maxsplit=1) for line in text.split("\n\n")[0].splitlines())


def all_tables(folder):
    """One table for each kind of machine measured, under a heading that names it."""
    parts = []
    for path in sorted(folder.glob("*.txt")):
        text = path.read_text().strip()
        found = facts(text)
        cpu = re.sub(r", \d+ CPUs.*", "", found["cpu"])
        parts.append(f"### {cpu}: {found['target']}\n\n```\n{text}\n```")
    return "\n\n".join(parts)


def publish(path, lines, page):
    write_csv(path, lines)
    PAGE.write_text(page)
    print(f"wrote {path.relative_to(ROOT)} and {PAGE.relative_to(ROOT)}")


def publish_torch(file):
    """What was published stays, but for the lines of this run's own rows."""

    def key(line):
        return [str(line[name]) for name in ("operation", "size", "threads", "who", "form")]

    peers = json.loads(file.read_text())
    results = results_of(peers["machine"])
    new = peer_lines(peers, peers["machine"]["target"])
    keys = [key(line) for line in new]
    kept = [line for line in published_lines(results) if key(line) not in keys]
    publish(results, kept + new, replace_part(PAGE.read_text(), "torch", beside_torch.text(peers)))


def publish_forced(file):
    rows = json.loads(file.read_text())
    if not is_forced(rows["machine"]):
        raise SystemExit(f"{file}: {rows['machine']['target']} is what this machine has")
    results = results_of(rows["machine"])
    write_csv(results, posenc_lines(rows))
    results.with_suffix(".txt").write_text(file.with_suffix(".txt").read_text())


def main(folder):
    rows = json.loads((folder / "rows.json").read_text())
    results = results_of(rows["machine"])
    results.parent.mkdir(exist_ok=True)
    results.with_suffix(".txt").write_text((folder / "rows.txt").read_text())
    for file in sorted(folder.glob("rows-*.json")):
        publish_forced(file)
    tables = all_tables(RESULTS)
    print(tables)
    page = replace_part(PAGE.read_text(), "rows", tables)
    if (folder / "peers.json").exists():
        peers = json.loads((folder / "peers.json").read_text())
        of_peers = peer_lines(peers, rows["machine"]["target"])
        page = replace_part(page, "peers", compare.text(peers))
        page = replace_part(page, "torch", beside_torch.text(peers))
    else:
        of_peers = [line for line in published_lines(results) if line["who"] != "posenc"]
    publish(results, posenc_lines(rows) + of_peers, page)


if __name__ == "__main__":
    if sys.argv[1] == "--torch":
        publish_torch(pathlib.Path(sys.argv[2]))
    else:
        main(pathlib.Path(sys.argv[1]))
