# SPDX-License-Identifier: Apache-2.0
# posenc convert: checkpoints from one pairing to the other, byte by byte against loops of this file.

import json
import pathlib
import random
import shutil
import struct

import tool_case
from tool_case import ToolCase

SIZES = {"BF16": 2, "F16": 2, "F32": 4, "F64": 8, "I8": 1, "F8_E4M3": 1, "U8": 1}
FORWARD, BACK = ("convert", "--pairing", "adjacent:split_half"), ("convert", "--pairing", "split_half:adjacent")
SELF = "model.layers.%d.self_attn.%s"


def write(path, tensors, metadata=None):
    """Name to (type, shape, bytes), as the safetensors package writes it."""
    header, body = {"__metadata__": metadata} if metadata else {}, b""
    for name, (dtype, shape, data) in tensors.items():
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [len(body), len(body) + len(data)]}
        body += data
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    text += b" " * (-len(text) % 8)
    pathlib.Path(path).write_bytes(struct.pack("<Q", len(text)) + text + body)


def read(path):
    """The tensors in the order of the header, and the metadata."""
    data = pathlib.Path(path).read_bytes()
    size = struct.unpack("<Q", data[:8])[0]
    header = json.loads(data[8 : 8 + size])
    metadata = header.pop("__metadata__", None)
    return {name: (info["dtype"], info["shape"], data[8 + size + info["data_offsets"][0] : 8 + size + info["data_offsets"][1]])
            for name, info in header.items()}, metadata


def reordered(data, head, turned, rotated, last=False):
    """Rows of heads, each from adjacent pairs to halves; turned says which heads by their numbers."""
    row, out = len(data) // (head * len(turned)), b""
    first = head - rotated if last else 0
    order = list(range(head))
    order[first : first + rotated] = [*range(first, first + rotated, 2), *range(first + 1, first + rotated, 2)]
    for number, turns in enumerate(turned):
        for column in range(head):
            at = number * head + (order[column] if turns else column)
            out += data[at * row : (at + 1) * row]
    return out


