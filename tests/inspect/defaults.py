# SPDX-License-Identifier: Apache-2.0
"""Writes tests/inspect/defaults.json: of every model type that has a row, what transformers' own configuration class holds where
nothing is stated, but for keys that cannot be about positions.

    build/goldens/transformers/venv/bin/python -B tests/inspect/defaults.py

model_types_test.py compares and writes nothing. Made by transformers 5.23.0."""
import json
import math
import pathlib

FILE = pathlib.Path(__file__).with_name("defaults.json")
# Words of keys that may say something about positions, heads, layers or scales.
WORDS = ("rope", "rotary", "alibi", "position", "theta", "yarn", "head", "hidden_size", "embedding_size", "d_kv", "layer", "n_embd", "n_ctx", "d_model",
         "dim", "kv_channels", "sliding", "window", "attn", "scale", "scalar", "multiplier", "buckets", "relative", "distance",
         "pad_token_id", "vocab_size", "patch_size", "image_size", "depth", "period", "block_types", "type")
NO_WORDS = ("initializer", "norm", "dropout", "intermediate", "moe_", "expert", "mlp", "out_features", "out_indices", "ffn",
            "drop", "problem_type", "logit", "stage_names", "layerscale", "num_key_value")


def finite(value):
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, (list, tuple)):
        return [finite(item) for item in value]
    return {str(key): finite(item) for key, item in value.items()} if isinstance(value, dict) else value


def held(config):
    document = json.loads(json.dumps(finite(config.to_dict()), default=str))
    kept = {key: value for key, value in document.items()
            if any(word in key for word in WORDS) and not any(word in key for word in NO_WORDS)
            and not key.endswith("_config")}
    return {"model_type": document["model_type"], **{key: kept[key] for key in sorted(kept) if key != "model_type"}}


def recorded(types):
    from transformers import CONFIG_MAPPING
    found = {}
    for kind in types:
        if kind not in CONFIG_MAPPING:
            continue
        config = CONFIG_MAPPING[kind]()
        if getattr(config, "sub_configs", None) and any(name in config.sub_configs for name in ("text_config", "thinker_config")):
            continue  # its parts have types of their own
        found[kind] = held(config)
    return found


def text(found):
    """A line for each type."""
    lines = [f" {json.dumps(kind)}: {json.dumps(found[kind])}" for kind in sorted(found)]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    import model_types_test
    FILE.write_text(text(recorded(model_types_test.types_of(pathlib.Path(__file__).resolve().parents[2]))))
