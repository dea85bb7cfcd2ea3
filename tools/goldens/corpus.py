# SPDX-License-Identifier: Apache-2.0
"""tests/referee/corpus: tables by the packages of others, with what is true of each, to judge the referee by.

usage: corpus.py [--check]      (./dev goldens corpus calls this, in an environment of NumPy)
open.safetensors may be read while identify is written, and so may seen.safetensors and seen-2.safetensors, which judged
it once.
held.safetensors, the last round of draws, is for the next judgement alone. The name of a case decides which file has it
(corpus_rounds.py), so that a further case moves no other.

A case of a later round is left out for two reasons alone: it says nothing, whatever the convention (factors of queries or
classes of pairs that are one number everywhere, a table of fewer than 2 rows, a list of fewer than 2 numbers), or an
earlier round has its tensors.
"""
import record  # chooses the CPU target: before NumPy

import json
import math
import subprocess
import sys

import numpy as np

import corpus_works
import goldens
from corpus_rounds import FILES, digest, file_of, round_of

FOLDER = record.HERE.parents[1] / "tests" / "referee" / "corpus"
PARTS = ("", "before", "after")
LARGEST = 4_000_000  # bytes of a file
ABOUT = ("tables by the packages of others; the metadata has under the name of a tensor what is true of it: docs/goldens.md, "
         "The corpus of the referee")


# ---- what the packages computed -------------------------------------------------------------------

def computed(package):
    """(metadata, tensors) by corpus_part.py in the environment of the package."""
    path = goldens.BUILD / "corpus" / f"{package}.safetensors"
    path.parent.mkdir(parents=True, exist_ok=True)
    command = [goldens.python_of(package), "-B", record.HERE / "corpus_part.py", package, path]
    subprocess.run(command, check=True, cwd=goldens.ROOT)
    return record.unpack(path.read_bytes())


def pinned(package):
    """PACKAGE VERSION, as its requirements pin it."""
    lines = (line.partition("  #")[0].partition("==") for line in goldens.required(package).splitlines())
    return next((f"{name} {version}" for name, _, version in lines if name.lower().startswith(package)), package)


# ---- dressing -----------------------------------------------------------------------------------------

def to_bf16(array):
    """Ties to even; no NaN is here."""
    bits = array.astype("<f4").view("<u4").astype(np.uint64)
    return record.bf16((bits + 0x7FFF + (bits >> 16 & 1)) >> 16)


def from_bf16(array):
    return (record.patterns(array).astype("<u4") << 16).view("<f4")


def rounded(array, storage):
    if storage == "own" or record.dtype_name(array) in ("bf16", "f16"):
        return array
    if storage == "bf16":
        return to_bf16(array)
    return array.astype({"f16": "<f2", "f32": "<f4", "i32": "<i4", "i64": "<i8"}[storage])


def widened(array):
    name = record.dtype_name(array)
    return from_bf16(array) if name == "bf16" else array.astype("<f4") if name == "f16" else array


def turned_to(orientation, array, grid):
    if orientation == "[1,L,d]" or orientation == "[1,HW,d]":
        return array[None]
    if orientation == "[L,1,d]":
        return array[:, None]
    if orientation == "[d,L]":
        return array.T
    return array.reshape(*grid, -1) if orientation == "[H,W,d]" else array


def scale_of(dress, width):
    return float(np.float32(math.sqrt(width) if dress.scale == "root" else float(dress.scale)))


def dressed(case, array):
    """(array as it is stored, fields of the record that say so)"""
    dress, fields = case.dress, {"scale": 1}
    if case.kind in ("table", "grid") and array.shape[1] != case.says["width"]:
        fields["columns"] = array.shape[1]
    if dress.scale != "1":
        fields["scale"] = scale_of(dress, case.says["width"])
        array = array.astype("<f4") * np.float32(fields["scale"])
    array = rounded(array, dress.storage)
    fields["storage"] = record.dtype_name(array)
    if dress.back == "widened":
        array = widened(array)
    if dress.lead:
        fields["lead"] = dress.lead
        array = np.concatenate([np.zeros((dress.lead, array.shape[1]), array.dtype), array])
    fields["orientation"] = dress.orientation or f"[{','.join(map(str, array.shape))}]"
    return np.ascontiguousarray(turned_to(dress.orientation, array, case.says.get("grid"))), fields