class Convert(ToolCase):
    def setUp(self):
        super().setUp()
        self.random = random.Random(5)

    def tensor(self, dtype, *shape):
        count = SIZES[dtype]
        for size in shape:
            count *= size
        return dtype, list(shape), self.random.randbytes(count)

    def llama(self, heads=4, keys=2, head=8, dtype="BF16", layers=2):
        tensors = {"model.embed_tokens.weight": self.tensor(dtype, 5, 12)}
        for layer in range(layers):
            for name, rows in (("q", heads), ("k", keys), ("v", keys)):
                tensors[SELF % (layer, name + "_proj.weight")] = self.tensor(dtype, rows * head, 12)
                tensors[SELF % (layer, name + "_proj.bias")] = self.tensor(dtype, rows * head)
            for name in "qk":
                tensors[SELF % (layer, name + "_norm.weight")] = self.tensor(dtype, head)
            tensors[SELF % (layer, "rotary_emb.inv_freq")] = self.tensor("F32", head // 2)
        tensors["lm_head.weight"] = self.tensor("F8_E4M3", 7)
        return tensors

    def write(self, tensors, metadata=None, name="in.safetensors"):
        write(self.folder / name, tensors, metadata)
        return name

    def converted(self, tensors, heads_of, head, rotated, last=False):
        """What is to stand in the file: heads_of gives for a name whether each head turns, or None."""
        made = {}
        for name, (dtype, shape, data) in tensors.items():
            turned = heads_of(name)
            made[name] = (dtype, shape, data if turned is None else reordered(data, head, turned, rotated, last))
        return made

    def assert_converts(self, tensors, heads_of, head, rotated, *options, last=False, source=None):
        name = self.write(tensors, {"format": "pt"})
        self.run_tool(*FORWARD, *options, source or name, "out.safetensors")
        found, metadata = read(self.folder / "out.safetensors")
        self.assertEqual(list(found.items()), list(self.converted(tensors, heads_of, head, rotated, last).items()))
        self.assertEqual(list(metadata), ["format", "posenc.convert"])
        back = (source or name).replace("in.safetensors", "out.safetensors")
        self.run_tool(*BACK, *options, back, "back.safetensors")
        self.assertEqual((self.folder / "back.safetensors").read_bytes(), (self.folder / name).read_bytes())

    @staticmethod
    def separate(heads, keys):
        def heads_of(name):
            kinds = {"q_proj": heads, "k_proj": keys, "q_norm": 1, "k_norm": 1}
            found = [count for kind, count in kinds.items() if "." + kind in name and "lora_A" not in name]
            return [True] * found[0] if found else None
        return heads_of

    # ---- separate projections

    def test_rows_of_queries_and_keys_move_and_all_else_stays(self):
        for dtype in ("BF16", "F16", "F32", "F64"):
            self.assert_converts(self.llama(dtype=dtype), self.separate(4, 2), 8, 8, "--heads", "4", "--kv-heads", "2")
        self.assert_converts(self.llama(keys=4), self.separate(4, 4), 8, 8, "--heads", "4")
        self.assert_converts(self.llama(heads=1, keys=1, head=2), self.separate(1, 1), 2, 2, "--heads", "1")

    def test_a_part_of_the_head_at_either_end(self):
        options = ("--heads", "4", "--kv-heads", "2", "--rotated", "6", "--head", "8")
        self.assert_converts(self.llama(), self.separate(4, 2), 8, 6, *options)
        self.assert_converts(self.llama(), self.separate(4, 2), 8, 6, *options, "--rotated-end", "last", last=True)

    def test_meta_s_names_and_adapters(self):
        tensors = {"layers.0.attention.wq.weight": self.tensor("BF16", 16, 4), "layers.0.attention.wk.weight": self.tensor("BF16", 16, 4)}
        self.assert_converts(tensors, lambda name: [True] * 2, 8, 8, "--heads", "2")
        adapter = {}
        for name in ("q_proj", "k_proj"):
            adapter[SELF % (0, name + ".lora_A.weight")] = self.tensor("F32", 3, 16)
            adapter[SELF % (0, name + ".lora_B.default.weight")] = self.tensor("F32", 16, 3)
        self.assert_converts(adapter, self.separate(2, 2), 8, 8, "--heads", "2")

    def test_norms_of_all_heads(self):
        tensors = self.llama(layers=1)
        tensors[SELF % (0, "q_norm.weight")] = self.tensor("BF16", 4 * 8)  # OLMo 2
        tensors[SELF % (0, "k_norm.weight")] = self.tensor("BF16", 2, 8)  # Cohere
        def heads_of(name):
            return {"q_norm": [True] * 4, "k_norm": [True] * 2}.get(name.split(".")[-2], self.separate(4, 2)(name))
        self.assert_converts(tensors, heads_of, 8, 8, "--heads", "4", "--kv-heads", "2")

    # ---- keys that are compressed, and one that turns behind them

    def latent(self, queries="q_b_proj", heads=4, plain=6, turned=4, compressed=10):
        tensors = {"model.embed_tokens.weight": self.tensor("BF16", 5, 12)}
        for layer in range(2):
            for name, rows in ((queries, heads * (plain + turned)), ("kv_a_proj_with_mqa", compressed + turned),
                               ("kv_b_proj", heads * 2 * plain)):
                tensors[SELF % (layer, name + ".weight")] = self.tensor("BF16", rows, 12)
            tensors[SELF % (layer, "kv_a_proj_with_mqa.bias")] = self.tensor("F32", compressed + turned)
            tensors[SELF % (layer, "kv_a_layernorm.weight")] = self.tensor("BF16", compressed)
        return tensors

    def assert_converts_latent(self, tensors, *options):
        self.write(tensors)
        wanted = {}
        for name, (dtype, shape, data) in tensors.items():
            if name.split(".")[-2] in ("q_b_proj", "q_proj"):
                data = reordered(data, 10, [True] * 4, 4, last=True)
            if "kv_a_proj_with_mqa" in name:
                data = reordered(data, 14, [True], 4, last=True)
            wanted[name] = (dtype, shape, data)
        self.run_tool(*FORWARD, *options, "in.safetensors", "out.safetensors")
        self.assertEqual(read(self.folder / "out.safetensors")[0], wanted)
        self.run_tool(*BACK, *options, "out.safetensors", "back.safetensors")
        self.assertEqual(read(self.folder / "back.safetensors")[0], tensors)

    def test_of_compressed_keys_the_columns_that_turn_alone_move(self):
        for queries in ("q_b_proj", "q_proj"):
            self.assert_converts_latent(self.latent(queries), "--heads", "4", "--rotated", "4", "--rotated-end", "last")
        config = {"model_type": "deepseek_v3", "hidden_size": 12, "num_attention_heads": 4, "num_key_value_heads": 4,
                  "num_hidden_layers": 2, "qk_rope_head_dim": 4, "qk_nope_head_dim": 6, "kv_lora_rank": 10,
                  "q_lora_rank": 8, "v_head_dim": 6, "rope_theta": 10000.0, "max_position_embeddings": 4096}
        (self.folder / "config.json").write_text(json.dumps(config))
        self.assert_converts_latent(self.latent(), "--config", "config.json")

    def test_compressed_keys_whose_turned_columns_are_not_stated_are_refused(self):
        self.write(self.latent())
        for options in (["--heads", "4"], ["--heads", "4", "--rotated", "4"], ["--heads", "4", "--rotated-end", "last"]):
            self.assert_refused([*FORWARD, *options, "in.safetensors", "out.safetensors"], "the last columns of a head turn")
        wide = ["--heads", "2", "--rotated", "20", "--rotated-end", "last"]
        self.assert_refused([*FORWARD, *wide, "in.safetensors", "out.safetensors"], "must have the 20 rows that turn")

    # ---- fused projections

    def test_fused_rows(self):
        neox = "gpt_neox.layers.0.attention.query_key_value."
        for name, heads, keys, rows, turned in (
                (neox, 4, 4, 12, [True, True, False] * 4),
                ("transformer.h.0.self_attention.query_key_value.", 8, 1, 10, [True] * 9 + [False]),
                ("model.layers.0.self_attn.qkv_proj.", 4, 2, 8, [True] * 6 + [False] * 2),
                ("model.layers.0.self_attn.W_pack.", 4, 4, 12, [True] * 8 + [False] * 4),
                ("transformer.h.0.attn.c_attn.", 4, 4, 12, [True] * 8 + [False] * 4),
                ("layers.0.mixer.Wqkv.", 4, 2, 8, [True] * 6 + [False] * 2),
                ("transformer.h.0.attn.qkv_proj.", 8, 8, 24, ([True] * 2 + [False] * 2 + [True] * 2) * 4)):
            tensors = {name + "weight": self.tensor("F16", rows * 6, 5), name + "bias": self.tensor("F16", rows * 6),
                       "other": self.tensor("U8", 3)}
            self.assert_converts(tensors, lambda each: turned if each.startswith(name) else None, 6, 4,
                                 "--heads", str(heads), "--kv-heads", str(keys), "--rotated", "4")

    def test_rows_that_the_name_does_not_tell_are_stated(self):
        name = "transformer.h.0.self_attention.query_key_value.weight"
        tensors = {name: self.tensor("F16", 12 * 4, 5)}  # Falcon and ChatGLM: 8 query and 2 key heads
        words = ("--heads", "8", "--kv-heads", "2")
        self.write(tensors)
        self.assert_refused([*FORWARD, *words, "in.safetensors", "o.safetensors"], "--fused must say how the rows of ")
        self.assert_converts(tensors, lambda _: ([True] * 5 + [False]) * 2, 4, 4, *words, "--fused", "2*q4k1v1")
        self.assert_converts(tensors, lambda _: [True] * 10 + [False] * 2, 4, 4, *words, "--fused", "1*q8k2v2")
        for fused in ("q8k2v2", "2*", "0*q8k2v2", "1*q8k2w2", "1*q8k2v", "1*8q", "1*q-8k2v2", "1*q999999k2"):
            self.assert_refused([*FORWARD, *words, "--fused", fused, "in.safetensors", "o.safetensors"], "--fused must")
        self.assert_refused([*FORWARD, *words, "--fused", "1*q7k2v2", "in.safetensors", "o.safetensors"],
                            "--fused must have 8 query and 2 key heads, got 7 and 2")

    # ---- patterns

    def test_a_pattern_takes_what_it_matches(self):
        tensors = self.llama()
        first = lambda name: self.separate(4, 2)(name) if ".layers.0." in name else None
        self.assert_converts(tensors, first, 8, 8, "--heads", "4", "--kv-heads", "2", source="in.safetensors:*layers.0.*")
        tensors = {"a.rows": self.tensor("F32", 16, 3), "b.rows": self.tensor("F32", 32), "c": self.tensor("F32", 5)}
        self.assert_converts(tensors, lambda name: {"a": [True] * 2, "b": [True] * 4}.get(name[0]), 8, 8,
                             "--heads", "4", "--kv-heads", "2", "--head", "8", source="in.safetensors:?.rows")
        self.write(tensors)
        words = [*FORWARD, "--heads", "4", "--kv-heads", "2"]
        self.assert_refused([*words, "in.safetensors:?.rows", "o.safetensors"], "--head must be given")
        self.assert_refused([*words, "--head", "8", "in.safetensors:*", "o.safetensors"],
                            "'c' must have the rows of 4, 2 or 1 heads of 8 columns, got [5]")
        self.assert_refused([*words, "in.safetensors:nothing*", "o.safetensors"], "the pattern must match a tensor, got 'nothing*'")

    # ---- configurations

    def test_a_configuration_says_what_the_options_would(self):
        configs = tool_case.SOURCE / "tests/inspect/configs"
        shutil.copy(configs / "llama-3.1-8b.json", self.folder / "config.json")
        tensors = {SELF % (0, name + ".weight"): self.tensor("BF16", rows * 128, 1) for name, rows in (("q_proj", 32), ("k_proj", 8))}
        self.assert_converts(tensors, self.separate(32, 8), 128, 128, "--config", "config.json")
        report = self.json_of(*FORWARD, "--config", "config.json", "in.safetensors", "o.safetensors")
        self.assertEqual((report["heads"], report["key_heads"], report["head"], report["tensors"]), (32, 8, 128, 2))
        self.assertEqual(report["proof"]["equal"], True)
        self.assertEqual((report["proof"]["heads"], report["proof"]["columns"]), (40, 128))
        self.assertLess(0, report["proof"]["difference"])
        self.assertLessEqual(report["proof"]["difference"], report["proof"]["bound"])
        self.assert_refused([*FORWARD, "--config", "config.json", "--heads", "32", "in.safetensors", "o.safetensors"],
                            "one of --config and --heads must be given, got '32'")

    def test_falcon_of_a_configuration(self):
        config = {"model_type": "falcon", "hidden_size": 512, "num_attention_heads": 8, "num_hidden_layers": 1,
                  "num_kv_heads": 2, "new_decoder_architecture": True, "multi_query": True, "alibi": False}
        for changed, turned in (({}, ([True] * 5 + [False]) * 2), ({"new_decoder_architecture": False}, [True] * 9 + [False])):
            (self.folder / "config.json").write_text(json.dumps({**config, **changed}))
            tensors = {"transformer.h.0.self_attention.query_key_value.weight": self.tensor("F32", len(turned) * 64, 1)}
            self.assert_converts(tensors, lambda _: turned, 64, 64, "--config", ".")

    def test_names_with_two_forms_are_told_apart_by_the_model_type_or_by_the_caller(self):
        name = "model.layers.0.attention.wqkv.weight"
        self.write({name: self.tensor("F16", 12 * 4, 5)})
        words = ("--heads", "4", "--kv-heads", "4")
        self.assert_refused([*FORWARD, *words, "in.safetensors", "o.safetensors"], "--fused must say how the rows of ")
        self.write({"layers.0.attention.qkv_proj.weight": self.tensor("F16", 12 * 4, 5)})
        self.assert_refused([*FORWARD, *words, "in.safetensors", "o.safetensors"], "--fused must say how the rows of ")
        self.write({"transformer.h.0.attn.qkv_proj.weight": self.tensor("F16", 18 * 4, 5)})  # CodeGen has quarters
        self.assert_refused([*FORWARD, "--heads", "6", "in.safetensors", "o.safetensors"], "--fused must say")

    # ---- files

    def test_a_folder_of_shards(self):
        tensors = self.llama(layers=3)
        names = list(tensors)
        (self.folder / "model").mkdir()
        for number, part in enumerate((names[:9], names[9:-1], names[-1:])):
            write(self.folder / f"model/m-{number}.safetensors", {name: tensors[name] for name in part}, {"format": "pt"})
        index = json.dumps({"weight_map": {}}).encode()
        (self.folder / "model/m.safetensors.index.json").write_bytes(index)
        words = ("--heads", "4", "--kv-heads", "2")
        self.run_tool(*FORWARD, *words, "model", "out")
        found = {}
        for number in range(3):
            found.update(read(self.folder / f"out/m-{number}.safetensors")[0])
        self.assertEqual(found, self.converted(tensors, self.separate(4, 2), 8, 8))
        self.assertEqual((self.folder / "out/m.safetensors.index.json").read_bytes(), index)
        self.assertEqual((self.folder / "out/m-2.safetensors").read_bytes(), (self.folder / "model/m-2.safetensors").read_bytes())
        self.assertTrue(self.json_of(*BACK, *words, "out", "back")["taken_back"])
        for number in range(3):
            self.assertEqual((self.folder / f"back/m-{number}.safetensors").read_bytes(),
                             (self.folder / f"model/m-{number}.safetensors").read_bytes())
        for source, target, rule in (("model", "model", "must be two files"), ("model", "out/m-0.safetensors", "OUT must be a folder"),
                                     ("out/m-0.safetensors", "x.npy", "OUT must end in .safetensors")):
            self.assertIn(rule, self.start(*FORWARD, *words, source, target).stderr.decode())

    def test_what_is_not_proven_or_not_there_leaves_no_folder(self):
        (self.folder / "model").mkdir()
        self.assert_refused([*FORWARD, "--heads", "4", "model", "out"], "the folder must have .safetensors files")
        write(self.folder / "model/m.safetensors", {"x": self.tensor("F32", 3)})
        self.assert_refused([*FORWARD, "--heads", "4", "model", "out"], "a tensor must be called like a query or key projection")
        write(self.folder / "model/m.safetensors", self.llama())
        (self.folder / "model/broken.safetensors").write_bytes(b"12345")
        self.assert_refused([*FORWARD, "--heads", "4", "--kv-heads", "2", "model", "out"], "broken.safetensors")

    def test_steps_are_listed_and_the_last_is_taken_back(self):
        name = self.write(self.llama())
        words = ("--heads", "4", "--kv-heads", "2")
        self.run_tool(*FORWARD, *words, f"{name}:*q_*", "a.safetensors")
        self.run_tool(*FORWARD, *words, "a.safetensors:*k_*", "b.safetensors")
        steps = json.loads(read(self.folder / "b.safetensors")[1]["posenc.convert"])
        self.assertEqual([step.split(", ")[-2] for step in steps], ["matching *q_*", "matching *k_*"])
        self.assert_refused([*FORWARD, *words, "b.safetensors:*k_*", "c.safetensors"], "must not have been converted so already")
        self.run_tool(*BACK, *words, "b.safetensors:*k_*", "c.safetensors")
        self.assertEqual((self.folder / "c.safetensors").read_bytes(), (self.folder / "a.safetensors").read_bytes())
        self.run_tool(*BACK, *words, "c.safetensors:*q_*", "d.safetensors")
        self.assertEqual((self.folder / "d.safetensors").read_bytes(), (self.folder / name).read_bytes())
        for entry in ("[]", "{", "[1]", "7"):
            self.write(self.llama(), {"posenc.convert": entry})
            self.assert_refused([*FORWARD, *words, name, "e.safetensors"], "must be a list of conversions")

    def test_memory_does_not_grow_with_the_file(self):
        if tool_case.SANITIZED:
            self.skipTest("a sanitizer keeps what is freed")
        words = (*FORWARD, "--heads", "4", "--no-sync")
        peaks = []
        for megabytes in (8, 96):
            tensors = {SELF % (0, "q_proj.weight"): self.tensor("F32", 32, 512), SELF % (0, "k_proj.weight"): self.tensor("F32", 32, 512),
                       "lm_head": ("U8", [megabytes << 20], bytes(megabytes << 20))}
            self.write(tensors)
            peaks.append(self.peak(*words, "in.safetensors", "out.safetensors"))
        self.assertLess(peaks[1] - peaks[0], 4 << 20)

    # ---- tables

    def table(self, name, layout, positions, *more):
        self.run_tool("table", "--preset", "transformer", "--set", f"layout={layout}", "--dim", "8", "--positions", positions,
                      "--out", name, *more)
        return (self.folder / name).read_bytes()

    def test_tables_between_layouts_origins_and_lengths(self):
        self.table("a.npy", "interleaved", "3:40")
        for layout in ("sine_first", "cosine_first", "interleaved"):
            move = ("--layout", f"interleaved:{layout}") if layout != "interleaved" else ()
            for first, rows in ((3, 37), (5, 35), (0, 40), (-4, 3), (10, 7), (38, 90), (60, 2)):
                if (first, rows, layout) == (3, 37, "interleaved"):
                    continue
                report = self.json_of("convert", *move, "--first", f"3:{first}", "--rows", str(rows), "a.npy", "b.npy")
                self.assertEqual((self.folder / "b.npy").read_bytes(), self.table("c.npy", layout, f"{first}:{first + rows}"))
                moved = len(set(range(3, 40)) & set(range(first, first + rows)))
                self.assertEqual((report["moved"], report["made"], report["shape"]), (moved, rows - moved, [rows, 8]))
                self.assertEqual(report["proof"], {"entries": 37 * 8, "equal": 37 * 8, "furthest": 0.0})

    def test_entries_move_as_they_are(self):
        tool_case.write_npy(self.folder / "a.npy", "<f4", (1, 3, 4), [-0.0, 1, 0, 1, 0.84147096, 0.54030234, 0.01, 0.9999501, 0.9093, -0.4161, 0.02, 0.9998])
        self.assert_refused(["convert", "--layout", "interleaved:sine_first", "a.npy", "b.npy"], "got another number at [2, 0]")
        tool_case.write_npy(self.folder / "a.npy", "<f4", (1, 2, 4), [-0.0, 1, 0, 1, 0.84147096, 0.54030234, 0.01, 0.9999501])
        report = self.json_of("convert", "--layout", "interleaved:sine_first", "a.npy", "b.safetensors")
        self.assertEqual(report["shape"], [1, 2, 4])
        self.assertLess(report["proof"]["equal"], 8)
        found, metadata = read(self.folder / "b.safetensors")
        values = [tool_case.f32(x) for x in (-0.0, 0, 1, 1, 0.84147096, 0.01, 0.54030234, 0.9999501)]
        self.assertEqual(found, {"table": ("F32", [1, 2, 4], struct.pack("<8f", *values))})
        self.assertEqual(json.loads(metadata["posenc.convert"]),
                         ["layout interleaved:sine_first, first 0:0, 2 rows of 2, 0 of them made by transformer"])

    def test_types_of_tables(self):
        for dtype in ("f64", "f16", "bf16"):
            self.table("a.safetensors", "interleaved", "0:9", "--dtype", dtype)
            self.run_tool("convert", "--layout", "interleaved:cosine_first", "--rows", "12", "a.safetensors", "b.safetensors")
            self.table("c.safetensors", "cosine_first", "0:12", "--dtype", dtype)
            self.assertEqual(list(read(self.folder / "b.safetensors")[0].values()), list(read(self.folder / "c.safetensors")[0].values()))

    def test_tables_that_are_none_or_others(self):
        self.table("a.npy", "interleaved", "0:9")
        tool_case.write_npy(self.folder / "line.npy", "<f4", (8,), [0.0] * 8)
        tool_case.write_npy(self.folder / "cube.npy", "<f4", (2, 2, 8), [0.0] * 32)
        tool_case.write_npy(self.folder / "whole.npy", "<i4", (2, 8), [0] * 16)
        words = ("convert", "--layout", "interleaved:sine_first")
        for call, rule in (
                ((*words, "--preset", "llama", "a.npy", "b.npy"), "the convention must be waves of one axis"),
                ((*words, "--set", "ladder.base=500", "a.npy", "b.npy"), "IN must be a table of transformer with ladder.base=500, its"),
                (("convert", "--layout", "sine_first:interleaved", "a.npy", "b.npy"), "got another number at [0, 1]"),
                ((*words, "--first", "1:1", "a.npy", "b.npy"), "from position 1 on, got another number at [0, 0]"),
                (("convert", "--layout", "interleaved:halves", "a.npy", "b.npy"), "--layout must be FROM:TO, each interleaved, sine_first or cosine_first"),
                (("convert", "--first", "0:0", "a.npy", "b.npy"), "must change the table"),
                (("convert", "--first", "3", "a.npy", "b.npy"), "--first must be FROM:TO"),
                (("convert", "--first", "0:9", "a.npy", "b.npy"), "--rows must be given where --first leaves no row of IN"),
                (("convert", "--rows", "0", "a.npy", "b.npy"), "--rows must be"),
                (("convert", "--rows", str(1 << 40), "a.npy", "b.npy"), "fit in the free space"),
                ((*words, "a.npy", "a.npy"), "OUT and IN must be two files"),
                ((*words, "a.npy", "b.txt"), "must end in .npy or .safetensors"),
                ((*words, "line.npy", "b.npy"), "IN must have an axis of rows and one of columns"),
                ((*words, "cube.npy", "b.npy"), "IN must have an axis of rows and one of columns"),
                ((*words, "whole.npy", "b.npy"), "IN must be f32, f64, f16 or bf16"),
                ((*words, "--heads", "4", "a.npy", "b.npy"), "--heads must come with --pairing, got '4'"),
                ((*FORWARD, "--heads", "4", "--rows", "3", "a.npy", "b.npy"), "--rows must come without --pairing, got '3'"),
                (("convert", "a.npy", "b.npy"), "--pairing, or --layout, --first or --rows must be given")):
            self.assert_refused(call, rule)

    # ---- refusals

    def test_what_cannot_be_proven_is_refused(self):
        good = self.llama()
        words = ("--heads", "4", "--kv-heads", "2")
        for changes, rule in (
                ({SELF % (0, "q_proj.qweight"): self.tensor("U8", 4)}, "quantised weights are not converted"),
                ({SELF % (0, "q_proj.weight_scale"): self.tensor("F32", 1)}, "quantised weights are not converted"),
                ({SELF % (0, "k_proj.weight.absmax"): self.tensor("F32", 1)}, "quantised weights are not converted"),
                ({SELF % (0, "q_proj.weight"): self.tensor("F8_E4M3", 32, 12)}, "got F8_E4M3 of "),
                ({SELF % (0, "q_proj.weight"): self.tensor("BF16", 30, 12)}, "must be those of 4 heads, got 30"),
                ({SELF % (0, "k_proj.weight"): self.tensor("BF16", 32, 12)}, "must have the rows of 2 heads of 8 columns, got [32, 12]"),
                ({SELF % (1, "k_norm.weight"): self.tensor("BF16", 9)}, "must have the rows of 1 or 2 heads of 8 columns, got [9]"),
                ({"vision.layers.0.self_attn.q_proj.weight": self.tensor("BF16", 32, 12)}, "one stack of layers")):
            self.write({**good, **changes})
            self.assert_refused([*FORWARD, *words, "in.safetensors", "o.safetensors"], rule)
        self.write({SELF % (0, "q_proj.weight"): self.tensor("BF16", 32, 12)})
        self.assert_refused([*FORWARD, *words, "in.safetensors", "o.safetensors"], "queries and keys of a layer must both be found")
        for name, rest in (("k_proj", "queries alone in 'model.layers.1.self_attn'"), ("q_proj", "keys alone in 'model.layers.1.self_attn'")):
            self.write({key: tensor for key, tensor in good.items() if not key.startswith(SELF % (1, name))})
            self.assert_refused([*FORWARD, *words, "in.safetensors", "o.safetensors"], rest)

    def test_what_stands_beside_projections_and_is_not_known_is_refused(self):
        words = [*FORWARD, "--heads", "4", "--kv-heads", "2", "in.safetensors"]
        for name, shape in (("q_bias", [32]), ("q_proj_bias", [32]), ("query_norm.weight", [8]), ("qk_norm.weight", [8]),
                            ("qk_norm.query_norm.weight", [8]), ("norm_q.weight", [1, 8]), ("norm.key_norm.scale", [8]),
                            ("q_ln.weight", [8]), ("ln_k.weight", [16]), ("qnorm.weight", [8]), ("attn_q_norm.weight", [8]),
                            ("k_scale", [8, 1]), ("pos_bias_u", [4, 8]), ("qk_scale", [4, 1, 8]), ("u", [32]), ("queries.rel", [32, 3])):
            self.write({**self.llama(), SELF % (1, name): self.tensor("F32", *shape)})
            self.assert_refused([*words, "o.safetensors"], "a tensor beside the projections that may have columns of queries or "
                                f"keys must be a norm or bias of a known name, or what moves be matched by IN.safetensors:PATTERN, "
                                f"got '{SELF % (1, name)}' {shape}")
            self.run_tool(*words[:-1], "in.safetensors:*_proj*", "o.safetensors")
        tensors = {"layers.3.wq.weight": self.tensor("F32", 32, 5), "layers.3.wk.weight": self.tensor("F32", 16, 5)}
        self.write({**tensors, "layers.3.ln_q": self.tensor("F32", 8)})
        self.assert_refused([*words, "o.safetensors"], "got 'layers.3.ln_q' [8]")

    def test_what_stands_beside_projections_and_has_no_columns_of_theirs_stays(self):
        words = ("--heads", "4", "--kv-heads", "2")
        tensors = self.llama(layers=1)
        for name, shape in (("v_norm.weight", [8]), ("v_bias", [16]), ("o_proj.bias", [32]), ("sinks", [8]), ("attn_sub_norm.weight", [32]),
                            ("bias", [1, 1, 16, 16]), ("masked_bias", []), ("q_scale", [4]), ("gate.weight", [32, 12])):
            tensors[SELF % (0, name)] = self.tensor("F32", *shape)
        tensors["model.layers.0.qk_norms.weight"] = tensors["model.norm.weight"] = self.tensor("F32", 32)
        self.assert_converts(tensors, self.separate(4, 2), 8, 8, *words)
        block = {"layers.3.wq.weight": self.tensor("F32", 32, 5), "layers.3.wk.weight": self.tensor("F32", 16, 5),
                 "layers.3.ffn_norm.weight": self.tensor("F32", 32)}
        turned = {"wq": [True] * 4, "wk": [True] * 2}
        self.assert_converts(block, lambda name: turned.get(name.split(".")[2]), 8, 8, *words)

    def test_grouped_heads_that_are_not_stated_are_asked_for(self):
        self.write(self.llama())
        self.assert_refused([*FORWARD, "--heads", "4", "in.safetensors", "out.safetensors"],
                            "of 4 heads of 8 columns; --kv-heads states fewer heads of keys, got [16, 12]")

    def test_words_that_are_none(self):
        self.write(self.llama())
        files = ("in.safetensors", "o.safetensors")
        heads = ("--heads", "4", "--kv-heads", "2")
        for words, rule in (
                ((*FORWARD, *files), "--heads or --config must be given"),
                (("convert", *heads, *files), "--pairing"),
                (("convert", "--pairing", "adjacent:adjacent", *heads, *files), "--pairing must name two, got 'adjacent:adjacent'"),
                (("convert", "--pairing", "adjacent", *heads, *files), "--pairing must be FROM:TO, each adjacent or split_half"),
                (("convert", "--pairing", "halves:adjacent", *heads, *files), "--pairing must be FROM:TO"),
                ((*FORWARD, *heads, "in.safetensors"), "IN and OUT must be given, got 1 names"),
                ((*FORWARD, *heads, *files, "more"), "IN and OUT must be given, got 3 names"),
                ((*FORWARD, *heads, "in.safetensors", "in.safetensors"), "OUT and IN must be two files"),
                ((*FORWARD, *heads, "in.safetensors", "o.npy"), "OUT must end in .safetensors"),
                ((*FORWARD, *heads, "none.safetensors", "o.safetensors"), "No such file"),
                ((*FORWARD, *heads, "in.safetensors:", "o.safetensors"), "the pattern of IN must have a character"),
                ((*FORWARD, "--heads", "0", *files), "--heads must be"),
                ((*FORWARD, "--heads", "4", "--kv-heads", "3", *files), "--kv-heads must divide the 4 heads, got 3"),
                ((*FORWARD, *heads, "--rotated", "7", *files), "--rotated must be even, got 7"),
                ((*FORWARD, *heads, "--rotated", "10", *files), "--rotated must be at most the 8 columns of a head, got 10"),
                ((*FORWARD, *heads, "--head", "16", *files), "of 4 heads of 16 columns"),
                ((*FORWARD, *heads, "--rotated-end", "middle", *files), "--rotated-end must be first or last")):
            self.assert_refused(words, rule)

    def test_words_and_files_are_offered(self):
        offered = lambda *words: self.run_tool("complete", "convert", *words).split()
        self.assertEqual(offered("--pairing", "a"), ["adjacent:split_half"])
        self.assertEqual(len(offered("--layout", "")), 6)
        self.assertEqual(offered(""), ["/"])

    def test_the_proof_is_told(self):
        self.write(self.llama())
        told = self.start(*FORWARD, "--heads", "4", "--kv-heads", "2", "in.safetensors", "o.safetensors").stderr.decode()
        self.assertRegex(told, r"posenc: proof: \d+ heads x 8 columns at 4 positions, equal to the bit; "
                               r"scores within [0-9.e-]+ of bound [0-9.e-]+\n")


if __name__ == "__main__":
    tool_case.main()
