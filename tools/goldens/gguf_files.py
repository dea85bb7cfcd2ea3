# SPDX-License-Identifier: Apache-2.0
# Writes tests/io/goldens/*.gguf with the package gguf of llama.cpp: what posenc's reader must read.
#
# Usage: python tools/goldens/gguf_files.py [--check]    (made with gguf 0.19.0 and NumPy 2.4.6; the files depend on no CPU)

import pathlib
import sys
import tempfile

import gguf
import numpy as np
from npy import FOLDER, filled


def bfloat16(shape):
    """Bits of bf16: the upper halves of f32."""
    return (filled(shape, "<f4").view("<u4") >> 16).astype("<u2")


def llama(writer):
    """A model's keys as its converter writes them, and a tensor of every type that posenc reads, and of some it does not."""
    writer.add_context_length(4096)
    writer.add_embedding_length(64)
    writer.add_block_count(2)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_rope_dimension_count(16)
    writer.add_rope_freq_base(500000.0)
    writer.add_rope_scaling_type(gguf.RopeScalingType.YARN)
    writer.add_rope_scaling_factor(8.0)
    writer.add_rope_scaling_orig_ctx_len(512)
    writer.add_token_list([f"<{i}>" for i in range(1500)])
    writer.add_token_scores([float(-i) for i in range(1500)])
    writer.add_tensor("token_embd.weight", filled((6, 32), "<f4"))
    writer.add_tensor("blk.0.attn_q.weight", filled((3, 4), "<f2"))
    writer.add_tensor("blk.0.attn_k.weight", bfloat16((2, 3)), raw_dtype=gguf.GGMLQuantizationType.BF16)
    writer.add_tensor("f64", filled((2, 3, 2), "<f8"))
    writer.add_tensor("i32", filled((5,), "<i4"))
    writer.add_tensor("i64", filled((1, 1, 1, 3), "<i8"))
    writer.add_tensor("i8", filled((5,), "i1"))
    quantised = gguf.quants.quantize(filled((2, 64), "<f4"), gguf.GGMLQuantizationType.Q8_0)
    writer.add_tensor("output.weight", quantised, raw_dtype=gguf.GGMLQuantizationType.Q8_0)


def values(writer):
    """A key of every type of value, arrays of them, another alignment, and no tensor."""
    writer.add_custom_alignment(64)
    for type_, value in (("uint8", 255), ("int8", -128), ("uint16", 65535), ("int16", -32768), ("uint32", 2**32 - 1),
                         ("int32", -2**31), ("uint64", 2**64 - 1), ("int64", -2**63), ("float32", 0.1),
                         ("float64", 0.1), ("bool", True), ("string", "h\u00e9llo \u4f4d\u7f6e")):
        getattr(writer, f"add_{type_}")(f"value.{type_}", value)
    writer.add_array("array.ints", [1, -2, 3])
    writer.add_array("array.floats", [0.5, 1.5])
    writer.add_array("array.strings", ["a", "", "\u00e9"])
    writer.add_array("array.bools", [True, False])
    writer.add_array("qwen2vl.rope.dimension_sections", [16, 24, 24, 0])


def written(architecture, fill):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "file.gguf"
        writer = gguf.GGUFWriter(path, architecture)
        fill(writer)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path.read_bytes()


def main():
    wrong = []
    for name, architecture, fill in (("llama.gguf", "llama", llama), ("values.gguf", "qwen2vl", values)):
        path, data = pathlib.Path(FOLDER) / name, written(architecture, fill)
        if "--check" not in sys.argv[1:]:
            path.write_bytes(data)
        elif path.read_bytes() != data:
            wrong.append(name)
    if wrong:
        sys.exit(f"other bytes: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