# ---- the files -----------------------------------------------------------------------------------------

def record_of(case, fields):
    stated = {"preset": case.preset, "kind": case.kind, "package": pinned(case.package), "call": case.call, "set": {}}
    return stated | case.says | fields


def tensors_of(case, parts, known):
    """{tensor: (array, record)}: one, or two that name each other."""
    name = "t" + digest("corpus", case.name)[:10]
    if "" in parts:
        array, fields = dressed(case, parts[""])
        return {name: (array, record_of(case, known | fields))}
    fields = known | {"scale": 1, "storage": record.dtype_name(parts["before"]), "orientation": "[1,heads,L,d]",
                      "before": f"{name}.before", "after": f"{name}.after"}
    return {f"{name}.{part}": (np.ascontiguousarray(array), record_of(case, fields)) for part, array in parts.items()}


def says_nothing(case, array):
    """Of a tensor as it came from its package; numbers that are one once they are stored count as one."""
    if case.kind in ("query_scale", "buckets"):
        stored = widened(rounded(array, case.dress.storage))
        return bool((stored == stored.flat[0]).all())
    if case.kind in ("table", "grid", "cos", "sin", "cos_sin"):
        return len(array) < 2
    return case.kind in ("inv_freq", "slopes") and array.size < 2


def contents(tensors):
    """Alike for tensors of the same numbers, types and shapes."""
    return tuple((array.tobytes(), array.dtype.str, array.shape) for array, _ in tensors.values())


def all_made():
    """[(case, {tensor: (array, record)})], earlier rounds first, and who made them."""
    cases, made, made_by = corpus_works.cases(), [], []
    for package in sorted({case.package for case in cases}):
        metadata, tensors = computed(package)
        made_by.append(metadata["made_by"])
        for case in (each for each in cases if each.package == package):
            parts = {part: tensors[f"{case.name}.{part}"] for part in PARTS if f"{case.name}.{part}" in tensors}
            if round_of(case.name) == 1 or not any(says_nothing(case, array) for array in parts.values()):
                made.append((case, tensors_of(case, parts, json.loads(metadata[case.name]))))
    return sorted(made, key=lambda each: round_of(each[0].name)), "; ".join(dict.fromkeys(made_by))


def made():
    """{file: its bytes}"""
    cases, made_by = all_made()
    files = {name: ({"about": ABOUT, "made_by": made_by}, {}) for name in FILES}
    counts, known = {}, set()
    for case, tensors in cases:
        if round_of(case.name) > 1 and contents(tensors) in known:
            continue
        known.add(contents(tensors))
        name = file_of(case.name)
        for tensor, (array, stated) in tensors.items():
            files[name][0][tensor], files[name][1][tensor] = json.dumps(stated), array
        counts.setdefault(case.kind, dict.fromkeys(FILES, 0))[name] += 1
    for kind, count in sorted(counts.items()):
        print(f"{kind}: {', '.join(f'{number} {name}' for name, number in count.items())}")
    print(f"presets: {len({case.preset for case, _ in cases} - {'none'})}")
    return {name: record.pack(metadata, tensors) for name, (metadata, tensors) in files.items()}


def main(arguments):
    statuses = []
    for name, data in made().items():
        if len(data) > LARGEST:
            raise ValueError(f"{name}: {len(data)} bytes, more than {LARGEST}")
        if arguments == ["--check"]:
            statuses.append(record.check(name, data, lambda _: False, FOLDER))
        else:
            record.write(name, data, FOLDER)
    return 1 if 1 in statuses else max(statuses, default=0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
