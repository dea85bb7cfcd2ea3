# SPDX-License-Identifier: Apache-2.0
"""Small models of transformers with random weights: nothing is downloaded."""

import torch
import transformers as t

SMALL = {
    "hidden_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "vocab_size": 128,
    "intermediate_size": 64,
    "bos_token_id": 1,
    "eos_token_id": None,
    "pad_token_id": None,
}


def llama31():
    rope = {"rope_type": "llama3", "rope_theta": 5e5, "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
    rope["original_max_position_embeddings"] = 64
    return t.LlamaForCausalLM(t.LlamaConfig(**SMALL, max_position_embeddings=4096, rope_parameters=rope))


def qwen2():
    return t.Qwen2ForCausalLM(t.Qwen2Config(**SMALL))


def qwen2_vl():
    rope = {"rope_type": "default", "rope_theta": 1e6, "mrope_section": [2, 3, 3]}
    vision = {"depth": 2, "embed_dim": 32, "hidden_size": 64, "num_heads": 2, "patch_size": 4}
    config = t.Qwen2VLConfig(text_config={**SMALL, "rope_parameters": rope}, vision_config=vision)
    return t.Qwen2VLForConditionalGeneration(config)


def gemma3():
    kinds = ["sliding_attention", "full_attention"]
    return t.Gemma3ForCausalLM(t.Gemma3TextConfig(**SMALL, head_dim=16, sliding_window=8, layer_types=kinds))


def phi3(original=32):
    rope = {"rope_type": "longrope", "rope_theta": 1e4, "short_factor": [1 + 0.1 * i for i in range(8)]}
    rope |= {"long_factor": [2.0 + i for i in range(8)], "original_max_position_embeddings": original}
    return t.Phi3ForCausalLM(
        t.Phi3Config(
            **SMALL, max_position_embeddings=256, original_max_position_embeddings=original, rope_parameters=rope
        )
    )


def deepseek_v3():
    narrow = {"q_lora_rank": 16, "kv_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 16}
    experts = {"n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1}
    config = t.DeepseekV3Config(
        **{**SMALL, "num_key_value_heads": 4}, **narrow, **experts, first_k_dense_replace=1, moe_intermediate_size=32
    )
    return t.DeepseekV3ForCausalLM(config)


def gpt_oss():
    return t.GptOssForCausalLM(t.GptOssConfig(**SMALL, head_dim=16, num_local_experts=2, num_experts_per_tok=1))


def gpt_neox():
    return t.GPTNeoXForCausalLM(
        t.GPTNeoXConfig(**{key: value for key, value in SMALL.items() if key != "num_key_value_heads"})
    )


def gptj():
    ends = {"bos_token_id": 1, "eos_token_id": None}
    return t.GPTJForCausalLM(
        t.GPTJConfig(n_embd=64, n_layer=2, n_head=4, vocab_size=128, rotary_dim=8, n_positions=128, **ends)
    )


def whisper():
    heads = {"encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 64, "decoder_ffn_dim": 64}
    ids = {"pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2, "decoder_start_token_id": 1}
    return t.WhisperModel(
        t.WhisperConfig(
            d_model=64, encoder_layers=2, decoder_layers=2, vocab_size=128, max_source_positions=60, **heads, **ids
        )
    )


FAMILIES = {
    made.__name__: made
    for made in (llama31, qwen2, qwen2_vl, gemma3, phi3, deepseek_v3, gpt_oss, gpt_neox, gptj, whisper)
}


def model(name):
    torch.manual_seed(20)
    made = FAMILIES[name]()
    with torch.no_grad():  # initial weights are small: attention would hardly ask for positions
        for parameter in made.parameters():
            if parameter.dim() >= 2 and not (parameter.shape[0] == 60 and name == "whisper"):
                parameter.mul_(4)
    made.config._experts_implementation = "eager"  # the grouped products have no f64
    return made.eval()


def inputs(name, tokens=48, last=None):
    """What the model reads. The positions end before `last`, unless that is none."""
    torch.manual_seed(21)
    if name == "whisper":
        return {"input_features": torch.randn(2, 80, 120), "decoder_input_ids": torch.randint(3, 128, (2, 8))}
    given = {"input_ids": torch.randint(3, 128, (2, tokens))}
    if last is not None:
        at = torch.arange(last - tokens, last).expand(2, tokens)
        given["position_ids"] = at.expand(3, 2, tokens) if name == "qwen2_vl" else at
    return given
