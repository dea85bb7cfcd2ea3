# SPDX-License-Identifier: Apache-2.0
"""Writes NAME.expected.json for each NAME.json of a folder: what transformers computes from that configuration.

    build/goldens/transformers/venv/bin/python -B tests/inspect/expectations.py tests/inspect/configs
    build/goldens/transformers/venv/bin/python -B tests/inspect/expectations.py tests/inspect/configs/images

Of configs/images it is what the rotary module of the vision tower holds: the frequencies of one axis.
Rotary numbers come from the model's own rotary module (f32 frequencies, written as the exact doubles they are, and its attention
factor). What transformers does not compute from a config (pairing, family, layer rule) is stated in FACTS below, by model type.
phi-3-mini-su is phi-3.5-mini under the older name of its scaling, which transformers 5.23.0 refuses, and is expected to equal it.
"""
import glob, importlib, json, os, sys
import numpy as np, torch, transformers
from transformers import CONFIG_MAPPING
transformers.logging.set_verbosity_error()

# model type: (module, rotary class, pairing, where, layers without rotary)
FACTS = {
    "llama": ("llama", "LlamaRotaryEmbedding", "split_half"), "mistral": ("mistral", "MistralRotaryEmbedding", "split_half"),
    "qwen2": ("qwen2", "Qwen2RotaryEmbedding", "split_half"), "qwen3": ("qwen3", "Qwen3RotaryEmbedding", "split_half"),
    "gemma2": ("gemma2", "Gemma2RotaryEmbedding", "split_half"), "gemma3_text": ("gemma3", "Gemma3RotaryEmbedding", "split_half"),
    "phi3": ("phi3", "Phi3RotaryEmbedding", "split_half"), "deepseek_v2": ("deepseek_v2", "DeepseekV2RotaryEmbedding", "adjacent"),
    "deepseek_v3": ("deepseek_v3", "DeepseekV3RotaryEmbedding", "adjacent, written split_half"),
    "gpt_neox": ("gpt_neox", "GPTNeoXRotaryEmbedding", "split_half"), "gpt_oss": ("gpt_oss", "GptOssRotaryEmbedding", "split_half"),
    "qwen2_vl_text": ("qwen2_vl", "Qwen2VLRotaryEmbedding", "split_half"), "qwen3_vl_text": ("qwen3_vl", "Qwen3VLTextRotaryEmbedding", "split_half"),
    "smollm3": ("smollm3", "SmolLM3RotaryEmbedding", "split_half"), "modernbert": ("modernbert", "ModernBertRotaryEmbedding", "split_half"),
    "glm": ("glm", "GlmRotaryEmbedding", "adjacent"), "cohere": ("cohere", "CohereRotaryEmbedding", "adjacent"),
    "cohere2": ("cohere2", "Cohere2RotaryEmbedding", "adjacent"), "llama4_text": ("llama4", "Llama4TextRotaryEmbedding", "adjacent"),
    "ministral3": ("ministral3", "Ministral3RotaryEmbedding", "split_half"), "stablelm": ("stablelm", "StableLmRotaryEmbedding", "split_half"),
    "olmo3": ("olmo3", "Olmo3RotaryEmbedding", "split_half"), "exaone4": ("exaone4", "Exaone4RotaryEmbedding", "split_half"),
    "falcon": ("falcon", "FalconRotaryEmbedding", "split_half"), "phi": ("phi", "PhiRotaryEmbedding", "split_half"),
    "persimmon": ("persimmon", "PersimmonRotaryEmbedding", "split_half"), "nemotron": ("nemotron", "NemotronRotaryEmbedding", "split_half"),
}


