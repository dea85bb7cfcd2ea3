# SPDX-License-Identifier: Apache-2.0
"""What a model of transformers, made of a configuration, holds of positions: by name, whatever the layer. sweep.py uses it."""

import ast
import importlib
import json
import math
import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[2]
# Attributes of modules that are numbers of positions, of scores, or of the embedding.
NUMBERS = re.compile(
    r"pos_att|scal|multiplier|rotary|rope|alibi|position|bucket|distance|interleave|temperature|theta|softmax"
)
NO_NUMBERS = re.compile(
    r"residual|logit|mlp|ssm|lm_head|router|expert|norm_before|layer_scale|routed|lauxi|gate|out_multi|init|drop|"
    r"gradient|(?<!pos_att)_type$|max_position|type_vocab|token_type|has_position|padding_idx|max_seq|fp32|resampler|time_step|rescale|altup"
)
# Tables and buffers of positions.
PLACES = re.compile(
    r"position|pos_emb|wpe|embed_pos|rel_|relative|bias_table|alibi|rotary|sin|inv_freq|embed_scale", re.I
)
NO_PLACES = re.compile(r"position_ids|token_type|dense|\.LayerNorm|layer_norm|norm\.|_proj|resampler|per_layer|sinks|perceiver|prompt")
KINDS = re.compile(r"Attention|Embedding|Rotary|Position|Model$|Layer$|Encoder$|Decoder$|Stack$|Mixer")
# Scores, which are multiplied with 1 / sqrt(head) besides.
SCORES = ("scaling", "scale", "softmax_scale", "attention_scaling_factor")
HEADS = ("bloom", "mpt", "falcon", "mpnet")  # whose bias has a slope or a column for each head
# Rows whose layers are of kinds: which is of which counts.
ROWS = (ROOT / "src/inspect/families_layered.cc").read_text()
LAYERED = [*re.findall(r"[\w-]+", " ".join(re.findall(r'\.types = "([^"]*)"', ROWS))), "lfm2", "lfm2_moe", "recurrent_gemma"]
NO_LAYERS = re.compile(r"experts")


def module_of(config):
    return importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))


def model_of(config):
    """A model of that configuration without a head, or the widest of its parts."""
    import torch
    from transformers import PreTrainedModel

    module = module_of(config)
    found = []
    for value in vars(module).values():
        own = isinstance(value, type) and issubclass(value, PreTrainedModel) and value.__module__ == module.__name__
        plain = own and not value.__name__.endswith("PreTrainedModel") and "For" not in value.__name__
        if plain and value.config_class is type(config):
            found.append(value)
    found.sort(key=lambda value: (not value.__name__.endswith("Model"), len(value.__name__)))
    config._attn_implementation = "eager"
    with torch.no_grad():
        return found[0](config)


def short(value):
    """A number as it is compared: seven digits."""
    if isinstance(value, float):
        return float(f"{value:.7g}")
    return [short(item) for item in value] if isinstance(value, list | tuple) else value


def head_of(module):
    for name in ("head_dim", "attention_head_size", "head_size", "qk_head_dim"):
        value = vars(module).get(name)
        if isinstance(value, int) and value > 0:
            return value
    return None


def numbers_of(module, turns):
    """Attributes that are numbers of interest; of scores what is beside 1 / sqrt(head)."""
    found = {}
    head = head_of(module)
    for name, value in vars(module).items():
        if name.startswith("_") or not NUMBERS.search(name) or NO_NUMBERS.search(name):
            continue
        listed = isinstance(value, list | tuple) and all(isinstance(item, int | float | str) for item in value)
        if not listed and not isinstance(value, bool | int | float):
            continue
        by_head = name in SCORES and head and isinstance(value, float)
        found[name] = short(value * math.sqrt(head) if by_head else value)
    if head and turns:
        found["head"] = head
    return found


def far(module):
    """The frequencies of a rotary module that has met a position far beyond its length."""
    import torch

    module.forward(torch.zeros(1, 1, 1), torch.tensor([[1 << 16]]))
    return short(module.inv_freq.double().tolist())


def kind_of(module):
    """Which kind of layer it is."""
    found = {}
    for key in ("attention_type", "layer_type", "is_sliding", "sliding_window", "use_rope"):
        value = vars(module).get(key)
        if key in vars(module) and not isinstance(value, list):
            found[key] = value if isinstance(value, str | int) and key != "sliding_window" else value is not None
    return found


def found_in(model, config):
    """By the full name of each."""
    found = {}
    turns = any("inv_freq" in name for name, _ in model.named_buffers()) or getattr(config, "rotary_dim", None)
    for name, weight in model.named_parameters():
        if PLACES.search(name) and not NO_PLACES.search(name):
            found[name] = list(weight.shape)
    for name, held in model.named_buffers():
        if PLACES.search(name) and not NO_PLACES.search(name) and "original" not in name:
            values = held.double().flatten()
            found[name] = [list(held.shape), short(values[:64].tolist()), short(float(values.sum()))]
    for name, module in model.named_modules():
        kind = type(module).__name__
        if KINDS.search(kind) and not NO_PLACES.search(name):
            numbers = numbers_of(module, turns and "Attention" in kind)
            found.update({f"{name}.{key}": value for key, value in numbers.items()})
        if getattr(module, "rope_type", None) in ("dynamic", "longrope"):
            found[f"{name}.far"] = far(module)
        if config.model_type in LAYERED:
            found.update({f"{name}.{key}": value for key, value in kind_of(module).items()})
        if "osition" in kind + name and isinstance(vars(module).get("padding_idx"), int):
            found[f"{name}.padding_idx"] = module.padding_idx
        if config.model_type in HEADS:
            heads = {key: vars(module).get(key) for key in ("num_heads", "num_attention_heads")}
            found.update({f"{name}.{key}": value for key, value in heads.items() if isinstance(value, int)})
    return found


def positions_of(config):
    """What a model of the configuration holds of positions: the values of each name, layer by layer where it has kinds."""
    united = {}
    for name, value in found_in(model_of(config), config).items():
        layered = config.model_type in LAYERED and not NO_LAYERS.search(name)
        united.setdefault(name if layered else re.sub(r"\.\d+(?=\.)", "", name), set()).add(json.dumps(value))
    return {name: sorted(values) for name, values in united.items()}


def read_while_running(config, kept={}):
    """Keys that speak of numbers of interest and that functions of the module read, but for those that make modules."""
    module = module_of(config)
    if module not in kept:
        makers = ("__init__", "_init_weights", "compute_default_rope_parameters")
        found = set()
        for body in ast.walk(ast.parse(pathlib.Path(module.__file__).read_text())):
            if isinstance(body, ast.FunctionDef) and body.name not in makers:
                reads = [node for node in ast.walk(body) if isinstance(node, ast.Attribute)]
                found |= {node.attr for node in reads if ast.unparse(node.value) in ("self.config", "config")}
        kept[module] = {key for key in found if NUMBERS.search(key) and not NO_NUMBERS.search(key)}
    return kept[module]
