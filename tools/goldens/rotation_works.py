# SPDX-License-Identifier: Apache-2.0
"""Rotations, of one axis and of several."""
import json
import pathlib

from works import Rotation, Turn, TurnedPlaces

# Lists of divisors, one for each of 48 frequencies, short, then long: those of Phi-3.5-mini's file, and the example's,
# whose short list has one 2.02 more and no last number.
_TESTS = pathlib.Path(__file__).parents[2] / "tests"
_PHI35 = json.loads((_TESTS / "inspect/configs/phi-3.5-mini.json").read_text())["rope_scaling"]
PHI35_FACTORS = _PHI35["short_factor"], _PHI35["long_factor"]
PHI3_FACTORS = [*PHI35_FACTORS[0][:26], *PHI35_FACTORS[0][25:-1]], PHI35_FACTORS[1]

NEAR = (0, 1, 2, 3, 5, 17, 100, 511, 1023, 2047)
TO_A_MILLION = NEAR + (4095, 131071, 1048575)
FAR_TOKENS = (0, 1, 2, 3, 17, 100, 1023, 4095, 131071)


def model(module, name, more=""):
    """The call of a model of transformers: what it states besides its heads."""
    return f"rotary_originals: model('{module}', '{name}', q, positions{more and ', ' + more})"


