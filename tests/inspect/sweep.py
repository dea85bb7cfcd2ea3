# SPDX-License-Identifier: Apache-2.0
"""Writes tests/inspect/sweep.json: of every model type that has a row, which keys of its configuration class change the
positions that transformers computes, turned one at a time.

    PYTHON -B tests/inspect/sweep.py              # in an environment of transformers 5.24.0, torch 2.13.0: minutes
    PYTHON -B tests/inspect/sweep.py llama mpt    # these alone, in the file that is there
    python3 -B tests/inspect/sweep.py --check     # whether that, and what parts.py and transformers_keys.py write, stands there

What counts as positions is read from a model of two layers that is made of the configuration: every rotary module's
frequencies and factor, also beyond the length where they change, every table of positions by its shape, buffers of
signals by their values, and numbers that its modules keep of scales, of scores and of positions. A key that a model
reads while it runs, and whose name speaks of these, counts as one that changes them. sweep_test.cc compares with what
inspect says."""

import json
import math
import pathlib
import subprocess
import sys
import typing

import parts
import sweep_positions

FILE = pathlib.Path(__file__).with_name("sweep.json")
sys.path.insert(0, str(sweep_positions.ROOT / "tools/inspect"))
import transformers_keys as keys_of_classes  # noqa: E402

# Sizes of a small model, where the class has the key.
SMALL = {
    64: "hidden_size d_model n_embd",
    2: "num_hidden_layers n_layer n_layers num_layers encoder_layers decoder_layers depth encoder_num_hidden_layers"
    " decoder_num_hidden_layers",
    4: "num_attention_heads n_head n_heads num_heads encoder_attention_heads attention_heads decoder_attention_heads"
    " encoder_num_attention_heads decoder_num_attention_heads num_key_value_heads encoder_num_key_value_heads"
    " decoder_num_key_value_heads",
    16: "intermediate_size ffn_dim encoder_ffn_dim decoder_ffn_dim d_ff moe_intermediate_size ffn_hidden_size"
    " expert_ffn_hidden_size shared_expert_intermediate_size d_kv q_lora_rank kv_lora_rank",
    8: "num_experts n_routed_experts num_local_experts moe_num_experts",
    32: "embedding_size",
    256: "vocab_size vocab_size_per_layer_input",
}
# Further keys that a small model needs so that it can be built and its keys have an effect.
MAMBA = {"mamba_n_heads": 8, "mamba_d_head": 16}
SIX, FOUR, THREE = {"num_hidden_layers": 6}, {"num_hidden_layers": 4}, {"num_hidden_layers": 3}
BASES = {
    "bamba": {"attn_layer_indices": [1], **MAMBA},
    "chameleon": {"vocabulary_map": {"<image>": 1}},
    "codegen": {"rotary_dim": 8},
    **dict.fromkeys(("cohere2", "llama4_text", "qwen3_5_moe_text", "qwen3_5_text", "qwen3_next", "smollm3"), FOUR),
    **dict.fromkeys(("gemma3_text", "gemma4_text"), SIX),
    "recurrent_gemma": THREE,
    "longcat_flash": {"head_dim": 64},
    "dbrx": {"attn_config": {"kv_n_heads": 4, "rope_theta": 10000.0}},
    "deberta-v2": {
        "relative_attention": True,
        "pos_att_type": ["c2p", "p2c"],
        "position_buckets": 8,
        "max_relative_positions": 32,
    },
    "deepseek_ocr2_text": {"mlp_layer_types": ["dense", "sparse"], "n_shared_experts": 1},
    "dots1": {"n_shared_experts": 1},
    "ernie4_5_vl_moe_text": {"moe_intermediate_size": [16, 16], "mlp_layer_types": ["dense", "sparse"]},
    "esm": {"position_embedding_type": "rotary", "pad_token_id": 1},
    "falcon_h1": {**MAMBA, "mamba_d_ssm": 128},
    "gemma3n_text": {"num_kv_shared_layers": 0},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "gptj": {"rotary_dim": 8},
    "granitemoehybrid": {
        "position_embedding_type": "rope",
        "layer_types": ["linear_attention", "full_attention"],
        **MAMBA,
    },
    "kyutai_speech_to_text": {"pad_token_id": 3, "audio_pad_token_id": 3, "audio_bos_token_id": 3},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"]},
    **dict.fromkeys(("t5gemma2_text", "t5gemma2_decoder"), {"dropout_rate": 0.0, **SIX}),
    "mamba2": {"num_heads": 8, "head_dim": 16},
    "qwen3_omni_moe_talker_text": {"shared_expert_intermediate_size": 16},
}
SCALINGS = {
    "linear": {"factor": 3.0},
    "dynamic": {"factor": 2.0, "original_max_position_embeddings": 512},
    "yarn": {
        "factor": 8.0,
        "original_max_position_embeddings": 1024,
        "beta_fast": 16.0,
        "beta_slow": 2.0,
        "mscale": 0.7,
        "mscale_all_dim": 1.0,
        "truncate": True,
    },
    "llama3": {
        "factor": 8.0,
        "low_freq_factor": 1.0,
        "high_freq_factor": 4.0,
        "original_max_position_embeddings": 1024,
    },
    "longrope": {
        "short_factor": [1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7],
        "long_factor": [2.0, 2.1, 2.2, 2.3, 2.4, 2.5, 2.6, 2.7],
        "original_max_position_embeddings": 1024,
        "factor": 4.0,
    },
}
SECTIONS = {"default": {"mrope_section": [4, 2, 2]}}
# Bases with a rope object of their own, whose keys are turned too: of a type for each reader of one.
ROPES = {
    "llama": SCALINGS,
    "deepseek_v3": {"yarn": SCALINGS["yarn"]},
    "hunyuan_v1_dense": {"dynamic": {"factor": 1.0, "alpha": 8.0}},
    "qwen2_vl_text": SECTIONS,
    "qwen3_vl_text": SECTIONS,
}
# Keys of every class that no model reads.
SKIPPED = (
    "model_type transformers_version architectures dtype torch_dtype id2label label2id name_or_path _name_or_path"
    " return_dict output_hidden_states output_attentions problem_type rope_parameters rope_scaling"
    " chunk_size_feed_forward is_encoder_decoder is_decoder add_cross_attention"
).split()


