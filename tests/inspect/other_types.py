# SPDX-License-Identifier: Apache-2.0
# Model types of images, sound and several models: what their own modules in transformers hold, against posenc inspect.
# model_types_test.py runs it; `of_all` yields a line for each model type, with what is wrong or None.

import importlib
import json
import math
import subprocess

STEPS = 4  # of 2^-23, relative

# Changes of the default configuration, each compared; every type has its default as well.
VARIANTS = {
    "albert": [{"embedding_size": 64}], "electra": [{"embedding_size": 64}],
    "deberta-v2": [{"position_biased_input": False}, {"relative_attention": True, "position_buckets": 256}],
    "vit": [{"image_size": [96, 160], "patch_size": 32}], "vit_msn": [{"image_size": 96}],
    "dinov2": [{"image_size": 518, "patch_size": 14}], "deit": [{"image_size": 384}],
    "clip_vision_model": [{"image_size": 336, "patch_size": 14}], "siglip_vision_model": [{"image_size": 384}],
    "beit": [{"use_relative_position_bias": True}, {"use_absolute_position_embeddings": True},
             {"use_shared_relative_position_bias": True, "image_size": [64, 96]}],
    "data2vec-vision": [{"use_relative_position_bias": True, "image_size": 64}],
    "swinv2": [{"image_size": 384, "window_size": 24, "pretrained_window_sizes": [12, 12, 12, 6]},
               {"image_size": 256, "window_size": 16}],
    "swin": [{"image_size": 384, "window_size": 12}],
    "dinov3_vit": [{"rope_theta": 256.0, "hidden_size": 1024, "num_attention_heads": 16}],
    "qwen3_omni_moe_vision_encoder": [{"rope_parameters": {"rope_type": "axial", "rope_theta": 500.0}}],
    "qwen3_vl_vision": [{"num_position_embeddings": 1024}], "qwen3_vl_moe_vision": [],
    "qwen2_vl_vision": [{"hidden_size": 8192}, {"embed_dim": 1024}], "qwen2_5_vl_vision": [{"hidden_size": 1280}],
    "glm4v_vision": [{"image_size": 448, "rope_parameters": {"rope_type": "axial", "rope_theta": 500.0}}],
    "glm4v_moe_vision": [], "glm_ocr_vision": [],
    "qwen3_omni_moe_audio_encoder": [{"d_model": 512, "max_source_positions": 300}], "qwen2_5_omni_audio_encoder": [],
}


def module_of(config):
    return importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))


def named(config, ending):
    """The one class of a model's module whose name ends so."""
    module = module_of(config)
    found = [value for name, value in vars(module).items()
             if name.endswith(ending) and "Patch" not in name and value.__module__ == module.__name__]
    assert len(found) == 1, (ending, found)
    return found[0]


