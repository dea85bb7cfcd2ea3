# SPDX-License-Identifier: Apache-2.0
# Default configurations of transformers' model types, and each with every scaling: posenc inspect says the frequencies,
# the attention factor and the pairing that transformers computes. Types of images and of several models are compared as
# other_types.py says.
#
# Usage: model_types_test.py TOOL SOURCE_DIR. It runs itself in the environment of the goldens of transformers (5.23.0,
# torch 2.13.0), which it makes where it is not there.

import importlib
import json
import math
import pathlib
import subprocess
import sys

import defaults
import other_types

LEAST_TYPES = 120
STEPS = {"llama3": 8}  # of 2^-23, relative, else 4: blends of f32 lose more than products
SCALINGS = {
    "default": {},
    "linear": {"factor": 3.0},
    "dynamic": {"factor": 2.0},
    "yarn": {"factor": 8.0, "original_max_position_embeddings": 1024},
    "llama3": {"factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0, "original_max_position_embeddings": 1024},
}
# Types whose default has no attention that turns.
BASES = {"bamba": {"attn_layer_indices": [9, 18, 27]},
         "granitemoehybrid": {"position_embedding_type": "rope", "layer_types": ["linear_attention", "full_attention"] * 16}}
# Types whose pairs a key decides.
VARIED = {kind: {"rope_interleave": False} for kind in ("deepseek_v3", "glm4_moe_lite", "youtu")}
# Modules whose text rotation has another name than that of the module alone.
SYMBOLS = {"qwen3_omni_moe_text": "Qwen3OmniMoeThinkerTextRotaryEmbedding",
           "qwen3_omni_moe_talker_text": "Qwen3OmniMoeTalkerRotaryEmbedding",
           "qwen3_omni_moe_talker_code_predictor": "Qwen3OmniMoeRotaryEmbedding",
           "evolla": "EvollaRotaryEmbedding", "qwen2_5_omni_text": "Qwen2_5OmniRotaryEmbedding"}


def rotary_class(config, kind):
    module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    names = [name for name in vars(module) if name.endswith("RotaryEmbedding") and
             vars(module)[name].__module__ == module.__name__]
    names = [SYMBOLS[kind]] if kind in SYMBOLS else [name for name in names if "Vision" not in name and "Audio" not in name]
    return (module, getattr(module, names[0])) if len(names) == 1 else (module, None)


def theirs(config, kind):
    """By layer type, or None: the frequencies and the attention factor."""
    _, rotary = rotary_class(config, kind)
    made = rotary(config)
    layers = [key for key, value in config.rope_parameters.items() if isinstance(value, dict)] or [None]
    found = {}
    for layer in layers:
        prefix = f"{layer}_" if layer else ""
        found[layer] = ([float(w) for w in getattr(made, prefix + "inv_freq").double()],
                        float(getattr(made, prefix + "attention_scaling", 1.0)))
    return found


def dealt(convention):
    """Pairs of each axis, or None where there is one axis."""
    counts = {axis: 0 for axis in convention["axes"]}
    for stretch in convention.get("deal") or []:
        for i in range(stretch["pairs"]):
            counts[stretch["axes"][i % len(stretch["axes"])]] += 1
    return counts if len(counts) > 1 else None


def sections(config, kind):
    """What the module takes for mrope_section, by axis, where it has one."""
    _, rotary = rotary_class(config, kind)
    found = getattr(rotary(config), "mrope_section", None)
    return found and dict(zip("yxt" if kind.startswith("ernie") else "tyx", found))


def pairing(config, kind):
    """How the module's own function turns, where it has one of (q, k, cos, sin): which column goes with column 0."""
    import torch
    module, _ = rotary_class(config, kind)
    by_neighbours = [("apply_rotary_pos_emb_interleave", "split_half")] if getattr(config, "rope_interleave", True) else []
    for name, written in (*by_neighbours, ("apply_rotary_pos_emb", "in_place")):
        turn = getattr(module, name, None)
        if turn is None:
            continue
        q = torch.zeros(1, 1, 1, 8)
        q[..., 0] = 1
        angles = torch.tensor([0.1, 0.2, 0.3, 0.4]).repeat(2)[None, None]
        try:
            turned = turn(q, q, angles.cos(), angles.sin())[0].flatten()
        except Exception:
            return None
        places = [i for i in range(8) if abs(turned[i]) > 1e-6]
        if written == "split_half":
            return ("adjacent", "split_half")
        return ("adjacent" if places == [0, 1] else "split_half" if places == [0, 4] else "?", written)
    return None


def config_type(config):
    return config.rope_parameters.get("rope_type")


def ours(tool, folder, document):
    path = folder / "config.json"
    path.write_text(json.dumps(document))
    done = subprocess.run([tool, "inspect", path, "--json", "--partial"], capture_output=True, text=True)
    if done.returncode:
        return None, done.stderr.strip()
    return json.loads(done.stdout), None


def distance(a, b):
    return max((abs(x - y) / max(abs(x), abs(y)) * 2**23 for x, y in zip(a, b) if x != y), default=0.0)


class Refused(Exception):
    """inspect refuses the configuration, as its rules say."""


def compared(tool, folder, config, kind, document):
    """What is wrong, or None."""
    found, problem = ours(tool, folder, document)
    if problem and "must be a multiple of" in problem:
        raise Refused(problem)  # its heads do not divide its width, and it states no width of a head
    if problem:
        return problem
    roles = {name: role for name, role in found["roles"].items() if name.startswith("rotary")}
    if not roles and len(found["layers"]["without"]) == found["layers"]["count"]:
        raise Refused("no layer of its default has attention")
    want = theirs(config, kind)
    for layer, (frequencies, factor) in want.items():
        role = roles.get(f"rotary.{layer}") or roles.get("rotary")
        if role is None:
            return f"no role for {layer}: {list(roles)}"
        listed = next(iter(role["frequencies"].values()))
        if len(listed) != len(frequencies):
            return f"{layer}: {len(listed)} frequencies, {len(frequencies)} expected"
        if kind.startswith("ernie4_5_vl"):  # whose buffer stands in the order of its axes
            listed, frequencies = sorted(listed), sorted(frequencies)
        if distance(listed, frequencies) > STEPS.get(config_type(config), 4):
            return f"{layer}: frequencies {distance(listed, frequencies):.1f} steps apart"
        if abs(role["magnitude"] - factor) > 1e-12:
            return f"{layer}: magnitude {role['magnitude']}, {factor} expected"
    turned = pairing(config, kind)
    convention = next(iter(roles.values()))["convention"]
    axes = sections(config, kind)
    if axes and config_type(config) == "default" and 2 * sum(axes.values()) == next(iter(roles.values()))["width"]["rotated"]:
        if dealt(convention) != axes:
            return f"pairs {dealt(convention)}, {axes} expected"
    if turned and turned[0] != "?" and turned != (convention["pairing"], convention["written"]):
        return f"pairing {convention['pairing']}, written {convention['written']}; {turned} expected"
    return None


def plain(config, keep=()):
    """What the configuration would write into its file, without the rope object but where it is kept."""
    document = config.to_dict()
    if "rope_parameters" not in keep:
        document.pop("rope_parameters", None)
    endless = lambda value: isinstance(value, float) and not math.isfinite(value)  # which JSON has not
    finite = lambda value: None if endless(value) else [finite(v) for v in value] if isinstance(value, (list, tuple)) else (
        {k: finite(v) for k, v in value.items()} if isinstance(value, dict) else value)
    return json.loads(json.dumps(finite(document), default=str))


def run(tool, types):
    import tempfile
    import transformers
    from transformers import CONFIG_MAPPING
    transformers.logging.set_verbosity_error()
    checked, faults, refused, count = [], [], [], 0
    for kind in types:
        if kind not in CONFIG_MAPPING:
            continue
        for name, numbers in {**SCALINGS, **({"varied": {}} if kind in VARIED else {})}.items():
            try:
                keys = {**BASES.get(kind, {}), **(VARIED[kind] if name == "varied" else {})}
                base = CONFIG_MAPPING[kind](**keys)
                if not getattr(base, "rope_parameters", None) or rotary_class(base, kind)[1] is None:
                    break
                nested = any(isinstance(value, (dict, type(None))) for value in base.rope_parameters.values())
                if name in ("default", "varied"):
                    config, rope = base, base.rope_parameters
                elif nested or base.rope_parameters.get("rope_type") != "default":
                    break
                else:
                    keep = {key: value for key, value in base.rope_parameters.items() if key != "rope_type"}
                    rope = {**keep, "rope_type": name, **numbers}
                    config = CONFIG_MAPPING[kind](rope_parameters=dict(rope), **BASES.get(kind, {}))
                theirs(config, kind)
            except Exception as error:
                print(f"{kind} {name}: not made by transformers: {type(error).__name__}: {str(error)[:120]}")
                break
            document = {**plain(config), "rope_parameters": rope}
            with tempfile.TemporaryDirectory() as folder:
                try:
                    fault = compared(tool, pathlib.Path(folder), config, kind, document)
                except Refused as reason:
                    refused.append(f"{kind} {name}: not compared: {reason}")
                    continue
            count += 1
            if fault:
                faults.append(f"{kind} {name}: {fault}")
            elif name == "default":
                checked.append(kind)
    with tempfile.TemporaryDirectory() as folder:
        for name, fault in other_types.of_all(tool, pathlib.Path(folder), plain, CONFIG_MAPPING):
            count += 1
            if fault:
                faults.append(f"{name}: {fault}")
            elif "{" not in name:
                checked.append(name)
    if defaults.text(defaults.recorded(types)) != defaults.FILE.read_text():
        faults.append("defaults.json: transformers says otherwise; defaults.py writes what it says")
    for line in refused + faults:
        print(line)
    print(f"{len(checked)} model types, {count} configurations, {len(refused)} not compared, {len(faults)} differ")
    return 1 if faults or len(checked) < LEAST_TYPES else 0


def types_of(source):
    """The model types of the rows."""
    import re
    text = "".join(path.read_text() for path in sorted((source / "src/inspect").glob("families_*.cc")))
    rows = re.findall(r'\.types =\s*((?:"[^"]*"\s*)+)', text)
    return sorted({word for row in rows for word in "".join(re.findall(r'"([^"]*)"', row)).split()})


if __name__ == "__main__":
    tool, source = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    if sys.argv[3:] != ["--here"]:
        sys.path.insert(0, str(source / "tools/goldens"))
        import goldens
        python = goldens.python_of("transformers")
        sys.exit(subprocess.run([python, "-B", __file__, str(tool), str(source), "--here"]).returncode)
    sys.exit(run(tool, types_of(source)))