def rotary(config, name):
    module, symbol, pairing = FACTS[name]
    cls = getattr(importlib.import_module(f"transformers.models.{module}.modeling_{module}"), symbol)
    m = cls(config)
    p = config.rope_parameters
    nested = [k for k in p if isinstance(p[k], dict)]
    out = {}
    for layer in nested or [None]:
        q = p[layer] if layer else p
        w = getattr(m, f"{layer}_inv_freq" if layer else "inv_freq")
        a = getattr(m, f"{layer}_attention_scaling" if layer else "attention_scaling", 1.0)
        one = {"rope_type": q["rope_type"], "base": q["rope_theta"], "rotated_width": 2 * len(w), "pairing": pairing,
               "attention_factor": float(a), "inv_freq": [float(x) for x in w.double()],
               "scaling": {k: v for k, v in q.items() if k not in ("rope_type", "type", "rope_theta", "short_factor", "long_factor")}}
        if q["rope_type"] in ("longrope", "dynamic"):
            length = q.get("original_max_position_embeddings", config.max_position_embeddings) + 1
            kw = {"layer_type": layer} if layer else {}
            m(torch.zeros(1), torch.tensor([[length * (2 if q["rope_type"] == "dynamic" else 1) - 1]]), **kw)
            one["long_from_length"] = length
            one["inv_freq_long"] = [float(x) for x in getattr(m, f"{layer}_inv_freq" if layer else "inv_freq").double()]
            one["long_at_length"] = length * (2 if q["rope_type"] == "dynamic" else 1)
        out["rotary." + layer if layer else "rotary"] = one
    return out, f"transformers {transformers.__version__} {symbol}"


