# SPDX-License-Identifier: Apache-2.0
# Writes tests/io/goldens/*.npy with numpy.save: what posenc's writer must reproduce and its reader must read.
#
# Usage: python tools/goldens/npy.py [--check]     (made with NumPy 2.4.6; the files depend on no CPU)

import io
import pathlib
import sys

import numpy as np

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "tests/io/goldens"

# Element i of an array, in row-major order, is VALUES[i % 7]: whole, exact in every type, both signs.
VALUES = [0, 1, -2, 3, 100, -64, 7]


def filled(shape, dtype):
    count = int(np.prod(shape, dtype=np.int64))
    return np.array([VALUES[i % 7] for i in range(count)], dtype=np.int64).astype(dtype).reshape(shape)


WRITTEN = {
    "f4_3x4": ((3, 4), "<f4"),
    "f8_scalar": ((), "<f8"),
    "f2_5": ((5,), "<f2"),
    "i4_2x3x1": ((2, 3, 1), "<i4"),
    "i8_0x3": ((0, 3), "<i8"),
    "f4_8_axes": ((1, 2, 1, 1, 3, 1, 1, 1), "<f4"),
}

# What only the reader meets.
READ = {
    "be_f4_fortran_3x4": np.asfortranarray(filled((3, 4), ">f4")),
    "be_i2_3": filled((3,), ">i2"),
    "i1_3": filled((3,), "i1"),
    "u1_7": np.arange(249, 256, dtype="u1"),
    "u2_2": np.array([1, 65535], dtype="<u2"),
    "u4_2": np.array([1, 4294967295], dtype="<u4"),
    "u8_2": np.array([1, 9223372036854775807], dtype="<u8"),
    "f8_fortran_2x3x2": np.asfortranarray(filled((2, 3, 2), "<f8")),
    "be_f8_2": filled((2,), ">f8"),
    "be_u4_3": np.array([1, 2, 4294967295], dtype=">u4"),
    "f2_fortran_5x2": np.asfortranarray(filled((5, 2), "<f2")),
    "i2_0": filled((0,), "<i2"),
    "i8_scalar": filled((), "<i8"),
}


# A dictionary that fills its line exactly: NumPy adds another line of spaces. No array of at most 8 axes gets there.
FULL_LINE = {"descr": "<f4", "fortran_order": False, "shape": (0, 1000, 1000, 1000, 1000, 1000, 1000, 100)}


def files():
    """{name: what writes it to a file}"""
    made = {f"{name}.npy": lambda file, a=filled(*what): np.save(file, a) for name, what in WRITTEN.items()}
    made |= {f"{name}.npy": lambda file, a=array: np.save(file, a) for name, array in READ.items()}
    made["full_line.header"] = lambda file: np.lib.format.write_array_header_1_0(file, FULL_LINE)
    for major in (2, 3):
        made[f"f4_2_v{major}.npy"] = lambda file, v=major: np.lib.format.write_array(file, filled((2,), "<f4"), version=(v, 0))
    return made


def main():
    wrong = []
    for name, write in files().items():
        data = io.BytesIO()
        write(data)
        if "--check" not in sys.argv[1:]:
            (FOLDER / name).write_bytes(data.getvalue())
        elif (FOLDER / name).read_bytes() != data.getvalue():
            wrong.append(name)
    if wrong:
        sys.exit(f"other bytes: {', '.join(wrong)}")


if __name__ == "__main__":
    main()
