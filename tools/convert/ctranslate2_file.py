# SPDX-License-Identifier: Apache-2.0
"""The tensors of CTranslate2's model.bin, binary version 6: names, sizes, types and bytes one after another.

Little-endian throughout, nothing is aligned. A text is u16 (its bytes and a NUL), the bytes, the NUL.
"""
import struct

import numpy as np

VERSION = 6
TYPES = (np.float32, np.int8, np.int16, np.int32, np.float16)  # by the number in the file; 5 is bfloat16
BFLOAT16 = 5


def elements(raw, kind):
    if kind == BFLOAT16:
        return (np.frombuffer(raw, "<u2").astype(np.uint32) << 16).view(np.float32)
    return np.frombuffer(raw, np.dtype(TYPES[kind]).newbyteorder("<"))


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, count):
        if count > len(self.data) - self.at:
            raise ValueError(f"model.bin ends at byte {len(self.data)}, in the middle of something")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, letter):
        return struct.unpack("<" + letter, self.take(struct.calcsize("<" + letter)))[0]

    def text(self):
        raw = self.take(self.number("H"))
        if not raw.endswith(b"\0"):
            raise ValueError(f"a name at byte {self.at} of model.bin does not end in NUL")
        return raw[:-1].decode()


def read(path):
    """(tensors by name, aliases by name). Every byte of the file is accounted for."""
    reader = Reader(path.read_bytes())
    version = reader.number("I")
    if version != VERSION:
        raise ValueError(f"model.bin must be of binary version {VERSION}, got {version}")
    reader.text()  # the kind of model
    reader.number("I")  # and its revision
    tensors = {}
    for _ in range(reader.number("I")):
        name = reader.text()
        shape = [reader.number("I") for _ in range(reader.number("B"))]
        kind = reader.number("B")
        if kind > BFLOAT16:
            raise ValueError(f"{name}: unknown type {kind}")
        raw = reader.take(reader.number("I"))
        tensors[name] = elements(raw, kind).reshape(shape)
    aliases = {reader.text(): reader.text() for _ in range(reader.number("I"))}
    if reader.at != len(reader.data):
        raise ValueError(f"model.bin has {len(reader.data) - reader.at} bytes behind its end")
    return tensors, aliases