WORKS = [
    Rotation(preset="rope-half", package="transformers", pairing="split_half", turns=(
        Turn("llama-8", "rotary_originals: llama(q, positions, rotated)", 8, 8, 2, TO_A_MILLION, 2000),
        Turn("llama-64", "rotary_originals: llama(q, positions, rotated)", 64, 64, 2, TO_A_MILLION, 2001),
        Turn("llama-128", "rotary_originals: llama(q, positions, rotated)", 128, 128, 1, TO_A_MILLION, 2002))),
    Rotation(preset="rope-pair", package="transformers", pairing="adjacent", turns=(
        Turn("gptj-16-of-24", "rotary_originals: gptj(q, positions, rotated)", 24, 16, 2, NEAR, 2003),
        Turn("meta-8", "rotary_originals: meta(q, positions, rotated)", 8, 8, 2, TO_A_MILLION, 2004, contracted=True),
        Turn("meta-64", "rotary_originals: meta(q, positions, rotated)", 64, 64, 2, TO_A_MILLION, 2005),
        Turn("meta-64-bf16", "rotary_originals: meta(q, positions, rotated)", 64, 64, 2, TO_A_MILLION, 2006, "bf16"))),
    Rotation(preset="roformer", package="transformers", pairing="adjacent", recipe="f64-divide-to-f32", turns=(
        Turn("roformer-16", "rotary_originals: roformer(q, positions, rotated)", 16, 16, 2, NEAR, 2100),
        Turn("roformer-64", "rotary_originals: roformer(q, positions, rotated)", 64, 64, 1, NEAR, 2101))),
    Rotation(preset="gpt-j", package="transformers", pairing="adjacent", turns=(
        Turn("gptj-64-of-80", "rotary_originals: gptj(q, positions, rotated)", 80, 64, 2, NEAR, 2102),)),
    Rotation(preset="gpt-neox", package="transformers", pairing="split_half", turns=(
        Turn("pythia-16-of-64", model("gpt_neox", "GPTNeoX"), 64, 16, 2, FAR_TOKENS, 2103),
        Turn("gpt-neox-24-of-96", model("gpt_neox", "GPTNeoX"), 96, 24, 1, FAR_TOKENS, 2104))),
    Rotation(preset="phi-2", package="transformers", pairing="split_half", turns=(
        Turn("phi-32-of-80", model("phi", "Phi", "columns=slice(rotated), partial_rotary_factor=0.4"), 80, 32, 2,
             FAR_TOKENS, 2105),)),
    Rotation(preset="cohere", package="transformers", pairing="adjacent", base=8e6, turns=(
        Turn("cohere-128", model("cohere", "Cohere", "rope_parameters={'rope_type': 'default', 'rope_theta': 8e6}"),
             128, 128, 1, FAR_TOKENS, 2106),)),
    Rotation(preset="glm", package="transformers", pairing="adjacent", turns=(
        Turn("glm-64-of-128", model("glm", "Glm"), 128, 64, 1, FAR_TOKENS, 2107),)),
    Rotation(preset="ernie-4.5", package="transformers", pairing="adjacent", base=500000, turns=(
        Turn("ernie-128", model("ernie4_5", "Ernie4_5"), 128, 128, 1, FAR_TOKENS, 2108),)),
    Rotation(preset="esm2", package="transformers", pairing="split_half", turns=(
        Turn("esm-16", model("esm", "Esm"), 16, 16, 2, NEAR, 2109),
        Turn("esm-64", model("esm", "Esm"), 64, 64, 1, NEAR, 2110))),
    Rotation(preset="falcon-rotary", package="transformers", pairing="split_half", turns=(
        Turn("falcon-64", model("falcon", "Falcon"), 64, 64, 2, FAR_TOKENS, 2111),)),
    Rotation(preset="nanochat", package="transformers", pairing="split_half", backward=True, turns=(
        Turn("nanochat-128", model("nanochat", "NanoChat"), 128, 128, 1, FAR_TOKENS, 2112),)),
    Rotation(preset="gemma", package="transformers", pairing="split_half", turns=(
        Turn("gemma-128", model("gemma", "Gemma", "head_dim=128"), 128, 128, 1, FAR_TOKENS, 2113),)),
    Rotation(preset="gemma-3-sliding", package="transformers", pairing="split_half", turns=(
        Turn("gemma-3-64", model("gemma3", "Gemma3", "config='Gemma3Text', layer=('sliding_attention',), head_dim=64"),
             64, 64, 1, FAR_TOKENS, 2128),)),
    Rotation(preset="moonshine", package="transformers", pairing="adjacent", turns=(
        Turn("moonshine-32-of-36", model("moonshine", "Moonshine", "head_dim=36"), 36, 32, 2, NEAR, 2114),)),
    Rotation(preset="smollm3", package="transformers", pairing="split_half", base=5e6, turns=(
        Turn("smollm3-64", model("smollm3", "SmolLM3", "rope_parameters={'rope_type': 'default', 'rope_theta': 5e6}"),
             64, 64, 1, FAR_TOKENS, 2115),)),
    Rotation(preset="modernbert-full", package="transformers", pairing="split_half", base=160000, turns=(
        Turn("modernbert-64", model("modernbert", "ModernBert", "layer=('full_attention',)"), 64, 64, 1, FAR_TOKENS,
             2116),)),
    Rotation(preset="modernbert-sliding", package="transformers", pairing="split_half", turns=(
        Turn("modernbert-64", model("modernbert", "ModernBert", "layer=('sliding_attention',)"), 64, 64, 1, FAR_TOKENS,
             2117),)),
    Rotation(preset="llama4-text", package="transformers", pairing="adjacent", base=500000, turns=(
        Turn("llama4-128", model("llama4", "Llama4Text", "turn='apply_rotary_emb', heads_last=True"), 128, 128, 1,
             FAR_TOKENS, 2118),)),
    Rotation(preset="cohere2", package="transformers", pairing="adjacent", turns=(
        Turn("cohere2-64", model("cohere2", "Cohere2"), 64, 64, 1, FAR_TOKENS, 2129),)),
    Rotation(preset="exaone-4", package="transformers", pairing="split_half", turns=(
        Turn("exaone-4-128", model("exaone4", "Exaone4", "head_dim=128"), 128, 128, 1, FAR_TOKENS, 2142),)),
    Rotation(preset="qwen2", package="transformers", pairing="split_half", base=1e6, turns=(
        Turn("qwen3-128", model("qwen3", "Qwen3", "head_dim=128, rope_parameters={'rope_type': 'default', "
                                "'rope_theta': 1e6}"), 128, 128, 1, FAR_TOKENS, 2143),
        Turn("mixtral-64", model("mixtral", "Mixtral"), 64, 64, 1, FAR_TOKENS, 2144))),
    Rotation(preset="seed-oss", package="transformers", pairing="split_half", base=1e7, turns=(
        Turn("seed-oss-128", model("seed_oss", "SeedOss", "head_dim=128, rope_parameters={'rope_type': 'default', "
                                   "'rope_theta': 1e7}"), 128, 128, 1, FAR_TOKENS, 2145),)),
    Rotation(preset="qwen3-next", package="transformers", pairing="split_half", base=1e7, turns=(
        Turn("qwen3-next-64-of-256", model(
            "qwen3_next", "Qwen3Next", "head_dim=256, rope_parameters={'rope_type': 'default', 'rope_theta': 1e7, "
            "'partial_rotary_factor': 0.25}"), 256, 64, 1, FAR_TOKENS, 2146),)),
    Rotation(preset="phi-1.5", package="transformers", pairing="split_half", turns=(
        Turn("phi-32-of-64", model("phi", "Phi", "columns=slice(rotated)"), 64, 32, 2, FAR_TOKENS, 2147),
        Turn("nemotron-64-of-128", model("nemotron", "Nemotron", "head_dim=128"), 128, 64, 1, FAR_TOKENS, 2148))),
    Rotation(preset="gemma-3n-full", package="transformers", pairing="split_half", base=1e6, turns=(
        Turn("gemma-3-1b-64", model("gemma3", "Gemma3", "config='Gemma3Text', layer=('full_attention',), head_dim=64"),
             64, 64, 1, FAR_TOKENS, 2149),)),
    Rotation(preset="helium", package="transformers", pairing="adjacent", base=100000, turns=(
        Turn("helium-128", model("helium", "Helium", "head_dim=128"), 128, 128, 1, FAR_TOKENS, 2130),)),
    Rotation(preset="moshi", package="transformers", pairing="split_half", turns=(
        Turn("moshi-64", model("moshi", "Moshi", "head_dim=64"), 64, 64, 1, NEAR, 2131),
        Turn("mimi-16", model("mimi", "Mimi", "head_dim=16"), 16, 16, 2, NEAR, 2132))),
    Rotation(preset="rotary-embedding-torch", package="rotary-embedding-torch", pairing="adjacent", turns=(
        Turn("whole-16", "lucid_originals: rotary(q, positions)", 16, 16, 2, FAR_TOKENS, 2133),
        Turn("whole-64", "lucid_originals: rotary(q, positions)", 64, 64, 1, FAR_TOKENS, 2134))),
    Rotation(preset="xt-rotary", package="x-transformers", pairing="adjacent", turns=(
        Turn("xt-32-of-64", "xt_originals: rotary(q, positions, rotated)", 64, 32, 2, FAR_TOKENS, 2136),)),
    Rotation(preset="kerashub-rope", package="keras-hub", pairing="split_half", recipe="f32-power", turns=(
        Turn("keras-16", "keras_layers: rotary(q, positions, rotated)", 16, 16, 2, FAR_TOKENS, 2140),
        Turn("keras-128", "keras_layers: rotary(q, positions, rotated)", 128, 128, 1, FAR_TOKENS, 2141))),
    Rotation(preset="kerashub-yarn", package="keras-hub", pairing="split_half",
             scaling={"kind": "yarn", "factor": 4, "length": 4096, "fast": 32, "slow": 1, "truncate": True},
             magnitude={"factor": 4, "gain": 1, "gain_all": 0}, turns=(
        Turn("keras-yarn-64", "keras_layers: rotary(q, positions, rotated, rope_type='yarn', scaling_factor=4.0)", 64, 64,
             2, FAR_TOKENS, 2152),
        Turn("keras-yarn-128", "keras_layers: rotary(q, positions, rotated, rope_type='yarn', scaling_factor=4.0)", 128,
             128, 1, FAR_TOKENS, 2153))),
    Rotation(preset="kerashub-dynamic", package="keras-hub", pairing="split_half", recipe="f32-power",
             scaling={"kind": "linear", "factor": 4.088994243248622}, turns=(
        Turn("keras-dynamic-128", "keras_layers: dynamic(q, positions, rotated)", 128, 128, 1, FAR_TOKENS, 2154),)),
    Rotation(preset="rope-linear", package="transformers", pairing="split_half",
             scaling={"kind": "linear", "factor": 4}, turns=(
        Turn("linear-128", model("llama", "Llama", "rope_parameters={'rope_type': 'linear', 'rope_theta': 10000.0, "
                                 "'factor': 4.0}"), 128, 128, 1, FAR_TOKENS, 2119),)),
    Rotation(preset="gemma-3-full", package="transformers", pairing="split_half", base=1e6,
             scaling={"kind": "linear", "factor": 8}, turns=(
        Turn("gemma-3-128", model(
            "gemma3", "Gemma3", "config='Gemma3Text', layer=('full_attention',), head_dim=128, rope_parameters="
            "{'sliding_attention': {'rope_type': 'default', 'rope_theta': 1e4}, "
            "'full_attention': {'rope_type': 'linear', 'rope_theta': 1e6, 'factor': 8.0}}"),
             128, 128, 1, FAR_TOKENS, 2135),)),
    Rotation(preset="rope-ntk", package="rotary-embedding-torch", pairing="adjacent",
             scaling={"kind": "ntk", "factor": 4}, turns=(
        Turn("ntk-16", "lucid_originals: rotary(q, positions, theta_rescale_factor=4.0)", 16, 16, 2, FAR_TOKENS, 2120),
        Turn("ntk-64", "lucid_originals: rotary(q, positions, theta_rescale_factor=4.0)", 64, 64, 1, FAR_TOKENS,
             2121))),
    Rotation(preset="rope-yarn", package="transformers", pairing="split_half",
             scaling={"kind": "yarn", "factor": 16, "length": 4096, "fast": 32, "slow": 1, "truncate": True},
             magnitude={"factor": 16, "gain": 1, "gain_all": 0}, turns=(
        Turn("yarn-128", model("llama", "Llama", "rope_parameters={'rope_type': 'yarn', 'rope_theta': 10000.0, "
                               "'factor': 16.0, 'original_max_position_embeddings': 4096}, "
                               "max_position_embeddings=65536"),
             128, 128, 1, FAR_TOKENS, 2122),)),
    Rotation(preset="rope-llama3", package="transformers", pairing="split_half", base=500000,
             scaling={"kind": "llama3", "factor": 8, "low": 1, "high": 4, "length": 8192}, turns=(
        Turn("llama3-128", model("llama", "Llama", "rope_parameters={'rope_type': 'llama3', 'rope_theta': 500000.0, "
                                 "'factor': 8.0, 'low_freq_factor': 1.0, 'high_freq_factor': 4.0, "
                                 "'original_max_position_embeddings': 8192}, max_position_embeddings=131072"),
             128, 128, 1, FAR_TOKENS, 2123),)),
    Rotation(preset="rope-proportional", package="transformers", pairing="split_half", base=1e6,
             scaling={"kind": "proportional", "factor": 1, "part": 0.25}, turns=(
        Turn("proportional-256", model("llama", "Llama", "rope_parameters={'rope_type': 'proportional', 'rope_theta': "
                                       "1e6, 'partial_rotary_factor': 0.25}"), 256, 256, 1, FAR_TOKENS, 2124),)),
    Rotation(preset="rope-clipped", package="transformers", pairing="split_half", base=500000, recipe="f32-reciprocal-fused",
             scaling={"kind": "clipped", "pairs": 20}, turns=(
        Turn("clipped-128", "rotary_originals: clipped(q, positions, 20)", 128, 128, 1, FAR_TOKENS, 2171),)),
    Rotation(preset="gpt-oss", package="transformers", pairing="split_half", base=150000,
             scaling={"kind": "yarn", "factor": 32, "length": 4096, "fast": 32, "slow": 1, "truncate": False},
             magnitude={"factor": 32, "gain": 1, "gain_all": 0}, turns=(
        Turn("gpt-oss-64", model("gpt_oss", "GptOss"), 64, 64, 1, FAR_TOKENS, 2125),)),
    Rotation(preset="deepseek-v3", package="transformers", pairing="adjacent", written="split_half",
             scaling={"kind": "yarn", "factor": 40, "length": 4096, "fast": 32, "slow": 1, "truncate": True},
             magnitude={"factor": 40, "gain": 1, "gain_all": 1}, turns=(
        Turn("deepseek-v3-64-of-192", model(
            "deepseek_v3", "DeepseekV3", "columns=slice(128, None), turn='apply_rotary_pos_emb_interleave', "
            "rope_parameters={'rope_type': 'yarn', 'rope_theta': 10000.0, 'factor': 40.0, "
            "'original_max_position_embeddings': 4096, 'beta_fast': 32, 'beta_slow': 1, 'mscale': 1.0, "
            "'mscale_all_dim': 1.0}, max_position_embeddings=163840"), 192, 64, 1, FAR_TOKENS, 2126, first=128),)),
    Rotation(preset="deepseek-v2", package="transformers", pairing="adjacent",
             scaling={"kind": "yarn", "factor": 40, "length": 4096, "fast": 32, "slow": 1, "truncate": True},
             magnitude={"factor": 40, "gain": 0.707, "gain_all": 1}, turns=(
        Turn("deepseek-v2-64-of-192", model(
            "deepseek_v2", "DeepseekV2", "columns=slice(128, None), turn='apply_rotary_emb', "
            "rope_parameters={'rope_type': 'yarn', 'rope_theta': 10000.0, 'factor': 40.0, "
            "'original_max_position_embeddings': 4096, 'beta_fast': 32, 'beta_slow': 1, 'mscale': 0.707, "
            "'mscale_all_dim': 1.0}, max_position_embeddings=163840"), 192, 64, 1, FAR_TOKENS, 2127, first=128),)),
    Rotation(preset="rope-dynamic", package="transformers", pairing="split_half",
             scaling={"kind": "dynamic_ntk", "factor": 4, "length": 4096, "tokens": 131072}, turns=(
        Turn("dynamic-128", model("llama", "Llama", "rope_parameters={'rope_type': 'dynamic', 'rope_theta': 10000.0, "
                                  "'factor': 4.0}, max_position_embeddings=4096"), 128, 128, 1, FAR_TOKENS, 2140),)),
    Rotation(preset="rope-longrope", package="transformers", pairing="split_half",
             scaling={"kind": "longrope", "factors": PHI3_FACTORS, "length": 4096, "tokens": 131072},
             magnitude={"factor": 32, "length": 4096}, turns=(
        Turn("longrope-96", "rotary_originals: longrope(q, positions)", 96, 96, 1, FAR_TOKENS,
             2141),)),
    Rotation(preset="phi-3.5", package="transformers", pairing="split_half",
             scaling={"kind": "longrope", "factors": PHI35_FACTORS, "length": 4096, "tokens": 131072},
             magnitude={"factor": 32, "length": 4096}, turns=(
        Turn("longrope-96", "rotary_originals: longrope(q, positions, PHI35_FACTORS)", 96, 96, 1, FAR_TOKENS,
             2199),)),
    TurnedPlaces(preset="ggml-rope-normal", package="ggml", head=64, places=9, seed=2160,
                 call="ggml_rotations: normal(q)", angles="runs(falling(10000, 64))"),
    TurnedPlaces(preset="ggml-rope-neox", package="ggml", head=128, places=9, seed=2161,
                 call="ggml_rotations: neox(q)", angles="runs(falling(10000, 128))"),
    Rotation(preset="mlx-rope", package="mlx", pairing="split_half", recipe="f32-exp2", turns=(
        Turn("mlx-48", "mlx_rotations: rope(q, positions)", 48, 48, 2, FAR_TOKENS, 2162),
        Turn("mlx-128", "mlx_rotations: rope(q, positions)", 128, 128, 1, FAR_TOKENS, 2164))),
    TurnedPlaces(preset="onnx-rope", package="onnx", head=64, places=9, seed=2163,
                 call="onnx_rotations: rope(q)", angles="runs(falling(10000, 64))"),
    TurnedPlaces(preset="ggml-imrope", package="ggml", head=128, places=6, seed=2211,
                 call="ggml_rotations: imrope(q)", angles="dealt(falling(5e6, 128), *[0, 1, 2] * 20, 0, None, None, 0)"),
    TurnedPlaces(preset="xpos-lucid", package="rotary-embedding-torch", head=64, places=50, seed=2150,
                 call="lucid_originals: xpos(q)", angles="runs(falling(10000, 64))", centre=25),
    TurnedPlaces(preset="xpos-flash-attn", package="flash-attn", head=64, places=51, seed=2151,
                 call="flash_rotations: xpos(q)", angles="runs(falling(10000, 64))", centre=25),
    TurnedPlaces(preset="mrope-chunk", package="transformers", head=128, places=6, seed=2200,
                 call="axes_transformers: tokens(q, 'qwen2_vl', 'Qwen2VL', stored='halves', rope_parameters={'rope_type': "
                      "'default', 'rope_theta': 1e6, 'mrope_section': [16, 24, 24]})",
                 angles="dealt(falling(1e6, 128), *[0] * 16, *[1] * 24, *[2] * 24)"),
    TurnedPlaces(preset="mrope-chunk-pair", package="transformers", head=128, places=6, seed=2201,
                 call="axes_transformers: tokens(q, 'glm4v', 'Glm4vText', stored='pairs', head_dim=128, rope_parameters={"
                      "'rope_type': 'default', 'rope_theta': 1e4, 'partial_rotary_factor': 0.5, 'mrope_section': [8, 12, 12]})",
                 angles="dealt(falling(10000, 64), *[0] * 8, *[1] * 12, *[2] * 12)"),
    TurnedPlaces(preset="mrope-interleaved", package="transformers", head=128, places=6, seed=2202,
                 call="axes_transformers: tokens(q, 'qwen3_vl', 'Qwen3VLText', stored='halves', head_dim=128, rope_parameters={"
                      "'rope_type': 'default', 'rope_theta': 5e6, 'mrope_section': [24, 20, 20]})",
                 angles="dealt(falling(5e6, 128), *[0, 1, 2] * 20, *[0] * 4)"),
    TurnedPlaces(preset="mrope-ernie", package="transformers", head=128, places=6, seed=2203,
                 call="axes_transformers: tokens(q, 'ernie4_5_vl_moe', 'Ernie4_5_VLMoeText', stored='pairs', head_dim=128, "
                      "rope_parameters={'rope_type': 'default', 'rope_theta': 5e5, 'mrope_section': [22, 22, 20]})",
                 angles="dealt(falling(500000, 128), *[1, 2] * 22, *[0] * 20)"),
    TurnedPlaces(preset="qwen3.5", package="transformers", head=256, places=6, seed=2212,
                 call="axes_transformers: tokens(q, 'qwen3_5', 'Qwen3_5Text', stored='halves', head_dim=256, rope_parameters={"
                      "'rope_type': 'default', 'rope_theta': 1e7, 'partial_rotary_factor': 0.25, 'mrope_section': [11, 11, 10]})",
                 angles="dealt(falling(1e7, 64), *[0, 1, 2] * 10, 0, 1)"),
    TurnedPlaces(preset="chatglm-2d", package="torch", head=128, places=9, seed=2213,
                 call="chatglm_rotations: rope(q)", angles="runs(falling(10000, 64), falling(10000, 64))"),
    TurnedPlaces(preset="efficient-loftr", package="transformers", head=256, places=12, seed=2214,
                 call="axes_transformers: efficient_loftr(q)", angles="rungs(*[falling(10000, 128)] * 2)"),
    TurnedPlaces(preset="lightglue", package="transformers", head=8, places=30, seed=2215,
                 call="axes_transformers: lightglue(q)", angles="summed(*EXAMPLES[:2])"),
    TurnedPlaces(preset="rope-axial-lucid", package="rotary-embedding-torch", head=40, places=15, seed=2216,
                 call="lucid_originals: axial(q)", angles="runs(*[even(1, 5, 10, pi)] * 2)"),
    TurnedPlaces(preset="rope2d-qwen-vision", package="transformers", head=64, places=12, seed=2204,
                 call="axes_transformers: qwen_vision(q)", angles="runs(falling(10000, 32), falling(10000, 32))"),
    TurnedPlaces(preset="rope2d-pixtral", package="transformers", head=64, places=12, seed=2205,
                 call="axes_transformers: pixtral(q)",
                 angles="runs(falling(10000, 64)[::2], falling(10000, 64)[1::2])"),
    TurnedPlaces(preset="rope2d-gemma4-vision", package="transformers", head=64, places=12, seed=2206,
                 call="axes_transformers: gemma4_vision(q)", angles="runs(falling(100, 32), falling(100, 32))"),
    TurnedPlaces(preset="rope2d-sam2-memory", package="transformers", head=64, places=12, seed=2207,
                 call="axes_transformers: sam2_memory(q)", angles="runs(falling(10000, 32), falling(10000, 32))"),
    TurnedPlaces(preset="rope2d-llama4-vision", package="transformers", head=64, places=16, seed=2208,
                 call="axes_transformers: llama4_vision(q)", angles="runs(falling(10000, 32), falling(10000, 32))"),
    TurnedPlaces(preset="rope2d-dinov3", package="transformers", head=64, places=12, seed=2209,
                 call="axes_transformers: dinov3(q)", angles="runs(falling(100, 32, 2 * pi), falling(100, 32, 2 * pi))"),
    TurnedPlaces(preset="vjepa2", package="transformers", head=64, places=24, seed=2210,
                 call="axes_transformers: vjepa2(q)", angles="[]"),
    TurnedPlaces(preset="rope2d-cogview4", package="diffusers", head=64, places=15, seed=2220,
                 call="axes_diffusers: cogview4(q)", angles="runs(falling(10000, 32), falling(10000, 32))"),
    TurnedPlaces(preset="rope2d-hunyuandit", package="diffusers", head=64, places=16, seed=2221,
                 call="axes_diffusers: hunyuandit(q)", angles="runs(falling(10000, 32), falling(10000, 32))"),
    TurnedPlaces(preset="rope2d-lumina", package="diffusers", head=64, places=12, seed=2222,
                 call="axes_diffusers: lumina(q)",
                 angles="rungs(falling(30000, 32, mpf(1) / 2), falling(30000, 32, mpf(1) / 2))"),
    TurnedPlaces(preset="rope3d-cogvideox", package="diffusers", head=64, places=24, seed=2223,
                 call="axes_diffusers: cogvideox(q)", angles="runs(falling(10000, 16), falling(10000, 24), falling(10000, 24))"),
    TurnedPlaces(preset="rope3d-allegro", package="diffusers", head=96, places=24, seed=2224,
                 call="axes_diffusers: allegro(q)", angles="runs(*[falling(10000, 32)] * 3)"),
    TurnedPlaces(preset="rope3d-wan", package="diffusers", head=128, places=24, seed=2225,
                 call="axes_diffusers: wan(q)", angles="runs(falling(10000, 44), falling(10000, 42), falling(10000, 42))"),
    TurnedPlaces(preset="rope3d-helios", package="diffusers", head=128, places=24, seed=2245,
                 call="axes_diffusers: helios(q)", angles="runs(falling(10000, 44), falling(10000, 42), falling(10000, 42))"),
    TurnedPlaces(preset="rope-flux", package="diffusers", head=128, places=6, seed=2226,
                 call="axes_diffusers: flux(q)", angles="runs(falling(10000, 16), falling(10000, 56), falling(10000, 56))"),
    TurnedPlaces(preset="rope-flux2", package="diffusers", head=128, places=6, seed=2227,
                 call="axes_diffusers: flux2(q)", angles="runs(*[falling(2000, 32)] * 4)"),
    TurnedPlaces(preset="lumina2", package="diffusers", head=96, places=6, seed=2228,
                 call="axes_diffusers: lumina2(q)", angles="runs(*[falling(10000, 32)] * 3)"),
    TurnedPlaces(preset="z-image", package="diffusers", head=128, places=6, seed=2229,
                 call="axes_diffusers: z_image(q)", angles="runs(falling(256, 16), falling(256, 56), falling(256, 56))"),
    TurnedPlaces(preset="rope3d-hunyuanvideo", package="diffusers", head=128, places=24, seed=2230,
                 call="axes_diffusers: hunyuanvideo(q)", angles="runs(falling(256, 16), falling(256, 56), falling(256, 56))"),
    TurnedPlaces(preset="rope3d-qwenimage", package="diffusers", head=128, places=30, seed=2231,
                 call="axes_diffusers: qwenimage(q)", angles="runs(falling(10000, 16), falling(10000, 56), falling(10000, 56))"),
    TurnedPlaces(preset="rope3d-ltx", package="diffusers", head=108, places=24, seed=2232,
                 call="axes_diffusers: ltx(q)", angles="rungs(*[rising_gaps(10000, 18, pi / 2)] * 3)"),
    TurnedPlaces(preset="rope3d-cosmos", package="diffusers", head=128, places=24, seed=2233,
                 call="axes_diffusers: cosmos(q)",
                 angles="runs(falling(mpf(10000) * mpf(2) ** (mpf(44) / 42), 44), falling(10000, 42), falling(10000, 42))"),
    TurnedPlaces(preset="rope3d-mochi", package="diffusers", head=8, places=30, seed=2234,
                 call="axes_diffusers: mochi(q)", angles="summed(*EXAMPLES[::-1])"),
    TurnedPlaces(preset="timm-mrope", package="timm", head=128, places=12, seed=2240,
                 call="axes_timm: mrope(q)", angles="dealt(falling(10000, 128), *[0, 1, 2] * 20, *[0] * 4)"),
    TurnedPlaces(preset="rope2d-eva", package="timm", head=64, places=12, seed=2241,
                 call="axes_timm: eva(q)", angles="runs(*[even(1, 112, 16, pi)] * 2)"),
    TurnedPlaces(preset="rope2d-eva-language", package="timm", head=64, places=12, seed=2242,
                 call="axes_timm: eva_language(q)", angles="runs(falling(10000, 32), falling(10000, 32))"),
    TurnedPlaces(preset="rope2d-dinov3-periods", package="timm", head=96, places=12, seed=2243,
                 call="axes_timm: dinov3_periods(q)", angles="runs(*[rising_gaps(mpf(1) / 256, 24, 8 * pi)] * 2)"),
    TurnedPlaces(preset="rope2d-mixed", package="timm", head=8, places=12, seed=2244,
                 call="axes_timm: mixed(q)", angles="summed(*EXAMPLES[:2])"),
]
