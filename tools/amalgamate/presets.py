# SPDX-License-Identifier: Apache-2.0
"""Conventions as C++: plans that the library lowered, in few lines each."""

from __future__ import annotations

import difflib
import json
import subprocess
import sys

USUAL = (64, 128)
OTHERS = (80, 96, 72, 256, 48, 32, 24, 12, 8)  # where a convention has neither; 80: heads of phi-2


def fail(rule: str, value: str) -> None:
    sys.exit(f"tools/amalgamate: {rule}, got {value}")


class Lowered:
    """The program that lowers: tools/amalgamate/lowered.cc."""

    def __init__(self, program: str, settings: list[str]) -> None:
        self.program = program
        self.settings = [word for setting in settings for word in ("--set", setting)]

    def run(self, *arguments: str) -> subprocess.CompletedProcess:
        try:
            return subprocess.run([self.program, *arguments], capture_output=True, text=True)
        except OSError as error:
            fail("--lowered must be the program posenc_lowered", f"'{self.program}': {error.strerror}")

    def plans(self, name: str, width: int) -> tuple[list[dict], str]:
        run = self.run(*self.settings, f"{name}:{width}")
        if run.returncode:
            return [], run.stderr.strip()
        return [json.loads(line) for line in run.stdout.splitlines()], ""

    def presets(self) -> list[dict]:
        run = self.run()
        try:
            return [json.loads(line) for line in run.stdout.splitlines() or [""]]
        except json.JSONDecodeError:
            fail("--lowered must be the program posenc_lowered", f"'{self.program}'")


def named(rows: list[dict], name: str) -> dict:
    """The preset of that name or alias, in any case."""
    known = {each.lower(): row for row in reversed(rows) for each in (row["name"], *row["aliases"])}
    if name.lower() not in known:
        near = ", ".join(difflib.get_close_matches(name.lower(), known, 3, 0))
        fail(f"--convention must be the name of a preset, of which {near} are nearest", f"'{name}'")
    return known[name.lower()]


def chosen(lowered: Lowered, names: list[str] | None, widths: list[int] | None) -> tuple[list[tuple[dict, list[dict]]], list[str]]:
    """Each preset with its plans; and why some of all rotations are left out."""
    rows = lowered.presets()
    picked = [row for row in rows if row["family"] == "rotary"] if names is None else []
    for name in names or []:
        row = named(rows, name)
        if row not in picked:
            picked.append(row)
    made, left = [], []
    for row in picked:
        plans, why = [], ""
        for width in widths or USUAL:
            more, problem = lowered.plans(row["name"], width)
            plans, why = plans + more, problem or why
        for width in () if plans or widths else OTHERS:
            if not plans:
                plans, why = lowered.plans(row["name"], width)
        if plans:
            made.append((row, plans))
        elif names is None:
            left.append(why)
        else:
            fail("--convention must have a plan at its widths", why)
    return made, left


def progression(numbers: list[int]) -> int | None:
    """The step of equally spaced numbers, modulo 2^32."""
    steps = {(b - a) % 2**32 for a, b in zip(numbers, numbers[1:])}
    return (steps or {0}).pop() if len(steps) <= 1 else None


def runs(rows: list, spaced: callable) -> list[list]:
    """The rows in few lists, each of which `spaced` takes."""
    out: list[list] = []
    for row in rows:
        if out and spaced([*out[-1], row]):
            out[-1].append(row)
        else:
            out.append([row])
    return out


def pair_steps(run: list[list[int]]) -> tuple[int, int, int] | None:
    read, written = ([pair[i] for pair in run] for i in (0, 2))
    seconds = [progression([pair[i] for pair in run]) for i in (1, 3, 5, 7)]
    first = progression(read), progression(written)
    frequency = seconds[2]
    same_axes = len({(pair[4], pair[6]) for pair in run}) == 1
    if not same_axes or None in (*first, *seconds) or seconds[0] != first[0] or seconds[1] != first[1] or seconds[3] != frequency:
        return None
    return first[0], first[1], frequency


