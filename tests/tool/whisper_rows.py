# SPDX-License-Identifier: Apache-2.0
# The embedded vocabulary and rows, read from their file by hand: default.h of the tool says the layout.

import struct

import tool_case


class Rows:
    def __init__(self):
        data = (tool_case.SOURCE / "apps/posenc/default/whisper_base_3072.bin").read_bytes()
        tokens, merges, self.width, text_bytes = struct.unpack_from("<8x4x4I", data)
        at = 28
        self.original_ids = struct.unpack_from(f"<{tokens}I", data, at)
        lengths = struct.unpack_from(f"<{tokens}I", data, at + 4 * tokens)
        at += 8 * tokens
        self.tokens = []
        for length in lengths:
            self.tokens.append(data[at : at + length])
            at += length
        at += 8 * merges
        self.scales = struct.unpack_from(f"<{tokens}f", data, at)
        self.entries = data[at + 4 * tokens :]
        assert len(self.entries) == tokens * self.width and sum(lengths) == text_bytes

    def row(self, token):
        entries = struct.unpack_from(f"<{self.width}b", self.entries, token * self.width)
        return [tool_case.f32(entry * self.scales[token]) for entry in entries]