# ---- what a key is turned to ---------------------------------------------------------------------------


def options_of(annotation):
    """Strings that a key may be, where its class lists them; and the types of its values."""
    strings, types = [], []
    parts = [annotation] if typing.get_origin(annotation) is typing.Literal else typing.get_args(annotation)
    for part in parts or (annotation,):
        if typing.get_origin(part) is typing.Literal:
            strings += [item for item in typing.get_args(part) if isinstance(item, str)]
        else:
            types.append(part)
    return strings, types


def turned(name, value, annotation):
    """Values that the key may be turned to: the first of which a model can be made is taken."""
    strings, types = options_of(annotation)
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [2 * value, value // 2, value + 1, value + 2, 1] if value else [1, 2]
    if isinstance(value, float):
        return [2 * value, value / 2] if value else [0.5]
    if isinstance(value, str):
        others = ["absolute", "rope", "nope", "relative_key"] if name == "position_embedding_type" else []
        return [word for word in [*strings, *others] if word != value]
    if isinstance(value, list | tuple) and len(value) > 1 and all(isinstance(item, str) for item in value):
        return [list(value[:-1]), list(value[::-1])]
    if isinstance(value, list | tuple) and value and all(isinstance(item, int | float) for item in value):
        if not all(map(math.isfinite, value)):
            return [[item if math.isfinite(item) else 8.0 for item in value]]
        return [[*value[:-1], value[-1] + 1], [2 * item for item in value], [*value[1:], value[0]]]
    if value is None:
        by_type = {bool: [True], int: [8, 16], float: [0.5]}
        return [new for kind in by_type if kind in types for new in by_type[kind]] + strings
    return []


def annotations(config):
    found = {}
    for base in reversed(type(config).__mro__):
        found.update(getattr(base, "__annotations__", {}))
    return found


def kinds_turned(base):
    """Lists of layers, with the kinds of the first two exchanged or another one first."""
    found = {}
    for name in ("layer_types", "no_rope_layers", "layers_block_type"):
        held = getattr(base, name, None)
        if not isinstance(held, list) or len(held) < 2:
            continue
        kinds = [1 - held[0]] if isinstance(held[0], int) else ["full_attention", "sliding_attention"]
        found[name] = [[held[1], held[0], *held[2:]]] if held[0] != held[1] else []
        found[name] += [[other, *held[1:]] for other in kinds if other != held[0]]
    return found


def ropes_turned(base):
    """Rope objects: that of the base with each of its keys turned, by the path of the key."""
    held = getattr(base, "rope_parameters", None) or {}
    found = {}
    for layer, inner in held.items():
        numbers = inner.items() if isinstance(inner, dict) else ()
        for key, value in numbers:
            if isinstance(value, float):
                found[f"rope_parameters/{layer}/{key}"] = {**held, layer: {**inner, key: 2 * value}}
    if not held or found:
        return found
    for key, value in held.items():
        news = turned(key, value, float) if key != "rope_type" else []
        if news:  # of a list of sections one with the same sum
            found[f"rope_parameters/{key}"] = {**held, key: news[-1 if key == "mrope_section" else 0]}
    if held.get("rope_type") == "default":
        found["rope_parameters/partial_rotary_factor"] = {**held, "partial_rotary_factor": 0.5}
        found["rope_parameters/rope_type"] = {**held, "rope_type": "linear", "factor": 3.0}
    return found


def keys_turned(base, small, held):
    """Every key of the class with the values that it is turned to, by its path."""
    notes = annotations(base)
    for name in sorted(held):
        is_token = name.endswith(("_token_id", "_token_index")) and name != "pad_token_id"
        if name not in SKIPPED and not is_token:
            yield name, turned(name, small.get(name, held[name]), notes.get(name))
    yield from kinds_turned(base).items()
    if "rope_parameters" in held:
        yield from {"rope_theta": [777.0], "partial_rotary_factor": [0.5]}.items()
    inner = getattr(base, "attn_config", None)
    for name, value in inner.to_dict().items() if inner is not None else ():
        if name in annotations(inner) and name not in SKIPPED:
            news = turned(name, value, annotations(inner)[name])
            yield f"attn_config/{name}", [{**small.get("attn_config", {}), name: new} for new in news]


# ---- one type ------------------------------------------------------------------------------------------


def made(config, document):
    """What a model of that document holds of positions, or nothing where transformers refuses it."""
    try:
        return sweep_positions.positions_of(config(**document))
    except Exception:
        return None


def small_of(kind, held):
    small = {name: size for size, names in SMALL.items() for name in names.split()}
    small = {name: size for name, size in small.items() if name in held and not isinstance(held[name], list)}
    if "head_dim" in held and "num_attention_heads" in held:
        small["head_dim"] = 16
    if isinstance(held.get("pad_token_id"), int) and held["pad_token_id"] >= 256:
        small["pad_token_id"] = 0
    return {**small, **BASES.get(kind, {})}


def of_class(kind, rope=None):
    """The base, and the keys that change what transformers computes or leave it the same."""
    config = keys_of_classes.class_of(kind)
    held = keys_of_classes.defaults_of(config)
    small = {**small_of(kind, held), **({} if rope is None else {"rope_parameters": rope})}
    start = made(config, small)
    if start is None:
        return None
    base = config(**small)
    running = sweep_positions.read_while_running(base)
    same, changes = {}, {}

    def turn(path, values):
        for new in values:
            now = made(config, {**small, path.partition("/")[0]: new})
            if now is not None:
                (changes if now != start or path in running else same)[path] = new
                return

    for path, values in keys_turned(base, small, held) if rope is None else ():
        turn(path, values)
    for path, object in ropes_turned(base).items():
        if rope is None or path.partition("/")[2] in rope:
            turn(path, [object])
    return {"base": {"model_type": kind, **small}, "same": same, "changes": changes}


def recorded(kinds, found):
    for kind in kinds:
        config = keys_of_classes.class_of(kind)
        parts = getattr(config, "sub_configs", None) or {}
        if config is None or "text_config" in parts or "thinker_config" in parts:
            continue  # its parts have types of their own
        ropes = {f"{kind} {name}": {"rope_type": name, "rope_theta": 10000.0, **numbers}
                 for name, numbers in ROPES.get(kind, {}).items()}
        for name, rope in {kind: None, **ropes}.items():
            one = of_class(kind, rope)
            found.pop(name, None)
            if one is None:
                print("not made:", name, flush=True)
            else:
                found[name] = one
                print(name, len(one["same"]), "same", list(one["changes"]), flush=True)
    return found


# ---- the file ------------------------------------------------------------------------------------------


def text(found):
    """A line for each type; values of `same` that most types share stand once."""
    counts = {}
    for one in found.values():
        for key, value in one["same"].items():
            counts.setdefault(key, {}).setdefault(json.dumps(value), 0)
            counts[key][json.dumps(value)] += 1
    usual = {key: json.loads(max(sorted(values), key=values.get)) for key, values in counts.items()}
    lines = [f'"usual": {json.dumps(dict(sorted(usual.items())))}']
    for name, one in sorted(found.items()):
        own = {key: value for key, value in one["same"].items() if value != usual[key]}
        words = " ".join(sorted(set(one["same"]) - set(own)))
        held = {"base": one["base"], "changes": one["changes"], "same": own, "as_usual": words}
        lines.append(f'"{name}": {json.dumps(held, sort_keys=True)}')
    return "{\n " + ",\n ".join(lines) + "\n}\n"


def read():
    document = json.loads(FILE.read_text())
    usual = document.pop("usual")
    for one in document.values():
        one["same"].update({key: usual[key] for key in one.pop("as_usual").split()})
    return document


def check():
    """Runs --check-here in the environment of the goldens of that version, which it makes where it is not there."""
    sys.path.insert(0, str(sweep_positions.ROOT / "tools/goldens"))
    import goldens

    done = subprocess.run([goldens.python_of("transformers-5.24"), "-B", __file__, "--check-here"])
    return done.returncode


def check_here():
    """Names files that are not what these scripts write."""
    folder = keys_of_classes.FOLDER
    wanted = {
        FILE: text(recorded(keys_of_classes.types_with_rows(), {})),
        parts.FILE: parts.text(),
        folder / "default_sizes.cc": keys_of_classes.sizes_text(),
        folder / "foreign_keys.cc": keys_of_classes.keys_text(),
    }
    others = [path.name for path, held in wanted.items() if path.read_text() != held]
    print("other than what is written:", *others)
    return 1 if others else 0


def main(asked):
    import torch
    import transformers

    assert transformers.__version__ == keys_of_classes.VERSION, transformers.__version__
    transformers.logging.set_verbosity_error()
    torch.set_num_threads(1)
    for name in ("normal_", "uniform_", "trunc_normal_", "xavier_uniform_", "kaiming_uniform_", "kaiming_normal_"):
        setattr(torch.nn.init, name, lambda tensor, *_, **__: tensor)  # weights say nothing here
    if asked == ["--check-here"]:
        return check_here()
    kinds = asked or keys_of_classes.types_with_rows()
    FILE.write_text(text(recorded(kinds, read() if asked and FILE.exists() else {})))
    return 0


if __name__ == "__main__":
    sys.exit(check() if sys.argv[1:] == ["--check"] else main(sys.argv[1:]))