def expect(path):
    raw = json.load(open(path))
    name = raw["model_type"]
    config = CONFIG_MAPPING[name](**{k: v for k, v in raw.items() if k not in ("model_type", "architectures")})
    text = config.get_text_config()
    kind = text.model_type
    e = {"model_type": name}
    if kind in FACTS and not (kind == "falcon" and config.alibi):
        e["roles"], e["made_by"] = rotary(text, kind)
        head = getattr(text, "head_dim", None) or text.hidden_size // text.num_attention_heads
        e["head_width"] = {"deepseek_v2": text.qk_nope_head_dim + text.qk_rope_head_dim, "deepseek_v3": text.qk_nope_head_dim + text.qk_rope_head_dim}.get(kind, head) if kind.startswith("deepseek") else head
        types = getattr(text, "layer_types", None)
        if types:
            e["layer_types"] = {t: [i for i, x in enumerate(types) if x == t] for t in sorted(set(types))}
        n = getattr(text, "no_rope_layers", None)
        if n:
            e["layers_without_rotary"] = [i for i, x in enumerate(n) if not x]
        if kind in ("cohere2", "exaone4") and types:
            e["layers_without_rotary"] = [i for i, x in enumerate(types) if x == "full_attention"]
        if kind.startswith("deepseek"):
            p = text.rope_parameters; c = p.get("mscale_all_dim") or 0
            m = 1 if not c or p["factor"] <= 1 else 0.1 * c * np.log(p["factor"]) + 1
            e["softmax_scale"] = float(e["head_width"] ** -0.5 * m * m)
        if kind == "llama4_text" and text.attn_temperature_tuning:
            e["query_scale"] = {"kind": "log_steps", "gain": text.attn_scale, "every": text.floor_scale, "origin": 1}
        if kind == "ministral3":
            e["query_scale"] = {"kind": "log_steps", "gain": text.rope_parameters["llama_4_scaling_beta"], "every": text.rope_parameters["original_max_position_embeddings"], "origin": 0}
        if kind in ("gemma2", "gemma3_text"):
            e["embedding_scale"] = {"by": "sqrt_dim", "number_f64": float(text.hidden_size) ** 0.5, "number_bf16": float(torch.tensor(text.hidden_size ** 0.5, dtype=torch.bfloat16))}
            e["softmax_scale"] = float(text.query_pre_attn_scalar ** -0.5)
        if "mrope_section" in (text.rope_parameters or {}):
            e["mrope_section"] = text.rope_parameters["mrope_section"]
            e["mrope"] = "interleaved" if kind == "qwen3_vl_text" else "chunked"
    else:
        e["made_by"] = "stated"
        e.update({
            "gptj": lambda: {"roles": {"rotary": {"rope_type": "default", "base": 10000.0, "rotated_width": config.rotary_dim, "pairing": "adjacent", "attention_factor": 1.0,
                             "inv_freq": [float(x) for x in (1.0 / (10000 ** (torch.arange(0, config.rotary_dim, 2, dtype=torch.int64) / config.rotary_dim))).double()]}}, "head_width": config.n_embd // config.n_head},
            "t5": lambda: {"roles": {"bias": {"family": "buckets", "kind": "log", "count": config.relative_attention_num_buckets, "reach": config.relative_attention_max_distance, "sign": "key_minus_query", "both_sides": {"encoder": True, "decoder": False}}}},
            "bloom": lambda: {"roles": {"bias": {"family": "slopes", "octaves": 8, "value": "key", "over": "present", "heads": config.n_head}}},
            "mpt": lambda: {"roles": {"bias": {"family": "slopes", "octaves": config.attn_config.alibi_bias_max, "value": "key_from_last", "heads": config.n_heads}}},
            "falcon": lambda: {"roles": {"bias": {"family": "slopes", "octaves": 8, "value": "key", "over": "present", "slope_rounding": "bf16", "scale": float((config.hidden_size // config.num_attention_heads) ** -0.5), "heads": config.num_attention_heads}}},
            "whisper": lambda: {"roles": {"embedding.encoder": {"family": "waves", "preset": "whisper", "rows": config.max_source_positions}, "embedding.decoder": {"family": "learned", "offset": 0, "rows": config.max_target_positions}}},
            "marian": lambda: {"roles": {"embedding": {"family": "waves", "preset": "marian-hf", "rows": config.max_position_embeddings, "scale": config.d_model ** 0.5 if config.scale_embedding else 1}}},
            "bert": lambda: {"roles": {"embedding": {"family": "learned", "offset": 0, "rows": config.max_position_embeddings}}},
            "roberta": lambda: {"roles": {"embedding": {"family": "learned", "offset": 0, "numbering": {"over": "present", "first": config.pad_token_id + 1}, "rows": config.max_position_embeddings}}},
            "opt": lambda: {"roles": {"embedding": {"family": "learned", "offset": 2, "rows": config.max_position_embeddings + 2, "numbering": {"over": "present", "absent_row": 1}}}},
            "deberta-v2": lambda: {"roles": {"bias": {"family": "buckets", "kind": "log_signed", "count": config.position_buckets, "reach": config.max_relative_positions if config.max_relative_positions > 0 else config.max_position_embeddings, "sign": "query_minus_key"}}},
            "mamba": lambda: {"roles": {}},
        }[name]())
    return e


def expect_vision(path):
    raw = json.load(open(path))
    config = CONFIG_MAPPING[raw.pop("model_type")](**raw).vision_config
    module = importlib.import_module(type(config).__module__.replace("configuration_", "modeling_"))
    symbol = next(name for name in vars(module) if name.endswith("VisionRotaryEmbedding"))
    made = getattr(module, symbol)(config)
    return {"made_by": f"transformers {transformers.__version__} {symbol}", "model_type": config.model_type,
            "base": config.rope_parameters["rope_theta"], "head": 4 * len(made.inv_freq), "layers": config.depth,
            "inv_freq": [float(w) for w in made.inv_freq.double()]}


if __name__ == "__main__":
    of_images = os.path.basename(os.path.normpath(sys.argv[1])) == "images"
    for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.json"))):
        if path.endswith(".expected.json") or path.endswith("holdout.json"):
            continue
        try:
            e = expect_vision(path) if of_images else expect(path)
        except Exception as x:
            print("FAIL", path, type(x).__name__, str(x)[:300]); continue
        json.dump(e, open(path[:-5] + ".expected.json", "w"), indent=1)
        r = e.get("roles", {})
        print(os.path.basename(path), {k: (v.get("rope_type"), v.get("base"), v.get("rotated_width"), v.get("attention_factor"), len(v.get("inv_freq", []))) for k, v in r.items()}, e.get("layers_without_rotary", "")[:6] if e.get("layers_without_rotary") else "")