class Writer:
    """Arrays, each of which stands once."""

    def __init__(self) -> None:
        self.frequencies: dict[str, int] = {}
        self.arrays: dict[tuple[str, str], str] = {}  # of a type: its values, and its name
        self.counts: dict[str, int] = {}

    def array(self, of: str, name: str, values: str) -> str:
        if (of, values) not in self.arrays:
            number = self.counts.setdefault(name, 0)
            self.counts[name] += 1
            self.arrays[of, values] = f"{name}_{number}"
        return self.arrays[of, values]

    def frequency(self, of: list) -> int:
        return self.frequencies.setdefault(json.dumps(of), len(self.frequencies))

    def ladder(self, entries: list) -> str:
        return self.array("std::uint16_t", "ladder", ", ".join(str(self.frequency(each)) for each in entries))

    def factor(self, of: list | None) -> str:
        if of is None:
            return "nullptr"
        digits, negative, exponent, error, nearest, rest, nearest_exponent, f32, f16, bf16 = of
        return self.array(
            "FactorMade",
            "factor",
            f"{{0x{digits[:16]}, 0x{digits[16:]}, {'true' if negative else 'false'}, {exponent}, {error}, {nearest}, {rest}, "
            f"{nearest_exponent}, {f32}f, {f16}, {bf16}}}",
        )

    def plan(self, plan: dict) -> str:
        ladders = self.array("plan::Ladder", "ladders", ", ".join(self.ladder(each) for each in plan["ladders"]))
        made = []
        if "pairs" in plan:
            for run in runs(plan["pairs"], pair_steps):
                r0, r1, w0, w1, a0, f0, a1, f1 = run[0]
                c, w, f = pair_steps(run)
                made.append(f"{{{len(run)}, {{{r0}, {r1}}}, {{{w0}, {w1}}}, {{{a0}, {a1}}}, {{{f0}, {f1}}}, {c}, {w}, {f}}}")
            spans = self.array("PairsMade", "pairs", ", ".join(made)) + ", {}"
        else:
            for run in columns(plan["row"]):
                first, (kind, quarter, frequency) = run[0]
                step = run[1][0] - first if len(run) > 1 else 1
                rise = run[1][1][2] - frequency if len(run) > 1 else 0
                made.append(f"{{{len(run)}, {first}, {step}, {quarter}, {'true' if kind == 1 else 'false'}, {frequency}, {rise}}}")
            spans = "{}, " + self.array("ColumnsMade", "columns", ", ".join(made))
        backward = "true" if plan.get("backward") else "false"
        return f"{{{plan['width']}, {plan['from']}, {spans}, {ladders}, {self.factor(plan['factor'])}, {backward}, {plan.get('stored', 1)}}}"


def columns(row: list[list[int]]) -> list[list]:
    """Columns of one kind and quarter that are evenly spaced, as are their frequencies."""
    kinds: dict[tuple[int, int], list] = {}
    for at, column in enumerate(row):
        kinds.setdefault((column[0], column[1]), []).append((at, column))

    def spaced(run: list) -> bool:
        return progression([at for at, _ in run]) is not None and progression([column[2] for _, column in run]) is not None

    return [run for of in kinds.values() for run in runs(of, spaced)]


def source(made: list[tuple[dict, list[dict]]]) -> str:
    writer = Writer()
    conventions, names = [], []
    for number, (row, plans) in enumerate(made):
        lines = writer.array("PlanMade", "plans", ", ".join(writer.plan(plan) for plan in plans))
        axes = ", ".join(json.dumps(axis) for axis in plans[0].get("axes", []))
        axes = writer.array("std::string_view", "names", axes) if axes else "{}"
        by_length = "true" if plans[0]["regimes"] > 1 else "false"
        conventions.append(f"    {{{json.dumps(row['name'])}, {axes}, {by_length}, {lines}}},")
        aliases = ", ".join(json.dumps(each) for each in row["aliases"])
        aliases = writer.array("std::string_view", "names", aliases) if aliases else "{}"
        aliases = f"detail::{aliases}" if aliases != "{}" else aliases
        names.append(f"    {{{json.dumps(row['name'])}, {{&detail::conventions[{number}]}}, {json.dumps(row['source'])}, {aliases}}},")
    out = ["namespace posenc::numerics {", "namespace {", "", "// Every frequency of the plans, once.", "constexpr Frequency frequencies[] = {"]
    for each in writer.frequencies:
        digits, exponent, negative, (denominator, quarter, numerator) = json.loads(each)
        limbs = ", ".join("0x" + digits[i : i + 16] for i in range(0, 64, 16))
        more = f", {'true' if negative else 'false'}, {denominator}, {quarter}, {numerator}" if negative or denominator else ""
        out.append(f"    {{{{{limbs}}}, {exponent}{more}}},")
    out += ["};", "", "}  // namespace", "}  // namespace posenc::numerics", "", "namespace posenc::detail {", "namespace {", ""]
    # Arrays come after those that they name, which were made before them.
    for (of, values), name in writer.arrays.items():
        out.append(f"constexpr {of} {name}[] = {{{values}}};")
    out += ["constexpr Made conventions[] = {", *conventions, "};", "", "}  // namespace", "}  // namespace posenc::detail", ""]
    out += ["namespace posenc {", "namespace {", "", "constexpr Preset all_presets[] = {", *names, "};", "", "}  // namespace", ""]
    out += ["cpp20::span<const Preset> presets() { return all_presets; }", "", "}  // namespace posenc", ""]
    return "\n".join(out)
