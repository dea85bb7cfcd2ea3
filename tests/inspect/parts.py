# SPDX-License-Identifier: Apache-2.0
"""Writes tests/inspect/parts.json: for every model type of transformers whose configuration class holds others
(sub_configs), by the keys of these, the type that the class makes of each where nothing is stated: null where it makes
none, "" where that has no type of its own, or no default can be made.

    PYTHON -B tests/inspect/parts.py     # in an environment of transformers 5.24.0, without torch
"""
import json
import pathlib

FILE = pathlib.Path(__file__).with_name("parts.json")
VERSION = "5.24.0"


def classes():
    """Configuration classes by model type; a part that has no type of its own is called by its place in its whole."""
    from transformers import CONFIG_MAPPING

    found = {}
    for kind in CONFIG_MAPPING:
        found[kind] = CONFIG_MAPPING[kind]
        for key, inner in (getattr(found[kind], "sub_configs", None) or {}).items():
            if not getattr(inner, "model_type", "AutoConfig"):
                found.setdefault(f"{kind}_{key.removesuffix('_config')}", inner)
    return found


def parts_of(config):
    try:
        made = config()
    except Exception:  # one that no default can be made of
        return dict.fromkeys(config.sub_configs, "")
    inner = {key: getattr(made, key, None) for key in config.sub_configs}
    return {key: None if value is None else value.model_type for key, value in inner.items()}


def text():
    """A line for each type."""
    held = {kind: config for kind, config in classes().items() if getattr(config, "sub_configs", None)}
    lines = [f" {json.dumps(kind)}: {json.dumps(parts_of(held[kind]))}" for kind in sorted(held)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    import transformers

    assert transformers.__version__ == VERSION, transformers.__version__
    transformers.logging.set_verbosity_error()
    FILE.write_text(text())
