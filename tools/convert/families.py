# SPDX-License-Identifier: Apache-2.0
"""families/F.json, in which "like" names a family that has all the rest; null takes an entry of it away."""
import json


def load(folder, name):
    said = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return merged(load(folder, said.pop("like")), said) if "like" in said else said


def names(folder):
    return sorted(path.stem for path in folder.glob("*.json"))


def merged(below, above):
    """Objects are merged by their keys, anything else is replaced."""
    result = dict(below)
    for key, value in above.items():
        both = isinstance(value, dict) and isinstance(result.get(key), dict)
        result[key] = merged(result[key], value) if both and "table" not in result[key] else value
    return result