class Ours:
    def __init__(self, tool, folder, document):
        self.tool, self.path = tool, folder / "config.json"
        self.path.write_text(json.dumps(document))
        self.found = json.loads(self.run("inspect", self.path, "--json"))

    def run(self, *words):
        done = subprocess.run([self.tool, *map(str, words)], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(done.stderr.strip())
        return done.stdout

    def roles(self):
        return self.found["roles"]

    def numbers(self, role, *words):
        report = json.loads(self.run("bias", "--config", f"{self.path}:{role}", "--json", *words))
        return report["values"]


def differ(what, ours, theirs):
    if ours != theirs:
        raise ValueError(f"{what}: {str(ours)[:80]}, {str(theirs)[:80]} expected")


def near(what, ours, theirs, steps=STEPS):
    if len(ours) != len(theirs):
        raise ValueError(f"{what}: {len(ours)} numbers, {len(theirs)} expected")
    apart = max((abs(x - y) / max(abs(x), abs(y)) * 2**23 for x, y in zip(ours, theirs) if x != y), default=0.0)
    if apart > steps:
        raise ValueError(f"{what}: {apart:.1f} steps apart")


# ---- what the modules hold ---------------------------------------------------------------------------

def rows_of_patches(ours, config):
    embeddings = {"clip_vision_model": "CLIPVisionEmbeddings", "siglip_vision_model": "SiglipVisionEmbeddings"}
    name = embeddings.get(config.model_type)
    made = getattr(module_of(config), name)(config) if name else named(config, "Embeddings")(config)
    held = made.position_embedding.weight if name else made.position_embeddings[0]
    differ("rows", ours.roles()["embedding"]["width"]["rows"], held.shape[0])
    differ("columns", ours.roles()["embedding"]["width"]["columns"], held.shape[1])
    cells = ours.roles()["embedding"]["width"]["cells"]
    differ("cells", cells[0] * cells[1] + {"deit": 2, "siglip_vision_model": 0}.get(config.model_type, 1), held.shape[0])


def beit(ours, config):
    held = named(config, "Embeddings")(config).position_embeddings
    differ("embedding", "embedding" in ours.roles(), held is not None)
    if held is not None:
        differ("rows", ours.roles()["embedding"]["width"]["rows"], held.shape[1])
    for role, key in (("bias", "use_relative_position_bias"), ("bias.shared", "use_shared_relative_position_bias")):
        differ(role, role in ours.roles(), getattr(config, key))
        if not getattr(config, key):
            continue
        height, width = ours.roles()[role]["width"]["cells"]
        bias = named(config, "RelativePositionBias")
        made = bias(config) if config.model_type == "beit" else bias(config, named(config, "Embeddings")(config).patch_embeddings.patch_shape)
        differ("window", (height, width), tuple(made.window_size))
        differ("heads", ours.roles()[role]["width"]["heads"], made.relative_position_bias_table.shape[1])
        classes = made.generate_relative_position_index((height, width)).flatten().tolist()
        differ("classes", ours.numbers(role, "--window", f"{height}x{width}"), classes)


def stages(ours, config):
    model = next(value for name, value in vars(module_of(config)).items() if name in ("SwinModel", "Swinv2Model"))(config)
    differ("stages", len(ours.roles()), len(model.encoder.layers))
    for i, stage in enumerate(model.encoder.layers):
        role = f"bias.stage{i + 1}"
        attention = next(each for each in stage.blocks[0].attention.modules() if hasattr(each, "relative_position_index"))
        height, width = attention.window_size
        differ(role, ours.roles()[role]["width"], {"heads": config.num_heads[i], "cells": [height, width]})
        differ("layers", len(ours.found["layers"][role]), len(stage.blocks))
        numbers = ours.numbers(role, "--window", f"{height}x{width}")
        if hasattr(attention, "relative_coords_table"):
            near(role, numbers, attention.relative_coords_table.double().flatten().tolist())
        else:
            differ(role, numbers, attention.relative_position_index.flatten().tolist())


def turned(ours, config):
    dinov3 = config.model_type == "dinov3_vit"
    made = named(config, "RopePositionEmbedding" if dinov3 else "VisionRotaryEmbedding")(config)
    axis = [float(w) * (2 * math.pi if dinov3 else 1) for w in made.inv_freq.double()]
    role = ours.roles()["rotary"]
    near("frequencies", role["frequencies"]["any length"], axis + axis)  # of y, then of x
    differ("head", role["width"]["head"], 4 * len(axis))
    if config.model_type.startswith("glm4v"):
        held = named(config, "VisionEmbeddings")(config).position_embedding.weight
        differ("rows", [ours.roles()["embedding"]["width"][key] for key in ("rows", "columns")], list(held.shape))
    elif hasattr(config, "num_position_embeddings"):
        differ("rows", ours.roles()["embedding"]["width"]["rows"], config.num_position_embeddings)
    elif not dinov3:
        differ("roles", list(ours.roles()), ["rotary"])
    elif config.rope_theta == 100:
        differ("preset", role["preset"], "rope2d-dinov3")


def heard(ours, config):
    held = named(config, "SinusoidsPositionEmbedding")(config.max_source_positions, config.d_model).positional_embedding
    differ("rows", list(held.shape), [ours.roles()["embedding"]["width"][key] for key in ("rows", "columns")])
    table = ours.path.parent / "table.npy"
    ours.run("table", "--config", f"{ours.path}:embedding", "--positions", f"0:{len(held)}", "--out", table)
    import numpy
    apart = abs(numpy.load(table) - held.numpy()).max()
    if apart > 2e-4:  # its angles, up to 1500, are rounded to f32
        raise ValueError(f"sines {apart} apart")


def tables_of_text(ours, config):
    """Every table of positions of the whole model, by rows and columns."""
    import torch
    from transformers import AutoModel
    with torch.device("meta"):
        model = AutoModel.from_config(config)
    words = ("position_embedding", "positions_embed", "embed_positions", "wpe")
    theirs = {tuple(held.shape) for name, held in model.named_parameters() if any(word in name for word in words)}
    roles = [role["width"] for name, role in ours.roles().items() if name.startswith("embedding") and role["convention"]]
    differ("tables", sorted({(width["rows"], width["columns"]) for width in roles}), sorted(theirs))


TEXT_TABLES = ("albert", "bart", "bert", "biogpt", "blenderbot", "clip_text_model", "deberta-v2", "electra", "gpt2", "gpt_bigcode",
               "gpt_neo", "layoutlm", "longformer", "mbart", "mpnet", "mvp", "openai-gpt", "opt", "plbart", "roberta", "visual_bert",
               "xlm-roberta")
CHECKS = {**dict.fromkeys(TEXT_TABLES, tables_of_text), **dict.fromkeys(("vit", "vit_msn", "dinov2", "deit", "clip_vision_model", "siglip_vision_model"), rows_of_patches),
          **dict.fromkeys(("beit", "data2vec-vision"), beit), **dict.fromkeys(("swin", "swinv2"), stages),
          **dict.fromkeys(("dinov3_vit", "qwen3_omni_moe_vision_encoder", "qwen3_vl_vision", "qwen3_vl_moe_vision",
                          "qwen2_vl_vision", "qwen2_5_vl_vision", "glm4v_vision", "glm4v_moe_vision", "glm_ocr_vision"), turned),
          **dict.fromkeys(("qwen3_omni_moe_audio_encoder", "qwen2_5_omni_audio_encoder"), heard)}


# ---- models of several ---------------------------------------------------------------------------------

OMNI = {"rope_theta": 1e6, "rope_type": "default", "mrope_section": [24, 20, 20], "interleaved": True}
OMNI_PARTS = {"thinker.text": "Qwen3OmniMoeThinkerTextRotaryEmbedding", "thinker.vision": "Qwen3OmniMoeVisionRotaryEmbedding",
              "talker.text": "Qwen3OmniMoeTalkerRotaryEmbedding", "talker.code_predictor": "Qwen3OmniMoeRotaryEmbedding",
              "code2wav": "Qwen3OmniMoeRotaryEmbedding"}


def omni(tool, folder, plain, mapping):
    """The text of the default has heads that do not divide its width: those of the published model are 128 wide."""
    text = {"num_attention_heads": 32, "head_dim": 128, "rope_parameters": dict(OMNI)}
    config = mapping["qwen3_omni_moe"](thinker_config={"text_config": text},
                                       talker_config={"text_config": {"head_dim": 128, "rope_parameters": dict(OMNI)}})
    ours = Ours(tool, folder, plain(config, keep=("rope_parameters",)))
    differ("parts", sorted(ours.found["parts"]), sorted([*OMNI_PARTS, "thinker.audio"]))
    for name, symbol in OMNI_PARTS.items():
        inner = config
        for step in name.split("."):
            inner = getattr(inner, step if step == "code2wav_config" else step + "_config")
        made = getattr(module_of(inner if inner.model_type else config), symbol)(inner)
        theirs = [float(w) for w in made.inv_freq.double()] * (2 if name == "thinker.vision" else 1)
        near(name, ours.found["parts"][name]["roles"]["rotary"]["frequencies"]["any length"], theirs)
    deal = [ours.found["parts"][name]["roles"]["rotary"]["convention"]["deal"] for name in ("thinker.text", "talker.text")]
    differ("sections", deal, [[{"axes": ["t", "y", "x"], "pairs": 60}, {"axes": ["t"], "pairs": 4}]] * 2)


def of_several(tool, folder, plain, mapping, kind):
    config = mapping[kind]()
    ours = Ours(tool, folder, plain(config))
    for name, part in (("text", config.text_config), ("vision", config.vision_config)):
        differ(name, ours.found["parts"][name]["model_type"], part.model_type)
    differ("text", ours.found["parts"]["text"]["roles"]["embedding"]["width"]["rows"], config.text_config.max_position_embeddings)
    inner = type("", (), {"roles": lambda self: ours.found["parts"]["vision"]["roles"]})()
    rows_of_patches(inner, config.vision_config)


def of_all(tool, folder, plain, mapping):
    import functools
    cases = {"qwen3_omni_moe": functools.partial(omni, tool, folder, plain, mapping),
             **{kind: functools.partial(of_several, tool, folder, plain, mapping, kind) for kind in ("clip", "siglip")}}
    for kind, check in CHECKS.items():
        for changes in [{}, *VARIANTS.get(kind, [])]:
            def compare(kind=kind, check=check, changes=changes):
                config = mapping[kind](**changes)
                check(Ours(tool, folder, plain(config, keep=("rope_parameters",))), config)
            cases[f"{kind} {changes}" if changes else kind] = compare
    for name, case in cases.items():
        try:
            case()
            yield name, None
        except (ValueError, KeyError, AssertionError) as fault:
            yield name, f"{type(fault).__name__}: {fault}"
